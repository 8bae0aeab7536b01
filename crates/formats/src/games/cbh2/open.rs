//! An open set of files.

use std::path::Path;
use std::sync::Arc;

use encoding_rs::Encoding;
use tabia_core::GameIndex;
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::games::{BlankEntries, Database, DatabaseInfo, NameKind, blank_entry};
use tabia_core::io::{Blob, Cursor, Source, name_text};
use tabia_core::plural::counted;

use super::annotations::game_annotations::GameAnnotations;
use super::companions::COMPANIONS;
use super::container::{self, FILE_HEADER, MARK};
use super::format_id::ID;
use super::game_lists;
use super::name_orders;
use super::names::{self, EntityKind, Names};
use super::records::{FileHeader, Record, SIZE, TYPE_DELETED};
use super::salvage::{self, Damage};
use super::tags::Lookup;
use super::zeroed_records::{SetFiles, ZeroedRecords};
use crate::games::cbh::charset::{Detector, Texts, require_windows};
use crate::games::cbh::ini_file::{self, SetKind};
use crate::games::common::salvage::is_for_repair;

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
    pub(super) names: Option<Names>,
    /// `.2lcd` and `.2lgd`, which only the deep check reads.
    pub(super) orders: Option<(Blob, Arc<Path>)>,
    pub(super) lists: Option<(Blob, Arc<Path>)>,
    pub(super) texts: Texts,
    pub(super) options: OpenOptions,
    pub(super) headers_name: Arc<Path>,
    /// Of a set that is read for repair.
    pub(super) damage: Damage,
    pub(super) moves_name: Arc<Path>,
    pub(super) annotations_name: Arc<Path>,
    pub(super) names_name: Arc<Path>,
    pub(super) info: DatabaseInfo,
}

