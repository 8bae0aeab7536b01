//! An open set: its headers, and the other files, which are opened on first use.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tabia_core::error::{Error, ErrorKind, GameIndex, Malformed, Result};
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::games::{BlankEntries, DatabaseInfo, blank_entry};
use tabia_core::io::{Blob, Charset, Source, name_text};
use tabia_core::plural::counted;

use crate::games::common::realign_entries::REALIGNED;

use super::annotations::{Items, kind};
use super::charset::{Detector, Texts, require_windows, until_zero};
use super::companions::COMPANIONS;
use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::Tables;
use super::files_of_newer_versions::{
    EXTENDED_SIZES, EXTRA_SIZES, MEDIA_SIZES, RecordSizes, SideTable, TopGames,
};
use super::format_id::ID;
use super::ini_file::{self, SetKind};
use super::missing_files::{LostEntries, missing_files};
use super::placeholder_names::Placeholders;
use super::records::{
    AnnotationsHead, BodyHeader, ExtendedRecord, FileHeader, FlagsHeader, Record, agreeing_offset,
    body_header,
};
use super::tags::player_name;

/// Names of each kind that are sampled to guess the character set.
const SAMPLES: u32 = 256;
/// Annotation records that are sampled for the same purpose.
const SAMPLE_RECORDS: u32 = 64;
/// Records of a set whose headers are all read to find the annotated ones.
const MAX_ALL_HEADERS: u32 = 1 << 17;

/// A ChessBase database.
///
/// The other files are opened with the headers, so that one that cannot be read is an error. They are
/// parsed on first use, so that a search by ratings reads none of them.
#[derive(Debug)]
pub struct CbhDatabase {
    pub(super) headers: Blob,
    /// The name of `.cbh` in messages.
    pub(super) headers_name: Arc<Path>,
    pub(super) strict: bool,
    pub(super) limits: Limits,
    charset: Charset,
    pub(super) source: Source,
    files: OpenFiles,
    pub(super) len: u32,
    /// Problems of the headers.
    pub(super) problems: Vec<String>,
    pub(super) companions: OnceLock<Companions>,
    pub(super) info: OnceLock<DatabaseInfo>,
    /// Indexes of the records whose headers were rebuilt, sorted.
    pub(super) rebuilt: Vec<u32>,
    /// Indexes of the records in whose moves bytes were inserted or lost, sorted.
    pub(super) changed: Vec<u32>,
    /// Indexes of the records in whose annotations bytes were inserted or lost.
    pub(super) changed_annotations: BTreeSet<u32>,
    /// Indexes of the headers into which bytes were inserted, or that lost some, sorted.
    pub(super) changed_headers: Vec<u32>,
    /// Whether records of `.cbg` are not where their headers have them.
    pub(super) has_shifted_moves: bool,
    /// Both players by game number (from 1), of games whose colours are lost.
    pub(super) player_pairs: HashMap<u32, [u32; 2]>,
    /// The ids of placeholders for lost names.
    pub(super) placeholders: Placeholders,
    /// Whether a file of names is that of another database, as far as repair can see.
    pub(super) has_foreign_names: bool,
    /// The same of the file of annotations.
    pub(super) has_foreign_annotations: bool,
    /// Whether the set is read for repair.
    pub(super) is_salvaged: bool,
}

