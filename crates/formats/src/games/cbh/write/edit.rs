//! Changing a database: games are appended, replaced and marked as deleted in a copy of its files,
//! which takes its name when it was read back.
//!
//! Ids and offsets of what stays do not change, as when ChessBase saves: a record that is replaced
//! keeps its place when it is not larger and leaves a hole; a larger one goes to the end. Trees,
//! reference counts and first games are made again. Boosters of the old files are removed,
//! ChessBase builds them again.

use std::collections::BTreeMap;
use std::path::Path;

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Error, ErrorKind, GameIndex, Result};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::{Event, Flow, Game, Visitor, Want};
use tabia_core::games::{Database, DatabaseEditor, GameWriter, Written};
use tabia_core::io::{Charset, Source};
use tabia_core::loss::{Feature, Losses};

use super::set_files::Room;
use super::{CbhWriter, Old, Rooms};
use crate::games::cbh::FORMAT;
use crate::games::cbh::annotations::Items;
use crate::games::cbh::charset::until_zero;
use crate::games::cbh::entities::EntityTable;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::records::{EXTENDED_DEFAULT, MovesHead, Record, TYPE_DELETED};
use crate::games::cbh::verify::{Severity, structure};

pub use super::pack::pack;

/// Changes a copy of a database.
#[derive(Debug)]
pub struct Editor {
    db: CbhDatabase,
    writer: CbhWriter,
    /// The records that were written: their plies, when these can be known.
    changed: BTreeMap<u32, Option<usize>>,
    /// Offsets of all records of the old `.cbg` and `.cba`, sorted.
    starts: Option<[Vec<u64>; 2]>,
}

/// Opens the database at `path` for appending; it is replaced when the writer finishes.
///
/// # Errors
/// As [`Editor::new`].
pub fn append(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    let mut options = options.clone();
    options.force = true;
    let source = Source::from_path(path)?;
    let editor = Editor::new(&source, path, &options, &OpenOptions::default())?;
    Ok(Box::new(editor))
}

