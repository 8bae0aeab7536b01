//! Databases with saved indexes: counts of other programs, every position of real games.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and report times"
)]

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tabia::base::{Base, IndexOptions, SearchOptions, TreeOptions, build_index, open_index};
use tabia::base::{SavedIndex, Tree};
use tabia::{
    Flow, GameHead, GameIndex, Index, NoObserver, Ply, Position, Progress, Query, Resolver, Visitor,
};
use tabia_testkit::Scratch;

const NAJDORF: &str = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6";
const QGD: &str = "rnbqkb1r/ppp2ppp/4pn2/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR w KQkq - 2 4";

fn position(fen: &str) -> Position {
    Position::parse_fen(fen.as_bytes()).unwrap()
}

fn index(path: &Path, threads: usize) -> Box<tabia::base::PositionIndex> {
    let item = Resolver::default()
        .resolve(path.as_os_str())
        .unwrap()
        .remove(0);
    let mut options = IndexOptions::default();
    options.threads = threads;
    let progress = Arc::new(Progress::new());
    build_index(&item, &options, &progress, &mut NoObserver).unwrap();
    match open_index(&item, &options).unwrap() {
        SavedIndex::Current(index) => index,
        other => panic!("{other:?}"),
    }
}

fn counts(tree: &Tree) -> Vec<(&str, u64)> {
    let moves = tree.moves.iter();
    moves.map(|m| (m.san.as_str(), m.games)).collect()
}

/// Counts of the positions of games: number of games, and a sum of hashes of their numbers.
#[derive(Default)]
struct Count {
    positions: HashMap<u64, (Position, u32, u64)>,
    game: u64,
    seen: Vec<u64>,
}

impl Count {
    fn arrive(&mut self, position: &Position) {
        let key = position.key();
        if !self.seen.contains(&key) {
            self.seen.push(key);
            let entry = self.positions.entry(key);
            let (_, games, sum) = entry.or_insert_with(|| (position.clone(), 0, 0));
            *games += 1;
            *sum = sum.wrapping_add(hash(self.game));
        }
    }
}

