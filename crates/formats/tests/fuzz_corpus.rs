//! Runs the fuzz targets with the committed inputs, and with those of all fixed findings.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test, with an option"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use tabia_testkit::fuzz::{TARGETS, seeds};
use tabia_testkit::repository;
use tabia_testkit::shared_data_folder::files_below;
use tabia_testkit::{Random, corrupt};

#[test]
fn targets_pass_on_the_corpus() {
    for (name, target) in TARGETS {
        let seeds = seeds::generated(name);
        for (number, seed) in seeds.iter().enumerate() {
            let outcome = catch_unwind(AssertUnwindSafe(|| target(seed)));
            assert!(outcome.is_ok(), "{name}: seed {number} fails");
        }
        let folder = repository().join("fuzz/corpus").join(name);
        let mut count = seeds.len();
        if folder.is_dir() {
            count += replay(&folder, *target);
        }
        assert!(count > 0, "{name} has no inputs");
    }
}

/// Texts of pieces of queries, and of changed examples.
#[test]
fn random_queries_pass() {
    let seeds = seeds::generated("query");
    let pieces = [
        "(",
        ")",
        "-",
        " OR ",
        " -> ",
        " => ",
        "\"",
        ":",
        ",",
        "..",
        ">=",
        "/",
        "[",
        "]",
        "flip:color ",
        "in:all ",
        "for:2 ",
        "sort:date ",
        "\u{fc}",
        "\\",
    ];
    let mut random = Random::new(11);
    for _ in 0..3000 {
        let mut text = Vec::new();
        for _ in 0..=random.below(4) {
            text.extend_from_slice(&seeds[random.below(seeds.len() - 1)]);
            text.extend_from_slice(random.pick(&pieces).as_bytes());
            if random.below(2) == 0 {
                text.push(b' ');
            }
        }
        for _ in 0..random.below(3) {
            let at = random.below(text.len());
            text[at] = random.below(256) as u8;
        }
        tabia_testkit::fuzz::run("query", &text);
    }
}

/// Damaged copies of the inputs: for each target the first of a fixed sequence, or as many as are run
/// in the seconds that `TABIA_FUZZ_SECONDS` states. `TABIA_FUZZ_TARGETS` names the only targets, separated by
/// commas.
#[test]
fn targets_pass_on_damaged_inputs() {
    const COUNT: usize = 8;
    let seconds = std::env::var("TABIA_FUZZ_SECONDS").map(|text| text.parse::<f64>());
    let seconds = seconds.map_or(0.0, |seconds| seconds.expect("a number of seconds"));
    let only = std::env::var("TABIA_FUZZ_TARGETS").unwrap_or_default();
    let is_chosen = |name: &str| only.is_empty() || only.split(',').any(|chosen| chosen == name);
    let mut failed = Vec::new();
    for (name, target) in TARGETS.iter().filter(|(name, _)| is_chosen(name)) {
        let seeds = seeds::generated(name);
        let start = Instant::now();
        let mut random = Random::new(0x5eed);
        let mut count = 0;
        while count < COUNT || start.elapsed().as_secs_f64() < seconds {
            let seed = &seeds[count % seeds.len()];
            let mut damaged = corrupt::damage(seed, &mut random);
            for _ in 0..random.below(3) {
                damaged = corrupt::damage(&damaged.bytes, &mut random);
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| target(&damaged.bytes)));
            if outcome.is_err() {
                let path = std::env::temp_dir().join(format!("tabia-finding-{name}"));
                let _ = std::fs::write(&path, &damaged.bytes);
                failed.push(format!("{name}, input {count}: {}", path.display()));
                break;
            }
            count += 1;
        }
        println!("{name}: {count} inputs");
    }
    assert_eq!(failed, [""; 0]);
}

#[test]
fn fixed_findings_pass() {
    let all = repository().join("crates/formats/tests/regression");
    let mut count = 0;
    for entry in std::fs::read_dir(&all).expect("there are findings") {
        let folder = entry.expect("the folder can be listed").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let target = TARGETS.iter().find(|target| target.0 == name);
        let (_, target) = target.unwrap_or_else(|| panic!("no target is called {name}"));
        let found = replay(&folder, *target);
        assert!(found > 0, "{name} has no inputs");
        count += found;
    }
    assert!(count > 3, "{count}");
}

#[test]
fn targets_and_their_files_correspond() {
    let files = files_below(&repository().join("fuzz/targets"));
    let mut found: Vec<String> = files
        .iter()
        .filter_map(|path| path.file_stem())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let mut names: Vec<String> = TARGETS.iter().map(|target| target.0.to_owned()).collect();
    // Their bodies are in the crate whose requests they read.
    names.extend(["serve_json", "serve_url"].map(str::to_owned));
    found.sort();
    names.sort();
    assert_eq!(found, names);
}

/// Runs a target with every file of a folder; returns the number of files.
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
