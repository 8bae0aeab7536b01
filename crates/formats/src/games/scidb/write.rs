//! Writing Scidb databases.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tabia_core::chess::{FenStyle, Setup};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Eco, Game, GameResult, RecordKind};
use tabia_core::games::{GameWriter, Written};
use tabia_core::io::{Output, OutputSet, Sink};
use tabia_core::loss::{Feature, Losses};

use super::CAN;
use super::blob_scanner::MAX_RECORD;
use super::board::Board;
use super::code_tables;
use super::encode::{Encoder, Keep};
use super::entry::{self, DELETED, Entry, HEADER_LENGTH, MAX_DESCRIPTION, STANDARD};
use super::name_writer::NameWriter;
use super::names::{EventFacts, PlayerFacts};
use super::raw_records;
use super::raw_records::has_chess_moves;
use super::record_body;
use super::record_body::{LENGTH, section};
use super::tag_fields::{Left, cut, date, number, parse_letters, parse_words, round, write_tag};
use super::version::{MAGIC, VERSION};

/// A database under construction. Records and entries go to the files as they come; names stay in
/// memory until the end.
#[derive(Debug)]
pub(crate) struct ScidbWriter {
    outputs: OutputSet,
    files: Files,
    names: NameWriter,
    encoder: Encoder,
    /// The tags of the record at hand.
    tags: Vec<u8>,
    record: Sink,
    entry: Sink,
    games: u32,
    /// Length of the game file so far.
    end: u64,
    /// An index into `code_tables::VARIANTS`.
    variant: u8,
    lost_facts: Losses,
}

/// Numbers of the files in the set.
#[derive(Debug, Clone, Copy)]
struct Files {
    index: usize,
    names: usize,
    games: usize,
}

/// A record lies within a block of that size, or begins one.
const BLOCK: u64 = super::blob_scanner::BLOCK as u64;

/// The longest file of records.
const MAX_FILE: u64 = 1 << 31;

const MAX_GAMES: u32 = (1 << 24) - 1;

/// Where the header has the number of games.
const GAMES_AT: u64 = 10;

/// The opening key of games of which nothing more is known.
const ANY_OPENING: u32 = 1;

