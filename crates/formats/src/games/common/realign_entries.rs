//! Finds the entries of an index after inserted or lost bytes, which shift all entries that follow.

use tabia_core::games::DatabaseInfo;
use tabia_core::io::Blob;

/// What is reported of an index whose entries were found again.
pub(crate) const REALIGNED: &str = "bytes were inserted into the file, or lost from it: the entries after them are read where they are";

/// Entries in a row that must be sound where an index goes on.
const IN_A_ROW: usize = 3;
/// Entries that are tested, and how many more for each byte, which bounds the time for crafted files.
const TESTS: usize = 1 << 20;
const TESTS_PER_BYTE: usize = 4;

/// The problem of a record whose entry [`realign`] or [`next_to_zeros`] names.
pub(crate) const CHANGED_ENTRY: &str = "bytes of its index entry were changed, inserted or lost: date, result, ratings and more may be other than they were";

/// The entries of an index in which bytes were inserted or lost.
#[derive(Debug)]
pub(crate) struct Realigned {
    pub(crate) bytes: Vec<u8>,
    /// The numbers of the entries that were hit, from 0, in ascending order. Of some only zeros are left.
    pub(crate) changed: Vec<u32>,
}

/// An index with a header, its entries as [`realign`] has them, which is reported in `info`, and the entries that were hit.
pub(crate) fn realigned_index(
    index: &Blob,
    header_length: usize,
    length: usize,
    is_entry: impl Fn(&[u8]) -> bool,
    info: &mut DatabaseInfo,
) -> Option<(Blob, Vec<u32>)> {
    let (header, rest) = index.split_at(header_length.min(index.len()));
    let realigned = realign(rest, length, is_entry)?;
    info.problems.push(REALIGNED.to_owned());
    let bytes = Blob::from([header, realigned.bytes.as_slice()].concat());
    Some((bytes, realigned.changed))
}

/// The entries of an index in which bytes were inserted or lost: whose size is not a multiple of `length`. `None` for
/// another index, and if no entry is found at another distance.
pub(crate) fn realign(
    bytes: &[u8],
    length: usize,
    is_entry: impl Fn(&[u8]) -> bool,
) -> Option<Realigned> {
    if length == 0 || bytes.len().is_multiple_of(length) {
        return None;
    }
    let mut left = bytes.len().saturating_mul(TESTS_PER_BYTE);
    left = left.saturating_add(TESTS);
    let mut is_sound = |at: usize| {
        left = left.saturating_sub(1);
        let entry = at.checked_add(length).and_then(|end| bytes.get(at..end));
        left > 0 && entry.is_some_and(&is_entry)
    };
    let mut entries = Vec::with_capacity(bytes.len());
    let mut changed = Vec::new();
    let (mut at, mut is_moved) = (0_usize, false);
    let mut last_sound = None;
    while let Some(entry) = bytes.get(at..at.saturating_add(length)) {
        if is_sound(at) {
            last_sound = u32::try_from(entries.len() / length).ok();
            entries.extend_from_slice(entry);
            at += length;
            continue;
        }
        // Of a damaged entry those after it are where they should be.
        let goes_on = |is_sound: &mut dyn FnMut(usize) -> bool, at: usize| {
            let entries = (0..IN_A_ROW).map(|number| at + number * length);
            let mut whole = entries.filter(|at| at + length <= bytes.len()).peekable();
            whole.peek().is_some() && whole.all(is_sound)
        };
        if goes_on(&mut is_sound, at + length) {
            entries.extend_from_slice(entry);
            at += length;
            continue;
        }
        // Where bytes at the end of an entry were lost, the next one begins before its end.
        let starts = (1..2 * length).filter(|distance| *distance != length);
        let mut starts = starts.flat_map(|distance| {
            let before = at.checked_sub(distance);
            let before = before.filter(|_| 2 * distance <= length && !entries.is_empty());
            [Some(at + distance), before].into_iter().flatten()
        });
        let found =
            starts.find(|&start| start + length <= bytes.len() && goes_on(&mut is_sound, start));
        drop(starts);
        if let Some(start) = found {
            let next = u32::try_from(entries.len() / length).unwrap_or(u32::MAX);
            // What was inserted or lost can have hit the end of the last sound entry, and the start of the next one.
            changed.extend(last_sound.unwrap_or(0)..=next);
            // So can it have hit one before that, if those after it are sound at either distance.
            let mut ambiguous = next;
            while ambiguous > 1
                && let Some(before) = start.checked_sub((next - ambiguous + 1) as usize * length)
                && is_sound(before)
            {
                ambiguous -= 1;
                changed.push(ambiguous - 1);
            }
            // Fewer were inserted between two entries.
            if start > at && 2 * (start - at) > length {
                entries.resize(entries.len() + length, 0);
                changed.push(next + 1);
            }
            at = start;
            is_moved = true;
        } else {
            entries.extend_from_slice(entry);
            at += length;
        }
    }
    changed.sort_unstable();
    changed.dedup();
    is_moved.then_some(Realigned {
        bytes: entries,
        changed,
    })
}

