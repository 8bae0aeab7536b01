//! Random access to the games of a file. Opening it makes an index of the tags, without the moves.

use std::borrow::Cow;
use std::sync::Arc;

use tabia_core::chess::PieceLetters;
use tabia_core::error::{Error, GameIndex, Problem, Result};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Date, Eco, Flow, GameHead, GameResult, RecordKind, Visitor, Want};
use tabia_core::games::{
    Database, DatabaseInfo, GameReader, IndexEntry, NameId, NameKind, PartKind, StoredPart,
};
use tabia_core::io::{Blob, Charset, Source};

use super::char_class::BOM;
use super::encoding::{detect, first_invalid, name, sample, utf16};
use super::letter_detection;
use super::read::Reader;
use super::text_cursor::TextCursor;
use crate::games::common::interner::Interner;

/// The names of one kind, each with an id.
#[derive(Debug, Default)]
struct Names {
    numbers: Interner,
    /// The id of the last interned name, which is often repeated.
    last: Option<u32>,
}

/// The id of an unknown name.
const NO_NAME: u32 = u32::MAX;

impl Names {
    fn get(&self, id: u32) -> Option<&str> {
        std::str::from_utf8(self.numbers.get(id)?).ok()
    }

    /// The id of a name; [`NO_NAME`] if it is empty or `?`.
    fn intern(&mut self, name: &str) -> u32 {
        if name.is_empty() || name == "?" {
            return NO_NAME;
        }
        if let Some(last) = self.last
            && self.numbers.get(last) == Some(name.as_bytes())
        {
            return last;
        }
        let Some((id, _)) = self.numbers.number(name.as_bytes(), NO_NAME) else {
            return NO_NAME;
        };
        self.last = Some(id);
        id
    }
}

/// The index entry of a game: 56 bytes.
#[derive(Debug, Clone, Copy)]
struct Row {
    start: u64,
    white: u32,
    black: u32,
    event: u32,
    site: u32,
    round: u32,
    annotator: u32,
    date: Date,
    white_elo: u16,
    black_elo: u16,
    eco: Option<Eco>,
    result: GameResult,
    flags: u8,
}

const DELETED: u8 = 1;
const TEXT: u8 = 2;
const SETUP: u8 = 4;

/// A PGN file with its index.
#[derive(Debug)]
pub(super) struct PgnDatabase {
    blob: Blob,
    /// Whether `blob` is decoded from UTF-16, so that its offsets are not those of the file.
    is_recoded: bool,
    label: Arc<std::path::Path>,
    charset: Charset,
    letters: Option<&'static PieceLetters>,
    options: OpenOptions,
    info: DatabaseInfo,
    rows: Vec<Row>,
    names: [Names; 5],
}

const PLAYERS: usize = 0;
const EVENTS: usize = 1;
const SITES: usize = 2;
const ROUNDS: usize = 3;
const ANNOTATORS: usize = 4;

/// The index in [`PgnDatabase::names`] of a kind of names; `None` if PGN has no such names.
fn names_index(kind: NameKind) -> Option<usize> {
    Some(match kind {
        NameKind::Player => PLAYERS,
        NameKind::Event => EVENTS,
        NameKind::Site => SITES,
        NameKind::Round => ROUNDS,
        NameKind::Annotator => ANNOTATORS,
        _ => return None,
    })
}