/// Opens a database to change a copy of it, as [`Editor::new`] does.
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
    /// A copy of `source` that will be called `path`; that may be its own name when `options`
    /// allows to replace files.
    ///
    /// # Errors
    /// When a file that games need is missing, or the set has what is not known well enough to be
    /// copied.
    pub fn new(
        source: &Source,
        path: &Path,
        options: &CreateOptions,
        open: &OpenOptions,
    ) -> Result<Self> {
        refuse_other_case(path)?;
        let db = CbhDatabase::open(source, open)?;
        let mut options = options.clone();
        if options.charset == Charset::Auto {
            options.charset = charset(&db);
        }
        let label = source.label();
        let mut writer =
            CbhWriter::copy(&db, path, &options).map_err(|error| error.in_file(label))?;
        writer.files().settings = source.open_companion("ini").ok().flatten();
        Ok(Self {
            db,
            writer,
            changed: BTreeMap::new(),
            starts: None,
        })
    }

    /// Records, those appended too.
    pub fn len(&self) -> u32 {
        self.writer.files.count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a game; says what of it could not be kept.
    ///
    /// # Errors
    /// When the files cannot be written or grow no more.
    pub fn append(&mut self, game: &Game) -> Result<Losses> {
        let index = self.len();
        let losses = self.writer.write_record(game, None)?;
        self.note(index, game, &losses);
        Ok(losses)
    }

    /// Writes `game` in the place of a record; says what of it could not be kept.
    ///
    /// # Errors
    /// When there is no such record, or the files cannot be written.
    pub fn replace(&mut self, index: GameIndex, game: &Game) -> Result<Losses> {
        self.check(index)?;
        let rooms = self.rooms(index);
        let extended = self.db.extended(index).filter(|_| index.0 < self.db.len());
        let old = Old {
            number: index.0 + 1,
            rooms,
            extended: extended.map_or(EXTENDED_DEFAULT, |(record, _)| record),
        };
        let losses = self.writer.write_record(game, Some(&old))?;
        self.note(index.0, game, &losses);
        Ok(losses)
    }

    /// Marks a record of the old database as deleted, or takes the mark away. Nothing else changes
    /// until [`pack`].
    ///
    /// # Errors
    /// When there is no such record, or it was written just now.
    pub fn set_deleted(&mut self, index: GameIndex, deleted: bool) -> Result<()> {
        self.check(index)?;
        let kind = match self.db.record(index) {
            Some(Record::Game(game)) if !self.changed.contains_key(&index.0) => game.kind,
            Some(Record::Text(text)) if !self.changed.contains_key(&index.0) => text.kind,
            _ => {
                let text = "a record that was written just now says itself whether it is deleted";
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

    /// Completes the copy, reads it back, and gives it its name.
    ///
    /// # Errors
    /// When the files cannot be written, or do not hold what was written; the old files are
    /// untouched then.
    pub fn finish(mut self) -> Result<Written> {
        self.writer.complete()?;
        let source = self.writer.files().read_back()?;
        let again = CbhDatabase::open(&source, &OpenOptions::default())?;
        compare(&self.db, &again)?;
        if again.len() != self.len() {
            let text = format!("{} records are there, not {}", again.len(), self.len());
            return Err(not_as_written(&text));
        }
        let mut reader = again.reader();
        for (&index, &plies) in &self.changed {
            let mut found = Plies(0);
            let _: Flow = reader.read(GameIndex(index), Want::ALL, &mut found)?;
            if plies.is_some_and(|plies| plies != found.0) {
                let text = format!("{} plies are there", found.0);
                return Err(not_as_written(&text).in_game(GameIndex(index)));
            }
        }
        drop(reader);
        drop(again);
        self.writer.commit()
    }

    fn check(&self, index: GameIndex) -> Result<()> {
        if index.0 < self.len() {
            return Ok(());
        }
        Err(self.db.no_such_game(index))
    }

    fn note(&mut self, index: u32, game: &Game, losses: &Losses) {
        let is_move = |event: &Event<'_>| matches!(event, Event::Move(_));
        let plies = game.events().filter(is_move).count();
        let is_whole = losses.count(Feature::SetupPositions) == 0;
        self.changed.insert(index, is_whole.then_some(plies));
    }

    /// What of the old record of a game may be overwritten: what no other record lies in.
    fn rooms(&mut self, index: GameIndex) -> Rooms {
        let db = &self.db;
        let record = db
            .record(index)
            .filter(|_| !self.changed.contains_key(&index.0));
        let Some(record) = record else {
            return Rooms::default();
        };
        let [moves, annotations] = self.starts.get_or_insert_with(|| starts(db));
        let places = db.offsets(index, record);
        let size = |bytes: &[u8]| Some(u64::from(MovesHead::read(bytes)?.size.get()));
        let notes_size = |bytes: &[u8]| Items::size(bytes).ok().map(|size| size as u64);
        Rooms {
            moves: room(
                db.companions().moves.as_deref(),
                places.moves_at,
                moves,
                size,
            ),
            annotations: room(
                db.companions().annotations.as_deref(),
                places.annotations_at,
                annotations,
                notes_size,
            ),
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

/// Offsets of all records of `.cbg` and `.cba`, sorted.
fn starts(db: &CbhDatabase) -> [Vec<u64>; 2] {
    let mut starts = [Vec::new(), Vec::new()];
    for index in (0..db.len()).map(GameIndex) {
        let Some(record) = db.record(index) else {
            continue;
        };
        let places = db.offsets(index, record);
        let [moves, annotations] = &mut starts;
        moves.push(places.moves_at);
        if places.annotations_at != 0 {
            annotations.push(places.annotations_at);
        }
    }
    for starts in &mut starts {
        starts.sort_unstable();
    }
    starts
}

fn room(
    file: Option<&[u8]>,
    at: u64,
    starts: &[u64],
    size: impl Fn(&[u8]) -> Option<u64>,
) -> Option<Room> {
    let file = file.filter(|_| at != 0)?;
    let bytes = file.get(usize::try_from(at).ok()?..)?;
    let size = size(bytes).filter(|&size| size <= bytes.len() as u64)?;
    let first = starts.partition_point(|&start| start < at);
    let next = starts.get(first + 1).copied().unwrap_or(u64::MAX);
    let before = first.checked_sub(1).and_then(|place| starts.get(place));
    let is_own = before.is_none_or(|&before| before < at) && at + size <= next;
    is_own.then_some(Room { at, size })
}

/// The character set of the names that are there: UTF-8 unless most of those that are not ASCII are
/// in another one.
fn charset(db: &CbhDatabase) -> Charset {
    let (mut utf8, mut other) = (0_u32, 0_u32);
    let mut look = |bytes: &[u8]| match std::str::from_utf8(until_zero(bytes)) {
        Ok(text) if text.is_ascii() => {}
        Ok(_) => utf8 += 1,
        Err(_) => other += 1,
    };
    let tables = db.tables();
    for (_, player) in tables.players.iter().flat_map(EntityTable::iter) {
        look(&player.last_name);
        look(&player.first_name);
    }
    for (_, tournament) in tables.tournaments.iter().flat_map(EntityTable::iter) {
        look(&tournament.title);
        look(&tournament.site);
    }
    for (_, annotator) in tables.annotators.iter().flat_map(EntityTable::iter) {
        look(&annotator.name);
    }
    if other > utf8 {
        Charset::Single(db.texts().page())
    } else {
        Charset::Auto
    }
}

/// Compares a set that is read back with the one it was made from: nothing may be damaged that was
/// not.
pub(super) fn compare(old: &CbhDatabase, new: &CbhDatabase) -> Result<()> {
    let damage = |db: &CbhDatabase| -> Vec<Error> {
        let findings = structure(db).into_iter();
        let damage = findings.filter(|finding| finding.severity == Severity::Damage);
        damage.map(|finding| finding.error).collect()
    };
    let mut found = damage(new);
    if found.is_empty() || found.len() <= damage(old).len() {
        return Ok(());
    }
    Err(found.swap_remove(0))
}

pub(super) fn not_as_written(text: &str) -> Error {
    Error::invalid(format!(
        "read back, the files differ from what was written: {text}"
    ))
}

/// On systems that tell upper and lower case apart, files of a set that is replaced must have the
/// names that are written, or old and new ones would lie side by side.
fn refuse_other_case(path: &Path) -> Result<()> {
    let Ok(source) = Source::from_path(path) else {
        return Ok(());
    };
    for companion in FORMAT.file.companions {
        let file = source.companion(companion.extension);
        let there = file.map(|file| path.with_file_name(&file.name));
        let written = path.with_extension(companion.extension);
        if let Some(there) = there.filter(|there| *there != written) {
            let text = "files whose names differ in upper and lower case are not replaced";
            return Err(Error::new(ErrorKind::Unsupported(text.to_owned())).in_path(&there));
        }
    }
    Ok(())
}

/// Counts moves.
struct Plies(usize);

impl Visitor for Plies {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        self.0 += 1;
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }
}