/// The files of a set that exist, by extension. One that exists and cannot be read is an error: it is
/// not the same as one that is missing.
#[derive(Debug)]
pub(super) struct OpenFiles(Vec<(&'static str, Blob)>);

impl OpenFiles {
    /// Opens the companions of the main file, and those with further extensions.
    pub(super) fn open(source: &Source, further: &[&'static str]) -> Result<Self> {
        let extensions = COMPANIONS.iter().map(|companion| companion.extension);
        let mut files = Vec::new();
        for extension in extensions.chain(further.iter().copied()) {
            if let Some(blob) = source.open_companion(extension)? {
                files.push((extension, blob));
            }
        }
        Ok(Self(files))
    }

    /// The bytes of a file; `None` if it does not exist.
    pub(super) fn get(&self, extension: &str) -> Option<Blob> {
        let mut files = self.0.iter();
        let (_, blob) = files.find(|(name, _)| *name == extension)?;
        Some(blob.clone())
    }
}

/// The other files of the set, parsed.
#[derive(Debug)]
pub(super) struct Companions {
    pub(super) moves: Option<Blob>,
    pub(super) annotations: Option<Blob>,
    pub(super) media: Option<SideTable>,
    /// What is lost of `.cbj` and `.cbtt`.
    pub(super) lost_entries: LostEntries,
    pub(super) tables: Tables,
    pub(super) texts: Texts,
    /// The name of `.cbg` in messages.
    pub(super) moves_name: Arc<Path>,
    /// The name of `.cba` in messages.
    pub(super) annotations_name: Arc<Path>,
    /// `.ini`.
    pub(super) settings: Option<Blob>,
    pub(super) title: Option<String>,
    pub(super) problems: Vec<String>,
}

/// Opens the set of a `.cbh` file, which must have an intact header.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<CbhDatabase> {
    let label = Arc::clone(source.label());
    require_windows(options.charset).map_err(|error| error.in_file(&label))?;
    let headers = source.main().open().map_err(|e| e.in_file(&label))?;
    let Some(header) = FileHeader::read(headers.prefix(FileHeader::SIZE)) else {
        let why = match headers.len() {
            0 => "the file is empty".to_owned(),
            length => {
                let length = counted(length as u64, "byte", "bytes");
                format!("the file has {length}, a header has 46")
            }
        };
        return Err(wrong_format(why).in_file(&label));
    };
    if !header.is_cbh() {
        let why = format!(
            "the header states {} bytes of header and {} a record, not 44 or 36 and 46",
            header.header_size, header.record_size
        );
        return Err(wrong_format(why).in_file(&label));
    }
    let files = OpenFiles::open(source, &[])?;
    let mut opener = CompanionOpener::new(source, &files, false);
    let len = record_count(&headers);
    if headers.len() % FileHeader::SIZE != 0 {
        let left = headers.len() % FileHeader::SIZE;
        let text = format!(
            "{} not a complete record",
            counted(left, "byte at the end is", "bytes at the end are")
        );
        opener.problem("cbh", &text);
    }
    if header.next_game.get() != len.saturating_add(1) {
        let next = header.next_game.get();
        let found = counted(len, "record", "records");
        let text = format!("the header states {next} as the next game, the file has {found}");
        opener.problem("cbh", &text);
    }
    let problems = opener.problems;
    Ok(CbhDatabase::from_headers(
        source, options, label, headers, files, problems,
    ))
}

impl CbhDatabase {
    /// The set with these headers; no other file is parsed yet.
    pub(super) fn from_headers(
        source: &Source,
        options: &OpenOptions,
        label: Arc<Path>,
        headers: Blob,
        files: OpenFiles,
        problems: Vec<String>,
    ) -> Self {
        Self {
            len: record_count(&headers),
            headers,
            headers_name: label,
            strict: options.strict,
            limits: options.limits,
            charset: options.charset,
            source: source.clone(),
            files,
            problems,
            companions: OnceLock::new(),
            info: OnceLock::new(),
            rebuilt: Vec::new(),
            changed: Vec::new(),
            changed_annotations: BTreeSet::new(),
            changed_headers: Vec::new(),
            has_shifted_moves: false,
            player_pairs: HashMap::new(),
            placeholders: Placeholders::NONE,
            has_foreign_names: false,
            has_foreign_annotations: false,
            is_salvaged: options.salvage,
        }
    }

    /// The other files of the set, parsed on the first call.
    pub(super) fn companions(&self) -> &Companions {
        self.companions.get_or_init(|| {
            let mut opener = CompanionOpener::new(&self.source, &self.files, false);
            let moves = opener.open("cbg");
            if moves.is_none() && self.len > 0 {
                opener.missing("cbg", "the file is missing: games have no moves");
            }
            let annotations = opener.open("cba");
            if annotations.is_none() && self.len > 0 {
                opener.missing("cba", "the file is missing: games have no annotations");
            }
            opener.report_cut_body("cbg", moves.as_ref());
            opener.report_cut_body("cba", annotations.as_ref());
            let tables = opener.tables();
            self.complete_companions(opener.problems, moves, annotations, tables)
        })
    }

    /// Completes the parsed files with those that are not needed before.
    pub(super) fn complete_companions(
        &self,
        problems: Vec<String>,
        moves: Option<Blob>,
        annotations: Option<Blob>,
        tables: Tables,
    ) -> Companions {
        let source = &self.source;
        let mut opener = CompanionOpener::new(source, &self.files, self.is_salvaged);
        opener.problems = problems;
        let page = self.detect_page(&tables, annotations.as_ref());
        let texts = Texts::new(self.charset, page);
        let settings = opener.open("ini");
        let title = settings
            .as_deref()
            .and_then(|ini| ini_file::title(ini, texts, SetKind::Classic));
        let media = opener.side_table("cbm", MEDIA_SIZES);
        let is_missing = |extension: &str| self.files.get(extension).is_none();
        let missing = missing_files(is_missing, &self.headers, &tables, media.as_ref());
        for (extension, text) in &missing {
            opener.missing(extension, text);
        }
        let is_lost = |extension: &str| {
            !is_missing(extension) || missing.iter().any(|(lost, _)| *lost == extension)
        };
        let lost_entries = LostEntries::new(&tables, &self.headers, is_lost);
        Companions {
            moves,
            annotations,
            media,
            lost_entries,
            tables,
            texts,
            moves_name: source.label_of("cbg"),
            annotations_name: source.label_of("cba"),
            settings,
            title,
            problems: opener.problems,
        }
    }

    /// The file header; `None` if the file is shorter.
    pub fn header(&self) -> Option<&FileHeader> {
        FileHeader::read(self.headers.prefix(FileHeader::SIZE))
    }

    /// The tables of the set.
    pub fn tables(&self) -> &Tables {
        &self.companions().tables
    }

    /// The character set of the set's texts.
    pub fn texts(&self) -> Texts {
        self.companions().texts
    }

    /// The header of a game or text; `None` if the index is not below the number of records.
    pub fn record(&self, game: GameIndex) -> Option<Record<'_>> {
        Record::read(self.header_bytes(game)?)
    }

    /// The header of a game or text.
    ///
    /// # Errors
    /// If the index is not below the number of records, or zeros were written over the header.
    pub(super) fn stored_record(&self, game: GameIndex) -> Result<Record<'_>> {
        let bytes = self.header_bytes(game);
        let record = bytes.and_then(Record::read);
        let record = record.ok_or_else(|| self.no_such_game(game))?;
        if record.kind() == 0 && bytes.is_some_and(BlankEntries::is_blank) {
            return Err(blank_entry().in_game(game).in_file(&self.headers_name));
        }
        Ok(record)
    }

    /// The extended header of a record in `.cbj`, and the stored bytes after its known fields;
    /// `None` without that file.
    pub fn extended(&self, game: GameIndex) -> Option<(ExtendedRecord, &[u8])> {
        let table = self.tables().extended.as_ref()?;
        Some(table.extended(game.0))
    }

    /// The offsets of a record's body and annotations; 0 if absent.
    pub(super) fn offsets(&self, index: GameIndex, record: Record<'_>) -> RecordOffsets {
        let extended = self.extended(index);
        let wide = |short: u32, long: fn(&ExtendedRecord) -> u64| {
            let long = extended.as_ref().map_or(0, |(record, _)| long(record));
            agreeing_offset(short, long)
        };
        match record {
            Record::Game(game) => RecordOffsets {
                moves_at: wide(game.moves_at.get(), |record| record.moves_at.get()),
                annotations_at: match game.annotations_at.get() {
                    0 => 0,
                    short => wide(short, |record| record.annotations_at.get()),
                },
            },
            Record::Text(text) => RecordOffsets {
                moves_at: wide(text.body_at.get(), |record| record.moves_at.get()),
                annotations_at: 0,
            },
        }
    }

    /// The names of both players of a game whose header is lost, in no particular order; `None`
    /// if they are unknown.
    pub(super) fn player_pair(&self, game: GameIndex) -> Option<[String; 2]> {
        let ids = self.player_pairs.get(&(game.0 + 1))?;
        let players = self.tables().players.as_ref()?;
        let name = |id: u32| {
            let name = player_name(players.get(id)?, self.texts());
            Some(if name.is_empty() {
                "?".to_owned()
            } else {
                name
            })
        };
        let &[one, other] = ids;
        Some([name(one)?, name(other)?])
    }

    /// Whether the header of a record was lost and rebuilt.
    pub(super) fn is_rebuilt(&self, game: GameIndex) -> bool {
        self.rebuilt.binary_search(&game.0).is_ok()
    }

    pub(super) fn header_bytes(&self, game: GameIndex) -> Option<&[u8]> {
        let at = (game.0 as usize)
            .checked_add(1)?
            .checked_mul(FileHeader::SIZE)?;
        self.headers.get(at..at.checked_add(FileHeader::SIZE)?)
    }

    pub(super) fn no_such_game(&self, game: GameIndex) -> Error {
        let count = counted(self.len, "record", "records");
        Error::invalid(format!("the database has only {count}"))
            .in_file(&self.headers_name)
            .in_game(game)
    }

    /// Guesses the single-byte character set from a sample of names and comments.
    fn detect_page(
        &self,
        tables: &Tables,
        annotations: Option<&Blob>,
    ) -> &'static encoding_rs::Encoding {
        let mut detector = Detector::default();
        sample(tables.players.as_ref(), |player| {
            detector.add(until_zero(&player.last_name));
        });
        sample(tables.tournaments.as_ref(), |tournament| {
            detector.add(until_zero(&tournament.title));
            detector.add(until_zero(&tournament.site));
        });
        sample(tables.annotators.as_ref(), |annotator| {
            detector.add(until_zero(&annotator.name));
        });
        let sample = annotations.map(|annotations| self.sample_of_annotations(annotations));
        for record in sample.into_iter().flatten() {
            let Ok(items) = Items::new(record) else {
                continue;
            };
            for item in items.map_while(Result::ok) {
                if matches!(item.kind, kind::TEXT_AFTER | kind::TEXT_BEFORE) {
                    detector.add(item.data.get(2..).unwrap_or_default());
                }
            }
        }
        detector.page()
    }

    /// Some annotation records, spread over the set.
    fn sample_of_annotations<'a>(&self, annotations: &'a Blob) -> Vec<&'a [u8]> {
        if self.len <= MAX_ALL_HEADERS {
            // Annotated games may be few, and next to each other.
            let has_annotations = |index: &u32| match self.record(GameIndex(*index)) {
                Some(Record::Game(game)) => game.annotations_at.get() != 0,
                _ => false,
            };
            let all: Vec<u32> = (0..self.len).filter(has_annotations).collect();
            let step = all.len().div_ceil(SAMPLE_RECORDS as usize).max(1);
            let sample = all.into_iter().step_by(step);
            return sample
                .filter_map(|index| self.annotation_bytes(annotations, index))
                .collect();
        }
        let step = self.len / SAMPLE_RECORDS;
        let starts = (0..self.len).step_by(step as usize);
        let sample = starts.filter_map(|start| {
            let mut nearby = start..start.saturating_add(step.min(16));
            nearby.find_map(|index| self.annotation_bytes(annotations, index))
        });
        sample.collect()
    }

    /// The annotation record of a game, cut after 64 KiB; only a sample for [`Self::detect_page`].
    fn annotation_bytes<'a>(&self, annotations: &'a Blob, index: u32) -> Option<&'a [u8]> {
        let Record::Game(game) = self.record(GameIndex(index))? else {
            return None;
        };
        let at = game.annotations_at.get() as usize;
        let head = annotations.at_most(at, AnnotationsHead::SIZE)?;
        let size = Items::size(head).ok()?.min(1 << 16);
        annotations
            .get(at..at.checked_add(size)?)
            .filter(|_| at != 0)
    }
}

