//! Writes databases: all files of a set, with the records in the order of ChessBase.
//!
//! Games are appended to `.cbh`, `.cbg`, `.cba` and `.cbj` at once; names are collected and written at
//! the end, when all their uses are counted.

mod added_texts;
pub(crate) mod annotation_anchors;
mod cbtt_file;
pub(crate) mod clock_conversion;
pub mod edit;
mod encoded_record;
mod encoder;
pub(crate) mod entity_tree;
pub(crate) mod game_losses;
mod header_fields;
mod names;
mod pack;
mod read_back;
mod set_files;
mod source_set;
mod updated_set;

use std::path::{Path, PathBuf};

use tabia_core::error::Result;
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::game::Game;
use tabia_core::games::{GameEncoder, GameWriter, Written};
use tabia_core::io::{Charset, Cursor};
use tabia_core::loss::{Feature, Losses};
use zerocopy::IntoBytes;

use super::charset::require_windows;
use super::ini_file::{SetKind, is_of_other_set};
use super::open::CbhDatabase;
use super::records::{ExtendedRecord, GameRecord, TextRecord, U24};
use super::stored_texts::differing_in;
pub(super) use added_texts::AddedTexts;
pub(crate) use added_texts::{change, compared_tags};
use encoded_record::EncodedRecord;
use encoder::RecordEncoder;
use set_files::{FreeSpan, SetFiles};

/// Creates a database; `path` is that of the `.cbh` file.
///
/// # Errors
/// As [`CbhWriter::new`].
pub fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    Ok(Box::new(CbhWriter::new(path, options)?))
}

/// Writes a ChessBase database.
#[derive(Debug)]
pub struct CbhWriter {
    files: SetFiles,
    charset: Charset,
    /// Whether texts of other databases of the format are written as they are stored there.
    copies_texts: bool,
    encoder: RecordEncoder,
    /// The buffer of the encoder's output.
    encoded: Vec<u8>,
    /// The buffer of an annotation record with its game's number.
    numbered: Vec<u8>,
    /// The creation time of the next record; 0 if creation times are not stored.
    created: u64,
    title: Option<String>,
    lost_facts: Losses,
    /// Copied texts that are read differently if the set of the database is taken for windows-1252, or
    /// windows-1251.
    differing: [u64; 2],
}

/// Files that belong to a replaced database only and must not remain: those that ChessBase makes from
/// the others, and those that are not always written.
pub(super) const DERIVED: [&str; 8] = ["cbb", "cbgi", "cit", "cib", "cit2", "cib2", "flags", "ini"];

impl CbhWriter {
    /// A new, empty database; `path` is that of the `.cbh` file.
    ///
    /// # Errors
    /// If a file cannot be created, or exists and may not be replaced.
    pub fn new(path: &Path, options: &CreateOptions) -> Result<Self> {
        require_windows(options.charset)?;
        let files = SetFiles::create(path, options)?;
        Ok(Self::from_files(files, options))
    }

    /// A copy of a database, to be changed; new texts are in the set of its names unless another is asked
    /// for.
    pub(super) fn copy(db: &CbhDatabase, path: &Path, options: &CreateOptions) -> Result<Self> {
        require_windows(options.charset)?;
        let files = SetFiles::copy(db, path, options)?;
        let mut writer = Self::from_files(files, options);
        if writer.copies_texts {
            writer.charset = source_set::charset(db);
            writer.encoder = RecordEncoder::new(writer.charset, true);
        }
        Ok(writer)
    }

    fn from_files(mut files: SetFiles, options: &CreateOptions) -> Self {
        let keeps_settings = is_of_other_set(&files.companions.path("ini"), SetKind::Classic);
        if options.force {
            let old = DERIVED
                .iter()
                .filter(|name| !(keeps_settings && **name == "ini"));
            let old: Vec<PathBuf> = old
                .map(|extension| files.companions.path(extension))
                .collect();
            files.remove_on_commit(old);
        }
        Self {
            files,
            charset: options.charset,
            copies_texts: options.charset == Charset::Auto,
            encoder: RecordEncoder::new(options.charset, options.charset == Charset::Auto),
            encoded: Vec::new(),
            numbered: Vec::new(),
            created: created(options.now),
            title: options.title.clone().filter(|_| !keeps_settings),
            lost_facts: options
                .lost_facts(|key| (key == "title" && !keeps_settings).then_some(usize::MAX)),
            differing: [0; 2],
        }
    }

