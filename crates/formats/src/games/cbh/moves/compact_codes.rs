//! The values of compact move records: each is one step of one numbered piece.
//!
//! Steps wrap around the board in both directions, so that one value serves both directions of a
//! line (FORMAT.md § Compact records).

use tabia_core::chess::{Color, Role, Square};

use super::piece_numbers;
use super::piece_numbers::PAWNS;

/// The meaning of a value for one side.
#[derive(Debug, Clone, Copy)]
#[repr(align(4))]
pub(super) struct Code {
    /// The number of the piece, or one of the constants below.
    pub(super) slot: u8,
    /// Files to go, 0 to 7, modulo 8.
    files: u8,
    /// Eight times the ranks to go, 0 to 56, modulo 64.
    ranks: u8,
}

/// Numbers below this are pieces.
pub(super) const PIECES: u8 = 32;
/// The null move.
pub(super) const NULL: u8 = 32;
/// Castling on the side of the h-file.
pub(super) const SHORT: u8 = 33;
/// Castling on the side of the a-file.
pub(super) const LONG: u8 = 34;
/// Two bytes with the squares follow.
pub(super) const TWO_BYTES: u8 = 35;
/// A value without a known meaning, which is skipped.
pub(super) const IGNORED: u8 = 36;
/// An alternative to the next move follows after the line that starts here.
pub(super) const BRANCH: u8 = 37;
/// The line ends.
pub(super) const END: u8 = 38;

/// Value of the null move.
pub(super) const NULL_VALUE: u8 = 0;
/// Value of castling on the side of the h-file.
pub(super) const SHORT_VALUE: u8 = 9;
/// Value of castling on the side of the a-file.
pub(super) const LONG_VALUE: u8 = 10;
/// Value before the squares of a move.
pub(super) const TWO_BYTES_VALUE: u8 = 235;
/// Value before a move that has alternatives still to come.
pub(super) const BRANCH_VALUE: u8 = 254;
/// Value at the end of a line.
pub(super) const END_VALUE: u8 = 255;

/// First value of each numbered piece.
const FIRST: [u8; piece_numbers::SLOTS] = [
    1, // king
    11, 143, 171, // queens
    39, 53, 199, // rooks
    67, 81, 213, // bishops
    95, 103, 227, // knights
    111, 115, 119, 123, 127, 131, 135, 139, // pawns
];

/// Steps of the king (file, rank).
const KING: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
/// Steps of a knight.
const KNIGHT: [(i8, i8); 8] = [
    (2, 1),
    (1, 2),
    (-1, 2),
    (-2, 1),
    (-2, -1),
    (-1, -2),
    (1, -2),
    (2, -1),
];
/// Steps of a white pawn; a black one goes the opposite way on both axes.
const PAWN: [(i8, i8); 4] = [(0, 1), (0, 2), (1, 1), (-1, 1)];
/// Directions of the queen's four families of seven; rooks have the first two, bishops the others.
const LINES: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Meanings of all values, by colour.
pub(super) static CODES: [[Code; 256]; 2] = [codes(1), codes(-1)];

impl Code {
    /// The square to which the step leads.
    #[inline(always)]
    pub(super) const fn target(self, from: Square) -> Square {
        let ranks = from.index() + self.ranks as usize;
        let files = from.index() + self.files as usize;
        match Square::new(((ranks & 0o70) | (files & 7)) as u8) {
            Some(square) => square,
            // Six bits are always a square.
            None => from,
        }
    }
}

const fn codes(pawn: i8) -> [Code; 256] {
    let mut codes = [special(IGNORED); 256];
    let mut slot = 0;
    while slot < piece_numbers::SLOTS {
        let first = FIRST[slot] as usize;
        let mut i = 0;
        while i < count(slot as u8) {
            let (file, rank) = step(slot as u8, i);
            let direction = if slot as u8 >= PAWNS { pawn } else { 1 };
            codes[first + i] = Code {
                slot: slot as u8,
                files: (file * direction) as u8 & 7,
                ranks: ((rank * direction) as u8 & 7) << 3,
            };
            i += 1;
        }
        slot += 1;
    }
    codes[NULL_VALUE as usize] = special(NULL);
    codes[SHORT_VALUE as usize] = special(SHORT);
    codes[LONG_VALUE as usize] = special(LONG);
    codes[TWO_BYTES_VALUE as usize] = special(TWO_BYTES);
    codes[BRANCH_VALUE as usize] = special(BRANCH);
    codes[END_VALUE as usize] = special(END);
    codes
}

const fn special(slot: u8) -> Code {
    Code {
        slot,
        files: 0,
        ranks: 0,
    }
}

/// The number of values of a numbered piece.
const fn count(slot: u8) -> usize {
    match slot {
        0 | 10..=12 => 8,
        1..=3 => 28,
        4..=9 => 14,
        _ => 4,
    }
}

/// The step of a piece's value; `i` counts from its first value.
const fn step(slot: u8, i: usize) -> (i8, i8) {
    let line = match slot {
        0 => return KING[i],
        10..=12 => return KNIGHT[i],
        PAWNS.. => return PAWN[i],
        7..=9 => LINES[2 + i / 7],
        _ => LINES[i / 7],
    };
    let length = (i % 7 + 1) as i8;
    (line.0 * length, line.1 * length)
}

