//! Opening and probing a book of any format.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use tabia_core::books::{Book, BookPosition};
use tabia_core::chess::Position;
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::Source;
use tabia_formats::BOOKS;
use tabia_testkit::Random;

use crate::rounds::{Contestant, run as time};

/// The most positions probed in one round.
const MAX_POSITIONS: usize = 200_000;

/// Prints the time to open the book, and the number of positions per second on one thread.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(name) = arguments.first() else {
        return Err("book FILE [ROUNDS]".into());
    };
    let rounds = match arguments.get(1) {
        Some(text) => text.parse().map_err(|_| format!("{text}: not a number"))?,
        None => 7,
    };
    let path = Path::new(name);
    let open = || open(path).map_err(|error| format!("{name}: {error}"));
    let mut openings = Vec::new();
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        open()?;
        openings.push(start.elapsed());
    }
    openings.sort_unstable();
    let median = openings
        .get(openings.len() / 2)
        .copied()
        .unwrap_or_default();
    let book = open()?;
    let mut positions = reachable(&*book);
    if positions.is_empty() {
        return Err(format!("{name}: no positions"));
    }
    println!(
        "{name}: {} positions of the book, {rounds} rounds",
        positions.len()
    );
    println!("open, median: {median:?}");
    shuffle(&mut positions);
    let mut contestants = [
        Contestant::new("moves", || {
            let mut page = BookPosition::default();
            sum_of_moves(&positions, |position| {
                (book.moves(position, &mut page).is_ok(), page.entries.len())
            })
        }),
        Contestant::new("probe", || {
            let mut page = BookPosition::default();
            sum_of_moves(&positions, |position| {
                (book.probe(position, &mut page).is_ok(), page.entries.len())
            })
        }),
    ];
    time(&mut contestants, rounds);
    for contestant in &contestants {
        let per_second = positions.len() as f64 / contestant.median().as_secs_f64();
        println!(
            "{:<6} {per_second:>12.0} positions per second, {} moves",
            contestant.name, contestant.sum
        );
    }
    Ok(())
}

fn open(path: &Path) -> tabia_core::Result<Box<dyn Book>> {
    let source = Source::from_path(path)?;
    let file = source.main().open()?;
    let probe = Probe {
        name: Some(source.name()),
        head: file.get(..Probe::HEAD).unwrap_or(&file),
        len: Some(file.len() as u64),
    };
    let books = BOOKS
        .iter()
        .map(|format| ((format.file.score)(&probe), format.open));
    match books.max_by_key(|(score, _)| *score) {
        Some((score, open)) if score > Confidence::No => open(&source, &OpenOptions::default()),
        _ => Err(tabia_core::Error::invalid("not a book")),
    }
}

/// The total number of moves that `one` finds.
fn sum_of_moves(positions: &[Position], mut one: impl FnMut(&Position) -> (bool, usize)) -> u64 {
    let moves = positions.iter().map(|position| match one(position) {
        (true, moves) => moves as u64,
        (false, _) => 0,
    });
    moves.sum()
}

/// Positions of the book that are reachable by its moves. Where it has no moves, all legal moves are
/// played, because books for one side contain no moves of the other.
fn reachable(book: &dyn Book) -> Vec<Position> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut pending = std::collections::VecDeque::from([Position::standard()]);
    let mut page = BookPosition::default();
    while let Some(position) = pending.pop_front() {
        if found.len() >= MAX_POSITIONS || !seen.insert(position.key()) {
            continue;
        }
        if !book.moves(&position, &mut page).unwrap_or_default() {
            continue;
        }
        for entry in &page.entries {
            let Some(m) = entry.m else { continue };
            let mut next = position.clone();
            next.play(m);
            let mut replies = BookPosition::default();
            if book.moves(&next, &mut replies).unwrap_or_default() {
                pending.push_back(next);
                continue;
            }
            for &reply in &*next.legal_moves() {
                let mut after = next.clone();
                after.play(reply);
                pending.push_back(after);
            }
        }
        found.push(position);
    }
    found
}

/// Puts the positions into a random order, so that accesses to memory cannot be predicted.
fn shuffle(positions: &mut [Position]) {
    let mut random = Random::new(1);
    for i in (1..positions.len()).rev() {
        positions.swap(i, random.below(i + 1));
    }
}
