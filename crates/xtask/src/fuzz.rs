//! Runs the fuzz targets with libFuzzer, on the stable toolchain.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Outcome, run_program};

/// Memory at which libFuzzer reports a failure, in MB.
const MEMORY: u32 = 2048;
/// Seconds after which one input counts as a hang.
const TIMEOUT: u32 = 20;

pub(crate) fn fuzz(arguments: &[String]) -> Outcome {
    let (seconds, mut wanted) = parse(arguments)?;
    let all = targets()?;
    if wanted.is_empty() {
        wanted.clone_from(&all);
    }
    if let Some(unknown) = wanted.iter().find(|target| !all.contains(target)) {
        return Err(format!("no target {unknown}; there are {}", all.join(", ")));
    }
    if run_program::cargo(&["fuzz", "--version"]).output().is_err() {
        run_program::cargo(&["install", "cargo-fuzz", "--locked"]).run()?;
    }
    let known = run_program::root().join("target/fuzz/corpus");
    // Real files as seeds, where there are any: libFuzzer does not guess a magic number.
    run_program::cargo(&[
        "run",
        "--quiet",
        "--package",
        "tabia-testkit",
        "--example",
        "seeds",
        "--",
    ])
    .arg(&known)
    .args(&wanted)
    .run()?;
    let mut failed = Vec::new();
    for target in &wanted {
        println!("== {target}");
        if one(target, seconds, &known.join(target)).is_err() {
            failed.push(target.as_str());
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "findings in {}; see fuzz/artifacts",
        failed.join(", ")
    ))
}

/// Checks that the fuzz targets, which are a workspace of their own, compile.
pub(crate) fn check() -> Outcome {
    let target = run_program::root().join("target/fuzz-check");
    run_program::cargo(&["check", "--quiet", "--manifest-path", "fuzz/Cargo.toml"])
        .env("CARGO_TARGET_DIR", &target)
        // Nothing is linked, so that the fuzzer itself, which is C++, need not be compiled.
        .env("CUSTOM_LIBFUZZER_PATH", target.join("libfuzzer.a"))
        .run()
}

fn one(target: &str, seconds: u64, corpus: &Path) -> Outcome {
    std::fs::create_dir_all(corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    let own = run_program::root().join("fuzz/corpus").join(target);
    let mut fuzz = run_program::cargo(&["fuzz", "run", "--fuzz-dir", "fuzz", target])
        .arg(corpus)
        // cargo-fuzz asks for flags that only a nightly compiler takes unless configured.
        .env("RUSTC_BOOTSTRAP", "1");
    if own.is_dir() {
        fuzz = fuzz.arg(&own);
    }
    fuzz.arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg("-print_final_stats=1")
        .run()
}

/// Seconds for each target, and the targets asked for.
fn parse(arguments: &[String]) -> Result<(u64, Vec<String>), String> {
    let mut seconds = 20;
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seconds" => {
                seconds = value()?.parse().map_err(|_| "--seconds needs a number")?;
            }
            "--target" => targets.push(value()?.clone()),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok((seconds, targets))
}

/// The targets: one file each.
fn targets() -> Result<Vec<String>, String> {
    let files = run_program::files(&run_program::root().join("fuzz/targets"), &[".rs"])?;
    let names: BTreeSet<String> = files
        .iter()
        .filter_map(|path| path.file_stem())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    Ok(names.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            parse(&words("--seconds 5 --target pgn --target cbv")),
            Ok((5, vec!["pgn".to_owned(), "cbv".to_owned()]))
        );
        assert!(parse(&words("--seconds x")).is_err());
        assert!(parse(&words("--target")).is_err());
        assert!(parse(&words("pgn")).is_err());
    }

    #[test]
    fn every_target_is_in_the_manifest() {
        let manifest =
            std::fs::read_to_string(run_program::root().join("fuzz/Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert!(!targets.is_empty());
        for target in targets {
            let line = format!("path = \"targets/{target}.rs\"");
            assert!(
                manifest.contains(&line),
                "{target} is not in fuzz/Cargo.toml"
            );
        }
    }
}
