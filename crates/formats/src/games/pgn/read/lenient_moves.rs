//! Moves in other notations than the usual one, and movetext that cannot be read.

use std::fmt::Display;

use tabia_core::chess::{Ply, san};
use tabia_core::error::Error;
use tabia_core::game::{Annotation, Flow, Foreign, Want};
use tabia_core::io::decode;

use super::{Input, LastToken, Reader};
use crate::games::pgn::char_class::{skip_spaces, symbol_end};
use crate::games::pgn::event_boundary::BOM;
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use crate::games::pgn::nag_symbols;

impl Reader {
    /// A token that is not a move in the usual notation; returns its end.
    #[cold]
    #[inline(never)]
    pub(super) fn nonstandard_token(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let text = input.text;
        let rest = text.get(at..).unwrap_or_default();
        let end = symbol_end(text, at);
        let token = text.get(at..end).unwrap_or_default();
        let digits = token
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == token.len() && digits > 0 {
            self.line.last_token = LastToken::Number;
            return end;
        }
        let has_move = self.line.has_move();
        if rest.starts_with(b"e.p.") && has_move {
            return at + 4;
        }
        if token == b"ep" && has_move {
            return end;
        }
        if rest.starts_with("\u{2026}".as_bytes()) {
            return at + 3;
        }
        if rest.starts_with(BOM) {
            return at + BOM.len();
        }
        // `=∞` begins like the token `=`, so the longer ones come first.
        if let Some((nag, length)) = nag_symbols::unicode(rest) {
            self.nag(input, nag);
            return at + length;
        }
        if let Some(nag) = nag_symbols::token(token) {
            self.nag(input, nag);
            return end;
        }
        let mut ascii = [0; 16];
        let mut end = end;
        let mut token = token;
        if let Some(letter) = nag_symbols::figurine(rest) {
            end = symbol_end(text, at + 3);
            let squares = text.get(at + 3..end).unwrap_or_default();
            let from = usize::from(letter != 0);
            ascii[0] = letter;
            if let Some(slot) = ascii.get_mut(from..from + squares.len()) {
                slot.copy_from_slice(squares);
                token = ascii.get(..from + squares.len()).unwrap_or_default();
            }
        }
        // `1e4`
        if digits > 0
            && digits < 4
            && let Some(rest) = token.get(digits..)
            && let Ok(ply) = san::read(&self.line.position, rest)
        {
            let _ = self.play_uninlined(input, ply);
            return end;
        }
        let mut evaluation = None;
        let mut found = self.read_leniently(token);
        if found.is_none()
            && let Some((rest, nag)) = nag_symbols::split_evaluation(token)
        {
            found = self.read_leniently(rest);
            evaluation = Some(nag);
        }
        if found.is_none()
            && let Some(&[b'(', letter, b')']) = text.get(end..end + 3)
        {
            let mut move_text = token.to_vec();
            move_text.extend_from_slice(&[b'(', letter, b')']);
            found = self.read_leniently(&move_text);
            end += 3;
        }
        if found.is_none()
            && let Some(rest) = self.without_result(token)
        {
            found = self.read_leniently(rest);
        }
        if let Some(ply) = found {
            if self.play_uninlined(input, ply) == Flow::Go
                && let Some(nag) = evaluation
            {
                self.nag(input, nag);
            }
            return end;
        }
        self.unreadable_move(input, at)
    }

    /// The move in a token that ends with the result of the game, if the tag states the same result.
    fn without_result<'t>(&self, token: &'t [u8]) -> Option<&'t [u8]> {
        let result = self.tag_result.filter(|_| self.frames.is_empty())?;
        token.strip_suffix(result.pgn().as_bytes())
    }

    /// Reads a move, and adds a castling right that is missing in a setup position.
    fn read_leniently(&mut self, token: &[u8]) -> Option<Ply> {
        if let Ok(ply) = san::read(&self.line.position, token) {
            return Some(ply);
        }
        self.head.start.setup.as_ref()?;
        let side = match token {
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', b'-', ..] => 1,
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', ..] => 0,
            _ => return None,
        };
        let mut position = self.line.position.clone();
        if !position.grant_castling(position.turn(), side) {
            return None;
        }
        let ply = san::read(&position, token).ok()?;
        self.line.position = position;
        Some(ply)
    }

    /// Reports a move that cannot be read, and preserves the rest of its line as foreign data. Returns
    /// the end of the line.
    fn unreadable_move(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release_deferred(input);
        let text = input.text;
        let mut token_end = symbol_end(text, at);
        if token_end == at {
            token_end = at + 1;
            while text.get(token_end).is_some_and(|&byte| byte & 0xc0 == 0x80) {
                token_end += 1;
            }
        }
        let token = decode(text.get(at..token_end).unwrap_or_default(), self.charset);
        let why: &dyn Display = match san::read(&self.line.position, token.as_bytes()) {
            Err(ref error) => &error.to_string(),
            Ok(_) => &"not the notation of a move",
        };
        let error = Error::invalid(format!("`{token}` is {why}")).at_ply(self.line.ply);
        let (end, _) = skip_movetext(text, at, self.frames.len(), SkipTo::VariationEnd);
        let unread = text.get(at..end).unwrap_or_default().trim_ascii_end();
        self.report(input, at, error, Some(unread));
        if !self.has_stopped() {
            self.preserve_unread(input, at, end);
        }
        end.max(at + 1)
    }

    /// Preserves the movetext of a game whose moves cannot be played as foreign data, except for the
    /// comments and NAGs before the first move.
    pub(super) fn unplayable_moves(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
    ) -> (usize, MovetextEnd) {
        self.begin_mainline();
        let mut at = skip_spaces(input.text, at);
        while !self.has_stopped() {
            let end = match input.text.get(at) {
                Some(b'{') => self.brace(input, at),
                Some(b'$') => self.dollar(input, at),
                _ => break,
            };
            at = skip_spaces(input.text, end);
        }
        let (end, token) = skip_movetext(input.text, at, 0, SkipTo::GameEnd);
        if end > at
            && let Some(error) = self.unplayable.take()
        {
            let unread = input.text.get(at..end);
            self.report(input, at, error, unread);
        }
        self.preserve_unread(input, at, end);
        (end, token)
    }

    /// Visits the bytes `from..to` as foreign data.
    pub(super) fn preserve_unread(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        let bytes = input.text.get(from..to).unwrap_or_default().trim_ascii();
        if !bytes.is_empty() && input.want.has(Want::ANNOTATIONS) {
            self.annotate(
                input,
                Annotation::Foreign(Foreign {
                    format: crate::games::pgn::ID,
                    kind: Foreign::UNREAD_MOVES,
                    bytes,
                }),
            );
        }
    }
}
