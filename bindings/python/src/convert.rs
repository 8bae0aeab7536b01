//! Conversion of games to a database, a text or a table.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::annotation::Language;
use tabia::base::{Index, IndexOptions};
use tabia::convert::{ConvertOptions, Target};
use tabia::formats::Format;
use tabia::repair::is_part_of;
use tabia::select::{PositionChoice, RecordRanges};
use tabia::sort::SortOrder;
use tabia::split::{SplitBy, split};
use tabia::{Charset, Error, Progress, Query, Summary, Written};
use tabia_columns::write::{TableFile, TableOptions, write_table};

use crate::database::{ColumnNames, MAX_THREADS, Plies, TableChoice};
use crate::error::{self, OrRaise};
use crate::file_argument::PathArgument;
use crate::game::profile;
use crate::games_argument::Source;
use crate::inputs::Inputs;
use crate::jobs::{Noted, losses_dict, now, run};
use crate::reading::{Reading, no_format};
use crate::report::Report;

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
        let losses = self.summary.losses.iter();
        losses_dict(
            py,
            losses.map(|(feature, loss)| (feature.key().clone(), loss.count)),
        )
    }

    /// The files, main file first; none if nothing was written because there were no games.
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

/// Where the games go.
enum Output {
    Table(Box<TableOptions>),
    Database {
        format: Option<Format>,
        position: Option<PositionChoice>,
        split: Option<SplitBy>,
    },
}

/// A conversion whose arguments are read.
struct Conversion {
    inputs: Arc<Inputs>,
    target: PathBuf,
    to: Option<String>,
    options: ConvertOptions,
    output: Output,
    report: Option<PathBuf>,
    /// What `shards` and `partition` make of a table.
    shards: Option<usize>,
    by_year: bool,
}

impl Conversion {
    /// The file of a table.
    fn table_file(&self) -> Result<TableFile<'static>, Error> {
        let name = self.target.to_string_lossy();
        let file = TableFile::of_format(&name, self.to.as_deref())?;
        match self.shards {
            _ if self.by_year => file.by_year(),
            Some(count) => file.in_shards(count, self.options.plan.threads),
            None => Ok(file),
        }
    }

    fn run(mut self, progress: &Arc<Progress>) -> Result<Converted, Error> {
        self.inputs.check()?;
        let outputs = [Some(&self.target), self.report.as_ref()];
        for output in outputs.into_iter().flatten() {
            if self.options.append && *output == self.target {
                continue;
            }
            let mut items = self.inputs.items.iter();
            if items.any(|item| is_part_of(output, item)) {
                let text = format!("{} is input and output at once", output.display());
                return Err(Error::usage(text));
            }
        }
        let mut noted = Noted::default();
        if let Some(path) = &self.report {
            if *path == self.target {
                let text = format!("{} is two outputs at once", path.display());
                return Err(Error::usage(text));
            }
            let report = Report::create(path, self.options.create.force)?;
            self.options.create.transaction = Some(report.transaction());
            noted.report = Some(report);
        }
        for problem in &self.inputs.problems {
            if self.options.plan.strict {
                return Err(problem.clone().under_strict());
            }
            noted.note(&problem.clone().into())?;
        }
        let (summary, written) = self.write(progress, &mut noted)?;
        if let Some(report) = noted.report {
            report.commit(&summary)?;
        }
        Ok(Converted {
            summary,
            written,
            problems: noted.first,
            lost_files: self.inputs.problems.len() as u64,
        })
    }

    fn write(
        &mut self,
        progress: &Arc<Progress>,
        noted: &mut Noted,
    ) -> Result<(Summary, Written), Error> {
        let items = &self.inputs.items;
        let options = &mut self.options;
        let (format, position, by) = match &mut self.output {
            Output::Table(tables) => {
                tables.transaction.clone_from(&options.create.transaction);
                let tables = tables.clone();
                let force = options.create.force;
                return write_table(items, self.table_file()?, &tables, force, progress, noted);
            }
            Output::Database {
                format,
                position,
                split,
            } => (*format, *position, *split),
        };
        let resolver = self.inputs.reading.resolver()?;
        let target = Target::file(&resolver, &self.target, format)?;
        options.plan.positions =
            PositionChoice::of_target(position, target.format(), options.plan.filter.as_ref())?;
        if let Some(by) = by {
            let (summary, written, _) = split(items, &target, by, options, progress, noted)?;
            return Ok((summary, written));
        }
        // A mistyped query leaves no empty file, and games are not replaced by nothing.
        let chooses = options.plan.filter.is_some() || options.plan.selection.numbers.is_some();
        let old = self.target.metadata();
        let has_old = old.is_ok_and(|old| old.is_file() && old.len() > 0);
        options.needs_records = !options.append && (chooses || has_old);
        tabia::convert::convert(items, target, options, progress, noted)
    }
}

/// The character set of a name.
fn charset(name: Option<&str>) -> Result<Charset, Error> {
    let unknown = |name| Error::usage(format!("`{name}` is no character set"));
    name.map_or(Ok(Charset::Auto), |name| {
        Charset::parse(name).ok_or_else(|| unknown(name))
    })
}

