//! Header facts as tags. What PGN has no tag for becomes a tag whose name begins with `Cb`
//! (FORMAT.md § Tags). A value that says nothing gets no tag.

use std::fmt::Write as _;

use tabia_core::game::{Date, Tags};

use super::charset::{Texts, until_zero};
use super::digits;
use super::entities::{Entity, EntityTable};
use super::nations;
use super::records::{
    AnnotatorRecord, ExtendedRecord, GameRecord, GameTagRecord, PlayerRecord, RATING_DEFAULT,
    SourceRecord, TOURNAMENT_EXTRA_DEFAULT, TYPE_ALWAYS, TYPE_DELETED, TYPE_TEXT, TeamRecord,
    TextRecord, TournamentExtraRecord, TournamentRecord,
};
use super::sides::{SideTable, TopGames};
use super::times;
use super::values::{CHESS960_ECO, decode_date, decode_eco, decode_result, encode_date};

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

/// `Last, First`; `""` for an unknown player.
pub fn player_name(player: &PlayerRecord, texts: Texts) -> String {
    let mut name = String::new();
    write_player(player, texts, &mut name);
    name
}

fn write_player(player: &PlayerRecord, texts: Texts, out: &mut String) {
    out.push_str(&texts.field(&player.last_name));
    let first = texts.field(&player.first_name);
    if !first.is_empty() {
        out.push_str(", ");
        out.push_str(&first);
    }
}

/// `5`, `5.2`, `""` for none.
pub fn round_name(round: u8, sub_round: u8) -> String {
    let mut name = String::new();
    write_round(round, sub_round, &mut name);
    name
}

fn write_round(round: u8, sub_round: u8, out: &mut String) {
    if (round, sub_round) != (0, 0) {
        digits::decimal(u32::from(round), out);
    }
    if sub_round != 0 {
        out.push('.');
        digits::decimal(u32::from(sub_round), out);
    }
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
            Some(date) => list.put_date("Date", date),
            None => list.raw("Date", "CbDate", game.date.get()),
        }
        list.round(game.round, game.sub_round);
        let players = list.tables.players.as_ref();
        list.player("White", "CbWhiteLast", entity(players, game.white.get()));
        list.player("Black", "CbBlackLast", entity(players, game.black.get()));
        let result = decode_result(game.result);
        list.tags.push("Result", result.unwrap_or_default().pgn());
        if result.is_none() {
            list.put("CbResult", game.result);
        }
        list.eco(game.eco.get());
        list.number("WhiteElo", game.white_elo.get());
        list.number("BlackElo", game.black_elo.get());
        list.annotator(game.annotator.get());
        self.tournament(game.tournament.get(), 1);
        self.source(game.source.get());
        let without_moves = self.without_moves;
        let mut list = self.list();
        if let Some((extended, _)) = extended {
            list.teams(extended);
        }
        if game.kind & !(TYPE_ALWAYS | TYPE_DELETED) != 0 || game.kind & TYPE_ALWAYS == 0 {
            list.put("CbType", game.kind);
        }
        list.number("CbLineEvaluation", game.line_evaluation);
        if game.annotations_at.get() == 0 {
            list.number("CbMedals", game.medals.get());
        }
        if without_moves {
            list.number("CbMoveCount", game.move_count);
        }
        if let Some(marks) = &list.tables.top_games {
            list.number("CbTopGame", marks.mark(number));
        }
        if let Some((extended, rest)) = extended {
            list.game_facts(extended);
            list.saves(extended);
            list.bytes("CbExtra", rest);
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
            list.put("CbType", text.kind);
        }
        if text.flags.get() != 0 {
            list.put("CbTextFlags", format_args!("{:#x}", text.flags.get()));
        }
        list.bytes("CbTextUnknown5", &text.unknown_5);
        list.bytes("CbTextUnknown22", &text.unknown_22);
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

/// The tags of one record, tournament or source, one after the other.
struct List<'t> {
    tables: &'t Tables,
    texts: Texts,
    tags: &'t mut Tags,
}

