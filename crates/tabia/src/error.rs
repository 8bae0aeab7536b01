//! Why a job ended early.

use std::fmt;

use tabia_core::{Error, ErrorKind};

/// Why a job ended early. The side matters: a command's exit code depends on it.
#[derive(Debug)]
pub enum Failure {
    /// An input cannot be opened, or is damaged beyond use.
    Input(Error),
    /// An output cannot be written.
    Output(Error),
    /// `strict`: the first problem of an input.
    Strict(Error),
    /// What was asked for makes no sense for these inputs or this target.
    Usage(String),
    /// The caller cancelled the job.
    Cancelled,
}

impl Failure {
    /// A failure to read, or the cancellation that showed as one. A temporary file that cannot be
    /// written is a failure of the output.
    pub fn input(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::Cancelled,
            ErrorKind::TemporaryFile(_) => Self::Output(error),
            _ => Self::Input(error),
        }
    }

    /// A failure to write, or the cancellation that showed as one.
    pub fn output(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::Cancelled,
            _ => Self::Output(error),
        }
    }

    /// Whether the reader of our output went away.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if is_closed_pipe(error))
    }
}

/// Whether an error means that the reader of our output has closed its end.
fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::BrokenPipe)
}

impl From<tabia_query::FilterError> for Failure {
    fn from(error: tabia_query::FilterError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::input(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) | Self::Output(error) | Self::Strict(error) => error.fmt(f),
            Self::Usage(text) => f.write_str(text),
            Self::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(error) | Self::Output(error) | Self::Strict(error) => Some(error),
            Self::Usage(_) | Self::Cancelled => None,
        }
    }
}
