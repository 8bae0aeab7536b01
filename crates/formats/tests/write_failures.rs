//! Failures injected into every step of every writer: old files stay unchanged, new files are absent or
//! complete.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::Position;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::io::failure_injection::{FailureInjection, FailureMode};
use tabia_core::io::{Blob, Progress, Source};
use tabia_core::{BookFormat, GameFormat, GameIndex, Result};
use tabia_formats::GAMES;
use tabia_formats::archives;
use tabia_formats::archives::{ArchiveFormat, ExtractOptions, NewMember};
use tabia_formats::{ARCHIVES, BOOKS};
use tabia_testkit::{Scratch, tiny};

/// Files by name, with hidden ones.
type Files = BTreeMap<String, Vec<u8>>;

fn options(force: bool) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = force;
    options
}

/// Writes to a path, replacing files if the flag is set. The data is repeated the given number of times,
/// so that files of different numbers differ.
type WriteFn<'j> = &'j dyn Fn(&Path, bool, usize) -> Result<()>;

fn database(format: &GameFormat, path: &Path, force: bool, rounds: usize) -> Result<()> {
    let create = format.create.unwrap();
    let mut writer = create(path, &options(force))?;
    for _ in 0..rounds {
        for game in tiny::games() {
            writer.write(&game)?;
        }
    }
    writer.finish().map(|_| ())
}

fn book(format: &BookFormat, path: &Path, force: bool, rounds: usize) -> Result<()> {
    let create = format.create;
    let mut writer = create(path, &options(force))?;
    let mut position = Position::standard();
    for _ in 0..rounds * 3 {
        let m = position.legal_moves()[0];
        let mut page = BookPosition::default();
        let results = Wdl {
            white: 3,
            draws: 2,
            black: 1,
        };
        page.entries.push(
            BookEntry::new(m)
                .with_weight(5)
                .with_games(6)
                .with_results(results),
        );
        page.games = Some(6);
        page.results = Some(results);
        writer.put(&position, &page)?;
        position.play(m);
    }
    writer.finish().map(|_| ())
}

fn archive(format: &ArchiveFormat, path: &Path, force: bool, rounds: usize) -> Result<()> {
    let members: Vec<NewMember> = (0..rounds * 2)
        .map(|number| {
            let bytes = Blob::from(vec![number as u8; 100_000]);
            NewMember::from_bytes(format!("{number}.bin"), bytes, None)
        })
        .collect();
    let mut options = archives::CreateOptions::default();
    options.force = force;
    options.password = Some("password".to_owned());
    archives::create(format, path, &members, &options).map(|_| ())
}

/// The steps at which a failure is injected: all of them with `TABIA_EXHAUSTIVE`, else a part of those
/// that write and a part of those that rename.
fn failing_steps(steps: u64) -> impl Iterator<Item = u64> {
    let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
    let last = steps.saturating_sub(60);
    let (write_step, rename_step) = if is_exhaustive {
        (1, 1)
    } else {
        ((last as usize / 8).max(1), 4)
    };
    let end = steps - 1;
    (0..last)
        .step_by(write_step)
        .chain((last..end).step_by(rename_step))
        .chain([end])
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.')
        && Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "tmp")
}

/// The files of a set as [`Source`] finds them.
fn set_files(path: &Path) -> Option<Files> {
    let source = Source::from_path(path).ok()?;
    let files = source.siblings().iter().chain(source.parts());
    Some(
        files
            .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
            .collect(),
    )
}

/// Asserts that the set is completely the old one or completely the new one.
fn assert_old_or_new_set(what: &str, path: &Path, old: &Files, new: &Files) {
    let found = set_files(path).unwrap_or_else(|| panic!("{what}: no set is found"));
    let is_old = found == *old;
    // Derived files of the old set may still exist.
    let is_new = new
        .iter()
        .all(|(name, bytes)| found.get(name) == Some(bytes));
    assert!(is_old || is_new, "{what}: neither old nor new is found");
}

/// Asserts that each file is completely the old one or completely the new one, and that the main file
/// is the last to be replaced.
fn assert_complete_files(what: &str, found: &Files, old: &Files, new: &Files, main: &str) {
    for (name, bytes) in found {
        // A stopped process cannot remove its temporary files.
        if name.starts_with('.') {
            continue;
        }
        let is_old = old.get(name) == Some(bytes);
        let is_new = new.get(name) == Some(bytes);
        assert!(is_old || is_new, "{what}: {name} is neither old nor new");
    }
    for name in old.keys() {
        // Derived files of the old set are removed after the new files are in place.
        let may_be_removed = !new.contains_key(name);
        assert!(
            found.contains_key(name) || may_be_removed,
            "{what}: {name} is missing"
        );
    }
    let main_is_new = found.get(main) == new.get(main) && old.get(main) != new.get(main);
    if main_is_new {
        for (name, bytes) in new {
            assert_eq!(
                found.get(name),
                Some(bytes),
                "{what}: {name} is replaced after the main file"
            );
        }
    }
}