impl ScidbWriter {
    pub(crate) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut outputs = OutputSet::new(options.force);
        let files = Files {
            index: outputs.create(path)?,
            names: outputs.create(&path.with_extension("scn"))?,
            games: outputs.create(&path.with_extension("scg"))?,
        };
        let mut games = Sink::new();
        games.bytes(b"Scidb.g\0");
        games.u16_be(VERSION);
        games.u8(0);
        let mut writer = Self {
            outputs,
            files,
            names: NameWriter::new(),
            encoder: Encoder::new(CAN),
            tags: Vec::new(),
            record: Sink::new(),
            entry: Sink::new(),
            games: 0,
            end: games.len() as u64,
            variant: variant(options),
            lost_facts: options.lost_facts(|key| match key {
                "title" => Some(MAX_DESCRIPTION),
                "scidbType" | "created" => Some(usize::MAX),
                _ => None,
            }),
        };
        writer
            .file(files.index)?
            .write_all(&write_header(options))?;
        writer.file(files.games)?.write_all(games.as_slice())?;
        Ok(writer)
    }

    fn file(&mut self, number: usize) -> Result<&mut Output> {
        self.outputs
            .file(number)
            .ok_or_else(|| Error::invalid("a file of the set is closed"))
    }

    /// Writes the record; where its first byte is.
    fn append_record(&mut self) -> Result<u32> {
        let length = self.record.len() as u64;
        let mut at = self.end;
        if length > BLOCK - at % BLOCK {
            at = at.next_multiple_of(BLOCK);
        }
        if at + length > MAX_FILE {
            return Err(Error::new(ErrorKind::Limit {
                what: "the file of games",
                limit: MAX_FILE,
                size: at + length,
            }));
        }
        let fill = at - self.end;
        self.end = at + length;
        let number = self.files.games;
        if let Some(file) = self.outputs.file(number) {
            std::io::copy(&mut std::io::Read::take(std::io::repeat(0), fill), file)?;
            file.write_all(self.record.as_slice())?;
        }
        Ok(at as u32)
    }

    /// Writes record and entry.
    fn append(&mut self, mut entry: Entry) -> Result<()> {
        entry.record_at = self.append_record()?;
        self.entry.clear();
        entry.write(&mut self.entry);
        if let Some(file) = self.outputs.file(self.files.index) {
            file.write_all(self.entry.as_slice())?;
        }
        self.games += 1;
        Ok(())
    }

    /// Writes a game of another variant as it was stored, with the tags it has now.
    fn write_kept(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let Some((stored, body)) = raw_records::find(game) else {
            losses.add(Feature::ChessGames, 1, None);
            return Ok(losses);
        };
        let mut entry = Entry {
            result: entry::result_code(game.result),
            flags: stored.flags & entry::ILLEGAL,
            ..stored
        };
        if game.head.deleted {
            entry.flags |= DELETED;
        }
        self.tags.clear();
        let has_fen = body.fen.is_some();
        self.write_tags(game, body.start, has_fen, &mut entry, &mut losses)?;
        if body.start == STANDARD {
            // The key belongs to the moves, the code is a tag.
            entry.opening =
                entry.opening & !entry::OPENING_KEY | stored.opening & entry::OPENING_KEY;
        }
        self.encoder.copy(&body);
        let fen = body.fen.map(String::from_utf8_lossy);
        self.assemble(body.start, fen.as_deref());
        self.append(entry)?;
        Ok(losses)
    }

    /// Puts the record together from what was encoded.
    fn assemble(&mut self, start: u16, fen: Option<&str>) {
        let Self {
            record,
            encoder,
            tags,
            ..
        } = self;
        record.clear();
        record.u24_be(0);
        let mut flags = start;
        for (bit, part) in [
            (section::TEXT, &encoder.text),
            (section::TAGS, tags),
            (section::ENGINES, &encoder.engines),
            (section::TIME_TABLE, &encoder.time_table),
        ] {
            if !part.is_empty() {
                flags |= bit;
            }
        }
        record.u16_be(flags);
        if let Some(fen) = fen {
            record.bytes(fen.as_bytes());
            record.u8(0);
        }
        let data_at = record.len() - LENGTH + 5 + encoder.moves.len();
        record.u24_be(data_at as u32);
        record.u16_be(encoder.run);
        record.bytes(&encoder.moves);
        if !encoder.text.is_empty() {
            record.u24_be(encoder.text.len() as u32);
            record.bytes(&encoder.text);
        }
        if !tags.is_empty() {
            record.bytes(tags);
            record.u8(0);
        }
        if !encoder.engines.is_empty() {
            record.u8(encoder.engine_count);
            record.bytes(&encoder.engines);
        }
        record.bytes(&encoder.time_table);
        record.bytes(encoder.side.as_slice());
        let length = record.len();
        record.patch_u24_be(0, length as u32);
    }

    /// Fills the entry from the tags and collects those it has no field for.
    fn write_tags(
        &mut self,
        game: &Game,
        start: u16,
        has_fen: bool,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> Result<()> {
        let tags = &game.head.tags;
        let mut left = Left {
            tags,
            taken: Vec::new(),
        };
        let name = |tag: &str, left: &mut Left<'_>, losses: &mut Losses| -> String {
            cut(left.take(tag).unwrap_or("?"), losses).into_owned()
        };
        let country = left.take_number("EventCountry", &code_tables::COUNTRIES);
        let site = self.names.site(&name("Site", &mut left, losses), country)?;
        let facts = EventFacts {
            date: left
                .take_if("EventDate", |text| {
                    date(text).filter(|date| !date.is_unknown())
                })
                .unwrap_or_default(),
            kind: left.take_number("EventType", &code_tables::EVENT_TYPES) as u8,
            mode: left.take_number("Mode", &code_tables::MODES) as u8,
            time_mode: left.take_number("TimeMode", &code_tables::TIME_MODES) as u8,
            site,
        };
        let event = name("Event", &mut left, losses);
        entry.event = self.names.event(&event, facts)?;
        let mut player = |color: &str, left: &mut Left<'_>, losses: &mut Losses| {
            let facts = PlayerFacts {
                species: left.take_number(&format!("{color}Type"), &code_tables::SPECIES) as u8,
                sex: left.take_number(&format!("{color}Sex"), &code_tables::SEXES) as u8,
                country: left.take_number(&format!("{color}Country"), &code_tables::COUNTRIES),
                title: left.take_number(&format!("{color}Title"), &code_tables::TITLES) as u8,
                fide: left.take_if(&format!("{color}FideId"), number).unwrap_or(0),
            };
            self.names.player(&name(color, left, losses), facts)
        };
        entry.white = player("White", &mut left, losses)?;
        entry.black = player("Black", &mut left, losses)?;
        let annotator = left.take("Annotator").unwrap_or_default();
        entry.annotator = self.names.annotator(&cut(annotator, losses))?;
        let date = left.take_if("Date", date).unwrap_or_default();
        entry.year = entry::year_bits(date.year).unwrap_or(entry::NO_YEAR);
        (entry.month, entry.day) = (date.month, date.day);
        (entry.round, entry.sub_round) = left.take_if("Round", round).unwrap_or((0, 0));
        let elo = |text: &str| {
            number(text)
                .and_then(|elo| u16::try_from(elo).ok())
                .filter(|&elo| elo < 4096)
        };
        entry.white_elo = left.take_if("WhiteElo", elo).unwrap_or(0);
        entry.black_elo = left.take_if("BlackElo", elo).unwrap_or(0);
        let mut rating = |color: &str| {
            for (kind, name) in (0..).zip(code_tables::RATINGS).skip(1) {
                if let Some(rating) = left.take_if(&format!("{color}{name}"), elo) {
                    return (kind, rating);
                }
            }
            (0, 0)
        };
        (entry.white_rating_kind, entry.white_rating) = rating("White");
        (entry.black_rating_kind, entry.black_rating) = rating("Black");
        if start == STANDARD {
            let exact = |text: &str| Eco::parse(text).filter(|eco| eco.to_string() == text);
            // A longer code stays a tag, and the entry has its beginning.
            let eco = left.take_if("ECO", exact).or_else(|| tags.eco());
            let code = eco.map_or(0, |eco| u32::from(eco.code()) + 1);
            entry.opening = code << 20 | ANY_OPENING;
        }
        entry.termination = left.take_number("Termination", &code_tables::TERMINATIONS) as u8;
        if let Some(letters) = left.take("ScidFlags") {
            entry.flags |= parse_letters(letters, losses);
        }
        if let Some(words) = left.take("ScidbFlags") {
            entry.flags |= parse_words(words, losses);
        }
        if start != 0 || has_fen {
            let fen = left.take("FEN");
            let is_wrong = |fen: &str| game.head.start.contradicts(fen);
            if has_chess_moves(self.variant) && fen.is_some_and(is_wrong) {
                losses.add(Feature::Tags, 1, None);
            }
            left.take("SetUp");
        }
        losses.add(Feature::Tags, game.result.lost_tags(tags), None);
        if let Some(own) = code_tables::text(&code_tables::VARIANTS, self.variant) {
            left.take_if("Variant", |text| (text == own).then_some(()));
        }
        let is_numbered = (1..=960).contains(&start) && start != STANDARD;
        if game.head.start.chess960 && !is_numbered && tags.get("Variant").is_none() {
            write_tag("Variant", "Chess960", &mut self.tags, losses);
        }
        for (place, (name, value)) in tags.iter().enumerate() {
            if left.taken.contains(&place) || name == "Result" {
                continue;
            }
            if left.has_taken(name, place) {
                // A second one in the record would stand for that of the entry.
                losses.add(Feature::Tags, 1, None);
                continue;
            }
            write_tag(name, value, &mut self.tags, losses);
        }
        Ok(())
    }
}

