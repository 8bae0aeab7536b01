//! Splits a text into games.

use std::ops::Range;

use super::tag_parser::is_tag;

/// The range of the next game from `at` on, with the blank lines before it. `None` if there is no other
/// game, or if the bytes after `bytes` may belong to it; with `is_complete` there are no such bytes.
pub(crate) fn next_game(bytes: &[u8], at: usize, is_complete: bool) -> Option<Range<usize>> {
    let mut line_at = at;
    let mut has_tags = false;
    let mut has_moves = false;
    let mut was_blank = false;
    let mut in_comment = false;
    loop {
        let rest = bytes.get(line_at..).unwrap_or_default();
        let length = match memchr::memchr(b'\n', rest) {
            Some(end) => end + 1,
            None if is_complete => rest.len(),
            None => return None,
        };
        if length == 0 {
            return (has_tags || has_moves).then_some(at..bytes.len());
        }
        let line = rest.get(..length).unwrap_or_default().trim_ascii();
        let is_tag = is_tag(line);
        // A brace that is not closed does not hide the next game.
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

/// Whether a comment is open at the end of the line.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<&str> {
        let mut at = 0;
        let mut games = Vec::new();
        while let Some(range) = next_game(text.as_bytes(), at, true) {
            at = range.end;
            games.push(text[range].trim());
        }
        games
    }

    #[test]
    fn games_begin_at_tags() {
        let two = "[Event \"a\"]\n[WhiteA \"x\"]\n\n1A. e4\n{[Event \"no\"]\n} 1a. e5 *\n\n\n[Event \"b\"]\n\n";
        assert_eq!(games(two).len(), 2);
        assert_eq!(games("[Event \"a\"]\n\n[Event \"b\"]\n\n1A. e4 *").len(), 2);
        assert_eq!(games("1A. e4 *\n"), ["1A. e4 *"]);
        assert_eq!(games("\n \n"), [""; 0]);
        // An open brace affects only its game.
        assert_eq!(
            games("[Event \"a\"]\n\n1A. e4 {open\n\n[Event \"b\"]\n\n*\n").len(),
            2
        );
        assert_eq!(next_game(b"[Event \"a\"]\n\n1A. e4 *\n[Ev", 0, false), None);
        assert_eq!(
            next_game(b"[E \"a\"]\n\n*\n[E \"b\"]\n", 0, false),
            Some(0..11)
        );
    }
}
