//! Writes moves with the least disambiguation, `+` and `#`.

use std::fmt;

use zerocopy::byteorder::little_endian::U64;

use crate::chess::attacks;
use crate::chess::position::{PAWN, Position};
use crate::chess::types::{Move, Ply, Square};

/// Appends a legal move with the least disambiguation, `+` and `#`; a null move as `--`.
///
/// [`write_and_play`] costs less if the move is played next.
#[inline]
pub fn write(position: &Position, ply: Ply, out: &mut Vec<u8>) {
    match ply {
        Ply::Move(m) => text(position, m).append_to(out),
        Ply::Null => out.extend_from_slice(b"--"),
    }
}

/// Appends a legal move as [`write()`] does and plays it.
#[inline]
pub fn write_and_play(position: &mut Position, ply: Ply, out: &mut Vec<u8>) {
    let Ply::Move(m) = ply else {
        position.play_ply(ply);
        out.extend_from_slice(b"--");
        return;
    };
    let mut text = begin(position, m);
    position.play(m);
    if !position.cache_checkers().is_empty() {
        text.push(if position.has_legal_move() {
            b'+'
        } else {
            b'#'
        });
    }
    text.append_to(out);
}

/// The text that [`write()`] appends for a legal move.
#[inline(always)]
pub fn text(position: &Position, m: Move) -> SanText {
    let text = begin(position, m);
    if position.next_move.is_quiet(m) {
        text
    } else {
        mark_check(position, m, text)
    }
}

/// Adds `+` or `#` if the move gives check.
#[inline(never)]
fn mark_check(position: &Position, m: Move, mut text: SanText) -> SanText {
    if position.will_check(m) {
        let mates = !position.lets_king_flee(m) && {
            let mut next = position.clone();
            next.play(m);
            !next.has_legal_move()
        };
        text.push(if mates { b'#' } else { b'+' });
    }
    text
}

/// The SAN of a move in a register: one to seven ASCII letters (`Qa1xb2+`, `exd8=Q#`). `Display` writes
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SanText {
    letters: u64,
    bits: u32,
}

impl SanText {
    pub(super) const NULL_MOVE: SanText = SanText {
        letters: 0x2d_2d,
        bits: 16,
    };
    const SHORT_CASTLING: SanText = SanText {
        letters: 0x4f_2d_4f,
        bits: 24,
    };
    const LONG_CASTLING: SanText = SanText {
        letters: 0x4f_2d_4f_2d_4f,
        bits: 40,
    };

    /// The letters, the first in the lowest byte; the bytes after the last are zero.
    #[inline(always)]
    pub const fn letters(self) -> u64 {
        self.letters
    }

    /// Number of letters, at least one.
    #[inline(always)]
    #[expect(
        clippy::len_without_is_empty,
        reason = "the text of a move is never empty"
    )]
    pub const fn len(self) -> usize {
        (self.bits / 8) as usize
    }

    #[inline(always)]
    fn push(&mut self, letter: u8) {
        self.letters |= u64::from(letter) << (self.bits & 63);
        self.bits += 8;
    }

    #[inline(always)]
    fn push_if(&mut self, condition: bool, letter: u8) {
        let [letter, step] = if condition { [letter, 8] } else { [0, 0] };
        self.letters |= u64::from(letter) << (self.bits & 63);
        self.bits += u32::from(step);
    }

    #[inline(always)]
    fn push_square(&mut self, square: Square) {
        self.letters |= u64::from(SQUARES[square.index()]) << (self.bits & 63);
        self.bits += 16;
    }

    #[inline(always)]
    fn append_to(self, out: &mut Vec<u8>) {
        // Appending eight bytes and truncating is cheaper than a copy of variable length.
        let end = out.len() + self.len();
        out.extend_from_slice(&U64::new(self.letters).to_bytes());
        out.truncate(end);
    }
}

impl fmt::Display for SanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = U64::new(self.letters).to_bytes();
        let text = letters.get(..self.len()).unwrap_or_default();
        f.pad(std::str::from_utf8(text).unwrap_or_default())
    }
}