impl Cbh2Database {
    fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut damage = Damage::default();
        let (label, headers) = if is_for_repair(options)? {
            let files = ["2cbh", "2cbg", "2cba"].map(|extension| source.open_companion(extension));
            let [old, moves, annotations] = files;
            let [old, moves, annotations] = [old?, moves?, annotations?];
            let rebuilt = salvage::rebuild(
                old.as_deref().unwrap_or_default(),
                moves.as_deref().unwrap_or_default(),
                annotations.as_deref().unwrap_or_default(),
                options.limits.record,
            );
            damage = rebuilt.damage;
            (source.label_of("2cbh"), rebuilt.file)
        } else {
            let label = Arc::clone(source.label());
            let headers = source.main().open().map_err(|e| e.in_file(&label))?;
            (label, headers)
        };
        let Some(header) = FileHeader::read(&headers) else {
            let why = match headers.len() {
                0 => "the file is empty".to_owned(),
                length => {
                    let length = counted(length as u64, "byte", "bytes");
                    format!("the file has {length}, a header has {SIZE}")
                }
            };
            return Err(wrong_format(why).in_file(&label));
        };
        if !header.is_ours() {
            let why = format!(
                "its header is that of no known version: {} bytes, {} a record",
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
            problems.push(format!("{}: {text}", name_text(name.as_os_str())));
        };
        for text in &damage.problems {
            problem("2cbh", text.clone());
        }
        if headers.len() % SIZE != 0 {
            let left = headers.len() % SIZE;
            problem(
                "2cbh",
                format!(
                    "{} not a complete record",
                    counted(left, "byte at the end is", "bytes at the end are")
                ),
            );
        }
        if i64::from(next) != i64::from(records) + 1 {
            let text =
                format!("the header states {next} as the next record, the file has {records}");
            problem("2cbh", text);
        }
        let mut file = |extension: &str, effect: &str| {
            let blob = source.open_companion(extension)?;
            if blob.is_none() && !source.is_lost(extension) {
                problem(extension, format!("the file is missing: {effect}"));
            }
            Ok::<_, Error>(blob)
        };
        let moves = file("2cbg", "games have no moves")?;
        let annotations = file("2cba", "games have no annotations")?;
        let names = file("2lid", "its names are unknown")?;
        let orders = file("2lcd", "ChessBase has no sorted lists of names")?;
        let lists = file("2lgd", "ChessBase finds no games of a name")?;
        for (extension, blob) in [("2cbg", &moves), ("2cba", &annotations)] {
            if let Some(text) = blob.as_deref().and_then(wrong_size) {
                problem(extension, text);
            }
        }
        if let Some(text) = orders.as_deref().and_then(name_orders::cut_off) {
            problem("2lcd", text);
        }
        if let Some(text) = lists.as_deref().and_then(game_lists::cut_off) {
            problem("2lgd", text);
        }
        let names = names.and_then(|blob| match Names::new(blob) {
            Ok(names) => Some(names),
            Err(malformed) => {
                problem("2lid", malformed.to_string());
                None
            }
        });
        let page = detect_page(names.as_ref(), annotations.as_deref());
        require_windows(options.charset).map_err(|error| error.in_file(source.label()))?;
        let texts = Texts::new(options.charset, page);
        let orders = orders.map(|blob| (blob, source.label_of("2lcd")));
        let lists = lists.map(|blob| (blob, source.label_of("2lgd")));
        let ini = source.open_companion("ini")?;
        let title = ini.and_then(|ini| ini_file::title(&ini, texts, SetKind::Second));
        let mut database = Self {
            headers,
            moves,
            annotations,
            names,
            orders,
            lists,
            texts,
            options: options.clone(),
            headers_name: label,
            damage,
            moves_name: source.label_of("2cbg"),
            annotations_name: source.label_of("2cba"),
            names_name: source.label_of("2lid"),
            info: DatabaseInfo::default(),
        };
        database.info = database.describe(records, version, source, problems);
        database.info.title = title;
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
        let mut blank = BlankEntries::default();
        let mut zeroed = ZeroedRecords::default();
        let records_of_games = self.headers.chunks_exact(SIZE).skip(1);
        for (index, bytes) in (0..).map(GameIndex).zip(records_of_games) {
            if BlankEntries::is_blank(bytes) {
                blank.add(index);
            }
            let Some(record) = Record::read(bytes) else {
                continue;
            };
            zeroed.add(record);
            texts += u32::from(matches!(record, Record::Text(_)));
            deleted += u32::from(record.kind() & TYPE_DELETED != 0);
        }
        let mut names = Vec::new();
        if let Some(stored) = &self.names {
            for (kind, entity) in [
                (NameKind::Player, EntityKind::Player),
                (NameKind::Event, EntityKind::Tournament),
                (NameKind::Source, EntityKind::Source),
                (NameKind::Team, EntityKind::Team),
            ] {
                names.push((kind, stored.count(entity)));
            }
        }
        let companions = COMPANIONS.iter().map(|companion| {
            let exists = source.companion(companion.extension).is_some();
            (companion.extension.to_owned(), exists)
        });
        let mut info = DatabaseInfo::default();
        info.format = ID;
        info.version = version;
        info.records = records;
        info.texts = texts;
        info.deleted = deleted;
        info.encoding = self.texts.describe();
        info.companions = companions.collect();
        info.problems = problems;
        if !self.options.salvage {
            info.blank_entries = blank;
            let entries = blank.problem().map(|text| (text, &self.headers_name));
            let files = SetFiles {
                headers: &self.headers,
                moves: (self.moves.as_ref(), &self.moves_name),
                annotations: (self.annotations.as_ref(), &self.annotations_name),
                names: (self.names.as_ref(), &self.names_name),
            };
            for (text, file) in entries.into_iter().chain(zeroed.problems(&files)) {
                info.problems
                    .push(Error::invalid(text).in_file(file).to_string());
            }
        }
        let are_misread = self.names.as_ref().is_some_and(Names::are_misread);
        info.has_doubtful_names = self.options.salvage && are_misread;
        if info.has_doubtful_names {
            let error = Error::invalid("names cannot be read: the file is damaged")
                .in_file(&self.names_name);
            info.problems.push(error.to_string());
        }
        let cut = self.names.as_ref().and_then(Names::cut_text);
        let cut = cut.map(|text| Error::invalid(text).in_file(&self.names_name));
        info.problems.extend(cut.map(|error| error.to_string()));
        info.names = names;
        info
    }

