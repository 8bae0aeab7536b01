//! Games of any input as a table in files: Parquet, or a stream of Arrow.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tabia::collect_in_parallel::collect;
use tabia::core::formats::CreateOptions;
use tabia::core::io::Transaction;
use tabia::list_openings::EcoUpdate;
use tabia::select::LeaveOut;
use tabia::{
    Error, InputItem, Observer, OpenOptions, Profile, Progress, ScanOptions, Summary, Want, Written,
};

use crate::game_rows::{RowCollector, RowOptions};
use crate::positions::{PositionBatches, PositionCollector};
use crate::record_batches::GameBatches;
use crate::schema::{GameColumns, Table, book_rows_schema};
use crate::target::{ArrowFile, ArrowStream, ParquetTarget, Shards, TableTarget};
use crate::year_folders::YearFolders;

/// Bytes of the parts of a folder, about.
pub const PART_BYTES: usize = 256 << 20;

/// Files of [`TableFile::Shards`], at most.
const MAX_SHARDS: usize = 64;

/// Which table of which games.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableOptions {
    /// How the inputs are opened.
    pub open: OpenOptions,
    /// Which records, on how many threads.
    pub plan: ScanOptions,
    /// The table: games or positions.
    pub table: Table,
    /// The columns of [`Table::Games`].
    pub columns: GameColumns,
    /// The column `pgn` with this profile.
    pub with_pgn: Option<Profile>,
    /// Comments in every language, not in one: English, or the first of a game.
    pub all_comments: bool,
    /// The plies of [`Table::Positions`], counted from 1.
    pub plies: RangeInclusive<u16>,
    /// The column `fen` of [`Table::Positions`].
    pub fen: bool,
    /// What gives the files their names, together with others of the same job.
    pub transaction: Option<Transaction>,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            open: OpenOptions::default(),
            plan: ScanOptions::default(),
            table: Table::Games,
            columns: GameColumns::default(),
            with_pgn: None,
            all_comments: false,
            plies: 1..=u16::MAX,
            fen: false,
            transaction: None,
        }
    }
}

impl TableOptions {
    /// The columns with `pgn` if that is asked for.
    pub(crate) fn all_columns(&self) -> GameColumns {
        match self.with_pgn {
            Some(_) => self.columns.clone().with_pgn(),
            None => self.columns.clone(),
        }
    }

    /// The schema of the table.
    pub fn schema(&self) -> SchemaRef {
        match self.table {
            Table::Games => self.all_columns().schema(),
            Table::Positions => crate::positions::schema(self.fen),
            Table::BookRows => book_rows_schema(),
        }
    }
}

/// Options of a table as they are asked for; each is for one of the tables only.
///
/// ```
/// use tabia_columns::write::{TableOptions, TableRequest};
///
/// # fn main() -> Result<(), tabia::Error> {
/// let mut options = TableOptions::default();
/// let request = TableRequest { columns: Some("white,black"), ..TableRequest::default() };
/// request.apply(&mut options)?;
/// assert_eq!(options.schema().fields().len(), 2);
/// let wrong = TableRequest { fen: true, ..TableRequest::default() };
/// assert!(wrong.apply(&mut options).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TableRequest<'a> {
    /// The table.
    pub table: Table,
    /// The columns of [`Table::Games`], as [`GameColumns::parse`] reads them.
    pub columns: Option<&'a str>,
    /// The profile of the column `pgn` of [`Table::Games`].
    pub with_pgn: Option<Profile>,
    /// Comments of [`Table::Games`] in every language.
    pub all_comments: bool,
    /// The plies of [`Table::Positions`].
    pub plies: Option<RangeInclusive<u16>>,
    /// The column `fen` of [`Table::Positions`].
    pub fen: bool,
    /// Whether the rows of [`Table::Games`] go to folders by year.
    pub by_year: bool,
}

impl Default for TableRequest<'_> {
    fn default() -> Self {
        Self {
            table: Table::Games,
            columns: None,
            with_pgn: None,
            all_comments: false,
            plies: None,
            fen: false,
            by_year: false,
        }
    }
}

