//! Failures, and the exit codes that scripts rely on: those of `tabia`.

use std::io;

use datafusion::error::DataFusionError;
use tabia::{Error, ErrorKind, ErrorSide};

/// Done; nothing skipped.
pub(crate) const DONE: u8 = 0;
/// The command line or a statement is invalid.
pub(crate) const USAGE: u8 = 2;
/// Done, but some records were damaged.
pub(crate) const PROBLEMS: u8 = 3;
/// An input cannot be opened or is damaged beyond use.
pub(crate) const INPUT: u8 = 4;
/// The output cannot be written.
pub(crate) const OUTPUT: u8 = 5;
/// Interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why the program ends early.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) text: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    fn new(code: u8, text: String) -> Self {
        Self {
            code,
            text,
            hint: None,
        }
    }

    pub(crate) fn usage(text: &str) -> Self {
        Self::new(USAGE, text.to_owned())
    }

    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(INTERRUPTED, "interrupted".to_owned())
    }

    /// A pipe that is closed ends the program quietly.
    pub(crate) fn of_output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(DONE, String::new());
        }
        Self::new(OUTPUT, format!("standard output: {error}"))
    }

    pub(crate) fn of_tabia(error: &Error) -> Self {
        let code = match error.side() {
            ErrorSide::Output => OUTPUT,
            ErrorSide::Usage => USAGE,
            ErrorSide::Cancelled => INTERRUPTED,
            _ => INPUT,
        };
        let mut failure = Self::new(code, error.to_string());
        if let ErrorKind::Usage { hint, .. } = error.kind() {
            failure.hint.clone_from(hint);
        }
        failure
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::External(inner) => {
                if let Some(error) = inner.downcast_ref::<Error>() {
                    return Self::of_tabia(error);
                }
            }
            DataFusionError::ResourcesExhausted(text) => {
                let text = format!("the query needs more memory than it may have: {text}");
                return Self::usage(&text).with_hint("`--memory 4GB`");
            }
            _ => {}
        }
        let text = error.strip_backtrace();
        Self::usage(text.trim_end())
    }
}
