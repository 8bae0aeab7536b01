//! Lists of all legal moves.

use super::position::Position;
use super::types::{Bitboard, Move, Piece, Role, Square};

/// All legal moves of a position, made by [`Position::legal_moves`]. A slice of [`Move`] on the
/// stack.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; CAPACITY],
    len: usize,
}

/// Upper bound for any arrangement of pieces. A piece has at most 27 moves, and a square is reached
/// along at most eight lines and by eight knights: *n* pieces have no more than
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
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = m;
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

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Move, Position};
///
/// let moves: Vec<Move> = Position::standard().legal_moves().into_iter().collect();
/// assert_eq!(moves.len(), 20);
/// ```
impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = std::iter::Take<std::array::IntoIter<Move, CAPACITY>>;

    fn into_iter(self) -> Self::IntoIter {
        self.moves.into_iter().take(self.len)
    }
}

impl std::fmt::Debug for MoveList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Position {
    /// Every legal move, in unspecified order.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Position;
    ///
    /// assert_eq!(Position::standard().legal_moves().len(), 20);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.any_legal(|m| {
            list.push(m);
            false
        });
        list
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.any_legal(|_| true)
    }

    /// Passes every legal move to `stop` until it returns `true`; returns whether it did.
    fn any_legal(&self, mut stop: impl FnMut(Move) -> bool) -> bool {
        let quiet = self.checkers().is_empty();
        let us = self.turn();
        let barred = self.by_color(us).0 | self.kings().0;
        // The king first: most replies to a check are its moves.
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
                    if !self.is_safe_if(quiet, from, to) {
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
