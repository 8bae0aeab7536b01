//! Writes Scidb databases.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use tabia_core::chess::{Color, FenStyle, Setup};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::formats::CreateOptions;
use tabia_core::game::{Game, GameResult, RecordKind};
use tabia_core::games::{GameWriter, Written};
use tabia_core::io::Sink;
use tabia_core::loss::{Feature, Losses};

use crate::games::common::set_writer::{BlockLayout, SetWriter};
use crate::games::common::tag_plan_cache::TagPlanCache;

use super::CAN;
use super::blob_finder::{BLOCK, MAX_RECORD};
use super::board::Board;
use super::code_tables;
use super::entry::{self, DELETED, Entry, HEADER_LENGTH, MAX_DESCRIPTION, STANDARD};
use super::format_identity::{MAGIC, VERSION};
use super::name_writer::NameWriter;
use super::other_variant_records;
use super::other_variant_records::has_chess_moves;
use super::record_body;
use super::record_body::{LENGTH, section};
use super::record_body_encoder::{Detail, Encoder};
use super::tag_fields::{Field, TagPlan, UnmappedTags, cut, write_tag};

/// A database being written. Records and entries are written game by game; names stay in memory
/// until the end.
#[derive(Debug)]
pub(crate) struct ScidbWriter {
    files: SetWriter,
    names: NameWriter,
    encoder: Encoder,
    standard: Arc<Board>,
    /// The tags of the current record.
    tags: Vec<u8>,
    plans: TagPlanCache<TagPlan>,
    /// Whether each tag of the current game is stored in a field.
    taken: Vec<bool>,
    record: Sink,
    entry: Sink,
    games: u32,
    /// An index into `code_tables::VARIANTS`.
    variant: u8,
    lost_facts: Losses,
}

const LAYOUT: BlockLayout = BlockLayout {
    block: BLOCK as u64,
    max_length: 1 << 31,
};

const MAX_GAMES: u32 = (1 << 24) - 1;

/// The offset of the number of games in the header.
const GAMES_AT: u64 = 10;

impl ScidbWriter {
    pub(crate) fn create(path: &Path, options: &CreateOptions) -> Result<Self> {
        let mut games = Sink::new();
        games.bytes(b"Scidb.g\0");
        games.u16_be(VERSION);
        games.u8(0);
        let mut writer = Self {
            files: SetWriter::create(path, "scn", "scg", LAYOUT, options)?,
            names: NameWriter::new(),
            encoder: Encoder::new(CAN),
            standard: Arc::new(Board::standard()),
            tags: Vec::new(),
            plans: TagPlanCache::default(),
            taken: Vec::new(),
            record: Sink::new(),
            entry: Sink::new(),
            games: 0,
            variant: variant(options),
            lost_facts: options.lost_facts(|key| match key {
                "title" => Some(MAX_DESCRIPTION),
                "scidbType" | "created" => Some(usize::MAX),
                _ => None,
            }),
        };
        writer.files.index()?.write_all(&write_header(options))?;
        writer.files.append_games(games.as_slice())?;
        Ok(writer)
    }

    /// Writes the record and its index entry.
    fn append(&mut self, mut entry: Entry) -> Result<()> {
        entry.record_at = self.files.append_record(self.record.as_slice())? as u32;
        self.entry.clear();
        entry.write(&mut self.entry);
        self.files.index()?.write_all(self.entry.as_slice())?;
        self.games += 1;
        Ok(())
    }

    /// Writes a game of another variant: the moves as they were stored, the tags as they are now.
    fn write_raw(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let Some((stored, body)) = other_variant_records::find(game) else {
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
            // The key belongs to the moves; the code is a tag.
            entry.opening =
                entry.opening & !entry::OPENING_KEY | stored.opening & entry::OPENING_KEY;
        }
        self.encoder.copy(&body);
        let fen = body.fen.map(String::from_utf8_lossy);
        self.assemble(body.start, fen.as_deref());
        self.append(entry)?;
        Ok(losses)
    }

    /// Assembles the record from the parts that were encoded.
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