impl TableRequest<'_> {
    /// The option that differs from the usual, as the command line names it; `None` if there is none.
    pub fn used(&self) -> Option<&'static str> {
        let used = [
            (self.table != Table::Games, "--table"),
            (self.columns.is_some(), "--columns"),
            (self.with_pgn.is_some(), "--with-pgn"),
            (self.all_comments, "--comments"),
            (self.plies.is_some(), "--plies"),
            (self.fen, "--fen"),
            (self.by_year, "--partition"),
        ];
        used.into_iter()
            .find_map(|(is_used, name)| is_used.then_some(name))
    }

    /// Sets the options.
    ///
    /// # Errors
    /// A usage error for book rows, which no games have, for an option that is for another table, for columns that there
    /// are not, and for folders by year without the column `year`.
    pub fn apply(&self, options: &mut TableOptions) -> Result<(), Error> {
        if self.table == Table::BookRows {
            let text = "book rows are made of books: `tabia book convert BOOK -o rows.parquet`";
            return Err(Error::usage(text));
        }
        let is_games = self.table == Table::Games;
        let wrong = [
            (is_games && self.plies.is_some(), "--plies", "positions"),
            (is_games && self.fen, "--fen", "positions"),
            (!is_games && self.columns.is_some(), "--columns", "games"),
            (!is_games && self.with_pgn.is_some(), "--with-pgn", "games"),
            (!is_games && self.all_comments, "--comments", "games"),
            (!is_games && self.by_year, "--partition", "games"),
        ];
        if let Some((_, option, name)) = wrong.into_iter().find(|(is_wrong, _, _)| *is_wrong) {
            let text = format!("`{option}` is for the table `{name}`");
            return Err(Error::usage(text));
        }
        options.table = self.table;
        if let Some(names) = self.columns {
            options.columns = GameColumns::parse(names)?;
        }
        options.with_pgn = self.with_pgn;
        options.all_comments = self.all_comments;
        if let Some(plies) = &self.plies {
            options.plies = plies.clone();
        }
        options.fen = self.fen;
        if self.by_year && options.columns.names().all(|name| name != "year") {
            let text = "`--partition year` needs the column `year`: `--columns year,…`";
            return Err(Error::usage(text));
        }
        Ok(())
    }
}

/// Plies of positions, counted from 1: `1..40`, `..40`, `16`.
///
/// # Errors
/// What such a text is.
///
/// ```
/// assert_eq!(tabia_columns::write::parse_plies("..40"), Ok(1..=40));
/// assert!(tabia_columns::write::parse_plies("5..4").is_err());
/// ```
pub fn parse_plies(text: &str) -> Result<RangeInclusive<u16>, String> {
    let number = |text: &str, open: u16| match text {
        "" => Some(open),
        text => text.parse().ok().filter(|ply| *ply > 0),
    };
    let range = match text.split_once("..") {
        Some((first, last)) => number(first, 1).zip(number(last, u16::MAX)),
        None => number(text, 0).filter(|ply| *ply > 0).map(|ply| (ply, ply)),
    };
    match range {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err("plies from 1, as `1..40`".to_owned()),
    }
}

/// Where a table goes.
#[non_exhaustive]
pub enum TableFile<'a> {
    /// A Parquet file.
    Parquet(PathBuf),
    /// Parquet files `part-00000.parquet`, … of about that number of bytes in a folder.
    Folder(PathBuf, usize),
    /// Parquet files of a folder that are written at the same time. Row groups go to one after another, so that
    /// their bytes do not depend on `threads`. Each takes up to 64 MiB of memory.
    Shards {
        /// The folder.
        folder: PathBuf,
        /// Number of files, also if there are fewer row groups.
        count: usize,
        /// Threads that write, at most.
        threads: usize,
    },
    /// Parquet files in a folder for each year of the games: `year=2015/part-00000.parquet`. The column `year` is in the
    /// names of the folders only; games without a year are in `year=__HIVE_DEFAULT_PARTITION__`.
    ///
    /// Files of about that number of bytes. The rows are sorted in a temporary file in the folder, which has the size of
    /// the table in memory.
    Years(PathBuf, usize),
    /// A file with a stream of Arrow.
    Arrow(PathBuf),
    /// A stream of Arrow to anything that takes bytes.
    Stream(&'a mut dyn Write),
}

