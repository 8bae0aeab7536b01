//! The tasks of the workspace, one name each: `cargo xtask` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for developers, which prints and reads the environment"
)]

mod bench;
mod code_that_names_formats;
mod forbidden_words;
mod fuzz;
mod generated_docs;
mod import_circles;
mod instruction_counts;
mod licences;
mod mutants;
mod public_api;
mod run_program;
mod terminal_picture;
mod tidy;

use std::process::ExitCode;

/// The outcome of a task; the text is for developers.
type Outcome = Result<(), String>;

/// Name, what runs, what it is for.
type Task = (&'static str, fn(&[String]) -> Outcome, &'static str);

const TASKS: &[Task] = &[
    ("ci", ci, "every check and all tests, as .ci/run does"),
    (
        "test",
        test,
        "all tests; further arguments go to cargo test",
    ),
    ("lint", lint, "formatting and clippy, warnings are errors"),
    ("doc", doc, "the API documentation, warnings are errors"),
    (
        "tidy",
        tidy::tidy,
        "rules of the repository that no other tool checks",
    ),
    (
        "licences",
        licences::licences,
        "[MANIFEST]: licences of everything that ships",
    ),
    (
        "generated",
        generated_docs::generated,
        "rewrites generated documents; --check only compares",
    ),
    (
        "api",
        public_api::public_api,
        "rewrites the list of public items; --check only compares",
    ),
    (
        "instructions",
        instruction_counts::instructions,
        "counts the instructions of the main jobs; --check only compares",
    ),
    (
        "package",
        package,
        "packages the crates that ship and builds them from their packages",
    ),
    (
        "columns",
        columns,
        "lints and tests tables in Parquet and Arrow",
    ),
    (
        "fuzz",
        fuzz::fuzz,
        "[--seconds N] [--target T]...: runs the fuzz targets",
    ),
    (
        "mutants",
        mutants::mutants,
        "[--area A]... [--sample N]: changes the code and reports what no test notices",
    ),
    (
        "oracle",
        oracle,
        "compares the chess core with other programs over all corpora",
    ),
    (
        "bench",
        bench::bench,
        "[JOB]...: times tabia against its peers, installing them",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        for (name, _, help) in TASKS {
            println!("{name:<12} {help}");
        }
        return ExitCode::SUCCESS;
    };
    let Some((_, task, _)) = TASKS.iter().find(|(task, _, _)| task == name) else {
        eprintln!("no task is called {name}; `cargo xtask` lists them");
        return ExitCode::from(2);
    };
    match task(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn ci(_: &[String]) -> Outcome {
    let none: &[String] = &[];
    let check = ["--check".to_owned()];
    let checks = [
        "lint",
        "tidy",
        "licences",
        "generated",
        "doc",
        "api",
        "instructions",
        "package",
        "columns",
    ];
    // All of them run, so that one failure does not hide another; the tests come last, so that
    // their summary ends the output.
    let mut failed = Vec::new();
    for (name, task, _) in TASKS.iter().filter(|task| checks.contains(&task.0)) {
        println!("== {name}");
        let compares = ["generated", "api", "instructions"].contains(name);
        let arguments = if compares { &check } else { none };
        if let Err(error) = task(arguments) {
            eprintln!("{name}: {error}");
            failed.push(*name);
        }
    }
    println!("== test");
    if test(none).is_err() {
        failed.push("test");
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failed.join(", ")))
}

/// Runs all tests, the examples of the documentation first: then the output ends with the line
/// that counts the tests without shared data or a peer program.
fn test(rest: &[String]) -> Outcome {
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

fn lint(_: &[String]) -> Outcome {
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
fn columns(_: &[String]) -> Outcome {
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

fn doc(_: &[String]) -> Outcome {
    run_program::cargo(&["doc", "--quiet", "--workspace", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

/// The crates that ship, those that others depend on first.
const SHIPPED: [&str; 8] = [
    "tabia-core",
    "tabia-formats",
    "tabia-query",
    "tabia-index",
    "tabia",
    "tabia-columns",
    "tabia-serve",
    "tabia-cli",
];

fn package(_: &[String]) -> Outcome {
    forget_unpacked_packages();
    // What an earlier run compiled would be taken for this one's, as the version is the same.
    let target = run_program::root().join("target/packages");
    let _ = std::fs::remove_dir_all(&target);
    let target = target.to_string_lossy().into_owned();
    let mut arguments = vec![
        "package",
        "--quiet",
        "--allow-dirty",
        "--target-dir",
        &target,
    ];
    for name in SHIPPED {
        arguments.extend(["--package", name]);
    }
    run_program::cargo(&arguments).run()
}

/// Cargo keeps the packages of an earlier run unpacked and would build these, as the version is the same.
fn forget_unpacked_packages() {
    let home = std::env::var_os("CARGO_HOME")
        .map(std::path::PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let Some(registries) = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok())
    else {
        return;
    };
    for registry in registries.flatten() {
        for name in SHIPPED {
            let unpacked = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
            // A package that was not unpacked needs nothing.
            let _ = std::fs::remove_dir_all(registry.path().join(unpacked));
        }
    }
}

fn oracle(rest: &[String]) -> Outcome {
    run_program::cargo(&["test", "--release", "--package", "tabia-oracle"])
        .args(rest)
        .run()
}
