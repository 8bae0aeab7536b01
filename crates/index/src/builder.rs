//! Builds an index, or adds the new games of a database to one.

use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::io::{DiskFile, Output, OutputSet, Progress};
use tabia_core::{Error, Result};

use crate::directory::Directory;
use crate::layout::{Kind, MAX_SEGMENT_GAMES, Section, WHOLE};
use crate::mainline_collector::Batch;
use crate::reader::PositionIndex;
use crate::section_writer::{Target, Writer};
use crate::segment_builder::{Pending, digest};

/// Plies of a segment, so that building it takes a bounded amount of memory.
const MAX_SEGMENT_PLIES: u64 = 28_000_000;
/// Segments smaller than that are built again together when there are many of them.
const SMALL_SEGMENT: u32 = 1 << 16;
/// Small segments at most.
const MAX_SMALL: usize = 8;

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
    games: u64,
    added: u64,
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
    /// `None` if it has a large number of small segments, so that the index had better be built again.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn grow(
        index: &PositionIndex,
        path: &Path,
        options: BuildOptions,
        progress: &'p Progress,
    ) -> Result<Option<Self>> {
        let Some(kept) = kept_segments(index) else {
            return Ok(None);
        };
        let file = DiskFile::open(path).map_err(|error| Error::from(error).in_path(path))?;
        let writer = Writer::append(file, index.directory().clone());
        let writer = writer.map_err(|error| error.in_path(path))?;
        let output = Destination::Grown(writer);
        Ok(Some(Self::new(options, progress, output, kept)))
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
        let Some(kept) = kept_segments(index) else {
            return Ok(None);
        };
        let state: Directory = index.directory().clone();
        let writer = Writer::append(io::Cursor::new(bytes), state)?;
        let output = Destination::Memory(writer);
        Ok(Some(Self::new(options, progress, output, kept)))
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
            games: 0,
            added: 0,
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
            self.games += 1;
            match self.kept.next(batch, number, base) {
                Some(Kept::Yes) => continue,
                Some(Kept::No) => return Ok(Kept::No),
                None => {}
            }
            self.added += 1;
            self.pending.push(batch, number, base);
            if self.pending.len() >= self.options.segment_games.clamp(1, MAX_SEGMENT_GAMES)
                || self.pending.plies() >= MAX_SEGMENT_PLIES
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

    /// Completes the index; `stamp` describes what it was made from. `None` if the database has fewer
    /// games than the index that was to be added to.
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
        if !self.kept.is_complete() {
            return Ok(None);
        }
        if !self.pending.is_empty() {
            self.write_segment()?;
        }
        self.progress.check()?;
        let stamp = (Kind::STAMP, 1, stamp.to_vec());
        let mut built = Built {
            games: self.games,
            added: self.added,
            bytes: 0,
        };
        let mut bytes = Vec::new();
        match std::mem::replace(&mut self.output, Destination::Done) {
            Destination::New(mut file) => {
                if let Some(mut writer) = file.writer.take() {
                    let done = writer.section(WHOLE, &stamp).and_then(|()| writer.finish());
                    let output = done.map_err(|error| error.in_path(&file.path))?;
                    built.bytes = output.set.commit()?.1;
                }
            }
            Destination::Grown(mut writer) => {
                writer.section(WHOLE, &stamp)?;
                built.bytes = writer.finish()?.length()?;
            }
            Destination::Memory(mut writer) => {
                writer.section(WHOLE, &stamp)?;
                bytes = writer.finish()?.into_inner();
                built.bytes = bytes.len() as u64;
            }
            Destination::Done => {}
        }
        Ok(Some((built, bytes)))
    }
}

/// The segments of an index; `None` if too many of them are small.
fn kept_segments(index: &PositionIndex) -> Option<Comparison> {
    let small = index.digests().filter(|(games, _)| *games < SMALL_SEGMENT);
    (small.count() < MAX_SMALL).then(|| Comparison::new(index))
}

fn write<T: Target>(writer: &mut Writer<T>, sections: &[Section]) -> Result<()> {
    let number = writer.segments();
    sections
        .iter()
        .try_for_each(|section| writer.section(number, section))
}
