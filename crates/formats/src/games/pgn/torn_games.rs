//! Where the end of a game is lost and the tags of the next one follow at once: inside a tag, a comment, or the tag
//! section, as when a cut file and another one are joined.
//!
//! The next game is known by a line that ends with `[Event "…"]` and by the tag on the line after it. Nothing else is
//! taken for one, since comments may quote tags.

use super::char_class::{is_one_line_break, line_end, skip_spaces};
use super::tag_names::quoted_name;
use super::tag_order;

const EVENT: &[u8] = b"[Event \"";

/// Bytes in which both tags are, so that a text without line breaks is not searched again for each `[`.
const LONGEST_LINES: usize = 1024;

/// Whether the tags of a game begin at `at`, wherever on a line that is.
pub(super) fn begins_game(text: &[u8], at: usize) -> bool {
    if !text.get(at..).is_some_and(|rest| rest.starts_with(EVENT)) {
        return false;
    }
    second_name(text, at).is_some()
}

/// Whether the tag after the one of the event at `at` has the name of one from `start` on.
pub(super) fn repeats_tag(text: &[u8], start: usize, at: usize) -> bool {
    let (Some(name), Some(before)) = (second_name(text, at), text.get(start..at)) else {
        return false;
    };
    let lead = [b"[", name.as_bytes(), b" "].concat();
    memchr::memmem::find(before, &lead).is_some()
}

/// The name of the tag on the line after the one of the event at `at`.
fn second_name(text: &[u8], at: usize) -> Option<&str> {
    let limit = at.saturating_add(LONGEST_LINES).min(text.len());
    let lines = text.get(at..limit)?;
    let end = line_end(lines, 0);
    let line = lines.get(..end)?.trim_ascii_end();
    let next = skip_spaces(lines, end);
    let is_next = line.ends_with(b"\"]")
        && is_one_line_break(lines.get(end..next)?)
        && lines.get(next) == Some(&b'[');
    let (name, _) = quoted_name(lines, next).filter(|_| is_next)?;
    let name = std::str::from_utf8(lines.get(name)?).ok()?;
    (name != "Event" && tag_order::rank(name) != tag_order::REST).then_some(name)
}

/// The offset in `from..to` at which the tags of a game begin.
pub(super) fn game_within(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let inside = text.get(from..to)?;
    memchr::memchr_iter(b'[', inside)
        .map(|found| from + found)
        .find(|&at| begins_game(text, at))
}

/// Whether the quote at `quote` is that of the tag with which a game begins, and where the game begins.
pub(super) fn game_before_quote(text: &[u8], quote: usize) -> Option<usize> {
    let start = (quote + 1).checked_sub(EVENT.len())?;
    begins_game(text, start).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_with_an_event_and_another_tag() {
        let begins = |text: &str| begins_game(text.as_bytes(), 0);
        assert!(begins("[Event \"A\"]\n[Site \"B\"]\n"));
        assert!(begins("[Event \"A\"] \r\n[White \"B\"]\r\n"));
        assert!(!begins("[Event \"A\"] [Site \"B\"]\n"));
        assert!(!begins("[Event \"A\"]\n\n[Site \"B\"]\n"));
        assert!(!begins("[Event \"A\"]\n[Event \"B\"]\n"));
        assert!(!begins("[Event \"A\"]\n[%clk 1]\n"));
        assert!(!begins("[Event \"A\"] and so on\n[Site \"B\"]"));
        assert!(!begins("[Event \"A\"]\n1. e4"));
        let torn = b"{the Queen[Event \"A\"]\n[Site \"B\"]\n}";
        assert_eq!(game_within(torn, 1, torn.len()), Some(10));
        assert_eq!(game_before_quote(torn, 17), Some(10));
        assert_eq!(game_before_quote(torn, 19), None);
    }
}