/// A text with commas between, or a list.
#[derive(FromPyObject)]
pub(crate) enum Texts {
    One(String),
    Several(Vec<String>),
}

impl Texts {
    fn languages(&self) -> Result<Vec<Language>, Error> {
        let parse = |text: &str| Language::of_code(text).map_err(Error::usage);
        match self {
            Self::One(text) => text.split(',').map(parse).collect(),
            Self::Several(texts) => texts.iter().map(|text| parse(text)).collect(),
        }
    }
}

/// The value of an argument among those that there are.
pub(crate) fn value_of<T>(
    argument: &str,
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Option<T>,
    names: &str,
) -> Result<Option<T>, Error> {
    let unknown = |text| Error::usage(format!("`{argument}={text:?}`: one of {names}"));
    text.map(|text| parse(text).ok_or_else(|| unknown(text)))
        .transpose()
}

/// The numbers of an argument `games`.
pub(crate) fn numbers(games: Option<&str>) -> Result<Option<RecordRanges>, Error> {
    let parse = |text: &str| {
        let parsed = RecordRanges::parse(text);
        parsed.map_err(|why| Error::usage(format!("`games={text:?}`: {why}")))
    };
    games.map(parse).transpose()
}

/// Whether saved indexes are used.
pub(crate) fn index_of(name: &str) -> Result<Index, Error> {
    let index = value_of("index", Some(name), Index::parse, "auto, never, require")?;
    Ok(index.unwrap_or_default())
}

/// Where saved indexes are, and how they are made.
pub(crate) fn index_options(inputs: &Inputs, threads: usize, strict: bool) -> IndexOptions {
    let mut options = IndexOptions::default();
    options.open = inputs.open.clone();
    options.threads = threads;
    options.strict = strict;
    options
}

/// A query; the empty one asks nothing.
pub(crate) fn parse_query(text: Option<&str>) -> Result<Query, Error> {
    text.map_or(Ok(Query::default()), |text| Ok(Query::parse(text)?))
}

