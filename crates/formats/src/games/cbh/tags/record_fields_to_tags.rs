//! Appends the tags of a record, tournament or source, in order.

use tabia_core::decimal_digits;
use tabia_core::game::Tags;

use super::format_values::{event_type, write_round};
use super::put_tag_values::{BLACK_TEAM, ValueTags as _, WHITE_TEAM};
use crate::games::cbh::charset::{Texts, ascii_length, until_zero};
use crate::games::cbh::entity_and_side_tables::{Tables, entity};
use crate::games::cbh::field_codecs::{CHESS960_ECO, decode_eco};
use crate::games::cbh::records::{
    ExtendedRecord, PlayerRecord, RATING_DEFAULT, TOURNAMENT_EXTRA_DEFAULT, TournamentExtraRecord,
    TournamentRecord,
};
use crate::games::cbh::{hexadecimal, timestamps};

/// The tags of one record, tournament or source.
pub(super) struct TagBuffer<'t> {
    pub(super) tables: &'t Tables,
    pub(super) texts: Texts,
    pub(super) tags: &'t mut Tags,
}

impl TagBuffer<'_> {
    pub(super) fn event(&mut self, id: u32, tournament: Option<&TournamentRecord>) {
        let texts = self.texts;
        let title = tournament
            .map(|t| texts.field(&t.title))
            .unwrap_or_default();
        let site = tournament.map(|t| texts.field(&t.site)).unwrap_or_default();
        self.tags.push("Event", or_unknown(&title));
        self.tags.number_last(id);
        self.tags.push("Site", or_unknown(&site));
        self.tags.number_last(id);
    }

    pub(super) fn round(&mut self, round: u8, sub_round: u8) {
        if (round, sub_round) == (0, 0) {
            self.tags.push("Round", "?");
        } else {
            self.tags
                .push_with("Round", |text| write_round(round, sub_round, text));
            self.tags
                .number_last(u32::from(round) << 8 | u32::from(sub_round));
        }
    }

    pub(super) fn eco(&mut self, value: u16) {
        match decode_eco(value) {
            Some(eco) => {
                self.tags.push_with("ECO", |text| eco.push_to(text));
                self.tags.number_last(value.into());
                self.tags.number("CbEcoSub", eco.sub());
            }
            None if value < CHESS960_ECO => self.tags.number("CbEco", value),
            // The number of a Chess960 start, which the start position implies.
            None => {}
        }
    }

    pub(super) fn annotator(&mut self, id: u32) {
        if let Some(annotator) = entity(self.tables.annotators.as_ref(), id) {
            self.field("Annotator", &annotator.name);
        }
    }

    pub(super) fn tournament(&mut self, id: u32, tournament: Option<&TournamentRecord>) {
        let Some(tournament) = tournament else {
            return;
        };
        self.tags
            .date("EventDate", "CbEventDate", tournament.date.get());
        let (kind, team) = (tournament.kind, tournament.team);
        if let Some(words) = event_type(kind, team & 1 != 0) {
            self.tags.push("EventType", &words);
        } else {
            self.tags.number("CbEventType", kind);
            self.tags.number("CbEventTeam", team & 1);
        }
        self.tags.number("EventRounds", tournament.rounds);
        self.tags
            .nation("EventCountry", "CbEventNation", tournament.nation);
        self.tags.number("EventCategory", tournament.category);
        self.tags.number("CbEventFlags", tournament.flags);
        self.tags.number("CbEventUnknown75", team & !1);
        self.tags.number("CbEventUnknown77", tournament.unknown_77);
        self.tags.number("CbEventUnknown81", tournament.unknown_81);
        if let Some(extras) = &self.tables.tournament_extras {
            let (extra, rest) = extras.tournament(id);
            self.tournament_extra(&extra);
            self.tags.bytes("CbEventExtra", rest);
        }
    }

    pub(super) fn tournament_extra(&mut self, extra: &TournamentExtraRecord) {
        for (tag, degrees) in [
            ("CbEventLatitude", extra.latitude.get()),
            ("CbEventLongitude", extra.longitude.get()),
        ] {
            if degrees.to_bits() != 0 {
                self.tags.put(tag, degrees);
            }
        }
        if extra.unknown_16 != TOURNAMENT_EXTRA_DEFAULT.unknown_16 {
            self.tags.hex("CbEventUnknown16", &extra.unknown_16);
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
                self.tags.hex("CbEventTieBreakBytes", &extra.tie_breaks);
                self.tags
                    .number("CbEventTieBreakCount", extra.tie_break_count);
            }
        }
        self.tags
            .date("CbEventEndDate", "CbEventEndDateRaw", extra.end_date.get());
    }

    pub(super) fn source(&mut self, id: u32) {
        let Some(source) = entity(self.tables.sources.as_ref(), id) else {
            return;
        };
        self.field("SourceTitle", &source.title);
        self.field("Source", &source.publisher);
        self.tags
            .date("SourceDate", "CbSourceDate", source.publication.get());
        self.tags.number("SourceVersion", source.version);
        self.tags.date(
            "SourceVersionDate",
            "CbSourceVersionDate",
            source.date.get(),
        );
        self.tags.number("SourceQuality", source.quality);
    }

    pub(super) fn teams(&mut self, extended: &ExtendedRecord) {
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
            self.tags.nation(names[1], names[2], team.nation);
            if team.number.get() != 0 {
                self.tags.put(names[3], team.number);
            }
            if team.year.get() != 0 {
                self.tags.put(names[4], team.year);
            }
            self.tags.number(names[5], team.season);
        }
    }

    /// Fields of `.cbj` that only games have.
    pub(super) fn extended(&mut self, extended: &ExtendedRecord) {
        for (tag, rating) in [
            ("CbWhiteRating", &extended.white_rating),
            ("CbBlackRating", &extended.black_rating),
        ] {
            if *rating == [0; 16] {
                self.tags.push(tag, "none");
            } else if *rating != RATING_DEFAULT {
                self.tags.hex(tag, rating);
            }
        }
        if extended.media_at.get() > 0 {
            self.tags.put("CbMedia", extended.media_at);
        }
        let strong = extended.material_strong.get();
        let weak = extended.material_weak.get();
        let total = extended.material_total.get();
        if (strong, weak, total) != (0, 0, 0xfffe) {
            self.tags.push_with("CbMaterial", |text| {
                hexadecimal::push_number(strong, text);
                text.push(' ');
                hexadecimal::push_number(weak, text);
                text.push(' ');
                hexadecimal::push_number(u32::from(total), text);
            });
        }
        self.tags.bytes("CbUnknown70", &extended.unknown_70);
        self.tags.bytes("CbUnknown74", &extended.unknown_74);
        self.tags.bytes("CbEndgames", &extended.endgames);
    }

    /// Fields of `.cbj` that games and texts have.
    pub(super) fn saves(&mut self, extended: &ExtendedRecord) {
        if extended.version.get() != 1 {
            let version = u64::from(extended.version.get());
            self.tags.push_with("CbVersion", |text| {
                decimal_digits::push_number(version, text);
            });
        }
        if extended.created.get() != 0 {
            let created = timestamps::Created(extended.created.get());
            if created.is_time() {
                self.tags.push_with("CbCreated", |text| created.write(text));
            } else {
                self.tags.put("CbCreatedRaw", created.0);
            }
        }
        if extended.saved.get() != 0 {
            let saved = timestamps::Saved(extended.saved.get());
            if saved.is_time() {
                self.tags.push_with("CbSaved", |text| saved.write(text));
            } else {
                self.tags.put("CbSavedRaw", saved.0);
            }
        }
        let tag = u32::try_from(extended.game_tag.get()).ok();
        let tag = tag.and_then(|id| entity(self.tables.game_tags.as_ref(), id));
        if let Some(tag) = tag {
            for (name, title) in GAME_TAG_NAMES.iter().zip(&tag.titles) {
                self.field(name, title);
            }
        }
    }

    /// An unknown date, with the stored number under `raw`.
    pub(super) fn raw(&mut self, tag: &str, raw: &str, value: u32) {
        self.tags.push(tag, "????.??.??");
        self.tags.put(raw, value);
    }

    /// A fixed-size text field, unless it is empty.
    pub(super) fn field(&mut self, tag: &str, bytes: &[u8]) {
        if bytes.first() == Some(&0) {
            return;
        }
        let text = self.texts.field(bytes);
        if !text.is_empty() {
            self.tags.push(tag, &text);
        }
    }
}

/// Whether the last name is split off when the name of the player is read again.
pub(in super::super) fn has_regular_last_name(player: &PlayerRecord, texts: Texts) -> bool {
    irregular_last_name(player, texts).is_none()
}

/// A last name that would be split wrongly when the name of the player is read again.
pub(super) fn irregular_last_name(player: &PlayerRecord, texts: Texts) -> Option<String> {
    let stored = &player.last_name;
    let is_simple = ascii_length(stored).is_some_and(|length| {
        let name = stored.get(..length).unwrap_or_default();
        name != b"?" && !name.contains(&b',')
    });
    if is_simple {
        return None;
    }
    let last_name = texts.plain(until_zero(stored));
    (last_name.contains(',') || &*last_name == "?").then(|| last_name.into_owned())
}

/// The names of the tags for the titles of a game tag, in stored order.
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

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "?" } else { text }
}
