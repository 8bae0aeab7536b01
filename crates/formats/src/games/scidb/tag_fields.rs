//! Which tags have a field of their own, and what fits into it.

use std::borrow::Cow;

use tabia_core::game::{Date, Tags};
use tabia_core::loss::{Feature, Losses};

use super::code_tables;
use super::code_tables::OWN_NAME;
use super::entry::{self, DELETED};
use super::name_writer::MAX_NAME;

/// Tags for which index and names have fields: among the tags of a record they stand only with
/// their own names, when the field cannot hold them.
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

/// The tags of a game and the places of those that have found a field.
pub(crate) struct Left<'g> {
    pub(crate) tags: &'g Tags,
    pub(crate) taken: Vec<usize>,
}

impl<'g> Left<'g> {
    /// The value of the first tag of that name, which needs no other place.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'g str> {
        self.take_if(name, Some)
    }

    /// The same, if `fit` finds a field for the value.
    pub(crate) fn take_if<T>(
        &mut self,
        name: &str,
        fit: impl FnOnce(&'g str) -> Option<T>,
    ) -> Option<T> {
        let place = self.tags.iter().position(|(known, _)| known == name)?;
        let (_, value) = self.tags.pair(place)?;
        let fitted = fit(value)?;
        self.taken.push(place);
        Some(fitted)
    }

    /// Whether a tag of that name before `place` has found a field.
    pub(crate) fn has_taken(&self, name: &str, place: usize) -> bool {
        let mut before = self.tags.iter().take(place).zip(0..);
        before.any(|((known, _), place)| known == name && self.taken.contains(&place))
    }

    /// The number of a value in a table; 0 for one that is not there, which stays a tag.
    pub(crate) fn take_number(&mut self, name: &str, table: &[&str]) -> u16 {
        self.take_if(name, |text| code_tables::number(table, text))
            .unwrap_or(0)
    }
}

/// A number above 0 that reads back as the same text.
pub(crate) fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number > 0 && number.to_string() == text).then_some(number)
}

/// A date that reads back as the same text.
pub(crate) fn date(text: &str) -> Option<Date> {
    let date = Date::parse(text)?;
    entry::year_bits(date.year)?;
    (date.to_string() == text).then_some(date)
}

/// A round that reads back as the same text.
pub(crate) fn round(text: &str) -> Option<(u8, u8)> {
    if text == "?" {
        return Some((0, 0));
    }
    let (round, sub_round) = match text.split_once('.') {
        None => (number(text)?, 0),
        Some((round, sub_round)) => (number(round)?, number(sub_round)?),
    };
    Some((u8::try_from(round).ok()?, u8::try_from(sub_round).ok()?))
}

/// Flags of Scid's letters; what means nothing here is counted.
pub(crate) fn parse_letters(letters: &str, losses: &mut Losses) -> u32 {
    let mut flags = 0;
    for letter in letters.bytes() {
        let place = code_tables::FLAG_LETTERS
            .iter()
            .position(|&known| known == letter);
        match place {
            Some(place) => flags |= 1 << (place + 1),
            None if letter == b'D' => flags |= DELETED,
            None => losses.add(Feature::HeaderFacts, 1, None),
        }
    }
    flags
}

pub(crate) fn parse_words(words: &str, losses: &mut Losses) -> u32 {
    let mut flags = 0;
    for word in words.split_whitespace() {
        match code_tables::FLAG_WORDS
            .iter()
            .position(|&known| known == word)
        {
            Some(place) => flags |= 1 << (place + 13),
            None => losses.add(Feature::HeaderFacts, 1, None),
        }
    }
    flags
}

/// A name without zeros, as much of it as fits.
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

/// Appends a tag to those of the record.
pub(crate) fn write_tag(name: &str, value: &str, tags: &mut Vec<u8>, losses: &mut Losses) {
    let is_field = FIELDS.contains(&name)
        || ["Type", "Sex", "FideId"].iter().any(|of| {
            let color = name.strip_suffix(of);
            color.is_some_and(|color| ["White", "Black"].contains(&color))
        });
    match code_tables::number(&code_tables::TAGS, name) {
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
