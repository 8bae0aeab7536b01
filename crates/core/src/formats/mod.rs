//! Descriptors of formats: [`GameFormat`] and [`BookFormat`], options, limits, detection.

mod format_descriptors;
mod options_and_limits;

pub use crate::ids::FormatId;
pub use format_descriptors::{
    BookFormat, CheckDatabase, Companion, Confidence, CreateBook, CreateDatabase, CreateText,
    EditFunctions, FileFormat, FormatKind, GameFormat, MediaFolder, OpenBlocks, OpenBook,
    OpenDatabase, OpenEditor, OpenStream, PackDatabase, Probe,
};
pub use options_and_limits::{CreateOptions, Limits, OpenOptions, Profile};
