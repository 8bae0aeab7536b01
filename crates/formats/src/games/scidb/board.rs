//! A position with the numbers of pieces that moves refer to.

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Setup, Square};

use crate::games::scid::move_codes::{Dialect, Mover, castling_targets};

/// Bytes that are no moves.
pub(crate) mod token {
    /// A mark or a move information, which is in the side data.
    pub(crate) const MARK: u8 = 0;
    /// A NAG, whose number is in the side data, in older versions in the next byte.
    pub(crate) const NAG: u8 = 1;
    /// A comment, whose flags are in the side data and whose text is in the texts.
    pub(crate) const COMMENT: u8 = 2;
    pub(crate) const BEGIN_VARIATION: u8 = 3;
    /// The end of a line; another one or a [`COMMENT`] follows.
    pub(crate) const END: u8 = 4;
    /// A null move; also the first byte that is a move.
    pub(crate) const NULL: u8 = 5;
}

/// Whether a variation replaces the move before `at`. Annotations of the move are skipped; with
/// `has_nags`, in older versions, the number of a NAG follows its token.
pub(crate) fn variation_follows(moves: &[u8], mut at: usize, has_nags: bool) -> bool {
    loop {
        match moves.get(at) {
            Some(&token::MARK | &token::COMMENT) => at += 1,
            Some(&token::NAG) => at += 1 + usize::from(has_nags),
            next => return next == Some(&token::BEGIN_VARIATION),
        }
    }
}

/// No piece, or no square.
const NONE: u8 = 0xff;

/// A position with the numbers of its pieces, which never change and are never reused.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) position: Position,
    /// The squares of White's and Black's pieces by number; those of taken pieces are their last.
    squares: [[u8; 16]; 2],
    /// The number of the piece on each square.
    at: [u8; 64],
}

impl Board {
    /// The standard position.
    pub(crate) fn standard() -> Self {
        Self::numbered(Position::standard(), true)
    }

    /// A setup position. `None` if it cannot be played from or has more pieces than numbers.
    /// `is_array`: pawns and pieces are on their first ranks, in any order.
    pub(crate) fn from_setup(setup: &Setup, is_array: bool) -> Option<Self> {
        let position = Position::from_setup(setup).ok()?;
        let fits = |color| position.by_color(color).count() <= 16;
        if !fits(Color::White) || !fits(Color::Black) {
            return None;
        }
        Some(Self::numbered(position, is_array))
    }

    fn numbered(position: Position, is_array: bool) -> Self {
        let mut board = Self {
            position,
            squares: [[NONE; 16]; 2],
            at: [NONE; 64],
        };
        let mut next = [1_u8; 2];
        for rank in Self::ranks(is_array) {
            for file in 0..8 {
                let Some(square) = Square::from_coords(file, rank) else {
                    continue;
                };
                let Some(piece) = board.position.piece_at(square) else {
                    continue;
                };
                if piece.role == Role::King {
                    board.put(piece.color, 0, square);
                } else if let Some(number) = next.get_mut(piece.color as usize) {
                    let assigned = *number;
                    *number += 1;
                    board.put(piece.color, assigned, square);
                }
            }
        }
        board
    }

    /// The order in which ranks are numbered: from the eighth down; in arrays White's pawns come
    /// before White's pieces, and Black's after Black's.
    const fn ranks(is_array: bool) -> [u8; 8] {
        if is_array {
            [1, 0, 7, 6, 2, 3, 4, 5]
        } else {
            [7, 6, 5, 4, 3, 2, 1, 0]
        }
    }

    fn put(&mut self, color: Color, number: u8, square: Square) {
        let side = self.squares.get_mut(color as usize);
        if let Some(stored) = side.and_then(|side| side.get_mut(usize::from(number))) {
            *stored = square.number();
        }
        if let Some(at) = self.at.get_mut(square.index()) {
            *at = number;
        }
    }

    /// The number of the piece on a square.
    pub(crate) fn number(&self, square: Square) -> Option<u8> {
        let number = self.at.get(square.index()).copied();
        number.filter(|&number| number != NONE)
    }

