//! Failures injected while a damaged set is repaired, appended to and replaced: the damaged set stays as it
//! was, or the new one is complete.
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

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::core::io::{OutputSet, Source};
use tabia::formats::archives::compressed::Compression;
use tabia::repair::{RepairOptions, SalvagedSet, remains};
use tabia::{Error, NoObserver, Progress, Resolver};
use tabia_testkit::Scratch;

type Files = BTreeMap<String, Vec<u8>>;

const OLD: &str = "[White \"Adams\"]\n[Black \"Baker\"]\n\n1. e4 {one} e5 *\n\n\
    [White \"Clark\"]\n[Black \"Davis\"]\n\n1. d4 {two} d5 *\n\n";
const NEW: &str = "[White \"Evans\"]\n[Black \"Frank\"]\n\n1. c4 {three} e5 *\n\n";

/// Converts a file into a ChessBase database, or appends it to one.
fn write(input: &Path, path: &Path, append: bool) -> Result<(), Error> {
    let resolver = Resolver::default();
    let items = resolver.resolve(input.as_os_str())?;
    let mut options = ConvertOptions::default();
    options.append = append;
    let Target::File { format, .. } = Target::file(&resolver, path, None)? else {
        panic!("a file");
    };
    let target = Target::File {
        format,
        path: path.to_path_buf(),
        compression: Compression::None,
    };
    let progress = Arc::new(Progress::default());
    convert(&items, target, &options, &progress, &mut NoObserver).map(|_| ())
}

/// Repairs, appends, replaces. Returns how many records were not whole.
fn salvage(input: &Path, path: &Path) -> Result<u64, Error> {
    let item = remains(&Resolver::default(), path.as_os_str())?;
    let progress = Arc::new(Progress::default());
    let mut options = RepairOptions::default();
    options.threads = 1;
    let set = SalvagedSet::create(&item, path, &options, &progress, &mut NoObserver)?;
    let Some(set) = set else {
        write(input, path, true)?;
        return Ok(0);
    };
    write(input, set.path(), true)?;
    let damaged = set.repaired().damaged + set.repaired().lost;
    set.replace()?;
    Ok(damaged)
}

/// The files of the set as the next run finds them; other sets may have the same base name.
fn set_files(path: &Path) -> Files {
    let source = Source::from_path(path).unwrap();
    assert!(source.unproven_journal().is_none());
    let files = source.siblings().iter();
    files
        .map(|file| (file.name.clone(), file.open().unwrap().to_vec()))
        .collect()
}

/// New sets differ in the times of their records.
fn summary(files: &Files) -> Vec<(String, usize)> {
    let sizes = files.iter();
    sizes
        .map(|(name, bytes)| (name.clone(), bytes.len()))
        .collect()
}

#[test]
fn a_failed_salvage_leaves_the_damaged_set() {
    let inputs = Scratch::new("salvage-inputs");
    std::fs::write(inputs.join("old.pgn"), OLD).unwrap();
    std::fs::write(inputs.join("new.pgn"), NEW).unwrap();
    let folder = Scratch::new("salvage");
    let path = folder.join("mega.cbh");
    write(&inputs.join("old.pgn"), &path, false).unwrap();
    // Settings stay, files that ChessBase makes of the others do not.
    std::fs::write(folder.join("mega.ini"), "[DescrCBG]\r\nTitle=Mine\r\n").unwrap();
    std::fs::write(folder.join("mega.cit"), "x").unwrap();
    let players = std::fs::read(folder.join("mega.cbp")).unwrap();
    std::fs::write(folder.join("mega.cbp"), &players[..players.len() - 40]).unwrap();
    let old = folder.files();
    let run = |mode, at| {
        folder.restore(&old);
        let injection = FailureInjection::start(mode, at);
        let done = salvage(&inputs.join("new.pgn"), &path);
        (done, injection.steps())
    };
    // Without it, the set is refused.
    assert!(write(&inputs.join("new.pgn"), &path, true).is_err());
    assert_eq!(folder.files(), old);
    let (done, outputs) = run(FailureMode::Fails, u64::MAX);
    assert_eq!(done.unwrap(), 1);
    let new = folder.files();
    assert_eq!(new["mega.ini"], old["mega.ini"]);
    assert!(!new.contains_key("mega.cit"));
    assert_eq!(new.len(), old.len() - 1, "{:?}", new.keys());
    assert!(folder.names().iter().all(|name| !name.starts_with('.')));
    assert_eq!(salvage(&inputs.join("new.pgn"), &path).unwrap(), 0);
    let (_, inputs_read) = run(FailureMode::InputFails, u64::MAX);
    let is_exhaustive = std::env::var_os("TABIA_EXHAUSTIVE").is_some();
    let mut states = [0, 0];
    for (mode, steps) in [
        (FailureMode::Fails, outputs),
        (FailureMode::Stops, outputs),
        (FailureMode::InputFails, inputs_read),
    ] {
        // The last steps replace the set.
        let [few, many] = [16, 64].map(|count| steps.div_ceil(count));
        let chosen = |at: &u64| {
            let stride = if *at > steps / 2 { many } else { few };
            is_exhaustive || at.is_multiple_of(stride)
        };
        for at in (0..steps).filter(chosen) {
            let (done, _) = run(mode, at);
            let what = format!("step {at} of {steps}, {mode:?}");
            let found = set_files(&path);
            let is_new = summary(&found) == summary(&new);
            assert!(is_new || found == old, "{what}: {:?}", summary(&found));
            assert!(is_new || done.is_err(), "{what}");
            states[usize::from(is_new)] += 1;
            let mut other = OutputSet::new(true);
            let number = other.create(&folder.join("other.txt")).unwrap();
            other.file(number).unwrap().write_all(b"x").unwrap();
            other.commit().unwrap();
            let mut after = folder.files();
            after.remove("other.txt");
            after.retain(|name, _| !name.starts_with('.'));
            assert!(after == found, "{what}: after the next writer");
        }
    }
    assert!(states[0] > 20 && states[1] > 2, "{states:?}");
}
