//! Standard output, buffered and safe for terminals.

use std::io::{self, Write};

use indicatif::ProgressBar;
use tabia::Error;

use crate::terminal::{self, TextStyle};

/// Standard output, buffered; its errors are errors of the output.
#[derive(Debug)]
pub(crate) struct StdoutWriter {
    out: terminal::ControlCharFilter<io::BufWriter<BarStdout>>,
    is_colored: bool,
}

impl StdoutWriter {
    /// On a terminal control characters are replaced, and `bar` is hidden while something is
    /// written.
    pub(crate) fn new(bar: &ProgressBar) -> Self {
        let is_terminal = terminal::stdout_is_terminal();
        let stdout = BarStdout {
            inner: io::stdout(),
            bar: is_terminal.then(|| bar.clone()),
        };
        let buffered = io::BufWriter::with_capacity(1 << 16, stdout);
        Self {
            out: terminal::ControlCharFilter::new(buffered, is_terminal),
            is_colored: terminal::color_on_stdout(),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        self.bytes(text.as_bytes())
    }

    /// Writes text in a style, where standard output is coloured.
    pub(crate) fn styled(&mut self, style: TextStyle, text: &str) -> Result<(), Error> {
        if !self.is_colored {
            return self.text(text);
        }
        let on = format!("\u{1b}[{}m", style.code());
        self.out.write_escape(on.as_bytes()).map_err(output_error)?;
        self.text(text)?;
        self.out.write_escape(b"\x1b[0m").map_err(output_error)
    }

    /// Whether standard output is coloured.
    pub(crate) fn is_colored(&self) -> bool {
        self.is_colored
    }

    /// Writes text of our own with its escape sequences.
    pub(crate) fn escaped(&mut self, text: &str) -> Result<(), Error> {
        self.out.write_escape(text.as_bytes()).map_err(output_error)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all(bytes).map_err(output_error)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.out.flush().map_err(output_error)
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.out
    }
}

/// Standard output on the terminal that may show a progress bar.
#[derive(Debug)]
struct BarStdout {
    inner: io::Stdout,
    bar: Option<ProgressBar>,
}

impl Write for BarStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.inner.write(bytes)),
            None => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.inner.flush()),
            None => self.inner.flush(),
        }
    }
}

fn output_error(error: io::Error) -> Error {
    Error::from(error)
        .in_path(std::path::Path::new("standard output"))
        .in_output()
}
