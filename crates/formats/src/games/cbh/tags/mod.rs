//! Header facts as tags. What PGN has no tag for becomes a tag whose name begins with `Cb`
//! (FORMAT.md § Tags). A value that says nothing gets no tag.

mod tag_buffer;
mod tag_text;
mod value_tags;

use tabia_core::game::Tags;

pub use self::tag_buffer::GAME_TAG_NAMES;
use self::tag_buffer::List;
pub use self::tag_text::{event_type, parse_event_type, player_name, round_name};
pub(crate) use self::value_tags::{BLACK_TEAM, Facts, WHITE_TEAM};
use super::charset::Texts;
use super::entities::{Entity, EntityTable};
use super::field_codecs::{decode_date, decode_result};
use super::records::{
    AnnotatorRecord, ExtendedRecord, GameRecord, GameTagRecord, PlayerRecord, SourceRecord,
    TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TeamRecord, TextRecord, TournamentRecord,
};
use super::side_files::{SideTable, TopGames};

/// The tables that tags are made from; any may be missing.
#[derive(Debug, Default)]
pub struct Tables {
    /// `.cbp`.
    pub players: Option<EntityTable<PlayerRecord>>,
    /// `.cbt`.
    pub tournaments: Option<EntityTable<TournamentRecord>>,
    /// `.cbc`.
    pub annotators: Option<EntityTable<AnnotatorRecord>>,
    /// `.cbs`.
    pub sources: Option<EntityTable<SourceRecord>>,
    /// `.cbe`.
    pub teams: Option<EntityTable<TeamRecord>>,
    /// `.cbl`.
    pub game_tags: Option<EntityTable<GameTagRecord>>,
    /// `.cbj`.
    pub extended: Option<SideTable>,
    /// `.cbtt`.
    pub tournament_extras: Option<SideTable>,
    /// `.flags`.
    pub top_games: Option<TopGames>,
}

/// An entity in a table; `None` when the table or the entity is missing.
pub fn entity<E: Entity>(table: Option<&EntityTable<E>>, id: u32) -> Option<&E> {
    table?.get(id)
}

/// Tags that many games share, made once as long as they are remembered: those of a tournament and
/// those of a source.
#[derive(Debug, Default)]
pub struct SharedTags {
    tournaments: Memory<[Tags; 2]>,
    sources: Memory<Tags>,
}

/// What was made last for each remainder of the number.
#[derive(Debug)]
struct Memory<T>(Vec<(Option<u32>, T)>);

/// How many are remembered.
const REMEMBERED: usize = 64;
/// Bytes of text from which on tags are made again each time.
const TOO_LONG: usize = 1 << 12;

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Memory<T> {
    /// What is remembered for `id` and whether it is for that, in place to be made anew.
    fn place(&mut self, id: u32) -> Option<(bool, &mut (Option<u32>, T))> {
        if self.0.is_empty() {
            self.0.resize_with(REMEMBERED, || (None, T::default()));
        }
        let place = self.0.get_mut(id as usize % REMEMBERED)?;
        Some((place.0 == Some(id), place))
    }
}

/// Writes the tags of one record.
#[derive(Debug)]
pub struct TagWriter<'t> {
    /// Where names come from.
    pub tables: &'t Tables,
    /// How they are read.
    pub texts: Texts,
    /// Whether the moves are missing, so that what the header says of them counts.
    pub without_moves: bool,
    /// Whether the game says its medals itself.
    pub without_medals: bool,
    /// Where the tags go.
    pub tags: &'t mut Tags,
    /// Tags of the same tables made before.
    pub shared: &'t mut SharedTags,
}

