//! Reads the games of a Scid database.

use std::borrow::Cow;

use tabia_core::GameIndex;
use tabia_core::chess::Color;
use tabia_core::decimal_digits;
use tabia_core::error::{Error, Result, Why};
use tabia_core::game::{Flow, GameHead, Tags, Visitor, Want};
use tabia_core::games::{GameReader, lost_name};
use tabia_core::io::{Cursor, decode};

use crate::games::common::record_context::{Origin, end_game};
use crate::games::common::scid_and_scidb_index_codes;
use crate::games::common::{merge_record_tags, setup_tags};

use super::blob_parts::{Tag, malformed, read_start, read_tag};
use super::board::Board;
use super::entry::{self, flag};
use super::open::{NAME_KINDS, ScidDatabase};
use super::replay::{Buffers, Replay, Walker};
use super::salvage::SalvagedEntry;

/// Reads games of one database, reusing its buffers.
#[derive(Debug)]
pub(super) struct ScidReader<'d> {
    database: &'d ScidDatabase,
    head: GameHead,
    /// The tags of the blob.
    extra: Tags,
    /// The value of a tag.
    text: String,
    /// Problems found before the game begins.
    problems: Vec<Error>,
    buffers: Buffers,
}

impl GameReader for ScidReader<'_> {
    fn read(&mut self, game: GameIndex, want: Want, visitor: &mut dyn Visitor) -> Result<Flow> {
        let database = self.database;
        let record = database.indexed(game)?;
        let entry = record.entry;
        let origin = Origin {
            file: &database.games_file,
            base: entry.blob_at,
            game,
            format: database.version.id(),
            strict: database.options.strict,
        };
        self.problems.clear();
        self.extra.clear();
        self.head.clear();
        let bytes = self.blob(&record, &origin);
        let start = self.read_head(&record, bytes, want, &origin);
        let result = scid_and_scidb_index_codes::result(entry.result);
        let mut flow = origin.begin(&self.head, self.problems.drain(..), visitor)?;
        if flow == Flow::Go
            && want.has(Want::MAINLINE)
            && let Some((at, board)) = start
        {
            let depth = database.options.limits.depth;
            let buffers = &mut self.buffers;
            let walker = Walker::new(origin.clone(), want, depth, board, buffers, &mut *visitor);
            let (charset, salvage) = (database.options.charset, database.index.is_salvaged());
            let mut replay = Replay::new(walker, bytes, at, charset, salvage, entry.plies);
            flow = replay.run()?;
            let end = replay.end();
            flow = record.check_end(flow, end, &origin, visitor)?;
        }
        Ok(end_game(flow, result, visitor))
    }
}

impl<'d> ScidReader<'d> {
    pub(super) fn new(database: &'d ScidDatabase) -> Self {
        Self {
            database,
            head: GameHead::default(),
            extra: Tags::new(),
            text: String::new(),
            problems: Vec::new(),
            buffers: Buffers::default(),
        }
    }

