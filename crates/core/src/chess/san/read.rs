//! From a text to the one legal move it names.

use super::SanError;
use crate::chess::position::Position;
use crate::chess::types::{Bitboard, Color, Move, Ply, Role, Square};
use crate::chess::{attacks, uci};

/// Reads a move.
///
/// Accepts SAN with or without `x`, `+`, `#`, `=`, with evaluations at the end; over-specified and
/// long algebraic forms (`Ng1f3`, `e2-e4`, `g1f3`, `e1g1` for castling); castling with `O`, `o` or
/// `0`; `e8Q`, `e8(Q)`, `e8/Q`; `e.p.`; figurines; and null moves `--`, `Z0`, `null`, `0000`.
///
/// Lower-case `n`, `r`, `q`, `k` are pieces. A lower-case `b` is the file; only where no pawn's move
/// fits is it a bishop. A pawn takes only if the text names its file or has an `x`.
///
/// # Errors
/// Text that is no move, and moves that no piece or more than one piece can make.
#[inline]
pub fn read(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    match read_plain(position, text) {
        Some(m) => Ok(Ply::Move(m)),
        None => read_any(position, text),
    }
}

/// Reads a move as [`read`] does and plays it. After an error the position is unchanged.
#[inline]
pub fn read_and_play(position: &mut Position, text: &[u8]) -> Result<Ply, SanError> {
    let ply = read(position, text)?;
    position.play_ply(ply);
    Ok(ply)
}

/// Numbers of the pieces (role + 1) by the low five bits of their letters.
static CODES: [u8; 32] = {
    let mut codes = [0; 32];
    codes[b'N' as usize & 31] = Role::Knight as u8 + 1;
    codes[b'B' as usize & 31] = Role::Bishop as u8 + 1;
    codes[b'R' as usize & 31] = Role::Rook as u8 + 1;
    codes[b'Q' as usize & 31] = Role::Queen as u8 + 1;
    codes[b'K' as usize & 31] = Role::King as u8 + 1;
    codes
};

/// The forms nearly every move has (`e4`, `exd5`, `Nf3`, `Nbxd2`, maybe with `+` or `#`), when they
/// name one legal move; `None` for all else, which [`read`] looks at more closely.
#[inline(always)]
pub fn read_plain(position: &Position, text: &[u8]) -> Option<Move> {
    let text = match text {
        [plain @ .., b'+' | b'#'] => plain,
        _ => text,
    };
    let [before @ .., file, rank] = text else {
        return None;
    };
    let to = square(*file, *rank)?;
    match *before {
        [] => read_step(position, to),
        [file @ b'a'..=b'h', b'x'] => read_capture(position, file, to),
        [letter @ b'A'..=b'Z', ref between @ ..] => {
            let between = match between {
                [between @ .., b'x'] => between,
                _ => between,
            };
            let mask = match *between {
                [] => u64::MAX,
                [file @ b'a'..=b'h'] => FILE_A << (file - b'a'),
                [rank @ b'1'..=b'8'] => RANK_1 << (8 * (rank - b'1')),
                _ => return None,
            };
            let code = CODES[usize::from(letter & 31)];
            if code == 0 {
                return None;
            }
            let from = only_source(position, code, to, mask).ok()?;
            Some(Move::normal(from, to))
        }
        _ => None,
    }
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xff;

#[inline(always)]
const fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    if file < 8 && rank < 8 {
        Some(Square::wrap(rank * 8 + file))
    } else {
        None
    }
}

/// The one square of `mask` from which a piece (no pawn) of that number legally goes to `to`.
#[inline(always)]
fn only_source(position: &Position, code: u8, to: Square, mask: u64) -> Result<Square, SanError> {
    let own = position.colors[position.turn as usize];
    if (own | position.kings().0) & to.bit() != 0 {
        return Err(SanError::Illegal);
    }
    let mut candidates =
        position.roles[usize::from(code & 7)] & own & attacks::rays(code, to) & mask;
    let occupied = position.occupied().0;
    let mut found = Err(SanError::Illegal);
    while candidates != 0 {
        let from = Square::wrap(candidates.trailing_zeros() as u8);
        candidates &= candidates - 1;
        if attacks::between(from, to) & occupied == 0 && position.is_safe(from, to) {
            if found.is_ok() {
                return Err(SanError::Ambiguous);
            }
            found = Ok(from);
        }
    }
    found
}

/// A pawn's step of one or two, short of the last rank.
#[inline(always)]
fn read_step(position: &Position, to: Square) -> Option<Move> {
    if matches!(to.rank(), 0 | 7) {
        return None;
    }
    let from = Bitboard(pawn_steps(position, to)).first()?;
    position.is_safe(from, to).then(|| Move::normal(from, to))
}

