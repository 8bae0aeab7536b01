//! The tasks that run Cargo over the workspace: tests, lints, documentation.

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
    let only = ["--features", "parquet"];
    run_program::cargo(&["test", "--package", "tabia-columns"])
        .args(&only)
        .run()?;
    run_program::cargo(&[
        "test",
        "--package",
        "tabia-cli",
        "--test",
        "parquet_and_arrow",
    ])
    .args(&only)
    .run()
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
