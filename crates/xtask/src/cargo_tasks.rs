//! The tasks that run Cargo over the workspace: tests, lints, documentation.

use std::path::PathBuf;

use crate::{Outcome, fuzz, run_program};

/// Runs all tests, the examples of the documentation first: then the output ends with the line
/// that counts the tests without shared data or a peer program.
pub(crate) fn test(rest: &[String]) -> Outcome {
    let examples = run_program::cargo(&["test", "--workspace", "--doc"])
        .args(rest)
        .run();
    let others = [
        "test",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
        "--examples",
    ];
    run_program::cargo(&others).args(rest).run()?;
    examples
}

pub(crate) fn lint(_: &[String]) -> Outcome {
    run_program::cargo(&["fmt", "--all", "--check"]).run()?;
    run_program::cargo(&[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ])
    .run()?;
    // Without the default features the program builds too.
    run_program::cargo(&[
        "clippy",
        "--quiet",
        "--package",
        "tabia-cli",
        "--no-default-features",
        "--",
        "-D",
        "warnings",
    ])
    .run()?;
    fuzz::check()
}

/// What is not compiled without the feature `parquet`.
pub(crate) fn columns(_: &[String]) -> Outcome {
    let packages = ["--package", "tabia-columns", "--package", "tabia-cli"];
    let features = ["--features", "tabia-columns/parquet,tabia-cli/parquet"];
    run_program::cargo(&["clippy", "--quiet", "--all-targets"])
        .args(&packages)
        .args(&features)
        .args(&["--", "-D", "warnings"])
        .run()?;
    // With all packages, as the tests are built, so that what does not depend on tables is not compiled again.
    run_program::cargo(&["test", "--workspace", "--lib"])
        .args(&features)
        .args(&["--test", "tables"])
        .args(&["--test", "damaged_parquet"])
        .args(&["--test", "parquet_and_arrow"])
        .run()
}

/// Builds the program as the tests do, so that nothing is compiled twice, and returns its path.
pub(crate) fn program() -> Result<PathBuf, String> {
    let build = [
        "test",
        "--quiet",
        "--workspace",
        "--test",
        "guide",
        "--no-run",
    ];
    run_program::cargo(&build).run()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(run_program::root().join(target).join("debug/tabia"))
}

pub(crate) fn doc(_: &[String]) -> Outcome {
    run_program::cargo(&["doc", "--quiet", "--workspace", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

pub(crate) fn oracle(rest: &[String]) -> Outcome {
    run_program::cargo(&["test", "--release", "--package", "tabia-oracle"])
        .args(rest)
        .run()
}
