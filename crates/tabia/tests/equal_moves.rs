//! Games whose moves are stored by the same bytes are not played again: what is found is the same as if they were.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use tabia::base::{IndexOptions, SearchOptions, build_index};
use tabia::core::game::Game;
use tabia::dedupe::{DedupeOptions, find_duplicates};
use tabia::{
    Base, GameIndex, Index, NoObserver, OpenInput, OpenOptions, Progress, Query, Resolver,
};
use tabia_testkit::Scratch;

/// Formats of databases that give the bytes of moves, and some that do not.
const FORMATS: [&str; 6] = ["si3", "si4", "si5", "cbh", "2cbh", "sci"];
/// Those that do.
const GIVING: [&str; 4] = ["si3", "si4", "si5", "cbh"];

const MOVES: [&str; 14] = [
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Bb7",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 {good} e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 {better} e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 $1 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "1. e4 e5 (1... c5 2. Nc3) 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6",
    "{before} 1. e4 e5 2. Nf3 Nc6",
    "1. e4 -- 2. Nf3 Nc6",
    "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8",
    "",
    "{only a comment}",
    "1. d4 d5 2. c4 dxc4 3. e4 b5 4. a4 c6 5. axb5 cxb5 6. Nc3 a6 7. Nxb5 axb5 8. Rxa8",
];

/// Starts from which some of the moves can be played as well.
const STARTS: [&str; 4] = [
    "",
    "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\"]\n",
    "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1\"]\n",
    "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n",
];

/// Games with other tags and equal moves, each combination more than once and far from each other.
fn games(starts: &[&str]) -> String {
    let mut text = String::new();
    for round in 0..3 {
        for (number, start) in starts.iter().enumerate() {
            for (line, moves) in MOVES.iter().enumerate() {
                let white = ["Anand, V", "?", "Karpov, A"][(line + round) % 3];
                let event = ["Linares", "Open"][round % 2];
                let result = ["1-0", "*"][(line + number) % 2];
                let _ = write!(
                    text,
                    "[Event \"{event}\"]\n[Date \"199{number}.01.02\"]\n[White \"{white}\"]\n\
                     [Black \"Short, N\"]\n[Result \"{result}\"]\n{start}\n{moves} {result}\n\n"
                );
            }
        }
    }
    text
}

/// The games in a database of each format.
fn databases(folder: &Scratch, starts: &[&str]) -> Vec<std::path::PathBuf> {
    let pgn = folder.join("g.pgn");
    std::fs::write(&pgn, games(starts)).unwrap();
    let to = |extension: &&str| {
        let path = folder.join(format!("g.{extension}"));
        tabia::convert(&pgn, &path).unwrap();
        path
    };
    FORMATS.iter().map(to).collect()
}

fn item(path: &Path) -> tabia::InputItem {
    let mut items = Resolver::default().resolve(path.as_os_str()).unwrap();
    items.remove(0)
}

/// The start, moves, variations and annotations of a game.
fn body(game: &Game, with_annotations: bool) -> String {
    let mut game = game.clone();
    game.head.tags.clear();
    game.result = tabia::core::game::GameResult::Unknown;
    let start = game.head.start.position().map(|start| start.fen());
    let pgn = tabia::pgn_of_game(&game).unwrap();
    if with_annotations {
        return format!("{start:?} {pgn}");
    }
    let mut depth = 0;
    let without = pgn.chars().filter(|&c| {
        depth += i32::from(c == '{');
        let is_kept = depth == 0;
        depth -= i32::from(c == '}');
        is_kept
    });
    let words: String = without.collect();
    let words = words
        .split_whitespace()
        .filter(|word| !word.starts_with('$'));
    // A comment has the number of the next move repeated.
    let words = words.filter(|word| !word.ends_with('.'));
    format!("{start:?} {}", words.collect::<Vec<_>>().join(" "))
}

