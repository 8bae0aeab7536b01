//! Reading one record: its tags, its moves, its annotations or text.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tabia_core::chess::Setup;
use tabia_core::error::{Error, ErrorKind, GameIndex, Problem, Result};
use tabia_core::formats::Limits;
use tabia_core::game::{
    Annotation, Flow, Foreign, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor, Want,
};
use tabia_core::games::GameReader;
use tabia_core::io::Blob;
use tabia_core::plural::counted;

use crate::games::common::realign_entries::CHANGED_ENTRY;
use crate::games::common::salvage::CHANGED_RECORD;

use super::annotations::game_tags::{GameTag, GameTags};
use super::annotations::{self, Item, Items, foreign, kind};
use super::charset::{Texts, until_zero};
use super::content_summary::{HAS_START, IS_UNORTHODOX};
use super::entities::{Entity, EntityTable};
use super::entity_and_side_tables::entity;
use super::field_codecs::{CHESS960_ECO, decode_result};
use super::format_id::ID;
use super::guiding_texts;
use super::headerless_record_finder::Readability;
use super::moves::{AnnotationAnchor, AnnotationSource, Decoder, MoveRecord};
use super::open::{CbhDatabase, Companions};
use super::records::{
    AnnotationsHead, ExtendedRecord, GameRecord, MovesHead, Record, TYPE_DELETED, TextRecord,
};
use super::stored_texts;
use super::tags::{SharedTags, TagWriter, ValueTags as _};

/// Reads records; its buffers are reused.
pub(super) struct CbhReader<'d> {
    db: &'d CbhDatabase,
    companions: &'d Companions,
    head: GameHead,
    moves: Decoder,
    decoder: annotations::Decoder,
    /// The annotation items of the current game, sorted by position.
    items: Vec<ItemRange>,
    problems: Vec<Error>,
    shared: SharedTags,
    /// Of players, tournaments, annotators and sources.
    intact: [IntactNames; 4],
    stored_texts: stored_texts::Collector,
    /// For sets with damaged files of moves.
    readability: Option<Readability>,
}

/// An annotation item; `data` is its range in the record.
#[derive(Debug, Clone)]
struct ItemRange {
    position: i32,
    kind: u8,
    data: Range<usize>,
}

