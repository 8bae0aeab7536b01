//! Headers as tags, with the names that they have for `.cbh`. Zero and empty values produce no tag.

use tabia_core::game::Tags;

use super::names::{EntityKind, Names, Player, Source, Team, Tournament, USUAL_BYTES, titles};
use super::records::{AnalysisRecord, GameRecord, Record, TextRecord, id};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::field_codecs::{CHESS960_ECO, decode_date, decode_eco, decode_result};
use crate::games::cbh::records::RATING_DEFAULT;
use crate::games::cbh::tags::{BLACK_TEAM, GAME_TAG_NAMES, ValueTags as _, WHITE_TEAM, event_type};
use crate::games::cbh::timestamps;

/// Looks up names by number; a missing name has empty fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookup<'d> {
    pub(super) names: Option<&'d Names>,
    pub(super) texts: Texts,
}

impl<'d> Lookup<'d> {
    pub(super) fn player(self, number: u32) -> Player<'d> {
        let fields = self
            .names
            .and_then(|names| names.get(EntityKind::Player, number));
        fields
            .and_then(|fields| Player::read(fields).ok())
            .unwrap_or_default()
    }

    pub(super) fn tournament(self, number: u32) -> Tournament<'d> {
        let names = self.names;
        let fields = names.and_then(|names| names.get(EntityKind::Tournament, number));
        fields
            .and_then(|fields| Tournament::read(fields).ok())
            .unwrap_or_default()
    }

    pub(super) fn source(self, number: u32) -> Source<'d> {
        let fields = self
            .names
            .and_then(|names| names.get(EntityKind::Source, number));
        fields
            .and_then(|fields| Source::read(fields).ok())
            .unwrap_or_default()
    }

    pub(super) fn team(self, number: u32) -> Team<'d> {
        let fields = self
            .names
            .and_then(|names| names.get(EntityKind::Team, number));
        fields
            .and_then(|fields| Team::read(fields).ok())
            .unwrap_or_default()
    }

    /// The titles of a game tag: nation and text.
    pub(super) fn titles(self, number: u32) -> Vec<(i32, &'d [u8])> {
        let fields = self
            .names
            .and_then(|names| names.get(EntityKind::Tag, number));
        fields
            .and_then(|fields| titles(fields).ok())
            .unwrap_or_default()
    }

    /// Whether the last name of a player would be split wrongly when its tag is read again, and has one of its own.
    pub(super) fn has_last_name_tag(self, number: u32) -> bool {
        let last = self.texts.plain(self.player(number).last);
        last.contains(',') || last == "?"
    }

    /// `Last, First`; `""` if the name is missing.
    pub(super) fn player_name(self, number: u32) -> String {
        join_player(&self.player(number), self.texts)
    }
}

/// `Last, First`; `""` if both are empty.
pub(super) fn join_player(player: &Player<'_>, texts: Texts) -> String {
    let mut name = texts.plain(player.last).into_owned();
    if !player.first.is_empty() {
        name.push_str(", ");
        name.push_str(&texts.plain(player.first));
    }
    name
}

