//! Finds the start of the next game, and text before it that belongs to no game.

use tabia_core::chess::{Position, san};

use crate::games::pgn::char_class::{
    at_line_start, is_newline, is_space, line_end, skip_spaces, symbol_end,
};
use crate::games::pgn::event_boundary::BOM;
use crate::games::pgn::movetext_skipper::is_tag;

/// Bytes of comments and blanks after which the first move of a game must begin.
const LOOK_AHEAD: usize = 4096;

/// The offset of the next game from `at` on, and the range of the text before it that belongs to no
/// game; each `None` if absent.
pub(super) fn find_game_start(text: &[u8], at: usize) -> (Option<usize>, Option<(usize, usize)>) {
    let mut at = at;
    let mut garbage = None;
    let range = |garbage: Option<usize>, end: usize| garbage.map(|from| (from, end));
    loop {
        at = skip_spaces(text, at);
        let rest = text.get(at..).unwrap_or_default();
        let Some(&first) = rest.first() else {
            return (None, range(garbage, text.len()));
        };
        if rest.starts_with(BOM) {
            at += BOM.len();
            continue;
        }
        if first == b'[' && is_tag(text, at) {
            return (Some(at), range(garbage, at));
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
                Ok(()) => return (Some(at), range(garbage, at)),
                Err(end) => from = from.max(end),
            }
        }
        garbage.get_or_insert(at);
        let rest = text.get(from..).unwrap_or_default();
        at = memchr::memchr3(b'\n', b'\r', b'[', rest).map_or(text.len(), |found| from + found);
    }
}

/// Whether movetext without tags begins at `at`: a move number, or a move that is legal in the
/// standard position, after comments or not. Otherwise the error is the offset after the comments.
fn begins_moves(text: &[u8], at: usize) -> Result<(), usize> {
    let limit = at.saturating_add(LOOK_AHEAD).min(text.len());
    let text = text.get(..limit).unwrap_or(text);
    let mut i = at;
    loop {
        match text.get(i) {
            Some(b'{') => {
                let rest = text.get(i..).unwrap_or_default();
                match memchr::memchr(b'}', rest) {
                    Some(length) => i += length + 1,
                    None => return Err(i),
                }
            }
            Some(b';') => i = line_end(text, i),
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
        text.get(skip_spaces(text, end)) == Some(&b'.')
    } else {
        !token.is_empty() && san::read(&Position::standard(), token).is_ok()
    };
    if is_move { Ok(()) } else { Err(i) }
}
