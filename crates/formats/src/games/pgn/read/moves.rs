//! Movetext, and moves as nearly all are written.

use tabia_core::chess::{Ply, san};
use tabia_core::error::Error;
use tabia_core::game::{CommentPlacement, Flow, GameResult, Want};

use super::{Input, Reader};
use crate::games::pgn::char_class::{
    Class, at_line_start, begins_move, class, digits_end, is_space, line_end, past_space,
    symbol_end, word,
};
use crate::games::pgn::movetext_skipper::{End, is_tag, result, skip};
use crate::games::pgn::nag_symbols;

impl Reader {
    pub(super) fn begin_line(&mut self) {
        self.checkpoint.clone_from(&self.position);
        self.since.clear();
        self.since_start = 0;
        self.frames.clear();
        self.waiting.clear();
        self.waiting_text.clear();
        self.ply = 0;
        self.moved = false;
        self.numbered = false;
    }

    /// Reads movetext to the end of the game.
    pub(super) fn moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> (usize, End) {
        self.begin_line();
        let text = input.text;
        let mut at = from;
        let end = loop {
            match self.flow {
                Flow::Go => {}
                Flow::Skip => return skip(text, at, self.frames.len(), false),
                Flow::Stop => return (text.len(), End::Text),
            }
            let Some(&byte) = text.get(at) else {
                break (text.len(), End::Text);
            };
            let class = class(byte);
            if matches!(class, Class::Move | Class::Digit) {
                let end = self.plain_moves(input, at);
                if end > at {
                    at = end;
                    continue;
                }
            }
            match class {
                Class::Space | Class::Dot => at += 1,
                Class::Move => {
                    let end = symbol_end(text, at);
                    let token = text.get(at..end).unwrap_or_default();
                    if let Ok(ply) = san::read(&self.position, token) {
                        at = end;
                        let _ = self.played(input, ply);
                    } else {
                        at = self.odd(input, at);
                    }
                }
                Class::Digit => {
                    let end = digits_end(text, at);
                    if text.get(end) == Some(&b' ') {
                        self.numbered = true;
                        at = end + 1;
                    } else if let Some((result, length)) = result(text, at, !self.frames.is_empty())
                        && !(result == GameResult::BothLose && self.castles(text, at))
                    {
                        break (at, End::Result(result, length));
                    } else {
                        at = self.odd(input, at);
                    }
                }
                Class::Brace => at = self.brace(input, at),
                Class::Semicolon => {
                    let end = line_end(text, at);
                    self.comment(input, at + 1, end);
                    at = end;
                }
                Class::Percent if at_line_start(text, at) => at = line_end(text, at),
                Class::Open => at = self.open(input, at),
                Class::Close => {
                    self.close(input, at);
                    at += 1;
                }
                Class::Dollar => at = self.dollar(input, at),
                Class::Mark => {
                    let rest = text.get(at..).unwrap_or_default();
                    let (nag, length) = nag_symbols::suffix(rest).unwrap_or((0, 1));
                    self.nag(input, nag);
                    at += length;
                }
                Class::Bracket if is_tag(text, at) => break (at, End::Tag),
                Class::Star | Class::Other | Class::Bracket | Class::Percent => {
                    if let Some((result, length)) = result(text, at, !self.frames.is_empty()) {
                        break (at, End::Result(result, length));
                    }
                    at = self.odd(input, at);
                }
            }
        };
        self.release(input);
        if let Some(frame) = self.frames.last() {
            let at = frame.at;
            self.report(
                input,
                at,
                Error::invalid("the variation is not closed"),
                None,
            );
        }
        while self.frames.pop().is_some() {
            self.release(input);
            input.visitor.end_variation();
        }
        end
    }

    /// Reads moves and numbers as nearly all are written, up to something else.
    #[inline(never)]
    fn plain_moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> usize {
        let text = input.text;
        let mut at = from;
        while let Some(&byte) = text.get(at) {
            let mut byte = byte;
            // A number before every second move is a pattern that can be foreseen.
            if byte.is_ascii_digit() {
                let end = digits_end(text, at);
                if text.get(end) != Some(&b'.') {
                    break;
                }
                self.numbered = true;
                at = past_space(text, end + 1);
                let Some(&next) = text.get(at) else { break };
                byte = next;
            }
            if begins_move(byte) {
                let Some((letters, length)) = word(text, at) else {
                    break;
                };
                let Some(m) = san::read_letters(&self.position, letters, length) else {
                    break;
                };
                at = past_space(text, at + length);
                if self.play(input, Ply::Move(m)) != Flow::Go {
                    break;
                }
            } else if is_space(byte) {
                at += 1;
            } else if !byte.is_ascii_digit() {
                break;
            }
        }
        at
    }

    /// Whether the `0-0` at `at` can be played.
    fn castles(&self, text: &[u8], at: usize) -> bool {
        let token = text.get(at..symbol_end(text, at)).unwrap_or_default();
        // The tag decides first, so that the result does not depend on reading the moves.
        let decided = self.tag_result.is_some_and(|result| {
            matches!(
                result,
                GameResult::WhiteWins | GameResult::BlackWins | GameResult::Draw
            )
        });
        decided && san::read(&self.position, token).is_ok()
    }

    /// Hands a move on and plays it.
    #[inline(always)]
    fn play(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        // The writer asks for it, and so does the next move.
        if let Ply::Move(m) = ply {
            self.position.cache_check(m);
        }
        let flow = if input.want.has(Want::MAINLINE) || !self.frames.is_empty() {
            input.visitor.visit_move(&self.position, ply)
        } else {
            Flow::Go
        };
        self.position.play_ply(ply);
        self.since.push(ply);
        self.ply += 1;
        self.moved = true;
        self.numbered = false;
        if flow != Flow::Go {
            self.flow = flow;
        }
        if !self.waiting.is_empty() {
            self.give(input, CommentPlacement::Before);
        }
        self.flow
    }

    /// The same for moves that are not written plainly.
    #[inline(never)]
    pub(super) fn played(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        self.play(input, ply)
    }
}
