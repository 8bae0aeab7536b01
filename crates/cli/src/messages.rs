//! Messages on standard error: one line with location and error, one with a hint.
//!
//! Standard error that cannot be written (closed, a full disk) is no reason to stop: the exit code
//! reports what matters.

use std::borrow::Cow;
use std::env::temp_dir;
use std::io::{ErrorKind as IoKind, Write, stderr};
use std::path::{Path, PathBuf, absolute};

use clap::{Command, CommandFactory as _};
use indicatif::ProgressBar;
use tabia::convert::Target;
use tabia::formats::Format;
use tabia::{Error, ErrorKind, ErrorSide, InputItem, Resolver};
use unicode_width::UnicodeWidthStr as _;

use tabia::core::error::UnknownContents;
use tabia::core::io::name_text;
use tabia::core::shell_argument::file_argument;
use tabia::formats::archives::UNPACKED_SIZE;
use tabia::formats::archives::compressed::Compression;

use crate::args::{Cli, CommonArgs};
use crate::control_char_filter::escaped_line;
use crate::option_examples::option_example;
use crate::pager;
use crate::path_text::PathText as _;
use crate::readable_numbers::grouped;
use crate::saved_index_file::is_saved_index;
use crate::similar_names;
use crate::stdout::STANDARD_OUTPUT;
use crate::terminal::{color_on_stderr, stated_color, stderr_width};
use crate::typed_verb::{lists_folder, typed_verb};
use crate::without_tables;

/// The hint for [`UNPACKED_SIZE`].
const MORE_UNPACKED: &str = "such a ratio is suspicious; `--max-unpacked 4G` allows it";

/// Names in a line about inputs or files.
const MAX_NAMED: usize = 3;

