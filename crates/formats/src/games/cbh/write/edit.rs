//! Edits a database: games are appended, replaced and marked as deleted in a copy of its files, which
//! gets its final name after it was read back.
//!
//! As when ChessBase saves, ids and offsets of other records do not change: a replacement that is not
//! larger keeps the offset of the old record and may leave a gap; a larger one goes to the end. Trees,
//! reference counts and first games are rebuilt. Search boosters are removed; ChessBase rebuilds them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
#[cfg(doc)]
use tabia_core::error::ErrorKind;
use tabia_core::error::{Error, GameIndex, Result};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Event, Flow, Game, Visitor, Want};
use tabia_core::games::{Database, DatabaseEditor, GameWriter, Written};
use tabia_core::io::{FolderLock, Source, existing_path};
use tabia_core::loss::{Feature, Losses};
use tabia_core::plural::counted;

use super::read_back::{check_damage, difference};
use super::set_files::FreeSpan;
use super::source_set::{lock_source, open_sound};
use super::{CbhWriter, FreeSpans, ReplacedRecord};
use crate::games::cbh::annotations::Items;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::records::{EXTENDED_DEFAULT, MovesHead, Record, TYPE_DELETED};

pub use super::pack::pack;

#[cfg(test)]
mod tests;

/// Edits a copy of a database.
#[derive(Debug)]
pub struct Editor {
    db: CbhDatabase,
    writer: CbhWriter,
    /// The plies of the records that were written, by index; `None` if the moves could not be
    /// stored.
    changed: BTreeMap<u32, Option<usize>>,
    /// The records of the old `.cbg` and `.cba`.
    spans: Option<[RecordSpans; 2]>,
}

/// Opens the database at `path` for appending. It is replaced when the writer finishes.
///
/// # Errors
/// As [`Editor::new`].
pub fn append(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    let mut options = options.clone();
    options.force = true;
    // A link to a main file is the set that it leads to.
    let linked = path.is_symlink().then(|| existing_path(path)).transpose();
    let linked = linked.map_err(Error::in_output)?;
    let path = linked.as_deref().unwrap_or(path);
    let source = {
        let _folder = FolderLock::acquire(path)?;
        Source::from_path(path)
    };
    let source = source.map_err(|error| {
        if error.is_not_found() {
            error.in_output()
        } else {
            error.in_input()
        }
    })?;
    let editor = Editor::new(&source, path, &options, &OpenOptions::default())?;
    Ok(Box::new(editor))
}

/// Checks that a database can be changed.
///
/// # Errors
/// [`ErrorKind::Damaged`] as by [`Editor::new`].
pub(in crate::games::cbh) fn check(source: &Source, options: &OpenOptions) -> Result<()> {
    open_sound(source, options).map(|_| ())
}

/// Opens a database for editing, as [`Editor::new`] does.
pub(in crate::games::cbh) fn open(
    source: &Source,
    path: &Path,
    create: &CreateOptions,
    open: &OpenOptions,
) -> Result<Box<dyn DatabaseEditor>> {
    Ok(Box::new(Editor::new(source, path, create, open)?))
}

impl DatabaseEditor for Editor {
    fn len(&self) -> u32 {
        Editor::len(self)
    }

    fn replace(&mut self, record: GameIndex, game: &Game) -> Result<Losses> {
        Editor::replace(self, record, game)
    }

    fn set_deleted(&mut self, record: GameIndex, deleted: bool) -> Result<()> {
        Editor::set_deleted(self, record, deleted)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Editor::finish(*self)
    }
}

