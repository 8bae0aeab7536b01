//! Headers as tags. Fields without a PGN tag become tags whose names begin with `Cb` (FORMAT.md
//! § Tags). Zero and empty values produce no tag.

mod format_values;
pub(crate) mod parse_values;
mod put_tag_values;
mod record_fields_to_tags;

use tabia_core::game::Tags;

use self::format_values::write_player;
pub use self::format_values::{event_type, parse_event_type, player_name, round_name};
pub(crate) use self::put_tag_values::{BLACK_TEAM, ValueTags, WHITE_TEAM};
pub use self::record_fields_to_tags::GAME_TAG_NAMES;
pub(super) use self::record_fields_to_tags::has_regular_last_name;
use self::record_fields_to_tags::{TagBuffer, irregular_last_name};
use super::charset::Texts;
use super::entity_and_side_tables::{Tables, entity};
use super::field_codecs::{decode_date, decode_result};
use super::records::{
    ExtendedRecord, GameRecord, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TextRecord,
};

/// Recently written tags that many games share: those of tournaments and of sources.
#[derive(Debug, Default)]
pub struct SharedTags {
    tournaments: RecentCache<[Tags; 2]>,
    sources: RecentCache<Tags>,
    players: RecentCache<PlayerTags, 256>,
}

/// The name of a player, and the last name if it would be split wrongly when read again.
#[derive(Debug, Default)]
struct PlayerTags {
    name: String,
    last: Option<String>,
}

/// A direct-mapped cache: an id has one slot of `N`, by its remainder.
#[derive(Debug)]
struct RecentCache<T, const N: usize = 64>(Vec<(Option<u32>, T)>);

/// Tags with more bytes of text than this are not cached.
const MAX_CACHED_BYTES: usize = 1 << 12;

impl<T, const N: usize> Default for RecentCache<T, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default, const N: usize> RecentCache<T, N> {
    /// The slot of `id`, and whether it contains the value of `id` and not that of another.
    fn slot(&mut self, id: u32) -> Option<(bool, &mut (Option<u32>, T))> {
        if self.0.is_empty() {
            self.0.resize_with(N, || (None, T::default()));
        }
        let slot = self.0.get_mut(id as usize % N)?;
        Some((slot.0 == Some(id), slot))
    }
}

/// Writes the tags of one record.
#[derive(Debug)]
pub struct TagWriter<'t> {
    /// The tables that contain the names.
    pub tables: &'t Tables,
    /// The character set of the names.
    pub texts: Texts,
    /// Whether the moves are missing, so that the header's number of moves becomes a tag.
    pub without_moves: bool,
    /// Whether the medals are reported as an annotation and need no tag.
    pub without_medals: bool,
    /// Receives the tags.
    pub tags: &'t mut Tags,
    /// The cached tags of the same tables.
    pub shared: &'t mut SharedTags,
}

