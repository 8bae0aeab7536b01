//! Writes databases: every file of the set at once, the records as ChessBase orders them.
//!
//! Games go to `.cbh`, `.cbg`, `.cba` and `.cbj` as they come; names are collected and written at
//! the end, when all counts are known.

mod annotation_anchors;
mod cbtt_file;
pub mod edit;
mod encoded_record;
mod encoder;
mod entity_tree;
mod header_fields;
mod names;
mod pack;
mod set_files;
mod updated_set;

use std::path::Path;

use tabia_core::error::Result;
use tabia_core::formats::CreateOptions;
use tabia_core::game::Game;
use tabia_core::games::{GameEncoder, GameWriter, Written};
use tabia_core::io::{Charset, Cursor};
use tabia_core::loss::Losses;
use zerocopy::IntoBytes;

use super::open::CbhDatabase;
use super::records::{ExtendedRecord, GameRecord, TextRecord, U24};
use encoded_record::Draft;
use encoder::RecordEncoder;
use set_files::{Files, Room};

/// Creates a database at `path`, the `.cbh` file; the others lie beside it.
pub fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    Ok(Box::new(CbhWriter::new(path, options)?))
}

/// Writes a ChessBase database.
#[derive(Debug)]
pub struct CbhWriter {
    files: Files,
    charset: Charset,
    encoder: RecordEncoder,
    /// A record on its way from the encoder.
    record: Vec<u8>,
    /// An annotation record with its game's number.
    numbered: Vec<u8>,
    /// The next creation time to give, 0 for none.
    created: u64,
    title: Option<String>,
    lost_facts: Losses,
}

/// Files that ChessBase makes from the others; those of a replaced database must not stay.
const DERIVED: [&str; 8] = ["cbb", "cbgi", "cit", "cib", "cit2", "cib2", "flags", "ini"];

impl CbhWriter {
    /// A new, empty database.
    pub fn new(path: &Path, options: &CreateOptions) -> Result<Self> {
        let files = Files::create(path, options.force)?;
        Ok(Self::with(files, path, options))
    }

    /// A copy of a database, to be changed.
    pub(super) fn copy(db: &CbhDatabase, path: &Path, options: &CreateOptions) -> Result<Self> {
        let files = Files::copy(db, path, options.force)?;
        Ok(Self::with(files, path, options))
    }

    fn with(mut files: Files, path: &Path, options: &CreateOptions) -> Self {
        if options.force {
            files.replaces(DERIVED.map(|extension| path.with_extension(extension)));
        }
        Self {
            files,
            charset: options.charset,
            encoder: RecordEncoder::new(options.charset),
            record: Vec::new(),
            numbered: Vec::new(),
            created: created(options.now),
            title: options.title.clone(),
            lost_facts: options.lost_facts(|key| (key == "title").then_some(usize::MAX)),
        }
    }

    /// Writes an encoded record, a new one or in the place of an old one.
    fn place(&mut self, draft: &Draft<'_>, old: Option<&Old>) -> Result<()> {
        let number = self.number(old)?;
        let files = &mut self.files;
        let ids = files.ids(draft, number)?;
        let room = old.map_or(Rooms::default(), |old| old.rooms);
        let moves_at = files.put_moves(draft.moves, room.moves)?;
        let mut annotations_at = 0;
        if !draft.annotations.is_empty() {
            self.numbered.clear();
            self.numbered.extend_from_slice(U24::new(number).as_bytes());
            let rest = draft.annotations.get(self.numbered.len()..);
            self.numbered.extend_from_slice(rest.unwrap_or_default());
            annotations_at = files.put_annotations(&self.numbered, room.annotations)?;
        } else if let Some(room) = room.annotations {
            files.leave_annotations(room);
        }
        let mut extended = draft.fixed.extended;
        extended.game_tag = ids.game_tag.into();
        extended.moves_at = moves_at.into();
        if draft.is_text() {
            if !draft.media.is_empty() {
                extended.media_at = files.append_media(draft.media)?.into();
            }
            let mut header: TextRecord = zerocopy::transmute!(draft.fixed.header);
            header.body_at = (moves_at as u32).into();
            header.tournament = U24::new(ids.tournament);
            header.source = U24::new(ids.source);
            header.annotator = U24::new(ids.annotator);
            return self.put(old, header.as_bytes(), extended, 0);
        }
        let mut header: GameRecord = zerocopy::transmute!(draft.fixed.header);
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
        self.put(old, header.as_bytes(), extended, draft.fixed.top_game)
    }

