//! Comments: text and commands told apart.

use tabia_core::game::{Annotation, Language};

use super::commands::{self, Said};
use super::full_profile;

/// What was found in one comment beside its annotations.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) language: Option<Language>,
    /// The place, when a command names it: before its move, or where it stands.
    pub(super) before: Option<bool>,
    /// It stands where it is, and belongs before the move there.
    pub(super) here: bool,
    /// Whether there is a comment beside the commands.
    pub(super) has_text: bool,
}

/// Reads the inside of a comment: annotations go to `sink` in order, what is left becomes `text`,
/// where a run of blanks with a line break in it is one space and none stand at the ends.
pub(super) fn read(
    content: &str,
    text: &mut String,
    sink: &mut dyn FnMut(Annotation<'_>),
) -> Found {
    text.clear();
    let mut found = Found::default();
    let mut commands = false;
    let mut exact = false;
    let mut rest = content;
    while let Some(at) = find_command(rest) {
        let (before, command) = rest.split_at(at);
        let Some((name, args, after)) = split(command) else {
            let end = at + 2;
            text.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
            continue;
        };
        let known = commands::read(name, args, sink);
        if known.is_none() {
            let end = rest.len() - after.len();
            text.push_str(rest.get(..end).unwrap_or_default());
            rest = after;
            continue;
        }
        push_part(text, before);
        commands = true;
        rest = after;
        match known {
            Some(Said::Language(language)) => {
                found.language = Some(language);
                found.has_text = true;
            }
            Some(Said::Before) => {
                found.before = Some(true);
                found.has_text = true;
            }
            Some(Said::BeforeHere) => {
                found.before = Some(false);
                found.here = true;
                found.has_text = true;
            }
            Some(Said::After) => {
                found.before = Some(false);
                found.has_text = true;
            }
            Some(Said::Text(encoded)) => {
                text.clear();
                text.push_str(&full_profile::decode(encoded));
                exact = true;
            }
            Some(Said::Annotation) | None => {}
        }
    }
    if exact {
        // What stands beside a text given exactly is only layout.
        found.has_text = true;
        return found;
    }
    push_part(text, rest);
    tidy(text);
    found.has_text |= !text.is_empty() || !commands;
    found
}

/// Whether a text may hold commands.
#[inline]
pub(super) fn has_commands(text: &str) -> bool {
    find_command(text).is_some()
}

fn find_command(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).find(|at| bytes.get(at + 1) == Some(&b'%'))
}

/// Appends what stands between commands; one blank stays where two would meet.
fn push_part(text: &mut String, part: &str) {
    let blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    if blank(text.as_bytes().last()) {
        text.push_str(part.trim_ascii_start());
    } else {
        text.push_str(part);
    }
}

/// `[%name args]rest` in its parts.
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
        // Texts between quotes may hold a bracket.
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

/// Whether a text certainly has no commands and is tidy: most are so, and one look tells.
pub(super) fn is_plain(text: &str) -> bool {
    !has_blank_ends(text) && memchr::memchr3(b'\n', b'\r', b'[', text.as_bytes()).is_none()
}

/// Whether a text without commands is as [`read`] would leave it.
pub(super) fn is_tidy(text: &str) -> bool {
    !has_blank_ends(text) && memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none()
}

fn has_blank_ends(text: &str) -> bool {
    let blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    blank(text.as_bytes().first()) || blank(text.as_bytes().last())
}

/// One space for every run of blanks with a line break in it, none at the ends.
pub(super) fn tidy(text: &mut String) {
    if is_tidy(text) {
        return;
    }
    let mut tidied = String::with_capacity(text.len());
    tidy_into(text, &mut tidied);
    *text = tidied;
}

/// Appends `text` tidied to `out`.
pub(super) fn tidy_into(text: &str, out: &mut String) {
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
    fn commands_leave_the_text() {
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
    }
}
