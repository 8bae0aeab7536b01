//! Every writer, stopped at every step: old files are untouched, new ones absent or complete.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::Position;
use tabia_core::formats::CreateOptions;
use tabia_core::io::failure_injection::{FailureInjection, FailureMode};
use tabia_core::io::{Blob, Source};
use tabia_core::{BookFormat, GameFormat, Result};
use tabia_formats::GAMES;
use tabia_formats::archives;
use tabia_formats::archives::{ArchiveFormat, NewMember};
use tabia_formats::{ARCHIVES, BOOKS};
use tabia_testkit::{Scratch, tiny};

/// Files by name, hidden ones too.
type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Scratch) -> Files {
    let names = folder.names().into_iter();
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    names.map(read).collect()
}

fn clear(folder: &Scratch) {
    for name in folder.names() {
        std::fs::remove_file(folder.join(&name)).unwrap();
    }
}

fn options(force: bool) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = force;
    options
}

/// Something that writes to a path; `rounds` times the same, so that files differ by it.
type Job<'j> = &'j dyn Fn(&Path, bool, usize) -> Result<()>;

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
        page.entries.push(BookEntry {
            m: Some(m),
            weight: Some(5),
            games: Some(6),
            results: Some(results),
            ..BookEntry::default()
        });
        page.games = Some(6);
        page.results = Some(results);
        writer.put(&position, &page)?;
        position.play(m);
    }
    writer.finalize()?;
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

/// Steps at which a job is stopped: all, or some of those that write and some of those that name.
fn chosen(steps: u64) -> impl Iterator<Item = u64> {
    let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
    let last = steps.saturating_sub(60);
    let (writing, naming) = if is_exhaustive {
        (1, 1)
    } else {
        ((last as usize / 8).max(1), 4)
    };
    let end = steps - 1;
    (0..last)
        .step_by(writing)
        .chain((last..end).step_by(naming))
        .chain([end])
}

fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && Path::new(name).extension().is_some_and(|it| it == "tmp")
}

/// The files of a set as they are found, wherever they lie.
fn found_as(path: &Path) -> Option<Files> {
    let source = Source::from_path(path).ok()?;
    let files = source.siblings().iter().chain(source.parts());
    Some(
        files
            .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
            .collect(),
    )
}

/// A set that was to replace another is found whole, the old one or the new one; and who writes next
/// finds nothing in the way.
fn assert_one_of_two(what: &str, path: &Path, old: &Files, new: &Files) {
    let view = found_as(path).unwrap_or_else(|| panic!("{what}: nothing is found"));
    let is_old = view == *old;
    // Derived files of the old set may still be there.
    let is_new = new
        .iter()
        .all(|(name, bytes)| view.get(name) == Some(bytes));
    assert!(is_old || is_new, "{what}: neither old nor new is found");
}

/// Nothing of `names` may be there but whole old or whole new files.
fn assert_whole(what: &str, found: &Files, old: &Files, new: &Files, main: &str) {
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
        // Derived files of the old set go after the new ones came.
        let may_go = !new.contains_key(name);
        assert!(found.contains_key(name) || may_go, "{what}: {name} is gone");
    }
    let main_is_new = found.get(main) == new.get(main) && old.get(main) != new.get(main);
    if main_is_new {
        for (name, bytes) in new {
            assert_eq!(found.get(name), Some(bytes), "{what}: {name} came late");
        }
    }
}

fn stop_everywhere(what: &str, extension: &str, job: Job<'_>) {
    let folder = Scratch::new("faults");
    // Written again, what was appended is there twice.
    let is_appended = what.contains("appended");
    let main = format!("new.{extension}");
    let path = folder.join(&main);
    job(&path, false, 2).unwrap();
    let new = files(&folder);
    // Of sets in parts the first part is the main file.
    let set = if path.exists() {
        path.clone()
    } else {
        folder.join(&format!("new_0.{extension}"))
    };
    clear(&folder);
    job(&path, false, 1).unwrap();
    let old = files(&folder);
    for force in [false, true] {
        let before = if force { old.clone() } else { Files::new() };
        let restore = || {
            clear(&folder);
            for (name, bytes) in &before {
                std::fs::write(folder.join(name), bytes).unwrap();
            }
        };
        restore();
        let trial = FailureInjection::start(FailureMode::Fails, u64::MAX);
        job(&path, force, 2).unwrap();
        let steps = trial.steps();
        drop(trial);
        assert!(steps > 2, "{what}: {steps} steps");
        assert_eq!(
            files(&folder).keys().collect::<Vec<_>>(),
            new.keys().collect::<Vec<_>>()
        );
        for at in chosen(steps) {
            for fault in [FailureMode::Fails, FailureMode::Stops] {
                restore();
                let trial = FailureInjection::start(fault, at);
                let outcome = job(&path, force, 2);
                drop(trial);
                let what = format!("{what}, force {force}, step {at} of {steps}, {fault:?}");
                let found = files(&folder);
                if outcome.is_ok() {
                    // Removing what is not needed any more may fail.
                    for (name, bytes) in &new {
                        assert_eq!(found.get(name), Some(bytes), "{what}: {name}");
                    }
                } else if fault == FailureMode::Fails {
                    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
                    assert_eq!(names(&found), names(&before), "{what}");
                    assert!(found == before, "{what}: an old file is another");
                } else if force {
                    assert_one_of_two(&what, &set, &before, &new);
                    job(&path, true, 2).unwrap();
                    let mut after = files(&folder);
                    // A stopped process cannot remove its temporary files; it has no others.
                    after.retain(|name, _| !is_temporary(name));
                    assert!(is_appended || after == new, "{what}: written again");
                    let is_done = after.keys().eq(new.keys());
                    assert!(is_done, "{what}: {:?}", after.keys());
                } else {
                    assert_whole(&what, &found, &before, &new, &main);
                }
            }
        }
    }
}

#[test]
fn databases_appear_whole_or_not_at_all() {
    for format in GAMES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        stop_everywhere(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| database(format, path, force, rounds),
        );
    }
}

#[test]
fn books_appear_whole_or_not_at_all() {
    for format in BOOKS.iter() {
        let extension = format.file.extensions.first().unwrap();
        stop_everywhere(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| book(format, path, force, rounds),
        );
    }
}

#[test]
fn archives_appear_whole_or_not_at_all() {
    for format in ARCHIVES.iter().filter(|format| format.create.is_some()) {
        let extension = format.file.extensions.first().unwrap();
        stop_everywhere(
            &format.file.id.to_string(),
            extension,
            &|path, force, rounds| archive(format, path, force, rounds),
        );
    }
}

/// Appending goes the same way.
#[test]
fn an_edited_database_appears_whole_or_not_at_all() {
    let cbh = GAMES.iter().find(|format| format.file.id.as_str() == "cbh");
    let cbh = cbh.unwrap();
    stop_everywhere("cbh, appended to", "cbh", &|path, force, rounds| {
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
