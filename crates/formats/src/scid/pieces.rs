//! The piece lists by which moves name pieces.

use std::sync::LazyLock;

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Setup, Square};

#[cfg(test)]
use super::codes;
use super::codes::{Dialect, Mover};

/// Moves are bytes: a place in the mover's piece list above a code for where the piece goes.
pub(crate) mod token {
    /// A NAG; its number is the next byte.
    pub(crate) const NAG: u8 = 0x0b;
    /// A comment stands here; its text follows all moves.
    pub(crate) const COMMENT: u8 = 0x0c;
    pub(crate) const BEGIN_VARIATION: u8 = 0x0d;
    pub(crate) const END_VARIATION: u8 = 0x0e;
    pub(crate) const END_GAME: u8 = 0x0f;
}

/// Most pieces of a side.
pub(crate) const MAX_PIECES: usize = 16;

/// No piece has that place in the list.
const NONE: u8 = 0xff;

/// One side's pieces in the order in which moves name them; the king is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pieces {
    /// Where they stand; [`NONE`] behind the last one.
    squares: [u8; MAX_PIECES],
    movers: [Mover; MAX_PIECES],
    count: u8,
}

impl Pieces {
    const EMPTY: Pieces = Pieces {
        squares: [NONE; MAX_PIECES],
        movers: [Mover::NOBODY; MAX_PIECES],
        count: 0,
    };

    #[inline(always)]
    fn get(&self, slot: u8) -> Option<Square> {
        self.squares
            .get(usize::from(slot))
            .copied()
            .and_then(Square::new)
    }

    #[inline(always)]
    fn mover(&self, slot: u8) -> Mover {
        let mover = self.movers.get(usize::from(slot));
        mover.copied().unwrap_or(Mover::NOBODY)
    }

    #[inline(always)]
    fn set(&mut self, slot: u8, square: Square) {
        if let Some(place) = self.squares.get_mut(usize::from(slot)) {
            *place = square.number();
        }
    }

    fn put(&mut self, slot: u8, square: u8, mover: Mover) {
        let slot = usize::from(slot);
        if let (Some(place), Some(old)) = (self.squares.get_mut(slot), self.movers.get_mut(slot)) {
            *place = square;
            *old = mover;
        }
    }

    /// Adds a piece at the end, a king at the start; `false` when there is no room.
    fn add(&mut self, square: Square, piece: Piece) -> bool {
        if usize::from(self.count) == MAX_PIECES {
            return false;
        }
        let slot = self.count;
        self.count += 1;
        let mover = Mover::new(Dialect::Scid, piece);
        if piece.role == Role::King
            && let Some(first) = self.get(0)
        {
            self.put(slot, first.number(), self.mover(0));
            self.put(0, square.number(), mover);
        } else {
            self.put(slot, square.number(), mover);
        }
        true
    }

    /// Takes the piece of that place off; the last one of the list takes the place. Where that one
    /// stands.
    #[inline(always)]
    fn remove(&mut self, slot: u8) -> u8 {
        self.count = self.count.saturating_sub(1);
        let last = self.count;
        let square = self.squares.get(usize::from(last)).copied().unwrap_or(NONE);
        self.put(slot, square, self.mover(last));
        self.put(last, NONE, Mover::NOBODY);
        square
    }
}

/// A position with the piece lists of both sides.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) position: Position,
    pieces: [Pieces; 2],
    /// The place in its list of the piece on each square; anything where there is none.
    slots: [u8; 64],
}