/// A pawn's capture, short of the last rank.
#[inline(always)]
fn read_capture(position: &Position, file: u8, to: Square) -> Option<Move> {
    if matches!(to.rank(), 0 | 7) {
        return None;
    }
    let from = Bitboard(pawn_captures(position, to) & FILE_A << ((file - b'a') & 7)).first()?;
    position.is_safe(from, to).then(|| Move::normal(from, to))
}

/// The pawn that can step to `to`, if any: the nearest one.
#[inline(always)]
fn pawn_steps(position: &Position, to: Square) -> u64 {
    let us = position.turn;
    let pawns = position.roles[Role::Pawn as usize + 1] & position.colors[us as usize];
    let empty = !position.occupied().0;
    let to_bit = to.bit() & empty;
    match us {
        Color::White => {
            let one = to_bit >> 8;
            (one | (one & empty & 0xff_0000) >> 8) & pawns
        }
        Color::Black => {
            let one = to_bit << 8;
            (one | (one & empty & 0xff00_0000_0000) << 8) & pawns
        }
    }
}

/// The pawns that can take on `to`.
#[inline(always)]
fn pawn_captures(position: &Position, to: Square) -> u64 {
    let us = position.turn;
    let prey = position.colors[us.other() as usize] & !position.kings().0;
    if prey & to.bit() == 0 && position.en_passant != to.number() {
        return 0;
    }
    let pawns = position.roles[Role::Pawn as usize + 1] & position.colors[us as usize];
    attacks::pawn(us.other(), to) & pawns
}

/// What a text says about a move.
struct Said {
    role: Role,
    to: Square,
    file: Option<u8>,
    rank: Option<u8>,
    captures: bool,
    promotion: Option<Role>,
}

#[cold]
#[inline(never)]
fn read_any(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    let text = Plain::new(text).ok_or(SanError::Unreadable)?;
    let text = trim(text.as_slice());
    match text {
        b"O-O" | b"0-0" | b"o-o" | b"OO" | b"oo" | b"00" => return castle(position, 0),
        b"O-O-O" | b"0-0-0" | b"o-o-o" | b"OOO" | b"ooo" | b"000" => return castle(position, 1),
        b"--" | b"Z0" | b"z0" | b"null" | b"NULL" | b"0000" | b"@@@@" => return Ok(Ply::Null),
        _ => {}
    }
    let found = parse(text, false).and_then(|said| find(position, &said));
    if found.is_err() && text.first() == Some(&b'b') {
        let bishop = parse(text, true).and_then(|said| find(position, &said));
        if bishop.is_ok() || found == Err(SanError::Unreadable) {
            return bishop.map(Ply::Move);
        }
    }
    found.map(Ply::Move)
}

/// A text with figurines, dashes and crosses of other kinds as plain letters, and no blanks.
struct Plain {
    letters: [u8; 16],
    len: usize,
}

impl Plain {
    /// `None` when it is too long to be a move.
    fn new(mut text: &[u8]) -> Option<Self> {
        let mut plain = Self {
            letters: [0; 16],
            len: 0,
        };
        while let [first, rest @ ..] = text {
            text = rest;
            let mut letter = *first;
            match text {
                // U+2654 to U+265F, from the white king to the black pawn.
                [0x99, figurine @ 0x94..=0x9f, rest @ ..] if letter == 0xe2 => {
                    letter = b"KQRBNP"[usize::from((figurine - 0x94) % 6)];
                    text = rest;
                }
                // U+2010 to U+2015, dashes, and U+2212, the minus sign.
                [0x80, 0x90..=0x95, rest @ ..] | [0x88, 0x92, rest @ ..] if letter == 0xe2 => {
                    letter = b'-';
                    text = rest;
                }
                // U+2020 and U+2021, daggers for check and mate.
                [0x80, 0xa0 | 0xa1, rest @ ..] if letter == 0xe2 => {
                    letter = b'+';
                    text = rest;
                }
                // U+00D7, the sign of multiplication.
                [0x97, rest @ ..] if letter == 0xc3 => {
                    letter = b'x';
                    text = rest;
                }
                _ => {}
            }
            if letter != b' ' {
                *plain.letters.get_mut(plain.len)? = letter;
                plain.len += 1;
            }
        }
        Some(plain)
    }

    fn as_slice(&self) -> &[u8] {
        self.letters.get(..self.len).unwrap_or_default()
    }
}

/// Without what may follow a move: checks, evaluations, `e.p.`, the offer of a draw.
fn trim(mut text: &[u8]) -> &[u8] {
    loop {
        let shorter = match text {
            [rest @ .., b'+' | b'#' | b'!' | b'?']
            | [rest @ .., b'e', b'p']
            | [rest @ .., b'e', b'.', b'p']
            | [rest @ .., b'e', b'.', b'p', b'.'] => rest,
            [rest @ .., b'='] if rest.last().is_some_and(u8::is_ascii_digit) => rest,
            _ => return text,
        };
        text = shorter;
    }
}

