//! The moves of a position in books and databases.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tabia::book::find::{FoundPosition, find};
use tabia::core::chess::uci;
use tabia::core::games::IndexEntry;
use tabia::query::{Query, openings};
use tabia::{
    Book, Color, Database, Error, Flow, GameIndex, GameResult, Move, Ply, Position, Progress,
    Visitor, Want, Wdl,
};

use crate::filter_and_sort::Tester;

/// Games that a thread reads at a time.
const CHUNK: u32 = 1024;
/// Games shown for a position.
const MAX_GAMES: usize = 15;

/// A move in UCI notation.
pub(crate) fn uci_of(m: Move, chess960: bool) -> String {
    let mut text = Vec::new();
    uci::write(m, chess960, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The answer of a book.
pub(crate) fn of_book(book: &dyn Book, position: &Position) -> Result<Value, Error> {
    let found = find(book, position)?.unwrap_or_default();
    let total = found.results;
    let moves: Vec<Value> = found
        .moves
        .iter()
        .map(|m| {
            json!({
                "uci": m.uci,
                "san": m.san,
                "games": m.games,
                "white": m.results.map(|results| results.white),
                "draws": m.results.map(|results| results.draws),
                "black": m.results.map(|results| results.black),
                "averageRating": m.average_rating,
                "performance": m.performance,
                "weight": m.weight,
                "share": m.probability,
                "recommended": m.recommended,
                "annotation": m.annotation,
                "comment": m.comment,
                "opening": m.opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})),
            })
        })
        .collect();
    Ok(json!({
        "kind": "book",
        "games": found.games,
        "white": total.map(|results| results.white),
        "draws": total.map(|results| results.draws),
        "black": total.map(|results| results.black),
        "comment": found.comment,
        "unreadable": found.unreadable,
        "moves": moves,
        "linked": linked(&found),
    }))
}

fn linked(found: &FoundPosition) -> Vec<Value> {
    let games = found.linked.iter().take(MAX_GAMES);
    games
        .map(|game| {
            json!({
                "source": game.source,
                "game": game.index.map(|index| u64::from(index) + 1),
                "white": game.white,
                "whiteElo": game.white_elo,
                "black": game.black,
                "blackElo": game.black_elo,
                "result": game.result.to_string(),
            })
        })
        .collect()
}

/// What games of a database did in a position.
#[derive(Debug, Clone, Default)]
pub(crate) struct PositionCounts {
    total: Counts,
    moves: BTreeMap<u16, Counts>,
    /// The games with the highest ratings and the latest ones, by rating or date, the best last.
    top: Vec<(u64, u32, u16)>,
    recent: Vec<(u64, u32, u16)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    games: u64,
    results: Wdl,
    /// Sum and number of the ratings of the players to move.
    rating: u64,
    rated: u64,
    last_year: u16,
    /// One of the games.
    game: u32,
}

impl Counts {
    fn add_game(&mut self, game: u32, entry: &IndexEntry, mover: Color) {
        self.games += 1;
        match entry.result.to_pgn() {
            GameResult::WhiteWins => self.results.white += 1,
            GameResult::BlackWins => self.results.black += 1,
            GameResult::Draw => self.results.draws += 1,
            _ => {}
        }
        let rating = if mover.is_white() {
            entry.white_elo
        } else {
            entry.black_elo
        };
        if let Some(rating) = rating {
            self.rating += u64::from(rating);
            self.rated += 1;
        }
        self.last_year = self.last_year.max(entry.date.year);
        self.game = game;
    }

    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.results.white += other.results.white;
        self.results.draws += other.results.draws;
        self.results.black += other.results.black;
        self.rating += other.rating;
        self.rated += other.rated;
        self.last_year = self.last_year.max(other.last_year);
        self.game = other.game;
    }

    fn average_rating(&self) -> Option<u64> {
        (self.rated > 0).then(|| (self.rating + self.rated / 2) / self.rated)
    }
}

impl PositionCounts {
    fn add(&mut self, other: &Self) {
        self.total.add(&other.total);
        for (m, counts) in &other.moves {
            self.moves.entry(*m).or_default().add(counts);
        }
        for (list, others) in [
            (&mut self.top, &other.top),
            (&mut self.recent, &other.recent),
        ] {
            list.extend(others);
            keep_best(list);
        }
    }

    fn add_game(&mut self, game: u32, entry: &IndexEntry, mover: Color, m: Option<Move>) {
        self.total.add_game(game, entry, mover);
        if let Some(m) = m {
            let counts = self.moves.entry(m.to_bits()).or_default();
            counts.add_game(game, entry, mover);
        }
        let bits = m.map_or(0, Move::to_bits);
        let elo = |elo: Option<u16>| u64::from(elo.unwrap_or_default());
        let rating = elo(entry.white_elo) + elo(entry.black_elo);
        let date = entry.date;
        let day = u64::from(date.year) << 9 | u64::from(date.month) << 5 | u64::from(date.day);
        for (list, value) in [(&mut self.top, rating), (&mut self.recent, day)] {
            list.push((value, game, bits));
            if list.len() >= 4 * MAX_GAMES {
                keep_best(list);
            }
        }
    }
}

