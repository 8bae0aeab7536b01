//! Folders in the folder of temporary files that only this user can read, removed when they are no longer used, or
//! by the next start if their process was killed.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The names of folders with files that are dropped on the page begin with this.
pub(crate) const DROPPED: &str = "tabia-dropped-";
/// The names of folders with conversions that are previewed begin with this.
pub(crate) const PREVIEWS: &str = "tabia-preview-";
/// Locked as long as the folder is used.
const LOCK: &str = ".lock";
/// A folder without a lock is being made, unless it is older.
const MAKING: Duration = Duration::from_mins(1);

/// A folder that only this user can read, locked as long as it is used and removed when it is dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    lock: Option<File>,
}

impl PrivateFolder {
    /// A new folder in `parent` whose name begins with `prefix`.
    pub(crate) fn new(parent: &Path, prefix: &str) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(parent)?;
        for _ in 0..100 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{prefix}{}-{number}", std::process::id()));
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            }
            let lock = File::create_new(path.join(LOCK))?;
            // A server that starts now may take the folder for an abandoned one and remove it.
            let is_ours = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
            if is_ours && path.join(LOCK).exists() {
                let lock = Some(lock);
                return Ok(Self { path, lock });
            }
        }
        Err(io::Error::other("no private folder can be made"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if cfg!(windows) {
            // An open file cannot be removed there.
            self.lock = None;
        }
        // What cannot be removed now is removed by the next start.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the private folders of servers that were killed: files that were dropped on their page in `dropped`,
/// conversions that they previewed in the folder of temporary files.
pub fn remove_abandoned_files(dropped: &Path) {
    remove_abandoned(dropped, DROPPED);
    remove_abandoned(&std::env::temp_dir(), PREVIEWS);
}

/// Removes the folders in `parent` whose names begin with `prefix` and that no process uses.
pub(crate) fn remove_abandoned(parent: &Path, prefix: &str) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if !is_ours || !metadata.is_dir() {
            continue;
        }
        let lock = File::open(path.join(LOCK));
        let is_abandoned = match &lock {
            Ok(lock) => lock.try_lock().is_ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => metadata
                .modified()
                .is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MAKING)),
            Err(_) => false,
        };
        if is_abandoned {
            if cfg!(windows) {
                drop(lock);
            }
            // The next start tries again.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_running_servers_stay_and_those_of_killed_ones_go() {
        for prefix in [DROPPED, PREVIEWS] {
            let parent = tabia_testkit::Scratch::new("private-folder");
            let running = PrivateFolder::new(parent.path(), prefix).unwrap();
            let killed = parent.path().join(format!("{prefix}0-0"));
            fs::create_dir(&killed).unwrap();
            fs::write(killed.join(LOCK), b"").unwrap();
            fs::write(killed.join("games.pgn"), b"x").unwrap();
            let being_made = parent.path().join(format!("{prefix}0-1"));
            fs::create_dir(&being_made).unwrap();
            let other = parent.path().join("other");
            fs::create_dir(&other).unwrap();
            remove_abandoned(parent.path(), prefix);
            assert!(!killed.exists());
            for path in [running.path(), &being_made, &other] {
                assert!(path.exists(), "{}", path.display());
            }
            let path = running.path().to_path_buf();
            drop(running);
            assert!(!path.exists());
        }
    }

    /// Earlier versions made folders without a lock.
    #[cfg(unix)]
    #[test]
    fn old_folders_without_a_lock_go() {
        let parent = tabia_testkit::Scratch::new("private-folder-old");
        let old = parent.path().join(format!("{PREVIEWS}0-0"));
        fs::create_dir(&old).unwrap();
        fs::write(old.join("preview.pgn"), b"x").unwrap();
        let time = fs::metadata(&old).unwrap().modified().unwrap() - 2 * MAKING;
        File::open(&old).unwrap().set_modified(time).unwrap();
        remove_abandoned(parent.path(), PREVIEWS);
        assert!(!old.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_with_the_name_of_a_folder_are_not_followed() {
        let parent = tabia_testkit::Scratch::new("private-folder-link");
        let target = parent.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join(LOCK), b"").unwrap();
        let link = parent.path().join(format!("{DROPPED}0-0"));
        std::os::unix::fs::symlink(&target, link).unwrap();
        remove_abandoned(parent.path(), DROPPED);
        assert!(target.join(LOCK).exists());
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tabia_testkit::Scratch::new("private-folder-mode");
        let folder = PrivateFolder::new(parent.path(), DROPPED).unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
