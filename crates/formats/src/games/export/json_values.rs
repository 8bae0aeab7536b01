//! Strings and numbers in JSON.

use std::time::Duration;

use tabia_core::decimal_digits::write_number;

/// Appends a text with its quotes.
pub(super) fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    push_escaped(text, out);
    out.push(b'"');
}

/// Appends a text without quotes around it.
fn push_escaped(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..0x20 | 0x7f => b"",
            // U+0080 to U+009F: some terminals take them for commands.
            0xc2 => {
                if let Some(&next @ 0x80..=0x9f) = bytes.get(at + 1) {
                    out.extend_from_slice(bytes.get(done..at).unwrap_or_default());
                    done = at + 2;
                    out.extend_from_slice(format!("\\u{next:04x}").as_bytes());
                }
                continue;
            }
            _ => continue,
        };
        out.extend_from_slice(bytes.get(done..at).unwrap_or_default());
        done = at + 1;
        if escape.is_empty() {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
        } else {
            out.extend_from_slice(escape);
        }
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
}

/// Appends seconds, with a fraction only if there is one.
pub(super) fn push_seconds(time: Duration, out: &mut Vec<u8>) {
    write_number(time.as_secs(), out);
    if time.subsec_nanos() != 0 {
        let fraction = format!(".{:09}", time.subsec_nanos());
        out.extend_from_slice(fraction.trim_end_matches('0').as_bytes());
    }
}

/// Appends an integer.
pub(super) fn push_integer(value: i32, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_number(value.unsigned_abs().into(), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        let text = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            text(&|out| push_text("\"a\\b\"\n\u{1b}é\u{7f}", out)),
            r#""\"a\\b\"\n\u001bé\u007f""#
        );
        assert_eq!(
            text(&|out| push_text("a\u{9b}b\u{a0}\u{80}", out)),
            "\"a\\u009bb\u{a0}\\u0080\""
        );
        let seconds = |millis| text(&|out| push_seconds(Duration::from_millis(millis), out));
        assert_eq!((seconds(0), seconds(90_000)), ("0".into(), "90".into()));
        assert_eq!((seconds(1_500), seconds(5)), ("1.5".into(), "0.005".into()));
        assert_eq!(text(&|out| push_integer(-30, out)), "-30");
        assert_eq!(text(&|out| push_integer(i32::MIN, out)), "-2147483648");
    }
}
