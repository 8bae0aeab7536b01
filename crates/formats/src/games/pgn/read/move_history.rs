//! The moves of a line since a known position, so that a variation can replace the last one.

use tabia_core::chess::{Ply, Position};

/// A position of the current line and the moves from there on. The moves of the lines that are
/// interrupted by a variation are before them in the same buffer.
#[derive(Debug)]
pub(super) struct MoveHistory {
    checkpoint: Position,
    /// Index in `plies` of the first move after the checkpoint.
    start: usize,
    plies: Vec<Ply>,
}

/// The state of a history at the begin of a variation, without its last move.
#[derive(Debug)]
pub(super) struct SavedHistory {
    /// The position before the move that the variation replaces.
    pub(super) before: Position,
    /// The move that the variation replaces.
    pub(super) replaced: Ply,
    start: usize,
}

impl Default for MoveHistory {
    fn default() -> Self {
        Self {
            checkpoint: Position::standard(),
            start: 0,
            plies: Vec::new(),
        }
    }
}

impl MoveHistory {
    /// Begins the mainline at `position`.
    pub(super) fn begin(&mut self, position: &Position) {
        self.checkpoint.clone_from(position);
        self.plies.clear();
        self.start = 0;
    }

    /// Adds a move to the current line.
    #[inline(always)]
    pub(super) fn push(&mut self, ply: Ply) {
        self.plies.push(ply);
    }

    /// Begins a variation that replaces the last move of the current line. The cost is amortized:
    /// every ply is played at most once more, however many variations there are.
    pub(super) fn begin_variation(&mut self) -> SavedHistory {
        let last = self.plies.len().saturating_sub(1);
        for &ply in self.plies.get(self.start..last).unwrap_or_default() {
            self.checkpoint.play_ply(ply);
        }
        let replaced = self.plies.get(last).copied().unwrap_or(Ply::Null);
        self.plies.truncate(self.start);
        self.plies.push(replaced);
        let saved = SavedHistory {
            before: self.checkpoint.clone(),
            replaced,
            start: self.start,
        };
        self.start = self.plies.len();
        saved
    }

    /// Returns to the line that the variation interrupted.
    pub(super) fn end_variation(&mut self, saved: SavedHistory) {
        self.checkpoint = saved.before;
        self.start = saved.start;
        self.plies.truncate(saved.start + 1);
    }
}
