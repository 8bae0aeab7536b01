//! The inputs under ids, opened at first use.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tabia::core::games::NameKind;
use tabia::formats::Format;
use tabia::{
    Book, BookSize, Database, Error, GameIndex, InputItem, OpenInput, OpenOptions, Resolver,
};

use crate::names_by_frequency::{CountedName, names};
use crate::opening_inputs::Opening;
use crate::problem::Problem;
use crate::stable_ids::{Digest, RealFolders, plain_name};

/// How long an input that nothing asks about stays open. Other programs cannot replace a mapped file on
/// Windows, so it is closed soon there.
const IDLE: Duration = if cfg!(windows) {
    Duration::from_secs(5)
} else {
    Duration::from_mins(10)
};
/// How long the lengths and times of files are taken as unchanged.
const TRUSTED: Duration = Duration::from_millis(500);
/// A book up to this size is read to count its positions if it does not state their number.
const COUNTED_BOOK: u64 = 256 << 20;

/// The databases, books and archives that a server shows, each under an id that requests name it by. Ids exist
/// only for these inputs.
#[derive(Debug)]
pub struct Shelf {
    inputs: RwLock<Inputs>,
    /// Numbers of the inputs with games of masters.
    masters: Vec<usize>,
    /// Recognises dropped files.
    resolver: Resolver,
}

/// The inputs; none is ever removed, so their numbers stay the same.
#[derive(Debug, Default)]
struct Inputs {
    list: Vec<Arc<ShelfInput>>,
    by_id: BTreeMap<String, usize>,
    by_label: HashMap<Arc<Path>, usize>,
    /// The inputs by the slots of their games.
    by_slot: HashMap<u64, usize>,
    /// The inputs in no archive by their names.
    by_name: BTreeMap<String, Vec<usize>>,
    folders: RealFolders,
}

/// An input that is found, and what is known of it besides.
#[derive(Debug, Clone, Copy, Default)]
struct Origin<'c> {
    /// The archive that contains it.
    container: Option<&'c ShelfInput>,
    /// It was dropped on the page.
    is_dropped: bool,
    /// A job of this server has written it.
    is_written: bool,
}

/// The number of inputs by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShelfCounts {
    /// Databases, those in archives too.
    pub databases: usize,
    /// Books, those in archives too.
    pub books: usize,
    /// Archives.
    pub archives: usize,
    /// Inputs that cannot be opened.
    pub unreadable: usize,
}

/// One input.
#[derive(Debug)]
pub(crate) struct ShelfInput {
    pub(crate) id: String,
    /// Identifies it in the ids of its games; `None` if there are too many inputs.
    pub(crate) slot: Option<u64>,
    digest: Digest,
    /// The name of its file, or of the member of an archive.
    pub(crate) name: String,
    /// The folder as it was given.
    pub(crate) folder: String,
    /// The id of the archive that contains it.
    pub(crate) container: Option<String>,
    /// It was dropped on the page: its folder is of no interest.
    pub(crate) is_dropped: bool,
    /// A job of this server has written it, so another one may replace it.
    pub(crate) is_written: bool,
    /// `None` if the file is not recognised.
    pub(crate) format: Option<Format>,
    pub(crate) bytes: Option<u64>,
    /// Why it cannot be used; known when the shelf is made.
    pub(crate) error: Option<Error>,
    label: Arc<Path>,
    /// The files whose change closes the input.
    files: Vec<PathBuf>,
    resolver: Resolver,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    item: Option<InputItem>,
    /// Another request opens it.
    opening: Option<Opening>,
    opened: Option<Arc<OpenedInput>>,
    failed: Option<Failed>,
    checked: Instant,
}

/// Why it could not be opened, and which state of its files that was.
#[derive(Debug)]
struct Failed {
    problem: Problem,
    fingerprint: String,
    at: Instant,
}

