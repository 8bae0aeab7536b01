//! Terms about positions and moves, steps and groups, on played games.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;
use std::time::Duration;
use tabia_core::GameIndex;
use tabia_core::chess::Position;

use tabia_core::game::{Annotation, Clock, ClockKind, Comment, CommentPlacement, Eval, Nag, Score};
use tabia_core::game::{Game, GameHead, GameResult, Visitor};
use tabia_query::{Matcher, Query};
use tabia_testkit::Random;

fn game(moves: &str) -> Game {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
    let mut position = Position::standard();
    for san in moves.split(' ') {
        let ply = position.parse_san(san).unwrap();
        recorder.push_move(ply);
        position.play_ply(ply);
    }
    recorder.end_game(GameResult::WhiteWins);
    game.head.tags.push("White", "Greco, Gioachino");
    game
}

/// The plies of the moments, or `None` if the game does not fit.
fn plies(query: &str, game: &Game) -> Option<Vec<u32>> {
    let query = Query::parse(query).unwrap();
    let mut matcher = Matcher::new(&query).with_moments();
    let fits = matcher.matches(GameIndex(0), game);
    assert_eq!(
        Matcher::new(&query).matches(GameIndex(0), game),
        fits,
        "{query}"
    );
    fits.then(|| matcher.moments().iter().map(|moment| moment.ply).collect())
}

/// A game with variations in parentheses, symbols `$1`, comments `{text`, evaluations `=2.5` and clocks
/// `@30`.
fn annotated(moves: &str) -> Game {
    let mut game = Game::new();
    let mut recorder = game.recorder();
    let _ = recorder.begin_game(GameIndex(0), &GameHead::default());
    let mut line = vec![(Position::standard(), Position::standard())];
    for word in moves.split(' ') {
        let (before, now) = line.last_mut().unwrap();
        let annotation = match word.split_at(1) {
            ("(", _) => {
                let start = before.clone();
                line.push((start.clone(), start));
                let _ = recorder.begin_variation();
                continue;
            }
            (")", _) => {
                line.pop();
                recorder.end_variation();
                continue;
            }
            ("$", nag) => Annotation::Nag(Nag(nag.parse().unwrap())),
            ("{", text) => Annotation::Comment(Comment {
                placement: CommentPlacement::After,
                language: None,
                text,
            }),
            ("=", pawns) => {
                let pawns: f64 = pawns.parse().unwrap();
                Annotation::Eval(Eval {
                    score: Score::Centipawns((pawns * 100.0) as i32),
                    depth: None,
                    engine: 0,
                })
            }
            ("@", seconds) => Annotation::Clock(Clock {
                kind: ClockKind::Remaining,
                time: Duration::from_secs(seconds.parse().unwrap()),
            }),
            _ => {
                let ply = now.parse_san(word).unwrap();
                before.clone_from(now);
                now.play_ply(ply);
                let _ = recorder.visit_move(before, ply);
                continue;
            }
        };
        let _ = recorder.visit_annotation(annotation);
    }
    recorder.end_game(GameResult::WhiteWins);
    game
}

/// Line and ply of the moments, or `None` if the game does not fit.
fn lines(query: &str, game: &Game) -> Option<Vec<(u32, u32)>> {
    let query = Query::parse(query).unwrap();
    let mut matcher = Matcher::new(&query).with_moments();
    let fits = matcher.matches(GameIndex(0), game);
    fits.then(|| {
        matcher
            .moments()
            .iter()
            .map(|moment| (moment.line, moment.ply))
            .collect()
    })
}

