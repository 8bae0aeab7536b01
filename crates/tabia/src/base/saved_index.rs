//! The index file of a database: where it is, whether it is current, and how it is made.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::games::Database;
use tabia_core::io::{LostFiles, Progress};
use tabia_core::{Error, GameIndex, Problem, Result};
use tabia_index::{
    Batch, BuildOptions, Builder, Collector, Comparison, Kept, PositionIndex, ReadMark, Unusable,
};

use super::end_mark::EndMark;
use super::index_stamp::Stamp;
use crate::input::{InputItem, OpenInput};
use crate::job_summary::{Base, Summary};
use crate::observer::{NoObserver, Observer};
use crate::scan::{ScanOptions, ScanReporter, Task, scan};
use crate::seen_moves::SeenMoves;
use crate::select::{RecordRanges, Selection};

/// Extension that is added to the name of a database.
const EXTENSION: &str = "tidx";

/// Where indexes are and how they are made.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IndexOptions {
    /// How the databases are opened.
    pub open: OpenOptions,
    /// Threads that read and build; 0 counts as 1.
    pub threads: usize,
    /// A folder for the indexes of databases in folders that cannot be written to.
    pub cache: Option<PathBuf>,
    /// Indexes are made in `cache` and nowhere else: no folder of a database is written to. Those that are
    /// next to their databases are used all the same.
    pub cache_only: bool,
    /// Games of a segment at most; 0 is the greatest number, 2^19.
    pub segment_games: usize,
    /// The first problem of the games ends the making of an index, and an old one stays as it was.
    pub strict: bool,
}

/// Whether a database has an index that can be used.
#[derive(Debug)]
pub enum SavedIndex {
    /// It has one.
    Current(Box<PositionIndex>),
    /// It has none.
    Absent,
    /// It has one of files that were changed since.
    Stale,
    /// It has one that cannot be used.
    Unusable(Unusable),
    /// It is no file on the disk, and cannot have one.
    Impossible,
}

impl SavedIndex {
    /// Why there is no index to use, for users; `None` if there is one, or if nothing was to be expected.
    pub fn why_not(&self) -> Option<String> {
        match self {
            Self::Current(_) | Self::Absent | Self::Impossible => None,
            Self::Stale => Some("the database was changed since its index was made".to_owned()),
            Self::Unusable(why) => Some(format!("the index is {why}")),
        }
    }
}

/// The paths at which the index of an item may be: next to it, and in the cache.
fn paths(item: &InputItem, options: &IndexOptions) -> Vec<PathBuf> {
    let files = super::index_stamp::files_of(item);
    let Some((_, main)) = files.and_then(|files| files.into_iter().next()) else {
        return Vec::new();
    };
    // A name need not be UTF-8, and two that differ only there have indexes of their own.
    let mut name = main.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(EXTENSION);
    let mut paths = vec![main.with_file_name(&name)];
    if let Some(cache) = &options.cache {
        let whole = std::path::absolute(&main).unwrap_or(main);
        let crc = tabia_index::crc32(whole.as_os_str().as_encoded_bytes());
        let mut cached = OsString::from(format!("{crc:08x}-"));
        cached.push(&name);
        paths.push(cache.join(cached));
    }
    paths
}

/// Those of [`paths`] at which an index may be made.
fn paths_to_write(item: &InputItem, options: &IndexOptions) -> Vec<PathBuf> {
    let mut paths = paths(item, options);
    if options.cache_only && !paths.is_empty() {
        paths.remove(0);
    }
    paths
}

/// Every path at which the index of an item may be: next to it, and in the cache. Empty if it can have none.
pub fn index_paths(item: &InputItem, options: &IndexOptions) -> Vec<PathBuf> {
    paths(item, options)
}

/// The index file of an item, if there is one: the current one if there are two.
pub fn index_path(item: &InputItem, options: &IndexOptions) -> Option<PathBuf> {
    let mut found = paths(item, options)
        .into_iter()
        .filter(|path| path.is_file());
    let first = found.next()?;
    let Some(second) = found.next() else {
        return Some(first);
    };
    let stamp = Stamp::of(item).ok().flatten();
    let is_current = |path: &Path| {
        let found = stamp
            .as_ref()
            .map(|stamp| open_at(path, stamp, &options.open));
        matches!(found, Some(Ok(SavedIndex::Current(_))))
    };
    Some(if !is_current(&first) && is_current(&second) {
        second
    } else {
        first
    })
}