/// An open database or book.
pub(crate) struct OpenedInput {
    pub(crate) content: Content,
    /// Changes when a file of the input changes.
    pub(crate) fingerprint: String,
    /// Problems found on opening.
    pub(crate) problems: Vec<String>,
    overview: OnceLock<Overview>,
    size: OnceLock<Option<BookSize>>,
    names: Mutex<Vec<(NameKind, Arc<Vec<CountedName>>)>>,
    used: Mutex<Instant>,
}

/// What the index entries of a database state together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Overview {
    /// The first and the last year; `None` if no game has a date.
    pub(crate) years: Option<(u16, u16)>,
    /// Games with variations, comments or symbols, and all games; `None` if the index does not store that.
    pub(crate) annotated: Option<(u32, u32)>,
}

pub(crate) enum Content {
    Database(Box<dyn Database>),
    Book(Box<dyn Book>),
}

impl std::fmt::Debug for OpenedInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedInput")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl Shelf {
    /// The inputs that paths name: files, sets, folders. Archives are looked into one level deep. What a folder
    /// contains and cannot be recognised is an input with an error.
    ///
    /// # Errors
    /// When a path does not exist or cannot be read.
    pub fn new(paths: &[impl AsRef<OsStr>], resolver: &Resolver) -> Result<Self, Error> {
        let mut inputs = Inputs::default();
        for path in paths {
            for found in resolver.resolve_each(path.as_ref())? {
                inputs.add(resolver, found, Origin::default());
            }
        }
        inputs.distinguish_equal_names();
        Ok(Self {
            inputs: RwLock::new(inputs),
            masters: Vec::new(),
            resolver: resolver.clone(),
        })
    }

    /// Adds inputs with the games that `/masters` answers from; without such inputs it answers from all.
    ///
    /// # Errors
    /// When a path does not exist or cannot be read.
    pub fn add_masters(
        &mut self,
        paths: &[impl AsRef<OsStr>],
        resolver: &Resolver,
    ) -> Result<(), Error> {
        let inputs = self.inputs.get_mut();
        let inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        for path in paths {
            for found in resolver.resolve_each(path.as_ref())? {
                let label = found.as_ref().ok().map(|item| Arc::clone(item.label()));
                let before = inputs.list.len();
                inputs.add(resolver, found, Origin::default());
                let known = label.and_then(|label| inputs.by_label.get(&label));
                self.masters.extend(known);
                // The members of an archive too.
                self.masters.extend(before..inputs.list.len());
            }
        }
        inputs.distinguish_equal_names();
        Ok(())
    }

    /// The numbers of the inputs with games of masters.
    pub(crate) fn masters(&self) -> &[usize] {
        &self.masters
    }

    /// The number of inputs by kind.
    pub fn counts(&self) -> ShelfCounts {
        let mut counts = ShelfCounts::default();
        for input in &self.read().list {
            match input.format {
                _ if input.error.is_some() => counts.unreadable += 1,
                Some(Format::Games(_)) => counts.databases += 1,
                Some(Format::Book(_)) => counts.books += 1,
                Some(Format::Archive(_)) => counts.archives += 1,
                Some(Format::Export(_)) | None => counts.unreadable += 1,
            }
        }
        counts
    }

    fn read(&self) -> RwLockReadGuard<'_, Inputs> {
        self.inputs.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inputs(&self) -> Vec<Arc<ShelfInput>> {
        self.read().list.clone()
    }

    /// The input with a number from 0.
    pub(crate) fn numbered(&self, number: usize) -> Option<Arc<ShelfInput>> {
        self.read().list.get(number).map(Arc::clone)
    }

    /// Adds what is in a folder with dropped files, and returns it with the reasons why other files are not used.
    ///
    /// # Errors
    /// When nothing in it is recognised.
    pub(crate) fn add_dropped(
        &self,
        folder: &Path,
    ) -> Result<(Vec<Arc<ShelfInput>>, Vec<String>), Problem> {
        let entries = std::fs::read_dir(folder).map_err(Error::from)?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut found = match files.as_slice() {
            [_] => Vec::new(),
            _ => self.resolver.resolve_each(folder.as_os_str())?,
        };
        // A folder contains only what has the name of a format; these files were chosen one by one.
        for file in &files {
            match self.resolver.resolve_each(file.as_os_str()) {
                Ok(more) => found.extend(more),
                Err(error) => found.push(Err(error)),
            }
        }
        let prefix = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        let mut problems = Vec::new();
        let mut items = Vec::new();
        for found in found {
            match found {
                Ok(item) => items.push(item),
                Err(error) => problems.push(error.to_string().replace(&prefix, "")),
            }
        }
        problems.sort();
        problems.dedup();
        if items.is_empty() {
            let text = problems.into_iter().next();
            let text = text.unwrap_or_else(|| "there are no files".to_owned());
            let status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
            return Err(Problem::new(status, text));
        }
        let inputs = self.inputs.write();
        let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        let before = inputs.list.len();
        let origin = Origin {
            is_dropped: true,
            ..Origin::default()
        };
        for item in items {
            inputs.add(&self.resolver, Ok(item), origin);
        }
        let added = inputs.list.get(before..).unwrap_or_default().to_vec();
        Ok((added, problems))
    }

    /// Adds a file that was written, unless it is one of the inputs already, and returns the ids of what it is.
    /// What cannot be opened has none.
    pub(crate) fn add_written(&self, path: &Path) -> Vec<String> {
        let Ok(found) = self.resolver.resolve_each(path.as_os_str()) else {
            return Vec::new();
        };
        let inputs = self.inputs.write();
        let mut inputs = inputs.unwrap_or_else(PoisonError::into_inner);
        let mut ids = Vec::new();
        let origin = Origin {
            is_written: true,
            ..Origin::default()
        };
        for item in found.into_iter().flatten() {
            let label = Arc::clone(item.label());
            inputs.add(&self.resolver, Ok(item), origin);
            let known = inputs.by_label.get(&label);
            let known = known.and_then(|index| inputs.list.get(*index));
            ids.extend(known.map(|input| input.id.clone()));
        }
        ids
    }

    /// The input with an id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<ShelfInput>, Problem> {
        let inputs = self.read();
        let index = inputs.by_id.get(id);
        if let Some(input) = index.and_then(|index| inputs.list.get(*index)) {
            return Ok(Arc::clone(input));
        }
        let equal = inputs.by_name.get(id).into_iter().flatten();
        let equal = equal.filter_map(|index| Some(inputs.list.get(*index)?.id.as_str()));
        let equal: Vec<&str> = equal.take(10).collect();
        if equal.is_empty() {
            return Err(Problem::not_found(format!("no input has the id `{id}`")));
        }
        let problem = Problem::not_found(format!("several inputs are called `{id}`"));
        Err(problem.with_hint(format!("their ids: {}", equal.join(", "))))
    }

    /// The number of the input whose games have a slot in their ids.
    pub(crate) fn of_slot(&self, slot: u64) -> Option<usize> {
        self.read().by_slot.get(&slot).copied()
    }

    /// The open database with an id.
    pub(crate) fn database(&self, id: &str) -> Result<Arc<OpenedInput>, Problem> {
        let opened = self.find(id)?.open()?;
        match opened.content {
            Content::Database(_) => Ok(opened),
            Content::Book(_) => Err(Problem::bad_request(format!("`{id}` is a book"))),
        }
    }

    /// Closes inputs that are idle.
    pub(crate) fn close_idle(&self) {
        for input in self.inputs() {
            let mut state = input.lock();
            let is_idle = state.opened.as_ref().is_some_and(|opened| {
                Arc::strong_count(opened) == 1
                    && opened
                        .used
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .elapsed()
                        > IDLE
            });
            if is_idle {
                state.opened = None;
            }
        }
    }
}

