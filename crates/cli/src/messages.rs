//! Messages on standard error: one line with location and error, one with a hint.
//!
//! Standard error that cannot be written (closed, a full disk) is no reason to stop: the exit code
//! reports what matters.

use std::env::temp_dir;
use std::io::{ErrorKind as IoKind, Write, stderr};
use std::path::{Path, absolute};

use indicatif::ProgressBar;
use tabia::{Error, ErrorKind, ErrorSide};

use tabia::formats::archives::UNPACKED_SIZE;

use crate::args::{ColorChoice, CommonArgs};
use crate::terminal::{color_on_stderr, one_line};

/// The hint for [`UNPACKED_SIZE`].
const MORE_UNPACKED: &str = "such a ratio is suspicious; `--max-unpacked 4G` allows it";

/// Whether an error is that of the limit that `--max-unpacked` sets.
pub(crate) fn exceeds_unpacked(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Limit { what, .. } if *what == UNPACKED_SIZE)
}

/// Writes messages as `--quiet`, `--verbose` and `--color` demand.
#[derive(Debug, Clone)]
pub(crate) struct Messages {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    color: bool,
    /// Hidden while a message is written.
    bar: ProgressBar,
}

impl Messages {
    pub(crate) fn new(common: &CommonArgs, bar: &ProgressBar) -> Self {
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            color: color_on_stderr(common.color),
            bar: bar.clone(),
        }
    }

    /// For the error that ends a command.
    pub(crate) fn for_final_error(color: ColorChoice) -> Self {
        Self {
            quiet: false,
            verbose: false,
            color: color_on_stderr(color),
            bar: ProgressBar::hidden(),
        }
    }

    /// Writes why a command failed, and a hint what to do. A closed pipe is not reported.
    pub(crate) fn error(&self, error: &Error) {
        if error.is_closed_pipe() {
            return;
        }
        let text = match error.side() {
            ErrorSide::Cancelled => "interrupted".to_owned(),
            _ => without_os_error_number(&error.to_string()),
        };
        self.line("error", "31", &text);
        if let Some(hint) = hint(error) {
            self.line("hint", "36", &hint);
        }
    }

    /// Writes a problem that did not end the command.
    pub(crate) fn warning(&self, text: &str) {
        if !self.quiet {
            self.line("warning", "33", &without_os_error_number(text));
        }
    }

    /// Writes how to read what [`exceeds_unpacked`] refused.
    pub(crate) fn hint_at_unpacked(&self) {
        self.hint(MORE_UNPACKED);
    }

    /// Writes what to do, or what the user may have meant.
    pub(crate) fn hint(&self, text: &str) {
        if !self.quiet {
            self.line("hint", "36", text);
        }
    }

    /// Writes a remark.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.print(&format!("{}\n", one_line(text)));
        }
    }

    fn line(&self, label: &str, color: &str, text: &str) {
        let text = one_line(text);
        self.print(&if self.color {
            format!("\u{1b}[1;{color}m{label}:\u{1b}[0m {text}\n")
        } else {
            format!("{label}: {text}\n")
        });
    }

    fn print(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = stderr().write_all(line.as_bytes());
        });
    }
}

/// The message without the number of the operating system's error.
pub(crate) fn without_os_error_number(text: &str) -> String {
    match (text.find(" (os error "), text.ends_with(')')) {
        (Some(at), true) => text.get(..at).unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    }
}

fn hint(error: &Error) -> Option<String> {
    if let ErrorKind::Query { hint, .. } = error.kind() {
        return hint.clone();
    }
    match error.side() {
        ErrorSide::Input => input_hint(error),
        ErrorSide::Output => output_hint(error),
        ErrorSide::Strict => Some(
            "without `--strict` the rest is read, and `--report FILE` lists every problem".into(),
        ),
        ErrorSide::Usage => Some("`tabia help` explains every verb and option".into()),
        _ => None,
    }
}

fn input_hint(error: &Error) -> Option<String> {
    let path = error.location().file.as_deref();
    Some(match error.kind() {
        ErrorKind::Io(io) if io.kind() == IoKind::NotFound => return path.map(similar),
        ErrorKind::UnknownFormat { .. } => {
            "`tabia formats` lists what can be read; `--from FORMAT` names one".into()
        }
        ErrorKind::AmbiguousFormat(ids) => {
            let id = ids.first().map(ToString::to_string).unwrap_or_default();
            format!("name the right one, for example `--from {id}`")
        }
        ErrorKind::WrongFormat { .. } => "without `--from` the format is recognised".into(),
        ErrorKind::Damaged(_) => {
            "`tabia repair OLD -o NEW` saves what is left of a damaged database in a new one".into()
        }
        ErrorKind::MissingFile(_) => "put the missing file next to the others".into(),
        ErrorKind::Password => "give it with `--password TEXT`".into(),
        _ if exceeds_unpacked(error) => MORE_UNPACKED.into(),
        _ => return None,
    })
}

fn output_hint(error: &Error) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::Exists => "`--force` replaces it".into(),
        ErrorKind::InUse { .. } => "try again when it has ended".into(),
        ErrorKind::Replaced => "the same command works on what is there now".into(),
        ErrorKind::TemporaryFile(_)
            if error.location().file.as_deref() == absolute(temp_dir()).ok().as_deref() =>
        {
            "the variable `TMPDIR` names another folder for temporary files".into()
        }
        ErrorKind::Io(io) | ErrorKind::TemporaryFile(io) => match io.kind() {
            IoKind::NotFound => "create the folder first".into(),
            IoKind::PermissionDenied | IoKind::ReadOnlyFilesystem => {
                "choose a folder that you may write to".into()
            }
            IoKind::StorageFull => {
                "free some space or choose another disk; no incomplete file remains".into()
            }
            IoKind::IsADirectory => "give the name of a file".into(),
            IoKind::FileTooLarge => {
                "`ulimit -f` limits the size of files, and so do some file systems".into()
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Files in the folder whose names begin like that of `path`.
fn similar(path: &Path) -> String {
    let wanted = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("the folder {} does not exist either", folder.display());
    };
    let beginning: String = wanted.chars().take(3).collect();
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !beginning.is_empty() && name.to_lowercase().starts_with(&beginning))
        .collect();
    names.sort();
    names.truncate(5);
    if names.is_empty() {
        "check the spelling".into()
    } else {
        format!("similar names: {}", names.join(", "))
    }
}
