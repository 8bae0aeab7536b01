//! Reading one record: its tags, its moves, its annotations or text.

use std::ops::Range;

use tabia_core::error::{Error, ErrorKind, GameIndex, Problem, Result};
use tabia_core::formats::Limits;
use tabia_core::game::{
    Annotation, Flow, Foreign, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor, Want,
};
use tabia_core::games::GameReader;

use super::annotations::{self, CBH, Item, Items, foreign, kind};
use super::content_summary::{HAS_START, IS_UNORTHODOX};
use super::entities::EntityTable;
use super::field_codecs::{CHESS960_ECO, decode_result};
use super::guiding_texts;
use super::moves::{Decoder, MoveRecord, Notes, Spot};
use super::open::{CbhDatabase, Parts, Record};
use super::records::{ExtendedRecord, GameRecord, MovesHead, TYPE_DELETED, TextRecord};
use super::tags::{SharedTags, TagWriter};

/// Reads records, reusing its memory.
pub(super) struct CbhReader<'d> {
    db: &'d CbhDatabase,
    parts: &'d Parts,
    head: GameHead,
    moves: Decoder,
    decoder: annotations::Decoder,
    places: Vec<Place>,
    problems: Vec<Error>,
    /// Tags that games share.
    shared: SharedTags,
}

/// An annotation item in its record.
#[derive(Debug, Clone)]
struct Place {
    position: i32,
    kind: u8,
    data: Range<usize>,
}

impl<'d> CbhReader<'d> {
    pub(super) fn new(db: &'d CbhDatabase) -> Self {
        let parts = db.parts();
        Self {
            db,
            parts,
            head: GameHead::default(),
            moves: Decoder::new(db.limits.depth),
            decoder: annotations::Decoder::new(parts.texts),
            places: Vec::new(),
            problems: Vec::new(),
            shared: SharedTags::default(),
        }
    }

    fn game(
        &mut self,
        index: GameIndex,
        game: &GameRecord,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let db = self.db;
        let extended = db.extended(index);
        let places = db.places(index, Record::Game(game));
        if want.has(Want::TAGS) {
            let beside = extended.as_ref().map(|(record, _)| record);
            if !self.tell_losses(index, Record::Game(game), beside) {
                self.check_names(game);
            }
            self.tags().game(
                index.0.saturating_add(1),
                game,
                extended.as_ref().map(|(record, rest)| (record, *rest)),
            );
        }
        self.head.kind = RecordKind::Game;
        self.head.deleted = game.kind & TYPE_DELETED != 0;
        let has_start =
            game.flags.get() & (HAS_START | IS_UNORTHODOX) != 0 || game.eco.get() >= CHESS960_ECO;
        let record = if has_start || want.has(Want::MAINLINE) {
            self.open_moves(game, places.moves_at)
        } else {
            None
        };
        if let Some(record) = &record {
            self.head.start = record.start.clone();
        }
        let items = if want.has(Want::ANNOTATIONS) {
            self.open_annotations(places.annotations_at)
        } else {
            self.places.clear();
            &[]
        };
        let result = decode_result(game.result).unwrap_or_default();
        match self.begin(index, visitor)? {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(result);
                return Ok(Flow::Go);
            }
            Flow::Stop => return Ok(Flow::Stop),
        }
        let mut notes = GameNotes {
            decoder: &mut self.decoder,
            bytes: items,
            places: &self.places,
            next: 0,
            medals: (!self.db.is_made(index)).then_some(game.medals.get()),
            is_saved: self.db.is_saved,
        };
        let flow = if let Some(record) = &record {
            let visited = self.moves.visit(record, want, visitor, &mut notes);
            if let Some(fault) = visited.fault {
                let fault = fault.in_file(&self.parts.moves_name).in_game(index);
                if db.strict {
                    return Err(fault);
                }
                if visited.flow == Flow::Stop || visitor.problem(fault.into()) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            visited.flow
        } else if want.has(Want::ANNOTATIONS) {
            match notes.visit(Spot::Game, visitor) {
                Flow::Go => notes.visit(Spot::Past(0), visitor),
                other => other,
            }
        } else {
            Flow::Go
        };
        if flow == Flow::Stop {
            return Ok(Flow::Stop);
        }
        visitor.end_game(result);
        Ok(Flow::Go)
    }

