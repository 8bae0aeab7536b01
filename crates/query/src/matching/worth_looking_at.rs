//! Which positions of a game have to be looked at, when one that fits decides.

use tabia_core::chess::{Ply, Position};

use crate::language::{Inputs, PlayedMoves};

/// What tells without looking that a position does not fit. All of it is certain to exclude; what is left has to
/// be looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct WorthLookingAt {
    /// A position fits no more than the one before if nothing of this has changed.
    pub(super) inputs: Inputs,
    /// What decides whether any later position may fit.
    pub(super) limits: Inputs,
    /// The moves from positions that may fit. Not every move only if the last position, from which none is
    /// played, does not fit.
    pub(super) played_moves: PlayedMoves,
    /// The occupied squares of the positions that may fit; any if empty.
    pub(super) occupied: Vec<u64>,
    /// The last position of a game, which has no move played from it, may fit.
    pub(super) last: bool,
}

impl WorthLookingAt {
    /// Whether a position has to be looked at, after what has changed since the last one that was.
    #[inline]
    pub(super) fn has(&self, changed: Inputs, position: &Position, played: Ply) -> bool {
        changed.overlap(self.inputs)
            && (self.has_occupied(position.occupied().0)
                && self.played_moves.may_have(position, played)
                || changed.overlap(self.limits))
    }

    /// Whether the position after a ply may have to be looked at, if it is the last one.
    #[inline]
    pub(super) fn has_after(&self, changed: Inputs, before: &Position, ply: Ply) -> bool {
        self.last && changed.overlap(self.inputs) && self.has_occupied_after(before, ply)
    }

    fn has_occupied_after(&self, before: &Position, ply: Ply) -> bool {
        if self.occupied.is_empty() {
            return true;
        }
        let occupied = before.occupied();
        let Some(m) = ply.to_move() else {
            return self.has_occupied(occupied.0);
        };
        // Castling and taking en passant, whose exact squares are not worth finding.
        let takes_other = m.from().file() != m.to().file() && !occupied.has(m.to());
        m.is_castling()
            || takes_other
            || self.has_occupied(occupied.0 & !m.from().bit() | m.to().bit())
    }

    fn has_occupied(&self, occupied: u64) -> bool {
        self.occupied.is_empty() || self.occupied.contains(&occupied)
    }
}
