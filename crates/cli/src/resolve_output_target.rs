//! `-o`, `--to` and `--force`: what a command writes.

use std::ffi::OsString;
use std::path::Path;
use tabia::core::shell_argument::{argument, file_argument};

use tabia::convert::Target;
use tabia::core::formats::FormatKind;
use tabia::core::io::require_replaceable;
use tabia::core::{ErrorKind, GameFormat};
use tabia::formats::archives::compressed::Compression;
use tabia::formats::archives::is_device_name;
use tabia::formats::{ArchiveFormat, Format};
use tabia::{Error, Resolver};

use crate::archive_of_games::{database_extension, free_path, needs_password, quoted};
use crate::args::SelectArgs;
use crate::format_arg::find_format;
use crate::path_text::PathText as _;
use crate::without_tables;

/// Refuses an existing target before the work instead of after it, unless `force` is set.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> Result<(), Error> {
    if cfg!(windows) {
        refuse_device(path)?;
    }
    require_replaceable(path)?;
    if !force && std::fs::symlink_metadata(path).is_ok() {
        return Err(Error::new(ErrorKind::Exists).in_path(path).in_output());
    }
    Ok(())
}

/// Refuses a target in a folder that does not exist before the work instead of after it.
pub(crate) fn refuse_absent_folder(path: &Path) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.map(std::fs::metadata) {
        Some(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(Error::from(error).in_path(path).in_output())
        }
        _ => Ok(()),
    }
}

/// Refuses names that Windows gives to devices, where no file can have them.
fn refuse_device(path: &Path) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !is_device_name(&name) {
        return Ok(());
    }
    let other = path
        .with_file_name(format!("new-{name}"))
        .path_text()
        .to_string();
    let text = format!("{name} is the name of a device on Windows, whatever its extension");
    Err(Error::usage(text).with_hint(format!("another name: `-o {}`", file_argument(&other))))
}

/// A name for a file in the current folder that a hint recommends to write; an existing one is not proposed.
pub(crate) fn free_name(name: &str) -> String {
    let new = format!("new-{name}");
    if Path::new(name).exists() {
        new
    } else {
        name.to_owned()
    }
}

/// The format that `--to` names; `None` if the option is absent.
pub(crate) fn format_of_to(resolver: &Resolver, to: Option<&str>) -> Result<Option<Format>, Error> {
    to.map(|name| find_format(resolver, name)).transpose()
}

/// The file that `-o` names, in the format of `--to` or else of its extension. An error proposes what to
/// do with the games of `inputs` that `select` chooses instead.
pub(crate) fn target_file<'a>(
    resolver: &Resolver,
    path: &Path,
    to: Option<Format>,
    inputs: &[OsString],
    select: &SelectArgs,
) -> Result<Target<'a>, Error> {
    let error = match Target::file(resolver, path, to) {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    let name = path.path_text().into_owned();
    let name = file_argument(&name);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = to.or_else(|| resolver.format(&extension.to_ascii_lowercase()));
    if path.is_dir() && to.is_none() {
        let text = format!("{} is a folder", path.path_text());
        let file = path.join("games.pgn").path_text().into_owned();
        let file = file_argument(&file);
        return Err(Error::usage(text).with_hint(format!("`-o {file}` writes a file in it")));
    }
    Err(match (error.kind(), format) {
        (ErrorKind::Usage { hint: None, .. }, _) if without_tables::lacks_file(path) => {
            error.with_hint(table_hint(path))
        }
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Book(_))) => {
            error.with_hint(book_hint(resolver, &name, inputs))
        }
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Archive(archive))) => {
            error.with_hint(archive_hint(resolver, (archive, path), inputs, select))
        }
        (ErrorKind::Usage { hint: None, .. }, _) => {
            let hint = compressed_hint(resolver, path, inputs, select);
            let hint = hint.or_else(|| main_file_hint(resolver, path, to));
            error.with_hint(hint.unwrap_or_else(|| table_hint(path)))
        }
        _ => error,
    })
}

