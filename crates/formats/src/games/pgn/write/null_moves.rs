//! Null moves in profile `lichess`: Lichess reads no game with one ("Lichess does not support null moves", its PGN parser),
//! so that the rest of such a line is written as a comment.

use std::mem;

use tabia_core::loss::Feature;

use super::comments::write_text;
use super::token_state::LastMove;
use super::{TokenState, Writer};
use crate::games::pgn::pending_annotations::PendingAnnotations;

/// What was there before the first null move of a line.
#[derive(Debug)]
pub(super) struct NullLine {
    /// How many variations are open.
    depth: usize,
    /// Offset of the null move.
    start: usize,
    state: TokenState,
    last_move: LastMove,
    pending: PendingAnnotations,
}

impl Writer {
    /// Begins the text of a null move and what follows it in its line.
    #[cold]
    pub(super) fn begin_null_line(&mut self) {
        self.lose(Feature::NullMoves);
        if self.null_line.is_some() {
            return;
        }
        self.null_line = Some(Box::new(NullLine {
            depth: self.depth,
            start: self.out.len(),
            state: self.state,
            last_move: self.last_move,
            pending: mem::take(&mut self.pending),
        }));
        if !self.state.is_line_start() {
            // The text begins with a number.
            self.state = TokenState::CommentedMove;
        }
    }

    /// Makes a comment of the end of a line that has a null move, if it is the line that ends.
    #[cold]
    pub(super) fn end_null_line(&mut self) {
        let Some(line) = self.null_line.take_if(|line| line.depth == self.depth) else {
            return;
        };
        self.flush();
        let text = self.out.get(line.start..).unwrap_or_default();
        let text = String::from_utf8_lossy(text).into_owned();
        self.out.truncate(line.start);
        self.state = line.state;
        self.last_move = line.last_move;
        self.pending = line.pending;
        self.pending.text(|out| {
            // Neither a comment nor a command begins or ends in it.
            write_text(&text.trim().replace("[%", "(%"), true, out);
        });
        self.state = self.state.annotated();
    }
}
