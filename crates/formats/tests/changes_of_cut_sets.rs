//! Sets cut at many offsets are not changed: a change succeeds only if its result is that of the whole
//! set.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Game, Recorder, Want};
use tabia_core::io::{Cursor, Source};
use tabia_core::{ErrorKind, GameFormat, GameIndex, Result};
use tabia_testkit::repository;
use tabia_testkit::{Scratch, tiny};

use support::{fixtures, game_formats};

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Cuts of each file: some in the header, the others spread over the file.
const CUTS: usize = 20;
/// Size limit of files in the quick run, in bytes.
const MAX_FILE: u64 = 64 << 10;

fn formats() -> impl Iterator<Item = &'static GameFormat> {
    game_formats().filter(|format| format.edit.is_some())
}

/// Main files of small sets: fixtures, the sample database, and shared ones if they are there.
fn sets(format: &GameFormat) -> Vec<PathBuf> {
    let mut sets = fixtures(format);
    let sample = repository().join("samples/tabia.cbh");
    if format.file.extensions.contains(&"cbh") {
        sets.push(sample);
    }
    if std::env::var_os("TABIA_EXHAUSTIVE").is_some() {
        sets = support::databases(format);
    }
    sets
}

fn set_files(main: &Path) -> Files {
    let source = Source::from_path(main).unwrap();
    let files = source.siblings().iter();
    let files = files.filter(|file| file.path().is_some_and(is_small_file));
    files
        .filter(|file| !is_named(&file.name, "expected") && !is_named(&file.name, "cbv"))
        .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
        .collect()
}

fn is_named(name: &str, extension: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|other| other == extension)
}

fn is_small_file(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.len() <= MAX_FILE)
}

fn write(folder: &Scratch, files: &Files) {
    for name in folder.names() {
        std::fs::remove_file(folder.join(&name)).unwrap();
    }
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}

fn read(folder: &Scratch) -> Files {
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    folder.names().into_iter().map(read).collect()
}

fn options() -> CreateOptions {
    let mut options = CreateOptions::default();
    options.force = true;
    options
}

/// Bytes after the end of the annotations that the header of `.cba` states. No game refers to them,
/// as in one real set.
fn with_unused_end(mut files: Files) -> Option<Files> {
    let annotations = files.iter_mut().find(|(name, _)| is_named(name, "cba"));
    annotations?.1.extend([0xee; 14]);
    Some(files)
}

/// Whether a cut removes only bytes after the stated end of `.cba` or `.cbg`.
fn is_cut_after_end(file: &str, bytes: &[u8], cut: usize) -> bool {
    let is_body = is_named(file, "cba") || is_named(file, "cbg");
    let size = bytes
        .get(2..)
        .map(|size| Cursor::new(size).u32_be("size").unwrap());
    is_body && size.is_some_and(|size| cut >= size as usize)
}

/// Whether no change of a set reads the file: search boosters, settings, and files of other databases.
fn is_unread(file: &str) -> bool {
    ["cib", "cit", "cib2", "cit2", "cbb", "ini", "pgn", "cbz"]
        .iter()
        .any(|extension| is_named(file, extension))
}

/// Whether a cut leaves only the header of `.cbtt`, and that states 0 as the index of the last record:
/// the same as in real sets without records.
fn is_cut_to_no_record(file: &str, bytes: &[u8], cut: usize) -> bool {
    let count = bytes
        .get(8..)
        .map(|count| Cursor::new(count).u32_le("count"));
    is_named(file, "cbtt") && cut == 32 && count == Some(Ok(0))
}

/// All that the set of a main file contains.
fn games(format: &GameFormat, path: &Path) -> Vec<String> {
    let source = Source::from_path(path).unwrap();
    let database = (format.open)(&source, &OpenOptions::default()).unwrap();
    let mut reader = database.reader();
    let mut recorder = Recorder::new();
    let mut read = |game| {
        let _ = reader
            .read(GameIndex(game), Want::ALL, &mut recorder)
            .unwrap();
        let game = recorder.replace(Game::new());
        let events: Vec<_> = game.events().collect();
        format!("{:?} {:?} {events:?}", game.head, game.result)
    };
    (0..database.len()).map(&mut read).collect()
}

/// Changes the set of a main file; the result has the given path.
type Change = fn(&GameFormat, &Path, &Path) -> Result<()>;

