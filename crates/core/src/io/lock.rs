//! Locks that end with their process: one writer at a time.
//!
//! Nothing is written for a lock: the folder itself, or the main file of a set, is locked. File systems
//! and systems without such locks have none, and writers go on as if they were alone.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::disk::{folder, require_replaceable};
use super::journal::{Journal, finish_all};
use crate::error::{Error, ErrorKind, Result};

/// The longest time to wait for another writer.
const PATIENCE: Duration = Duration::from_mins(1);
/// The time for which a writer waits without a word.
const SILENCE: Duration = Duration::from_secs(1);
/// The time between two attempts.
const INTERVAL: Duration = Duration::from_millis(10);
/// The most symbolic links that are followed one after the other.
const MAX_LINKS: u32 = 40;

/// Called with a path and the process that has its lock, if that is known.
type WaitNotice = Box<dyn Fn(&Path, Option<u32>) + Send + Sync>;

static WAIT_NOTICE: OnceLock<WaitNotice> = OnceLock::new();

/// Has `notice` called when a lock is waited for longer than a second, once for each wait: with the path of the file or
/// folder, and the
/// number of the process that has the lock if it is known. Only the first call of a program has an effect.
///
/// ```
/// tabia_core::io::set_wait_notice(|path, process| {
///     eprintln!("waiting for {}, which process {process:?} writes", path.display());
/// });
/// ```
pub fn set_wait_notice(notice: impl Fn(&Path, Option<u32>) + Send + Sync + 'static) {
    let _ = WAIT_NOTICE.set(Box::new(notice));
}

/// Whoever made a file read-only wants it to stay as it is, although its folder lets it be replaced.
fn require_writable(path: &Path) -> Result<()> {
    let data = std::fs::metadata(path);
    let is_readonly = data.is_ok_and(|data| data.permissions().readonly());
    // A file that cannot be read either is an error of its own.
    if !is_readonly || File::open(path).is_err() {
        return Ok(());
    }
    let error = ErrorKind::NotReplaceable("is read-only".to_owned());
    Err(Error::new(error).in_path(path).in_output())
}

/// The lock of a set that is read, changed and replaced: held from before its files are opened until
/// the new ones have their names.
///
/// On Unix it is a lock on the main file; elsewhere it does nothing.
#[derive(Debug)]
pub struct SetLock {
    path: PathBuf,
    file: File,
}

impl SetLock {
    /// Locks the set with the main file `path`, which must exist. Waits up to a minute for a process
    /// that has the lock.
    ///
    /// # Errors
    /// [`ErrorKind::InUse`] if another process still has the lock; [`ErrorKind::NotReplaceable`] for a device
    /// or a pipe, and for a read-only file; errors of the file system.
    pub fn acquire(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for its other end.
        require_replaceable(path)?;
        require_writable(path)?;
        // The set that is read under the lock is the one that is replaced.
        finish_journals(path)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let file = while_named(path, open).map_err(|error| {
                if error.is_not_found() {
                    error
                } else {
                    // It is there and cannot be read.
                    error.in_input()
                }
            })?;
            lock(&file, path, deadline)?;
            let lock = Self {
                path: path.to_path_buf(),
                file,
            };
            // Whoever had the lock may have replaced the file.
            if lock.is_current() {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                return Err(in_use(&lock.file, path));
            }
        }
    }

    /// As [`SetLock::acquire`]; `None` if there is no file at `path`.
    ///
    /// # Errors
    /// As [`SetLock::acquire`].
    pub fn acquire_existing(path: &Path) -> Result<Option<Self>> {
        if path.is_dir() {
            return Ok(None);
        }
        match Self::acquire(path) {
            Err(error) if error.is_not_found() => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// Whether the path still names the locked file.
    pub fn is_current(&self) -> bool {
        is_same(&self.file, &self.path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The lock of a folder in which files get their names. To be held for moments only: while files are
/// named, or while all files of a set are opened.
#[derive(Debug)]
pub struct FolderLock(
    #[cfg_attr(
        not(target_family = "wasm"),
        expect(dead_code, reason = "closing it ends the lock")
    )]
    Option<File>,
);

impl FolderLock {
    /// Locks the folder of `target` and completes the replacements in it that were interrupted: those of
    /// other processes are complete too, as they have the lock meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::InUse`] if another process has the lock for more than a minute; errors of the file
    /// system.
    pub fn acquire(target: &Path) -> Result<Self> {
        // A folder that cannot be opened has no lock; creating the files reports what is wrong.
        let lock = match open_folder(folder(target)) {
            Some(file) => {
                lock(&file, folder(target), Instant::now() + PATIENCE)?;
                Self(Some(file))
            }
            None => Self(None),
        };
        finish_all(target)?;
        Ok(lock)
    }
}

/// Completes the interrupted replacements in the folder of `target`. While the folder is locked, no
/// journal is that of a living process.
pub(super) fn finish_journals(target: &Path) -> Result<()> {
    if Journal::all_in_folder_of(target).is_empty() {
        return Ok(());
    }
    FolderLock::acquire(target).map(drop)
}

/// Waits until no process gives names in the folder of `target`, at most a minute.
pub(super) fn wait_for_names(target: &Path) {
    let Some(file) = open_folder(folder(target)) else {
        return;
    };
    let deadline = Instant::now() + PATIENCE;
    while matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
        && Instant::now() < deadline
    {
        std::thread::sleep(INTERVAL);
    }
}

/// The absolute path of an existing file without symbolic links, as by [`std::fs::canonicalize`], also
/// while another process replaces the file or its set.
///
/// ```
/// use tabia_core::io::existing_path;
///
/// let folder = existing_path(&std::env::temp_dir())?;
/// assert!(folder.is_absolute());
/// assert!(existing_path(&folder.join("no such file.cbh")).is_err());
/// # Ok::<(), tabia_core::Error>(())
/// ```
///
/// # Errors
/// When there is no such file; [`ErrorKind::InUse`] if another process gives names in its folder for more
/// than a minute.
pub fn existing_path(path: &Path) -> Result<PathBuf> {
    while_named(path, Path::canonicalize)
}

/// Runs `action` on a path whose file may be without a name for a moment: while its set is replaced by
/// another process, and if that was interrupted.
fn while_named<T>(path: &Path, action: impl Fn(&Path) -> io::Result<T>) -> Result<T> {
    let result = action(path).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let target = follow_links(path);
            if !folder(&target).is_dir() {
                return Err(Error::from(error));
            }
            let _folder = FolderLock::acquire(&target)?;
            Ok(action(path)?)
        }
        _ => Err(Error::from(error)),
    });
    result.map_err(|error| error.in_path(path))
}

