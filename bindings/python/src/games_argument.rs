//! Where games come from: paths and open databases.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use tabia::OpenOptions;

use crate::database::Database;
use crate::error::OrRaise;
use crate::inputs::{Inputs, expand_globs};
use crate::interrupt;

/// An argument that names games: a database, or paths and globs.
#[derive(FromPyObject)]
pub(crate) enum Source<'py> {
    Database(Bound<'py, Database>),
    Path(PathBuf),
    Paths(Vec<PathBuf>),
}

impl Source<'_> {
    /// The number of threads, if the call names none.
    pub(crate) fn threads(&self) -> usize {
        match self {
            Self::Database(database) => database.get().threads(None),
            Self::Path(_) | Self::Paths(_) => 1,
        }
    }

    pub(crate) fn inputs(self, py: Python<'_>) -> PyResult<Arc<Inputs>> {
        let paths = match self {
            Self::Database(database) => return Ok(Arc::clone(database.get().inputs()?)),
            Self::Path(path) => vec![path],
            Self::Paths(paths) => paths,
        };
        let find = move || {
            let paths = expand_globs(paths)?;
            Inputs::find(&paths, OpenOptions::default(), false, None)
        };
        Ok(Arc::new(interrupt::read(py, find)?.or_raise(py)?))
    }
}