/// What to write instead of a compressed file that is no text: the file itself. `None` for other names.
fn compressed_hint(
    resolver: &Resolver,
    path: &Path,
    inputs: &[OsString],
    select: &SelectArgs,
) -> Option<String> {
    let name = path.path_text();
    let (compression, plain) = Compression::of_name(&name);
    if compression == Compression::None {
        return None;
    }
    let suffix = name.get(plain.len()..).unwrap_or_default();
    let plain = Path::new(plain);
    let extension = plain.extension()?.to_string_lossy().to_ascii_lowercase();
    Some(match resolver.format(&extension)? {
        Format::Book(_) => book_hint(resolver, &quoted(plain), inputs),
        Format::Archive(archive) => archive_hint(resolver, (archive, plain), inputs, select),
        _ => {
            let is_text = |format: &&Format| {
                format
                    .games()
                    .is_some_and(|games| games.create_text.is_some())
            };
            let text = resolver.formats().iter().find(is_text);
            let text = text.and_then(|format| format.extensions().first())?;
            let compressed = plain.with_extension(text);
            let compressed = format!("{}{suffix}", compressed.path_text());
            format!(
                "`-o {}` writes it; only text is compressed while it is written, as by `-o {}`",
                quoted(plain),
                file_argument(&compressed)
            )
        }
    })
}

/// What to write instead of a file that goes with the main file of a database, or of a database of an old version: the
/// main file of the program's own format that is written.
fn main_file_hint(resolver: &Resolver, path: &Path, to: Option<Format>) -> Option<String> {
    if to.is_some() {
        return None;
    }
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    let mut formats = resolver.formats().iter();
    let named = formats.find(|format| {
        let mut companions = format.companions().iter();
        let is_companion = companions.any(|companion| companion.extension == extension);
        format.games().is_some()
            && (is_companion || format.extensions().contains(&extension.as_str()))
    })?;
    let written = writable_like(resolver, *named)?;
    let main = written.extensions().first()?;
    Some(format!(
        "`-o {}` writes a {} with all its files",
        quoted(&path.with_extension(main)),
        written.name()
    ))
}

/// A format for databases if it is written, else one of the same program that is.
pub(crate) fn writable_like(resolver: &Resolver, format: Format) -> Option<Format> {
    let is_written = |format: &Format| format.games().is_some_and(GameFormat::is_writable);
    let program = |format: &Format| format.name().split(' ').next();
    let others = resolver.formats().iter().copied();
    let mut formats = std::iter::once(format).chain(others);
    formats.find(|other| is_written(other) && program(other) == program(&format))
}

/// What inputs are by their names.
enum NamedLike {
    Games,
    Books,
    Archives,
    /// Of different kinds.
    Several,
}

impl NamedLike {
    fn of(resolver: &Resolver, inputs: &[OsString]) -> Self {
        let format_of = |input: &OsString| {
            let extension = Path::new(input).extension().unwrap_or_default();
            resolver.format(&extension.to_string_lossy().to_ascii_lowercase())
        };
        let are = |kind: FormatKind| {
            let mut kinds = inputs.iter().map(|input| match format_of(input) {
                Some(format) => format.kind(),
                None => FormatKind::Games,
            });
            kinds.all(|of_input| of_input == kind)
        };
        if are(FormatKind::Games) {
            Self::Games
        } else if are(FormatKind::Book) {
            Self::Books
        } else if are(FormatKind::Archive) {
            Self::Archives
        } else {
            Self::Several
        }
    }
}

/// One or two inputs as arguments, more as a word for them.
pub(crate) fn arguments(inputs: &[OsString], word: &str) -> String {
    match inputs {
        [_] | [_, _] => {
            let names = inputs.iter().map(|input| input.path_text().into_owned());
            let arguments: Vec<String> = names
                .map(|name| file_argument(&name).into_owned())
                .collect();
            arguments.join(" ")
        }
        _ => word.to_owned(),
    }
}

/// How to make a book of `inputs`.
fn book_hint(resolver: &Resolver, name: &str, inputs: &[OsString]) -> String {
    match (NamedLike::of(resolver, inputs), inputs) {
        (NamedLike::Books, [_]) => {
            let book = arguments(inputs, "BOOK");
            format!("`tabia book convert {book} -o {name}` converts a book")
        }
        (NamedLike::Books, _) => {
            let books = arguments(inputs, "BOOKS");
            format!("`tabia book merge {books} -o {name}` makes one book of several")
        }
        (NamedLike::Games | NamedLike::Archives, _) => {
            let games = arguments(inputs, "GAMES");
            format!("`tabia book build {games} -o {name}` makes a book of games")
        }
        (NamedLike::Several, _) => format!(
            "`tabia book build GAMES -o {name}` makes a book of games, `tabia book convert BOOK -o {name}` of another book"
        ),
    }
}

