//! `cargo run --release -p tabia-bench -- NAME FILE…`: tabia beside its peers, in one run.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers"
)]

mod book;
mod chess;
mod header;
mod perft;
mod pgn;
mod rounds;

use std::process::ExitCode;

/// What a benchmark is called, what runs it, what it is for.
type Row = (
    &'static str,
    fn(&[String]) -> Result<(), String>,
    &'static str,
);

const TABLE: [Row; 5] = [
    (
        "chess",
        chess::run,
        "FILE.pgn[.zst] [ROUNDS]: reading, playing and writing moves beside shakmaty",
    ),
    (
        "pgn",
        pgn::run,
        "FILE.pgn [ROUNDS]: reading, and PGN to PGN, beside pgn-reader with shakmaty",
    ),
    (
        "book",
        book::run,
        "FILE [ROUNDS]: opening a book, and asking it for positions in no order",
    ),
    (
        "header",
        header::run,
        "FILE.cbh [ROUNDS]: a filtered scan of headers beside cbvault-format",
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
    let Some((_, run, _)) = TABLE.iter().find(|row| row.0 == name) else {
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
    for (name, _, help) in TABLE {
        eprintln!("{name} {help}");
    }
    ExitCode::from(2)
}
