//! Books made of games, of other books and of tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use tabia::book::build::{BuildOptions, BuildTarget, Built, Weighting, complete};
use tabia::book::convert::convert_book as write_book;
use tabia::book::merge::Merged;
use tabia::formats::Format;
use tabia::{
    BookFormat, Color, CreateOptions, Error, Feature, InputItem, LossCount, Observer, OpenOptions,
    Progress, Query, Written,
};
use tabia_columns::book_rows::{write_book_rows, write_move_sums};
use tabia_columns::read::{book_from_rows, is_book_rows};
use tabia_columns::write::TableFile;

use crate::book::Book;
use crate::convert::{index_of, index_options, numbers, value_of};
use crate::database::MAX_THREADS;
use crate::error::OrRaise;
use crate::file_argument::{PathArgument, paths_of};
use crate::games_argument::Source;
use crate::inputs::{expand_globs, query};
use crate::jobs::{losses_dict, now, run};
use crate::kept_problems::{KeepCauses, Problems};
use crate::reading::{Reading, no_format};

/// What was written.
#[derive(Default)]
struct NewBook {
    positions: u64,
    moves: u64,
    /// Games that count, that the filter left out, and that cannot be read.
    games: [u64; 3],
    losses: Vec<(String, u64)>,
    written: Written,
}

/// The counts of losses by their names.
fn counts(losses: impl IntoIterator<Item = (Feature, LossCount)>) -> Vec<(String, u64)> {
    let losses = losses.into_iter();
    losses
        .map(|(feature, loss)| (feature.key().clone(), loss.count))
        .collect()
}

impl From<Built> for NewBook {
    fn from(built: Built) -> Self {
        Self {
            positions: built.positions,
            moves: built.moves,
            games: [built.games.used, built.games.filtered, built.games.bad],
            losses: counts(built.losses.iter()),
            written: built.written,
        }
    }
}

impl From<Merged> for NewBook {
    fn from(merged: Merged) -> Self {
        Self {
            positions: merged.positions,
            moves: merged.moves,
            games: [0; 3],
            losses: counts(merged.losses.iter()),
            written: merged.written,
        }
    }
}

impl NewBook {
    /// The object of Python.
    fn into_python<'py>(self, py: Python<'py>, problems: &Problems) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("tabia._built_book")?.getattr("BuiltBook")?;
        let result = class.call1(((self.positions, self.moves),))?;
        let [used, filtered, bad] = self.games;
        result.setattr("games", used)?;
        result.setattr("filtered_games", filtered)?;
        result.setattr("bad_games", bad)?;
        result.setattr("losses", losses_dict(py, self.losses)?)?;
        result.setattr("files", self.written.files)?;
        result.setattr("bytes", self.written.bytes)?;
        result.setattr("problem_count", problems.count())?;
        result.setattr("problems", problems.list(py)?)?;
        Ok(result)
    }
}

/// The format of a book to be written: by name, else by the target's extension.
fn book_format(target: &Path, to: Option<&str>) -> Result<&'static BookFormat, Error> {
    if let Some(name) = to {
        let format = tabia::format(name).and_then(Format::book);
        return format.ok_or_else(|| no_format(name));
    }
    let extension = target.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_ascii_lowercase();
    let mut books = tabia::formats().filter_map(Format::book);
    let format = books.find(|book| book.file.extensions.contains(&&*extension));
    format.ok_or_else(|| {
        let shown = target.display();
        Error::usage(format!("{shown}: no book has this extension"))
    })
}

/// Whether a target is a table.
fn is_table(target: &Path, to: Option<&str>) -> bool {
    let by_name = || TableFile::of_name(&target.to_string_lossy()).is_some();
    to.map_or_else(by_name, TableFile::is_format)
}

/// The file of a table.
fn table_file(target: &Path, to: Option<&str>) -> Result<TableFile<'static>, Error> {
    TableFile::of_format(&target.to_string_lossy(), to)
}

