//! Errors as exceptions, with their location as attributes.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::{ErrorKind, ErrorSide};

use crate::python_hints;

create_exception!(
    tabia,
    Error,
    PyException,
    "Something that tabia could not do."
);
create_exception!(tabia, NotFound, Error, "There is no such file.");
create_exception!(
    tabia,
    Damaged,
    Error,
    "The input cannot be read as what it is."
);
create_exception!(
    tabia,
    Unsupported,
    Error,
    "Nothing here reads or writes this."
);
create_exception!(
    tabia,
    Usage,
    Error,
    "The call cannot be carried out as it is."
);

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("NotFound", py.get_type::<NotFound>())?;
    module.add("Damaged", py.get_type::<Damaged>())?;
    module.add("Unsupported", py.get_type::<Unsupported>())?;
    module.add("Usage", py.get_type::<Usage>())
}

/// The exception of an error, with the attributes `kind`, `path`, `game`, `ply` and `offset`; games are
/// counted from 1.
pub(crate) fn exception(py: Python<'_>, error: &tabia::Error) -> PyErr {
    let mut text = error.to_string();
    if let ErrorKind::Usage {
        hint: Some(hint), ..
    }
    | ErrorKind::Query {
        hint: Some(hint), ..
    } = error.kind()
    {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    if matches!(error.kind(), ErrorKind::Exists) {
        text.push_str("\nhint: `force=True` replaces it");
    }
    let text = python_hints::of_python(&text);
    let (kind, exception) = match (error.kind(), error.side()) {
        (ErrorKind::Cancelled, _) => return PyKeyboardInterrupt::new_err(()),
        (ErrorKind::Query { .. }, _) | (_, ErrorSide::Usage) => ("usage", Usage::new_err(text)),
        (ErrorKind::Io(io), _) if io.kind() == std::io::ErrorKind::NotFound => {
            ("not_found", NotFound::new_err(text))
        }
        (ErrorKind::Io(_) | ErrorKind::TemporaryFile(_) | ErrorKind::LostFile, _) => {
            ("io", Error::new_err(text))
        }
        (ErrorKind::MissingFile(_), _) => ("not_found", NotFound::new_err(text)),
        (ErrorKind::Unsupported(_) | ErrorKind::UnknownFormat { .. }, _) => {
            ("unsupported", Unsupported::new_err(text))
        }
        (ErrorKind::Exists, _) => ("exists", Error::new_err(text)),
        (ErrorKind::Password, _) => ("password", Error::new_err(text)),
        (_, ErrorSide::Output) => ("output", Error::new_err(text)),
        _ => ("damaged", Damaged::new_err(text)),
    };
    let at = error.location();
    let value = exception.value(py);
    let path = at.file.as_ref().map(|file| file.display().to_string());
    let game = at.game.map(|game| u64::from(game.0) + 1);
    let set = || -> PyResult<()> {
        value.setattr("kind", kind)?;
        value.setattr("path", path)?;
        value.setattr("game", game)?;
        value.setattr("ply", at.ply)?;
        value.setattr("offset", at.offset)
    };
    match set() {
        Ok(()) => exception,
        Err(other) => other,
    }
}

/// Errors as a list of exceptions that were not raised.
pub(crate) fn list<'py>(py: Python<'py>, errors: &[tabia::Error]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(
        py,
        errors
            .iter()
            .map(|error| exception(py, error).into_value(py)),
    )
}

/// Results with exceptions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, tabia::Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}
