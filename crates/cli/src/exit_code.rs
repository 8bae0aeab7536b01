//! Exit codes. Scripts rely on them.

use tabia::Failure;

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
    /// The code of a failure.
    pub(crate) fn of(failure: &Failure) -> Self {
        if failure.is_closed_pipe() {
            return Self::Done;
        }
        match failure {
            Failure::Input(_) | Failure::Strict(_) => Self::Input,
            Failure::Output(_) => Self::Output,
            Failure::Usage(_) => Self::Usage,
            Failure::Cancelled => Self::Interrupted,
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
    use tabia::core::{Error, ErrorKind};

    #[test]
    fn a_closed_pipe_is_success() {
        let pipe = Failure::Output(io::Error::from(io::ErrorKind::BrokenPipe).into());
        assert_eq!(ExitCode::of(&pipe), ExitCode::Done);
        let disk = Failure::Output(io::Error::from(io::ErrorKind::StorageFull).into());
        assert_eq!(ExitCode::of(&disk), ExitCode::Output);
        let input = Failure::Input(io::Error::from(io::ErrorKind::BrokenPipe).into());
        assert_eq!(ExitCode::of(&input), ExitCode::Input);
    }

    #[test]
    fn a_full_temporary_folder_is_a_failed_output() {
        let full = ErrorKind::TemporaryFile(io::ErrorKind::StorageFull.into());
        let failure = Failure::input(Error::new(full));
        assert_eq!(ExitCode::of(&failure), ExitCode::Output);
    }
}
