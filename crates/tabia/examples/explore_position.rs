//! The moves that were played in a position, with their results:
//! `cargo run --example explore_position -- mega.cbh "1. e4 c5"`.

#![expect(clippy::print_stdout, reason = "examples print their results")]

use std::sync::Arc;

use tabia::base::TreeOptions;
use tabia::book::position_arg::position_of;
use tabia::{Base, Index, Progress, Query};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(moves)) = (arguments.next(), arguments.next()) else {
        return Err("usage: explore_position PATH MOVES".into());
    };
    // With an index the answer takes milliseconds, without one the games are read.
    let base = Base::open(&[path], Index::Auto)?;
    let games = base.select(&Query::default(), &Arc::new(Progress::new()))?;
    let tree = base.tree(&position_of(&moves)?, &games, &TreeOptions::default())?;
    println!("{} games", tree.games);
    for played in &tree.moves {
        let results = played.results;
        println!(
            "{}\t{}\t{} {} {}",
            played.san, played.games, results.white, results.draws, results.black
        );
    }
    Ok(())
}
