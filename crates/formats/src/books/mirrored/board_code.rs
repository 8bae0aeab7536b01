//! The board as CTG and Kvetka store it: a variable-length code for each square of the stored
//! position, file by file from a1 up.

use tabia_core::chess::{Position, Role};
use zerocopy::byteorder::big_endian::U64;

use crate::books::mirrored::orientation::Orientation;

/// The code of a piece of the side to move and its length in bits, by role. The last bit is set for
/// the opponent's piece. An empty square is a single 0.
pub(crate) const CODES: [(u8, u8); 6] = {
    let mut codes = [(0, 0); 6];
    codes[Role::Pawn as usize] = (0b110, 3);
    codes[Role::Knight as usize] = (0b10010, 5);
    codes[Role::Bishop as usize] = (0b10100, 5);
    codes[Role::Rook as usize] = (0b10110, 5);
    codes[Role::Queen as usize] = (0b100010, 6);
    codes[Role::King as usize] = (0b100000, 6);
    codes
};

/// The codes, left-aligned in 64 bits, and their lengths: by role, plus 8 for the opponent.
static ALIGNED_CODES: [(u64, u32); 16] = {
    let mut codes = [(0, 0); 16];
    let mut role = 0;
    while role < CODES.len() {
        let (code, length) = CODES[role];
        codes[role] = ((code as u64) << (64 - length), length as u32);
        codes[role + 8] = ((code as u64 | 1) << (64 - length), length as u32);
        role += 1;
    }
    codes
};

/// The piece at the start of `count` bits: role, plus 8 for the opponent, and the length of its
/// code. `None` if they begin with no complete code.
pub(crate) const fn piece_of(bits: usize, count: u32) -> Option<(u8, u8)> {
    let mut role = 0;
    while role < CODES.len() {
        let (code, length) = CODES[role];
        if length as u32 <= count {
            let start = (bits >> (count - length as u32)) as u8;
            if start | 1 == code | 1 {
                return Some((role as u8 | (start & 1) << 3, length));
            }
        }
        role += 1;
    }
    None
}

/// Role, whether the piece is the opponent's, and the length of its code; by the five bits after
/// the leading 1.
static DECODED: [(Role, bool, usize); 32] = {
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let mut table = [(Role::King, false, 6); 32];
    let mut bits = 0;
    while bits < table.len() {
        if let Some((piece, length)) = piece_of(32 | bits, 6) {
            table[bits] = (roles[piece as usize & 7], piece & 8 != 0, length as usize);
        }
        bits += 1;
    }
    table
};

/// The longest key in bytes.
pub(crate) const MAX_KEY: usize = 32;

/// The bits of a key, readable up to 57 at a time from any offset below 8 * [`MAX_KEY`].
pub(crate) struct KeyBits {
    /// The key, followed by zeros.
    bytes: [u8; 48],
}

impl KeyBits {
    /// Longer keys are cut to [`MAX_KEY`] bytes.
    #[inline(always)]
    pub(crate) fn new(key: &[u8]) -> Option<Self> {
        let mut bytes = [0; 48];
        bytes
            .get_mut(..key.len().min(MAX_KEY))?
            .copy_from_slice(key.get(..MAX_KEY).unwrap_or(key));
        Some(Self { bytes })
    }

    /// At least 57 bits from an offset on, left-aligned.
    #[inline(always)]
    pub(crate) fn window(&self, offset: usize) -> u64 {
        let rest = self.bytes.get((offset / 8) & 31..);
        let word = rest.and_then(|rest| rest.first_chunk());
        word.map_or(0, |word| U64::from_bytes(*word).get()) << (offset % 8)
    }
}

/// Calls `visit` with every piece of a stored board whose code begins at bit `start` of a key: the
/// number of its stored square, its role, and whether it is the opponent's. Returns the bit offset
/// after the board; `None` if the key is longer than any key of a position.
pub(crate) fn for_each_piece(
    key: &[u8],
    start: usize,
    mut visit: impl FnMut(u8, Role, bool),
) -> Option<usize> {
    let bits = KeyBits::new(key)?;
    let (mut offset, mut square) = (start, 0);
    while square < 64 {
        let window = bits.window(offset);
        // The longest code has six bits.
        let empty = window.leading_zeros().min(57 - 6).min(64 - square);
        (offset, square) = (offset + empty as usize, square + empty);
        let window = window << empty;
        if window >> 63 == 0 || square == 64 {
            continue;
        }
        let (role, is_opponent, length) = DECODED[(window >> 58) as usize & 31];
        visit(square as u8, role, is_opponent);
        (offset, square) = (offset + length, square + 1);
    }
    (key.len() <= MAX_KEY).then_some(offset)
}

