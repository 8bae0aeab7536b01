//! `table_rates JOB INPUT [TARGET] [ROUNDS] [visit]`: makes a table of the games of INPUT some times on one thread, to be
//! measured from outside.
//!
//! JOB is `header`, `moves` or `all`: the batches of these columns are made, and written as Parquet to TARGET unless
//! that is `-`. With `visit` games are visited also where the index of a database has all that is needed.

use std::path::PathBuf;
use std::sync::Arc;

use tabia::{NoObserver, Progress, Resolver};
use tabia_columns::schema::GameColumns;
use tabia_columns::write::{TableFile, TableOptions, each_batch, write_table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let job = arguments.next().ok_or("which job?")?;
    let input = arguments.next().ok_or("which input?")?;
    let target = arguments.next().filter(|target| target != "-");
    let rounds: u32 = arguments.next().map_or(Ok(1), |rounds| rounds.parse())?;
    let mut options = TableOptions::default();
    options.plan.threads = 1;
    if arguments.next().is_some_and(|word| word == "visit") {
        options.plan.at_most = Some(u64::MAX);
    }
    options.columns = match job.as_str() {
        "header" => GameColumns::parse("header")?,
        "moves" => GameColumns::parse("moves,move_codes")?,
        _ => GameColumns::default(),
    };
    let items = Resolver::default().resolve_games(input.as_ref())?;
    let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
    let progress = Arc::new(Progress::default());
    for _ in 0..rounds {
        if let Some(target) = &target {
            let file = TableFile::Parquet(PathBuf::from(target));
            write_table(&items, file, &options, true, &progress, &mut NoObserver)?;
        } else {
            let take = &mut |_| Ok(true);
            each_batch(&items, &options, &progress, &mut NoObserver, take)?;
        }
    }
    Ok(())
}
