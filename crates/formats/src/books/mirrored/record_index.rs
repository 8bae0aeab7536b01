//! Hash index from position to record offset, built lazily after [`LOOKUPS_BEFORE_BUILD`] lookups
//! per page.
//!
//! A single lookup reads the file, so that opening a book is fast. Many lookups use an index of 16
//! bytes a slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tabia_core::io::HugeTable;

/// Lookups for each page or block of the book before the index is built.
const LOOKUPS_BEFORE_BUILD: u32 = 8;
/// Bytes of the largest book that gets an index; offsets are below.
pub(crate) const MAX_BYTES: u64 = 512 << 20;
/// Slots of the largest index: 256 MiB.
const MAX_SLOTS: usize = 1 << 24;
/// Bits of an offset.
const OFFSET_BITS: u32 = MAX_BYTES.ilog2();
/// Bits of a payload.
pub(crate) const PAYLOAD_BITS: u32 = u64::BITS - 1 - OFFSET_BITS;
/// Set in the words of all used slots.
const USED: u64 = 1 << 63;

/// An index that is built when enough lookups have been made to pay for it.
#[derive(Debug)]
pub(crate) struct LazyIndex {
    /// `None`: never built, because the book is too large.
    lookups_before_build: Option<u32>,
    lookups: AtomicU32,
    /// Holds `None` if the index would be too large.
    index: OnceLock<Option<RecordIndex>>,
}

impl LazyIndex {
    /// For a book of `pages` pages of `page_size` bytes.
    pub(crate) fn new(pages: u32, page_size: usize) -> Self {
        let is_small = u64::from(pages) * page_size as u64 <= MAX_BYTES;
        Self {
            lookups_before_build: is_small.then(|| pages.saturating_mul(LOOKUPS_BEFORE_BUILD)),
            lookups: AtomicU32::new(0),
            index: OnceLock::new(),
        }
    }

    /// Counts a lookup and returns the index if it is built, or if enough lookups have been counted
    /// to `build` it now.
    pub(crate) fn get_if_worthwhile(
        &self,
        build: impl FnOnce() -> Option<RecordIndex>,
    ) -> Option<&RecordIndex> {
        if let Some(index) = self.index.get() {
            return index.as_ref();
        }
        let lookups = self.lookups.fetch_add(1, Ordering::Relaxed);
        if lookups < self.lookups_before_build? {
            return None;
        }
        self.index.get_or_init(build).as_ref()
    }

    /// The index, built now if it is not yet; for callers that look up every position. `None` if
    /// the book is too large.
    pub(crate) fn force(
        &self,
        build: impl FnOnce() -> Option<RecordIndex>,
    ) -> Option<&RecordIndex> {
        self.lookups_before_build?;
        self.index.get_or_init(build).as_ref()
    }
}

/// Slots by hash, with linear probing and a load of at most two thirds. The lower bits of the hashes
/// must be evenly distributed.
#[derive(Debug)]
pub(crate) struct RecordIndex {
    /// Two words a slot: the hash, and the [`Slot`] with [`USED`]; 0 if the slot is empty.
    words: HugeTable,
    /// Number of slots less one.
    mask: usize,
}

/// The offset of a record, and a payload of [`PAYLOAD_BITS`] that saves reading the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(u64);

impl Slot {
    /// `offset` must be below [`MAX_BYTES`]; higher bits are ignored, as are those of the payload
    /// above [`PAYLOAD_BITS`].
    pub(crate) const fn new(offset: u64, payload: u64) -> Self {
        Self(offset & (MAX_BYTES - 1) | payload << OFFSET_BITS & !USED)
    }

    /// The offset of the record.
    pub(crate) const fn offset(self) -> u64 {
        self.0 & (MAX_BYTES - 1)
    }

    /// The payload.
    pub(crate) const fn payload(self) -> u64 {
        self.0 >> OFFSET_BITS
    }
}

impl RecordIndex {
    /// An empty index for at most `records` records; `None` if it would have more than
    /// [`MAX_SLOTS`].
    pub(crate) fn with_capacity(records: usize) -> Option<Self> {
        if records > MAX_SLOTS / 3 * 2 {
            return None;
        }
        let slots = (records + records / 2 + 1).next_power_of_two();
        Some(Self {
            words: HugeTable::zeroed(2 * slots),
            mask: slots - 1,
        })
    }

    /// Adds a record, unless there is one with the same hash.
    pub(crate) fn insert(&mut self, hash: u64, slot: Slot) {
        let mut number = hash as usize & self.mask;
        let (slots, _) = self.words.words_mut().as_chunks_mut::<2>();
        // A full index stays unchanged; any other has an empty slot.
        for _ in 0..=self.mask {
            let Some([slot_hash, word]) = slots.get_mut(number) else {
                return;
            };
            if *word == 0 {
                (*slot_hash, *word) = (hash, slot.0 | USED);
                return;
            }
            if *slot_hash == hash {
                return;
            }
            number = (number + 1) & self.mask;
        }
    }

    /// The record with a hash.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<Slot> {
        let mut number = hash as usize & self.mask;
        let (slots, _) = self.words.words().as_chunks::<2>();
        // Some slots are empty, so the loop ends.
        loop {
            let &[slot_hash, word] = slots.get(number)?;
            if word == 0 {
                return None;
            }
            if slot_hash == hash {
                return Some(Slot(word & !USED));
            }
            number = (number + 1) & self.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_is_built_after_enough_lookups() {
        let lazy = LazyIndex::new(2, 1);
        let build = || {
            let mut index = RecordIndex::with_capacity(1000)?;
            for offset in 0..1000 {
                index.insert(offset % 300, Slot::new(offset, offset << 20));
            }
            Some(index)
        };
        for _ in 0..2 * LOOKUPS_BEFORE_BUILD {
            assert!(lazy.get_if_worthwhile(build).is_none());
        }
        let index = lazy.get_if_worthwhile(build).unwrap();
        let slot = index.find(299).unwrap();
        assert_eq!((slot.offset(), slot.payload()), (299, 299 << 20));
        assert_eq!(index.find(0), Some(Slot::new(0, 0)));
        assert_eq!(index.find(300), None);
        assert_eq!(index.find(2048), None);
        assert_eq!(RecordIndex::with_capacity(0).unwrap().find(7), None);
        let forced = LazyIndex::new(2, 1);
        assert!(forced.force(build).unwrap().find(299).is_some());
        assert!(forced.get_if_worthwhile(build).is_some());
        let large = LazyIndex::new(u32::MAX, 1);
        let lookups = 4 * LOOKUPS_BEFORE_BUILD;
        assert!((0..lookups).all(|_| large.get_if_worthwhile(build).is_none()));
        assert!(large.force(build).is_none());
        let full = LazyIndex::new(2, 1);
        let too_large = || RecordIndex::with_capacity(MAX_SLOTS);
        assert!(full.force(too_large).is_none());
        assert!(full.get_if_worthwhile(build).is_none());
    }

    #[test]
    fn index_accepts_more_records_than_its_capacity() {
        let mut index = RecordIndex::with_capacity(2).unwrap();
        let max_payload = (1 << PAYLOAD_BITS) - 1;
        for hash in 0..3 {
            index.insert(hash, Slot::new(hash, max_payload));
        }
        let last = index.find(2).unwrap();
        assert_eq!((last.offset(), last.payload()), (2, max_payload));
        assert_eq!(index.find(9), None);
        let last = Slot::new(MAX_BYTES - 1, 0);
        assert_eq!((last.offset(), last.payload()), (MAX_BYTES - 1, 0));
    }
}
