//! Moves that are not written plainly, and what cannot be read.

use std::fmt::Display;

use tabia_core::chess::{Ply, san};
use tabia_core::error::Error;
use tabia_core::game::{Annotation, Flow, Foreign, Want};
use tabia_core::io::decode;

use super::{Input, Reader};
use crate::games::pgn::char_class::{skip_spaces, symbol_end};
use crate::games::pgn::game_boundary::BOM;
use crate::games::pgn::movetext_skipper::{End, skip};
use crate::games::pgn::nag_symbols;

impl Reader {
    /// A token that is no plain move. Returns where it ends.
    #[cold]
    #[inline(never)]
    pub(super) fn odd(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let text = input.text;
        let rest = text.get(at..).unwrap_or_default();
        let end = symbol_end(text, at);
        let token = text.get(at..end).unwrap_or_default();
        let digits = token
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == token.len() && digits > 0 {
            self.numbered = true;
            return end;
        }
        if rest.starts_with(b"e.p.") && self.moved {
            return at + 4;
        }
        if token == b"ep" && self.moved {
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
        let mut plain = [0; 16];
        let mut end = end;
        let mut token = token;
        if let Some(letter) = nag_symbols::figurine(rest) {
            end = symbol_end(text, at + 3);
            let squares = text.get(at + 3..end).unwrap_or_default();
            let from = usize::from(letter != 0);
            plain[0] = letter;
            if let Some(place) = plain.get_mut(from..from + squares.len()) {
                place.copy_from_slice(squares);
                token = plain.get(..from + squares.len()).unwrap_or_default();
            }
        }
        // `1e4`
        if digits > 0
            && digits < 4
            && let Some(rest) = token.get(digits..)
            && let Ok(ply) = san::read(&self.position, rest)
        {
            let _ = self.played(input, ply);
            return end;
        }
        let mut glued = None;
        let mut read = self.lenient(token);
        if read.is_none()
            && let Some((rest, nag)) = nag_symbols::glued(token)
        {
            read = self.lenient(rest);
            glued = Some(nag);
        }
        if read.is_none()
            && let Some(&[b'(', letter, b')']) = text.get(end..end + 3)
        {
            let mut spelled = token.to_vec();
            spelled.extend_from_slice(&[b'(', letter, b')']);
            read = self.lenient(&spelled);
            end += 3;
        }
        if read.is_none()
            && let Some(rest) = self.without_result(token)
        {
            read = self.lenient(rest);
        }
        if let Some(ply) = read {
            if self.played(input, ply) == Flow::Go
                && let Some(nag) = glued
            {
                self.nag(input, nag);
            }
            return end;
        }
        self.unread(input, at)
    }

    /// A move with the game's result glued to its end, as the tag says it too.
    fn without_result<'t>(&self, token: &'t [u8]) -> Option<&'t [u8]> {
        let said = self.tag_result.filter(|_| self.frames.is_empty())?;
        token.strip_suffix(said.pgn().as_bytes())
    }

    /// Reads a move, granting a castling right that a setup position forgot.
    fn lenient(&mut self, token: &[u8]) -> Option<Ply> {
        if let Ok(ply) = san::read(&self.position, token) {
            return Some(ply);
        }
        self.head.start.setup.as_ref()?;
        let side = match token {
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', b'-', ..] => 1,
            [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o', ..] => 0,
            _ => return None,
        };
        let mut position = self.position.clone();
        if !position.grant_castling(position.turn(), side) {
            return None;
        }
        let ply = san::read(&position, token).ok()?;
        self.position = position;
        Some(ply)
    }

    /// A move that cannot be read ends its line: reported, and the rest of the line kept.
    fn unread(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        self.release(input);
        let text = input.text;
        let mut token_end = symbol_end(text, at);
        if token_end == at {
            token_end = at + 1;
            while text.get(token_end).is_some_and(|&byte| byte & 0xc0 == 0x80) {
                token_end += 1;
            }
        }
        let token = decode(text.get(at..token_end).unwrap_or_default(), self.charset);
        let why: &dyn Display = match san::read(&self.position, token.as_bytes()) {
            Err(ref error) => &error.to_string(),
            Ok(_) => &"not the notation of a move",
        };
        let error = Error::invalid(format!("`{token}` is {why}")).at_ply(self.ply);
        let (end, _) = skip(text, at, self.frames.len(), true);
        let kept = text.get(at..end).unwrap_or_default().trim_ascii_end();
        self.report(input, at, error, Some(kept));
        if !self.has_ended() {
            self.keep(input, at, end);
        }
        end.max(at + 1)
    }

    /// Keeps movetext that cannot be played as it stands, but for the comments before it.
    pub(super) fn unplayed(&mut self, input: &mut Input<'_, '_>, at: usize) -> (usize, End) {
        self.begin_line();
        let mut at = skip_spaces(input.text, at);
        while !self.has_ended() {
            let end = match input.text.get(at) {
                Some(b'{') => self.brace(input, at),
                Some(b'$') => self.dollar(input, at),
                _ => break,
            };
            at = skip_spaces(input.text, end);
        }
        let (end, what) = skip(input.text, at, 0, false);
        if end > at
            && let Some(error) = self.unplayable.take()
        {
            let kept = input.text.get(at..end);
            self.report(input, at, error, kept);
        }
        self.keep(input, at, end);
        (end, what)
    }

    pub(super) fn keep(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
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