/// `5`, `5.2` or `?.2`; `""` if both are 0.
pub(super) fn round_name(round: u16, sub_round: u16) -> String {
    match (round, sub_round) {
        (0, 0) => String::new(),
        (0, sub_round) => format!("?.{sub_round}"),
        (round, 0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
    }
}

/// Writes the tags of one record.
#[derive(Debug)]
pub(super) struct TagWriter<'t, 'd> {
    pub(super) lookup: Lookup<'d>,
    pub(super) tags: &'t mut Tags,
}

impl<'d> TagWriter<'_, 'd> {
    pub(super) fn game(&mut self, game: &GameRecord) {
        let tournament = self.event(id(game.tournament));
        if let Some(date) = decode_date(game.date.get()) {
            self.tags.put("Date", date);
        } else {
            self.tags.push("Date", "????.??.??");
            self.tags.put("CbDate", game.date);
        }
        self.round(game.round.get(), game.sub_round.get());
        for (tag, last, number) in [
            ("White", "CbWhiteLast", game.white),
            ("Black", "CbBlackLast", game.black),
        ] {
            self.player(tag, last, id(number));
        }
        let result = decode_result(game.result);
        self.tags.push("Result", result.unwrap_or_default().pgn());
        if result.is_none() {
            self.tags.put("CbResult", game.result);
        }
        match decode_eco(game.eco.get()) {
            Some(eco) => {
                self.tags.put("ECO", eco);
                self.tags.number("CbEcoSub", eco.sub());
            }
            None if game.eco.get() < CHESS960_ECO => self.tags.number("CbEco", game.eco.get()),
            None => {}
        }
        self.tags.number("WhiteElo", game.white_elo.get());
        self.tags.number("BlackElo", game.black_elo.get());
        self.tags.number("Board", game.board.get());
        self.annotator(id(game.annotator));
        self.put_after_annotator(game, &tournament);
    }

    /// Writes those tags of a game that are no names with a number, no date, no result and no rating.
    pub(super) fn rest(&mut self, game: &GameRecord) {
        if let Some(eco) = decode_eco(game.eco.get()) {
            self.tags.number("CbEcoSub", eco.sub());
        }
        self.tags.number("Board", game.board.get());
        let tournament = id(game.tournament).map(|number| self.lookup.tournament(number));
        self.put_after_annotator(game, &tournament.unwrap_or_default());
    }

    /// Writes the tags of a game that come after the one of its annotator.
    fn put_after_annotator(&mut self, game: &GameRecord, tournament: &Tournament<'d>) {
        self.tournament(tournament);
        self.source(id(game.source));
        for (number, names) in [(game.white_team, WHITE_TEAM), (game.black_team, BLACK_TEAM)] {
            self.team(id(number), names);
        }
        for (number, names) in [
            (game.white, ["WhiteFideId", "Cb2WhiteNumber"]),
            (game.black, ["BlackFideId", "Cb2BlackNumber"]),
        ] {
            self.player_numbers(id(number), names);
        }
        self.tags.number("CbLineEvaluation", game.line_evaluation);
        self.titles(id(game.tag));
        for (rating, [classic, own]) in [
            (&game.white_rating, ["CbWhiteRating", "Cb2WhiteRating"]),
            (&game.black_rating, ["CbBlackRating", "Cb2BlackRating"]),
        ] {
            self.rating(rating, classic, own);
        }
        for (tag, bytes) in [
            ("Cb2Endgames", game.endgames.as_slice()),
            ("Cb2Scores", &game.scores),
            ("Cb2Unknown1", &[game.unknown_1]),
            ("Cb2Unknown4", &game.unknown_4),
            ("Cb2Unknown148", &game.unknown_148),
            ("Cb2Unknown174", &game.unknown_174),
            ("Cb2Unknown182", &game.unknown_182),
        ] {
            self.tags.bytes(tag, bytes);
        }
        self.saves(game.created.get(), game.changed.get(), game.version.get());
    }

    pub(super) fn text(&mut self, text: &TextRecord) {
        let tournament = self.event(id(text.tournament));
        self.round(0, 0);
        self.annotator(id(text.annotator));
        self.tournament(&tournament);
        self.source(id(text.source));
        if text.media.get() > 0 && text.media.get() != NO_MEDIA {
            self.tags.put("Cb2Media", text.media);
        }
        self.first_bytes(text.unknown_1);
        self.tags.bytes("Cb2Unknown68", &text.unknown_68);
        self.saves(text.created.get(), 0, text.version.get());
    }

    pub(super) fn analysis(&mut self, analysis: &AnalysisRecord) {
        for tag in ["Event", "Site", "Date", "Round", "White", "Black"] {
            let unknown = if tag == "Date" { "????.??.??" } else { "?" };
            self.tags.push(tag, unknown);
        }
        self.tags.push("Result", "*");
        self.tags.push("Cb2Content", "analysis");
        self.annotator(id(analysis.author));
        self.source(id(analysis.source));
        self.titles(id(analysis.title));
        self.first_bytes(analysis.unknown_1);
        self.tags.bytes("Cb2Unknown48", &analysis.unknown_48);
    }

    /// Bytes 1 and 4 to 7 of a text or an analysis.
    fn first_bytes(&mut self, [one, _, _, rest @ ..]: [u8; 7]) {
        self.tags.bytes("Cb2Unknown1", &[one]);
        self.tags.bytes("Cb2Unknown4", &rest);
    }

    /// The bytes of the kind, if a writer would write others.
    pub(super) fn kind(&mut self, record: Record<'_>) {
        let (bytes, usual) = (record.kind_bytes(), record.usual_kind_bytes());
        if bytes != usual {
            self.tags.hex("Cb2Kind", &bytes);
        }
    }

    /// A player; `last` is the tag for a last name that would be split wrongly when read again.
    fn player(&mut self, tag: &str, last: &str, number: Option<u32>) {
        let name = number.map(|number| self.lookup.player_name(number));
        self.tags.push(tag, or_unknown(&name.unwrap_or_default()));
        if let Some(number) = number.filter(|number| self.lookup.has_last_name_tag(*number)) {
            let stored = self.lookup.player(number).last;
            self.tags.push(last, &self.lookup.texts.plain(stored));
        }
    }

    fn event(&mut self, number: Option<u32>) -> Tournament<'d> {
        let lookup = self.lookup;
        let tournament = number.map(|number| lookup.tournament(number));
        let tournament = tournament.unwrap_or_default();
        let texts = lookup.texts;
        self.tags
            .push("Event", or_unknown(&texts.plain(tournament.title)));
        self.tags
            .push("Site", or_unknown(&texts.plain(tournament.site)));
        tournament
    }

    fn round(&mut self, round: u16, sub_round: u16) {
        let name = round_name(round, sub_round);
        self.tags.push("Round", or_unknown(&name));
    }

    fn annotator(&mut self, number: Option<u32>) {
        let name = number.map(|number| self.lookup.player_name(number));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.tags.push("Annotator", &name);
        }
    }

    fn tournament(&mut self, tournament: &Tournament<'_>) {
        self.tags.date("EventDate", "CbEventDate", tournament.date);
        if let Some(words) = event_type(tournament.kind, tournament.team & 1 != 0) {
            self.tags.push("EventType", &words);
        } else {
            self.tags.number("CbEventType", tournament.kind);
            self.tags.number("CbEventTeam", tournament.team & 1);
        }
        self.tags.number("EventRounds", tournament.rounds);
        self.tags
            .nation("EventCountry", "CbEventNation", tournament.nation);
        self.tags.number("EventCategory", tournament.category);
        self.tags.number("CbEventFlags", tournament.flags);
        self.tags.number("CbEventUnknown75", tournament.team & !1);
        for (tag, bits) in [
            ("CbEventLatitude", tournament.latitude),
            ("CbEventLongitude", tournament.longitude),
        ] {
            if bits != 0 {
                self.tags.put(tag, f32::from_bits(bits));
            }
        }
        self.tags.number("Cb2EventNationNow", tournament.nation_now);
        if tournament.unknown != USUAL_BYTES {
            self.tags.hex("Cb2EventUnknown21", &tournament.unknown);
        }
        self.tie_breaks(&tournament.tie_breaks);
        self.tags
            .date("CbEventEndDate", "CbEventEndDateRaw", tournament.end_date);
    }

    fn source(&mut self, number: Option<u32>) {
        let Some(number) = number else {
            return;
        };
        let source = self.lookup.source(number);
        self.field("SourceTitle", source.title);
        self.field("Source", source.publisher);
        self.tags
            .date("SourceDate", "CbSourceDate", source.publication);
        self.tags.number("SourceVersion", source.version);
        self.tags
            .date("SourceVersionDate", "CbSourceVersionDate", source.date);
        self.tags.number("SourceQuality", source.quality);
    }

    fn team(&mut self, number: Option<u32>, names: [&str; 6]) {
        let Some(number) = number else {
            return;
        };
        let team = self.lookup.team(number);
        self.field(names[0], team.title);
        self.tags.nation(names[1], names[2], team.nation);
        self.tags.number(names[3], team.number);
        if team.year != 0 {
            self.tags.put(names[4], team.year);
        }
        self.tags.number(names[5], team.season);
    }

    fn player_numbers(&mut self, number: Option<u32>, [fide, chessbase]: [&str; 2]) {
        let Some(number) = number else {
            return;
        };
        let player = self.lookup.player(number);
        if player.fide > 0 {
            self.tags.put(fide, player.fide);
        }
        if player.number > 0 {
            self.tags.put(chessbase, player.number);
        }
    }

    fn titles(&mut self, number: Option<u32>) {
        let Some(number) = number else {
            return;
        };
        for (nation, title) in self.lookup.titles(number) {
            match title_name(nation) {
                Some(name) => self.field(name, title),
                None => self.field(&format!("Cb2GameTag{nation}"), title),
            }
        }
    }

    /// Rules with a number in `.cbtt` under that number.
    fn tie_breaks(&mut self, rules: &[u16]) {
        if rules.is_empty() {
            return;
        }
        let words = |rules: &[u16]| {
            let words: Vec<String> = rules.iter().map(u16::to_string).collect();
            words.join(" ")
        };
        let classic: Option<Vec<u16>> = rules.iter().copied().map(classic_tie_break).collect();
        match classic {
            Some(classic) => self.tags.put("CbEventTieBreaks", words(&classic)),
            None => self.tags.put("Cb2EventTieBreaks", words(rules)),
        }
    }

    /// The type of a rating under its tag of `.cbj`, unless it is the default or has no like there.
    fn rating(&mut self, rating: &[u8; 14], classic: &str, own: &str) {
        match classic_rating(rating) {
            Some(RATING_DEFAULT) => {}
            Some(rating) if rating == [0; 16] => self.tags.put(classic, "none"),
            Some(rating) => self.tags.hex(classic, &rating),
            None => self.tags.hex(own, rating),
        }
    }

    fn saves(&mut self, created: i64, changed: i64, version: i32) {
        match u64::try_from(created) {
            Ok(0) => {}
            Ok(coarse @ 1..FINE_TIMES) => self.tags.put("CbCreated", timestamps::Created(coarse)),
            Ok(raw) if !timestamps::Created(raw >> TIME_SHIFT).is_time() => {
                self.tags.put("Cb2Created", created);
            }
            Ok(fine) => {
                let coarse = timestamps::Created(fine >> TIME_SHIFT);
                self.tags.put("CbCreated", coarse);
                let ticks = fine & ((1 << TIME_SHIFT) - 1);
                // Without it, a writer would take the coarse unit for an early time.
                if ticks != 0 || coarse.0 < FINE_TIMES {
                    self.tags.put("Cb2CreatedTicks", ticks);
                }
            }
            Err(_) => self.tags.put("Cb2Created", created),
        }
        match u64::try_from(changed) {
            Ok(0) => {}
            Ok(raw) if !timestamps::Saved(raw).is_time() => self.tags.put("CbSavedRaw", raw),
            Ok(changed) => self.tags.put("CbSaved", timestamps::Saved(changed)),
            Err(_) => self.tags.put("Cb2Changed", changed),
        }
        if version != 1 {
            self.tags.put("CbVersion", version);
        }
    }

    fn field(&mut self, tag: &str, bytes: &[u8]) {
        let text = self.lookup.texts.plain(bytes);
        if !text.is_empty() {
            self.tags.push(tag, &text);
        }
    }
}

