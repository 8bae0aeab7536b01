//! Where the records of a book stand, learned once it is asked about often.
//!
//! A single question is answered from the file alone, so that opening a book costs nothing. Who
//! asks many has them answered from a table of 16 bytes a slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Questions for each page or block of the book, until the table is made.
const PATIENCE: u32 = 8;

/// A table that is made when it is worth it.
#[derive(Debug)]
pub(crate) struct Places {
    /// Questions until it is made; `None`: never.
    patience: Option<u32>,
    asked: AtomicU32,
    table: OnceLock<Table>,
}

impl Places {
    /// For a book of so many pages or blocks. One of more than `most` gets no table.
    pub(crate) fn of(units: u32, most: u32) -> Self {
        Self {
            patience: (units <= most).then(|| units.saturating_mul(PATIENCE)),
            asked: AtomicU32::new(0),
            table: OnceLock::new(),
        }
    }

    /// Notes a question; the table, if there is one by now. `make` makes it.
    pub(crate) fn ask(&self, make: impl FnOnce() -> Table) -> Option<&Table> {
        if let Some(table) = self.table.get() {
            return Some(table);
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        (asked >= self.patience?).then(|| self.table.get_or_init(make))
    }

    /// The table, at once: for who asks for everything.
    pub(crate) fn all(&self, make: impl FnOnce() -> Table) -> Option<&Table> {
        self.patience?;
        Some(self.table.get_or_init(make))
    }
}

/// Hashes and places, at most two of three slots in use. The lower bits of hashes are spread
/// evenly.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<(u64, u64)>,
}

/// No record.
const EMPTY: u64 = u64::MAX;

impl Table {
    /// A table for so many records at most.
    pub(crate) fn of(records: usize) -> Self {
        let length = (records + records / 2 + 1).next_power_of_two();
        Self {
            slots: vec![(0, EMPTY); length],
        }
    }

    /// Adds the place of a record, unless one with that hash is there.
    pub(crate) fn add(&mut self, hash: u64, place: u64) {
        let mut at = self.start(hash);
        // Nothing is added to a full table, and other ones have empty slots.
        for _ in 0..self.slots.len() {
            let after = self.after(at);
            let Some(slot) = self.slots.get_mut(at) else {
                return;
            };
            if slot.1 == EMPTY {
                *slot = (hash, place);
                return;
            }
            if slot.0 == hash {
                return;
            }
            at = after;
        }
    }

    /// The place of the first record with that hash.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<u64> {
        let mut at = self.start(hash);
        // Some slots are empty, so that this ends.
        loop {
            let &(known, place) = self.slots.get(at)?;
            if place == EMPTY {
                return None;
            }
            if known == hash {
                return Some(place);
            }
            at = self.after(at);
        }
    }

    const fn start(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    const fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_comes_when_it_is_worth_it() {
        let places = Places::of(2, 2);
        let make = || {
            let mut table = Table::of(1000);
            for place in 0..1000 {
                table.add(place % 300, place);
            }
            table
        };
        for _ in 0..2 * PATIENCE {
            assert!(places.ask(make).is_none());
        }
        let table = places.ask(make).unwrap();
        assert_eq!(table.find(299), Some(299));
        assert_eq!(table.find(0), Some(0));
        assert_eq!(table.find(300), None);
        assert_eq!(table.find(2048), None);
        assert_eq!(Table::of(0).find(7), None);
        let all = Places::of(2, 2);
        assert_eq!(all.all(make).unwrap().find(299), Some(299));
        assert!(all.ask(make).is_some());
        let large = Places::of(3, 2);
        assert!((0..4 * PATIENCE).all(|_| large.ask(make).is_none()));
        assert!(large.all(make).is_none());
    }

    #[test]
    fn more_records_than_there_is_room_for_do_no_harm() {
        let mut table = Table::of(2);
        for hash in 0..3 {
            table.add(hash, hash);
        }
        assert_eq!((table.find(2), table.find(9)), (Some(2), None));
    }
}