impl Editor {
    /// A copy of `source` that is written to `path`, which may be that of the source if `options`
    /// allow replacing files.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] if files of the source are missing or cut off, or records refer to names,
    /// moves or annotations that do not exist; if a file has records of an unknown version.
    pub fn new(
        source: &Source,
        path: &Path,
        options: &CreateOptions,
        open: &OpenOptions,
    ) -> Result<Self> {
        let lock = match &options.lock {
            Some(lock) => Some(Arc::clone(lock)),
            None => lock_source(source, path)?.map(Arc::new),
        };
        let relisted;
        let (db, source) = if lock.is_some() {
            // What is there now is read, and no file gets another name meanwhile.
            let _folder = FolderLock::acquire(path)?;
            relisted = Source::from_path(path).map_err(Error::in_input)?;
            (open_sound(&relisted, open)?, &relisted)
        } else {
            (open_sound(source, open)?, source)
        };
        let label = source.label();
        let mut writer =
            CbhWriter::copy(&db, path, options).map_err(|error| error.in_file(label))?;
        let files = writer.files();
        files.settings.clone_from(&db.companions().settings);
        if let Some(lock) = lock {
            files.outputs.hold(lock);
        }
        Ok(Self {
            db,
            writer,
            changed: BTreeMap::new(),
            spans: None,
        })
    }

    /// The number of records, appended ones included.
    pub fn len(&self) -> u32 {
        self.writer.files.count()
    }

    /// Whether the database has no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a game. Returns what could not be stored.
    ///
    /// # Errors
    /// If the files cannot be written or cannot grow further.
    pub fn append(&mut self, game: &Game) -> Result<Losses> {
        let index = self.len();
        let losses = self.writer.write_record(game, None)?;
        self.record_change(index, game, &losses);
        Ok(losses)
    }

    /// Replaces a record by `game`. Returns what could not be stored.
    ///
    /// # Errors
    /// If there is no such record, or the files cannot be written.
    pub fn replace(&mut self, index: GameIndex, game: &Game) -> Result<Losses> {
        self.check(index)?;
        let free_spans = self.free_spans(index);
        let extended = self.db.extended(index).filter(|_| index.0 < self.db.len());
        let old = ReplacedRecord {
            number: index.0 + 1,
            free_spans,
            extended: extended.map_or(EXTENDED_DEFAULT, |(record, _)| record),
        };
        let losses = self.writer.write_record(game, Some(&old))?;
        self.record_change(index.0, game, &losses);
        Ok(losses)
    }

    /// Marks a record of the source as deleted, or removes the mark. Its data stays until [`pack`].
    ///
    /// # Errors
    /// If there is no such record, or it was written by this editor.
    pub fn set_deleted(&mut self, index: GameIndex, deleted: bool) -> Result<()> {
        self.check(index)?;
        let kind = match self.db.record(index) {
            Some(Record::Game(game)) if !self.changed.contains_key(&index.0) => game.kind,
            Some(Record::Text(text)) if !self.changed.contains_key(&index.0) => text.kind,
            _ => {
                let text = "a record that was just written cannot be marked";
                return Err(Error::invalid(text).in_game(index));
            }
        };
        let kind = if deleted {
            kind | TYPE_DELETED
        } else {
            kind & !TYPE_DELETED
        };
        self.writer.files().put_header(index.0 + 1, &[kind])
    }

    /// Completes the copy, reads it back, and gives it its final name.
    ///
    /// # Errors
    /// If the files cannot be written, or contain something else than was written; the old files
    /// stay unchanged then.
    pub fn finish(mut self) -> Result<Written> {
        self.writer.complete()?;
        let source = self.writer.files().read_back()?;
        let again = CbhDatabase::open(&source, &OpenOptions::default())?;
        if again.len() != self.len() {
            let count = counted(again.len(), "record", "records");
            let text = format!("{count} instead of {}", self.len());
            return Err(difference(&text));
        }
        check_damage(&self.db, &again, |record| {
            (record.0 < self.db.len() && !self.changed.contains_key(&record.0)).then_some(record)
        })?;
        let mut reader = again.reader();
        for (&index, &plies) in &self.changed {
            let mut found = PlyCounter(0);
            let _: Flow = reader.read(GameIndex(index), Want::ALL, &mut found)?;
            if plies.is_some_and(|plies| plies != found.0) {
                let text = format!("{} in a game", counted(found.0, "ply", "plies"));
                return Err(difference(&text).in_game(GameIndex(index)));
            }
        }
        drop(reader);
        let losses = self.writer.losses_of_set(&again);
        drop(again);
        let mut written = self.writer.commit()?;
        written.losses = losses;
        Ok(written)
    }

