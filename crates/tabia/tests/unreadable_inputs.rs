//! Inputs that cannot be read end every job that writes, and its target stays as it was.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::io::Progress;
use tabia::core::io::failure_injection::{FailureInjection, FailureMode};
use tabia::repair::{RepairOptions, remains, repair};
use tabia::{Error, ErrorSide, NoObserver, Resolver};
use tabia_testkit::Scratch;
use tabia_testkit::repository;
use tabia_testkit::shared_data_folder::files_below;

type Files = BTreeMap<String, Vec<u8>>;

fn files(folder: &Scratch) -> Files {
    let read = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    folder.names().into_iter().map(read).collect()
}

/// Runs `job` with a failure at each step that reads an input. The job must end with an error of the
/// input, and leave `folder` as it was.
fn fail_each_input_step(what: &str, folder: &Scratch, job: impl Fn() -> Result<(), Error>) {
    let injection = FailureInjection::start(FailureMode::InputFails, u64::MAX);
    job().unwrap_or_else(|error| panic!("{what}: {error}"));
    let steps = injection.steps();
    drop(injection);
    assert!(steps > 1, "{what}: {steps} steps");
    let before = files(folder);
    for at in 0..steps {
        let injection = FailureInjection::start(FailureMode::InputFails, at);
        let outcome = job();
        drop(injection);
        let what = format!("{what}, step {at} of {steps}");
        let error = outcome.expect_err(&what);
        assert!(error.is_system(), "{what}: {error}");
        // The folder of a set that is replaced is listed.
        let file = error.location().file.as_deref();
        let side = if file == Some(folder.path()) {
            ErrorSide::Output
        } else {
            ErrorSide::Input
        };
        assert_eq!(error.side(), side, "{what}: {error}");
        assert!(error.location().file.is_some(), "{what}: {error}");
        assert!(files(folder) == before, "{what}: the target has changed");
    }
}

/// Small inputs of every format, plain and compressed.
fn inputs(folder: &Scratch) -> Vec<PathBuf> {
    let fixtures = repository().join("crates/formats/tests/fixtures");
    let is_main = |path: &PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let format = tabia::format(extension).and_then(tabia::formats::Format::games);
        format.is_some_and(|format| format.file.extensions.contains(&extension))
    };
    let mut inputs = files_below(&fixtures);
    inputs.retain(is_main);
    // Fixtures below `bad` cannot be opened at all.
    inputs.retain(|path| path.parent().is_none_or(|folder| !folder.ends_with("bad")));
    inputs.push(repository().join("samples/tabia.cbv"));
    let text = fixtures.join("pgn/annotated.pgn");
    for extension in ["gz", "bz2", "xz", "lz4"] {
        let packed = folder.join(format!("annotated.pgn.{extension}"));
        tabia::convert(&text, &packed).unwrap();
        inputs.push(packed);
    }
    inputs
}

fn convert_to(from: &Path, to: &Path) -> Result<(), Error> {
    let resolver = Resolver::default();
    let mut items = Vec::new();
    for item in resolver.resolve(from.as_os_str())? {
        for item in resolver.expand(item)? {
            items.push(item?);
        }
    }
    let mut options = ConvertOptions::default();
    options.create.force = true;
    let target = Target::file(&resolver, to, None)?;
    let progress = Arc::new(Progress::default());
    convert(&items, target, &options, &progress, &mut NoObserver).map(|_| ())
}

#[test]
fn conversions_end_if_an_input_cannot_be_read() {
    let packed = Scratch::new("unreadable-packed");
    for input in inputs(&packed) {
        // Bughouse is not chess.
        let targets: &[&str] = match input.extension().and_then(OsStr::to_str) {
            Some("bpgn") => &["bpgn"],
            _ => &["pgn", "si4", "cbh"],
        };
        for extension in targets {
            let folder = Scratch::new("unreadable-convert");
            let target = folder.join(format!("target.{extension}"));
            let what = format!("{} to {extension}", input.display());
            fail_each_input_step(&what, &folder, || convert_to(&input, &target));
        }
    }
}

#[test]
fn repairs_end_if_an_input_cannot_be_read() {
    let packed = Scratch::new("unreadable-packed");
    let resolver = Resolver::default();
    let pgn = tabia::format("pgn").unwrap().games().unwrap();
    for input in inputs(&packed) {
        if input
            .extension()
            .is_some_and(|name| name == "cbv" || name == "bpgn")
        {
            continue;
        }
        let folder = Scratch::new("unreadable-repair");
        let target = folder.join("target.pgn");
        fail_each_input_step(&input.display().to_string(), &folder, || {
            let item = remains(&resolver, input.as_os_str())?;
            let mut options = RepairOptions::default();
            options.create.force = true;
            let progress = Arc::new(Progress::default());
            repair(&item, pgn, &target, &options, &progress, &mut NoObserver).map(|_| ())
        });
    }
}
