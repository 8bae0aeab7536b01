//! Finds the records of `.cbg` that are not where their headers have them: bytes were inserted or lost before them.
//!
//! Headers have the offset of each record, records have their size. Where both are right, a record ends where
//! another one begins.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use tabia_core::plural::counted;

use super::headerless_record_finder::{Readability, end, resume};
use super::records::MovesHead;

/// How far before and after its offset a record is searched.
const NEAR: i64 = 1 << 16;
/// Offsets that are tried, and how many more for each byte of the file, which bounds the time for crafted files.
const TRIES: u64 = 1 << 24;
const TRIES_PER_BYTE: u64 = 4;
/// Records in a row that must be at a distance, near and far.
const NEAR_RECORDS: usize = 3;
const FAR_IN_A_ROW: usize = 6;
/// Records that may be lost in a row where bytes were lost.
const LOST_RECORDS: usize = 3;
/// Records in a row at one distance that are enough to be sure of it.
const LONG_RUN: usize = 64;
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
    /// The offsets that headers have of the records in or after which bytes were inserted or lost.
    changed: HashSet<u64>,
}

impl ShiftedRecords {
    /// Searches `.cbg` for the records that headers have at some offsets, with the full moves that they state. Each is that
    /// of one header only, and records stay in their order.
    pub(super) fn find(moves: &[u8], offsets: impl Iterator<Item = (u64, Option<u8>)>) -> Self {
        let mut headers: Vec<(u64, Option<u8>)> = offsets.filter(|&(at, _)| at != 0).collect();
        // Of equal offsets the one with a count is the first.
        headers.sort_unstable_by_key(|&(at, count)| (at, Reverse(count)));
        headers.dedup_by_key(|(at, _)| *at);
        let (stated, move_counts): (Vec<u64>, Vec<Option<u8>>) = headers.into_iter().unzip();
        let mut search = Search {
            moves,
            stated: &stated,
            move_counts: &move_counts,
            readability: Readability::default(),
            left: TRIES.saturating_add(TRIES_PER_BYTE.saturating_mul(moves.len() as u64)),
            far_searches: 0,
            by_sizes: None,
        };
        let mut shifted = Self::default();
        let mut distance = 0;
        // Records are in the order of their offsets.
        let mut least = 0;
        // From which record on records may be at another distance.
        let mut next: Option<(usize, i64)> = None;
        let mut last: Option<(u64, i64)> = None;
        for (index, &at) in stated.iter().enumerate() {
            if let Some((_, far)) = next.filter(|(from, _)| *from <= index) {
                distance = far;
                next = None;
            }
            let is_after = at.saturating_add_signed(distance) >= least;
            if !(is_after && (search.fits(at, distance) || search.is_readable(at, distance))) {
                let Some(near) = search.near(index, distance, least) else {
                    next = next.or_else(|| search.far(index, distance));
                    shifted.changed.insert(at);
                    continue;
                };
                distance = near;
            }
            if let Some((before, last)) = last
                && last != distance
            {
                shifted.changed.insert(before);
            }
            last = Some((at, distance));
            let found = at.saturating_add_signed(distance);
            least = found + MovesHead::SIZE as u64;
            if distance != 0 {
                shifted.offsets.insert(at, found);
                *shifted.counts.entry(distance).or_default() += 1;
            }
        }
        if shifted.offsets.is_empty() {
            // Without a shift these are only damaged.
            shifted.changed.clear();
        }
        shifted
    }

