//! Files that are dropped on the page: stored in a private folder, opened as inputs, and removed with the server.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::future::poll_fn;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, StatusCode, header};
use tabia::Error;
use tokio::sync::Semaphore;

use crate::private_folder::{DROPPED, PrivateFolder};
use crate::problem::Problem;
use crate::problem_codes::Code;

/// Bytes of all dropped files, if the disk has them.
pub(crate) const QUOTA: u64 = 8 << 30;
/// Bytes of the disk that stay free.
const LEFT_FREE: u64 = 1 << 30;
/// Dropped files at most.
const MAX_FILES: usize = 10_000;
/// Files that are received at the same time.
const MAX_UPLOADS: usize = 4;
/// Bytes that are written at once.
const CHUNK: usize = 256 << 10;
/// A file of which nothing arrives for this time is given up.
const IDLE: Duration = Duration::from_secs(30);
/// Bytes of a name.
const MAX_NAME: usize = 200;
/// The dropped files of a server.
#[derive(Debug)]
pub(crate) struct DroppedFiles {
    parent: PathBuf,
    quota: u64,
    uploads: Semaphore,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    folder: Option<PrivateFolder>,
    /// Bytes of the files, those that still arrive included.
    used: u64,
    /// Bytes of them that are not yet written.
    expected: u64,
    files: usize,
    /// Names of the folders of sets that nothing is added to.
    complete: BTreeSet<String>,
    is_closed: bool,
}

/// A file that arrives; removed unless it is finished.
#[derive(Debug)]
struct Upload {
    dropped: Arc<DroppedFiles>,
    path: PathBuf,
    file: File,
    /// Bytes of the quota that it has.
    reserved: u64,
    written: u64,
    is_finished: bool,
}

impl Upload {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let end = self.written + bytes.len() as u64;
        if end > self.reserved {
            self.dropped.reserve(end - self.reserved)?;
            self.reserved = end;
        }
        self.file
            .write_all(bytes)
            .map_err(|error| of_disk(&error))?;
        self.written = end;
        let mut state = self.dropped.lock();
        state.expected = state.expected.saturating_sub(bytes.len() as u64);
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let unused = self.reserved - self.written;
        let mut state = self.dropped.lock();
        state.expected = state.expected.saturating_sub(unused);
        if self.is_finished {
            state.used = state.used.saturating_sub(unused);
            return;
        }
        state.used = state.used.saturating_sub(self.reserved);
        state.files = state.files.saturating_sub(1);
        drop(state);
        // The folder goes with the server.
        let _ = fs::remove_file(&self.path);
    }
}

/// A file that arrived, and the folder of its set.
#[derive(Debug)]
pub(crate) struct DroppedSet {
    pub(crate) folder: PathBuf,
}

