//! Tags with fields in index and names, the values that fit into these fields, and the tags of a
//! record.

use std::borrow::Cow;
use std::collections::HashMap;

use tabia_core::chess::Color;
use tabia_core::game::{Date, Eco, GameResult, Tags};
use tabia_core::loss::{Feature, Losses};

use super::code_tables;
use super::code_tables::OWN_NAME;
use super::entry::{self, DELETED, Entry, STANDARD};
use super::name_writer::MAX_NAME;
use super::names::{EventFacts, PlayerFacts};

/// Tags that are stored in fields of the index or the names. If the value does not fit, the record
/// stores them with their names.
const FIELDS: [&str; 26] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "EventDate",
    "EventCountry",
    "EventType",
    "ECO",
    "Variant",
    "SetUp",
    "FEN",
    "StartPosition",
    "Termination",
    "TimeMode",
    "WhiteCountry",
    "BlackCountry",
    "WhiteTitle",
    "BlackTitle",
    "WhiteElo",
    "BlackElo",
    "Annotator",
    "Mode",
    "PlyCount",
];

/// Tags of a game that have a field of the index or of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Event,
    Site,
    Date,
    Round,
    EventDate,
    EventCountry,
    EventType,
    Mode,
    TimeMode,
    Eco,
    Termination,
    ScidFlags,
    ScidbFlags,
    Fen,
    SetUp,
    Variant,
    Annotator,
}

impl Field {
    const TAGS: [&str; 17] = [
        "Event",
        "Site",
        "Date",
        "Round",
        "EventDate",
        "EventCountry",
        "EventType",
        "Mode",
        "TimeMode",
        "ECO",
        "Termination",
        "ScidFlags",
        "ScidbFlags",
        "FEN",
        "SetUp",
        "Variant",
        "Annotator",
    ];
}

/// Tags of a player that have a field of the index or of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlayerField {
    Name,
    Type,
    Sex,
    Country,
    Title,
    FideId,
    Elo,
}

impl PlayerField {
    /// What the names of the tags contain after the colour.
    const TAGS: [&str; 7] = ["", "Type", "Sex", "Country", "Title", "FideId", "Elo"];
}

/// Where the tags of a game are stored, which depends on their names only.
#[derive(Debug)]
pub(crate) struct TagPlan {
    /// The index of the first tag of each [`Field`].
    fields: [Option<usize>; Field::TAGS.len()],
    /// The index of the first tag of each [`PlayerField`] of both sides.
    player_fields: [[Option<usize>; PlayerField::TAGS.len()]; 2],
    /// Kind and tag index of the ratings of both sides other than their Elo, the first of each kind.
    ratings: [Vec<(u8, usize)>; 2],
    /// `Result` tags.
    results: Vec<usize>,
    /// The other tags in order: they are stored in the record unless a field has them.
    rest: Vec<RecordTag>,
}

/// A tag that the record stores unless a field has it.
#[derive(Debug)]
struct RecordTag {
    index: usize,
    /// The number of its name, or the name, as stored; `None` if the name loses something.
    stored_name: Option<Vec<u8>>,
    /// The index of the first tag of that name, if that is another one.
    first: Option<usize>,
}

impl TagPlan {
    pub(crate) fn of(tags: &Tags) -> Self {
        let mut first_of = HashMap::new();
        for (index, (name, _)) in tags.iter().enumerate() {
            first_of.entry(name).or_insert(index);
        }
        let index_of = |name: &str| first_of.get(name).copied();
        let of_color = |color: &str, name: &str| index_of(&format!("{color}{name}"));
        let named = || tags.iter().map(|(name, _)| name).enumerate();
        Self {
            fields: Field::TAGS.map(index_of),
            player_fields: COLORS.map(|color| PlayerField::TAGS.map(|name| of_color(color, name))),
            ratings: COLORS.map(|color| {
                let kinds = (0..).zip(code_tables::RATINGS).skip(1);
                kinds
                    .filter_map(|(kind, name)| Some((kind, of_color(color, name)?)))
                    .collect()
            }),
            results: named()
                .filter(|&(_, name)| name == "Result")
                .map(|(index, _)| index)
                .collect(),
            rest: named()
                .filter(|&(_, name)| name != "Result")
                .map(|(index, name)| RecordTag {
                    index,
                    stored_name: stored_name(name),
                    first: index_of(name).filter(|&first| first < index),
                })
                .collect(),
        }
    }
}

/// How the names of the players' tags begin.
const COLORS: [&str; 2] = ["White", "Black"];

/// The tags of a game that are not stored in a field yet.
pub(crate) struct UnmappedTags<'g> {
    tags: &'g Tags,
    plan: &'g TagPlan,
    /// Whether each tag is stored in a field.
    taken: &'g mut Vec<bool>,
}

