//! Where games come from: paths and open databases.

use std::sync::Arc;

use pyo3::prelude::*;
use tabia::Error;

use crate::database::Database;
use crate::error::OrRaise;
use crate::file_argument::paths_of;
use crate::inputs::{Inputs, expand_globs};
use crate::interrupt;
use crate::reading::Reading;

/// An argument that names games: a database, or paths and globs.
#[derive(FromPyObject)]
pub(crate) enum Source<'py> {
    Database(Bound<'py, Database>),
    Paths(Bound<'py, PyAny>),
}

impl Source<'_> {
    /// The number of threads, if the call names none.
    pub(crate) fn threads(&self) -> usize {
        match self {
            Self::Database(database) => database.get().threads(None),
            Self::Paths(_) => 1,
        }
    }

    /// The inputs; those of paths are read in the way that the arguments of the call state.
    pub(crate) fn inputs(self, py: Python<'_>, reading: Reading) -> PyResult<Arc<Inputs>> {
        let paths = match self {
            Self::Database(database) => {
                if let Some(argument) = reading.used() {
                    let text =
                        format!("`{argument}` is for paths: `tabia.open` had it for this database");
                    return Err(Error::usage(text)).or_raise(py);
                }
                return Ok(Arc::clone(database.get().inputs()?));
            }
            Self::Paths(paths) => paths_of(&paths)?,
        };
        let find = move || {
            let paths = expand_globs(paths)?;
            Inputs::find(&paths, &reading, None)
        };
        Ok(Arc::new(interrupt::read(py, find)?.or_raise(py)?))
    }
}
