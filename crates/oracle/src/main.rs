//! `tabia-oracle FILE…`: compares every position of the mainlines of PGN files.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for developers"
)]

use std::path::Path;
use std::process::ExitCode;

use tabia_oracle::{Comparison, for_each_game};

fn main() -> ExitCode {
    let mut disagreements = 0;
    for name in std::env::args().skip(1) {
        let mut comparison = Comparison::default();
        let mut number = 0;
        let read = for_each_game(Path::new(&name), |game| {
            number += 1;
            if let Err(disagreement) = comparison.game(&game) {
                disagreements += 1;
                eprintln!("{name}: game {number}: {disagreement}");
            }
        });
        if let Err(error) = read {
            disagreements += 1;
            eprintln!("{name}: {error}");
        }
        println!("{name}: {comparison}");
    }
    if disagreements == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
