//! Event boundaries: the offsets at which a file can be cut into parts that are read separately.
//!
//! A line that starts with `[Event "` after a blank line begins a game, even inside a comment that
//! is not closed. The rule depends on nothing else in the file. Games that begin otherwise are found
//! inside a part, by `read/game_start.rs`.

use memchr::memmem::{Finder, FinderRev};

use super::char_class::{BOM, is_newline, skip_spaces};

const EVENT: &[u8] = b"[Event \"";

/// Finds the event boundaries of a text.
#[derive(Debug, Clone)]
pub(super) struct EventBoundaries {
    forward: Finder<'static>,
    backward: FinderRev<'static>,
}

impl Default for EventBoundaries {
    fn default() -> Self {
        Self {
            forward: Finder::new(EVENT),
            backward: FinderRev::new(EVENT),
        }
    }
}

impl EventBoundaries {
    /// The first boundary after `from`, or the end of the text.
    pub(super) fn next_after(&self, text: &[u8], from: usize) -> usize {
        let mut at = from.saturating_add(1);
        loop {
            let Some(found) = text.get(at..).and_then(|rest| self.forward.find(rest)) else {
                return text.len();
            };
            match boundary_at(text, at + found) {
                Some(boundary) if boundary > from => return boundary,
                _ => at += found + 1,
            }
        }
    }

    /// The last boundary after the start of the text.
    pub(super) fn last(&self, text: &[u8]) -> Option<usize> {
        let mut end = text.len();
        loop {
            let found = self.backward.rfind(text.get(..end)?)?;
            match boundary_at(text, found) {
                Some(0) => return None,
                Some(boundary) => return Some(boundary),
                // Overlapping finds are impossible: the needle has one `[`.
                None => end = found,
            }
        }
    }
}

/// The offset of the boundary that follows the blanks at `at`, if one does.
pub(super) fn boundary_after(text: &[u8], at: usize) -> Option<usize> {
    let at = skip_spaces(text, at);
    let is_event = text.get(at..)?.starts_with(EVENT);
    boundary_at(text, at).filter(|&boundary| is_event && boundary == at)
}

/// The offset of the boundary whose `[Event "` is at `at`, which may follow a byte order mark; `None`
/// if it is not the first thing on a line, or no blank line precedes it.
fn boundary_at(text: &[u8], at: usize) -> Option<usize> {
    let mut before = text.get(..at)?;
    if let Some(rest) = before.strip_suffix(BOM) {
        before = rest;
    }
    let boundary = before.len();
    if boundary == 0 {
        return Some(0);
    }
    let ([line @ .., b'\r', b'\n'] | [line @ .., b'\n' | b'\r']) = before else {
        return None;
    };
    let is_blank = line
        .iter()
        .rev()
        .find(|byte| !matches!(byte, b' ' | b'\t'))
        .is_none_or(|&byte| is_newline(byte));
    is_blank.then_some(boundary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_follow_a_blank_line() {
        let boundaries = EventBoundaries::default();
        let check = |text: &str, expect: &[usize]| {
            let text = text.as_bytes();
            let mut found = Vec::new();
            let mut at = 0;
            loop {
                at = boundaries.next_after(text, at);
                if at == text.len() {
                    break;
                }
                found.push(at);
            }
            assert_eq!(found, expect, "{:?}", text.escape_ascii().to_string());
            assert_eq!(boundaries.last(text), expect.last().copied());
        };
        assert_eq!(boundary_after(b"*\n\n[Event \"b\"]", 1), Some(3));
        assert_eq!(boundary_after(b"*\n[Event \"b\"]", 1), None);
        assert_eq!(boundary_after(b"*\n\n[White \"b\"]", 1), None);
        assert_eq!(
            boundary_after("*\n\n\u{feff}[Event \"b\"]".as_bytes(), 1),
            None
        );
        assert_eq!(boundary_after(b"*\n\n", 1), None);
        check("[Event \"a\"]\n\n*\n\n[Event \"b\"]\n", &[16]);
        check("[Event \"a\"]\n{\n[Event \"b\"]\n", &[]);
        check("{\r\n \r\n[Event \"b\"]", &[6]);
        check("{\r\r[Event \"b\"]", &[3]);
        check("1. e4\n\n\u{feff}[Event \"b\"]", &[7]);
        check("\n\n [Event \"b\"]", &[]);
    }
}