#[test]
fn annotations_hold_at_the_moment() {
    let game = annotated(
        "{Opening e4 @60 e5 $1 =0.3 @58 Nf3 {novelty Nc6 =0.2 ( d6 $4 {bad ) Bb5 $1 @20 a6 =-1.5",
    );
    for (query, expected) in [
        ("move:e5 nag:!", Some(vec![1])),
        ("move:Nf3 nag:!", None),
        ("nag:!", Some(vec![])),
        ("move:Nf3 text:nov", Some(vec![2])),
        ("move:e5 text:novelty", None),
        ("ply:0 text:opening", Some(vec![0])),
        ("pos:\"1.e4 e5\" eval:0.3", Some(vec![2])),
        ("move:e5 eval:0.3", None),
        ("eval:<-1 ply:6", Some(vec![6])),
        ("by:white clock:<30", Some(vec![4])),
        ("by:black clock:<30", None),
        ("by:black -nag:!", Some(vec![3])),
        ("move:e5 -> nag:!", Some(vec![1, 4])),
        ("nag:! -> nag:!", Some(vec![1, 4])),
        ("nag:?? -> nag:!", None),
        ("nag:??", Some(vec![])),
        ("stm:black nag:!,?? ply:3", None),
        ("stm:white eval:>=1.5 flip:color", Some(vec![])),
    ] {
        let expected = expected.filter(|_| !query.contains("flip"));
        assert_eq!(plies(query, &game), expected, "{query}");
    }
    // With colours exchanged -1.5 is 1.5, and it is White's turn where it was Black's.
    assert_eq!(
        plies("stm:black eval:>=1.5 flip:color", &game),
        Some(vec![6])
    );
}

#[test]
fn moments_of_variations() {
    let game = annotated("e4 e5 ( c5 Nf3 ( c3 d5 ) d6 d4 ) ( e6 d4 d5 ) Nf3 Nc6");
    for (query, expected) in [
        ("move:c5", None),
        ("in:all move:c5", Some(vec![(1, 1)])),
        ("in:variations move:e5", None),
        ("in:variations move:d5", Some(vec![(2, 3)])),
        ("in:variations move:d5 ply:..2", None),
        ("in:all move:e4 -> move:d5", Some(vec![(0, 0), (2, 3)])),
        (
            "in:all move:c5 -> move:c3 => move:d5",
            Some(vec![(1, 1), (2, 2), (2, 3)]),
        ),
        ("in:all move:Nf3 -> move:Nc6", Some(vec![(0, 2), (0, 3)])),
        ("in:all move:e5 -> move:d4", None),
        ("in:all move:Nf3 => move:d5", None),
        ("in:all -(move:c3)", None),
        ("in:all -(move:c4)", Some(vec![])),
        ("in:all (move:e6) -(move:Bb5)", Some(vec![(3, 1)])),
        ("in:variations pos:\"1.e4 e6 2.d4 d5\"", Some(vec![(3, 4)])),
        ("in:all repeats:2", None),
        // The position where a variation branches off is one of its parent.
        ("in:variations ply:1 stm:black", None),
        ("in:variations ply:1 move:c5", Some(vec![(1, 1)])),
        ("in:variations ply:1 move:c5 stm:black", Some(vec![(1, 1)])),
        ("in:variations ply:2", Some(vec![(1, 2)])),
        ("in:all ply:1", Some(vec![(0, 1)])),
    ] {
        assert_eq!(lines(query, &game), expected, "{query}");
    }
    let game = annotated("Nf3 Nf6 Ng1 ( Ne5 Ng8 Nf3 Nf6 ) Ng8 Nf3");
    assert_eq!(lines("repeats:2 ply:5", &game), Some(vec![(0, 5)]));
    assert_eq!(lines("repeats:2", &game), Some(vec![(0, 4)]));
    assert_eq!(lines("in:variations repeats:2", &game), Some(vec![(1, 5)]));
    assert_eq!(lines("in:all repeats:3", &game), None);
}

#[test]
fn mirror_images_attacks_and_sacrifices() {
    let game = game("e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7 Kxf7 Qf3+ Ke6 Nc3 Ncb4 a3 c6");
    for (query, expected) in [
        ("attacks:N>f7 stm:white", Some(vec![8])),
        ("attacks:Q>kf7", Some(vec![13])),
        ("pinned:n", Some(vec![12])),
        ("pinned:N", None),
        ("sac:white", Some(vec![10])),
        ("sac:>=3", None),
        ("sac:black", None),
        ("sac:black flip:color", Some(vec![10])),
        ("sac:white move:Nxf7", Some(vec![10])),
        ("sac:white move:Nxd5", None),
        ("move:Nxd5 by:white", None),
        ("on:Nc3 on:Bc4 stm:black", Some(vec![15])),
        ("on:nc6 on:bc5 flip:color", Some(vec![15])),
        ("on:nc6 on:bc5 stm:white", None),
        ("on:Nc3 stm:black flip:color,files", Some(vec![3])),
        ("move:Nf6 flip:files", Some(vec![3])),
        ("balance:-1 flip:color", Some(vec![9])),
    ] {
        assert_eq!(plies(query, &game), expected, "{query}");
    }
}

