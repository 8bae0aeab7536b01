//! Where games begin and end, and their tags.

use std::ops::Range;

/// The next game from `at` on, blank lines before it included. `None` when there is none, or when
/// more bytes may still belong to it; with `is_whole` there are no more.
pub(crate) fn next(bytes: &[u8], at: usize, is_whole: bool) -> Option<Range<usize>> {
    let mut line_at = at;
    let mut has_tags = false;
    let mut has_moves = false;
    let mut was_blank = false;
    let mut in_comment = false;
    loop {
        let rest = bytes.get(line_at..).unwrap_or_default();
        let length = match memchr::memchr(b'\n', rest) {
            Some(end) => end + 1,
            None if is_whole => rest.len(),
            None => return None,
        };
        if length == 0 {
            return (has_tags || has_moves).then_some(at..bytes.len());
        }
        let line = rest.get(..length).unwrap_or_default().trim_ascii();
        let is_tag = is_tag(line);
        // A brace that is never closed does not swallow the next game.
        let ends_comment = was_blank && line.starts_with(b"[Event \"");
        if is_tag && (!in_comment || ends_comment) {
            if has_moves || has_tags && was_blank {
                return Some(at..line_at);
            }
            has_tags = true;
        } else if !line.is_empty() && (in_comment || !line.starts_with(b"%")) {
            has_moves = true;
            in_comment = ends_in_comment(line, in_comment);
        }
        was_blank = line.is_empty();
        line_at += length;
    }
}

/// Whether a line begins a tag.
pub(crate) fn is_tag(line: &[u8]) -> bool {
    Tags::new(line).next().is_some_and(|tag| tag.is_whole) || {
        // A tag with a value that does not end.
        let name = line.strip_prefix(b"[").unwrap_or_default();
        let end = name.iter().take_while(|byte| is_name(**byte)).count();
        end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(b" \""))
    }
}

/// Whether a comment is open behind the line.
fn ends_in_comment(line: &[u8], mut in_comment: bool) -> bool {
    for &byte in line {
        match byte {
            b'}' => in_comment = false,
            b'{' => in_comment = true,
            b';' if !in_comment => return false,
            _ => {}
        }
    }
    in_comment
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A tag of a line: several may stand on one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a [u8],
    /// Without escapes.
    pub(crate) value: Vec<u8>,
    /// Whether it has its ends.
    pub(crate) is_whole: bool,
}

/// The tags of a line.
#[derive(Debug, Clone)]
pub(crate) struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Tags<'a> {
    pub(crate) const fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// What is no tag.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        let inner = self
            .rest
            .trim_ascii_start()
            .strip_prefix(b"[")?
            .trim_ascii_start();
        let length = inner.iter().take_while(|byte| is_name(**byte)).count();
        let (name, rest) = inner
            .split_at_checked(length)
            .filter(|(name, _)| !name.is_empty())?;
        let mut rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
        let mut value = Vec::new();
        let mut is_whole = false;
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'"' => {
                    is_whole = true;
                    break;
                }
                b'\\' if matches!(rest.first(), Some(b'"' | b'\\')) => {
                    value.extend(rest.first());
                    rest = rest.get(1..).unwrap_or_default();
                }
                byte => value.push(byte),
            }
        }
        let after = rest.trim_ascii_start();
        is_whole &= after.starts_with(b"]");
        self.rest = after.strip_prefix(b"]").unwrap_or(after);
        Some(Tag {
            name,
            value,
            is_whole,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<&str> {
        let mut at = 0;
        let mut games = Vec::new();
        while let Some(range) = next(text.as_bytes(), at, true) {
            at = range.end;
            games.push(text[range].trim());
        }
        games
    }

    #[test]
    fn games_are_cut_at_tags() {
        let two = "[Event \"a\"]\n[WhiteA \"x\"]\n\n1A. e4\n{[Event \"no\"]\n} 1a. e5 *\n\n\n[Event \"b\"]\n\n";
        assert_eq!(games(two).len(), 2);
        assert_eq!(games("[Event \"a\"]\n\n[Event \"b\"]\n\n1A. e4 *").len(), 2);
        assert_eq!(games("1A. e4 *\n"), ["1A. e4 *"]);
        assert_eq!(games("\n \n"), [""; 0]);
        // An open brace costs one game only.
        assert_eq!(
            games("[Event \"a\"]\n\n1A. e4 {open\n\n[Event \"b\"]\n\n*\n").len(),
            2
        );
        assert_eq!(next(b"[Event \"a\"]\n\n1A. e4 *\n[Ev", 0, false), None);
        assert_eq!(next(b"[E \"a\"]\n\n*\n[E \"b\"]\n", 0, false), Some(0..11));
    }

    #[test]
    fn several_tags_may_share_a_line() {
        let mut tags = Tags::new(br#"[A "x \"y\" \\"] [B_1 ""] rest"#);
        let found: Vec<_> = tags.by_ref().map(|tag| (tag.name, tag.value)).collect();
        let expected = [(&b"A"[..], br#"x "y" \"#.to_vec()), (b"B_1", Vec::new())];
        assert_eq!(found, expected);
        assert_eq!(tags.rest(), b" rest");
        assert!(
            Tags::new(b"[A \"x]")
                .next()
                .is_some_and(|tag| !tag.is_whole)
        );
        assert!(is_tag(b"[A \"x]") && !is_tag(b"[%clk 1]") && !is_tag(b"1A. e4"));
    }
}
