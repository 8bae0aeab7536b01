//! Parses comments: separates commands from text, and normalizes blanks in the text.

use tabia_core::byte_sets::ByteSet;
use tabia_core::game::{Annotation, Language};

use super::command_parser;
use super::full_profile::{self, ParsedCommand};
use super::looks_like_movetext::looks_like_movetext;
use super::non_ascii_tokens::skip_blanks;
use super::torn_games;

/// The properties of a comment, apart from its text and annotations.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CommentProperties {
    pub(super) language: Option<Language>,
    /// Whether the comment belongs before the next move; `None` if no command states it.
    pub(super) is_before_next: Option<bool>,
    /// Whether a command states that the comment belongs before the last move.
    pub(super) is_before_last: bool,
    /// Whether the comment has a text, which may be empty, and not only commands.
    pub(super) has_text: bool,
}

/// Parses `content`, which is inside the braces: passes annotations to `sink` in order and replaces
/// `text` by the other characters. In it a run of blanks with a line break is one space, and there
/// are no blanks at the ends.
pub(super) fn read(
    content: &str,
    text: &mut String,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> CommentProperties {
    text.clear();
    let mut found = CommentProperties::default();
    let mut has_commands = false;
    // The exact text, and how much of the text was before it.
    let mut exact = None;
    let mut line_breaks = None;
    let mut replaced = None;
    let mut ends = None;
    let mut rest = content;
    while let Some(at) = find_command(rest) {
        let (before, command) = rest.split_at(at);
        let Some((name, args, after)) = split(command) else {
            let end = at + 2;
            text.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
            continue;
        };
        let command = command_parser::read(name, args, sink);
        if command.is_none() {
            let end = rest.len() - after.len();
            text.push_str(rest.get(..end).unwrap_or_default());
            rest = after;
            continue;
        }
        push_part(text, before);
        has_commands = true;
        rest = after;
        match command {
            Some(ParsedCommand::Language(language)) => {
                found.language = Some(language);
                found.has_text = true;
            }
            Some(ParsedCommand::Before) => {
                found.is_before_next = Some(true);
                found.has_text = true;
            }
            Some(ParsedCommand::BeforeHere) => {
                found.is_before_next = Some(false);
                found.is_before_last = true;
                found.has_text = true;
            }
            Some(ParsedCommand::After) => {
                found.is_before_next = Some(false);
                found.has_text = true;
            }
            Some(ParsedCommand::Text(encoded)) => {
                let decoded = full_profile::percent_encoding::decode(encoded);
                exact.get_or_insert((text.len(), decoded));
            }
            Some(ParsedCommand::Lines(offsets)) => line_breaks = Some(offsets),
            Some(ParsedCommand::Chars(codes)) => replaced = Some(codes),
            Some(ParsedCommand::Ends(encoded)) => ends = Some(encoded),
            Some(ParsedCommand::Annotation | ParsedCommand::Variation) | None => {}
        }
    }
    push_part(text, rest);
    if let Some((at, exact)) = exact {
        // Blanks next to an exact text are only layout; words were added by somebody.
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        let mut parts = [before.to_owned(), after.to_owned()];
        parts.iter_mut().for_each(normalize);
        let [before, after] = parts;
        text.clear();
        for part in [&before, &exact, &after] {
            if !text.is_empty() && !part.is_empty() {
                text.push(' ');
            }
            text.push_str(part);
        }
        found.has_text = true;
        return found;
    }
    normalize(text);
    if let Some(offsets) = line_breaks {
        *text = restore_line_breaks(text, offsets);
    }
    if let Some(codes) = replaced {
        *text = restore_characters(text, codes);
    }
    if let Some((before, after)) = ends.and_then(|encoded| encoded.split_once(',')) {
        restore_ends(text, before, after);
    }
    found.has_text |= !text.is_empty() || !has_commands;
    found
}

/// The arguments of the commands `lines` and `chars`: a list, and the length in bytes that the text with all of it
/// had when it was written.
fn list_and_length(args: &str) -> (impl Iterator<Item = &str>, Option<usize>) {
    let mut words = args.split_ascii_whitespace();
    let list = words.next().unwrap_or_default().split(',');
    let length = words.next().filter(|word| *word == "of");
    let length = length.and_then(|_| words.next()?.parse().ok());
    (list, length)
}

/// The offsets as they are now, if a text was changed in one part since it was written: before that part they have not
/// changed, and after it all of them have by `change`, the difference of the lengths. `None` if neither is right for one
/// of them, as `is_there` finds, which gets its number in the list and the offset.
fn moved_offsets(
    offsets: &[usize],
    change: isize,
    is_there: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    let moved = |offset: usize| offset.checked_add_signed(change);
    let is_moved = |(i, &offset): (usize, &usize)| moved(offset).is_some_and(|at| is_there(i, at));
    let stay = offsets
        .iter()
        .enumerate()
        .take_while(|&(i, &offset)| is_there(i, offset))
        .count();
    let (before, after) = offsets.split_at(stay);
    let after = after.iter().enumerate();
    let mut after = after.map(|(i, offset)| (i + stay, offset));
    if !after.clone().all(is_moved) {
        return None;
    }
    let after = after.by_ref().filter_map(|(_, &offset)| moved(offset));
    Some(before.iter().copied().chain(after).collect())
}

/// The text with line breaks at the offsets in `args`, which are those of the result. A line break replaces a blank
/// except at the ends. Where there is no blank, the text was changed since it was written, and stays as it is.
fn restore_line_breaks(text: &str, args: &str) -> String {
    let (list, length) = list_and_length(args);
    let offsets: Vec<usize> = list.map_while(|offset| offset.parse().ok()).collect();
    let leading = (0..).zip(&offsets).take_while(|(i, offset)| i == *offset);
    let leading = leading.count();
    let inner = offsets.get(leading..).unwrap_or_default();
    // Without a stated length the ends are where the text has none.
    let end = length.unwrap_or(leading + text.len() + inner.len());
    let is_trailing = |(i, offset): &(usize, &usize)| {
        offset.saturating_add(i + 1) == end || length.is_none() && **offset >= leading + text.len()
    };
    let trailing = inner.iter().rev().enumerate().take_while(is_trailing);
    let trailing = trailing.count();
    let inner = inner.get(..inner.len() - trailing).unwrap_or_default();
    let blanks: Option<Vec<usize>> = inner
        .iter()
        .map(|offset| offset.checked_sub(leading))
        .collect();
    let written = length.map_or(Some(text.len()), |length| {
        length.checked_sub(leading + trailing)
    });
    let found = blanks.zip(written).and_then(|(blanks, written)| {
        let change = text.len().checked_signed_diff(written)?;
        let is_blank = |_, at: usize| text.as_bytes().get(at) == Some(&b' ');
        moved_offsets(&blanks, change, is_blank)
    });
    let Some(blanks) = found else {
        return text.to_owned();
    };
    let mut bytes = vec![b'\n'; leading];
    bytes.extend_from_slice(text.as_bytes());
    for blank in blanks {
        if let Some(byte) = bytes.get_mut(leading + blank) {
            *byte = b'\n';
        }
    }
    bytes.resize(bytes.len() + trailing, b'\n');
    // Blanks were replaced, so the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The text with the characters of `args`, as `4:7b,9:09`: the offset of each in bytes, and its code in hexadecimal
/// digits. It replaces the character that is written for it; where there is another one, the text was changed since,
/// and stays as it is.
fn restore_characters(text: &str, args: &str) -> String {
    let (list, length) = list_and_length(args);
    let parsed = list.map_while(|code| {
        let (offset, code) = code.split_once(':')?;
        let code = u8::from_str_radix(code, 16).ok().filter(u8::is_ascii)?;
        Some((offset.parse::<usize>().ok()?, code))
    });
    let (offsets, codes): (Vec<usize>, Vec<u8>) = parsed.unzip();
    let is_written = |i: usize, at: usize| {
        let written = match codes.get(i) {
            Some(b'{' | b'[') => b'(',
            Some(b'}') => b')',
            _ => b' ',
        };
        text.as_bytes().get(at) == Some(&written)
    };
    let change = text
        .len()
        .checked_signed_diff(length.unwrap_or(text.len()))
        .unwrap_or_default();
    let Some(found) = moved_offsets(&offsets, change, is_written) else {
        return text.to_owned();
    };
    let mut bytes = text.as_bytes().to_vec();
    for (offset, code) in found.into_iter().zip(codes) {
        if let Some(byte) = bytes.get_mut(offset) {
            *byte = code;
        }
    }
    // Characters of one byte replace others, so the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Adds the blanks and line breaks at the ends of a text, which are percent-encoded.
fn restore_ends(text: &mut String, before: &str, after: &str) {
    let [before, after] = [before, after].map(full_profile::percent_encoding::decode);
    let are_blank = |end: &str| end.bytes().all(|byte| byte.is_ascii_whitespace());
    if are_blank(&before) && are_blank(&after) {
        text.insert_str(0, &before);
        text.push_str(&after);
    }
}

/// `{` and `}`.
static BRACES: ByteSet = ByteSet::of_ranges(&[(b'{', b'{'), (b'}', b'}')]);

/// The offset of the `}` that ends the comment whose `{` is at `at`; `None` if it is not closed. Braces
/// inside a comment belong to it if the text after the first `}` cannot be movetext.
#[inline]
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let found = BRACES.find(text, at + 1);
    match text.get(found)? {
        // What is between may be tags that the comment quotes: a game that begins inside of a cut comment would have a `{`
        // of its own before the next `}`.
        b'}' => Some(found),
        _ if is_torn(text, at) => None,
        _ => nested_end(text, at),
    }
}

/// Whether a game begins before the first `}` after `at`.
#[cold]
fn is_torn(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr2_iter(b'[', b'}', rest)
        .map(|found| at + found)
        .take_while(|&found| text.get(found) == Some(&b'['))
        .any(|found| torn_games::begins_game(text, found))
}

/// Where the comment at `at` that has no [`end`] is over: at the next game, or where the text ends.
pub(super) fn open_end(text: &[u8], at: usize) -> usize {
    torn_games::game_within(text, at + 1, text.len()).unwrap_or(text.len())
}

/// [`end`] of a comment that contains a `{`.
#[cold]
fn nested_end(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + memchr::memchr(b'}', text.get(at..)?)?;
    let mut open = memchr::memchr_iter(b'{', text.get(at + 1..end)?).count();
    while open > 0 {
        let next = skip_blanks(text, end + 1);
        let rest = text.get(next..).unwrap_or_default();
        let Some(found) = memchr::memchr2(b'{', b'}', rest) else {
            break;
        };
        let closes = rest.get(found) == Some(&b'}');
        let between = rest.get(..found).unwrap_or_default();
        let is_outside = memchr::memchr2(b'[', b'(', between).is_some()
            || !between.is_empty() && looks_like_movetext(text, next);
        if !closes || is_outside {
            break;
        }
        end = next + found;
        open -= 1;
    }
    Some(end)
}

/// Whether a text contains the start of a command.
#[inline]
pub(super) fn has_commands(text: &str) -> bool {
    find_command(text).is_some()
}

/// The offset of the next `[%`.
fn find_command(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).find(|at| bytes.get(at + 1) == Some(&b'%'))
}

/// Appends the text between two commands. Blanks of both sides of a command do not add up.
fn push_part(text: &mut String, part: &str) {
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    if is_blank(text.as_bytes().last()) {
        text.push_str(part.trim_ascii_start());
    } else {
        text.push_str(part);
    }
}

/// Splits `[%name args]rest`; `None` if it is not a command or has no end.
fn split(command: &str) -> Option<(&str, &str, &str)> {
    let inside = command.strip_prefix("[%")?;
    let length = inside
        .bytes()
        .position(|byte| !byte.is_ascii_alphanumeric())?;
    let (name, args) = inside.split_at_checked(length)?;
    if name.is_empty() {
        return None;
    }
    let end = if name == "tqu" {
        // Texts in quotes may contain a bracket.
        let mut quoted = false;
        args.bytes().position(|byte| {
            quoted ^= byte == b'"';
            byte == b']' && !quoted
        })?
    } else {
        memchr::memchr(b']', args.as_bytes())?
    };
    Some((name, args.get(..end)?, args.get(end + 1..)?))
}

/// Whether a text has neither commands nor blanks to normalize, as most have. `false` for some texts
/// of this kind.
pub(super) fn is_simple(text: &str) -> bool {
    !has_blank_ends(text) && memchr::memchr3(b'\n', b'\r', b'[', text.as_bytes()).is_none()
}

/// Whether [`read`] leaves a text without commands unchanged.
pub(super) fn is_normalized(text: &str) -> bool {
    !has_blank_ends(text) && memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
}

fn has_blank_ends(text: &str) -> bool {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    is_blank(text.as_bytes().first()) || is_blank(text.as_bytes().last())
}

/// Replaces every run of blanks with a line break by one space, and removes blanks at the ends.
fn normalize(text: &mut String) {
    if is_normalized(text) {
        return;
    }
    let mut normalized = String::with_capacity(text.len());
    normalize_into(text, &mut normalized);
    *text = normalized;
}

/// Appends `text` to `out`, with blanks as [`normalize`] leaves them.
pub(super) fn normalize_into(text: &str, out: &mut String) {
    let mut rest = text.trim_ascii();
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
        let (line, after) = rest.split_at(at);
        out.push_str(line.trim_ascii_end());
        out.push(' ');
        rest = after.trim_ascii_start();
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, annotations: usize, expect: Option<&str>) {
        let mut text = String::new();
        let mut count = 0;
        let found = read(content, &mut text, &mut |_| count += 1);
        assert_eq!(count, annotations, "{content}");
        assert_eq!(found.has_text.then_some(text.as_str()), expect, "{content}");
    }

    #[test]
    fn nested_braces_belong_to_the_comment() {
        let rest = |text: &'static str| end(text.as_bytes(), 0).map(|end| &text[end + 1..]);
        assert_eq!(rest("{a} b}"), Some(" b}"));
        assert_eq!(rest("{a {b} c} e5"), Some(" e5"));
        assert_eq!(rest("{a {b}} e5"), Some(" e5"));
        assert_eq!(rest("{a {b {c} d} e} e5"), Some(" e5"));
        assert_eq!(rest("{a { b} e5 {c}"), Some(" e5 {c}"));
        assert_eq!(rest("{a { b} 2. e5}"), Some(" 2. e5}"));
        assert_eq!(rest("{a {b}"), Some(""));
        assert_eq!(rest("{a {b"), None);
    }

    #[test]
    fn commands_are_removed_from_the_text() {
        check(" plain  text ", 0, Some("plain  text"));
        check("over \n  lines\r\n here", 0, Some("over lines here"));
        check("", 0, Some(""));
        check(" [%clk 0:01:00] ", 1, None);
        check("[%eval 0.1] [%clk 0:01:00]", 2, None);
        check("a [%csl Gd4,Rd5] b", 2, Some("a b"));
        check("[%clk 0:00:01]text", 1, Some("text"));
        check("see [%unknown x] there", 0, Some("see [%unknown x] there"));
        check("[%clk", 0, Some("[%clk"));
        check("[%clk soon]", 0, Some("[%clk soon]"));
        check("[#] diagram", 0, Some("[#] diagram"));
        check("[%lang de]", 0, Some(""));
        check("[%tabia text a%0Ab%7B]", 0, Some("a\nb{"));
        check("[%tabia chars 2:7b,4:7d] a (b)", 0, Some("a {b}"));
        check(
            "[%tabia chars 0:5b,1:9,99:41,3:zz,4:ff] (x]\u{e9}y",
            0,
            Some("(x]\u{e9}y"),
        );
        check(
            "[%tabia chars 0:5b,1:9,x] ( ]\u{e9}y",
            0,
            Some("[\t]\u{e9}y"),
        );
        check("[%tabia lines 0,4,7,8] old new", 0, Some("old new"));
        check("[%tabia lines 0,4,8] old new", 0, Some("\nold\nnew\n"));
        check(
            "[%tabia lines 0,1,5,9,10 of 11] old new",
            0,
            Some("\n\nold\nnew\n\n"),
        );
        check("[%tabia lines 3,99,x] old new", 0, Some("old\nnew\n"));
        check("[%tabia ends %20,%0A%20] old new ", 0, Some(" old new\n "));
        check(
            "[%tabia ends ,%20] [%tabia lines 3] old new",
            0,
            Some("old\nnew "),
        );
        check("[%tabia ends x,%20] old", 0, Some("old"));
    }

    /// The commands of the profile `full` are about a text that anybody may have changed since.
    #[test]
    fn changed_texts_keep_what_was_added() {
        let see = |text| format!("[%tabia chars 4:7b,12:7d of 23] {text}");
        for (text, expected) in [
            ("see (diagram) on page 3", "see {diagram} on page 3"),
            ("see (diagram) on page 34", "see {diagram} on page 34"),
            (
                "Better see (diagram) on page 3",
                "Better see {diagram} on page 3",
            ),
            ("see (big diagram) on page 3", "see {big diagram} on page 3"),
            ("look at (it) on page 3", "look at (it) on page 3"),
        ] {
            check(&see(text), 0, Some(expected));
        }
        check(
            "[%tabia chars 4:7b,12:7d] Better see (diagram)",
            0,
            Some("Better see (diagram)"),
        );
        let lines = |text| format!("[%tabia lines 10,22 of 27] {text}");
        for (text, expected) in [
            (
                "First line second line last",
                "First line\nsecond line\nlast",
            ),
            (
                "First line second line at last",
                "First line\nsecond line\nat last",
            ),
            (
                "The first line second line last",
                "The first line\nsecond line\nlast",
            ),
            ("First linesecondline last", "First linesecondline last"),
        ] {
            check(&lines(text), 0, Some(expected));
        }
        check("[%tabia text a%0Ab%7B] and more", 0, Some("a\nb{ and more"));
        check("And \n [%tabia text a%0Ab%7B]\n", 0, Some("And a\nb{"));
    }
}
