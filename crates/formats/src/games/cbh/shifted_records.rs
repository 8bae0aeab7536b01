//! Finds the records of `.cbg` that are not where their headers have them: bytes were inserted or lost before them.
//!
//! Headers have the offset of each record, records have their size. Where both are right, a record ends where
//! another one begins.

use std::collections::{BTreeMap, HashMap};

use tabia_core::plural::counted;

use super::headerless_record_finder::{Readability, end, resume};

/// How far before and after its offset a record is searched.
const NEAR: i64 = 1 << 16;
/// Offsets that are tried, and how many more for each byte of the file, which bounds the time for crafted files.
const TRIES: u64 = 1 << 24;
const TRIES_PER_BYTE: u64 = 4;
/// How often records are searched in all of the rest of the file, and how many are looked at each time.
const FAR_SEARCHES: u32 = 64;
const FAR_RECORDS: usize = 16;

/// Records that are elsewhere.
#[derive(Debug, Default)]
pub(super) struct ShiftedRecords {
    /// Offsets by those that headers have.
    offsets: HashMap<u64, u64>,
    /// Number of records by how far they are from there.
    counts: BTreeMap<i64, usize>,
}

impl ShiftedRecords {
    /// Searches `.cbg` for the records that headers have at some offsets.
    pub(super) fn find(moves: &[u8], offsets: impl Iterator<Item = u64>) -> Self {
        let mut stated: Vec<u64> = offsets.filter(|&at| at != 0).collect();
        stated.sort_unstable();
        stated.dedup();
        let mut search = Search {
            moves,
            stated: &stated,
            readability: Readability::default(),
            left: TRIES.saturating_add(TRIES_PER_BYTE.saturating_mul(moves.len() as u64)),
            far_searches: 0,
            by_sizes: None,
        };
        let mut shifted = Self::default();
        let mut distance = 0;
        // From which record on records may be at another distance.
        let mut next: Option<(usize, i64)> = None;
        for (index, &at) in stated.iter().enumerate() {
            if let Some((_, far)) = next.filter(|(from, _)| *from <= index) {
                distance = far;
                next = None;
            }
            if !search.fits(at, distance) && !search.is_readable(at, distance) {
                let Some(near) = search.near(at, distance) else {
                    next = next.or_else(|| search.far(index, distance));
                    continue;
                };
                distance = near;
            }
            if distance != 0 {
                let found = at.saturating_add_signed(distance);
                shifted.offsets.insert(at, found);
                *shifted.counts.entry(distance).or_default() += 1;
            }
        }
        shifted
    }

    /// Where the record is that a header has at an offset.
    pub(super) fn offset(&self, stated: u64) -> u64 {
        self.offsets.get(&stated).copied().unwrap_or(stated)
    }

    /// A message for each distance.
    pub(super) fn problems(&self) -> impl Iterator<Item = String> {
        self.counts.iter().map(|(distance, &count)| {
            let records = counted(count, "record was found", "records were found");
            let bytes = counted(distance.unsigned_abs(), "byte", "bytes");
            let side = if *distance > 0 { "after" } else { "before" };
            format!("{records} in .cbg {bytes} {side} where they should be")
        })
    }
}

/// A search for the records of some offsets.
struct Search<'a> {
    moves: &'a [u8],
    /// Offsets in ascending order.
    stated: &'a [u64],
    readability: Readability,
    /// Offsets that may still be tried.
    left: u64,
    far_searches: u32,
    by_sizes: Option<BySizes>,
}

/// Numbers of offsets by the sizes of the record there and the next one; `None` for several of the same sizes.
type BySizes = HashMap<(u64, u64), Option<usize>>;

fn by_sizes(stated: &[u64]) -> BySizes {
    let mut numbers = BySizes::new();
    for (number, offsets) in stated.windows(3).enumerate() {
        if let &[first, second, third] = offsets {
            numbers
                .entry((second - first, third - second))
                .and_modify(|several| *several = None)
                .or_insert(Some(number));
        }
    }
    numbers
}

