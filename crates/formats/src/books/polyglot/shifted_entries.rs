//! Finds the entries of a book after inserted or lost bytes, which shift all entries that follow.

use std::io::Write;
use std::ops::Range;

use tabia_core::error::Result;
use tabia_core::io::{Blob, TemporaryFile};
use tabia_core::plural::counted;
use zerocopy::FromBytes;

use super::entry::Entry;

/// Entries in a row that must be sound where a book goes on at another distance.
const IN_A_ROW: usize = 12;
/// Entries that are compared; no position has as many moves, whose entries look sound at other distances,
/// too.
const FOLLOWING: usize = 250;
/// Unsound entries that are fewer at the distance at which the book goes on.
const FEWER: usize = 4;
/// Bytes after an unsound entry at which the book is searched.
const SEARCHED: usize = 4096;
/// Entries of the smallest book that is searched: the keys of fewer are so far apart that other bytes may
/// be between them.
const FEWEST: usize = 256;
/// Bytes of entries that are kept in memory; those of larger books go to a temporary file.
const MEMORY: usize = 32 << 20;

/// The entries of a file into which bytes were inserted, or from which some were lost.
#[derive(Debug)]
pub(super) struct Realigned {
    /// What is left, in order.
    parts: Vec<Part>,
    /// Bytes between the entries.
    left_over: usize,
}

#[derive(Debug)]
enum Part {
    /// Entries, by their range in the file.
    Stored(Range<usize>),
    /// An entry from which the inserted bytes were taken out.
    Restored([u8; Entry::SIZE]),
}

impl Realigned {
    /// The entries of `bytes`, a file or its beginning; `None` if they are where they should be.
    pub(super) fn find(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < FEWEST * Entry::SIZE {
            return None;
        }
        let mut found = Self {
            parts: Vec::new(),
            left_over: 0,
        };
        let (mut from, mut at, mut searched_to) = (0, 0, 0);
        while entry(bytes, at).is_some() {
            if at >= searched_to && is_unsound(bytes, from, at) {
                if let Some(start) = start_after(bytes, from, at) {
                    if is_sure(from, before(from, at)) {
                        found.hit(bytes, from..at, start);
                    } else {
                        // At the beginning of the file nothing shows which entries are whole.
                        found.left_over += start;
                    }
                    // The first entry may be the one that was hit, if its move is whole.
                    from = start + Entry::SIZE;
                    found.left_over += Entry::SIZE;
                    (at, searched_to) = (start, 0);
                } else {
                    searched_to = at + SEARCHED;
                }
            }
            at += Entry::SIZE;
        }
        if from == 0 {
            return None;
        }
        let end = bytes.len() - (bytes.len() - from) % Entry::SIZE;
        found.parts.push(Part::Stored(from..end));
        Some(found)
    }

    /// Adds the entries at the range `sound` that are before `start`, where the book goes on.
    fn hit(&mut self, bytes: &[u8], sound: Range<usize>, start: usize) {
        let from = sound.start;
        let mut end = sound.end.min(start - (start - from) % Entry::SIZE);
        while end > from && !follows(bytes, end - Entry::SIZE, start) {
            end -= Entry::SIZE;
        }
        // The last one may have been hit in bytes that do not show it.
        let last = end.saturating_sub(Entry::SIZE).max(from);
        self.parts.push(Part::Stored(from..last));
        let rest = bytes.get(last..start).unwrap_or_default();
        self.left_over += rest.len();
        // Of the first entry nothing shows whether bytes of it were lost.
        if last > from
            && let Some(restored) = without_inserted(rest, usual_learn(bytes, from, last))
        {
            self.parts.push(Part::Restored(restored));
            self.left_over -= Entry::SIZE;
        }
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        let length = |part: &Part| match part {
            Part::Stored(range) => range.len() / Entry::SIZE,
            Part::Restored(_) => 1,
        };
        self.parts.iter().map(length).sum()
    }

    /// The entries one after another.
    pub(super) fn blob(&self, bytes: &[u8]) -> Result<Blob> {
        let parts = self.parts.iter().map(|part| match part {
            Part::Stored(range) => bytes.get(range.clone()).unwrap_or_default(),
            Part::Restored(entry) => entry,
        });
        if bytes.len() <= MEMORY {
            return Ok(Blob::from(parts.collect::<Vec<_>>().concat()));
        }
        let mut file = TemporaryFile::new()?;
        for part in parts {
            file.write_all(part)?;
        }
        file.map()
    }

    /// What is wrong with the file, one line.
    pub(super) fn problem(&self) -> String {
        format!(
            "bytes were inserted into the file, or lost from it: the entries after them are read where they are, \
             {} of none; other programs read wrong entries, `tabia book fix` writes the right ones",
            counted(self.left_over, "byte is", "bytes are")
        )
    }
}

