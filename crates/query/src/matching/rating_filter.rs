//! Terms on ratings, tested for many records at once.

use crate::language::{EloField, Item, Test, What};

/// A term on ratings, in a form that is tested without branches.
#[derive(Debug, Clone)]
pub(super) struct RatingTest {
    field: EloField,
    /// Lowest and highest rating, from 1.
    ranges: Vec<[u16; 2]>,
    negated: bool,
}

/// Number of pairs of ratings that are tested with one branch.
const BATCH: usize = 8;

impl RatingTest {
    /// `None` if the item does not test ratings.
    pub(super) fn from_item(item: &Item) -> Option<Self> {
        let What::Term(term) = &item.what else {
            return None;
        };
        let Test::Elo(field, bounds) = &term.test else {
            return None;
        };
        if *field == EloField::Mean {
            return None;
        }
        let least = |low: i64| low.clamp(1, i64::from(u16::MAX) + 1);
        let ranges = bounds.iter().filter_map(|range| {
            let low = least(range.low.unwrap_or(1));
            let high = range.high.unwrap_or(i64::MAX).min(i64::from(u16::MAX));
            (low <= high).then_some([low as u16, high as u16])
        });
        Some(Self {
            field: *field,
            ranges: ranges.collect(),
            negated: item.negated,
        })
    }

    /// Whose ratings are tested.
    pub(super) fn field(&self) -> EloField {
        self.field
    }

    /// The range in which ratings have to be, if there is only one and the item is not negated.
    pub(super) fn only_range(&self) -> Option<[u16; 2]> {
        match *self.ranges.as_slice() {
            [range] if !self.negated => Some(range),
            _ => None,
        }
    }

    /// Whether the ratings of White and Black (0 if unknown) fit.
    pub(super) fn has(&self, [white, black]: [u16; 2]) -> bool {
        let fits = |elo| self.ranges.iter().any(|range| inside(*range, elo));
        let holds = match self.field {
            EloField::Both | EloField::Mean => fits(white) && fits(black),
            EloField::Either => fits(white) || fits(black),
            EloField::White => fits(white),
            EloField::Black => fits(black),
        };
        holds != self.negated
    }

    /// The index of the first pair of ratings that fits.
    pub(super) fn first(&self, ratings: &[[u16; 2]]) -> Option<usize> {
        let Some(range) = self.only_range() else {
            return ratings.iter().position(|&pair| self.has(pair));
        };
        match self.field {
            EloField::Both | EloField::Mean => {
                first(ratings, |[w, b]| inside(range, w) & inside(range, b))
            }
            EloField::Either => first(ratings, |[w, b]| inside(range, w) | inside(range, b)),
            EloField::White => first(ratings, |[w, _]| inside(range, w)),
            EloField::Black => first(ratings, |[_, b]| inside(range, b)),
        }
    }
}

/// Whether a value is in a range. The range must not be empty.
#[inline(always)]
pub(super) fn inside([low, high]: [u16; 2], value: u16) -> bool {
    value.wrapping_sub(low) <= high - low
}

/// The index of the first pair that fits. Batches are tested without a branch.
#[inline(always)]
fn first(ratings: &[[u16; 2]], fits: impl Fn([u16; 2]) -> bool) -> Option<usize> {
    let (batches, rest) = ratings.as_chunks::<BATCH>();
    for (number, batch) in batches.iter().enumerate() {
        let found = batch
            .iter()
            .fold(0, |found, &pair| found | u32::from(fits(pair)));
        if found != 0 {
            let index = batch.iter().position(|&pair| fits(pair));
            return index.map(|index| number * BATCH + index);
        }
    }
    let index = rest.iter().position(|&pair| fits(pair))?;
    Some(ratings.len() - rest.len() + index)
}
