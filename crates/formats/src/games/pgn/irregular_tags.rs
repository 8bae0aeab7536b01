//! What tag sections contain apart from regular tag pairs: pairs in other forms, comments, and lines
//! that are no tags. None of it ends the section, so that no game is cut in two.

use super::char_class::{
    at_line_start, is_newline, is_one_line_break, is_space, line_end, skip_spaces,
};
use super::comment_parser;
use super::looks_like_movetext::looks_like_movetext;
use super::non_ascii_tokens::{blank_length, skip_blanks};
use super::tag_names::quoted_name;
use super::tag_order;
use super::tag_parser::{RawPair, is_tag, quoted_pair};
use super::torn_games;

/// The next part of a tag section.
#[derive(Debug)]
pub(super) enum TagSectionPart<'t> {
    /// A pair whose name can be any text, and its end.
    Pair(RawPair<'t>, usize),
    /// Characters without a meaning, up to this offset.
    Layout(usize),
    /// Comments, up to this offset, at which a tag follows.
    Comments(usize),
    /// Lines that are no tags, up to this offset.
    Unread(usize),
    /// The section ends.
    End,
}

/// The longest name of several words.
const LONGEST_NAME: usize = 64;

/// Bytes in which the next tag must begin after lines that are no tags.
const LOOK_AHEAD: usize = 4096;

/// The part at `at`, at which no regular pair begins; `tags_end` is the end of the last tag, and
/// `has_tag` answers whether the section has a tag with this name.
pub(super) fn next_part(
    text: &[u8],
    tags_end: usize,
    at: usize,
    has_tag: impl Fn(&[u8]) -> bool,
) -> TagSectionPart<'_> {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(next) = game_on_line(text, tags_end, at) {
        return TagSectionPart::Unread(next);
    }
    let continues = |tag_at: usize| tag_name(text, tag_at).is_some_and(|name| !has_tag(name));
    match rest.first() {
        None => return TagSectionPart::End,
        Some(b'[') => {
            if let Some((pair, end)) = irregular_pair(text, at) {
                return TagSectionPart::Pair(pair, end);
            }
        }
        Some(b']') => return TagSectionPart::Layout(at + 1),
        Some(b'{' | b';') => {
            return match comments_end(text, at) {
                Some(end) if continues(end) => TagSectionPart::Comments(end),
                _ => TagSectionPart::End,
            };
        }
        Some(0x80..) => {
            if let Some(length) = blank_length(rest) {
                return TagSectionPart::Layout(at + length);
            }
        }
        Some(_) => {}
    }
    let junk = rest_of_tag_line(text, tags_end, at).or_else(|| junk_end(text, tags_end, at));
    match junk {
        Some(end) if continues(skip_spaces(text, end)) => TagSectionPart::Unread(end),
        _ => TagSectionPart::End,
    }
}

/// The offset of the game that begins on the line of `at`, if what is before it is the rest of a tag that is cut off.
fn game_on_line(text: &[u8], tags_end: usize, at: usize) -> Option<usize> {
    let before = text.get(tags_end..at)?;
    let is_tag = text.get(at) == Some(&b'[')
        || is_one_line_break(before)
            && !matches!(text.get(at), Some(b'{' | b';'))
            && !looks_like_movetext(text, at);
    if !is_tag {
        return None;
    }
    let limit = at.saturating_add(LOOK_AHEAD).min(text.len());
    let line = text.get(at..limit)?;
    torn_games::game_within(text, at + 1, at + line_end(line, 0))
}

/// The name of the tag that begins at `at`, in any form.
fn tag_name(text: &[u8], at: usize) -> Option<&[u8]> {
    if text.get(at) != Some(&b'[') {
        return None;
    }
    let start = skip_spaces(text, at + 1);
    let name = text.get(start..name_end(text, start))?;
    (is_tag(text, at) || irregular_pair(text, at).is_some()).then_some(name)
}

/// The end of a name of any characters.
fn name_end(text: &[u8], mut at: usize) -> usize {
    while let Some(rest @ [first, ..]) = text.get(at..) {
        let is_end = is_space(*first) || matches!(first, b'"' | b'[' | b']');
        if is_end || *first >= 0x80 && blank_length(rest).is_some() {
            break;
        }
        at += 1;
    }
    at
}

/// Parses a pair whose name or form is not regular: `[Größe "x"]`, `[ "x"]`, `[Name value]`.
fn irregular_pair(text: &[u8], at: usize) -> Option<(RawPair<'_>, usize)> {
    let name_at = skip_blanks(text, at + 1);
    let end = name_end(text, name_at);
    let name = text.get(name_at..end)?;
    let quote = skip_blanks(text, end);
    if text.get(quote) == Some(&b'"') {
        return quoted_pair(text, (name, name_at), quote + 1);
    }
    // A game can begin with this tag, so it must be read: bytes of its name are those of a blank.
    if let Some((name, value_at)) = quoted_name(text, at) {
        let name_at = name.start;
        return quoted_pair(text, (text.get(name)?, name_at), value_at);
    }
    if let Some((name, quote)) = name_of_words(text, name_at) {
        return quoted_pair(text, (name, name_at), quote + 1);
    }
    unquoted_pair(text, at)
}

