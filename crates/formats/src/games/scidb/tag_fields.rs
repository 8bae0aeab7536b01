//! Tags with fields in index and names, the values that fit into these fields, and the tags of a
//! record.

use std::borrow::Cow;

use tabia_core::game::{Date, Eco, Tags};
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

/// The tags of a game that are not stored in a field yet.
pub(crate) struct UnmappedTags<'g> {
    tags: &'g Tags,
    /// The [`name_bit`]s of the tags.
    name_bits: u64,
    /// Indexes of the tags that are stored in a field; at most one for each field.
    taken: Vec<usize>,
}

impl<'g> UnmappedTags<'g> {
    pub(crate) fn new(tags: &'g Tags) -> Self {
        let bits = tags.iter().map(|(name, _)| name_bit("", name));
        Self {
            tags,
            name_bits: bits.fold(0, |bits, bit| bits | bit),
            taken: Vec::new(),
        }
    }

    /// The value of the first tag of that name, which is then stored.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'g str> {
        self.take_if(name, Some)
    }

    /// The value of the first tag of that name, which is then stored if `fit` converts it.
    pub(crate) fn take_if<T>(
        &mut self,
        name: &str,
        fit: impl FnOnce(&'g str) -> Option<T>,
    ) -> Option<T> {
        if self.name_bits & name_bit("", name) == 0 {
            return None;
        }
        let index = self.tags.iter().position(|(other, _)| other == name)?;
        let (_, value) = self.tags.pair(index)?;
        let fitted = fit(value)?;
        self.taken.push(index);
        Some(fitted)
    }

    /// As [`take_if`](Self::take_if), for a tag of a colour.
    fn take_of<T>(
        &mut self,
        color: &str,
        name: &str,
        fit: impl FnOnce(&'g str) -> Option<T>,
    ) -> Option<T> {
        if self.name_bits & name_bit(color, name) == 0 {
            return None;
        }
        self.take_if(&format!("{color}{name}"), fit)
    }

    /// As [`take_code`](Self::take_code), for a tag of a colour.
    fn take_code_of(&mut self, color: &str, name: &str, table: &[&str]) -> u16 {
        self.take_of(color, name, |text| code_tables::code(table, text))
            .unwrap_or(0)
    }

    /// Whether a tag of that name before the one at `index` is stored in a field.
    fn has_taken(&self, name: &str, index: usize) -> bool {
        let mut before = self.taken.iter().filter(|&&taken| taken < index);
        before.any(|&taken| {
            self.tags
                .pair(taken)
                .is_some_and(|(other, _)| other == name)
        })
    }

    /// The code of the first tag of that name, which is then stored. 0 if it has none.
    pub(crate) fn take_code(&mut self, name: &str, table: &[&str]) -> u16 {
        self.take_if(name, |text| code_tables::code(table, text))
            .unwrap_or(0)
    }

    /// The first tag of that name as a name; `?` if absent.
    pub(crate) fn take_name(&mut self, tag: &str, losses: &mut Losses) -> Cow<'g, str> {
        cut(self.take(tag).unwrap_or("?"), losses)
    }

    /// The facts of the event at a site.
    pub(crate) fn take_event_facts(&mut self, site: u32) -> EventFacts {
        EventFacts {
            date: self
                .take_if("EventDate", |text| {
                    date(text).filter(|date| !date.is_unknown())
                })
                .unwrap_or_default(),
            kind: self.take_code("EventType", &code_tables::EVENT_TYPES) as u8,
            mode: self.take_code("Mode", &code_tables::MODES) as u8,
            time_mode: self.take_code("TimeMode", &code_tables::TIME_MODES) as u8,
            site,
        }
    }

    /// The facts of a player, `White` or `Black`.
    pub(crate) fn take_player_facts(&mut self, color: &str) -> PlayerFacts {
        PlayerFacts {
            species: self.take_code_of(color, "Type", &code_tables::SPECIES) as u8,
            sex: self.take_code_of(color, "Sex", &code_tables::SEXES) as u8,
            country: self.take_code_of(color, "Country", &code_tables::COUNTRIES),
            title: self.take_code_of(color, "Title", &code_tables::TITLES) as u8,
            fide: self.take_of(color, "FideId", number).unwrap_or(0),
        }
    }

    /// Fills the fields of the entry that are neither names nor the start position.
    pub(crate) fn fill_entry(&mut self, start: u16, entry: &mut Entry, losses: &mut Losses) {
        let date = self.take_if("Date", date).unwrap_or_default();
        entry.year = entry::year_bits(date.year).unwrap_or(entry::NO_YEAR);
        (entry.month, entry.day) = (date.month, date.day);
        (entry.round, entry.sub_round) = self.take_if("Round", round).unwrap_or((0, 0));
        entry.white_elo = self.take_if("WhiteElo", elo).unwrap_or(0);
        entry.black_elo = self.take_if("BlackElo", elo).unwrap_or(0);
        (entry.white_rating_kind, entry.white_rating) = self.take_rating("White");
        (entry.black_rating_kind, entry.black_rating) = self.take_rating("Black");
        if start == STANDARD {
            let exact = |text: &str| Eco::parse(text).filter(|eco| eco.to_string() == text);
            // A longer code stays a tag, and the entry stores its beginning.
            let eco = self.take_if("ECO", exact).or_else(|| self.tags.eco());
            let code = eco.map_or(0, |eco| u32::from(eco.code()) + 1);
            entry.opening = code << 20 | ANY_OPENING;
        }
        entry.termination = self.take_code("Termination", &code_tables::TERMINATIONS) as u8;
        if let Some(letters) = self.take("ScidFlags") {
            entry.flags |= parse_letters(letters, losses);
        }
        if let Some(words) = self.take("ScidbFlags") {
            entry.flags |= parse_words(words, losses);
        }
    }

    /// Kind and value of the first rating of a side other than its Elo; zeros if absent.
    fn take_rating(&mut self, color: &str) -> (u8, u16) {
        let mut kinds = (0..).zip(code_tables::RATINGS).skip(1);
        kinds
            .find_map(|(kind, name)| Some((kind, self.take_of(color, name, elo)?)))
            .unwrap_or((0, 0))
    }

    /// Appends the tags without a field to the tags of the record.
    pub(crate) fn write_rest(&self, out: &mut Vec<u8>, losses: &mut Losses) {
        for (index, (name, value)) in self.tags.iter().enumerate() {
            if self.taken.contains(&index) || name == "Result" {
                continue;
            }
            if self.has_taken(name, index) {
                // In the record it would replace the value of the entry.
                losses.add(Feature::Tags, 1, None);
                continue;
            }
            write_tag(name, value, out, losses);
        }
    }
}

