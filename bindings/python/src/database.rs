//! Databases: games by number and in order, tables, statistics of positions.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyTuple};
use tabia::base::{Base, BaseOptions, TreeOptions};
use tabia::inspect::inspect;
use tabia::list::ListOptions;
use tabia::select::Selection;
use tabia::{Error, GameIndex, InputItem, Progress, Query, ScanOptions};
use tabia_columns::schema::Table as TableKind;
use tabia_columns::write::{TableOptions, TableRequest, parse_plies};

use crate::arrow_stream::{Held, HeldStream};
use crate::convert::value_of;
use crate::date::whole_number;
use crate::error::{self, OrRaise};
use crate::explore::Tree;
use crate::file_argument::{FileArgument, TemporaryFolder, paths_of};
use crate::game::{Game, profile};
use crate::games::Games;
use crate::headers::{Header, Headers};
use crate::html;
use crate::info;
use crate::inputs::{Inputs, expand_globs, query, query_and_order};
use crate::interrupt::{self, AtSignal};
use crate::kept_problems::{KeepCauses, Problems};
use crate::move_arrays::Moves;
use crate::position::position_of;
use crate::read_game::read_game;
use crate::reading::Reading;

/// Threads of a call at most, as on the command line.
pub(crate) const MAX_THREADS: usize = 1024;

/// Opens games of any format: a path of a file, a folder, an archive or a table; or bytes; or a file
/// object, which is read to its end and copied to a temporary file. `name` is the name of a file without
/// one. `encoding` is the character set of files that do not name theirs, `from_` the format of files that is not
/// detected, `pieces` the language of the letters of pieces in PGN, `password` that of archives, `max_unpacked` the bytes that a
/// part of an archive may have; `include_deleted` counts games that are marked as deleted. `threads` is for everything that reads the database, unless a call names another
/// number; 1 to 1024 are started. With `mmap=False` files are copied into memory instead of mapped: whatever other programs do to them
/// then does not matter.
///
/// >>> db = tabia.open("samples/tabia.cbv", threads=2)
/// >>> db.format, len(db)
/// ('cbh', 9)
/// >>> with tabia.open("samples/tabia.cbh", mmap=False) as db:
/// ...     db.game(2).white
/// 'Morphy, Paul'
#[pyfunction]
#[pyo3(signature = (
    path, *, name=None, from_=None, encoding=None, pieces=None, password=None, max_unpacked=None,
    include_deleted=false, threads=1, mmap=true
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn open(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    name: Option<&str>,
    from_: Option<String>,
    encoding: Option<String>,
    pieces: Option<String>,
    password: Option<String>,
    max_unpacked: Option<u64>,
    include_deleted: bool,
    threads: usize,
    mmap: bool,
) -> PyResult<Database> {
    let file = FileArgument::new(path, name)?;
    let mut paths = vec![file.path];
    if file.folder.is_none() {
        paths = expand_globs(paths).or_raise(py)?;
    }
    let reading = Reading {
        from_,
        encoding,
        pieces,
        password,
        max_unpacked,
        include_deleted,
        copies: !mmap,
    };
    let arguments = Arguments {
        paths,
        reading,
        threads,
    };
    Database::open(py, arguments, file.folder)
}

/// Opens several paths as one database, in this order. A glob as `*.pgn.zst` is all files that it names, sorted.
///
/// >>> db = tabia.open_many("samples/*.cbv")
/// >>> len(db), len(tabia.open_many(["samples/tabia.cbv", "samples/tabia.cbh"]))
/// (9, 18)
#[pyfunction]
#[pyo3(signature = (
    paths, *, from_=None, encoding=None, pieces=None, password=None, max_unpacked=None, include_deleted=false,
    threads=1, mmap=true
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn open_many(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    from_: Option<String>,
    encoding: Option<String>,
    pieces: Option<String>,
    password: Option<String>,
    max_unpacked: Option<u64>,
    include_deleted: bool,
    threads: usize,
    mmap: bool,
) -> PyResult<Database> {
    let reading = Reading {
        from_,
        encoding,
        pieces,
        password,
        max_unpacked,
        include_deleted,
        copies: !mmap,
    };
    let arguments = Arguments {
        paths: expand_globs(paths_of(paths)?).or_raise(py)?,
        reading,
        threads,
    };
    Database::open(py, arguments, None)
}