/// The name of several words at `at`, and the quote after it: `[White Elo "2800"]`.
fn name_of_words(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let is_of_name =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t' | b'_');
    let length = rest
        .iter()
        .take(LONGEST_NAME)
        .take_while(is_of_name)
        .count();
    let name = rest.get(..length)?.trim_ascii_end();
    let begins = name.first().is_some_and(u8::is_ascii_alphabetic);
    (begins && rest.get(length) == Some(&b'"')).then_some((name, at + length))
}

/// Parses `[Name value]`, which fills its line or is followed by another bracket.
fn unquoted_pair(text: &[u8], at: usize) -> Option<(RawPair<'_>, usize)> {
    let line = text.get(at + 1..line_end(text, at))?;
    let length = memchr::memchr(b']', line)?;
    let after = line.get(length + 1..)?.trim_ascii_start();
    if !matches!(after, [] | [b'[' | b']', ..]) {
        return None;
    }
    let inside = line.get(..length)?;
    let (name, value) = inside.split_at_checked(name_end(inside, 0))?;
    let first = name.first()?;
    if !first.is_ascii_alphabetic() && *first < 0x80 {
        return None;
    }
    let value_at = at + 1 + name.len() + (value.len() - value.trim_ascii_start().len());
    let pair = RawPair {
        name,
        value: value.trim_ascii(),
        name_at: at + 1,
        value_at,
        is_literal: true,
        is_closed: true,
    };
    Some((pair, at + 1 + length + 1))
}

/// Whether the `[` at `at` begins a tag, which may be the first of a game.
pub(super) fn begins_tag(text: &[u8], at: usize) -> bool {
    is_tag(text, at) || begins_unquoted(text, at)
}

/// Whether a game can begin with the tag at `at`, which has no quotes: its name is a frequent one.
pub(super) fn begins_unquoted(text: &[u8], at: usize) -> bool {
    at_line_start(text, at)
        && unquoted_pair(text, at).is_some_and(|(pair, _)| {
            let name = std::str::from_utf8(pair.name).unwrap_or_default();
            tag_order::rank(name) != tag_order::REST && !pair.value.is_empty()
        })
}

/// The offset of the first token after the comments at `at`; `None` if one of them is not closed.
pub(super) fn comments_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        at = skip_blanks(text, at);
        at = match text.get(at) {
            Some(b'{') => comment_parser::end(text, at)? + 1,
            Some(b';') => line_end(text, at),
            Some(b'%') if at_line_start(text, at) => line_end(text, at),
            _ => return Some(at),
        };
    }
}

/// The end of what follows a tag on its line, if a tag is on the next line; `None` if nothing does.
fn rest_of_tag_line(text: &[u8], tags_end: usize, at: usize) -> Option<usize> {
    if tags_end == 0 || text.get(tags_end..at)?.iter().any(|byte| is_newline(*byte)) {
        return None;
    }
    let limit = at.saturating_add(LOOK_AHEAD).min(text.len());
    let rest = text.get(at..limit)?;
    let end = line_end(rest, 0);
    let next = skip_spaces(rest, end);
    let is_next = is_one_line_break(rest.get(end..next)?) && rest.get(next) == Some(&b'[');
    is_next.then_some(at + end)
}

/// The end of the lines at `at` that are no tags; `None` if they may be movetext, or if a blank line is
/// before or after them.
fn junk_end(text: &[u8], tags_end: usize, at: usize) -> Option<usize> {
    let before = text.get(tags_end..at)?;
    if !is_one_line_break(before) {
        return None;
    }
    let limit = at.saturating_add(LOOK_AHEAD);
    let mut start = at;
    loop {
        if looks_like_movetext(text, start) {
            return None;
        }
        let end = line_end(text, start);
        let next = skip_spaces(text, end);
        if !is_one_line_break(text.get(end..next)?) || next > limit {
            return None;
        }
        if text.get(next) == Some(&b'[') {
            return Some(end);
        }
        start = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_between_tags_are_junk_without_blank_lines() {
        let junk = |text: &str| junk_end(text.as_bytes(), 0, 1);
        assert_eq!(junk("\nWhite: Anna\n[Black \"B\"]"), Some(12));
        assert_eq!(junk("\nWhite: Anna\r\nx\r\n[Black \"B\"]"), Some(15));
        assert_eq!(junk("\nWhite: Anna\n\n[Black \"B\"]"), None);
        assert_eq!(junk("\n1. e4 e5\n[Black \"B\"]"), None);
        assert_eq!(junk("\nWhite: Anna\n1. e4 e5\n[Black \"B\"]"), None);
    }
}
