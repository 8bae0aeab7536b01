//! Jobs that write files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::book::build::{BuildOptions, BuildTarget, build};
use tabia::convert::{ConvertOptions, Target};
use tabia::formats::Format;
use tabia::repair::is_part_of;
use tabia::select::SelectionCounts;
use tabia::{
    Error, GameIndex, InputItem, Losses, Observer, Problem, Progress, Resolver, Summary, Written,
};
use tabia_columns::write::{TableFile, TableOptions, write_table};

use crate::database::{ColumnNames, MAX_THREADS, TableChoice};
use crate::error::{self, OrRaise};
use crate::game::profile;
use crate::games_argument::Source;
use crate::inputs::{Inputs, query};
use crate::interrupt::{self, AtSignal};
use crate::kept_problems::KeepCauses;
use crate::report::Report;

/// Problems that a result has, at most.
const MAX_PROBLEMS: usize = 1000;

/// What a conversion did.
///
/// >>> done = tabia.convert(db, "copy.pgn")
/// >>> done.games, [str(file) for file in done.files], done.losses["training"]
/// (7, ['copy.pgn'], 1)
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Converted {
    summary: Summary,
    written: Written,
    problems: Vec<Error>,
    /// Files of folders and archives that cannot be read.
    lost_files: u64,
}

#[pymethods]
impl Converted {
    /// Number of games.
    #[getter]
    fn games(&self) -> u64 {
        self.summary.counts.games
    }

    /// Number of guiding texts.
    #[getter]
    fn texts(&self) -> u64 {
        self.summary.counts.texts
    }

    /// Number of problems of the inputs; those of the files of a folder that cannot be read count too.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.summary.problems.saturating_add(self.lost_files)
    }

    /// The first thousand problems, as exceptions that were not raised.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        error::list(py, &self.problems)
    }

    /// What the target could not hold: counts by the names of the command line's reports.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (feature, loss) in self.summary.losses.iter() {
            dict.set_item(feature.key(), loss.count)?;
        }
        Ok(dict)
    }

    /// The files, main file first.
    #[getter]
    fn files(&self) -> Vec<PathBuf> {
        self.written.files.clone()
    }

    /// Their length in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.written.bytes
    }

    fn __repr__(&self) -> String {
        format!("<tabia.Converted {} games>", self.summary.counts.games)
    }
}

/// Keeps the first problems, and writes the report if there is one.
#[derive(Default)]
struct Noted {
    first: Vec<Error>,
    report: Option<Report>,
}