/// Converts games to a database, PGN, or a table (`x.parquet`, `x.arrow`, `folder/`). The source is a
/// database, a path or several; `to` names a format if the target's name does not. `progress` is called with the work done,
/// all work, and the games so far. The arguments are the options of `tabia convert`, with its words:
///
/// - which games: `games` (`"1-100,205"`), `include_deleted`, `where`, in the order of `sort` (`"white,-date"`); `index` states
///   whether saved indexes are used: `auto`, `never`, `require`;
/// - what of them: `no_comments`, `language` (`"de,en"`), `no_variations`, `no_nags`;
/// - the target: `force` replaces one, `append` adds to one, `split` (a number of games) and `split_by` (`event`, `eco`,
///   `player`, `year`) make several; PGN with a `profile`, `no_wrap`, or in the character set `to_encoding`;
///   `position` (`start`, `end`, `moment`) for lists of positions;
/// - tables: `table`, `columns`, `with_pgn`, `comments="all"`, `plies` and `fen` as in `Database.table`, and of a folder
///   `shards`, a number of files, or `partition="year"`;
/// - paths: `from_` (their format), `encoding`, `pieces` (the language of the letters of pieces), `password` and `max_unpacked`
///   (bytes), as for `tabia.open`;
/// - problems: `strict` stops at the first. `report` is a file that gets every problem and every loss as JSON; it
///   gets its name together with the target.
///
/// Where a query or numbers choose no game, no file is written, nor is one replaced by a file without games.
///
/// >>> done = tabia.convert(db, "new.si5", report="losses.json", threads=2)
/// >>> done.games, done.texts, done.losses["medals"]
/// (7, 1, 2)
/// >>> import json, pathlib
/// >>> json.loads(pathlib.Path("losses.json").read_text())["summary"]["problems"]
/// 0
/// >>> done = tabia.convert("samples/tabia.cbv", "old.pgn", where="date:..1900", sort="-date", no_comments=True)
/// >>> [str(game.date) for game in tabia.open("old.pgn")]
/// ['1858.??.??', '1852.??.??', '1851.06.21']
#[pyfunction]
#[pyo3(signature = (
    source, target, *, to=None, force=false, append=false, profile="standard", to_encoding=None, games=None,
    include_deleted=false, r#where=None, sort=None, index="auto", position=None, no_comments=false, language=None,
    no_variations=false, no_nags=false, no_wrap=false, split=None, split_by=None, table="games", columns=None,
    with_pgn=None, comments=None, plies=None, fen=false, shards=None, partition=None, from_=None, encoding=None,
    pieces=None, password=None, max_unpacked=None, strict=false, threads=None, progress=None, report=None
))]
#[expect(
    clippy::too_many_arguments,
    clippy::too_many_lines,
    clippy::fn_params_excessive_bools,
    reason = "they have names in Python"
)]
pub(crate) fn convert(
    py: Python<'_>,
    source: Source<'_>,
    target: PathArgument,
    to: Option<String>,
    force: bool,
    append: bool,
    profile: &str,
    to_encoding: Option<&str>,
    games: Option<&str>,
    include_deleted: bool,
    r#where: Option<&str>,
    sort: Option<&str>,
    index: &str,
    position: Option<&str>,
    no_comments: bool,
    language: Option<Texts>,
    no_variations: bool,
    no_nags: bool,
    no_wrap: bool,
    split: Option<NonZeroU32>,
    split_by: Option<&str>,
    table: &str,
    columns: Option<ColumnNames>,
    with_pgn: Option<&str>,
    comments: Option<&str>,
    plies: Option<Plies>,
    fen: bool,
    shards: Option<usize>,
    partition: Option<&str>,
    from_: Option<String>,
    encoding: Option<String>,
    pieces: Option<String>,
    password: Option<String>,
    max_unpacked: Option<u64>,
    strict: bool,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    report: Option<PathArgument>,
) -> PyResult<Converted> {
    let threads = threads.unwrap_or(source.threads()).clamp(1, MAX_THREADS);
    let inputs = source.inputs(
        py,
        Reading {
            from_,
            encoding,
            pieces,
            password,
            max_unpacked,
            include_deleted,
            copies: false,
        },
    )?;
    let target = target.0;
    let is_table = match to.as_deref() {
        Some(name) => TableFile::is_format(name),
        None => TableFile::of_name(&target.to_string_lossy()).is_some_and(|file| {
            !matches!(file, TableFile::Folder(..)) || split.is_none() && split_by.is_none()
        }),
    };
    let read = || {
        let mut options = ConvertOptions::default();
        options.open = inputs.open.clone();
        options.append = append;
        options.create.force = force;
        options.create.now = now();
        options.create.profile = self::profile(profile)?;
        options.create.wrap = !no_wrap;
        options.create.charset = charset(to_encoding)?;
        options.index = index_of(index)?;
        options.index_options = index_options(&inputs, threads, strict);
        let plan = &mut options.plan;
        plan.threads = threads;
        plan.strict = strict;
        plan.selection.numbers = numbers(games)?;
        plan.selection.deleted = inputs.reading.include_deleted || include_deleted;
        plan.leave_out.comments = no_comments;
        plan.leave_out.variations = no_variations;
        plan.leave_out.nags = no_nags;
        if let Some(codes) = &language {
            plan.languages = codes.languages()?;
        }
        plan.want = plan.leave_out.want();
        let sort = sort.map(SortOrder::parse).transpose();
        options.choose(parse_query(r#where)?, sort.map_err(Error::usage)?)?;
        Ok::<_, Error>(options)
    };
    let options = read().or_raise(py)?;
    if append && force || no_comments && language.is_some() {
        let text = if append {
            "`append` adds to a file and `force` replaces it"
        } else {
            "`language` is for comments, which `no_comments` leaves out"
        };
        return Err(Error::usage(text)).or_raise(py);
    }
    let by = value_of(
        "split_by",
        split_by,
        SplitBy::of_field,
        "event, eco, player, year",
    )
    .or_raise(py)?;
    if (split.is_some() || by.is_some()) && (append || !options.sort.is_empty())
        || split.is_some() && by.is_some()
    {
        let text = "of `split`, `split_by`, `append` and `sort` only one can be carried out";
        return Err(Error::usage(text)).or_raise(py);
    }
    let positions = "start, end, moment";
    let position = value_of("position", position, PositionChoice::parse, positions).or_raise(py)?;
    let chosen = TableChoice {
        table,
        columns,
        with_pgn,
        comments,
        plies,
        fen,
        by_year: value_of(
            "partition",
            partition,
            |name| (name == "year").then_some(()),
            "year",
        )
        .or_raise(py)?
        .is_some(),
    };
    let output = if is_table {
        if append
            || split.is_some()
            || by.is_some()
            || position.is_some()
            || !options.sort.is_empty()
        {
            let text = "tables are neither sorted nor split nor added to: \
                        no `sort`, `split`, `split_by`, `append` and `position`";
            return Err(Error::usage(text)).or_raise(py);
        }
        let mut tables = TableOptions::default();
        tables.open = options.open.clone();
        tables.plan = options.plan.clone();
        chosen.apply(&mut tables).or_raise(py)?;
        Output::Table(Box::new(tables))
    } else {
        if chosen.is_used() || shards.is_some() {
            let text = "`table`, `columns`, `with_pgn`, `comments`, `plies`, `fen`, `shards` and `partition` are for \
                        tables: `x.parquet`, `x.arrow`, `folder/`";
            return Err(Error::usage(text)).or_raise(py);
        }
        let format = match &to {
            Some(name) => Some(
                tabia::format(name)
                    .ok_or_else(|| no_format(name))
                    .or_raise(py)?,
            ),
            None => None,
        };
        Output::Database {
            format,
            position,
            split: split.map(SplitBy::Count).or(by),
        }
    };
    let by_year = chosen.by_year;
    let conversion = Conversion {
        inputs,
        target,
        to,
        options,
        output,
        report: report.map(|path| path.0),
        shards,
        by_year,
    };
    run(py, progress, move |progress| conversion.run(progress))
}
