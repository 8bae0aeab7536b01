//! Finds the legal move that a text names.

use zerocopy::byteorder::little_endian::{U16, U32, U64};

use super::SanError;
use crate::chess::position::{BISHOP, KING, KNIGHT, PAWN, Position, QUEEN, ROOK};
use crate::chess::types::{Bitboard, Color, Move, Ply, Role, Square};
use crate::chess::{attacks, uci};

/// Reads a move.
///
/// Accepts SAN with or without `x`, `+`, `#`, `=`, with move suffixes such as `!?` at the end;
/// over-specified and long algebraic forms (`Ng1f3`, `e2-e4`, `g1f3`, `e1g1` for castling); castling
/// with `O`, `o` or `0`; `e8Q`, `e8(Q)`, `e8/Q`; `e.p.`; figurines; and null moves `--`, `Z0`,
/// `null`, `0000`.
///
/// Lower-case `n`, `r`, `q`, `k` are pieces. A lower-case `b` is the file; it is a bishop only if no
/// pawn move fits. A pawn takes only if the text names its file or has an `x`.
///
/// ```
/// use tabia_core::chess::{Position, san};
///
/// let position = Position::standard();
/// let ply = san::read(&position, b"Nf3")?;
/// assert_eq!(san::read(&position, b"g1-f3"), Ok(ply));
/// assert_eq!(san::read(&position, b"Ng3"), Err(san::SanError::Illegal));
///
/// let mut text = Vec::new();
/// san::write(&position, ply, &mut text);
/// assert_eq!(text, b"Nf3");
/// # Ok::<(), san::SanError>(())
/// ```
///
/// # Errors
/// Text that is not a move, and moves that no piece or more than one piece can make.
#[inline]
pub fn read(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    match read_common(position, text) {
        Some(m) => Ok(Ply::Move(m)),
        None => read_any(position, text),
    }
}

/// Reads a move as [`read`] does and plays it.
///
/// # Errors
/// As for [`read`]; the position is then unchanged.
#[inline]
pub fn read_and_play(position: &mut Position, text: &[u8]) -> Result<Ply, SanError> {
    let ply = read(position, text)?;
    position.play_ply(ply);
    Ok(ply)
}

/// Every legal move that a text can mean: one if [`read`] finds it, several if it is ambiguous, none if
/// no piece can make it or the text is not a move.
///
/// ```
/// use tabia_core::chess::{Position, Setup, san};
///
/// let setup = Setup::parse_fen(b"4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")?;
/// let position = Position::from_setup(&setup)?;
/// assert_eq!(san::read_all(&position, b"Nd2").len(), 2);
/// assert_eq!(san::read_all(&position, b"Nbd2").len(), 1);
/// assert!(san::read_all(&position, b"Nd3").is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_all(position: &Position, text: &[u8]) -> Vec<Ply> {
    match read(position, text) {
        Ok(ply) => return vec![ply],
        Err(SanError::Ambiguous) => {}
        Err(_) => return Vec::new(),
    }
    let Some(text) = AsciiText::new(text) else {
        return Vec::new();
    };
    let text = trim(text.as_slice());
    let mut found = Vec::new();
    for bishop in [false, true] {
        if let Ok(parts) = parse(text, bishop)
            && found.is_empty()
        {
            let sources = Bitboard(sources(position, &parts)).into_iter();
            let safe = sources.filter(|&from| position.is_safe(from, parts.to));
            let moves = safe.map(|from| with_promotion(&parts, from));
            found.extend(moves.filter(|&m| position.is_legal(m)).map(Ply::Move));
        }
    }
    found
}