    fn text(
        &mut self,
        index: GameIndex,
        text: &TextRecord,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let db = self.db;
        let extended = db.extended(index);
        if want.has(Want::TAGS) {
            let extended = extended.as_ref().map(|(record, _)| record);
            self.tell_losses(index, Record::Text(text), extended);
            self.tags().text(text, extended);
        }
        self.head.kind = RecordKind::Text;
        self.head.deleted = text.kind & TYPE_DELETED != 0;
        let at = db.places(index, Record::Text(text)).moves_at;
        let body = if want.has(Want::ANNOTATIONS) {
            self.record_bytes(at)
        } else {
            None
        };
        match self.begin(index, visitor)? {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(GameResult::Unknown);
                return Ok(Flow::Go);
            }
            Flow::Stop => return Ok(Flow::Stop),
        }
        if let Some(body) = body {
            let mut stopped = false;
            let read = guiding_texts::decode(body, self.parts.texts, &mut |annotation| {
                let flow = visitor.visit_annotation(annotation);
                stopped |= flow == Flow::Stop;
                flow
            });
            if stopped {
                return Ok(Flow::Stop);
            }
            if let Err(malformed) = read {
                let fault = malformed
                    .at_base(at)
                    .in_file(&self.parts.moves_name)
                    .in_game(index);
                if db.strict {
                    return Err(fault);
                }
                let problem = Problem {
                    error: fault,
                    unread_bytes: Some(body.into()),
                };
                let body = Annotation::Foreign(Foreign {
                    format: CBH,
                    kind: foreign::TEXT_BODY,
                    bytes: body,
                });
                // What is saved must be readable: the parts before the fault.
                if visitor.problem(problem) == Flow::Stop
                    || !db.is_saved && visitor.visit_annotation(body) == Flow::Stop
                {
                    return Ok(Flow::Stop);
                }
            }
            let media = extended.map_or(-1, |(record, _)| record.media_at.get());
            if self.visit_media(media, visitor) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        visitor.end_game(GameResult::Unknown);
        Ok(Flow::Go)
    }

