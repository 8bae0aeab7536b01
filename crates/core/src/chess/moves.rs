//! Lists of legal moves, for those who need them all.

use super::position::Position;
use super::types::{Bitboard, Move, Piece, Role, Square};

/// All moves of a position, without an allocation.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; CAPACITY],
    len: usize,
}

/// More than any arrangement of pieces allows, however odd. A piece has at most 27 moves, and a
/// square is reached along at most eight lines and by eight knights: *n* pieces have no more than
/// min(27 *n*, 16 (64 - *n*) + 72) moves, the 72 for promotions. That is never above 688.
const CAPACITY: usize = 688;

impl MoveList {
    const fn new() -> Self {
        Self {
            moves: [Move::normal(Square::A1, Square::A1); CAPACITY],
            len: 0,
        }
    }

    fn push(&mut self, m: Move) {
        if let Some(place) = self.moves.get_mut(self.len) {
            *place = m;
            self.len += 1;
        }
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        self.moves.get(..self.len).unwrap_or_default()
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Position {
    /// Every legal move, in no order that may be relied on.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.each_legal(|m| {
            list.push(m);
            false
        });
        list
    }

    /// Whether there is any legal move.
    pub fn has_legal_move(&self) -> bool {
        self.each_legal(|_| true)
    }

    /// Hands every legal move on until told to stop; says whether it was.
    fn each_legal(&self, stop: impl FnMut(Move) -> bool) -> bool {
        if self.checkers.known().is_some() {
            return self.each_legal_of_known(stop);
        }
        let mut known = self.clone();
        known.remember_checkers();
        known.each_legal_of_known(stop)
    }

    fn each_legal_of_known(&self, mut stop: impl FnMut(Move) -> bool) -> bool {
        let us = self.turn();
        let barred = self.by_color(us).0 | self.kings().0;
        // The king first: when in check, that is where most replies are.
        for role in [
            Role::King,
            Role::Pawn,
            Role::Knight,
            Role::Bishop,
            Role::Rook,
            Role::Queen,
        ] {
            for from in self.by_piece(Piece { color: us, role }) {
                for to in Bitboard(self.reaches(role, from) & !barred) {
                    if !self.is_safe(from, to) {
                        continue;
                    }
                    if role == Role::Pawn && (to.rank() == 0 || to.rank() == 7) {
                        for promoted in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                            if stop(Move::promotion(from, to, promoted)) {
                                return true;
                            }
                        }
                    } else if stop(Move::normal(from, to)) {
                        return true;
                    }
                }
            }
        }
        for side in 0..2 {
            if let Some(rook) = self.castling_rook(us, side)
                && self.can_castle(rook)
                && stop(Move::castling(self.king(us), rook))
            {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Setup;

    fn perft(position: &Position, depth: u32) -> u64 {
        let moves = position.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        moves
            .iter()
            .map(|&m| {
                let mut next = position.clone();
                next.play(m);
                perft(&next, depth - 1)
            })
            .sum()
    }

    fn check(fen: &str, counts: &[u64]) {
        let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
        let position = Position::from_setup(&setup).unwrap();
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "{fen} depth {depth}");
        }
    }

    #[test]
    fn perft_counts() {
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[20, 400, 8902, 197_281],
        );
        check(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            &[48, 2039, 97862],
        );
        check(
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            &[14, 191, 2812, 43238],
        );
        check(
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9467],
        );
        check(
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            &[44, 1486, 62379],
        );
        // Chess960.
        check(
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            &[21, 528, 12189],
        );
        check(
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            &[21, 807, 18002],
        );
    }
}