    fn check(&self, index: GameIndex) -> Result<()> {
        if index.0 < self.len() {
            return Ok(());
        }
        Err(self.db.no_such_game(index))
    }

    /// Remembers a written record for the check in [`Editor::finish`].
    fn record_change(&mut self, index: u32, game: &Game, losses: &Losses) {
        let is_move = |event: &Event<'_>| matches!(event, Event::Move(_));
        let plies = game.events().filter(is_move).count();
        let has_moves = losses.count(Feature::SetupPositions) == 0;
        self.changed.insert(index, has_moves.then_some(plies));
    }

    /// The spans of a game's old record that may be overwritten because no other record overlaps
    /// them.
    fn free_spans(&mut self, index: GameIndex) -> FreeSpans {
        let db = &self.db;
        let record = db
            .record(index)
            .filter(|_| !self.changed.contains_key(&index.0));
        let Some(record) = record else {
            return FreeSpans::default();
        };
        let [moves, annotations] = self.spans.get_or_insert_with(|| record_spans(db));
        let offsets = db.offsets(index, record);
        FreeSpans {
            moves: moves.exclusive(offsets.moves_at),
            annotations: annotations.exclusive(offsets.annotations_at),
        }
    }
}

impl GameWriter for Editor {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        self.append(game)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Editor::finish(*self)
    }
}

/// The records of `.cbg` and `.cba`.
fn record_spans(db: &CbhDatabase) -> [RecordSpans; 2] {
    let companions = db.companions();
    let mut moves = Vec::new();
    let mut annotations = Vec::new();
    for index in (0..db.len()).map(GameIndex) {
        let Some(record) = db.record(index) else {
            continue;
        };
        let offsets = db.offsets(index, record);
        moves.extend(span(
            companions.moves.as_deref(),
            offsets.moves_at,
            |bytes| Some(u64::from(MovesHead::read(bytes)?.size.get())),
        ));
        annotations.extend(span(
            companions.annotations.as_deref(),
            offsets.annotations_at,
            |bytes| Items::size(bytes).ok().map(|size| size as u64),
        ));
    }
    [RecordSpans::new(moves), RecordSpans::new(annotations)]
}

/// Start and end of the record at `at`; `None` if it is absent or cut off.
fn span(file: Option<&[u8]>, at: u64, size: impl Fn(&[u8]) -> Option<u64>) -> Option<(u64, u64)> {
    let bytes = file.filter(|_| at != 0)?.get(usize::try_from(at).ok()?..)?;
    let size = size(bytes).filter(|&size| size <= bytes.len() as u64)?;
    Some((at, at + size))
}

/// Where the records of a file are: those that several games refer to, once for each game.
#[derive(Debug)]
struct RecordSpans {
    /// Start and end of each record, sorted.
    records: Vec<(u64, u64)>,
    /// The largest end of all records up to this one.
    ends: Vec<u64>,
}

impl RecordSpans {
    fn new(mut records: Vec<(u64, u64)>) -> Self {
        records.sort_unstable();
        let mut last = 0;
        let ends = records.iter().map(|&(_, end)| {
            last = end.max(last);
            last
        });
        let ends = ends.collect();
        Self { records, ends }
    }

    /// The span of the record at `at`; `None` if there is none or it overlaps another record.
    fn exclusive(&self, at: u64) -> Option<FreeSpan> {
        let first = self.records.partition_point(|&(start, _)| start < at);
        let &(start, end) = self.records.get(first).filter(|record| record.0 == at)?;
        let previous_end = first.checked_sub(1).and_then(|i| self.ends.get(i));
        let next = self.records.get(first + 1);
        let is_exclusive =
            previous_end.is_none_or(|&end| end <= at) && next.is_none_or(|next| end <= next.0);
        is_exclusive.then_some(FreeSpan {
            at: start,
            size: end - start,
        })
    }
}

/// Counts moves, those of variations included.
struct PlyCounter(usize);

impl Visitor for PlyCounter {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.0 += 1;
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }
}