impl Observer for Noted {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        if self.first.len() < MAX_PROBLEMS {
            self.first.push(problem.error.clone());
        }
        match &mut self.report {
            Some(report) => report.problem(problem),
            None => Ok(()),
        }
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<(), Error> {
        match &mut self.report {
            Some(report) => report.losses(item, game, losses),
            None => Ok(()),
        }
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<(), Error> {
        if let Some(report) = &mut self.report {
            report.finished(item, counts);
        }
        Ok(())
    }
}

/// Runs a job with its progress; `report` is called with the work done, all work, and the games so far.
fn run<T: Send + 'static>(
    py: Python<'_>,
    report: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Arc<Progress>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let shared = Arc::clone(&progress);
    let cancel = || progress.cancel();
    let mut tick = || match report {
        Some(report) => {
            let counts = (progress.done(), progress.total(), progress.games());
            report.call1(counts).map(drop)
        }
        None => Ok(()),
    };
    interrupt::run(
        py,
        move || job(&shared),
        AtSignal::Cancel(&cancel),
        &mut tick,
    )?
    .or_raise(py)
}

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the library takes the time as an argument"
)]
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Converts games to a database, PGN, or a table (`x.parquet`, `x.arrow`, `folder/`). The source is a
/// database, a path or several; `to` names a format if the target's name does not. `table`, `columns` and
/// `pgn` are for tables, as in `Database.table`. `progress` is called with the work done, all work, and
/// the games so far. `report` is a file that gets every problem and every loss as JSON, as `--report` of the
/// command line writes it; it gets its name together with the target.
///
/// >>> done = tabia.convert("samples/tabia.cbv", "new.si5", report="losses.json", threads=2)
/// >>> done.games, done.texts, done.losses["medals"]
/// (7, 1, 2)
/// >>> import json, pathlib
/// >>> json.loads(pathlib.Path("losses.json").read_text())["summary"]["problems"]
/// 0
#[pyfunction]
#[pyo3(signature = (
    source, target, *, to=None, r#where=None, force=false, profile="standard", table="games", columns=None,
    pgn=None, threads=None, progress=None, report=None
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn convert(
    py: Python<'_>,
    source: Source<'_>,
    target: PathBuf,
    to: Option<&str>,
    r#where: Option<&str>,
    force: bool,
    profile: &str,
    table: &str,
    columns: Option<ColumnNames>,
    pgn: Option<&str>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    report: Option<PathBuf>,
) -> PyResult<Converted> {
    let threads = threads.unwrap_or(source.threads());
    let inputs = source.inputs(py)?;
    let mut options = ConvertOptions::default();
    options.open = inputs.open.clone();
    options.create.force = force;
    options.create.now = now();
    options.create.profile = self::profile(profile).or_raise(py)?;
    options.plan.threads = threads.clamp(1, MAX_THREADS);
    options.plan.selection.deleted = inputs.deleted;
    options.plan.filter = query(py, r#where)?;
    let is_table = to.is_none() && TableFile::of_name(&target.to_string_lossy()).is_some();
    let mut tables = TableOptions::default();
    if is_table {
        tables.open = inputs.open.clone();
        tables.plan = options.plan.clone();
        TableChoice {
            table,
            columns,
            pgn,
        }
        .apply(&mut tables)
        .or_raise(py)?;
    } else if table != "games" || columns.is_some() || pgn.is_some() {
        let text = "`table`, `columns` and `pgn` are for tables: `x.parquet`, `x.arrow`, `folder/`";
        return Err(Error::usage(text)).or_raise(py);
    }
    let format = match to {
        Some(name) => {
            let unknown = || Error::usage(format!("`{name}` is no format"));
            Some(tabia::format(name).ok_or_else(unknown).or_raise(py)?)
        }
        None => None,
    };
    run(py, progress, move |progress| {
        let mut noted = Noted {
            first: inputs.problems.iter().take(MAX_PROBLEMS).cloned().collect(),
            report: None,
        };
        inputs.check()?;
        let outputs = [Some(&target), report.as_ref()];
        for output in outputs.into_iter().flatten() {
            if inputs.items.iter().any(|item| is_part_of(output, item)) {
                let text = format!("{} is input and output at once", output.display());
                return Err(Error::usage(text));
            }
        }
        if let Some(path) = &report {
            if *path == target {
                let text = format!("{} is two outputs at once", path.display());
                return Err(Error::usage(text));
            }
            let report = Report::create(path, force)?;
            options.create.transaction = Some(report.transaction());
            tables.transaction = Some(report.transaction());
            noted.report = Some(report);
        }
        let (summary, written) = if is_table {
            let name = target.to_string_lossy();
            let file = TableFile::of_name(&name).ok_or_else(|| Error::usage("no table"))?;
            write_table(&inputs.items, file, &tables, force, progress, &mut noted)?
        } else {
            let target = Target::file(&Resolver::default(), &target, format)?;
            let items = &inputs.items;
            tabia::convert::convert(items, target, &options, progress, &mut noted)?
        };
        if let Some(report) = noted.report {
            report.commit(&summary)?;
        }
        Ok(Converted {
            summary,
            written,
            problems: noted.first,
            lost_files: inputs.problems.len() as u64,
        })
    })
}

/// Builds an opening book from games; the source is a database, a path or several. Returns the numbers
/// of its positions and moves as a pair, which has the problems of the games as `problems`. `progress` is as in `convert`.
///
/// >>> built = tabia.build_book("samples/*.cbv", "all.bin", min_games=2, max_ply=40)
/// >>> built, built.problem_count
/// ((4, 4), 0)
#[pyfunction]
#[pyo3(signature = (
    source, target, *, min_games=3, max_ply=1024, r#where=None, force=false, threads=None, progress=None
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn build_book<'py>(
    py: Python<'py>,
    source: Source<'py>,
    target: PathBuf,
    min_games: u64,
    max_ply: u32,
    r#where: Option<&str>,
    force: bool,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads.unwrap_or(source.threads());
    let inputs: Arc<Inputs> = source.inputs(py)?;
    let mut options = BuildOptions::default();
    options.open = inputs.open.clone();
    options.filter = query(py, r#where)?.unwrap_or_default();
    options.selection.deleted = inputs.deleted;
    options.create.force = force;
    options.create.now = now();
    options.threads = threads.clamp(1, MAX_THREADS);
    options.max_ply = max_ply;
    options.move_filter.min_games = min_games.max(1);
    let extension = target.extension().unwrap_or_default().to_string_lossy();
    let format = tabia::format(&extension).and_then(Format::book);
    let unknown = || Error::usage(format!("{}: no book has this extension", target.display()));
    let format = format.ok_or_else(unknown).or_raise(py)?;
    let target = BuildTarget::new(format, &target);
    let problems = inputs.first_problems();
    let mut observer = KeepCauses(problems.clone());
    let built = run(py, progress, move |progress| {
        inputs.check()?;
        build(&inputs.items, &target, &options, progress, &mut observer)
    })?;
    let class = py.import("tabia._built_book")?.getattr("BuiltBook")?;
    let result = class.call1(((built.positions, built.moves),))?;
    result.setattr("problem_count", problems.count())?;
    result.setattr("problems", problems.list(py)?)?;
    Ok(result)
}