/// Whether the bits of a key from one offset up to another are all zero.
pub(crate) fn is_zero(key: &[u8], from: usize, to: usize) -> bool {
    (from..to).all(|offset| {
        key.get(offset / 8)
            .is_none_or(|byte| byte >> (7 - offset % 8) & 1 == 0)
    })
}

/// Writes the bits of a key, the most significant first.
pub(crate) struct BitWriter {
    /// Capacity for 64 pieces of six bits each, and the fields before and after them.
    words: [u64; 8],
    length: u32,
}

impl BitWriter {
    /// Begins with `bytes` zero bytes.
    pub(crate) const fn with_prefix(bytes: u32) -> Self {
        Self {
            words: [0; 8],
            length: 8 * bytes,
        }
    }

    /// Number of bits, those of the prefix included.
    pub(crate) const fn length(&self) -> u32 {
        self.length
    }

    /// Appends the lowest `length` bits of a byte, with zeros before them if `length` is above 8.
    #[inline]
    pub(crate) fn push(&mut self, bits: u8, length: u32) {
        if let Some(shift) = 64u32.checked_sub(length).filter(|shift| *shift < 64) {
            self.set_bits(self.length, u64::from(bits) << shift);
        }
        self.length += length;
    }

    /// Sets the bits from an offset on, which are zero so far, to those at the high end of `bits`.
    #[inline(always)]
    fn set_bits(&mut self, offset: u32, bits: u64) {
        let (word, from) = ((offset >> 6) as usize, offset & 63);
        self.words[word & 7] |= bits >> from;
        self.words[(word + 1) & 7] |= bits << 1 << (63 - from);
    }

    /// The bytes, followed by zeros, and their number; the last one is filled with zeros.
    pub(crate) fn finish(self) -> ([u8; 64], usize) {
        let bytes = zerocopy::transmute!(self.words.map(U64::new));
        (bytes, self.length.div_ceil(8) as usize)
    }

    /// Appends the codes of all squares of a position in an orientation.
    pub(crate) fn push_board(&mut self, position: &Position, orientation: Orientation) {
        let us = orientation.turn();
        let mut left = orientation.stored_squares(position.occupied());
        // Current output word, its index, and the bit offset of square 0 relative to it (may exceed
        // 64) if all squares since the last piece are empty.
        let mut word = (self.length >> 6) as usize & 7;
        let mut bits = self.words[word];
        let mut base = self.length & 63;
        while left != 0 {
            let stored = left.trailing_zeros();
            left &= left - 1;
            let Some(piece) = position.piece_at(orientation.square(stored as u8)) else {
                continue;
            };
            let opponent = usize::from(piece.color != us) << 3;
            let (code, length) = ALIGNED_CODES[(piece.role as usize | opponent) & 15];
            let mut from = base.wrapping_add(stored);
            base = base.wrapping_add(length - 1);
            while from >= 64 {
                self.words[word] = bits;
                (word, bits) = ((word + 1) & 7, 0);
                (from, base) = (from - 64, base.wrapping_sub(64));
            }
            bits |= code >> from;
            if from + length > 64 {
                self.words[word] = bits;
                (word, bits) = ((word + 1) & 7, code << (64 - from));
                base = base.wrapping_sub(64);
            }
        }
        self.words[word] = bits;
        self.length = (word as u32) << 6;
        self.length = self.length.wrapping_add(base).wrapping_add(64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_written_in_order() {
        let mut bits = BitWriter::with_prefix(1);
        for (code, length) in [(0b110, 3), (0, 32), (0b1, 1), (0xff, 8), (0, 24), (0b10, 2)] {
            bits.push(code, length);
        }
        assert_eq!(bits.length(), 8 + 70);
        let (bytes, length) = bits.finish();
        assert_eq!(length, 10);
        assert_eq!(
            bytes.get(..12),
            Some(&[0, 0xc0, 0, 0, 0, 0x1f, 0xf0, 0, 0, 0x08, 0, 0][..])
        );
        assert_eq!(BitWriter::with_prefix(0).finish().1, 0);
        // Across the end of a word, and exactly up to it.
        for start in 50..70 {
            let mut bits = BitWriter::with_prefix(0);
            bits.push(0, start);
            bits.push(0b0110_1101, 8);
            let (bytes, _) = bits.finish();
            let word = |offset: usize| {
                bytes[offset..offset + 8]
                    .iter()
                    .fold(0u128, |w, b| w << 8 | u128::from(*b))
            };
            let words = word(0) << 64 | word(8);
            assert_eq!(words, 0b0110_1101 << (128 - 8 - start), "{start}");
        }
    }
}
