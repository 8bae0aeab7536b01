//! One input: opened at first use, closed when it is idle or its files have changed.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tabia::core::GameFormat;
use tabia::formats::Format;
use tabia::{Error, InputItem, OpenInput, OpenOptions, Resolver};

use crate::opened_input::{Content, OpenedInput};
use crate::opening_inputs::Opening;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::stable_ids::Digest;

/// How long an input that nothing asks about stays open. Other programs cannot replace a mapped file on
/// Windows, so it is closed soon there.
const IDLE: Duration = if cfg!(windows) {
    Duration::from_secs(5)
} else {
    Duration::from_mins(10)
};
/// A text or a member of an archive up to this size is read to count its games before anybody asks.
const COUNTED_BYTES: u64 = 8 << 20;
/// How long the lengths and times of files are taken as unchanged.
const TRUSTED: Duration = Duration::from_millis(500);

/// One input.
#[derive(Debug)]
pub(crate) struct ShelfInput {
    pub(crate) id: String,
    /// Identifies it in the ids of its games; `None` if there are too many inputs.
    pub(crate) slot: Option<u64>,
    pub(crate) digest: Digest,
    /// The name of its file, or of the member of an archive.
    pub(crate) name: String,
    /// The folder as it was given.
    pub(crate) folder: String,
    /// The id of the archive that contains it.
    pub(crate) container: Option<String>,
    /// It was dropped on the page: its folder is of no interest.
    pub(crate) is_dropped: bool,
    /// A job of this server has written it, so another one may replace it.
    pub(crate) is_written: AtomicBool,
    /// `None` if the file is not recognised.
    pub(crate) format: Option<Format>,
    /// Of all its files.
    pub(crate) bytes: Option<u64>,
    /// Why it cannot be used; known when the shelf is made.
    pub(crate) error: Option<Error>,
    pub(crate) label: Arc<Path>,
    /// The files whose change closes the input.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) resolver: Resolver,
    pub(crate) state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) item: Option<InputItem>,
    /// Another request opens it.
    opening: Option<Opening>,
    opened: Option<Arc<OpenedInput>>,
    failed: Option<Failed>,
    checked: Instant,
}

impl State {
    /// Not opened yet.
    pub(crate) fn new(item: Option<InputItem>) -> Self {
        Self {
            item,
            opening: None,
            opened: None,
            failed: None,
            checked: Instant::now(),
        }
    }
}

/// Why it could not be opened, and which state of its files that was.
#[derive(Debug)]
struct Failed {
    problem: Problem,
    fingerprint: String,
    at: Instant,
}

impl ShelfInput {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same input, which could not be read without the password of `resolver`.
    pub(crate) fn unlocked(&self, resolver: &Resolver, item: InputItem) -> Self {
        Self {
            id: self.id.clone(),
            slot: self.slot,
            digest: self.digest,
            name: self.name.clone(),
            folder: self.folder.clone(),
            container: self.container.clone(),
            is_dropped: self.is_dropped,
            is_written: AtomicBool::new(self.is_written.load(Ordering::Relaxed)),
            format: self.format,
            bytes: self.bytes,
            error: None,
            label: Arc::clone(&self.label),
            files: self.files.clone(),
            resolver: resolver.clone(),
            state: Mutex::new(State::new(Some(item))),
        }
    }

    /// The same input with what was found at its path later.
    pub(crate) fn completed(&self, item: InputItem, files: Vec<PathBuf>) -> Self {
        Self {
            format: Some(item.format()),
            bytes: item.total_bytes(),
            files,
            ..self.unlocked(&self.resolver, item)
        }
    }

    /// Whether its file was removed from its folder. A folder that is gone as a whole is one of a disk that will
    /// be back.
    pub(crate) fn is_removed(&self) -> bool {
        let is_removed = |file: &Path| {
            let folder = file.parent().filter(|folder| *folder != Path::new(""));
            !file.exists() && folder.unwrap_or(Path::new(".")).is_dir()
        };
        match &self.container {
            Some(_) => self.files.iter().all(|file| is_removed(file)),
            None => *self.label != *Path::new("-") && is_removed(&self.label),
        }
    }

    /// Closes it if nothing has used it for a while.
    pub(crate) fn close_if_idle(&self) {
        let mut state = self.lock();
        let is_idle = state
            .opened
            .as_ref()
            .is_some_and(|opened| Arc::strong_count(opened) == 1 && opened.idle_time() > IDLE);
        if is_idle {
            state.opened = None;
        }
    }

