//! Inputs that exist and cannot be read: never taken for missing or damaged ones.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::{Path, PathBuf};

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::io::Source;
use tabia_core::io::failure_injection::{FailureInjection, FailureMode};
use tabia_core::{Error, GameIndex, Result};
use tabia_formats::BOOKS;
use tabia_formats::games::cbh;
use tabia_testkit::repository;
use tabia_testkit::{Scratch, tiny};

use support::{fixtures, game_formats};

/// Runs `job` once for each step that opens, reads or lists an input, which fails.
///
/// # Panics
/// If `job` succeeds although a step failed, or the error is not that of the system.
fn fail_each_input_step<T>(what: &str, least: u64, job: impl Fn() -> Result<T>) {
    let injection = FailureInjection::start(FailureMode::InputFails, u64::MAX);
    job().unwrap_or_else(|error| panic!("{what}: {error}"));
    let steps = injection.steps();
    drop(injection);
    assert!(steps >= least, "{what}: only {steps} steps");
    for at in 0..steps {
        let injection = FailureInjection::start(FailureMode::InputFails, at);
        let outcome = job();
        drop(injection);
        let error = outcome.err();
        let error = error.unwrap_or_else(|| panic!("{what}: step {at} of {steps} is ignored"));
        assert!(error.is_system(), "{what}, step {at}: {error}");
        assert!(
            error.location().file.is_some(),
            "{what}, step {at}: {error}"
        );
    }
}

#[test]
fn unreadable_files_of_databases_are_errors() {
    for format in game_formats() {
        // The folder, and the file.
        let companions = format.file.companions.iter();
        let least = 2 + companions.filter(|companion| companion.required).count() as u64;
        for path in fixtures(format) {
            let what = path.display().to_string();
            for salvage in [false, true] {
                let mut options = OpenOptions::default();
                options.salvage = salvage;
                fail_each_input_step(&what, least, || {
                    (format.open)(&Source::from_path(&path)?, &options)
                });
            }
        }
    }
}

#[test]
fn unreadable_files_of_books_are_errors() {
    let book = repository().join("crates/formats/tests/fixtures/kvetka/mini_0.kob");
    let is_kvetka = |format: &&&tabia_core::BookFormat| format.file.id.as_str() == "kvetka";
    let format = BOOKS.iter().find(is_kvetka).unwrap();
    fail_each_input_step("kvetka", 3, || {
        (format.open)(&Source::from_path(&book)?, &OpenOptions::default())
    });
}

/// A companion that is a folder can be opened by no user, not even by root.
#[test]
fn a_companion_that_cannot_be_opened_is_not_missing() {
    for format in game_formats() {
        for path in fixtures(format) {
            for companion in format.file.companions {
                let folder = Scratch::new("unreadable");
                let target = copy_set(&path, &folder);
                let file = target.with_extension(companion.extension);
                if !file.exists() {
                    continue;
                }
                std::fs::remove_file(&file).unwrap();
                std::fs::create_dir(&file).unwrap();
                let opened = (format.open)(
                    &Source::from_path(&target).unwrap(),
                    &OpenOptions::default(),
                );
                assert!(opened.is_err(), "{} is taken for missing", file.display());
            }
        }
    }
}

/// Copies the files of a fixture; returns the main file's path.
fn copy_set(main: &Path, folder: &Scratch) -> PathBuf {
    let source = Source::from_path(main).unwrap();
    for file in source.siblings() {
        std::fs::write(folder.join(&file.name), &*file.open().unwrap()).unwrap();
    }
    folder.join(main.file_name().unwrap().to_str().unwrap())
}

fn force() -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = true;
    options
}

/// Changes a set: by its main file.
type Change = fn(&Path) -> Result<()>;

fn append(path: &Path) -> Result<()> {
    let mut writer = cbh::edit::append(path, &CreateOptions::default())?;
    writer.write(&tiny::games()[0])?;
    writer.finish().map(|_| ())
}

fn delete(path: &Path) -> Result<()> {
    let source = Source::from_path(path)?;
    let open = OpenOptions::default();
    let mut editor = cbh::edit::Editor::new(&source, path, &force(), &open)?;
    editor.set_deleted(GameIndex(0), true)?;
    editor.finish().map(|_| ())
}

fn pack(path: &Path) -> Result<()> {
    let source = Source::from_path(path)?;
    let target = path.with_file_name("packed.cbh");
    cbh::edit::pack(&source, &target, &force(), &OpenOptions::default()).map(|_| ())
}

#[test]
fn nothing_is_changed_if_an_input_cannot_be_read() {
    let cbh = game_formats().find(|format| format.edit.is_some()).unwrap();
    let fixture = fixtures(cbh).into_iter().next().unwrap();
    let changes: [(&str, Change); 3] = [("append", append), ("delete", delete), ("pack", pack)];
    for (what, change) in changes {
        let folder = Scratch::new("unreadable-edit");
        let path = copy_set(&fixture, &folder);
        let before = folder.files();
        let injection = FailureInjection::start(FailureMode::InputFails, u64::MAX);
        change(&path).unwrap();
        let steps = injection.steps();
        drop(injection);
        assert!(steps > 12, "{what}: {steps} steps");
        for at in 0..steps {
            for name in folder.names() {
                std::fs::remove_file(folder.join(&name)).unwrap();
            }
            copy_set(&fixture, &folder);
            let injection = FailureInjection::start(FailureMode::InputFails, at);
            let outcome: Result<(), Error> = change(&path);
            drop(injection);
            let what = format!("{what}, step {at} of {steps}");
            assert!(outcome.is_err(), "{what} is ignored");
            assert!(folder.files() == before, "{what}: a file has changed");
        }
    }
}

#[cfg(unix)]
#[test]
fn companions_in_a_folder_that_cannot_be_listed_are_found() {
    use std::os::unix::fs::PermissionsExt;
    let cbh = game_formats().find(|format| format.edit.is_some()).unwrap();
    let fixture = fixtures(cbh).into_iter().next().unwrap();
    let folder = Scratch::new("unlisted");
    let path = copy_set(&fixture, &folder);
    let set_mode = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path(), permissions).unwrap();
    };
    set_mode(0o311);
    // The superuser may list every folder.
    let is_listed = std::fs::read_dir(folder.path()).is_ok();
    let source = Source::from_path(&path).unwrap();
    let database = (cbh.open)(&source, &OpenOptions::default()).unwrap();
    set_mode(0o755);
    assert_eq!(source.require_listing().is_ok(), is_listed);
    assert_eq!(database.info().problems, [""; 0]);
    assert!(!database.is_empty());
}
