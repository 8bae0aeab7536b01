//! Real databases against the PGN that another program made of them: the same moves, variations
//! and NAGs in the same order, the same comments, tags and first positions.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use tabia_core::GameIndex;
use tabia_core::chess::{FenStyle, Position, Setup, san};
use tabia_core::database::Database;
use tabia_core::format::OpenOptions;
use tabia_core::game::{Annotation, Event, Game, RecordKind, Want};
use tabia_core::io::Source;
use tabia_formats::cbh::CbhDatabase;
use tabia_testkit::shared_data;

/// Games in the twin, and whether it has the comments whole (one lacks letters).
const TWINS: &[(&str, usize, bool)] = &[
    ("uncbv-twic1134/twic1134", 6117, true),
    ("morphy-hedgehog/Hedgehog", 204, false),
    ("chesscore-fob/fob", 111, true),
    ("morphy-veryold/Mate2", 7, true),
    ("morphy-cbhlib_test/cbhlib_test", 14, true),
    ("morphy-cbmplayertest/cbmplayertest", 8, true),
    ("morphy-cbh_test/cbh_test", 4, true),
    ("morphy-cb12/cb12", 1, true),
];

/// A game in the twin's words.
#[derive(Debug, Default, PartialEq)]
struct Twin {
    tags: Vec<(String, String)>,
    /// Moves as key of the position after them, `(`, `)`, and `$n` behind their move.
    line: Vec<String>,
    /// Characters of all comments; comments before a move stand elsewhere in PGN.
    comments: BTreeMap<char, usize>,
}

impl Twin {
    fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    fn comment(&mut self, text: &str) {
        let figures = ['♔', '♕', '♖', '♗', '♘', '♙'];
        for c in text
            .chars()
            .filter(|c| !c.is_whitespace() && !figures.contains(c))
        {
            *self.comments.entry(c).or_default() += 1;
        }
    }
}

/// Reads PGN as the other program writes it: one tag a line, one line of moves.
fn twins(text: &str) -> Vec<Twin> {
    let mut games = Vec::new();
    let mut game = Twin::default();
    for line in text.lines() {
        if let Some(tag) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix("\"]"))
        {
            let (name, value) = tag.split_once(" \"").unwrap();
            game.tags
                .push((name.to_owned(), value.replace("\\\"", "\"")));
        } else if !line.trim().is_empty() {
            read_moves(line, &mut game);
            games.push(std::mem::take(&mut game));
        }
    }
    games
}

fn read_moves(line: &str, game: &mut Twin) {
    let start = match game.tag("FEN") {
        Some(fen) => Position::from_setup(&Setup::parse_fen(fen.as_bytes()).unwrap()).unwrap(),
        None => Position::standard(),
    };
    let mut before = start.clone();
    let mut now = start;
    let mut open = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' => rest.find('}').unwrap() + 1,
            '(' | ')' => 1,
            _ => rest.find([' ', ')', '(']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        rest = after.trim_start();
        let is_end = matches!(token, "1-0" | "0-1" | "1/2-1/2" | "*");
        match first {
            '{' => game.comment(&without_commands(&token[1..length - 1])),
            '(' => {
                open.push((before.clone(), now));
                now = before.clone();
                game.line.push("(".to_owned());
            }
            ')' => {
                (before, now) = open.pop().unwrap();
                game.line.push(")".to_owned());
            }
            '$' => game.line.push(token.to_owned()),
            _ if is_end || token.ends_with('.') => {}
            _ => {
                let ply = san::read(&now, token.as_bytes()).unwrap();
                before.clone_from(&now);
                now.play_ply(ply);
                game.line.push(format!("{:x}", now.key()));
            }
        }
    }
    assert!(open.is_empty());
}

/// The text without `[%…]`.
fn without_commands(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, command)) = rest.split_once("[%") {
        out.push_str(before);
        rest = command.split_once(']').unwrap().1;
    }
    out + rest
}

/// A game of ours in the twin's words.
fn ours(game: &Game) -> Twin {
    let mut twin = Twin::default();
    let start = game.head.start.position().unwrap();
    let mut before = start.clone();
    let mut now = start;
    let mut open = Vec::new();
    for event in game.events() {
        match event {
            Event::Move(ply) => {
                before.clone_from(&now);
                now.play_ply(ply);
                twin.line.push(format!("{:x}", now.key()));
            }
            Event::BeginVariation => {
                open.push((before.clone(), now));
                now = before.clone();
                twin.line.push("(".to_owned());
            }
            Event::EndVariation => {
                (before, now) = open.pop().unwrap();
                twin.line.push(")".to_owned());
            }
            Event::Annotation(Annotation::Nag(nag)) => twin.line.push(format!("${}", nag.0)),
            Event::Annotation(Annotation::Comment(comment)) => {
                twin.comment(&comment.text.replace("[#]", ""));
            }
            Event::Annotation(_) => {}
        }
    }
    twin
}

/// NAGs of one move in ascending order: the other program sorts them.
fn sort_nags(line: &mut [String]) {
    let is_nag = |token: &String| token.starts_with('$');
    for run in line.chunk_by_mut(|a, b| is_nag(a) && is_nag(b)) {
        run.sort();
    }
}

#[test]
fn games_equal_those_another_program_reads() {
    let Some(folder) = shared_data("cbh twins", "cbh") else {
        return;
    };
    for (set, count, has_comments) in TWINS {
        let source = Source::from_path(&folder.join(format!("{set}.cbh"))).unwrap();
        let db = CbhDatabase::open(&source, &OpenOptions::default()).unwrap();
        let text = std::fs::read(folder.join(format!("{set}.cbvault.pgn"))).unwrap();
        let twins = twins(&String::from_utf8_lossy(&text));
        assert_eq!(twins.len(), *count, "{set}");
        let mut twins = twins.into_iter();
        let mut reader = db.reader();
        let mut game = Game::new();
        for i in (0..db.len()).map(GameIndex) {
            let _ = reader.read(i, Want::ALL, &mut game.recorder()).unwrap();
            // The other program leaves deleted games and texts out.
            if game.head.deleted || game.head.kind == RecordKind::Text {
                continue;
            }
            let mut twin = twins.next().unwrap();
            let mut our = ours(&game);
            sort_nags(&mut our.line);
            sort_nags(&mut twin.line);
            assert_eq!(our.line, twin.line, "{set} game {i}");
            if *has_comments {
                assert_eq!(our.comments, twin.comments, "{set} game {i}");
            }
            compare_tags(&game, &twin, &format!("{set} game {i}"));
        }
        assert!(twins.next().is_none(), "{set}");
    }
}

fn compare_tags(game: &Game, twin: &Twin, place: &str) {
    for (name, value) in &twin.tags {
        let our = game.head.tags.text(name);
        match name.as_str() {
            // Ours come from the moves and from the start.
            "PlyCount" | "SetUp" => {}
            "FEN" => {
                let setup = game.head.start.setup.as_ref().unwrap();
                // A first move number of 0 and of 1 are the same to us.
                let fen = setup.fen(FenStyle::XFen);
                assert_eq!(fen, value.replace(" 0 0", " 0 1"), "{place}");
            }
            // The other program adds a period to an initial.
            "White" | "Black" => {
                assert!(
                    our == value || format!("{our}.") == *value,
                    "{place}: {our} {value}"
                );
            }
            // It shows the Cyrillic set as Western, and no round with a sub-round as `?`.
            "Event" | "Round" if place.starts_with("morphy-hedgehog") => {}
            _ => assert_eq!(our, value, "{place}: {name}"),
        }
    }
}
