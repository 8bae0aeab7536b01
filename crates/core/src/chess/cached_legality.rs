//! Fast path for moves from a database: one pass tests legality and caches whether the move gives
//! check.

use super::attacks;
use super::legality::covers;
use super::position::{KING, NONE, NextMoveCache, Position};
use super::types::Move;

impl Position {
    /// Whether a move is legal; any value of [`Move`] is allowed. If it is legal, whether it gives
    /// check is cached, as by [`Position::cache_check`]. Costs less than [`Position::is_legal`]
    /// followed by [`Position::cache_check`].
    #[inline(always)]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "one branch, seldom taken, instead of several unpredictable ones"
    )]
    pub fn is_legal_cached(&mut self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let us = self.turn;
        let piece = self.board[from.index()];
        let is_simple = m.is_normal()
            & self.checkers.are_none()
            & !self.opponent_in_check.0
            & (self.en_passant == NONE)
            & (piece.wrapping_sub(1 + 8 * us as u8) < 6);
        if !is_simple {
            return self.is_legal_cached_slow(m);
        }
        let code = piece & 7;
        let them = us.other();
        let theirs = self.colors[them as usize];
        let pieces = self.occupied().0;
        let king = self.king(them);
        let [steps, captures] = attacks::steps_and_captures(piece, from);
        let reached = steps & !pieces | captures & theirs & !king.bit();
        if (reached >> to.number() & 1 == 0) | (attacks::between(from, to) & pieces != 0) {
            return false;
        }
        let after = pieces & !from.bit() | to.bit();
        let unseen = !attacks::attacks_from(code, them, king) >> to.number() & 1;
        let attacks_king = attacks::between(king, to) & after | unseen == 0;
        let gives_check =
            attacks_king || covers(king, from, after) && self.uncovers(king, from, after);
        let king = self.king(us);
        let is_pinned = covers(king, from, pieces) & (self.aimed_at(king, theirs) != 0);
        if (code == KING) | is_pinned && !self.stays_safe(true, from, to) {
            return false;
        }
        self.next_move = NextMoveCache::legal(m, gives_check);
        true
    }

    /// Caches that `m` is legal, which the caller has tested, and whether it gives check, as
    /// [`Position::is_legal_cached`] does.
    #[inline]
    pub fn cache_legal(&mut self, m: Move) {
        self.next_move = NextMoveCache::legal(m, self.gives_check(m));
    }

    /// Whether the last move that was tested and found legal is `m`; `false` also for legal moves that
    /// were not tested.
    #[inline]
    pub fn is_known_legal(&self, m: Move) -> bool {
        self.next_move.is_legal(m)
    }

    /// [`is_legal_cached`](Self::is_legal_cached) for castling, promotions, en passant, and positions
    /// with a check.
    #[inline(never)]
    fn is_legal_cached_slow(&mut self, m: Move) -> bool {
        let is_legal = self.is_legal(m);
        if is_legal {
            self.next_move = NextMoveCache::legal(m, self.gives_check(m));
        }
        is_legal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Color, Piece, Ply, Role, Setup, Square};

    /// In the positions of random games from several starts, tests every value of a move: from any
    /// square to any square, promotions, castling.
    #[test]
    fn agrees_with_is_legal_and_is_check() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRK1B1RN w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            // The side that is not to move is in check.
            "4k3/8/8/8/4R3/8/8/4K3 w - - 0 1",
        ];
        let mut random = 11_usize;
        for fen in fens {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let mut position = Position::from_setup(&setup).unwrap();
            for ply in 0..60 {
                for from in Square::ALL {
                    for to in Square::ALL {
                        let promotion = Move::promotion(from, to, Role::ALL[1 + to.index() % 4]);
                        for m in [Move::normal(from, to), promotion, Move::castling(from, to)] {
                            compare(&position, m);
                        }
                    }
                }
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let m = moves[(random >> 33) % moves.len()];
                if ply % 16 == 15 && !position.is_check() {
                    position.play_ply(Ply::Null);
                } else {
                    assert!(position.is_legal_cached(m), "{m} in {}", position.fen());
                    position.play(m);
                }
            }
        }
    }

    /// Kings and rooks that may castle, with random other pieces: rooks that castle, and lines that castling
    /// opens, give check.
    #[test]
    fn castling_gives_check() {
        let mut random = tabia_testkit::Random::new(5);
        let mut below = |bound: usize| random.below(bound);
        let (mut castlings, mut checks) = (0, 0);
        for _ in 0..20_000 {
            let us = [Color::White, Color::Black][below(2)];
            let back = if us.is_white() { 0 } else { 56 };
            let mut setup = Setup::empty();
            setup.turn = us;
            let king = Square::wrap(back + 1 + below(6) as u8);
            let side = below(2);
            let files = if side == 0 {
                king.file() + 1..8
            } else {
                0..king.file()
            };
            let file = files.start + below(files.len()) as u8;
            let rook = Square::wrap(back + file);
            let role = |role| Some(Piece { color: us, role });
            for _ in 0..below(6) {
                let square = Square::wrap(if below(2) == 0 {
                    back + below(8) as u8
                } else {
                    below(64) as u8
                });
                let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
                let color = [us, us, us.other()][below(3)];
                let role = roles[below(4)];
                setup.set(square, Some(Piece { color, role }));
            }
            let other = if below(2) == 0 {
                back + below(8) as u8
            } else {
                below(64) as u8
            };
            let other_king = Piece {
                color: us.other(),
                role: Role::King,
            };
            setup.set(Square::wrap(other), Some(other_king));
            setup.set(king, role(Role::King));
            setup.set(rook, role(Role::Rook));
            setup.castling[us as usize][side] = Some(rook);
            let Ok(mut position) = Position::from_setup(&setup) else {
                continue;
            };
            if below(2) == 0 {
                position.opponent_in_check.0 = false;
                if position.attackers_to(position.king(us.other()), us).count() > 0 {
                    continue;
                }
            }
            let m = Move::castling(king, rook);
            compare(&position, m);
            if position.is_legal(m) {
                castlings += 1;
                checks += usize::from(position.after(m).is_check());
            }
        }
        assert!(castlings > 2000 && checks > 200, "{castlings} {checks}");
    }

    fn compare(position: &Position, m: Move) {
        let mut other = position.clone();
        let is_legal = position.is_legal(m);
        assert_eq!(
            other.is_legal_cached(m),
            is_legal,
            "{m} in {}",
            position.fen()
        );
        assert_eq!(other.is_known_legal(m), is_legal, "{m}");
        if is_legal {
            let mut next = position.clone();
            let mut vouched = position.clone();
            vouched.cache_legal(m);
            assert!(vouched.is_known_legal(m), "{m}");
            next.play(m);
            let cached = other.next_move.gives_check(m);
            assert_eq!(cached, Some(next.is_check()), "{m} in {}", position.fen());
        }
    }
}
