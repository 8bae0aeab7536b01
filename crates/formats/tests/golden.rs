//! Compares the content of every fixture with the file `<fixture>.expected`. `TABIA_UPDATE=1` rewrites
//! these files.
#![allow(clippy::disallowed_methods, reason = "an option of the test")]
#![allow(clippy::expect_used, reason = "a test")]

mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use tabia_core::formats::OpenOptions;
use tabia_core::game::Want;
use tabia_core::games::Database;
use tabia_core::io::Source;
use tabia_core::{GameFormat, GameIndex};
use tabia_formats::GAMES;
use tabia_testkit::dump::assert_same;
use tabia_testkit::shared_data_folder::files_below;

use support::{fixture_folder, fixtures, game_formats, has_extension, open, read_database};

#[test]
fn fixtures_read_as_expected() {
    let mut count = 0;
    for format in game_formats() {
        for path in fixtures(format) {
            let database = open(format, &path, &OpenOptions::default());
            expect(&path, &describe(&*database));
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn bad_files_fail_as_expected() {
    let mut count = 0;
    for format in GAMES {
        let folder = fixture_folder(format).join("bad");
        if !folder.is_dir() {
            continue;
        }
        for path in files_below(&folder) {
            if has_extension(&path, format.file.extensions) {
                expect(&path, &failure(format, &path));
                count += 1;
            }
        }
    }
    assert!(count > 4, "{count}");
}

/// The information on a database and all its games, as text.
fn describe(database: &dyn Database) -> String {
    let info = database.info();
    let mut text = format!("{} {}, {} records", info.format, info.version, info.records);
    let _ = write!(text, ", {} texts, {} deleted", info.texts, info.deleted);
    let _ = writeln!(text, ", encoding {}", info.encoding);
    for problem in &info.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    for (index, read) in read_database(database, Want::ALL).iter().enumerate() {
        let index = GameIndex(index as u32);
        text.push('\n');
        match &read.error {
            Some(error) => {
                let _ = writeln!(text, "error in game {index}: {}", without_folder(error));
            }
            None => text.push_str(&without_folder(&read.dump)),
        }
    }
    text
}

/// The message of the error with which a file fails to open.
fn failure(format: &GameFormat, path: &Path) -> String {
    let open = format.open;
    let source = Source::from_path(path).expect("the file exists");
    match open(&source, &OpenOptions::default()) {
        Ok(database) => panic!(
            "{} opens with {} records, and should not",
            path.display(),
            database.len()
        ),
        Err(error) => without_folder(&format!("{error}\n")),
    }
}

/// Removes the folders from the paths in a message, because they differ between computers.
fn without_folder(text: &str) -> String {
    let folder = fixture_folder(GAMES[0]);
    let folder = folder.parent().expect("the folder of all fixtures");
    let mut text = text.to_owned();
    for format in GAMES {
        for below in ["bad/", ""] {
            let prefix = folder.join(format.file.id.as_str()).join(below);
            let prefix = format!("{}/", prefix.display().to_string().trim_end_matches('/'));
            text = text.replace(&prefix, "");
        }
    }
    text
}

/// Compares a text with the expected one, or rewrites that.
fn expect(path: &Path, found: &str) {
    let mut expected_path = path.as_os_str().to_owned();
    expected_path.push(".expected");
    let expected_path = PathBuf::from(expected_path);
    if std::env::var_os("TABIA_UPDATE").is_some() {
        std::fs::write(&expected_path, found).expect("the expected file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&expected_path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; TABIA_UPDATE=1 writes it",
            expected_path.display()
        )
    });
    assert_same(&path.display().to_string(), &expected, found);
}
