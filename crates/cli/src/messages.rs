//! Messages on standard error: one line with location and error, one with a hint.
//!
//! Standard error that cannot be written (closed, a full disk) is no reason to stop: the exit code
//! reports what matters.

use std::env::temp_dir;
use std::io::{ErrorKind as IoKind, Write, stderr};
use std::path::{Path, absolute};

use indicatif::ProgressBar;
use tabia::{Error, ErrorKind, ErrorSide};

use tabia::core::shell_argument::argument;
use tabia::formats::archives::UNPACKED_SIZE;

use crate::args::{ColorChoice, CommonArgs};
use crate::control_char_filter::one_line;
use crate::pager;
use crate::terminal::color_on_stderr;

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
    /// Whether `--from` names the format of the inputs.
    has_from: bool,
    /// Whether `--append` is given.
    appends: bool,
    /// The verb, for `tabia help VERB`, if the message ends the command.
    verb: Option<String>,
    /// Hidden while a message is written.
    bar: ProgressBar,
}

impl Messages {
    pub(crate) fn new(common: &CommonArgs, bar: &ProgressBar) -> Self {
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            color: color_on_stderr(common.color),
            has_from: common.from.is_some(),
            appends: false,
            verb: None,
            bar: bar.clone(),
        }
    }

    /// For the error that ends a command; `verb` is its name, as in `book build`.
    pub(crate) fn for_final_error(
        common: Option<&CommonArgs>,
        verb: String,
        appends: bool,
    ) -> Self {
        Self {
            quiet: false,
            verbose: false,
            color: color_on_stderr(common.map_or(ColorChoice::Auto, |common| common.color)),
            has_from: common.is_some_and(|common| common.from.is_some()),
            appends,
            verb: Some(verb),
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
        if let Some(hint) = self.hint_for(error) {
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

    /// What to do about an error, if there is something.
    fn hint_for(&self, error: &Error) -> Option<String> {
        if let ErrorKind::Query {
            hint: Some(hint), ..
        }
        | ErrorKind::Usage {
            hint: Some(hint), ..
        } = error.kind()
        {
            return Some(hint.clone());
        }
        match error.side() {
            ErrorSide::Input => input_hint(error, self.has_from),
            ErrorSide::Output => output_hint(error, self.appends),
            ErrorSide::Strict => Some(
                "without `--strict` the rest is read, and `--report FILE` lists every problem"
                    .into(),
            ),
            ErrorSide::Usage => {
                let verb = self.verb.as_deref()?;
                Some(format!("`tabia help {verb}` has the options and examples"))
            }
            _ => None,
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
        if pager::hold(line) {
            return;
        }
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

fn input_hint(error: &Error, has_from: bool) -> Option<String> {
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
        ErrorKind::WrongFormat { .. } if has_from => {
            "without `--from` the format is recognised".into()
        }
        ErrorKind::WrongFormat { .. } => repair_hint(path),
        ErrorKind::Damaged(_) => {
            let hint = repair_hint(path);
            format!("{hint}; with `--salvage` this command does so first")
        }
        ErrorKind::MissingFile(_) => {
            format!(
                "put the missing file next to the others; if it is lost, {}",
                repair_hint(path)
            )
        }
        ErrorKind::Password => "give it with `--password TEXT`".into(),
        _ if exceeds_unpacked(error) => MORE_UNPACKED.into(),
        _ => return None,
    })
}

/// How to save what is left of a damaged database.
fn repair_hint(path: Option<&Path>) -> String {
    let Some(name) = path.and_then(Path::file_name) else {
        return "`tabia repair OLD -o NEW` saves what is left of a damaged database".into();
    };
    let path = path.unwrap_or(Path::new("")).display().to_string();
    let saved = format!("saved-{}", name.display());
    let (path, saved) = (argument(&path), argument(&saved));
    format!("`tabia repair {path} -o {saved}` saves what is left of a damaged database")
}

/// `appends`: the command was to add to an existing database.
fn output_hint(error: &Error, appends: bool) -> Option<String> {
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
            IoKind::NotFound if has_folder(error) && appends => {
                "there is nothing to add to; without `--append` the file is made".into()
            }
            IoKind::NotFound if has_folder(error) => return None,
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

/// Whether the folder of the file in question exists.
fn has_folder(error: &Error) -> bool {
    let file = error.location().file.as_deref();
    file.and_then(|file| absolute(file).ok())
        .is_some_and(|file| file.parent().is_some_and(Path::is_dir))
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
    // Those of the same extension first: a set has several files.
    let extension = |name: &str| {
        name.rsplit_once('.')
            .map(|(_, extension)| extension.to_lowercase())
    };
    let wanted_extension = extension(&wanted);
    names.sort_by_key(|name| (extension(name) != wanted_extension, name.clone()));
    names.truncate(5);
    if names.is_empty() {
        "check the spelling".into()
    } else {
        format!("similar names: {}", names.join(", "))
    }
}