/// The saved index of an item.
///
/// # Errors
/// When the files of the item or of the index cannot be read.
pub fn open_index(item: &InputItem, options: &IndexOptions) -> Result<SavedIndex> {
    let Some(stamp) = Stamp::of(item)? else {
        return Ok(SavedIndex::Impossible);
    };
    let mut first = None;
    for path in paths(item, options) {
        if path.is_file() {
            match open_at(&path, &stamp, &options.open)? {
                SavedIndex::Current(index) => return Ok(SavedIndex::Current(index)),
                other => first = first.or(Some(other)),
            }
        }
    }
    Ok(first.unwrap_or(SavedIndex::Absent))
}

/// The index in a file that is watched.
fn open_watched(
    path: &Path,
    options: &OpenOptions,
) -> Result<std::result::Result<PositionIndex, Unusable>> {
    let watching = LostFiles::default();
    let file = watching.watch(|| options.bytes_of(path))?;
    Ok(PositionIndex::open_watched(&file, &watching))
}

/// The index in a file, compared with the files of its database.
fn open_at(path: &Path, stamp: &Stamp, options: &OpenOptions) -> Result<SavedIndex> {
    let index = match open_watched(path, options)? {
        Ok(index) => index,
        Err(error) => return Ok(SavedIndex::Unusable(error)),
    };
    let written = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    if stamp.is_that_of(index.stamp(), written.ok()) {
        Ok(SavedIndex::Current(Box::new(index)))
    } else {
        Ok(SavedIndex::Stale)
    }
}

/// What [`build_index`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexChange {
    /// The index was current.
    None,
    /// The new games were added.
    Grown,
    /// A new one was built.
    Built,
}

/// An index that was made or is current.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuiltIndex {
    /// Its file.
    pub path: PathBuf,
    /// What was done.
    pub change: IndexChange,
    /// Games that were added.
    pub added: u64,
    /// The index.
    pub index: Box<PositionIndex>,
    /// Problems of the database.
    pub summary: Summary,
}

/// Makes the index of an item, adds the new games of a grown database to it, or leaves a current one as
/// it is.
///
/// # Errors
/// When the item is no file on the disk, or cannot be read, or was changed meanwhile; when the index
/// cannot be written. The index that was there is then unchanged.
pub fn build_index(
    item: &InputItem,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<BuiltIndex> {
    let Some(stamp) = Stamp::of(item)? else {
        return Err(Error::unsupported(
            "only a database in files of its own can have an index, not a stream or a member of an \
             archive",
        )
        .in_file(item.label()));
    };
    if let SavedIndex::Current(index) = open_index(item, options)?
        && let Some(path) = index_path(item, options)
    {
        return Ok(BuiltIndex {
            path,
            change: IndexChange::None,
            added: 0,
            index,
            summary: Summary::default(),
        });
    }
    let mut old = paths_to_write(item, options).into_iter();
    if let Some(path) = &old.find(|path| path.is_file())
        && let Ok(index) = open_watched(path, &options.open)?
    {
        let grown = Builder::grow(&index, path, options.build(), progress);
        if let Some(builder) = grown.map_err(Error::in_output)? {
            let job = Job {
                item,
                options,
                progress,
                stamp: &stamp,
            };
            if let Some((added, summary)) = job.fill(builder, observer)? {
                return opened(
                    path.clone(),
                    IndexChange::Grown,
                    added,
                    summary,
                    &options.open,
                );
            }
            // The games of the index are not those of the database.
            return job.create(&mut NoObserver);
        }
    }
    let job = Job {
        item,
        options,
        progress,
        stamp: &stamp,
    };
    job.create(observer)
}

impl IndexOptions {
    fn build(&self) -> BuildOptions {
        let mut options = BuildOptions::default();
        options.threads = self.threads.max(1);
        if self.segment_games > 0 {
            options.segment_games = self.segment_games;
        }
        options
    }
}

struct Job<'a> {
    item: &'a InputItem,
    options: &'a IndexOptions,
    progress: &'a Arc<Progress>,
    stamp: &'a Stamp,
}