    /// The bytes of a game, as many as there are.
    fn blob(&mut self, record: &SalvagedEntry, origin: &Origin<'_>) -> &'d [u8] {
        let entry = &record.entry;
        let problem = record.entry_problem(origin, self.database.index.file());
        self.problems.extend(problem);
        let games = &self.database.games;
        let start = usize::try_from(entry.blob_at).unwrap_or(usize::MAX);
        let length = entry.blob_length as usize;
        let left = games.at_most(start, length).unwrap_or_default();
        origin.part("blob", left, length, &mut self.problems)
    }

    /// Fills the head; where the moves begin and the position they start from, if they can be
    /// played.
    fn read_head(
        &mut self,
        record: &SalvagedEntry,
        bytes: &[u8],
        want: Want,
        origin: &Origin<'_>,
    ) -> Option<(usize, Board)> {
        let entry = &record.entry;
        self.head.deleted = entry.flags & flag::DELETED != 0;
        self.head.start.chess960 = entry.chess960;
        let mut cursor = Cursor::new(bytes);
        let start = self
            .read_tags(&mut cursor)
            .and_then(|()| read_start(&mut cursor));
        let fen = match start {
            Ok(fen) => fen,
            Err(malformed) => {
                // A cut blob is already a problem.
                if self.problems.is_empty() {
                    self.problems.push(origin.error(malformed));
                }
                self.push_tags(record, want, origin);
                return None;
            }
        };
        let mut board = Some(Board::standard());
        if let Some(fen) = fen {
            board = None;
            let charset = self.database.options.charset;
            if let Some(setup) = setup_tags::read_fen(fen, charset, &mut self.extra) {
                board = Board::from_setup(&setup);
                self.head.start.setup = Some(Box::new(setup));
            }
            if board.is_none() {
                let why = Why::Text;
                let at = cursor.offset().saturating_sub(fen.len() + 1);
                self.problems.push(origin.error(malformed("fen", at, why)));
            }
        }
        self.push_tags(record, want, origin);
        let mut board = board?;
        if entry.chess960 {
            board.position.set_chess960();
        }
        if !record.has_entry {
            self.head.start.chess960 = board.position.is_chess960();
        }
        Some((cursor.offset(), board))
    }

    /// Reads the tags of the blob.
    fn read_tags(&mut self, cursor: &mut Cursor<'_>) -> Result<(), tabia_core::Malformed> {
        let charset = self.database.options.charset;
        while let Some(tag) = read_tag(cursor)? {
            match tag {
                Tag::Text { name, value } => {
                    self.extra
                        .push(&decode(name, charset), &decode(value, charset));
                }
                Tag::EventDate(bits) => {
                    let date = entry::date(bits).to_string();
                    self.extra.push("EventDate", &date);
                }
                Tag::Unknown { number, value } => {
                    let name = format!("ScidTag{number}");
                    self.extra.push(&name, &decode(value, charset));
                }
            }
        }
        Ok(())
    }

    /// The tags of the index and of the blob, in the order in which Scid shows them. A tag of the
    /// blob precedes the same one of the index.
    fn push_tags(&mut self, record: &SalvagedEntry, want: Want, origin: &Origin<'_>) {
        let entry = &record.entry;
        if !want.has(Want::TAGS) {
            return;
        }
        if !record.has_entry {
            for (name, value) in self.extra.iter() {
                self.head.tags.push(name, value);
            }
            return;
        }
        let database = self.database;
        let extra = &self.extra;
        let tags = &mut self.head.tags;
        let text = &mut self.text;
        text.clear();
        let has_extra = !extra.is_empty();
        let mut push = |name: &str, value: &str, number: Option<u32>| {
            let better = if has_extra { extra.get(name) } else { None };
            tags.push(name, better.unwrap_or(value));
            if let (None, Some(number)) = (better, number) {
                tags.number_last(number);
            }
        };
        if database.index.is_salvaged() {
            let fields = [
                ("event", 1, entry.event),
                ("site", 2, entry.site),
                ("round", 3, entry.round),
                ("white", 0, entry.white),
                ("black", 0, entry.black),
            ];
            let changed = fields.into_iter().filter_map(|(field, kind, id)| {
                let names = &database.names;
                let changed =
                    origin.changed_name(field, names.get(kind, id)?, &database.names_file);
                let is_out_of_order = || names.is_out_of_order(kind, id);
                let out_of_order = || origin.name_out_of_order(field, &database.names_file);
                changed.or_else(|| is_out_of_order().then(out_of_order))
            });
            self.problems.extend(changed);
        }
        let problems = &mut self.problems;
        let mut named = |field: &'static str, kind: usize, id: u32| {
            database.text(kind, id).unwrap_or_else(|| {
                problems.push(origin.lost_name(field, id, &database.names_file));
                // Players with lost names stay distinct.
                match (database.index.is_salvaged(), NAME_KINDS.get(kind)) {
                    (true, Some(what)) => Cow::Owned(lost_name(what, id)),
                    _ => Cow::Borrowed("?"),
                }
            })
        };
        push("Event", &named("event", 1, entry.event), Some(entry.event));
        push("Site", &named("site", 2, entry.site), Some(entry.site));
        entry::date(entry.date).push_to(text);
        push("Date", text, None);
        push("Round", &named("round", 3, entry.round), Some(entry.round));
        push("White", &named("white", 0, entry.white), Some(entry.white));
        push("Black", &named("black", 0, entry.black), Some(entry.black));
        push(
            "Result",
            scid_and_scidb_index_codes::result(entry.result).pgn(),
            None,
        );
        for (color, elo, rating) in [
            (Color::White, entry.white_elo, entry.white_rating),
            (Color::Black, entry.black_elo, entry.black_rating),
        ] {
            if elo != 0 {
                text.clear();
                decimal_digits::push_number(elo.into(), text);
                push(entry::rating_tag(color, rating), text, None);
            }
        }
        if let Some(eco) = entry::eco(entry.eco) {
            text.clear();
            entry::push_eco(eco, text);
            push("ECO", text, Some(entry.eco.into()));
        }
        if entry.event_date != 0 {
            text.clear();
            entry::date(entry.event_date).push_to(text);
            push("EventDate", text, None);
        }
        let letters = entry::flag_letters(entry.flags);
        if !letters.is_empty() {
            push("ScidFlags", &letters, None);
        }
        merge_record_tags::push_remaining(&mut self.head.tags, &self.extra);
    }
}
