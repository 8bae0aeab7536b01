//! The lines before and between the members. Facts: FORMAT.md, "Lines" and "Keys".

use tabia_core::io::{Charset, decode};

use crate::archives::Stamp;

pub(super) const HEAD: &[u8] = b"<-- H E A D -->";
pub(super) const DATA: &[u8] = b"<-- D A T A -->";
pub(super) const NO_DATA: &[u8] = b"<-- N O D A T A -->";
/// No line is longer, and no header has more lines: more is no header.
const LONGEST_LINE: usize = 1 << 16;
const MOST_LINES: usize = 10_000;

/// Keys and values in the order of the lines.
pub(super) type Facts = Vec<(String, String)>;

/// A line and where the next one begins; `None` when no line ends within reach.
pub(super) fn line(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..LONGEST_LINE).unwrap_or(rest);
    let length = memchr::memchr(b'\n', rest)?;
    let line = rest.get(..length)?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}

/// Lines up to one of the markers: their keys and values, the marker, and what follows it.
pub(super) fn block<'m>(
    bytes: &[u8],
    mut at: usize,
    markers: &[&'m [u8]],
    charset: Charset,
) -> Option<(Facts, &'m [u8], usize)> {
    let mut facts = Facts::new();
    for _ in 0..MOST_LINES {
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

/// `<Key> value` anywhere in the line.
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

/// When a member was changed: seconds since 1970, or a date and time.
pub(super) fn modified(facts: &[(String, String)]) -> Option<Stamp> {
    let text = value(facts, "Modified")?;
    match text.parse() {
        Ok(seconds) => Stamp::from_unix(seconds),
        Err(_) => Stamp::parse(text),
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
    fn keys_and_values() {
        let facts = facts("junk\n <A1> x <Size> 12   \r\n<Size>\t13\n<Checksum> -2\n<Name>");
        assert_eq!(number(&facts, "Size"), Some(13));
        assert_eq!(checksum(&facts), Some(u32::MAX - 1));
        assert_eq!(value(&facts, "Name"), Some(""));
        assert_eq!(facts.len(), 4);
    }

    #[test]
    fn both_forms_of_time() {
        let expected = Stamp::parse("2011-03-13 07:06:40");
        assert_eq!(modified(&facts("<Modified> 1300000000")), expected);
        assert_eq!(modified(&facts("<Modified> 2011-03-13 07:06:40")), expected);
        assert_eq!(modified(&facts("<Modified> yesterday")), None);
    }
}
