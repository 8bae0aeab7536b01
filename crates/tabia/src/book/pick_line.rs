//! A line out of a book, of the best moves or of moves at random.

use std::collections::HashSet;

use tabia_core::Result;
use tabia_core::books::{Book, BookEntry, BookPosition};
use tabia_core::chess::{Move, Position};

use super::share;

/// How a move is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveChoice {
    /// The heaviest move; the first one if several have the same weight.
    Best,
    /// At random in proportion to the weights, from this seed.
    Random(u64),
}

/// The moves from `start` on until the book has none, a position is repeated, or there are
/// `max_plies`. Moves of weight 0 are never chosen.
///
/// # Errors
/// Those of the book.
pub fn line(
    book: &dyn Book,
    start: &Position,
    choice: MoveChoice,
    max_plies: usize,
) -> Result<Vec<Move>> {
    let mut random = match choice {
        MoveChoice::Best => 0,
        MoveChoice::Random(seed) => seed,
    };
    let mut position = start.clone();
    let mut seen = HashSet::from([position.key()]);
    let mut moves = Vec::new();
    let mut page = BookPosition::default();
    // Complete, because some formats store all numbers of a move with the position it leads to.
    while moves.len() < max_plies && book.probe(&position, &mut page)? {
        let chosen = match choice {
            MoveChoice::Best => best_move(&page.entries),
            MoveChoice::Random(_) => random_move(&page.entries, next(&mut random)),
        };
        let Some(m) = chosen else { break };
        position.play(m);
        moves.push(m);
        if !seen.insert(position.key()) {
            break;
        }
    }
    Ok(moves)
}

fn best_move(entries: &[BookEntry]) -> Option<Move> {
    let mut best: Option<(u64, Move)> = None;
    for entry in entries {
        let (Some(m), weight) = (entry.m, share(entry)) else {
            continue;
        };
        if weight > best.map_or(0, |(max, _)| max) {
            best = Some((weight, m));
        }
    }
    best.map(|(_, m)| m)
}

fn random_move(entries: &[BookEntry], random: u64) -> Option<Move> {
    let total: u64 = entries.iter().map(share).sum();
    let mut rest = random.checked_rem(total)?;
    for entry in entries {
        match rest.checked_sub(share(entry)) {
            Some(left) => rest = left,
            None => return entry.m,
        }
    }
    None
}

/// The next number of Sebastiano Vigna's `splitmix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Square;

    #[test]
    fn moves_are_chosen_by_weight() {
        let entry = |m, weight| BookEntry::new(m).with_weight(weight);
        let e4 = Move::normal(Square::E2, Square::E4);
        let d4 = Move::normal(Square::D2, Square::D4);
        let a3 = Move::normal(Square::A2, Square::A3);
        let entries = [entry(a3, 0), entry(e4, 1), entry(d4, 3)];
        assert_eq!(best_move(&entries), Some(d4));
        let mut counts = [0; 2];
        let mut state = 7;
        for _ in 0..4000 {
            match random_move(&entries, next(&mut state)) {
                Some(m) if m == e4 => counts[0] += 1,
                Some(m) if m == d4 => counts[1] += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!((900..1100).contains(&counts[0]), "{counts:?}");
        assert_eq!(random_move(&entries[..1], 5), None);
    }
}
