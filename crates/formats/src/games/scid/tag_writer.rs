//! Writes the tags of a game to its index entry, to the names and to the blob.

use std::borrow::Cow;
use std::collections::HashSet;

use tabia_core::chess::Color;
use tabia_core::game::{Date, Game, GameResult, Tags};
use tabia_core::loss::{Feature, Losses};

use crate::games::common::date_spelling::is_spelled_as_written;
use crate::games::common::tag_plan_cache::TagPlanCache;

use super::blob_encoder::is_playable;
use super::blob_parts::{COMMON_TAGS, FIRST_COMMON_TAG};
use super::disk_layout;
use super::entry::{self, Entry, flag};
use super::name_writer;
use super::version::Version;

/// The longest name of a tag of the blob in bytes, and the longest name and value together: Scid 5
/// imports no longer ones, and one of 250 bytes crashes Scid 4.
const MAX_TAG: usize = 240;

/// Writes the tags of games.
#[derive(Debug)]
pub(crate) struct TagWriter {
    version: Version,
    plans: TagPlanCache<Plan>,
    /// Whether each tag of the current game is stored in a field.
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

    /// Fills the entry, appends the five names to `names` in the order in which Scid 5 numbers them,
    /// and appends the other tags to the blob.
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
        let mut unmapped = UnmappedTags {
            tags,
            plan,
            taken: &mut self.taken,
        };
        for field in Field::NAMES {
            let name = unmapped.take(field).unwrap_or("?");
            let name = cut(name, version.max_name(), losses);
            name_writer::append(names, field.name_kind(), &[name.as_bytes()]);
        }
        // As in Scid, an unknown value is not stored.
        unmapped.drop_unknown(losses);
        // Of an impossible date the entry stores the possible parts, and the text stays a tag.
        let possible = || entry::date_bits(tags.date()?);
        let date = unmapped.take_if(Field::Date, date_bits);
        entry.date = date.or_else(possible).unwrap_or(0);
        entry.event_date = unmapped
            .take_if(Field::EventDate, |text| {
                let bits = date_bits(text)?;
                let fits =
                    version == Version::V5 || disk_layout::relative(entry.date, bits).is_some();
                fits.then_some(bits)
            })
            .unwrap_or(0);
        unmapped.count_respelled_dates(losses);
        (entry.white_rating, entry.white_elo) = unmapped.take_rating(Color::White);
        (entry.black_rating, entry.black_elo) = unmapped.take_rating(Color::Black);
        entry.eco = unmapped.take_if(Field::Eco, entry::eco_code).unwrap_or(0);
        unmapped.count_results(game.result, losses);
        let stated = unmapped.take_if(Field::ScidFlags, |letters| {
            (!letters.is_empty()).then_some(letters)
        });
        if let Some(letters) = stated {
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
        // The FEN of a setup position that can be played from is stored before the moves. Scid keeps
        // `SetUp` and `Variant` as they are.
        let start = &game.head.start;
        if start.setup.as_deref().is_some_and(is_playable) {
            let fen = unmapped.take(Field::Fen);
            if fen.is_some_and(|fen| start.contradicts(fen)) {
                losses.add(Feature::Tags, 1, None);
            }
        }
        unmapped.write_rest(version.max_blob() / 2, blob, losses);
        blob.push(0);
    }
}

/// Tags with a field of their own.
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
    /// Fields with a name number, in the order in which Scid 5 assigns them.
    const NAMES: [Self; 5] = [
        Self::Event,
        Self::Site,
        Self::Round,
        Self::White,
        Self::Black,
    ];

    /// The index of the kind of name.
    const fn name_kind(self) -> usize {
        match self {
            Self::Event => 1,
            Self::Site => 2,
            Self::Round => 3,
            _ => 0,
        }
    }
}

/// The fields for the tags of a game, which depend on the names of the tags only.
#[derive(Debug)]
struct Plan {
    /// The index of the first tag of each [`Field`].
    fields: [Option<usize>; Field::TAGS.len()],
    /// Type and tag index of the ratings of both sides, the first of each type, in the order of
    /// [`entry::RATING_TYPES`].
    ratings: [Vec<(u8, usize)>; 2],
    /// Tags of the entry that are not stored if their value is unknown.
    may_be_unknown: Vec<usize>,
    /// `Result` tags.
    results: Vec<usize>,
    /// Tags for the blob, in order.
    rest: Vec<BlobTag>,
}

/// A tag that is stored in the blob unless the entry has it.
#[derive(Debug)]
struct BlobTag {
    /// Index of the tag.
    index: usize,
    /// The number of its name. `None` if the name is stored.
    common: Option<u8>,
    /// An earlier tag has the same name.
    is_repeated: bool,
}

impl Plan {
    fn of(tags: &Tags) -> Self {
        let index_of = |name: &str| tags.iter().position(|(other, _)| other == name);
        let ratings = [Color::White, Color::Black].map(|color| {
            let kinds = (0..).zip(entry::RATING_TYPES);
            kinds
                .filter_map(|(kind, _)| Some((kind, index_of(entry::rating_tag(color, kind))?)))
                .collect()
        });
        let may_be_unknown =
            |name| matches!(name, "Date" | "EventDate" | "ECO" | "WhiteElo" | "BlackElo");
        let named = || tags.iter().map(|(name, _)| name).enumerate();
        let mut seen = HashSet::new();
        Self {
            fields: Field::TAGS.map(index_of),
            ratings,
            may_be_unknown: named()
                .filter(|&(_, name)| may_be_unknown(name))
                .map(|(index, _)| index)
                .collect(),
            results: named()
                .filter(|&(_, name)| name == "Result")
                .map(|(index, _)| index)
                .collect(),
            rest: named()
                .map(|(index, name)| (index, name, !seen.insert(name)))
                .filter(|&(_, name, _)| name != "Result")
                .map(|(index, name, is_repeated)| BlobTag {
                    index,
                    common: (FIRST_COMMON_TAG..)
                        .zip(COMMON_TAGS)
                        .find(|&(_, common)| common == name)
                        .map(|(number, _)| number),
                    is_repeated,
                })
                .collect(),
        }
    }
}

