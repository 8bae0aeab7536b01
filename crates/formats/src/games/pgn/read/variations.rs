//! Variations.

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Flow, Want};

use super::{Input, Reader};
use crate::games::pgn::movetext_skipper::{End, skip};

/// A line left for a variation.
#[derive(Debug)]
pub(super) struct Frame {
    /// The position before the move that the variation replaces.
    before: Position,
    last: Ply,
    since_start: usize,
    ply: u32,
    pub(super) at: usize,
}

impl Reader {
    /// A variation begins, or is left out.
    pub(super) fn open(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release(input);
        let depth = self.frames.len();
        let over = |text: &[u8]| match skip(text, at + 1, depth + 1, true) {
            (end, End::Close) => end + 1,
            (end, _) => end,
        };
        if !input.want.has(Want::VARIATIONS) {
            return over(input.text);
        }
        if !self.moved || depth >= self.max_depth {
            let error = if self.moved {
                Error::new(ErrorKind::Limit {
                    what: "depth of variations",
                    limit: self.max_depth as u64,
                    size: depth as u64 + 1,
                })
            } else {
                Error::invalid("a variation without a move to replace")
            };
            let end = over(input.text);
            let kept = input.text.get(at..end);
            if self.report(input, at, error.at_ply(self.ply), kept) {
                self.keep(input, at, end);
            }
            return end;
        }
        match input.visitor.begin_variation() {
            Flow::Go => {}
            Flow::Skip => return over(input.text),
            Flow::Stop => {
                self.flow = Flow::Stop;
                return at + 1;
            }
        }
        let last = self.rewind();
        self.frames.push(Frame {
            before: self.checkpoint.clone(),
            last,
            since_start: self.since_start,
            ply: self.ply,
            at,
        });
        self.position.clone_from(&self.checkpoint);
        self.since_start = self.since.len();
        self.ply = self.ply.saturating_sub(1);
        self.moved = false;
        self.numbered = false;
        at + 1
    }

    /// Brings the checkpoint to the position before the last move and returns that move. Each ply
    /// is played at most once more, however many variations there are.
    fn rewind(&mut self) -> Ply {
        let last = self.since.len().saturating_sub(1);
        for &ply in self.since.get(self.since_start..last).unwrap_or_default() {
            self.checkpoint.play_ply(ply);
        }
        let ply = self.since.get(last).copied().unwrap_or(Ply::Null);
        self.since.truncate(self.since_start);
        self.since.push(ply);
        ply
    }

    pub(super) fn close(&mut self, input: &mut Input<'_, '_>, at: usize) {
        self.release(input);
        let Some(frame) = self.frames.pop() else {
            let error = Error::invalid("`)` closes no variation").at_ply(self.ply);
            self.report(input, at, error, None);
            return;
        };
        input.visitor.end_variation();
        self.position.clone_from(&frame.before);
        self.position.play_ply(frame.last);
        self.checkpoint = frame.before;
        self.since_start = frame.since_start;
        self.since.truncate(frame.since_start + 1);
        self.ply = frame.ply;
        self.moved = true;
        self.numbered = false;
    }
}
