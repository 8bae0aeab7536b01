//! Books in another format, or as [lines of games](lines).

use std::path::Path;

use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::io::Progress;
use tabia_core::{BookFormat, Error};

pub use super::book_as_lines::{LinesWritten, lines};

use super::merge::{MergeOptions, Merged, merge};
use crate::input::InputItem;

/// Writes a book in another format: a merge of one book.
///
/// # Errors
/// If the book cannot be read or the target not be written.
pub fn convert_book(
    item: &InputItem,
    format: &'static BookFormat,
    path: &Path,
    open: &OpenOptions,
    create: &CreateOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    let options = MergeOptions {
        open: open.clone(),
        create: create.clone(),
        ..MergeOptions::default()
    };
    merge(std::slice::from_ref(item), format, path, &options, progress)
}