impl TagWriter<'_> {
    /// Writes the tags of a game. `number` is from 1; `extended` is its `.cbj` record with the
    /// stored bytes after the known fields.
    pub fn game(
        &mut self,
        number: u32,
        game: &GameRecord,
        extended: Option<(&ExtendedRecord, &[u8])>,
    ) {
        self.prepare(game.tournament.get(), game.source.get(), true);
        self.tournament(game.tournament.get(), 0);
        let mut buffer = self.buffer();
        match decode_date(game.date.get()) {
            Some(date) => buffer.tags.put_date("Date", date),
            None => buffer.raw("Date", "CbDate", game.date.get()),
        }
        buffer.round(game.round, game.sub_round);
        self.player("White", "CbWhiteLast", game.white.get());
        self.player("Black", "CbBlackLast", game.black.get());
        let mut buffer = self.buffer();
        let result = decode_result(game.result);
        buffer.tags.push("Result", result.unwrap_or_default().pgn());
        if result.is_none() {
            buffer.tags.put("CbResult", game.result);
        }
        buffer.eco(game.eco.get());
        buffer.tags.number("WhiteElo", game.white_elo.get());
        buffer.tags.number("BlackElo", game.black_elo.get());
        buffer.annotator(game.annotator.get());
        self.put_after_annotator(number, game, extended);
    }

    /// Writes those tags of a game that come after the one of its annotator. The cached tags are then of use for
    /// nothing else.
    pub fn after_annotator(
        &mut self,
        number: u32,
        game: &GameRecord,
        extended: Option<(&ExtendedRecord, &[u8])>,
    ) {
        self.prepare(game.tournament.get(), game.source.get(), false);
        self.put_after_annotator(number, game, extended);
    }

    /// As [`after_annotator`](Self::after_annotator), of a tournament and a source that are in the caches.
    fn put_after_annotator(
        &mut self,
        number: u32,
        game: &GameRecord,
        extended: Option<(&ExtendedRecord, &[u8])>,
    ) {
        self.tournament(game.tournament.get(), 1);
        self.source(game.source.get());
        let (without_moves, without_medals) = (self.without_moves, self.without_medals);
        let mut buffer = self.buffer();
        if let Some((extended, _)) = extended {
            buffer.teams(extended);
        }
        if game.kind & !(TYPE_ALWAYS | TYPE_DELETED) != 0 || game.kind & TYPE_ALWAYS == 0 {
            buffer.tags.put("CbType", game.kind);
        }
        buffer.tags.number("CbLineEvaluation", game.line_evaluation);
        if game.annotations_at.get() == 0 && !without_medals {
            buffer.tags.number("CbMedals", game.medals.get());
        }
        if without_moves {
            buffer.tags.number("CbMoveCount", game.move_count);
        }
        if let Some(marks) = &buffer.tables.top_games {
            buffer.tags.number("CbTopGame", marks.mark(number));
        }
        if let Some((extended, rest)) = extended {
            buffer.extended(extended);
            buffer.saves(extended);
            buffer.tags.bytes("CbExtra", rest);
        }
    }

    /// Writes the tags of a guiding text.
    pub fn text(&mut self, text: &TextRecord, extended: Option<&ExtendedRecord>) {
        self.prepare(text.tournament.get(), text.source.get(), true);
        self.tournament(text.tournament.get(), 0);
        let mut buffer = self.buffer();
        buffer.round(text.round, text.sub_round);
        buffer.annotator(text.annotator.get());
        self.tournament(text.tournament.get(), 1);
        self.source(text.source.get());
        let mut buffer = self.buffer();
        if text.kind & !(TYPE_ALWAYS | TYPE_TEXT | TYPE_DELETED) != 0 {
            buffer.tags.put("CbType", text.kind);
        }
        if text.flags.get() != 0 {
            buffer
                .tags
                .put("CbTextFlags", format_args!("{:#x}", text.flags.get()));
        }
        buffer.tags.bytes("CbTextUnknown5", &text.unknown_5);
        buffer.tags.bytes("CbTextUnknown22", &text.unknown_22);
        if let Some(extended) = extended {
            buffer.saves(extended);
        }
    }

    fn buffer(&mut self) -> TagBuffer<'_> {
        TagBuffer {
            tables: self.tables,
            texts: self.texts,
            tags: self.tags,
        }
    }

    /// Puts the tags of a tournament, its names only if they are asked for, and a source into the caches.
    fn prepare(&mut self, tournament: u32, source: u32, has_names: bool) {
        let (tables, texts) = (self.tables, self.texts);
        let buffer = |tags| TagBuffer {
            tables,
            texts,
            tags,
        };
        let SharedTags {
            tournaments,
            sources,
            players: _,
        } = &mut *self.shared;
        if let Some((false, (id, [names, details]))) = tournaments.slot(tournament) {
            *id = Some(tournament);
            names.clear();
            details.clear();
            let record = entity(tables.tournaments.as_ref(), tournament);
            if has_names {
                buffer(names).event(tournament, record);
            }
            buffer(details).tournament(tournament, record);
        }
        if let Some((false, (id, tags))) = sources.slot(source) {
            *id = Some(source);
            tags.clear();
            buffer(tags).source(source);
        }
    }

    /// Appends the cached tags of a player; `last` is the tag for a last name that would be split wrongly.
    fn player(&mut self, tag: &str, last: &str, id: u32) {
        let Some((is_cached, (cached, player))) = self.shared.players.slot(id) else {
            return;
        };
        if !is_cached {
            let record = entity(self.tables.players.as_ref(), id);
            *cached = Some(id);
            player.name.clear();
            player.last = record.and_then(|record| {
                write_player(record, self.texts, &mut player.name);
                irregular_last_name(record, self.texts)
            });
            if player.name.is_empty() {
                player.name.push('?');
            }
        }
        self.tags.push(tag, &player.name);
        self.tags.number_last(id);
        if let Some(name) = &player.last {
            self.tags.push(last, name);
        }
    }

    /// Appends the cached tags of a tournament: part 0 has its names, part 1 its other fields.
    fn tournament(&mut self, id: u32, part: usize) {
        let Some((_, (id, parts))) = self.shared.tournaments.slot(id) else {
            return;
        };
        let Some(tags) = parts.get(part) else {
            return;
        };
        self.tags.append(tags);
        // Unusually long tags are not kept in memory.
        if part == 1 && tags.size() > MAX_CACHED_BYTES {
            (*id, *parts) = (None, <[Tags; 2]>::default());
        }
    }

    /// Appends the cached tags of a source.
    fn source(&mut self, id: u32) {
        if let Some((_, (_, tags))) = self.shared.sources.slot(id) {
            self.tags.append(tags);
        }
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::io::{Blob, Charset, Sink};
    use zerocopy::{FromZeros, IntoBytes};

    use super::*;
    use crate::games::cbh::entities::EntityTable;
    use crate::games::cbh::records::{ENTITY_MAGIC, PlayerRecord, TournamentRecord, U24};

    /// Tournaments titled by their ids; the id is also the number of rounds.
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
    fn cached_names_are_those_of_the_player() {
        let count = 2100_u16;
        let mut sink = Sink::new();
        let size = size_of::<PlayerRecord>() as u32;
        for value in [u32::from(count), 0, ENTITY_MAGIC, size, u32::MAX, 0, 0] {
            sink.u32_le(value);
        }
        for number in 0..count {
            sink.zeros(9);
            let mut record = PlayerRecord::new_zeroed();
            let name = match number {
                1029 => "A, B".to_owned(),
                2053 => String::new(),
                _ => format!("No. {number}"),
            };
            record.last_name[..name.len()].copy_from_slice(name.as_bytes());
            sink.bytes(record.as_bytes());
        }
        let tables = Tables {
            players: Some(EntityTable::new(Blob::from(sink.into_vec())).unwrap()),
            ..Tables::default()
        };
        let mut shared = SharedTags::default();
        let mut game = GameRecord::new_zeroed();
        // The first numbers share a slot; the last is of no player.
        for number in [5, 1029, 2053, 5, 1029, 1030, 1029, 9999] {
            game.white = U24::new(number);
            game.black = U24::new(5);
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
            let (name, last) = match number {
                1029 => ("A, B".to_owned(), Some("A, B")),
                2053 | 9999 => ("?".to_owned(), None),
                _ => (format!("No. {number}"), None),
            };
            assert_eq!(tags.text("White"), name);
            assert_eq!(tags.get("CbWhiteLast"), last);
            assert_eq!(
                (tags.text("Black"), tags.get("CbBlackLast")),
                ("No. 5", None)
            );
            for (index, id) in tags.numbers() {
                match tags.pair(*index as usize) {
                    Some(("White", _)) => assert_eq!(*id, number),
                    Some(("Black", _)) => assert_eq!(*id, 5),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn cached_tags_are_those_of_the_tournament() {
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
