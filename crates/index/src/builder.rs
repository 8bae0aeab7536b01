//! Builds an index, or adds the new games of a database to one.

use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{DiskFile, Output, OutputSet, Progress, ProgressPhase};
use tabia_core::{Error, Result};
use zerocopy::IntoBytes;

use crate::directory::{Directory, Entry};
use crate::layout::{Kind, MAX_SEGMENT_GAMES, Section, WHOLE};
use crate::mainline_collector::Batch;
use crate::read_mark::{ReadMark, StoredReadMark};
use crate::reader::PositionIndex;
use crate::section_writer::{Target, Writer};
use crate::segment_builder::{Pending, digest};

/// Plies of a segment, those of equal games once, so that building it takes a bounded amount of memory.
const MAX_SEGMENT_PLIES: u64 = 28_000_000;
/// Segments with a smaller share of the games that a segment may have are built again together when there
/// are many of them.
const SMALL_SHARE: usize = 8;
/// Small segments at the end, at most.
const MAX_SMALL: usize = 8;
/// Bytes that no longer count, at most, beyond as many as those that do.
const MAX_UNUSED: u64 = 1 << 20;

/// How an index is built.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildOptions {
    /// Threads; the result depends on them in no way that matters: the order of sections is the same.
    pub threads: usize,
    /// Games of a segment at most, up to 2^19.
    pub segment_games: usize,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            threads: 1,
            segment_games: MAX_SEGMENT_GAMES,
        }
    }
}

/// What a builder has made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// Games of the index.
    pub games: u64,
    /// Games that were added to those of the index that was there before.
    pub added: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
}

/// Builds an index from batches of games in the order of the database.
pub struct Builder<'p> {
    options: BuildOptions,
    progress: &'p Progress,
    pending: Pending,
    /// The segments that are kept.
    kept: Comparison,
    /// Number of the first game that they do not have, and the games of the index before, if segments are
    /// built again.
    rebuilt: Option<(u32, u64)>,
    mark: Option<ReadMark>,
    new_mark: Option<ReadMark>,
    /// Games that are known to be those of the index and are read all the same: their number, and the digest
    /// of them.
    tail: Option<(u32, u64)>,
    games: u64,
    added: u64,
    /// Games of the index that was there before.
    old_games: u64,
    output: Destination,
}

/// Where the sections go.
enum Destination {
    /// A new file, which gets its name at the end.
    New(NewFile),
    /// An index that is there.
    Grown(Writer<DiskFile>),
    /// Memory.
    Memory(Writer<io::Cursor<Vec<u8>>>),
    /// Everything was written.
    Done,
}

/// A file without a name.
struct NewFile {
    path: PathBuf,
    writer: Option<Writer<NamedOutput>>,
}

struct NamedOutput {
    set: OutputSet,
    number: usize,
}

impl NamedOutput {
    fn output(&mut self) -> io::Result<&mut Output> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        self.set.file(self.number).ok_or_else(missing)
    }
}

impl Write for NamedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output()?.flush()
    }
}

impl Seek for NamedOutput {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.output()?.seek(to)
    }
}

impl Target for NamedOutput {
    fn sync(&mut self) -> io::Result<()> {
        // The file has no name yet; it is synced before it gets one.
        Ok(())
    }
}

impl Target for DiskFile {
    fn sync(&mut self) -> io::Result<()> {
        DiskFile::sync(self)
    }
}

impl Target for io::Cursor<Vec<u8>> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compares the games of a database with those of an index.
#[derive(Debug)]
pub struct Comparison {
    /// Games and digest of the segments that are to come, the next one last.
    segments: Vec<(u32, u64)>,
    /// Games of the current segment, and their digest.
    compared: (u32, u64),
}

impl Comparison {
    /// Begins with the first game.
    pub fn new(index: &PositionIndex) -> Self {
        let mut segments: Vec<_> = index.digests().collect();
        segments.reverse();
        Self {
            segments,
            compared: (0, 0),
        }
    }

    fn none() -> Self {
        Self {
            segments: Vec::new(),
            compared: (0, 0),
        }
    }