impl std::fmt::Debug for TableFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Parquet(path) => write!(f, "Parquet({})", path.display()),
            Self::Folder(path, _) => write!(f, "Folder({})", path.display()),
            Self::Shards { folder, count, .. } => {
                write!(f, "Shards({}, {count})", folder.display())
            }
            Self::Years(folder, _) => write!(f, "Years({})", folder.display()),
            Self::Arrow(path) => write!(f, "Arrow({})", path.display()),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl TableFile<'_> {
    /// The target that a name means: `x.parquet`, `x.arrow`, or `out/` for a folder of Parquet files.
    /// `None` for other names.
    pub fn of_name(name: &str) -> Option<Self> {
        let path = Path::new(name);
        if name.ends_with('/') {
            return Some(Self::Folder(path.to_path_buf(), PART_BYTES));
        }
        let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "parquet" => Some(Self::Parquet(path.to_path_buf())),
            "arrow" => Some(Self::Arrow(path.to_path_buf())),
            _ => None,
        }
    }

    /// Whether a name is that of a format of tables.
    pub fn is_format(name: &str) -> bool {
        matches!(name, "parquet" | "arrow")
    }

    /// The target of a name, in a format if there is one ([`is_format`](Self::is_format)), or as the name states.
    ///
    /// # Errors
    /// A usage error for a name that no table has, and for a folder of another format than Parquet.
    ///
    /// ```
    /// use tabia_columns::write::TableFile;
    ///
    /// assert!(matches!(TableFile::of_format("games", Some("arrow")), Ok(TableFile::Arrow(_))));
    /// assert!(matches!(TableFile::of_format("out/", None), Ok(TableFile::Folder(..))));
    /// assert!(TableFile::of_format("games.pgn", None).is_err());
    /// ```
    pub fn of_format(name: &str, format: Option<&str>) -> Result<Self, Error> {
        match (format, Self::of_name(name)) {
            (Some("arrow"), Some(Self::Folder(..))) => Err(Error::usage(
                "a folder has Parquet files; give a file for Arrow",
            )),
            (Some("arrow"), _) => Ok(Self::Arrow(name.into())),
            (_, Some(Self::Folder(path, bytes))) => Ok(Self::Folder(path, bytes)),
            (Some(_), _) => Ok(Self::Parquet(name.into())),
            (None, Some(file)) => Ok(file),
            (None, None) => Err(Error::usage(format!("{name}: no table has this extension"))),
        }
    }

    /// The folder in this number of files, 1 to 64, which are written on up to `threads` threads.
    ///
    /// # Errors
    /// A usage error if this is no folder, and for another number.
    pub fn in_shards(self, count: usize, threads: usize) -> Result<Self, Error> {
        if !(1..=MAX_SHARDS).contains(&count) {
            let text = format!("`--shards {count}`: a number from 1 to {MAX_SHARDS}");
            return Err(Error::usage(text));
        }
        match self {
            Self::Folder(folder, _) => Ok(Self::Shards {
                folder,
                count,
                threads,
            }),
            _ => Err(Error::usage("`--shards` is for folders: `-o folder/`")),
        }
    }

    /// The folder with a folder for each year.
    ///
    /// # Errors
    /// A usage error if this is no folder.
    pub fn by_year(self) -> Result<Self, Error> {
        match self {
            Self::Folder(folder, bytes) => Ok(Self::Years(folder, bytes)),
            _ => Err(Error::usage("`--partition` is for folders: `-o folder/`")),
        }
    }

    /// The main file or the folder; `None` for a stream.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Parquet(path)
            | Self::Folder(path, _)
            | Self::Shards { folder: path, .. }
            | Self::Years(path, _)
            | Self::Arrow(path) => Some(path),
            Self::Stream(_) => None,
        }
    }
}

