//! Opening a set of files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tabia_core::error::{Error, ErrorKind, GameIndex, Malformed, Result};
use tabia_core::formats::{Limits, OpenOptions};
use tabia_core::games::{Database, DatabaseInfo};
use tabia_core::io::{Blob, Charset, Source};

use super::annotations::{Items, kind};
use super::charset::{Detector, Texts, until_zero};
use super::entities::{Entity, EntityTable};
use super::placeholder_names::Lost;
use super::records::{ExtendedRecord, FileHeader, GameRecord, TYPE_TEXT, TextRecord};
use super::salvage;
use super::search_boosters::Boosters;
use super::side_files::{SideTable, TopGames};
use super::tags::{Tables, player_name};
use super::{FORMAT, is_ours};

/// Values looked at to guess the character set, of each kind.
const SAMPLES: u32 = 256;
/// Annotation records looked at for the same purpose.
const SAMPLE_RECORDS: u32 = 64;

/// A ChessBase database.
///
/// Its headers are open. The other files are opened when they are first asked for: a search by
/// ratings touches none of them.
#[derive(Debug)]
pub struct CbhDatabase {
    pub(super) headers: Blob,
    /// The name of `.cbh` in messages.
    pub(super) headers_name: Arc<Path>,
    pub(super) strict: bool,
    pub(super) limits: Limits,
    charset: Charset,
    pub(super) source: Source,
    pub(super) len: u32,
    /// What was found before the other files were opened.
    pub(super) problems: Vec<String>,
    parts: OnceLock<Parts>,
    pub(super) info: OnceLock<DatabaseInfo>,
    /// Records whose headers were made again, sorted.
    pub(super) made: Vec<u32>,
    /// The players of games by number, where their sides are lost.
    pairs: HashMap<u32, [u32; 2]>,
    /// Names that a damaged set has lost.
    pub(super) lost: Lost,
    /// Whether the set is read to be saved.
    pub(super) is_saved: bool,
}

/// The files beside the headers, and what was learnt from them.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) moves: Option<Blob>,
    pub(super) annotations: Option<Blob>,
    pub(super) media: Option<SideTable>,
    pub(super) tables: Tables,
    pub(super) texts: Texts,
    /// The name of `.cbg` in messages.
    pub(super) moves_name: Arc<Path>,
    /// The name of `.cba` in messages.
    pub(super) annotations_name: Arc<Path>,
    pub(super) title: Option<String>,
    pub(super) problems: Vec<String>,
}

/// Opens the set that a `.cbh` file belongs to.
pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Box<dyn Database>> {
    Ok(Box::new(CbhDatabase::open(source, options)?))
}

