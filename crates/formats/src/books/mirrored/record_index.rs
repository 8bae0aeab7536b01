//! Where the records of a book stand, learned once it is asked about often.
//!
//! A single question is answered from the file alone, so that opening a book costs nothing. Who
//! asks many has them answered from a table of 16 bytes a slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tabia_core::io::HugeTable;

/// Questions for each page or block of the book, until the table is made.
const PATIENCE: u32 = 8;
/// Bytes of the largest books that get a table: places have so many bits.
pub(crate) const MOST: u64 = 512 << 20;
/// Slots of the largest tables, so that none outgrows the memory: 256 MiB.
const MOST_SLOTS: usize = 1 << 24;
/// Bits that can be said of a record beside its place.
pub(crate) const SAID: u32 = u64::BITS - 1 - PLACE;

/// A table that is made when it is worth it.
#[derive(Debug)]
pub(crate) struct Places {
    /// Questions until it is made; `None`: never.
    patience: Option<u32>,
    asked: AtomicU32,
    /// None inside: it would be too large.
    table: OnceLock<Option<Table>>,
}

impl Places {
    /// For a book of so many pages or blocks, each of so many bytes.
    pub(crate) fn of(units: u32, size: usize) -> Self {
        let is_small = u64::from(units) * size as u64 <= MOST;
        Self {
            patience: is_small.then(|| units.saturating_mul(PATIENCE)),
            asked: AtomicU32::new(0),
            table: OnceLock::new(),
        }
    }

    /// Notes a question; the table, if there is one by now. `make` makes it.
    pub(crate) fn ask(&self, make: impl FnOnce() -> Option<Table>) -> Option<&Table> {
        if let Some(table) = self.table.get() {
            return table.as_ref();
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked < self.patience? {
            return None;
        }
        self.table.get_or_init(make).as_ref()
    }

    /// The table, at once: for who asks for everything.
    pub(crate) fn all(&self, make: impl FnOnce() -> Option<Table>) -> Option<&Table> {
        self.patience?;
        self.table.get_or_init(make).as_ref()
    }
}

/// What is known of records by their hashes, at most two of three slots in use. The lower bits of
/// hashes are spread evenly.
#[derive(Debug)]
pub(crate) struct Table {
    /// Two words a slot: the hash, and what is known of the record; 0 where there is none.
    words: HugeTable,
    /// Slots less one.
    mask: usize,
}

/// What a table says of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(u64);

/// Bits of places.
const PLACE: u32 = MOST.ilog2();
/// Set wherever there is a record.
const RECORD: u64 = 1 << 63;

impl Slot {
    /// A record at a place below [`MOST`], with up to [`SAID`] bits of what is to be known of it
    /// without a look there.
    pub(crate) const fn new(place: u64, said: u64) -> Self {
        Self(place & (MOST - 1) | said << PLACE & !RECORD)
    }

    /// Where the record is.
    pub(crate) const fn place(self) -> u64 {
        self.0 & (MOST - 1)
    }

    /// What was said of it.
    pub(crate) const fn said(self) -> u64 {
        self.0 >> PLACE
    }
}

impl Table {
    /// A table for so many records at most; `None` when it would be too large.
    pub(crate) fn of(records: usize) -> Option<Self> {
        if records > MOST_SLOTS / 3 * 2 {
            return None;
        }
        let length = (records + records / 2 + 1).next_power_of_two();
        Some(Self {
            words: HugeTable::zeroed(2 * length),
            mask: length - 1,
        })
    }

    /// Adds a record, unless one with that hash is there.
    pub(crate) fn add(&mut self, hash: u64, slot: Slot) {
        let mut at = hash as usize & self.mask;
        let (slots, _) = self.words.words_mut().as_chunks_mut::<2>();
        // Nothing is added to a full table, and other ones have empty slots.
        for _ in 0..=self.mask {
            let Some([known, word]) = slots.get_mut(at) else {
                return;
            };
            if *word == 0 {
                (*known, *word) = (hash, slot.0 | RECORD);
                return;
            }
            if *known == hash {
                return;
            }
            at = (at + 1) & self.mask;
        }
    }

    /// The first record with that hash.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<Slot> {
        let mut at = hash as usize & self.mask;
        let (slots, _) = self.words.words().as_chunks::<2>();
        // Some slots are empty, so that this ends.
        loop {
            let &[known, word] = slots.get(at)?;
            if word == 0 {
                return None;
            }
            if known == hash {
                return Some(Slot(word & !RECORD));
            }
            at = (at + 1) & self.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_comes_when_it_is_worth_it() {
        let places = Places::of(2, 1);
        let make = || {
            let mut table = Table::of(1000)?;
            for place in 0..1000 {
                table.add(place % 300, Slot::new(place, place << 20));
            }
            Some(table)
        };
        for _ in 0..2 * PATIENCE {
            assert!(places.ask(make).is_none());
        }
        let table = places.ask(make).unwrap();
        let found = table.find(299).unwrap();
        assert_eq!((found.place(), found.said()), (299, 299 << 20));
        assert_eq!(table.find(0), Some(Slot::new(0, 0)));
        assert_eq!(table.find(300), None);
        assert_eq!(table.find(2048), None);
        assert_eq!(Table::of(0).unwrap().find(7), None);
        let all = Places::of(2, 1);
        assert!(all.all(make).unwrap().find(299).is_some());
        assert!(all.ask(make).is_some());
        let large = Places::of(u32::MAX, 1);
        assert!((0..4 * PATIENCE).all(|_| large.ask(make).is_none()));
        assert!(large.all(make).is_none());
        let full = Places::of(2, 1);
        assert!(full.all(|| Table::of(MOST_SLOTS)).is_none());
        assert!(full.ask(make).is_none());
    }

    #[test]
    fn more_records_than_there_is_room_for_do_no_harm() {
        let mut table = Table::of(2).unwrap();
        for hash in 0..3 {
            table.add(hash, Slot::new(hash, (1 << SAID) - 1));
        }
        let last = table.find(2).unwrap();
        assert_eq!((last.place(), last.said()), (2, (1 << SAID) - 1));
        assert_eq!(table.find(9), None);
        let most = Slot::new(MOST - 1, 0);
        assert_eq!((most.place(), most.said()), (MOST - 1, 0));
    }
}
