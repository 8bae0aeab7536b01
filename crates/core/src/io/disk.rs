//! Files on disk: new files without a name, renaming, linking and removing.
//!
//! Every call that changes the disk is a step of [`failure_injection`].

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::failure_injection;
use crate::error::{Error, ErrorKind, Result};

/// Longest name of a target inside a temporary name, in bytes: file systems allow 255 in all.
pub(super) const MAX_NAME: usize = 200;

/// Number of the next temporary name of this process.
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// A file whose writes are steps of [`failure_injection`].
#[derive(Debug)]
pub struct DiskFile(pub(super) File);

impl DiskFile {
    /// Opens a file that is there, to be read and changed in its own bytes: only for files that stay valid
    /// after every single write, as the files of an [`OutputSet`](super::OutputSet) need not.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        failure_injection::step()?;
        File::options().read(true).write(true).open(path).map(Self)
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn sync(&mut self) -> io::Result<()> {
        failure_injection::step()?;
        self.0.sync_data()
    }

    /// The length in bytes.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn length(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        failure_injection::step()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    failure_injection::step()?;
    std::fs::rename(from, to)
}

pub(super) fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    failure_injection::step()?;
    std::fs::hard_link(from, to)
}

/// Gives a file another name, which no file has: none is ever replaced.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match hard_link(from, to) {
        Ok(()) => {
            let _ = remove(from);
            Ok(())
        }
        Err(error) => match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::StorageFull => Err(error),
            // The file system has no hard links, as that of most memory sticks.
            _ => {
                failure_injection::step()?;
                rename_new_without_links(from, to)
            }
        },
    }
}

/// As [`rename_new`], on file systems without hard links.
pub(super) fn rename_new_without_links(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            renamed => return renamed.map_err(io::Error::from),
        }
    }
    if std::fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    std::fs::rename(from, to)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    failure_injection::step()?;
    std::fs::remove_file(path)
}

/// Checks that a file can get the name `path`: that nothing has it, or a regular file or a link to one.
/// Other things are not what a user means to replace: a device, a pipe, a socket, a folder.
///
/// ```
/// use tabia_core::io::require_replaceable;
///
/// # let folder = std::env::temp_dir().join(format!("tabia-doc-replaceable-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// assert!(require_replaceable(&folder.join("new.pgn")).is_ok());
/// assert!(require_replaceable(&folder).is_err());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), tabia_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::NotReplaceable`], or [`ErrorKind::Io`] for a folder.
pub fn require_replaceable(path: &Path) -> Result<()> {
    // Also of the pipe that a link such as `/dev/stdout` leads to.
    let Ok(data) = std::fs::metadata(path) else {
        return Ok(());
    };
    let error = if data.is_file() {
        if !is_open_file(path) {
            return Ok(());
        }
        // Whoever has it open would go on writing to the old one.
        let text = "is a file that this program was started with, which no other one replaces; `-` writes to \
                    standard output";
        Error::new(ErrorKind::NotReplaceable(text.to_owned()))
    } else if data.is_dir() {
        Error::from(io::Error::from(io::ErrorKind::IsADirectory))
    } else {
        let text = format!("is {}, which no file replaces", noun(data.file_type()));
        Error::new(ErrorKind::NotReplaceable(text))
    };
    Err(error.in_path(path).in_output())
}

/// Whether `path` is the name of an open file of this process, such as `/dev/stdout`, or a link to one.
fn is_open_file(path: &Path) -> bool {
    let mut path = path.to_path_buf();
    for _ in 0..16 {
        let folder = folder(&path);
        if folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd") {
            return true;
        }
        match std::fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => break,
        }
    }
    false
}

/// Whether `path` is a pipe or a device that takes bytes as they come, such as a terminal.
pub fn is_stream_device(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = std::fs::metadata(path).map(|data| data.file_type());
        kind.is_ok_and(|kind| kind.is_fifo() || kind.is_char_device())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// What is no regular file and no folder, for users.
pub(super) fn noun(kind: std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        }
    }
    let _ = kind;
    "a device"
}

/// The names in a folder, in no particular order.
///
/// # Errors
/// When the folder cannot be read to its end.
pub fn list_folder(folder: &Path) -> Result<Vec<OsString>> {
    list(folder).map_err(|error| Error::from(error).in_path(folder))
}

pub(super) fn list(folder: &Path) -> io::Result<Vec<OsString>> {
    failure_injection::input_step()?;
    let entries = std::fs::read_dir(folder)?;
    entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect()
}

/// A hidden name in the folder of `target` that no file or folder has: `.name.process-number.tmp`.
pub(super) fn temporary_name(target: &Path) -> PathBuf {
    let name = target
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    let name = name
        .get(..name.floor_char_boundary(MAX_NAME))
        .unwrap_or_default();
    loop {
        let number = next_number();
        let hidden = format!(".{name}.{}-{number}.tmp", std::process::id());
        let path = target.with_file_name(hidden);
        // A folder for several files, or a file of a process on another computer.
        if std::fs::symlink_metadata(&path).is_err() {
            return path;
        }
    }
}

/// A number that this process has not used before.
pub(super) fn next_number() -> u32 {
    NEXT_NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// The folder of a file; `.` for a bare name.
pub(super) fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes the names in the folder of `target` to disk, on systems that can do so.
pub(super) fn sync_folder(target: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder(target)) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = target;
}

/// A new file in the folder of `target`, without a name where the system allows that, otherwise
/// with the temporary name that is returned.
pub(super) fn open_unnamed(target: &Path) -> io::Result<(File, Option<PathBuf>)> {
    if let Some(file) = unnamed(folder(target)) {
        return Ok((file, None));
    }
    let temporary = temporary_name(target);
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    Ok((file, Some(temporary)))
}

#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // Read and write permission for all, less the umask, as for any new file.
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    let file = open(
        folder,
        OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC,
        mode,
    )
    .ok()?;
    // `link` needs /proc to give the file its name.
    std::fs::symlink_metadata("/proc/self/fd").ok()?;
    Some(File::from(file))
}

/// Gives a file that has no name the name `target`.
#[cfg(target_os = "linux")]
pub(super) fn link(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    failure_injection::step()?;
    let from = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, from, CWD, target, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_folder: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn link(_file: &File, _target: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_testkit::Scratch;

    #[test]
    fn a_new_name_replaces_no_file() {
        for rename in [rename_new, rename_new_without_links] {
            let folder = Scratch::new("rename-new");
            let [new, there, free] = ["new", "there", "free"].map(|name| folder.join(name));
            std::fs::write(&new, "new").unwrap();
            std::fs::write(&there, "there").unwrap();
            let error = rename(&new, &there).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read(&there).unwrap(), b"there");
            rename(&new, &free).unwrap();
            assert_eq!(folder.names(), ["free", "there"]);
            assert_eq!(std::fs::read(&free).unwrap(), b"new");
        }
    }
}
