//! Checks a database and prints what is wrong with it: `cargo run --example check_database -- mega.cbh`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;

use tabia::check::{CheckOptions, check};
use tabia::{InputItem, Observer, Problem, Progress, Resolver};

/// Prints each problem when it is found.
struct Print;

impl Observer for Print {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> tabia::Result<()> {
        println!("{}", problem.error);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: check_database PATH")?;
    let progress = Arc::new(Progress::new());
    // The databases that are in an archive, too.
    for item in Resolver::default().resolve_games(path.as_ref())? {
        let item = item?;
        let checked = check(&item, &CheckOptions::default(), &progress, &mut Print)?;
        let (games, problems) = (checked.summary.counts.games, checked.summary.problems);
        println!("{}: {games} games, {problems} problems", item.name());
    }
    Ok(())
}
