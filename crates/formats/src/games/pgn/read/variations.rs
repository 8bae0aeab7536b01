//! Begin and end of variations.

use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Flow, Want};

use super::current_line::InterruptedLine;
use super::{Input, Reader};
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};

/// An open variation.
#[derive(Debug)]
pub(super) struct VariationFrame {
    interrupted: InterruptedLine,
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
        let has_move = self.line.has_move();
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
            if self.report(input, at, error.at_ply(self.line.ply), unread) {
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
        let interrupted = self.line.begin_variation();
        self.frames.push(VariationFrame { interrupted, at });
        at + 1
    }

    /// Ends the innermost variation, at the `)` at `at`.
    pub(super) fn close_variation(&mut self, input: &mut Input<'_, '_>, at: usize) {
        self.release_deferred(input);
        let Some(frame) = self.frames.pop() else {
            let error = Error::invalid("`)` closes no variation").at_ply(self.line.ply);
            self.report(input, at, error, None);
            return;
        };
        input.visitor.end_variation();
        self.line.end_variation(frame.interrupted);
    }
}
