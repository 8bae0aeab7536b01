//! Queries on ten thousand real games, with counts of other programs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tabia::core::io::Progress;
use tabia::dedupe::{DedupeOptions, find_duplicates};
use tabia::list::{ListOptions, list};
use tabia::list_openings::{EcoOptions, openings_of};
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

#[test]
fn ten_thousand_games_have_the_openings_that_another_program_finds() {
    let test = "ten_thousand_games_have_the_openings_that_another_program_finds";
    let Some(games) = tabia_testkit::shared_data(test, "pgn/m10k.pgn.zst") else {
        return;
    };
    let items = Resolver::default().resolve(games.as_os_str()).unwrap();
    let mut options = EcoOptions::default();
    options.threads = 2;
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let (mut found, mut last) = (0, 0);
    openings_of(
        &items[0],
        &options,
        &Arc::new(Progress::new()),
        &mut NoObserver,
        &mut |row| {
            let (opening, ply) = row.opening.unwrap();
            found += 1;
            last = last.max(ply);
            for name in [&opening.eco[..1], opening.eco] {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
            Ok(())
        },
    )
    .unwrap();
    assert_eq!((found, last), (10_000, 36));
    for (name, expected) in [
        ("A", 2096),
        ("B", 2458),
        ("C", 1904),
        ("D", 1912),
        ("E", 1630),
        ("B90", 155),
        ("D37", 120),
        ("C65", 84),
        ("E97", 36),
    ] {
        assert_eq!(counts.get(name), Some(&expected), "{name}");
    }
}

/// Two thousand games: a thousand, then one made of each of them, of which 700 are duplicates.
#[test]
fn made_duplicates_are_found_and_no_others() {
    let test = "made_duplicates_are_found_and_no_others";
    let Some(games) = tabia_testkit::shared_data(test, "pgn/m10k.pgn.zst") else {
        return;
    };
    let tool = tabia_testkit::shared().unwrap().join("tools/make_dups.py");
    let folder = tabia_testkit::Scratch::new("made-duplicates");
    let (plain, made) = (folder.join("m10k.pgn"), folder.join("made.pgn"));
    tabia::convert(&games, &plain).unwrap();
    let run = std::process::Command::new("python3")
        .args([&tool, &plain, &made])
        .output();
    if !run.is_ok_and(|run| run.status.success()) {
        tabia_testkit::skip_without_peer(test, "python3");
        return;
    }
    let items = Resolver::default().resolve(made.as_os_str()).unwrap();
    for threads in [1, 2] {
        let mut options = DedupeOptions::default();
        options.threads = threads;
        let progress = Arc::new(Progress::new());
        let (_, found) = find_duplicates(&items, &options, &progress, &mut NoObserver).unwrap();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for duplicate in &found {
            let (a, b) = (duplicate.kept.1.0, duplicate.dropped.1.0);
            pairs.push((a.min(b), a.max(b)));
        }
        pairs.sort_unstable();
        let expected = (0..1000).filter(|i| i % 10 < 7).map(|i| (i, i + 1000));
        assert!(pairs.into_iter().eq(expected));
    }
}
