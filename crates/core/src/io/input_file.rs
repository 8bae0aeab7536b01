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
pub struct InputFile {
    file: File,
    /// Size of the file when it was opened; 0 if it is not known.
    length: u64,
    /// Number of bytes read.
    at: u64,
}

/// The number of the error of a disk that fails.
const FAILED_DISK: i32 = if cfg!(windows) { 1117 } else { 5 };

impl InputFile {
    /// Opens a file. If it is cut off while it is read, reading ends with an error as of a disk that fails:
    /// what was read is not all of it.
    ///
    /// # Errors
    /// When it cannot be opened; the error names it.
    pub fn open(path: &Path) -> Result<Self> {
        let file = failure_injection::input_step().and_then(|()| File::open(path));
        let file = file.map_err(|error| Error::from(error).in_path(path))?;
        Ok(Self {
            length: length(&file),
            file,
            at: 0,
        })
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        failure_injection::input_step()?;
        let read = self.file.read(buffer)?;
        self.at += read as u64;
        let is_short = read == 0 && !buffer.is_empty() && self.at < self.length;
        // Files of the system may have fewer bytes than they state.
        if is_short && length(&self.file) < self.length {
            return Err(io::Error::from_raw_os_error(FAILED_DISK));
        }
        Ok(read)
    }
}

fn length(file: &File) -> u64 {
    let data = file.metadata().ok().filter(std::fs::Metadata::is_file);
    data.map_or(0, |data| data.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn a_file_that_is_cut_off_while_it_is_read_is_no_shorter_file() {
        let folder = Scratch::new("input-cut");
        let path = folder.join("games.pgn");
        std::fs::write(&path, [b'*'; 100]).unwrap();
        let mut input = InputFile::open(&path).unwrap();
        let mut bytes = [0; 60];
        input.read_exact(&mut bytes).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(30).unwrap();
        let error = Error::from(input.read(&mut bytes).unwrap_err());
        assert!(error.is_system(), "{error}");
        // A file that grows is read as far as it goes.
        let mut input = InputFile::open(&path).unwrap();
        file.set_len(50).unwrap();
        assert_eq!(io::copy(&mut input, &mut io::sink()).unwrap(), 50);
        assert_eq!(input.read(&mut bytes).unwrap(), 0);
    }
}
