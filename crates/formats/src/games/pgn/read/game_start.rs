//! Finds the start of the next game, the comments before it, and text that belongs to no game.

use tabia_core::chess::{Ply, Position, san};

use crate::games::pgn::char_class::{at_line_start, is_newline, is_space, line_end, symbol_end};
use crate::games::pgn::comment_parser;
use crate::games::pgn::irregular_tags::begins_tag;
use crate::games::pgn::non_ascii_tokens::{AsciiToken, skip_blanks};

/// Bytes of comments and blanks after which the first move of a game must begin.
const LOOK_AHEAD: usize = 4096;

/// The byte with which DOS ends a text.
pub(super) const END_OF_DOS_FILE: u8 = 0x1a;

/// What is found before the next game.
#[derive(Debug, Default, PartialEq)]
pub(super) struct BeforeGame {
    /// The offset of the game; `None` if there is no other.
    pub(super) start: Option<usize>,
    /// The range of the comments before the game, and before `garbage`.
    pub(super) comments: Option<(usize, usize)>,
    /// The range of text that belongs to no game.
    pub(super) garbage: Option<(usize, usize)>,
}

/// Finds the next game from `at` on.
pub(super) fn find_game_start(text: &[u8], at: usize) -> BeforeGame {
    let mut at = at;
    let mut garbage = None;
    let mut found = BeforeGame::default();
    loop {
        at = skip_blanks(text, at);
        // DOS ends a text with a byte that belongs to none of its games, nor do blanks after it.
        if garbage.is_none() && text.get(at) == Some(&END_OF_DOS_FILE) {
            at += 1;
            continue;
        }
        let Some(&first) = text.get(at) else {
            found.garbage = garbage.map(|from| (from, text.len()));
            return found;
        };
        if first == b'[' && begins_tag(text, at) {
            break;
        }
        if first == b'%' && at_line_start(text, at) {
            at = line_end(text, at);
            continue;
        }
        let line = text.get(..at).unwrap_or_default().trim_ascii_end().len();
        let between = text.get(line..at).unwrap_or_default();
        let line_start = line == 0 || between.iter().any(|&byte| is_newline(byte));
        let mut from = at + 1;
        if line_start || garbage.is_none() {
            match begins_moves(text, at) {
                Ok(()) => break,
                Err(end) => from = from.max(end),
            }
        }
        if garbage.is_none() {
            let end = match first {
                b'{' => comment_parser::end(text, at).map(|end| end + 1),
                b';' => Some(line_end(text, at)),
                _ => None,
            };
            if let Some(end) = end {
                let (start, _) = found.comments.unwrap_or((at, end));
                found.comments = Some((start, end));
                at = end;
                continue;
            }
        }
        garbage.get_or_insert(at);
        let rest = text.get(from..).unwrap_or_default();
        at = memchr::memchr3(b'\n', b'\r', b'[', rest).map_or(text.len(), |found| from + found);
    }
    found.start = Some(at);
    found.garbage = garbage.map(|from| (from, at));
    found
}

/// Whether movetext without tags begins at `at`: a move number, or a move that is legal in the
/// standard position, after comments and parentheses or not. A null move is none: `--` begins the signature of a letter. Otherwise the error is the offset after
/// the comments.
pub(super) fn begins_moves(text: &[u8], at: usize) -> Result<(), usize> {
    let limit = at.saturating_add(LOOK_AHEAD).min(text.len());
    let text = text.get(..limit).unwrap_or(text);
    let mut i = at;
    loop {
        match text.get(i) {
            Some(b'{') => match comment_parser::end(text, i) {
                Some(end) => i = end + 1,
                None => return Err(i),
            },
            Some(b';') => i = line_end(text, i),
            Some(b'(') => i += 1,
            Some(&byte) if is_space(byte) => i += 1,
            _ => break,
        }
    }
    let end = symbol_end(text, i);
    let token = text.get(i..end).unwrap_or_default();
    let digits = token
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let is_move = if digits > 0 && digits == token.len() {
        text.get(skip_blanks(text, end)) == Some(&b'.')
    } else {
        AsciiToken::read(text, i).is_some_and(|token| {
            let token = token.as_slice();
            let found = san::read(&Position::standard(), token);
            !token.is_empty() && found.is_ok_and(|ply| ply != Ply::Null)
        })
    };
    if is_move { Ok(()) } else { Err(i) }
}
