//! The piece lists by which moves name pieces.

use tabia_core::chess::{Color, Move, Piece, Ply, Position, Role, Setup, Square};

use super::codes::{self, Kings};

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

/// Code 0 of a king is a null move.
pub(crate) const KINGS: Kings = Kings {
    step: 1,
    castling: [10, 9],
};

/// Most pieces of a side.
pub(crate) const MAX_PIECES: usize = 16;

/// The squares of one side's pieces, in the order in which moves name them; the king is the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pieces {
    squares: [u8; MAX_PIECES],
    count: u8,
}

impl Pieces {
    fn get(&self, slot: u8) -> Option<Square> {
        if slot >= self.count {
            return None;
        }
        self.squares
            .get(usize::from(slot))
            .copied()
            .and_then(Square::new)
    }

    fn slot(&self, square: Square) -> Option<u8> {
        // Without a branch for each place, which a compiler makes one comparison of.
        let mut places = 0_u32;
        for (place, &at) in self.squares.iter().enumerate() {
            places |= u32::from(at == square.number()) << place;
        }
        let slot = places.trailing_zeros();
        (slot < u32::from(self.count)).then_some(slot as u8)
    }

    fn set(&mut self, slot: u8, square: Square) {
        if let Some(place) = self.squares.get_mut(usize::from(slot)) {
            *place = square.number();
        }
    }

    /// Adds a piece at the end, a king at the start; `false` when there is no room.
    fn add(&mut self, square: Square, role: Role) -> bool {
        if usize::from(self.count) == MAX_PIECES {
            return false;
        }
        let slot = self.count;
        self.count += 1;
        self.set(slot, square);
        if role == Role::King
            && let Some(first) = self.get(0)
        {
            self.set(slot, first);
            self.set(0, square);
        }
        true
    }

    /// Takes a piece off; the last one of the list takes its slot.
    fn remove(&mut self, square: Square) {
        let Some(slot) = self.slot(square) else {
            return;
        };
        self.count -= 1;
        if let Some(&last) = self.squares.get(usize::from(self.count))
            && let Some(place) = self.squares.get_mut(usize::from(slot))
        {
            *place = last;
        }
    }
}

/// A position with the piece lists of both sides.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) position: Position,
    pieces: [Pieces; 2],
}

/// The usual start: king, rook, knight, bishop, queen, bishop, knight, rook, then the pawns.
const STANDARD: [u8; MAX_PIECES] = [4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

impl Board {
    /// The usual start.
    pub(crate) fn standard() -> Self {
        let white = Pieces {
            squares: STANDARD,
            count: 16,
        };
        let black = Pieces {
            squares: STANDARD.map(|square| square ^ 0x38),
            count: 16,
        };
        Self {
            position: Position::standard(),
            pieces: [white, black],
        }
    }

    /// A setup position; `None` when it cannot be played from or has more pieces than lists hold.
    pub(crate) fn from_setup(setup: &Setup) -> Option<Self> {
        let mut board = Self {
            position: Position::from_setup(setup).ok()?,
            pieces: Default::default(),
        };
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::from_coords(file, rank)?;
                if let Some(piece) = board.position.piece_at(square)
                    && !board.of(piece.color).add(square, piece.role)
                {
                    return None;
                }
            }
        }
        Some(board)
    }

    /// The squares of a side's list, in its order.
    pub(crate) fn listed(&self, color: Color) -> impl Iterator<Item = Square> + '_ {
        let [white, black] = &self.pieces;
        let pieces = if color.is_white() { white } else { black };
        (0..pieces.count).map_while(|slot| pieces.get(slot))
    }

    fn of(&mut self, color: Color) -> &mut Pieces {
        let [white, black] = &mut self.pieces;
        if color.is_white() { white } else { black }
    }

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
    pub(crate) fn decode(&mut self, byte: u8, second: impl FnOnce() -> Option<u8>) -> Option<Ply> {
        let (slot, code) = (byte >> 4, byte & 15);
        let from = self.mover().get(slot)?;
        let piece = self.position.piece_at(from)?;
        let m = match piece.role {
            Role::King if code == 0 => return Some(Ply::Null),
            Role::King => KINGS.decode(&mut self.position, from, code)?,
            _ => codes::decode(piece, from, code, || {
                Square::new(second()?.checked_sub(64)?)
            })?,
        };
        self.position.is_legal(m).then_some(Ply::Move(m))
    }

    /// Appends the byte or bytes of a ply; `false` for a move that cannot be written.
    #[cfg(test)]
    pub(crate) fn encode(&self, ply: Ply, out: &mut Vec<u8>) -> bool {
        let Ply::Move(m) = ply else {
            out.push(0);
            return true;
        };
        let from = m.from();
        let (Some(slot), Some(piece)) = (self.mover().slot(from), self.position.piece_at(from))
        else {
            return false;
        };
        codes::encode(KINGS, slot, piece.role, m, out)
    }

    /// Plays a ply that [`Board::decode`] made of this byte, in the position and in the lists.
    pub(crate) fn play(&mut self, byte: u8, ply: Ply) {
        if let Ply::Move(m) = ply {
            self.play_in_lists(byte >> 4, m);
        }
        self.position.play_ply(ply);
    }

    fn play_in_lists(&mut self, slot: u8, m: Move) {
        let us = self.position.turn();
        let (from, to) = (m.from(), m.to());
        if m.is_castling() {
            let h_side = to.file() > from.file();
            let back = from.rank();
            let rook_slot = self.mover().slot(to);
            let king_to = Square::from_coords(if h_side { 6 } else { 2 }, back);
            let rook_to = Square::from_coords(if h_side { 5 } else { 3 }, back);
            if let (Some(rook_slot), Some(king_to), Some(rook_to)) = (rook_slot, king_to, rook_to) {
                self.of(us).set(slot, king_to);
                self.of(us).set(rook_slot, rook_to);
            }
            return;
        }
        let pawn = Piece {
            color: us,
            role: Role::Pawn,
        };
        if self.position.piece_at(to).is_some() {
            self.of(us.other()).remove(to);
        } else if Some(to) == self.position.en_passant()
            && self.position.piece_at(from) == Some(pawn)
            && let Some(taken) = Square::from_coords(to.file(), from.rank())
        {
            self.of(us.other()).remove(taken);
        }
        self.of(us).set(slot, to);
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