    pub(crate) fn is_book(&self) -> bool {
        matches!(self.format, Some(Format::Book(_)))
    }

    /// Whether it is a database that can be used.
    pub(crate) fn is_database(&self) -> bool {
        matches!(self.format, Some(Format::Games(_))) && self.error.is_none()
    }

    /// The number of its games, 0 of a book; `None` if it takes long to find out.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) fn quick_count(&self) -> Result<Option<u64>, Error> {
        let is_read_whole = self.is_text() || self.is_book() || self.container.is_some();
        let is_long = is_read_whole && self.bytes.is_none_or(|bytes| bytes > COUNTED_BYTES);
        if is_long {
            return Ok(self.is_book().then_some(0));
        }
        let opened = self.resolve()?.open_indexed(self.options())?;
        let OpenInput::Database(database) = opened.input else {
            return Ok(Some(0));
        };
        let info = database.info();
        Ok(Some(info.records.saturating_sub(info.texts).into()))
    }

    /// Whether it is a text, of which blocks are read and no single games.
    pub(crate) fn is_text(&self) -> bool {
        let games = self.format.and_then(Format::games);
        games.is_some_and(GameFormat::is_streamable)
    }

    /// Whether it may have a saved index: it is in files of its own, which are there the next time as well.
    pub(crate) fn is_indexable(&self) -> bool {
        self.is_database() && self.container.is_none() && !self.is_dropped
    }

    /// When its files changed last, in seconds since 1970 UTC.
    pub(crate) fn modified(&self) -> Option<u64> {
        let times = self.files.iter().filter_map(|file| {
            let modified = std::fs::metadata(file).ok()?.modified().ok()?;
            modified.duration_since(UNIX_EPOCH).ok()
        });
        times.map(|time| time.as_secs()).max()
    }

    /// The bytes of all its files now, or when the shelf was made if it is in an archive or they are gone.
    pub(crate) fn size(&self) -> Option<u64> {
        let state = self.lock();
        let item = state.item.as_ref().filter(|_| self.container.is_none());
        let now = item.and_then(InputItem::total_bytes);
        now.filter(|size| *size > 0).or(self.bytes)
    }

    /// Whether one of its files is in a folder, which is a path without links, and has such a name.
    pub(crate) fn has_file_in(&self, folder: &Path, has_name: &impl Fn(&str) -> bool) -> bool {
        let is_there = |file: &Path| {
            let name = file.file_name().map(OsStr::to_string_lossy);
            let of_file = file.parent().map(Path::canonicalize);
            matches!(of_file, Some(Ok(found)) if found == folder)
                && name.is_some_and(|name| has_name(&name))
        };
        self.files
            .iter()
            .any(|file| is_there(file) || file.canonicalize().is_ok_and(|found| is_there(&found)))
    }

    /// A text that changes when the length or time of a file does.
    pub(crate) fn state_of_files(&self) -> String {
        fingerprint(&self.files)
    }

    /// Why one of its files cannot be read just now; an open input does not notice that.
    pub(crate) fn why_gone(&self) -> Option<Problem> {
        let mut files = self.files.iter().filter(|file| !file.is_dir());
        let error = files.find_map(|file| {
            let error = std::fs::File::open(file).err()?;
            Some(Error::from(error).in_path(file))
        })?;
        Some(Problem::from(error).map_texts(|text| self.without_folder(text)))
    }

    /// What is known without opening it.
    pub(crate) fn if_open(&self) -> Option<Arc<OpenedInput>> {
        self.lock().opened.clone()
    }

    /// The open input. It is opened again if a file has another length or time than when it was opened.
    ///
    /// # Errors
    /// Why it cannot be opened; [`Problem::opening`] while another request opens it.
    pub(crate) fn open(&self) -> Result<Arc<OpenedInput>, Problem> {
        let (item, before, _guard) = {
            let mut state = self.lock();
            if let Some(opened) = &state.opened {
                let is_unchanged = state.checked.elapsed() < TRUSTED
                    || opened.fingerprint == fingerprint(&self.files);
                if is_unchanged {
                    let opened = Arc::clone(opened);
                    opened.touch();
                    if state.checked.elapsed() >= TRUSTED {
                        state.checked = Instant::now();
                    }
                    return Ok(opened);
                }
                state.opened = None;
                state.item = None;
            }
            if let Some(opening) = &state.opening
                && !opening.is_over()
            {
                return Err(Problem::opening(opening.clone()));
            }
            let before = fingerprint(&self.files);
            // Those who waited need not find out again that it cannot be opened.
            if let Some(failed) = &state.failed
                && failed.at.elapsed() < TRUSTED
                && failed.fingerprint == before
            {
                return Err(failed.problem.clone());
            }
            let (guard, opening) = Opening::begin();
            state.opening = Some(opening);
            (state.item.take(), before, guard)
        };
        let result = self.open_item(item, before.clone());
        let mut state = self.lock();
        state.opening = None;
        state.failed = None;
        let (item, opened) = result.map_err(|problem| {
            let problem = problem.map_texts(|text| self.without_folder(text));
            state.failed = Some(Failed {
                problem: problem.clone(),
                fingerprint: before,
                at: Instant::now(),
            });
            problem
        })?;
        state.item = Some(item);
        state.checked = Instant::now();
        state.opened = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn open_item(
        &self,
        item: Option<InputItem>,
        fingerprint: String,
    ) -> Result<(InputItem, Arc<OpenedInput>), Problem> {
        let item = match item {
            Some(item) => item,
            None => self.resolve()?,
        };
        let opened = item.open_indexed(&self.resolver.options)?;
        let mut problems: Vec<String> = opened.problems.iter().map(ToString::to_string).collect();
        let content = match opened.input {
            OpenInput::Database(database) => {
                problems.extend(database.info().problems.iter().cloned());
                Content::Database(Arc::from(database))
            }
            OpenInput::Book(book) => {
                problems.extend(book.info().problems.iter().cloned());
                Content::Book(book)
            }
            _ => {
                let text = format!("`{}` is an archive; open what is in it", self.id);
                return Err(Problem::bad_request(text).coded(Code::IsArchive, &[("id", &self.id)]));
            }
        };
        let opened = Arc::new(OpenedInput::new(content, fingerprint, problems));
        Ok((item, opened))
    }

    /// Finds the input on disk again.
    ///
    /// # Errors
    /// When it is no longer there, or is something else.
    pub(crate) fn resolve(&self) -> Result<InputItem, Error> {
        let mut found = self.resolver.resolve_each(self.label.as_os_str())?;
        match found.pop() {
            Some(item) if found.is_empty() => item,
            _ => Err(Error::unsupported("the file is now a folder").in_file(&self.label)),
        }
    }

    /// The password of those inputs that have one.
    pub(crate) fn password_of(inputs: &[Arc<Self>]) -> Option<String> {
        let mut passwords = inputs
            .iter()
            .filter_map(|input| input.options().password.clone());
        passwords.next()
    }

    pub(crate) fn options(&self) -> &OpenOptions {
        &self.resolver.options
    }

    /// `text` without the folder of the input, which only its owner should see.
    pub(crate) fn without_folder(&self, text: &str) -> String {
        if self.folder.is_empty() {
            return text.to_owned();
        }
        let prefix = format!("{}{}", self.folder, std::path::MAIN_SEPARATOR);
        text.replace(&prefix, "")
    }
}

/// The files whose change closes an input.
pub(crate) fn watched_files(
    item: Option<&InputItem>,
    container: Option<&ShelfInput>,
    label: &Path,
) -> Vec<PathBuf> {
    match (container, item.and_then(InputItem::source)) {
        (Some(container), _) => container.files.clone(),
        (None, Some(source)) => {
            let files = std::iter::once(source.main()).chain(source.siblings());
            let mut files: Vec<PathBuf> = files
                .chain(source.parts())
                .filter_map(|file| file.path().map(Path::to_path_buf))
                .collect();
            files.sort();
            files.dedup();
            files
        }
        (None, None) => vec![label.to_path_buf()],
    }
}

/// A number made from the lengths and times of files.
fn fingerprint(files: &[PathBuf]) -> String {
    let mut hasher = DefaultHasher::new();
    for file in files {
        match std::fs::metadata(file) {
            Ok(metadata) => {
                metadata.len().hash(&mut hasher);
                metadata
                    .modified()
                    .unwrap_or(SystemTime::UNIX_EPOCH)
                    .hash(&mut hasher);
            }
            Err(_) => 0_u8.hash(&mut hasher),
        }
    }
    format!("{:016x}", hasher.finish())
}
