//! Boards as CTG and Kvetka store them: turned, then a code of some bits for every square, file by
//! file from a1 up.

use tabia_core::chess::{Color, Position, Role, Square};

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

/// Bits one after another, the most significant first.
pub(crate) struct Bits {
    /// Room for 64 pieces, each of six bits, and what stands before and behind them.
    bytes: [u8; 56],
    /// The bits not yet in `bytes`, fewer than 32 between two calls.
    waiting: u64,
    waits: u32,
    at: usize,
}

impl Bits {
    /// Leaves so many bytes free at the start.
    pub(crate) const fn behind(bytes: usize) -> Self {
        Self {
            bytes: [0; 56],
            waiting: 0,
            waits: 0,
            at: bytes,
        }
    }

    /// Bits so far, those of the free bytes included.
    pub(crate) const fn length(&self) -> u32 {
        8 * self.at as u32 + self.waits
    }

    /// Adds at most 32 bits.
    #[inline]
    pub(crate) fn push(&mut self, bits: u8, length: u32) {
        self.waiting = self.waiting << length | u64::from(bits);
        self.waits += length;
        if self.waits >= 32 {
            self.waits -= 32;
            let whole = self.waiting >> self.waits;
            let rest = self.bytes.get_mut(self.at..);
            if let Some(four) = rest.and_then(<[u8]>::first_chunk_mut::<4>) {
                *four = [
                    (whole >> 24) as u8,
                    (whole >> 16) as u8,
                    (whole >> 8) as u8,
                    whole as u8,
                ];
            }
            self.at += 4;
        }
    }

    /// Fills the last byte with zeros and gives all of them, with zeros behind.
    pub(crate) fn finish(mut self) -> ([u8; 56], usize) {
        let odd = self.waits % 8;
        self.push(0, if odd == 0 { 0 } else { 8 - odd });
        while self.waits >= 8 {
            self.waits -= 8;
            if let Some(byte) = self.bytes.get_mut(self.at) {
                *byte = (self.waiting >> self.waits) as u8;
            }
            self.at += 1;
        }
        (self.bytes, self.at)
    }

    /// Adds the codes of all squares. `own` is the side whose pieces are White's in what is stored;
    /// `flip` exchanges ranks, `mirror` files.
    pub(crate) fn push_board(&mut self, position: &Position, own: Color, flip: bool, mirror: bool) {
        let turn = if flip { 0x38 } else { 0 } | if mirror { 7 } else { 0 };
        let mut left = stored(position.occupied().0, flip, mirror);
        let mut next = 0;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            let square = Square::new(((place & 7) << 3 | place >> 3) as u8 ^ turn);
            let Some(piece) = square.and_then(|square| position.piece_at(square)) else {
                continue;
            };
            let (code, length) = CODES[piece.role as usize];
            let theirs = u8::from(piece.color != own);
            let empty = self.push_empty(place - next);
            self.push(code | theirs, empty + u32::from(length));
            next = place + 1;
        }
        let empty = self.push_empty(64 - next);
        self.push(0, empty);
    }

    /// Adds empty squares until no more than 24 are left, and says how many these are.
    fn push_empty(&mut self, mut count: u32) -> u32 {
        while count > 24 {
            self.push(0, 24);
            count -= 24;
        }
        count
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
    }
}