#[test]
fn equal_bytes_are_equal_moves() {
    let folder = Scratch::new("equal-moves");
    for path in databases(&folder, &STARTS) {
        let all: Vec<Game> = tabia::open(&path)
            .unwrap()
            .games()
            .map(Result::unwrap)
            .collect();
        let opened = item(&path).open(&OpenOptions::default(), None).unwrap();
        let OpenInput::Database(database) = opened.input else {
            panic!("{path:?}");
        };
        assert_eq!(database.len() as usize, all.len());
        let mut equal = 0;
        for (i, a) in all.iter().enumerate() {
            let Some(bytes) = database.stored_moves(GameIndex(i as u32)) else {
                continue;
            };
            assert!(a.head.start.setup.is_none(), "{path:?} {i}");
            for (j, b) in all.iter().enumerate().skip(i + 1) {
                let other = database.stored_moves(GameIndex(j as u32));
                let Some(other) = other.filter(|other| other.bytes == bytes.bytes) else {
                    continue;
                };
                equal += 1;
                let has_other = bytes.has_other_annotations || other.has_other_annotations;
                assert_eq!(body(a, !has_other), body(b, !has_other), "{path:?} {i} {j}");
            }
        }
        let extension = path.extension().unwrap().to_str().unwrap();
        assert_eq!(equal > 20, GIVING.contains(&extension), "{path:?}: {equal}");
    }
}

#[test]
fn duplicates_are_those_of_the_text() {
    let folder = Scratch::new("equal-moves-duplicates");
    let find = |path: &Path, threads: usize| {
        let mut options = DedupeOptions::default();
        options.threads = threads;
        let items = [item(path)];
        let found = find_duplicates(&items, &options, &Arc::default(), &mut NoObserver);
        found.unwrap().1
    };
    // Of setup positions the formats keep different tags, which decide which game is kept.
    let paths = databases(&folder, &STARTS[..1]);
    let expected = find(&folder.join("g.pgn"), 1);
    assert!(expected.len() > 8, "{}", expected.len());
    let mut same = 0;
    for path in paths {
        let found = find(&path, 1);
        assert_eq!(found, find(&path, 2));
        let numbers = |duplicates: &[tabia::dedupe::Duplicate]| -> Vec<_> {
            let facts = duplicates.iter();
            facts
                .map(|found| (found.kept, found.dropped, found.kind))
                .collect()
        };
        let extension = path.extension().unwrap().to_str().unwrap();
        // Other formats write names in ways of their own.
        if matches!(extension, "si4" | "si5" | "cbh") {
            assert_eq!(numbers(&found), numbers(&expected), "{path:?}");
            same += 1;
        }
    }
    assert_eq!(same, 3);
}

#[test]
fn an_index_has_the_moves_of_every_game() {
    let folder = Scratch::new("equal-moves-index");
    for path in databases(&folder, &STARTS) {
        let options = IndexOptions::default();
        build_index(
            &item(&path),
            &options,
            &Arc::new(Progress::new()),
            &mut NoObserver,
        )
        .unwrap();
        for query in [
            "pos:\"1.e4 e5 2.Nf3 Nc6 3.Bb5 a6\"",
            "pos:\"1.Nf3 Nf6 2.Ng1 Ng8\"",
            "move:O-O",
            "count:P<=7",
            "pos:\"1.d4 d5 2.c4 dxc4\" event:Linares",
        ] {
            let query = Query::parse(query).unwrap();
            let find = |index| {
                let base = Base::open(&[&path], index).unwrap();
                assert_eq!(base.has_index(0), index == Index::Auto);
                let hits = base.search(&query, &SearchOptions::default());
                let games: Vec<GameIndex> = hits.map(|hit| hit.unwrap().game).collect();
                games
            };
            let found = find(Index::Auto);
            assert!(!found.is_empty(), "{query}");
            assert_eq!(found, find(Index::Never), "{path:?} {query}");
        }
    }
}
