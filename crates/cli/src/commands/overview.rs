//! `tabia` without arguments: the chess files of the folder, or of those in it, and what can be done with them.

use std::io::Write as _;
use std::path::Path;

use indicatif::ProgressBar;
use tabia::core::GameFormat;
use tabia::core::shell_argument::file_argument;
use tabia::formats::Format;
use tabia::formats::archives::compressed::Compression;
use tabia::{Error, ErrorKind, InputItem, OpenOptions, Resolver};
use unicode_width::UnicodeWidthStr;

use crate::context::new_resolver;
use crate::control_char_filter::one_line;
use crate::exit_code::ExitCode;
use crate::path_text::PathText as _;
use crate::readable_numbers::{counted, counted_as, size};
use crate::stdout::StdoutWriter;
use crate::table::cut_front;
use crate::terminal::{self, TextStyle};

/// Files that are listed.
const MAX_FILES: usize = 12;

/// The least width of a name.
const LEAST_NAME: usize = 20;

/// How deep folders are looked into if there is nothing above them.
const MAX_DEPTH: u32 = 2;

/// Folders that are named next to the files, and those that are looked into for that.
const MAX_FOLDERS: usize = 3;
const MAX_FOLDERS_READ: usize = 200;

/// Larger inputs are not opened to see whether they can be read, so that the list is there at once.
const MAX_OPENED: u64 = 16_000_000;

/// What is printed if there are no chess files.
const NOTHING: &str = "\
There are no chess files in this folder or in those below.

For example:
  tabia info ~/Chess                  what is in a folder, and its health
  tabia ls games.pgn                  its games, a row each
  tabia convert mega.cbv -o mega.pgn  a ChessBase archive as PGN
";

/// Shows what is in the folder, or on standard error that there are no chess files.
pub(crate) fn run() -> Result<ExitCode, Error> {
    let resolver = new_resolver();
    // The files of folders are listed only if there is nothing here: a home folder has many.
    let found = [0, MAX_DEPTH].into_iter().find_map(|depth| {
        let items = resolver.resolve_folder(Path::new("."), depth).ok()?;
        let all = items.len();
        let items = items.into_iter().flatten();
        let items: Vec<InputItem> = items.filter(|item| can_be_read(item, &resolver)).collect();
        let unread = all - items.len();
        (all > 0).then_some((items, unread, depth))
    });
    let Some((items, unread, depth)) = found else {
        let serve = if cfg!(feature = "serve") {
            "  tabia serve ~/Chess                 all of it in the browser\n"
        } else {
            ""
        };
        let text = format!("{NOTHING}{serve}{ALL_VERBS}");
        // A closed standard error is no failure.
        let _ = std::io::stderr().write_all(text.as_bytes());
        return Ok(ExitCode::Usage);
    };
    let mut out = StdoutWriter::new(&ProgressBar::hidden());
    out.text(match depth {
        0 => "In this folder:\n",
        _ => "In the folders below this one:\n",
    })?;
    let shown = items.get(..MAX_FILES).unwrap_or(&items);
    let rows = shown.iter().map(|item| {
        let bytes = item.total_bytes().map_or_else(String::new, size);
        [name(item), item.format().name().to_owned(), bytes]
    });
    let mut rows: Vec<[String; 3]> = rows.collect();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or_default()
    };
    // Two blanks before the name and between the columns.
    let others = widest(1) + widest(2) + 6;
    let space = terminal::width().saturating_sub(others).max(LEAST_NAME);
    for [name, ..] in &mut rows {
        *name = cut_front(name, space);
    }
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or_default()
    };
    let widths = [widest(0), widest(1)];
    for [name, format, bytes] in &rows {
        let gap = |cell: &str, width: usize| " ".repeat(width.saturating_sub(cell.width()) + 2);
        let [name_gap, format_gap] = [gap(name, widths[0]), gap(format, widths[1])];
        out.text(&format!("  {}{name_gap}", one_line(name)))?;
        out.styled(TextStyle::Dim, &format!("{format}{format_gap}{bytes}"))?;
        out.text("\n")?;
    }
    if items.len() > shown.len() {
        let more = counted((items.len() - shown.len()) as u64, "other");
        out.text(&format!("  and {more}; `tabia info . --table` lists all\n"))?;
    }
    if unread > 0 {
        let unread = counted_as(unread as u64, "input cannot", "inputs cannot");
        out.text(&format!("  {unread} be read; `tabia check .` shows why\n"))?;
    }
    if depth == 0 {
        let folders = folders_with_chess_files(&resolver);
        let named = folders.get(..MAX_FOLDERS).unwrap_or(&folders);
        let names: Vec<_> = named.iter().map(|name| one_line(name)).collect();
        let names = names.join(", ");
        let more = (folders.len() - named.len()) as u64;
        let more = if more > 0 {
            format!(" and {}", counted(more, "other"))
        } else {
            String::new()
        };
        if !folders.is_empty() {
            out.text(&format!(
                "Folders here with more chess files: {names}{more}\n"
            ))?;
        }
    }
    out.text("\nFor example:\n")?;
    let examples = examples(&items, &resolver);
    let widest = examples.iter().map(|(command, _)| command.width()).max();
    let widest = widest.unwrap_or_default();
    let longest = examples.iter().map(|(_, purpose)| purpose.width()).max();
    // On narrow terminals each purpose is on a line of its own.
    let is_narrow = widest + longest.unwrap_or_default() + 4 > terminal::width();
    for (command, purpose) in &examples {
        let gap = if is_narrow {
            "\n      ".to_owned()
        } else {
            " ".repeat(widest - command.width() + 2)
        };
        out.text(&format!("  {}{gap}", one_line(command)))?;
        out.styled(TextStyle::Dim, purpose)?;
        out.text("\n")?;
    }
    out.text(ALL_VERBS)?;
    out.flush()?;
    Ok(ExitCode::Done)
}