    /// Fills the entry from the tags, and collects the tags without a field.
    fn write_tags(
        &mut self,
        game: &Game,
        start: u16,
        has_fen: bool,
        entry: &mut Entry,
        losses: &mut Losses,
    ) -> Result<()> {
        let tags = &game.head.tags;
        let Some(plan) = self.plans.get_or_add(tags, TagPlan::of) else {
            return Ok(());
        };
        let mut unmapped = UnmappedTags::new(tags, plan, &mut self.taken);
        number_names(&mut self.names, &mut unmapped, entry, losses)?;
        unmapped.fill_entry(start, entry, losses);
        if start != 0 || has_fen {
            let fen = unmapped.take(Field::Fen);
            let is_wrong = |fen: &str| game.head.start.contradicts(fen);
            if has_chess_moves(self.variant) && fen.is_some_and(is_wrong) {
                losses.add(Feature::Tags, 1, None);
            }
            // The record of a game without a setup position can have any text.
            let head = &game.head;
            let setup_tag = unmapped.take_if(Field::SetUp, |text| {
                head.start.setup.is_some().then_some(text)
            });
            if setup_tag.is_some_and(|text| head.start.contradicts_setup_tag(text)) {
                losses.add(Feature::Tags, 1, None);
            }
        }
        unmapped.count_results(game.result, losses);
        if let Some(variant) = code_tables::text(&code_tables::VARIANTS, self.variant) {
            unmapped.take_if(Field::Variant, |text| (text == variant).then_some(()));
        }
        let is_numbered = (1..=960).contains(&start) && start != STANDARD;
        if game.head.start.chess960 && !is_numbered && tags.get("Variant").is_none() {
            write_tag("Variant", "Chess960", &mut self.tags, losses);
        }
        unmapped.write_rest(&mut self.tags, losses);
        Ok(())
    }
}

/// Numbers the names of a game with their facts.
fn number_names(
    names: &mut NameWriter,
    unmapped: &mut UnmappedTags<'_>,
    entry: &mut Entry,
    losses: &mut Losses,
) -> Result<()> {
    let country = unmapped.take_code(Field::EventCountry, &code_tables::COUNTRIES);
    let site = names.site(&unmapped.take_name(Field::Site, losses), country)?;
    let facts = unmapped.take_event_facts(site);
    let event = unmapped.take_name(Field::Event, losses);
    entry.event = names.event(&event, facts)?;
    for (color, number) in [
        (Color::White, &mut entry.white),
        (Color::Black, &mut entry.black),
    ] {
        let facts = unmapped.take_player_facts(color);
        let name = unmapped.take_player_name(color, losses);
        *number = names.player(&name, facts)?;
    }
    // An empty name means that there is no tag: the record keeps an empty tag.
    let annotator = unmapped.take_if(Field::Annotator, |name| (!name.is_empty()).then_some(name));
    let annotator = annotator.unwrap_or_default();
    entry.annotator = names.annotator(&cut(annotator, losses))?;
    Ok(())
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
            return self.write_raw(game);
        }
        let start = GameStart::of(game, &self.standard, &mut losses);
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
        let tags_entry = entry;
        for detail in [Detail::All, Detail::Variations, Detail::Mainline] {
            let mut lost = Losses::new();
            entry = tags_entry;
            let board = start.board.as_deref();
            self.encoder
                .encode(game, detail, board, &mut entry, &mut lost)?;
            self.assemble(start.number, start.fen.as_deref());
            if self.record.len() <= MAX_RECORD {
                losses.merge(&lost);
                break;
            }
            if detail == Detail::Mainline {
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
        let bytes = self.names.file(VERSION);
        self.files.names()?.write_all(&bytes)?;
        let mut games = Sink::new();
        games.u24_be(self.games);
        let file = self.files.index()?;
        file.seek(SeekFrom::Start(GAMES_AT))?;
        file.write_all(games.as_slice())?;
        let records = self.games;
        let (files, bytes) = self.files.into_outputs().commit()?;
        Ok(Written::new(records, files, bytes))
    }
}

/// The start position of a game as it is stored.
struct GameStart {
    /// 0 if it is stored as FEN.
    number: u16,
    fen: Option<String>,
    /// `None` if no moves can be written.
    board: Option<Arc<Board>>,
}

impl GameStart {
    fn of(game: &Game, standard: &Arc<Board>, losses: &mut Losses) -> Self {
        let start = &game.head.start;
        let setup: Option<&Setup> = start.setup.as_deref();
        let number = record_body::number_of(start).unwrap_or(0);
        let mut board = match setup {
            None => Some(Arc::clone(standard)),
            Some(setup) => Board::from_setup(setup, number != 0).map(Arc::new),
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
            Arc::make_mut(board).position.set_chess960();
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

/// The variant of a new database, an index into `code_tables::VARIANTS`.
pub(super) fn variant(options: &CreateOptions) -> u8 {
    let fact = options.facts.iter().find(|(key, _)| key == "variant");
    let number = fact.and_then(|(_, name)| code_tables::code(&code_tables::VARIANTS, name));
    number.map_or(0, |number| number as u8)
}

/// The header, with no games.
fn write_header(options: &CreateOptions) -> Vec<u8> {
    let fact = |key: &str| {
        let found = options.facts.iter().find(|(name, _)| name == key);
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