/// How many entries at the start of a file have moves and keys above that of the one before.
pub(super) fn sound_at_start(bytes: &[u8]) -> usize {
    let starts = (0..bytes.len()).step_by(Entry::SIZE);
    let pairs = starts.clone().zip(starts.skip(1));
    let is_sound = |(at, next): &(usize, usize)| {
        entry(bytes, *at).is_some_and(|entry| entry.key.get() != 0) && follows(bytes, *at, *next)
    };
    pairs.take_while(is_sound).count()
}

fn entry(bytes: &[u8], at: usize) -> Option<&Entry> {
    let bytes = bytes.get(at..at.checked_add(Entry::SIZE)?)?;
    Entry::ref_from_bytes(bytes).ok()
}

/// Whether an entry can be one: its move has known bits and leaves its square, or it is one of a header.
pub(super) fn is_sound(entry: &Entry) -> bool {
    let bits = entry.move_bits.get();
    entry.key.get() == 0 || !entry.is_foreign() && bits & 63 != bits >> 6 & 63
}

/// Whether the entry at `next` can follow that at `at`.
fn follows(bytes: &[u8], at: usize, next: usize) -> bool {
    match (entry(bytes, at), entry(bytes, next)) {
        (Some(one), Some(other)) => {
            is_sound(one) && is_sound(other) && one.key.get() <= other.key.get()
        }
        _ => false,
    }
}

/// Whether the entry at `at` is not sound after those from `from` on.
fn is_unsound(bytes: &[u8], from: usize, at: usize) -> bool {
    match (entry(bytes, at), at.checked_sub(Entry::SIZE)) {
        (None, _) => false,
        (Some(_), Some(before)) if before >= from => !follows(bytes, before, at),
        (Some(entry), _) => !is_sound(entry),
    }
}

/// How many of the entries that are looked at after one at `at` do not follow theirs.
fn unsound_after(bytes: &[u8], at: usize) -> usize {
    let row = (0..FOLLOWING).map(|number| at + number * Entry::SIZE);
    let pairs = row.clone().zip(row.skip(1));
    let pairs = pairs.take_while(|(_, next)| entry(bytes, *next).is_some());
    pairs
        .filter(|(at, next)| !follows(bytes, *at, *next))
        .count()
}

/// Where the book goes on near an unsound entry, at another distance.
fn start_after(bytes: &[u8], from: usize, at: usize) -> Option<usize> {
    let before = before(from, at);
    let is_sure = is_sure(from, before);
    // Without such entries, bytes before the shift may look like some by chance.
    let first = if is_sure { before } else { at };
    let mut best: Option<(usize, usize)> = None;
    let (mut tried, mut end) = (0_u16, (at + SEARCHED).min(bytes.len()));
    for start in first + 1.. {
        if start >= end {
            break;
        }
        // One start of each distance is enough.
        let distance = 1 << (start % Entry::SIZE);
        let is_start = start % Entry::SIZE != at % Entry::SIZE
            && tried & distance == 0
            && (before == at || !is_sure || follows(bytes, before, start))
            && goes_on(bytes, start)
            && !is_far_from_next(bytes, start);
        if !is_start {
            continue;
        }
        if tried == 0 {
            end = end.min(start + IN_A_ROW * Entry::SIZE);
        }
        tried |= distance;
        let found = (unsound_after(bytes, start), start);
        best = Some(best.map_or(found, |best| best.min(found)));
    }
    let (unsound, start) = best?;
    (unsound + FEWER < unsound_after(bytes, at)).then_some(start)
}

/// An entry before the unsound one at `at` that is sound: a shift is noticed late if the first shifted
/// entries look sound.
fn before(from: usize, at: usize) -> usize {
    at.saturating_sub(IN_A_ROW * Entry::SIZE).max(from)
}

/// Whether enough sound entries precede to trust that one.
const fn is_sure(from: usize, before: usize) -> bool {
    from > 0 || before > from
}

/// Whether the key of an entry is much farther from the next one than those after it are from each
/// other: bytes before the first entry look so where they look like an entry.
fn is_far_from_next(bytes: &[u8], start: usize) -> bool {
    let row = (0..IN_A_ROW).filter_map(|number| entry(bytes, start + number * Entry::SIZE));
    let keys: Vec<u64> = row.map(|entry| entry.key.get()).collect();
    let mut gaps = keys.windows(2).map(|pair| match pair {
        [one, other] => other.saturating_sub(*one),
        _ => 0,
    });
    let first = gaps.next().unwrap_or_default();
    let largest = gaps.max().unwrap_or_default();
    largest > 0 && first / 16 > largest
}

