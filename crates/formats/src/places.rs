//! Where the records of a book stand, learned once it is asked about often.
//!
//! A single question is answered from the file alone, so that opening a book costs nothing. Who
//! asks many has them answered from a table of eight bytes a record.

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
        make: impl FnOnce(&mut dyn FnMut(u32, u32)),
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

/// Hashes and places, at most two of three slots in use.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<(u32, u32)>,
}

/// No record.
const EMPTY: u32 = u32::MAX;

impl Table {
    fn of(records: &[(u32, u32)]) -> Self {
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
                at = (at + 1) & (length - 1);
            }
        }
        table
    }

    fn start(&self, hash: u32) -> usize {
        let spread = u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 32) as usize & (self.slots.len() - 1)
    }

    /// Asks about the places of records with that hash, in the order they were given, until there
    /// is an answer.
    #[inline]
    pub(crate) fn find<R>(&self, hash: u32, mut ask: impl FnMut(u32) -> Option<R>) -> Option<R> {
        let mut at = self.start(hash);
        // Some slots are empty, so that this ends.
        loop {
            let &(known, place) = self.slots.get(at)?;
            if place == EMPTY {
                return None;
            }
            if known == hash
                && let Some(answer) = ask(place)
            {
                return Some(answer);
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
        let make = |push: &mut dyn FnMut(u32, u32)| {
            for place in 0..1000 {
                push(place % 300, place);
            }
        };
        for _ in 0..2 * PATIENCE {
            assert!(places.ask(2, make).is_none());
        }
        let table = places.ask(2, make).unwrap();
        let all = |table: &Table, hash| {
            let mut found = Vec::new();
            let answer = table.find(hash, |place| {
                found.push(place);
                None::<()>
            });
            assert_eq!(answer, None);
            found
        };
        assert_eq!(all(table, 299), [299, 599, 899]);
        assert_eq!(all(table, 0).len(), 4);
        assert_eq!(
            table.find(299, |place| (place > 300).then_some(place)),
            Some(599)
        );
        assert_eq!(all(table, 300), []);
        assert_eq!(all(&Table::of(&[]), 7), []);
    }
}