    /// Appends an encoded record, or replaces an old one.
    fn put_encoded(
        &mut self,
        record: &EncodedRecord<'_>,
        old: Option<&ReplacedRecord>,
    ) -> Result<()> {
        for (count, more) in self.differing.iter_mut().zip(record.differing()) {
            *count += more;
        }
        let number = self.number(old)?;
        let files = &mut self.files;
        let ids = files.ids(record, number)?;
        let free = old.map_or(FreeSpans::default(), |old| old.free_spans);
        let moves_at = files.put_moves(record.moves, free.moves)?;
        let mut annotations_at = 0;
        if !record.annotations.is_empty() {
            self.numbered.clear();
            self.numbered.extend_from_slice(U24::new(number).as_bytes());
            let rest = record.annotations.get(self.numbered.len()..);
            self.numbered.extend_from_slice(rest.unwrap_or_default());
            annotations_at = files.put_annotations(&self.numbered, free.annotations)?;
        } else if let Some(span) = free.annotations {
            files.release_annotations(span);
        }
        let mut extended = record.fixed.extended;
        extended.game_tag = ids.game_tag.into();
        extended.moves_at = moves_at.into();
        if record.is_text() {
            if !record.media.is_empty() {
                extended.media_at = files.append_media(record.media)?.into();
            }
            let mut header: TextRecord = zerocopy::transmute!(record.fixed.header);
            header.body_at = (moves_at as u32).into();
            header.tournament = U24::new(ids.tournament);
            header.source = U24::new(ids.source);
            header.annotator = U24::new(ids.annotator);
            return self.put_headers(old, header.as_bytes(), extended, 0);
        }
        let mut header: GameRecord = zerocopy::transmute!(record.fixed.header);
        header.moves_at = (moves_at as u32).into();
        header.annotations_at = (annotations_at as u32).into();
        header.white = U24::new(ids.white);
        header.black = U24::new(ids.black);
        header.tournament = U24::new(ids.tournament);
        header.annotator = U24::new(ids.annotator);
        header.source = U24::new(ids.source);
        extended.white_team = ids.white_team.into();
        extended.black_team = ids.black_team.into();
        extended.annotations_at = annotations_at.into();
        self.put_headers(old, header.as_bytes(), extended, record.fixed.top_game)
    }

    /// The number (from 1) of the record that is replaced or appended.
    fn number(&self, old: Option<&ReplacedRecord>) -> Result<u32> {
        match old {
            Some(old) => Ok(old.number),
            None => self.files.next_number(),
        }
    }

    /// Appends the headers of a record, or replaces old ones.
    fn put_headers(
        &mut self,
        old: Option<&ReplacedRecord>,
        header: &[u8],
        mut extended: ExtendedRecord,
        top_game: u8,
    ) -> Result<()> {
        let Some(old) = old else {
            self.set_creation_time(&mut extended.created);
            return self.files.append_record(header, &extended, top_game);
        };
        if extended.created.get() == 0 {
            extended.created = old.extended.created;
        }
        // Every save increments the version.
        let version = old.extended.version.get().saturating_add(1);
        extended.version.set(version.max(extended.version.get()));
        self.files
            .put_record(old.number, header, &extended, top_game)
    }

    /// Sets a record's creation time unless it has one.
    fn set_creation_time(&mut self, created: &mut zerocopy::byteorder::big_endian::U64) {
        if created.get() == 0 && self.created != 0 {
            *created = self.created.into();
            self.created += 1;
        }
    }
}

/// A record that is replaced.
#[derive(Debug, Clone, Copy)]
struct ReplacedRecord {
    /// Its number, from 1.
    number: u32,
    free_spans: FreeSpans,
    extended: ExtendedRecord,
}

/// The spans of a record's moves and annotations, unless they may not be overwritten.
#[derive(Debug, Clone, Copy, Default)]
struct FreeSpans {
    moves: Option<FreeSpan>,
    annotations: Option<FreeSpan>,
}

impl CbhWriter {
    /// Encodes a game and appends it, or replaces an old record. Returns what could not be stored.
    fn write_record(&mut self, game: &Game, old: Option<&ReplacedRecord>) -> Result<Losses> {
        let mut encoded = std::mem::take(&mut self.encoded);
        encoded.clear();
        let losses = self.encoder.encode(game, &mut encoded)?;
        let record = EncodedRecord::read(&mut Cursor::new(&encoded))?;
        self.put_encoded(&record, old)?;
        self.encoded = encoded;
        Ok(losses)
    }

    /// The files.
    fn files(&mut self) -> &mut SetFiles {
        &mut self.files
    }

    /// Completes all files.
    fn complete(&mut self) -> Result<()> {
        self.files.complete(self.title.as_deref(), self.charset)
    }

    /// The copied texts that are read differently in the written set, whose character set is detected anew.
    fn losses_of_set(&self, written: &CbhDatabase) -> Losses {
        let mut losses = Losses::new();
        let count = differing_in(self.differing, written.texts().page());
        losses.add(Feature::Characters, count, None);
        losses
    }

    /// Gives the files their final names.
    fn commit(self) -> Result<Written> {
        let records = self.files.count();
        let written = self.files.commit()?;
        Ok(Written::new(records, written.0, written.1))
    }
}

impl GameWriter for CbhWriter {
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        let encoder = RecordEncoder::new(self.charset, self.copies_texts);
        Some(Box::new(encoder))
    }

    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let mut cursor = Cursor::new(encoded);
        while !cursor.is_empty() {
            let record = EncodedRecord::read(&mut cursor)?;
            self.put_encoded(&record, None)?;
        }
        Ok(())
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        self.write_record(game, None)
    }

    fn lost_facts(&self) -> Losses {
        self.lost_facts.clone()
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.complete()?;
        let losses = if self.differing == [0; 2] {
            Losses::new()
        } else {
            let source = self.files.read_back()?;
            self.losses_of_set(&CbhDatabase::open(&source, &OpenOptions::default())?)
        };
        let mut written = self.commit()?;
        written.losses = losses;
        Ok(written)
    }
}

/// Seconds since 1970 as a creation time, in 1/1024 s since 2008-12-01; 0 for earlier times.
pub(crate) fn created(now: u64) -> u64 {
    const EPOCH: u64 = 14_214 * 86_400;
    now.checked_sub(EPOCH)
        .and_then(|seconds| seconds.checked_mul(1024))
        .unwrap_or(0)
}
