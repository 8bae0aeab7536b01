//! Terms about ratings, asked of many records at once.

use super::{EloField, Term, Test};

/// A term about ratings, in numbers that can be compared at once.
#[derive(Debug)]
pub(super) struct Rated {
    field: EloField,
    /// Lowest and highest, from 1.
    ranges: Vec<[u16; 2]>,
    negated: bool,
}

/// Ratings looked at before it is asked whether one of them fits.
const AT_ONCE: usize = 8;

impl Rated {
    pub(super) fn of(term: &Term) -> Option<Self> {
        let Test::Elo(field, bounds) = &term.test else {
            return None;
        };
        let ranges = bounds.iter().map(|range| {
            let low = range.low.unwrap_or(1).max(1);
            [low, range.high.unwrap_or(u16::MAX)]
        });
        Some(Self {
            field: *field,
            ranges: ranges.filter(|[low, high]| low <= high).collect(),
            negated: term.negated,
        })
    }

    pub(super) fn has(&self, [white, black]: [u16; 2]) -> bool {
        let fits = |elo| self.ranges.iter().any(|range| inside(*range, elo));
        let holds = match self.field {
            EloField::Both => fits(white) && fits(black),
            EloField::Either => fits(white) || fits(black),
            EloField::White => fits(white),
            EloField::Black => fits(black),
        };
        holds != self.negated
    }

    /// The first of the ratings that fit.
    pub(super) fn first(&self, ratings: &[[u16; 2]]) -> Option<usize> {
        let [range] = *self.ranges.as_slice() else {
            return ratings.iter().position(|&pair| self.has(pair));
        };
        if self.negated {
            return ratings.iter().position(|&pair| self.has(pair));
        }
        match self.field {
            EloField::Both => first(ratings, |[w, b]| inside(range, w) & inside(range, b)),
            EloField::Either => first(ratings, |[w, b]| inside(range, w) | inside(range, b)),
            EloField::White => first(ratings, |[w, _]| inside(range, w)),
            EloField::Black => first(ratings, |[_, b]| inside(range, b)),
        }
    }
}

/// Whether a number lies in a range that is not empty.
#[inline(always)]
fn inside([low, high]: [u16; 2], value: u16) -> bool {
    value.wrapping_sub(low) <= high - low
}

/// The first pair that fits, looked for in portions without a branch.
#[inline(always)]
fn first(ratings: &[[u16; 2]], fits: impl Fn([u16; 2]) -> bool) -> Option<usize> {
    let (portions, rest) = ratings.as_chunks::<AT_ONCE>();
    for (number, portion) in portions.iter().enumerate() {
        let found = portion
            .iter()
            .fold(0, |found, &pair| found | u32::from(fits(pair)));
        if found != 0 {
            let place = portion.iter().position(|&pair| fits(pair));
            return place.map(|place| number * AT_ONCE + place);
        }
    }
    let place = rest.iter().position(|&pair| fits(pair))?;
    Some(ratings.len() - rest.len() + place)
}
