//! Databases written from real and small games: read again, the games are equal.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use tabia_core::GameIndex;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Want};
use tabia_core::games::Database;
use tabia_core::io::{Charset, Source};
use tabia_core::loss::Losses;
use tabia_formats::games::cbh;
use tabia_formats::games::cbh::CbhDatabase;
use tabia_formats::games::cbh::verify::verify;
use tabia_testkit::shared_data_folder::{files_below, shared_data};
use tabia_testkit::{Scratch, dump, tiny};

fn open(path: &Path) -> CbhDatabase {
    CbhDatabase::open(&Source::from_path(path).unwrap(), &OpenOptions::default()).unwrap()
}

/// Asserts that the deep check finds nothing.
fn assert_consistent(path: &Path) {
    let findings: Vec<String> = verify(&open(path))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(findings, Vec::<String>::new());
}

fn games(database: &dyn Database) -> Vec<(Game, usize)> {
    let mut reader = database.reader();
    (0..database.len())
        .map(|index| {
            let mut game = Game::new();
            let mut recorder = game.recorder();
            let _ = reader.read(GameIndex(index), Want::ALL, &mut recorder);
            let problems = recorder.problems().len();
            drop(recorder);
            (game, problems)
        })
        .collect()
}

/// Writes games to a new database. Returns the losses.
fn write<'g>(path: &Path, games: impl Iterator<Item = &'g Game>, charset: Charset) -> Losses {
    let mut options = CreateOptions::default();
    options.charset = charset;
    let create = cbh::FORMAT.create.unwrap();
    let mut writer = create(path, &options).unwrap();
    let mut losses = Losses::new();
    let mut records = 0;
    for (index, game) in games.enumerate() {
        let mut lost = writer.write(game).unwrap();
        lost.in_game(GameIndex(index as u32));
        losses.merge(&lost);
        records += 1;
    }
    let written = writer.finish().unwrap();
    assert_eq!(written.records, records);
    assert_eq!(written.files[0], path);
    losses
}

#[test]
fn tiny_games_round_trip() {
    let folder = Scratch::new("cbh-write");
    let path = folder.join("tiny.cbh");
    let games_in = tiny::games();
    let losses = write(&path, games_in.iter(), Charset::Auto);
    assert!(losses.is_empty(), "{losses}");
    assert_eq!(folder.names().len(), 12);
    assert_consistent(&path);
    let database = open(&path);
    assert_eq!(database.len(), 3);
    for ((game, problems), expected) in games(&database).iter().zip(&games_in) {
        assert_eq!(*problems, 0);
        let wanted = expected.head.tags.iter();
        for (name, value) in wanted.filter(|(name, _)| !matches!(*name, "SetUp" | "FEN")) {
            assert_eq!(game.head.tags.get(name), Some(value));
        }
        assert_eq!(game.head.start, expected.head.start);
        assert_eq!(game.result, expected.result);
        assert!(game.events().eq(expected.events()));
    }
}

#[test]
fn empty_databases_open() {
    let folder = Scratch::new("cbh-empty");
    let path = folder.join("empty.cbh");
    write(&path, std::iter::empty(), Charset::Auto);
    assert_eq!(open(&path).len(), 0);
    assert_eq!(std::fs::read(&path).unwrap().len(), 46);
    let Some(model) = shared_data("empty_databases_open", "cbh/uncbv-small/small.cbh") else {
        return;
    };
    for extension in [
        "cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbm",
    ] {
        let ours = std::fs::read(path.with_extension(extension)).unwrap();
        let theirs = std::fs::read(model.with_extension(extension)).unwrap();
        assert_eq!(ours.len(), theirs.len(), "{extension}");
        // The bytes after these have no meaning.
        let length = if extension == "cbm" {
            16
        } else {
            ours.len().min(28)
        };
        assert_eq!(ours[..length], theirs[..length], "{extension}");
    }
}

/// The game as it is after writing: the number of missing moves is recomputed.
fn settled(game: &Game) -> Game {
    let mut game = game.clone();
    game.head.tags.retain(|name, _| name != "CbMoveCount");
    game
}

#[test]
fn real_databases_round_trip() {
    let test = "real_databases_round_trip";
    let Some(folder) = shared_data(test, "cbh") else {
        return;
    };
    let scratch = Scratch::new("cbh-again");
    for (number, path) in files_below(&folder).iter().enumerate() {
        let is_main = path.extension().is_some_and(|extension| extension == "cbh");
        let name = path.to_string_lossy();
        if !is_main || name.contains("fixtures-loose") {
            continue;
        }
        let charset = if name.contains("edgehog") {
            "cp1251"
        } else if name.contains("World-ch") {
            "utf-8"
        } else {
            "cp1252"
        };
        let before = games(&open(path));
        let target = scratch.join(format!("{number}.cbh"));
        let charset = Charset::parse(charset).unwrap();
        let losses = write(&target, before.iter().map(|(game, _)| game), charset);
        assert!(losses.is_empty(), "{name}: {losses}");
        assert_consistent(&target);
        let database = open(&target);
        let after = games(&database);
        assert_eq!(after.len(), before.len());
        for (index, ((old, _), (new, problems))) in (0..).zip(before.iter().zip(&after)) {
            assert_eq!(*problems, 0, "{name}");
            let old = settled(old);
            // Without moves, the positions of annotations are lost and only their number counts.
            let same = if path.with_extension("cbg").exists() {
                old == *new
            } else {
                old.head == new.head && old.events().count() == new.events().count()
            };
            if !same {
                let what = format!("{name} {index}");
                let index = GameIndex(index);
                dump::assert_same(&what, &dump::game(index, &old), &dump::game(index, new));
                panic!("{what} differs");
            }
        }
        if name.contains("twic1134") {
            assert_same_bytes(path, &target);
        }
    }
}

/// Asserts that moves, annotations and headers are the bytes that ChessBase wrote, except for the id of
/// the source, which followed a deleted one.
fn assert_same_bytes(theirs: &Path, ours: &Path) {
    let read =
        |path: &Path, extension: &str| std::fs::read(path.with_extension(extension)).unwrap();
    for extension in ["cbg", "cba"] {
        assert!(
            read(theirs, extension) == read(ours, extension),
            "{extension}"
        );
    }
    let without_source = |path: &Path| {
        let mut bytes = read(path, "cbh");
        for header in bytes.chunks_exact_mut(46).skip(1) {
            header[21..24].fill(0);
        }
        bytes
    };
    assert!(without_source(theirs) == without_source(ours));
}
