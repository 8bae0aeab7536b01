//! A position with the piece lists that moves refer to.

use std::sync::LazyLock;

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Setup, Square};

use super::move_codes::{Dialect, Mover, castling_targets};

/// Bytes that are no moves. A move has a slot of the mover's piece list in its high four bits and a
/// code for the target below.
pub(crate) mod token {
    /// A NAG; its number is the next byte.
    pub(crate) const NAG: u8 = 0x0b;
    /// A comment, whose text follows all moves.
    pub(crate) const COMMENT: u8 = 0x0c;
    pub(crate) const BEGIN_VARIATION: u8 = 0x0d;
    pub(crate) const END_VARIATION: u8 = 0x0e;
    pub(crate) const END_GAME: u8 = 0x0f;
}

/// Most pieces of a side.
pub(crate) const MAX_PIECES: usize = 16;

/// The square of a slot without a piece.
const NONE: u8 = 0xff;

/// A position with the piece lists of both sides. The king is the first of a list.
///
/// The number of a piece is its slot in the list, and 16 more for Black.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) position: Position,
    /// Squares by number; [`NONE`] after the last piece of a list.
    squares: [u8; 2 * MAX_PIECES],
    /// Kinds of the pieces by number.
    movers: [Mover; 2 * MAX_PIECES],
    /// Lengths of the lists.
    counts: [u8; 2],
    /// The number of the piece on each square; meaningless for empty squares.
    numbers: [u8; 64],
}

/// The standard position: king, rook, knight, bishop, queen, bishop, knight, rook, then the pawns.
const STANDARD: [u8; MAX_PIECES] = [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl Board {
    /// The standard position.
    pub(crate) fn standard() -> Self {
        static BOARD: LazyLock<Board> = LazyLock::new(|| {
            let mut board = Board::empty(Position::standard());
            for flip in [0, 0x38] {
                for square in STANDARD {
                    if let Some(square) = Square::new(square ^ flip) {
                        board.add(square);
                    }
                }
            }
            board
        });
        BOARD.clone()
    }

    /// A setup position. `None` if it cannot be played from or has more pieces than lists hold.
    pub(crate) fn from_setup(setup: &Setup) -> Option<Self> {
        let mut board = Self::empty(Position::from_setup(setup).ok()?);
        for rank in (0..8).rev() {
            for file in 0..8 {
                if !board.add(Square::from_coords(file, rank)?) {
                    return None;
                }
            }
        }
        Some(board)
    }

    const fn empty(position: Position) -> Self {
        Self {
            position,
            squares: [NONE; 2 * MAX_PIECES],
            movers: [Mover::NONE; 2 * MAX_PIECES],
            counts: [0; 2],
            numbers: [0; 64],
        }
    }

    /// Adds the piece on a square at the end of its list, a king at the start. `false` if the list
    /// is full.
    fn add(&mut self, square: Square) -> bool {
        let Some(piece) = self.position.piece_at(square) else {
            return true;
        };
        let Some(count) = self.counts.get_mut(piece.color as usize) else {
            return false;
        };
        let slot = *count;
        if usize::from(slot) == MAX_PIECES {
            return false;
        }
        *count += 1;
        let mut number = number(piece.color, slot);
        if piece.role == Role::King && slot > 0 {
            let king = number & !15;
            self.move_number(king, number);
            number = king;
        }
        self.set(number, square);
        self.set_mover(number, Mover::new(Dialect::Scid, piece));
        true
    }

    /// The squares of a side's list in order.
    pub(crate) fn listed(&self, color: Color) -> impl Iterator<Item = Square> + '_ {
        (0..MAX_PIECES as u8).map_while(move |slot| self.square(number(color, slot)))
    }

    /// The square of the piece of that number.
    #[inline(always)]
    fn square(&self, number: u8) -> Option<Square> {
        let square = self.squares.get(usize::from(number & 31));
        Square::new(square.copied().unwrap_or(NONE))
    }

    #[inline(always)]
    fn mover(&self, number: u8) -> Mover {
        let mover = self.movers.get(usize::from(number & 31));
        mover.copied().unwrap_or(Mover::NONE)
    }

    /// The number of the piece on a square.
    #[inline(always)]
    fn number(&self, square: Square) -> u8 {
        self.numbers.get(square.index()).copied().unwrap_or(0)
    }

    /// Puts the piece of that number on a square.
    #[inline(always)]
    fn set(&mut self, number: u8, square: Square) {
        if let Some(stored) = self.squares.get_mut(usize::from(number & 31)) {
            *stored = square.number();
        }
        if let Some(stored) = self.numbers.get_mut(square.index()) {
            *stored = number;
        }
    }

    #[inline(always)]
    fn set_mover(&mut self, number: u8, mover: Mover) {
        if let Some(stored) = self.movers.get_mut(usize::from(number & 31)) {
            *stored = mover;
        }
    }

    /// Gives a piece another number.
    #[inline(always)]
    fn move_number(&mut self, from: u8, to: u8) {
        if let Some(square) = self.square(from) {
            self.set(to, square);
            self.set_mover(to, self.mover(from));
        }
    }

    /// Takes the piece on a square off its list; the last one of the list takes its number.
    #[inline(always)]
    fn remove(&mut self, square: Square) {
        let number = self.number(square);
        let Some(count) = self.counts.get_mut(usize::from(number >> 4 & 1)) else {
            return;
        };
        *count = count.saturating_sub(1);
        let last = number & 16 | *count;
        self.move_number(last, number);
        if let Some(square) = self.squares.get_mut(usize::from(last & 31)) {
            *square = NONE;
        }
    }

    /// The ply of a byte that is no token. `second` returns the byte after it. `None` if no piece of
    /// the list can play it.
    #[inline(always)]
    pub(crate) fn decode(&mut self, byte: u8, second: impl FnOnce() -> Option<u8>) -> Option<Ply> {
        let code = byte & 15;
        let number = number(self.position.turn(), byte >> 4);
        let from = self.square(number)?;
        let coded = self.mover(number).decode(from, code);
        coded.ply(&mut self.position, from, code, || {
            Square::new(second()?.checked_sub(64)?)
        })
    }

    /// Appends the byte or bytes of a ply. `false` if the move cannot be written.
    #[cfg(test)]
    pub(crate) fn encode(&self, ply: Ply, out: &mut Vec<u8>) -> bool {
        let Ply::Move(m) = ply else {
            out.push(0);
            return true;
        };
        let from = m.from();
        let Some(piece) = self.position.piece_at(from) else {
            return false;
        };
        let slot = self.number(from) & 15;
        Mover::new(Dialect::Scid, piece).encode(slot, m, out)
    }

    /// Plays the ply that [`Board::decode`] returned for a byte.
    #[inline(always)]
    pub(crate) fn play(&mut self, byte: u8, ply: Ply) {
        if let Ply::Move(m) = ply {
            let number = number(self.position.turn(), byte >> 4);
            let to = m.to();
            if !m.is_normal() || self.position.en_passant() == Some(to) {
                self.play_special_in_lists(number, m);
            } else {
                if self.position.occupied().0 & to.bit() != 0 {
                    self.remove(to);
                }
                self.set(number, to);
            }
        }
        self.position.play_ply(ply);
    }

    /// Updates the lists for castling, promotion and en passant.
    #[inline(never)]
    fn play_special_in_lists(&mut self, number: u8, m: Move) {
        let color = self.position.turn();
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            let rook = self.number(to);
            if let Some([king_to, rook_to]) = castling_targets(m) {
                self.set(number, king_to);
                self.set(rook, rook_to);
            }
            return;
        }
        let role = Role::Pawn;
        if self.position.piece_at(to).is_some() {
            self.remove(to);
        } else if Some(to) == self.position.en_passant()
            && self.position.piece_at(from) == Some(Piece { color, role })
            && let Some(taken) = Square::from_coords(to.file(), from.rank())
        {
            self.remove(taken);
        }
        if let Some(role) = m.promotion_role() {
            self.set_mover(number, Mover::new(Dialect::Scid, Piece { color, role }));
        }
        self.set(number, to);
    }
}