/// Creation times from here on are in units of 1/2^22 s, earlier ones in those of `.cbj`, 1/2^10 s.
pub(super) const FINE_TIMES: u64 = 1 << 40;
/// Binary digits of the ratio of both units.
pub(super) const TIME_SHIFT: u32 = 12;
/// The media offset of a text without media.
pub(super) const NO_MEDIA: i64 = 0xffff_ffff;

/// The rules of tie-breaks with their numbers in `.cbtt`.
const TIE_BREAKS: [(u16, u16); 15] = [
    (0, 2),
    (1, 10),
    (2, 11),
    (3, 12),
    (4, 13),
    (5, 14),
    (11, 201),
    (12, 202),
    (13, 203),
    (14, 204),
    (16, 21),
    (17, 22),
    (18, 23),
    (19, 200),
    (21, 206),
];

/// The number of a rule in `.cbtt`; `None` if it has none.
fn classic_tie_break(rule: u16) -> Option<u16> {
    let found = TIE_BREAKS.iter().find(|(other, _)| *other == rule);
    found.map(|(_, classic)| *classic)
}

/// The number of a rule by that in `.cbtt`; `None` if it has none.
pub(super) fn tie_break_of_classic(classic: u16) -> Option<u16> {
    let found = TIE_BREAKS.iter().find(|(_, other)| *other == classic);
    found.map(|(rule, _)| *rule)
}