/// Opens a database again that was pickled.
#[pyfunction]
pub(crate) fn _reopen(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    reading: Reading,
    threads: usize,
) -> PyResult<Database> {
    let arguments = Arguments {
        paths,
        reading,
        threads,
    };
    Database::open(py, arguments, None)
}

/// The arguments of [`open`].
#[derive(Clone)]
struct Arguments {
    paths: Vec<PathBuf>,
    reading: Reading,
    threads: usize,
}

type Reopen = (Vec<PathBuf>, Reading, usize);

/// A database, or several as one. Objects do not change and may be used from any thread. As a context manager it is
/// closed at the end.
///
/// >>> db[1].white, db.game(2).white, len(db[:3])
/// ('Morphy, Paul', 'Morphy, Paul', 3)
#[pyclass(frozen, weakref, module = "tabia")]
pub(crate) struct Database {
    inputs: Arc<Inputs>,
    arguments: Arguments,
}

/// Games that notebooks show of a database.
const SHOWN: usize = 10;

impl Database {
    /// The names of the inputs.
    fn names(&self) -> String {
        let names: Vec<String> = self.inputs.items.iter().map(InputItem::name).collect();
        names.join(", ")
    }

    fn open(
        py: Python<'_>,
        arguments: Arguments,
        folder: Option<Arc<TemporaryFolder>>,
    ) -> PyResult<Self> {
        let (paths, reading) = (arguments.paths.clone(), arguments.reading.clone());
        let find = move || Inputs::find(&paths, &reading, folder);
        let inputs = interrupt::read(py, find)?.or_raise(py)?;
        Ok(Self {
            inputs: Arc::new(inputs),
            arguments,
        })
    }

    /// The inputs; a `ValueError` once the database is closed.
    pub(crate) fn inputs(&self) -> PyResult<&Arc<Inputs>> {
        self.inputs.ensure_not_closed()?;
        Ok(&self.inputs)
    }

    /// The number of threads of a call, 1 to [`MAX_THREADS`].
    pub(crate) fn threads(&self, threads: Option<usize>) -> usize {
        threads
            .unwrap_or(self.arguments.threads)
            .clamp(1, MAX_THREADS)
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        selection.deleted = self.arguments.reading.include_deleted;
        selection
    }

    fn plan(&self, filter: Option<Query>, threads: Option<usize>) -> ScanOptions {
        let mut plan = ScanOptions::default();
        plan.threads = self.threads(threads);
        plan.selection = self.selection();
        plan.filter = filter;
        plan
    }

    fn list_options(&self, filter: Option<Query>, threads: Option<usize>) -> ListOptions {
        let mut options = ListOptions::default();
        options.open = self.inputs.open.clone();
        options.threads = self.threads(threads);
        options.selection = self.selection();
        options.selection.texts = false;
        options.filter = filter.unwrap_or_default();
        options
    }