/// The offsets of a record's parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordOffsets {
    /// Offset in `.cbg`.
    pub(super) moves_at: u64,
    /// Offset in `.cba`.
    pub(super) annotations_at: u64,
}

/// The size that the header of `.cbg` or `.cba` states. A short header states it modulo 4 GiB; the
/// multiple is then that of the file. `None` if the header is cut off.
fn stated_size(file: &Blob) -> Option<u64> {
    let header = body_header(file.prefix(BodyHeader::SIZE))?;
    let low = u64::from(header.file_size.get());
    let wide = header.file_size_wide.get();
    let is_wide = usize::from(header.header_size.get()) >= BodyHeader::SIZE;
    Some(if is_wide && wide & 0xffff_ffff == low {
        wide
    } else if file.len() as u64 > low {
        file.len() as u64 & !0xffff_ffff | low
    } else {
        low
    })
}

/// The number of complete records after the file header.
fn record_count(headers: &Blob) -> u32 {
    let records = (headers.len() / FileHeader::SIZE).saturating_sub(1);
    u32::try_from(records).unwrap_or(u32::MAX)
}

fn wrong_format(why: String) -> Error {
    Error::new(ErrorKind::WrongFormat { expected: ID, why })
}

/// Visits up to about [`SAMPLES`] entities, spread evenly over a table.
fn sample<E: Entity>(table: Option<&EntityTable<E>>, mut visit: impl FnMut(&E)) {
    let Some(table) = table else {
        return;
    };
    let step = (table.capacity() / SAMPLES).max(1);
    for id in (0..table.capacity()).step_by(step as usize) {
        if let Some(entity) = table.get(id) {
            visit(entity);
        }
    }
}

