//! Control characters, which must not reach a terminal: replaced in texts and in what goes to standard output.

use std::borrow::Cow;
use std::io::{self, Write};

/// `text` with its control characters replaced: line breaks and tabs by spaces.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        let clean = |c: char| match c {
            '\n' | '\t' | '\r' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        Cow::Owned(text.chars().map(clean).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Standard output for text: on a terminal, control characters are replaced.
#[derive(Debug)]
pub(crate) struct ControlCharFilter<W> {
    inner: W,
    clean: bool,
    /// A byte `0xC2` waits: the next one may make it a C1 control character.
    pending_c2: bool,
    buffer: Vec<u8>,
}

impl<W: Write> ControlCharFilter<W> {
    /// `clean`: replace control characters.
    pub(crate) fn new(inner: W, clean: bool) -> Self {
        Self {
            inner,
            clean,
            pending_c2: false,
            buffer: Vec::new(),
        }
    }

    /// Where the bytes go.
    pub(crate) fn inner_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes bytes as they are: escape sequences of our own.
    pub(crate) fn write_escape(&mut self, bytes: &[u8]) -> io::Result<()> {
        if std::mem::take(&mut self.pending_c2) {
            self.inner.write_all(&[0xc2])?;
        }
        self.inner.write_all(bytes)
    }

    fn push(&mut self, byte: u8) {
        const REPLACED: &[u8] = "\u{fffd}".as_bytes();
        if std::mem::take(&mut self.pending_c2) {
            if (0x80..0xa0).contains(&byte) {
                self.buffer.extend_from_slice(REPLACED);
                return;
            }
            self.buffer.push(0xc2);
        }
        match byte {
            0xc2 => self.pending_c2 = true,
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
        if std::mem::take(&mut self.pending_c2) {
            self.inner.write_all(&[0xc2])?;
        }
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        let mut out = ControlCharFilter::new(Vec::new(), true);
        for part in ["A\u{1b}[31mB\n\u{c2}", "\u{9b}31m é\u{a0}"] {
            for byte in part.bytes() {
                out.write_all(&[byte]).unwrap();
            }
        }
        out.flush().unwrap();
        let text = String::from_utf8(out.inner).unwrap();
        assert_eq!(text, "A\u{fffd}[31mB\n\u{c2}\u{fffd}31m é\u{a0}");
        assert_eq!(one_line("a\tb\u{7}"), "a b\u{fffd}");
    }
}