fn append(format: &GameFormat, path: &Path, _target: &Path) -> Result<()> {
    let mut writer = (format.edit.unwrap().append)(path, &CreateOptions::default())?;
    for game in tiny::games() {
        writer.write(&game)?;
    }
    writer.finish().map(|_| ())
}

fn edit(format: &GameFormat, path: &Path, target: &Path) -> Result<()> {
    let source = Source::from_path(path)?;
    let open = format.edit.unwrap().open;
    let mut editor = open(&source, target, &options(), &OpenOptions::default())?;
    if !editor.is_empty() {
        let last = GameIndex(editor.len() - 1);
        editor.set_deleted(last, true)?;
        editor.replace(GameIndex(0), &tiny::games()[0])?;
    }
    editor.finish().map(|_| ())
}

fn pack(format: &GameFormat, path: &Path, target: &Path) -> Result<()> {
    let source = Source::from_path(path)?;
    let pack = format.edit.unwrap().pack;
    pack(&source, target, &options(), &OpenOptions::default()).map(|_| ())
}

/// Where a file of that length is cut.
fn cuts(length: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..CUTS).map(|part| length * part / CUTS).collect();
    cuts.extend([1, 26, 28, 32, 46, length.saturating_sub(1)]);
    cuts.retain(|&cut| cut < length);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The files whose cuts can be noticed.
fn without_settings(mut files: Files) -> Files {
    // Settings are text that any program or person may shorten.
    files.retain(|name, _| !is_named(name, "ini"));
    files
}

#[test]
fn cut_sets_are_changed_as_whole_ones_or_refused() {
    let changes: [(&str, Change, &str); 3] = [
        ("append", append, ""),
        ("edit", edit, ""),
        ("pack", pack, "packed."),
    ];
    let (mut runs, mut done) = (0, 0);
    for format in formats() {
        for main in sets(format) {
            let name = main.file_name().unwrap().to_str().unwrap();
            let longer = is_named(name, "cbh").then(|| with_unused_end(set_files(&main)));
            let wholes = [Some(set_files(&main)), longer.flatten()];
            let runs_of = |whole| changes.map(|change| (whole, change));
            let all: Vec<_> = wholes.iter().flatten().flat_map(runs_of).collect();
            for (whole, (verb, change, prefix)) in all {
                let folder = Scratch::new("cut-sets");
                let path = folder.join(name);
                let target = folder.join(format!("{prefix}{name}"));
                write(&folder, whole);
                let outcome = change(format, &path, &target);
                let expected_games = outcome.as_ref().ok().map(|()| games(format, &target));
                let expected = outcome.map(|()| without_settings(read(&folder)));
                for (file, bytes) in whole {
                    for cut in cuts(bytes.len()) {
                        let mut files = whole.clone();
                        files.insert(file.clone(), bytes[..cut].to_vec());
                        write(&folder, &files);
                        let what = format!("{verb} with {file} cut at {cut}");
                        runs += 1;
                        match change(format, &path, &target) {
                            Ok(()) => {
                                done += u32::from(!is_unread(file));
                                if is_cut_after_end(file, bytes, cut) {
                                    // Offsets may differ by what was unused.
                                    let found = Some(games(format, &target));
                                    assert_eq!(found, expected_games, "{what}");
                                    continue;
                                }
                                let mut found = without_settings(read(&folder));
                                // Files that the change does not touch stay cut.
                                found.retain(|name, found| files.get(name) != Some(found));
                                if is_cut_to_no_record(file, bytes, cut) {
                                    found.remove(file);
                                }
                                let expected = expected.as_ref().expect(&what);
                                for (name, found) in found {
                                    let is_same = expected.get(&name) == Some(&found);
                                    assert!(is_same, "{what}: {name} is another one");
                                }
                            }
                            Err(error) => {
                                let is_refusal = matches!(
                                    error.kind(),
                                    ErrorKind::Damaged(_)
                                        | ErrorKind::WrongFormat { .. }
                                        | ErrorKind::Unsupported(_)
                                );
                                assert!(is_refusal, "{what}: {error}");
                                assert_eq!(error.side(), tabia_core::ErrorSide::Input, "{what}");
                                assert!(read(&folder) == files, "{what}: a file has changed");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(runs > 1000, "only {runs} runs");
    assert!(done < runs / 20, "{done} of {runs} cuts were not noticed");
}
