//! Databases that grow: every record that they had stays as it was.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tabia::base::{IndexChange, IndexOptions, build_index, check_index};
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::game::{Game, GameResult};
use tabia::core::io::Progress;
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::{Error, NoObserver, Resolver};
use tabia_formats::GAMES;
use tabia_testkit::Scratch;
use tabia_testkit::arbitrary_game::arbitrary_game;
use tabia_testkit::tiny::GameBuilder;

mod support;

/// Adds the games of one file to a database.
fn append(from: &Path, to: &Path) -> Result<(), Error> {
    let mut options = ConvertOptions::default();
    options.append = true;
    options.plan.threads = 2;
    let items = Resolver::default().resolve(from.as_os_str())?;
    let target = Target::file(&Resolver::default(), to, None)?;
    let progress = Arc::new(Progress::new());
    convert(&items, target, &options, &progress, &mut NoObserver).map(drop)
}

/// The extensions of databases that are written, in one file or several.
fn extensions() -> impl Iterator<Item = &'static str> {
    let databases = GAMES
        .iter()
        .filter(|format| format.create.is_some() && format.create_text.is_none());
    databases.map(|format| format.file.extensions[0])
}

fn write(path: &Path, games: impl Iterator<Item = Game>) {
    let mut writer = tabia::create(path).unwrap();
    for game in games {
        writer.write(&game).unwrap();
    }
    writer.finish().unwrap();
}

/// A folder with a database of arbitrary games and `new.pgn`.
fn with_database(name: &str, extension: &str) -> Scratch {
    let folder = Scratch::new(name);
    let old = (0..40).map(|seed| {
        let mut game = arbitrary_game(seed);
        game.head.deleted = seed % 5 == 0;
        game
    });
    write(&folder.join(format!("old.{extension}")), old);
    let game = |moves| GameBuilder::new().moves(moves).result(GameResult::Draw);
    let new = ["e4 e5", "d4"].into_iter().map(game);
    write(&folder.join("new.pgn"), new);
    folder
}

#[test]
fn indexes_grow_with_databases_of_every_format() {
    for extension in extensions() {
        let folder = with_database("grown-index", extension);
        let path = folder.join(format!("old.{extension}"));
        let progress = Arc::new(Progress::new());
        let item = || {
            Resolver::default()
                .resolve(path.as_os_str())
                .unwrap()
                .remove(0)
        };
        let options = IndexOptions::default();
        let build = || build_index(&item(), &options, &progress, &mut NoObserver).unwrap();
        let before = build();
        assert_eq!(before.change, IndexChange::Built, "{extension}");
        for round in 1..=3 {
            append(&folder.join("new.pgn"), &path).unwrap();
            let after = build();
            assert_eq!(
                (after.change, after.added),
                (IndexChange::Grown, 2),
                "{extension}"
            );
            assert_eq!(after.index.games(), before.index.games() + 2 * round);
            let wrong = check_index(&item(), &options, &progress).unwrap();
            assert_eq!(wrong, None, "{extension}");
        }
    }
}

#[test]
fn grown_databases_keep_every_record() {
    for extension in extensions() {
        let folder = with_database("grown", extension);
        let path = folder.join(format!("old.{extension}"));
        let before = support::read(&path);
        append(&folder.join("new.pgn"), &path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let after = support::read(&path);
        assert_eq!(after.len(), before.len() + 2, "{extension}");
        for (number, (now, old)) in after.iter().zip(&before).enumerate() {
            assert_eq!(now, old, "{extension}, game {}", number + 1);
        }
        assert_eq!(after[before.len()].ply_count(), 2);
        let hidden = folder
            .names()
            .into_iter()
            .filter(|name| name.starts_with('.'));
        assert_eq!(hidden.count(), 0);
    }
}

#[test]
fn databases_that_cannot_be_copied_whole_do_not_grow() {
    for extension in extensions() {
        let folder = with_database("grown-damaged", extension);
        let path = folder.join(format!("old.{extension}"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - bytes.len() / 3]).unwrap();
        let files = || {
            let names = folder.names().into_iter();
            let files = names.map(|name| (std::fs::read(folder.join(&name)).unwrap(), name));
            files.collect::<Vec<_>>()
        };
        let before = files();
        let error = append(&folder.join("new.pgn"), &path).unwrap_err();
        assert!(error.to_string().contains(extension), "{error}");
        assert!(files() == before, "{extension}");
    }
}

#[test]
fn a_failure_while_a_database_grows_leaves_it_as_it_was() {
    for extension in ["si4", "sci"] {
        let folder = with_database("grown-failures", extension);
        let path = folder.join(format!("old.{extension}"));
        let old = support::read(&path).len();
        for at in 0.. {
            let injection = FailureInjection::start(FailureMode::Fails, at);
            let result = append(&folder.join("new.pgn"), &path);
            let is_past_the_end = injection.steps() <= at;
            drop(injection);
            let now = support::read(&path).len();
            if result.is_ok() {
                assert!((now - old).is_multiple_of(2), "{extension} {at}");
            }
            if is_past_the_end {
                assert!(now > old);
                break;
            }
            assert!(
                result.is_ok() || now == old || now == old + 2,
                "{extension} {at}"
            );
            // Begin again.
            write_again(&folder, &path);
        }
    }
}

/// The database as it was.
fn write_again(folder: &Scratch, path: &Path) {
    for name in folder.names() {
        if name != "new.pgn" {
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
    write(path, (0..40).map(arbitrary_game));
}