/// The path that symbolic links lead to, whether it exists or not. Links in the names of folders stay.
pub(super) fn follow_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => break,
        }
    }
    path
}

#[cfg(unix)]
fn open_folder(folder: &Path) -> Option<File> {
    File::open(folder).ok()
}

#[cfg(not(unix))]
fn open_folder(_folder: &Path) -> Option<File> {
    None
}

/// Opens a file for locking. Some network file systems lock only files that are open for writing.
fn open(path: &Path) -> io::Result<File> {
    let writable = File::options().read(true).write(true).open(path);
    writable.or_else(|_| File::open(path))
}

/// Locks an open file, if its file system has locks.
fn lock(file: &File, path: &Path, deadline: Instant) -> Result<()> {
    if !cfg!(unix) {
        // Locks of other systems keep the file itself from being read.
        return Ok(());
    }
    let notice_at = Instant::now() + SILENCE;
    let mut is_noticed = false;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(in_use(file, path));
            }
            Err(TryLockError::WouldBlock) => {
                if !is_noticed && Instant::now() >= notice_at {
                    is_noticed = true;
                    if let Some(notice) = WAIT_NOTICE.get() {
                        notice(path, holder(file));
                    }
                }
                std::thread::sleep(INTERVAL);
            }
            // An error means that the file system has no locks.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
}

fn in_use(file: &File, path: &Path) -> Error {
    let process = holder(file);
    Error::new(ErrorKind::InUse { process })
        .in_path(path)
        .in_output()
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev() && one.ino() == other.ino(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_file: &File, _path: &Path) -> bool {
    true
}

/// The process that has the lock of a file; `None` if that is not known.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let inode = file.metadata().ok()?.ino().to_string();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        // `1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF`
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_lock = fields.next() == Some("FLOCK");
        let process = fields.nth(2)?;
        let is_file = fields.next()?.rsplit(':').next() == Some(&inode);
        process.parse().ok().filter(|_| is_lock && is_file)
    })
}

#[cfg(not(target_os = "linux"))]
fn holder(_file: &File) -> Option<u32> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn a_set_that_cannot_be_read_is_not_an_absent_one() {
        use crate::error::ErrorSide;
        let folder = Scratch::new("lock-unreadable");
        let path = folder.join("a.cbh");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let error = SetLock::acquire(&path).unwrap_err().in_output();
        assert_eq!(error.side(), ErrorSide::Input, "{error}");
        assert!(SetLock::acquire_existing(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(SetLock::acquire_existing(&path).unwrap().is_none());
        let error = SetLock::acquire_existing(folder.path());
        assert!(error.unwrap().is_none());
    }

    #[test]
    fn a_read_only_set_is_not_changed() {
        let folder = Scratch::new("lock-read-only");
        let path = folder.join("a.cbh");
        std::fs::write(&path, b"a").unwrap();
        assert!(SetLock::acquire(&path).is_ok());
        let mut rights = std::fs::metadata(&path).unwrap().permissions();
        rights.set_readonly(true);
        std::fs::set_permissions(&path, rights).unwrap();
        let error = SetLock::acquire(&path).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::NotReplaceable(_)),
            "{error}"
        );
    }

    #[test]
    fn a_lock_names_its_process_and_follows_a_replaced_file() {
        let folder = Scratch::new("lock");
        let path = folder.join("a.cbh");
        std::fs::write(&path, b"old").unwrap();
        let first = SetLock::acquire(&path).unwrap();
        let other = open(&path).unwrap();
        let error = lock(&other, &path, Instant::now()).unwrap_err();
        let own = std::process::id();
        assert!(
            matches!(error.kind(), ErrorKind::InUse { process: Some(process) } if *process == own),
            "{error:?}"
        );
        // The second waits for the first, and then locks the new file.
        let second = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| SetLock::acquire(&path).unwrap());
            std::thread::sleep(Duration::from_millis(50));
            assert!(!waiting.is_finished());
            std::fs::write(folder.join("new"), b"new").unwrap();
            std::fs::rename(folder.join("new"), &path).unwrap();
            assert!(!first.is_current());
            drop(first);
            waiting.join().unwrap()
        });
        assert!(second.is_current());
        assert_eq!(folder.names(), ["a.cbh"]);
    }
}