/// A note on shards of inputs with fewer games than shards.
pub(crate) const NO_GAME_IN_SHARD: &str = "no game is in this shard";

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
    /// Whether `--password` is given.
    has_password: bool,
    /// Whether `--append` is given.
    appends: bool,
    /// The verb, for `tabia help VERB`, if the message ends the command.
    verb: Option<String>,
    /// An input that does not exist, and what to type instead.
    absent_hint: Option<(PathBuf, String)>,
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
            has_password: common.password.is_some(),
            appends: false,
            verb: None,
            absent_hint: common.absent_hint.clone(),
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
            color: color_on_stderr(common.map_or_else(stated_color, |common| common.color)),
            has_from: common.is_some_and(|common| common.from.is_some()),
            has_password: common.is_some_and(|common| common.password.is_some()),
            appends,
            verb: Some(verb),
            absent_hint: common.and_then(|common| common.absent_hint.clone()),
            bar: ProgressBar::hidden(),
        }
    }

    /// Writes why a command failed, and a hint what to do. A closed pipe is not reported.
    pub(crate) fn error(&self, error: &Error) {
        if error.is_closed_pipe() {
            return;
        }
        if let Some(hint) = self.error_without_hint(error) {
            self.line("hint", "36", &hint);
        }
    }

    /// Writes why a command failed, and returns the hint what to do.
    pub(crate) fn error_without_hint(&self, error: &Error) -> Option<String> {
        let text = match error.side() {
            ErrorSide::Cancelled => "interrupted".to_owned(),
            _ => without_os_error_number(&self.text_of(error)),
        };
        self.line("error", "31", &text);
        self.hint_for(error)
    }

    /// Writes what to do about an error, with `--quiet` too.
    pub(crate) fn error_hint(&self, hint: &str) {
        self.line("hint", "36", hint);
    }

    /// Writes why a command failed, and what to do in its situation.
    pub(crate) fn error_with_hint(&self, error: &Error, hint: &str) {
        self.line(
            "error",
            "31",
            &without_os_error_number(&self.text_of(error)),
        );
        self.line("hint", "36", hint);
    }

    /// An error in the words of players; with `--verbose` as the library states it.
    pub(crate) fn text_of(&self, error: &Error) -> String {
        if self.verbose {
            return error.to_string();
        }
        let mut at = error.location().clone();
        at.offset = None;
        let mut at = at.to_string();
        // Of a database of several files standard input is one: the others have no name.
        if let Some(extension) = at.strip_prefix("-.") {
            at = format!("-: .{extension}");
        }
        let why = match error.kind() {
            ErrorKind::Password if self.has_password => "this is not its password".to_owned(),
            ErrorKind::Password => "it is encrypted and needs a password".to_owned(),
            // What the user typed is quoted as it is, and so are the numbers of options.
            kind @ (ErrorKind::Usage { .. } | ErrorKind::Query { .. }) => kind.to_string(),
            kind => with_separators(&in_plain_words(&kind.to_string())),
        };
        let why = why
            .strip_prefix('-')
            .filter(|rest| rest.starts_with('.'))
            .unwrap_or(&why);
        if at.is_empty() {
            why.to_owned()
        } else {
            format!("{at}: {why}")
        }
    }

    /// A reason in the words of players; with `--verbose` as it is.
    pub(crate) fn plain(&self, reason: &str) -> String {
        if self.verbose {
            return reason.to_owned();
        }
        with_separators(&in_plain_words(reason))
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

    /// A note with the first names, or with `--verbose` all of them.
    pub(crate) fn note_list(&self, text: &str, names: &[String]) {
        if self.verbose {
            self.note(&format!("{text}:"));
            for name in names {
                self.note(&format!("  {name}"));
            }
            return;
        }
        let first = names.get(..MAX_NAMED).unwrap_or(names);
        let more = names.len() - first.len();
        let list = first.join(", ");
        self.note(&match more {
            0 => format!("{text}: {list}"),
            _ => format!(
                "{text}: {list} and {} more (`-v` lists all)",
                grouped(more as u64)
            ),
        });
    }

    /// Writes a remark.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let text = escaped_line(text);
            // Rows of a table are indented, and fit or are cut.
            let text = match stderr_width().filter(|_| !text.starts_with(' ')) {
                Some(width) => Cow::Owned(wrapped(&text, 0, 2, width)),
                None => text,
            };
            self.print(&format!("{text}\n"));
        }
    }

    /// Writes what is drawn with characters.
    #[cfg(feature = "serve")]
    pub(crate) fn picture(&self, lines: &str) {
        if !self.quiet {
            self.print(lines);
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
        if matches!(error.kind(), ErrorKind::Query { .. }) {
            return Some("`tabia help search` explains queries, with examples".into());
        }
        match error.side() {
            ErrorSide::Input => self
                .absent(error)
                .or_else(|| password_hint(error, self.has_password))
                .or_else(|| self.repaired_hint(error))
                .or_else(|| input_hint(error, self.has_from)),
            ErrorSide::Output
                if matches!(error.kind(), ErrorKind::Exists)
                    && self.verb.as_deref() == Some("archive extract") =>
            {
                Some(
                    "`-d FOLDER` unpacks into another folder, `--force` replaces what is there"
                        .into(),
                )
            }
            ErrorSide::Output if matches!(error.kind(), ErrorKind::Exists) && !self.has_force() => {
                Some("give the file another name, or remove the one that is there".into())
            }
            ErrorSide::Output => self
                .absent(error)
                .or_else(|| output_hint(error, self.appends)),
            ErrorSide::Strict => Some(
                "without `--strict` the rest is read, and `--report FILE` lists every problem"
                    .into(),
            ),
            ErrorSide::Usage
                if error
                    .kind()
                    .to_string()
                    .contains("has its texts in UTF-8, not in ") =>
            {
                Some("without `--to-encoding` all characters are kept".into())
            }
            ErrorSide::Usage => {
                let verb = self.verb.as_deref()?;
                let text = error.kind().to_string();
                let Some((option, value)) = option_in(&text) else {
                    return Some(format!("`tabia help {verb}` has the options and examples"));
                };
                let root = Cli::command();
                let example = self
                    .command(&root)
                    .and_then(|command| option_example(command, option, value));
                Some(example.unwrap_or_else(|| format!("`tabia help {verb}` explains `{option}`")))
            }
            _ => None,
        }
    }

    /// Whether the verb has `--force`; what has no verb may have it.
    fn has_force(&self) -> bool {
        let root = Cli::command();
        let command = self.command(&root);
        let has_force = |command: &Command| {
            let mut options = command.get_arguments();
            options.any(|option| option.get_long() == Some("force"))
        };
        self.verb.is_none() || command.is_some_and(has_force)
    }

    /// The verb in `root`, or `root` if there is none.
    fn command<'a>(&self, root: &'a Command) -> Option<&'a Command> {
        let mut words = self.verb.iter().flat_map(|verb| verb.split(' '));
        words.try_fold(root, |command, word| command.find_subcommand(word))
    }

    /// What to do about an input of which `repair` itself found nothing.
    fn repaired_hint(&self, error: &Error) -> Option<String> {
        if self.verb.as_deref() != Some("repair") {
            return None;
        }
        let path = error.location().file.as_deref()?;
        match error.kind() {
            ErrorKind::UnknownFormat { .. } | ErrorKind::WrongFormat { .. }
                if is_named_like_book_only(path) && !is_empty_file(path) =>
            {
                Some(format!(
                    "`tabia book fix` corrects a book whose beginning can be read; {}",
                    copy_again(path)
                ))
            }
            ErrorKind::MissingFile(_) => Some(format!(
                "put the missing file next to the others, without it no game can be recovered; {}",
                info_of_folder(path)
            )),
            ErrorKind::WrongFormat { .. }
            | ErrorKind::Malformed(_)
            | ErrorKind::NotInFile(_)
            | ErrorKind::Damaged(_)
            | ErrorKind::UnknownFormat { .. }
                if !self.has_from || !matches!(error.kind(), ErrorKind::WrongFormat { .. }) =>
            {
                Some(format!(
                    "no game can be recovered from it; {}",
                    info_of_folder(path)
                ))
            }
            _ => None,
        }
    }

    /// What an input that does not exist was probably meant to be.
    fn absent(&self, error: &Error) -> Option<String> {
        let (path, hint) = self.absent_hint.as_ref()?;
        let file = error.location().file.as_deref();
        (file == Some(path.as_path())).then(|| hint.clone())
    }

    fn line(&self, label: &str, color: &str, text: &str) {
        let text = escaped_line(text);
        let indent = label.len() + 2;
        let text = match stderr_width() {
            Some(width) => Cow::Owned(wrapped(&text, indent, indent, width)),
            None => text,
        };
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

/// The least width at which messages are wrapped.
const LEAST_WIDTH: usize = 30;

/// A text in lines of at most `width` columns, of which the first one begins after `used` columns and the others after
/// `indent` blanks. Commands in backquotes are not broken, so that they can be copied: longer ones are a line of their own.
pub(crate) fn wrapped(text: &str, used: usize, indent: usize, width: usize) -> String {
    if width < LEAST_WIDTH || used + text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut column = used;
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = rest.split_at(end_of_word(rest));
        let needed = word.width();
        if column + 1 + needed > width && column > indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !out.is_empty() {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += needed;
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    out
}

/// Where the first word ends: at a blank that is in no backquotes.
fn end_of_word(text: &str) -> usize {
    let mut is_quoted = false;
    for (at, c) in text.char_indices() {
        match c {
            // A backquote without another one quotes nothing.
            '`' if is_quoted => is_quoted = false,
            '`' => {
                is_quoted = text.get(at + 1..).is_some_and(|after| after.contains('`'));
            }
            ' ' if !is_quoted => return at,
            _ => {}
        }
    }
    text.len()
}

/// What numbers name, which are no counts.
const NUMBERED: &[&str] = &[
    "at", "byte", "column", "from", "game", "line", "number", "offset", "ply", "record", "to",
    "year",
];

/// A text with separators in its counts: numbers of five and more digits, and shorter ones before a noun that is
/// counted or after `has`. Numbers that name something (a game, a line, a
/// byte) stay as they are typed, and so do those in names of files and in quotes.
fn with_separators(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_quoted = false;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit() || c == '`') {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        if let Some(after) = number.strip_prefix('`') {
            is_quoted = !is_quoted;
            out.push('`');
            rest = after;
            continue;
        }
        let end = number.find(|c: char| !c.is_ascii_digit());
        let (digits, after) = number.split_at(end.unwrap_or(number.len()));
        let follows = after.trim_start_matches(['.', ',', ';', ':', ')']);
        let is_end = follows.is_empty() || follows.starts_with(' ');
        let word = out.rsplit(' ').nth(1).unwrap_or_default();
        let is_name = NUMBERED.contains(&word);
        let is_word = out.is_empty() || out.ends_with([' ', '(']);
        let nouns = [
            " bytes",
            " records",
            " games",
            " more ",
            " moves",
            " names",
            " links",
            " entries",
            " positions",
            " pages",
            " members",
            " blocks",
        ];
        let is_before_noun = nouns.iter().any(|noun| after.starts_with(noun));
        let is_counted = word == "has" || is_before_noun;
        let is_long = digits.len() >= 5 || is_counted;
        // `to 2000 bytes` is a size.
        let is_name = is_name && !is_before_noun;
        match digits.parse() {
            Ok(count) if is_long && is_end && is_word && !is_name && !is_quoted => {
                out.push_str(&grouped(count));
            }
            _ => out.push_str(digits),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A reason without what only developers know: names of fields, and hexadecimal numbers.
fn in_plain_words(reason: &str) -> String {
    let mut words = String::new();
    let reason = without_offsets(reason);
    let mut rest = reason.as_str();
    while let Some((before, quoted)) = rest.split_once('`') {
        words.push_str(before);
        let Some((field, after)) = quoted.split_once('`') else {
            words.push('`');
            rest = quoted;
            continue;
        };
        // Moves have digits, or a hyphen.
        let is_field = !field.is_empty()
            && field
                .chars()
                .all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | ' '));
        if let Some((plain, after)) = is_field.then(|| plain_reason(after)).flatten() {
            words.push_str(plain);
            rest = after;
        } else {
            words.extend(["`", field, "`"]);
            rest = after;
        }
    }
    words.push_str(rest);
    in_decimal(&words)
}

/// A reason without the offsets of the errors that it quotes.
fn without_offsets(reason: &str) -> String {
    let mut words = String::new();
    let mut rest = reason;
    while let Some((before, after)) = rest.split_once("offset 0x") {
        words.push_str(before);
        let digits = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        if let Some(after) = digits.strip_prefix(": ") {
            rest = after;
        } else {
            words.push_str("offset 0x");
            rest = after;
        }
    }
    words + rest
}

/// What [`Malformed`](tabia::core::error::Malformed) states of a field, in plain words, and the text after it.
fn plain_reason(text: &str) -> Option<(&'static str, &str)> {
    if let Some(number) = text.strip_prefix(" is lost: the name file has no number ") {
        let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
        return Some(("a name is not in this file", after));
    }
    if let Some(sizes) = text.strip_prefix(" needs ") {
        let (_, after) = sizes.split_once(" left")?;
        return Some(("the data ends too early", after));
    }
    if let Some(value) = text.strip_prefix(" has the impossible value ") {
        let after = value.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        return Some(("a value is impossible", after));
    }
    // What `check --deep` states of a value; the numbers between are for the report.
    let of_values = [
        (" as computed", "a stored value does not fit the game"),
        (", in .cbj ", "a value differs between two files"),
        (" for ", "the stored number of annotations is wrong"),
        (
            ", where .cbm has no list of files",
            "the pictures or sounds it names are missing",
        ),
        (", its file has ", "a name it refers to is missing"),
        (
            ", whose record has only zeros",
            "a name it refers to was overwritten with zeros",
        ),
        (
            ", which has no readable name",
            "a name it refers to is missing",
        ),
    ];
    let is_number = |value: &&str| value.starts_with(|c: char| c.is_ascii_digit());
    let value = text.strip_prefix(" is ");
    let value = value.map(|value| value.strip_prefix("number ").unwrap_or(value));
    if let Some(value) = value.filter(is_number) {
        return of_values.into_iter().find_map(|(marker, plain)| {
            let (_, after) = value.split_once(marker)?;
            let after = after.find(';').and_then(|at| after.get(at..));
            Some((plain, after.unwrap_or_default()))
        });
    }
    let reasons = [
        (" cannot be played", "a move cannot be played"),
        (" is not readable text", "a text cannot be read"),
        (" does not match its checksum", "a checksum does not match"),
    ];
    reasons.into_iter().find_map(|(stated, plain)| {
        let after = text.strip_prefix(stated)?;
        Some((plain, after))
    })
}

/// A text with its hexadecimal numbers as decimal ones.
fn in_decimal(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, number)) = rest.split_once("0x") {
        out.push_str(before);
        let end = number
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        match u64::from_str_radix(digits, 16) {
            Ok(value) => out.push_str(&value.to_string()),
            Err(_) => out.extend(["0x", digits]),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The first option that a message quotes, and its value, if that is quoted with it.
fn option_in(text: &str) -> Option<(&str, &str)> {
    let quoted = text.split('`').skip(1).step_by(2);
    let mut options = quoted.filter(|quoted| quoted.starts_with("--"));
    let typed = options.next()?;
    Some(typed.split_once([' ', '=']).unwrap_or((typed, "")))
}

/// The message without the number of the operating system's error.
pub(crate) fn without_os_error_number(text: &str) -> String {
    match (text.find(" (os error "), text.ends_with(')')) {
        (Some(at), true) => text.get(..at).unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    }
}

/// Whether a file has the name of a format that is only written.
fn is_written_only(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (_, bare) = Compression::of_name(&name);
    let extension = Path::new(bare).extension().unwrap_or_default();
    let extension = extension.to_string_lossy().to_ascii_lowercase();
    let mut formats = tabia::writable_formats().map(Format::Games);
    formats.any(|format| !format.is_readable() && format.extensions().contains(&extension.as_str()))
}

/// What to do about a password that does not open an archive.
fn password_hint(error: &Error, has_password: bool) -> Option<String> {
    (has_password && matches!(error.kind(), ErrorKind::Password)).then(|| {
        "capitals and spaces count; quotes keep the shell from changing it: `--password 'TEXT'`"
            .to_owned()
    })
}

/// Whether a path is standard input or a member of an archive that came through it, which no command can name.
fn is_in_stdin(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name == b"-" || name.starts_with(b"-:")
}

/// Whether a file is there and has no bytes.
fn is_empty_file(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// What to do about an input of which nothing can be read and nothing saved.
fn copy_again(path: &Path) -> String {
    with_folder("copy or download it again from where it came from", path)
}

/// Advice about a file, and what lists the other files of its folder unless that was the command.
fn with_folder(advice: &str, path: &Path) -> String {
    if lists_folder() {
        return advice.to_owned();
    }
    format!("{advice}; {}", info_of_folder(path))
}

/// What to do about a damaged file: to repair it, or, if nothing of it could be saved, to get it again.
fn saving_hint(path: Option<&Path>) -> String {
    let Some(path) = path.filter(|path| !can_be_repaired(path)) else {
        return repair_hint(path);
    };
    if is_named_like_database(path) {
        let advice = "copy or download it again from where it came from, with the other files of the database, without \
                      which no game can be saved";
        return with_folder(advice, path);
    }
    copy_again(path)
}

/// Whether `repair` has something to begin with: a file that is recognised, an archive of which members are found, or more
/// files of the database.
fn can_be_repaired(path: &Path) -> bool {
    // Members of archives, pipes.
    if !path.is_file() {
        return true;
    }
    // Without its other files the main file of a database has no moves; one of these may have them.
    if is_named_like_database(path) {
        return has_files_of_set(path);
    }
    let extension = extension_of(path);
    if tabia::formats().any(|format| format.games().is_some() && has_companion(&format, &extension))
    {
        return true;
    }
    let resolver = Resolver::default();
    let items = resolver.resolve(path.as_os_str());
    items.is_ok_and(|items| {
        let is_readable = |item: &InputItem| !item.is_archive() || resolver.archive(item).is_ok();
        items.iter().any(is_readable)
    })
}

/// Whether there are other files of the database that a file is named like.
fn has_files_of_set(path: &Path) -> bool {
    let extension = extension_of(path);
    let stem = path.file_stem().unwrap_or_default();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let names = entries.into_iter().flatten().flatten();
    let others: Vec<String> = names
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| name.file_stem() == Some(stem))
        .map(|name| extension_of(&name))
        .filter(|other| *other != extension)
        .collect();
    tabia::formats().any(|format| {
        let is_of = |extension: &str| {
            format.extensions().contains(&extension) || has_companion(&format, extension)
        };
        format.games().is_some() && is_of(&extension) && others.iter().any(|other| is_of(other))
    })
}

fn input_hint(error: &Error, has_from: bool) -> Option<String> {
    let path = error.location().file.as_deref();
    let path = path.filter(|path| !is_in_stdin(path));
    Some(match error.kind() {
        _ if exceeds_unpacked(error) => MORE_UNPACKED.into(),
        ErrorKind::UnknownFormat { .. }
        | ErrorKind::WrongFormat { .. }
        | ErrorKind::Malformed(_)
        | ErrorKind::NotInFile(_)
        | ErrorKind::Damaged(_)
            if path.is_some_and(is_empty_file) =>
        {
            copy_again(path?)
        }
        ErrorKind::Io(io) if io.kind() == IoKind::NotFound => return path.map(similar_names::hint),
        ErrorKind::UnknownFormat { found } if unpacker(found, path).is_some() => {
            let program = unpacker(found, path).unwrap_or_default();
            let file = path.map_or_else(
                || "FILE".to_owned(),
                |path| name_text(path.as_os_str()).into_owned(),
            );
            format!("unpack it first: `{program} {}`", file_argument(&file))
        }
        ErrorKind::UnknownFormat { found } => {
            let known = "`tabia formats` lists what can be read; `--from FORMAT` names one";
            match path {
                // Streams of Arrow are not read with tables either.
                Some(path)
                    if without_tables::lacks_file(path)
                        && UnknownContents::of(found) != UnknownContents::Arrow =>
                {
                    without_tables::HINT.into()
                }
                Some(path) if is_written_only(path) => {
                    "such files are written, not read; use the database they came from".into()
                }
                _ if UnknownContents::of(found) == UnknownContents::GitLfsPointer => {
                    no_games_hint(UnknownContents::GitLfsPointer, path)?
                }
                Some(path) if is_named_like_database(path) => saving_hint(Some(path)),
                Some(path)
                    if is_named_like(path, |format| format.archive().is_some())
                        && UnknownContents::of(found) == UnknownContents::Other =>
                {
                    copy_again(path)
                }
                _ => no_games_hint(UnknownContents::of(found), path)
                    .or_else(|| path.filter(|_| !has_from).and_then(noise_hint))
                    .unwrap_or_else(|| known.into()),
            }
        }
        ErrorKind::LostFile => "try again when no other program writes it".into(),
        ErrorKind::AmbiguousFormat(ids) => {
            let id = ids.first().map(ToString::to_string).unwrap_or_default();
            format!("name the right one, for example `--from {id}`")
        }
        ErrorKind::WrongFormat { .. } if has_from => {
            "without `--from` the format is recognised".into()
        }
        // Of a book whose beginning cannot be read, `book fix` corrects nothing.
        ErrorKind::WrongFormat { .. }
        | ErrorKind::Malformed(_)
        | ErrorKind::NotInFile(_)
        | ErrorKind::Damaged(_)
        | ErrorKind::Limit { .. }
            if path.is_some_and(is_named_like_book_only) =>
        {
            copy_again(path?)
        }
        ErrorKind::Damaged(_) => {
            let hint = saving_hint(path);
            format!("{hint}; with `--salvage` this command does so first")
        }
        ErrorKind::MissingFile(_) if path.is_some_and(is_named_like_book) => {
            with_folder("put the missing file next to the others", path?)
        }
        ErrorKind::MissingFile(_) if path.is_some_and(|path| !can_be_repaired(path)) => {
            with_folder(
                "put the missing file next to the others, without it no game can be saved",
                path?,
            )
        }
        ErrorKind::MissingFile(_) => {
            format!(
                "put the missing file next to the others; if it is lost, {}",
                repair_hint(path)
            )
        }
        ErrorKind::Password => "`--password TEXT` states it".into(),
        // `repair` is for databases.
        ErrorKind::WrongFormat { .. } if path.is_some_and(is_named_like_book) => {
            "`tabia formats` lists what can be read".into()
        }
        ErrorKind::WrongFormat { .. } | ErrorKind::Malformed(_) | ErrorKind::NotInFile(_) => {
            saving_hint(path)
        }
        ErrorKind::Unsupported(why) => unsupported_hint(why, path),
        ErrorKind::Limit { .. } => format!("{}, as far as it can be read", saving_hint(path)),
        ErrorKind::Invalid(why) | ErrorKind::OutOfDate(why) | ErrorKind::OpenEnd(why) => match path
            .map(|path| name_text(path.as_os_str()).into_owned())
        {
            Some(path) if why.starts_with("no member of the archive is called ") => format!(
                "`tabia archive list {}` lists its members",
                file_argument(&path)
            ),
            Some(_) if why.contains(": the archive is ") => repair_hint(path),
            Some(_) if typed_verb() == "info" => "`tabia formats` lists what can be read".into(),
            Some(path) => format!(
                "`tabia info {}` shows what the file is",
                file_argument(&path)
            ),
            None if error.location().file.is_some() => {
                "save standard input as a file, then `tabia info FILE` shows what it is".into()
            }
            None => return None,
        },
        ErrorKind::Io(io) if io.kind() == IoKind::PermissionDenied => {
            "you may not read it: `ls -l` shows its permissions".into()
        }
        _ => return None,
    })
}

/// What to do about a file that is something else than games, by what it is found to be.
fn no_games_hint(found: UnknownContents, path: Option<&Path>) -> Option<String> {
    let listed = || info_of_folder(path.unwrap_or(Path::new("")));
    let formats = "`tabia formats` lists what can be read";
    Some(match found {
        UnknownContents::Text => {
            "if it is PGN all the same, `--from pgn` reads it, and `--from epd` positions; `tabia formats` lists what \
             else can be read"
                .into()
        }
        UnknownContents::Arrow | UnknownContents::Json | UnknownContents::Csv => {
            format!("name the database that it was made of; {formats}")
        }
        UnknownContents::Index => {
            // `games.pgn.tidx` is that of `games.pgn`.
            let of = path.filter(|path| path.with_extension("").is_file());
            let database = match of {
                Some(path) => path.with_extension("").path_text().into_owned(),
                None => "DATABASE".to_owned(),
            };
            let database = file_argument(&database);
            format!(
                "`tabia search {database} QUERY` uses it, `tabia index {database} --check` compares it with the games"
            )
        }
        UnknownContents::Sqlite => {
            format!("the program that made it can export its games, for example as PGN; {formats}")
        }
        UnknownContents::Pdf | UnknownContents::Picture => {
            format!("games are read from text, for example PGN, not from what is printed; {formats}")
        }
        UnknownContents::WebPage => {
            format!("download the file to which the page links, not the page; {formats}")
        }
        UnknownContents::GitLfsPointer => {
            "`git lfs pull` in its folder downloads the file".into()
        }
        UnknownContents::Program => format!("name a file with games; {}", listed()),
        UnknownContents::Zeros => format!(
            "a copy that was interrupted is such a file: copy or download it again; {}",
            listed()
        ),
        _ => return None,
    })
}

/// What to do about a file that is named like one of games or books and begins like none.
fn noise_hint(path: &Path) -> Option<String> {
    let is_text = |format: &Format| {
        format
            .games()
            .is_some_and(|games| games.create_text.is_some())
    };
    if is_named_like(path, is_text) {
        let name = name_text(path.as_os_str());
        let read = format!(
            "`tabia ls {} --from {}` reads it all the same",
            file_argument(&name),
            extension_of(path)
        );
        return Some(format!("{}; {read}", copy_again(path)));
    }
    is_named_like(path, |_| true).then(|| copy_again(path))
}

/// What to do about something that is not supported, by its text.
fn unsupported_hint(why: &str, path: Option<&Path>) -> String {
    let shown = |path: &Path| file_argument(&name_text(path.as_os_str())).into_owned();
    let one_of = why.strip_prefix("could be ");
    let first = one_of.and_then(|names| names.split(" or ").next());
    match (first, path) {
        (Some(first), Some(path)) => {
            let first = shown(&path.with_file_name(first));
            format!("`tabia info {first}` shows what the first of them is")
        }
        (_, Some(path)) if why.starts_with("several books are here") => {
            format!("`tabia book info {}` lists them", shown(path))
        }
        (_, Some(path)) if why.contains("encryption in ZIP archives") => {
            let name = name_text(path.as_os_str()).into_owned();
            let ends = name.match_indices(':').map(|(at, _)| at);
            let archives = ends.filter_map(|at| name.get(..at));
            let archive = archives.map(Path::new).find(|archive| archive.is_file());
            let archive = name_text(archive.unwrap_or(path).as_os_str());
            format!(
                "`unzip {0}` or `7z x {0}` asks for the password; what it unpacks can be read",
                file_argument(&archive)
            )
        }
        (_, Some(path)) if why.contains("only member is no database") => {
            format!("`tabia archive list {}` lists what is in it", shown(path))
        }
        (_, Some(path)) if why.ends_with(" is no archive") => {
            format!("it is named without `:`: `tabia ls {}`", shown(path))
        }
        (_, Some(path)) if why.starts_with("an archive in an archive in an archive ") => {
            format!(
                "`tabia info {}` shows what it is: named so, any command opens it",
                shown(path)
            )
        }
        _ if why.contains(" is not in the archive but at ") => {
            "download it from there; then `tabia info FILE` shows what it is".into()
        }
        (_, Some(path)) if has_books_only(path) => {
            format!(
                "there are books in it: `tabia book info {}` describes them",
                shown(path)
            )
        }
        _ if path.is_some_and(has_saved_indexes) => {
            "there are saved indexes in it: `tabia search DATABASE QUERY` uses that of a database"
                .into()
        }
        // A book that is in no order is recognised on request only.
        (_, Some(path))
            if why.starts_with("named like ") && why.ends_with("keys are out of order") =>
        {
            format!(
                "if it is a book all the same, `tabia book fix {} --from polyglot -o NEW.bin` puts it in order, and \
                 `--from polyglot` reads it with any command",
                shown(path)
            )
        }
        _ if why.starts_with("named like ") => {
            "other programs have files of that name too; `tabia formats` lists what is read".into()
        }
        _ => "`tabia formats` lists what can be read and written".into(),
    }
}

/// Whether a path is a folder whose books are all that is known in it.
fn has_books_only(path: &Path) -> bool {
    let found = Resolver::default().resolve_each(path.as_os_str());
    let found = found.unwrap_or_default();
    let is_book = |item: &Result<InputItem, Error>| {
        item.as_ref()
            .is_ok_and(|item| item.format().book().is_some())
    };
    path.is_dir() && !found.is_empty() && found.iter().all(is_book)
}

/// Whether a path is a folder with saved indexes.
fn has_saved_indexes(path: &Path) -> bool {
    let entries = path.read_dir().into_iter().flatten().flatten();
    path.is_dir() && entries.take(100).any(|entry| is_saved_index(&entry.path()))
}

/// The start of a command that unpacks an archive of a kind that is not read.
fn unpacker(found: &[u8], path: Option<&Path>) -> Option<&'static str> {
    let program = match UnknownContents::of(found) {
        UnknownContents::Rar => Some("unrar x"),
        UnknownContents::SevenZip => Some("7z x"),
        _ => None,
    };
    // Tar archives begin with the name of a member.
    program.or_else(|| {
        path.filter(|path| is_named_like_tar(path))
            .map(|_| "tar xf")
    })
}

/// Whether a file is named like a tar archive, compressed or not.
fn is_named_like_tar(path: &Path) -> bool {
    let short = ["tar", "tgz", "tbz", "tbz2", "txz", "tzst"];
    let stem = path.file_stem().map(Path::new);
    short.contains(&&*extension_of(path)) || stem.is_some_and(|stem| extension_of(stem) == "tar")
}

/// Whether a file is named like the main file of a database of several files, whose remains `repair`
/// finds whatever the file contains.
fn is_named_like_database(path: &Path) -> bool {
    is_named_like(path, |format| {
        format.games().is_some() && !format.companions().is_empty()
    })
}

/// How to save what is left of a damaged database.
pub(crate) fn repair_hint(path: Option<&Path>) -> String {
    let Some(name) = path.and_then(Path::file_name) else {
        return "`tabia repair OLD -o NEW` saves what is left of a damaged database".into();
    };
    let path = path.unwrap_or(Path::new(""));
    let path = name_text(path.as_os_str());
    // A member of an archive is called by both names, and a colon is for that only.
    let name = name_text(name);
    let member = name.rsplit(':').next().unwrap_or(&name);
    let saved = saved_name(Path::new(member));
    let (path, saved) = (file_argument(&path), file_argument(&saved));
    format!("`tabia repair {path} -o {saved}` saves what is left of a damaged database")
}

/// The name of a new database for what is left of the one that a file belongs to: of the same format, or of
/// the first that can be written; of a folder for what is left of an archive.
pub(crate) fn saved_name(name: &Path) -> String {
    let name = name.display().to_string();
    // What is left is written without compression.
    let (_, name) = Compression::of_name(&name);
    let saved = format!("saved-{name}");
    let name = Path::new(name);
    // What is left of an archive are several files, for a folder.
    if is_named_like(name, |format| format.archive().is_some()) {
        let stem = name.file_stem().unwrap_or_default().to_string_lossy();
        return format!("saved-{stem}");
    }
    let resolver = Resolver::default();
    if Target::file(&resolver, Path::new(&saved), None).is_ok() {
        return saved;
    }
    let extension = extension_of(name);
    let is_set =
        |format: &&Format| format.game_writer().is_some() && !format.companions().is_empty();
    let mut own = resolver.formats().iter().filter(is_set);
    let own = own.find(|format| has_companion(format, &extension));
    let first = || resolver.formats().iter().find(is_set);
    let main = own
        .or_else(first)
        .and_then(|format| format.extensions().first());
    match main {
        Some(main) => Path::new(&saved).with_extension(main).display().to_string(),
        None => saved,
    }
}

/// How to list what is in the folder of a file, or in its archive.
fn info_of_folder(path: &Path) -> String {
    let name = name_text(path.as_os_str()).into_owned();
    let archive = name.match_indices(':').filter_map(|(at, _)| name.get(..at));
    let archive = archive.map(Path::new).find(|archive| archive.is_file());
    let folder = match archive {
        Some(archive) if !path.exists() => archive,
        _ => path.parent().unwrap_or(Path::new("")),
    };
    let folder = Some(folder).filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).path_text().into_owned();
    format!(
        "`tabia info {}` lists what is there",
        file_argument(&folder)
    )
}

fn extension_of(name: &Path) -> String {
    let extension = name.extension().unwrap_or_default().to_string_lossy();
    extension.to_ascii_lowercase()
}

/// Whether files with this extension go with the main file of a format.
fn has_companion(format: &Format, extension: &str) -> bool {
    let mut companions = format.companions().iter();
    companions.any(|companion| companion.extension == extension)
}

/// Whether a file has the extension of a format that `is` chooses.
pub(crate) fn is_named_like(name: &Path, is: impl Fn(&Format) -> bool) -> bool {
    let extension = extension_of(name);
    tabia::formats().any(|format| format.extensions().contains(&&*extension) && is(&format))
}

/// Whether a file is named like one of a book, and like none of games.
pub(crate) fn is_named_like_book_only(name: &Path) -> bool {
    is_named_like_book(name) && !is_named_like(name, |format| format.games().is_some())
}

/// Whether a file is named like one of a book.
fn is_named_like_book(name: &Path) -> bool {
    let extension = extension_of(name);
    tabia::formats().any(|format| {
        let is_named =
            format.extensions().contains(&&*extension) || has_companion(&format, &extension);
        format.book().is_some() && is_named
    })
}

/// `appends`: the command was to add to an existing database.
fn output_hint(error: &Error, appends: bool) -> Option<String> {
    Some(match error.kind() {
        ErrorKind::Exists => "`--force` replaces it".into(),
        ErrorKind::NotReplaceable(_) => {
            "nothing was written; `ls -l` shows what is there, and another name makes a new file"
                .into()
        }
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
            IoKind::NotFound if is_absent_folder(error) => make_folder(error.location().file.as_deref()?),
            IoKind::NotFound if has_folder(error) => {
                "no file can be made there: create the folder first, or choose another one".into()
            }
            IoKind::NotFound => match error.location().file.as_deref().and_then(Path::parent) {
                Some(folder) if folder.as_os_str().is_empty() => {
                    "the current folder was removed: change into another one".into()
                }
                Some(folder) => make_folder(folder),
                None => "create the folder first".into(),
            },
            IoKind::PermissionDenied | IoKind::ReadOnlyFilesystem if typed_verb() == "index" => {
                "the variable `XDG_CACHE_HOME` names a folder for indexes of databases in folders that you may not write \
                 to"
                    .into()
            }
            IoKind::PermissionDenied | IoKind::ReadOnlyFilesystem => {
                "choose a folder that you may write to".into()
            }
            // What standard output goes to is not ours to remove.
            IoKind::StorageFull if matches!(error.kind(), ErrorKind::Io(_)) && is_stdout(error) => {
                "free some space or choose another disk; what standard output went to is incomplete"
                    .into()
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
        ErrorKind::Unsupported(why) if why.starts_with("port ") => {
            "`--port 0` takes one that is free; without `--port` several are tried".into()
        }
        _ => return None,
    })
}

/// The command that makes a folder.
fn make_folder(folder: &Path) -> String {
    let folder = folder.path_text().into_owned();
    let make = if cfg!(windows) { "mkdir" } else { "mkdir -p" };
    format!("`{make} {}` makes the folder", file_argument(&folder))
}

/// Whether the file in question is a folder for several outputs that does not exist.
fn is_absent_folder(error: &Error) -> bool {
    let file = error.location().file.as_deref();
    file.is_some_and(|file| file.extension().is_none() && std::fs::symlink_metadata(file).is_err())
}

/// Whether an error of an output is that of standard output.
fn is_stdout(error: &Error) -> bool {
    let file = error.location().file.as_deref();
    file.is_none_or(|file| file == Path::new("-") || file == Path::new(STANDARD_OUTPUT))
}

/// Whether the folder of the file in question exists.
fn has_folder(error: &Error) -> bool {
    let file = error.location().file.as_deref();
    file.and_then(|file| absolute(file).ok())
        .is_some_and(|file| file.parent().is_some_and(Path::is_dir))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io;

    use tabia::core::FormatId;
    use tabia::core::error::{Malformed, Why};

    use super::*;

    /// One error of each kind.
    fn errors() -> Vec<ErrorKind> {
        let io = |kind| io::Error::from(kind);
        let id = FormatId::new("cbh");
        vec![
            ErrorKind::Usage {
                message: "x".into(),
                hint: None,
            },
            ErrorKind::Query {
                column: 1,
                message: "x".into(),
                hint: None,
            },
            ErrorKind::Io(io(IoKind::NotFound)),
            ErrorKind::Io(io(IoKind::PermissionDenied)),
            ErrorKind::UnknownFormat { found: vec![0] },
            ErrorKind::AmbiguousFormat(vec![id, id]),
            ErrorKind::WrongFormat {
                expected: id,
                why: "x".into(),
            },
            ErrorKind::Unsupported("x".into()),
            ErrorKind::MissingFile("x".into()),
            ErrorKind::NotInFile("x".into()),
            ErrorKind::Damaged("x".into()),
            ErrorKind::Malformed(Malformed {
                field: "x",
                at: 0,
                why: Why::Text,
            }),
            ErrorKind::Invalid("x".into()),
            ErrorKind::OutOfDate("x".into()),
            ErrorKind::OpenEnd("x".into()),
            ErrorKind::Limit {
                what: "x",
                limit: 1,
                size: 2,
            },
            ErrorKind::Password,
            ErrorKind::Exists,
            ErrorKind::NotReplaceable("x".into()),
        ]
    }

    /// Kinds whose next step is no command: to wait, to try again, another folder for temporary files.
    fn waiting() -> Vec<ErrorKind> {
        vec![
            ErrorKind::InUse { process: None },
            ErrorKind::Replaced,
            ErrorKind::LostFile,
            ErrorKind::TemporaryFile(IoKind::StorageFull.into()),
        ]
    }

    /// The name of a kind, as in the source.
    fn name(kind: &ErrorKind) -> String {
        let text = format!("{kind:?}");
        let end = text.find(|c: char| !c.is_alphanumeric());
        text[..end.unwrap_or(text.len())].to_owned()
    }

    #[test]
    fn messages_are_wrapped_between_words_and_commands() {
        let text = "pack.zip: the data ends too early; `tabia repair pack.zip -o saved-pack` saves what is left";
        assert_eq!(
            wrapped(text, 6, 6, 40),
            "pack.zip: the data ends too early;\n      \
             `tabia repair pack.zip -o saved-pack`\n      saves what is left"
        );
        assert_eq!(wrapped(text, 6, 6, 200), text);
        assert_eq!(wrapped(text, 6, 6, 20), text);
        let open = "a ` that quotes nothing is a letter like others";
        assert_eq!(
            wrapped(open, 0, 2, 30),
            "a ` that quotes nothing is a\n  letter like others"
        );
        assert_eq!(wrapped("", 6, 6, 40), "");
    }

    #[test]
    fn counts_have_separators() {
        for (text, shown) in [
            (
                "the header counts 104794 records, the book has 104224",
                "the header counts 104,794 records, the book has 104,224",
            ),
            (
                "the moves begin at byte 100101, the file has 100000 bytes; 4997 more records lack something there",
                "the moves begin at byte 100101, the file has 100,000 bytes; 4,997 more records lack something there",
            ),
            (
                "game 123456 of `games-54321 99999`, in 2024",
                "game 123456 of `games-54321 99999`, in 2024",
            ),
            (
                "the header states 2737 records, the file has 1833",
                "the header states 2,737 records, the file has 1,833",
            ),
            (
                "54321.cbg, a12345 and 0.12345",
                "54321.cbg, a12345 and 0.12345",
            ),
            (
                "the index refers to 208041 bytes, the file has 1000 bytes; 9211 links",
                "the index refers to 208,041 bytes, the file has 1,000 bytes; 9,211 links",
            ),
        ] {
            assert_eq!(with_separators(text), shown);
        }
    }

    #[test]
    fn reasons_are_in_plain_words() {
        for (reason, plain) in [
            (
                "`blob` needs 12 bytes, 0 are left",
                "the data ends too early",
            ),
            (
                "tabia.cbg: `block` needs 1 byte, 0 are left; more",
                "tabia.cbg: the data ends too early; more",
            ),
            (
                "`kind` has the impossible value 0x1f",
                "a value is impossible",
            ),
            ("`Bh6` is an illegal move", "`Bh6` is an illegal move"),
            ("`e4` cannot be played", "`e4` cannot be played"),
            (
                "`flags` is 0x10000fe, not 0xc as computed",
                "a stored value does not fit the game",
            ),
            (
                "`count` is 4390930 for 6 annotations; and 3 more like this",
                "the stored number of annotations is wrong; and 3 more like this",
            ),
            (
                "`moves_at` is 0x1f, in .cbj 0x20",
                "a value differs between two files",
            ),
            (
                "`white_team` is number 9, its file has fewer",
                "a name it refers to is missing",
            ),
            ("`abc` is no move for White", "`abc` is no move for White"),
            ("`x", "`x"),
            (
                "`Size` needs 9 bytes, 3 are left",
                "the data ends too early",
            ),
            (
                "`event` is lost: the name file has no number 0; 39999 more records lack something there",
                "a name is not in this file; 39999 more records lack something there",
            ),
            (
                "the list cannot be used (`end of central directory` needs 22 bytes, 21 are left)",
                "the list cannot be used (the data ends too early)",
            ),
            (
                "x.zip: offset 0x1388: a.pgn: `deflate stream` needs 1 byte, 0 are left",
                "x.zip: a.pgn: the data ends too early",
            ),
            ("begins at 0x1f, not 0x", "begins at 31, not 0x"),
        ] {
            assert_eq!(in_plain_words(reason), plain);
        }
        let error = Error::invalid("no such player")
            .at_offset(31)
            .in_game(tabia::core::GameIndex(3));
        let mut messages = Messages::for_final_error(None, "check".into(), false);
        assert_eq!(messages.text_of(&error), "game 4: no such player");
        messages.verbose = true;
        assert_eq!(
            messages.text_of(&error),
            "game 4, offset 0x1f: no such player"
        );
    }

    #[test]
    fn every_kind_of_error_has_a_hint() {
        let messages = Messages::for_final_error(None, "convert".into(), false);
        let hint = |kind: ErrorKind| {
            let is_output = matches!(
                kind,
                ErrorKind::Exists
                    | ErrorKind::NotReplaceable(_)
                    | ErrorKind::InUse { .. }
                    | ErrorKind::Replaced
            );
            let error = Error::new(kind).in_path(Path::new("games.cbh"));
            messages.hint_for(&if is_output { error.in_output() } else { error })
        };
        let mut seen = BTreeSet::from(["Cancelled".to_owned()]);
        for kind in errors() {
            let name = name(&kind);
            let hint = hint(kind).unwrap_or_else(|| panic!("{name} has no hint"));
            let names_command = ["`tabia ", "`--", "`ls -l`"];
            let is_named = names_command.iter().any(|command| hint.contains(command));
            assert!(is_named, "{name}: {hint}");
            seen.insert(name);
        }
        for kind in waiting() {
            let name = name(&kind);
            assert!(hint(kind).is_some(), "{name} has no hint");
            seen.insert(name);
        }
        assert_eq!(seen, kinds_of_source());
    }

    /// The kinds that the library declares, so that a new one cannot be forgotten here.
    fn kinds_of_source() -> BTreeSet<String> {
        let source = include_str!("../../core/src/error.rs");
        let start = source.find("pub enum ErrorKind {").unwrap();
        let body = &source[start..];
        let body = &body[..body.find("\n}").unwrap()];
        let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
        lines
            .filter(|line| line.starts_with(|c: char| c.is_uppercase()))
            .map(|line| {
                let end = line.find(|c: char| !c.is_alphanumeric()).unwrap();
                line[..end].to_owned()
            })
            .collect()
    }
}
