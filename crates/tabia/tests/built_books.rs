//! Books of every format from the same games, compared with counts of this test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia::book::build::{BuildOptions, BuildTarget, build};
use tabia::core::BookFormat;
use tabia::core::books::{BookPosition, Wdl};
use tabia::core::chess::{Move, Ply, Position, Role, san};
use tabia::core::formats::OpenOptions;
use tabia::core::io::Progress;
use tabia::formats::BOOKS;
use tabia::formats::books::{ctg, kvetka};
use tabia::{NoObserver, Resolver};
use tabia_testkit::{Random, Scratch};

/// Games of the corpus, and plies of each.
const GAMES: usize = 500;
const PLIES: usize = 24;

/// Statistics of a move: games, results, sum and number of the ratings of those who played it.
#[derive(Debug, Default, Clone)]
struct Stats {
    games: u64,
    results: Wdl,
    ratings: (u64, u64),
}

impl Stats {
    fn add(&mut self, result: &str, elo: usize) {
        self.games += 1;
        match result {
            "1-0" => self.results.white += 1,
            "0-1" => self.results.black += 1,
            "1/2-1/2" => self.results.draws += 1,
            _ => {}
        }
        self.ratings.0 += elo as u64;
        self.ratings.1 += 1;
    }

    fn merge(&mut self, other: &Stats) {
        self.games += other.games;
        self.results.white += other.results.white;
        self.results.draws += other.results.draws;
        self.results.black += other.results.black;
        self.ratings.0 += other.ratings.0;
        self.ratings.1 += other.ratings.1;
    }

    /// With the colours exchanged.
    fn turned(mut self, turn: bool) -> Self {
        if turn {
            std::mem::swap(&mut self.results.white, &mut self.results.black);
        }
        self
    }

    /// Games without a result are draws.
    fn all_ended(mut self) -> Self {
        self.results.draws += self.games - self.results.games();
        self
    }

    /// Only the games with a result.
    fn decided(mut self) -> Self {
        self.games = self.results.games();
        self
    }
}

/// The record that a format has for a position, and whether colours are exchanged in it.
fn record_of(format: &str, position: &Position) -> (Vec<u8>, bool) {
    match format {
        "ctg" => {
            let keys = ctg::Keys::of(position).unwrap();
            (keys.key.as_bytes().to_vec(), keys.orientation.flipped)
        }
        "kvetka" => {
            let (key, frame) = kvetka::Key::of(position).unwrap();
            (key.0.to_vec(), frame.flipped)
        }
        _ => (position.key().to_string().into_bytes(), false),
    }
}

/// Counts by position and move, and the positions in the order they came.
#[derive(Default)]
struct Corpus {
    text: String,
    known: HashMap<u64, HashMap<u16, Stats>>,
    /// Positions after a move.
    reached: BTreeMap<u64, (Position, Stats)>,
    positions: Vec<Position>,
}

/// Random games. The first plies have few choices, so that positions are repeated.
fn corpus() -> Corpus {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let mut corpus = Corpus::default();
    for number in 0..GAMES {
        let result = ["1-0", "1/2-1/2", "0-1", "*"][random.below(4)];
        let elos = [1500 + random.below(1300), 1500 + random.below(1300)];
        let _ = write!(
            corpus.text,
            "[White \"W{number}\"]\n[Black \"B{number}\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n\
             [Date \"2001.02.03\"]\n[Result \"{result}\"]\n\n",
            elos[0], elos[1]
        );
        let mut position = Position::standard();
        for ply in 0..PLIES {
            let mut moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            // ChessBase's books have no code for promotions to other pieces.
            moves.retain(|m| m.promotion_role().is_none_or(|role| role == Role::Queen));
            moves.sort_by_key(|m| m.to_bits());
            if moves.is_empty() {
                break;
            }
            let choices = moves.len().min(if ply < 10 { 2 } else { 40 });
            let m = moves[random.below(choices) * (moves.len() / choices)];
            let known = corpus.known.entry(position.key()).or_default();
            let known = known.entry(m.to_bits()).or_default();
            known.add(result, elos[ply % 2]);
            corpus.positions.push(position.clone());
            let mut name = Vec::new();
            san::write_and_play(&mut position, Ply::Move(m), &mut name);
            corpus.text.push_str(&String::from_utf8_lossy(&name));
            corpus.text.push(' ');
            let reached = corpus.reached.entry(position.key());
            let reached = reached.or_insert_with(|| (position.clone(), Stats::default()));
            reached.1.add(result, elos[ply % 2]);
        }
        let _ = write!(corpus.text, "{result}\n\n");
    }
    corpus
}

fn options(threads: usize, memory: u64) -> BuildOptions {
    let mut options = BuildOptions::default();
    options.threads = threads;
    options.move_filter.min_games = 1;
    options.move_filter.scoreless = true;
    options.memory = memory;
    options.strict = true;
    options
}

