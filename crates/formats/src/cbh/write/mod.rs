//! Writes databases: every file of the set at once, the records as ChessBase orders them.
//!
//! Games go to `.cbh`, `.cbg`, `.cba` and `.cbj` as they come; names are collected and written at
//! the end, when all counts are known.

mod copy;
pub mod edit;
mod extras;
mod facts;
mod files;
mod names;
mod pack;
mod places;
mod tree;

use std::path::Path;

use tabia_core::chess::{Color, Setup};
use tabia_core::database::{GameWriter, Written};
use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::format::CreateOptions;
use tabia_core::game::{Annotation, Event, Game, RecordKind, TextKind};
use tabia_core::io::Charset;
use tabia_core::loss::{Feature, Losses};
use zerocopy::IntoBytes;

use super::annotations::{self, CBH, Items, foreign};
use super::charset::TextForm;
use super::contents::{Contents, MoveFacts};
use super::guiding;
use super::moves;
use super::open::CbhDatabase;
use super::records::{
    ExtendedRecord, GameRecord, MovesHead, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TextRecord, U24,
};
use super::values::{CHESS960_ECO, encode_result};
use facts::TagReader;
use files::{Files, Room};

/// Creates a database at `path`, the `.cbh` file; the others lie beside it.
pub fn create(path: &Path, options: &CreateOptions) -> Result<Box<dyn GameWriter>> {
    Ok(Box::new(CbhWriter::new(path, options)?))
}

/// Writes a ChessBase database.
#[derive(Debug)]
pub struct CbhWriter {
    files: Files,
    charset: Charset,
    form: TextForm,
    moves: moves::Encoder,
    annotations: annotations::Encoder,
    /// The next creation time to give, 0 for none.
    created: u64,
    title: Option<String>,
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
        let form = match options.charset {
            Charset::Single(page) => TextForm {
                page: Some(page),
                ..TextForm::UTF8
            },
            _ => TextForm::UTF8,
        };
        Self {
            files,
            charset: options.charset,
            form,
            moves: moves::Encoder::new(),
            annotations: annotations::Encoder::new(form),
            created: created(options.now),
            title: options.title.clone(),
        }
    }

    fn write_game(&mut self, game: &Game, old: Option<&Old>, losses: &mut Losses) -> Result<()> {
        let number = self.number(old)?;
        let mut facts = TagReader::new(self.charset, losses).read(&game.head.tags);
        let bare;
        let (game, moves) = match self.moves.encode(game) {
            Ok(moves) => (game, moves),
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
                // The position does not fit, so neither moves nor what is said about them do.
                losses.add(Feature::SetupPositions, 1, None);
                bare = without_moves(game);
                (&bare, self.moves.encode(&bare)?)
            }
            Err(error) => return Err(error),
        };
        if !moves.whole_start {
            losses.add(Feature::HeaderFacts, 1, None);
        }
        self.annotations.clear();
        let mut header_medals = facts.medals;
        let placed = places::annotations(game, moves.stored, |annotation| {
            losses.add(annotation.feature(), 1, None);
        });
        for (position, annotation) in placed {
            if let Annotation::Foreign(part) = annotation {
                if part.is_unread_moves() {
                    losses.add(Feature::UnreadMoves, 1, None);
                    continue;
                }
                if part.format == CBH && part.kind == foreign::HEADER_MEDALS {
                    if let &[high, low] = part.bytes {
                        header_medals = Some(u16::from(high) << 8 | u16::from(low));
                    }
                    continue;
                }
            }
            if let Some(lost) = self.annotations.push(position, &annotation) {
                losses.add(lost, 1, None);
            }
        }
        let record = self.annotations.finish(number);
        let start = &game.head.start;
        let setup = start.setup.as_deref();
        let chess960 = moves.is_chess960;
        let facts_of_moves = MoveFacts {
            mainline: moves.mainline,
            variations: moves.variations,
            has_start: setup.is_some() || chess960,
            black_first: setup.is_some_and(|setup| setup.turn == Color::Black),
            unorthodox: chess960,
        };
        let items = record.and_then(|record| Items::new(record).ok());
        let contents = Contents::of(facts_of_moves, items.into_iter().flatten().flatten());
        if chess960 && let Some(start_number) = setup.map_or(Some(518), Setup::chess960_number) {
            facts.eco = CHESS960_ECO + start_number;
        }
        let ids = self.files.ids(&facts, number)?;
        let room = old.map_or(Rooms::default(), |old| old.rooms);
        let moves_at = self.files.put_moves(moves.record, room.moves)?;
        let annotations_at = match (record, room.annotations) {
            (Some(record), room) => self.files.put_annotations(record, room)?,
            (None, Some(room)) => {
                self.files.leave_annotations(room);
                0
            }
            (None, None) => 0,
        };
        let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
        let kind = facts.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED & !TYPE_TEXT;
        let header = GameRecord {
            kind: kind | deleted,
            moves_at: (moves_at as u32).into(),
            annotations_at: (annotations_at as u32).into(),
            white: U24::new(ids.white),
            black: U24::new(ids.black),
            tournament: U24::new(ids.tournament),
            annotator: U24::new(ids.annotator),
            source: U24::new(ids.source),
            date: U24::new(facts.date),
            result: facts.result.unwrap_or_else(|| encode_result(game.result)),
            line_evaluation: facts.line_evaluation,
            round: facts.round,
            sub_round: facts.sub_round,
            white_elo: facts.white_elo.into(),
            black_elo: facts.black_elo.into(),
            eco: facts.eco.into(),
            medals: header_medals.unwrap_or(contents.medals).into(),
            flags: contents.flags.into(),
            magnitudes: contents.magnitudes.into(),
            move_count: contents.move_count,
        };
        let mut extended = facts.extended;
        extended.white_team = ids.white_team.into();
        extended.black_team = ids.black_team.into();
        extended.game_tag = ids.game_tag.into();
        extended.moves_at = moves_at.into();
        extended.annotations_at = annotations_at.into();
        self.put(old, header.as_bytes(), extended, facts.top_game)
    }

    fn write_text(&mut self, game: &Game, old: Option<&Old>, losses: &mut Losses) -> Result<()> {
        let number = self.number(old)?;
        let facts = TagReader::new(self.charset, losses).read(&game.head.tags);
        let mut text = guiding::Encoder::default();
        let mut whole = None;
        let mut names = Vec::new();
        for event in game.events() {
            match event {
                Event::Annotation(Annotation::Text(part)) if part.kind == TextKind::File => {
                    names.push(part.text);
                }
                Event::Annotation(Annotation::Foreign(part))
                    if part.format == CBH && part.kind == foreign::TEXT_BODY =>
                {
                    whole = Some(part.bytes.to_vec());
                }
                Event::Annotation(annotation @ (Annotation::Text(_) | Annotation::Foreign(_))) => {
                    text.push(&annotation);
                }
                Event::Annotation(annotation) => losses.add(annotation.feature(), 1, None),
                Event::Move(_) => losses.add(Feature::UnreadMoves, 1, None),
                Event::BeginVariation | Event::EndVariation => {}
            }
        }
        let body = match whole {
            Some(body) => framed(body),
            None => text.finish(self.form),
        };
        let body = body.ok_or_else(|| Error::invalid("the text is too long"))?;
        let ids = self.files.text_ids(&facts, number)?;
        let room = old.map_or(Rooms::default(), |old| old.rooms);
        let body_at = self.files.put_moves(&body, room.moves)?;
        if let Some(room) = room.annotations {
            self.files.leave_annotations(room);
        }
        let deleted = if game.head.deleted { TYPE_DELETED } else { 0 };
        let kind = facts.kind.unwrap_or(TYPE_ALWAYS) & !TYPE_DELETED;
        let header = TextRecord {
            kind: kind | TYPE_TEXT | deleted,
            body_at: (body_at as u32).into(),
            unknown_5: facts.text_unknown_5,
            tournament: U24::new(ids.tournament),
            source: U24::new(ids.source),
            annotator: U24::new(ids.annotator),
            round: facts.round,
            sub_round: facts.sub_round,
            flags: facts.text_flags.into(),
            unknown_22: facts.text_unknown_22,
        };
        let mut extended = facts.extended;
        extended.game_tag = ids.game_tag.into();
        extended.moves_at = body_at.into();
        if !names.is_empty() {
            let media_at = self.files.append_media(&names);
            match media_at {
                Some(at) => extended.media_at = at.into(),
                None => losses.add(Feature::Media, names.len() as u64, None),
            }
        }
        self.put(old, header.as_bytes(), extended, 0)
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
        let mut losses = Losses::new();
        match game.head.kind {
            RecordKind::Game => self.write_game(game, old, &mut losses)?,
            RecordKind::Text => self.write_text(game, old, &mut losses)?,
        }
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
    fn write(&mut self, game: &Game) -> Result<Losses> {
        self.write_record(game, None)
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.complete()?;
        self.commit()
    }
}

