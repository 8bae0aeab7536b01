//! The tasks of the workspace, one name each: `cargo xtask` lists them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for developers, which prints and reads the environment"
)]

mod bench;
mod cargo_tasks;
mod code_that_names_formats;
mod forbidden_words;
mod fuzz;
mod generated_docs;
mod import_circles;
mod instruction_counts;
mod licences;
mod mutants;
mod package;
mod public_api;
mod run_program;
mod terminal_picture;
mod tidy;

use std::process::ExitCode;
use std::time::Instant;

/// The outcome of a task; the text is for developers.
type Outcome = Result<(), String>;

/// Name, what runs, what it is for.
type Task = (&'static str, fn(&[String]) -> Outcome, &'static str);

const TASKS: &[Task] = &[
    ("ci", ci, "every check and all tests, as .ci/run does"),
    (
        "test",
        cargo_tasks::test,
        "all tests; further arguments go to cargo test",
    ),
    (
        "lint",
        cargo_tasks::lint,
        "formatting and clippy, warnings are errors",
    ),
    (
        "doc",
        cargo_tasks::doc,
        "the API documentation, warnings are errors",
    ),
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
        package::package,
        "packages the crates that ship and builds them from their packages",
    ),
    (
        "columns",
        cargo_tasks::columns,
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
        cargo_tasks::oracle,
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

/// The mutants that the checks run: all of what must be true before an old set is replaced.
const STRICT_AREA: [&str; 2] = ["--area", "before-replacing"];

/// What is checked before the tests. Those of a group run at the same time: a release build ends on one
/// core, and counting instructions needs one; the others of its group wait for each other's builds.
const CHECKS: [&[&str]; 7] = [
    &["lint"],
    &["tidy"],
    &["licences"],
    &["generated"],
    &["doc"],
    &["api"],
    &["instructions", "package", "columns"],
];

/// Runs a check: its error, and the seconds that it took.
fn check(name: &str) -> (Outcome, u64) {
    println!("== {name}");
    let start = Instant::now();
    let outcome = match TASKS.iter().find(|task| task.0 == name) {
        None => Err("there is no such task".to_owned()),
        Some((_, task, _)) => {
            let compares = ["generated", "api", "instructions"].contains(&name);
            let arguments: &[String] = &["--check".to_owned()];
            task(if compares { arguments } else { &[] })
        }
    };
    (outcome, start.elapsed().as_secs())
}

fn ci(_: &[String]) -> Outcome {
    let none: &[String] = &[];
    // All of them run, so that one failure does not hide another; the tests come after the other checks, so
    // that their summary and the table of mutants end the output.
    let mut failed = Vec::new();
    let mut took = Vec::new();
    for group in CHECKS {
        let results = std::thread::scope(|scope| {
            let running: Vec<_> = group
                .iter()
                .map(|name| (*name, scope.spawn(|| check(name))))
                .collect();
            running
                .into_iter()
                .map(|(name, thread)| (name, thread.join()))
                .collect::<Vec<_>>()
        });
        for (name, result) in results {
            let (outcome, seconds) = result.unwrap_or_else(|_| (Err("it panicked".to_owned()), 0));
            if let Err(error) = outcome {
                eprintln!("{name}: {error}");
                failed.push(name);
            }
            took.push(format!("{name} {seconds} s"));
        }
    }
    println!("== test");
    let start = Instant::now();
    if cargo_tasks::test(none).is_err() {
        failed.push("test");
    }
    took.push(format!("test {} s", start.elapsed().as_secs()));
    // After the tests, because the crates of others are compiled then.
    println!("== mutants");
    let start = Instant::now();
    if let Err(error) = mutants::mutants(&STRICT_AREA.map(str::to_owned)) {
        eprintln!("mutants: {error}");
        failed.push("mutants");
    }
    took.push(format!("mutants {} s", start.elapsed().as_secs()));
    println!("took: {}", took.join(", "));
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failed.join(", ")))
}
