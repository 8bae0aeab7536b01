//! The files that games refer to are copied with a database: with it or not at all, and nothing is replaced.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::core::loss::Feature;
use tabia::edit::{Change, EditOptions, edit};
use tabia::formats::archives::compressed::Compression;
use tabia::repair::{RepairOptions, repair};
use tabia::select::RecordRanges;
use tabia::{Error, ErrorSide, NoObserver, Progress, Resolver, Summary};
use tabia_testkit::Scratch;

/// A database of two games with a picture each, and a third picture that no game has.
fn with_pictures(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    let game = |number| {
        format!("[Event \"{number}\"]\n\n1. e4 {{[%cbmedia kind=picture text={number}]}} e5 *\n\n")
    };
    fs::write(folder.join("games.pgn"), game(7) + &game(8)).unwrap();
    tabia::convert(folder.join("games.pgn"), folder.join("db.cbh")).unwrap();
    fs::create_dir_all(folder.join("db.bmp/more")).unwrap();
    for (file, text) in [
        ("7.bmp", "seven"),
        ("8.BMP", "eight"),
        ("more/9.bmp", "nine"),
    ] {
        fs::write(folder.join("db.bmp").join(file), text).unwrap();
    }
    folder
}

fn to(path: &Path) -> Target<'static> {
    let resolver = Resolver::default();
    let extension = path.extension().unwrap().to_str().unwrap();
    let formats = resolver.formats().iter().copied();
    let format = formats
        .filter_map(tabia::formats::Format::game_writer)
        .find(|format| format.file.extensions.contains(&extension));
    Target::File {
        format: format.unwrap(),
        path: path.to_path_buf(),
        compression: Compression::None,
    }
}

fn run(from: &Path, path: &Path, options: &ConvertOptions) -> Result<Summary, Error> {
    let items = Resolver::default().resolve(from.as_os_str())?;
    let progress = Arc::new(Progress::default());
    let done = convert(&items, to(path), options, &progress, &mut NoObserver)?;
    Ok(done.0)
}

fn lost(summary: &Summary) -> u64 {
    summary.losses.count(Feature::MediaFiles)
}

/// The files below a folder, with the folders that they are in.
fn below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            names.extend(below(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            names.push(name);
        }
    }
    names.sort();
    names
}

const ALL: [&str; 3] = ["7.bmp", "8.BMP", "more/9.bmp"];

#[test]
fn a_database_takes_its_pictures_along() {
    let folder = with_pictures("media-copied");
    for name in ["new.cbh", "new2.2cbh"] {
        let path = folder.join(name);
        let summary = run(&folder.join("db.cbh"), &path, &ConvertOptions::default()).unwrap();
        assert_eq!((lost(&summary), summary.media_copied), (0, 3), "{name}");
        let copies = path.with_extension("bmp");
        assert_eq!(below(&copies), ALL, "{name}");
        assert_eq!(fs::read(copies.join("more/9.bmp")).unwrap(), b"nine");
        assert_eq!(
            tabia::open(&path).unwrap().items()[0].media_files()[0].files,
            ALL
        );
    }
    // Again: they are there, and nothing is written.
    let mut again = ConvertOptions::default();
    again.create.force = true;
    let summary = run(&folder.join("db.cbh"), &folder.join("new.cbh"), &again).unwrap();
    assert_eq!((lost(&summary), summary.media_copied), (0, 0));
    // A format without such folders has none of them.
    let summary = run(&folder.join("db.cbh"), &folder.join("a.si4"), &again).unwrap();
    assert_eq!((lost(&summary), summary.media_copied), (3, 0));
    assert_eq!(summary.lost_media[0].target, None);
}

#[test]
fn copies_of_a_changed_and_of_a_repaired_database_have_them() {
    let folder = with_pictures("media-edited");
    let items = Resolver::default()
        .resolve(folder.join("db.cbh").as_os_str())
        .unwrap();
    let delete = Change::Delete(RecordRanges::parse("1").unwrap());
    let edited = edit(
        &items[0],
        &folder.join("edited.cbh"),
        &[delete],
        &EditOptions::default(),
    );
    assert_eq!(edited.unwrap().media_copied, 3);
    assert_eq!(below(&folder.join("edited.bmp")), ALL);
    let Target::File { format, path, .. } = to(&folder.join("saved.cbh")) else {
        unreachable!();
    };
    let progress = Arc::new(Progress::default());
    let repaired = repair(
        &items[0],
        format,
        &path,
        &RepairOptions::default(),
        &progress,
        &mut NoObserver,
    );
    assert_eq!(repaired.unwrap().summary.media_copied, 3);
    assert_eq!(below(&folder.join("saved.bmp")), ALL);
}

#[test]
fn a_part_of_a_database_has_the_pictures_of_its_games() {
    let folder = with_pictures("media-part");
    let mut options = ConvertOptions::default();
    options.plan.selection.numbers = Some(RecordRanges::parse("2").unwrap());
    let summary = run(&folder.join("db.cbh"), &folder.join("part.cbh"), &options).unwrap();
    assert_eq!((lost(&summary), summary.media_copied), (0, 1));
    assert_eq!(below(&folder.join("part.bmp")), ["8.BMP"]);
}