    /// Whether any record is not where its header has it.
    pub(super) fn any(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// Whether bytes were inserted or lost in or after the record that a header has at an offset.
    pub(super) fn is_changed(&self, stated: u64) -> bool {
        self.changed.contains(&stated)
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
    /// The full moves that the headers with these offsets state.
    move_counts: &'a [Option<u8>],
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
    /// Whether a record is at a distance from an offset and ends where the next one should begin; the last one with the
    /// file.
    fn fits(&self, at: u64, distance: i64) -> bool {
        let Some(shifted) = at.checked_add_signed(distance) else {
            return false;
        };
        let Some(end) = end(self.moves, shifted) else {
            return false;
        };
        let next = self.stated.partition_point(|&other| other <= at);
        match self.stated.get(next) {
            Some(&next) => end.checked_add_signed(-distance) == Some(next),
            None => end == self.moves.len() as u64,
        }
    }

    /// Whether a record that can be read is at a distance from an offset: after replaced games a gap follows.
    fn is_readable(&mut self, at: u64, distance: i64) -> bool {
        let shifted = at.checked_add_signed(distance);
        shifted.is_some_and(|at| self.readability.is_readable(self.moves, at))
    }

    /// Whether several records in a row are at a distance from their offsets.
    fn fit_in_a_row(&self, index: usize, distance: i64, count: usize) -> bool {
        let rest = self.stated.get(index..).unwrap_or_default();
        let mut rest = rest.iter().take(count);
        rest.all(|&at| self.fits(at, distance))
    }

    /// Whether most of some records in a row, at a distance from their offsets, have as many moves as their headers state.
    fn have_stated_moves(&mut self, index: usize, distance: i64) -> bool {
        let rest = self.stated.iter().zip(self.move_counts).skip(index);
        let contradictions = rest.take(NEAR_RECORDS).filter(|&(&at, &stated)| {
            let found = at.checked_add_signed(distance);
            let found = found.and_then(|at| self.readability.move_count(self.moves, at));
            stated.is_some() && found.is_some() && found != stated
        });
        2 * contradictions.count() < NEAR_RECORDS
    }

    /// How many records in a row are at a distance from their offsets; [`LONG_RUN`] for as many or all others.
    fn run(&self, index: usize, distance: i64) -> usize {
        let rest = self.stated.get(index..).unwrap_or_default();
        let fitting = rest
            .iter()
            .take(LONG_RUN)
            .take_while(|&&at| self.fits(at, distance));
        let count = fitting.count();
        if count == rest.len() { LONG_RUN } else { count }
    }

    /// The distance of a record that is not as far from its offset as the one before. `None` also if the record is lost and
    /// the next one begins where it could.
    fn near(&mut self, index: usize, distance: i64, least: u64) -> Option<i64> {
        let (found, run) = self.best_near(index, distance, least)?;
        if run >= LONG_RUN {
            return Some(found);
        }
        // Records of equal sizes fit at several distances up to one of another size.
        let is_longer = |search: &mut Self, next: usize| {
            let best = search.best_near(next, distance, least);
            best.is_some_and(|(_, longer)| longer > run)
        };
        let is_lost = (index + 1..=index + LOST_RECORDS).any(|next| is_longer(self, next));
        (!is_lost).then_some(found)
    }

    /// The distance at which most records in a row are, the nearest to that of the record before of several, and how many.
    fn best_near(&mut self, index: usize, distance: i64, least: u64) -> Option<(i64, usize)> {
        let at = *self.stated.get(index)?;
        let steps = i64::try_from(self.left).unwrap_or(NEAR).min(NEAR);
        let mut best: Option<(i64, usize)> = None;
        for distance in (1..=steps).flat_map(|step| [distance + step, distance - step]) {
            self.left = self.left.saturating_sub(1);
            let Some(shifted) = at.checked_add_signed(distance) else {
                continue;
            };
            // A record that another header leads to is that one's.
            let is_owned = || self.stated.binary_search(&shifted).is_ok() && self.fits(shifted, 0);
            let is_found = shifted >= least
                && self.fit_in_a_row(index, distance, NEAR_RECORDS)
                && !is_owned()
                && self.have_stated_moves(index, distance)
                && self.is_readable(at, distance);
            if !is_found {
                continue;
            }
            let run = self.run(index, distance);
            if best.is_none_or(|(_, longest)| run > longest) {
                best = Some((distance, run));
            }
            if run >= LONG_RUN {
                break;
            }
        }
        best
    }

    /// A record after one that was not found, and its distance: some in a row have the sizes of some in the rest of the
    /// file.
    fn far(&mut self, index: usize, distance: i64) -> Option<(usize, i64)> {
        self.far_searches += 1;
        if self.far_searches > FAR_SEARCHES {
            return None;
        }
        let stated = self.stated;
        let by_sizes = self.by_sizes.take().unwrap_or_else(|| by_sizes(stated));
        let from = stated.get(index)?.saturating_add_signed(distance);
        let found = self.far_record(index, from, &by_sizes);
        self.by_sizes = Some(by_sizes);
        found
    }

    /// As [`far`](Self::far), among the first records from an offset on that can be read.
    fn far_record(&mut self, index: usize, from: u64, by_sizes: &BySizes) -> Option<(usize, i64)> {
        let mut at = resume(self.moves, from, &mut self.readability)?;
        for _ in 0..FAR_RECORDS {
            let second = end(self.moves, at)?;
            let third = end(self.moves, second)?;
            if let Some(&Some(found)) = by_sizes.get(&(second - at, third - second))
                && found > index
            {
                let distance = at.wrapping_sub(*self.stated.get(found)?) as i64;
                if self.fit_in_a_row(found, distance, FAR_IN_A_ROW) {
                    return Some((found, distance));
                }
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
            text[..4].copy_from_slice(&[0x80, 0, 0, size as u8]);
            text[4..6].copy_from_slice(&[1, 0]);
            file.extend(text);
        }
        (file, offsets)
    }

    #[test]
    fn records_are_found_at_any_distance() {
        let (file, offsets) = texts((0..50).map(|number| 20 + 7 * number % 31));
        let sound = ShiftedRecords::find(&file, offsets.iter().map(|&at| (at, None)));
        assert!(sound.offsets.is_empty());
        let middle = offsets[20] as usize + 9;
        for inserted in [1, 3, 512, 70_000, 200_000] {
            let mut longer = file.clone();
            longer.splice(middle..middle, std::iter::repeat_n(0xee, inserted));
            let found = ShiftedRecords::find(&longer, offsets.iter().map(|&at| (at, None)));
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
            let found = ShiftedRecords::find(&shorter, offsets.iter().map(|&at| (at, None)));
            for (number, &at) in offsets.iter().enumerate() {
                let expected = if number > 20 { at - lost as u64 } else { at };
                assert_eq!(found.offset(at), expected, "{lost}, {number}");
            }
        }
    }

    #[test]
    fn no_record_is_that_of_two_headers() {
        let (file, offsets) = texts((0..50).map(|number| 20 + 7 * number % 31));
        // Cut at and inside of records.
        for at in offsets[10]..offsets[14] {
            let cut = &file[..at as usize];
            let found = ShiftedRecords::find(cut, offsets.iter().map(|&at| (at, None)));
            assert!(found.offsets.is_empty(), "{at}");
        }
        // Headers of games that were added later, of all sizes.
        let later = offsets.iter().map(|at| at + file.len() as u64);
        let found = ShiftedRecords::find(
            &file,
            offsets.iter().copied().chain(later).map(|at| (at, None)),
        );
        assert!(found.offsets.is_empty());
    }

    #[test]
    fn crafted_files_are_searched_for_a_bounded_time() {
        // Each offset leads into bytes that are the head of no record.
        let file = vec![0xff; 1 << 20];
        let offsets = (0..1 << 18).map(|number| 26 + 4 * number);
        let found = ShiftedRecords::find(&file, offsets.map(|at| (at, None)));
        assert!(found.offsets.is_empty());
    }
}
