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
use tabia_core::{Error, Result};

/// In place of the writer of a book, in builds without writers.
fn not_written(_: &Path, _: &CreateOptions) -> Result<Box<dyn BookWriter>> {
    Err(Error::unsupported("this build has no writers of books"))
}