#[test]
fn no_file_is_replaced_and_no_link_followed() {
    let folder = with_pictures("media-others");
    fs::create_dir(folder.join("new.bmp")).unwrap();
    fs::write(folder.join("new.bmp/7.bmp"), "another").unwrap();
    let mut options = ConvertOptions::default();
    let summary = run(&folder.join("db.cbh"), &folder.join("new.cbh"), &options).unwrap();
    assert_eq!((lost(&summary), summary.media_copied), (1, 2));
    assert_eq!(summary.lost_media[0].target, Some(folder.join("new.bmp")));
    assert_eq!(fs::read(folder.join("new.bmp/7.bmp")).unwrap(), b"another");
    // A file has the name of the folder.
    fs::write(folder.join("file.bmp"), "a file").unwrap();
    let summary = run(&folder.join("db.cbh"), &folder.join("file.cbh"), &options).unwrap();
    assert_eq!((lost(&summary), summary.media_copied), (3, 0));
    assert_eq!(fs::read(folder.join("file.bmp")).unwrap(), b"a file");
    options.plan.strict = true;
    let error = run(&folder.join("db.cbh"), &folder.join("strict.cbh"), &options);
    error.unwrap();
    options.create.force = true;
    let error = run(&folder.join("db.cbh"), &folder.join("new.cbh"), &options).unwrap_err();
    assert_eq!(error.side(), ErrorSide::Strict, "{error}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        options.plan.strict = false;
        let secret = folder.join("secret");
        fs::create_dir(&secret).unwrap();
        fs::write(secret.join("key"), "key").unwrap();
        symlink(secret.join("key"), folder.join("db.bmp/10.bmp")).unwrap();
        let summary = run(&folder.join("db.cbh"), &folder.join("link.cbh"), &options).unwrap();
        assert_eq!((lost(&summary), summary.media_copied), (1, 3));
        assert_eq!(below(&folder.join("link.bmp")), ALL);
        // The folder of the target, or one in it, leads elsewhere.
        symlink(&secret, folder.join("out.bmp")).unwrap();
        fs::create_dir(folder.join("in.bmp")).unwrap();
        symlink(&secret, folder.join("in.bmp/more")).unwrap();
        let summary = run(&folder.join("db.cbh"), &folder.join("out.cbh"), &options).unwrap();
        assert_eq!((lost(&summary), summary.media_copied), (4, 0));
        let summary = run(&folder.join("db.cbh"), &folder.join("in.cbh"), &options).unwrap();
        assert_eq!((lost(&summary), summary.media_copied), (2, 2));
        assert_eq!(below(&secret), ["key"]);
        // The folder of the source leads elsewhere.
        fs::copy(folder.join("games.pgn"), folder.join("other.pgn")).unwrap();
        tabia::convert(folder.join("other.pgn"), folder.join("other.cbh")).unwrap();
        symlink(&secret, folder.join("other.bmp")).unwrap();
        let summary = run(
            &folder.join("other.cbh"),
            &folder.join("last.cbh"),
            &options,
        )
        .unwrap();
        assert_eq!((lost(&summary), summary.media_copied), (1, 0));
        assert!(!folder.join("last.bmp").exists());
    }
}

/// A failure at any step leaves neither database nor pictures, or both; so does an input that cannot be read.
#[test]
fn a_database_and_its_pictures_appear_together() {
    let run_step = |mode, at| {
        let folder = with_pictures("media-steps");
        let injection = FailureInjection::start(mode, at);
        let from = folder.join("db.cbh");
        let outcome = run(&from, &folder.join("new.cbh"), &ConvertOptions::default());
        let steps = injection.steps();
        drop(injection);
        (folder, outcome, steps)
    };
    for mode in [
        FailureMode::Fails,
        FailureMode::InputFails,
        FailureMode::Stops,
    ] {
        let (_, outcome, steps) = run_step(mode, u64::MAX);
        outcome.unwrap();
        assert!(steps > 8, "{steps}");
        for at in 0..steps {
            let (folder, outcome, _) = run_step(mode, at);
            let what = format!("{mode:?} {at} of {steps}");
            let (has_set, copies) = (
                folder.join("new.cbh").exists(),
                below(&folder.join("new.bmp")),
            );
            let copies: Vec<_> = copies
                .iter()
                .filter(|name| !name.contains(".tmp"))
                .collect();
            if mode == FailureMode::Stops {
                // As after a kill: the pictures are there before the database.
                assert!(!has_set || copies == ALL, "{what}: {copies:?}");
                continue;
            }
            assert_eq!(outcome.is_ok(), has_set, "{what}: {outcome:?}");
            if has_set {
                assert_eq!(copies, ALL, "{what}");
            } else {
                assert!(!folder.join("new.bmp").exists(), "{what}: {copies:?}");
                let names = folder.names();
                assert!(
                    names.iter().all(|name| !name.starts_with('.')),
                    "{what}: {names:?}"
                );
            }
            if mode == FailureMode::InputFails {
                let error = outcome.expect_err(&what);
                assert!(
                    error.is_system() && error.side() != ErrorSide::Output,
                    "{what}: {error}"
                );
            }
        }
    }
}