#[test]
fn moments_steps_and_groups() {
    let game = game(
        "e4 e6 d4 Nf6 Nc3 d5 e5 Nfd7 Bd3 Be7 Nf3 O-O Bxh7+ Kxh7 Ng5+ Kg8 Qh5 Bxg5 Bxg5 Qxg5 Qxg5",
    );
    for (query, expected) in [
        ("move:Bxh7+", Some(vec![12])),
        ("move:Bh7 stm:white", Some(vec![12])),
        ("move:Bxh7+ stm:black", None),
        ("greco move:Bxh7+", Some(vec![12])),
        ("tal move:Bxh7+", None),
        (
            "move:Bxh7+ => move:Kxh7 -> within:6 move:Ng5",
            Some(vec![12, 13, 14]),
        ),
        ("move:Bxh7+ => move:Ng5", None),
        ("move:Ng5 -> move:Bxh7+", None),
        ("move:Bxh7+ -> within:2 move:Qh5", None),
        ("move:castling -> takes:Q", Some(vec![11, 20])),
        ("(move:Bxg6 OR move:Bxh7+) => moved:K", Some(vec![12, 13])),
        ("pawns:frenchchain (move:Qh5)", Some(vec![7])),
        ("pawns:frenchchain move:e4", None),
        ("-(move:Qh5)", None),
        ("-(move:Qh4)", Some(vec![])),
        ("move:Nc3 OR move:d4", Some(vec![2])),
        ("pawns:frenchchain for:15", Some(vec![7])),
        ("pawns:frenchchain for:16", None),
        ("ply:21 count:Q=1", Some(vec![21])),
        ("ply:22", None),
        ("is:check", Some(vec![13])),
        (
            "fen:rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            Some(vec![0]),
        ),
        ("mat:KK", None),
        ("pos:\"1.d4 e6 2.e4\"", Some(vec![3])),
        ("-stm:white -move:e6", Some(vec![3])),
        ("result:0-1 move:e4", None),
        ("moves:>9 move:e4", Some(vec![0])),
        ("balance:>=4", Some(vec![21])),
    ] {
        assert_eq!(plies(query, &game), expected, "{query}");
    }
}

