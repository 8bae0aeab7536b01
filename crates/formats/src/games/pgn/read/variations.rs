//! Begin and end of variations.

use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Flow, Want};

use super::move_history::SavedHistory;
use super::{Input, LineState, Reader};
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};

/// A line that is interrupted by a variation.
#[derive(Debug)]
pub(super) struct VariationFrame {
    history: SavedHistory,
    ply: u32,
    /// Offset of the `(`.
    pub(super) at: usize,
}

impl Reader {
    /// Begins the variation whose `(` is at `at`, or skips it. Returns the offset at which to go on.
    pub(super) fn open_variation(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release_deferred(input);
        let depth = self.frames.len();
        let skip = |text: &[u8]| match skip_movetext(text, at + 1, depth + 1, SkipTo::VariationEnd)
        {
            (end, MovetextEnd::VariationEnd) => end + 1,
            (end, _) => end,
        };
        if !input.want.has(Want::VARIATIONS) {
            return skip(input.text);
        }
        let has_move = self.line != LineState::Start;
        if !has_move || depth >= self.max_depth {
            let error = if has_move {
                Error::new(ErrorKind::Limit {
                    what: "depth of variations",
                    limit: self.max_depth as u64,
                    size: depth as u64 + 1,
                })
            } else {
                Error::invalid("a variation without a move to replace")
            };
            let end = skip(input.text);
            let unread = input.text.get(at..end);
            if self.report(input, at, error.at_ply(self.ply), unread) {
                self.preserve_unread(input, at, end);
            }
            return end;
        }
        match input.visitor.begin_variation() {
            Flow::Go => {}
            Flow::Skip => return skip(input.text),
            Flow::Stop => {
                self.flow = Flow::Stop;
                return at + 1;
            }
        }
        let history = self.history.begin_variation();
        self.position.clone_from(&history.before);
        self.frames.push(VariationFrame {
            history,
            ply: self.ply,
            at,
        });
        self.ply = self.ply.saturating_sub(1);
        self.line = LineState::Start;
        at + 1
    }

    /// Ends the innermost variation, at the `)` at `at`.
    pub(super) fn close_variation(&mut self, input: &mut Input<'_, '_>, at: usize) {
        self.release_deferred(input);
        let Some(frame) = self.frames.pop() else {
            let error = Error::invalid("`)` closes no variation").at_ply(self.ply);
            self.report(input, at, error, None);
            return;
        };
        input.visitor.end_variation();
        self.position.clone_from(&frame.history.before);
        self.position.play_ply(frame.history.replaced);
        self.history.end_variation(frame.history);
        self.ply = frame.ply;
        self.line = LineState::AfterMove;
    }
}