impl CbhDatabase {
    /// Opens the set of the main file. Only that file is required; what is wrong with the others
    /// is among the problems of [`Database::info`].
    pub fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        if options.salvage {
            return Ok(Self::salvage(source, options));
        }
        let label = Arc::clone(source.label());
        let headers = source.main().open().map_err(|e| e.in_file(&label))?;
        let Some(header) = FileHeader::read(&headers) else {
            let why = format!("{} bytes are no header of 46", headers.len());
            return Err(wrong_format(why).in_file(&label));
        };
        if !is_ours(header) {
            let why = format!(
                "the header says {} bytes of header and {} a record, not 44 or 36 and 46",
                header.header_size, header.record_size
            );
            return Err(wrong_format(why).in_file(&label));
        }
        let mut files = Files {
            source,
            salvage: false,
            problems: Vec::new(),
        };
        let len = records(&headers);
        if headers.len() % FileHeader::SIZE != 0 {
            let left = headers.len() % FileHeader::SIZE;
            let text = format!("{left} bytes at the end are no whole record");
            files.problem("cbh", &text);
        }
        if header.next_game.get() != len.saturating_add(1) {
            let next = header.next_game.get();
            let text = format!("the header names {next} as the next game, {len} are there");
            files.problem("cbh", &text);
        }
        let problems = files.problems;
        Ok(Self::with(source, options, label, headers, problems))
    }

    /// What is left of a damaged set, its headers made again where they are lost.
    fn salvage(source: &Source, options: &OpenOptions) -> Self {
        let mut files = Files {
            source,
            salvage: true,
            problems: Vec::new(),
        };
        let old = files.open("cbh");
        let moves = files.open("cbg");
        let annotations = files.open("cba");
        for (extension, is_there) in [("cbg", moves.is_some()), ("cba", annotations.is_some())] {
            if !is_there {
                files.problem(extension, "the file is missing");
            }
        }
        let mut tables = files.tables();
        let boosters = Boosters::read(
            files.open("cit").as_ref(),
            files.open("cib").as_ref(),
            files.open("cbgi").as_ref(),
            &tables,
        );
        let headers = salvage::headers(
            old.as_deref(),
            moves.as_deref(),
            annotations.as_deref(),
            &tables,
            &boosters,
        );
        for text in &headers.told {
            files.problem("cbh", text);
        }
        let label = Arc::from(source.label().with_extension("cbh"));
        let problems = std::mem::take(&mut files.problems);
        let mut database = Self::with(source, options, label, headers.file, problems);
        database.made = headers.made;
        database.pairs = boosters.players;
        database
            .pairs
            .retain(|&number, _| number <= headers.last_sure);
        database.lost = Lost::fill(&database.headers, &mut tables);
        let parts = database.gather(files, moves, annotations, tables);
        database.parts = OnceLock::from(parts);
        database
    }

    fn with(
        source: &Source,
        options: &OpenOptions,
        label: Arc<Path>,
        headers: Blob,
        problems: Vec<String>,
    ) -> Self {
        Self {
            len: records(&headers),
            headers,
            headers_name: label,
            strict: options.strict,
            limits: options.limits,
            charset: options.charset,
            source: source.clone(),
            problems,
            parts: OnceLock::new(),
            info: OnceLock::new(),
            made: Vec::new(),
            pairs: HashMap::new(),
            lost: Lost::NOTHING,
            is_saved: options.salvage,
        }
    }

    /// The files beside the headers.
    pub(super) fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            let mut files = Files {
                source: &self.source,
                salvage: false,
                problems: Vec::new(),
            };
            let moves = files.open("cbg");
            if moves.is_none() && self.len > 0 {
                files.problem("cbg", "the file is missing: games have no moves");
            }
            let annotations = files.open("cba");
            if annotations.is_none() && self.len > 0 {
                files.problem("cba", "the file is missing: games have no annotations");
            }
            let tables = files.tables();
            self.gather(files, moves, annotations, tables)
        })
    }

    fn gather(
        &self,
        mut files: Files<'_>,
        moves: Option<Blob>,
        annotations: Option<Blob>,
        tables: Tables,
    ) -> Parts {
        let source = &self.source;
        let page = self.detect(&tables, annotations.as_deref());
        let texts = Texts::new(self.charset, page);
        let ini = source.open_companion("ini").ok().flatten();
        Parts {
            moves,
            annotations,
            media: files.side("cbm"),
            tables,
            texts,
            moves_name: source.label_of("cbg"),
            annotations_name: source.label_of("cba"),
            title: ini.and_then(|ini| ini_title(&ini, texts)),
            problems: files.problems,
        }
    }

    /// The file header.
    pub fn header(&self) -> Option<&FileHeader> {
        FileHeader::read(&self.headers)
    }

    /// The tables of the set.
    pub fn tables(&self) -> &Tables {
        &self.parts().tables
    }

    /// How texts are read.
    pub fn texts(&self) -> Texts {
        self.parts().texts
    }

    /// The record of a game or text, whichever it is.
    pub fn record(&self, game: GameIndex) -> Option<Record<'_>> {
        let bytes = self.header_bytes(game)?;
        let game = GameRecord::read(bytes)?;
        Some(if game.kind & TYPE_TEXT == 0 {
            Record::Game(game)
        } else {
            Record::Text(TextRecord::read(bytes)?)
        })
    }

    /// What `.cbj` says of a record, and the bytes behind what is known of it.
    pub fn extended(&self, game: GameIndex) -> Option<(ExtendedRecord, &[u8])> {
        let table = self.tables().extended.as_ref()?;
        Some(table.extended(game.0))
    }

    /// Where the body and the annotations of a record begin; 0 is nowhere.
    pub(super) fn places(&self, index: GameIndex, record: Record<'_>) -> Places {
        let extended = self.extended(index);
        let wide = |short: u32, long: fn(&ExtendedRecord) -> u64| {
            let long = extended.as_ref().map_or(0, |(record, _)| long(record));
            // The 64-bit copy counts when its low bits agree.
            if long & 0xffff_ffff == u64::from(short) {
                long
            } else {
                u64::from(short)
            }
        };
        match record {
            Record::Game(game) => Places {
                moves_at: wide(game.moves_at.get(), |record| record.moves_at.get()),
                annotations_at: match game.annotations_at.get() {
                    0 => 0,
                    short => wide(short, |record| record.annotations_at.get()),
                },
            },
            Record::Text(text) => Places {
                moves_at: wide(text.body_at.get(), |record| record.moves_at.get()),
                annotations_at: 0,
            },
        }
    }

    /// The names of both players of a game whose header is lost.
    pub(super) fn pair(&self, game: GameIndex) -> Option<[String; 2]> {
        let ids = self.pairs.get(&(game.0 + 1))?;
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

    /// Whether the header of a record was lost and made again.
    pub(super) fn is_made(&self, game: GameIndex) -> bool {
        self.made.binary_search(&game.0).is_ok()
    }

    fn header_bytes(&self, game: GameIndex) -> Option<&[u8]> {
        let at = (game.0 as usize)
            .checked_add(1)?
            .checked_mul(FileHeader::SIZE)?;
        self.headers
            .as_slice()
            .get(at..at.checked_add(FileHeader::SIZE)?)
    }

    pub(super) fn no_such_game(&self, game: GameIndex) -> Error {
        let count = self.len;
        Error::invalid(format!("there are only {count} records"))
            .in_file(&self.headers_name)
            .in_game(game)
    }

    /// Looks at names and comments spread over the database.
    fn detect(
        &self,
        tables: &Tables,
        annotations: Option<&[u8]>,
    ) -> &'static encoding_rs::Encoding {
        let mut detector = Detector::default();
        sample(tables.players.as_ref(), |player| {
            detector.add(until_zero(&player.last_name));
        });
        sample(tables.tournaments.as_ref(), |tournament| {
            detector.add(until_zero(&tournament.title));
            detector.add(until_zero(&tournament.place));
        });
        sample(tables.annotators.as_ref(), |annotator| {
            detector.add(until_zero(&annotator.name));
        });
        let step = (self.len / SAMPLE_RECORDS).max(1);
        for start in (0..self.len).step_by(step as usize) {
            let mut near = start..start.saturating_add(step.min(16));
            let comments = near.find_map(|i| self.annotation_bytes(annotations?, i));
            let Some(items) = comments.and_then(|record| Items::new(record).ok()) else {
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

    /// The annotation record of a game, for guessing only.
    fn annotation_bytes<'a>(&self, annotations: &'a [u8], index: u32) -> Option<&'a [u8]> {
        let Record::Game(game) = self.record(GameIndex(index))? else {
            return None;
        };
        let at = game.annotations_at.get() as usize;
        let bytes = annotations.get(at..)?;
        let size = Items::size(bytes).ok()?.min(1 << 16);
        bytes.get(..size).filter(|_| at != 0)
    }
}

