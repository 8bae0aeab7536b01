//! [`FileIdentity`]: whether a file is still the same.

use std::fs::Metadata;
use std::path::Path;
use std::time::Duration;

/// What no two files have in common, nor one file before and after it was changed or renamed.
///
/// ```
/// use tabia_core::io::FileIdentity;
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-identity-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("games.pgn");
/// std::fs::write(&path, "*")?;
/// let before = FileIdentity::at(&path);
/// assert_eq!(FileIdentity::at(&path), before);
/// # if cfg!(unix) {
/// std::fs::write(folder.join("new"), "*")?;
/// std::fs::rename(folder.join("new"), &path)?;
/// assert_ne!(FileIdentity::at(&path), before);
/// # }
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl FileIdentity {
    /// That of the file at `path`; `None` if there is none, and on systems where files have none.
    pub fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path)
            .ok()
            .and_then(|data| Self::of(&data))
    }

    /// That of the file with these metadata; `None` on systems where files have none.
    #[cfg(unix)]
    pub fn of(data: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            device: data.dev(),
            inode: data.ino(),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }

    /// The longest time between two changes for which the clock of the file system may state the same time.
    pub(super) fn clock_step(&self) -> Duration {
        // Some file systems count in seconds, or in pairs of them; others in ticks of at most 10 ms.
        let is_coarse = self.changed.1 % 1_000_000 == 0;
        Duration::from_millis(if is_coarse { 2500 } else { 20 })
    }

    /// That of the file with these metadata; `None` on systems where files have none.
    #[cfg(not(unix))]
    pub fn of(_data: &Metadata) -> Option<Self> {
        None
    }
}
