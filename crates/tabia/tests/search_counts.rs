//! Queries on ten thousand real games, with counts of other programs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use tabia::core::io::Progress;
use tabia::list::{ListOptions, list};
use tabia::{NoObserver, Query, Resolver};

const NAJDORF: &str = "fen:rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R_w_KQkq_-";

/// Counted with independent programs.
const COUNTS: &[(&str, u64)] = &[
    ("fen:4rrk1/1bp2pp1/p6p/1p1P4/3Qq3/2PN4/PP4PP/R4RK1_w_-_-", 2),
    ("fen:8/5pk1/2R4p/1p6/p1b1R2P/P1P1K2r/8/8_w_-_-", 2),
    ("mat:KRPKR for:10", 35),
    ("mat:KRBKR", 5),
    ("bishops:opposite count:QRNqrn=0", 165),
    ("pawns:iqp", 1124),
    ("pawns:carlsbad", 316),
    ("sub:6k1/6p1/8/5N2/8/8/8/8", 390),
    ("on:Nf5 on:pg7 on:kg8", 390),
    ("imb:MvR", 1154),
    ("by:white move:Bxh7+", 95),
    ("by:black move:O-O-O", 553),
    ("move:enpassant", 573),
    ("move:underpromotion", 20),
    ("move:=N", 7),
    ("ends:mate", 134),
    ("ends:stalemate", 27),
    ("plies:>=200", 55),
    ("player:carlsen", 100),
    ("elo:>=2700", 928),
    ("date:1990..1999", 1875),
    ("eco:B9", 252),
    ("result:1/2-1/2 elo:>=2600", 1296),
];

fn count(path: &Path, query: &str, threads: usize) -> u64 {
    let mut options = ListOptions::default();
    options.filter = Query::parse(query).unwrap();
    options.threads = threads;
    options.count_only = true;
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    let progress = Arc::new(Progress::new());
    let render = |_: &tabia::list::ListRow<'_>, _: &mut Vec<()>| {};
    let (_, rows) = list(
        &items[0],
        &options,
        &render,
        &progress,
        &mut NoObserver,
        &mut |_| Ok(()),
    )
    .unwrap();
    rows
}

#[test]
fn ten_thousand_games_have_the_counts_of_other_programs() {
    let Some(games) = tabia_testkit::shared_data(
        "ten_thousand_games_have_the_counts_of_other_programs",
        "pgn/m10k.pgn.zst",
    ) else {
        return;
    };
    assert_eq!(count(&games, NAJDORF, 2), 329);
    assert_eq!(count(&games, &format!("{NAJDORF} elo:>=2500"), 1), 178);
    assert_eq!(count(&games, &format!("{NAJDORF} player:carlsen"), 2), 4);
    let folder = tabia_testkit::Scratch::new("search-counts");
    let database = folder.join("m10k.si4");
    tabia::convert(&games, &database).unwrap();
    for (number, (query, expected)) in COUNTS.iter().enumerate() {
        let threads = 1 + number % 2;
        assert_eq!(count(&database, query, threads), *expected, "{query}");
    }
}
