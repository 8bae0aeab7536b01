//! Begin and end of variations.

use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Flow, Want};

use super::current_line::InterruptedLine;
use super::{Input, LastToken, Reader};
use crate::games::pgn::char_class::{digits_end, symbol_end};
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use crate::games::pgn::nag_symbols;
use crate::games::pgn::non_ascii_tokens::skip_blanks;

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
        let has_move = self.line.has_move();
        if has_move && let Some(end) = self.parenthesized_marks(input, at) {
            return end;
        }
        self.release_deferred(input);
        let depth = self.frames.len();
        if !has_move || depth >= self.max_depth {
            self.fix_end(input);
        }
        let skip = |text: &[u8]| match skip_movetext(text, at + 1, depth + 1, SkipTo::VariationEnd)
        {
            (end, MovetextEnd::VariationEnd) => end + 1,
            (end, _) => end,
        };
        // A parenthesis before the first move may hide the mainline.
        if has_move && !input.want.has(Want::VARIATIONS) {
            return skip(input.text);
        }
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
            let is_at_start = !has_move && depth == 0;
            let mut end = at;
            if !(is_at_start && self.has_stray_parentheses) {
                end = skip(input.text);
            }
            if is_at_start && (end == at || input.text.get(end - 1) != Some(&b')')) {
                // A parenthesis before the first move that is not closed hides no moves.
                self.has_stray_parentheses = true;
                end = at + 1;
                self.report(input, at, error, input.text.get(at..end));
                return end;
            }
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

    /// Reads parentheses without moves, which are no variation: numbers, a draw offer `(=)`, which
    /// becomes a comment, or symbols, which become NAGs of the last move. Returns their end; `None` if
    /// there is anything else in them.
    fn parenthesized_marks(&mut self, input: &mut Input<'_, '_>, at: usize) -> Option<usize> {
        let text = input.text;
        let mut i = skip_blanks(text, at + 1);
        if !matches!(
            text.get(i)?,
            b'0'..=b'9' | b'.' | b')' | b'=' | b'!' | b'?' | b'$' | b'+' | b'-' | b'~' | 0x80..
        ) {
            return None;
        }
        let inside = i;
        let mut nags = Vec::new();
        loop {
            i = skip_blanks(text, i);
            let rest = text.get(i..)?;
            let token = rest.get(..symbol_end(rest, 0))?;
            let (nag, length) = match *rest.first()? {
                b')' => break,
                b'.' => {
                    i += 1;
                    continue;
                }
                b'0'..=b'9' => {
                    i += digits_end(rest, 0);
                    if !matches!(text.get(i), Some(b'.' | b' ' | b')')) {
                        return None;
                    }
                    continue;
                }
                b'!' | b'?' => nag_symbols::suffix(rest)?,
                b'$' => {
                    let end = digits_end(rest, 0);
                    let digits = std::str::from_utf8(rest.get(1..end)?).ok()?;
                    (digits.parse().ok()?, end)
                }
                _ => nag_symbols::unicode(rest)
                    .or_else(|| Some((nag_symbols::token(token)?, token.len())))?,
            };
            nags.push(nag);
            i += length;
        }
        if text.get(inside..i)?.trim_ascii() == b"=" {
            self.line.last_token = LastToken::Move;
            self.comment(input, at, i + 1);
        } else {
            for nag in nags {
                self.nag(input, nag);
            }
        }
        Some(i + 1)
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