/// Parses the companions of a set and collects their problems.
pub(super) struct CompanionOpener<'s> {
    source: &'s Source,
    files: &'s OpenFiles,
    /// Entity files with corrupt headers are read all the same.
    salvage: bool,
    /// Whether bytes were inserted into an entity file or lost from it, so that its names may be those of others.
    pub(super) has_shifted_names: bool,
    pub(super) problems: Vec<String>,
}

impl<'s> CompanionOpener<'s> {
    pub(super) fn new(source: &'s Source, files: &'s OpenFiles, salvage: bool) -> Self {
        Self {
            source,
            files,
            salvage,
            has_shifted_names: false,
            problems: Vec::new(),
        }
    }

    pub(super) fn problem(&mut self, extension: &str, text: &str) {
        let name = self.source.label_of(extension);
        self.problems
            .push(format!("{}: {text}", name_text(name.as_os_str())));
    }

    /// Reports a file that is missing, unless its archive has done that.
    pub(super) fn missing(&mut self, extension: &str, text: &str) {
        if !self.source.is_lost(extension) {
            self.problem(extension, text);
        }
    }

    pub(super) fn open(&self, extension: &str) -> Option<Blob> {
        self.files.get(extension)
    }

    fn parse<T>(
        &mut self,
        extension: &str,
        parse: impl FnOnce(Blob) -> Result<T, Malformed>,
    ) -> Option<T> {
        match parse(self.open(extension)?) {
            Ok(parsed) => Some(parsed),
            Err(malformed) => {
                self.problem(extension, &malformed.to_string());
                None
            }
        }
    }

