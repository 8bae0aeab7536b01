//! `-o`, `--to` and `--force`: what a command writes.

use std::ffi::OsString;
use std::path::Path;
use tabia::core::shell_argument::argument;

use tabia::convert::Target;
use tabia::core::{ErrorKind, GameFormat};
use tabia::formats::Format;
use tabia::{Error, Resolver};

use crate::format_arg::find_format;

/// Refuses an existing target before the work instead of after it, unless `force` is set.
pub(crate) fn refuse_existing(path: &Path, force: bool) -> Result<(), Error> {
    if !force && std::fs::symlink_metadata(path).is_ok() {
        return Err(Error::new(ErrorKind::Exists).in_path(path).in_output());
    }
    Ok(())
}

/// The format that `--to` names; `None` if the option is absent.
pub(crate) fn format_of_to(resolver: &Resolver, to: Option<&str>) -> Result<Option<Format>, Error> {
    to.map(|name| find_format(resolver, name)).transpose()
}

/// The file that `-o` names, in the format of `--to` or else of its extension. An error proposes what to
/// do with `inputs` instead.
pub(crate) fn target_file<'a>(
    resolver: &Resolver,
    path: &Path,
    to: Option<Format>,
    inputs: &[OsString],
) -> Result<Target<'a>, Error> {
    let error = match Target::file(resolver, path, to) {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    let name = path.display().to_string();
    let name = argument(&name);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let format = to.or_else(|| resolver.format(&extension.to_ascii_lowercase()));
    let inputs: Vec<String> = inputs
        .iter()
        .map(|input| input.display().to_string())
        .collect();
    let inputs = match inputs.as_slice() {
        [_] | [_, _] => {
            let inputs: Vec<_> = inputs.iter().map(|input| argument(input)).collect();
            inputs.join(" ")
        }
        _ => "GAMES".to_owned(),
    };
    Err(match (error.kind(), format) {
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Book(_))) => error.with_hint(format!(
            "`tabia book build {inputs} -o {name}` makes a book of games, `tabia book convert BOOK -o {name}` of another book"
        )),
        (ErrorKind::Usage { hint: None, .. }, Some(Format::Archive(_))) => {
            error.with_hint(format!("`tabia archive create {name} FILES` makes an archive"))
        }
        (ErrorKind::Usage { hint: None, .. }, _) => error.with_hint(table_hint(path)),
        _ => error,
    })
}

/// What to write instead of a file of no known format.
fn table_hint(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let named = |extension: &str| {
        let name = path.with_extension(extension).display().to_string();
        argument(&name).into_owned()
    };
    let list = "`tabia formats` lists the formats";
    match extension.to_ascii_lowercase().as_str() {
        "json" => format!(
            "`-o {}` writes a line of JSON for each game; {list}",
            named("ndjson")
        ),
        "parquet" | "arrow" | "arrows" => format!(
            "this program was built without the feature `parquet`; `-o {}` and `-o {}` need none",
            named("ndjson"),
            named("csv")
        ),
        "tsv" | "xls" | "xlsx" | "ods" | "db" | "db3" | "duckdb" | "sqlite" | "sqlite3" => format!(
            "`-o {}` writes a table that spreadsheets and databases read; {list}",
            named("csv")
        ),
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
