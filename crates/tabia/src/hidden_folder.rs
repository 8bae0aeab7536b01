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

/// The path that a file gets: the file itself, or for one in a hidden folder that of the file it will be.
pub(crate) fn final_path(path: &Path) -> PathBuf {
    let target = || {
        let name = path.file_name()?.to_str()?;
        let folder = path.parent()?;
        let rest = folder.file_name()?.to_str()?.strip_prefix('.')?;
        let rest = rest.strip_prefix(name)?.strip_prefix('.')?;
        let numbers = rest.strip_suffix(".tmp")?;
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
        (numbers.bytes().all(is_number)).then(|| folder.with_file_name(name))
    };
    target().unwrap_or_else(|| path.to_path_buf())
}

impl Drop for HiddenFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_file_gets_the_name_of_its_target() {
        let folder = std::env::temp_dir();
        let target = folder.join("mega.cbh");
        let hidden = HiddenFolder::new(&target).unwrap();
        assert_eq!(final_path(&hidden.path().join("mega.cbh")), target);
        assert_eq!(final_path(&target), target);
        let other = hidden.path().join("other.cbh");
        assert_eq!(final_path(&other), other);
    }
}