impl Search<'_> {
    /// Whether a record is at a distance from an offset and ends where another one should begin, or with the file.
    fn fits(&self, at: u64, distance: i64) -> bool {
        let Some(shifted) = at.checked_add_signed(distance) else {
            return false;
        };
        let Some(end) = end(self.moves, shifted) else {
            return false;
        };
        let stated_end = end.saturating_add_signed(-distance);
        end == self.moves.len() as u64 || self.stated.binary_search(&stated_end).is_ok()
    }

    /// Whether a record that can be read is at a distance from an offset: after replaced games a gap follows.
    fn is_readable(&mut self, at: u64, distance: i64) -> bool {
        let shifted = at.checked_add_signed(distance);
        shifted.is_some_and(|at| self.readability.is_readable(self.moves, at))
    }

    /// The distance of a record that is not as far from its offset as the one before.
    fn near(&mut self, at: u64, distance: i64) -> Option<i64> {
        let steps = i64::try_from(self.left).unwrap_or(NEAR).min(NEAR);
        let mut distances = (1..=steps).flat_map(|step| [distance + step, distance - step]);
        distances.find(|&distance| {
            self.left = self.left.saturating_sub(1);
            if !self.fits(at, distance) {
                return false;
            }
            let next = at.checked_add_signed(distance);
            let next = next.and_then(|at| end(self.moves, at));
            let next = next.map_or(at, |end| end.saturating_add_signed(-distance));
            self.fits(next, distance) || self.is_readable(at, distance)
        })
    }

    /// A record after one that was not found, and its distance: two in a row have the sizes of two in the rest of the file.
    fn far(&mut self, index: usize, distance: i64) -> Option<(usize, i64)> {
        self.far_searches += 1;
        if self.far_searches > FAR_SEARCHES {
            return None;
        }
        let stated = self.stated;
        let by_sizes = self.by_sizes.get_or_insert_with(|| by_sizes(stated));
        let from = stated.get(index)?.saturating_add_signed(distance);
        let mut at = resume(self.moves, from, &mut self.readability)?;
        for _ in 0..FAR_RECORDS {
            let second = end(self.moves, at)?;
            let third = end(self.moves, second)?;
            let sizes = (second - at, third - second);
            if let Some(&Some(found)) = by_sizes.get(&sizes)
                && found > index
            {
                let stated = *stated.get(found)?;
                return Some((found, at.wrapping_sub(stated) as i64));
            }
            at = second;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of these sizes after a header, and their offsets.
    fn texts(sizes: impl Iterator<Item = usize>) -> (Vec<u8>, Vec<u64>) {
        let (mut file, mut offsets) = (vec![0; 26], Vec::new());
        for size in sizes {
            offsets.push(file.len() as u64);
            let mut text = vec![b'a'; size];
            text[..4].copy_from_slice(&(size as u32).to_be_bytes());
            text[0] = 0x80;
            text[4..6].copy_from_slice(&[1, 0]);
            file.extend(text);
        }
        (file, offsets)
    }

    #[test]
    fn records_are_found_at_any_distance() {
        let (file, offsets) = texts((0..50).map(|number| 20 + 7 * number % 31));
        let sound = ShiftedRecords::find(&file, offsets.iter().copied());
        assert!(sound.offsets.is_empty());
        let middle = offsets[20] as usize + 9;
        for inserted in [1, 3, 512, 70_000, 200_000] {
            let mut longer = file.clone();
            longer.splice(middle..middle, std::iter::repeat_n(0xee, inserted));
            let found = ShiftedRecords::find(&longer, offsets.iter().copied());
            for (number, &at) in offsets.iter().enumerate() {
                let expected = if number > 20 {
                    at + inserted as u64
                } else {
                    at
                };
                // One that follows a far gap is known by the two after it.
                if inserted < 1 << 16 || number != 21 {
                    assert_eq!(found.offset(at), expected, "{inserted}, {number}");
                }
            }
            let problems: Vec<String> = found.problems().collect();
            assert_eq!(problems.len(), 1, "{problems:?}");
        }
        for lost in [1, 5, 11] {
            let mut shorter = file.clone();
            shorter.drain(middle..middle + lost);
            let found = ShiftedRecords::find(&shorter, offsets.iter().copied());
            for (number, &at) in offsets.iter().enumerate() {
                let expected = if number > 20 { at - lost as u64 } else { at };
                assert_eq!(found.offset(at), expected, "{lost}, {number}");
            }
        }
    }

    #[test]
    fn crafted_files_are_searched_for_a_bounded_time() {
        // Each offset leads into bytes that are the head of no record.
        let file = vec![0xff; 1 << 20];
        let offsets = (0..1 << 18).map(|number| 26 + 4 * number);
        let found = ShiftedRecords::find(&file, offsets);
        assert!(found.offsets.is_empty());
    }
}
