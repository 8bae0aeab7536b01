//! Boards as CTG and Kvetka store them: turned, then a code of some bits for every square, file by
//! file from a1 up.

use tabia_core::chess::{Color, Position, Role, Square};
use zerocopy::byteorder::big_endian::U64;

/// Code of an own piece and its length in bits, by role; the opponent's has the last bit set. An
/// empty square is a single 0.
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

/// The codes at the high end of a word and their lengths, by role, the opponent's 8 places on.
static PIECES: [(u64, u32); 16] = {
    let mut pieces = [(0, 0); 16];
    let mut role = 0;
    while role < CODES.len() {
        let (code, length) = CODES[role];
        pieces[role] = ((code as u64) << (64 - length), length as u32);
        pieces[role + 8] = ((code as u64 | 1) << (64 - length), length as u32);
        role += 1;
    }
    pieces
};

/// Bits one after another, the most significant first.
pub(crate) struct Bits {
    /// Room for 64 pieces, each of six bits, and what stands before and behind them.
    words: [u64; 8],
    length: u32,
}

impl Bits {
    /// Leaves so many bytes free at the start.
    pub(crate) const fn behind(bytes: u32) -> Self {
        Self {
            words: [0; 8],
            length: 8 * bytes,
        }
    }

    /// Bits so far, those of the free bytes included.
    pub(crate) const fn length(&self) -> u32 {
        self.length
    }

    /// Adds the lowest bits of a byte, or, when there are to be more than eight, zeros before them.
    #[inline]
    pub(crate) fn push(&mut self, bits: u8, length: u32) {
        if let Some(up) = 64u32.checked_sub(length).filter(|up| *up < 64) {
            self.put(self.length, u64::from(bits) << up);
        }
        self.length += length;
    }

    /// Sets bits from `at` on, which are zeros so far: those at the high end of `bits`.
    #[inline(always)]
    fn put(&mut self, at: u32, bits: u64) {
        let (word, from) = ((at >> 6) as usize, at & 63);
        self.words[word & 7] |= bits >> from;
        self.words[(word + 1) & 7] |= bits << 1 << (63 - from);
    }

    /// Fills the last byte with zeros and gives all of them, with zeros behind.
    pub(crate) fn finish(self) -> ([u8; 64], usize) {
        let bytes = zerocopy::transmute!(self.words.map(U64::new));
        (bytes, self.length.div_ceil(8) as usize)
    }

    /// Adds the codes of all squares. `own` is the side whose pieces are White's in what is stored;
    /// `flip` exchanges ranks, `mirror` files.
    pub(crate) fn push_board(&mut self, position: &Position, own: Color, flip: bool, mirror: bool) {
        let turn = if flip { 0x38 } else { 0 } | if mirror { 7 } else { 0 };
        let mut left = stored(position.occupied().0, flip, mirror);
        // A word that is put together, which one, and where a square's bits begin in it if all
        // between the last piece and it are empty; that may be far behind its end.
        let mut word = (self.length >> 6) as usize & 7;
        let mut bits = self.words[word];
        let mut base = self.length & 63;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let square = Square::new(((place & 7) << 3 | place >> 3 & 7) as u8 ^ turn);
            let Some(piece) = square.and_then(|square| position.piece_at(square)) else {
                continue;
            };
            let theirs = usize::from(piece.color != own) << 3;
            let (code, length) = PIECES[(piece.role as usize | theirs) & 15];
            let mut from = base.wrapping_add(place);
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

/// A set of squares, by their numbers in what is stored: file by file.
pub(crate) const fn stored(mut squares: u64, flip: bool, mirror: bool) -> u64 {
    if flip {
        squares = squares.swap_bytes();
    }
    if mirror {
        squares = squares.reverse_bits().swap_bytes();
    }
    let mut swapped = 0x0f0f_0f0f_0000_0000 & (squares ^ squares << 28);
    squares ^= swapped ^ swapped >> 28;
    swapped = 0x3333_0000_3333_0000 & (squares ^ squares << 14);
    squares ^= swapped ^ swapped >> 14;
    swapped = 0x5500_5500_5500_5500 & (squares ^ squares << 7);
    squares ^ swapped ^ swapped >> 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_in_order() {
        let mut bits = Bits::behind(1);
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
        assert_eq!(Bits::behind(0).finish().1, 0);
        // Over the end of a word, and exactly up to it.
        for before in 50..70 {
            let mut bits = Bits::behind(0);
            bits.push(0, before);
            bits.push(0b0110_1101, 8);
            let (bytes, _) = bits.finish();
            let word = |at: usize| {
                bytes[at..at + 8]
                    .iter()
                    .fold(0u128, |w, b| w << 8 | u128::from(*b))
            };
            let all = word(0) << 64 | word(8);
            assert_eq!(all, 0b0110_1101 << (128 - 8 - before), "{before}");
        }
    }
}