    pub(super) fn tables(&mut self) -> Tables {
        Tables {
            players: self.entities(true),
            tournaments: self.entities(true),
            annotators: self.entities(true),
            sources: self.entities(true),
            teams: self.entities(false),
            game_tags: self.entities(false),
            extended: self.side_table("cbj", EXTENDED_SIZES),
            tournament_extras: self.side_table("cbtt", EXTRA_SIZES),
            top_games: self.top_games(),
        }
    }

    /// Reports `.cbg` or `.cba` if it is shorter than its header states.
    fn report_cut_body(&mut self, extension: &str, file: Option<&Blob>) {
        let Some(file) = file else { return };
        let Some(stated) = stated_size(file) else {
            let text = format!(
                "the header is cut off after {}",
                counted(file.len(), "byte", "bytes")
            );
            return self.problem(extension, &text);
        };
        if stated > file.len() as u64 {
            let size = file.len();
            let stated = counted(stated, "byte", "bytes");
            let text = format!("the header states {stated}, the file has {size}");
            self.problem(extension, &text);
        }
    }

    /// Reports a file that has fewer records than its header states.
    fn report_cut(&mut self, extension: &str, stated: u32, found: u32) {
        if stated > found {
            let stated = counted(stated, "record", "records");
            let text = format!("the header states {stated}, the file has {found}");
            self.problem(extension, &text);
        }
    }

