//! Control characters, and those that change the direction of text, which must not reach a terminal: replaced in texts and in what goes to standard output.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a terminal would show something else because of a character: a control character, or one that changes the
/// direction of the text after it.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with its control characters replaced: line breaks and tabs by spaces.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_control) {
        let clean = |c: char| match c {
            '\n' | '\t' | '\r' => ' ',
            c if is_control(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        Cow::Owned(text.chars().map(clean).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// `text` with its control characters as escapes: `\n`, `\t`, `\u001b`. So that two names of files never look the same,
/// a `\` that begins such an escape in `text` is `\x5c`, as in names with bytes that are no letters.
pub(crate) fn escaped_line(text: &str) -> Cow<'_, str> {
    let begins_escape = |rest: &str| {
        let mut chars = rest.chars();
        match chars.next() {
            Some('n' | 't' | 'r') => true,
            Some('u') => chars.take(4).filter(char::is_ascii_hexdigit).count() == 4,
            _ => false,
        }
    };
    // Names of files have no control characters there, but backslashes.
    let has_escape = !cfg!(windows) && text.split('\\').skip(1).any(begins_escape);
    if !has_escape && !text.chars().any(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' if has_escape && text.get(at + 1..).is_some_and(begins_escape) => {
                out.push_str("\\x5c");
            }
            c if is_control(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Standard output for text: on a terminal, control characters are replaced.
#[derive(Debug)]
pub(crate) struct ControlCharFilter<W> {
    inner: W,
    clean: bool,
    /// The bytes that wait, as the next one may make them a control character.
    pending: &'static [u8],
    buffer: Vec<u8>,
}

impl<W: Write> ControlCharFilter<W> {
    /// `clean`: replace control characters.
    pub(crate) fn new(inner: W, clean: bool) -> Self {
        Self {
            inner,
            clean,
            pending: &[],
            buffer: Vec::new(),
        }
    }

    /// Where the bytes go.
    pub(crate) fn inner_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes bytes as they are: escape sequences of our own.
    pub(crate) fn write_escape(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(std::mem::take(&mut self.pending))?;
        self.inner.write_all(bytes)
    }

    fn push(&mut self, byte: u8) {
        const REPLACED: &[u8] = "\u{fffd}".as_bytes();
        match (self.pending, byte) {
            ([0xe2], 0x80) => return self.pending = &[0xe2, 0x80],
            ([0xe2], 0x81) => return self.pending = &[0xe2, 0x81],
            // The C1 control characters, and those that change the direction of text.
            ([0xc2], 0x80..=0x9f) | ([0xe2, 0x80], 0xaa..=0xae) | ([0xe2, 0x81], 0xa6..=0xa9) => {
                self.pending = &[];
                return self.buffer.extend_from_slice(REPLACED);
            }
            _ => {}
        }
        self.buffer
            .extend_from_slice(std::mem::take(&mut self.pending));
        match byte {
            0xc2 => self.pending = &[0xc2],
            0xe2 => self.pending = &[0xe2],
            b'\n' | b'\t' | b'\r' => self.buffer.push(byte),
            0..0x20 | 0x7f => self.buffer.extend_from_slice(REPLACED),
            _ => self.buffer.push(byte),
        }
    }
}

impl<W: Write> Write for ControlCharFilter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.clean {
            return self.inner.write(bytes);
        }
        self.buffer.clear();
        for byte in bytes {
            self.push(*byte);
        }
        self.inner.write_all(&self.buffer)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.write_all(std::mem::take(&mut self.pending))?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_texts_are_escaped_alike() {
        let texts = [
            "a b",
            "a\nb",
            "a\tb",
            r"a\nb",
            r"a\tb",
            "a\u{1b}b",
            r"a\u001bb",
            r"a\b",
        ];
        let escaped = texts.map(escaped_line);
        assert_eq!(escaped[1], r"a\nb");
        assert_eq!(escaped[3], r"a\x5cnb");
        assert_eq!(escaped[5], r"a\u001bb");
        let distinct: std::collections::HashSet<_> = escaped.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{escaped:?}");
    }

    #[test]
    fn control_characters_are_replaced() {
        let mut out = ControlCharFilter::new(Vec::new(), true);
        for part in [
            "A\u{1b}[31mB\n\u{c2}",
            "\u{9b}31m é\u{a0}",
            "a\u{202e}b\u{2066}—\u{2062}",
        ] {
            for byte in part.bytes() {
                out.write_all(&[byte]).unwrap();
            }
        }
        out.flush().unwrap();
        let text = String::from_utf8(out.inner).unwrap();
        assert_eq!(
            text,
            "A\u{fffd}[31mB\n\u{c2}\u{fffd}31m é\u{a0}a\u{fffd}b\u{fffd}—\u{2062}"
        );
        assert_eq!(one_line("x\u{202e}gnp"), "x\u{fffd}gnp");
        assert_eq!(one_line("a\tb\u{7}"), "a b\u{fffd}");
    }
}
