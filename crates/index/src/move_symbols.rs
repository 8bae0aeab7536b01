//! Moves as bytes: one byte for nearly every move, so that lines can be sorted, compared and stored as
//! strings of bytes.
//!
//! The high four bits are the number of the piece among those of its side, from a1 to h8; the low four
//! bits are what it does. For diagonal moves the queens of a side have numbers of their own, those after
//! that of its last piece. Whatever does not fit is the byte 255 and two bytes of the move. No symbol begins another, and its first byte gives its length.

use tabia_core::chess::{Bitboard, Color, Move, Ply, Position, Role, Square};

/// First byte of a symbol of three bytes.
const ESCAPE: u8 = 0xff;
/// The two bytes of a null move after [`ESCAPE`].
const ESCAPED_NULL: [u8; 2] = [0xff, 0xff];

const H_SIDE: u8 = 8;
const A_SIDE: u8 = 9;
const NULL: u8 = 10;
/// A pawn's double step.
const DOUBLE: u8 = 15;

/// File and rank steps of a knight.
const KNIGHT: [(i8, i8); 8] = [
    (-2, -1),
    (-2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
    (2, -1),
    (2, 1),
];
/// File and rank steps of a king.
const KING: [(i8, i8); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const PROMOTIONS: [Option<Role>; 5] = [
    None,
    Some(Role::Knight),
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
];

/// Appends the symbol of a move or null move.
pub(crate) fn encode(position: &Position, ply: Ply, out: &mut Vec<u8>) {
    match short(position, ply) {
        Some(byte) if byte != ESCAPE => out.push(byte),
        _ => {
            let [low, high] = ply.to_move().map_or(ESCAPED_NULL, |m| {
                let bits = m.to_bits();
                [bits as u8, (bits >> 8) as u8]
            });
            out.extend([ESCAPE, low, high]);
        }
    }
}

/// What of a position decides which move a symbol is.
pub(crate) trait Men {
    /// The side to move.
    fn turn(&self) -> Color;

    /// The squares of its men.
    fn own(&self) -> u64;

    /// The kind of its man on a square.
    fn role_at(&self, square: Square) -> Option<Role>;

    /// The rook with which it castles to a side, 0 for the h-side.
    fn castling_rook(&self, side: usize) -> Option<Square>;
}

impl Men for Position {
    #[inline]
    fn turn(&self) -> Color {
        self.turn()
    }

    #[inline]
    fn own(&self) -> u64 {
        self.by_color(self.turn()).0
    }

    #[inline]
    fn role_at(&self, square: Square) -> Option<Role> {
        self.piece_at(square).map(|piece| piece.role)
    }

    fn castling_rook(&self, side: usize) -> Option<Square> {
        self.castling_rook(self.turn(), side)
    }
}

/// The move of the symbol at the start of `bytes`; `None` if there is none.
#[inline]
pub(crate) fn decode(position: &impl Men, bytes: &[u8]) -> Option<Ply> {
    let (&first, rest) = bytes.split_first()?;
    if first == ESCAPE {
        let [low, high, ..] = *rest else {
            return None;
        };
        if [low, high] == ESCAPED_NULL {
            return Some(Ply::Null);
        }
        return Move::from_bits(u16::from(low) | u16::from(high) << 8).map(Ply::Move);
    }
    let us = position.turn();
    let code = first & 15;
    let Some(from) = nth(position.own(), first >> 4) else {
        return diagonal(position, first >> 4, code);
    };
    let step = |(file, rank): (i8, i8)| {
        let file = from.file().checked_add_signed(file)?;
        let rank = from.rank().checked_add_signed(rank)?;
        Square::from_coords(file, rank)
    };
    let to = match position.role_at(from)? {
        Role::King if code == NULL => return Some(Ply::Null),
        Role::King if code == H_SIDE || code == A_SIDE => {
            let rook = position.castling_rook(usize::from(code == A_SIDE))?;
            return Some(Move::castling(from, rook).into());
        }
        Role::King => step(*KING.get(usize::from(code))?)?,
        Role::Knight => step(*KNIGHT.get(usize::from(code))?)?,
        Role::Pawn => {
            let forward = forward(us);
            if code == DOUBLE {
                step((0, 2 * forward))?
            } else {
                let to = step(((code / 5) as i8 - 1, forward))?;
                if let Some(role) = *PROMOTIONS.get(usize::from(code % 5))? {
                    return Some(Move::promotion(from, to, role).into());
                }
                to
            }
        }
        Role::Rook | Role::Queen if code < 8 => Square::from_coords(code, from.rank())?,
        Role::Rook | Role::Queen => Square::from_coords(from.file(), code - 8)?,
        Role::Bishop => on_diagonal(from, code)?,
    };
    Some(Move::normal(from, to).into())
}

/// The square on a diagonal of `from` of a code.
#[inline]
fn on_diagonal(from: Square, code: u8) -> Option<Square> {
    let file = code & 7;
    let step = file as i8 - from.file() as i8;
    let step = if code < 8 { step } else { -step };
    Square::from_coords(file, from.rank().checked_add_signed(step)?)
}

/// The diagonal move of a queen, whose number is beyond those of the pieces.
fn diagonal(position: &impl Men, number: u8, code: u8) -> Option<Ply> {
    let own = position.own();
    let mut queens = u32::from(number).checked_sub(own.count_ones())?;
    let mut rest = own;
    while let Some(from) = nth(rest, 0) {
        rest &= rest - 1;
        if position.role_at(from) == Some(Role::Queen) {
            match queens.checked_sub(1) {
                Some(left) => queens = left,
                None => return Some(Move::normal(from, on_diagonal(from, code)?).into()),
            }
        }
    }
    None
}

/// Length of the symbol that begins with a byte.
pub(crate) fn length(first: u8) -> usize {
    if first == ESCAPE { 3 } else { 1 }
}

/// Number of symbols that are complete in `bytes`, which begin with a symbol.
pub(crate) fn count(bytes: &[u8]) -> u32 {
    let (mut count, mut rest) = (0, bytes);
    while let Some(after) = rest.first().and_then(|&first| rest.get(length(first)..)) {
        count += 1;
        rest = after;
    }
    count
}

fn forward(us: Color) -> i8 {
    if us.is_white() { 1 } else { -1 }
}

/// The symbol in one byte, if there is one; `ESCAPE` is none.
fn short(position: &Position, ply: Ply) -> Option<u8> {
    let us = position.turn();
    let own = position.by_color(us);
    let m = ply.to_move();
    let from = m.map_or(position.king(us), Move::from);
    let before = from.bit() - 1;
    let mut number = (own.0 & before).count_ones();
    if !own.has(from) {
        return None;
    }
    let code = match m {
        None => NULL,
        Some(m) if m.is_castling() => {
            let side = (0..2).find(|&side| position.castling_rook(us, side) == Some(m.to()))?;
            if from != position.king(us) {
                return None;
            }
            H_SIDE + side as u8
        }
        Some(m) => {
            if let Some(code) = code(position, m) {
                code
            } else {
                let queens = Bitboard(position.by_role(Role::Queen).0 & own.0);
                number = own.count() + (queens.0 & before).count_ones();
                queens.has(from).then(|| diagonal_code(m)).flatten()?
            }
        }
    };
    (number < 16).then_some((number as u8) << 4 | code)
}

/// The low bits of a move on a diagonal.
fn diagonal_code(m: Move) -> Option<u8> {
    let (from, to) = (m.from(), m.to());
    let file = to.file() as i8 - from.file() as i8;
    let rank = to.rank() as i8 - from.rank() as i8;
    if m.promotion_role().is_some() {
        None
    } else if file == rank {
        Some(to.file())
    } else {
        (file == -rank).then(|| 8 + to.file())
    }
}

/// The low bits of a move that is not castling.
fn code(position: &Position, m: Move) -> Option<u8> {
    let (from, to) = (m.from(), m.to());
    let file = to.file() as i8 - from.file() as i8;
    let rank = to.rank() as i8 - from.rank() as i8;
    let piece = position.piece_at(from)?;
    let promoted = m.promotion_role();
    if promoted.is_some() && piece.role != Role::Pawn {
        return None;
    }
    let index = |steps: &[(i8, i8)]| {
        let found = steps.iter().position(|&step| step == (file, rank));
        found.map(|index| index as u8)
    };
    match piece.role {
        Role::King => index(&KING),
        Role::Knight => index(&KNIGHT),
        Role::Pawn => {
            let forward = forward(piece.color);
            if rank == 2 * forward && file == 0 && promoted.is_none() {
                return Some(DOUBLE);
            }
            let kind = PROMOTIONS.iter().position(|&role| role == promoted)?;
            (rank == forward && file.abs() <= 1).then(|| (file + 1) as u8 * 5 + kind as u8)
        }
        Role::Rook | Role::Queen if rank == 0 => Some(to.file()),
        Role::Rook | Role::Queen if file == 0 => Some(8 + to.rank()),
        Role::Bishop => diagonal_code(m),
        _ => None,
    }
}

/// The square with number `n`, from 0, among those of a set.
fn nth(set: u64, n: u8) -> Option<Square> {
    let mut rest = set;
    for _ in 0..n {
        rest &= rest.wrapping_sub(1);
    }
    if rest == 0 {
        return None;
    }
    Square::new(rest.trailing_zeros() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::GameIndex;
    use tabia_core::game::{Flow, Visitor, Want};
    use tabia_testkit::arbitrary_game::arbitrary_game;

    /// Encodes and decodes every move.
    #[derive(Default)]
    struct Check {
        moves: usize,
        bytes: usize,
    }

    impl Visitor for Check {
        fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
            let mut bytes = Vec::new();
            encode(before, ply, &mut bytes);
            assert_eq!(decode(before, &bytes), Some(ply), "{before:?}");
            assert_eq!((length(bytes[0]), count(&bytes)), (bytes.len(), 1));
            self.moves += 1;
            self.bytes += bytes.len();
            Flow::Go
        }

        fn begin_variation(&mut self) -> Flow {
            Flow::Go
        }
    }

    #[test]
    fn moves_of_random_games_round_trip() {
        let mut check = Check::default();
        for seed in 0..400 {
            let _ = arbitrary_game(seed).replay(GameIndex(0), Want::ALL, &mut check);
        }
        assert!(check.moves > 4000, "{}", check.moves);
        assert!(check.bytes < check.moves * 9 / 8, "{}", check.bytes);
    }

    #[test]
    fn every_legal_move_round_trips() {
        for fen in [
            "r3k2r/1P1q3P/8/3pP3/3Q4/8/1p5p/R3K2R w KQkq d6 0 1",
            "r3k2r/1P1q3P/8/3pP3/3Q4/8/1p4bp/R3K1NR b KQkq - 0 1",
            "QQQQQQQQ/QQQQQQQQ/QQQ5/8/8/8/7k/K7 w - - 0 1",
            "7k/8/2Q5/8/5QQ1/8/8/KQ6 w - - 0 1",
            "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w HFhf - 0 1",
        ] {
            let position = Position::parse_fen(fen.as_bytes()).unwrap();
            let moves: Vec<Ply> = position.legal_moves().iter().map(|&m| m.into()).collect();
            for ply in moves.into_iter().chain([Ply::Null]) {
                let mut bytes = Vec::new();
                encode(&position, ply, &mut bytes);
                assert_eq!(decode(&position, &bytes), Some(ply), "{fen}");
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_a_move_or_none() {
        let position = Position::standard();
        for first in 0..=255 {
            for second in [0, 1, 0x7f, 0xff] {
                let _ = decode(&position, &[first, second, second]);
                let _ = decode(&position, &[first]);
            }
        }
        assert_eq!(decode(&position, &[]), None);
    }
}
