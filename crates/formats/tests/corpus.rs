//! Replays the committed inputs of the fuzz targets, and every finding that was fixed.
#![allow(clippy::expect_used, reason = "a test")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tabia_testkit::fuzz::{TARGETS, seeds};
use tabia_testkit::shared::{files_below, repository};

#[test]
fn the_corpus_passes() {
    for (name, target) in TARGETS {
        let own = seeds::own(name);
        for (number, seed) in own.iter().enumerate() {
            let outcome = catch_unwind(AssertUnwindSafe(|| target(seed)));
            assert!(outcome.is_ok(), "{name}: seed {number} fails");
        }
        let folder = repository().join("fuzz/corpus").join(name);
        let mut count = own.len();
        if folder.is_dir() {
            count += replay(&folder, *target);
        }
        assert!(count > 0, "{name} has no inputs");
    }
}

#[test]
fn findings_stay_fixed() {
    for (name, target) in TARGETS {
        let folder = repository()
            .join("crates/formats/tests/regression")
            .join(name);
        if folder.is_dir() {
            replay(&folder, *target);
        }
    }
}

#[test]
fn every_target_has_its_file_and_every_file_its_target() {
    let files = files_below(&repository().join("fuzz/targets"));
    let mut found: Vec<String> = files
        .iter()
        .filter_map(|path| path.file_stem())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let mut names: Vec<String> = TARGETS.iter().map(|target| target.0.to_owned()).collect();
    found.sort();
    names.sort();
    assert_eq!(found, names);
}

fn replay(folder: &Path, target: fn(&[u8])) -> usize {
    let files = files_below(folder);
    let mut count = 0;
    for path in files.iter().filter(|path| !path.ends_with("SOURCE.md")) {
        let bytes = std::fs::read(path).expect("the input can be read");
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        assert!(outcome.is_ok(), "{} fails", path.display());
        count += 1;
    }
    count
}
