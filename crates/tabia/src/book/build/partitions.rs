//! Records of one piece of work, by part.

use super::spill_store::{Keyed, PARTS};

/// Records by the first byte of their key; those of one part in the order they came.
#[derive(Debug)]
pub(super) struct Sheaf<T> {
    records: Vec<T>,
    /// Where each part ends.
    ends: Vec<usize>,
}

impl<T> Default for Sheaf<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: Keyed> Sheaf<T> {
    /// Takes these records in place of those it had, as `stored` makes them.
    pub(super) fn fill<R: Keyed>(&mut self, records: &[R], stored: impl Fn(R) -> T) {
        self.ends.clear();
        self.ends.resize(PARTS, 0);
        if self.records.len() < records.len() {
            self.records.resize_with(records.len(), T::new_zeroed);
        }
        let part = |record: &R| (record.key() >> 56) as usize;
        scatter(records, &mut self.records, &mut self.ends, part, stored);
    }

    /// The records of each part, by part.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[T]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let part = self.records.get(start..end).unwrap_or_default();
            start = end;
            part
        })
    }
}

/// Puts records into buckets, one after another in `out`, each in the order they came; leaves the
/// end of every bucket in `ends`, which has a zero for each of them before.
fn scatter<R: Copy, T>(
    records: &[R],
    out: &mut [T],
    ends: &mut [usize],
    bucket: impl Fn(&R) -> usize,
    stored: impl Fn(R) -> T,
) {
    for record in records {
        if let Some(count) = ends.get_mut(bucket(record)) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for end in &mut *ends {
        sum += std::mem::replace(end, sum);
    }
    for record in records {
        if let Some(end) = ends.get_mut(bucket(record))
            && let Some(place) = out.get_mut(*end)
        {
            *place = stored(*record);
            *end += 1;
        }
    }
}

/// Sorts records by the bits of their keys behind the first `skip`, which are the same in all;
/// those of one key stay in the order they came. `spare` is as long as `records`.
pub(super) fn sort<T: Keyed>(records: &mut [T], spare: &mut [T], skip: u32) {
    let mut ends = [0; 1 << FIRST];
    let first = |record: &T| digit(record, skip, FIRST);
    scatter(records, spare, &mut ends, first, |record| record);
    let mut room = [0; 1 << SECOND];
    let mut start = 0;
    for end in ends {
        let (Some(from), Some(to)) = (spare.get(start..end), records.get_mut(start..end)) else {
            return;
        };
        start = end;
        // About two records a bucket at the end: sorting them costs next to nothing then.
        let bits = (from.len() / 2).max(1).ilog2().min(SECOND);
        let own = room.get_mut(..1 << bits).unwrap_or_default();
        own.fill(0);
        let second = |record: &T| digit(record, skip + FIRST, bits);
        scatter(from, to, own, second, |record| record);
        let mut first = 0;
        for &mut last in own {
            if last - first > 1
                && let Some(run) = to.get_mut(first..last)
            {
                put_in_order(run);
            }
            first = last;
        }
    }
}

/// Bits of a key that decide about the bucket, first and then.
const FIRST: u32 = 8;
const SECOND: u32 = 11;
/// Records that are sorted by inserting one after another.
const FEW: usize = 24;

#[inline]
fn digit<T: Keyed>(record: &T, skip: u32, bits: u32) -> usize {
    let rest = record.key().checked_shl(skip).unwrap_or(0);
    (rest >> 1 >> (63 - bits)) as usize
}

fn put_in_order<T: Keyed>(run: &mut [T]) {
    if run.len() > FEW {
        run.sort_by_key(T::key);
        return;
    }
    for i in 1..run.len() {
        for at in (1..=i).rev() {
            let Some([before, record]) = run.get_mut(at - 1..=at) else {
                return;
            };
            if before.key() <= record.key() {
                break;
            }
            std::mem::swap(before, record);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{GameFacts, Occurrence};
    use super::*;
    use tabia_core::chess::Color;

    fn records(count: u16, keys: u64) -> Vec<Occurrence> {
        let mut seed = 3u64;
        let record = |i| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let key = (seed % keys).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            // The rating tells records of one key apart.
            let facts = GameFacts::new(Some(i % 4096), None, None);
            Occurrence::new(key, Color::White, None, facts)
        };
        (0..count).map(record).collect()
    }

    #[test]
    fn parts_keep_their_order() {
        let mut sheaf = Sheaf::default();
        for count in [9000, 0, 50] {
            let given = records(count, 1000);
            sheaf.fill(&given, |record| record);
            for (number, part) in sheaf.parts().enumerate() {
                let own = given
                    .iter()
                    .filter(|record| record.key >> 56 == number as u64);
                assert!(own.eq(part));
            }
            assert_eq!(sheaf.parts().count(), PARTS);
        }
    }

    #[test]
    fn sorting_is_stable() {
        for (count, keys) in [(0, 1), (1, 1), (300, 1), (20_000, 7), (60_000, 90_000)] {
            let mut given = records(count, keys);
            for record in &mut given {
                record.key >>= 8;
            }
            let mut expected = given.clone();
            expected.sort_by_key(|record| record.key);
            let mut spare = given.clone();
            sort(&mut given, &mut spare, 8);
            assert!(given == expected);
        }
    }
}