/// A bit for a name in two parts, so that most names of no tag are recognized without comparing them.
fn name_bit(first: &str, second: &str) -> u64 {
    let (Some(last), length) = (second.as_bytes().last(), first.len() + second.len()) else {
        return 1;
    };
    let start = first.bytes().chain(second.bytes()).next().unwrap_or(0);
    1 << ((length + 3 * usize::from(start) + 5 * usize::from(*last)) & 63)
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
    let number: u32 = text.parse().ok()?;
    (number > 0 && number.to_string() == text).then_some(number)
}

/// A date that is read back as the same text.
fn date(text: &str) -> Option<Date> {
    let date = Date::parse(text)?;
    entry::year_bits(date.year)?;
    (date.to_string() == text).then_some(date)
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
    let is_field = FIELDS.contains(&name)
        || ["Type", "Sex", "FideId"].iter().any(|of| {
            let color = name.strip_suffix(of);
            color.is_some_and(|color| ["White", "Black"].contains(&color))
        });
    match code_tables::code(&code_tables::TAGS, name) {
        Some(number) if !is_field => tags.push(number as u8),
        _ => {
            let name = without_zeros(name, losses);
            if name.is_empty() {
                losses.add(Feature::Tags, 1, None);
                return;
            }
            tags.push(OWN_NAME);
            tags.extend_from_slice(name.as_bytes());
            tags.push(0);
        }
    }
    tags.extend_from_slice(without_zeros(value, losses).as_bytes());
    tags.push(0);
}