/// The two letters of every square, the file in the lower byte.
static SQUARES: [u16; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        let [file, rank] = Square::ALL[i].letters();
        table[i] = file as u16 | (rank as u16) << 8;
        i += 1;
    }
    table
};

/// The text without `+` and `#`.
#[inline(always)]
fn begin(position: &Position, m: Move) -> SanText {
    if m.is_normal() {
        begin_normal(position, m)
    } else {
        begin_special(position, m)
    }
}

/// The text of a move that is neither castling nor a promotion. Has no branch on the kind of the
/// moving or captured piece: it would be mispredicted often.
#[inline(always)]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "one branch instead of several unpredictable ones"
)]
fn begin_normal(position: &Position, m: Move) -> SanText {
    let (from, to) = (m.from(), m.to());
    let code = position.board[from.index()] & 7;
    let is_pawn = code == PAWN;
    let takes = (position.board[to.index()] != 0) | (is_pawn & (from.file() != to.file()));
    let same = position.roles[usize::from(code)] & position.colors[position.turn as usize];
    let rivals = same & attacks::rays(code, to) & !from.bit();
    let is_empty = code == 0;
    if (rivals != 0) & !is_pawn | is_empty {
        return if is_empty {
            coordinates(m)
        } else {
            disambiguate(position, m, takes)
        };
    }
    let kind = if is_pawn { from.file() } else { code | 8 };
    let first = FIRST[usize::from(kind & 15)][usize::from(takes)];
    let mut text = SanText {
        letters: u64::from(first & 0xffff),
        bits: first >> 16 & 0xff,
    };
    text.push_square(to);
    text
}

/// Letters by piece code; `?` for a pawn and for unused codes.
const LETTERS: &[u8; 8] = b"??NBRQK?";

/// The letters before the target square: the first letter in the lowest byte, the number of bits in
/// the third. At the file's index for pawns, at piece code + 8 for other pieces; without and with a
/// capture.
static FIRST: [[u32; 2]; 16] = {
    let mut table = [[0; 2]; 16];
    let mut i = 0;
    while i < 8 {
        table[i][1] = (b'a' + i as u8) as u32 | (b'x' as u32) << 8 | 16 << 16;
        let letter = LETTERS[i] as u32;
        table[i + 8] = [letter | 8 << 16, letter | (b'x' as u32) << 8 | 16 << 16];
        i += 1;
    }
    table
};

/// The text of castling and promotions, without `+` and `#`.
#[inline(never)]
fn begin_special(position: &Position, m: Move) -> SanText {
    let (from, to) = (m.from(), m.to());
    if m.is_castling() {
        return if to.file() > from.file() {
            SanText::SHORT_CASTLING
        } else {
            SanText::LONG_CASTLING
        };
    }
    let mut text = begin_normal(position, m);
    if let Some(role) = m.promotion_role() {
        text.push(b'=');
        text.push(role.upper_char());
    }
    text
}

/// The coordinates of a move that is not legal.
#[cold]
fn coordinates(m: Move) -> SanText {
    let mut text = SanText {
        letters: 0,
        bits: 0,
    };
    text.push_square(m.from());
    text.push_square(m.to());
    text
}

/// The text of a move of a piece other than a pawn, with the source file, rank or both if another
/// piece of its kind can move to the same square.
#[inline(never)]
fn disambiguate(position: &Position, m: Move, takes: bool) -> SanText {
    let (from, to) = (m.from(), m.to());
    let code = position.board[from.index()] & 7;
    let (mut any, mut file, mut rank) = (false, false, false);
    let mut rivals = position.sources(code, to, !from.bit());
    while rivals != 0 {
        let rival = Square::wrap(rivals.trailing_zeros() as u8);
        rivals &= rivals - 1;
        if position.is_safe(rival, to) {
            any = true;
            file |= rival.file() == from.file();
            rank |= rival.rank() == from.rank();
        }
    }
    let [file_letter, rank_letter] = from.letters();
    let mut text = SanText {
        letters: u64::from(LETTERS[usize::from(code & 7)]),
        bits: 8,
    };
    text.push_if(any && (!file || rank), file_letter);
    text.push_if(any && file, rank_letter);
    text.push_if(takes, b'x');
    text.push_square(to);
    text
}
