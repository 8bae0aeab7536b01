//! Where the tags of a game go: into the entry, to the names, into the blob.

use std::borrow::Cow;
use std::collections::HashSet;

use tabia_core::chess::Color;
use tabia_core::game::{Date, Game, GameResult, Tags};
use tabia_core::loss::{Feature, Losses};

use crate::games::common::tag_plan_cache::TagPlanCache;

use super::disk_layout;
use super::encode::is_playable;
use super::entry::{self, Entry, Version, flag};
use super::game_blob::{COMMON_TAGS, FIRST_COMMON_TAG};
use super::name_writer;

/// The longest name of a tag of the blob, and the longest name and value together: Scid 5 imports
/// no longer ones, and loading one of 250 bytes ends Scid 4.
const MAX_TAG: usize = 240;

/// Writes the tags of one game after another.
#[derive(Debug)]
pub(crate) struct TagWriter {
    version: Version,
    plans: TagPlanCache<Plan>,
    /// Whether the tags of the game at hand have found a field, by place.
    taken: Vec<bool>,
}

impl TagWriter {
    pub(crate) fn new(version: Version) -> Self {
        Self {
            version,
            plans: TagPlanCache::default(),
            taken: Vec::new(),
        }
    }

    /// Fills the entry, appends the five names to `names`, in the order in which Scid 5 numbers
    /// them, and the tags that have no other place to the blob.
    pub(crate) fn write(
        &mut self,
        game: &Game,
        entry: &mut Entry,
        names: &mut Vec<u8>,
        blob: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let version = self.version;
        let tags = &game.head.tags;
        self.taken.clear();
        self.taken.resize(tags.len(), false);
        let Some(plan) = self.plans.get_or_add(tags, Plan::of) else {
            return;
        };
        let mut left = Left {
            tags,
            plan,
            taken: &mut self.taken,
        };
        for field in Field::NAMES {
            let name = left.take(field).unwrap_or("?");
            let name = cut(name, version.max_name(), losses);
            name_writer::append(names, field.name_kind(), &[name.as_bytes()]);
        }
        // As in Scid, a value that only says that it is unknown is no value.
        left.drop_unknown();
        entry.date = left.take_if(Field::Date, date_bits).unwrap_or(0);
        entry.event_date = left
            .take_if(Field::EventDate, |text| {
                let bits = date_bits(text)?;
                let fits =
                    version == Version::V5 || disk_layout::relative(entry.date, bits).is_some();
                fits.then_some(bits)
            })
            .unwrap_or(0);
        (entry.white_rating, entry.white_elo) = left.take_rating(Color::White);
        (entry.black_rating, entry.black_elo) = left.take_rating(Color::Black);
        entry.eco = left.take_if(Field::Eco, entry::eco_code).unwrap_or(0);
        left.count_results(game.result, losses);
        if let Some(letters) = left.take(Field::ScidFlags) {
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
            let fen = left.take(Field::Fen);
            if fen.is_some_and(|fen| start.contradicts(fen)) {
                losses.add(Feature::Tags, 1, None);
            }
        }
        left.write_rest(blob, losses);
        blob.push(0);
    }
}

/// Tags that have a place of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Event,
    Site,
    Round,
    White,
    Black,
    Date,
    EventDate,
    Eco,
    ScidFlags,
    Fen,
}

impl Field {
    const TAGS: [&str; 10] = [
        "Event",
        "Site",
        "Round",
        "White",
        "Black",
        "Date",
        "EventDate",
        "ECO",
        "ScidFlags",
        "FEN",
    ];
    /// Those with a number in the entry, in the order in which Scid 5 gives them.
    const NAMES: [Self; 5] = [
        Self::Event,
        Self::Site,
        Self::Round,
        Self::White,
        Self::Black,
    ];

    /// The kind of name in the file of names.
    const fn name_kind(self) -> usize {
        match self {
            Self::Event => 1,
            Self::Site => 2,
            Self::Round => 3,
            _ => 0,
        }
    }
}

/// What the names of tags say of where they go.
#[derive(Debug)]
struct Plan {
    /// The place of the first tag of each [`Field`].
    fields: [Option<usize>; Field::TAGS.len()],
    /// Type and place of the ratings of both sides, the first of each type, in the order of
    /// [`entry::RATING_TYPES`].
    ratings: [Vec<(u8, usize)>; 2],
    /// Tags of the entry that say nothing where their value only says that it is unknown.
    doubtful: Vec<usize>,
    /// Tags that say the result.
    results: Vec<usize>,
    /// What can go into the blob, by place.
    rest: Vec<Rest>,
}

/// A tag that goes into the blob where the entry has not taken it.
#[derive(Debug)]
struct Rest {
    place: usize,
    /// The number that stands for its name.
    common: Option<u8>,
    /// Whether one of that name comes before it.
    is_repeated: bool,
}