    fn table_options(
        &self,
        py: Python<'_>,
        filter: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<TableOptions> {
        let mut options = TableOptions::default();
        options.open = self.inputs.open.clone();
        options.plan = self.plan(query(py, filter)?, threads);
        Ok(options)
    }

    /// Counts what was played in a position.
    pub(crate) fn tree_job(
        &self,
        py: Python<'_>,
        position: &tabia::Position,
        ask: &TreeQuestion<'_>,
    ) -> PyResult<TreeJob> {
        let inputs = Arc::clone(self.inputs()?);
        let query = query(py, ask.filter)?.unwrap_or_default();
        inputs.check().or_raise(py)?;
        let paths = self.arguments.paths.clone();
        let mut options = BaseOptions::default();
        options.open = inputs.open.clone();
        options.threads = self.threads(ask.threads);
        options.deleted = self.arguments.reading.include_deleted;
        let (position, games) = (position.clone(), ask.games);
        Ok(Box::new(move |progress| {
            let found = Inputs::find(&paths, &inputs.reading, None)?;
            let problems = found.first_problems();
            let mut observer = KeepCauses(problems.clone());
            let items = Arc::into_inner(found.items).unwrap_or_default();
            let base = Base::of_items(items, options, progress, &mut observer)?;
            let selected = base.select(&query, progress)?;
            let mut wanted = TreeOptions::default();
            wanted.games = games;
            let tree = base.tree_with(&position, &selected, &wanted, progress, &mut observer)?;
            Ok((tree, problems))
        }))
    }

    /// The first headers, for notebooks.
    fn first_headers(&self, py: Python<'_>, count: usize) -> PyResult<Vec<Header>> {
        let inputs = Arc::clone(self.inputs()?);
        let headers = Headers::start(inputs, self.list_options(None, None))?;
        let mut first = Vec::new();
        while first.len() < count
            && let Some(header) = headers.next(py)?
        {
            first.push(header);
        }
        headers.end(py);
        Ok(first)
    }

    fn length(&self, py: Python<'_>) -> PyResult<usize> {
        let databases = self.inputs()?.indexed(py)?;
        Ok(databases
            .iter()
            .map(|database| database.len() as usize)
            .sum())
    }

    /// The record with an index from 0.
    fn at(&self, py: Python<'_>, index: usize) -> PyResult<Game> {
        let mut rest = index;
        let databases = self.inputs()?.indexed(py)?;
        for (item, database) in self.inputs.items.iter().zip(&*databases) {
            let length = database.len() as usize;
            if rest < length {
                let read = || read_game(&**database, GameIndex(rest as u32), item);
                return py.detach(read).or_raise(py);
            }
            rest -= length;
        }
        Err(PyIndexError::new_err("there is no such game"))
    }
}

#[pymethods]
impl Database {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.length(py)
    }

    fn __repr__(&self) -> String {
        let closed = if self.inputs.closing.is_closed() {
            ", closed"
        } else {
            ""
        };
        format!("<tabia.Database {}{closed}>", self.names())
    }

