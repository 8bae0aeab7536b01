//! Terminals: detection, width and colours.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::args::ColorChoice;

/// Columns without a terminal and without `COLUMNS`.
const USUAL_WIDTH: usize = 100;

/// Columns of the terminal that standard output goes to; if it is none or states no width, those of the variable
/// `COLUMNS`, or else of the terminal that standard error or input is.
pub(crate) fn width() -> usize {
    let columns = |(width, _): (terminal_size::Width, _)| usize::from(width.0);
    let of_output = terminal_size::terminal_size_of(io::stdout()).map(columns);
    of_output
        .or_else(|| stated_width(std::env::var_os("COLUMNS").as_deref()))
        .or_else(|| terminal_size::terminal_size().map(columns))
        .unwrap_or(USUAL_WIDTH)
}

/// Columns of the terminal that standard error goes to; `None` if it is none.
pub(crate) fn stderr_width() -> Option<usize> {
    if !stderr_is_terminal() {
        return None;
    }
    let columns = |(width, _): (terminal_size::Width, _)| usize::from(width.0);
    let of_terminal = terminal_size::terminal_size_of(io::stderr()).map(columns);
    of_terminal.or_else(|| stated_width(std::env::var_os("COLUMNS").as_deref()))
}

/// Whether tables leave columns out to fit the width: on a terminal, or where `COLUMNS` states one.
pub(crate) fn is_width_limit() -> bool {
    stdout_is_terminal() || stated_width(std::env::var_os("COLUMNS").as_deref()).is_some()
}

/// The number that `COLUMNS` states; `None` if it is no number or 0.
fn stated_width(value: Option<&OsStr>) -> Option<usize> {
    let width: u16 = value?.to_str()?.trim().parse().ok()?;
    (width > 0).then_some(usize::from(width))
}

/// Lines of the terminal that standard output goes to.
pub(crate) fn height() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0))
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard input is a pipe or a file, and has something to read.
#[cfg(unix)]
pub(crate) fn stdin_is_piped() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;

    let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned() else {
        return false;
    };
    let Ok(data) = std::fs::File::from(stdin).metadata() else {
        return false;
    };
    let kind = data.file_type();
    kind.is_fifo() || kind.is_file() || kind.is_socket()
}

/// Whether standard input is a pipe or a file, and has something to read.
#[cfg(not(unix))]
pub(crate) fn stdin_is_piped() -> bool {
    !io::stdin().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether what goes to standard error is coloured.
pub(crate) fn color_on_stderr(choice: ColorChoice) -> bool {
    is_colored(choice, stderr_is_terminal())
}

/// Whether what goes to standard output is coloured.
pub(crate) fn color_on_stdout() -> bool {
    is_colored(stated_color(), stdout_is_terminal())
}

/// `--color` of the command line.
pub(crate) fn stated_color() -> ColorChoice {
    match COLOR.load(Ordering::Relaxed) {
        1 => ColorChoice::Always,
        2 => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// `--color`: the process has one command line.
static COLOR: AtomicU8 = AtomicU8::new(0);

/// Sets what [`stated_color`] answers.
pub(crate) fn set_color(choice: ColorChoice) {
    let value = match choice {
        ColorChoice::Auto => 0,
        ColorChoice::Always => 1,
        ColorChoice::Never => 2,
    };
    COLOR.store(value, Ordering::Relaxed);
}

/// `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` as on <https://no-color.org> and
/// <https://bixense.com/clicolors>: a variable that is set but empty does not count.
fn is_colored(choice: ColorChoice, is_terminal: bool) -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if value("NO_COLOR").is_some() => false,
        ColorChoice::Auto if value("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto if value("CLICOLOR").is_some_and(|value| value == "0") => false,
        ColorChoice::Auto => is_terminal && !is_dumb(),
    }
}

/// Whether the terminal obeys no escape sequences.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The look of a piece of text on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextStyle {
    Dim,
    Green,
    Red,
    Yellow,
    Cyan,
}

impl TextStyle {
    /// The parameters of the escape sequence that turns the style on.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Dim => "2",
            Self::Green => "32",
            Self::Red => "31",
            Self::Yellow => "33",
            Self::Cyan => "36",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_is_a_number_above_zero() {
        let width = |text: &str| stated_width(Some(text.as_ref()));
        assert_eq!(width("60"), Some(60));
        for other in ["", "0", "-5", "wide", "100000"] {
            assert_eq!(width(other), None, "{other}");
        }
        assert_eq!(stated_width(None), None);
    }
}