impl DroppedFiles {
    /// Files in a folder in `parent`, which is made for the first one.
    pub(crate) fn new(parent: PathBuf, quota: u64) -> Self {
        Self {
            parent,
            quota,
            uploads: Semaphore::new(MAX_UPLOADS),
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that further files may have.
    pub(crate) fn space(&self) -> u64 {
        self.space_of(&self.lock())
    }

    fn space_of(&self, state: &State) -> u64 {
        let of_quota = self.quota.saturating_sub(state.used);
        let folder = state.folder.as_ref().map(PrivateFolder::path);
        let of_disk = free_bytes(folder.unwrap_or(&self.parent))
            .map(|free| free.saturating_sub(LEFT_FREE.saturating_add(state.expected)));
        of_disk.map_or(of_quota, |of_disk| of_disk.min(of_quota))
    }

    fn reserve(&self, bytes: u64) -> Result<(), Problem> {
        let mut state = self.lock();
        let space = self.space_of(&state);
        if bytes > space {
            return Err(full(space));
        }
        state.used += bytes;
        state.expected += bytes;
        Ok(())
    }

    /// Receives a file into the folder of a set: of `set`, or of its own.
    ///
    /// # Errors
    /// For names that are no plain names of files, files that exist, and sets that are complete; when there is no
    /// space, or nothing arrives.
    pub(crate) async fn receive(
        self: &Arc<Self>,
        name: String,
        set: Option<u64>,
        headers: &HeaderMap,
        mut body: Body,
    ) -> Result<DroppedSet, Problem> {
        check_name(&name)?;
        let _permit = self
            .uploads
            .try_acquire()
            .map_err(|_| Problem::busy("too many files arrive at the same time"))?;
        let declared = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let dropped = Arc::clone(self);
        let mut upload = blocking(move || dropped.begin(&name, set, declared)).await?;
        let mut bytes = Vec::new();
        loop {
            let next = tokio::time::timeout(IDLE, next_part(&mut body)).await;
            let next = next.map_err(|_| {
                let text = "no more bytes of the file arrive";
                Problem::new(StatusCode::REQUEST_TIMEOUT, text)
            })?;
            let is_end = next.is_none();
            match next {
                Some(Ok(part)) => bytes.extend_from_slice(&part),
                Some(Err(_)) => {
                    return Err(Problem::bad_request("the file did not arrive completely"));
                }
                None => {}
            }
            if bytes.len() >= CHUNK || is_end {
                let chunk = std::mem::take(&mut bytes);
                upload = blocking(move || upload.write(&chunk).map(|()| upload)).await?;
            }
            if is_end {
                break;
            }
        }
        upload.is_finished = true;
        let folder = upload.path.parent().map(Path::to_path_buf);
        Ok(DroppedSet {
            folder: folder.unwrap_or_default(),
        })
    }

    fn begin(
        self: &Arc<Self>,
        name: &str,
        set: Option<u64>,
        declared: Option<u64>,
    ) -> Result<Upload, Problem> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // The number of a set comes from the page.
        let set = match set {
            Some(set) => format!("set-{set}"),
            None => format!("file-{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
        };
        let reserved = declared.unwrap_or_default();
        let mut state = self.lock();
        if state.is_closed {
            return Err(Problem::busy("the server ends"));
        }
        let conflict = |text: String| Problem::new(StatusCode::CONFLICT, text);
        if state.complete.contains(&set) {
            return Err(conflict("these files have been opened already".into()));
        }
        if state.folder.is_none() {
            let folder =
                PrivateFolder::new(&self.parent, DROPPED).map_err(|error| of_disk(&error))?;
            state.folder = Some(folder);
        }
        let space = self.space_of(&state);
        if reserved > space {
            return Err(full(space));
        }
        if state.files >= MAX_FILES {
            let text = "10,000 files were dropped; start the server again to drop more";
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        let Some(folder) = &state.folder else {
            return Err(Problem::busy("the server ends"));
        };
        let folder = folder.path().join(set);
        let path = folder.join(name);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = fs::create_dir_all(&folder).and_then(|()| options.open(&path));
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                conflict(format!("`{name}` is among these files already"))
            }
            _ => of_disk(&error),
        })?;
        state.used += reserved;
        state.expected += reserved;
        state.files += 1;
        Ok(Upload {
            dropped: Arc::clone(self),
            path,
            file,
            reserved,
            written: 0,
            is_finished: false,
        })
    }

    /// Nothing is added to the set any more.
    pub(crate) fn complete(&self, set: &DroppedSet) {
        if let Some(name) = set.folder.file_name() {
            let name = name.to_string_lossy().into_owned();
            self.lock().complete.insert(name);
        }
    }

    /// Removes the files of a set.
    pub(crate) fn discard(&self, set: &DroppedSet) {
        let entries = fs::read_dir(&set.folder).into_iter().flatten().flatten();
        let (mut files, mut bytes) = (0, 0);
        for entry in entries {
            let len = entry.metadata().map_or(0, |metadata| metadata.len());
            if fs::remove_file(entry.path()).is_ok() {
                files += 1;
                bytes += len;
            }
        }
        let mut state = self.lock();
        state.files = state.files.saturating_sub(files);
        state.used = state.used.saturating_sub(bytes);
        drop(state);
        // An empty folder is harmless.
        let _ = fs::remove_dir(&set.folder);
    }

    /// Removes all files; no further ones are received.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.folder = None;
    }
}

impl Drop for DroppedFiles {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs work that may wait for the disk.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Problem::busy("the server ends")))
}