/// Reads the common forms (`e4`, `exd5`, `Nf3`, `Nbxd2`, also with `+` or `#`) if they name one legal
/// move; `None` for everything else, which [`read_any`] handles.
#[inline(always)]
fn read_common(position: &Position, text: &[u8]) -> Option<Move> {
    let letters = match text.len() {
        4..8 => {
            let (first, last) = (text.first_chunk()?, text.last_chunk()?);
            let [first, last] = [first, last].map(|&four| U32::from_bytes(four).get());
            u64::from(first) | u64::from(last) << (8 * (text.len() - 4))
        }
        2..4 => {
            let (first, last) = (text.first_chunk()?, text.last_chunk()?);
            let [first, last] = [first, last].map(|&two| U16::from_bytes(two).get());
            u64::from(first) | u64::from(last) << (8 * (text.len() - 2))
        }
        _ => return None,
    };
    read_letters(position, letters, text.len())
}

/// Reads a move in one of the common forms (`e4`, `exd5`, `Nf3`, `Nbxd2`, also with `+` or `#`) from
/// a text of `length` bytes in a register: the first byte is the lowest of `letters`, bytes after the
/// last are ignored. `None` if the text has another form or does not name one legal move, and in a few
/// cases though it does; [`read`] handles all of them.
#[inline(always)]
pub fn read_letters(position: &Position, letters: u64, length: usize) -> Option<Move> {
    const X: u8 = b'x';
    if !(2..=8).contains(&length) {
        return None;
    }
    let mut bits = 8 * length as u32;
    let last = letters >> (bits - 8);
    // `+` and `#` differ in one bit.
    if last as u8 & !8 == b'#' {
        bits -= 8;
    }
    let before = bits.wrapping_sub(16);
    if before > 24 {
        return None;
    }
    // File in the lower byte, rank in the upper one; above 7 if the letters are not a square.
    let square = ((letters >> before) as u16).wrapping_sub(u16::from(b'1') << 8 | u16::from(b'a'));
    if square & 0xf8f8 != 0 {
        return read_castling(position, letters, bits);
    }
    let to = Square::wrap((square | square >> 5) as u8);
    let [first, second, third, ..] = U64::new(letters).to_bytes();
    let code = CODES[usize::from(first)];
    if code == PAWN {
        let sources = match before {
            0 => pawn_steps(position, to),
            16 if second == X => {
                pawn_captures(position, to) & attacks::FILE_A << ((first - b'a') & 7)
            }
            _ => return None,
        };
        let from = Bitboard(sources).first()?;
        let promotes = matches!(to.rank(), 0 | 7);
        return (!promotes && position.is_safe(from, to)).then(|| Move::normal(from, to));
    }
    if code == 0 || before == 24 && third != X {
        return None;
    }
    let which = if before == 8 { X } else { second };
    let mask = MASKS[usize::from(which)];
    let from = only_source(position, code, to, mask).ok()?;
    Some(Move::normal(from, to))
}

/// Reads `O-O` and `O-O-O`.
#[inline(never)]
fn read_castling(position: &Position, letters: u64, bits: u32) -> Option<Move> {
    let side = match (bits, letters & 0xff_ffff_ffff) {
        (24, letters) if letters & 0xff_ffff == 0x4f_2d4f => 0,
        (40, 0x4f_2d4f_2d4f) => 1,
        _ => return None,
    };
    match castle(position, side) {
        Ok(Ply::Move(m)) => Some(m),
        _ => None,
    }
}

/// Piece codes (role + 1) by letter; pawns by the letters of their files.
static CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut file = b'a';
    while file <= b'h' {
        codes[file as usize] = PAWN;
        file += 1;
    }
    codes[b'N' as usize] = KNIGHT;
    codes[b'B' as usize] = BISHOP;
    codes[b'R' as usize] = ROOK;
    codes[b'Q' as usize] = QUEEN;
    codes[b'K' as usize] = KING;
    codes
};

/// The squares of the file or rank that a letter or digit names; all squares for `x`.
static MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut i = 0;
    while i < 8 {
        masks[b'a' as usize + i] = attacks::FILE_A << i;
        masks[b'1' as usize + i] = RANK_1 << (8 * i);
        i += 1;
    }
    masks[b'x' as usize] = u64::MAX;
    masks
};

const RANK_1: u64 = 0xff;