impl TagWriter<'_> {
    /// The tags of a game, `number` from 1; `extended` with the bytes behind it.
    pub fn game(
        &mut self,
        number: u32,
        game: &GameRecord,
        extended: Option<(&ExtendedRecord, &[u8])>,
    ) {
        self.prepare(game.tournament.get(), game.source.get());
        self.tournament(game.tournament.get(), 0);
        let mut list = self.list();
        match decode_date(game.date.get()) {
            Some(date) => list.tags.put_date("Date", date),
            None => list.raw("Date", "CbDate", game.date.get()),
        }
        list.round(game.round, game.sub_round);
        let players = list.tables.players.as_ref();
        list.player("White", "CbWhiteLast", entity(players, game.white.get()));
        list.player("Black", "CbBlackLast", entity(players, game.black.get()));
        let result = decode_result(game.result);
        list.tags.push("Result", result.unwrap_or_default().pgn());
        if result.is_none() {
            list.tags.put("CbResult", game.result);
        }
        list.eco(game.eco.get());
        list.tags.number("WhiteElo", game.white_elo.get());
        list.tags.number("BlackElo", game.black_elo.get());
        list.annotator(game.annotator.get());
        self.tournament(game.tournament.get(), 1);
        self.source(game.source.get());
        let (without_moves, without_medals) = (self.without_moves, self.without_medals);
        let mut list = self.list();
        if let Some((extended, _)) = extended {
            list.teams(extended);
        }
        if game.kind & !(TYPE_ALWAYS | TYPE_DELETED) != 0 || game.kind & TYPE_ALWAYS == 0 {
            list.tags.put("CbType", game.kind);
        }
        list.tags.number("CbLineEvaluation", game.line_evaluation);
        if game.annotations_at.get() == 0 && !without_medals {
            list.tags.number("CbMedals", game.medals.get());
        }
        if without_moves {
            list.tags.number("CbMoveCount", game.move_count);
        }
        if let Some(marks) = &list.tables.top_games {
            list.tags.number("CbTopGame", marks.mark(number));
        }
        if let Some((extended, rest)) = extended {
            list.game_facts(extended);
            list.saves(extended);
            list.tags.bytes("CbExtra", rest);
        }
    }

    /// The tags of a guiding text.
    pub fn text(&mut self, text: &TextRecord, extended: Option<&ExtendedRecord>) {
        self.prepare(text.tournament.get(), text.source.get());
        self.tournament(text.tournament.get(), 0);
        let mut list = self.list();
        list.round(text.round, text.sub_round);
        list.annotator(text.annotator.get());
        self.tournament(text.tournament.get(), 1);
        self.source(text.source.get());
        let mut list = self.list();
        if text.kind & !(TYPE_ALWAYS | TYPE_TEXT | TYPE_DELETED) != 0 {
            list.tags.put("CbType", text.kind);
        }
        if text.flags.get() != 0 {
            list.tags
                .put("CbTextFlags", format_args!("{:#x}", text.flags.get()));
        }
        list.tags.bytes("CbTextUnknown5", &text.unknown_5);
        list.tags.bytes("CbTextUnknown22", &text.unknown_22);
        if let Some(extended) = extended {
            list.saves(extended);
        }
    }

    fn list(&mut self) -> List<'_> {
        List {
            tables: self.tables,
            texts: self.texts,
            tags: self.tags,
        }
    }

    /// Makes the tags of a tournament and a source unless they are remembered.
    fn prepare(&mut self, tournament: u32, source: u32) {
        let (tables, texts) = (self.tables, self.texts);
        let list = |tags| List {
            tables,
            texts,
            tags,
        };
        let SharedTags {
            tournaments,
            sources,
        } = &mut *self.shared;
        if let Some((false, (id, [front, facts]))) = tournaments.place(tournament) {
            *id = Some(tournament);
            front.clear();
            facts.clear();
            let record = entity(tables.tournaments.as_ref(), tournament);
            list(front).event(record);
            list(facts).tournament(tournament, record);
        }
        if let Some((false, (id, tags))) = sources.place(source) {
            *id = Some(source);
            tags.clear();
            list(tags).source(source);
        }
    }

    /// The first tags of a prepared tournament, or those with its facts.
    fn tournament(&mut self, id: u32, part: usize) {
        let Some((_, (id, parts))) = self.shared.tournaments.place(id) else {
            return;
        };
        let Some(tags) = parts.get(part) else {
            return;
        };
        self.tags.append(tags);
        // Tags of unusual length do not stay in memory.
        if part == 1 && tags.size() > TOO_LONG {
            (*id, *parts) = (None, <[Tags; 2]>::default());
        }
    }

    /// The tags of a prepared source.
    fn source(&mut self, id: u32) {
        if let Some((_, (_, tags))) = self.shared.sources.place(id) {
            self.tags.append(tags);
        }
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::io::{Blob, Charset, Sink};
    use zerocopy::{FromZeros, IntoBytes};

    use super::*;
    use crate::games::cbh::records::{ENTITY_MAGIC, U24};

    /// Tournaments called by their numbers, with as many rounds.
    fn tournaments(count: u8) -> EntityTable<TournamentRecord> {
        let mut sink = Sink::new();
        for value in [u32::from(count), 0, ENTITY_MAGIC, 90, u32::MAX, 0, 0] {
            sink.u32_le(value);
        }
        for number in 0..count {
            sink.zeros(9);
            let mut record = TournamentRecord::new_zeroed();
            let title = format!("No. {number}");
            record.title[..title.len()].copy_from_slice(title.as_bytes());
            record.rounds = number;
            sink.bytes(record.as_bytes());
        }
        EntityTable::new(Blob::from(sink.into_vec())).unwrap()
    }

    #[test]
    fn remembered_tags_are_those_of_the_tournament() {
        let tables = Tables {
            tournaments: Some(tournaments(200)),
            ..Tables::default()
        };
        let mut shared = SharedTags::default();
        let mut game = GameRecord::new_zeroed();
        for number in [1, 65, 65, 129, 1, 2, 193, 250, 193, 58] {
            game.tournament = U24::new(number);
            let mut tags = Tags::new();
            TagWriter {
                tables: &tables,
                texts: Texts::new(Charset::Auto, encoding_rs::WINDOWS_1252),
                without_moves: false,
                without_medals: false,
                tags: &mut tags,
                shared: &mut shared,
            }
            .game(1, &game, None);
            let (event, rounds) = match number {
                250 => ("?".to_owned(), None),
                _ => (format!("No. {number}"), Some(number.to_string())),
            };
            assert_eq!(tags.text("Event"), event);
            assert_eq!(tags.get("EventRounds"), rounds.as_deref());
        }
    }
}
