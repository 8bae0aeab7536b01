//! Where the records of a book stand, learned once it is asked about often.
//!
//! A single question is answered from the file alone, so that opening a book costs nothing. Who
//! asks many has them answered from a table of 16 bytes a slot.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Questions for each page or block of the book, until the table is made.
const PATIENCE: u32 = 8;

/// A table that is made when it is worth it.
#[derive(Debug, Default)]
pub(crate) struct Places {
    asked: AtomicU32,
    table: OnceLock<Table>,
}

impl Places {
    /// Notes a question; the table, if there is one by now. `units`: pages or blocks of the book;
    /// `make` gives hash and place of every record that can be found.
    pub(crate) fn ask(
        &self,
        units: u32,
        make: impl FnOnce(&mut dyn FnMut(u64, u64)),
    ) -> Option<&Table> {
        if let Some(table) = self.table.get() {
            return Some(table);
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked < units.saturating_mul(PATIENCE) {
            return None;
        }
        let table = self.table.get_or_init(|| {
            let mut records = Vec::new();
            make(&mut |hash, place| records.push((hash, place)));
            Table::of(&records)
        });
        Some(table)
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
    fn of(records: &[(u64, u64)]) -> Self {
        let length = (records.len() + records.len() / 2 + 1).next_power_of_two();
        let mut table = Self {
            slots: vec![(0, EMPTY); length],
        };
        for &(hash, place) in records {
            let mut at = table.start(hash);
            while let Some(slot) = table.slots.get_mut(at) {
                if slot.1 == EMPTY {
                    *slot = (hash, place);
                    break;
                }
                if slot.0 == hash {
                    break;
                }
                at = (at + 1) & (length - 1);
            }
        }
        table
    }

    const fn start(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
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
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_comes_when_it_is_worth_it() {
        let places = Places::default();
        let make = |push: &mut dyn FnMut(u64, u64)| {
            for place in 0..1000 {
                push(place % 300, place);
            }
        };
        for _ in 0..2 * PATIENCE {
            assert!(places.ask(2, make).is_none());
        }
        let table = places.ask(2, make).unwrap();
        assert_eq!(table.find(299), Some(299));
        assert_eq!(table.find(0), Some(0));
        assert_eq!(table.find(300), None);
        assert_eq!(table.find(2048), None);
        assert_eq!(Table::of(&[]).find(7), None);
    }
}