/// The only square of `mask` from which a piece with that code (not a pawn) can legally move to `to`.
#[inline(always)]
fn only_source(position: &Position, code: u8, to: Square, mask: u64) -> Result<Square, SanError> {
    let ours = position.colors[position.turn as usize];
    if (ours | position.kings().0) & to.bit() != 0 {
        return Err(SanError::Illegal);
    }
    let candidates = position.roles[usize::from(code & 7)] & ours & attacks::rays(code, to) & mask;
    let from = Square::wrap(candidates.trailing_zeros() as u8);
    // Nearly always there is one candidate.
    if candidates & candidates.wrapping_sub(1) == 0
        && attacks::between(from, to) & position.occupied().0 == 0
        && position.is_safe(from, to)
        && candidates != 0
    {
        return Ok(from);
    }
    only_safe(position, position.sources(code, to, mask), to)
}

/// The only square of `sources` from which the move leaves the king safe.
#[inline(never)]
fn only_safe(position: &Position, sources: u64, to: Square) -> Result<Square, SanError> {
    let mut safe = Bitboard(sources)
        .into_iter()
        .filter(|&from| position.is_safe(from, to));
    let from = safe.next().ok_or(SanError::Illegal)?;
    match safe.next() {
        None => Ok(from),
        Some(_) => Err(SanError::Ambiguous),
    }
}

/// The pawn that can move to `to` without a capture; empty if there is no such pawn.
#[inline(always)]
fn pawn_steps(position: &Position, to: Square) -> u64 {
    let us = position.turn;
    let pawns = position.roles[Role::Pawn as usize + 1] & position.colors[us as usize];
    let empty = !position.occupied().0;
    // One rank backwards, without a branch on the side to move.
    let (back, third) = match us {
        Color::White => (8, 0xff_0000),
        Color::Black => (56, 0xff00_0000_0000),
    };
    let one = (to.bit() & empty).rotate_right(back);
    (one | (one & empty & third).rotate_right(back)) & pawns
}

/// The pawns that can take on `to`.
#[inline(always)]
fn pawn_captures(position: &Position, to: Square) -> u64 {
    let us = position.turn;
    let victims = position.colors[us.other() as usize] & !position.kings().0;
    if victims & to.bit() == 0 && position.en_passant != to.number() {
        return 0;
    }
    let pawns = position.roles[Role::Pawn as usize + 1] & position.colors[us as usize];
    attacks::pawn(us.other(), to) & pawns
}

/// The parts of a move's text.
struct SanParts {
    role: Role,
    to: Square,
    file: Option<u8>,
    rank: Option<u8>,
    captures: bool,
    promotion: Option<Role>,
}

impl SanParts {
    /// The squares of the file and the rank that the text states.
    fn mask(&self) -> u64 {
        let mut mask = u64::MAX;
        if let Some(file) = self.file {
            mask &= attacks::FILE_A << (file & 7);
        }
        if let Some(rank) = self.rank {
            mask &= RANK_1 << (8 * (rank & 7));
        }
        mask
    }
}

#[cold]
#[inline(never)]
fn read_any(position: &Position, text: &[u8]) -> Result<Ply, SanError> {
    let text = AsciiText::new(text).ok_or(SanError::Unreadable)?;
    let text = trim(text.as_slice());
    match text {
        b"O-O" | b"0-0" | b"o-o" | b"OO" | b"oo" | b"00" => return castle(position, 0),
        b"O-O-O" | b"0-0-0" | b"o-o-o" | b"OOO" | b"ooo" | b"000" => return castle(position, 1),
        b"--" | b"Z0" | b"z0" | b"null" | b"NULL" | b"0000" | b"@@@@" => return Ok(Ply::Null),
        _ => {}
    }
    let found = parse(text, false).and_then(|parts| find(position, &parts));
    if found.is_err() && text.first() == Some(&b'b') {
        let bishop = parse(text, true).and_then(|parts| find(position, &parts));
        if bishop.is_ok() || found == Err(SanError::Unreadable) {
            return bishop.map(Ply::Move);
        }
    }
    found.map(Ply::Move)
}

