//! Queries on ten thousand real games, with counts of other programs.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tabia::base::{Base, IndexChange, IndexOptions, SearchOptions, build_index};
use tabia::convert::{ConvertOptions, Target, convert};
use tabia::core::io::Progress;
use tabia::dedupe::{DedupeOptions, find_duplicates};
use tabia::list::{ListOptions, list};
use tabia::list_openings::{EcoOptions, openings_of};
use tabia::select::RecordRanges;
use tabia::{Index, InputItem, NoObserver, Query, Resolver};

const NAJDORF: &str = "fen:rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R_w_KQkq_-";
const NAJDORF_OF_STRONG_PLAYERS: &str =
    "fen:rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R_w_KQkq_- elo:>=2500";
const NAJDORF_OF_CARLSEN: &str =
    "fen:rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R_w_KQkq_- player:carlsen";

/// How many of ten thousand and of a hundred thousand games fit, counted with independent programs.
const COUNTS: &[(&str, u64, u64)] = &[
    (NAJDORF, 329, 3349),
    (NAJDORF_OF_STRONG_PLAYERS, 178, 1765),
    (NAJDORF_OF_CARLSEN, 4, 37),
    (
        "fen:rnbqkb1r/ppp2ppp/4pn2/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR_w_KQkq_-",
        162,
        1502,
    ),
    (
        "fen:4rrk1/1bp2pp1/p6p/1p1P4/3Qq3/2PN4/PP4PP/R4RK1_w_-_-",
        2,
        2,
    ),
    ("fen:8/5pk1/2R4p/1p6/p1b1R2P/P1P1K2r/8/8_w_-_-", 2, 2),
    ("mat:KRPKR", 72, 677),
    ("mat:KRPKR for:10", 35, 267),
    ("mat:KRKRP", 64, 597),
    ("mat:KRKRP for:10", 34, 225),
    ("mat:KQKR", 2, 37),
    ("mat:KQKR for:10", 0, 17),
    ("mat:KBNK", 2, 16),
    ("mat:KBNK for:10", 2, 16),
    ("mat:KRBKR", 5, 66),
    ("mat:KRBKR for:10", 4, 51),
    ("mat:KPK", 15, 224),
    ("mat:KPK for:10", 1, 41),
    ("mat:KK", 34, 381),
    ("bishops:opposite count:QRNqrn=0", 165, 1815),
    ("pawns:iqp", 1124, 10_710),
    ("pawns:carlsbad", 316, 3069),
    ("sub:6k1/6p1/8/5N2/8/8/8/8", 390, 4198),
    ("on:Nf5 on:pg7 on:kg8", 390, 4198),
    ("imb:MvR", 1154, 11_587),
    ("by:white move:Bxh7+", 95, 801),
    ("by:white move:Nd5", 2286, 22_797),
    ("by:white move:O-O-O", 1091, 10_805),
    ("by:black move:O-O-O", 553, 5537),
    ("move:enpassant", 573, 5761),
    ("move:underpromotion", 20, 157),
    ("move:=N", 7, 95),
    ("ends:mate", 134, 1378),
    ("ends:stalemate", 27, 214),
    ("plies:>=200", 55, 562),
    ("player:carlsen", 100, 962),
    ("white:kasparov black:karpov", 4, 42),
    ("elo:>=2700", 928, 9420),
    ("anyelo:>=2700", 2331, 23_217),
    ("date:1990..1999", 1875, 18_681),
    ("eco:B9", 252, 2602),
    ("result:1/2-1/2 elo:>=2600", 1296, 12_810),
];

/// The databases that the queries are asked of.
const EXTENSIONS: [&str; 6] = ["pgn", "pgn.zst", "si4", "si5", "cbh", "sci"];

fn item(path: &Path) -> InputItem {
    let mut items = Resolver::default().resolve(path.as_os_str()).unwrap();
    items.remove(0)
}

fn count(path: &Path, query: &str, threads: usize, index: Index) -> u64 {
    let mut options = ListOptions::default();
    options.filter = Query::parse(query).unwrap();
    options.threads = threads;
    options.count_only = true;
    options.index = index;
    let progress = Arc::new(Progress::new());
    let render = |_: &tabia::list::ListRow<'_>, _: &mut Vec<()>| {};
    let (_, rows) = list(
        &item(path),
        &options,
        &render,
        &progress,
        &mut NoObserver,
        &mut |_| Ok(()),
    )
    .unwrap();
    rows
}