/// How to make an archive of the games of `inputs` that `select` chooses: as a database, which is then packed.
/// No file that exists is named as one to write.
fn archive_hint(
    resolver: &Resolver,
    (format, path): (&ArchiveFormat, &Path),
    inputs: &[OsString],
    select: &SelectArgs,
) -> String {
    let archive = free_path(path.to_path_buf());
    if matches!(NamedLike::of(resolver, inputs), NamedLike::Books) {
        let books = arguments(inputs, "BOOKS");
        let archive = quoted(&archive);
        return format!("`tabia archive create {archive} {books}` makes an archive");
    }
    let games = arguments(inputs, "GAMES");
    let database = quoted(&free_path(path.with_extension(database_extension(format))));
    let selection = selection(select);
    let archive = quoted(&archive);
    let password = if needs_password(format) {
        " --password TEXT"
    } else {
        ""
    };
    format!(
        "`tabia convert {games}{selection} -o {database}`, then \
         `tabia archive create {archive} {database}{password}` packs these games"
    )
}

/// The options that choose the same games.
pub(crate) fn selection(select: &SelectArgs) -> String {
    let mut options = String::new();
    if !select.filter.trim().is_empty() {
        options.extend([" --where ", &*argument(&select.filter)]);
    }
    if let Some(numbers) = &select.records.games {
        options.extend([" --games ", &*argument(numbers)]);
    }
    if select.records.include_deleted {
        options.push_str(" --include-deleted");
    }
    options
}

/// What to write instead of a file of no known format.
fn table_hint(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let named = |extension: &str| {
        let name = path.with_extension(extension).path_text().into_owned();
        file_argument(&name).into_owned()
    };
    let list = "`tabia formats` lists the formats";
    if without_tables::lacks_file(path) {
        return format!(
            "{}; `-o {}` and `-o {}` need none",
            without_tables::HINT,
            named("ndjson"),
            named("csv")
        );
    }
    if path
        .as_os_str()
        .to_string_lossy()
        .ends_with(std::path::is_separator)
    {
        let file = path.join("games.pgn").path_text().into_owned();
        let file = file_argument(&file);
        let tables = if cfg!(feature = "parquet") {
            "`--to parquet` fills a folder"
        } else {
            without_tables::HINT
        };
        return format!("`-o {file}` writes a file in a folder; a folder of tables: {tables}");
    }
    match extension.to_ascii_lowercase().as_str() {
        "json" => format!(
            "`-o {}` writes a line of JSON for each game; {list}",
            named("ndjson")
        ),
        "feather" => format!("`-o {}` writes a stream of Arrow", named("arrow")),
        "tsv" | "xls" | "xlsx" | "ods" | "db" | "db3" | "duckdb" | "sqlite" | "sqlite3" => format!(
            "`-o {}` writes a table that spreadsheets and databases read; {list}",
            named("csv")
        ),
        "scid" => format!("`-o {}` writes a Scid database; {list}", named("si5")),
        "chessbase" | "cb" => format!("`-o {}` writes a ChessBase database; {list}", named("cbh")),
        "txt" => format!("`-o {}` writes PGN, which is text; {list}", named("pgn")),
        "" => format!("`-o {}` writes PGN; {list}", named("pgn")),
        _ => "`--to FORMAT` names a format; `tabia formats` lists them".to_owned(),
    }
}

/// Refuses standard output for a format that is not text.
pub(crate) fn refuse_stream(format: &GameFormat) -> Result<(), Error> {
    if format.create_text.is_some() {
        return Ok(());
    }
    let extension = format.file.extensions.first().unwrap_or(&"");
    let text = format!("{} cannot go to standard output", format.file.name);
    Err(Error::usage(text).with_hint(format!("`-o games.{extension}` writes it to a file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_refused() {
        for name in ["CON.pgn", "folder/nul", "com1.si5"] {
            let error = refuse_device(Path::new(name)).unwrap_err();
            assert!(error.to_string().contains("a device on Windows"), "{error}");
        }
        for name in ["console.pgn", "con/games.pgn", "com0.si5"] {
            assert!(refuse_device(Path::new(name)).is_ok(), "{name}");
        }
    }
}
