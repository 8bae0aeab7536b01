//! Wraps movetext in place to lines of a given width, by replacing blanks with line breaks.

/// Maximal columns of a line.
pub(super) const WIDTH: usize = 80;
/// Those of ChessBase.
pub(super) const CHESSBASE_WIDTH: usize = 79;

/// Breaks the single line of movetext that begins at `start` into lines of at most `width` columns.
pub(super) fn wrap(out: &mut [u8], start: usize, width: usize) {
    let mut line = start;
    while let Some(rest) = out.get(line..) {
        let limit = line_length(rest, width);
        if limit >= rest.len() {
            return;
        }
        let Some(blank) = last_break(rest, limit).or_else(|| next_break(rest, limit)) else {
            return;
        };
        if let Some(byte) = out.get_mut(line + blank) {
            *byte = b'\n';
        }
        line += blank + 1;
    }
}

/// The number of bytes in the first `width` characters of `rest`.
fn line_length(rest: &[u8], width: usize) -> usize {
    match rest.get(..=width) {
        None => rest.len(),
        Some(line) if line.is_ascii() => width,
        Some(_) => rest
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte & 0xc0 != 0x80)
            .nth(width)
            .map_or(rest.len(), |(at, _)| at),
    }
}

/// The last blank up to `limit` that may become a line break.
fn last_break(rest: &[u8], limit: usize) -> Option<usize> {
    let mut end = limit + 1;
    loop {
        let at = memchr::memrchr(b' ', rest.get(..end)?)?;
        if may_break(rest, at) {
            return Some(at);
        }
        end = at;
    }
}

/// The first blank from `limit` on that may become a line break.
fn next_break(rest: &[u8], limit: usize) -> Option<usize> {
    memchr::memchr_iter(b' ', rest.get(limit..)?)
        .map(|found| limit + found)
        .find(|&at| may_break(rest, at))
}

/// Whether a reader turns a line break at `at` into one blank again. It does not next to another
/// blank, before a `%`, `;` or tag that would begin a line, or after the name of a command.
fn may_break(rest: &[u8], at: usize) -> bool {
    let (Some(&before), Some(&after)) = (rest.get(at.wrapping_sub(1)), rest.get(at + 1)) else {
        return false;
    };
    let is_blank = before.is_ascii_whitespace() || after.is_ascii_whitespace();
    // A tag that a comment quotes is no first one on its line, with which a game could begin.
    let is_tag = after == b'[' && rest.get(at + 2) != Some(&b'%');
    if is_blank || is_tag || matches!(after, b'%' | b';') {
        return false;
    }
    let word = rest.get(..at).unwrap_or_default();
    let start = word
        .iter()
        .rposition(|byte| matches!(byte, b' ' | b'\n' | b'{' | b']'))
        .map_or(0, |found| found + 1);
    !word
        .get(start..)
        .is_some_and(|word| word.starts_with(b"[%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_at_most_80_columns() {
        let text = format!(
            "{{{}}} 1. e4 {{[%clk 0:00:01]}} *",
            "word ".repeat(40).trim_end()
        );
        let mut out = text.clone().into_bytes();
        wrap(&mut out, 0, WIDTH);
        let wrapped = String::from_utf8(out).unwrap();
        assert_eq!(wrapped.replace('\n', " "), text);
        assert!(wrapped.lines().count() == 3, "{wrapped}");
        for line in wrapped.lines() {
            assert!(line.len() <= WIDTH && !line.ends_with("[%clk"), "{line}");
        }
        let mut long = vec![b'x'; 200];
        wrap(&mut long, 0, WIDTH);
        assert_eq!(long, vec![b'x'; 200]);
    }
}
