//! Inputs that paths name, and queries over them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pyo3::prelude::*;
use tabia::core::games::Database as OpenDatabase;
use tabia::globs::expand_glob;
use tabia::sort::SortOrder;
use tabia::{Error, FileStates, InputItem, OpenInput, OpenOptions, Query};

use crate::closing::Closing;
use crate::error::OrRaise;
use crate::file_argument::TemporaryFolder;
use crate::interrupt;
use crate::kept_problems::Problems;
use crate::reading::Reading;

/// The databases of all inputs, open for access by number.
pub(crate) type Opened = Arc<[Arc<dyn OpenDatabase>]>;

/// Inputs that were found, with how they are opened.
pub(crate) struct Inputs {
    pub(crate) items: Arc<Vec<InputItem>>,
    pub(crate) open: OpenOptions,
    pub(crate) reading: Reading,
    /// Files of folders and archives that cannot be read.
    pub(crate) problems: Vec<Error>,
    indexed: RwLock<Option<Result<Opened, Error>>>,
    /// Held by the thread that opens them.
    opening: Mutex<()>,
    pub(crate) closing: Arc<Closing>,
    /// The states of the files of each input when it was found.
    states: Vec<FileStates>,
    /// Where the files are, if they are copies. It is dropped last.
    folder: Mutex<Option<Arc<TemporaryFolder>>>,
}

/// The paths that globs among them name; a glob that names nothing is a path.
///
/// # Errors
/// When a folder in which names are looked for cannot be listed.
pub(crate) fn expand_globs(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut expanded = Vec::new();
    for path in paths {
        match expand_glob(path.as_os_str()) {
            Some(found) => {
                for file in found {
                    expanded.push(file?);
                }
            }
            None => expanded.push(path),
        }
    }
    Ok(expanded)
}

impl Inputs {
    /// Finds what paths name.
    pub(crate) fn find(
        paths: &[PathBuf],
        reading: &Reading,
        folder: Option<Arc<TemporaryFolder>>,
    ) -> Result<Self, Error> {
        let resolver = reading.resolver()?;
        let (mut items, mut problems) = (Vec::new(), Vec::new());
        for path in paths {
            for item in resolver.resolve_games(path.as_os_str())? {
                match item {
                    Ok(item) if item.format().book().is_some() => {
                        let text = format!("{} is an opening book", item.name());
                        return Err(Error::usage(text).with_hint("`tabia.open_book` opens books"));
                    }
                    Ok(item) => items.push(item),
                    Err(error) => problems.push(error),
                }
            }
        }
        if items.is_empty()
            && let Some(error) = problems.pop()
        {
            return Err(error);
        }
        Ok(Self {
            states: items.iter().map(FileStates::of).collect(),
            items: Arc::new(items),
            open: resolver.options,
            reading: reading.clone(),
            problems,
            indexed: RwLock::default(),
            opening: Mutex::default(),
            closing: Closing::new("database"),
            folder: Mutex::new(folder),
        })
    }

    /// What a job over the inputs begins with: the problems of folders and archives.
    pub(crate) fn first_problems(&self) -> Problems {
        let problems = Problems::default();
        problems.add(self.problems.iter().cloned());
        problems
    }

    /// Whether the files are a copy, which exists no longer than this.
    pub(crate) fn is_copy(&self) -> bool {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        folder.is_some()
    }

    /// A `ValueError` once they are closed.
    pub(crate) fn ensure_not_closed(&self) -> PyResult<()> {
        self.closing.ensure_open()
    }

    /// Closes the files and ends what reads them for an iterator or a stream.
    pub(crate) fn close(&self) {
        self.closing.close();
        *self.indexed.write().unwrap_or_else(PoisonError::into_inner) = None;
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// An error if a file has changed since it was found: games of both states would be mixed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.states.iter().try_for_each(FileStates::check)
    }

    /// The databases for access by number, opened when that is first asked for.
    pub(crate) fn indexed(self: &Arc<Self>, py: Python<'_>) -> PyResult<Opened> {
        self.ensure_open(py)?;
        self.databases().or_raise(py)
    }

    /// Opens the databases for access by number, unless they are open.
    pub(crate) fn ensure_open(self: &Arc<Self>, py: Python<'_>) -> PyResult<()> {
        self.ensure_not_closed()?;
        if self.known().is_none() {
            let inputs = Arc::clone(self);
            interrupt::read(py, move || inputs.databases().map(drop))?.or_raise(py)?;
        }
        Ok(())
    }

    /// As [`indexed`](Self::indexed), for threads that are not Python's.
    pub(crate) fn databases(&self) -> Result<Opened, Error> {
        self.check()?;
        self.opened()
    }

    /// The databases, if they were opened before.
    fn known(&self) -> Option<Result<Opened, Error>> {
        let known = self.indexed.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    fn opened(&self) -> Result<Opened, Error> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.known() {
            return known;
        }
        let opened = self.open_all();
        let mut indexed = self.indexed.write().unwrap_or_else(PoisonError::into_inner);
        if !self.closing.is_closed() {
            *indexed = Some(opened.clone());
        }
        opened
    }

    /// An input for access by number, once it is open; an error unless its files were in these states when it was
    /// found. Whether they still are is for the caller to check.
    pub(crate) fn opened_in(
        &self,
        number: usize,
        states: &FileStates,
    ) -> Result<Arc<dyn OpenDatabase>, Error> {
        let database = self.opened()?.get(number).map(Arc::clone);
        let unchanged = database.filter(|_| self.states.get(number) == Some(states));
        unchanged.ok_or_else(|| {
            Error::invalid("changed while it was read; open it again when no program writes it")
        })
    }

    fn open_all(&self) -> Result<Opened, Error> {
        let open_one = |item: &InputItem| match item.open_indexed(&self.open)?.input {
            OpenInput::Database(database) => Ok(Arc::from(database)),
            _ => Err(Error::usage(format!("{} holds no games", item.name()))),
        };
        self.items.iter().map(open_one).collect()
    }
}

/// The query of an argument `where` and an order, that of `sort` or of the query; the query is `None` if it
/// asks nothing.
pub(crate) fn query_and_order(
    py: Python<'_>,
    text: Option<&str>,
    sort: Option<&str>,
) -> PyResult<(Option<Query>, SortOrder)> {
    let query = text.map(Query::parse).transpose();
    let query = query.map_err(Error::from).or_raise(py)?;
    let mut order = query.as_ref().map(|query| query.sort().clone());
    if let Some(fields) = sort {
        if order.as_ref().is_some_and(|order| !order.is_empty()) {
            let text = "the games are sorted twice: by `sort` and by the query";
            return Err(Error::usage(text)).or_raise(py);
        }
        order = Some(
            SortOrder::parse(fields)
                .map_err(Error::usage)
                .or_raise(py)?,
        );
    }
    let query = query.filter(|query| !query.is_empty());
    Ok((query, order.unwrap_or_default()))
}

/// The query of an argument `where` of what has no order of its own; `None` if it asks nothing.
pub(crate) fn query(py: Python<'_>, text: Option<&str>) -> PyResult<Option<Query>> {
    let (query, order) = query_and_order(py, text, None)?;
    if !order.is_empty() {
        let text = "`sort:` in the query: only `games`, `headers` and `convert` to a database or text are sorted; rows of tables \
             by the engine that reads them";
        return Err(Error::usage(text)).or_raise(py);
    }
    Ok(query)
}