/// The tags of a game that are not stored yet.
struct UnmappedTags<'g> {
    tags: &'g Tags,
    plan: &'g Plan,
    taken: &'g mut [bool],
}

impl<'g> UnmappedTags<'g> {
    fn is_taken(&self, index: usize) -> bool {
        self.taken.get(index).copied().unwrap_or(false)
    }

    fn set_taken(&mut self, index: usize) {
        if let Some(taken) = self.taken.get_mut(index) {
            *taken = true;
        }
    }

    /// The value of the first tag of a field, which is then stored.
    fn take(&mut self, field: Field) -> Option<&'g str> {
        self.take_if(field, Some)
    }

    /// The value of the first tag of a field, which is then stored if `fit` converts it.
    fn take_if<T>(&mut self, field: Field, fit: impl FnOnce(&'g str) -> Option<T>) -> Option<T> {
        let index = self.plan.fields.get(field as usize).copied().flatten()?;
        if self.is_taken(index) {
            return None;
        }
        let fitted = fit(self.tags.value(index)?)?;
        self.set_taken(index);
        Some(fitted)
    }

    /// Drops unknown values of the entry's fields, and counts those that a reader does not add again.
    fn drop_unknown(&mut self, losses: &mut Losses) {
        for &index in &self.plan.may_be_unknown {
            if let Some((name, value)) = self.tags.pair(index)
                && is_unknown(value)
            {
                self.set_taken(index);
                let is_kept = (name, value) == ("Date", "????.??.??");
                losses.add(Feature::TagSpellings, u64::from(!is_kept), None);
            }
        }
    }

    /// Counts dates in fields that are read in another spelling.
    fn count_respelled_dates(&self, losses: &mut Losses) {
        for field in [Field::Date, Field::EventDate] {
            let index = self.plan.fields.get(field as usize).copied().flatten();
            let index = index.filter(|&index| self.is_taken(index));
            let value = index.and_then(|index| self.tags.value(index));
            if let Some(value) = value.filter(|value| !is_unknown(value)) {
                let is_other = !is_spelled_as_written(value);
                losses.add(Feature::Tags, u64::from(is_other), None);
            }
        }
    }

    /// Counts `Result` tags that contradict the result of the game as lost.
    fn count_results(&self, result: GameResult, losses: &mut Losses) {
        let [first, ..] = self.plan.results.as_slice() else {
            return;
        };
        let is_single = self.plan.results.len() == 1;
        if !is_single || self.tags.value(*first) != Some(result.pgn()) {
            losses.add(Feature::Tags, result.lost_tags(self.tags), None);
        }
    }

    /// Type and value of the first rating of a side in the order of [`entry::RATING_TYPES`]; zeros
    /// if absent.
    fn take_rating(&mut self, color: Color) -> (u8, u16) {
        let rated = self.plan.ratings.get(color as usize).into_iter().flatten();
        let fit = rated
            .filter(|&&(_, index)| !self.is_taken(index))
            .find_map(|&(kind, index)| Some((kind, elo(self.tags.value(index)?)?, index)));
        let Some((kind, elo, index)) = fit else {
            return (0, 0);
        };
        self.set_taken(index);
        (kind, elo)
    }

    /// Appends the tags without a field to the blob, until it is longer than `most` bytes.
    fn write_rest(&self, most: usize, blob: &mut Vec<u8>, losses: &mut Losses) {
        // Names of the tags before that are stored in a field, which are few; only repeated names ask.
        let mut taken_names: Option<Vec<&str>> = None;
        let name_of = |rest: &BlobTag| self.tags.pair(rest.index).map(|(name, _)| name);
        for (i, rest) in self.plan.rest.iter().enumerate() {
            if self.is_taken(rest.index) {
                if let (Some(names), Some(name)) = (&mut taken_names, name_of(rest)) {
                    names.push(name);
                }
                continue;
            }
            let Some((name, value)) = self.tags.pair(rest.index) else {
                continue;
            };
            let is_stored = rest.is_repeated
                && taken_names
                    .get_or_insert_with(|| {
                        let before = self.plan.rest.iter().take(i);
                        let taken = before.filter(|rest| self.is_taken(rest.index));
                        taken.filter_map(name_of).collect()
                    })
                    .contains(&name);
            // In the blob, one that is stored would replace the value of the entry.
            if blob.len() > most || is_stored {
                if !is_unknown(value) {
                    losses.add_named(Feature::Tags, name, None);
                }
            } else {
                write_tag(name, rest.common, value, blob, losses);
            }
        }
    }
}

/// Whether a value is unknown: `?`, `????.??.??`, `-`, or empty.
fn is_unknown(value: &str) -> bool {
    value.bytes().all(|byte| b"?.-".contains(&byte))
}

/// A rating that is read back as the same text.
fn elo(value: &str) -> Option<u16> {
    let elo = value.parse().ok()?;
    let fits = (1..=entry::MAX_ELO).contains(&elo) && !value.starts_with(['0', '+']);
    fits.then_some(elo)
}

/// The bits of a date that is read back as the same date.
fn date_bits(text: &str) -> Option<u32> {
    entry::date_bits(Date::parse(text)?)
}

/// A text without zeros, cut to `limit` bytes. Both are losses.
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
