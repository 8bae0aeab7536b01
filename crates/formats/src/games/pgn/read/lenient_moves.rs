//! Moves in other notations than the usual one, and movetext that cannot be read.

use std::fmt::Display;

use tabia_core::chess::san::{self, SanError};
use tabia_core::chess::{PieceLetters, Ply};
use tabia_core::error::Error;
use tabia_core::game::{Annotation, Flow, Foreign, Want};
use tabia_core::io::decode;

use super::game_start::END_OF_DOS_FILE;
use super::{Input, LastToken, Reader};
use crate::games::pgn::char_class::{is_space, skip_spaces, symbol_end};
use crate::games::pgn::irregular_tags::begins_tag;
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, bracket_end, skip_movetext};
use crate::games::pgn::nag_symbols;
use crate::games::pgn::national_move_to_english::EnglishMove;
use crate::games::pgn::non_ascii_tokens::{
    AsciiToken, blank_length, dash_length, invisible_length,
};

/// Where the bytes end with which DOS ended a text, and blanks: before the next game or at the end of the text.
fn after_dos_file(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let is_end = |byte: &&u8| **byte == END_OF_DOS_FILE || is_space(**byte);
    let after = at + rest.iter().take_while(is_end).count();
    (after == text.len() || begins_tag(text, after)).then_some(after)
}

impl Reader {
    /// A token that is not a move in the usual notation; returns its end.
    #[cold]
    #[inline(never)]
    pub(super) fn nonstandard_token(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.fix_end(input);
        let text = input.text;
        let rest = text.get(at..).unwrap_or_default();
        let end = symbol_end(text, at);
        let token = text.get(at..end).unwrap_or_default();
        let digits = token
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let after = text.get(end..).unwrap_or_default();
        if digits == token.len() && digits > 0 && dash_length(after).is_none() {
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
        if let Some(length) = separator_length(rest) {
            return at + length;
        }
        match rest.first() {
            Some(b'}') => {
                let error = Error::invalid("`}` closes no comment").at_ply(self.line.ply);
                self.report(input, at, error, rest.get(..1));
                return at + 1;
            }
            Some(b'[') => {
                if let Some(end) = bracket_end(text, at) {
                    let error = Error::invalid("text in brackets outside of a comment");
                    let error = error.at_ply(self.line.ply);
                    self.report(input, at, error, text.get(at..end));
                    return end;
                }
            }
            // The last game of a text that DOS ended.
            Some(&END_OF_DOS_FILE) => {
                if let Some(after) = after_dos_file(text, at) {
                    return after;
                }
            }
            _ => {}
        }
        let wide = AsciiToken::read(text, at).filter(|wide| wide.end > end);
        // Otherwise `N` would be the symbol of a novelty.
        if invisible_length(after).is_some()
            && let Some(wide) = &wide
            && let Some(ply) = self.read_leniently(wide.as_slice())
        {
            let _ = self.play_uninlined(input, ply);
            return wide.end;
        }
        // Check and mate apart from the move: `e4!+`, `Qh5 #`.
        if !token.is_empty() && token.iter().all(|byte| matches!(byte, b'+' | b'#')) && has_move {
            return end;
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
        let (token, end) = match &wide {
            Some(wide) => (wide.as_slice(), wide.end),
            None => (token, end),
        };
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
            && let Some(rest) = self.without_result(token)
        {
            found = self.read_leniently(rest);
        }
        if found.is_none() {
            found = self.resolve_ambiguous(input, at, token, end);
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

    /// A move with the letters of another language at `at`; returns its end. `None` if the token there has
    /// no such letter and is no English move of a piece.
    #[cold]
    #[inline(never)]
    pub(super) fn national_move(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        letters: &PieceLetters,
    ) -> Option<usize> {
        let text = input.text;
        let Some(english) = EnglishMove::read(letters, text, at, self.charset) else {
            let token = text.get(at..symbol_end(text, at)).unwrap_or_default();
            let is_english = matches!(token, [b'K' | b'Q' | b'R' | b'B' | b'N', _, ..]);
            let is_nag = nag_symbols::token(token).is_some();
            return (is_english && !is_nag).then(|| self.unreadable_move(input, at));
        };
        let token = english.as_slice();
        let found = match san::read(&self.line.position, token) {
            Ok(ply) => Some(ply),
            Err(SanError::Ambiguous) => self.resolve_ambiguous(input, at, token, english.end),
            Err(SanError::Illegal) => None,
            // Castling, a symbol, a result.
            Err(_) => return None,
        };
        match found {
            Some(ply) => {
                let _ = self.play_uninlined(input, ply);
                Some(english.end)
            }
            None => Some(self.unreadable_move(input, at)),
        }
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
        let mut token_end =
            AsciiToken::read(text, at).map_or_else(|| symbol_end(text, at), |token| token.end);
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
        let mut text_of_error = format!("`{token}` is {why}");
        if let Some(code) = self.language_of_move(text, at) {
            text_of_error
                .push_str("; with the piece letters of another language, as of `--pieces ");
            text_of_error.push_str(code);
            text_of_error.push_str("`, it is one");
        }
        let error = Error::invalid(text_of_error).at_ply(self.line.ply);
        let (end, _) = skip_movetext(text, at, self.frames.len(), SkipTo::VariationEnd);
        let unread = text.get(at..end).unwrap_or_default().trim_ascii_end();
        self.report(input, at, error, Some(unread));
        if !self.has_stopped() {
            self.preserve_unread(input, at, end);
        }
        end.max(at + 1)
    }

    /// The first language other than English in which there is a legal move at `at`, if the moves are read
    /// in English: the language is found out from the start of a text only.
    fn language_of_move(&self, text: &[u8], at: usize) -> Option<&'static str> {
        let is_english = matches!(
            text.get(at),
            Some(b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N')
        );
        if self.letters.is_some() || is_english {
            return None;
        }
        let is_legal = |letters: &&PieceLetters| {
            EnglishMove::read(letters, text, at, self.charset)
                .is_some_and(|found| san::read(&self.line.position, found.as_slice()).is_ok())
        };
        let letters = PieceLetters::ALL.iter().skip(1).find(is_legal)?;
        letters.languages().first().map(|(code, _)| *code)
    }

    /// Preserves the movetext of a game whose moves cannot be played as foreign data, except for the
    /// comments and NAGs before the first move.
    pub(super) fn unplayable_moves(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
    ) -> (usize, MovetextEnd) {
        self.begin_mainline(input);
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

/// The length of the blank, the comma or the ellipsis at the start of `text`; `None` if there is none.
fn separator_length(text: &[u8]) -> Option<usize> {
    match text {
        // U+2026, in UTF-8 and in windows-1252.
        [0xe2, 0x80, 0xa6, ..] => Some(3),
        [b',' | 0x85, ..] => Some(1),
        _ => blank_length(text),
    }
}
