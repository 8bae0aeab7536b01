//! Files without a name, for data that is larger than memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::blob::Blob;
use super::disk::{folder, open_unnamed};
use crate::error::{Error, ErrorKind, Result};

/// An empty file to write to and to read from, which has no name: it is gone when it is closed,
/// however the process ends.
///
/// Every error is an [`ErrorKind::TemporaryFile`] that names the folder.
///
/// ```
/// use std::io::{Read, Seek, Write};
/// use tabia_core::io::TemporaryFile;
///
/// let mut file = TemporaryFile::new()?;
/// file.write_all(b"text")?;
/// file.rewind()?;
/// let mut text = String::new();
/// file.read_to_string(&mut text)?;
/// assert_eq!(text, "text");
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    folder: PathBuf,
}

/// The system's folder for temporary files (`TMPDIR` on Unix); empty where there are no files, in `WebAssembly`.
///
/// ```
/// assert_eq!(tabia_core::io::temporary_folder(), std::env::temp_dir());
/// ```
pub fn temporary_folder() -> PathBuf {
    if cfg!(target_family = "wasm") {
        // The function of the standard library panics there.
        PathBuf::new()
    } else {
        std::env::temp_dir()
    }
}

impl TemporaryFile {
    /// A file in the system's folder for temporary files (`TMPDIR` on Unix).
    ///
    /// # Errors
    /// When the folder does not exist or cannot be written to.
    pub fn new() -> Result<Self> {
        Self::new_in(&temporary_folder())
    }

    /// A file in a folder; an empty path is the current folder.
    ///
    /// # Errors
    /// When the folder does not exist or cannot be written to.
    pub fn new_in(folder: &Path) -> Result<Self> {
        // Only systems without unnamed files use the name.
        let target = folder.join("tabia");
        let (file, name) = open_unnamed(&target).map_err(|error| named(error, folder))?;
        if let Some(name) = name {
            // Such a system removes the name while the file is open, or keeps it until the next
            // start cleans up; the data can be read either way.
            let _ = std::fs::remove_file(name);
        }
        let folder = folder.to_path_buf();
        Ok(Self { file, folder })
    }

    /// The folder of an output file, for temporary files on the same disk.
    pub fn folder_of(target: &Path) -> &Path {
        folder(target)
    }

    /// The bytes that the file has now, mapped into memory.
    ///
    /// # Errors
    /// When the system cannot map the file.
    pub fn map(&self) -> Result<Blob> {
        Blob::of_file(&self.file).map_err(|error| match error.into_kind() {
            ErrorKind::Io(error) => named(error, &self.folder),
            kind => Error::new(kind),
        })
    }

    /// Names the folder in an error, which passes through [`std::io`].
    fn named(&self, error: io::Error) -> io::Error {
        match error.kind() {
            // The standard library repeats the call.
            io::ErrorKind::Interrupted => error,
            _ => named(error, &self.folder).into(),
        }
    }
}

fn named(error: io::Error, folder: &Path) -> Error {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    Error::new(ErrorKind::TemporaryFile(error)).in_path(&folder)
}

impl Read for &TemporaryFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        (&self.file).read(bytes).map_err(|error| self.named(error))
    }
}

impl Seek for &TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.file).seek(to).map_err(|error| self.named(error))
    }
}

impl Write for &TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file).flush().map_err(|error| self.named(error))
    }
}

impl Read for TemporaryFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        (&*self).read(bytes)
    }
}

impl Seek for TemporaryFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&*self).seek(to)
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn temporary_files_have_no_name() {
        let folder = Scratch::new("unnamed");
        let mut file = TemporaryFile::new_in(folder.path()).unwrap();
        file.write_all(b"kept").unwrap();
        assert_eq!(&*file.map().unwrap(), b"kept");
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept");
        assert_eq!(folder.names().len(), 0);
    }

    #[test]
    fn errors_name_the_folder() {
        let folder = Scratch::new("absent").path().to_path_buf();
        let error = TemporaryFile::new_in(&folder).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(error.location().file.as_deref(), Some(&*folder));

        // An error of the system passes through the traits of the standard library.
        let mut file = TemporaryFile::new().unwrap();
        let error = Error::from(file.seek(SeekFrom::Current(-1)).unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(
            error.location().file.as_deref(),
            Some(&*std::env::temp_dir())
        );
    }
}