    /// The first games, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let rows = self.first_headers(py, SHOWN)?;
        let title = html::escaped(&format!("{} ({})", self.names(), self.format()?));
        let table = html::table(&html::HEADER, rows.iter().map(Header::cells));
        let more = if rows.len() == SHOWN {
            format!("<p>The first {SHOWN} games.</p>")
        } else {
            String::new()
        };
        Ok(format!("<div><p>{title}</p>{table}{more}</div>"))
    }

    /// Closes the files. What is asked of the database and of its iterators afterwards is a `ValueError`; streams of
    /// Arrow end with an error. Games and headers that have been read remain.
    ///
    /// >>> db = tabia.open("samples/tabia.cbv")
    /// >>> db.close()
    /// >>> len(db)
    /// Traceback (most recent call last):
    ///     ...
    /// ValueError: the database is closed
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.inputs.close());
    }

    fn __enter__(slf: Py<Self>) -> PyResult<Py<Self>> {
        slf.get().inputs()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    /// A record by index from 0, or a list of them by slice; texts and deleted games count.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let length = self.length(py)?;
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(length as isize)?;
            let games = PyList::empty(py);
            for step in 0..range.slicelength as isize {
                py.check_signals()?;
                let at = range.start + step * range.step;
                games.append(self.at(py, at as usize)?)?;
            }
            return Ok(games.into_any());
        }
        let Ok(index) = whole_number(index) else {
            return Err(PyTypeError::new_err("an index is a number or a slice"));
        };
        let from_start = |index: i64| match index {
            0.. => Some(index),
            _ => index.checked_add(length as i64),
        };
        let index = index.and_then(from_start);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let index = index.ok_or_else(|| PyIndexError::new_err("there is no such game"))?;
        Ok(Bound::new(py, self.at(py, index)?)?.into_any())
    }

    /// The records as by index, the last first; texts and deleted games count.
    ///
    /// >>> next(reversed(db)) == db[-1]
    /// True
    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let length = slf.get().length(slf.py())? as i64;
        let indexes = builtins.getattr("range")?.call1((length - 1, -1, -1))?;
        builtins
            .getattr("map")?
            .call1((slf.getattr("__getitem__")?, indexes))
    }

    /// A record by number from 1, as the command line counts.
    fn game(&self, py: Python<'_>, number: &Bound<'_, PyAny>) -> PyResult<Game> {
        let Some(number) = whole_number(number)? else {
            return Err(PyIndexError::new_err("there is no such game"));
        };
        match number.checked_sub(1).map(usize::try_from) {
            Some(Ok(index)) => self.at(py, index),
            _ => Err(PyIndexError::new_err("games are counted from 1")),
        }
    }

    /// The format's short name; that of the first input if there are several.
    #[getter]
    fn format(&self) -> PyResult<String> {
        let first = self.inputs()?.items.first();
        Ok(first.map_or_else(String::new, |item| item.format().id().to_string()))
    }

    /// What is known of each input: path, format, records, title, character set, problems.
    #[getter]
    #[pyo3(name = "inputs")]
    fn inputs_info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let databases = self.inputs()?.indexed(py)?;
        for (item, database) in self.inputs.items.iter().zip(&*databases) {
            let info = database.info();
            let dict = PyDict::new(py);
            dict.set_item("path", item.name())?;
            dict.set_item("format", info.format.to_string())?;
            dict.set_item("version", &info.version)?;
            dict.set_item("records", info.records)?;
            dict.set_item("texts", info.texts)?;
            dict.set_item("deleted", info.deleted)?;
            dict.set_item("encoding", &info.encoding)?;
            dict.set_item("title", &info.title)?;
            dict.set_item("problems", &info.problems)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// Files of a folder or archive that cannot be read, as exceptions that were not raised.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        error::list(py, &self.inputs()?.problems)
    }

    /// What `tabia info --json` knows, with its names: format, games, years, files and so on. Of several
    /// inputs the sums of games, and each of them as `databases`.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (inputs, threads) = (Arc::clone(self.inputs()?), self.threads(None));
        let progress = Arc::new(Progress::default());
        let cancelled = Arc::clone(&progress);
        let job = move || {
            let resolver = inputs.reading.resolver()?;
            let one = |item| inspect(&resolver, item, &inputs.open, threads, &progress);
            inputs.items.iter().map(one).collect::<Result<Vec<_>, _>>()
        };
        let cancel = || cancelled.cancel();
        let inspected = interrupt::run(py, job, AtSignal::Cancel(&cancel), &mut || Ok(()))?;
        match inspected.or_raise(py)?.as_slice() {
            [only] => info::dict(py, only),
            several => info::dict_of_several(py, several),
        }
    }

    /// The games in order; `where` is a query as of `tabia search`, `sort` names the fields of another order as
    /// `--sort` does: `-date,white`. Sorted games are read one by one.
    ///
    /// >>> [game.white for game in db.games(where="date:..1860", sort="white")]
    /// ['Anderssen, Adolf', 'Anderssen, Adolf', 'Morphy, Paul']
    #[pyo3(signature = (*, r#where=None, sort=None, threads=None))]
    fn games(
        &self,
        py: Python<'_>,
        r#where: Option<&str>,
        sort: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Games> {
        let (filter, order) = query_and_order(py, r#where, sort)?;
        let inputs = Arc::clone(self.inputs()?);
        if !order.is_empty() {
            let options = self.list_options(filter, threads);
            return Ok(Games::start_sorted(inputs, options, order)?);
        }
        let mut plan = self.plan(filter, threads);
        plan.selection.texts = false;
        Ok(Games::start(inputs, plan)?)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Games> {
        self.games(py, None, None, None)
    }

    /// Players, ratings, dates and so on of the games in order, without their moves; `where` is a query
    /// as of `tabia search`, `sort` as in `games`. `tags` are names of further tags, which the headers then have as `tags`; for
    /// them every game is read.
    ///
    /// >>> [(header.white, header.date.year) for header in db.headers(where="date:..1855")]
    /// [('Anderssen, Adolf', 1851), ('Anderssen, Adolf', 1852)]
    #[pyo3(signature = (*, r#where=None, sort=None, tags=vec![], threads=None))]
    fn headers(
        &self,
        py: Python<'_>,
        r#where: Option<&str>,
        sort: Option<&str>,
        tags: Vec<String>,
        threads: Option<usize>,
    ) -> PyResult<Headers> {
        let (filter, order) = query_and_order(py, r#where, sort)?;
        let inputs = Arc::clone(self.inputs()?);
        let mut options = self.list_options(filter, threads);
        options.tags = tags;
        if order.is_empty() {
            return Ok(Headers::start(inputs, options)?);
        }
        Ok(Headers::start_sorted(inputs, options, order)?)
    }

    /// A table as a stream of Arrow: `polars.DataFrame(db.table())`. `columns` are names, `header` for
    /// all before `moves`, or `+move_codes` for one more than usual; `table` is `games` or `positions`.
    /// `plies` (first and last, or as `"1..40"`) and `fen` are for positions, `with_pgn` (a profile of the column `pgn`) and
    /// `comments="all"` (those of all languages) for games.
    ///
    /// >>> db.table(columns="white,eco", where="date:..1860").column_names
    /// ['white', 'eco']
    #[pyo3(signature = (
        table="games", *, columns=None, r#where=None, plies=None, fen=false, with_pgn=None, comments=None,
        threads=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn table(
        &self,
        py: Python<'_>,
        table: &str,
        columns: Option<ColumnNames>,
        r#where: Option<&str>,
        plies: Option<Plies>,
        fen: bool,
        with_pgn: Option<&str>,
        comments: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Table> {
        let inputs = Arc::clone(self.inputs()?);
        let mut options = self.table_options(py, r#where, threads)?;
        let chosen = TableChoice {
            table,
            columns,
            with_pgn,
            comments,
            plies,
            fen,
            by_year: false,
        };
        chosen.apply(&mut options).or_raise(py)?;
        let problems = Mutex::new(inputs.first_problems());
        Ok(Table {
            inputs,
            options,
            problems,
        })
    }

    /// The table `games` as a stream of Arrow. Problems of what it reads are known to `table`, whose result has them
    /// as `problems`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let table = self.table(py, "games", None, None, None, false, None, None, None)?;
        table.__arrow_c_stream__(py, requested_schema)
    }

    /// All moves as numbers, for numpy; also the time left and the evaluation after each.
    ///
    /// >>> moves = db.moves(where="date:..1860")
    /// >>> moves.codes.dtype, moves.offsets.tolist()
    /// (dtype('int16'), [0, 33, 78, 125])
    #[pyo3(signature = (*, r#where=None, threads=None))]
    fn moves(
        &self,
        py: Python<'_>,
        r#where: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<Moves> {
        let inputs = Arc::clone(self.inputs()?);
        let options = self.table_options(py, r#where, threads)?;
        Moves::read(py, inputs, options)
    }

    /// The games that reached a position, by the moves that they went on with. The position is a
    /// `Position`, a FEN, or moves as `1. e4 c5`. A saved index is used where there is one.
    ///
    /// >>> tree = db.explore("1. e4 e5")
    /// >>> tree.games, [(move.san, move.games) for move in tree.moves]
    /// (4, [('Nf3', 3), ('f4', 1)])
    #[pyo3(signature = (position, *, r#where=None, games=8, threads=None))]
    fn explore(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        r#where: Option<&str>,
        games: usize,
        threads: Option<usize>,
    ) -> PyResult<Tree> {
        let ask = TreeQuestion {
            filter: r#where,
            games,
            threads,
        };
        let job = self.tree_job(py, &position_of(position)?, &ask)?;
        cancellable(py, move |progress| job(progress)).map(Tree::from)
    }

    /// Pickled by path, so that processes open it anew.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Reopen)> {
        if self.inputs()?.is_copy() {
            let text = "a database of a file object cannot be pickled: open it by its path";
            return Err(PyTypeError::new_err(text));
        }
        let open = py.import("tabia._tabia")?.getattr("_reopen")?;
        let Arguments {
            paths,
            reading,
            threads,
        } = self.arguments.clone();
        Ok((open, (paths, reading, threads)))
    }
}

/// What is asked of the games that reached a position.
pub(crate) struct TreeQuestion<'a> {
    pub(crate) filter: Option<&'a str>,
    /// Games of each kind, at most.
    pub(crate) games: usize,
    pub(crate) threads: Option<usize>,
}

/// Counts what was played in a position, with the problems of what was read.
pub(crate) type TreeJob = Box<
    dyn FnOnce(&Arc<Progress>) -> Result<(tabia::base::Tree, Problems), Error> + Send + 'static,
>;

/// Runs a job that only reads; Ctrl-C ends it.
pub(crate) fn cancellable<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce(&Arc<Progress>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let shared = Arc::clone(&progress);
    let cancel = || progress.cancel();
    let at_signal = AtSignal::Cancel(&cancel);
    interrupt::run(py, move || job(&shared), at_signal, &mut || Ok(()))?.or_raise(py)
}

/// Names of columns as a list or as one text.
#[derive(FromPyObject)]
pub(crate) enum ColumnNames {
    Text(String),
    List(Vec<String>),
}

impl ColumnNames {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(names) => names.join(","),
        }
    }
}

/// Plies, the last included: a first and a last, or a text as the command line reads it.
#[derive(FromPyObject)]
pub(crate) enum Plies {
    Pair(u16, u16),
    Text(String),
}

impl Plies {
    fn range(&self) -> Result<RangeInclusive<u16>, Error> {
        let text = match self {
            Self::Pair(first, last) => format!("{first}..{last}"),
            Self::Text(text) => text.clone(),
        };
        parse_plies(&text).map_err(|why| Error::usage(format!("`plies={text:?}`: {why}")))
    }
}

/// Which table with which columns.
pub(crate) struct TableChoice<'a> {
    pub(crate) table: &'a str,
    pub(crate) columns: Option<ColumnNames>,
    pub(crate) with_pgn: Option<&'a str>,
    pub(crate) comments: Option<&'a str>,
    pub(crate) plies: Option<Plies>,
    pub(crate) fen: bool,
    pub(crate) by_year: bool,
}

