//! The current line of a game: its position, and the moves before it, so that a variation can replace
//! the last one.

use tabia_core::chess::{Ply, Position};

/// The last token of a line, apart from annotations. It decides to which move a comment belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastToken {
    /// The line has no tokens yet.
    None,
    /// A move number: a comment belongs to the next move, or to the game if there was no move yet.
    Number,
    /// A move: a comment belongs to it.
    Move,
}

/// The mainline, or the innermost open variation.
#[derive(Debug)]
pub(super) struct CurrentLine {
    /// The position after the last move.
    pub(super) position: Position,
    /// An earlier position of this line.
    checkpoint: Position,
    /// The moves of all open lines. Those from `start` on lead from the checkpoint to `position`.
    plies: Vec<Ply>,
    start: usize,
    /// The number of plies from the start of the game to `position`.
    pub(super) ply: u32,
    pub(super) last_token: LastToken,
}

/// A line that is interrupted by a variation.
#[derive(Debug)]
pub(super) struct InterruptedLine {
    /// The position before the move that the variation replaces.
    before: Position,
    /// The move that the variation replaces.
    replaced: Ply,
    start: usize,
    ply: u32,
}

impl Default for CurrentLine {
    fn default() -> Self {
        Self {
            position: Position::standard(),
            checkpoint: Position::standard(),
            plies: Vec::new(),
            start: 0,
            ply: 0,
            last_token: LastToken::None,
        }
    }
}

impl CurrentLine {
    /// Begins the mainline at `position`.
    pub(super) fn begin(&mut self) {
        self.checkpoint.clone_from(&self.position);
        self.plies.clear();
        self.start = 0;
        self.ply = 0;
        self.last_token = LastToken::None;
    }

    /// Whether a move was played in this line.
    pub(super) fn has_move(&self) -> bool {
        self.plies.len() > self.start
    }

    /// Plays a move.
    #[inline(always)]
    pub(super) fn play(&mut self, ply: Ply) {
        self.position.play_ply(ply);
        self.plies.push(ply);
        self.ply += 1;
        self.last_token = LastToken::Move;
    }

    /// Begins a variation that replaces the last move. Each ply is played at most once more, however
    /// many variations there are.
    pub(super) fn begin_variation(&mut self) -> InterruptedLine {
        let last = self.plies.len().saturating_sub(1);
        for &ply in self.plies.get(self.start..last).unwrap_or_default() {
            self.checkpoint.play_ply(ply);
        }
        let replaced = self.plies.get(last).copied().unwrap_or(Ply::Null);
        self.plies.truncate(self.start);
        self.plies.push(replaced);
        let interrupted = InterruptedLine {
            before: self.checkpoint.clone(),
            replaced,
            start: self.start,
            ply: self.ply,
        };
        self.position.clone_from(&self.checkpoint);
        self.start = self.plies.len();
        self.ply = self.ply.saturating_sub(1);
        self.last_token = LastToken::None;
        interrupted
    }

    /// Returns to the line that the variation interrupted, after its last move.
    pub(super) fn end_variation(&mut self, interrupted: InterruptedLine) {
        self.position.clone_from(&interrupted.before);
        self.position.play_ply(interrupted.replaced);
        self.checkpoint = interrupted.before;
        self.start = interrupted.start;
        self.plies.truncate(interrupted.start + 1);
        self.ply = interrupted.ply;
        self.last_token = LastToken::Move;
    }
}