impl List<'_> {
    fn event(&mut self, tournament: Option<&TournamentRecord>) {
        let texts = self.texts;
        let title = tournament
            .map(|t| texts.field(&t.title))
            .unwrap_or_default();
        let place = tournament
            .map(|t| texts.field(&t.place))
            .unwrap_or_default();
        self.tags.push("Event", known(&title));
        self.tags.push("Site", known(&place));
    }

    fn round(&mut self, round: u8, sub_round: u8) {
        if (round, sub_round) == (0, 0) {
            self.tags.push("Round", "?");
        } else {
            self.tags
                .push_with("Round", |text| write_round(round, sub_round, text));
        }
    }

    fn player(&mut self, tag: &str, last: &str, player: Option<&PlayerRecord>) {
        let texts = self.texts;
        let Some(player) = player else {
            self.tags.push(tag, "?");
            return;
        };
        self.tags.push_with(tag, |text| {
            let start = text.len();
            write_player(player, texts, text);
            if text.len() == start {
                text.push('?');
            }
        });
        // The name would be cut at the wrong place.
        let bytes = until_zero(&player.last_name);
        if memchr::memchr(b',', bytes).is_some() || bytes == b"?" || !bytes.is_ascii() {
            let last_name = texts.plain(bytes);
            if last_name.contains(',') || &*last_name == "?" {
                self.tags.push(last, &last_name);
            }
        }
    }

    fn eco(&mut self, value: u16) {
        match decode_eco(value) {
            Some(eco) => {
                self.tags.push_with("ECO", |text| digits::eco(eco, text));
                self.number("CbEcoSub", eco.sub());
            }
            None if value < CHESS960_ECO => self.number("CbEco", value),
            // The number of a Chess960 start: the start position says it.
            None => {}
        }
    }

    fn annotator(&mut self, id: u32) {
        if let Some(annotator) = entity(self.tables.annotators.as_ref(), id) {
            self.field("Annotator", &annotator.name);
        }
    }

    fn tournament(&mut self, id: u32, tournament: Option<&TournamentRecord>) {
        let Some(tournament) = tournament else {
            return;
        };
        self.date("EventDate", "CbEventDate", tournament.date.get());
        let (kind, team) = (tournament.kind, tournament.team);
        if let Some(words) = event_type(kind, team & 1 != 0) {
            self.tags.push("EventType", &words);
        } else {
            self.number("CbEventType", kind);
            self.number("CbEventTeam", team & 1);
        }
        self.number("EventRounds", tournament.rounds);
        self.nation("EventCountry", "CbEventNation", tournament.nation);
        self.number("EventCategory", tournament.category);
        self.number("CbEventFlags", tournament.flags);
        self.number("CbEventUnknown75", team & !1);
        self.number("CbEventUnknown77", tournament.unknown_77);
        self.number("CbEventUnknown81", tournament.unknown_81);
        if let Some(extras) = &self.tables.tournament_extras {
            let (extra, rest) = extras.tournament(id);
            self.tournament_extra(&extra);
            self.bytes("CbEventExtra", rest);
        }
    }

    fn tournament_extra(&mut self, extra: &TournamentExtraRecord) {
        for (tag, degrees) in [
            ("CbEventLatitude", extra.latitude.get()),
            ("CbEventLongitude", extra.longitude.get()),
        ] {
            if degrees.to_bits() != 0 {
                self.put(tag, degrees);
            }
        }
        if extra.unknown_16 != TOURNAMENT_EXTRA_DEFAULT.unknown_16 {
            self.hex("CbEventUnknown16", &extra.unknown_16);
        }
        let count = usize::from(extra.tie_break_count);
        let rules = extra.tie_breaks.split_at_checked(count);
        match rules {
            Some((used, unused)) if unused.iter().all(|&rule| rule == 1) => {
                let words: Vec<String> = used.iter().map(u8::to_string).collect();
                if !words.is_empty() {
                    self.tags.push("CbEventTieBreaks", &words.join(" "));
                }
            }
            _ => {
                self.hex("CbEventTieBreakBytes", &extra.tie_breaks);
                self.number("CbEventTieBreakCount", extra.tie_break_count);
            }
        }
        self.date("CbEventEndDate", "CbEventEndDateRaw", extra.end_date.get());
    }

    fn source(&mut self, id: u32) {
        let Some(source) = entity(self.tables.sources.as_ref(), id) else {
            return;
        };
        self.field("SourceTitle", &source.title);
        self.field("Source", &source.publisher);
        self.date("SourceDate", "CbSourceDate", source.publication.get());
        self.number("SourceVersion", source.version);
        self.date(
            "SourceVersionDate",
            "CbSourceVersionDate",
            source.date.get(),
        );
        self.number("SourceQuality", source.quality);
    }

    fn teams(&mut self, extended: &ExtendedRecord) {
        let sides = [
            (extended.white_team.get(), WHITE_TEAM),
            (extended.black_team.get(), BLACK_TEAM),
        ];
        for (id, names) in sides {
            let Some(team) = u32::try_from(id)
                .ok()
                .and_then(|id| entity(self.tables.teams.as_ref(), id))
            else {
                continue;
            };
            self.field(names[0], &team.title);
            self.nation(names[1], names[2], team.nation);
            if team.number.get() != 0 {
                self.put(names[3], team.number);
            }
            if team.year.get() != 0 {
                self.put(names[4], team.year);
            }
            self.number(names[5], team.season);
        }
    }

    /// Facts of `.cbj` that only games have.
    fn game_facts(&mut self, extended: &ExtendedRecord) {
        for (tag, rating) in [
            ("CbWhiteRating", &extended.white_rating),
            ("CbBlackRating", &extended.black_rating),
        ] {
            if *rating == [0; 16] {
                self.tags.push(tag, "none");
            } else if *rating != RATING_DEFAULT {
                self.hex(tag, rating);
            }
        }
        if extended.media_at.get() > 0 {
            self.put("CbMedia", extended.media_at);
        }
        let strong = extended.material_strong.get();
        let weak = extended.material_weak.get();
        let total = extended.material_total.get();
        if (strong, weak, total) != (0, 0, 0xfffe) {
            self.tags.push_with("CbMaterial", |text| {
                digits::hexadecimal(strong, text);
                text.push(' ');
                digits::hexadecimal(weak, text);
                text.push(' ');
                digits::hexadecimal(u32::from(total), text);
            });
        }
        self.bytes("CbUnknown70", &extended.unknown_70);
        self.bytes("CbUnknown74", &extended.unknown_74);
        self.bytes("CbEndgames", &extended.endgames);
    }

    /// Facts of `.cbj` that games and texts have.
    fn saves(&mut self, extended: &ExtendedRecord) {
        if extended.version.get() != 1 {
            let version = u32::from(extended.version.get());
            self.tags
                .push_with("CbVersion", |text| digits::decimal(version, text));
        }
        if extended.created.get() != 0 {
            let created = times::Created(extended.created.get());
            self.tags.push_with("CbCreated", |text| created.write(text));
        }
        if extended.saved.get() != 0 {
            let saved = times::Saved(extended.saved.get());
            self.tags.push_with("CbSaved", |text| saved.write(text));
        }
        let tag = u32::try_from(extended.game_tag.get()).ok();
        let tag = tag.and_then(|id| entity(self.tables.game_tags.as_ref(), id));
        if let Some(tag) = tag {
            for (name, title) in GAME_TAG_NAMES.iter().zip(&tag.titles) {
                self.field(name, title);
            }
        }
    }

    fn put(&mut self, tag: &str, value: impl std::fmt::Display) {
        self.tags.push_with(tag, |text| {
            let _ = write!(text, "{value}");
        });
    }

    fn put_date(&mut self, tag: &str, date: Date) {
        self.tags.push_with(tag, |text| digits::date(date, text));
    }

    fn raw(&mut self, tag: &str, raw: &str, value: u32) {
        self.tags.push(tag, "????.??.??");
        self.put(raw, value);
    }

    fn number(&mut self, tag: &str, value: impl Into<u32>) {
        let value = value.into();
        if value != 0 {
            self.tags
                .push_with(tag, |text| digits::decimal(value, text));
        }
    }

    fn hex(&mut self, tag: &str, bytes: &[u8]) {
        self.tags.push_with(tag, |text| digits::hex(bytes, text));
    }

    fn field(&mut self, tag: &str, bytes: &[u8]) {
        if bytes.first() == Some(&0) {
            return;
        }
        let text = self.texts.field(bytes);
        if !text.is_empty() {
            self.tags.push(tag, &text);
        }
    }

    fn date(&mut self, tag: &str, raw: &str, value: u32) {
        match decode_date(value) {
            Some(Date::UNKNOWN) => {}
            Some(date) if encode_date(date) == value => self.put_date(tag, date),
            _ => self.put(raw, value),
        }
    }

    fn nation(&mut self, tag: &str, raw: &str, number: u8) {
        match nations::code(number) {
            Some(code) => {
                self.tags.push(tag, code);
                if nations::number(code) != Some(number) {
                    self.put(raw, number);
                }
            }
            None => self.number(raw, number),
        }
    }

    fn bytes(&mut self, tag: &str, bytes: &[u8]) {
        if bytes.iter().any(|&byte| byte != 0) {
            self.hex(tag, bytes);
        }
    }
}

