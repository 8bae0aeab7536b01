//! Parses tag pairs, with the errors that are frequent in files.

use std::borrow::Cow;

use tabia_core::io::{Charset, decode};

use super::char_class::{at_line_start, is_newline, line_end, name_end, skip_spaces, value_end};
use super::tag_names::quoted_name;
use super::torn_games;

/// The bytes of a tag pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawPair<'t> {
    pub(super) name: &'t [u8],
    pub(super) value: &'t [u8],
    /// The offset of the name in the text.
    pub(super) name_at: usize,
    /// The offset of the value in the text.
    pub(super) value_at: usize,
    /// Whether the value contains no escapes and no line breaks.
    pub(super) is_literal: bool,
    /// Whether a quote ends the value.
    pub(super) is_closed: bool,
}

impl<'t> RawPair<'t> {
    /// The decoded value, without escapes and line breaks.
    pub(super) fn text(&self, charset: Charset) -> Cow<'t, str> {
        let text = decode(self.value, charset);
        if self.is_literal {
            text
        } else {
            Cow::Owned(unescape(&text))
        }
    }
}

/// The next pair from `at` on, after blanks and escape lines, and its end. `None` if the next token
/// is not `[`, a name and a quote, and the offset of that token; [`irregular_tags`] reads other forms.
///
/// [`irregular_tags`]: super::irregular_tags
pub(super) fn next_pair(text: &[u8], at: usize) -> (Option<RawPair<'_>>, usize) {
    let mut at = skip_spaces(text, at);
    while text.get(at) == Some(&b'%') && at_line_start(text, at) {
        at = skip_spaces(text, line_end(text, at));
    }
    if text.get(at) != Some(&b'[') {
        return (None, at);
    }
    match regular_pair(text, at) {
        Some((pair, end)) => (Some(pair), end),
        None => (None, at),
    }
}

/// Whether the `[` at `at` begins a tag pair: a name of any characters and a quote follow.
pub(super) fn is_tag(text: &[u8], at: usize) -> bool {
    quoted_name(text, at).is_some()
}

/// Parses `[Name "value"]`; `None` if there is no name or no quote after it.
#[inline]
fn regular_pair(text: &[u8], at: usize) -> Option<(RawPair<'_>, usize)> {
    let mut i = at + 1;
    while matches!(text.get(i), Some(b' ' | b'\t')) {
        i += 1;
    }
    let name_at = i;
    i = name_end(text, i);
    let name = text.get(name_at..i).filter(|name| !name.is_empty())?;
    i = skip_spaces(text, i);
    if text.get(i) != Some(&b'"') {
        return None;
    }
    let start = i + 1;
    let end = value_end(text, start);
    // Nearly every value ends so, without anything unusual in it.
    if text.get(end..end + 2) == Some(b"\"]") {
        let pair = RawPair {
            name,
            value: text.get(start..end)?,
            name_at,
            value_at: start,
            is_literal: true,
            is_closed: true,
        };
        return Some((pair, end + 2));
    }
    quoted_pair(text, (name, name_at), start)
}

/// Parses the value of a pair, which begins at `start` after its quote, and what follows of the pair.
pub(super) fn quoted_pair<'t>(
    text: &'t [u8],
    (name, name_at): (&'t [u8], usize),
    start: usize,
) -> Option<(RawPair<'t>, usize)> {
    let mut is_literal = true;
    let mut i = start;
    // The last quote of this line that can end the value.
    let mut last_end = None;
    let end = loop {
        i = value_end(text, i);
        match text.get(i) {
            None => break i,
            Some(b'"') if ends_pair(text, i + 1) => break i,
            Some(b'"') => {
                if let Some(next) = torn_games::game_before_quote(text, i).filter(|&at| at >= start)
                {
                    return Some(unclosed_pair(text, (name, name_at), start, next));
                }
                let last = *last_end.get_or_insert_with(|| last_closing_quote(text, i));
                if i >= last {
                    break i;
                }
                i += 1;
            }
            Some(b'\\') => {
                is_literal = false;
                // Before the last quote of the line a backslash ends a path and is not an escape.
                i += match text.get(i + 1) {
                    Some(b'"') if !is_last_quote(text, i + 1) => 2,
                    Some(b'\\') => 2,
                    _ => 1,
                };
            }
            Some(&byte) if is_newline(byte) => {
                is_literal = false;
                last_end = None;
                if !value_continues(text, i) {
                    return Some(unclosed_pair(text, (name, name_at), start, i));
                }
                i += 1;
            }
            Some(_) => i += 1,
        }
    };
    let value = text.get(start..end)?;
    // The bracket may be missing.
    let mut after = end + 1;
    while matches!(text.get(after), Some(b' ' | b'\t')) {
        after += 1;
    }
    if text.get(after) == Some(&b']') {
        after += 1;
    } else {
        after = end + 1;
    }
    let pair = RawPair {
        name,
        value,
        name_at,
        value_at: start,
        is_literal,
        is_closed: end < text.len(),
    };
    Some((pair, after.min(text.len())))
}

