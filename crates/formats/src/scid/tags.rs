//! Where the tags of a game go: into the row, to the names, into the blob.

use std::borrow::Cow;

use tabia_core::game::{Date, Game, Tags};
use tabia_core::loss::{Feature, Losses};

use super::blob::{COMMON_TAGS, FIRST_COMMON_TAG};
use super::encode::is_playable;
use super::entry::{self, Entry, Version, flag};
use super::name_writer;
use super::records;

/// The longest name of a tag of the blob, and the longest name and value together: Scid 5 imports
/// no longer ones, and loading one of 250 bytes ends Scid 4.
const MAX_TAG: usize = 240;

/// Fills the row, appends the five names to `names`, in the order in which Scid 5 numbers them, and the
/// tags that have no other place to the blob.
pub(crate) fn write_tags(
    version: Version,
    game: &Game,
    entry: &mut Entry,
    names: &mut Vec<u8>,
    blob: &mut Vec<u8>,
    losses: &mut Losses,
) {
    let tags = &game.head.tags;
    let mut left = Left {
        tags,
        taken: Vec::with_capacity(16),
    };
    for (kind, tag) in [
        (1, "Event"),
        (2, "Site"),
        (3, "Round"),
        (0, "White"),
        (0, "Black"),
    ] {
        let name = left.take(tag).unwrap_or("?");
        let name = cut(name, version.max_name(), losses);
        name_writer::append(names, kind, &[name.as_bytes()]);
    }
    // As in Scid, a value that only says that it is unknown is no value.
    left.drop_unknown();
    entry.date = left.take_if("Date", date_bits).unwrap_or(0);
    entry.event_date = left
        .take_if("EventDate", |text| {
            let bits = date_bits(text)?;
            let fits = version == Version::V5 || records::relative(entry.date, bits).is_some();
            fits.then_some(bits)
        })
        .unwrap_or(0);
    (entry.white_rating, entry.white_elo) = left.take_rating("White");
    (entry.black_rating, entry.black_elo) = left.take_rating("Black");
    entry.eco = left.take_if("ECO", entry::eco_code).unwrap_or(0);
    losses.add(Feature::Tags, game.result.lost_tags(tags), None);
    if let Some(letters) = left.take("ScidFlags") {
        let (flags, unknown) = entry::parse_flags(letters);
        losses.add(Feature::HeaderFacts, unknown, None);
        let mut kept = flags;
        if version == Version::V3 {
            kept &= !flag::CUSTOM;
            let lost = u64::from((flags & flag::CUSTOM).count_ones());
            losses.add(Feature::HeaderFacts, lost, None);
        }
        entry.flags |= kept;
    }
    // The FEN of a setup position that can be played from stands before the moves. Scid keeps
    // `SetUp` and `Variant` as they are.
    let start = &game.head.start;
    if start.setup.as_deref().is_some_and(is_playable) {
        let fen = left.take("FEN");
        if fen.is_some_and(|fen| start.contradicts(fen)) {
            losses.add(Feature::Tags, 1, None);
        }
    }
    for (place, (name, value)) in tags.iter().enumerate() {
        if left.taken.contains(&place) || name == "Result" {
            continue;
        }
        if left.has_taken(name, place) {
            // A second one in the blob would stand for that of the row.
            let says_nothing = value.chars().all(|c| "?.-".contains(c));
            losses.add(Feature::Tags, u64::from(!says_nothing), None);
            continue;
        }
        write_tag(name, value, blob, losses);
    }
    blob.push(0);
}

/// The tags of a game and the places of those that have found a field.
struct Left<'g> {
    tags: &'g Tags,
    taken: Vec<usize>,
}

impl<'g> Left<'g> {
    /// The value of the first tag of that name, which needs no other place.
    fn take(&mut self, name: &str) -> Option<&'g str> {
        self.take_if(name, Some)
    }

    /// The same, if `fit` finds a field for the value.
    fn take_if<T>(&mut self, name: &str, fit: impl FnOnce(&'g str) -> Option<T>) -> Option<T> {
        let place = self.tags.iter().position(|(known, _)| known == name)?;
        if self.taken.contains(&place) {
            return None;
        }
        let (_, value) = self.tags.pair(place)?;
        let fitted = fit(value)?;
        self.taken.push(place);
        Some(fitted)
    }

    /// Whether a tag of that name before `place` has found a field.
    fn has_taken(&self, name: &str, place: usize) -> bool {
        let mut before = self.tags.iter().take(place).zip(0..);
        before.any(|((known, _), place)| known == name && self.taken.contains(&place))
    }

    /// Takes tags of the row's own fields that say nothing.
    fn drop_unknown(&mut self) {
        for (place, (name, value)) in self.tags.iter().enumerate() {
            let is_field = matches!(name, "Date" | "EventDate" | "ECO" | "WhiteElo" | "BlackElo");
            if is_field && value.chars().all(|character| "?.-".contains(character)) {
                self.taken.push(place);
            }
        }
    }

    /// Type and value of the first rating of a side, in the order of [`entry::RATING_TYPES`].
    fn take_rating(&mut self, color: &str) -> (u8, u16) {
        let rating = |name: &str, value: &str| {
            let kind = name.strip_prefix(color)?;
            let mut kinds = entry::RATING_TYPES.iter();
            let number = kinds.position(|&known| known == kind)? as u8;
            let elo = value.parse().ok()?;
            // What reads back as the same text.
            let fits = (1..=entry::MAX_ELO).contains(&elo)
                && !value.starts_with(['0', '+'])
                && self.tags.get(name) == Some(value);
            fits.then_some((number, elo))
        };
        let tags = (0..).zip(self.tags.iter());
        let ratings = tags.filter_map(|(place, (name, value))| Some((rating(name, value)?, place)));
        let Some((rating, place)) = ratings
            .filter(|(_, place)| !self.taken.contains(place))
            .min_by_key(|((number, _), _)| *number)
        else {
            return (0, 0);
        };
        self.taken.push(place);
        rating
    }
}

/// The bits of a date that reads back as the same date.
fn date_bits(text: &str) -> Option<u32> {
    entry::date_bits(Date::parse(text)?)
}

/// A text without zeros, as much of it as fits.
fn cut<'n>(text: &'n str, limit: usize, losses: &mut Losses) -> Cow<'n, str> {
    let mut kept = Cow::Borrowed(text);
    if text.contains('\0') {
        losses.add(Feature::Characters, 1, None);
        kept = Cow::Owned(text.replace('\0', ""));
    }
    if kept.len() > limit {
        losses.add(Feature::LongText, 1, None);
        let end = kept.floor_char_boundary(limit);
        kept.to_mut().truncate(end);
    }
    kept
}

/// Appends a tag to the blob.
fn write_tag(name: &str, value: &str, blob: &mut Vec<u8>, losses: &mut Losses) {
    if let Some(place) = COMMON_TAGS.iter().position(|&known| known == name) {
        blob.push(FIRST_COMMON_TAG + place as u8);
    } else {
        let name = cut(name, MAX_TAG, losses);
        if name.is_empty() {
            losses.add(Feature::Tags, 1, None);
            return;
        }
        blob.push(name.len() as u8);
        blob.extend_from_slice(name.as_bytes());
    }
    let value = cut(value, MAX_TAG.saturating_sub(name.len()), losses);
    blob.push(value.len() as u8);
    blob.extend_from_slice(value.as_bytes());
}