#[test]
fn a_step_needs_a_moment_on_both_sides() {
    for (text, column) in [
        ("-> move:e4", 1),
        ("move:e4 ->", 9),
        ("white:x -> move:e4", 9),
        ("move:e4 => OR x", 9),
        ("(move:e4 -> ) move:e5", 10),
        ("move:e4 -> -> move:e5", 9),
    ] {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
    }
    for text in [
        "for:x",
        "for:0",
        "within:1,2",
        "mat:KR",
        "fen:9/8",
        "is:check,deleted",
    ] {
        assert!(Query::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_whole_opening_is_none_with_a_longer_name() {
    let gruenfeld = game("d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4");
    let neo = game("d4 Nf6 c4 g6 g3 d5");
    let fits = |query: &str| [&gruenfeld, &neo].map(|game| plies(query, game).is_some());
    assert_eq!(fits("opening:\"grünfeld defense\""), [true, true]);
    assert_eq!(fits("opening:\"=Grünfeld Defense\""), [true, false]);
    assert_eq!(fits("opening:\"=Neo-Grünfeld Defense\""), [false, true]);
    assert_eq!(fits("opening:\"=Grünfeld\""), [false, false]);
    assert_eq!(
        fits("opening:\"=Grünfeld Defense: Exchange Variation\""),
        [true, false]
    );
}

/// A query of moves, steps and alternatives.
enum Steps {
    Move(&'static str),
    /// Each with whether it is the next ply; the first one's is not asked for.
    Chain(Vec<(bool, Steps)>),
    AnyOf(Vec<Steps>),
}

impl Steps {
    const MOVES: [&'static str; 8] = ["Nf3", "Ng1", "Nc3", "Nb1", "Nf6", "Ng8", "Nc6", "Nb8"];

    fn random(random: &mut Random, depth: usize) -> Self {
        let count = 1 + random.below(3);
        match random.below(3) {
            0 if depth > 0 => Self::AnyOf(
                (0..count)
                    .map(|_| Self::random(random, depth - 1))
                    .collect(),
            ),
            1 if depth > 0 => {
                let mut step = || (random.below(3) == 0, Self::random(random, depth - 1));
                Self::Chain((0..=count).map(|_| step()).collect())
            }
            _ => Self::Move(Self::MOVES[random.below(8)]),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Move(san) => format!("move:{san}"),
            Self::AnyOf(any_of) => {
                let texts: Vec<String> = any_of.iter().map(Self::text).collect();
                format!("({})", texts.join(" OR "))
            }
            Self::Chain(steps) => {
                let mut text = String::new();
                for (index, (is_next, step)) in steps.iter().enumerate() {
                    let arrow = if *is_next { " => " } else { " -> " };
                    text += if index == 0 { "" } else { arrow };
                    text += &step.text();
                }
                format!("({text})")
            }
        }
    }

    /// The first and the last ply of each way in which it holds, all of them tried.
    fn found(&self, sans: &[String]) -> BTreeSet<(usize, usize)> {
        match self {
            Self::Move(san) => {
                let plies = sans.iter().enumerate().filter(|(_, played)| played == san);
                plies.map(|(ply, _)| (ply, ply)).collect()
            }
            Self::AnyOf(any_of) => any_of.iter().flat_map(|one| one.found(sans)).collect(),
            Self::Chain(steps) => {
                let mut found: Option<BTreeSet<(usize, usize)>> = None;
                for (is_next, step) in steps {
                    let after = step.found(sans);
                    let Some(before) = found else {
                        found = Some(after);
                        continue;
                    };
                    let pairs = before
                        .iter()
                        .flat_map(|first| after.iter().map(move |second| (first, second)));
                    let joined = pairs.filter(|(first, second)| {
                        second.0 > first.1 && (!is_next || second.0 == first.1 + 1)
                    });
                    found = Some(joined.map(|(first, second)| (first.0, second.1)).collect());
                }
                found.unwrap_or_default()
            }
        }
    }
}

/// Steps inside groups, on either side of a step, against trying all combinations of plies.
#[test]
fn groups_of_steps_are_found_wherever_they_are() {
    let mut random = Random::new(11);
    let mut games = Vec::new();
    for _ in 0..12 {
        let mut position = Position::standard();
        let mut sans = Vec::new();
        while sans.len() < 14 {
            let san = Steps::MOVES[random.below(8)];
            if let Ok(ply) = position.parse_san(san) {
                position.play_ply(ply);
                sans.push(san.to_owned());
            }
        }
        games.push((game(&sans.join(" ")), sans));
    }
    let mut counts = [0, 0];
    for _ in 0..1500 {
        let steps = Steps::random(&mut random, 4);
        let query = steps.text();
        // 32 levels and 256 terms are allowed.
        let Ok(parsed) = Query::parse(&query) else {
            continue;
        };
        let mut matcher = Matcher::new(&parsed);
        for (game, sans) in &games {
            let expected = !steps.found(sans).is_empty();
            let found = matcher.matches(GameIndex(0), game);
            assert_eq!(found, expected, "{query} in {}", sans.join(" "));
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 3000), "{counts:?}");
}

/// The moments of a chain whose second step is a group are those of a chain without it.
#[test]
fn a_group_on_the_right_of_a_step_begins_after_it() {
    let game = game("e4 e5 Nf3 Nc6 Ng1 Nb8 Nf3 Nf6 a3 a6");
    for (query, expected) in [
        ("move:Ng1 -> (move:Nf3 -> move:a3)", Some(vec![4, 6, 8])),
        ("move:Nb8 => (move:Nf3 -> move:Nf6)", Some(vec![5, 6, 7])),
        ("move:Nc6 -> (move:Nf3 -> move:a3)", Some(vec![3, 6, 8])),
        (
            "move:Nb8 -> ((move:Nf3 -> move:a3) OR move:h4)",
            Some(vec![5, 6, 8]),
        ),
        ("move:Nc6 -> within:2 (move:Nf3 -> move:a3)", None),
        (
            "move:Nc6 -> within:3 (move:Nf3 -> move:a3)",
            Some(vec![3, 6, 8]),
        ),
        ("move:a3 -> (move:Nf3 -> move:a3)", None),
        // The moment of two groups is that of the last of them.
        (
            "move:e4 -> (move:Nf3 -> move:Nf6) (move:Nf3 -> move:Ng1) => move:a3",
            Some(vec![0, 2, 7, 8]),
        ),
    ] {
        assert_eq!(plies(query, &game), expected, "{query}");
    }
}