impl<'g> UnmappedTags<'g> {
    /// `plan` is that of the tags; `taken` is a buffer.
    pub(crate) fn new(tags: &'g Tags, plan: &'g TagPlan, taken: &'g mut Vec<bool>) -> Self {
        taken.clear();
        taken.resize(tags.len(), false);
        Self { tags, plan, taken }
    }

    /// The value of the first tag of a field, which is then stored.
    pub(crate) fn take(&mut self, field: Field) -> Option<&'g str> {
        self.take_if(field, Some)
    }

    /// The value of the first tag of a field, which is then stored if `fit` converts it.
    pub(crate) fn take_if<T>(
        &mut self,
        field: Field,
        fit: impl FnOnce(&'g str) -> Option<T>,
    ) -> Option<T> {
        let index = *self.plan.fields.get(field as usize)?;
        self.take_at(index?, fit)
    }

    /// As [`take_if`](Self::take_if), for a tag of a player.
    fn take_of<T>(
        &mut self,
        color: Color,
        field: PlayerField,
        fit: impl FnOnce(&'g str) -> Option<T>,
    ) -> Option<T> {
        let fields = self.plan.player_fields.get(color as usize)?;
        let index = *fields.get(field as usize)?;
        self.take_at(index?, fit)
    }

    fn take_at<T>(&mut self, index: usize, fit: impl FnOnce(&'g str) -> Option<T>) -> Option<T> {
        let fitted = fit(self.tags.value(index)?)?;
        *self.taken.get_mut(index)? = true;
        Some(fitted)
    }

    /// Whether the tag at an index is stored in a field.
    fn is_taken(&self, index: usize) -> bool {
        self.taken.get(index).copied().unwrap_or(false)
    }

    /// The code of the first tag of a field, which is then stored. 0 if it has none.
    pub(crate) fn take_code(&mut self, field: Field, table: &[&str]) -> u16 {
        self.take_if(field, |text| code_tables::code(table, text))
            .unwrap_or(0)
    }

    /// As [`take_code`](Self::take_code), for a tag of a player.
    fn take_code_of(&mut self, color: Color, field: PlayerField, table: &[&str]) -> u16 {
        self.take_of(color, field, |text| code_tables::code(table, text))
            .unwrap_or(0)
    }

    /// The first tag of a field as a name; `?` if absent.
    pub(crate) fn take_name(&mut self, field: Field, losses: &mut Losses) -> Cow<'g, str> {
        cut(self.take(field).unwrap_or("?"), losses)
    }

    /// The name of a player; `?` if absent.
    pub(crate) fn take_player_name(&mut self, color: Color, losses: &mut Losses) -> Cow<'g, str> {
        let name = self.take_of(color, PlayerField::Name, Some);
        cut(name.unwrap_or("?"), losses)
    }

    /// The facts of the event at a site.
    pub(crate) fn take_event_facts(&mut self, site: u32) -> EventFacts {
        EventFacts {
            date: self
                .take_if(Field::EventDate, |text| {
                    date(text).filter(|date| !date.is_unknown())
                })
                .unwrap_or_default(),
            kind: self.take_code(Field::EventType, &code_tables::EVENT_TYPES) as u8,
            mode: self.take_code(Field::Mode, &code_tables::MODES) as u8,
            time_mode: self.take_code(Field::TimeMode, &code_tables::TIME_MODES) as u8,
            site,
        }
    }

    /// The facts of a player.
    pub(crate) fn take_player_facts(&mut self, color: Color) -> PlayerFacts {
        use PlayerField::{Country, FideId, Sex, Title, Type};
        PlayerFacts {
            species: self.take_code_of(color, Type, &code_tables::SPECIES) as u8,
            sex: self.take_code_of(color, Sex, &code_tables::SEXES) as u8,
            country: self.take_code_of(color, Country, &code_tables::COUNTRIES),
            title: self.take_code_of(color, Title, &code_tables::TITLES) as u8,
            fide: self.take_of(color, FideId, number).unwrap_or(0),
        }
    }

    /// Fills the fields of the entry that are neither names nor the start position.
    pub(crate) fn fill_entry(&mut self, start: u16, entry: &mut Entry, losses: &mut Losses) {
        // A date in another spelling, or an impossible one, stays a tag, and the entry stores its possible parts.
        let date = self.take_if(Field::Date, date);
        let date = date.or_else(|| self.tags.date()).unwrap_or_default();
        entry.year = entry::year_bits(date.year).unwrap_or(entry::NO_YEAR);
        (entry.month, entry.day) = (date.month, date.day);
        (entry.round, entry.sub_round) = self.take_if(Field::Round, round).unwrap_or((0, 0));
        let mut elo_of = |color| self.take_of(color, PlayerField::Elo, elo).unwrap_or(0);
        (entry.white_elo, entry.black_elo) = (elo_of(Color::White), elo_of(Color::Black));
        (entry.white_rating_kind, entry.white_rating) = self.take_rating(Color::White);
        (entry.black_rating_kind, entry.black_rating) = self.take_rating(Color::Black);
        if start == STANDARD {
            // A longer code stays a tag, and the entry stores its beginning.
            let eco = self.take_if(Field::Eco, exact_eco);
            let eco = eco.or_else(|| self.tags.eco());
            let code = eco.map_or(0, |eco| u32::from(eco.code()) + 1);
            entry.opening = code << 20 | ANY_OPENING;
        }
        entry.termination = self.take_code(Field::Termination, &code_tables::TERMINATIONS) as u8;
        let stated = |value: &'g str| (!value.is_empty()).then_some(value);
        if let Some(letters) = self.take_if(Field::ScidFlags, stated) {
            entry.flags |= parse_letters(letters, losses);
        }
        if let Some(words) = self.take_if(Field::ScidbFlags, stated) {
            entry.flags |= parse_words(words, losses);
        }
    }

    /// Counts the `Result` tags that the result of the game does not keep.
    pub(crate) fn count_results(&self, result: GameResult, losses: &mut Losses) {
        let is_kept = match self.plan.results.as_slice() {
            [] => true,
            [index] => self.tags.value(*index) == Some(result.pgn()),
            _ => false,
        };
        if !is_kept {
            losses.add(Feature::Tags, result.lost_tags(self.tags), None);
        }
    }

    /// Kind and value of the first rating of a side other than its Elo; zeros if absent.
    fn take_rating(&mut self, color: Color) -> (u8, u16) {
        let plan = self.plan;
        let mut ratings = plan.ratings.get(color as usize).into_iter().flatten();
        ratings
            .find_map(|&(kind, index)| Some((kind, self.take_at(index, elo)?)))
            .unwrap_or((0, 0))
    }

    /// Appends the tags without a field to the tags of the record.
    pub(crate) fn write_rest(&self, out: &mut Vec<u8>, losses: &mut Losses) {
        for tag in &self.plan.rest {
            if self.is_taken(tag.index) {
                continue;
            }
            if tag.first.is_some_and(|first| self.is_taken(first)) {
                // In the record it would replace the value of the entry.
                losses.add(Feature::Tags, 1, None);
                if let Some((name, _)) = self.tags.pair(tag.index) {
                    losses.add_name(Feature::Tags, name);
                }
                continue;
            }
            let Some((name, value)) = self.tags.pair(tag.index) else {
                continue;
            };
            match &tag.stored_name {
                Some(stored_name) => {
                    out.extend_from_slice(stored_name);
                    write_value(value, out, losses);
                }
                None => write_tag(name, value, out, losses),
            }
        }
    }
}

