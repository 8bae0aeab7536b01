//! The lines before and between the members. Layout: FORMAT.md, "Lines" and "Keys".

use tabia_core::io::{Charset, decode};

use crate::archives::Timestamp;

pub(super) const HEAD: &[u8] = b"<-- H E A D -->";
pub(super) const DATA: &[u8] = b"<-- D A T A -->";
pub(super) const NO_DATA: &[u8] = b"<-- N O D A T A -->";
/// The longest line of a header, in bytes.
const MAX_LINE: usize = 1 << 16;
/// The most lines of a header.
const MAX_LINES: usize = 10_000;

/// Keys and values in the order of the lines.
pub(super) type Facts = Vec<(String, String)>;

/// The line at `at` without its end, and the offset of the next line; `None` if it has no end within
/// [`MAX_LINE`] bytes.
pub(super) fn line(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..MAX_LINE).unwrap_or(rest);
    let length = memchr::memchr(b'\n', rest)?;
    let line = rest.get(..length)?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}

/// Reads the lines up to one of the markers. Returns their keys and values, the marker, and the
/// offset after it; `None` if no marker follows.
pub(super) fn block<'m>(
    bytes: &[u8],
    mut at: usize,
    markers: &[&'m [u8]],
    charset: Charset,
) -> Option<(Facts, &'m [u8], usize)> {
    let mut facts = Facts::new();
    for _ in 0..MAX_LINES {
        let (line, next) = line(bytes, at)?;
        at = next;
        let trimmed = line.trim_ascii();
        if let Some(marker) = markers.iter().find(|marker| **marker == trimmed) {
            return Some((facts, marker, at));
        }
        facts.extend(fact(trimmed, charset));
    }
    None
}

/// Whether the lines of a header have bytes that no text has, or markers that only lines of another header
/// have.
pub(super) fn is_damaged(lines: &[u8], markers: &[&[u8]]) -> bool {
    let is_text = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n');
    let mut lines_of_it = lines.split(|byte| *byte == b'\n');
    !lines.iter().all(is_text) || lines_of_it.any(|line| markers.contains(&line.trim_ascii()))
}

/// The key and the value of a line with `<Key> value`, which can be preceded by other text.
fn fact(line: &[u8], charset: Charset) -> Option<(String, String)> {
    let mut rest = line;
    loop {
        let open = memchr::memchr(b'<', rest)?;
        rest = rest.get(open + 1..)?;
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        if length > 0 && rest.get(length) == Some(&b'>') {
            let key = String::from_utf8_lossy(rest.get(..length)?).into_owned();
            let value = rest.get(length + 1..)?.trim_ascii();
            return Some((key, decode(value, charset).into_owned()));
        }
    }
}

/// The last value of a key.
pub(super) fn value<'f>(facts: &'f [(String, String)], key: &str) -> Option<&'f str> {
    facts
        .iter()
        .rev()
        .find(|(name, _)| name == key)
        .map(|(_, value)| value.as_str())
}

/// The last value of a key, as a number.
pub(super) fn number(facts: &[(String, String)], key: &str) -> Option<u64> {
    value(facts, key)?.parse().ok()
}

/// A checksum: 32 bits, printed with or without a sign.
pub(super) fn checksum(facts: &[(String, String)]) -> Option<u32> {
    value(facts, "Checksum")?
        .parse::<i64>()
        .ok()
        .map(|number| number as u32)
}

/// When a member was last changed: seconds since 1970, or a date and time.
pub(super) fn modified(facts: &[(String, String)]) -> Option<Timestamp> {
    let text = value(facts, "Modified")?;
    match text.parse() {
        Ok(seconds) => Timestamp::from_unix(seconds),
        Err(_) => Timestamp::parse(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Vec<(String, String)> {
        let text = format!("{text}\n<-- H E A D -->\n");
        block(text.as_bytes(), 0, &[HEAD], Charset::Auto).unwrap().0
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let facts = facts("junk\n <A1> x <Size> 12   \r\n<Size>\t13\n<Checksum> -2\n<Name>");
        assert_eq!(number(&facts, "Size"), Some(13));
        assert_eq!(checksum(&facts), Some(u32::MAX - 1));
        assert_eq!(value(&facts, "Name"), Some(""));
        assert_eq!(facts.len(), 4);
    }

    #[test]
    fn parts_of_two_headers_are_damage() {
        let lines = b"<FileName> a.sci\n<Size> 12  \r\n<-- D A T A -->\n";
        assert!(!is_damaged(lines, &[HEAD]));
        let zeros = [b"<FileName> a.sci\n\0\0\0".as_slice(), lines].concat();
        assert!(is_damaged(&zeros, &[HEAD]));
        let two = [b"<FileName> a.sci\n<-- H E A D -->\n".as_slice(), lines].concat();
        assert!(is_damaged(&two, &[HEAD]));
    }

    #[test]
    fn both_forms_of_time_are_parsed() {
        let expected = Timestamp::parse("2011-03-13 07:06:40");
        assert_eq!(modified(&facts("<Modified> 1300000000")), expected);
        assert_eq!(modified(&facts("<Modified> 2011-03-13 07:06:40")), expected);
        assert_eq!(modified(&facts("<Modified> yesterday")), None);
    }
}
