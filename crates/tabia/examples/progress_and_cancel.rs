//! Converts with a count of the games on the way, and stops after some milliseconds:
//! `cargo run --example progress_and_cancel -- mega.cbh games.pgn 60000`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tabia::convert::{ConvertOptions, Target, convert};
use tabia::{Error, ErrorSide, NoObserver, Progress, Resolver, Summary};

fn run(from: &str, to: &str, progress: &Arc<Progress>) -> Result<Summary, Error> {
    let resolver = Resolver::default();
    let items = resolver.resolve_games(from.as_ref())?;
    let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
    let target = Target::file(&resolver, to.as_ref(), None)?;
    let options = ConvertOptions::default();
    convert(&items, target, &options, progress, &mut NoObserver).map(|(summary, _)| summary)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, milliseconds] = arguments.as_slice() else {
        return Err("usage: progress_and_cancel FROM TO MILLISECONDS".into());
    };
    let end = Instant::now() + Duration::from_millis(milliseconds.parse()?);
    let progress = Arc::new(Progress::new());
    let converted = thread::scope(|scope| {
        let worker = scope.spawn(|| run(from, to, &progress));
        while !worker.is_finished() {
            if Instant::now() >= end {
                progress.cancel();
            }
            println!("{} games so far", progress.games());
            thread::sleep(Duration::from_millis(50));
        }
        worker.join()
    });
    match converted {
        Ok(Ok(summary)) => println!("{} games", summary.counts.games),
        Ok(Err(error)) if error.side() == ErrorSide::Cancelled => {
            println!("stopped: there is no new file");
        }
        Ok(Err(error)) => return Err(error.into()),
        Err(_) => return Err("the conversion panicked".into()),
    }
    Ok(())
}