/// The next bytes of a body; `None` at its end.
async fn next_part(body: &mut Body) -> Option<Result<Bytes, axum::Error>> {
    loop {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        match frame? {
            Ok(frame) => {
                if let Ok(bytes) = frame.into_data() {
                    return Some(Ok(bytes));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}

fn full(space: u64) -> Problem {
    let text = format!("the space for dropped files is full: {space} bytes are left");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text)
        .coded(Code::SpaceIsFull, &[("bytes", &space)])
        .with_hint("start `tabia serve` with the path of the file")
}

fn of_disk(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => full(0),
        _ => {
            let text = format!(
                "the file cannot be stored: {}",
                Error::from(io::Error::from(error.kind()))
            );
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text)
        }
    }
}

/// Whether a name is one plain name on every system, and no name that this program reads as something else.
pub(crate) fn check_name(name: &str) -> Result<(), Problem> {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_uppercase();
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || ["COM", "LPT"].iter().any(|device| {
            let number = stem.strip_prefix(device);
            number.is_some_and(|number| number.chars().count() == 1)
        });
    let reason = if name.is_empty() {
        "is empty"
    } else if name.len() > MAX_NAME {
        "is longer than 200 bytes"
    } else if name.contains(|c: char| c.is_control() || r#"/\:*?"<>|"#.contains(c)) {
        r#"has a control character or one of / \ : * ? " < > |"#
    } else if name.starts_with(['.', '-', ' ']) || name.ends_with(['.', ' ']) {
        "begins with a dot, dash or space, or ends with a dot or space"
    } else if is_device {
        "is that of a device"
    } else {
        return Ok(());
    };
    let text = format!("the name of the file {reason}");
    let problem = Problem::bad_request(text).coded(Code::FileName, &[]);
    Err(problem.with_hint("give the file another name"))
}

/// Bytes of the disk that this user may still write; `None` if the system does not state it.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = folder.ancestors().find(|folder| folder.exists())?;
    let state = rustix::fs::statvfs(folder).ok()?;
    state.f_bavail.checked_mul(state.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_stored() {
        for name in [
            "games.pgn",
            "Партии 2024.cbh",
            "a.b.c",
            "console.pgn",
            "com10.pgn",
            "x",
        ] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        let long = "x".repeat(201);
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "/etc/passwd",
            "C:\\x",
            "a:b",
            "x\0",
            "x\n",
            "-",
            "-o",
            ".hidden",
            "x.",
            "x ",
            "con",
            "CON.pgn",
            "nul .pgn",
            "Com1.pgn",
            "lpt\u{b9}.pgn",
            "a*",
            "a?",
            "<img>",
            "a|b",
            "\"",
            long.as_str(),
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn the_quota_counts_files_that_arrive_and_returns_those_that_did_not() {
        let parent = tabia_testkit::Scratch::new("dropped-quota");
        let dropped = Arc::new(DroppedFiles::new(parent.path().to_path_buf(), 100));
        if dropped.space() < 100 {
            eprintln!("the disk is full");
            return;
        }
        let begin = |name: &str, declared| dropped.begin(name, Some(1), declared);
        let mut first = begin("a", Some(60)).unwrap();
        assert_eq!(dropped.space(), 40);
        let status = |result: Result<Upload, Problem>| result.unwrap_err().status.as_u16();
        assert_eq!(status(begin("b", Some(41))), 413);
        assert_eq!(status(begin("a", Some(1))), 409);
        first.write(&[0; 60]).unwrap();
        first.is_finished = true;
        drop(first);
        let mut open = begin("c", None).unwrap();
        open.write(&[0; 40]).unwrap();
        assert_eq!(open.write(&[0; 1]).unwrap_err().status.as_u16(), 413);
        let path = open.path.clone();
        drop(open);
        assert!(!path.exists());
        assert_eq!(dropped.space(), 40);
        let set = DroppedSet {
            folder: path.parent().unwrap().to_path_buf(),
        };
        dropped.complete(&set);
        assert_eq!(status(begin("d", Some(1))), 409);
        dropped.discard(&set);
        assert_eq!(dropped.space(), 100);
        dropped.close();
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        assert_eq!(status(begin("e", None)), 503);
    }
}