    /// Compares the next game; `None` if the index has no more of them.
    fn next(&mut self, batch: &Batch, number: usize, base: u32) -> Option<Kept> {
        let &(games, wanted) = self.segments.last()?;
        let (count, so_far) = self.compared;
        self.compared = (count + 1, digest(so_far, batch, number, base));
        if count + 1 == games {
            if self.compared.1 != wanted {
                return Some(Kept::No);
            }
            self.segments.pop();
            self.compared = (0, 0);
        }
        Some(Kept::Yes)
    }

    /// Compares the games of a batch, the numbers of whose games count from `base`. [`Kept::No`] if the
    /// index has others, or no more.
    pub fn add(&mut self, batch: &Batch, base: u32) -> Kept {
        for number in 0..batch.games.len() {
            if self.next(batch, number, base) != Some(Kept::Yes) {
                return Kept::No;
            }
        }
        Kept::Yes
    }

    /// Whether all games of the index were compared.
    pub fn is_complete(&self) -> bool {
        self.segments.is_empty()
    }
}

/// Whether the first games of a database are those of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// So far they are.
    Yes,
    /// They are not: the index has to be built from all games.
    No,
}

impl std::fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("games", &self.games)
            .field("added", &self.added)
            .finish_non_exhaustive()
    }
}