    /// The files that a text uses.
    fn visit_media(&self, media_at: i32, visitor: &mut dyn Visitor) -> Flow {
        let Ok(at) = u64::try_from(media_at) else {
            return Flow::Go;
        };
        let names = self.parts.media.as_ref().and_then(|table| table.media(at));
        for name in names.into_iter().flatten() {
            let part = Annotation::Text(TextPart {
                kind: TextKind::File,
                language: ANY_LANGUAGE,
                text: &self.parts.texts.plain(name),
            });
            if visitor.visit_annotation(part) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    }

    /// Hands on the head and the problems found so far.
    fn begin(&mut self, index: GameIndex, visitor: &mut dyn Visitor) -> Result<Flow> {
        if self.db.strict && !self.problems.is_empty() {
            return Err(self.problems.swap_remove(0).in_game(index));
        }
        let flow = visitor.begin_game(index, &self.head);
        if flow == Flow::Stop {
            return Ok(flow);
        }
        for error in self.problems.drain(..) {
            if visitor.problem(error.in_game(index).into()) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(flow)
    }

    fn tags(&mut self) -> TagWriter<'_> {
        TagWriter {
            tables: &self.parts.tables,
            texts: self.parts.texts,
            without_moves: self.parts.moves.is_none(),
            without_medals: self.db.is_saved,
            tags: &mut self.head.tags,
            shared: &mut self.shared,
        }
    }

    /// Tells what of a damaged set is lost for a record; whether its header is.
    fn tell_losses(
        &mut self,
        index: GameIndex,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
    ) -> bool {
        let is_made = self.db.is_made(index);
        let text = if is_made {
            let lost = match self.db.pair(index) {
                // As the boosters have it.
                Some([one, other]) => format!("which of {one} and {other} was White"),
                None => "players".to_owned(),
            };
            let text = "result, date, round and ratings are unknown";
            Some(format!("the header is lost: {lost}, {text}"))
        } else {
            self.db.lost.of(record, extended)
        };
        let error = text.map(|text| Error::invalid(text).in_file(&self.db.headers_name));
        self.problems.extend(error);
        is_made
    }

    /// Tells of players and tournaments that are not in their files.
    fn check_names(&mut self, game: &GameRecord) {
        let tables = &self.parts.tables;
        let players = tables.players.as_ref().map(EntityTable::capacity);
        let tournaments = tables.tournaments.as_ref().map(EntityTable::capacity);
        let annotators = tables.annotators.as_ref().map(EntityTable::capacity);
        let sources = tables.sources.as_ref().map(EntityTable::capacity);
        for (what, id, capacity) in [
            ("white", game.white, players),
            ("black", game.black, players),
            ("tournament", game.tournament, tournaments),
            ("annotator", game.annotator, annotators),
            ("source", game.source, sources),
        ] {
            let id = id.get();
            if let Some(capacity) = capacity.filter(|&capacity| id >= capacity) {
                let text = format!("`{what}` is number {id}, its file has {capacity}");
                let error = Error::invalid(text).in_file(&self.db.headers_name);
                self.problems.push(error);
            }
        }
    }

    /// Bytes of `.cbg` from an offset to the end of the record there, cut at the end of the file.
    fn record_bytes(&mut self, at: u64) -> Option<&'d [u8]> {
        let (db, parts) = (self.db, self.parts);
        let Some(moves) = &parts.moves else {
            let name = parts.moves_name.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            let error = Error::new(ErrorKind::MissingFile(name));
            self.problems.push(error.in_file(&self.parts.moves_name));
            return None;
        };
        let found = usize::try_from(at).ok().and_then(|at| {
            let bytes = moves.as_slice().get(at..)?;
            let size = MovesHead::read(bytes)?.size.get() as usize;
            Some((bytes.get(..size).unwrap_or(bytes), size))
        });
        let Some((bytes, size)) = found.filter(|_| at != 0) else {
            let text = format!(
                "`moves_at` is {at:#x}, the file has {:#x} bytes",
                moves.len()
            );
            self.problems
                .push(Error::invalid(text).in_file(&self.parts.moves_name));
            return None;
        };
        if let Err(error) = Limits::check("a record of moves", size as u64, db.limits.record) {
            self.problems.push(error.in_file(&self.parts.moves_name));
            return None;
        }
        Some(bytes)
    }

    fn open_moves(&mut self, game: &GameRecord, at: u64) -> Option<MoveRecord<'d>> {
        let bytes = self.record_bytes(at)?;
        let chess960 = game.eco.get().checked_sub(CHESS960_ECO);
        match self.moves.open(bytes, at, chess960) {
            Ok(record) => Some(record),
            Err(malformed) => {
                let error = malformed.at_base(at).in_file(&self.parts.moves_name);
                self.problems.push(error);
                None
            }
        }
    }

    /// Finds the items of a game's annotation record and gives its bytes.
    fn open_annotations(&mut self, at: u64) -> &'d [u8] {
        self.places.clear();
        let Some(file) = self.parts.annotations.as_ref().filter(|_| at != 0) else {
            return &[];
        };
        match self.find_items(file.as_slice(), at) {
            Ok(record) => record,
            Err((record, error)) => {
                self.problems
                    .push(error.in_file(&self.parts.annotations_name));
                record
            }
        }
    }

    fn find_items(&mut self, file: &'d [u8], at: u64) -> Result<&'d [u8], (&'d [u8], Error)> {
        let none: &[u8] = &[];
        let Some(bytes) = usize::try_from(at).ok().and_then(|at| file.get(at..)) else {
            let text = format!(
                "`annotations_at` is {at:#x}, the file has {:#x} bytes",
                file.len()
            );
            return Err((none, Error::invalid(text)));
        };
        let size = Items::size(bytes).map_err(|malformed| (none, malformed.at_base(at)))?;
        Limits::check("annotations of a game", size as u64, self.db.limits.record)
            .map_err(|error| (none, error))?;
        let record = bytes.get(..size).unwrap_or(bytes);
        let mut is_sorted = true;
        let mut last = i32::MIN;
        let mut items = Items::new(record).map_err(|malformed| (none, malformed.at_base(at)))?;
        for item in &mut items {
            let item = item.map_err(|malformed| (record, malformed.at_base(at)))?;
            is_sorted &= item.position >= last;
            last = item.position;
            self.places.push(Place {
                position: item.position.max(-1),
                kind: item.kind,
                data: item.at..item.at + item.data.len(),
            });
        }
        if !is_sorted {
            self.places.sort_by_key(|place| place.position);
        }
        if record.len() < size {
            let text = format!(
                "the annotations have {size} bytes, {} are left",
                record.len()
            );
            return Err((record, Error::invalid(text).at_offset(at)));
        }
        Ok(record)
    }
}

