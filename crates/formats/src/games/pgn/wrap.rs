//! Wraps movetext in place to lines of a given width, by replacing blanks with line breaks.

use zerocopy::byteorder::little_endian::U64;

/// Maximal columns of a line.
pub(super) const WIDTH: usize = 80;
/// Those of ChessBase.
pub(super) const CHESSBASE_WIDTH: usize = 79;

/// Breaks the single line of movetext that begins at `start` into lines of at most `width` columns.
pub(super) fn wrap(out: &mut [u8], start: usize, width: usize) {
    let mut line = start;
    let text = out.get(start..).unwrap_or_default();
    if text.is_ascii() && memchr::memchr(b'[', text).is_none() {
        line = wrap_plain(out, start, width);
    }
    wrap_any(out, line, width);
}

/// [`wrap`] for any text.
fn wrap_any(out: &mut [u8], start: usize, width: usize) {
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

/// Breaks lines of ASCII letters without brackets as [`wrap`] does, as long as each has a blank among the last
/// bytes that fit, where it may be broken. Returns the start of the first line that has none.
fn wrap_plain(out: &mut [u8], start: usize, width: usize) -> usize {
    let mut line = start;
    // Eight bytes, of which the last would be the first of the next line.
    while let Some(bytes) = out.get(..=line + width).and_then(<[u8]>::last_chunk) {
        let Some(found) = last_blank(U64::from_bytes(*bytes).get()) else {
            break;
        };
        let at = line + width - 7 + found;
        let (Some(&before), Some(&after)) = (out.get(at.wrapping_sub(1)), out.get(at + 1)) else {
            break;
        };
        let is_blank = before.is_ascii_whitespace() || after.is_ascii_whitespace();
        if at <= line || is_blank || matches!(after, b'%' | b';') {
            break;
        }
        if let Some(byte) = out.get_mut(at) {
            *byte = b'\n';
        }
        line = at + 1;
    }
    line
}

/// The number of the last blank among eight bytes, of which the first is the lowest.
#[inline(always)]
fn last_blank(bytes: u64) -> Option<usize> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let others = bytes ^ 0x2020_2020_2020_2020;
    // The highest bit of each byte that is a blank, and of no other.
    let blanks = !(((others & LOW) + LOW) | others | LOW);
    (blanks != 0).then(|| (63 - blanks.leading_zeros() as usize) / 8)
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

    #[test]
    fn plain_lines_are_broken_as_any_are() {
        let mut random = tabia_testkit::Random::new(7);
        let words = [
            "e4",
            "Nf3",
            "12.",
            "Qa1xb2+",
            "O-O-O",
            "exd8=Q#",
            "$10",
            "%",
            ";",
            "%x",
            ";x",
            "\t",
            "\n",
            "",
            "{a}",
            "(b",
            "longer than a line",
            "[%clk 0:00:01]",
            "[x",
            "\u{fc}",
            "x",
        ];
        for round in 0..4000 {
            // Plain text at first, then with all that is irregular.
            let known = if round % 4 == 0 {
                words.len()
            } else {
                6 + round % 9
            };
            let long = "x".repeat(random.below(100));
            let mut text = "*".repeat(random.below(3));
            for _ in 0..random.below(200) {
                let word = words[random.below(known)];
                text.push_str(if random.below(60) == 0 { &long } else { word });
                text.push_str(if random.below(90) == 0 { "" } else { " " });
            }
            let start = random.below(3).min(text.len());
            for width in [8, 9, CHESSBASE_WIDTH, WIDTH] {
                let mut quick = text.clone().into_bytes();
                let mut slow = quick.clone();
                wrap(&mut quick, start, width);
                wrap_any(&mut slow, start, width);
                assert!(quick == slow, "{width} {text:?}");
            }
        }
    }

    #[test]
    fn last_blanks_are_found() {
        let mut random = tabia_testkit::Random::new(8);
        for _ in 0..20_000 {
            let bytes: [u8; 8] = std::array::from_fn(|_| match random.below(4) {
                0 => b' ',
                1 => [0, 1, 0x1f, 0x21, 0xa0, 0x20 | 0x80][random.below(6)],
                _ => random.below(256) as u8,
            });
            let expected = bytes.iter().rposition(|&byte| byte == b' ');
            assert_eq!(
                last_blank(U64::from_bytes(bytes).get()),
                expected,
                "{bytes:?}"
            );
        }
    }
}
