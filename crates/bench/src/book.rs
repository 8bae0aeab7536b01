//! Opening and probing a book of any format.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use tabia_core::books::{Book, BookPosition};
use tabia_core::chess::Position;
use tabia_core::formats::{Confidence, OpenOptions, Probe};
use tabia_core::io::Source;
use tabia_formats::BOOKS;

use crate::rounds::{Contestant, run as time};

/// Positions asked for in one round.
const POSITIONS: usize = 200_000;

/// Prints how long the book takes to open, and positions a second of one thread.
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
    let mut positions = reached(&*book);
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
            ask(&positions, |position| {
                (book.moves(position, &mut page).is_ok(), page.entries.len())
            })
        }),
        Contestant::new("probe", || {
            let mut page = BookPosition::default();
            ask(&positions, |position| {
                (book.probe(position, &mut page).is_ok(), page.entries.len())
            })
        }),
    ];
    time(&mut contestants, rounds);
    for contestant in &contestants {
        let a_second = positions.len() as f64 / contestant.median().as_secs_f64();
        println!(
            "{:<6} {a_second:>12.0} positions a second, {} moves",
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

fn ask(positions: &[Position], mut one: impl FnMut(&Position) -> (bool, usize)) -> u64 {
    let moves = positions.iter().map(|position| match one(position) {
        (true, moves) => moves as u64,
        (false, _) => 0,
    });
    moves.sum()
}

/// Positions of the book that its moves reach, with any reply where it has none: books for one
/// side have no moves of the other.
fn reached(book: &dyn Book) -> Vec<Position> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = std::collections::VecDeque::from([Position::standard()]);
    let mut page = BookPosition::default();
    while let Some(position) = waiting.pop_front() {
        if found.len() >= POSITIONS || !seen.insert(position.key()) {
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
                waiting.push_back(next);
                continue;
            }
            for &reply in &*next.legal_moves() {
                let mut after = next.clone();
                after.play(reply);
                waiting.push_back(after);
            }
        }
        found.push(position);
    }
    found
}

/// In an order that the memory cannot guess.
fn shuffle(positions: &mut [Position]) {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for i in (1..positions.len()).rev() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        positions.swap(i, (seed % (i as u64 + 1)) as usize);
    }
}