/// The games of all items, in order, as one table. Files appear complete or not at all; a stream has
/// what was written before a failure. The bytes do not depend on the number of threads.
///
/// The summary counts as losses what the table cannot hold; with the column `pgn` only what PGN cannot.
///
/// # Errors
/// The first input that cannot be read or changes meanwhile, or why the target cannot be written.
///
/// ```
/// use std::sync::Arc;
/// use tabia_columns::write::{TableFile, TableOptions, write_table};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// # let name = format!("tabia-doc-table-{}.parquet", std::process::id());
/// # let target = std::env::temp_dir().join(name);
/// let items = tabia::Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let (summary, written) = write_table(
///     &items,
///     TableFile::Parquet(target.clone()),
///     &TableOptions::default(),
///     false,
///     &Arc::new(tabia::Progress::default()),
///     &mut tabia::NoObserver,
/// )?;
/// assert!(summary.counts.games > 0 && written.bytes > 0);
/// # let _ = std::fs::remove_file(target);
/// # Ok(())
/// # }
/// ```
pub fn write_table(
    items: &[InputItem],
    file: TableFile<'_>,
    options: &TableOptions,
    force: bool,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, Written), Error> {
    let schema = options.schema();
    let mut create = CreateOptions::default();
    create.force = force;
    create.transaction.clone_from(&options.transaction);
    let mut target = create_target(file, &schema, &create)?;
    let mut rows = 0;
    let summary = each_batch(items, options, progress, observer, &mut |batch| {
        rows += batch.num_rows() as u64;
        target.write(&batch)?;
        Ok(true)
    })?;
    let written = target.finish(rows)?;
    Ok((summary, written))
}

/// The target of a table.
///
/// # Errors
/// When it exists and may not be replaced, or cannot be created.
pub(crate) fn create_target<'a>(
    file: TableFile<'a>,
    schema: &SchemaRef,
    options: &CreateOptions,
) -> Result<Box<dyn TableTarget + 'a>, Error> {
    Ok(match file {
        TableFile::Parquet(path) => Box::new(ParquetTarget::file(&path, schema, options)?),
        TableFile::Folder(path, bytes) => {
            Box::new(ParquetTarget::folder(&path, schema, options, bytes)?)
        }
        TableFile::Shards {
            folder,
            count,
            threads,
        } => Box::new(Shards::create(&folder, count, threads, schema, options)?),
        TableFile::Years(folder, bytes) => {
            Box::new(YearFolders::create(&folder, bytes, schema, options)?)
        }
        TableFile::Arrow(path) => Box::new(ArrowFile::create(&path, schema, options)?),
        TableFile::Stream(out) => Box::new(ArrowStream::create(out, schema)?),
    })
}

/// Takes a batch; returns whether to go on.
pub type TakeBatch<'a> = &'a mut dyn FnMut(RecordBatch) -> Result<bool, Error>;

/// The games of all items, in order, as batches of a table. How they are cut depends only on the input.
///
/// # Errors
/// The first input that cannot be read or changes meanwhile, and errors of `take`.
pub fn each_batch(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    take: TakeBatch<'_>,
) -> Result<Summary, Error> {
    match options.table {
        Table::Games => each_game_batch(items, options, progress, observer, take),
        Table::Positions => each_position_batch(items, options, progress, observer, take),
        Table::BookRows => Err(Error::usage(
            "book rows are made of books: `tabia book convert`",
        )),
    }
}

