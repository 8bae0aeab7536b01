//! A fast check of all that a change of a set relies on: every name, offset and count. Moves and
//! annotations are not decoded.

use tabia_core::error::{Error, ErrorKind, GameIndex, Result};
use tabia_core::games::Database;

use super::entities::is_deleted;
use crate::games::cbh::annotations::Items;
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::files_of_newer_versions::SideTable;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::records::{ExtendedRecord, MovesHead, Record, body_header};

/// Records of `.cbj` and `.cbtt` larger than this, in bytes, are not copied: each record of the copy has
/// that size. Those of all known versions are smaller.
const MAX_SIDE_RECORD: u32 = 512;

/// Refuses a set that cannot be changed safely: one with missing or cut files, or with a record that
/// refers to names, moves or annotations that do not exist. New names and moves would appear in old
/// games.
///
/// # Errors
/// [`ErrorKind::Damaged`] with the first problem; [`ErrorKind::Unsupported`] if records of a file are
/// larger than those of any known version.
pub(crate) fn require_sound(db: &CbhDatabase) -> Result<()> {
    if let Some(problem) = db.info().problems.first() {
        return Err(Error::new(ErrorKind::Damaged(problem.clone())));
    }
    let tables = db.tables();
    for (extension, table) in [
        ("cbj", &tables.extended),
        ("cbtt", &tables.tournament_extras),
    ] {
        let size = table.as_ref().map(|table| table.header().record_size.get());
        if let Some(size) = size.filter(|&size| size > MAX_SIDE_RECORD) {
            let text = format!("records of {size} bytes are of an unknown version");
            let path = db.headers_name.with_extension(extension);
            return Err(Error::unsupported(text).in_path(&path));
        }
    }
    // Their numbers exist, but games would get other names for good.
    if let Some(error) = db.foreign_names() {
        let file = error.location().file.clone();
        let damaged = Error::new(ErrorKind::Damaged(error.into_kind().to_string()));
        return Err(match file {
            Some(file) => damaged.in_file(&file),
            None => damaged,
        });
    }
    let check = RecordCheck::new(db);
    for index in (0..db.len()).map(GameIndex) {
        if let Err(text) = check.record(index) {
            let error = Error::new(ErrorKind::Damaged(text));
            return Err(error.in_game(index).in_file(&db.headers_name));
        }
    }
    Ok(())
}

/// Checks what records refer to.
struct RecordCheck<'d> {
    db: &'d CbhDatabase,
    extended: Option<&'d SideTable>,
    moves: &'d [u8],
    annotations: &'d [u8],
    /// The first offsets after the headers of `.cbg` and `.cba`.
    starts: [u64; 2],
}

impl<'d> RecordCheck<'d> {
    fn new(db: &'d CbhDatabase) -> Self {
        let moves = db.companions().moves.as_deref().unwrap_or_default();
        let annotations = db.companions().annotations.as_deref().unwrap_or_default();
        let start = |file| body_header(file).map_or(0, |header| header.header_size.get().into());
        Self {
            db,
            extended: db.tables().extended.as_ref(),
            moves,
            annotations,
            starts: [start(moves), start(annotations)],
        }
    }

    /// What is wrong with a record, for users.
    fn record(&self, index: GameIndex) -> Result<(), String> {
        let Some(record) = self.db.record(index) else {
            return Err("the record is missing".to_owned());
        };
        self.names(record)?;
        if let Some(table) = self.extended {
            self.extended_names(record, &table.extended(index.0).0)?;
        }
        let offsets = self.db.offsets(index, record);
        let [moves_start, annotations_start] = self.starts;
        let size = |bytes: &[u8]| Some(MovesHead::read(bytes)?.size.get() as usize);
        if !is_inside(self.moves, moves_start, offsets.moves_at, size) {
            return Err(format!("the moves at {:#x} are cut off", offsets.moves_at));
        }
        let at = offsets.annotations_at;
        let size = |bytes: &[u8]| Items::size(bytes).ok();
        if at != 0 && !is_inside(self.annotations, annotations_start, at, size) {
            return Err(format!("the annotations at {at:#x} are cut off"));
        }
        Ok(())
    }

    fn names(&self, record: Record<'_>) -> Result<(), String> {
        let tables = self.db.tables();
        let (tournament, annotator, source) = match record {
            Record::Game(game) => {
                exists(tables.players.as_ref(), game.white.get())?;
                exists(tables.players.as_ref(), game.black.get())?;
                (game.tournament, game.annotator, game.source)
            }
            Record::Text(text) => (text.tournament, text.annotator, text.source),
        };
        exists(tables.tournaments.as_ref(), tournament.get())?;
        exists(tables.annotators.as_ref(), annotator.get())?;
        exists(tables.sources.as_ref(), source.get())
    }

    fn extended_names(&self, record: Record<'_>, extended: &ExtendedRecord) -> Result<(), String> {
        let tables = self.db.tables();
        if let Record::Game(_) = record {
            for team in [extended.white_team, extended.black_team] {
                if let Ok(id) = u32::try_from(team.get()) {
                    exists(tables.teams.as_ref(), id)?;
                }
            }
        }
        match u32::try_from(extended.game_tag.get()) {
            Ok(id) => exists(tables.game_tags.as_ref(), id),
            Err(_) => Ok(()),
        }
    }
}

/// Checks that a name exists: its number will be that of a new name otherwise.
fn exists<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> Result<(), String> {
    let extension = E::EXTENSION;
    let Some(table) = table else {
        return Err(format!(
            "it refers to number {id} of .{extension}, which is missing"
        ));
    };
    if id >= table.capacity() {
        let capacity = table.capacity();
        return Err(format!(
            "it refers to number {id} of .{extension}, which has {capacity}"
        ));
    }
    if table.is_blank(id) {
        return Err(format!(
            "it refers to number {id} of .{extension}, whose record has only zeros"
        ));
    }
    if is_deleted(table, id) {
        return Err(format!(
            "it refers to number {id} of .{extension}, which is deleted"
        ));
    }
    Ok(())
}

/// Whether a record begins after the header and ends in the file.
fn is_inside(file: &[u8], start: u64, at: u64, size: impl Fn(&[u8]) -> Option<usize>) -> bool {
    let bytes = usize::try_from(at).ok().and_then(|at| file.get(at..));
    let Some(bytes) = bytes.filter(|_| at >= start) else {
        return false;
    };
    size(bytes).is_some_and(|size| size <= bytes.len())
}