/// Builds an opening book from games; the source is a database, a path or several. Returns the numbers
/// of its positions and moves as a pair, which also has `games`, `problems`, `losses`, `files` and so on. The arguments are the
/// options of `tabia book build`, with its words:
///
/// - which games: `games` (`"1-100,205"`), `include_deleted`, `where`; `index` as for `convert`;
/// - which moves: `max_ply`, `min_games` (3, or 1 with `game_links` and for tables), `min_score` and `min_percent` (in
///   percent), `only_white`, `only_black`, `scoreless`, `variations`;
/// - their weights: `uniform`, `recency` (years in which points halve), `stretch`, `compat="polyglot"`;
/// - books that link to games: `caption`, `least_elo`, `all_moves`, `names`, `game_links`;
/// - `to` names a format if the target's name does not, `force` replaces a book, `memory` is the number of bytes for counting;
/// - paths and problems: `from_`, `encoding`, `pieces`, `password`, `max_unpacked` and `strict` as for `convert`.
///
/// A table (`x.parquet`, `x.arrow`, `folder/`) gets the sums of all moves, for `convert_book`. A book without moves is not
/// written: that is an error. `progress` is as in `convert`.
///
/// >>> built = tabia.build_book("samples/*.cbv", "all.bin", min_games=2, max_ply=40)
/// >>> built, built.games, built.problem_count, [str(file) for file in built.files]
/// ((4, 4), 7, 0, ['all.bin'])
/// >>> tabia.build_book(db, "white.bin", where="date:..1860", min_games=1, max_ply=6, only_white=True, uniform=True)
/// (5, 6)
#[pyfunction]
#[pyo3(signature = (
    source, target, *, to=None, force=false, max_ply=1024, min_games=None, min_score=0.0, min_percent=0.0,
    only_white=false, only_black=false, scoreless=false, variations=false, uniform=false, recency=None, stretch=false,
    compat=None, games=None, include_deleted=false, r#where=None, index="auto", caption=None, least_elo=vec![],
    all_moves=false, names=false, game_links=false, memory=536_870_912, from_=None, encoding=None, pieces=None,
    password=None, max_unpacked=None, strict=false, threads=None, progress=None
))]
#[expect(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "they have names in Python"
)]
pub(crate) fn build_book<'py>(
    py: Python<'py>,
    source: Source<'py>,
    target: PathArgument,
    to: Option<String>,
    force: bool,
    max_ply: u32,
    min_games: Option<u64>,
    min_score: f64,
    min_percent: f64,
    only_white: bool,
    only_black: bool,
    scoreless: bool,
    variations: bool,
    uniform: bool,
    recency: Option<f64>,
    stretch: bool,
    compat: Option<&str>,
    games: Option<&str>,
    include_deleted: bool,
    r#where: Option<&str>,
    index: &str,
    caption: Option<&str>,
    least_elo: Vec<u16>,
    all_moves: bool,
    names: bool,
    game_links: bool,
    memory: u64,
    from_: Option<String>,
    encoding: Option<String>,
    pieces: Option<String>,
    password: Option<String>,
    max_unpacked: Option<u64>,
    strict: bool,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads.unwrap_or(source.threads()).clamp(1, MAX_THREADS);
    let reading = Reading {
        from_,
        encoding,
        pieces,
        password,
        max_unpacked,
        include_deleted,
        copies: false,
    };
    let inputs = source.inputs(py, reading)?;
    let target = target.0;
    let filter: Query = query(py, r#where)?.unwrap_or_default();
    let is_table = is_table(&target, to.as_deref());
    let read = || {
        let mut options = BuildOptions::default();
        options.open = inputs.open.clone();
        options.filter = filter;
        options.selection.numbers = numbers(games)?;
        options.selection.deleted = inputs.reading.include_deleted || include_deleted;
        options.create.force = force;
        options.create.now = now();
        options.threads = threads;
        options.index = index_of(index)?;
        options.index_options = index_options(&inputs, threads, strict);
        options.max_ply = max_ply.max(1);
        options.stretch = stretch;
        options.uniform = uniform;
        options.variations = variations;
        options.memory = memory;
        options.strict = strict;
        let is_polyglot = |name: &str| (name == "polyglot").then_some(());
        options.weighting = match value_of("compat", compat, is_polyglot, "polyglot")? {
            Some(()) if recency.is_none() && !scoreless => Weighting::Polyglot,
            Some(()) => {
                let text = "`compat` goes together with neither `recency` nor `scoreless`";
                return Err(Error::usage(text));
            }
            None => recency.map_or(Weighting::Points, |years| Weighting::Recency {
                half_life: years * 12.0,
            }),
        };
        options.set_least_elo(&least_elo)?;
        options.kvetka.names = names;
        options.kvetka.game_links = game_links;
        let moves = &mut options.move_filter;
        let usual = if game_links || is_table { 1 } else { 3 };
        moves.min_games = min_games.unwrap_or(usual).max(1);
        moves.min_score = min_score;
        moves.min_percent = min_percent;
        moves.only = match (only_white, only_black) {
            (true, true) => {
                let text = "`only_white` and `only_black` leave no moves";
                return Err(Error::usage(text));
            }
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            (false, false) => None,
        };
        moves.scoreless = scoreless;
        Ok(options)
    };
    let mut options = read().or_raise(py)?;
    let book = if is_table {
        options.require_sums_of_all_moves().or_raise(py)?;
        None
    } else {
        let format = book_format(&target, to.as_deref()).or_raise(py)?;
        options.move_filter.scoreless |= !format.has_key_entries;
        options.check(format).or_raise(py)?;
        if format.can.has(Feature::GameLinks) {
            options.set_header(caption, all_moves);
        } else if caption.is_some() || all_moves {
            let text = "`caption` and `all_moves` are for books that link to games";
            return Err(Error::usage(text)).or_raise(py);
        }
        Some(BuildTarget::new(format, &target))
    };
    let problems = inputs.first_problems();
    let mut observer = KeepCauses(problems.clone());
    let built = run(py, progress, move |progress| {
        inputs.check()?;
        let items = &inputs.items;
        let Some(book) = book else {
            let file = table_file(&target, to.as_deref())?;
            let built = write_move_sums(items, file, &options, progress, &mut observer);
            return built.map(NewBook::from);
        };
        let build = complete(items, &book, &options, progress, &mut observer)?;
        if let Some(reason) = build.built.why_empty(&options) {
            let text = format!("the book is empty: {reason}; nothing is written");
            return Err(Error::usage(text));
        }
        build.commit().map(NewBook::from)
    })?;
    built.into_python(py, &problems)
}