impl<'d> CbhReader<'d> {
    pub(super) fn new(db: &'d CbhDatabase) -> Self {
        let companions = db.companions();
        Self {
            db,
            companions,
            head: GameHead::default(),
            moves: Decoder::new(db.limits.depth),
            decoder: if db.is_salvaged {
                annotations::Decoder::new(companions.texts).for_repair()
            } else {
                annotations::Decoder::new(companions.texts)
            },
            items: Vec::new(),
            problems: Vec::new(),
            shared: SharedTags::default(),
            intact: Default::default(),
            stored_texts: stored_texts::Collector::default(),
            readability: None,
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
        let offsets = db.offsets(index, Record::Game(game));
        if want.has(Want::TAGS) {
            let fields = extended.as_ref().map(|(record, _)| record);
            if !self.report_losses(index, Record::Game(game), fields) {
                self.check_names(game);
            }
            self.check_extended(index, fields);
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
            self.open_moves(game, offsets.moves_at)
        } else {
            None
        };
        if let Some(record) = &record {
            self.head.start = record.start.clone();
            if want.has(Want::TAGS) {
                put_start_number(game.eco.get(), &mut self.head);
            }
        }
        let problems = self.problems.len();
        let annotations = self.annotations(offsets.annotations_at, want);
        let lacks_annotations = self.problems.len() > problems;
        if self.db.is_salvaged {
            self.report_changed_moves(index, game, offsets.moves_at);
        }
        if self.db.is_salvaged && want.has(Want::ANNOTATIONS) {
            self.report_foreign_annotations(annotations, index);
        }
        self.stored_texts.clear();
        if want.has(Want::STORED_TEXTS) {
            self.stored_texts.begin(self.companions.texts);
            self.store_header_texts(game, extended.as_ref().map(|(record, _)| record));
            self.store_annotation_texts(annotations);
        }
        let result = decode_result(game.result).unwrap_or_default();
        match self.begin(index, visitor)? {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(result);
                return Ok(Flow::Go);
            }
            Flow::Stop => return Ok(Flow::Stop),
        }
        let mut annotations = GameAnnotations {
            decoder: &mut self.decoder,
            record: annotations,
            items: &self.items,
            next: 0,
            medals: (!self.db.is_rebuilt(index)).then_some(game.medals.get()),
            is_salvaged: self.db.is_salvaged,
            has_lost_medals: self.db.is_salvaged || lacks_annotations,
            stored_texts: &self.stored_texts,
        };
        let flow = if let Some(record) = &record {
            let visited = self.moves.visit(record, want, visitor, &mut annotations);
            if let Some(error) = visited.error {
                let error = error.in_file(&self.companions.moves_name).in_game(index);
                if db.strict {
                    return Err(error);
                }
                if visited.flow == Flow::Stop || visitor.problem(error.into()) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            visited.flow
        } else if want.has(Want::ANNOTATIONS) {
            match annotations.visit(AnnotationAnchor::Game, visitor) {
                Flow::Go => annotations.visit(AnnotationAnchor::Past(0), visitor),
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
            self.report_losses(index, Record::Text(text), extended);
            self.tags().text(text, extended);
        }
        self.head.kind = RecordKind::Text;
        self.head.deleted = text.kind & TYPE_DELETED != 0;
        let at = db.offsets(index, Record::Text(text)).moves_at;
        if db.is_salvaged && db.changed.binary_search(&index.0).is_ok() {
            let name = &self.companions.moves_name;
            let error = Error::invalid(CHANGED_RECORD);
            self.problems.push(error.in_file(name));
        }
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
            let (mut stopped, mut is_readable) = (false, true);
            if want.has(Want::STORED_TEXTS) {
                self.stored_texts.begin(self.companions.texts);
                self.store_shared_texts(text.tournament.get(), text.source.get());
                self.store_annotator(text.annotator.get());
                if !self.db.is_salvaged || !has_zeros(body, self.companions.texts) {
                    self.stored_texts.record(body);
                }
                let annotation = self.stored_texts.annotation();
                let flow = annotation.map(|annotation| visitor.visit_annotation(annotation));
                stopped |= flow == Some(Flow::Stop);
            }
            let read = guiding_texts::decode(body, self.companions.texts, &mut |annotation| {
                let flow = match annotation {
                    Annotation::Text(part) if part.text.contains('\0') => {
                        is_readable = false;
                        if self.db.is_salvaged {
                            let text = &*part.text.replace('\0', "");
                            visitor.visit_annotation(Annotation::Text(TextPart { text, ..part }))
                        } else {
                            visitor.visit_annotation(annotation)
                        }
                    }
                    _ => visitor.visit_annotation(annotation),
                };
                stopped |= flow == Flow::Stop;
                flow
            });
            if stopped {
                return Ok(Flow::Stop);
            }
            if !is_readable && read.is_ok() {
                let text = "the guiding text has zero bytes, which are no text";
                let error = Error::invalid(text).at_offset(at);
                let error = error.in_file(&self.companions.moves_name).in_game(index);
                if visitor.problem(error.into()) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            if let Err(malformed) = read {
                let error = malformed
                    .at_base(at)
                    .in_file(&self.companions.moves_name)
                    .in_game(index);
                if db.strict {
                    return Err(error);
                }
                let problem = Problem {
                    error,
                    unread_bytes: Some(body.into()),
                };
                let body = Annotation::Foreign(Foreign {
                    format: ID,
                    kind: foreign::TEXT_BODY,
                    bytes: body,
                });
                // A repaired text must be readable: only the parts before the corruption stay.
                if visitor.problem(problem) == Flow::Stop
                    || !db.is_salvaged && visitor.visit_annotation(body) == Flow::Stop
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

    /// Collects the names of a game as they are stored.
    fn store_header_texts(&mut self, game: &GameRecord, extended: Option<&ExtendedRecord>) {
        let tables = &self.companions.tables;
        for (id, numbers) in [
            (game.white, stored_texts::field::WHITE),
            (game.black, stored_texts::field::BLACK),
        ] {
            if let Some(player) = entity(tables.players.as_ref(), id.get()) {
                let names = [&player.last_name[..], &player.first_name];
                for (number, name) in numbers.into_iter().zip(names) {
                    self.stored_texts.field(number, until_zero(name));
                }
            }
        }
        self.store_shared_texts(game.tournament.get(), game.source.get());
        self.store_annotator(game.annotator.get());
        let Some(extended) = extended else { return };
        let teams = [extended.white_team, extended.black_team];
        for (id, number) in teams.into_iter().zip(stored_texts::field::TEAMS) {
            let id = u32::try_from(id.get()).ok();
            if let Some(team) = id.and_then(|id| entity(tables.teams.as_ref(), id)) {
                self.stored_texts.field(number, until_zero(&team.title));
            }
        }
        let tag = u32::try_from(extended.game_tag.get()).ok();
        if let Some(tag) = tag.and_then(|id| entity(tables.game_tags.as_ref(), id)) {
            for (number, title) in (stored_texts::field::TITLES..).zip(&tag.titles) {
                self.stored_texts.field(number, until_zero(title));
            }
        }
    }

    /// Collects the names of a tournament and of a source.
    fn store_shared_texts(&mut self, tournament: u32, source: u32) {
        let tables = &self.companions.tables;
        if let Some(tournament) = entity(tables.tournaments.as_ref(), tournament) {
            let stored = &mut self.stored_texts;
            stored.field(stored_texts::field::EVENT, until_zero(&tournament.title));
            stored.field(stored_texts::field::SITE, until_zero(&tournament.site));
        }
        if let Some(source) = entity(tables.sources.as_ref(), source) {
            let stored = &mut self.stored_texts;
            stored.field(stored_texts::field::SOURCE, until_zero(&source.title));
            stored.field(
                stored_texts::field::PUBLISHER,
                until_zero(&source.publisher),
            );
        }
    }

    fn store_annotator(&mut self, id: u32) {
        if let Some(annotator) = entity(self.companions.tables.annotators.as_ref(), id) {
            let name = until_zero(&annotator.name);
            self.stored_texts
                .field(stored_texts::field::ANNOTATOR, name);
        }
    }

    /// Collects the texts of the annotation items.
    fn store_annotation_texts(&mut self, record: &[u8]) {
        for item in &self.items {
            let data = record.get(item.data.clone()).unwrap_or_default();
            match (item.kind, data) {
                (kind::TEXT_AFTER | kind::TEXT_BEFORE, [0, language, text @ ..]) => {
                    self.stored_texts.comment(*language, until_zero(text));
                }
                (kind::TRAINING | kind::QUOTATION | kind::WEB_LINK | kind::VIDEO, data) => {
                    self.stored_texts.item(item.kind, data);
                }
                _ => {}
            }
        }
    }

    /// Visits the names of the files that a text uses.
    fn visit_media(&self, media_at: i32, visitor: &mut dyn Visitor) -> Flow {
        let Ok(at) = u64::try_from(media_at) else {
            return Flow::Go;
        };
        let names = self
            .companions
            .media
            .as_ref()
            .and_then(|table| table.media(at));
        for name in names.into_iter().flatten() {
            let part = Annotation::Text(TextPart {
                kind: TextKind::File,
                language: ANY_LANGUAGE,
                text: &self.companions.texts.plain(&name),
            });
            if visitor.visit_annotation(part) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    }

    /// Begins the game and reports the problems found so far.
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
            tables: &self.companions.tables,
            texts: self.companions.texts,
            without_moves: self.companions.moves.is_none(),
            without_medals: self.db.is_salvaged,
            tags: &mut self.head.tags,
            shared: &mut self.shared,
        }
    }

    /// Reports what a record of a damaged set has lost. Returns whether its header is lost.
    fn report_losses(
        &mut self,
        index: GameIndex,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
    ) -> bool {
        let is_rebuilt = self.db.is_rebuilt(index);
        if self.db.changed_headers.binary_search(&index.0).is_ok() && !is_rebuilt {
            let error = Error::invalid(CHANGED_ENTRY);
            self.problems.push(error.in_file(&self.db.headers_name));
        }
        let text = if is_rebuilt {
            let lost = match self.db.player_pair(index) {
                // Boosters contain both players without their colours.
                Some([one, other]) => format!("which of {one} and {other} was White"),
                None => "players".to_owned(),
            };
            let text = "result, date, round, ratings and whether it was deleted are unknown";
            Some(format!("the header is lost: {lost}, {text}"))
        } else {
            let tables = &self.companions.tables;
            self.db.placeholders.describe(record, extended, tables)
        };
        let error = text.map(|text| Error::not_in_file(text).in_file(&self.db.headers_name));
        self.problems.extend(error);
        if self.db.is_salvaged && !is_rebuilt {
            self.report_lost_entries(index, record, extended);
        }
        is_rebuilt
    }

    /// Reports what a record of a damaged set has lost in `.cbj`, `.cbtt` and `.cbm`.
    fn report_lost_entries(
        &mut self,
        index: GameIndex,
        record: Record<'_>,
        extended: Option<&ExtendedRecord>,
    ) {
        let tournament = match record {
            Record::Game(game) => game.tournament,
            Record::Text(text) => text.tournament,
        };
        let tournament =
            Some(tournament.get()).filter(|_| tournament != super::entities::UNKNOWN_ID);
        let companions = self.companions;
        let mut report = |extension: &str, text: &str| {
            let name = self.db.source.label_of(extension);
            self.problems.push(Error::not_in_file(text).in_file(&name));
        };
        for (extension, text) in companions.lost_entries.of(index, tournament) {
            report(extension, text);
        }
        let media_at = extended.map_or(0, |extended| extended.media_at.get());
        if let Some(at) = u64::try_from(media_at).ok().filter(|at| *at > 0)
            && companions
                .media
                .as_ref()
                .is_none_or(|table| table.media(at).is_none())
        {
            report("cbm", "its list of files is lost");
        }
    }

    /// Reports names whose ids are beyond the ends of their files.
    fn check_names(&mut self, game: &GameRecord) {
        let tables = &self.companions.tables;
        let players = tables.players.as_ref().map(EntityTable::capacity);
        let tournaments = tables.tournaments.as_ref().map(EntityTable::capacity);
        let annotators = tables.annotators.as_ref().map(EntityTable::capacity);
        let sources = tables.sources.as_ref().map(EntityTable::capacity);
        let ids = [
            (game.white.get(), players),
            (game.black.get(), players),
            (game.tournament.get(), tournaments),
            (game.annotator.get(), annotators),
            (game.source.get(), sources),
        ];
        if ids.iter().any(|&(id, capacity)| is_beyond(id, capacity)) {
            self.report_names(ids);
        }
        // A set that is read for repair has placeholders, which are reported.
        if !self.db.is_salvaged {
            let [players, tournaments, annotators, sources] = &mut self.intact;
            let blank = [
                players.is_blank(tables.players.as_ref(), game.white.get()),
                players.is_blank(tables.players.as_ref(), game.black.get()),
                tournaments.is_blank(tables.tournaments.as_ref(), game.tournament.get()),
                annotators.is_blank(tables.annotators.as_ref(), game.annotator.get()),
                sources.is_blank(tables.sources.as_ref(), game.source.get()),
            ];
            if blank.contains(&true) {
                self.report_blank_names(ids.map(|(id, _)| id), blank);
            }
        }
    }

    /// Reports what is damaged in the record of `.cbj`, and teams and titles that are beyond the ends of their files.
    fn check_extended(&mut self, index: GameIndex, extended: Option<&ExtendedRecord>) {
        let Some(extended) = extended else { return };
        if !self.companions.tables.has_sound_entry(index, extended) {
            self.report_extended(index, extended);
        }
    }

    #[cold]
    fn report_extended(&mut self, index: GameIndex, extended: &ExtendedRecord) {
        let tables = &self.companions.tables;
        if tables.is_zeroed(index) {
            let text = "the start of its record has only zeros, which no program writes: its teams are lost";
            let name = self.db.source.label_of("cbj");
            self.problems.push(Error::invalid(text).in_file(&name));
        }
        // A set that is read for repair has placeholders, which are reported.
        if self.db.is_salvaged {
            return;
        }
        for (field, extension, id, capacity) in tables.optional_ids(extended) {
            let Some((id, capacity)) = id.zip(capacity).filter(|(id, capacity)| id >= capacity)
            else {
                continue;
            };
            let text = format!("`{field}` is number {id}, its file has {capacity}");
            let name = self.db.source.label_of(extension);
            self.problems.push(Error::not_in_file(text).in_file(&name));
        }
    }

    #[cold]
    fn report_blank_names(&mut self, ids: [u32; 5], blank: [bool; 5]) {
        for (((field, extension), id), is_blank) in NAME_FIELDS.into_iter().zip(ids).zip(blank) {
            if !is_blank {
                continue;
            }
            let text = format!("`{field}` is number {id}, whose record has only zeros");
            let name = self.db.source.label_of(extension);
            self.problems.push(Error::not_in_file(text).in_file(&name));
        }
    }

    #[cold]
    fn report_names(&mut self, ids: [(u32, Option<u32>); 5]) {
        for ((field, extension), (id, capacity)) in NAME_FIELDS.into_iter().zip(ids) {
            if let Some(capacity) = capacity.filter(|_| is_beyond(id, capacity)) {
                let text = format!("`{field}` is number {id}, its file has {capacity}");
                let name = self.db.source.label_of(extension);
                self.problems.push(Error::not_in_file(text).in_file(&name));
            }
        }
    }

    /// The record at an offset of `.cbg`, cut at the end of the file.
    fn record_bytes(&mut self, at: u64) -> Option<&'d [u8]> {
        let (db, companions) = (self.db, self.companions);
        let Some(moves) = &companions.moves else {
            self.problems.push(missing_file(&companions.moves_name));
            return None;
        };
        let found = usize::try_from(at).ok().and_then(|at| {
            let head = moves.at_most(at, MovesHead::SIZE)?;
            Some((at, MovesHead::read(head)?.size.get() as usize))
        });
        let Some((start, size)) = found.filter(|_| at != 0) else {
            let length = counted(moves.len() as u64, "byte", "bytes");
            let text = format!("the moves begin at byte {at}, the file has {length}");
            self.problems
                .push(Error::not_in_file(text).in_file(&self.companions.moves_name));
            return None;
        };
        if let Err(error) = Limits::check("a record of moves", size as u64, db.limits.record) {
            self.problems
                .push(error.in_file(&self.companions.moves_name));
            return None;
        }
        moves.at_most(start, size)
    }

    fn open_moves(&mut self, game: &GameRecord, at: u64) -> Option<MoveRecord<'d>> {
        let bytes = self.record_bytes(at)?;
        let chess960 = game.eco.get().checked_sub(CHESS960_ECO);
        match self.moves.open(bytes, at, chess960) {
            Ok(record) => Some(record),
            Err(malformed) => {
                let error = malformed.at_base(at).in_file(&self.companions.moves_name);
                self.problems.push(error);
                None
            }
        }
    }

    /// The bytes of a game's annotation record. Its items go to `self.items`, except for those that are
    /// tags.
    fn annotations(&mut self, at: u64, want: Want) -> &'d [u8] {
        self.items.clear();
        if !want.has(Want::ANNOTATIONS) && !want.has(Want::TAGS) {
            return &[];
        }
        let problems = self.problems.len();
        let record = self.open_annotations(at);
        let is_tag = |kind| GameTag::of_kind(kind).is_some();
        let mut of_game = self.items.iter().take_while(|item| item.position < 0);
        if of_game.any(|item| is_tag(item.kind)) {
            let tags = &mut self.head.tags;
            let mut seen = GameTags::default();
            self.items.retain(|item| {
                let tag = GameTag::of_kind(item.kind).filter(|_| item.position < 0);
                let data = record.get(item.data.clone()).unwrap_or_default();
                let value = tag.and_then(|tag| Some((tag, tag.value(data)?)));
                let Some((tag, value)) = value.filter(|(tag, _)| seen.add(*tag)) else {
                    return true;
                };
                if want.has(Want::TAGS) {
                    tags.push(tag.name(), &value);
                }
                false
            });
        }
        if !want.has(Want::ANNOTATIONS) {
            self.items.clear();
            self.problems.truncate(problems);
        }
        record
    }

    /// Reports moves of a damaged set that may be others than they were, or those of another game.
    fn report_changed_moves(&mut self, index: GameIndex, game: &GameRecord, at: u64) {
        if !self.db.has_shifted_moves || self.db.is_rebuilt(index) {
            return;
        }
        let moves = self.companions.moves.as_deref().unwrap_or_default();
        let readability = self.readability.get_or_insert_default();
        let text = match readability.move_count(moves, at) {
            Some(found) if found != game.move_count => {
                let stated = counted(game.move_count, "move", "moves");
                format!("the header states {stated}, the record of moves has {found}")
            }
            _ if self.db.changed.binary_search(&index.0).is_ok() => CHANGED_RECORD.to_owned(),
            _ => return,
        };
        let name = &self.companions.moves_name;
        self.problems.push(Error::invalid(text).in_file(name));
    }

    /// Reports annotations of a damaged set that may be those of another game.
    fn report_foreign_annotations(&mut self, record: &[u8], index: GameIndex) {
        let Some(head) = AnnotationsHead::read(record) else {
            return;
        };
        let text = match head.marked_for_other(index) {
            Some(other) => format!("the annotations are marked as those of game {other}"),
            None if self.db.changed_annotations.contains(&index.0) => CHANGED_RECORD.to_owned(),
            None if self.db.has_foreign_annotations => {
                "its annotations may be those of another database".to_owned()
            }
            None => return,
        };
        let name = &self.companions.annotations_name;
        self.problems.push(Error::invalid(text).in_file(name));
    }

    /// The bytes of a game's annotation record, whose items go to `self.items`.
    fn open_annotations(&mut self, at: u64) -> &'d [u8] {
        self.items.clear();
        if at == 0 {
            return &[];
        }
        let Some(file) = self.companions.annotations.as_ref() else {
            let name = &self.companions.annotations_name;
            self.problems.push(missing_file(name));
            return &[];
        };
        match self.find_items(file, at) {
            Ok(record) => record,
            Err((record, error)) => {
                self.problems
                    .push(error.in_file(&self.companions.annotations_name));
                record
            }
        }
    }