impl Inputs {
    fn add(&mut self, resolver: &Resolver, found: Result<InputItem, Error>, origin: Origin<'_>) {
        let Origin {
            container,
            is_dropped,
            is_written,
        } = origin;
        let label: Arc<Path> = match &found {
            Ok(item) => Arc::clone(item.label()),
            Err(error) => match &error.location().file {
                Some(file) => Arc::clone(file),
                None => return,
            },
        };
        if self.by_label.contains_key(&label) {
            return;
        }
        let text = label.to_string_lossy();
        let name = match container {
            Some(container) => {
                let outer = container.label.to_string_lossy();
                let inner = text.strip_prefix(&*outer).unwrap_or(&text);
                inner.trim_start_matches(':').to_owned()
            }
            None => label.file_name().map_or_else(
                || text.clone().into_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
        };
        let folder = match container {
            Some(container) => container.folder.clone(),
            None => label
                .parent()
                .map(|parent| parent.display().to_string())
                .unwrap_or_default(),
        };
        let files = watched_files(found.as_ref().ok(), container, &label);
        let (item, error) = match found {
            Ok(item) => (Some(item), None),
            Err(error) => (None, Some(error)),
        };
        let digest = match container {
            Some(container) => container.digest.with(&name),
            // Its folder is another one each time.
            None if is_dropped => Digest::of(&[&name]),
            None => Digest::of(&[&self.folders.path_of(&label).to_string_lossy()]),
        };
        let mut input = ShelfInput {
            id: self.free_id(&name, container, digest),
            slot: digest.slot(&self.by_slot),
            digest,
            name,
            folder,
            container: container.map(|container| container.id.clone()),
            is_dropped,
            is_written,
            format: item.as_ref().map(InputItem::format),
            bytes: item.as_ref().and_then(InputItem::bytes),
            error,
            label,
            files,
            resolver: resolver.clone(),
            state: Mutex::new(State {
                item: None,
                opening: None,
                opened: None,
                failed: None,
                checked: Instant::now(),
            }),
        };
        let archive = match item.as_ref().map(|item| resolver.archive(item)) {
            _ if matches!(input.format, Some(Format::Export(_))) => {
                let error = Error::unsupported("games are only written in this format");
                input.error = Some(error.in_file(&input.label));
                None
            }
            Some(Ok(archive)) => archive,
            Some(Err(error)) => {
                input.error = Some(error);
                None
            }
            None => None,
        };
        input
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .item = item;
        let number = self.list.len();
        self.by_id.insert(input.id.clone(), number);
        self.by_slot.extend(input.slot.map(|slot| (slot, number)));
        if container.is_none() {
            let name = plain_name(&input.name);
            // An address that was kept while another input had the same name.
            let long = digest.after(&name);
            self.by_id.entry(long).or_insert(number);
            self.by_name.entry(name).or_default().push(number);
        }
        self.by_label
            .insert(Arc::clone(&input.label), self.list.len());
        let input = Arc::new(input);
        self.list.push(Arc::clone(&input));
        if let Some(archive) = archive {
            for member in resolver.contents(&archive) {
                let origin = Origin {
                    container: Some(&input),
                    is_dropped,
                    is_written,
                };
                self.add(resolver, member, origin);
            }
        }
    }

    /// The name; for a member of an archive after the id of that; with the digest if another input has it.
    fn free_id(&self, name: &str, container: Option<&ShelfInput>, digest: Digest) -> String {
        let name = match container {
            Some(container) => format!("{}~{}", container.id, plain_name(name)),
            None => plain_name(name),
        };
        if !self.by_id.contains_key(&name) {
            return name;
        }
        let long = digest.after(&name);
        let mut id = long.clone();
        let mut number = 2;
        while self.by_id.contains_key(&id) {
            id = format!("{long}-{number}");
            number += 1;
        }
        id
    }

    /// Gives those inputs that have the same name ids with their digests, so that none of these ids depends on
    /// what else there is. Only before the server starts: later no id changes.
    fn distinguish_equal_names(&mut self) {
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        for (name, numbers) in &self.by_name {
            // The others have their digests already.
            if let [first, _, ..] = numbers.as_slice()
                && self.by_id.get(name) == Some(first)
                && let Some(input) = self.list.get(*first)
            {
                let long = input.digest.after(name);
                if self.by_id.get(&long) == Some(first) {
                    renamed.insert(name.clone(), long);
                }
            }
        }
        for input in &mut self.list {
            // Nothing else has the inputs yet.
            let Some(input) = Arc::get_mut(input) else {
                continue;
            };
            let (outer, inner) = match &input.container {
                Some(outer) => (outer, input.id.strip_prefix(outer.as_str())),
                None => (&input.id, Some("")),
            };
            if let (Some(long), Some(inner)) = (renamed.get(outer), inner) {
                let id = format!("{long}{inner}");
                if let Some(number) = self.by_id.remove(&input.id) {
                    self.by_id.insert(id.clone(), number);
                }
                if input.container.is_some() {
                    input.container = Some(long.clone());
                }
                input.id = id;
            }
        }
    }
}

impl ShelfInput {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_book(&self) -> bool {
        matches!(self.format, Some(Format::Book(_)))
    }