/// The opening key of games whose opening is unknown.
const ANY_OPENING: u32 = 1;

/// A rating that is read back as the same text.
fn elo(text: &str) -> Option<u16> {
    number(text)
        .and_then(|elo| u16::try_from(elo).ok())
        .filter(|&elo| elo < 4096)
}

/// A number above 0 that is read back as the same text.
fn number(text: &str) -> Option<u32> {
    if text.starts_with(['0', '+']) {
        return None;
    }
    text.parse().ok()
}

/// A code that is read back as the same text.
fn exact_eco(text: &str) -> Option<Eco> {
    let is_exact = text.len() == 3 && text.starts_with(|first: char| first.is_ascii_uppercase());
    Eco::parse(text).filter(|_| is_exact)
}

/// A date that is read back as the same text.
fn date(text: &str) -> Option<Date> {
    let &[year, _, _, _, b'.', month, _, b'.', day, last] = text.as_bytes() else {
        return None;
    };
    let date = Date::parse(text)?;
    entry::year_bits(date.year)?;
    // An unknown part is written as question marks, and has no other form.
    let is_known = [year, month, day].map(|first| first != b'?');
    let is_same = is_known == [date.year != 0, date.month != 0, date.day != 0];
    // White space around a date is ignored.
    let is_bare = [year, last]
        .iter()
        .all(|&end| end == b'?' || end.is_ascii_digit());
    (is_same && is_bare).then_some(date)
}

/// A round and sub-round that are read back as the same text.
fn round(text: &str) -> Option<(u8, u8)> {
    if text == "?" {
        return Some((0, 0));
    }
    let (round, sub_round) = match text.split_once('.') {
        None => (number(text)?, 0),
        Some((round, sub_round)) => (number(round)?, number(sub_round)?),
    };
    Some((u8::try_from(round).ok()?, u8::try_from(sub_round).ok()?))
}