/// The game's head and what is said about the game, without its start, moves and their
/// annotations.
fn without_moves(game: &Game) -> Game {
    let mut bare = Game::new();
    let mut recorder = bare.recorder();
    let mut head = game.head.clone();
    head.start = tabia_core::game::Start::default();
    let _ = tabia_core::game::Visitor::begin_game(&mut recorder, tabia_core::GameIndex(0), &head);
    for event in game.events() {
        let Event::Annotation(annotation) = event else {
            break;
        };
        let _ = tabia_core::game::Visitor::visit_annotation(&mut recorder, annotation);
    }
    tabia_core::game::Visitor::end_game(&mut recorder, game.result);
    bare
}

/// The record of a text that was kept as it is. One that was cut says how long it is now, so that the
/// next does not seem to lie in it. `None` when it is too large.
fn framed(mut body: Vec<u8>) -> Option<Vec<u8>> {
    if body.len() < MovesHead::SIZE {
        body.resize(MovesHead::SIZE, 0);
    }
    let size = u32::try_from(body.len()).ok().filter(|&it| it < 1 << 24)?;
    if let Some(head) = body.get_mut(1..MovesHead::SIZE) {
        head.copy_from_slice(U24::new(size).as_bytes());
    }
    Some(body)
}

/// Seconds since 1970 as a creation time: 1/1024 s since 2008-12-01.
fn created(now: u64) -> u64 {
    const EPOCH: u64 = 14_214 * 86_400;
    now.checked_sub(EPOCH)
        .and_then(|seconds| seconds.checked_mul(1024))
        .unwrap_or(0)
}
