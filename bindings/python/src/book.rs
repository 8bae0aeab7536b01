//! Opening books.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tabia::book::edit::{BookRow as Row, rows};
use tabia::book::find::{FoundMove, find};
use tabia::book::merge::MergeOptions;
use tabia::{Error, OpenOptions, Resolver};

use crate::batches::Batches;
use crate::error::OrRaise;
use crate::explore::results;
use crate::file_argument::{FileArgument, TemporaryFolder};
use crate::interrupt;
use crate::position::position_of;

/// Moves that are handed on at a time.
const CHUNK: usize = 512;

/// Opens an opening book: a path, bytes, or a file object, which is read to its end and copied to a temporary
/// file. `name` is the name of a file without one.
#[pyfunction]
#[pyo3(signature = (path, *, name=None))]
pub(crate) fn open_book(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    name: Option<&str>,
) -> PyResult<Book> {
    let FileArgument { path, folder } = FileArgument::new(path, name)?;
    let shown = path.clone();
    let open = move || tabia::open(path)?.book();
    let book = interrupt::read(py, open)?.or_raise(py)?;
    Ok(Book {
        opened: Arc::from(book),
        path: shown,
        folder,
    })
}

/// An opening book.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Book {
    opened: Arc<dyn tabia::Book>,
    path: PathBuf,
    /// Where the file is, if it is a copy. It is dropped last.
    folder: Option<Arc<TemporaryFolder>>,
}

/// A move of a book. What the book does not store is `None`.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct BookMove(FoundMove);

#[pymethods]
impl BookMove {
    /// The move in SAN.
    #[getter]
    fn san(&self) -> &str {
        &self.0.san
    }

    /// The move in UCI notation.
    #[getter]
    fn uci(&self) -> &str {
        &self.0.uci
    }

    /// The stored weight.
    #[getter]
    fn weight(&self) -> Option<u32> {
        self.0.weight
    }

    /// Games in which the move was played.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.0.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> Option<(u64, u64, u64)> {
        self.0.results.map(results)
    }

    /// Score of the side that plays it, 0 to 1.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.0.score
    }

    /// Probability with which a program plays the move, 0 to 1.
    #[getter]
    fn probability(&self) -> f64 {
        self.0.probability
    }

    /// `True`: to be played before all others; `False`: never.
    #[getter]
    fn recommended(&self) -> Option<bool> {
        self.0.recommended
    }

    /// A comment.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.0.comment.as_deref()
    }

    /// The name of the opening after the move.
    #[getter]
    fn opening(&self) -> Option<&'static str> {
        self.0.opening.map(|opening| opening.name)
    }

    fn __repr__(&self) -> String {
        let weight = self
            .0
            .weight
            .map_or_else(String::new, |weight| format!(" {weight}"));
        format!("<tabia.BookMove {}{weight}>", self.0.san)
    }
}

#[pymethods]
impl Book {
    /// The moves of a position, heaviest first; none if the book does not contain it. The position is a
    /// `Position`, a FEN, or moves as `1. e4 c5`.
    fn find(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<Vec<BookMove>> {
        let position = position_of(position)?;
        let found = py.detach(|| find(&*self.opened, &position)).or_raise(py)?;
        let moves = found.map(|found| found.moves).unwrap_or_default();
        Ok(moves.into_iter().map(BookMove).collect())
    }

    /// The format, and the numbers of positions, moves and games; `None` where the book does not store
    /// a number.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = self.opened.info();
        let dict = PyDict::new(py);
        dict.set_item("format", info.format.to_string())?;
        dict.set_item("version", &info.version)?;
        dict.set_item("positions", info.positions)?;
        dict.set_item("moves", info.moves)?;
        dict.set_item("games", info.games)?;
        dict.set_item("problems", &info.problems)?;
        Ok(dict)
    }

    /// Every move of every position of the book.
    fn __iter__(&self) -> PyResult<BookRows> {
        let (path, folder) = (self.path.clone(), self.folder.clone());
        let batches = Batches::start(move |progress, send| {
            let _folder = folder;
            let mut options = MergeOptions::default();
            options.open = OpenOptions::default();
            let mut batch = Vec::with_capacity(CHUNK);
            for item in Resolver::default().resolve(path.as_os_str())? {
                rows(&item, &options, progress, &mut |row| {
                    batch.push(row);
                    if batch.len() == CHUNK && !send(std::mem::take(&mut batch)) {
                        return Err(Error::cancelled());
                    }
                    Ok(())
                })?;
            }
            send(batch);
            Ok(())
        })?;
        Ok(BookRows(batches))
    }

    fn __repr__(&self) -> String {
        format!("<tabia.Book {}>", self.path.display())
    }
}

/// The moves of a book in order of its positions, read on a thread of its own.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct BookRows(Batches<Row>);

#[pymethods]
impl BookRows {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<BookRow>> {
        Ok(self.0.next(py)?.map(BookRow))
    }

    /// Ends the reading; the iterator is then empty.
    fn close(&self, py: Python<'_>) {
        self.0.close(py);
    }
}

/// A move of a position of a book. What the book does not store is `None`.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct BookRow(Row);

#[pymethods]
impl BookRow {
    /// The Polyglot key of the position.
    #[getter]
    fn key(&self) -> u64 {
        self.0.key
    }

    /// The position as FEN; `None` if the book stores keys and no line leads to it.
    #[getter]
    fn fen(&self) -> Option<&str> {
        self.0.fen.as_deref()
    }

    /// The move in UCI notation.
    #[getter]
    fn uci(&self) -> &str {
        &self.0.uci
    }

    /// The stored weight.
    #[getter]
    fn weight(&self) -> Option<u32> {
        self.0.entry.weight
    }

    /// Games in which the move was played.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.0.entry.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> Option<(u64, u64, u64)> {
        self.0.entry.results.map(results)
    }

    /// A comment.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.0.entry.comment.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<tabia.BookRow {:016x} {}>", self.0.key, self.0.uci)
    }
}
