//! Names of openings by position, so that transpositions get the name of the position they reach.
//!
//! The names are from the public data set described in `SOURCE.md` in this folder. A position has at
//! most one name, and most have no name. The opening of a game is that of its last named position.
//!
//! ```
//! use tabia_core::chess::Position;
//! use tabia_query::openings;
//!
//! let mut position = Position::standard();
//! let mut opening = None;
//! for text in ["e4", "e5", "Nf3", "Nc6", "Bb5", "h6"] {
//!     let ply = position.parse_san(text)?;
//!     position.play_ply(ply);
//!     opening = openings::lookup(&position).or(opening);
//! }
//! assert_eq!(opening.map(|opening| (opening.eco, opening.name)), Some(("C60", "Ruy Lopez")));
//! # Ok::<(), tabia_core::chess::san::SanError>(())
//! ```

use std::sync::LazyLock;

use tabia_core::chess::Position;

/// The name of an opening position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Opening {
    /// The ECO code, `A00` to `E99`.
    pub eco: &'static str,
    /// The English name, as in `Sicilian Defense: Najdorf Variation, English Attack`.
    pub name: &'static str,
}

/// The name of a position; `None` if it has no name.
pub fn lookup(position: &Position) -> Option<Opening> {
    by_key(position.key())
}

/// The name of the position with a Polyglot key; `None` if it has no name.
pub fn by_key(key: u64) -> Option<Opening> {
    let Names { all, slots } = &*NAMES;
    let mut slot = first_slot(key);
    loop {
        // A free slot ends the search: most positions have no name.
        let number = usize::from(*slots.get(slot)?).checked_sub(1)?;
        let &(found, opening) = all.get(number)?;
        if found == key {
            return Some(opening);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// All named positions with their Polyglot keys, sorted by key.
pub fn all() -> &'static [(u64, Opening)] {
    &NAMES.all
}

/// The names, and a hash table of them with linear probing.
struct Names {
    all: Vec<(u64, Opening)>,
    /// Numbers of names from 1; 0 in a free slot.
    slots: Vec<u16>,
}

/// Four times the number of names.
const SLOTS: usize = 1 << 14;

fn first_slot(key: u64) -> usize {
    key as usize % SLOTS
}

/// Plies after the last named position from which on no position has a name.
const UNNAMED_PLIES: u32 = 36;

/// Finds the opening of a game from its positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct GameOpening {
    found: Option<(Opening, u32)>,
    ply: u32,
}

impl GameOpening {
    /// Looks at the next position of the mainline, the start position first.
    pub fn look(&mut self, position: &Position) {
        if self.is_over() {
            return;
        }
        if let Some(opening) = lookup(position) {
            self.found = Some((opening, self.ply));
        }
        self.ply += 1;
    }

    /// Whether no later position has a name.
    pub fn is_over(&self) -> bool {
        self.ply > self.found.map_or(0, |(_, ply)| ply) + UNNAMED_PLIES
    }

    /// The last named position: its name, and the number of plies before it.
    pub fn found(&self) -> Option<(Opening, u32)> {
        self.found
    }
}

/// One line per position, sorted by key: key in hexadecimal, ECO code and name, separated by tabs.
const TABLE: &str = include_str!("names.tsv");

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let all: Vec<(u64, Opening)> = TABLE.lines().filter_map(line).collect();
    let mut slots = vec![0; SLOTS];
    // More names than slots would leave none free; a test counts them.
    for (number, (key, _)) in (1..).zip(all.iter().take(SLOTS / 2)) {
        let mut slot = first_slot(*key);
        while slots.get(slot).is_some_and(|&number| number != 0) {
            slot = (slot + 1) % SLOTS;
        }
        if let Some(free) = slots.get_mut(slot) {
            *free = number;
        }
    }
    Names { all, slots }
});

fn line(line: &'static str) -> Option<(u64, Opening)> {
    let (key, rest) = line.split_once('\t')?;
    let (eco, name) = rest.split_once('\t')?;
    Some((u64::from_str_radix(key, 16).ok()?, Opening { eco, name }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::san;

    fn after(moves: &str) -> Position {
        let mut position = Position::standard();
        for m in moves.split(' ') {
            san::read_and_play(&mut position, m.as_bytes()).unwrap();
        }
        position
    }

    #[test]
    fn the_table_is_complete_and_sorted() {
        assert_eq!(all().len(), TABLE.lines().count());
        assert!(all().len() > 3500 && all().len() <= SLOTS / 2);
        assert!(all().is_sorted_by(|a, b| a.0 < b.0));
        for (key, opening) in all() {
            assert_eq!(by_key(*key), Some(*opening));
            assert_eq!(by_key(key ^ 1 << 63), None);
            let code = opening.eco.as_bytes();
            assert!(matches!(code, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']));
            assert!(!opening.name.is_empty());
        }
    }

    #[test]
    fn transpositions_have_the_same_name() {
        let grunfeld = lookup(&after("d4 Nf6 c4 g6 Nc3 d5")).unwrap();
        assert_eq!((grunfeld.eco, grunfeld.name), ("D80", "Grünfeld Defense"));
        assert_eq!(lookup(&after("c4 g6 d4 Nf6 Nc3 d5")), Some(grunfeld));
        let spanish = lookup(&after("e4 e5 Nf3 Nc6 Bb5")).unwrap();
        assert_eq!((spanish.eco, spanish.name), ("C60", "Ruy Lopez"));
        assert_eq!(lookup(&Position::standard()), None);
    }
}
