//! Looking positions up in a saved index, and the explorer with filters.

use std::path::Path;
use std::time::{Duration, Instant};

use tabia::base::{Base, IndexOptions, PositionIndex, SavedIndex, TreeOptions, open_index};
use tabia::{Index, Progress, Query, Resolver};
use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Flow, Visitor};
use tabia_testkit::Random;

/// Random positions that are looked up.
const POSITIONS: usize = 20_000;
/// Games that the explorer walks along, and how far.
const LINES: usize = 20;
const PLIES: usize = 30;
/// How often a filter is asked again.
const TIMES: usize = 100;

/// A position of the Najdorf variation, one of the middlegame and one of an ending.
const NAMED: [(&str, &str); 3] = [
    (
        "Najdorf",
        "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    ),
    (
        "middlegame",
        "4rrk1/1bp2pp1/p6p/1p1P4/3Qq3/2PN4/PP4PP/R4RK1 w - - 0 21",
    ),
    ("ending", "8/5pk1/2R4p/1p6/p1b1R2P/P1P1K2r/8/8 w - - 11 56"),
];

/// Filters, which are asked once, and then again for other positions.
const FILTERS: [&str; 4] = ["elo:>=2500", "date:2010..", "result:1-0", "player:carlsen"];

/// Prints how long positions take to be found in the saved index of a database, and the explorer with it.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [name] = arguments else {
        return Err("explorer DATABASE, which has a saved index".into());
    };
    let path = Path::new(name);
    let error = |error: tabia::Error| error.to_string();
    let items = Resolver::default()
        .resolve(path.as_os_str())
        .map_err(error)?;
    let item = items.first().ok_or("no database")?;
    let saved = open_index(item, &IndexOptions::default()).map_err(error)?;
    let SavedIndex::Current(index) = saved else {
        return Err(format!("{name} has no current index: `tabia index {name}`"));
    };
    println!(
        "{name}: {} games, {} plies, {} segments, {:.2} bytes a ply",
        index.games(),
        index.plies(),
        index.segments(),
        index.bytes() as f64 / index.plies().max(1) as f64
    );
    let positions = random_positions(&index).map_err(|error| error.to_string())?;
    let mut times = Vec::new();
    // The first pass warms the page cache.
    for _ in 0..2 {
        times.clear();
        for position in &positions {
            times.push(look_up(&index, position)?.0);
        }
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 1000).copied();
    println!(
        "{} random positions: median {:?}, 99 of 100 {:?}, 999 of 1000 {:?}",
        positions.len(),
        at(500).unwrap_or_default(),
        at(990).unwrap_or_default(),
        at(999).unwrap_or_default()
    );
    for (name, fen) in NAMED {
        let position = Position::parse_fen(fen.as_bytes()).map_err(|error| error.to_string())?;
        let mut best = Duration::MAX;
        let mut games = 0;
        for _ in 0..TIMES {
            let (time, found) = look_up(&index, &position)?;
            (best, games) = (best.min(time), found);
        }
        println!("{name}: {games} games in {best:?}");
    }
    let mut random = Random::new(18);
    let lines = (0..LINES).map(|_| random_line(&index, &mut random, PLIES));
    let lines: Result<Vec<_>, _> = lines.collect();
    explore(path, &lines.map_err(|error| error.to_string())?).map_err(error)
}

/// The time to find a position with its moves, and the number of games.
fn look_up(index: &PositionIndex, position: &Position) -> Result<(Duration, u64), String> {
    let start = Instant::now();
    let mut moves = Vec::new();
    let arrivals = index.find(position).map_err(|error| error.to_string())?;
    let mut games = 0;
    for arrival in &arrivals {
        games += u64::from(arrival.games());
        let done = index.continuations(position, arrival, &mut moves);
        done.map_err(|error| error.to_string())?;
    }
    Ok((start.elapsed(), games))
}

/// The explorer with filters: asked for the first time, and again.
fn explore(path: &Path, lines: &[Vec<Position>]) -> Result<(), tabia::Error> {
    let base = Base::open(&[path], Index::Auto)?;
    let progress = Progress::new();
    let mut options = TreeOptions::default();
    options.games = 0;
    let mut positions = vec![("start", Position::standard())];
    for (name, fen) in NAMED {
        if let Ok(position) = Position::parse_fen(fen.as_bytes()) {
            positions.push((name, position));
        }
    }
    let start = Instant::now();
    let all = base.select(&Query::default(), &progress)?;
    let found = base.tree(&Position::standard(), &all, &options)?;
    println!(
        "no filter: {} games, start for the first time {:?}",
        found.games,
        start.elapsed()
    );
    for text in FILTERS {
        let Ok(query) = Query::parse(text) else {
            continue;
        };
        let start = Instant::now();
        let selected = base.select(&query, &progress)?;
        let first = base.tree(&Position::standard(), &selected, &options)?;
        let first_time = start.elapsed();
        print!("{text}: {} games, first {first_time:?}; again", first.games);
        for (name, position) in &positions {
            let mut best = Duration::MAX;
            for _ in 0..TIMES {
                let start = Instant::now();
                let selected = base.select(&query, &progress)?;
                let _ = base.tree(position, &selected, &options)?;
                best = best.min(start.elapsed());
            }
            print!(", {name} {best:?}");
        }
        println!();
        let mut times = Vec::new();
        let other = Base::open(&[path], Index::Auto)?;
        let selected = other.select(&query, &progress)?;
        let _ = other.tree(&Position::standard(), &selected, &options)?;
        for line in lines {
            for position in line {
                let start = Instant::now();
                let _ = other.tree(position, &selected, &options)?;
                times.push(start.elapsed());
            }
        }
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).copied();
        println!(
            "    {} steps along games: median {:?}, 95 of 100 {:?}",
            times.len(),
            at(50).unwrap_or_default(),
            at(95).unwrap_or_default()
        );
    }
    Ok(())
}

/// The positions of a game up to a ply.
#[derive(Default)]
struct UpToPly {
    left: usize,
    positions: Vec<Position>,
}

impl Visitor for UpToPly {
    fn visit_move(&mut self, before: &Position, _ply: Ply) -> Flow {
        self.positions.push(before.clone());
        if self.left == 0 {
            return Flow::Skip;
        }
        self.left -= 1;
        Flow::Go
    }
}

/// The positions of a random game up to a ply.
fn random_line(
    index: &PositionIndex,
    random: &mut Random,
    plies: usize,
) -> Result<Vec<Position>, tabia::base::Unusable> {
    let segments = index.segments();
    if segments == 0 {
        return Ok(Vec::new());
    }
    let segment = random.below(segments);
    let games = index.ranks(segment).end as usize;
    let rank = random.below(games.max(1)) as u32;
    let mut lines = index.lines(segment, rank..rank + 1)?;
    let mut visitor = UpToPly {
        left: plies,
        positions: Vec::new(),
    };
    if lines.next_line()?.is_some() {
        lines.visit(GameIndex(0), &mut visitor)?;
    }
    Ok(visitor.positions)
}

/// Positions of random games at random plies.
fn random_positions(index: &PositionIndex) -> Result<Vec<Position>, tabia::base::Unusable> {
    let mut random = Random::new(17);
    let mut positions = Vec::new();
    for _ in 0..POSITIONS {
        let plies = random.below(100);
        let line = random_line(index, &mut random, plies)?;
        positions.push(line.last().cloned().unwrap_or_else(Position::standard));
    }
    Ok(positions)
}
