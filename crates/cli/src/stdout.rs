//! Standard output, buffered and safe for terminals.

use std::io::{self, Write};

use indicatif::ProgressBar;
use tabia::Error;

use crate::closed_stdout;
use crate::control_char_filter::ControlCharFilter;
use crate::pager::{self, Pager};
use crate::terminal::{self, TextStyle};

/// What errors call it.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Standard output, buffered; its errors are errors of the output.
#[derive(Debug)]
pub(crate) struct StdoutWriter {
    out: ControlCharFilter<io::BufWriter<BarStdout>>,
    is_colored: bool,
}

impl StdoutWriter {
    /// On a terminal control characters are replaced, and `bar` is hidden while something is
    /// written.
    pub(crate) fn new(bar: &ProgressBar) -> Self {
        let is_terminal = terminal::stdout_is_terminal();
        let stdout = BarStdout {
            inner: io::stdout(),
            pager: None,
            bar: is_terminal.then(|| bar.clone()),
        };
        let buffered = io::BufWriter::with_capacity(1 << 16, stdout);
        Self {
            out: ControlCharFilter::new(buffered, is_terminal),
            is_colored: terminal::color_on_stdout(),
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        self.bytes(text.as_bytes())
    }

    /// On a terminal, output longer than it goes to a pager, unless `no_pager`. For output that is written
    /// from its start to its end by this writer alone.
    pub(crate) fn with_pager(mut self, no_pager: bool) -> Self {
        let command = pager::command().filter(|_| !no_pager);
        if let (Some(command), Some(height)) = (command, terminal::height()) {
            self.out.inner_mut().get_mut().pager = Some(Pager::new(command, height));
        }
        self
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
    pager: Option<Pager>,
    bar: Option<ProgressBar>,
}

impl BarStdout {
    fn target(&mut self) -> &mut dyn Write {
        match &mut self.pager {
            Some(pager) => pager,
            None => &mut self.inner,
        }
    }
}

impl Drop for BarStdout {
    fn drop(&mut self) {
        if let (Some(pager), Some(bar)) = (&mut self.pager, &self.bar) {
            // Errors were reported when something was written.
            let _ = bar.suspend(|| pager.finish());
        }
    }
}

impl Write for BarStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        closed_stdout::check()?;
        match self.bar.clone() {
            // What waits for a pager does not disturb the bar.
            Some(bar) if !self.pager.as_ref().is_some_and(Pager::is_waiting) => {
                bar.suspend(|| self.target().write(bytes))
            }
            _ => self.target().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.bar.clone() {
            Some(bar) => bar.suspend(|| self.target().flush()),
            None => self.target().flush(),
        }
    }
}

pub(crate) fn output_error(error: io::Error) -> Error {
    Error::from(error)
        .in_path(std::path::Path::new(STANDARD_OUTPUT))
        .in_output()
}
