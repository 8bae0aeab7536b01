//! Sorting in memory by the leading bits of records.

use super::FixedRecord;

/// Bits of [`FixedRecord::lead`] that the first and the second pass sort by.
const FIRST_BITS: u32 = 8;
const SECOND_BITS: u32 = 11;
/// Up to this number of records insertion sort is fastest.
const MAX_INSERTION: usize = 24;

/// Sorts records; equal ones keep their order. `spare` is as long as `records` and is overwritten.
/// The first `skip` bits of [`FixedRecord::lead`] are ignored: they are equal in all records.
///
/// Two passes of radix sort leave about two records a bucket where the leads are spread evenly;
/// the buckets are sorted by [`FixedRecord::order`].
pub(super) fn radix_sort<T: FixedRecord>(records: &mut [T], spare: &mut [T], skip: u32) {
    if records.len() <= MAX_INSERTION {
        return sort_bucket(records);
    }
    let ends = scatter_by_first_bits(&[&*records], spare, skip);
    sort_by_further_bits(&ends, spare, records, skip);
}

/// Sorts the records of all slices into `out` as [`radix_sort`] does. Both `spare` and `out` are as long as the
/// slices together.
pub(super) fn radix_sort_slices<T: FixedRecord>(
    slices: &[&[T]],
    spare: &mut [T],
    out: &mut [T],
    skip: u32,
) {
    let ends = scatter_by_first_bits(slices, spare, skip);
    sort_by_further_bits(&ends, spare, out, skip);
}

/// The first pass: where each bucket ends in `spare`.
fn scatter_by_first_bits<T: FixedRecord>(
    slices: &[&[T]],
    spare: &mut [T],
    skip: u32,
) -> [usize; 1 << FIRST_BITS] {
    let mut ends = [0; 1 << FIRST_BITS];
    let digit = Digit::new(skip, FIRST_BITS);
    scatter(
        slices,
        spare,
        &mut ends,
        |record| digit.of(record),
        |record| record,
    );
    ends
}

/// The second pass, from `spare` to `records`, and the order within its buckets.
fn sort_by_further_bits<T: FixedRecord>(
    ends: &[usize; 1 << FIRST_BITS],
    spare: &[T],
    records: &mut [T],
    skip: u32,
) {
    let mut buckets = [0; 1 << SECOND_BITS];
    let mut start = 0;
    for &end in ends {
        let (Some(from), Some(to)) = (spare.get(start..end), records.get_mut(start..end)) else {
            return;
        };
        start = end;
        sort_second(from, to, skip + FIRST_BITS, &mut buckets);
    }
}

/// Sorts the records of `from`, which have the same first digit, into `to`.
fn sort_second<T: FixedRecord>(
    from: &[T],
    to: &mut [T],
    skip: u32,
    buckets: &mut [usize; 1 << SECOND_BITS],
) {
    let bits = (from.len() / 2).max(1).ilog2().min(SECOND_BITS);
    let ends = buckets.get_mut(..1 << bits).unwrap_or_default();
    ends.fill(0);
    let digit = Digit::new(skip, bits);
    scatter(
        &[from],
        to,
        ends,
        |record| digit.of(record),
        |record| record,
    );
    let mut start = 0;
    for &mut end in ends {
        if end - start > 1
            && let Some(bucket) = to.get_mut(start..end)
        {
            sort_bucket(bucket);
        }
        start = end;
    }
}

/// Some bits of a lead, by which records are put into buckets.
#[derive(Clone, Copy)]
struct Digit {
    shift: u32,
    mask: u64,
}

impl Digit {
    /// The `bits` bits that follow the first `skip` bits, or all of the rest if it has fewer.
    fn new(skip: u32, bits: u32) -> Self {
        let rest = u64::BITS.saturating_sub(skip);
        let bits = bits.min(rest);
        Self {
            shift: (rest - bits).min(u64::BITS - 1),
            mask: (1 << bits) - 1,
        }
    }

    #[inline(always)]
    fn of<T: FixedRecord>(self, record: &T) -> usize {
        (record.lead() >> (self.shift & 63) & self.mask) as usize
    }
}

fn sort_bucket<T: FixedRecord>(bucket: &mut [T]) {
    if bucket.len() > MAX_INSERTION {
        bucket.sort_by_key(T::order);
        return;
    }
    for unsorted in 1..bucket.len() {
        for index in (1..=unsorted).rev() {
            let Some([before, record]) = bucket.get_mut(index - 1..=index) else {
                return;
            };
            if before.order() <= record.order() {
                break;
            }
            std::mem::swap(before, record);
        }
    }
}

/// Copies the records of all slices into buckets, which follow one another in `out`; the records of a bucket keep
/// their order. `ends` has a zero for each bucket before, and the end of each bucket after.
pub(super) fn scatter<R: Copy, T>(
    slices: &[&[R]],
    out: &mut [T],
    ends: &mut [usize],
    bucket: impl Fn(&R) -> usize,
    convert: impl Fn(R) -> T,
) {
    for records in slices {
        for record in *records {
            if let Some(count) = ends.get_mut(bucket(record)) {
                *count += 1;
            }
        }
    }
    let mut sum = 0;
    for end in &mut *ends {
        sum += std::mem::replace(end, sum);
    }
    for records in slices {
        for record in *records {
            if let Some(end) = ends.get_mut(bucket(record))
                && let Some(slot) = out.get_mut(*end)
            {
                *slot = convert(*record);
                *end += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_numbers;
    use super::*;
    use zerocopy::{FromBytes, Immutable, IntoBytes};

    #[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable)]
    #[repr(C)]
    struct Record {
        key: u64,
        number: u64,
    }

    impl FixedRecord for Record {
        type Order = u64;

        fn order(&self) -> u64 {
            self.key
        }

        fn lead(&self) -> u64 {
            self.key
        }
    }

    #[test]
    fn equal_records_keep_their_order() {
        let mut random = random_numbers(3);
        for (count, keys) in [
            (0, 1),
            (1, 1),
            (20, 5),
            (300, 1),
            (20_000, 7),
            (60_000, 90_000),
        ] {
            for skip in [0, 8, 40] {
                let record = |number| Record {
                    key: (random() % keys).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> skip,
                    number,
                };
                let mut records: Vec<Record> = (0..count).map(record).collect();
                let mut expected = records.clone();
                expected.sort_by_key(|record| record.key);
                let mut spare = records.clone();
                let (first, second) = records.split_at(records.len() / 3);
                let mut sorted = spare.clone();
                radix_sort_slices(&[first, second], &mut spare, &mut sorted, skip);
                assert!(
                    sorted == expected,
                    "{count} of {keys}, {skip}, in two slices"
                );
                radix_sort(&mut records, &mut spare, skip);
                assert!(records == expected, "{count} of {keys}, {skip}");
            }
        }
    }
}