/// Builds a book; returns its files, the main one first.
fn build_book(
    folder: &Scratch,
    format: &'static BookFormat,
    threads: usize,
    memory: u64,
) -> Vec<PathBuf> {
    let items = Resolver::default()
        .resolve(folder.join("games.pgn").as_os_str())
        .unwrap();
    let path = folder.join(format!("book.{}", format.file.extensions[0]));
    let target = BuildTarget::new(format, path);
    let progress = Arc::new(Progress::new());
    let options = options(threads, memory);
    let built = build(&items, &target, &options, &progress, &mut NoObserver).unwrap();
    assert_eq!(built.games.used, GAMES as u64);
    built.written.files
}

fn open(path: &Path) -> Box<dyn tabia::core::books::Book> {
    let items = Resolver::default().resolve(path.as_os_str()).unwrap();
    tabia::book::open(&items[0], &OpenOptions::default()).unwrap()
}

#[test]
fn statistics_of_every_format_are_those_of_the_games() {
    let corpus = corpus();
    let folder = Scratch::new("book-statistics");
    std::fs::write(folder.join("games.pgn"), &corpus.text).unwrap();
    let mut compared = Vec::new();
    for format in BOOKS {
        let files = build_book(&folder, format, 2, 64 << 20);
        let name = format.file.id;
        let book = open(&files[0]);
        // Some formats store the statistics of a move with the position it leads to, whatever the
        // line, and some have one record for a position and its mirror images.
        let mut records: HashMap<Vec<u8>, Stats> = HashMap::new();
        for (position, known) in corpus.reached.values() {
            let (record, turn) = record_of(name.as_str(), position);
            let known = known.clone().turned(turn);
            records.entry(record).or_default().merge(&known);
        }
        let mut page = BookPosition::default();
        let mut facts = 0u64;
        for position in corpus.positions.iter().take(10_000) {
            assert!(
                book.probe(position, &mut page).unwrap(),
                "{name}: {position:?}"
            );
            let known = &corpus.known[&position.key()];
            assert_eq!(page.entries.len(), known.len(), "{name}: {position:?}");
            for entry in &page.entries {
                let m = entry.m.expect("a legal move");
                let own = &known[&m.to_bits()];
                let mut after = position.clone();
                after.play(m);
                let (record, turn) = record_of(name.as_str(), &after);
                let reached = records[&record].clone().turned(turn);
                let expected = match name.as_str() {
                    "abk" => own.clone().all_ended(),
                    "ctg" => reached.clone(),
                    "kvetka" => reached.clone().decided(),
                    _ => own.clone(),
                };
                if let Some(games) = entry.games {
                    assert_eq!(games, expected.games, "{name}: {m} in {position:?}");
                    facts += 1;
                }
                if let Some(results) = entry.results {
                    assert_eq!(results, expected.results, "{name}: {m} in {position:?}");
                    facts += 1;
                }
                if let Some(average) = entry.average_rating {
                    // The mean of means that were rounded.
                    let (sum, count) = reached.ratings;
                    let exact = sum as f64 / count as f64;
                    let off = (f64::from(average) - exact).abs();
                    assert!(
                        off <= 1.0,
                        "{name}: {m} in {position:?}: {average}, {exact}"
                    );
                    facts += 1;
                }
                if format.file.id.as_str() == "polyglot" {
                    let wins = if position.turn().is_white() {
                        own.results.white
                    } else {
                        own.results.black
                    };
                    let lost = own.results.games() - own.results.draws - wins;
                    let points = own.games + wins - lost;
                    assert_eq!(
                        entry.weight.map(u64::from),
                        Some(points),
                        "{m} in {position:?}"
                    );
                    facts += 1;
                }
            }
        }
        compared.push((name, facts));
    }
    assert!(
        compared.iter().all(|(_, facts)| *facts > 10_000),
        "{compared:?}"
    );
}

#[test]
fn threads_and_memory_do_not_change_a_byte() {
    let corpus = corpus();
    let folder = Scratch::new("book-threads");
    std::fs::write(folder.join("games.pgn"), &corpus.text).unwrap();
    for format in BOOKS {
        let mut all: Vec<Vec<(PathBuf, Vec<u8>)>> = Vec::new();
        for (threads, memory) in [(1, 16 << 20), (3, 256 << 20)] {
            let files = build_book(&folder, format, threads, memory);
            let mut bytes = Vec::new();
            for file in files {
                bytes.push((file.clone(), std::fs::read(&file).unwrap()));
                std::fs::remove_file(file).unwrap();
            }
            all.push(bytes);
        }
        assert!(all[0] == all[1], "{}", format.file.id);
    }
    assert_eq!(folder.names(), ["games.pgn"]);
}
