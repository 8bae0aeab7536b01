//! [`Selection`] and [`LeaveOut`]: which records, and what is left out of them.

use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::game::{Annotation, Want};

/// Records by number, as users write them: `1-100,205,300-`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordRanges(Vec<(u32, u32)>);

impl RecordRanges {
    /// Reads `1-100,205`: numbers and ranges from 1, commas between; `300-` runs to the end.
    ///
    /// # Errors
    /// What is wrong, in words for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            let (first, last) = match part.split_once('-') {
                Some((first, "")) => (number(first)?, u32::MAX),
                Some((first, last)) => (number(first)?, number(last)?),
                None => (number(part)?, number(part)?),
            };
            if last < first {
                return Err(format!("`{part}` runs backwards"));
            }
            ranges.push((first - 1, last - 1));
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        Ok(Self(merged))
    }

    /// The same records after those of `lost`, ascending, were taken out of their database.
    pub(crate) fn without(&self, lost: &[u32]) -> Self {
        let before = |number: u32| lost.partition_point(|&lost| lost < number) as u32;
        let mut ranges = Vec::new();
        for &(first, last) in &self.0 {
            let new_first = first - before(first);
            // A range without an end stays one.
            if last == u32::MAX - 1 {
                ranges.push((new_first, last));
                continue;
            }
            let end = (last + 1) - before(last + 1);
            if new_first < end {
                ranges.push((new_first, end - 1));
            }
        }
        Self(ranges)
    }

    /// Of as many records as there are the ranges that have none, if the first `present` of those meant exist: `300`,
    /// `400-500`. A range that runs to the end is never among them.
    ///
    /// ```
    /// use tabia::select::RecordRanges;
    ///
    /// // A database with 231 games has one of these.
    /// let ranges = RecordRanges::parse("7,300,400-500,900-").unwrap();
    /// assert_eq!(ranges.absent(1), ["300", "400-500"]);
    /// ```
    pub fn absent(&self, present: u64) -> Vec<String> {
        let mut left = present;
        let mut absent = Vec::new();
        for &(first, last) in &self.0 {
            if left == 0 {
                absent.extend(Self(vec![(first, last)]).beyond(0));
            }
            left = left.saturating_sub(u64::from(last - first) + 1);
        }
        absent
    }

    /// The numbers that a database with this number of records does not have; ranges that begin in it, and those without
    /// an end, are none.
    ///
    /// ```
    /// use tabia::select::RecordRanges;
    ///
    /// let ranges = RecordRanges::parse("7,200-300,400-500,900-").unwrap();
    /// assert_eq!(ranges.beyond(231), ["400-500"]);
    /// ```
    pub fn beyond(&self, records: u64) -> Vec<String> {
        let ranges = self.0.iter();
        let ranges =
            ranges.filter(|&&(first, last)| u64::from(first) >= records && last < u32::MAX - 1);
        let text = |&(first, last): &(u32, u32)| match last - first {
            0 => (first + 1).to_string(),
            _ => format!("{}-{}", first + 1, last + 1),
        };
        ranges.map(text).collect()
    }

    /// One record.
    pub fn one(game: GameIndex) -> Self {
        Self(vec![(game.0, game.0)])
    }

    /// All records from one on.
    pub(crate) fn from(first: GameIndex) -> Self {
        Self(vec![(first.0, u32::MAX - 1)])
    }

    /// Records in ascending order.
    pub(crate) fn of(games: impl Iterator<Item = GameIndex>) -> Self {
        Self(games.map(|game| (game.0, game.0)).collect())
    }

    /// Whether at most `most` records are meant.
    pub(crate) fn is_few(&self, most: u32) -> bool {
        let lengths = self.0.iter().map(|(first, last)| last - first);
        let lengths = lengths.map(|length| u64::from(length) + 1);
        lengths.sum::<u64>() <= u64::from(most)
    }

    /// Whether a record is meant.
    pub fn has(&self, game: GameIndex) -> bool {
        let index = self.0.partition_point(|(_, last)| *last < game.0);
        self.0.get(index).is_some_and(|(first, _)| *first <= game.0)
    }

    /// The last record meant.
    pub fn last(&self) -> Option<GameIndex> {
        self.0.last().map(|(_, last)| GameIndex(*last))
    }

    /// The first record meant at or after `from`.
    pub fn next_from(&self, from: u32) -> Option<u32> {
        let index = self.0.partition_point(|(_, last)| *last < from);
        self.0.get(index).map(|(first, _)| from.max(*first))
    }
}

pub(super) fn number(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(0) => Err("games are counted from 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("`{text}` is no number of a game")),
    }
}

/// Which records of an input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Selection {
    /// Only these numbers; `None` is all.
    pub numbers: Option<RecordRanges>,
    /// Records marked as deleted too.
    pub deleted: bool,
    /// Guiding texts too.
    pub texts: bool,
    /// Not these numbers, ascending.
    pub(crate) dropped: Option<Arc<Vec<u32>>>,
}

impl Default for Selection {
    /// Everything that is not marked as deleted, guiding texts too: they are records, which copies have. Jobs
    /// that count or compare games leave them out, with [`Selection::games`].
    fn default() -> Self {
        Self {
            numbers: None,
            deleted: false,
            texts: true,
            dropped: None,
        }
    }
}

impl Selection {
    /// Leaves a record out.
    pub fn leave_out(&mut self, record: GameIndex) {
        let dropped = Arc::make_mut(self.dropped.get_or_insert_default());
        if let Err(at) = dropped.binary_search(&record.0) {
            dropped.insert(at, record.0);
        }
    }

