//! The tags of a game from the index, the names and the record.

use std::borrow::Cow;

use tabia_core::decimal_digits;
use tabia_core::game::Tags;
use tabia_core::games::lost_name;
use tabia_core::io::{Charset, decode};

use crate::games::common::merge_record_tags;

use super::code_tables::{self, text};
use super::entry::Entry;
use super::names::{EventFacts, Names, PlayerFacts};

/// The sources of the tags of a game.
pub(crate) struct TagSources<'a> {
    /// The tags of the record. They replace those of the index.
    pub(crate) record: &'a Tags,
    pub(crate) entry: &'a Entry,
    pub(crate) names: &'a Names,
    /// The variant of the database, unless it is chess.
    pub(crate) variant: Option<&'a str>,
    pub(crate) charset: Charset,
    /// Lost names are replaced by their numbers, so that different players stay distinct.
    pub(crate) numbers_lost_names: bool,
}

/// A name with its facts.
type Named<'a, T> = Option<(&'a [u8], T)>;

/// The names that an entry refers to. `None` for those that are lost.
struct EntryNames<'a> {
    event: Named<'a, EventFacts>,
    site: Named<'a, u16>,
    white: Named<'a, PlayerFacts>,
    black: Named<'a, PlayerFacts>,
    annotator: Option<&'a [u8]>,
}