impl Job<'_> {
    fn create(&self, observer: &mut dyn Observer) -> Result<BuiltIndex> {
        let (path, builder) = self.builder().map_err(Error::in_output)?;
        let filled = self.fill(builder, observer)?;
        let (added, summary) = filled.unwrap_or_default();
        opened(path, IndexChange::Built, added, summary, &self.options.open)
    }

    /// A builder at the first path that can be written to.
    fn builder(&self) -> Result<(PathBuf, Builder<'_>)> {
        let mut failure = None;
        for path in paths_to_write(self.item, self.options) {
            if (failure.is_some() || self.options.cache_only)
                && let Some(folder) = path.parent()
            {
                std::fs::create_dir_all(folder)
                    .map_err(|error| Error::from(error).in_path(folder))?;
            }
            match Builder::create(&path, self.options.build(), self.progress) {
                Ok(builder) => return Ok((path, builder)),
                Err(error) => failure = failure.or(Some(error.in_path(&path))),
            }
        }
        Err(failure.unwrap_or_else(|| {
            Error::unsupported("there is no folder for indexes; name one with `--index`")
        }))
    }

    /// Reads the games; `None` if those of the index are others.
    fn fill(
        &self,
        mut builder: Builder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Option<(u64, Summary)>> {
        let mut games = Fill {
            builder: &mut builder,
            kept: Kept::Yes,
        };
        let read = read(self.item, self.options, self.progress, observer, &mut games)?;
        if games.kept == Kept::No {
            return Ok(None);
        }
        let (mark, crc) = read.mark.map(EndMark::finish).unwrap_or_default();
        if let Some(mark) = mark {
            builder.mark_read(mark);
        }
        let summary = read.summary;
        let text = self.stamp.to_text(crc)?;
        if Stamp::of(self.item)?.as_ref() != Some(self.stamp) {
            let error = Error::invalid("the database was changed while it was read");
            return Err(error.in_file(self.item.label()));
        }
        let built = builder.finish(text.as_bytes()).map_err(Error::in_output)?;
        Ok(built.map(|built| (built.added, summary)))
    }
}

fn opened(
    path: PathBuf,
    change: IndexChange,
    added: u64,
    summary: Summary,
    options: &OpenOptions,
) -> Result<BuiltIndex> {
    let index = open_watched(&path, options)?;
    let index = index.map_err(|error| Error::invalid(error.to_string()).in_path(&path))?;
    Ok(BuiltIndex {
        path,
        change,
        added,
        index: Box::new(index),
        summary,
    })
}

/// Compares every game of an item with its index, and checks every byte of the index. What is wrong, for
/// users; `None` if nothing is.
///
/// # Errors
/// When the item cannot be read.
pub fn check_index(
    item: &InputItem,
    options: &IndexOptions,
    progress: &Arc<Progress>,
) -> Result<Option<String>> {
    let index = match open_index(item, options)? {
        SavedIndex::Current(index) => index,
        SavedIndex::Absent | SavedIndex::Impossible => return Ok(Some("no index".to_owned())),
        other => return Ok(other.why_not()),
    };
    if let Err(error) = index.check() {
        return Ok(Some(format!("the index is {error}")));
    }
    let mut games = Compare {
        comparison: Comparison::new(&index),
        kept: Kept::Yes,
    };
    read(item, options, progress, &mut NoObserver, &mut games)?;
    if games.kept == Kept::No || !games.comparison.is_complete() {
        return Ok(Some(
            "the index has other games than the database".to_owned(),
        ));
    }
    Ok(None)
}

/// Removes the index of an item; its path, if there was one.
///
/// # Errors
/// When the file cannot be removed.
pub fn drop_index(item: &InputItem, options: &IndexOptions) -> Result<Option<PathBuf>> {
    let mut removed = None;
    for path in paths(item, options) {
        if path.is_file() {
            remove(&path)?;
            removed = removed.or(Some(path));
        }
    }
    Ok(removed)
}

fn remove(path: &Path) -> Result<()> {
    let removed = std::fs::remove_file(path);
    removed.map_err(|error| Error::from(error).in_path(path).in_output())
}

/// Gets the games of an item in order.
trait TakeGames {
    /// How far the item was read before, if the games up to there need not be read again.
    fn read_mark(&self) -> Option<ReadMark> {
        None
    }

    /// Nothing was changed up to the mark; the record from which on games are read.
    fn skip_known(&mut self) -> u32 {
        0
    }

