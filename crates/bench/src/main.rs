//! `cargo run --release -p tabia-bench -- NAME FILE…`: times tabia and other libraries in one run.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers"
)]

mod book;
mod chess;
mod explorer;
mod header_scan;
mod perft;
mod pgn;
mod rounds;

use std::process::ExitCode;

/// The name of a benchmark, its function and its description.
type Benchmark = (
    &'static str,
    fn(&[String]) -> Result<(), String>,
    &'static str,
);

const BENCHMARKS: [Benchmark; 6] = [
    (
        "chess",
        chess::run,
        "FILE.pgn[.zst] [ROUNDS]: reading, playing and writing moves, compared with shakmaty",
    ),
    (
        "pgn",
        pgn::run,
        "FILE.pgn [ROUNDS]: reading, and PGN to PGN, compared with pgn-reader and shakmaty",
    ),
    (
        "book",
        book::run,
        "FILE [ROUNDS]: opening a book, and probing positions in random order",
    ),
    (
        "explorer",
        explorer::run,
        "DATABASE: looking positions up in its saved index, and the explorer with filters",
    ),
    (
        "header",
        header_scan::run,
        "FILE.cbh [ROUNDS]: a filtered scan of headers, compared with cbvault-format",
    ),
    (
        "perft",
        perft::run,
        "[LOWER]: counts of move sequences to depth 5 to 7, or lower, compared with shakmaty's",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        return usage();
    };
    let Some((_, run, _)) = BENCHMARKS.iter().find(|benchmark| benchmark.0 == name) else {
        return usage();
    };
    match run(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    for (name, _, help) in BENCHMARKS {
        eprintln!("{name} {help}");
    }
    ExitCode::from(2)
}