/// Whether sound entries in order begin at `start`.
fn goes_on(bytes: &[u8], start: usize) -> bool {
    let row = (0..IN_A_ROW).map(|number| start + number * Entry::SIZE);
    let mut pairs = row.clone().zip(row.skip(1));
    pairs.all(|(at, next)| follows(bytes, at, next))
}

/// The `learn` value that the entries before `end` have in common.
fn usual_learn(bytes: &[u8], from: usize, end: usize) -> Option<[u8; 4]> {
    let first = end.saturating_sub(IN_A_ROW * Entry::SIZE).max(from);
    let row = (first..end).step_by(Entry::SIZE);
    let mut values = row.filter_map(|at| Some(entry(bytes, at)?.learn));
    let one = values.next()?;
    values.all(|value| value == one).then_some(one)
}

/// The entry in bytes with others inserted, which has the value `learn` if that is known. `None` if the
/// others can be taken out in several ways.
fn without_inserted(bytes: &[u8], learn: Option<[u8; 4]>) -> Option<[u8; Entry::SIZE]> {
    let inserted = bytes.len().checked_sub(Entry::SIZE)?;
    let mut found = None;
    for at in 0..=Entry::SIZE {
        let (head, rest) = bytes.split_at_checked(at)?;
        let candidate = [head, rest.get(inserted..)?].concat();
        let entry = Entry::ref_from_bytes(&candidate).ok()?;
        if !is_sound(entry) || learn.is_some_and(|learn| learn != entry.learn) {
            continue;
        }
        let candidate: [u8; Entry::SIZE] = candidate.as_slice().try_into().ok()?;
        if *found.get_or_insert(candidate) != candidate {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tabia_testkit::Random;
    use zerocopy::IntoBytes;

    use super::*;

    /// A book of that many entries in the order of their keys.
    fn book(count: usize) -> Vec<Entry> {
        let mut random = Random::new(7);
        let mut keys: Vec<u64> = (0..count).map(|_| random.next_u64()).collect();
        keys.sort_unstable();
        let entry = |key: u64| {
            let bits = (key as u16 & 0x0fff) ^ 1;
            let is_null = bits & 63 == bits >> 6;
            Entry {
                key: key.into(),
                move_bits: if is_null { 0x31c } else { bits }.into(),
                weight: (1 + key as u16 % 500).into(),
                learn: [0; 4],
            }
        };
        keys.into_iter().map(entry).collect()
    }

    fn entries(bytes: &[u8]) -> Option<Vec<Entry>> {
        let found = Realigned::find(bytes)?;
        let blob = found.blob(bytes).unwrap();
        assert_eq!(blob.len(), found.len() * Entry::SIZE);
        Some(<[Entry]>::ref_from_bytes(&blob).unwrap().to_vec())
    }

    #[test]
    fn inserted_and_lost_bytes_cost_the_entries_near_them() {
        let book = book(3000);
        let bytes = book.as_bytes();
        let known: HashSet<&[u8]> = bytes.chunks(Entry::SIZE).collect();
        assert!(Realigned::find(bytes).is_none());
        let mut random = Random::new(1);
        let (mut invented, mut most_lost) = (0, 0);
        for _ in 0..60 {
            let at = random.below(bytes.len() - 400);
            for count in [1, 3, 8, 15, 100] {
                let mut longer = bytes.to_vec();
                longer.splice(at..at, vec![0xa7; count]);
                let mut shorter = bytes.to_vec();
                shorter.drain(at..at + count);
                for damaged in [longer, shorter] {
                    let found = entries(&damaged).unwrap_or_else(|| panic!("{count} at {at}"));
                    let is_new = |entry: &&Entry| !known.contains(entry.as_bytes());
                    invented += found.iter().filter(is_new).count();
                    most_lost = most_lost.max(book.len() - found.len());
                }
            }
        }
        assert_eq!(invented, 0);
        // A shift is noticed late, and the entries on both sides of it are not sure.
        assert!(most_lost <= 7 + IN_A_ROW, "{most_lost}");
    }

    #[test]
    fn entries_out_of_order_are_not_shifted() {
        let mut book = book(400);
        book.reverse();
        assert!(Realigned::find(book.as_bytes()).is_none());
        let mut random = Random::new(3);
        let noise: Vec<u8> = (0..50_000).map(|_| random.next_u64() as u8).collect();
        assert!(Realigned::find(&noise).is_none());
        assert!(Realigned::find(&[0; 1000]).is_none());
        assert!(Realigned::find(b"abc").is_none());
    }
}
