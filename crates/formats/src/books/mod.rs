//! Formats of opening books.

pub mod abk;
pub mod ctg;
pub mod kvetka;
pub(crate) mod mirrored;
mod move_values;
pub mod polyglot;

pub use move_values::MoveValues;

use std::path::Path;

use tabia_core::books::BookWriter;
use tabia_core::formats::CreateOptions;
use tabia_core::{BookFormat, Error, Result};

/// In place of the writer of a book, in builds without writers.
fn not_written(_: &Path, _: &CreateOptions) -> Result<Box<dyn BookWriter>> {
    Err(Error::unsupported("this build has no writers of books"))
}

impl MoveValues {
    /// Those of a format; none for a format that is not one of [`BOOKS`](crate::BOOKS).
    pub fn of(format: &BookFormat) -> Self {
        let all = [
            (&polyglot::FORMAT, polyglot::MOVE_VALUES),
            (&abk::FORMAT, abk::MOVE_VALUES),
            (&ctg::FORMAT, ctg::MOVE_VALUES),
            (&kvetka::FORMAT, kvetka::MOVE_VALUES),
        ];
        let found = all
            .iter()
            .find(|(known, _)| known.file.id == format.file.id);
        found.map_or(Self::NONE, |(_, values)| *values)
    }
}
