//! The files of a set that is edited: a copy at first, whose name uses are counted at the end.

use std::path::Path;

use tabia_core::error::{Error, ErrorKind, GameIndex, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::games::Database as _;
use tabia_core::io::Blob;
use zerocopy::{Immutable, IntoBytes};

use super::cbtt_file::TournamentExtras;
use super::names::Names;
use super::set_files::{ANNOTATIONS, BodyFile, EXTENDED, HEADERS, MEDIA_SIZE, MOVES, SetFiles};
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::entity_order::Ordered;
use crate::games::cbh::open::CbhDatabase;
use crate::games::cbh::records::{
    BodyHeader, EXTENDED_DEFAULT, ExtendedRecord, FileHeader, GameRecord, OLD_BODY_HEADER,
    SideHeader, TYPE_TEXT, TextRecord,
};

impl SetFiles {
    /// A copy of a set. Records of `.cbj` and `.cbtt` are extended to the size of new ones.
    ///
    /// # Errors
    /// If a file that games need is missing or has records of an unknown version.
    pub(super) fn copy(db: &CbhDatabase, path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut files = Self::prepare(path, options)?;
        files.take_settings(db);
        files.is_edited = true;
        let tables = db.tables();
        files.records = db.len();
        if let Some(table) = &tables.tournament_extras {
            files.extras = TournamentExtras::of(table);
        }
        let extras = &files.extras;
        files.tournaments = names(tables.tournaments.as_ref(), |id| extras.details(id))?;
        files.players = names(tables.players.as_ref(), |_| &[])?;
        files.annotators = names(tables.annotators.as_ref(), |_| &[])?;
        files.sources = names(tables.sources.as_ref(), |_| &[])?;
        files.teams = optional_names(tables.teams.as_ref())?;
        files.game_tags = optional_names(tables.game_tags.as_ref())?;
        for (file, extension, blob) in [
            (MOVES, "cbg", &db.companions().moves),
            (ANNOTATIONS, "cba", &db.companions().annotations),
        ] {
            let Some(blob) = blob else {
                if file == MOVES {
                    return Err(missing(extension));
                }
                files.append(file, &[0; BodyHeader::SIZE])?;
                continue;
            };
            files.copy_body(file, blob)?;
        }
        if let Some(table) = &db.companions().media
            && table.header().record_size.get() as usize == MEDIA_SIZE
        {
            for record in (0..table.len()).filter_map(|id| table.record(id)) {
                files.media.bytes(record);
            }
        }
        if let Some(marks) = &tables.top_games {
            for number in 1..=db.len() {
                files.mark(number, marks.mark(number));
            }
        }
        let complete = db.headers.len() / FileHeader::SIZE * FileHeader::SIZE;
        files.append(HEADERS, db.headers.get(..complete).unwrap_or_default())?;
        files.append(EXTENDED, &[0; SideHeader::SIZE])?;
        for game in 0..db.len() {
            let stored = db.extended(GameIndex(game));
            let (record, rest) = stored.unwrap_or((EXTENDED_DEFAULT, &[]));
            files.append_extended(&record, rest)?;
        }
        Ok(files)
    }

    /// Takes over the header of a database and the version of its `.cbj`.
    pub(super) fn take_settings(&mut self, db: &CbhDatabase) {
        if let Some(header) = db.header() {
            self.header = *header;
        }
        if let Some(table) = &db.tables().extended
            && table.header().record_size.get() as usize > self.extended_size
        {
            self.extended_version = table.header().version.get();
            self.extended_size = table.header().record_size.get() as usize;
        }
    }

    fn copy_body(&mut self, file: usize, blob: &[u8]) -> Result<()> {
        let mut header = [0; BodyHeader::SIZE];
        for (field, byte) in header.iter_mut().zip(blob) {
            *field = *byte;
        }
        let Some(header) = BodyHeader::read(&header) else {
            return Ok(());
        };
        let header_size = header.header_size.get();
        let body = BodyFile {
            end: blob.len() as u64,
            unused: header.unused.get().into(),
            header_size,
        };
        if header_size < OLD_BODY_HEADER || blob.len() < usize::from(header_size) {
            let text = format!("a file header of {header_size} bytes is too short");
            return Err(Error::unsupported(text));
        }
        self.append(file, blob)?;
        if let Some(stored) = self.bodies.get_mut(file - MOVES) {
            *stored = body;
        }
        Ok(())
    }

    /// Counts the uses of all names in all records.
    pub(super) fn count_uses(&mut self) -> Result<()> {
        let mut blob = |file| match self.outputs.file(file) {
            Some(output) => output.read_back(),
            None => Ok(Blob::from(Vec::new())),
        };
        let (headers, extended) = (blob(HEADERS)?, blob(EXTENDED)?);
        self.players.reset_uses();
        self.tournaments.reset_uses();
        self.annotators.reset_uses();
        self.sources.reset_uses();
        self.teams.reset_uses();
        self.game_tags.reset_uses();
        let headers = headers.chunks_exact(FileHeader::SIZE).skip(1);
        let extended = extended.get(SideHeader::SIZE..).unwrap_or_default();
        let extended = extended.chunks_exact(self.extended_size);
        for (number, (header, extended)) in (1..).zip(headers.zip(extended)) {
            let (Some(game), Some(text)) = (GameRecord::read(header), TextRecord::read(header))
            else {
                continue;
            };
            let is_text = game.kind & TYPE_TEXT != 0;
            let (tournament, annotator, source) = if is_text {
                (text.tournament, text.annotator, text.source)
            } else {
                self.players.count(game.white.get(), number);
                self.players.count(game.black.get(), number);
                (game.tournament, game.annotator, game.source)
            };
            self.tournaments.count(tournament.get(), number);
            self.annotators.count(annotator.get(), number);
            self.sources.count(source.get(), number);
            let Some(extended) = ExtendedRecord::read(extended) else {
                continue;
            };
            let teams = [extended.white_team, extended.black_team];
            for team in teams.into_iter().filter(|_| !is_text) {
                if let Ok(team) = u32::try_from(team.get()) {
                    self.teams.count(team, number);
                }
            }
            if let Ok(tag) = u32::try_from(extended.game_tag.get()) {
                self.game_tags.count(tag, number);
            }
        }
        Ok(())
    }
}

/// The names of a file that every set has.
fn names<'d, E>(
    table: Option<&EntityTable<E>>,
    details: impl Fn(u32) -> &'d [u8],
) -> Result<Names<E>>
where
    E: Entity + Ordered + Copy + IntoBytes + Immutable,
{
    Names::of(table.ok_or_else(|| missing(E::EXTENSION))?, details)
}

/// The names of a file that a set may lack.
fn optional_names<E>(table: Option<&EntityTable<E>>) -> Result<Names<E>>
where
    E: Entity + Ordered + Copy + IntoBytes + Immutable,
{
    table.map_or_else(|| Ok(Names::new()), |table| Names::of(table, |_| &[]))
}

/// The error for a missing file.
pub(super) fn missing(extension: &str) -> Error {
    Error::new(ErrorKind::MissingFile(format!(".{extension}")))
}