    fn side_table(&mut self, extension: &str, sizes: RecordSizes) -> Option<SideTable> {
        let table = self.parse(extension, SideTable::new)?;
        let (table, problem) = table.with_checked_size(sizes);
        if let Some(text) = problem {
            self.problem(extension, &text);
        }
        let table = table?;
        let stated = table.header().count.get();
        let found = table.len();
        if extension != "cbtt" {
            self.report_cut(extension, stated, found);
        } else if stated > found.saturating_sub(1) || (found == 0 && table.rest() > 0) {
            // The index of the last record is 0 both for one record and for none.
            let found = counted(found, "record", "records");
            let text =
                format!("the header states {stated} as the last index, the file has {found}");
            self.problem(extension, &text);
        }
        Some(table)
    }

    fn top_games(&mut self) -> Option<TopGames> {
        let marks = self.parse("flags", TopGames::new)?;
        let bytes = marks.bytes();
        let words = FlagsHeader::read(bytes).map_or(0, |header| header.capacity.get());
        let found = (bytes.len() - FlagsHeader::SIZE) / 4;
        if words as usize > found {
            let words = counted(words, "word", "words");
            let text = format!("the header states {words}, the file has {found}");
            self.problem("flags", &text);
        }
        Some(marks)
    }

    fn report_cut_table<E: Entity>(&mut self, table: &EntityTable<E>) {
        let stated = u32::try_from(table.header().capacity.get()).unwrap_or(0);
        self.report_cut(E::EXTENSION, stated, table.capacity());
        let rest = table.rest();
        if rest > 0 {
            // No program leaves a part of a record, but bytes that were inserted or lost before do.
            let text = format!(
                "{} not a complete record: the names before may be those of others",
                counted(rest, "byte at the end is", "bytes at the end are")
            );
            self.problem(E::EXTENSION, &text);
        }
    }

    fn entities<E: Entity>(&mut self, is_core: bool) -> Option<EntityTable<E>> {
        if is_core && self.open(E::EXTENSION).is_none() {
            self.missing(E::EXTENSION, "the file is missing: its names are unknown");
        }
        if !self.salvage {
            let table = self.parse(E::EXTENSION, EntityTable::new)?;
            self.report_cut_table(&table);
            return Some(table);
        }
        let blob = self.open(E::EXTENSION)?;
        let table = EntityTable::new(blob.clone()).ok();
        if let Some(table) = &table {
            if let Some(realigned) = table.realigned() {
                self.problem(E::EXTENSION, REALIGNED);
                let stated = u32::try_from(realigned.header().capacity.get()).unwrap_or(0);
                self.has_shifted_names |= realigned.capacity() != stated;
                return Some(realigned);
            }
            self.report_cut_table(table);
            self.has_shifted_names |= table.is_shifted();
        }
        table.or_else(|| {
            let text = "the header is corrupt; its records are read all the same";
            self.problem(E::EXTENSION, text);
            let table = EntityTable::salvage(blob)?;
            self.has_shifted_names |= !table.is_mostly_sound();
            Some(table)
        })
    }
}