impl GameWriter for ScidbWriter {
    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        if game.head.kind == RecordKind::Text {
            losses.add(Feature::GuidingTexts, 1, None);
            return Ok(losses);
        }
        if self.games >= MAX_GAMES {
            return Err(Error::new(ErrorKind::Limit {
                what: "the number of games",
                limit: MAX_GAMES.into(),
                size: u64::from(self.games) + 1,
            }));
        }
        if !has_chess_moves(self.variant) {
            return self.write_kept(game);
        }
        let start = Beginning::of(game, &mut losses);
        let mut entry = Entry {
            result: entry::result_code(game.result),
            start: start.number,
            is_setup: start.fen.is_some(),
            ..Entry::default()
        };
        if game.result.is_special() && game.result != GameResult::BothLose {
            losses.add(Feature::SpecialResults, 1, None);
        }
        if game.head.deleted {
            entry.flags |= DELETED;
        }
        self.tags.clear();
        let has_fen = start.fen.is_some();
        self.write_tags(game, start.number, has_fen, &mut entry, &mut losses)?;
        let head = entry;
        for keep in [Keep::Everything, Keep::Variations, Keep::Mainline] {
            let mut lost = Losses::new();
            entry = head;
            let board = start.board.clone();
            self.encoder
                .encode(game, keep, board, &mut entry, &mut lost)?;
            self.assemble(start.number, start.fen.as_deref());
            if self.record.len() <= MAX_RECORD {
                losses.merge(&lost);
                break;
            }
            if keep == Keep::Mainline {
                return Err(Error::new(ErrorKind::Limit {
                    what: "a game",
                    limit: MAX_RECORD as u64,
                    size: self.record.len() as u64,
                }));
            }
        }
        self.append(entry)?;
        Ok(losses)
    }

    fn lost_facts(&self) -> Losses {
        self.lost_facts.clone()
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let Files { index, names, .. } = self.files;
        let bytes = self.names.file(VERSION);
        self.file(names)?.write_all(&bytes)?;
        let mut games = Sink::new();
        games.u24_be(self.games);
        let file = self.file(index)?;
        file.seek(SeekFrom::Start(GAMES_AT))?;
        file.write_all(games.as_slice())?;
        let records = self.games;
        let (files, bytes) = self.outputs.commit()?;
        Ok(Written {
            records,
            files,
            bytes,
        })
    }
}

