//! Packs a database: a copy without deleted records, gaps and unused names.

use std::collections::HashMap;
use std::path::Path;

use tabia_core::error::{Error, GameIndex, Result};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::games::{Database, Written};
use tabia_core::io::Source;
use tabia_core::plural::counted;
use zerocopy::{Immutable, IntoBytes};

use super::cbtt_file::TournamentExtras;
use super::names::Names;
use super::read_back::{check_damage, difference};
use super::set_files::{SetFiles, media_text};
use super::source_set::{is_same_file, open_sound};
use super::updated_set::missing;
use super::{CbhWriter, U24};
use crate::games::cbh::annotations::Items;
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::entity_order::Ordered;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::records::{
    EXTENDED_DEFAULT, ExtendedRecord, MovesHead, Record, TYPE_DELETED, TournamentExtraRecord,
};

/// Writes a new database at `path` with the records of `source` that are not marked as deleted.
/// Their moves, texts and annotations are the same bytes; names get new ids, in order of first use.
///
/// # Errors
/// If `path` is the source itself, because all offsets change and a mixture of old and new files
/// would be unreadable; or if a record cannot be copied because data that it refers to is missing.
pub fn pack(
    source: &Source,
    path: &Path,
    options: &CreateOptions,
    open: &OpenOptions,
) -> Result<Written> {
    if is_same_file(source, path) {
        let text = "a database cannot be packed into itself; give another name";
        return Err(Error::unsupported(text).in_path(path));
    }
    let db = open_sound(source, open)?;
    let mut writer = CbhWriter::new(path, options)?;
    let files = writer.files();
    files.take_settings(&db);
    files.settings.clone_from(&db.companions().settings);
    let mut packer = Packer {
        db: &db,
        files,
        extras: db
            .tables()
            .tournament_extras
            .as_ref()
            .map(TournamentExtras::of),
        media: HashMap::new(),
    };
    if let Some(extras) = &packer.extras {
        packer.files.extras = extras.empty();
    }
    let mut copied = Vec::new();
    for index in (0..db.len()).map(GameIndex) {
        let is_copied = packer
            .record(index)
            .map_err(|error| error.in_file(source.label()).in_game(index))?;
        if is_copied {
            copied.push(index);
        }
    }
    writer.complete()?;
    let packed = writer.files().read_back()?;
    let again = CbhDatabase::open(&packed, &OpenOptions::default())?;
    let kept = db.len() - db.info().deleted;
    if again.len() != kept {
        let count = counted(again.len(), "record", "records");
        let text = format!("{count} instead of {kept}");
        return Err(difference(&text));
    }
    check_damage(&db, &again, |record| copied.get(record.0 as usize).copied())?;
    drop(again);
    writer.commit()
}

/// Copies the records of one database.
struct Packer<'p> {
    db: &'p CbhDatabase,
    files: &'p mut SetFiles,
    extras: Option<TournamentExtras>,
    /// New values of `media_at` by the old ones.
    media: HashMap<i32, i32>,
}