impl PgnDatabase {
    pub(super) fn open(source: &Source, options: &OpenOptions) -> Result<Self> {
        let mut blob = source.main().open()?;
        let label = Arc::clone(source.label());
        let mut encoding = None;
        let mut is_recoded = false;
        if let Some(found) = utf16(&blob) {
            is_recoded = true;
            let text = found.decode_with_bom_removal(&blob).0.into_owned();
            encoding = Some(found.name().to_owned());
            blob = Blob::from(text.into_bytes());
        }
        let sample = first_invalid(&blob, false).map_or(&b""[..], |at| sample(&blob, at));
        let charset = detect(sample, options.charset);
        let encoding = encoding.unwrap_or_else(|| name(sample, charset));
        let mut index = Index::default();
        let start = if blob.starts_with(BOM) { BOM.len() } else { 0 };
        let depth = options.limits.depth;
        let text = blob.get(start..).filter(|_| options.pieces.is_none());
        let detected = text.and_then(|text| letter_detection::detect(text, true, charset, depth));
        let doubt = text
            .filter(|_| detected.is_none())
            .and_then(|text| letter_detection::other_reading(text, true, charset, depth));
        let letters = options.pieces.or(detected);
        let mut reader = Reader::new(charset, false, depth, letters);
        let mut cursor = TextCursor::new(start, 0);
        while reader
            .next(&blob, &mut cursor, Want::TAGS, &mut index)?
            .is_some()
        {
            index.finish_row(reader.game_start());
        }
        let count = u32::try_from(index.rows.len())
            .map_err(|_| Error::unsupported("more than 4,294,967,295 games").in_file(&label))?;
        let count_flag = |flag: u8| {
            index
                .rows
                .iter()
                .filter(|row| row.flags & flag != 0)
                .count()
        };
        let mut info = DatabaseInfo::default();
        info.format = super::ID;
        info.version = "PGN".into();
        info.records = count;
        info.texts = count_flag(TEXT) as u32;
        info.deleted = count_flag(DELETED) as u32;
        info.encoding = encoding;
        info.problems = index.problems;
        let problem = detected.map(letter_detection::problem);
        let problem = problem.or_else(|| doubt.map(letter_detection::doubt));
        info.problems
            .extend(problem.map(|problem| problem.to_string()));
        info.names = [
            NameKind::Player,
            NameKind::Event,
            NameKind::Site,
            NameKind::Round,
            NameKind::Annotator,
        ]
        .into_iter()
        .zip(&index.names)
        .map(|(kind, names)| (kind, names.numbers.len()))
        .collect();
        for names in &mut index.names {
            names.numbers.close();
        }
        Ok(Self {
            blob,
            is_recoded,
            label,
            charset,
            letters,
            options: options.clone(),
            info,
            rows: index.rows,
            names: index.names,
        })
    }

    fn row(&self, game: GameIndex) -> Result<&Row> {
        self.rows.get(game.0 as usize).ok_or_else(|| {
            Error::invalid("there is no such game")
                .in_game(game)
                .in_file(&self.label)
        })
    }
}

/// The visitor that fills the index.
#[derive(Debug, Default)]
struct Index {
    rows: Vec<Row>,
    names: [Names; 5],
    problems: Vec<String>,
}

impl Index {
    /// Sets the offset of the last game.
    fn finish_row(&mut self, start: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.start = start as u64;
        }
    }

    fn intern(&mut self, kind: usize, name: &str) -> u32 {
        self.names
            .get_mut(kind)
            .map_or(NO_NAME, |names| names.intern(name))
    }
}

impl Visitor for Index {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        let mut row = Row {
            start: 0,
            white: NO_NAME,
            black: NO_NAME,
            event: NO_NAME,
            site: NO_NAME,
            round: NO_NAME,
            annotator: NO_NAME,
            date: Date::UNKNOWN,
            white_elo: 0,
            black_elo: 0,
            eco: None,
            result: GameResult::Unknown,
            flags: 0,
        };
        let mut seen = 0_u16;
        for (name, value) in head.tags.iter() {
            let bit = match name {
                "White" => 1,
                "Black" => 2,
                "Event" => 4,
                "Site" => 8,
                "Round" => 16,
                "Annotator" => 32,
                "Date" => 64,
                "WhiteElo" => 128,
                "BlackElo" => 256,
                "ECO" => 512,
                _ => continue,
            };
            if seen & bit != 0 {
                continue;
            }
            seen |= bit;
            match bit {
                1 => row.white = self.intern(PLAYERS, value),
                2 => row.black = self.intern(PLAYERS, value),
                4 => row.event = self.intern(EVENTS, value),
                8 => row.site = self.intern(SITES, value),
                16 => row.round = self.intern(ROUNDS, value),
                32 => row.annotator = self.intern(ANNOTATORS, value),
                64 => row.date = Date::of_text(value),
                128 => row.white_elo = value.trim().parse().unwrap_or(0),
                256 => row.black_elo = value.trim().parse().unwrap_or(0),
                _ => row.eco = Eco::parse(value),
            }
        }
        if head.deleted {
            row.flags |= DELETED;
        }
        if head.kind == RecordKind::Text {
            row.flags |= TEXT;
        }
        if head.start.setup.is_some() {
            row.flags |= SETUP;
        }
        self.rows.push(row);
        Flow::Go
    }

    fn visit_move(
        &mut self,
        _before: &tabia_core::chess::Position,
        _ply: tabia_core::chess::Ply,
    ) -> Flow {
        Flow::Skip
    }

    fn end_game(&mut self, result: GameResult) {
        if let Some(row) = self.rows.last_mut() {
            row.result = result;
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        // Reading a game reports the problems inside it.
        let is_between_games = problem.unread_bytes.is_some();
        if is_between_games && self.problems.len() < 1000 {
            self.problems.push(problem.error.to_string());
        }
        Flow::Go
    }
}

impl Database for PgnDatabase {
    fn info(&self) -> &DatabaseInfo {
        &self.info
    }

    fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    fn span(&self, game: GameIndex) -> Option<(u64, u64)> {
        if self.is_recoded {
            return None;
        }
        let start = self.rows.get(game.0 as usize)?.start;
        let next = self.rows.get(game.0 as usize + 1);
        let end = next.map_or(self.blob.len() as u64, |next| next.start);
        let bytes = self.blob.get(start as usize..end as usize)?;
        Some((start, bytes.trim_ascii_end().len() as u64))
    }

    fn replaceable_span(&self, game: GameIndex) -> Result<(u64, u64)> {
        let refuse = |why: &str| {
            let text = format!(
                "the game cannot be replaced where it is: {why}; `tabia convert` makes a file whose games can be changed"
            );
            Err(Error::unsupported(text))
        };
        if self.is_recoded {
            return refuse("the file is UTF-16");
        }
        self.row(game)?;
        let (start, length) = self.span(game).unwrap_or_default();
        let end = start.saturating_add(length);
        let bytes = self.blob.get(start as usize..end as usize);
        let bytes = bytes.unwrap_or_default();
        // A game without its result may be cut off, or be followed by what is no game.
        let has_result = ["1-0", "0-1", "1/2-1/2", "*"]
            .iter()
            .any(|result| bytes.ends_with(result.as_bytes()));
        // Lines that begin with `%` are for programs and are not read.
        let is_escape = |line: &[u8]| line.starts_with(b"%");
        let has_escapes = bytes
            .split(|&byte| matches!(byte, b'\n' | b'\r'))
            .any(is_escape);
        match (has_result, has_escapes) {
            (false, _) => {
                refuse("it has no result at its end, so that what follows may be a part of it")
            }
            (true, true) => {
                refuse("it has lines that begin with `%`, which are for other programs")
            }
            (true, false) => Ok((start, length)),
        }
    }

    fn stored_parts(&self, game: GameIndex) -> Vec<StoredPart<'_>> {
        let part = self.span(game).and_then(|(start, length)| {
            StoredPart::of_file(
                PartKind::Game,
                &self.label,
                &self.blob,
                start,
                length as usize,
            )
        });
        part.into_iter().collect()
    }

    fn players(&self, first: GameIndex, out: &mut [[Option<NameId>; 2]]) -> bool {
        let id = |id: u32| (id != NO_NAME).then_some(NameId(id));
        let rows = self.rows.get(first.0 as usize..).unwrap_or_default();
        for (row, players) in rows.iter().zip(out.iter_mut()) {
            // In a text these are not players.
            let is_game = row.flags & TEXT == 0;
            *players = [row.white, row.black].map(|name| id(name).filter(|_| is_game));
        }
        out.len() <= rows.len()
    }

    fn entry(&self, game: GameIndex) -> Result<IndexEntry> {
        let row = self.row(game)?;
        let id = |id: u32| (id != NO_NAME).then_some(NameId(id));
        let elo = |elo: u16| (elo != 0).then_some(elo);
        Ok(IndexEntry {
            white: id(row.white),
            black: id(row.black),
            event: id(row.event),
            site: id(row.site),
            round: id(row.round),
            annotator: id(row.annotator),
            date: row.date,
            white_elo: elo(row.white_elo),
            black_elo: elo(row.black_elo),
            result: row.result,
            eco: row.eco,
            deleted: row.flags & DELETED != 0,
            is_text: row.flags & TEXT != 0,
            has_setup: row.flags & SETUP != 0,
            ..IndexEntry::default()
        })
    }

    fn name(&self, kind: NameKind, NameId(id): NameId) -> Result<Cow<'_, str>> {
        names_index(kind)
            .and_then(|index| self.names.get(index)?.get(id))
            .map(Cow::Borrowed)
            .ok_or_else(|| Error::invalid("there is no such name").in_file(&self.label))
    }

    fn reader(&self) -> Box<dyn GameReader + '_> {
        let depth = self.options.limits.depth;
        Box::new(IndexReader {
            database: self,
            reader: Reader::new(self.charset, self.options.strict, depth, self.letters),
            cursor: TextCursor::default(),
        })
    }
}

struct IndexReader<'d> {
    database: &'d PgnDatabase,
    reader: Reader,
    cursor: TextCursor,
}

impl GameReader for IndexReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let start = self.database.row(game)?.start as usize;
        if start < self.cursor.at || self.cursor.part_end == 0 {
            self.cursor.part_end = 0;
        }
        self.cursor.at = start;
        self.cursor.games = game.0;
        if start >= self.cursor.part_end {
            self.cursor.part_end = 0;
        }
        let flow = self
            .reader
            .next(&self.database.blob, &mut self.cursor, want, visitor)
            .map_err(|error| error.in_file(&self.database.label))?;
        Ok(flow.unwrap_or(Flow::Go))
    }
}