    /// The record at an offset of `.cba`. If it is damaged, the error with the part that is left.
    fn find_items(&mut self, file: &'d Blob, at: u64) -> Result<&'d [u8], (&'d [u8], Error)> {
        let none: &[u8] = &[];
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let Some(head) = file.at_most(start, AnnotationsHead::SIZE) else {
            let length = counted(file.len() as u64, "byte", "bytes");
            let text = format!("the annotations begin at byte {at}, the file has {length}");
            return Err((none, Error::not_in_file(text)));
        };
        let size = Items::size(head).map_err(|malformed| (none, malformed.at_base(at)))?;
        Limits::check("annotations of a game", size as u64, self.db.limits.record)
            .map_err(|error| (none, error))?;
        let record = file.at_most(start, size).unwrap_or_default();
        let mut is_sorted = true;
        let mut last = i32::MIN;
        let mut items = Items::new(record).map_err(|malformed| (none, malformed.at_base(at)))?;
        for item in &mut items {
            let item = item.map_err(|malformed| (record, malformed.at_base(at)))?;
            is_sorted &= item.position >= last;
            last = item.position;
            if has_text_after_zero(&item) {
                let text = "a comment has zero bytes: what follows them is not read as text";
                let error = Error::invalid(text).at_offset(at.saturating_add(item.at as u64));
                let name = &self.companions.annotations_name;
                self.problems.push(error.in_file(name));
            }
            self.items.push(ItemRange {
                position: item.position.max(-1),
                kind: item.kind,
                data: item.at..item.at + item.data.len(),
            });
        }
        if !is_sorted {
            self.items.sort_by_key(|item| item.position);
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

/// Whether a comment goes on after a zero byte. No program writes such comments; zeros at the end do
/// not matter.
fn has_text_after_zero(item: &Item<'_>) -> bool {
    if !matches!(item.kind, kind::TEXT_BEFORE | kind::TEXT_AFTER) {
        return false;
    }
    let text = item.data.get(2..).unwrap_or_default();
    let rest = text.get(until_zero(text).len()..).unwrap_or_default();
    rest.iter().any(|byte| *byte != 0)
}

/// Whether a guiding text has zero bytes in place of text.
fn has_zeros(body: &[u8], texts: Texts) -> bool {
    let mut has_zeros = false;
    let _ = guiding_texts::decode(body, texts, &mut |annotation| {
        if let Annotation::Text(part) = annotation {
            has_zeros |= part.text.contains('\0');
        }
        Flow::Go
    });
    has_zeros
}

/// The names that the header of a game refers to, with the extensions of their files.
const NAME_FIELDS: [(&str, &str); 5] = [
    ("white", "cbp"),
    ("black", "cbp"),
    ("tournament", "cbt"),
    ("annotator", "cbc"),
    ("source", "cbs"),
];

/// Recent ids of a table whose records are not blank, plus 1; 0 is free. An id has one slot, by its remainder: most games
/// have a name of a game shortly before them, whose record need not be looked at again.
#[derive(Debug)]
struct IntactNames(Vec<u32>);

/// Ids that are remembered of each table.
const INTACT_NAMES: usize = 256;

impl Default for IntactNames {
    fn default() -> Self {
        Self(vec![0; INTACT_NAMES])
    }
}

impl IntactNames {
    /// Whether a record of the table was overwritten with zeros; `false` without a table.
    fn is_blank<E: Entity>(&mut self, table: Option<&EntityTable<E>>, id: u32) -> bool {
        let slot = self.0.get_mut(id as usize % INTACT_NAMES);
        let key = id.wrapping_add(1);
        if slot.as_ref().is_some_and(|slot| **slot == key && key != 0) {
            return false;
        }
        let is_blank = table.is_some_and(|table| table.is_blank(id));
        if let Some(slot) = slot.filter(|_| !is_blank) {
            *slot = key;
        }
        is_blank
    }
}

/// Whether an id is not below the capacity of its table; `false` without a table.
fn is_beyond(id: u32, capacity: Option<u32>) -> bool {
    capacity.is_some_and(|capacity| id >= capacity)
}

/// Adds the number of the Chess960 start position that the opening code states if the setup position is
/// another.
fn put_start_number(eco: u16, head: &mut GameHead) {
    let Some(number) = eco
        .checked_sub(CHESS960_ECO)
        .filter(|_| head.start.chess960)
    else {
        return;
    };
    let setup = head.start.setup.as_deref();
    if setup.map_or(Some(518), Setup::chess960_number) != Some(number) {
        head.tags.put("CbChess960", number);
    }
}

impl GameReader for CbhReader<'_> {
    fn read(&mut self, index: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        self.head.clear();
        self.problems.clear();
        match self.db.stored_record(index)? {
            Record::Game(game) => self.game(index, game, want, visitor),
            Record::Text(text) => self.text(index, text, want, visitor),
        }
    }
}

/// The language number of parts that belong to all languages.
const ANY_LANGUAGE: u16 = 7;

/// The annotations of a game, by the stored number of their move.
struct GameAnnotations<'n> {
    decoder: &'n mut annotations::Decoder,
    record: &'n [u8],
    /// Sorted by position.
    items: &'n [ItemRange],
    /// The index after the last visited item, where the next requested one usually is.
    next: usize,
    /// The medals of the game's header, unless that is lost.
    medals: Option<u16>,
    /// Whether the set is read for repair, so that annotations may be lost.
    is_salvaged: bool,
    /// Whether medals that only the header has may be those of lost annotations.
    has_lost_medals: bool,
    stored_texts: &'n stored_texts::Collector,
}

impl GameAnnotations<'_> {
    /// The indexes of a move's items; `number` is that of the move in stored order.
    fn items_of_move(&self, number: u32) -> Range<usize> {
        let items = self.items;
        let position = |item: &ItemRange| i64::from(item.position);
        let (at, number) = (self.next, i64::from(number));
        let starts_here = items.get(at).is_none_or(|item| position(item) >= number)
            && items
                .get(at.wrapping_sub(1))
                .is_none_or(|item| position(item) < number);
        let start = if starts_here {
            at
        } else {
            items.partition_point(|item| position(item) < number)
        };
        let rest = items.get(start..).unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|item| position(item) == number)
            .count();
        start..start + count
    }

