//! A hidden folder for files that are not complete yet, next to the files that they become.

use std::io;
use std::path::{Path, PathBuf};

use tabia_core::io::TemporaryFile;
use tabia_core::{Error, ErrorKind};

/// The folder. It is removed on drop, with all that is left in it.
#[derive(Debug)]
pub(crate) struct HiddenFolder(PathBuf);

impl HiddenFolder {
    /// Next to `target`.
    pub(crate) fn new(target: &Path) -> Result<Self, Error> {
        let folder = TemporaryFile::folder_of(target);
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        for number in 0..u32::MAX {
            let hidden = folder.join(format!(".{name}.{process}-{number}.tmp"));
            match std::fs::create_dir(&hidden) {
                Ok(()) => return Ok(Self(hidden)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::from(error).in_path(folder).in_output()),
            }
        }
        Err(Error::new(ErrorKind::Exists).in_path(folder).in_output())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for HiddenFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