/// The flags of a `ScidFlags` tag. Other letters are losses.
fn parse_letters(letters: &str, losses: &mut Losses) -> u32 {
    let mut flags = 0;
    for letter in letters.bytes() {
        let index = code_tables::FLAG_LETTERS
            .iter()
            .position(|&other| other == letter);
        match index {
            Some(index) => flags |= 1 << (index + 1),
            None if letter == b'D' => flags |= DELETED,
            None => losses.add(Feature::HeaderFacts, 1, None),
        }
    }
    flags
}

/// The flags of a `ScidbFlags` tag. Other words are losses.
fn parse_words(words: &str, losses: &mut Losses) -> u32 {
    let mut flags = 0;
    for word in words.split_whitespace() {
        match code_tables::FLAG_WORDS
            .iter()
            .position(|&other| other == word)
        {
            Some(index) => flags |= 1 << (index + 13),
            None => losses.add(Feature::HeaderFacts, 1, None),
        }
    }
    flags
}

/// A name without zeros, cut to [`MAX_NAME`] bytes. Both are losses.
pub(crate) fn cut<'n>(text: &'n str, losses: &mut Losses) -> Cow<'n, str> {
    let mut kept = without_zeros(text, losses);
    if kept.len() > MAX_NAME {
        losses.add(Feature::LongText, 1, None);
        let end = kept.floor_char_boundary(MAX_NAME);
        kept.to_mut().truncate(end);
    }
    kept
}

fn without_zeros<'n>(text: &'n str, losses: &mut Losses) -> Cow<'n, str> {
    if text.contains('\0') {
        losses.add(Feature::Characters, 1, None);
        return Cow::Owned(text.replace('\0', ""));
    }
    Cow::Borrowed(text)
}

/// Appends a tag to the tags of the record.
pub(crate) fn write_tag(name: &str, value: &str, tags: &mut Vec<u8>, losses: &mut Losses) {
    if let Some(number) = code_of(name) {
        tags.push(number);
    } else {
        let name = without_zeros(name, losses);
        if name.is_empty() {
            losses.add(Feature::Tags, 1, None);
            return;
        }
        write_own_name(&name, tags);
    }
    write_value(value, tags, losses);
}

/// The number of a name, or the name, as the tags of a record contain them; `None` if something of the
/// name is lost.
fn stored_name(name: &str) -> Option<Vec<u8>> {
    let mut stored = Vec::new();
    match code_of(name) {
        Some(number) => stored.push(number),
        None if name.is_empty() || name.contains('\0') => return None,
        None => write_own_name(name, &mut stored),
    }
    Some(stored)
}

/// The number of a name whose tags the record may contain; `None` if the record contains the name.
fn code_of(name: &str) -> Option<u8> {
    let is_field = FIELDS.contains(&name)
        || ["Type", "Sex", "FideId"].iter().any(|of| {
            let color = name.strip_suffix(of);
            color.is_some_and(|color| COLORS.contains(&color))
        });
    let number = code_tables::code(&code_tables::TAGS, name)?;
    (!is_field).then_some(number as u8)
}

fn write_own_name(name: &str, tags: &mut Vec<u8>) {
    tags.push(OWN_NAME);
    tags.extend_from_slice(name.as_bytes());
    tags.push(0);
}

fn write_value(value: &str, tags: &mut Vec<u8>, losses: &mut Losses) {
    tags.extend_from_slice(without_zeros(value, losses).as_bytes());
    tags.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_fields_are_read_back_as_the_same_text() {
        let mut texts = Vec::new();
        for year in [
            "2013", "0013", "0000", "????", "??", "13", "+201", " 201", "2????", "\u{a0}13",
        ] {
            for month in ["09", "00", "??", "9", "13", "+9", "?"] {
                for day in ["29", "00", "??", "1", "32", "2 ", "29 ", "29\u{a0}"] {
                    for separator in [".", "-", "/"] {
                        texts.push([year, month, day].join(separator));
                    }
                }
            }
        }
        let mut count = 0;
        for text in &texts {
            let expected = Date::parse(text)
                .filter(|date| entry::year_bits(date.year).is_some())
                .filter(|date| date.to_string() == *text);
            assert_eq!(date(text), expected, "{text:?}");
            count += usize::from(expected.is_some());
        }
        assert!(count > 5, "{count}");
        for text in [
            "B90", "b90", "B90k", "E99", "F00", "", "A0", "\u{c4}00", "A00 ",
        ] {
            let expected = Eco::parse(text).filter(|eco| eco.to_string() == text);
            assert_eq!(exact_eco(text), expected, "{text:?}");
        }
        for text in [
            "1",
            "0",
            "",
            "+1",
            "01",
            "4294967295",
            "4294967296",
            "-1",
            "1 ",
            "+",
        ] {
            let expected: Option<u32> = text.parse().ok();
            let expected = expected.filter(|&value| value > 0 && value.to_string() == text);
            assert_eq!(number(text), expected, "{text:?}");
        }
    }
}