    /// Whether it is a database that can be used.
    pub(crate) fn is_database(&self) -> bool {
        matches!(self.format, Some(Format::Games(_))) && self.error.is_none()
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
                    *opened.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
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
            let problem = Problem {
                detail: self.without_folder(&problem.detail),
                ..problem
            };
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
                Content::Database(database)
            }
            OpenInput::Book(book) => {
                problems.extend(book.info().problems.iter().cloned());
                Content::Book(book)
            }
            _ => {
                let text = format!("`{}` is an archive; open what is in it", self.id);
                return Err(Problem::bad_request(text));
            }
        };
        let opened = Arc::new(OpenedInput {
            content,
            fingerprint,
            problems,
            overview: OnceLock::new(),
            size: OnceLock::new(),
            names: Mutex::default(),
            used: Mutex::new(Instant::now()),
        });
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

impl OpenedInput {
    pub(crate) fn database(&self) -> Option<&dyn Database> {
        match &self.content {
            Content::Database(database) => Some(&**database),
            Content::Book(_) => None,
        }
    }

    pub(crate) fn book(&self) -> Option<&dyn Book> {
        match &self.content {
            Content::Database(_) => None,
            Content::Book(book) => Some(&**book),
        }
    }

    /// Years and annotated games of a database, of the records that are games and not deleted.
    pub(crate) fn overview(&self) -> Overview {
        *self.overview.get_or_init(|| {
            let mut found = Overview::default();
            let Some(database) = self.database() else {
                return found;
            };
            let (mut games, mut annotated, mut is_stored) = (0, 0, false);
            for game in 0..database.len() {
                let Ok(entry) = database.entry(GameIndex(game)) else {
                    continue;
                };
                if entry.deleted || entry.is_text {
                    continue;
                }
                games += 1;
                let marks = [entry.has_variations, entry.has_comments, entry.has_nags];
                is_stored |= marks.iter().any(Option::is_some);
                annotated += u32::from(marks.contains(&Some(true)));
                let year = entry.date.year;
                if year > 0 {
                    let (first, last) = found.years.unwrap_or((year, year));
                    found.years = Some((first.min(year), last.max(year)));
                }
            }
            found.annotated = is_stored.then_some((annotated, games));
            found
        })
    }

