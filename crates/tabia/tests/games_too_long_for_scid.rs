//! A game that is too long for a Scid database loses what does not fit, is reported, and costs no other game.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::fs;

use tabia::LossTable;
use tabia::core::game::{Annotation, Event, Game};
use tabia::core::loss::Feature;
use tabia_testkit::Scratch;

const KNIGHTS: [&str; 4] = ["Nf3", "Nf6", "Ng1", "Ng8"];

/// Moves, each with what follows it.
fn moves(count: usize, after: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for ply in 0..count {
        let _ = write!(text, "{}{} ", KNIGHTS[ply % 4], after(ply));
    }
    text
}

/// The games after a conversion of one between two short ones, and what was lost.
fn converted(extension: &str, tags: &str, moves: &str) -> (Vec<Game>, LossTable) {
    let folder = Scratch::new("games-too-long-for-scid");
    let short = "[Event \"short\"]\n\n1. e4 e5 2. Nf3 *\n\n";
    let text = format!("{short}[Event \"long\"]\n{tags}\n{moves} *\n\n{short}");
    fs::write(folder.join("games.pgn"), text).unwrap();
    let target = folder.join(format!("games.{extension}"));
    let summary = tabia::convert(folder.join("games.pgn"), &target).unwrap();
    let mut games = tabia::open(&target).unwrap().games();
    let read: Vec<Game> = games.by_ref().map(Result::unwrap).collect();
    assert!(games.problems().is_empty(), "{extension}");
    (read, summary.losses)
}

fn plies(game: &Game) -> usize {
    game.mainline().count()
}

fn comments(game: &Game) -> usize {
    let events = game.events();
    let is_comment = |event: &Event<'_>| matches!(event, Event::Annotation(Annotation::Comment(_)));
    events.filter(is_comment).count()
}

fn variations(game: &Game) -> usize {
    let events = game.events();
    events
        .filter(|event| matches!(event, Event::BeginVariation))
        .count()
}

#[test]
fn what_does_not_fit_is_lost_and_counted() {
    for (extension, limit) in [("si3", 0x7fff), ("si4", 0x1_ffff), ("si5", 0x1_ffff)] {
        let check = |tags: &str, moves: &str| {
            let (games, losses) = converted(extension, tags, moves);
            assert_eq!(games.len(), 3, "{extension}");
            assert!(
                [0, 2].iter().all(|&at| plies(&games[at]) == 3),
                "{extension}"
            );
            (games[1].clone(), losses)
        };
        // A move takes a byte.
        let (game, losses) = check("", &moves(200_000, |_| String::new()));
        let lost = losses.count(Feature::Moves) as usize;
        assert_eq!(plies(&game) + lost, 200_000, "{extension}");
        assert!((limit - 100..limit).contains(&plies(&game)), "{extension}");

        // Comments go before moves, and as many are kept as there is space for.
        let comment = |ply| format!(" {{{}}}", format!("{ply} ").repeat(200));
        let (game, losses) = check("", &moves(2000, comment));
        let lost = losses.count(Feature::Comments) as usize;
        assert_eq!(
            (plies(&game), losses.count(Feature::Moves)),
            (2000, 0),
            "{extension}"
        );
        assert_eq!(comments(&game) + lost, 2000, "{extension}");
        assert!(
            comments(&game) > limit / 1100,
            "{extension}: {}",
            comments(&game)
        );

        // What is in a comment that goes is counted with it.
        let comment = |ply| {
            format!(
                " {{[%cal Ge2e4][%clk 1:00:00] {}}}",
                format!("{ply} ").repeat(200)
            )
        };
        let (game, losses) = check("", &moves(2000, comment));
        let kept = comments(&game) as u64;
        for feature in [Feature::Comments, Feature::Shapes, Feature::Clocks] {
            assert_eq!(
                kept + losses.count(feature),
                2000,
                "{extension} {feature:?}"
            );
        }

        // Symbols take two bytes, and those of moves that are left out go with them.
        let (game, losses) = check("", &moves(100_000, |_| " $1 $2".to_owned()));
        let lost = losses.count(Feature::Moves) as usize;
        assert_eq!(plies(&game) + lost, 100_000, "{extension}");
        assert!(
            losses.count(Feature::Nags) as usize >= 2 * lost - 2,
            "{extension}"
        );

        // Variations go before moves of the mainline.
        let variation = |ply| if ply % 4 == 0 { " (a3)" } else { "" }.to_owned();
        let (game, losses) = check("", &moves(30_000, variation));
        assert_eq!(plies(&game), 30_000, "{extension}");
        let kept = variations(&game);
        assert_eq!(kept, if extension == "si3" { 0 } else { 7500 });
        assert_eq!(
            kept + losses.count(Feature::Variations) as usize,
            7500,
            "{extension}"
        );

        // Tags take half of the space at most.
        let mut tags = String::new();
        for number in 0..2000 {
            let _ = writeln!(tags, "[Tag{number} \"{}\"]", "t".repeat(200));
        }
        let (game, losses) = check(&tags, "1. e4 e5 2. Nf3");
        let lost = losses.count(Feature::Tags) as usize;
        let kept = game
            .head
            .tags
            .iter()
            .filter(|(name, _)| name.starts_with("Tag"));
        assert_eq!(
            (plies(&game), kept.count() + lost),
            (3, 2000),
            "{extension}"
        );
    }
}
