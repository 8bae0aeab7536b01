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

use tabia_core::chess::{HomePawns, Position};

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
    let Names { all, slots, .. } = &*NAMES;
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

/// Whether a game may reach a named position from here: one with no pawn on a start square that is not there
/// now, and with no more men.
fn may_be_named(position: &Position) -> bool {
    let pawns = HomePawns::of(position).to_bits();
    let least = NAMES.least.get(usize::from(pawns)).copied();
    position.occupied().count() >= least.unwrap_or_default().into()
}

/// The names, and a hash table of them with linear probing.
struct Names {
    all: Vec<(u64, Opening)>,
    /// Numbers of names from 1; 0 in a free slot.
    slots: Vec<u16>,
    /// The least number of men of the named positions that pawns on their start squares can lead to, by
    /// [`HomePawns`].
    least: Vec<u8>,
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
    is_over: bool,
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
        self.is_over = !may_be_named(position);
    }

    /// Whether no later position has a name.
    pub fn is_over(&self) -> bool {
        self.is_over || self.ply > self.found.map_or(0, |(_, ply)| ply) + UNNAMED_PLIES
    }

    /// The last named position: its name, and the number of plies before it.
    pub fn found(&self) -> Option<(Opening, u32)> {
        self.found
    }
}

/// One line per position, sorted by key: key in hexadecimal, ECO code and name, separated by tabs.
const TABLE: &str = include_str!("names.tsv");

/// Pawns on their start squares, in hexadecimal, and the number of men, of the named positions from which no
/// other one could be reached by these two.
const LEAST: &str = include_str!("least.tsv");

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
    let mut least = vec![u8::MAX; 1 << 16];
    for (pawns, men) in LEAST.lines().filter_map(structure) {
        if let Some(least) = least.get_mut(usize::from(pawns)) {
            *least = men;
        }
    }
    // A pawn more on its start square can lead to all that the others can.
    for pawn in 0..16 {
        for pawns in (0..least.len()).filter(|pawns| pawns >> pawn & 1 == 1) {
            let without = least.get(pawns ^ 1 << pawn).copied();
            if let (Some(least), Some(without)) = (least.get_mut(pawns), without) {
                *least = without.min(*least);
            }
        }
    }
    Names { all, slots, least }
});

fn structure(line: &str) -> Option<(u16, u8)> {
    let (pawns, men) = line.split_once('\t')?;
    Some((u16::from_str_radix(pawns, 16).ok()?, men.parse().ok()?))
}

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
    fn games_are_left_only_when_no_name_is_left() {
        // Every line of the tables, which the named positions are from, where the tables are at hand.
        let folder =
            tabia_testkit::shared_data("games_are_left_only_when_no_name_is_left", "openings");
        let mut moves = vec![
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O c3 d5 exd5 Nxd5 Nxe5 Nxe5 Rxe5 c6 \
             d4 Bd6 Re1 Qh4 g3 Qh3 Be3 Bg4 Qd3 Rae8 Nd2 Re6 a4 Qh5"
                .to_owned(),
            "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 Nbd7 Rc1 c6 Bd3 dxc4 Bxc4 Nd5 Bxe7 Qxe7 O-O Nxc3 \
             Rxc3 e5 dxe5 Nxe5 Nxe5 Qxe5"
                .to_owned(),
        ];
        for letter in 'a'..='e' {
            let path = folder
                .as_ref()
                .map(|folder| folder.join(format!("{letter}.tsv")));
            let text = path.map_or_else(String::new, |path| std::fs::read_to_string(path).unwrap());
            moves.extend(text.lines().skip(1).map(|line| {
                let moves = line.rsplit('\t').find(|column| column.starts_with("1. "));
                let moves = moves.unwrap().split(' ').filter(|m| !m.ends_with('.'));
                moves.collect::<Vec<_>>().join(" ")
            }));
        }
        for moves in &moves {
            let (mut position, mut opening) = (Position::standard(), GameOpening::default());
            opening.look(&position);
            for m in moves.split(' ') {
                assert!(!opening.is_over(), "{moves}");
                san::read_and_play(&mut position, m.as_bytes()).unwrap();
                opening.look(&position);
            }
            let (found, ply) = opening.found().unwrap();
            assert_eq!(ply as usize, moves.split(' ').count(), "{moves}");
            assert_eq!(Some(found), lookup(&position));
        }
        let ending = Position::parse_fen(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let mut opening = GameOpening::default();
        opening.look(&ending);
        assert!(opening.is_over());
        assert_eq!(
            LEAST.lines().filter_map(structure).count(),
            LEAST.lines().count()
        );
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