/// Writes new files and replaces old ones, with a failure at each step.
fn fail_at_each_step(what: &str, extension: &str, write: WriteFn<'_>) {
    let folder = Scratch::new("write-failures");
    // A repeated append writes its games twice.
    let is_appended = what.contains("appended");
    let main = format!("new.{extension}");
    let path = folder.join(&main);
    write(&path, false, 2).unwrap();
    let new = folder.files();
    // The main file of a set in parts is the first part.
    let set = if path.exists() {
        path.clone()
    } else {
        folder.join(format!("new_0.{extension}"))
    };
    folder.restore(&Files::new());
    write(&path, false, 1).unwrap();
    let old = folder.files();
    for force in [false, true] {
        let before = if force { old.clone() } else { Files::new() };
        folder.restore(&before);
        let injection = FailureInjection::start(FailureMode::Fails, u64::MAX);
        write(&path, force, 2).unwrap();
        let steps = injection.steps();
        drop(injection);
        assert!(steps > 2, "{what}: {steps} steps");
        assert_eq!(
            folder.files().keys().collect::<Vec<_>>(),
            new.keys().collect::<Vec<_>>()
        );
        for at in failing_steps(steps) {
            for mode in [FailureMode::Fails, FailureMode::Stops] {
                folder.restore(&before);
                let injection = FailureInjection::start(mode, at);
                let outcome = write(&path, force, 2);
                drop(injection);
                let what = format!("{what}, force {force}, step {at} of {steps}, {mode:?}");
                let found = folder.files();
                if outcome.is_ok() {
                    // The failed step was the removal of a file that is no longer needed.
                    for (name, bytes) in &new {
                        assert_eq!(found.get(name), Some(bytes), "{what}: {name}");
                    }
                } else if mode == FailureMode::Fails {
                    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
                    assert_eq!(names(&found), names(&before), "{what}");
                    assert!(found == before, "{what}: an old file has changed");
                } else if force {
                    assert_old_or_new_set(&what, &set, &before, &new);
                    write(&path, true, 2).unwrap();
                    let mut after = folder.files();
                    // A stopped process cannot remove its temporary files.
                    after.retain(|name, _| !is_temporary(name));
                    assert!(is_appended || after == new, "{what}: repeated");
                    let is_done = after.keys().eq(new.keys());
                    assert!(is_done, "{what}: {:?}", after.keys());
                } else {
                    assert_complete_files(&what, &found, &before, &new, &main);
                }
            }
        }
    }
}

#[test]
fn databases_are_complete_or_absent() {
    for format in GAMES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        fail_at_each_step(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| database(format, path, force, rounds),
        );
    }
}

#[test]
fn books_are_complete_or_absent() {
    for format in BOOKS {
        let extension = format.file.extensions.first().unwrap();
        fail_at_each_step(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| book(format, path, force, rounds),
        );
    }
}

#[test]
fn archives_are_complete_or_absent() {
    for format in ARCHIVES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        fail_at_each_step(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| archive(format, path, force, rounds),
        );
    }
}

/// Appending replaces the files of the set.
#[test]
fn appended_databases_are_complete_or_unchanged() {
    let cbh = GAMES.iter().find(|format| format.file.id.as_str() == "cbh");
    let cbh = cbh.unwrap();
    fail_at_each_step("cbh, appended to", "cbh", &|path, force, rounds| {
        if !force {
            return database(cbh, path, false, rounds);
        }
        let mut writer = tabia_formats::games::cbh::edit::append(path, &options(true))?;
        for game in tiny::games() {
            writer.write(&game)?;
        }
        writer.finish().map(|_| ())
    });
}

fn cbh() -> &'static GameFormat {
    let mut formats = GAMES.iter();
    formats.find(|format| format.edit.is_some()).unwrap()
}

/// A mark of deletion replaces the files of the set.
#[test]
fn changed_databases_are_complete_or_unchanged() {
    fail_at_each_step("cbh, changed", "cbh", &|path, force, rounds| {
        if !force {
            let mut writer = (cbh().create.unwrap())(path, &options(false))?;
            for (number, mut game) in tiny::games().into_iter().enumerate() {
                game.head.deleted = number == 0 && rounds == 2;
                writer.write(&game)?;
            }
            return writer.finish().map(|_| ());
        }
        let source = Source::from_path(path)?;
        let open = cbh().edit.unwrap().open;
        let mut editor = open(&source, path, &options(true), &OpenOptions::default())?;
        editor.set_deleted(GameIndex(0), true)?;
        editor.finish().map(|_| ())
    });
}

#[test]
fn packed_databases_are_complete_or_absent() {
    let sources = Scratch::new("write-failures-pack");
    let path_of = |rounds: usize| sources.join(format!("{rounds}.cbh"));
    for rounds in [1, 2] {
        database(cbh(), &path_of(rounds), false, rounds).unwrap();
    }
    fail_at_each_step("cbh, packed", "cbh", &|path, force, rounds| {
        let source = Source::from_path(&path_of(rounds))?;
        let pack = cbh().edit.unwrap().pack;
        pack(&source, path, &options(force), &OpenOptions::default()).map(|_| ())
    });
}

/// Members of an archive replace files like those of other writers.
#[test]
fn extracted_files_are_complete_or_absent() {
    let sources = Scratch::new("write-failures-extract");
    for format in ARCHIVES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        let path_of = |rounds: usize| sources.join(format!("{rounds}.{extension}"));
        for rounds in [1, 2] {
            let bytes = Blob::from(vec![rounds as u8; 100_000 * rounds]);
            let member = NewMember::from_bytes("new.pgn".to_owned(), bytes, None);
            let mut create = archives::CreateOptions::default();
            create.password = Some("password".to_owned());
            archives::create(format, &path_of(rounds), &[member], &create).unwrap();
        }
        let what = format!("extracted from {}", format.file.id);
        fail_at_each_step(&what, "pgn", &|path, force, rounds| {
            let mut open = OpenOptions::default();
            open.password = Some("password".to_owned());
            let archive = (format.open)(&Source::from_path(&path_of(rounds))?, &open)?;
            let mut extract = ExtractOptions::default();
            extract.force = force;
            let folder = path.parent().unwrap();
            let done = archives::extract(&*archive, &[0], folder, &extract, &Progress::new())?;
            match done.problems.into_iter().next() {
                Some(problem) => Err(problem),
                None => Ok(()),
            }
        });
    }
}
