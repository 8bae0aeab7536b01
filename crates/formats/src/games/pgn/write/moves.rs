//! Moves and their numbers.

use tabia_core::chess::{Color, Ply, Position, san};
use tabia_core::formats::Profile;
use zerocopy::byteorder::little_endian::U64;

use super::Writer;
use tabia_core::decimal::write_number;

impl Writer {
    /// Writes a move, with its number where one belongs.
    #[inline(always)]
    pub(super) fn add_move(&mut self, before: &Position, ply: Ply) {
        let (number, turn) = (before.full_move_number(), before.turn());
        let blank_and_number = match turn {
            Color::White => NUMBERS.get(usize::from(number)).copied(),
            Color::Black => Some(BLANK),
        };
        let (true, Ply::Move(m), Some(start)) = (self.steady, ply, blank_and_number) else {
            self.write_move(before, ply);
            return;
        };
        self.number = (number, turn);
        self.has_number = turn.is_white();
        self.first = false;
        let length = (start >> 56) as usize & 7;
        self.move_at = self.out.len() + 1;
        self.san_at = self.out.len() + length;
        let text = san::text(before, m);
        // Eight bytes at once, then cut: cheaper than one after the other.
        self.out.extend_from_slice(&U64::new(start).to_bytes());
        self.out.truncate(self.san_at);
        self.out
            .extend_from_slice(&U64::new(text.letters()).to_bytes());
        self.out.truncate(self.san_at + text.len());
    }

    /// Writes a move that begins a line, follows something that was said, or is no ordinary one.
    #[inline(never)]
    fn write_move(&mut self, before: &Position, ply: Ply) {
        self.flush();
        let turn = before.turn();
        self.number = (before.full_move_number(), turn);
        self.has_number = turn.is_white() || self.needs_number;
        self.blank();
        self.move_at = self.out.len();
        if self.has_number {
            write_move_number(self.number, &mut self.out);
            self.needs_number = false;
        }
        self.first = self.line_start;
        self.line_start = false;
        self.move_open = true;
        self.said = false;
        self.steady = true;
        self.san_at = self.out.len();
        if ply == Ply::Null && self.profile == Profile::ChessBase {
            self.out.extend_from_slice(b"Z0");
        } else {
            san::write(before, ply, &mut self.out);
        }
    }
}

/// A blank as [`NUMBERS`] would have it.
const BLANK: u64 = b' ' as u64 | 1 << 56;

/// A blank and the numbers below 1000 as texts with a full stop and a blank, the first letter in
/// the lowest byte and the length in the highest.
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

pub(super) fn write_move_number((number, turn): (u16, Color), out: &mut Vec<u8>) {
    write_number(number.into(), out);
    out.extend_from_slice(if turn.is_white() { b". " } else { b"... " });
}