/// Title, country, nation number, number, year, season.
const WHITE_TEAM: [&str; 6] = [
    "WhiteTeam",
    "WhiteTeamCountry",
    "CbWhiteTeamNation",
    "CbWhiteTeamNumber",
    "CbWhiteTeamYear",
    "CbWhiteTeamSeason",
];
const BLACK_TEAM: [&str; 6] = [
    "BlackTeam",
    "BlackTeamCountry",
    "CbBlackTeamNation",
    "CbBlackTeamNumber",
    "CbBlackTeamYear",
    "CbBlackTeamSeason",
];

/// The titles of game tags, in stored order.
pub const GAME_TAG_NAMES: [&str; 8] = [
    "CbGameTagEnglish",
    "CbGameTagGerman",
    "CbGameTagFrench",
    "CbGameTagSpanish",
    "CbGameTagItalian",
    "CbGameTagDutch",
    "CbGameTagPortuguese",
    "CbGameTagOther",
];

/// Words of `EventType` by the low five bits of a tournament's type.
const EVENT_TYPES: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// The `EventType` of a tournament: `swiss`, `team-tourn (rapid)`, …. `None` when there is none or
/// words cannot say it.
pub fn event_type(kind: u8, team: bool) -> Option<String> {
    let word = EVENT_TYPES.get(usize::from(kind & 0x1f))?;
    let pace = match kind >> 5 {
        0 => "",
        1 => " (blitz)",
        2 => " (rapid)",
        4 => " (corr)",
        _ => return None,
    };
    if word.is_empty() {
        return None;
    }
    let team = if team { "team-" } else { "" };
    Some(format!("{team}{word}{pace}"))
}