/// Whether a bracket or the end of the line is next from `at` on.
fn ends_pair(text: &[u8], at: usize) -> bool {
    let mut i = at;
    while matches!(text.get(i), Some(b' ' | b'\t')) {
        i += 1;
    }
    matches!(text.get(i), None | Some(b']' | b'\n' | b'\r'))
}

/// The offset of the last quote, from the one at `at` on, that a bracket or the end of the line
/// follows; `at` if there is none on the line.
fn last_closing_quote(text: &[u8], at: usize) -> usize {
    let line = text.get(at..line_end(text, at)).unwrap_or_default();
    memchr::memrchr_iter(b'"', line)
        .find(|&quote| ends_pair(line, quote + 1))
        .map_or(at, |quote| at + quote)
}

/// Whether only `]` follows the quote at `at` on its line.
fn is_last_quote(text: &[u8], at: usize) -> bool {
    let mut i = at + 1;
    while matches!(text.get(i), Some(b' ' | b'\t')) {
        i += 1;
    }
    text.get(i) == Some(&b']') && {
        i += 1;
        while matches!(text.get(i), Some(b' ' | b'\t')) {
            i += 1;
        }
        text.get(i).is_none_or(|&byte| is_newline(byte))
    }
}

/// Whether a value continues after the line break at `at`: no bracket is before it, and the next line
/// has a quote and does not begin with a bracket.
fn value_continues(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let last = before
        .iter()
        .rev()
        .find(|byte| !matches!(byte, b' ' | b'\t'));
    if last == Some(&b']') {
        return false;
    }
    let mut next = at + 1;
    if text.get(at) == Some(&b'\r') && text.get(next) == Some(&b'\n') {
        next += 1;
    }
    let line = text.get(next..line_end(text, next)).unwrap_or_default();
    !line.trim_ascii().is_empty()
        && !line.trim_ascii_start().starts_with(b"[")
        && memchr::memchr(b'"', line).is_some()
}

/// The pair whose value has no closing quote: the value ends with its line, without a bracket.
fn unclosed_pair<'t>(
    text: &'t [u8],
    (name, name_at): (&'t [u8], usize),
    start: usize,
    end: usize,
) -> (RawPair<'t>, usize) {
    let line = text.get(start..end).unwrap_or_default().trim_ascii_end();
    let value = line.strip_suffix(b"]").unwrap_or(line);
    let value = value.strip_suffix(b"\"").unwrap_or(value);
    let is_literal = memchr::memchr2(b'\\', b'\n', value).is_none();
    let pair = RawPair {
        name,
        value,
        name_at,
        value_at: start,
        is_literal,
        is_closed: false,
    };
    (pair, end)
}

/// Replaces `\"` and `\\` by the second character, and line breaks by spaces.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => out.push(match chars.peek() {
                Some('"' | '\\') => chars.next().unwrap_or('\\'),
                _ => '\\',
            }),
            '\n' | '\r' => {
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, &str)]) {
        let mut at = 0;
        let mut found = Vec::new();
        loop {
            let (pair, end) = next_pair(text.as_bytes(), at);
            let Some(pair) = pair else { break };
            at = end;
            assert!(text.as_bytes()[pair.name_at..].starts_with(pair.name));
            assert!(text.as_bytes()[pair.value_at..].starts_with(pair.value));
            found.push((
                String::from_utf8_lossy(pair.name).into_owned(),
                pair.text(Charset::Auto).into_owned(),
            ));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn quotes_brackets_and_line_breaks_are_tolerated() {
        check(
            "[A \"x\"]\n[B\"y\"] [C  \"z\" ]",
            &[("A", "x"), ("B", "y"), ("C", "z")],
        );
        check(r#"[A "a \"b\" \\ c"]"#, &[("A", r#"a "b" \ c"#)]);
        check(r#"[A "the "big" one"]"#, &[("A", r#"the "big" one"#)]);
        check("[A \"two\nlines\"]\n", &[("A", "two lines")]);
        check("[A \"no end]\n[B \"y\"]", &[("A", "no end"), ("B", "y")]);
        check("[A \"no end\n[B \"y\"]", &[("A", "no end"), ("B", "y")]);
        check(
            "[A \"no bracket\"\n[B \"y\"]",
            &[("A", "no bracket"), ("B", "y")],
        );
        check("[A \"C:\\games\\\"]\n", &[("A", "C:\\games\\")]);
        check("% escape\n[A \"x\"]", &[("A", "x")]);
        check("[#]\n", &[]);
        check(
            "[Black-Type \"x\"]\n[BlackType: \"y\"]\n[A\n\"z\"]",
            &[("Black-Type", "x"), ("BlackType:", "y"), ("A", "z")],
        );
    }

    #[test]
    fn many_quotes_on_a_line_take_linear_time() {
        for unit in ["\"x", "\\\"", "\" ", "\\"] {
            let value = unit.repeat(300_000);
            let text = format!("[A \"{value}\"]\n");
            let (pair, end) = next_pair(text.as_bytes(), 0);
            assert!(pair.is_some_and(|pair| pair.value.len() > 250_000));
            assert_eq!(end, text.len() - 1);
        }
    }
}
