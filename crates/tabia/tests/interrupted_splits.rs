//! Failures injected into a job that writes several sets: all of them are the old ones or all the new ones,
//! for every reader, and the next writer in the folder completes what was begun.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and have an option"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target};
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::core::io::{JournaledFolder, OutputSet, Source, list_folder};
use tabia::formats::archives::compressed::Compression;
use tabia::split::{SplitBy, split};
use tabia::{Error, ErrorSide, NoObserver, Progress, Resolver};
use tabia_testkit::Scratch;

type Files = BTreeMap<String, Vec<u8>>;

/// Games with several openings.
fn games(openings: &[&str], moves: &str) -> String {
    let game = |eco: &&str| format!("[Event \"{moves}\"]\n[ECO \"{eco}\"]\n\n{moves} *\n\n");
    openings.iter().map(game).collect()
}

/// The files as readers of the whole folder see them.
fn as_listed(folder: &Path) -> Files {
    let settled = JournaledFolder::new(folder, list_folder(folder).unwrap());
    assert!(settled.unproven.is_empty(), "{:?}", settled.unproven);
    let files = settled.files.into_iter();
    files
        .map(|(name, path)| {
            let bytes = std::fs::read(path).unwrap();
            (name.into_string().unwrap(), bytes)
        })
        .collect()
}

/// The files as readers of each single set see them.
fn as_opened(folder: &Path, mains: impl Iterator<Item = String>) -> Files {
    let sources = mains.filter_map(|main| Source::from_path(&folder.join(main)).ok());
    sources
        .flat_map(|source| {
            assert!(source.unproven_journal().is_none());
            let files = source.siblings().iter();
            let files = files.map(|file| (file.name.clone(), file.open().unwrap().to_vec()));
            files.collect::<Vec<_>>()
        })
        .collect()
}

fn run(input: &Path, target: &Path, force: bool) -> Result<(), Error> {
    let resolver = Resolver::default();
    let items = resolver.resolve(input.as_os_str())?;
    let extension = target.extension().unwrap().to_str().unwrap();
    let format = resolver.formats().iter().copied();
    let format = format
        .filter_map(tabia::formats::Format::game_writer)
        .find(|format| format.file.extensions.contains(&extension));
    let target = Target::File {
        format: format.unwrap(),
        path: target.to_path_buf(),
        compression: Compression::None,
    };
    let mut options = ConvertOptions::default();
    options.create.force = force;
    let progress = Arc::new(Progress::default());
    split(
        &items,
        &target,
        SplitBy::Eco,
        &options,
        &progress,
        &mut NoObserver,
    )
    .map(|_| ())
}

#[test]
fn outputs_of_a_split_are_replaced_together() {
    let inputs = Scratch::new("split-inputs");
    for (name, openings, moves) in [
        ("old.pgn", &["A00", "B00", "C00"][..], "1. e4"),
        ("new.pgn", &["A00", "B00", "C00", "D00"][..], "1. d4 d5"),
    ] {
        std::fs::write(inputs.join(name), games(openings, moves)).unwrap();
    }
    let folder = Scratch::new("split-interrupted");
    for (main, has_old) in [
        ("out.si4", true),
        ("out.si4", false),
        ("out.pgn", true),
        ("out.pgn", false),
    ] {
        let target = folder.join(main);
        {
            folder.restore(&Files::new());
            if has_old {
                run(&inputs.join("old.pgn"), &target, false).unwrap();
            }
            let old = folder.files();
            let injected = |mode, at| {
                folder.restore(&old);
                let injection = FailureInjection::start(mode, at);
                let done = run(&inputs.join("new.pgn"), &target, has_old);
                (done, injection.steps())
            };
            let (done, steps) = injected(FailureMode::Fails, u64::MAX);
            done.unwrap();
            let new = folder.files();
            assert!(new.len() > old.len() && steps > 8, "{main}: {steps}");
            let extension = target.extension().unwrap().to_str().unwrap();
            let mains = || {
                let names = new.keys().cloned();
                names.filter(|name| name.ends_with(extension))
            };
            let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
            // The last steps give the files their names.
            let [few, many] = [30, 80].map(|count| steps.div_ceil(count));
            let stride = |at: u64| {
                let stride = if at > steps / 2 { many } else { few };
                is_exhaustive || at.is_multiple_of(stride)
            };
            let mut states = [0, 0];
            for mode in [FailureMode::Fails, FailureMode::Stops] {
                for at in (0..steps).filter(|at| stride(*at)) {
                    let (done, _) = injected(mode, at);
                    let what = format!("{main}, step {at} of {steps}, {mode:?}, old: {has_old}");
                    if let Err(error) = &done {
                        assert_eq!(error.side(), ErrorSide::Output, "{what}: {error}");
                    }
                    let listed = as_listed(folder.path());
                    let state = usize::from(listed == new);
                    states[state] += 1;
                    assert!(listed == old || listed == new, "{what}");
                    assert!(done.is_err() || listed == new, "{what}");
                    assert!(
                        as_opened(folder.path(), mains()) == listed,
                        "{what}: one by one"
                    );
                    // The next writer in the folder completes it.
                    let mut other = OutputSet::new(true);
                    let number = other.create(&folder.join("other.txt")).unwrap();
                    other.file(number).unwrap().write_all(b"x").unwrap();
                    other.commit().unwrap();
                    let mut found = folder.files();
                    found.remove("other.txt");
                    found.retain(|name, _| !name.starts_with('.'));
                    assert!(found == listed, "{what}: after the next writer");
                }
            }
            assert!(states[0] > 0 && states[1] > 0, "{main}: {states:?}");
        }
    }
}

#[test]
fn the_journal_of_several_sets_of_another_user_is_not_followed() {
    let folder = Scratch::new("split-journal");
    for name in ["a.pgn", "b.pgn", "c.pgn"] {
        std::fs::write(folder.join(name), "1. e4 *\n").unwrap();
    }
    std::fs::write(folder.join(".a.pgn.1-1.tmp"), "1. d4 *\n").unwrap();
    let journal = "tabia: files of several sets, version 3\nfolder\t1\t1\n\
        .a.pgn.1-1.tmp\t.a.pgn.1-2.tmp\ta.pgn\t8:0\t8:0\n\
        -\t.b.pgn.1-3.tmp\tb.pgn\t-\t8:0\nseal\t00\n";
    std::fs::write(folder.join(".a.pgn.replaced"), journal).unwrap();
    for (name, is_named) in [("a.pgn", true), ("b.pgn", true), ("c.pgn", false)] {
        let source = Source::from_path(&folder.join(name)).unwrap();
        assert_eq!(source.unproven_journal().is_some(), is_named, "{name}");
        assert_eq!(&source.main().open().unwrap()[..], b"1. e4 *\n");
    }
    let mut other = OutputSet::new(true);
    other.create(&folder.join("b.pgn")).unwrap();
    other.commit().unwrap();
    assert_eq!(std::fs::read(folder.join("a.pgn")).unwrap(), b"1. e4 *\n");
}