/// Writes the games with these numbers to a new database, or adds them to one.
fn write_games(from: &Path, numbers: &str, to: &Path, append: bool) {
    let mut options = ConvertOptions::default();
    options.plan.selection.numbers = Some(RecordRanges::parse(numbers).unwrap());
    options.plan.threads = 2;
    options.append = append;
    let target = Target::file(&Resolver::default(), to, None).unwrap();
    let progress = Arc::new(Progress::new());
    convert(&[item(from)], target, &options, &progress, &mut NoObserver).unwrap();
}

fn index(path: &Path) -> IndexChange {
    let progress = Arc::new(Progress::new());
    let options = IndexOptions::default();
    let built = build_index(&item(path), &options, &progress, &mut NoObserver).unwrap();
    built.change
}

/// Each query is asked of one database in one way; with `TABIA_ALL_COUNTS=1` of each in every way.
#[test]
fn ten_thousand_games_have_the_counts_of_other_programs() {
    let Some(games) = tabia_testkit::shared_data(
        "ten_thousand_games_have_the_counts_of_other_programs",
        "pgn/m10k.pgn.zst",
    ) else {
        return;
    };
    let folder = tabia_testkit::Scratch::new("search-counts");
    let plain = folder.join("games.pgn");
    tabia::convert(&games, &plain).unwrap();
    let mut databases = Vec::new();
    for extension in EXTENSIONS {
        let whole = folder.join(format!("whole.{extension}"));
        write_games(&plain, "1-", &whole, false);
        assert_eq!(index(&whole), IndexChange::Built, "{extension}");
        let grown = folder.join(format!("grown.{extension}"));
        write_games(&plain, "1-5000", &grown, false);
        assert_eq!(index(&grown), IndexChange::Built, "{extension}");
        write_games(&plain, "5001-", &grown, true);
        assert_eq!(index(&grown), IndexChange::Grown, "{extension}");
        databases.extend([whole, grown]);
    }
    let mut ways = Vec::new();
    for threads in [1, 2] {
        for index in [Index::Never, Index::Require] {
            ways.extend(databases.iter().map(|path| (path, threads, index)));
        }
    }
    let is_every = std::env::var_os("TABIA_ALL_COUNTS").is_some();
    for (number, &(query, expected, _)) in COUNTS.iter().enumerate() {
        // 7 and the number of ways have no common divisor.
        let one = number * 7 % ways.len();
        for (_, (path, threads, index)) in ways
            .iter()
            .enumerate()
            .filter(|(way, _)| is_every || *way == one)
        {
            let found = count(path, query, *threads, *index);
            let name = path.display();
            assert_eq!(
                found, expected,
                "{query}: {name}, {threads} threads, {index:?}"
            );
        }
    }
    for index in [Index::Never, Index::Auto] {
        let base = Base::open(&[&databases[1], &databases[4]], index).unwrap();
        for (query, expected) in [(NAJDORF, 329), ("mat:KRPKR", 72)] {
            let query = Query::parse(query).unwrap();
            let hits = base.search(&query, &SearchOptions::default());
            assert_eq!(hits.flatten().count(), 2 * expected, "{query} {index:?}");
        }
    }
}

/// With `TABIA_M100K=1`, as it takes a while.
#[test]
fn a_hundred_thousand_games_have_the_counts_of_other_programs() {
    let name = "a_hundred_thousand_games_have_the_counts_of_other_programs";
    let Some(games) = tabia_testkit::shared_data(name, "pgn/m100k.pgn.zst") else {
        return;
    };
    if std::env::var_os("TABIA_M100K").is_none() {
        return;
    }
    let folder = tabia_testkit::Scratch::new("search-counts-m100k");
    let database = folder.join("m100k.si4");
    tabia::convert(&games, &database).unwrap();
    assert_eq!(index(&database), IndexChange::Built);
    for &(query, _, expected) in COUNTS {
        for index in [Index::Never, Index::Require] {
            let found = count(&database, query, 2, index);
            assert_eq!(found, expected, "{query} {index:?}");
        }
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