/// The type of a rating by that in `.cbj`; `None` if that is read differently again.
pub(super) fn rating_of_classic(classic: &[u8; 16]) -> Option<[u8; 14]> {
    let [_, kind, list_high, list_low, nation, name @ ..] = *classic;
    let mut rating = [
        kind, 0, list_low, list_high, nation, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    for (stored, byte) in rating.iter_mut().skip(6).zip(name) {
        *stored = byte;
    }
    (classic_rating(&rating).as_ref() == Some(classic)).then_some(rating)
}

/// The type of a rating as `.cbj` stores it; `None` if it is stored differently there or that is not
/// known: national ratings with a time control.
pub(super) fn classic_rating(rating: &[u8; 14]) -> Option<[u8; 16]> {
    let &[kind, 0, list_low, list_high, nation, 0, ref name @ ..] = rating else {
        return None;
    };
    let (class, time) = (kind & 7, kind >> 3);
    let is_known = matches!(class, 1 | 3) || class == 2 && time == 0 || *rating == [0; 14];
    let mut out = [
        0, kind, list_high, list_low, nation, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    for (stored, byte) in out.iter_mut().skip(5).zip(name) {
        *stored = *byte;
    }
    is_known.then_some(out)
}

/// The nations of titles in the order of their tags; the index of a nation is also the number of its
/// language in texts.
pub(super) const TITLE_NATIONS: [i32; 8] = [42, 53, 49, 43, 70, 103, 117, 0];

/// The tag of a title by its nation.
fn title_name(nation: i32) -> Option<&'static str> {
    let index = TITLE_NATIONS.iter().position(|&other| other == nation)?;
    GAME_TAG_NAMES.get(index).copied()
}

/// The language number of a text by its nation: 0 English, 1 German, …; 7 any. `None` if the nation
/// has no language number.
pub(super) fn text_language(nation: i32) -> Option<u16> {
    match nation {
        116 => Some(12),
        55 => Some(18),
        _ => {
            let index = TITLE_NATIONS.iter().position(|&other| other == nation)?;
            Some(index as u16)
        }
    }
}

/// The nation of a text by its language number, the reverse of [`text_language`]; `None` for an unknown
/// number.
pub(super) fn text_nation(language: u16) -> Option<i32> {
    match language {
        12 => Some(116),
        18 => Some(55),
        _ => TITLE_NATIONS.get(usize::from(language)).copied(),
    }
}

/// Bit of a text's language that is the number of a nation.
pub(super) const NATION: u16 = 0x1000;

/// The text, `?` if it is empty.
pub(super) fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "?" } else { text }
}