impl<'p> Builder<'p> {
    /// Builds a new index at `path`, which replaces the one that is there when it is complete.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path, options: BuildOptions, progress: &'p Progress) -> Result<Self> {
        let mut set = OutputSet::new(true);
        let number = set.create(path)?;
        let writer = Writer::create(NamedOutput { set, number });
        let writer = writer.map_err(|error| error.in_path(path))?;
        let file = NewFile {
            path: path.to_path_buf(),
            writer: Some(writer),
        };
        let output = Destination::New(file);
        Ok(Self::new(options, progress, output, Comparison::none()))
    }

    /// Builds an index in memory.
    ///
    /// # Errors
    /// Never.
    pub fn in_memory(options: BuildOptions, progress: &'p Progress) -> Result<Self> {
        let writer = Writer::create(io::Cursor::new(Vec::new()))?;
        let output = Destination::Memory(writer);
        Ok(Self::new(options, progress, output, Comparison::none()))
    }

    /// Adds the games of a grown database to its index at `path`. The first games must be those of the
    /// index; [`add`](Self::add) compares them.
    ///
    /// Small segments at its end are built again together with the new games when there are many of them.
    /// `None` if the index had better be built from the beginning: if nothing of it would be left, or if much
    /// of the file no longer counts.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn grow(
        index: &PositionIndex,
        path: &Path,
        options: BuildOptions,
        progress: &'p Progress,
    ) -> Result<Option<Self>> {
        let Some(kept) = KeptSegments::of(index, &options) else {
            return Ok(None);
        };
        let file = DiskFile::open(path).map_err(|error| Error::from(error).in_path(path))?;
        let writer = Writer::append(file, kept.directory(index));
        let writer = writer.map_err(|error| error.in_path(path))?;
        let output = Destination::Grown(writer);
        Ok(Some(kept.grow(index, options, progress, output)))
    }

    /// The same in memory.
    ///
    /// # Errors
    /// When `bytes` are not those of the index.
    pub fn grow_in_memory(
        index: &PositionIndex,
        bytes: Vec<u8>,
        options: BuildOptions,
        progress: &'p Progress,
    ) -> Result<Option<Self>> {
        let Some(kept) = KeptSegments::of(index, &options) else {
            return Ok(None);
        };
        let writer = Writer::append(io::Cursor::new(bytes), kept.directory(index))?;
        let output = Destination::Memory(writer);
        Ok(Some(kept.grow(index, options, progress, output)))
    }

    /// How far the database was read for the index that is added to, if that is known and its games are
    /// recognised by it: [`skip_known`](Self::skip_known).
    pub fn read_mark(&self) -> Option<ReadMark> {
        // Segments that are built again begin at a record, which no mark of a text states.
        self.mark
            .filter(|mark| self.rebuilt.is_none() || (mark.games_after == 0 && mark.bytes == 0))
    }

    /// What is before the [`read_mark`](Self::read_mark) is unchanged: the games of the index are those of
    /// the database and need not be added. Returns the number of the record from which on games are to be
    /// added; those after the mark are compared.
    pub fn skip_known(&mut self) -> u32 {
        let Some(mark) = self.read_mark() else {
            return 0;
        };
        self.kept = Comparison::none();
        if let Some((first, games)) = self.rebuilt {
            self.games = games;
            return first;
        }
        self.games = self.old_games;
        let games = mark.games_after;
        self.tail = (games > 0).then_some((games, mark.digest_after));
        mark.records
    }

    fn new(
        options: BuildOptions,
        progress: &'p Progress,
        output: Destination,
        kept: Comparison,
    ) -> Self {
        Self {
            options,
            progress,
            pending: Pending::default(),
            kept,
            rebuilt: None,
            mark: None,
            new_mark: None,
            tail: None,
            games: 0,
            added: 0,
            old_games: 0,
            output,
        }
    }

    /// Adds the games of a batch, the numbers of whose games count from `base`. [`Kept::No`] if the
    /// index that was to be added to has other games.
    ///
    /// # Errors
    /// When the file cannot be written or the work is cancelled.
    pub fn add(&mut self, batch: &Batch, base: u32) -> Result<Kept> {
        for number in 0..batch.games.len() {
            if let Some((left, wanted)) = self.tail {
                let (_, so_far) = self.kept.compared;
                let so_far = digest(so_far, batch, number, base);
                self.kept.compared = (0, so_far);
                self.tail = Some((left - 1, wanted)).filter(|(left, _)| *left > 0);
                if self.tail.is_none() {
                    self.kept.compared = (0, 0);
                    if so_far != wanted {
                        return Ok(Kept::No);
                    }
                }
                continue;
            }
            self.games += 1;
            match self.kept.next(batch, number, base) {
                Some(Kept::Yes) => continue,
                Some(Kept::No) => return Ok(Kept::No),
                None => {}
            }
            self.added += u64::from(self.games > self.old_games);
            self.pending.push(batch, number, base);
            if self.pending.len() >= self.options.segment_games.clamp(1, MAX_SEGMENT_GAMES)
                || self.pending.distinct_plies() >= MAX_SEGMENT_PLIES
            {
                self.write_segment()?;
            }
        }
        Ok(Kept::Yes)
    }

    fn write_segment(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let sections = pending.build(self.options.threads, self.progress)?;
        match &mut self.output {
            Destination::New(file) => {
                let path = &file.path;
                let written = file.writer.as_mut().map(|writer| write(writer, &sections));
                written
                    .unwrap_or(Ok(()))
                    .map_err(|error| error.in_path(path))
            }
            Destination::Grown(writer) => write(writer, &sections),
            Destination::Memory(writer) => write(writer, &sections),
            Destination::Done => Ok(()),
        }
    }

    /// Notes how far the database was read, so that it need not be read again when it has grown.
    pub fn mark_read(&mut self, mark: ReadMark) {
        self.new_mark = Some(mark);
    }

    /// Completes the index; `stamp` describes what it was made from, and [`mark_read`](Self::mark_read) how
    /// far that was read. `None` if the database has fewer games than the index that was to be added to.
    ///
    /// # Errors
    /// When the file cannot be written or the work is cancelled. The old index is then unchanged.
    pub fn finish(self, stamp: &[u8]) -> Result<Option<Built>> {
        self.finish_bytes(stamp)
            .map(|built| built.map(|(built, _)| built))
    }

    /// As [`finish`](Self::finish), with the bytes of an index in memory.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_bytes(mut self, stamp: &[u8]) -> Result<Option<(Built, Vec<u8>)>> {
        if !self.kept.is_complete() || self.tail.is_some() || self.games < self.old_games {
            return Ok(None);
        }
        if !self.pending.is_empty() {
            let games = self.pending.len() as u64;
            self.progress.begin_phase(ProgressPhase::Writing, games);
            self.write_segment()?;
        }
        self.progress.check()?;
        let mut whole = vec![(Kind::STAMP, 1, stamp.to_vec())];
        if let Some(mark) = self.new_mark {
            let mark = StoredReadMark::from(mark).as_bytes().to_vec();
            whole.push((Kind::READ_MARK, 1, mark));
        }
        let mut built = Built {
            games: self.games,
            added: self.added,
            bytes: 0,
        };
        let mut bytes = Vec::new();
        match std::mem::replace(&mut self.output, Destination::Done) {
            Destination::New(mut file) => {
                if let Some(mut writer) = file.writer.take() {
                    let done = write_whole(&mut writer, &whole).and_then(|()| writer.finish());
                    let output = done.map_err(|error| error.in_path(&file.path))?;
                    built.bytes = output.set.commit()?.1;
                }
            }
            Destination::Grown(mut writer) => {
                write_whole(&mut writer, &whole)?;
                built.bytes = writer.finish()?.length()?;
            }
            Destination::Memory(mut writer) => {
                write_whole(&mut writer, &whole)?;
                bytes = writer.finish()?.into_inner();
                built.bytes = bytes.len() as u64;
            }
            Destination::Done => {}
        }
        Ok(Some((built, bytes)))
    }
}