    /// Leaves records out, which are in ascending order.
    pub(crate) fn leave_out_all(&mut self, records: &Arc<Vec<u32>>) {
        match &mut self.dropped {
            _ if records.is_empty() => {}
            None => self.dropped = Some(Arc::clone(records)),
            Some(dropped) => {
                let dropped = Arc::make_mut(dropped);
                dropped.extend_from_slice(records);
                dropped.sort_unstable();
                dropped.dedup();
            }
        }
    }

    /// The games that are not marked as deleted.
    pub fn games() -> Self {
        Self {
            texts: false,
            ..Self::default()
        }
    }

    /// Every record.
    pub fn all() -> Self {
        Self {
            deleted: true,
            ..Self::default()
        }
    }

    /// Whether records of that state and kind are meant.
    pub fn keeps(&self, deleted: bool, is_text: bool) -> bool {
        (self.deleted || !deleted) && (self.texts || !is_text)
    }

    /// Whether a record of that number is meant.
    pub fn has(&self, game: GameIndex) -> bool {
        let is_dropped = |dropped: &Arc<Vec<u32>>| dropped.binary_search(&game.0).is_ok();
        self.numbers
            .as_ref()
            .is_none_or(|numbers| numbers.has(game))
            && !self.dropped.as_ref().is_some_and(is_dropped)
    }
}

/// What the user asked to leave out of games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaveOut {
    /// Comments.
    pub comments: bool,
    /// Variations.
    pub variations: bool,
    /// Numeric annotation glyphs.
    pub nags: bool,
}

impl LeaveOut {
    /// What has to be read then.
    pub fn want(self) -> Want {
        // All fields are named, so that a new one is decided on here.
        let Self {
            comments: _,
            variations,
            nags: _,
        } = self;
        if variations {
            Want::TAGS.and(Want::MAINLINE).and(Want::ANNOTATIONS)
        } else {
            Want::ALL
        }
    }

    /// All fields are named, so that a new one is decided on here.
    pub(super) fn drops(self, annotation: &Annotation<'_>) -> bool {
        let Self {
            comments,
            variations: _,
            nags,
        } = self;
        match annotation {
            Annotation::Comment(_) => comments,
            Annotation::Nag(_) => nags,
            _ => false,
        }
    }
}

/// How many records went where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectionCounts {
    /// Games handed on.
    pub games: u64,
    /// Guiding texts handed on.
    pub texts: u64,
    /// Records marked as deleted that were left out.
    pub deleted: u64,
    /// Games that the query left out, if they are counted.
    pub filtered: u64,
    /// Positions handed on in the stead of the games, if [`PositionChoice`](super::PositionChoice) asks for them.
    pub positions: u64,
    /// Games among `games` of which no position was handed on then.
    pub without_position: u64,
}

impl SelectionCounts {
    /// Adds others.
    pub fn add(&mut self, other: SelectionCounts) {
        self.games += other.games;
        self.texts += other.texts;
        self.deleted += other.deleted;
        self.filtered += other.filtered;
        self.positions += other.positions;
        self.without_position += other.without_position;
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(self, before: SelectionCounts) -> SelectionCounts {
        SelectionCounts {
            games: self.games - before.games,
            texts: self.texts - before.texts,
            deleted: self.deleted - before.deleted,
            filtered: self.filtered - before.filtered,
            positions: self.positions - before.positions,
            without_position: self.without_position - before.without_position,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let numbers = RecordRanges::parse("205, 1-3,2-5,300-").unwrap();
        let meant: Vec<u32> = (0..400)
            .filter(|i| numbers.has(GameIndex(*i)))
            .map(|i| i + 1)
            .take(7)
            .collect();
        assert_eq!(meant, [1, 2, 3, 4, 5, 205, 300]);
        assert!(numbers.has(GameIndex(5_000_000)));
        assert_eq!(numbers.next_from(5), Some(204));
        for wrong in ["", "0", "a", "5-3", "1,,2", "-4"] {
            assert!(RecordRanges::parse(wrong).is_err(), "{wrong}");
        }
    }

    /// Any text is an error, or the numbers that its parts state.
    #[test]
    fn random_lists_are_errors_or_their_numbers() {
        let pieces = [
            "1",
            "7",
            "12",
            "0",
            "00",
            "-",
            ",",
            ", ",
            " ",
            "4294967295",
            "4294967296",
            "x",
            "ü",
            "",
        ];
        let mut random = tabia_testkit::Random::new(3);
        let mut lists = 0;
        for _ in 0..20_000 {
            let text: String = (0..random.below(8)).map(|_| random.pick(&pieces)).collect();
            let Ok(ranges) = RecordRanges::parse(&text) else {
                continue;
            };
            lists += 1;
            let bounds = |part: &str| -> (u64, u64) {
                let part = part.trim();
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                let number = |text: &str| text.trim().parse().unwrap_or(u64::MAX);
                (number(first), number(last))
            };
            let parts: Vec<(u64, u64)> = text.split(',').map(bounds).collect();
            for number in 1..20 {
                let is_listed = parts
                    .iter()
                    .any(|&(first, last)| (first..=last).contains(&number));
                let index = GameIndex(number as u32 - 1);
                assert_eq!(ranges.has(index), is_listed, "{text:?}: {number}");
                let next = ranges.next_from(index.0);
                assert!(next.is_none_or(|next| next >= index.0), "{text:?}");
                assert_eq!(next == Some(index.0), is_listed, "{text:?}: {number}");
            }
        }
        assert!(lists > 500, "{lists}");
    }
}