    /// The mover's piece of that number and its square.
    fn piece(&self, number: u8) -> Option<(Square, Piece)> {
        let us = self.position.turn();
        let side = self.squares.get(us as usize)?;
        let square = Square::new(*side.get(usize::from(number))?)?;
        if self.number(square) != Some(number) {
            return None;
        }
        let piece = self.position.piece_at(square)?;
        (piece.color == us).then_some((square, piece))
    }

    /// The ply of a byte that is no token. `second` returns the byte after it. `None` if it cannot be
    /// played.
    pub(crate) fn decode(&mut self, byte: u8, second: impl FnOnce() -> Option<u8>) -> Option<Ply> {
        if byte == token::NULL {
            return Some(Ply::Null);
        }
        let (number, code) = (byte >> 4, byte & 15);
        let (from, piece) = self.piece(number)?;
        let coded = Mover::new(Dialect::Scidb, piece).decode(from, code);
        coded.ply(&mut self.position, from, code, || {
            Square::new(second()? & 63)
        })
    }

    /// Appends the byte or bytes of a ply. `false` if the move cannot be written.
    pub(crate) fn encode(&self, ply: Ply, out: &mut Vec<u8>) -> bool {
        let Ply::Move(m) = ply else {
            out.push(token::NULL);
            return true;
        };
        let from = m.from();
        let (Some(number), Some(piece)) = (self.number(from), self.position.piece_at(from)) else {
            return false;
        };
        Mover::new(Dialect::Scidb, piece).encode(number, m, out)
    }

    /// Plays a ply.
    pub(crate) fn play(&mut self, ply: Ply) {
        if let Ply::Move(m) = ply {
            self.renumber(m);
        }
        self.position.play_ply(ply);
    }

    fn renumber(&mut self, m: Move) {
        let us = self.position.turn();
        let (from, to) = (m.from(), m.to());
        let Some(number) = self.number(from) else {
            return;
        };
        if m.is_castling() {
            let rook = self.number(to);
            self.clear(from);
            self.clear(to);
            if let (Some(rook), Some([king_to, rook_to])) = (rook, castling_targets(m)) {
                self.put(us, number, king_to);
                self.put(us, rook, rook_to);
            }
            return;
        }
        let is_pawn = self
            .position
            .piece_at(from)
            .is_some_and(|p| p.role == Role::Pawn);
        if is_pawn
            && Some(to) == self.position.en_passant()
            && from.file() != to.file()
            && let Some(taken) = Square::from_coords(to.file(), from.rank())
        {
            self.clear(taken);
        }
        self.clear(from);
        self.put(us, number, to);
    }

    fn clear(&mut self, square: Square) {
        if let Some(at) = self.at.get_mut(square.index()) {
            *at = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::san;

    #[test]
    fn moves_round_trip() {
        let fens = [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                true,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                false,
            ),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1",
                false,
            ),
            ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", false),
            (
                "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRK1B1RN w KQkq - 0 1",
                true,
            ),
        ];
        for (fen, is_array) in fens {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let board = Board::from_setup(&setup, is_array).unwrap();
            let mut seen = Vec::new();
            for m in board.position.legal_moves() {
                let mut bytes = Vec::new();
                assert!(board.encode(Ply::Move(m), &mut bytes), "{m} in {fen}");
                assert!(bytes.iter().all(|&byte| byte > token::NULL), "{m} in {fen}");
                let decoded = board.clone().decode(bytes[0], || bytes.get(1).copied());
                assert_eq!(decoded, Some(Ply::Move(m)), "{m} in {fen}");
                assert!(!seen.contains(&bytes), "{m} in {fen}");
                seen.push(bytes);
                let mut after = board.clone();
                after.play(Ply::Move(m));
                for square in Square::ALL {
                    let is_occupied = after.position.piece_at(square).is_some();
                    assert_eq!(after.number(square).is_some(), is_occupied, "{m} in {fen}");
                }
            }
        }
    }

    #[test]
    fn moves_have_the_bytes_of_scidb() {
        let mut board = Board::standard();
        let mut bytes = Vec::new();
        for text in "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#".split(' ') {
            let ply = san::read(&board.position, text.as_bytes()).unwrap();
            assert!(board.encode(ply, &mut bytes));
            board.play(ply);
        }
        // As Scidb stores them.
        assert_eq!(
            bytes,
            [0x5f, 0xcf, 0xc3, 0x67, 0x22, 0xda, 0x61, 0xc7, 0x75]
        );
    }
}
