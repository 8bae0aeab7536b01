//! What concerns terminals: who is one, how wide, what may not reach one.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use crate::args::ColorChoice;

/// Columns of the terminal that standard output goes to.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0))
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether what goes to standard error is coloured.
pub(crate) fn color_on_stderr(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            // A variable that is set but empty does not count: no-color.org.
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            stderr_is_terminal() && !refused
        }
    }
}

/// `text` without characters that a terminal would obey, line breaks and tabs included.
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
pub(crate) struct Text<W> {
    inner: W,
    clean: bool,
    /// A byte `0xC2` was held back: the next one may make it a C1 control character.
    held: bool,
    buffer: Vec<u8>,
}

impl<W: Write> Text<W> {
    /// `clean`: replace control characters.
    pub(crate) fn new(inner: W, clean: bool) -> Self {
        Self {
            inner,
            clean,
            held: false,
            buffer: Vec::new(),
        }
    }

    fn push(&mut self, byte: u8) {
        const REPLACED: &[u8] = "\u{fffd}".as_bytes();
        if std::mem::take(&mut self.held) {
            if (0x80..0xa0).contains(&byte) {
                self.buffer.extend_from_slice(REPLACED);
                return;
            }
            self.buffer.push(0xc2);
        }
        match byte {
            0xc2 => self.held = true,
            b'\n' | b'\t' | b'\r' => self.buffer.push(byte),
            0..0x20 | 0x7f => self.buffer.extend_from_slice(REPLACED),
            _ => self.buffer.push(byte),
        }
    }
}

impl<W: Write> Write for Text<W> {
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
        if std::mem::take(&mut self.held) {
            self.inner.write_all(&[0xc2])?;
        }
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_escapes() {
        let mut out = Text::new(Vec::new(), true);
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