/// The reverse of [`event_type`].
pub fn parse_event_type(text: &str) -> Option<(u8, bool)> {
    let (team, text) = match text.strip_prefix("team-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (word, pace) = match text.split_once(' ') {
        None => (text, 0),
        Some((word, "(blitz)")) => (word, 1),
        Some((word, "(rapid)")) => (word, 2),
        Some((word, "(corr)")) => (word, 4),
        Some(_) => return None,
    };
    let kind = EVENT_TYPES
        .iter()
        .skip(1)
        .position(|&known| known == word)?;
    Some(((kind as u8 + 1) | pace << 5, team))
}

fn known(text: &str) -> &str {
    if text.is_empty() { "?" } else { text }
}

#[cfg(test)]
mod tests {
    use tabia_core::io::{Blob, Charset, Sink};
    use zerocopy::{FromZeros, IntoBytes};

    use super::*;
    use crate::cbh::records::{ENTITY_MAGIC, U24};

    #[test]
    fn event_types_are_in_words() {
        let words = |kind, team| event_type(kind, team);
        assert_eq!(words(4, false).as_deref(), Some("swiss"));
        assert_eq!(words(3 | 0x40, true).as_deref(), Some("team-tourn (rapid)"));
        assert_eq!(words(0, true), None);
        assert_eq!(words(9, false), None);
        assert_eq!(words(2 | 0x60, false), None);
        for kind in 0..=u8::MAX {
            for team in [false, true] {
                if let Some(text) = words(kind, team) {
                    assert_eq!(parse_event_type(&text), Some((kind, team)));
                }
            }
        }
        assert_eq!(parse_event_type("open"), None);
    }

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

    #[test]
    fn rounds_have_sub_rounds() {
        assert_eq!(round_name(0, 0), "");
        assert_eq!(round_name(5, 0), "5");
        assert_eq!(round_name(5, 2), "5.2");
        assert_eq!(round_name(0, 2), "0.2");
    }
}
