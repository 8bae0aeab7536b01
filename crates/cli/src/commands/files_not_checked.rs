//! The files in folders that `check` does not look at.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use serde::Serialize;

use crate::context::Context;
use crate::control_char_filter::one_line;
use crate::readable_numbers::{counted_as, grouped};

/// Names in the line about them.
const MAX_NAMED: usize = 3;

/// The files, as the summary of the report has them.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilesNotChecked {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_checked: Vec<String>,
}

impl FilesNotChecked {
    /// Those of the folders among the paths.
    pub(crate) fn of(context: &Context, paths: &[OsString]) -> Self {
        let folders = paths.iter().map(Path::new);
        let folders = folders.filter(|path| path.as_os_str() != "-" && path.is_dir());
        // A folder that cannot be read is an input that cannot be read, which is reported.
        let files =
            folders.flat_map(|folder| context.resolver.other_files(folder).unwrap_or_default());
        // The record of how a book was built belongs to the book.
        let files = files.filter(|file| !is_record_of_book(context, file));
        let names: BTreeSet<String> = files.map(|file| file.display().to_string()).collect();
        Self {
            not_checked: names.into_iter().collect(),
        }
    }

    /// Names the first ones, or with `--verbose` all of them.
    pub(crate) fn report(&self, context: &Context) {
        let messages = &context.messages;
        let names: Vec<_> = self.not_checked.iter().map(|name| one_line(name)).collect();
        if names.is_empty() {
            return;
        }
        let count = counted_as(names.len() as u64, "file was", "files were");
        let text = format!("{count} not checked, as no format has such a name");
        if messages.verbose {
            messages.note(&format!("{text}:"));
            for name in names {
                messages.note(&format!("  {name}"));
            }
            return;
        }
        let first = names.get(..MAX_NAMED).unwrap_or(&names);
        let more = names.len() - first.len();
        let list = first.join(", ");
        messages.note(&match more {
            0 => format!("{text}: {list}"),
            _ => format!(
                "{text}: {list} and {} more (`-v` lists all)",
                grouped(more as u64)
            ),
        });
    }
}

/// Whether a file is named like the record that `book build` writes next to a book: `book.bin.json`.
fn is_record_of_book(context: &Context, file: &Path) -> bool {
    let is_json = file
        .extension()
        .is_some_and(|extension| extension == "json");
    let book = Path::new(file.file_stem().unwrap_or_default());
    let extension = book.extension().unwrap_or_default().to_string_lossy();
    let format = context.resolver.format(&extension.to_ascii_lowercase());
    is_json && format.is_some_and(|format| format.book().is_some())
}
