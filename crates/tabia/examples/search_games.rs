//! Searches a database for a second at most:
//! `cargo run --example search_games -- mega.cbh "player:carlsen result:1-0"`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "examples print their results"
)]

use std::time::{Duration, Instant};

use tabia::base::SearchOptions;
use tabia::{Base, Index, Query};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(query)) = (arguments.next(), arguments.next()) else {
        return Err("usage: search_games PATH QUERY".into());
    };
    let base = Base::open(&[path], Index::Auto)?;
    let mut options = SearchOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_secs(1));
    let mut hits = base.search(&Query::parse(&query)?, &options);
    for hit in hits.by_ref() {
        let hit = hit?;
        let (white, black) = (&hit.header.white, &hit.header.black);
        println!("{}\t{white}\t{black}\t{}", hit.game, hit.header.result);
    }
    for problem in hits.problems() {
        eprintln!("{}", problem.error);
    }
    if !hits.is_complete() {
        println!("there may be more: the time was up");
    }
    Ok(())
}
