//! Movetext, with a fast path for moves and numbers in the usual notation.

use tabia_core::chess::{Ply, san};
use tabia_core::error::Error;
use tabia_core::game::{CommentPlacement, Flow, GameResult, Want};

use super::{Input, LastToken, Reader};
use crate::games::pgn::char_class::{
    CharClass, at_line_start, begins_move, class, digits_end, is_space, line_end, past_space,
    symbol_end, word_at,
};
use crate::games::pgn::irregular_tags::begins_tag;
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use crate::games::pgn::nag_symbols;
use crate::games::pgn::result_tokens::{forfeit_at, result_at};

impl Reader {
    /// Begins the mainline at the start position, with the comments that precede it.
    pub(super) fn begin_mainline(&mut self, input: &mut Input<'_, '_>) {
        self.line.begin();
        self.frames.clear();
        self.deferred.clear();
        self.has_stray_parentheses = false;
        self.visit_head_comments(input);
    }

    /// Reads movetext to the end of the game: its offset and the token there.
    pub(super) fn moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> (usize, MovetextEnd) {
        self.begin_mainline(input);
        self.movetext_start = from;
        self.fixed_end = None;
        let text = input.text;
        if self.letters.is_some() {
            self.fix_end(input);
        }
        let end = self.regular_moves(input, from, text);
        input.text = text;
        end
    }

    /// Fixes the end of the game at the one that skipping it finds, and cuts the text there: where a game
    /// ends must not depend on how irregular movetext is understood.
    #[cold]
    pub(super) fn fix_end(&mut self, input: &mut Input<'_, '_>) {
        if self.fixed_end.is_none() {
            let found = skip_movetext(input.text, self.movetext_start, 0, SkipTo::GameEnd);
            input.text = input.text.get(..found.0).unwrap_or_default();
            self.fixed_end = Some(found);
        }
    }

