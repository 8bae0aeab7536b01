//! Rows as spreadsheets save them, as the tab-separated values that the program prints.

use std::borrow::Cow;

/// The rows with tabs between their values. Rows that are separated by commas or semicolons, as the first line shows,
/// may have quoted values; text in UTF-16 begins with a byte order mark. What is neither stays as it is.
pub(crate) fn with_tabs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => {
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            match std::str::from_utf8(text) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => return Cow::Borrowed(bytes),
            }
        }
    };
    let first = text.lines().next().unwrap_or_default();
    if first.contains('\t') || !first.contains([',', ';']) {
        return Cow::Owned(text.into_owned().into_bytes());
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(if first.contains(';') { b';' } else { b',' })
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut rows = String::new();
    for record in reader.records() {
        // Text that is UTF-8 has no other errors.
        let Ok(record) = record else { break };
        for (number, value) in record.iter().enumerate() {
            rows.push_str(if number > 0 { "\t" } else { "" });
            for letter in value.chars() {
                match letter {
                    '\\' => rows.push_str("\\\\"),
                    '\t' => rows.push_str("\\t"),
                    '\n' => rows.push_str("\\n"),
                    '\r' => rows.push_str("\\r"),
                    letter => rows.push(letter),
                }
            }
        }
        rows.push('\n');
    }
    Cow::Owned(rows.into_bytes())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'static, str> {
    let (pairs, _) = bytes.as_chunks();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    Cow::Owned(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_spreadsheets_are_separated_by_tabs() {
        let utf16: Vec<u8> = "\u{feff}kind\tname\n\u{e4}\tb\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (rows, expected) in [
            (
                &b"kind\tname\nplayer\tTal, M\n"[..],
                "kind\tname\nplayer\tTal, M\n",
            ),
            (
                b"\xef\xbb\xbfkind,name\nplayer,\"Tal, M\"\n",
                "kind\tname\nplayer\tTal, M\n",
            ),
            (
                b"kind;name\r\nplayer;\"a\"\"b\\\"\r\n",
                "kind\tname\nplayer\ta\"b\\\\\n",
            ),
            (&utf16, "kind\tname\n\u{e4}\tb\n"),
        ] {
            assert_eq!(String::from_utf8_lossy(&with_tabs(rows)), expected);
        }
    }
}
