//! Header facts as tags. What PGN has no tag for becomes a tag whose name begins with `Cb`
//! (FORMAT.md § Tags). A value that says nothing gets no tag.

use std::fmt::Write as _;

use tabia_core::game::{Date, Tags};

use super::charset::Texts;
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
    let mut name = texts.field(&player.last_name).into_owned();
    let first = texts.field(&player.first_name);
    if !first.is_empty() {
        name.push_str(", ");
        name.push_str(&first);
    }
    name
}

/// `5`, `5.2`, `""` for none.
pub fn round_name(round: u8, sub_round: u8) -> String {
    match (round, sub_round) {
        (0, 0) => String::new(),
        (round, 0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
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
    /// Scratch space.
    pub value: &'t mut String,
}

impl TagWriter<'_> {
    /// The tags of a game, `number` from 1; `extended` with the bytes behind it.
    pub fn game(
        &mut self,
        number: u32,
        game: &GameRecord,
        extended: Option<(&ExtendedRecord, &[u8])>,
    ) {
        let tournament = entity(self.tables.tournaments.as_ref(), game.tournament.get());
        self.event(tournament);
        match decode_date(game.date.get()) {
            Some(date) => self.put("Date", date),
            None => self.raw("Date", "CbDate", game.date.get()),
        }
        self.round(game.round, game.sub_round);
        let players = self.tables.players.as_ref();
        self.player("White", "CbWhiteLast", entity(players, game.white.get()));
        self.player("Black", "CbBlackLast", entity(players, game.black.get()));
        let result = decode_result(game.result);
        self.tags.push("Result", result.unwrap_or_default().pgn());
        if result.is_none() {
            self.put("CbResult", game.result);
        }
        self.eco(game.eco.get());
        self.number("WhiteElo", game.white_elo.get());
        self.number("BlackElo", game.black_elo.get());
        self.annotator(game.annotator.get());
        self.tournament(game.tournament.get(), tournament);
        self.source(game.source.get());
        if let Some((extended, _)) = extended {
            self.teams(extended);
        }
        if game.kind & !(TYPE_ALWAYS | TYPE_DELETED) != 0 || game.kind & TYPE_ALWAYS == 0 {
            self.put("CbType", game.kind);
        }
        self.number("CbLineEvaluation", game.line_evaluation);
        if game.annotations_at.get() == 0 {
            self.number("CbMedals", game.medals.get());
        }
        if self.without_moves {
            self.number("CbMoveCount", game.move_count);
        }
        if let Some(marks) = &self.tables.top_games {
            self.number("CbTopGame", marks.mark(number));
        }
        if let Some((extended, rest)) = extended {
            self.game_facts(extended);
            self.saves(extended);
            self.bytes("CbExtra", rest);
        }
    }

    /// The tags of a guiding text.
    pub fn text(&mut self, text: &TextRecord, extended: Option<&ExtendedRecord>) {
        let tournament = entity(self.tables.tournaments.as_ref(), text.tournament.get());
        self.event(tournament);
        self.round(text.round, text.sub_round);
        self.annotator(text.annotator.get());
        self.tournament(text.tournament.get(), tournament);
        self.source(text.source.get());
        if text.kind & !(TYPE_ALWAYS | TYPE_TEXT | TYPE_DELETED) != 0 {
            self.put("CbType", text.kind);
        }
        if text.flags.get() != 0 {
            self.put("CbTextFlags", format_args!("{:#x}", text.flags.get()));
        }
        self.bytes("CbTextUnknown5", &text.unknown_5);
        self.bytes("CbTextUnknown22", &text.unknown_22);
        if let Some(extended) = extended {
            self.saves(extended);
        }
    }

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
        self.tags
            .push("Round", known(&round_name(round, sub_round)));
    }

    fn player(&mut self, tag: &str, last: &str, player: Option<&PlayerRecord>) {
        let Some(player) = player else {
            self.tags.push(tag, "?");
            return;
        };
        self.tags.push(tag, known(&player_name(player, self.texts)));
        // The name would be cut at the wrong place.
        let last_name = self.texts.field(&player.last_name);
        if last_name.contains(',') || &*last_name == "?" {
            self.tags.push(last, &last_name);
        }
    }

    fn eco(&mut self, value: u16) {
        match decode_eco(value) {
            Some(eco) => {
                self.put("ECO", eco);
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
            self.put("CbEventUnknown16", Hex(&extra.unknown_16));
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
                self.put("CbEventTieBreakBytes", Hex(&extra.tie_breaks));
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
                self.put(tag, Hex(rating));
            }
        }
        if extended.media_at.get() > 0 {
            self.put("CbMedia", extended.media_at);
        }
        let strong = extended.material_strong.get();
        let weak = extended.material_weak.get();
        let total = extended.material_total.get();
        if (strong, weak, total) != (0, 0, 0xfffe) {
            self.put("CbMaterial", format_args!("{strong:x} {weak:x} {total:x}"));
        }
        self.bytes("CbUnknown70", &extended.unknown_70);
        self.bytes("CbUnknown74", &extended.unknown_74);
        self.bytes("CbEndgames", &extended.endgames);
    }

    /// Facts of `.cbj` that games and texts have.
    fn saves(&mut self, extended: &ExtendedRecord) {
        if extended.version.get() != 1 {
            self.put("CbVersion", extended.version);
        }
        if extended.created.get() != 0 {
            self.put("CbCreated", times::Created(extended.created.get()));
        }
        if extended.saved.get() != 0 {
            self.put("CbSaved", times::Saved(extended.saved.get()));
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
        self.value.clear();
        let _ = write!(self.value, "{value}");
        self.tags.push(tag, self.value);
    }

    fn raw(&mut self, tag: &str, raw: &str, value: u32) {
        self.tags.push(tag, "????.??.??");
        self.put(raw, value);
    }

    fn number(&mut self, tag: &str, value: impl Into<u32>) {
        let value = value.into();
        if value != 0 {
            self.put(tag, value);
        }
    }

    fn field(&mut self, tag: &str, bytes: &[u8]) {
        let text = self.texts.field(bytes);
        if !text.is_empty() {
            self.tags.push(tag, &text);
        }
    }

    fn date(&mut self, tag: &str, raw: &str, value: u32) {
        match decode_date(value) {
            Some(Date::UNKNOWN) => {}
            Some(date) if encode_date(date) == value => self.put(tag, date),
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
            self.put(tag, Hex(bytes));
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

/// Bytes in hexadecimal.
struct Hex<'a>(&'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn rounds_have_sub_rounds() {
        assert_eq!(round_name(0, 0), "");
        assert_eq!(round_name(5, 0), "5");
        assert_eq!(round_name(5, 2), "5.2");
        assert_eq!(round_name(0, 2), "0.2");
    }
}