    /// [`moves`](Self::moves); `whole` is the text, and `input` may end at the end of the game.
    fn regular_moves<'t>(
        &mut self,
        input: &mut Input<'t, '_>,
        from: usize,
        whole: &'t [u8],
    ) -> (usize, MovetextEnd) {
        let mut at = from;
        let end = loop {
            let text = input.text;
            match self.flow {
                Flow::Go => {}
                Flow::Skip => {
                    return self.fixed_end.unwrap_or_else(|| {
                        skip_movetext(text, at, self.frames.len(), SkipTo::GameEnd)
                    });
                }
                Flow::Stop => return (text.len(), MovetextEnd::EndOfText),
            }
            let Some(&byte) = text.get(at) else {
                let (end, token) = self
                    .fixed_end
                    .unwrap_or((text.len(), MovetextEnd::EndOfText));
                if let MovetextEnd::Result(GameResult::BothLose, length) = token
                    && let Some(ply) = self.castling(whole, end)
                {
                    at = end + length;
                    input.text = whole.get(..at).unwrap_or(whole);
                    self.fixed_end = Some((at, MovetextEnd::EndOfText));
                    let _ = self.play_uninlined(input, ply);
                    continue;
                }
                break (end, token);
            };
            let class = class(byte);
            if let Some(letters) = self.letters
                && matches!(class, CharClass::Move | CharClass::Other)
                && let Some(end) = self.national_move(input, at, letters)
            {
                at = end;
                continue;
            }
            if matches!(class, CharClass::Move | CharClass::Digit) && self.letters.is_none() {
                let end = self.usual_moves(input, at);
                if end > at {
                    at = end;
                    continue;
                }
            }
            match class {
                CharClass::Space | CharClass::Dot => at += 1,
                CharClass::Move => {
                    let end = symbol_end(text, at);
                    let token = text.get(at..end).unwrap_or_default();
                    if let Ok(ply) = san::read(&self.line.position, token) {
                        at = end;
                        let _ = self.play_uninlined(input, ply);
                    } else {
                        at = self.nonstandard_token(input, at);
                    }
                }
                CharClass::Digit => {
                    let end = digits_end(text, at);
                    if text.get(end) == Some(&b' ') {
                        self.line.last_token = LastToken::Number;
                        at = end + 1;
                    } else if let Some((result, length)) = self.result(text, at) {
                        if result == GameResult::BothLose
                            && let Some(ply) = self.castling(text, at)
                        {
                            at += length;
                            let _ = self.play_uninlined(input, ply);
                            continue;
                        }
                        break (at, MovetextEnd::Result(result, length));
                    } else {
                        at = self.nonstandard_token(input, at);
                    }
                }
                CharClass::Brace => at = self.brace(input, at),
                CharClass::Semicolon => {
                    let end = line_end(text, at);
                    // Nothing follows: a stray semicolon is no comment.
                    if past_space(text, at + 1) < end {
                        self.comment(input, at + 1, end);
                    }
                    at = end;
                }
                CharClass::Percent if at_line_start(text, at) => at = line_end(text, at),
                CharClass::Open => at = self.open_variation(input, at),
                CharClass::Close => {
                    self.close_variation(input, at);
                    at += 1;
                }
                CharClass::Dollar => at = self.dollar(input, at),
                CharClass::Mark => {
                    let rest = text.get(at..).unwrap_or_default();
                    let (nag, length) = nag_symbols::suffix(rest).unwrap_or((0, 1));
                    self.nag(input, nag);
                    at += length;
                }
                CharClass::Bracket if self.fixed_end.is_none() && begins_tag(text, at) => {
                    break (at, MovetextEnd::Tag);
                }
                CharClass::Star | CharClass::Other | CharClass::Bracket | CharClass::Percent => {
                    if let Some((result, length)) = self.result(text, at) {
                        break (at, MovetextEnd::Result(result, length));
                    }
                    at = self.nonstandard_token(input, at);
                }
            }
        };
        self.release_deferred(input);
        if let Some(frame) = self.frames.last() {
            let at = frame.at;
            self.has_open_end = true;
            self.report(
                input,
                at,
                Error::invalid("the variation is not closed"),
                None,
            );
        }
        while self.frames.pop().is_some() {
            self.release_deferred(input);
            input.visitor.end_variation();
        }
        end
    }

    /// Reads moves and numbers in the usual notation, up to the first other token. Returns its offset.
    #[inline(never)]
    fn usual_moves(&mut self, input: &mut Input<'_, '_>, from: usize) -> usize {
        let text = input.text;
        let mut at = from;
        while let Some(&byte) = text.get(at) {
            let mut byte = byte;
            // A number before every second move is a pattern that branch prediction learns.
            if byte.is_ascii_digit() {
                let end = digits_end(text, at);
                if text.get(end) != Some(&b'.') {
                    break;
                }
                self.line.last_token = LastToken::Number;
                at = past_space(text, end + 1);
                let Some(&next) = text.get(at) else { break };
                byte = next;
            }
            if begins_move(byte) {
                let Some((letters, length)) = word_at(text, at) else {
                    break;
                };
                let Some(m) = san::read_letters(&self.line.position, letters, length) else {
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

    /// The result at `at` that ends the game, and its length. If the end is known, it is at no other
    /// offset, and the text is cut there.
    fn result(&self, text: &[u8], at: usize) -> Option<(GameResult, usize)> {
        // A symbol after a move is that of a NAG, unless the tag states the same forfeit.
        if let Some(tag) = self.tag_result.filter(|tag| tag.is_special())
            && let Some((result, length)) = forfeit_at(text, at)
            && self.frames.is_empty()
            && tag == result
        {
            return Some((result, length));
        }
        if self.fixed_end.is_some() {
            return None;
        }
        result_at(text, at, !self.frames.is_empty())
    }

    /// The move if the `0-0` at `at` is castling and not a result.
    fn castling(&self, text: &[u8], at: usize) -> Option<Ply> {
        let token = text.get(at..symbol_end(text, at)).unwrap_or_default();
        // Only if the tag states another result, so that the result does not depend on the moves.
        let has_other_result = self.tag_result.is_some_and(|result| {
            matches!(
                result,
                GameResult::WhiteWins | GameResult::BlackWins | GameResult::Draw
            )
        });
        san::read(&self.line.position, token)
            .ok()
            .filter(|_| has_other_result)
    }

    /// Hands a move to the visitor and plays it.
    #[inline(always)]
    fn play(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        // Writers and the next move need the cached values. Only legal moves are played.
        if let Ply::Move(m) = ply {
            self.line.position.cache_legal(m);
        }
        let flow = if input.want.has(Want::MAINLINE) || !self.frames.is_empty() {
            input.visitor.visit_move(&self.line.position, ply)
        } else {
            Flow::Go
        };
        self.line.play(ply);
        if flow != Flow::Go {
            self.flow = flow;
        }
        if !self.deferred.is_empty() {
            self.visit_deferred(input, CommentPlacement::Before);
        }
        self.flow
    }

    /// [`play`](Self::play) for moves outside the fast path.
    #[inline(never)]
    pub(super) fn play_uninlined(&mut self, input: &mut Input<'_, '_>, ply: Ply) -> Flow {
        self.play(input, ply)
    }
}
