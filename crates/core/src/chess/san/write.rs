//! The move's text: least disambiguation, `+` and `#`.

use crate::chess::position::{KING, PAWN, Position};
use crate::chess::types::{Move, Ply, Square};
use crate::chess::{attacks, uci};

/// Writes a legal move with the least disambiguation, `+` and `#`; a null move as `--`.
///
/// Where the position after the move is wanted as well, [`write_and_play`] costs less.
#[inline]
pub fn write(position: &Position, ply: Ply, out: &mut Vec<u8>) {
    let Some((m, mut text)) = begin(position, ply, out) else {
        return;
    };
    if position.will_check(m) {
        text.push(mark_of_check(position, m));
    }
    text.append_to(out);
}

/// Writes a legal move as [`write()`] does and plays it.
#[inline]
pub fn write_and_play(position: &mut Position, ply: Ply, out: &mut Vec<u8>) {
    let begun = begin(position, ply, out);
    position.play_ply(ply);
    let Some((_, mut text)) = begun else {
        return;
    };
    if !position.remember_checkers().is_empty() {
        text.push(if position.has_legal_move() {
            b'+'
        } else {
            b'#'
        });
    }
    text.append_to(out);
}

/// At most seven letters, the first in the lowest byte: `Qa1xb2+`, `exd8=Q#`.
struct Text {
    letters: u64,
    bits: u32,
}

impl Text {
    const SHORT_CASTLING: Text = Text {
        letters: 0x4f_2d_4f,
        bits: 24,
    };
    const LONG_CASTLING: Text = Text {
        letters: 0x4f_2d_4f_2d_4f,
        bits: 40,
    };

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
    fn append_to(&self, out: &mut Vec<u8>) {
        // Eight bytes at once, then cut: cheaper than a copy of unknown length.
        let bytes: [u8; 8] = std::array::from_fn(|i| (self.letters >> (8 * i)) as u8);
        let end = out.len() + (self.bits / 8) as usize;
        out.extend_from_slice(&bytes);
        out.truncate(end);
    }
}

/// The move and its text without `+` and `#`; `None` when all is written.
#[inline(always)]
fn begin(position: &Position, ply: Ply, out: &mut Vec<u8>) -> Option<(Move, Text)> {
    let Ply::Move(m) = ply else {
        out.extend_from_slice(b"--");
        return None;
    };
    let (from, to) = (m.from(), m.to());
    if m.is_castling() {
        let short = to.file() > from.file();
        return Some((
            m,
            if short {
                Text::SHORT_CASTLING
            } else {
                Text::LONG_CASTLING
            },
        ));
    }
    let code = position.board[from.index()] & 7;
    let captures = position.board[to.index()] != 0;
    let mut text = Text {
        letters: 0,
        bits: 0,
    };
    if code == PAWN {
        let aslant = from.file() != to.file();
        text.push_if(aslant, b'a' + from.file());
        text.push_if(aslant, b'x');
    } else if code == 0 {
        // Not a legal move; coordinates say what was asked for.
        uci::write(position, m, true, out);
        return None;
    } else {
        text.push(b"??NBRQK?"[usize::from(code)]);
        if code != KING {
            disambiguate(position, code, from, to, &mut text);
        }
        text.push_if(captures, b'x');
    }
    let [file, rank] = to.letters();
    text.push(file);
    text.push(rank);
    if let Some(role) = m.promotion_role() {
        text.push(b'=');
        text.push(role.upper_char());
    }
    Some((m, text))
}

#[inline(always)]
fn disambiguate(position: &Position, code: u8, from: Square, to: Square, text: &mut Text) {
    let own = position.roles[usize::from(code)] & position.colors[position.turn as usize];
    if own & attacks::rays(code, to) & !from.bit() != 0 {
        disambiguate_rivals(position, code, from, to, text);
    }
}

#[inline(never)]
fn disambiguate_rivals(position: &Position, code: u8, from: Square, to: Square, text: &mut Text) {
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
    text.push_if(any && (!file || rank), file_letter);
    text.push_if(any && file, rank_letter);
}

#[inline(never)]
fn mark_of_check(position: &Position, m: Move) -> u8 {
    let mut next = position.clone();
    next.play(m);
    if next.has_legal_move() { b'+' } else { b'#' }
}