    /// Takes games whose numbers count from `base`; `false` if no more are wanted.
    fn take(&mut self, batch: &Batch, base: u32) -> Result<bool>;

    /// The item cannot be read from the mark on after all.
    fn refuse(&mut self) {}
}

/// Adds games to an index.
struct Fill<'b, 'p> {
    builder: &'b mut Builder<'p>,
    kept: Kept,
}

impl TakeGames for Fill<'_, '_> {
    fn read_mark(&self) -> Option<ReadMark> {
        self.builder.read_mark()
    }

    fn skip_known(&mut self) -> u32 {
        self.builder.skip_known()
    }

    fn take(&mut self, batch: &Batch, base: u32) -> Result<bool> {
        self.kept = self.builder.add(batch, base).map_err(Error::in_output)?;
        Ok(self.kept == Kept::Yes)
    }

    fn refuse(&mut self) {
        self.kept = Kept::No;
    }
}

/// Compares games with those of an index.
struct Compare {
    comparison: Comparison,
    kept: Kept,
}

impl TakeGames for Compare {
    fn take(&mut self, batch: &Batch, base: u32) -> Result<bool> {
        self.kept = self.comparison.add(batch, base);
        Ok(self.kept == Kept::Yes)
    }
}

/// What is noted of an item that was read.
struct Read {
    summary: Summary,
    mark: Option<EndMark>,
}

/// Reads the lines of the games of an item.
fn read(
    item: &InputItem,
    options: &IndexOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    games: &mut dyn TakeGames,
) -> Result<Read> {
    let threads = options.threads.max(1);
    let mut plan = ScanOptions {
        threads,
        selection: Selection::all(),
        want: Collector::WANT,
        strict: options.strict,
        ..ScanOptions::default()
    };
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    progress.expect(item.bytes().unwrap_or_default());
    let mark = reporter.read_item(&options.open, progress, plan.strict, |reporter, input| {
        let known = games.read_mark();
        let (mut mark, is_known) = EndMark::new(item, &input, known.as_ref());
        if let Some(known) = known.filter(|_| is_known) {
            let first = games.skip_known();
            if let OpenInput::Database(_) = input {
                plan.selection.numbers = Some(RecordRanges::from(GameIndex(first)));
            } else {
                plan.from = Base {
                    games: known.records,
                    bytes: known.bytes,
                    lines: known.lines,
                };
            }
        }
        let tasks = (0..threads).map(|_| CollectTask::default()).collect();
        let mut is_first = true;
        scan(
            reporter,
            input,
            &plan,
            tasks,
            &mut |base, batch: &mut Batch| {
                if is_first && plan.from.bytes != 0 && base.bytes != plan.from.bytes {
                    games.refuse();
                    return Ok(false);
                }
                is_first = false;
                if let Some(mark) = &mut mark {
                    mark.read(batch, base);
                }
                games.take(batch, base.games)
            },
        )?;
        Ok(mark)
    })?;
    Ok(Read { summary, mark })
}

/// Collects lines on one thread.
#[derive(Default)]
struct CollectTask {
    collector: Collector,
    /// The lines of the games so far.
    seen: SeenMoves,
    /// The game whose line was collected last, unless it has a problem.
    last: Option<GameIndex>,
}

impl Visitor for CollectTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.collector.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.collector.visit_move(before, ply)
    }

    fn end_game(&mut self, result: GameResult) {
        self.collector.end_game(result);
    }
}

impl Task for CollectTask {
    type Out = Batch;

    fn swap(&mut self, out: &mut Batch) {
        self.collector.swap(out);
    }

    fn want_of(&mut self, database: &dyn Database, game: GameIndex, want: Want) -> Want {
        if let Some(last) = self.last.take()
            && let Some(line) = self.collector.line_of(last)
        {
            self.seen.insert(database, last, line);
        }
        let moves = database.stored_moves(game);
        let line = moves.and_then(|moves| self.seen.get(database, moves));
        self.collector.set_line(line.unwrap_or_default());
        if line.is_some() {
            return Want::TAGS;
        }
        self.last = moves.map(|_| game);
        want
    }

    fn on_problem(&mut self, problem: &Problem) {
        // Collecting goes on.
        let _ = self.collector.problem(problem.clone());
        self.last = None;
    }
}