/// The segments of an index that is added to.
struct KeptSegments {
    kept: usize,
    /// The first game of those that are built again, and the games of the index before.
    rebuilt: Option<(u32, u64)>,
}

impl KeptSegments {
    /// `None` if the index had better be built from the beginning.
    fn of(index: &PositionIndex, options: &BuildOptions) -> Option<Self> {
        let segments: Vec<(u32, u64)> = index.digests().collect();
        let most = options.segment_games.clamp(1, MAX_SEGMENT_GAMES) / SMALL_SHARE;
        let is_small = |(games, _): &&(u32, u64)| (*games as usize) < most.max(2);
        let small = segments.iter().rev().take_while(is_small).count();
        let all = Self {
            kept: segments.len(),
            rebuilt: None,
        };
        let found = if small < MAX_SMALL {
            all
        } else {
            let kept = segments.len() - small;
            let games = segments.get(..kept).unwrap_or_default().iter();
            let games = games.map(|(games, _)| u64::from(*games)).sum();
            Self {
                kept,
                rebuilt: Some((index.first_game_from(kept).ok()??, games)),
            }
        };
        let used = found.directory(index).entries.into_iter();
        let used: u64 = used.map(|entry| entry.length.get()).sum();
        let is_empty = found.kept == 0 && !segments.is_empty();
        (!is_empty && index.bytes() <= 2 * used + MAX_UNUSED).then_some(found)
    }

    /// The directory without the other segments.
    fn directory(&self, index: &PositionIndex) -> Directory {
        let mut directory = index.directory().clone();
        let segments = directory.entries.iter();
        let segments = segments.filter(|entry| entry.kind == Kind::SEGMENT);
        let mut numbers: Vec<u32> = segments.map(|entry| entry.segment.get()).collect();
        numbers.sort_unstable();
        if let Some(&first) = numbers.get(self.kept) {
            let is_kept =
                |entry: &Entry| entry.segment.get() < first || entry.segment.get() == WHOLE;
            directory.entries.retain(is_kept);
        }
        directory
    }

    fn grow<'p>(
        self,
        index: &PositionIndex,
        options: BuildOptions,
        progress: &'p Progress,
        mut output: Destination,
    ) -> Builder<'p> {
        match &mut output {
            Destination::Grown(writer) => writer.drop_section(Kind::READ_MARK),
            Destination::Memory(writer) => writer.drop_section(Kind::READ_MARK),
            Destination::New(_) | Destination::Done => {}
        }
        let mut kept = Comparison::new(index);
        let rebuilt = kept.segments.len() - self.kept;
        kept.segments.drain(..rebuilt);
        Builder {
            rebuilt: self.rebuilt,
            mark: index.read_mark(),
            old_games: index.games(),
            ..Builder::new(options, progress, output, kept)
        }
    }
}

fn write<T: Target>(writer: &mut Writer<T>, sections: &[Section]) -> Result<()> {
    let number = writer.next_segment();
    sections
        .iter()
        .try_for_each(|section| writer.section(number, section))
}

fn write_whole<T: Target>(writer: &mut Writer<T>, sections: &[Section]) -> Result<()> {
    sections
        .iter()
        .try_for_each(|section| writer.section(WHOLE, section))
}
