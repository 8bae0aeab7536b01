//! Positions whose occurrences are summed as they come instead of sorted, because there are very many
//! of them: those at the start of games.

use std::collections::BTreeMap;

use tabia_core::error::Result;
use tabia_core::external::{KeyRange, SpillStore};

use super::aggregate::{AggregateOptions, PositionTotals};
use super::occurrence::StoredOccurrence;

/// Number of bits of a key by which occurrences are counted.
const BUCKET_BITS: u32 = 12;
/// Number of occurrences in a bucket from which on they are summed as they come.
const MAX_SORTED: u32 = 1 << 16;

/// The totals of positions in buckets with very many occurrences.
#[derive(Default)]
pub(super) struct HotPositions {
    /// Whether a bucket is hot, by the first bits of the keys after those of the range.
    hot_buckets: Vec<bool>,
    /// Number of bits of a key before those of the bucket.
    skipped_bits: u32,
    positions: BTreeMap<u64, PositionTotals>,
}

impl HotPositions {
    /// Counts the occurrences of a range of a partition. A partition that is sorted as a whole is
    /// small and has no hot positions.
    pub(super) fn of<S: StoredOccurrence>(
        store: &SpillStore<S>,
        partition: usize,
        range: KeyRange,
        read_buffer: &mut Vec<S>,
    ) -> Result<Self> {
        let mut hot = Self {
            skipped_bits: 8 + range.bits,
            ..Self::default()
        };
        if range.bits == 0 {
            return Ok(hot);
        }
        let mut counts = vec![0u32; 1 << BUCKET_BITS];
        store.read(partition, read_buffer, |occurrences| {
            let in_range = |occurrence: &&S| range.contains(occurrence.lead());
            for occurrence in occurrences.iter().filter(in_range) {
                if let Some(count) = counts.get_mut(hot.bucket(occurrence.lead())) {
                    *count = count.saturating_add(1);
                }
            }
        })?;
        let counts = counts.into_iter();
        hot.hot_buckets = counts.map(|count| count > MAX_SORTED).collect();
        Ok(hot)
    }

    fn bucket(&self, key: u64) -> usize {
        (key << self.skipped_bits >> (64 - BUCKET_BITS)) as usize
    }

    /// Whether no bucket is hot.
    pub(super) fn is_empty(&self) -> bool {
        !self.hot_buckets.contains(&true)
    }

    /// Whether the bucket of a key is hot.
    pub(super) fn is_hot(&self, key: u64) -> bool {
        self.hot_buckets.get(self.bucket(key)) == Some(&true)
    }

    /// Adds an occurrence in a hot bucket; `false` for all others.
    pub(super) fn take<S: StoredOccurrence>(
        &mut self,
        occurrence: S,
        partition: usize,
        options: AggregateOptions,
    ) -> bool {
        if !self.is_hot(occurrence.lead()) {
            return false;
        }
        let occurrence = occurrence.occurrence(partition);
        let totals = self.positions.entry(occurrence.key).or_default();
        totals.key = occurrence.key;
        totals.add(occurrence, options);
        true
    }

    /// The totals by key.
    pub(super) fn into_positions(self) -> impl Iterator<Item = PositionTotals> {
        self.positions.into_values()
    }
}

#[cfg(test)]
impl HotPositions {
    /// Number of hot buckets.
    pub(super) fn bucket_count(&self) -> usize {
        self.hot_buckets.iter().filter(|is_hot| **is_hot).count()
    }
}