/// The usual start: king, rook, knight, bishop, queen, bishop, knight, rook, then the pawns.
const STANDARD: [Role; 8] = [
    Role::King,
    Role::Rook,
    Role::Knight,
    Role::Bishop,
    Role::Queen,
    Role::Bishop,
    Role::Knight,
    Role::Rook,
];
const STANDARD_SQUARES: [u8; MAX_PIECES] = [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The list of one side at the usual start.
const fn standard(color: Color) -> Pieces {
    let flip = if color.is_white() { 0 } else { 0x38 };
    let mut pieces = Pieces::EMPTY;
    let mut slot = 0;
    while slot < MAX_PIECES {
        let role = if slot < 8 { STANDARD[slot] } else { Role::Pawn };
        pieces.squares[slot] = STANDARD_SQUARES[slot] ^ flip;
        pieces.movers[slot] = Mover::new(Dialect::Scid, Piece { color, role });
        slot += 1;
    }
    pieces.count = MAX_PIECES as u8;
    pieces
}

impl Board {
    /// The usual start.
    pub(crate) fn standard() -> Self {
        static STANDARD: LazyLock<Board> = LazyLock::new(|| {
            Board::new(
                Position::standard(),
                [standard(Color::White), standard(Color::Black)],
            )
        });
        STANDARD.clone()
    }

    /// A setup position; `None` when it cannot be played from or has more pieces than lists hold.
    pub(crate) fn from_setup(setup: &Setup) -> Option<Self> {
        let position = Position::from_setup(setup).ok()?;
        let mut pieces = [Pieces::EMPTY; 2];
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::from_coords(file, rank)?;
                if let Some(piece) = position.piece_at(square) {
                    let list = pieces.get_mut(piece.color as usize)?;
                    if !list.add(square, piece) {
                        return None;
                    }
                }
            }
        }
        Some(Self::new(position, pieces))
    }

    fn new(position: Position, pieces: [Pieces; 2]) -> Self {
        let mut board = Self {
            position,
            pieces,
            slots: [0; 64],
        };
        for list in pieces {
            for (slot, square) in (0..).zip(list.squares) {
                board.note(square, slot);
            }
        }
        board
    }

    /// Notes the place in its list of the piece on a square; for [`NONE`], nothing.
    #[inline(always)]
    fn note(&mut self, square: u8, slot: u8) {
        if let Some(place) = self.slots.get_mut(usize::from(square)) {
            *place = slot;
        }
    }

    #[inline(always)]
    fn slot(&self, square: Square) -> u8 {
        self.slots.get(square.index()).copied().unwrap_or(0)
    }

    /// Puts a piece of a side on another square.
    #[inline(always)]
    fn set(&mut self, color: Color, slot: u8, square: Square) {
        self.of(color).set(slot, square);
        self.note(square.number(), slot);
    }

    /// Takes the piece on that square off its side's list.
    #[inline(always)]
    fn remove(&mut self, color: Color, square: Square) {
        let slot = self.slot(square);
        let moved = self.of(color).remove(slot);
        self.note(moved, slot);
    }

    /// The squares of a side's list, in its order.
    pub(crate) fn listed(&self, color: Color) -> impl Iterator<Item = Square> + '_ {
        let [white, black] = &self.pieces;
        let pieces = if color.is_white() { white } else { black };
        (0..pieces.count).map_while(|slot| pieces.get(slot))
    }

    #[inline(always)]
    fn of(&mut self, color: Color) -> &mut Pieces {
        let [white, black] = &mut self.pieces;
        if color.is_white() { white } else { black }
    }

    #[inline(always)]
    fn mover(&self) -> &Pieces {
        let [white, black] = &self.pieces;
        if self.position.turn().is_white() {
            white
        } else {
            black
        }
    }

    /// The move of a byte that is no token; `second` gives the byte after it. `None` for what no
    /// piece of the list can play.
    #[inline(always)]
    pub(crate) fn decode(&mut self, byte: u8, second: impl FnOnce() -> Option<u8>) -> Option<Ply> {
        let (slot, code) = (byte >> 4, byte & 15);
        let pieces = self.mover();
        let from = pieces.get(slot)?;
        let coded = pieces.mover(slot).decode(from, code);
        coded.ply(&mut self.position, from, code, || {
            Square::new(second()?.checked_sub(64)?)
        })
    }

    /// Appends the byte or bytes of a ply; `false` for a move that cannot be written.
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
        let slot = self.slot(from);
        codes::encode(Dialect::Scid, slot, piece.role, m, out)
    }

    /// Plays a ply that [`Board::decode`] made of this byte, in the position and in the lists.
    #[inline(always)]
    pub(crate) fn play(&mut self, byte: u8, ply: Ply) {
        if let Ply::Move(m) = ply {
            let us = self.position.turn();
            let to = m.to();
            if !m.is_normal() || self.position.en_passant() == Some(to) {
                self.play_rare_in_lists(byte >> 4, m);
            } else {
                if self.position.occupied().0 & to.bit() != 0 {
                    self.remove(us.other(), to);
                }
                self.set(us, byte >> 4, to);
            }
        }
        self.position.play_ply(ply);
    }

    /// Moves with more to them than a piece and its squares.
    #[inline(never)]
    fn play_rare_in_lists(&mut self, slot: u8, m: Move) {
        let us = self.position.turn();
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            let h_side = to.file() > from.file();
            let back = from.rank();
            let rook_slot = self.slot(to);
            let king_to = Square::from_coords(if h_side { 6 } else { 2 }, back);
            let rook_to = Square::from_coords(if h_side { 5 } else { 3 }, back);
            if let (Some(king_to), Some(rook_to)) = (king_to, rook_to) {
                self.set(us, slot, king_to);
                self.set(us, rook_slot, rook_to);
            }
            return;
        }
        let pawn = Piece {
            color: us,
            role: Role::Pawn,
        };
        if self.position.piece_at(to).is_some() {
            self.remove(us.other(), to);
        } else if Some(to) == self.position.en_passant()
            && self.position.piece_at(from) == Some(pawn)
            && let Some(taken) = Square::from_coords(to.file(), from.rank())
        {
            self.remove(us.other(), taken);
        }
        if let Some(role) = m.promotion_role() {
            let mover = Mover::new(Dialect::Scid, Piece { color: us, role });
            self.of(us).put(slot, to.number(), mover);
        }
        self.set(us, slot, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::san;

    /// Every legal move of the positions of a game has its own bytes and comes back from them.
    #[test]
    fn moves_come_back_from_their_bytes() {
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
            for &m in board.position.legal_moves().iter() {
                let mut bytes = Vec::new();
                assert!(board.encode(Ply::Move(m), &mut bytes), "{m} in {fen}");
                let back = board.clone().decode(bytes[0], || bytes.get(1).copied());
                assert_eq!(back, Some(Ply::Move(m)), "{m} in {fen}");
                assert!(!seen.contains(&bytes), "{m} in {fen}");
                let mut after = board.clone();
                after.play(bytes[0], Ply::Move(m));
                seen.push(bytes);
                for (color, pieces) in [Color::White, Color::Black].into_iter().zip(after.pieces) {
                    let listed = (0..pieces.count).filter_map(|slot| pieces.get(slot));
                    let squares: u64 = listed.map(Square::bit).sum();
                    assert_eq!(squares, after.position.by_color(color).0, "{m} in {fen}");
                    assert_eq!(pieces.get(0), Some(after.position.king(color)));
                }
            }
        }
    }

    #[test]
    fn bytes_of_known_moves() {
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
    fn a_lone_king_takes_the_first_place() {
        let setup = Setup::parse_fen(b"7k/8/8/8/R7/8/1N6/4K3 w - - 0 1").unwrap();
        let board = Board::from_setup(&setup).unwrap();
        let [white, black] = board.pieces;
        assert_eq!(white.squares[..3], [4, 9, 24]);
        assert_eq!((white.count, black.count), (3, 1));
    }
}