fn keep_best(list: &mut Vec<(u64, u32, u16)>) {
    list.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)));
    list.truncate(MAX_GAMES);
}

/// Finds the position in the mainline of a game.
struct PositionVisitor {
    key: u64,
    occupied: u32,
    found: Option<Ply>,
    is_found: bool,
    last: Option<(Position, Ply)>,
}

impl Visitor for PositionVisitor {
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if before.key() == self.key {
            self.is_found = true;
            self.found = Some(ply);
            return Flow::Skip;
        }
        if before.occupied().count() < self.occupied {
            self.last = None;
            return Flow::Skip;
        }
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = ply;
            }
            last => *last = Some((before.clone(), ply)),
        }
        Flow::Go
    }
}

impl PositionVisitor {
    /// Notes the position if it is the last of the game.
    fn finish(&mut self) {
        if let (false, Some((before, ply))) = (self.is_found, &self.last) {
            self.is_found = before.after(*ply).key() == self.key;
        }
    }
}

/// Counts what the games of a database did in a position; `update` receives the sums so far.
pub(crate) fn scan(
    database: &dyn Database,
    id: &str,
    position: &Position,
    query: &Query,
    threads: usize,
    progress: &Progress,
    update: &(dyn Fn(&PositionCounts) + Sync),
) -> Result<(), Error> {
    let len = database.len();
    progress.set_total(len.into());
    let next = AtomicU32::new(0);
    let sums = Mutex::new(PositionCounts::default());
    let mover = position.turn();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut tester = Tester::new(database, id, query, false);
                let mut reader = database.reader();
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= len || progress.is_cancelled() {
                        return;
                    }
                    let last = len.min(first.saturating_add(CHUNK));
                    let mut counts = PositionCounts::default();
                    for game in first..last {
                        let index = GameIndex(game);
                        let Ok(entry) = database.entry(index) else {
                            continue;
                        };
                        if entry.is_text || !tester.fits_entry(index, &entry) {
                            continue;
                        }
                        let mut visitor = PositionVisitor {
                            key: position.key(),
                            occupied: position.occupied().count(),
                            found: None,
                            is_found: false,
                            last: None,
                        };
                        // A game counts as far as it can be read.
                        let _ = reader.read(index, Want::MAINLINE, &mut visitor);
                        visitor.finish();
                        if visitor.is_found {
                            let m = visitor.found.and_then(Ply::to_move);
                            counts.add_game(game, &entry, mover, m);
                        }
                    }
                    progress.advance(u64::from(last - first), u64::from(last - first));
                    let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
                    sums.add(&counts);
                    update(&sums);
                }
            });
        }
    });
    progress.check()
}

/// The answer of a database.
pub(crate) fn of_database(position: &Position, counts: &PositionCounts) -> Value {
    let mut moves: Vec<(Move, &Counts)> = counts
        .moves
        .iter()
        .filter_map(|(bits, counts)| Some((Move::from_bits(*bits)?, counts)))
        .filter(|(m, _)| position.is_legal(*m))
        .collect();
    moves.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.games));
    let all: u64 = moves.iter().map(|(_, counts)| counts.games).sum();
    let rows: Vec<Value> = moves
        .iter()
        .map(|(m, counts)| {
            let after = position.after(*m);
            let opening = openings::lookup(&after);
            json!({
                "uci": uci_of(*m, position.is_chess960()),
                "san": position.san(*m).to_string(),
                "games": counts.games,
                "white": counts.results.white,
                "draws": counts.results.draws,
                "black": counts.results.black,
                "averageRating": counts.average_rating(),
                "lastYear": (counts.last_year > 0).then_some(counts.last_year),
                "share": counts.games as f64 / all.max(1) as f64,
                "opening": opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})),
            })
        })
        .collect();
    let total = &counts.total;
    json!({
        "kind": "database",
        "games": total.games,
        "white": total.results.white,
        "draws": total.results.draws,
        "black": total.results.black,
        "averageRating": total.average_rating(),
        "moves": rows,
    })
}

/// The best and the latest games, each with the move that was played.
pub(crate) fn games_of(
    id: &str,
    database: &dyn Database,
    position: &Position,
    counts: &PositionCounts,
) -> (Vec<Value>, Vec<Value>) {
    let mut reader = database.reader();
    let mut rows = |list: &Vec<(u64, u32, u16)>| {
        let mut list = list.clone();
        keep_best(&mut list);
        let mut rows = Vec::new();
        for (_, game, bits) in list {
            let Ok(row) = tabia::list::row(database, &mut *reader, GameIndex(game)) else {
                continue;
            };
            let m = Move::from_bits(bits).filter(|m| position.is_legal(*m));
            rows.push(json!({
                "db": id,
                "game": u64::from(game) + 1,
                "san": m.map(|m| position.san(m).to_string()),
                "white": row.white,
                "whiteElo": row.white_elo,
                "black": row.black,
                "blackElo": row.black_elo,
                "result": row.result.to_string(),
                "year": (row.date.year > 0).then_some(row.date.year),
            }));
        }
        rows
    };
    (rows(&counts.top), rows(&counts.recent))
}