/// Where the parts of a record are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// Offset in `.cbg`.
    pub(super) moves_at: u64,
    /// Offset in `.cba`.
    pub(super) annotations_at: u64,
}

/// A record of the `.cbh` file.
#[derive(Debug, Clone, Copy)]
pub enum Record<'a> {
    /// A game.
    Game(&'a GameRecord),
    /// A guiding text.
    Text(&'a TextRecord),
}

/// Whole records behind the header.
fn records(headers: &[u8]) -> u32 {
    let records = (headers.len() / FileHeader::SIZE).saturating_sub(1);
    u32::try_from(records).unwrap_or(u32::MAX)
}

fn wrong_format(why: String) -> Error {
    Error::new(ErrorKind::WrongFormat {
        expected: FORMAT.file.id,
        why,
    })
}

/// Looks at entities spread over a table.
fn sample<E: Entity>(table: Option<&EntityTable<E>>, mut look: impl FnMut(&E)) {
    let Some(table) = table else {
        return;
    };
    let step = (table.capacity() / SAMPLES).max(1);
    for id in (0..table.capacity()).step_by(step as usize) {
        if let Some(found) = table.get(id) {
            look(found);
        }
    }
}

/// `Title=` of the settings file.
fn ini_title(ini: &[u8], texts: Texts) -> Option<String> {
    let line = ini
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.trim_ascii().strip_prefix(b"Title="))?;
    let title = texts.plain(line.trim_ascii());
    (!title.is_empty()).then(|| title.into_owned())
}

/// The companions of a set, and what was wrong with them.
struct Files<'s> {
    source: &'s Source,
    /// Tables whose headers make no sense are read as if they did.
    salvage: bool,
    problems: Vec<String>,
}

impl Files<'_> {
    fn problem(&mut self, extension: &str, text: &str) {
        let name = self.source.label_of(extension);
        self.problems.push(format!("{}: {text}", name.display()));
    }

    fn open(&mut self, extension: &str) -> Option<Blob> {
        match self.source.open_companion(extension) {
            Ok(blob) => blob,
            Err(error) => {
                self.problems.push(error.to_string());
                None
            }
        }
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

    fn tables(&mut self) -> Tables {
        Tables {
            players: self.entities(true),
            tournaments: self.entities(true),
            annotators: self.entities(true),
            sources: self.entities(true),
            teams: self.entities(false),
            game_tags: self.entities(false),
            extended: self.side("cbj"),
            tournament_extras: self.side("cbtt"),
            top_games: self.parse("flags", TopGames::new),
        }
    }

    fn side(&mut self, extension: &str) -> Option<SideTable> {
        self.parse(extension, SideTable::new)
    }

    fn entities<E: Entity>(&mut self, is_core: bool) -> Option<EntityTable<E>> {
        if is_core && self.source.companion(E::EXTENSION).is_none() {
            self.problem(E::EXTENSION, "the file is missing: its names are unknown");
        }
        if !self.salvage {
            return self.parse(E::EXTENSION, EntityTable::new);
        }
        let blob = self.open(E::EXTENSION)?;
        EntityTable::new(blob.clone()).ok().or_else(|| {
            let text = "the header makes no sense; its records are read all the same";
            self.problem(E::EXTENSION, text);
            EntityTable::salvage(blob)
        })
    }
}