    /// The names of one kind by frequency.
    pub(crate) fn names(&self, kind: NameKind) -> Arc<Vec<CountedName>> {
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = known.iter().find(|(other, _)| *other == kind) {
            return Arc::clone(names);
        }
        let database = self.database();
        let names = database.map(|database| names(database, kind));
        let names = Arc::new(names.unwrap_or_default());
        known.push((kind, Arc::clone(&names)));
        names
    }

    /// Positions and moves of a book; `None` if only a long walk could count them.
    pub(crate) fn size(&self, bytes: Option<u64>) -> Option<BookSize> {
        *self.size.get_or_init(|| {
            let book = self.book()?;
            let info = book.info();
            match (info.positions, info.moves) {
                (Some(positions), Some(moves)) => Some(BookSize::new(positions, moves)),
                _ if bytes.is_some_and(|bytes| bytes <= COUNTED_BOOK) => book.size().ok(),
                _ => None,
            }
        })
    }
}

/// The files whose change closes an input.
fn watched_files(
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

#[cfg(test)]
mod tests {
    use super::*;

    use tabia_testkit::Scratch;

    fn ids(shelf: &Shelf) -> BTreeMap<String, String> {
        let inputs = shelf.inputs().into_iter();
        inputs
            .map(|input| (input.label.display().to_string(), input.id.clone()))
            .collect()
    }

    #[test]
    fn ids_do_not_depend_on_what_else_there_is() {
        let folder = Scratch::new("shelf-ids");
        let write = |name: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "1. e4 *\n").unwrap();
        };
        let shelf = || Shelf::new(&[folder.path()], &Resolver::default()).unwrap();
        write("m/games.pgn");
        write("other.pgn");
        let first = shelf();
        let label = |name: &str| folder.join(name).display().to_string();
        let of = |shelf: &Shelf, name: &str| ids(shelf).remove(&label(name)).unwrap();
        assert_eq!(of(&first, "m/games.pgn"), "games.pgn");
        let slot = |shelf: &Shelf, name: &str| {
            let found = shelf.inputs().into_iter();
            let mut found = found.filter(|input| input.label.ends_with(name));
            found.next().unwrap().slot.unwrap()
        };
        // Others before and after it, in the order of their paths.
        write("a/games.pgn");
        write("z/games.pgn");
        write("a/new.pgn");
        let second = shelf();
        let long = of(&second, "m/games.pgn");
        assert!(long.starts_with("games.pgn~"), "{long}");
        assert_eq!(slot(&first, "m/games.pgn"), slot(&second, "m/games.pgn"));
        assert_eq!(of(&second, "other.pgn"), "other.pgn");
        // A kept address leads to the same input, or asks which one is meant; never to another one.
        assert_eq!(first.find(&long).unwrap().id, "games.pgn");
        let problem = second.find("games.pgn").unwrap_err();
        assert_eq!(problem.status.as_u16(), 404);
        assert!(problem.hint.unwrap().contains(&long));
        std::fs::remove_file(folder.join("a/games.pgn")).unwrap();
        assert_eq!(of(&shelf(), "m/games.pgn"), long);
        // However the folder is given.
        let dotted = folder.join("m/../m/games.pgn");
        let dotted = Shelf::new(&[dotted], &Resolver::default()).unwrap();
        assert!(dotted.find(&long).is_ok());
    }

    #[test]
    fn members_of_archives_have_the_id_of_the_archive_first() {
        let folder = Scratch::new("shelf-ids-members");
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        for name in ["x/tabia.cbv", "y/tabia.cbv"] {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::copy(samples.join("tabia.cbv"), path).unwrap();
        }
        let one = Shelf::new(&[folder.join("x")], &Resolver::default()).unwrap();
        let found: Vec<String> = ids(&one).into_values().collect();
        assert_eq!(found, ["tabia.cbv", "tabia.cbv~tabia.cbh"]);
        let both = Shelf::new(&[folder.path()], &Resolver::default()).unwrap();
        let members = both.inputs().into_iter();
        for member in members.filter(|input| input.container.is_some()) {
            let container = member.container.clone().unwrap();
            assert_eq!(member.id, format!("{container}~tabia.cbh"));
            assert_eq!(both.find(&container).unwrap().id, container);
            assert_eq!(both.find(&member.id).unwrap().id, member.id);
        }
    }
}