impl Packer<'_> {
    /// Copies a record; `false` if it is marked as deleted.
    fn record(&mut self, index: GameIndex) -> Result<bool> {
        let db = self.db;
        let Some(record) = db.record(index) else {
            return Ok(false);
        };
        if record.kind() & TYPE_DELETED != 0 {
            return Ok(false);
        }
        let number = self.files.next_number()?;
        let offsets = db.offsets(index, record);
        let (mut extended, rest) = db.extended(index).unwrap_or((EXTENDED_DEFAULT, &[]));
        let body = body(db.companions().moves.as_deref(), offsets.moves_at)?;
        let moves_at = self.files.put_moves(body, None)?;
        let mut annotations_at = 0;
        if offsets.annotations_at != 0 && db.companions().annotations.is_some() {
            let record = annotations(
                db.companions().annotations.as_deref(),
                offsets.annotations_at,
            )?;
            let mut record = record.to_vec();
            // Programs other than ChessBase leave the game's number out.
            if let Some(game) = record.get_mut(..3).filter(|game| **game != [0; 3]) {
                game.copy_from_slice(U24::new(number).as_bytes());
            }
            annotations_at = self.files.put_annotations(&record, None)?;
        }
        extended.moves_at = moves_at.into();
        extended.annotations_at = annotations_at.into();
        let mark = db.tables().top_games.as_ref();
        let mark = mark.map_or(0, |marks| marks.mark(index.0 + 1));
        match record {
            Record::Game(game) => {
                let mut game = *game;
                game.moves_at = (moves_at as u32).into();
                game.annotations_at = (annotations_at as u32).into();
                let tables = db.tables();
                let files = &mut *self.files;
                for player in [&mut game.white, &mut game.black] {
                    let id = player.get();
                    let players = tables.players.as_ref();
                    *player = U24::new(copy_name(&mut files.players, players, id, &[], number)?);
                }
                for team in [&mut extended.white_team, &mut extended.black_team] {
                    if let Ok(id) = u32::try_from(team.get()) {
                        let teams = tables.teams.as_ref();
                        let id = copy_name(&mut files.teams, teams, id, &[], number)?;
                        *team = (id as i32).into();
                    }
                }
                game.tournament = self.tournament(game.tournament, number)?;
                game.annotator = self.annotator(game.annotator, number)?;
                game.source = self.source(game.source, number)?;
                self.append(number, game.as_bytes(), extended, rest, mark)?;
            }
            Record::Text(text) => {
                let mut text = *text;
                text.body_at = (moves_at as u32).into();
                text.tournament = self.tournament(text.tournament, number)?;
                text.annotator = self.annotator(text.annotator, number)?;
                text.source = self.source(text.source, number)?;
                extended.media_at = self.media(extended.media_at.get()).into();
                self.append(number, text.as_bytes(), extended, rest, 0)?;
            }
        }
        Ok(true)
    }

    /// Appends the headers of a record.
    fn append(
        &mut self,
        number: u32,
        header: &[u8],
        mut extended: ExtendedRecord,
        rest: &[u8],
        mark: u8,
    ) -> Result<()> {
        if let Ok(id) = u32::try_from(extended.game_tag.get()) {
            let tags = self.db.tables().game_tags.as_ref();
            let id = copy_name(&mut self.files.game_tags, tags, id, &[], number)?;
            extended.game_tag = (id as i32).into();
        }
        self.files.append_raw(header, &extended, rest, mark)
    }

    fn tournament(&mut self, id: U24, number: u32) -> Result<U24> {
        let id = id.get();
        let extras = self.extras.as_ref();
        let details = extras.map_or(&[][..], |extras| extras.details(id));
        let table = self.db.tables().tournaments.as_ref();
        let new = copy_name(&mut self.files.tournaments, table, id, details, number)?;
        if let Some(extra) = TournamentExtraRecord::read(details) {
            self.files.extras.set(new, extra)?;
        }
        Ok(U24::new(new))
    }

    fn annotator(&mut self, id: U24, number: u32) -> Result<U24> {
        let table = self.db.tables().annotators.as_ref();
        let id = copy_name(&mut self.files.annotators, table, id.get(), &[], number)?;
        Ok(U24::new(id))
    }

    fn source(&mut self, id: U24, number: u32) -> Result<U24> {
        let table = self.db.tables().sources.as_ref();
        let id = copy_name(&mut self.files.sources, table, id.get(), &[], number)?;
        Ok(U24::new(id))
    }

    /// Copies a record of `.cbm`. Returns its new `media_at`; −1 if it is not a record.
    fn media(&mut self, at: i32) -> i32 {
        if let Some(&new) = self.media.get(&at) {
            return new;
        }
        let table = self.db.companions().media.as_ref();
        let offset = u64::try_from(at).ok();
        let names: Option<Vec<String>> = offset.and_then(|at| {
            let names = table?.media(at)?;
            Some(
                names
                    .iter()
                    .map(|name| self.db.texts().plain(name).into_owned())
                    .collect(),
            )
        });
        let Some(names) = names else { return -1 };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = media_text(&names);
        let new = text.and_then(|text| self.files.append_media(text.as_bytes()).ok());
        let new = new.unwrap_or(-1);
        self.media.insert(at, new);
        new
    }
}

/// The record at an offset of `.cbg`.
fn body(file: Option<&[u8]>, at: u64) -> Result<&[u8]> {
    let file = file.ok_or_else(|| missing("cbg"))?;
    let found = usize::try_from(at).ok().and_then(|at| {
        let bytes = file.get(at..).filter(|_| at != 0)?;
        bytes.get(..MovesHead::read(bytes)?.size.get() as usize)
    });
    found.ok_or_else(|| unreadable("moves", at))
}

/// The record at an offset of `.cba`.
fn annotations(file: Option<&[u8]>, at: u64) -> Result<&[u8]> {
    let found = usize::try_from(at).ok().and_then(|at| {
        let bytes = file?.get(at..)?;
        bytes.get(..Items::size(bytes).ok()?)
    });
    found.ok_or_else(|| unreadable("annotations", at))
}

fn unreadable(what: &str, at: u64) -> Error {
    Error::invalid(format!(
        "the {what} at {at:#x} cannot be copied; repair the database first"
    ))
}

/// Copies a name and counts its use. Returns its new id.
fn copy_name<E>(
    names: &mut Names<E>,
    table: Option<&EntityTable<E>>,
    id: u32,
    details: &[u8],
    number: u32,
) -> Result<u32>
where
    E: Entity + Ordered + Copy + IntoBytes + Immutable,
{
    let record = table.ok_or_else(|| missing(E::EXTENSION))?.get(id);
    let record = record.ok_or_else(|| {
        let text = format!(
            "number {id} is not in .{}; repair the database first",
            E::EXTENSION
        );
        Error::invalid(text)
    })?;
    let (id, _) = names.id(record, details)?;
    names.count(id, number);
    Ok(id)
}
