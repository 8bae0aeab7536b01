//! Combines the weights of a move that several books have.

use super::{MergeMode, MergeOptions};

/// The weight of a move so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct CombinedWeight {
    weight: f64,
    /// Whether a book has weight 0.
    has_zero: bool,
}

impl CombinedWeight {
    pub(super) fn new(weight: f64) -> Self {
        Self {
            weight,
            has_zero: weight <= 0.0,
        }
    }
}

impl MergeOptions {
    /// The factor for the weights of a position of a book whose greatest weight is `max`.
    pub(super) fn scale(&self, book: usize, max: Option<u32>) -> f64 {
        let factor = self.factors.get(book).copied().unwrap_or(1.0);
        match max {
            Some(max) if self.normalize && max > 0 => factor * f64::from(u16::MAX) / f64::from(max),
            _ => factor,
        }
    }

    /// Adds the weight of another book.
    pub(super) fn combine(&self, combined: &mut CombinedWeight, weight: f64) {
        combined.weight = match self.mode {
            MergeMode::Max => combined.weight.max(weight),
            MergeMode::Sum | MergeMode::Average | MergeMode::Priority => combined.weight + weight,
        };
        combined.has_zero |= weight <= 0.0;
    }

    /// The weight in the merged book; `books` is the number of books that contain the position.
    pub(super) fn merged_weight(&self, combined: CombinedWeight, books: usize) -> u32 {
        if self.zero_wins && combined.has_zero {
            return 0;
        }
        let weight = match self.mode {
            MergeMode::Average => combined.weight / books.max(1) as f64,
            MergeMode::Sum | MergeMode::Max | MergeMode::Priority => combined.weight,
        };
        let min = if weight > 0.0 { 1.0 } else { 0.0 };
        weight.round().clamp(min, f64::from(u32::MAX)) as u32
    }
}