impl GameReader for CbhReader<'_> {
    fn read(&mut self, index: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        self.head.clear();
        self.problems.clear();
        match self.db.record(index) {
            Some(Record::Game(game)) => self.game(index, game, want, visitor),
            Some(Record::Text(text)) => self.text(index, text, want, visitor),
            None => Err(self.db.no_such_game(index)),
        }
    }
}

/// The language of texts that holds for all.
const ANY_LANGUAGE: u16 = 7;

/// The annotations of a game, found by their move.
struct GameNotes<'n> {
    decoder: &'n mut annotations::Decoder,
    bytes: &'n [u8],
    /// Sorted by position.
    places: &'n [Place],
    /// Behind the last place that was visited: mostly the next one asked for is there.
    next: usize,
    /// The medals of the game's header, unless that is lost.
    medals: Option<u16>,
    /// Whether some annotations may be lost.
    is_saved: bool,
}

impl GameNotes<'_> {
    /// The places of a move, numbered in stored order.
    fn places_of(&self, number: u32) -> Range<usize> {
        let places = self.places;
        let position = |place: &Place| i64::from(place.position);
        let (at, number) = (self.next, i64::from(number));
        let is_here = places.get(at).is_none_or(|place| position(place) >= number)
            && places
                .get(at.wrapping_sub(1))
                .is_none_or(|place| position(place) < number);
        let start = if is_here {
            at
        } else {
            places.partition_point(|place| position(place) < number)
        };
        let rest = places.get(start..).unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|place| position(place) == number)
            .count();
        start..start + count
    }

    /// The medals of the header, when they are not those of the annotations.
    fn header_medals(&mut self, visitor: &mut dyn Visitor) -> Flow {
        let all = self
            .places
            .iter()
            .filter(|place| place.kind == kind::MEDALS)
            .filter_map(|place| self.bytes.get(place.data.clone()))
            .filter_map(|data| data.last_chunk::<2>())
            .fold([0, 0], |[a, b], [c, d]| [a | c, b | d]);
        let [high, low] = all;
        let counts = self.is_saved || !self.bytes.is_empty();
        let Some(medals) = self.medals.filter(|_| counts) else {
            return Flow::Go;
        };
        let known = u16::from(high) << 8 | u16::from(low);
        if known == medals {
            return Flow::Go;
        }
        if self.is_saved {
            // Those of lost annotations become the game's own.
            return match medals & !known {
                0 => Flow::Go,
                rest => visitor.visit_annotation(Annotation::Medals(rest.into())),
            };
        }
        visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: CBH,
            kind: foreign::HEADER_MEDALS,
            bytes: &[(medals >> 8) as u8, medals as u8],
        }))
    }
}

impl Notes for GameNotes<'_> {
    fn visit(&mut self, spot: Spot, visitor: &mut dyn Visitor) -> Flow {
        let places = self.places;
        let below =
            |position: i64| places.partition_point(|place| i64::from(place.position) < position);
        let range = match spot {
            Spot::Game => 0..below(0),
            Spot::Move(number) => self.places_of(number),
            Spot::Past(number) => below(i64::from(number))..places.len(),
        };
        self.next = range.end;
        for place in places.get(range).unwrap_or_default() {
            let item = Item {
                position: place.position,
                kind: place.kind,
                at: place.data.start,
                data: self.bytes.get(place.data.clone()).unwrap_or_default(),
            };
            let flow = self.decoder.decode(&item, &mut |annotation| {
                visitor.visit_annotation(annotation)
            });
            if flow != Flow::Go {
                return flow;
            }
        }
        if spot == Spot::Game {
            return self.header_medals(visitor);
        }
        Flow::Go
    }

    fn reach(&self) -> u32 {
        let last = self.places.last().map_or(-1, |place| place.position);
        u32::try_from(last.saturating_add(1)).unwrap_or(0)
    }
}
