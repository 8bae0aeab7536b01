//! Moves and their numbers.

use tabia_core::chess::{Color, Ply, Position, san};
use tabia_core::decimal_digits::write_number;
use tabia_core::formats::Profile;
use zerocopy::byteorder::little_endian::U64;

use super::{MoveNumber, TokenState, Writer};

impl Writer {
    /// Writes a move, with its number if it needs one.
    #[inline(always)]
    pub(super) fn add_move(&mut self, before: &Position, ply: Ply) {
        let (number, turn) = (before.full_move_number(), before.turn());
        let blank_and_number = match turn {
            Color::White => NUMBERS.get(usize::from(number)).copied(),
            Color::Black => Some(BLANK),
        };
        let (TokenState::Move, Ply::Move(m), Some(start)) = (self.state, ply, blank_and_number)
        else {
            self.write_move(before, ply);
            return;
        };
        self.last_move.number = (number, turn);
        self.last_move.number_state = match turn {
            Color::White => MoveNumber::Written,
            Color::Black => MoveNumber::Omitted,
        };
        let length = (start >> 56) as usize & 7;
        let san_start = self.out.len() + length;
        self.last_move.start = self.out.len() + 1;
        self.last_move.san_start = san_start;
        let text = san::text(before, m);
        // Appending eight bytes and truncating is faster than appending fewer.
        self.out.extend_from_slice(&U64::new(start).to_bytes());
        self.out.truncate(san_start);
        self.out
            .extend_from_slice(&U64::new(text.letters()).to_bytes());
        self.out.truncate(san_start + text.len());
    }

    /// Whether a move of Black needs its number. ChessBase does not repeat it after a comment.
    fn needs_number(&self) -> bool {
        let is_joined =
            self.profile == Profile::ChessBase && self.state == TokenState::CommentedMove;
        self.state.needs_number() && !is_joined
    }

    /// Writes a move that does not directly follow another move, or a null move.
    #[inline(never)]
    fn write_move(&mut self, before: &Position, ply: Ply) {
        if ply == Ply::Null && self.profile == Profile::Lichess {
            self.begin_null_line();
        }
        self.flush();
        let turn = before.turn();
        self.last_move.number = (before.full_move_number(), turn);
        self.last_move.number_state = if self.state.is_line_start() {
            MoveNumber::StartsLine
        } else if turn.is_white() || self.needs_number() {
            MoveNumber::Written
        } else {
            MoveNumber::Omitted
        };
        self.write_blank();
        self.last_move.start = self.out.len();
        if self.last_move.number_state != MoveNumber::Omitted {
            write_move_number(self.last_move.number, &mut self.out);
        }
        self.last_move.san_start = self.out.len();
        self.state = TokenState::Move;
        if ply == Ply::Null && self.profile == Profile::ChessBase {
            self.out.extend_from_slice(b"Z0");
        } else {
            san::write(before, ply, &mut self.out);
        }
    }
}

/// A blank without a number, in the form of [`NUMBERS`].
const BLANK: u64 = b' ' as u64 | 1 << 56;

/// The texts before a move of White with a number below 1000: a blank, the number, a full stop and a
/// blank. The first character is in the lowest byte, the length in the highest.
static NUMBERS: [u64; 1000] = {
    let mut table = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        let mut letters = 0x20_2e;
        let mut length = 3;
        let mut rest = number;
        while length == 3 || rest > 0 {
            letters = letters << 8 | (b'0' as u64 + rest % 10);
            rest /= 10;
            length += 1;
        }
        table[number as usize] = letters << 8 | b' ' as u64 | length << 56;
        number += 1;
    }
    table
};

/// Writes `1. ` or `1... `.
pub(super) fn write_move_number((number, turn): (u16, Color), out: &mut Vec<u8>) {
    write_number(number.into(), out);
    out.extend_from_slice(if turn.is_white() { b". " } else { b"... " });
}