impl TableChoice<'_> {
    /// Whether it is another one than the usual.
    pub(crate) fn is_used(&self) -> bool {
        self.table != "games"
            || self.columns.is_some()
            || self.with_pgn.is_some()
            || self.comments.is_some()
            || self.plies.is_some()
            || self.fen
            || self.by_year
    }

    pub(crate) fn apply(&self, options: &mut TableOptions) -> Result<(), Error> {
        let unknown = || {
            let name = self.table;
            Error::usage(format!("`{name}` is no table: `games`, `positions`"))
        };
        let kind = TableKind::parse(self.table).filter(|kind| *kind != TableKind::BookRows);
        let columns = self.columns.as_ref().map(ColumnNames::text);
        let plies = self.plies.as_ref().map(Plies::range);
        let all = |name: &str| (name == "all").then_some(());
        let request = TableRequest {
            table: kind.ok_or_else(unknown)?,
            columns: columns.as_deref(),
            with_pgn: self.with_pgn.map(profile).transpose()?,
            all_comments: value_of("comments", self.comments, all, "all")?.is_some(),
            plies: plies.transpose()?,
            fen: self.fen,
            by_year: self.by_year,
        };
        request.apply(options)
    }
}

/// A table of a database; each use reads the database anew.
///
/// >>> table = db.table("positions", plies=(1, 2))
/// >>> table.column_names[:4]
/// ['game', 'ply', 'key', 'move']
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Table {
    inputs: Arc<Inputs>,
    options: TableOptions,
    /// Those of the last use.
    problems: Mutex<Problems>,
}

