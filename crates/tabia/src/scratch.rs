//! Temporary files that leave nothing behind.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tabia_core::{Error, Result};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// An empty temporary file to write to and read from. On Unix it has no name, so that nothing
/// stays behind however the process ends.
///
/// # Errors
/// When the folder for temporary files cannot be written.
pub fn file() -> Result<File> {
    let (file, path) = create()?;
    // Where an open file cannot be removed, the system cleans its folder for temporary files.
    let _ = std::fs::remove_file(path);
    Ok(file)
}

/// A temporary file with a name.
pub(crate) fn create() -> Result<(File, PathBuf)> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("tabia-{}-{number}.tmp", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|error| Error::from(error).in_path(Path::new(&path)))?;
    Ok((file, path))
}