/// The last line.
const ALL_VERBS: &str = "\n`tabia --help` lists all verbs.\n";

/// Whether an input can be opened, as far as that is known at once.
fn can_be_read(item: &InputItem, resolver: &Resolver) -> bool {
    if item.total_bytes().is_none_or(|bytes| bytes > MAX_OPENED) {
        return true;
    }
    let error = if item.is_archive() {
        resolver.archive(item).err()
    } else {
        item.open(&OpenOptions::default(), None).err()
    };
    // With its password it can be read.
    error.is_none_or(|error| matches!(error.kind(), ErrorKind::Password))
}

/// The folders in this one with chess files in them, or one folder deeper.
fn folders_with_chess_files(resolver: &Resolver) -> Vec<String> {
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.map(|entry| entry.file_name());
    let is_hidden = |name: &std::ffi::OsString| name.to_string_lossy().starts_with('.');
    let mut names: Vec<_> = names.filter(|name| !is_hidden(name)).collect();
    names.sort_unstable();
    names.truncate(MAX_FOLDERS_READ);
    let has_chess_files = |name: &std::ffi::OsString| {
        let items = resolver.resolve_folder(&Path::new(".").join(name), MAX_DEPTH - 1);
        items.is_ok_and(|items| items.iter().any(Result::is_ok))
    };
    let names = names.iter().filter(|name| has_chess_files(name));
    names.map(|name| name.path_text().into_owned()).collect()
}

/// The name of an item in this folder.
fn name(item: &InputItem) -> String {
    let name = item.name();
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

/// Commands for these files, each with its purpose.
fn examples(items: &[InputItem], resolver: &Resolver) -> Vec<(String, String)> {
    let mut examples = vec![(
        "tabia info .".to_owned(),
        "format, games and health of each".to_owned(),
    )];
    let mut add = |command: String, purpose: String| examples.push((command, purpose));
    let is_text = |format: Format| format.games().is_some_and(GameFormat::is_streamable);
    // What other programs cannot read comes first: a database, an archive, then text.
    let mut games: Vec<&InputItem> = items
        .iter()
        .filter(|item| item.format().games().is_some() || item.is_archive())
        .collect();
    games.sort_by_key(|item| {
        let is_locked = item.is_archive() && resolver.archive(item).is_err();
        (is_locked, is_text(item.format()), item.is_archive())
    });
    if let Some(item) = games.first() {
        let name = name(item);
        let input = file_argument(&name);
        add(
            format!("tabia ls {input}"),
            "its games, a row each".to_owned(),
        );
        // Text becomes a database, everything else text.
        let mut others = resolver.formats().iter().filter(|format| {
            let is_other = is_text(**format) != is_text(item.format());
            // A database has several files, a suite of positions has one.
            let is_whole = is_text(**format) || !format.companions().is_empty();
            format.games().is_some() && format.is_writable() && is_other && is_whole
        });
        if let Some((format, extension)) = others
            .next()
            .and_then(|format| Some((format, format.extensions().first()?)))
        {
            let (_, bare) = Compression::of_name(&name);
            let target = Path::new(bare).with_extension(extension);
            let target = target.path_text().into_owned();
            if !Path::new(&target).exists() {
                let command = format!("tabia convert {input} -o {}", file_argument(&target));
                let kind = if is_text(*format) {
                    extension.to_ascii_uppercase()
                } else {
                    format.name().to_owned()
                };
                add(command, format!("the same games as {kind}"));
            }
        }
    }
    if let Some(book) = items.iter().find(|item| item.format().book().is_some()) {
        let name = name(book);
        let command = format!("tabia book find {} --moves '1.e4'", file_argument(&name));
        add(command, "what a book plays".to_owned());
    }
    if cfg!(feature = "serve") {
        add(
            "tabia serve .".to_owned(),
            "all of it in the browser".to_owned(),
        );
    }
    examples
}
