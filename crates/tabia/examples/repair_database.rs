//! Saves what survives of a damaged database into a new one:
//! `cargo run --example repair_database -- damaged.cbh saved.cbh`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::path::Path;
use std::sync::Arc;

use tabia::repair::{RecordOutcome, RepairObserver, RepairOptions, repair};
use tabia::{InputItem, Observer, Progress};

/// Prints what became of each game that is not whole.
struct Print;

impl Observer for Print {}

impl RepairObserver for Print {
    fn record_outcome(&mut self, _: &InputItem, record: &RecordOutcome<'_>) -> tabia::Result<()> {
        let reasons = record.reasons.iter().map(|reason| reason.text.as_str());
        let reasons: Vec<&str> = reasons.collect();
        println!(
            "game {} is {}: {}",
            record.game,
            record.outcome.name(),
            reasons.join(", ")
        );
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: repair_database FROM TO".into());
    };
    let input = tabia::open(from)?;
    let [item] = input.items() else {
        return Err("name one database".into());
    };
    let to = Path::new(&to);
    let extension = to.extension().unwrap_or_default().to_string_lossy();
    let format = tabia::format(&extension).and_then(tabia::Format::games);
    let format = format.ok_or("the extension of the target names no format of games")?;
    let (options, progress) = (RepairOptions::default(), Arc::new(Progress::new()));
    let done = repair(item, format, to, &options, &progress, &mut Print)?;
    println!(
        "{} whole, {} damaged, {} lost",
        done.whole, done.damaged, done.lost
    );
    Ok(())
}
