//! Writes databases: all files of a set, as ChessBase makes them (FORMAT.md § Writing).
//!
//! Games are appended to `.2cbh`, `.2cbg` and `.2cba` at once; names are collected, and written with their
//! orders and lists of games at the end.

mod added_texts;
mod encoded_record;
mod encoder;
mod header_fields;
mod moves;
mod set_files;

use std::path::{Path, PathBuf};

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::Game;
use tabia_core::games::{GameEncoder, GameWriter, Written};
use tabia_core::io::Cursor;
use tabia_core::loss::Losses;
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::I64;

use super::container::tag;
use super::names::EntityKind;
use super::records::{AnalysisRecord, GameRecord, Record, TextRecord};
use super::tags::{FINE_TIMES, TIME_SHIFT};
use crate::games::cbh::ini_file::{SetKind, is_of_other_set};
use crate::games::cbh::write::created;
use encoded_record::EncodedRecord;
use encoder::RecordEncoder;
use set_files::SetFiles;

pub(super) use added_texts::AddedTexts;
pub(super) use encoder::UNUSED_MAGNITUDES;
pub(super) use moves::material;

/// Creates a database; `path` is that of the `.2cbh` file.
///
/// # Errors
/// If a file cannot be created, or exists and may not be replaced; for a character set other than UTF-8.
pub(super) fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    options.is_utf8("a ChessBase 17 database")?;
    let mut files = SetFiles::create(path, options)?;
    let keeps_settings = is_of_other_set(&files.companions.path("ini"), SetKind::Second);
    if options.force {
        let old = DERIVED
            .iter()
            .filter(|name| !(keeps_settings && **name == "ini"));
        let old: Vec<PathBuf> = old
            .map(|extension| files.companions.path(extension))
            .collect();
        files.remove_on_commit(old);
    }
    Ok(Box::new(Cbh2Writer {
        files,
        encoder: RecordEncoder::default(),
        encoded: Vec::new(),
        created: first_creation_time(options.now),
        title: options.title.clone().filter(|_| !keeps_settings),
        lost_facts: options
            .lost_facts(|key| (key == "title" && !keeps_settings).then_some(usize::MAX)),
    }))
}

/// Writes a database.
#[derive(Debug)]
struct Cbh2Writer {
    files: SetFiles,
    encoder: RecordEncoder,
    /// The buffer of the encoder's output.
    encoded: Vec<u8>,
    /// The creation time of the next record; 0 if creation times are not stored.
    created: i64,
    title: Option<String>,
    lost_facts: Losses,
}

/// Files that belong to a replaced database only and must not remain: those that ChessBase makes from the
/// others, and the one that is not always written.
const DERIVED: [&str; 3] = ["cko", "cpo", "ini"];

/// The most records: the number of the next one has 31 bits.
const MAX_RECORDS: u32 = i32::MAX as u32 - 1;

impl Cbh2Writer {
    /// Appends an encoded record.
    fn put(&mut self, record: &EncodedRecord<'_>) -> Result<()> {
        let files = &mut self.files;
        if files.records >= MAX_RECORDS {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of games",
                limit: MAX_RECORDS.into(),
                size: u64::from(files.records) + 1,
            }));
        }
        let header = Record::read(&record.header);
        let moves_at = files.append_moves(record.tag, record.moves)?.into();
        match header {
            Some(Record::Text(text)) => {
                let mut text: TextRecord = *text;
                text.body_at = moves_at;
                text.tournament = files.id(EntityKind::Tournament, record.tournament)?;
                text.source = files.id(EntityKind::Source, record.source)?;
                text.annotator = files.id(EntityKind::Player, record.annotator)?;
                text.title = files.id(EntityKind::Tag, record.titles)?;
                set_creation_time(&mut text.created, &mut self.created);
                files.append_header(text.as_bytes())
            }
            Some(Record::Analysis(analysis)) => {
                let mut analysis: AnalysisRecord = *analysis;
                analysis.moves_at = moves_at;
                let at = files.append_annotations(tag::ANNOTATIONS, record.annotations)?;
                analysis.annotations_at = at.into();
                analysis.title = files.id(EntityKind::Tag, record.titles)?;
                analysis.source = files.id(EntityKind::Source, record.source)?;
                analysis.author = files.id(EntityKind::Player, record.annotator)?;
                files.append_header(analysis.as_bytes())
            }
            Some(Record::Game(game)) => {
                let mut game: GameRecord = *game;
                game.moves_at = moves_at;
                let at = files.append_annotations(tag::ANNOTATIONS, record.annotations)?;
                game.annotations_at = at.into();
                game.white = files.id(EntityKind::Player, record.white)?;
                game.black = files.id(EntityKind::Player, record.black)?;
                game.tournament = files.id(EntityKind::Tournament, record.tournament)?;
                game.annotator = files.id(EntityKind::Player, record.annotator)?;
                game.source = files.id(EntityKind::Source, record.source)?;
                let [white_team, black_team] = record.teams;
                game.white_team = files.team(white_team)?;
                game.black_team = files.team(black_team)?;
                game.tag = files.id(EntityKind::Tag, record.titles)?;
                set_creation_time(&mut game.created, &mut self.created);
                files.append_header(game.as_bytes())
            }
            None => Ok(()),
        }
    }
}

impl GameWriter for Cbh2Writer {
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        Some(Box::new(RecordEncoder::default()))
    }

    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let mut cursor = Cursor::new(encoded);
        while !cursor.is_empty() {
            let record = EncodedRecord::read(&mut cursor)?;
            self.put(&record)?;
        }
        Ok(())
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut encoded = std::mem::take(&mut self.encoded);
        encoded.clear();
        let losses = self.encoder.encode(game, &mut encoded)?;
        self.append(&encoded)?;
        self.encoded = encoded;
        Ok(losses)
    }

    fn lost_facts(&self) -> Losses {
        self.lost_facts.clone()
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.files.complete(self.title.as_deref())?;
        let records = self.files.records;
        let (files, bytes) = self.files.commit()?;
        Ok(Written::new(records, files, bytes))
    }
}

/// Sets a record's creation time unless it has one.
fn set_creation_time(created: &mut I64, next: &mut i64) {
    if created.get() == 0 && *next != 0 {
        created.set(*next);
        *next = next.saturating_add(1);
    }
}

/// Seconds since 1970 as a creation time; 0 for times that would be read as coarser ones.
fn first_creation_time(now: u64) -> i64 {
    let fine = created(now).checked_mul(1 << TIME_SHIFT);
    let fine = fine.filter(|fine| *fine >= FINE_TIMES);
    fine.and_then(|fine| i64::try_from(fine).ok()).unwrap_or(0)
}
