//! Opening a set of files, and what is known of a game without its moves.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use encoding_rs::WINDOWS_1252;
use tabia_core::GameIndex;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Date;
use tabia_core::games::{Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind};
use tabia_core::io::{Blob, Cursor, Source};

use super::container::FILE_HEADER;
use super::names::{Names, What};
use super::read::Reader;
use super::records::{FileHeader, GameRecord, Record, SIZE, TYPE_DELETED, TYPE_TEXT, id};
use super::tags::{Lookup, round_name};
use super::{FORMAT, ID};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::content_summary;
use crate::games::cbh::field_codecs::{decode_date, decode_eco, decode_result};

/// Opens the set that a `.2cbh` file belongs to.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(Cbh2Database::open(source, options)?))
}

/// An open database.
#[derive(Debug)]
pub(super) struct Cbh2Database {
    headers: Blob,
    pub(super) moves: Option<Blob>,
    pub(super) annotations: Option<Blob>,
    names: Option<Names>,
    pub(super) texts: Texts,
    pub(super) options: OpenOptions,
    pub(super) headers_name: Arc<Path>,
    pub(super) moves_name: Arc<Path>,
    pub(super) annotations_name: Arc<Path>,
    pub(super) names_name: Arc<Path>,
    info: DatabaseInfo,
}

impl Cbh2Database {
    fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let label = Arc::clone(source.label());
        let headers = source.main().open().map_err(|e| e.in_file(&label))?;
        let Some(header) = FileHeader::read(&headers) else {
            let why = format!("{} bytes are no header of {SIZE}", headers.len());
            return Err(wrong_format(why).in_file(&label));
        };
        if !header.is_ours() {
            let why = format!(
                "the header says {} bytes of header and {} a record, not 38 or 34 and {SIZE}: the \
                 notes on this format know no other",
                header.header_size, header.record_size
            );
            return Err(wrong_format(why).in_file(&label));
        }
        let records = (headers.len() / SIZE).saturating_sub(1);
        let records = u32::try_from(records).unwrap_or(u32::MAX);
        let version = format!("header version {}", header.version);
        let next = header.next_id.get();
        let mut problems = Vec::new();
        let mut problem = |extension: &str, text: String| {
            let name = source.label_of(extension);
            problems.push(format!("{}: {text}", name.display()));
        };
        if headers.len() % SIZE != 0 {
            let left = headers.len() % SIZE;
            problem(
                "2cbh",
                format!("{left} bytes at the end are no whole record"),
            );
        }
        if i64::from(next) != i64::from(records) + 1 {
            let text = format!("the header names {next} as the next record, {records} are there");
            problem("2cbh", text);
        }
        let mut file = |extension: &str, lost: &str| match source.open_companion(extension) {
            Ok(Some(blob)) => Some(blob),
            Ok(None) => {
                problem(extension, format!("the file is missing: {lost}"));
                None
            }
            Err(error) => {
                problem(extension, error.to_string());
                None
            }
        };
        let moves = file("2cbg", "games have no moves");
        let annotations = file("2cba", "games have no annotations");
        let names = file("2lid", "its names are unknown");
        for (extension, blob) in [("2cbg", &moves), ("2cba", &annotations)] {
            if let Some(text) = blob.as_deref().and_then(wrong_size) {
                problem(extension, text);
            }
        }
        let names = names.and_then(|blob| match Names::new(blob) {
            Ok(names) => Some(names),
            Err(fault) => {
                problem("2lid", fault.to_string());
                None
            }
        });
        let texts = Texts::new(options.charset, WINDOWS_1252);
        let mut database = Self {
            headers,
            moves,
            annotations,
            names,
            texts,
            options: options.clone(),
            headers_name: label,
            moves_name: source.label_of("2cbg"),
            annotations_name: source.label_of("2cba"),
            names_name: source.label_of("2lid"),
            info: DatabaseInfo::default(),
        };
        database.info = database.describe(records, version, source, problems);
        Ok(database)
    }

    fn describe(
        &self,
        records: u32,
        version: String,
        source: &Source,
        problems: Vec<String>,
    ) -> DatabaseInfo {
        let (mut texts, mut deleted) = (0, 0);
        for record in self.headers.chunks_exact(SIZE).skip(1) {
            let kind = record.first().copied().unwrap_or(0);
            texts += u32::from(kind & TYPE_TEXT != 0);
            deleted += u32::from(kind & TYPE_DELETED != 0);
        }
        let mut names = Vec::new();
        if let Some(stored) = &self.names {
            for (kind, what) in [
                (NameKind::Player, What::Player),
                (NameKind::Event, What::Tournament),
                (NameKind::Source, What::Source),
                (NameKind::Team, What::Team),
            ] {
                names.push((kind, stored.count(what)));
            }
        }
        let companions = FORMAT.file.companions.iter().map(|companion| {
            let is_there = source.companion(companion.extension).is_some();
            (companion.extension.to_owned(), is_there)
        });
        DatabaseInfo {
            format: ID,
            version,
            records,
            texts,
            deleted,
            encoding: self.texts.describe(),
            companions: companions.collect(),
            problems,
            names,
            ..DatabaseInfo::default()
        }
    }

    /// The record of a game, text or analysis.
    pub(super) fn record(&self, game: GameIndex) -> Result<Record<'_>> {
        let at = (game.0 as usize).checked_add(1);
        let at = at.and_then(|number| number.checked_mul(SIZE));
        let bytes = at.and_then(|at| self.headers.get(at..at.checked_add(SIZE)?));
        bytes.and_then(Record::read).ok_or_else(|| {
            let count = self.info.records;
            Error::invalid(format!("there are only {count} records"))
                .in_file(&self.headers_name)
                .in_game(game)
        })
    }

    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup {
            names: self.names.as_ref(),
            texts: self.texts,
        }
    }

    /// Whether the file of names lacks one.
    pub(super) fn lacks(&self, what: What, number: u32) -> bool {
        let names = self.names.as_ref();
        names.is_some_and(|names| names.get(what, number).is_none())
    }
}