    /// The number of the record that is written, from 1.
    fn number(&self, old: Option<&Old>) -> Result<u32> {
        match old {
            Some(old) => Ok(old.number),
            None => self.files.next_number(),
        }
    }

    /// Writes the headers of a record, a new one or in the place of an old one.
    fn put(
        &mut self,
        old: Option<&Old>,
        header: &[u8],
        mut extended: ExtendedRecord,
        top_game: u8,
    ) -> Result<()> {
        let Some(old) = old else {
            self.stamp(&mut extended.created);
            return self.files.append_record(header, &extended, top_game);
        };
        if extended.created.get() == 0 {
            extended.created = old.extended.created;
        }
        // One more with every save.
        let version = old.extended.version.get().saturating_add(1);
        extended.version.set(version.max(extended.version.get()));
        self.files
            .put_record(old.number, header, &extended, top_game)
    }

    /// Gives a record its creation time unless it has one.
    fn stamp(&mut self, created: &mut zerocopy::byteorder::big_endian::U64) {
        if created.get() == 0 && self.created != 0 {
            *created = self.created.into();
            self.created += 1;
        }
    }
}

/// A record that is replaced.
#[derive(Debug, Clone, Copy)]
struct Old {
    /// From 1.
    number: u32,
    rooms: Rooms,
    extended: ExtendedRecord,
}

/// Where a record's moves and annotations are, as far as they may be overwritten.
#[derive(Debug, Clone, Copy, Default)]
struct Rooms {
    moves: Option<Room>,
    annotations: Option<Room>,
}

impl CbhWriter {
    /// Writes a record, a new one or in the place of an old one.
    fn write_record(&mut self, game: &Game, old: Option<&Old>) -> Result<Losses> {
        let mut record = std::mem::take(&mut self.record);
        record.clear();
        let losses = self.encoder.encode(game, &mut record)?;
        let draft = Draft::read(&mut Cursor::new(&record))?;
        self.place(&draft, old)?;
        self.record = record;
        Ok(losses)
    }

    /// The files.
    fn files(&mut self) -> &mut Files {
        &mut self.files
    }

    /// Completes all files.
    fn complete(&mut self) -> Result<()> {
        self.files.complete(self.title.as_deref(), self.charset)
    }

    /// Gives the files their names.
    fn commit(self) -> Result<Written> {
        let records = self.files.count();
        let written = self.files.commit()?;
        Ok(Written {
            records,
            files: written.0,
            bytes: written.1,
        })
    }
}

impl GameWriter for CbhWriter {
    fn encoder(&self) -> Option<Box<dyn GameEncoder>> {
        Some(Box::new(RecordEncoder::new(self.charset)))
    }

    fn append(&mut self, encoded: &[u8]) -> Result<()> {
        let mut cursor = Cursor::new(encoded);
        while !cursor.is_empty() {
            let draft = Draft::read(&mut cursor)?;
            self.place(&draft, None)?;
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
        self.commit()
    }
}

/// Seconds since 1970 as a creation time: 1/1024 s since 2008-12-01.
fn created(now: u64) -> u64 {
    const EPOCH: u64 = 14_214 * 86_400;
    now.checked_sub(EPOCH)
        .and_then(|seconds| seconds.checked_mul(1024))
        .unwrap_or(0)
}
