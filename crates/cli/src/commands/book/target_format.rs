//! The format of a book to be written.

use std::path::Path;

use tabia::Error;
use tabia::core::BookFormat;
use tabia::core::shell_argument::file_argument;
use tabia::formats::Format;

use crate::context::Context;
use crate::path_text::PathText as _;
use crate::without_tables;

/// Whether a path is `-`: standard output, of an input standard input.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Books are not streams: a part of each is written last, and some are several files.
pub(super) fn no_book_on_stdout() -> Error {
    Error::usage("books cannot go to standard output; give a file with `-o`")
}

/// Refuses `-` for a book.
///
/// # Errors
/// A usage error.
pub(super) fn refuse_stdout(path: &Path) -> Result<(), Error> {
    if is_stdout(path) {
        return Err(no_book_on_stdout());
    }
    Ok(())
}

/// Whether a path is that of a device or a pipe.
fn is_special(path: &Path) -> bool {
    let metadata = path.metadata();
    metadata.is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The format of a book to be written: of `--to`, else of the target's extension.
pub(super) fn book_format(
    context: &Context,
    path: &Path,
    to: Option<&str>,
) -> Result<&'static BookFormat, Error> {
    refuse_stdout(path)?;
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let name = to.or(extension.as_deref()).unwrap_or_default();
    let books = || {
        let formats = context.resolver.formats().iter();
        formats.filter_map(|format| format.book())
    };
    let by_name = context.resolver.format(name).and_then(Format::book);
    let chosen = by_name.or_else(|| books().find(|book| book.file.extensions.contains(&name)));
    chosen.ok_or_else(|| {
        let shown = path.path_text();
        let text = match (to, extension.as_deref()) {
            (Some(name), _) => format!("`--to {name}`: no format of books is called that"),
            (None, Some(extension)) => {
                format!("{shown}: no format of books is called `.{extension}`")
            }
            (None, None) => format!("{shown}: the name has no extension that names a format"),
        };
        if to.map_or_else(
            || without_tables::lacks_file(path),
            without_tables::lacks_format,
        ) {
            return Error::usage(text).with_hint(without_tables::HINT);
        }
        let extensions: Vec<&str> = books()
            .filter_map(|book| book.file.extensions.first().copied())
            .collect();
        let first = extensions.first().unwrap_or(&"");
        // `.bin` alone is a name without an extension.
        let is_extension = path.file_stem().is_some_and(|stem| {
            let stem = stem.to_string_lossy();
            stem.strip_prefix('.')
                .is_some_and(|name| extensions.contains(&name))
        });
        let named = if is_extension && extension.is_none() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("book{name}"))
                .path_text()
                .to_string()
        } else if is_special(path) {
            // Next to a device a file can seldom be made.
            Path::new("book")
                .with_extension(first)
                .path_text()
                .into_owned()
        } else {
            path.with_extension(first).path_text().into_owned()
        };
        let named = file_argument(&named);
        let all = extensions.join("`, `.");
        Error::usage(text).with_hint(format!("`-o {named}`, for example; books are `.{all}`"))
    })
}