/// The number of a piece by its slot in the list of its side.
#[inline(always)]
const fn number(color: Color, slot: u8) -> u8 {
    (color as u8) << 4 | slot & 15
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::san;

    /// Every legal move has its own bytes and is decoded from them.
    #[test]
    fn moves_round_trip() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRK1B1RN w KQkq - 0 1",
        ];
        for fen in fens {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let board = Board::from_setup(&setup).unwrap();
            let mut seen = Vec::new();
            for m in board.position.legal_moves() {
                let mut bytes = Vec::new();
                assert!(board.encode(Ply::Move(m), &mut bytes), "{m} in {fen}");
                let decoded = board.clone().decode(bytes[0], || bytes.get(1).copied());
                assert_eq!(decoded, Some(Ply::Move(m)), "{m} in {fen}");
                assert!(!seen.contains(&bytes), "{m} in {fen}");
                let mut after = board.clone();
                after.play(bytes[0], Ply::Move(m));
                seen.push(bytes);
                for color in [Color::White, Color::Black] {
                    let squares: u64 = after.listed(color).map(Square::bit).sum();
                    assert_eq!(squares, after.position.by_color(color).0, "{m} in {fen}");
                    assert_eq!(after.listed(color).next(), Some(after.position.king(color)));
                    for (slot, square) in (0..).zip(after.listed(color)) {
                        assert_eq!(after.number(square), number(color, slot));
                        let piece = after.position.piece_at(square).unwrap();
                        let mover = Mover::new(Dialect::Scid, piece);
                        assert_eq!(after.mover(number(color, slot)), mover, "{m} in {fen}");
                    }
                }
            }
        }
    }

    #[test]
    fn moves_have_the_bytes_of_scid() {
        let mut board = Board::standard();
        let mut bytes = Vec::new();
        for text in "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#".split(' ') {
            let ply = san::read(&board.position, text.as_bytes()).unwrap();
            let at = bytes.len();
            assert!(board.encode(ply, &mut bytes));
            board.play(bytes[at], ply);
        }
        // As Scid 5.0.2 stores them.
        assert_eq!(
            bytes,
            [0xcf, 0xcf, 0x43, 0x67, 0x22, 0x5a, 0x61, 0x47, 0x75]
        );
    }

    #[test]
    fn king_is_first_in_its_list() {
        let setup = Setup::parse_fen(b"7k/8/8/8/R7/8/1N6/4K3 w - - 0 1").unwrap();
        let board = Board::from_setup(&setup).unwrap();
        let white: Vec<u8> = board.listed(Color::White).map(Square::number).collect();
        assert_eq!(white, [4, 9, 24]);
        assert_eq!(board.listed(Color::Black).count(), 1);
    }
}
