//! Temporary files that leave nothing behind.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tabia_core::io::Blob;
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
fn create() -> Result<(File, PathBuf)> {
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

/// A temporary file that is mapped when it is written, removed on drop; its name goes away at once
/// where an open file needs none.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    path: PathBuf,
    file: File,
    named: bool,
}

impl ScratchFile {
    pub(crate) fn new() -> Result<Self> {
        let (file, path) = create()?;
        let mut scratch = Self {
            path,
            file,
            named: true,
        };
        if scratch.open_path().is_some() && std::fs::remove_file(&scratch.path).is_ok() {
            scratch.named = false;
        }
        Ok(scratch)
    }

    /// Where to write.
    pub(crate) const fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// What was written, to be read.
    pub(crate) fn blob(&self) -> Result<Blob> {
        Blob::open(&self.readable())
    }

    /// A path to the open file itself.
    #[cfg(target_os = "linux")]
    fn open_path(&self) -> Option<PathBuf> {
        use std::os::fd::AsRawFd;
        let path = PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        std::fs::metadata(&path).is_ok().then_some(path)
    }

    #[cfg(not(target_os = "linux"))]
    fn open_path(&self) -> Option<PathBuf> {
        None
    }

    fn readable(&self) -> PathBuf {
        if self.named {
            self.path.clone()
        } else {
            self.open_path().unwrap_or_else(|| self.path.clone())
        }
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if self.named {
            // A map of the file keeps it readable; where it does not, the folder for temporary
            // files is cleaned by the system.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
