//! How a position is turned to become the one that is stored.

use tabia_core::chess::{Bitboard, Color, Position, Square};

use crate::books::mirrored::board_code::stored;

/// The stored position has White to move, and, once nobody may castle, the king of the side to
/// move on files e to h. This is what was done to get there.
///
/// Squares of the stored position are numbered file by file: a1, a2, … a8, b1, … h8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Colours and ranks are exchanged: Black is to move.
    pub flipped: bool,
    /// Files are exchanged.
    pub mirrored: bool,
}

impl Frame {
    /// Nothing is changed.
    pub const PLAIN: Frame = Frame {
        flipped: false,
        mirrored: false,
    };

    /// The four ways, by [`Frame::number`].
    pub const ALL: [Frame; 4] = [
        Self::PLAIN,
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

    /// How this position is stored.
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
    pub const fn number(self) -> u8 {
        self.flipped as u8 | (self.mirrored as u8) << 1
    }

    /// The number of a square in the stored position, below 64.
    pub const fn stored(self, square: Square) -> u8 {
        let file = self.file(square.file());
        let rank = square.rank() ^ if self.flipped { 7 } else { 0 };
        file * 8 + rank
    }

    /// The square with that number in the stored position; higher bits are ignored.
    pub const fn square(self, stored: u8) -> Square {
        let files = if self.mirrored { 7 } else { 0 };
        let ranks = if self.flipped { 0x38 } else { 0 };
        let number = ((stored & 7) << 3 | stored >> 3 & 7) ^ files ^ ranks;
        match Square::new(number) {
            Some(square) => square,
            None => Square::A1,
        }
    }

    /// A file there and back, 0 to 7.
    pub const fn file(self, file: u8) -> u8 {
        file ^ if self.mirrored { 7 } else { 0 }
    }

    /// Squares by their number in the stored position.
    pub const fn set(self, squares: Bitboard) -> u64 {
        stored(squares.0, self.flipped, self.mirrored)
    }

    /// Who is to move in the real position.
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
    fn squares_go_there_and_back() {
        for (number, frame) in Frame::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(frame.number()), number);
            for square in Square::ALL {
                let stored = frame.stored(square);
                assert_eq!(frame.square(stored), square);
                assert_eq!(frame.set(Bitboard(square.bit())), 1 << stored);
            }
        }
        assert_eq!(Frame::PLAIN.stored(Square::A2), 1);
        assert_eq!(Frame::PLAIN.stored(Square::H1), 56);
    }
}
