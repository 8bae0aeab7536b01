//! Temporary files that leave nothing behind.

use std::fs::File;

use tabia_core::Result;
use tabia_core::io::scratch_file;

/// An empty temporary file to write to and read from, in the folder for such files. It has no name,
/// so that nothing stays behind however the process ends.
///
/// # Errors
/// When the folder for temporary files cannot be written.
pub fn file() -> Result<File> {
    scratch_file(&std::env::temp_dir().join("tabia"))
}
