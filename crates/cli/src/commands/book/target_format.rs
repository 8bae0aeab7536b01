//! The format of a book to be written.

use std::path::Path;

use tabia::Error;
use tabia::core::BookFormat;
use tabia::formats::Format;

use crate::context::Context;

/// The format of a book to be written: of `--to`, else of the target's extension.
pub(super) fn book_format(
    context: &Context,
    path: &Path,
    to: Option<&str>,
) -> Result<&'static BookFormat, Error> {
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
        let names: Vec<String> = books()
            .map(|book| format!("{} (.{})", book.file.id, book.file.extensions.join(", .")))
            .collect();
        Error::usage(format!(
            "{}: not a book format that can be written; these can: {}",
            path.display(),
            names.join(", ")
        ))
    })
}