/// Appends all tags of a game to `tags`. `missing` is called with the field and the number of each
/// lost name.
pub(crate) fn push(
    tags: &mut Tags,
    sources: &TagSources<'_>,
    missing: &mut dyn FnMut(&'static str, u32),
) {
    let names = sources.find_names(missing);
    let mut writer = Writer { tags, sources };
    writer.push_roster(&names);
    writer.push_ratings();
    if let Some(eco) = sources.entry.eco() {
        writer.push_with("ECO", |text| eco.push_to(text));
    }
    writer.push_annotator(names.annotator);
    for (color, player) in [("White", names.white), ("Black", names.black)] {
        if let Some((_, facts)) = player {
            writer.push_player(color, facts);
        }
    }
    if let Some((_, facts)) = names.event {
        writer.push_event(facts);
    }
    let country = names.site.map_or(0, |(_, country)| country);
    writer.push_text("EventCountry", text(&code_tables::COUNTRIES, country));
    let termination = sources.entry.termination;
    writer.push_text("Termination", text(&code_tables::TERMINATIONS, termination));
    writer.push_text("Variant", sources.variant);
    writer.push_flags();
    merge_record_tags::push_remaining(tags, sources.record);
}

impl<'a> TagSources<'a> {
    fn find_names(&self, missing: &mut dyn FnMut(&'static str, u32)) -> EntryNames<'a> {
        let Self { names, entry, .. } = *self;
        let found = EntryNames {
            event: names.event(entry.event),
            site: names
                .event(entry.event)
                .and_then(|(_, facts)| names.site(facts.site)),
            white: names.player(entry.white),
            black: names.player(entry.black),
            annotator: names.annotator(entry.annotator),
        };
        match (found.event, found.site) {
            (None, _) => missing("event", entry.event),
            (Some((_, facts)), None) => missing("site", facts.site),
            _ => {}
        }
        if found.white.is_none() {
            missing("white", entry.white);
        }
        if found.black.is_none() {
            missing("black", entry.black);
        }
        if found.annotator.is_none() && entry.annotator != 0 {
            missing("annotator", entry.annotator);
        }
        found
    }

    /// A name as text; `?` or a text with its number if it is lost.
    fn name(&self, kind: &str, number: u32, name: Option<&'a [u8]>) -> Cow<'a, str> {
        match name {
            Some(name) => decode(name, self.charset),
            None if self.numbers_lost_names => Cow::Owned(lost_name(kind, number)),
            None => Cow::Borrowed("?"),
        }
    }
}

/// Appends the tags of the index.
struct Writer<'t, 'a> {
    tags: &'t mut Tags,
    sources: &'t TagSources<'a>,
}

impl Writer<'_, '_> {
    /// Appends a tag, with the value of the record if the record has the tag.
    fn push(&mut self, name: &str, value: &str) {
        let value = self.sources.record.get(name).unwrap_or(value);
        self.tags.push(name, value);
    }

    /// As [`Self::push`], with a value that `write` appends.
    fn push_with(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        match self.sources.record.get(name) {
            Some(value) => self.tags.push(name, value),
            None => self.tags.push_with(name, write),
        };
    }

    /// Appends a tag if it has a value.
    fn push_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.push(name, value);
        }
    }

    /// Appends a tag if its value is not 0.
    fn push_number(&mut self, name: &str, value: impl Into<u64>) {
        let value = value.into();
        if value > 0 {
            self.push_with(name, |text| decimal_digits::push_number(value, text));
        }
    }

    /// The seven tags that every game has.
    fn push_roster(&mut self, names: &EntryNames<'_>) {
        let (sources, entry) = (self.sources, self.sources.entry);
        let event = names.event.map(|(name, _)| name);
        self.push("Event", &sources.name("event", entry.event, event));
        let site = match names.event {
            Some((_, facts)) => sources.name("site", facts.site, names.site.map(|(name, _)| name)),
            None => Cow::Borrowed("?"),
        };
        self.push("Site", &site);
        self.push_with("Date", |text| entry.date().push_to(text));
        self.push("Round", &round_text(entry.round, entry.sub_round));
        for (tag, number, player) in [
            ("White", entry.white, names.white),
            ("Black", entry.black, names.black),
        ] {
            let name = player.map(|(name, _)| name);
            self.push(tag, &sources.name("player", number, name));
        }
        self.push("Result", entry.game_result().pgn());
    }

    fn push_ratings(&mut self) {
        let entry = self.sources.entry;
        let white = (entry.white_elo, entry.white_rating_kind, entry.white_rating);
        let black = (entry.black_elo, entry.black_rating_kind, entry.black_rating);
        for (color, (elo, kind, rating)) in [("White", white), ("Black", black)] {
            self.push_number(&format!("{color}Elo"), elo);
            let kind = code_tables::RATINGS.get(usize::from(kind));
            let kind = kind.copied().unwrap_or("Elo");
            if elo == 0 || kind != "Elo" {
                self.push_number(&format!("{color}{kind}"), rating);
            }
        }
    }

    fn push_annotator(&mut self, name: Option<&[u8]>) {
        let sources = self.sources;
        let number = sources.entry.annotator;
        match name {
            None if number == 0 || !sources.numbers_lost_names => {}
            Some([]) => {}
            name => self.push("Annotator", &sources.name("annotator", number, name)),
        }
    }

    fn push_player(&mut self, color: &str, facts: PlayerFacts) {
        for (name, value) in [
            ("Title", text(&code_tables::TITLES, facts.title)),
            ("Country", text(&code_tables::COUNTRIES, facts.country)),
            ("Type", text(&code_tables::SPECIES, facts.species)),
            ("Sex", text(&code_tables::SEXES, facts.sex)),
        ] {
            self.push_text(&format!("{color}{name}"), value);
        }
        self.push_number(&format!("{color}FideId"), facts.fide);
    }

    fn push_event(&mut self, facts: EventFacts) {
        if !facts.date.is_unknown() {
            self.push_with("EventDate", |text| facts.date.push_to(text));
        }
        for (name, value) in [
            ("EventType", text(&code_tables::EVENT_TYPES, facts.kind)),
            ("Mode", text(&code_tables::MODES, facts.mode)),
            ("TimeMode", text(&code_tables::TIME_MODES, facts.time_mode)),
        ] {
            self.push_text(name, value);
        }
    }

    /// The flags that a user sets: those of Scid as letters, the others as words.
    fn push_flags(&mut self) {
        let flags = self.sources.entry.flags;
        let is_set = |bit: u32| flags >> bit & 1 != 0;
        let letters: String = (1..)
            .zip(code_tables::FLAG_LETTERS)
            .filter(|&(bit, _)| is_set(bit))
            .map(|(_, &letter)| char::from(letter))
            .collect();
        let words: Vec<&str> = (13..)
            .zip(code_tables::FLAG_WORDS)
            .filter(|&(bit, _)| is_set(bit))
            .map(|(_, word)| word)
            .collect();
        for (name, value) in [("ScidFlags", letters), ("ScidbFlags", words.join(" "))] {
            if !value.is_empty() {
                self.push(name, &value);
            }
        }
    }
}

/// A round with its sub-round as text; `?` if both are 0.
pub(crate) fn round_text(round: u8, sub_round: u8) -> String {
    match (round, sub_round) {
        (0, 0) => "?".to_owned(),
        (round, 0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
    }
}