fn each_game_batch(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    take: TakeBatch<'_>,
) -> Result<Summary, Error> {
    let columns = options.all_columns();
    let mut plan = options.plan.clone();
    // Problems of what is not read would not end the job, and codes by position need the moves.
    let needs_moves = plan.strict || plan.eco != EcoUpdate::Keep;
    if !needs_moves {
        plan.want = parts_of_both(plan.want, columns.want());
    }
    // The index does not know what is left out of a game or put into it.
    let is_as_stored =
        plan.leave_out == LeaveOut::default() && plan.languages.is_empty() && plan.mark.is_none();
    let is_header = columns.is_header() && !needs_moves && is_as_stored;
    let takes_heads = is_header || plan.want == Want::TAGS;
    let mut batches = GameBatches::new(&columns);
    let mut is_stopped = false;
    let mut last_item = None;
    let summary = collect(
        items,
        &options.open,
        &plan,
        &mut |_| {
            let pgn = options.with_pgn.map(pgn_writer).transpose()?;
            Ok(RowCollector::new(RowOptions {
                all_comments: options.all_comments,
                pgn,
                is_header,
                takes_heads,
            }))
        },
        progress,
        observer,
        &mut |item, base, piece| {
            let source = source_name(item);
            // Inputs are borrowed until the end: no other one has the address.
            if last_item.replace(std::ptr::from_ref(item)) != Some(std::ptr::from_ref(item)) {
                batches.begin_input();
            }
            batches.begin_piece(piece);
            let mut next = 0;
            while !is_stopped && next < piece.len() {
                next = batches.push(piece, next, base.0, &source)?;
                if batches.is_full()
                    && let Some(batch) = batches.take()?
                {
                    is_stopped = !take(batch)?;
                }
            }
            Ok(!is_stopped)
        },
    )?;
    if !is_stopped && let Some(batch) = batches.take()? {
        take(batch)?;
    }
    Ok(summary)
}

fn each_position_batch(
    items: &[InputItem],
    options: &TableOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    take: TakeBatch<'_>,
) -> Result<Summary, Error> {
    let mut batches = PositionBatches::new(options.fen);
    let mut is_stopped = false;
    let summary = collect(
        items,
        &options.open,
        &options.plan,
        &mut |_| Ok(PositionCollector::new(options.plies.clone(), options.fen)),
        progress,
        observer,
        &mut |_, base, piece| {
            let mut next = 0;
            loop {
                next = batches.push(piece, next, base.0);
                if is_stopped || !batches.is_full() {
                    return Ok(!is_stopped);
                }
                if let Some(batch) = batches.take()? {
                    is_stopped = !take(batch)?;
                }
            }
        },
    )?;
    if !is_stopped && let Some(batch) = batches.take()? {
        take(batch)?;
    }
    Ok(summary)
}

fn pgn_writer(profile: Profile) -> Result<Box<dyn tabia::core::games::TextWriter>, Error> {
    let mut create = CreateOptions::default();
    create.profile = profile;
    let format = tabia::writable_formats().find(|format| format.create_text.is_some());
    match format.and_then(|format| format.create_text) {
        Some(create_text) => create_text(&create).map_err(Error::in_output),
        None => Err(Error::usage("no text of games can be written")),
    }
}

/// The parts of games that are wanted by both.
fn parts_of_both(one: Want, other: Want) -> Want {
    let parts = [Want::MAINLINE, Want::VARIATIONS, Want::ANNOTATIONS];
    let parts = parts
        .into_iter()
        .filter(|part| one.has(*part) && other.has(*part));
    parts.fold(Want::TAGS, Want::and)
}

/// The file name of an input.
fn source_name(item: &InputItem) -> String {
    let name = item.label().file_name();
    name.map_or_else(|| item.name(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_plies;

    #[test]
    fn plies_are_counted_from_1() {
        assert_eq!(parse_plies("1..40"), Ok(1..=40));
        assert_eq!(parse_plies("16"), Ok(16..=16));
        assert_eq!(parse_plies("..9"), Ok(1..=9));
        assert_eq!(parse_plies("9.."), Ok(9..=u16::MAX));
        for text in ["", "0", "5..4", "0..4", "a", "1...4", "1-4"] {
            assert!(parse_plies(text).is_err(), "{text}");
        }
    }
}