impl Plan {
    fn of(tags: &Tags) -> Self {
        let place_of = |name: &str| tags.iter().position(|(known, _)| known == name);
        let ratings = [Color::White, Color::Black].map(|color| {
            let kinds = (0..).zip(entry::RATING_TYPES);
            kinds
                .filter_map(|(kind, _)| Some((kind, place_of(entry::rating_tag(color, kind))?)))
                .collect()
        });
        let is_doubtful =
            |name| matches!(name, "Date" | "EventDate" | "ECO" | "WhiteElo" | "BlackElo");
        let named = || tags.iter().map(|(name, _)| name).enumerate();
        let mut seen = HashSet::new();
        Self {
            fields: Field::TAGS.map(place_of),
            ratings,
            doubtful: named()
                .filter(|&(_, name)| is_doubtful(name))
                .map(|(place, _)| place)
                .collect(),
            results: named()
                .filter(|&(_, name)| name == "Result")
                .map(|(place, _)| place)
                .collect(),
            rest: named()
                .map(|(place, name)| (place, name, !seen.insert(name)))
                .filter(|&(_, name, _)| name != "Result")
                .map(|(place, name, is_repeated)| Rest {
                    place,
                    common: (FIRST_COMMON_TAG..)
                        .zip(COMMON_TAGS)
                        .find(|&(_, known)| known == name)
                        .map(|(number, _)| number),
                    is_repeated,
                })
                .collect(),
        }
    }
}

/// The tags of a game and those that have found a field.
struct Left<'g> {
    tags: &'g Tags,
    plan: &'g Plan,
    taken: &'g mut [bool],
}

impl<'g> Left<'g> {
    fn is_taken(&self, place: usize) -> bool {
        self.taken.get(place).copied().unwrap_or(false)
    }

    fn set_taken(&mut self, place: usize) {
        if let Some(taken) = self.taken.get_mut(place) {
            *taken = true;
        }
    }

    /// The value of the first tag of a field, which needs no other place.
    fn take(&mut self, field: Field) -> Option<&'g str> {
        self.take_if(field, Some)
    }

    /// The same, if `fit` finds a field for the value.
    fn take_if<T>(&mut self, field: Field, fit: impl FnOnce(&'g str) -> Option<T>) -> Option<T> {
        let place = self.plan.fields.get(field as usize).copied().flatten()?;
        if self.is_taken(place) {
            return None;
        }
        let fitted = fit(self.tags.value(place)?)?;
        self.set_taken(place);
        Some(fitted)
    }

    /// Whether a tag of the same name before `place` has found a field.
    fn has_taken_earlier(&self, place: usize) -> bool {
        let Some((name, _)) = self.tags.pair(place) else {
            return false;
        };
        let mut before = self.tags.iter().take(place).enumerate();
        before.any(|(place, (known, _))| known == name && self.is_taken(place))
    }

    /// Takes tags of the entry's own fields that say nothing.
    fn drop_unknown(&mut self) {
        for &place in &self.plan.doubtful {
            if self.tags.value(place).is_some_and(is_unknown) {
                self.set_taken(place);
            }
        }
    }

    /// Tells of tags that say another result than the entry.
    fn count_results(&self, result: GameResult, losses: &mut Losses) {
        let [first, ..] = self.plan.results.as_slice() else {
            return;
        };
        let is_one = self.plan.results.len() == 1;
        if !is_one || self.tags.value(*first) != Some(result.pgn()) {
            losses.add(Feature::Tags, result.lost_tags(self.tags), None);
        }
    }

    /// Type and value of the first rating of a side, in the order of [`entry::RATING_TYPES`].
    fn take_rating(&mut self, color: Color) -> (u8, u16) {
        let rated = self.plan.ratings.get(color as usize).into_iter().flatten();
        let fit = rated
            .filter(|&&(_, place)| !self.is_taken(place))
            .find_map(|&(kind, place)| Some((kind, elo(self.tags.value(place)?)?, place)));
        let Some((kind, elo, place)) = fit else {
            return (0, 0);
        };
        self.set_taken(place);
        (kind, elo)
    }

    /// Appends the tags that have found no field to the blob.
    fn write_rest(&self, blob: &mut Vec<u8>, losses: &mut Losses) {
        for rest in &self.plan.rest {
            if self.is_taken(rest.place) {
                continue;
            }
            let Some((name, value)) = self.tags.pair(rest.place) else {
                continue;
            };
            if rest.is_repeated && self.has_taken_earlier(rest.place) {
                // A second one in the blob would stand for that of the entry.
                losses.add(Feature::Tags, u64::from(!is_unknown(value)), None);
            } else {
                write_tag(name, rest.common, value, blob, losses);
            }
        }
    }
}

/// Whether a value only says that it is unknown.
fn is_unknown(value: &str) -> bool {
    value.bytes().all(|byte| b"?.-".contains(&byte))
}

/// A rating that reads back as the same text.
fn elo(value: &str) -> Option<u16> {
    let elo = value.parse().ok()?;
    let fits = (1..=entry::MAX_ELO).contains(&elo) && !value.starts_with(['0', '+']);
    fits.then_some(elo)
}

/// The bits of a date that reads back as the same date.
fn date_bits(text: &str) -> Option<u32> {
    entry::date_bits(Date::parse(text)?)
}

/// A text without zeros, as much of it as fits.
fn cut<'n>(text: &'n str, limit: usize, losses: &mut Losses) -> Cow<'n, str> {
    let mut kept = Cow::Borrowed(text);
    if memchr::memchr(0, text.as_bytes()).is_some() {
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
fn write_tag(name: &str, common: Option<u8>, value: &str, blob: &mut Vec<u8>, losses: &mut Losses) {
    if let Some(number) = common {
        blob.push(number);
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