    /// The bytes of `.2cbh`.
    pub(super) fn headers(&self) -> &[u8] {
        &self.headers
    }

    /// The header of a game, text or analysis.
    pub(super) fn record(&self, game: GameIndex) -> Result<Record<'_>> {
        let at = (game.0 as usize).checked_add(1);
        let at = at.and_then(|number| number.checked_mul(SIZE));
        let bytes = at.and_then(|at| self.headers.get(at..at.checked_add(SIZE)?));
        if bytes.is_some_and(BlankEntries::is_blank) {
            return Err(blank_entry().in_game(game).in_file(&self.headers_name));
        }
        bytes.and_then(Record::read).ok_or_else(|| {
            let count = self.info.records;
            let count = counted(count, "record", "records");
            Error::invalid(format!("the database has only {count}"))
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

    /// Whether a name is missing from the file of names, or that file is.
    pub(super) fn lacks(&self, kind: EntityKind, number: u32) -> bool {
        let names = self.names.as_ref();
        names.is_none_or(|names| !names.is_readable(kind, number))
    }
}

/// Names of each kind that are sampled to guess the character set.
const SAMPLES: u32 = 256;
/// Bytes of annotations that are sampled for the same purpose, from the beginning of the file.
const SAMPLE_BYTES: usize = 1 << 16;

/// Guesses the single-byte character set from a sample of names and comments.
fn detect_page(names: Option<&Names>, annotations: Option<&[u8]>) -> &'static Encoding {
    let mut detector = Detector::default();
    if let Some(names) = names {
        for (kind, texts) in [(EntityKind::Player, 2), (EntityKind::Tournament, 2)] {
            let count = names.count(kind);
            let step = (count / SAMPLES).max(1);
            for number in (0..count).step_by(step as usize) {
                let Some(mut fields) = names.get(kind, number) else {
                    continue;
                };
                for _ in 0..texts {
                    detector.add(names::text(&mut fields).unwrap_or_default());
                }
            }
        }
    }
    let sample = annotations.unwrap_or_default();
    let sample = sample.get(..SAMPLE_BYTES).unwrap_or(sample);
    for at in memchr::memmem::find_iter(sample, &MARK) {
        if let Ok(content) = container::content(sample, at as i64, SAMPLE_BYTES as u64) {
            GameAnnotations::each_text(content.bytes, |text| detector.add(text));
        }
    }
    detector.page()
}

/// A message about a wrong size in the header of `.2cbg` or `.2cba`; `None` if it is right.
fn wrong_size(file: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(file);
    let size = cursor.i64_le("file_size");
    let header = cursor.u16_le("header_size");
    let length = file.len();
    match (size, header) {
        (Ok(size), Ok(header)) => {
            if usize::from(header) != FILE_HEADER {
                return Some(format!(
                    "the header states {header} bytes of header, not 12"
                ));
            }
            (u64::try_from(size).ok() != Some(length as u64)).then(|| {
                let size = counted(size, "byte", "bytes");
                format!("the header states {size}, the file has {length}")
            })
        }
        _ if file.is_empty() => Some("the file is empty".to_owned()),
        _ => {
            let length = counted(length as u64, "byte", "bytes");
            Some(format!("the file has {length}, a header has 12"))
        }
    }
}

fn wrong_format(why: String) -> Error {
    Error::new(ErrorKind::WrongFormat { expected: ID, why })
}
