//! Exit codes. Scripts rely on them.

use tabia::{Error, ErrorSide};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Done; nothing skipped.
    Done = 0,
    /// A search matched nothing.
    NoMatch = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Done, but some records were skipped, repaired or damaged.
    Problems = 3,
    /// An input cannot be opened or is damaged beyond use.
    Input = 4,
    /// An output cannot be written.
    Output = 5,
    /// Interrupted.
    Interrupted = 130,
}

impl ExitCode {
    /// The code of an error.
    pub(crate) fn of(error: &Error) -> Self {
        if error.is_closed_pipe() {
            return Self::Done;
        }
        match error.side() {
            ErrorSide::Output => Self::Output,
            ErrorSide::Usage => Self::Usage,
            ErrorSide::Cancelled => Self::Interrupted,
            _ => Self::Input,
        }
    }

    /// [`ExitCode::Problems`] if `count` is not 0.
    pub(crate) fn of_problems(count: u64) -> Self {
        if count == 0 {
            Self::Done
        } else {
            Self::Problems
        }
    }

    /// The greater of two codes.
    pub(crate) fn worse(self, other: Self) -> Self {
        if other as u8 > self as u8 {
            other
        } else {
            self
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use tabia::ErrorKind;

    #[test]
    fn a_closed_pipe_is_success() {
        let error = |kind: io::ErrorKind| Error::from(io::Error::from(kind));
        let pipe = error(io::ErrorKind::BrokenPipe).in_output();
        assert_eq!(ExitCode::of(&pipe), ExitCode::Done);
        let disk = error(io::ErrorKind::StorageFull).in_output();
        assert_eq!(ExitCode::of(&disk), ExitCode::Output);
        let input = error(io::ErrorKind::BrokenPipe);
        assert_eq!(ExitCode::of(&input), ExitCode::Input);
    }

    #[test]
    fn a_full_temporary_folder_is_a_failed_output() {
        let full = ErrorKind::TemporaryFile(io::ErrorKind::StorageFull.into());
        assert_eq!(ExitCode::of(&Error::new(full)), ExitCode::Output);
    }
}