/// How a game begins.
struct Beginning {
    /// 0 for one that is given as FEN.
    number: u16,
    fen: Option<String>,
    /// `None` when no moves can be written.
    board: Option<Board>,
}

impl Beginning {
    fn of(game: &Game, losses: &mut Losses) -> Self {
        let start = &game.head.start;
        let setup: Option<&Setup> = start.setup.as_deref();
        let number = record_body::number_of(start).unwrap_or(0);
        let mut board = match setup {
            None => Some(Board::standard()),
            Some(setup) => Board::from_setup(setup, number != 0),
        };
        if board.is_none() {
            losses.add(Feature::IllegalPositions, 1, None);
            return Self {
                number: STANDARD,
                fen: None,
                board,
            };
        }
        if start.chess960
            && let Some(board) = &mut board
        {
            board.position.set_chess960();
        }
        Self {
            number,
            fen: setup
                .filter(|_| number == 0)
                .map(|setup| setup.fen(FenStyle::XFen)),
            board,
        }
    }
}

/// The variant of the database to be made, an index into `code_tables::VARIANTS`.
pub(super) fn variant(options: &CreateOptions) -> u8 {
    let fact = options.facts.iter().find(|(key, _)| key == "variant");
    let number = fact.and_then(|(_, name)| code_tables::number(&code_tables::VARIANTS, name));
    number.map_or(0, |number| number as u8)
}

/// The header, for no games yet.
fn write_header(options: &CreateOptions) -> Vec<u8> {
    let fact = |key: &str| {
        let found = options.facts.iter().find(|(known, _)| known == key);
        found.and_then(|(_, value)| value.parse::<u32>().ok())
    };
    let mut sink = Sink::new();
    sink.bytes(&MAGIC);
    sink.u16_be(VERSION);
    sink.u24_be(0);
    sink.u8(variant(options));
    sink.u8(fact("scidbType")
        .and_then(|kind| u8::try_from(kind).ok())
        .unwrap_or(0));
    sink.u8(0);
    let now = u32::try_from(options.now).unwrap_or(0);
    sink.u32_be(fact("created").unwrap_or(now));
    let title = options.title.as_deref().unwrap_or_default();
    let end = title.floor_char_boundary(MAX_DESCRIPTION);
    let title = title.get(..end).unwrap_or_default();
    sink.fixed(title.as_bytes(), HEADER_LENGTH - sink.len());
    sink.into_vec()
}
