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
    let found = NAMES.binary_search_by_key(&key, |(key, _)| *key).ok()?;
    NAMES.get(found).map(|(_, opening)| *opening)
}

/// All named positions with their Polyglot keys, sorted by key.
pub fn all() -> &'static [(u64, Opening)] {
    &NAMES
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

static NAMES: LazyLock<Vec<(u64, Opening)>> =
    LazyLock::new(|| TABLE.lines().filter_map(line).collect());

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
        assert!(all().len() > 3500);
        assert!(all().is_sorted_by(|a, b| a.0 < b.0));
        for (_, opening) in all() {
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