/// The entries of `size` bytes that zeros over the entries next to them reach into, ascending: before or after entries of
/// zeros they have more zeros there than any other entry has.
pub(crate) fn next_to_zeros(bytes: &[u8], size: usize) -> Vec<u32> {
    if size == 0 {
        return Vec::new();
    }
    let entries: Vec<&[u8]> = bytes.chunks_exact(size).collect();
    let is_zero = |entry: &&[u8]| entry.iter().all(|byte| *byte == 0);
    let is_zero_at = |index: Option<usize>| {
        index
            .and_then(|index| entries.get(index))
            .is_some_and(is_zero)
    };
    let zeros = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|byte| **byte == 0).count();
    let (mut natural, mut found) = ([0; 2], Vec::new());
    for (index, entry) in entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !is_zero(entry))
    {
        let counts = [zeros(&mut entry.iter()), zeros(&mut entry.iter().rev())];
        let next_to = [
            is_zero_at(index.checked_sub(1)),
            is_zero_at(index.checked_add(1)),
        ];
        for ((natural, count), is_next) in natural.iter_mut().zip(counts).zip(next_to) {
            if !is_next {
                *natural = count.max(*natural);
            }
        }
        if next_to.contains(&true) {
            found.push((index as u32, counts, next_to));
        }
    }
    let has_more = |(_, counts, next_to): &(u32, [usize; 2], [bool; 2])| {
        let sides = counts.iter().zip(natural).zip(next_to);
        sides
            .into_iter()
            .any(|((count, natural), is_next)| *is_next && *count > natural)
    };
    found.retain(has_more);
    found.into_iter().map(|(index, ..)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = 7;

    /// An entry with its number.
    fn entry(number: u8) -> [u8; LENGTH] {
        [0xab, number, 0xcd, number, 0, 1, number]
    }

    fn is_entry(bytes: &[u8]) -> bool {
        matches!(*bytes, [0xab, a, 0xcd, b, 0, 1, c] if a == b && b == c)
    }

    fn index() -> Vec<u8> {
        (0..40).flat_map(entry).collect()
    }

    /// The numbers of the sound entries.
    fn numbers(bytes: &[u8]) -> Vec<u8> {
        let entries = bytes.chunks(LENGTH).filter(|entry| is_entry(entry));
        entries.map(|entry| entry[1]).collect()
    }

    #[test]
    fn entries_after_inserted_and_lost_bytes_are_found() {
        let whole = index();
        assert!(realign(&whole, LENGTH, is_entry).is_none());
        for at in 0..whole.len() - 4 * LENGTH {
            for count in 1..LENGTH {
                let mut longer = whole.clone();
                longer.splice(at..at, vec![0xee; count]);
                let hit = (at % LENGTH > 0).then_some((at / LENGTH) as u8);
                let expected: Vec<u8> = (0..40).filter(|number| Some(*number) != hit).collect();
                let found = realign(&longer, LENGTH, is_entry).unwrap();
                let numbers_found = numbers(&found.bytes);
                assert_eq!(numbers_found, expected, "{count} inserted at {at}");
                let entry = (at / LENGTH) as u32;
                let of_entry = |number: &u32| number.abs_diff(entry) <= 2;
                assert!(found.changed.iter().all(of_entry), "{found:?}");
                let mut shorter = whole.clone();
                shorter.drain(at..at + count);
                let found = numbers(&realign(&shorter, LENGTH, is_entry).unwrap().bytes);
                assert!(found.len() >= 38, "{count} lost at {at}: {found:?}");
            }
        }
    }

    #[test]
    fn damaged_entries_stay_in_their_order() {
        let mut bytes = index();
        bytes[5 * LENGTH] = 0;
        bytes.splice(20 * LENGTH..20 * LENGTH, [1, 2, 3]);
        let found = realign(&bytes, LENGTH, is_entry).unwrap();
        assert_eq!(found.bytes.len(), 40 * LENGTH);
        assert_eq!(numbers(&found.bytes).len(), 39);
        assert_eq!(found.changed, [19, 20]);
    }

    #[test]
    fn bytes_without_entries_are_left() {
        assert!(realign(&[0xff; 1001], LENGTH, is_entry).is_none());
        assert!(realign(&[1], LENGTH, is_entry).is_none());
        assert!(realign(&[], LENGTH, is_entry).is_none());
    }
}
