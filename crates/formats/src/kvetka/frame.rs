//! How a position is turned into the one that is stored.

use tabia_core::chess::{Color, Position, Square};

/// Colours exchanged, files exchanged: every position is stored with White to move, and without
/// castling rights with the white king on the files e to h.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Colours and ranks are exchanged: Black is to move.
    pub flip: bool,
    /// Files are exchanged.
    pub mirror: bool,
}

impl Frame {
    /// As it stands.
    pub const PLAIN: Frame = Frame {
        flip: false,
        mirror: false,
    };
    /// All of them, by number.
    pub const ALL: [Frame; 4] = [
        Self::PLAIN,
        Frame {
            flip: true,
            mirror: false,
        },
        Frame {
            flip: false,
            mirror: true,
        },
        Frame {
            flip: true,
            mirror: true,
        },
    ];

    /// How a position is turned.
    pub fn of(position: &Position) -> Self {
        let us = position.turn();
        let may_castle = [Color::White, Color::Black]
            .into_iter()
            .any(|color| (0..2).any(|side| position.castling_rook(color, side).is_some()));
        Self {
            flip: !us.is_white(),
            mirror: !may_castle && position.king(us).file() < 4,
        }
    }

    /// Its number, 0 to 3.
    pub const fn number(self) -> u8 {
        self.flip as u8 | (self.mirror as u8) << 1
    }

    /// Who is to move.
    pub const fn turn(self) -> Color {
        if self.flip {
            Color::Black
        } else {
            Color::White
        }
    }

    /// From a square of the board to the stored one, and back.
    pub fn square(self, square: Square) -> Square {
        let ranks = if self.flip { 0x38 } else { 0 };
        let files = if self.mirror { 7 } else { 0 };
        Square::new(square.number() ^ ranks ^ files).unwrap_or(square)
    }

    /// From a file to the stored one, and back.
    pub const fn file(self, file: u8) -> u8 {
        if self.mirror { file ^ 7 } else { file }
    }
}
