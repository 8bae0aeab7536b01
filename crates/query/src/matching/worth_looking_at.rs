//! Which positions of a game have to be looked at, when one that fits decides.

use tabia_core::chess::{Color, Ply, Position, Role};

use crate::language::{Inputs, PlayedMoves};

/// What is known of the positions that fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The number of men. With fewer, no later position fits.
    pub(super) least_men: u32,
    pub(super) most_men: u32,
    /// Pawns of White and Black on their first squares. Without them, no later position fits.
    pub(super) home_pawns: [u64; 2],
}

impl Bounds {
    /// Whether the position or a later one may fit.
    #[inline]
    pub(super) fn may_come(&self, position: &Position) -> bool {
        position.occupied().count() >= self.least_men && !self.lacks_pawns(position)
    }

    #[inline]
    fn lacks_pawns(&self, position: &Position) -> bool {
        let [white, black] = self.home_pawns;
        if white | black == 0 {
            return false;
        }
        let pawns = position.by_role(Role::Pawn).0;
        let of = |color| pawns & position.by_color(color).0;
        white & !of(Color::White) | black & !of(Color::Black) != 0
    }
}

/// What excludes a position without a look at it. All of it is certain to exclude; what is left has to
/// be looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct WorthLookingAt {
    /// A position fits no more than the one before if nothing of this has changed.
    pub(super) inputs: Inputs,
    /// What decides whether any later position may fit.
    pub(super) limits: Inputs,
    /// One of these holds for every position that fits.
    pub(super) any_of: Vec<Bounds>,
    /// The moves from positions that may fit. Not every move only if the last position, from which none is
    /// played, does not fit.
    pub(super) played_moves: PlayedMoves,
    /// The occupied squares of the positions that may fit; any if empty.
    pub(super) occupied: Vec<u64>,
    /// The last position of a game, which has no move played from it, may fit.
    pub(super) last: bool,
}

impl WorthLookingAt {
    /// Whether a position has to be looked at, after what has changed since the last one that was looked at, and
    /// by the last ply.
    #[inline]
    pub(super) fn has(
        &self,
        [since_look, by_ply]: [Inputs; 2],
        position: &Position,
        played: Ply,
    ) -> bool {
        since_look.overlap(self.inputs)
            && self.has_occupied(position.occupied().0)
            && self.played_moves.may_have(position, played)
            && self.has_men(position)
            || by_ply.overlap(self.limits)
                && !self.any_of.iter().any(|bounds| bounds.may_come(position))
    }

    fn has_men(&self, position: &Position) -> bool {
        let men = position.occupied().count();
        let mut any_of = self.any_of.iter();
        any_of.any(|bounds| men <= bounds.most_men)
    }

    /// Whether the position after a ply may have to be looked at, if it is the last one.
    #[inline]
    pub(super) fn has_after(&self, changed: Inputs, before: &Position, ply: Ply) -> bool {
        self.last
            && changed.overlap(self.inputs)
            && self.has_occupied_after(before, ply)
            && self
                .any_of
                .iter()
                .any(|bounds| before.occupied().count() <= bounds.most_men + 1)
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
