//! Opening books.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use tabia::book::edit::{BookRow as Row, rows};
use tabia::book::find::find;
use tabia::book::merge::MergeOptions;
use tabia::{Error, ReadOptions};
use tabia_columns::schema::Table;
use tabia_columns::write::TableOptions;

use crate::arrow_stream::{Held, HeldStream};
use crate::batches::Batches;
use crate::book_position::BookPosition;
use crate::closing::Closing;
use crate::error::OrRaise;
use crate::explore::results;
use crate::file_argument::{FileArgument, TemporaryFolder};
use crate::interrupt;
use crate::kept_problems::Problems;
use crate::position::position_of;
use crate::reading::Reading;

/// Moves that are handed on at a time.
const CHUNK: usize = 512;

/// Opens an opening book: a path, bytes, or a file object, which is read to its end and copied to a temporary
/// file. `name` is the name of a file without one; `from_`, `password` and `max_unpacked` are as for `tabia.open`. With `mmap=False` the file is copied into memory instead of mapped.
///
/// >>> with tabia.open_book("book.bin", mmap=False) as book:
/// ...     [move.san for move in book.find("1. e4")]
/// ['e5']
#[pyfunction]
#[pyo3(signature = (path, *, name=None, from_=None, password=None, max_unpacked=None, mmap=true))]
pub(crate) fn open_book(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    name: Option<&str>,
    from_: Option<String>,
    password: Option<String>,
    max_unpacked: Option<u64>,
    mmap: bool,
) -> PyResult<Book> {
    let FileArgument { path, folder } = FileArgument::new(path, name)?;
    let shown = path.clone();
    let reading = Reading {
        from_,
        password,
        max_unpacked,
        copies: !mmap,
        ..Reading::default()
    };
    let how = reading.clone();
    let opening = move || {
        let resolver = how.resolver()?;
        let mut options = ReadOptions::default();
        options.open = resolver.options;
        options.from = resolver.from;
        tabia::open_with(path, options)?.book()
    };
    let book: Arc<dyn tabia::Book> = Arc::from(interrupt::read(py, opening)?.or_raise(py)?);
    Ok(Book {
        opened: RwLock::new(Some(book)),
        closing: Closing::new("book"),
        reading,
        path: shown,
        folder: Mutex::new(folder),
    })
}

/// An opening book. As a context manager it is closed at the end.
///
/// >>> book = tabia.open_book("book.bin")
/// >>> book.info["format"], sum(1 for row in book)
/// ('polyglot', 4)
#[pyclass(frozen, weakref, module = "tabia")]
pub(crate) struct Book {
    opened: RwLock<Option<Arc<dyn tabia::Book>>>,
    closing: Arc<Closing>,
    reading: Reading,
    path: PathBuf,
    /// Where the file is, if it is a copy. It is dropped last.
    folder: Mutex<Option<Arc<TemporaryFolder>>>,
}

impl Book {
    /// The book; a `ValueError` once it is closed.
    pub(crate) fn opened(&self) -> PyResult<Arc<dyn tabia::Book>> {
        self.closing.ensure_open()?;
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        opened
            .clone()
            .ok_or_else(|| PyValueError::new_err("the book is closed"))
    }
}

/// What a book is read from: its path, how it is read, and the folder of its file if that is a copy.
pub(crate) type PathAndReading = (Vec<PathBuf>, Reading, Option<Arc<TemporaryFolder>>);

impl Book {
    /// What it is read from; a `ValueError` once it is closed.
    pub(crate) fn path_and_reading(&self) -> PyResult<PathAndReading> {
        self.closing.ensure_open()?;
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((
            vec![self.path.clone()],
            self.reading.clone(),
            folder.clone(),
        ))
    }
}

#[pymethods]
impl Book {
    /// The moves of a position, heaviest first; none if the book does not contain it. The position is a
    /// `Position`, a FEN, or moves as `1. e4 c5`.
    ///
    /// >>> tabia.open_book("book.bin").find("1. e4 e5").moves[0].weight
    /// 5
    fn find(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<BookPosition> {
        let (book, position) = (self.opened()?, position_of(position)?);
        let found = py.detach(|| find(&*book, &position)).or_raise(py)?;
        Ok(BookPosition::new(position, found))
    }

    /// The format, and the numbers of positions, moves and games; `None` where the book does not store
    /// a number.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let opened = self.opened()?;
        let info = opened.info();
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
        let (paths, reading, folder) = self.path_and_reading()?;
        let batches = Batches::start(Arc::clone(&self.closing), move |progress, send| {
            let _folder = folder;
            let resolver = reading.resolver()?;
            let mut options = MergeOptions::default();
            options.open = resolver.options.clone();
            let mut batch = Vec::with_capacity(CHUNK);
            let mut items = Vec::new();
            for path in &paths {
                items.extend(resolver.resolve(path.as_os_str())?);
            }
            for item in items {
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

    /// The table `book_rows`, a row for each move of each position, as a stream of Arrow: `polars.DataFrame(book)`.
    /// `convert_book` writes it to a file.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers cast by themselves.
        drop(requested_schema);
        let (paths, reading, folder) = self.path_and_reading()?;
        let find = move || {
            let resolver = reading.resolver()?;
            let mut items = Vec::new();
            for path in &paths {
                items.extend(resolver.resolve(path.as_os_str())?);
            }
            Ok::<_, Error>((items, resolver.options))
        };
        let (items, open) = interrupt::read(py, find)?.or_raise(py)?;
        let mut options = TableOptions::default();
        options.table = Table::BookRows;
        options.open = open;
        let held = Held::Book {
            closing: Arc::clone(&self.closing),
            _folder: folder,
        };
        let stream = HeldStream::new(py, Arc::new(items), held, options, &Problems::default())?;
        let stream = FFI_ArrowArrayStream::new(Box::new(stream));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Closes the file. What is asked of the book afterwards is a `ValueError`.
    fn close(&self, py: Python<'_>) {
        self.closing.close();
        py.detach(|| {
            *self.opened.write().unwrap_or_else(PoisonError::into_inner) = None;
            *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = None;
        });
    }

    fn __enter__(slf: Py<Self>) -> PyResult<Py<Self>> {
        slf.get().closing.ensure_open()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let closed = if self.closing.is_closed() {
            ", closed"
        } else {
            ""
        };
        format!("<tabia.Book {}{closed}>", self.path.display())
    }
}

/// The moves of a book in order of its positions, read on a thread of its own.
///
/// >>> rows = iter(tabia.open_book("book.bin"))
/// >>> next(rows).key > 0
/// True
/// >>> rows.close()
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
///
/// >>> [row.uci for row in tabia.open_book("book.bin") if row.key == tabia.Position().key]
/// ['e2e4']
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

    /// Average Elo of the players who played the move.
    #[getter]
    fn average_rating(&self) -> Option<u16> {
        self.0.entry.average_rating
    }

    /// Their performance.
    #[getter]
    fn performance(&self) -> Option<u16> {
        self.0.entry.performance
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