/// A text in ASCII letters: figurines, dashes and crosses of other kinds replaced, blanks removed.
struct AsciiText {
    letters: [u8; 16],
    len: usize,
}

impl AsciiText {
    /// `None` if the text is too long for a move.
    fn new(mut text: &[u8]) -> Option<Self> {
        let mut ascii = Self {
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
                *ascii.letters.get_mut(ascii.len)? = letter;
                ascii.len += 1;
            }
        }
        Some(ascii)
    }

    fn as_slice(&self) -> &[u8] {
        self.letters.get(..self.len).unwrap_or_default()
    }
}

/// Removes what may follow a move: `+`, `#`, move suffixes, `e.p.`, the draw offer `=`.
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

/// Splits a text into its parts. A leading `b` is a bishop if `bishop`, otherwise the file.
fn parse(text: &[u8], bishop: bool) -> Result<SanParts, SanError> {
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
    let mut parts = SanParts {
        role,
        to: Square::wrap((rank - b'1') * 8 + (file - b'a')),
        file: None,
        rank: None,
        captures: false,
        promotion,
    };
    let mut before = before;
    if let [rest @ .., mark @ (b'x' | b'-' | b':' | b'X')] = before {
        parts.captures = *mark != b'-';
        before = rest;
    }
    if let [rest @ .., rank @ b'1'..=b'8'] = before {
        parts.rank = Some(rank - b'1');
        before = rest;
    }
    if let [rest @ .., file @ b'a'..=b'h'] = before {
        parts.file = Some(file - b'a');
        before = rest;
    }
    if before.is_empty() {
        Ok(parts)
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

fn find(position: &Position, parts: &SanParts) -> Result<Move, SanError> {
    if let (Some(file), Some(rank)) = (parts.file, parts.rank)
        && let Some(from) = Square::from_coords(file, rank)
    {
        return find_by_squares(position, parts, from);
    }
    let to = parts.to;
    if parts.role != Role::Pawn {
        return only_source(position, parts.role as u8 + 1, to, parts.mask())
            .map(|from| Move::normal(from, to));
    }
    let from = only_safe(position, sources(position, parts), to)?;
    legal(position, with_promotion(parts, from))
}

/// The squares from which a piece can go that the text names; its king may then be in check.
fn sources(position: &Position, parts: &SanParts) -> u64 {
    let to = parts.to;
    if parts.role != Role::Pawn {
        return position.sources(parts.role as u8 + 1, to, parts.mask());
    }
    let takes = parts.captures || parts.file.is_some_and(|file| file != to.file());
    let pawns = if takes {
        pawn_captures(position, to)
    } else {
        pawn_steps(position, to)
    };
    pawns & parts.mask()
}

/// Finds a move whose text has both squares; a text without a piece letter fits any piece.
fn find_by_squares(position: &Position, parts: &SanParts, from: Square) -> Result<Move, SanError> {
    let piece = position.piece_at(from).ok_or(SanError::Illegal)?;
    if parts.role != Role::Pawn && parts.role != piece.role {
        return Err(SanError::Illegal);
    }
    if piece.role == Role::King && parts.promotion.is_none() {
        let [from_file, from_rank] = from.letters();
        let [file, rank] = parts.to.letters();
        return match uci::read(position, &[from_file, from_rank, file, rank]) {
            Some(Ply::Move(m)) => Ok(m),
            _ => Err(SanError::Illegal),
        };
    }
    legal(position, with_promotion(parts, from))
}

fn with_promotion(parts: &SanParts, from: Square) -> Move {
    match parts.promotion {
        Some(role) => Move::promotion(from, parts.to, role),
        None => Move::normal(from, parts.to),
    }
}

fn legal(position: &Position, m: Move) -> Result<Move, SanError> {
    if position.is_legal(m) {
        Ok(m)
    } else {
        Err(SanError::Illegal)
    }
}
