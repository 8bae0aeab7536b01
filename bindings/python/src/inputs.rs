//! Inputs that paths name, and queries over them.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use tabia::core::games::Database as OpenDatabase;
use tabia::{Error, InputItem, OpenInput, OpenOptions, Query, Resolver};

use crate::error::OrRaise;
use crate::interrupt;

/// Inputs that were found, with how they are opened.
pub(crate) struct Inputs {
    pub(crate) items: Arc<Vec<InputItem>>,
    pub(crate) open: OpenOptions,
    pub(crate) deleted: bool,
    /// Files of folders and archives that cannot be read.
    pub(crate) problems: Vec<Error>,
    indexed: OnceLock<Result<Vec<Arc<dyn OpenDatabase>>, Error>>,
}

impl Inputs {
    /// Finds what paths name.
    pub(crate) fn find(paths: &[PathBuf], open: OpenOptions, deleted: bool) -> Result<Self, Error> {
        let known = tabia::formats().chain(tabia_columns::read::formats());
        let mut resolver = Resolver::new(known);
        resolver.options = open.clone();
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
            items: Arc::new(items),
            open,
            deleted,
            problems,
            indexed: OnceLock::new(),
        })
    }

    /// The databases for access by number, opened when that is first asked for.
    pub(crate) fn indexed<'a>(
        self: &'a Arc<Self>,
        py: Python<'_>,
    ) -> PyResult<&'a [Arc<dyn OpenDatabase>]> {
        if self.indexed.get().is_none() {
            let inputs = Arc::clone(self);
            interrupt::read(py, move || {
                inputs.indexed.get_or_init(|| inputs.open_all());
            })?;
        }
        match self.indexed.get() {
            Some(Ok(databases)) => Ok(databases),
            Some(Err(error)) => Err(error.clone()).or_raise(py),
            None => Ok(&[]),
        }
    }

    fn open_all(&self) -> Result<Vec<Arc<dyn OpenDatabase>>, Error> {
        let open_one = |item: &InputItem| match item.open_indexed(&self.open)?.input {
            OpenInput::Database(database) => Ok(Arc::from(database)),
            _ => Err(Error::usage(format!("{} holds no games", item.name()))),
        };
        self.items.iter().map(open_one).collect()
    }
}

/// The query of an argument `where`; `None` if it asks nothing.
pub(crate) fn query(py: Python<'_>, text: Option<&str>) -> PyResult<Option<Query>> {
    let Some(text) = text else {
        return Ok(None);
    };
    let query = Query::parse(text).map_err(Error::from).or_raise(py)?;
    if !query.sort().is_empty() {
        let text = "games come in their order: `sorted(db.headers(), key=...)` sorts them";
        return Err(Error::usage(text)).or_raise(py);
    }
    Ok(Some(query).filter(|query| !query.is_empty()))
}