/// Where the moves of a book come from: a book, or paths and globs.
#[derive(FromPyObject)]
pub(crate) enum BookSource<'py> {
    Book(Bound<'py, Book>),
    Paths(Bound<'py, PyAny>),
}

/// Writes a book in another format, or as a table of its moves (`x.parquet`, `x.arrow`, `folder/`). The source is a book, a
/// path, or several tables of such moves, those of a folder in the order of their names; rows of the same move add
/// up. So `convert_book("rows/", "book.bin")` is `tabia book from-parquet`. Returns what `build_book` does.
///
/// >>> rows = tabia.convert_book("book.bin", "rows.parquet")
/// >>> tabia.convert_book(["rows.parquet"], "again.bin") == rows
/// True
/// >>> import pathlib
/// >>> pathlib.Path("again.bin").read_bytes() == pathlib.Path("book.bin").read_bytes()
/// True
#[pyfunction]
#[pyo3(signature = (source, target, *, to=None, force=false, progress=None))]
pub(crate) fn convert_book<'py>(
    py: Python<'py>,
    source: BookSource<'py>,
    target: PathArgument,
    to: Option<String>,
    force: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = target.0;
    let (paths, reading, folder) = match source {
        BookSource::Book(book) => book.get().path_and_reading()?,
        BookSource::Paths(paths) => (paths_of(&paths)?, Reading::default(), None),
    };
    let problems = Problems::default();
    let mut observer = KeepCauses(problems.clone());
    let format = if is_table(&target, to.as_deref()) {
        None
    } else {
        Some(book_format(&target, to.as_deref()).or_raise(py)?)
    };
    let written = run(py, progress, move |progress| {
        let _folder = folder;
        let items = book_items(paths, &reading)?;
        let open = reading.open_options()?;
        let mut create = CreateOptions::default();
        create.force = force;
        create.now = now();
        let table = match format {
            Some(_) => None,
            None => Some(table_file(&target, to.as_deref())?),
        };
        let merged = write(&items, (table, format), &target, (&open, &create), progress)?;
        for (item, damage) in items.iter().zip(&merged.damage) {
            for text in damage {
                observer.problem(item, &item.problem_text(text).into())?;
            }
        }
        Ok(NewBook::from(merged))
    })?;
    written.into_python(py, &problems)
}

/// The books and tables that paths name, those of a folder in the order of their names.
fn book_items(paths: Vec<PathBuf>, reading: &Reading) -> Result<Vec<InputItem>, Error> {
    let resolver = reading.resolver()?;
    let mut items = Vec::new();
    for path in expand_globs(paths)? {
        let mut found = Vec::new();
        for item in resolver.resolve(path.as_os_str())? {
            for item in resolver.expand(item)? {
                found.push(item?);
            }
        }
        found.sort_by(|one, other| one.label().cmp(other.label()));
        items.extend(found);
    }
    Ok(items)
}

fn write(
    items: &[InputItem],
    (table, format): (Option<TableFile<'_>>, Option<&'static BookFormat>),
    target: &Path,
    (open, create): (&OpenOptions, &CreateOptions),
    progress: &Arc<Progress>,
) -> Result<Merged, Error> {
    let are_tables = !items.is_empty()
        && items
            .iter()
            .all(|item| item.format().book().is_none() && is_book_rows(item, open));
    match (items, table, format) {
        (_, None, Some(format)) if are_tables => {
            book_from_rows(items, format, target, open, create, progress)
        }
        ([item], Some(file), _) if !are_tables => {
            write_book_rows(item, file, open, create, progress)
        }
        ([item], None, Some(format)) => write_book(item, format, target, open, create, progress),
        (_, Some(_), _) if are_tables => Err(Error::usage("a table of moves becomes a book")),
        _ => Err(Error::usage("one book, or tables of moves, are needed")),
    }
}