fn castle(position: &Position, side: usize) -> Result<Ply, SanError> {
    let rook = position
        .castling_rook(position.turn(), side)
        .filter(|&rook| position.can_castle(rook))
        .ok_or(SanError::Illegal)?;
    Ok(Ply::Move(Move::castling(
        position.king(position.turn()),
        rook,
    )))
}

/// Takes the text apart. A first `b` is the letter of a bishop when `bishop`, else the file.
fn parse(text: &[u8], bishop: bool) -> Result<Said, SanError> {
    let (role, mut rest) = match *text {
        [
            letter @ (b'N' | b'B' | b'R' | b'Q' | b'K' | b'P' | b'n' | b'r' | b'q' | b'k'),
            ref rest @ ..,
        ] => (Role::from_char(letter).unwrap_or(Role::Pawn), rest),
        [b'b', ref rest @ ..] if bishop => (Role::Bishop, rest),
        _ => (Role::Pawn, text),
    };
    let mut promotion = None;
    if role == Role::Pawn {
        if let [before @ .., b'(', letter, b')'] = rest {
            promotion = Some(promoted(*letter)?);
            rest = before;
        } else if let [before @ .., letter] = rest
            && letter.is_ascii_alphabetic()
        {
            promotion = Some(promoted(*letter)?);
            rest = match before {
                [before @ .., b'=' | b'/' | b'-'] => before,
                _ => before,
            };
        }
    }
    let [before @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] = rest else {
        return Err(SanError::Unreadable);
    };
    let mut said = Said {
        role,
        to: Square::wrap((rank - b'1') * 8 + (file - b'a')),
        file: None,
        rank: None,
        captures: false,
        promotion,
    };
    let mut before = before;
    if let [rest @ .., mark @ (b'x' | b'-' | b':' | b'X')] = before {
        said.captures = *mark != b'-';
        before = rest;
    }
    if let [rest @ .., rank @ b'1'..=b'8'] = before {
        said.rank = Some(rank - b'1');
        before = rest;
    }
    if let [rest @ .., file @ b'a'..=b'h'] = before {
        said.file = Some(file - b'a');
        before = rest;
    }
    if before.is_empty() {
        Ok(said)
    } else {
        Err(SanError::Unreadable)
    }
}

fn promoted(letter: u8) -> Result<Role, SanError> {
    match Role::from_char(letter) {
        Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => Ok(role),
        _ => Err(SanError::Unreadable),
    }
}

fn find(position: &Position, said: &Said) -> Result<Move, SanError> {
    if let (Some(file), Some(rank)) = (said.file, said.rank)
        && let Some(from) = Square::from_coords(file, rank)
    {
        return find_by_squares(position, said, from);
    }
    let to = said.to;
    let mut mask = u64::MAX;
    if let Some(file) = said.file {
        mask &= FILE_A << (file & 7);
    }
    if let Some(rank) = said.rank {
        mask &= RANK_1 << (8 * (rank & 7));
    }
    if said.role != Role::Pawn {
        return only_source(position, said.role as u8 + 1, to, mask)
            .map(|from| Move::normal(from, to));
    }
    let takes = said.captures || said.file.is_some_and(|file| file != to.file());
    let pawns = if takes {
        pawn_captures(position, to)
    } else {
        pawn_steps(position, to)
    };
    let mut safe = Bitboard(pawns & mask)
        .into_iter()
        .filter(|&from| position.is_safe(from, to));
    let from = safe.next().ok_or(SanError::Illegal)?;
    if safe.next().is_some() {
        return Err(SanError::Ambiguous);
    }
    legal(position, with_promotion(said, from))
}

/// Both squares are said: the piece on the first one, whatever its letter if none is given.
fn find_by_squares(position: &Position, said: &Said, from: Square) -> Result<Move, SanError> {
    let piece = position.piece_at(from).ok_or(SanError::Illegal)?;
    if said.role != Role::Pawn && said.role != piece.role {
        return Err(SanError::Illegal);
    }
    if piece.role == Role::King && said.promotion.is_none() {
        let [from_file, from_rank] = from.letters();
        let [file, rank] = said.to.letters();
        return match uci::read(position, &[from_file, from_rank, file, rank]) {
            Some(Ply::Move(m)) => Ok(m),
            _ => Err(SanError::Illegal),
        };
    }
    legal(position, with_promotion(said, from))
}

fn with_promotion(said: &Said, from: Square) -> Move {
    match said.promotion {
        Some(role) => Move::promotion(from, said.to, role),
        None => Move::normal(from, said.to),
    }
}

fn legal(position: &Position, m: Move) -> Result<Move, SanError> {
    if position.is_legal(m) {
        Ok(m)
    } else {
        Err(SanError::Illegal)
    }
}
