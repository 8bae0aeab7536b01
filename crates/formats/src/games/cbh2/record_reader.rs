//! Reading one record: its tags, its moves, its annotations or text.

use tabia_core::GameIndex;
use tabia_core::chess::Position;
use tabia_core::error::{Error, Malformed, Result, Why};
use tabia_core::game::{
    Annotation, Flow, Foreign, GameHead, GameResult, RecordKind, TextKind, TextPart, Visitor, Want,
};
use tabia_core::games::GameReader;
use tabia_core::io::Cursor;
use tabia_core::plural::counted;

use super::annotations::foreign;
use super::annotations::game_annotations::GameAnnotations;
use super::container::{Content, HEAD, tag};
use super::format_id::ID;
use super::move_tree::{NONE, ROOT, Tree};
use super::names::{self, EntityKind};
use super::open::Cbh2Database;
use super::records::{Record, TYPE_DELETED, TextRecord, id};
use super::replay::{Buffers, Replay, Walker};
use super::start_position::{self, STANDARD_NUMBER};
use super::tags::{NATION, TagWriter, text_language};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::field_codecs::{CHESS960_ECO, decode_result};
use crate::games::cbh::tags::ValueTags as _;
use crate::games::common::record_context::Origin;

/// Reads records; its buffers are reused.
#[derive(Debug)]
pub(super) struct Reader<'d> {
    db: &'d Cbh2Database,
    head: GameHead,
    tree: Tree,
    buffers: Buffers,
    problems: Vec<Error>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(db: &'d Cbh2Database) -> Self {
        Self {
            db,
            head: GameHead::default(),
            tree: Tree::default(),
            buffers: Buffers::default(),
            problems: Vec::new(),
        }
    }

    /// Begins the game and reports the problems found so far.
    fn begin(&mut self, game: GameIndex, visitor: &mut dyn Visitor) -> Result<Flow> {
        if self.db.options.strict && !self.problems.is_empty() {
            return Err(self.problems.swap_remove(0).in_game(game));
        }
        let flow = visitor.begin_game(game, &self.head);
        if flow == Flow::Stop {
            return Ok(flow);
        }
        for error in self.problems.drain(..) {
            if visitor.problem(error.in_game(game).into()) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(flow)
    }

    /// Reports names that are missing from their file.
    fn check_names(&mut self, names: &[(&str, EntityKind, i64)]) {
        for &(field, kind, number) in names {
            let is_missing = match u32::try_from(number) {
                Ok(number) => self.db.lacks(kind, number),
                Err(_) => number != -1,
            };
            if is_missing {
                let text = format!("`{field}` is number {number}, which has no readable name");
                let error = Error::not_in_file(text).in_file(&self.db.names_name);
                self.problems.push(error);
            }
        }
    }

    fn push_tags(&mut self, record: Record<'_>) {
        match record {
            Record::Game(game) => self.check_names(&[
                ("white", EntityKind::Player, game.white.get()),
                ("black", EntityKind::Player, game.black.get()),
                ("tournament", EntityKind::Tournament, game.tournament.get()),
                ("annotator", EntityKind::Player, game.annotator.get()),
                ("source", EntityKind::Source, game.source.get()),
                ("white_team", EntityKind::Team, game.white_team.get()),
                ("black_team", EntityKind::Team, game.black_team.get()),
                ("tag", EntityKind::Tag, game.tag.get()),
            ]),
            Record::Text(text) => self.check_names(&[
                ("tournament", EntityKind::Tournament, text.tournament.get()),
                ("title", EntityKind::Tag, text.title.get()),
            ]),
            Record::Analysis(analysis) => {
                self.check_names(&[("title", EntityKind::Tag, analysis.title.get())]);
            }
        }
        let mut writer = TagWriter {
            lookup: self.db.lookup(),
            tags: &mut self.head.tags,
        };
        match record {
            Record::Game(game) => writer.game(game),
            Record::Text(text) => writer.text(text),
            Record::Analysis(analysis) => writer.analysis(analysis),
        }
        writer.kind(record);
    }

    /// A game or an analysis.
    fn game(
        &mut self,
        game: GameIndex,
        record: Record<'_>,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let db = self.db;
        let (moves_at, annotations_at) = record.offsets();
        // The start position is stored only with the moves.
        let content = db.moves_record(moves_at, &[tag::GAME, tag::CHESS960], &mut self.problems);
        let bytes = content.map_or(&[] as &[u8], |content| content.bytes);
        let mut position = None;
        if let Some(content) = &content {
            self.tree.read(bytes);
            if let Record::Game(game) = record
                && db.damage.has_moved
            {
                self.check_move_count(game.move_count.get());
            }
            position = self.read_start(content, moves_at);
            if want.has(Want::TAGS)
                && let Record::Game(game) = record
            {
                self.put_start_number(game.eco.get());
            }
        }
        let (result, mut medals) = match record {
            Record::Game(game) => (decode_result(game.result), Some(game.medals.get())),
            _ => (None, None),
        };
        let result = result.unwrap_or_default();
        let problems = self.problems.len();
        let annotations = self.annotations(annotations_at, want, &mut medals);
        let are_lost = db.options.salvage || self.problems.len() > problems;
        match self.begin(game, visitor)? {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(result);
                return Ok(Flow::Go);
            }
            Flow::Stop => return Ok(Flow::Stop),
        }
        let mut flow = Flow::Go;
        if want.has(Want::ANNOTATIONS) {
            flow = annotations.visit_game(visitor);
            if flow == Flow::Go
                && let Some(medals) = medals
            {
                let annotated = annotations.medals();
                flow = header_medals(medals, annotated, are_lost, visitor);
            }
        }
        let mut number = 0;
        if flow == Flow::Go
            && want.has(Want::MAINLINE)
            && let Some(position) = position
        {
            let origin = Origin {
                file: &db.moves_name,
                base: u64::try_from(moves_at).unwrap_or(0) + HEAD as u64,
                game,
                format: ID,
                strict: db.options.strict,
            };
            let depth = db.options.limits.depth;
            let walker = Walker::new(
                origin,
                want,
                depth,
                position,
                &mut self.buffers,
                &mut *visitor,
            );
            let mut replay = Replay::new(walker, &self.tree, bytes, &annotations);
            flow = replay.run()?;
            number = replay.next_number();
        }
        if flow == Flow::Go && want.has(Want::ANNOTATIONS) {
            // Annotations of moves that the game does not have.
            flow = annotations.visit(number, u32::MAX, visitor);
        }
        if flow == Flow::Stop {
            return Ok(Flow::Stop);
        }
        visitor.end_game(result);
        Ok(Flow::Go)
    }

    /// Reads the start position; `None` if it is malformed or cannot be played from.
    fn read_start(&mut self, content: &Content<'_>, moves_at: i64) -> Option<Position> {
        let base = u64::try_from(moves_at).unwrap_or(0) + HEAD as u64;
        let chess960 = content.tag == tag::CHESS960;
        let read = start_position::read(&self.tree.start, self.tree.start_at, chess960);
        let malformed = match read {
            Ok(start) => {
                let position = start.position();
                self.head.start = start;
                if let Some(mut position) = position {
                    if self.head.start.chess960 {
                        position.set_chess960();
                    }
                    return Some(position);
                }
                let is_empty = self.tree.node(ROOT).is_none_or(|root| root.child == NONE);
                if is_empty && self.tree.problem.is_none() {
                    return None;
                }
                Malformed {
                    field: "start",
                    at: self.tree.start_at,
                    why: Why::IllegalMove,
                }
            }
            Err(malformed) => malformed,
        };
        let error = malformed.at_base(base).in_file(&self.db.moves_name);
        self.problems.push(error);
        None
    }

    /// Adds the number of the Chess960 start position that the opening code states if it does not follow
    /// from the setup position.
    fn put_start_number(&mut self, eco: u16) {
        let start = &self.head.start;
        let Some(number) = eco.checked_sub(CHESS960_ECO).filter(|_| start.chess960) else {
            return;
        };
        let setup = start.setup.as_deref();
        if setup.map_or(STANDARD_NUMBER, start_position::castling_start) != number {
            self.head.tags.put("CbChess960", number);
        }
    }

    /// Reports moves of a damaged set that are those of another game, or others than they were: their number is not that of
    /// the header.
    fn check_move_count(&mut self, stated: u16) {
        let plies = self.tree.mainline();
        // Of a game that Black begins, it is one more.
        let possible = [plies.div_ceil(2), plies / 2 + 1];
        if self.tree.problem.is_none() && !possible.contains(&u32::from(stated)) {
            let stated = counted(stated, "move", "moves");
            let text = format!(
                "the header states {stated}, the record of moves has {}",
                possible[0]
            );
            self.problems
                .push(Error::invalid(text).in_file(&self.db.moves_name));
        }
    }

    /// The annotations that are wanted, without those that are tags. The `medals` of the header are a tag if
    /// there is no annotation.
    fn annotations(
        &mut self,
        at: Option<i64>,
        want: Want,
        medals: &mut Option<u16>,
    ) -> GameAnnotations<'d> {
        let none = GameAnnotations::empty(self.db.texts);
        if !want.has(Want::ANNOTATIONS) && !want.has(Want::TAGS) {
            return none;
        }
        let problems = self.problems.len();
        let mut annotations = self.db.all_annotations(at, &mut self.problems);
        if annotations.is_empty()
            && !self.db.options.salvage
            && let Some(medals) = medals.take()
            && want.has(Want::TAGS)
        {
            self.head.tags.number("CbMedals", medals);
        }
        annotations.take_tags(want.has(Want::TAGS).then_some(&mut self.head.tags));
        if want.has(Want::ANNOTATIONS) {
            return annotations;
        }
        self.problems.truncate(problems);
        none
    }

    fn text(
        &mut self,
        game: GameIndex,
        text: &TextRecord,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Flow> {
        let db = self.db;
        let at = text.body_at.get();
        let content = if want.has(Want::ANNOTATIONS) {
            db.moves_record(at, &[tag::TEXT], &mut self.problems)
        } else {
            None
        };
        self.head.kind = RecordKind::Text;
        match self.begin(game, visitor)? {
            Flow::Go => {}
            Flow::Skip => {
                visitor.end_game(GameResult::Unknown);
                return Ok(Flow::Go);
            }
            Flow::Stop => return Ok(Flow::Stop),
        }
        if want.has(Want::ANNOTATIONS) {
            let titles = id(text.title).map(|number| db.lookup().titles(number));
            let titles = titles.unwrap_or_default().into_iter();
            for (nation, title) in titles.filter(|(_, title)| !title.is_empty()) {
                if visit_part(TextKind::Title, nation, title, db.texts, visitor) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        let bytes = content.map(|content| content.bytes).unwrap_or_default();
        let visited = match content {
            Some(_) => visit_bodies(bytes, db.texts, visitor),
            None => Ok(Flow::Go),
        };
        if visited == Ok(Flow::Stop) {
            return Ok(Flow::Stop);
        }
        if let Err(malformed) = visited {
            let origin = Origin {
                file: &db.moves_name,
                base: u64::try_from(at).unwrap_or(0) + HEAD as u64,
                game,
                format: ID,
                strict: db.options.strict,
            };
            let content = Annotation::Foreign(Foreign {
                format: ID,
                kind: foreign::BODY,
                bytes,
            });
            // A repaired text must be readable: only the parts before the damage stay.
            if origin.report(origin.error(malformed), None, visitor)? == Flow::Stop
                || !db.options.salvage && visitor.visit_annotation(content) == Flow::Stop
            {
                return Ok(Flow::Stop);
            }
        }
        visitor.end_game(GameResult::Unknown);
        Ok(Flow::Go)
    }
}

/// Visits the bodies of a text, one for each language.
fn visit_bodies(
    content: &[u8],
    texts: Texts,
    visitor: &mut dyn Visitor,
) -> std::result::Result<Flow, Malformed> {
    let mut cursor = Cursor::new(content);
    cursor.u16_le("text_version")?;
    cursor.u32_le("text_length")?;
    for _ in 0..cursor.u32_le("body_count")? {
        let nation = cursor.i32_le("body_nation")?;
        let body = names::text(&mut cursor)?;
        // ChessBase stores an empty one in each language without a text.
        if body.is_empty() {
            continue;
        }
        if visit_part(TextKind::Html, nation, body, texts, visitor) == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Go)
}

/// Visits a title or body; without a known language it has the number of its nation.
fn visit_part(
    kind: TextKind,
    nation: i32,
    bytes: &[u8],
    texts: Texts,
    visitor: &mut dyn Visitor,
) -> Flow {
    // The numbers of nations have a bit of their own, so that they cannot be mistaken for those
    // of languages.
    let language = text_language(nation).unwrap_or(NATION | nation as u16 & 0xfff);
    let text = match kind {
        TextKind::Title => texts.plain(bytes),
        _ => texts.verbatim(bytes),
    };
    visitor.visit_annotation(Annotation::Text(TextPart {
        kind,
        language,
        text: &text,
    }))
}

impl GameReader for Reader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        self.head.clear();
        self.problems.clear();
        let record = self.db.record(game)?;
        self.head.deleted = record.kind() & TYPE_DELETED != 0;
        if self.db.damage.rebuilt.binary_search(&game.0).is_ok() {
            let text = "the header is lost: players, event, result, date, round, ratings and whether it was deleted \
                        are unknown";
            let error = Error::not_in_file(text).in_file(&self.db.headers_name);
            self.problems.push(error);
        } else if let Some(text) = self.db.damage.changed.get(&game.0) {
            let error = Error::invalid(*text).in_file(&self.db.headers_name);
            self.problems.push(error);
        }
        if want.has(Want::TAGS) {
            self.push_tags(record);
        }
        match record {
            Record::Text(text) => self.text(game, text, want, visitor),
            record => self.game(game, record, want, visitor),
        }
    }
}

/// Visits the medals of the header if they differ from those of the annotations. `are_lost`: annotations are, so that
/// medals of the header may be theirs.
fn header_medals(medals: u16, annotated: u16, are_lost: bool, visitor: &mut dyn Visitor) -> Flow {
    if medals == annotated {
        return Flow::Go;
    }
    if are_lost {
        // The medals of lost annotations become annotations of the game.
        return match medals & !annotated {
            0 => Flow::Go,
            rest => visitor.visit_annotation(Annotation::Medals(rest.into())),
        };
    }
    visitor.visit_annotation(Annotation::Foreign(Foreign {
        format: ID,
        kind: foreign::HEADER_MEDALS,
        bytes: &[medals as u8, (medals >> 8) as u8],
    }))
}