impl Table {
    fn last_problems(&self) -> Problems {
        let problems = self.problems.lock();
        problems.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.options.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The schema for Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.options.schema())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// A stream of Arrow, for `pyarrow.RecordBatchReader.from_stream`, polars, `DuckDB` and others.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Consumers cast by themselves.
        drop(requested_schema);
        self.inputs.ensure_not_closed()?;
        self.inputs.check().or_raise(py)?;
        let problems = self.inputs.first_problems();
        let stream = HeldStream::new(
            py,
            Arc::clone(&self.inputs.items),
            Held::Database(Arc::clone(&self.inputs)),
            self.options.clone(),
            &problems,
        )?;
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = problems;
        let stream = FFI_ArrowArrayStream::new(Box::new(stream));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Problems of what the last use has read so far, as exceptions that were not raised; of more than a hundred thousand
    /// the first. Those of the files of a folder that cannot be read precede them. Records that lack something for one
    /// cause are one problem.
    ///
    /// >>> import polars
    /// >>> table = tabia.open(b"1. e4 e5 2. Ke3 *", name="a.pgn").table()
    /// >>> frame = polars.DataFrame(table)
    /// >>> [(problem.game, problem.ply) for problem in table.problems], table.problem_count
    /// ([(1, 2)], 1)
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.last_problems().list(py)
    }

    /// Number of problems of what the last use has read so far.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.last_problems().count()
    }

    fn __repr__(&self) -> String {
        format!("<tabia.Table {}>", self.options.table.name())
    }
}
