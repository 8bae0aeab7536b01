//! A file that is read from start to end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::failure_injection;
use crate::error::{Error, Result};

/// A file that is read from start to end. Errors of the system keep their number, so that
/// [`Error::is_system`] recognizes them after they passed through decoders.
///
/// ```
/// use std::io::Read;
/// use tabia_core::io::InputFile;
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-input-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("games.pgn");
/// std::fs::write(&path, "1. e4 *")?;
/// let mut text = String::new();
/// InputFile::open(&path)?.read_to_string(&mut text)?;
/// assert_eq!(text, "1. e4 *");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct InputFile(File);

impl InputFile {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened; the error names it.
    pub fn open(path: &Path) -> Result<Self> {
        let file = failure_injection::input_step().and_then(|()| File::open(path));
        file.map(Self)
            .map_err(|error| Error::from(error).in_path(path))
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        failure_injection::input_step()?;
        self.0.read(buffer)
    }
}