fn hash(number: u64) -> u64 {
    (number + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(23)
}

impl Visitor for Count {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game.0.into();
        self.seen.clear();
        if let Some(position) = head.start.position() {
            self.arrive(&position);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let mut after = before.clone();
        after.play_ply(ply);
        self.arrive(&after);
        Flow::Go
    }
}

/// Compares the answers of an index to all positions of a database with counting.
fn compare_all(path: &Path, positions: usize) {
    let index = index(path, 2);
    let counts = tabia::open(path).unwrap().visit(1, Count::default).unwrap();
    let counted = &counts[0].positions;
    assert_eq!(counted.len(), positions);
    let wrong = AtomicU64::new(0);
    let times: Mutex<Vec<Duration>> = Mutex::default();
    // A program without optimisation takes its time.
    let step = if cfg!(debug_assertions) { 41 } else { 1 };
    let all: Vec<_> = counted.values().step_by(step).collect();
    std::thread::scope(|scope| {
        for part in all.chunks(all.len() / 2 + 1) {
            let (index, wrong, times) = (&index, &wrong, &times);
            scope.spawn(move || {
                let mut own = Vec::with_capacity(part.len());
                for (position, games, sum) in part.iter().copied() {
                    let begun = Instant::now();
                    let (mut found, mut found_sum) = (0, 0_u64);
                    for arrival in index.find(position).unwrap() {
                        for row in index.rows(arrival.segment, arrival.ranks()).unwrap() {
                            found += 1;
                            found_sum = found_sum.wrapping_add(hash(row.game().0.into()));
                        }
                    }
                    own.push(begun.elapsed());
                    let is_right = found == *games && found_sum == *sum;
                    wrong.fetch_add(u64::from(!is_right), Ordering::Relaxed);
                }
                times.lock().unwrap().append(&mut own);
            });
        }
    });
    assert_eq!(wrong.into_inner(), 0);
    let mut times = times.into_inner().unwrap();
    times.sort_unstable();
    let percentile = |percent| times[(times.len() - 1) * percent / 100];
    let (median, p99, longest) = (percentile(50), percentile(99), percentile(100));
    println!(
        "{} positions: median {median:?}, p99 {p99:?}, at most {longest:?}",
        times.len()
    );
}

#[test]
fn ten_thousand_games_have_the_trees_of_other_programs() {
    let name = "ten_thousand_games_have_the_trees_of_other_programs";
    let Some(games) = tabia_testkit::shared_data(name, "pgn/m10k.pgn.zst") else {
        return;
    };
    let folder = Scratch::new("base-counts");
    let database = folder.join("m10k.si4");
    tabia::convert(&games, &database).unwrap();
    let copy = folder.join("m10k.pgn.zst");
    std::fs::copy(&games, &copy).unwrap();
    let progress = Progress::new();
    let mut trees: Vec<Vec<(Tree, Tree, Tree)>> = Vec::new();
    for path in [&database, &copy] {
        for use_index in [Index::Never, Index::Require] {
            let base = Base::open(&[path], use_index).unwrap();
            let all = base.select(&Query::default(), &progress).unwrap();
            let strong = Query::parse("elo:>=2500").unwrap();
            let strong = base.select(&strong, &progress).unwrap();
            let tree = |fen: &str, selected| {
                let mut options = TreeOptions::default();
                options.games = 3;
                base.tree(&position(fen), selected, &options).unwrap()
            };
            let start = base
                .tree(&Position::standard(), &all, &TreeOptions::default())
                .unwrap();
            trees.push(vec![(tree(NAJDORF, &all), tree(NAJDORF, &strong), start)]);
            let najdorf = &trees.last().unwrap()[0];
            assert_eq!((najdorf.0.games, najdorf.1.games), (329, 178));
            assert_eq!(tree(QGD, &all).games, 162);
            let query = Query::parse(&format!("fen:{}", NAJDORF.replace(' ', "_"))).unwrap();
            let hits = base.search(&query, &SearchOptions::default());
            assert_eq!(hits.flatten().count(), 329);
        }
    }
    for other in &trees[1..] {
        assert_eq!(other, &trees[0]);
    }
    let start = &trees[0][0].2;
    assert_eq!(start.games, 10_000);
    let sum: u64 = start.moves.iter().map(|m| m.games).sum();
    assert_eq!(sum + start.ended, 10_000);
    compare_all(&database, 678_695);
}

/// With `TABIA_M100K=1`, as it takes a while.
#[test]
fn a_hundred_thousand_games_have_the_trees_of_other_programs() {
    let name = "a_hundred_thousand_games_have_the_trees_of_other_programs";
    let Some(games) = tabia_testkit::shared_data(name, "pgn/m100k.pgn.zst") else {
        return;
    };
    if std::env::var_os("TABIA_M100K").is_none() {
        return;
    }
    let folder = Scratch::new("base-m100k");
    let database = folder.join("m100k.si4");
    tabia::convert(&games, &database).unwrap();
    let progress = Progress::new();
    let base = Base::open(&[&database], Index::Require).unwrap();
    let all = base.select(&Query::default(), &progress).unwrap();
    let options = TreeOptions::default();
    let tree = base.tree(&position(NAJDORF), &all, &options).unwrap();
    let expected = [
        ("Be3", 795),
        ("Be2", 662),
        ("Bg5", 660),
        ("Bc4", 229),
        ("f4", 214),
        ("h3", 201),
        ("g3", 193),
        ("f3", 151),
        ("a4", 111),
        ("Bd3", 48),
        ("Rg1", 21),
        ("Qd3", 16),
        ("Nb3", 15),
        ("h4", 15),
        ("a3", 10),
        ("Qf3", 6),
    ];
    assert_eq!(tree.games, 3349);
    let mut found = counts(&tree);
    found.truncate(16);
    found.sort_by_key(|(san, games)| (std::cmp::Reverse(*games), *san));
    let mut expected = expected.to_vec();
    expected.sort_by_key(|(san, games)| (std::cmp::Reverse(*games), *san));
    assert_eq!(found, expected);
    let be3 = tree.moves[0].results;
    assert_eq!([be3.white, be3.draws, be3.black], [299, 272, 224]);
    let tree = base.tree(&position(QGD), &all, &options).unwrap();
    assert_eq!(
        counts(&tree),
        [
            ("Bg5", 671),
            ("cxd5", 463),
            ("Nf3", 341),
            ("Bf4", 21),
            ("e3", 5),
            ("g3", 1)
        ]
    );
    let bg5 = tree.moves[0].results;
    assert_eq!([bg5.white, bg5.draws, bg5.black], [269, 280, 120]);
    let tree = base.tree(&Position::standard(), &all, &options).unwrap();
    let start = [
        ("e4", 42_023),
        ("d4", 38_392),
        ("Nf3", 10_057),
        ("c4", 8_150),
    ];
    assert_eq!(counts(&tree)[..4], start);
    compare_all(&database, 5_852_992);
}