/// The value of a numbered piece's move, as ChessBase chooses it: a step of four squares on a
/// diagonal has two values, of which it is the first. `None` if the piece does not move like that.
pub(super) fn value(color: Color, slot: u8, from: Square, to: Square) -> Option<u8> {
    let first = FIRST.get(usize::from(slot))?;
    // Black pawns move in the opposite direction.
    let is_reversed = slot >= PAWNS && !color.is_white();
    let (from, to) = if is_reversed { (to, from) } else { (from, to) };
    let (from, to) = (from.number(), to.number());
    let files = to.wrapping_sub(from) & 7;
    let ranks = (to & 0o70).wrapping_sub(from & 0o70) & 0o70;
    let kind = usize::from(KINDS[usize::from(slot & 31)]);
    let value = RELATIVE_VALUES[kind][usize::from(ranks | files)];
    (value != NO_VALUE).then(|| first + value)
}

/// The kind of each numbered piece, as an index into [`RELATIVE_VALUES`].
const KINDS: [u8; 32] = {
    let mut kinds = [5; 32];
    let mut slot = 0;
    while slot < PAWNS {
        kinds[slot as usize] = slot.div_ceil(3);
        slot += 1;
    }
    kinds
};

/// No value of the piece leads there.
const NO_VALUE: u8 = 0xff;

/// For kings, queens, rooks, bishops, knights and white pawns: the value, relative to the piece's
/// first one, of the step with this distance in ranks (times eight) and files.
static RELATIVE_VALUES: [[u8; 64]; 6] = {
    let mut values = [[NO_VALUE; 64]; 6];
    let first_slots = [0, 1, 4, 7, 10, PAWNS];
    let mut kind = 0;
    while kind < 6 {
        let slot = first_slots[kind];
        let mut i = count(slot);
        while i > 0 {
            i -= 1;
            let (file, rank) = step(slot, i);
            let distance = (rank as u8 & 7) << 3 | file as u8 & 7;
            values[kind][distance as usize] = i as u8;
        }
        kind += 1;
    }
    values
};

/// The two bytes of a move without its own value.
pub(super) fn two_bytes(from: Square, to: Square, promotion: Option<Role>) -> u16 {
    let promotion = match promotion {
        Some(Role::Rook) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Knight) => 3,
        _ => 0,
    };
    number(from) | number(to) << 6 | promotion << 12
}

/// The squares and the promotion role of a move of two bytes. The role is meaningful only if a
/// pawn reaches the last rank.
pub(super) fn from_two_bytes(word: u16) -> (Square, Square, Role) {
    let role = match word >> 12 & 3 {
        1 => Role::Rook,
        2 => Role::Bishop,
        3 => Role::Knight,
        _ => Role::Queen,
    };
    (square(word & 63), square(word >> 6 & 63), role)
}

/// The ChessBase number of a square: a1, a2, … h8 from 0.
pub(super) fn number(square: Square) -> u16 {
    u16::from(square.file()) << 3 | u16::from(square.rank())
}

/// The square with a ChessBase number, of which only the low six bits are used.
pub(super) fn square(number: u16) -> Square {
    let index = (number & 7) << 3 | number >> 3 & 7;
    Square::ALL[usize::from(index & 63)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_the_documented_pieces() {
        let numbers: Vec<u8> = CODES[0].iter().map(|code| code.slot).collect();
        for (value, slot) in [
            (0, NULL),
            (1, 0),
            (8, 0),
            (9, SHORT),
            (10, LONG),
            (11, 1),
            (38, 1),
            (39, 4),
            (0x40, 5),
            (0x43, 7),
            (0x5f, 10),
            (0x6f, PAWNS),
            (0x8e, PAWNS + 7),
            (0x8f, 2),
            (0xc6, 3),
            (0xd5, 9),
            (0xea, 12),
            (0xeb, TWO_BYTES),
            (0xec, IGNORED),
            (0xfd, IGNORED),
            (0xfe, BRANCH),
            (0xff, END),
        ] {
            assert_eq!(numbers[value], slot, "{value:#x}");
        }
    }

    #[test]
    fn steps_wrap_around_the_board() {
        let [e5, e2] = [(4, 4), (4, 1)].map(|(f, r)| Square::from_coords(f, r).unwrap());
        assert_eq!(CODES[0][15].target(e5), e2);
        assert_eq!(value(Color::White, 1, e5, e2), Some(15));
        // A black pawn's first capture goes towards the a-file.
        let d4 = Square::from_coords(3, 3).unwrap();
        assert_eq!(CODES[1][113].target(e5), d4);
        assert_eq!(CODES[0][113].target(d4), e5);
    }

    #[test]
    fn four_squares_on_a_diagonal_have_the_first_of_two_values() {
        let square = |name: &str| Square::parse(name.as_bytes()).unwrap();
        assert_eq!(
            value(Color::White, 7, square("a1"), square("e5")),
            Some(67 + 3)
        );
        assert_eq!(
            value(Color::White, 7, square("e1"), square("a5")),
            Some(67 + 3)
        );
        assert_eq!(value(Color::White, 7, square("e1"), square("e2")), None);
    }

    #[test]
    fn value_is_the_reverse_of_target() {
        for (side, color) in [Color::White, Color::Black].into_iter().enumerate() {
            for slot in 0..piece_numbers::SLOTS as u8 {
                for (from, to) in Square::ALL
                    .iter()
                    .flat_map(|from| Square::ALL.iter().map(move |to| (*from, *to)))
                {
                    let leads = |code: &Code| code.slot == slot && code.target(from) == to;
                    let first = CODES[side].iter().position(leads);
                    let found = value(color, slot, from, to).map(usize::from);
                    assert_eq!(found, first, "{color:?} {slot} {from:?} {to:?}");
                }
            }
        }
    }

    #[test]
    fn squares_and_words_round_trip() {
        for at in Square::ALL {
            assert_eq!(square(number(at)), at);
        }
        let (e7, f8) = (Square::ALL[52], Square::ALL[61]);
        for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
            let word = two_bytes(e7, f8, Some(role));
            assert_eq!(from_two_bytes(word), (e7, f8, role));
        }
    }
}
