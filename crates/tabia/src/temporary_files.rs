//! Temporary files without a name.

use std::fs::File;

use tabia_core::Result;
use tabia_core::io::scratch_file;

/// An empty temporary file to write to and read from, in the folder for such files. It has no name,
/// so that it is gone when the process ends, however that happens.
///
/// # Errors
/// When the folder for temporary files cannot be written.
pub fn file() -> Result<File> {
    scratch_file(&std::env::temp_dir().join("tabia"))
}
