//! Chess databases and opening books: open, convert, check.
#![warn(missing_docs)]

pub use tabia_core as core;
pub use tabia_formats as formats;
