//! The colour flip and file mirror that turn a position into the one that is stored.

use tabia_core::chess::{Bitboard, Color, Position, Square};

/// How a position is transformed to be stored: White is to move in every stored position, and if
/// neither side may castle, the king of the side to move is on the files e to h.
///
/// Squares of the stored position are numbered file by file: a1, a2, … a8, b1, … h8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Orientation {
    /// Colours and ranks are exchanged, because Black is to move.
    pub flipped: bool,
    /// Files are exchanged.
    pub mirrored: bool,
}

impl Orientation {
    /// The position is stored unchanged.
    pub const IDENTITY: Orientation = Orientation {
        flipped: false,
        mirrored: false,
    };

    /// The four orientations, by [`Orientation::index`].
    pub const ALL: [Orientation; 4] = [
        Self::IDENTITY,
        Self {
            flipped: true,
            mirrored: false,
        },
        Self {
            flipped: false,
            mirrored: true,
        },
        Self {
            flipped: true,
            mirrored: true,
        },
    ];

    /// The orientation in which a position is stored.
    pub fn of(position: &Position) -> Self {
        let turn = position.turn();
        let castles = [Color::White, Color::Black]
            .iter()
            .any(|&color| (0..2).any(|side| position.castling_rook(color, side).is_some()));
        Self {
            flipped: !turn.is_white(),
            mirrored: !castles && position.king(turn).file() < 4,
        }
    }

    /// From 0 to 3.
    pub const fn index(self) -> u8 {
        self.flipped as u8 | (self.mirrored as u8) << 1
    }

    /// The number of a square in the stored position, below 64.
    pub const fn stored_square(self, square: Square) -> u8 {
        let file = self.file(square.file());
        let rank = square.rank() ^ if self.flipped { 7 } else { 0 };
        file * 8 + rank
    }

    /// The square with a number of the stored position, the inverse of
    /// [`stored_square`](Orientation::stored_square). Bits from 64 up are ignored.
    pub const fn square(self, stored: u8) -> Square {
        let files = if self.mirrored { 7 } else { 0 };
        let ranks = if self.flipped { 0x38 } else { 0 };
        let number = ((stored & 7) << 3 | stored >> 3 & 7) ^ files ^ ranks;
        match Square::new(number) {
            Some(square) => square,
            None => Square::A1,
        }
    }

    /// The file, 0 to 7, of the stored position for one of the real position, and the inverse.
    pub const fn file(self, file: u8) -> u8 {
        file ^ if self.mirrored { 7 } else { 0 }
    }

    /// A set of squares, numbered as in the stored position.
    pub const fn stored_squares(self, squares: Bitboard) -> u64 {
        let mut squares = squares.0;
        if self.flipped {
            squares = squares.swap_bytes();
        }
        if self.mirrored {
            squares = squares.reverse_bits().swap_bytes();
        }
        let mut swapped = 0x0f0f_0f0f_0000_0000 & (squares ^ squares << 28);
        squares ^= swapped ^ swapped >> 28;
        swapped = 0x3333_0000_3333_0000 & (squares ^ squares << 14);
        squares ^= swapped ^ swapped >> 14;
        swapped = 0x5500_5500_5500_5500 & (squares ^ squares << 7);
        squares ^ swapped ^ swapped >> 7
    }

    /// The side to move in the real position.
    pub const fn turn(self) -> Color {
        if self.flipped {
            Color::Black
        } else {
            Color::White
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_round_trip() {
        for (index, orientation) in Orientation::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(orientation.index()), index);
            for square in Square::ALL {
                let stored = orientation.stored_square(square);
                assert_eq!(orientation.square(stored), square);
                let squares = orientation.stored_squares(Bitboard(square.bit()));
                assert_eq!(squares, 1 << stored);
            }
        }
        assert_eq!(Orientation::IDENTITY.stored_square(Square::A2), 1);
        assert_eq!(Orientation::IDENTITY.stored_square(Square::H1), 56);
    }
}