    /// Visits the medals of the header if they differ from those of the annotations.
    fn header_medals(&mut self, visitor: &mut dyn Visitor) -> Flow {
        let all = self
            .items
            .iter()
            .filter(|item| item.kind == kind::MEDALS)
            .filter_map(|item| self.record.get(item.data.clone()))
            .filter_map(|data| data.last_chunk::<2>())
            .fold([0, 0], |[a, b], [c, d]| [a | c, b | d]);
        let [high, low] = all;
        let is_relevant = self.is_salvaged || !self.record.is_empty();
        let Some(medals) = self.medals.filter(|_| is_relevant) else {
            return Flow::Go;
        };
        let annotated = u16::from(high) << 8 | u16::from(low);
        if annotated == medals {
            return Flow::Go;
        }
        if self.has_lost_medals {
            // The medals of lost annotations become annotations of the game.
            return match medals & !annotated {
                0 => Flow::Go,
                rest => visitor.visit_annotation(Annotation::Medals(rest.into())),
            };
        }
        visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: ID,
            kind: foreign::HEADER_MEDALS,
            bytes: &[(medals >> 8) as u8, medals as u8],
        }))
    }
}

impl AnnotationSource for GameAnnotations<'_> {
    fn visit(&mut self, anchor: AnnotationAnchor, visitor: &mut dyn Visitor) -> Flow {
        let items = self.items;
        let count_below =
            |position: i64| items.partition_point(|item| i64::from(item.position) < position);
        let range = match anchor {
            AnnotationAnchor::Game => 0..count_below(0),
            AnnotationAnchor::Move(number) => self.items_of_move(number),
            AnnotationAnchor::Past(number) => count_below(i64::from(number))..items.len(),
        };
        self.next = range.end;
        if anchor == AnnotationAnchor::Game
            && let Some(stored) = self.stored_texts.annotation()
        {
            let flow = visitor.visit_annotation(stored);
            if flow != Flow::Go {
                return flow;
            }
        }
        for item in items.get(range).unwrap_or_default() {
            let item = Item {
                position: item.position,
                kind: item.kind,
                at: item.data.start,
                data: self.record.get(item.data.clone()).unwrap_or_default(),
            };
            let flow = self.decoder.decode(&item, &mut |annotation| {
                visitor.visit_annotation(annotation)
            });
            if flow != Flow::Go {
                return flow;
            }
        }
        if anchor == AnnotationAnchor::Game {
            return self.header_medals(visitor);
        }
        Flow::Go
    }

    fn end_number(&self) -> u32 {
        let last = self.items.last().map_or(-1, |item| item.position);
        u32::try_from(last.saturating_add(1)).unwrap_or(0)
    }
}

/// The error of a record that needs a missing file.
fn missing_file(path: &Arc<Path>) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Error::new(ErrorKind::MissingFile(name.into_owned())).in_file(path)
}