/// The size that a file of moves or annotations has of itself, when it is another.
fn wrong_size(file: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(file);
    let size = cursor.i64_le("file_size");
    let header = cursor.u16_le("header_size");
    let length = file.len();
    match (size, header) {
        (Ok(size), Ok(header)) => {
            if usize::from(header) != FILE_HEADER {
                return Some(format!(
                    "the header says that it has {header} bytes, not 12"
                ));
            }
            (u64::try_from(size).ok() != Some(length as u64))
                .then(|| format!("the header says {size} bytes, the file has {length}"))
        }
        _ => Some(format!("{length} bytes are no header of 12")),
    }
}

impl Database for Cbh2Database {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.info.records
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let record = self.record(game)?;
        let name = |number| id(number).map(NameId);
        let mut entry = match record {
            Record::Game(game) => game_entry(game),
            Record::Text(text) => IndexEntry {
                event: name(text.tournament),
                site: name(text.tournament),
                annotator: name(text.annotator),
                is_text: true,
                ..IndexEntry::default()
            },
            Record::Analysis(analysis) => IndexEntry {
                annotator: name(analysis.author),
                ..IndexEntry::default()
            },
        };
        entry.deleted = record.kind() & TYPE_DELETED != 0;
        Ok(entry)
    }

    fn name(&self, kind: NameKind, NameId(number): NameId) -> Result<Cow<'_, str>> {
        let lookup = self.lookup();
        let texts = self.texts;
        // A file that is missing has no names; a number that is in none is told by `read`.
        Ok(match kind {
            NameKind::Player | NameKind::Annotator => Cow::Owned(lookup.player_name(number)),
            NameKind::Event => texts.plain(lookup.tournament(number).title),
            NameKind::Site => texts.plain(lookup.tournament(number).place),
            NameKind::Round => Cow::Owned(round_name((number >> 16) as u16, number as u16)),
            NameKind::Source => texts.plain(lookup.source(number).title),
            NameKind::Team => texts.plain(lookup.team(number).title),
            _ => Cow::Borrowed(""),
        })
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        Box::new(Reader::new(self))
    }
}

fn game_entry(game: &GameRecord) -> IndexEntry {
    let elo = |elo: u16| (elo != 0).then_some(elo);
    let name = |number| id(number).map(NameId);
    let round = u32::from(game.round.get()) << 16 | u32::from(game.sub_round.get());
    IndexEntry {
        white: name(game.white),
        black: name(game.black),
        event: name(game.tournament),
        site: name(game.tournament),
        round: (round != 0).then_some(NameId(round)),
        annotator: name(game.annotator),
        date: decode_date(game.date.get()).unwrap_or(Date::UNKNOWN),
        white_elo: elo(game.white_elo.get()),
        black_elo: elo(game.black_elo.get()),
        result: decode_result(game.result).unwrap_or_default(),
        eco: decode_eco(game.eco.get()),
        ply_count: None,
        move_count: Some(u8::try_from(game.move_count.get()).unwrap_or(u8::MAX)),
        deleted: false,
        is_text: false,
        ..content_summary::entry(game.flags.get())
    }
}

fn wrong_format(why: String) -> Error {
    Error::new(ErrorKind::WrongFormat { expected: ID, why })
}
