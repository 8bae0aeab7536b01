//! Entries that are not in the order of their keys: puts them in order, and counts what programs that
//! search by halves do not find of them.

use std::io::Write;

use tabia_core::error::Result;
use tabia_core::external::{FixedRecord, FixedSorter};
use tabia_core::io::{Blob, TemporaryFile, temporary_folder};
use tabia_core::plural::counted;
use zerocopy::IntoBytes;

use super::entry::Entry;

/// Bytes of entries that are sorted and kept in memory; those of larger books go to temporary files.
const MEMORY: usize = 32 << 20;

impl FixedRecord for Entry {
    type Order = (u64, u16);

    fn order(&self) -> (u64, u16) {
        (self.key.get(), self.move_bits.get())
    }

    fn lead(&self) -> u64 {
        self.key.get()
    }
}

/// The entries of a book whose file does not have them in order.
#[derive(Debug)]
pub(super) struct OrderedEntries {
    /// The records of the header, and the entries in order.
    pub(super) blob: Blob,
    /// Number of entries from the first that is out of order.
    pub(super) out_of_order: u64,
    /// Those of them that are copies of an entry before, to the last byte: the end of a book that became shorter
    /// in a file that did not. They are left out.
    pub(super) copies: u64,
    /// Those of them whose key is 0, which no position has: they are left out.
    pub(super) zeros: u64,
    /// Moves that a search by halves in the file does not find, copies and zeros aside.
    not_found: u64,
    /// The number of moves, copies and zeros aside.
    moves: u64,
}

impl OrderedEntries {
    /// Puts in order the entries of a file, of which `sorted` from the start are, `null_records` of the header
    /// among them.
    pub(super) fn of(entries: &[Entry], null_records: usize, sorted: usize) -> Result<Self> {
        let (before, rest) = entries.split_at_checked(sorted).unwrap_or((entries, &[]));
        let (header, before) = before.split_at_checked(null_records).unwrap_or_default();
        let mut sorter = FixedSorter::new(&temporary_folder(), MEMORY);
        before.iter().try_for_each(|entry| sorter.push(*entry))?;
        let (mut copies, mut zeros) = (0, 0);
        for entry in rest {
            // No position has this key; in front of all others they would be records of a header.
            if entry.key.get() == 0 {
                zeros += 1;
            } else if contains(before, entry) {
                copies += 1;
            } else {
                sorter.push(*entry)?;
            }
        }
        let moves = (before.len() + rest.len()) as u64 - copies - zeros;
        let mut found = FoundByHalves::new(entries);
        let mut bytes = header.as_bytes().to_vec();
        let blob = if moves as usize <= MEMORY / Entry::SIZE {
            sorter.finish(|entry| {
                found.add(&entry);
                bytes.extend_from_slice(entry.as_bytes());
                Ok(())
            })?;
            Blob::from(bytes)
        } else {
            let mut file = TemporaryFile::new()?;
            let mut write = |bytes: &mut Vec<u8>| {
                file.write_all(bytes)?;
                bytes.clear();
                Ok::<_, std::io::Error>(())
            };
            sorter.finish(|entry| {
                found.add(&entry);
                bytes.extend_from_slice(entry.as_bytes());
                if bytes.len() >= WRITE {
                    write(&mut bytes)?;
                }
                Ok(())
            })?;
            write(&mut bytes)?;
            file.map()?
        };
        Ok(Self {
            blob,
            out_of_order: rest.len() as u64,
            copies,
            zeros,
            not_found: found.finish(),
            moves,
        })
    }

    /// What is wrong with the file, one line.
    pub(super) fn problem(&self, first: usize) -> String {
        if self.copies == self.out_of_order {
            let copies = counted(
                self.copies,
                "entry at the end is a copy of an earlier one, out of order: it is",
                "entries at the end are copies of earlier ones, out of order: they are",
            );
            let text = format!("{copies} ignored");
            return self.with_not_found(text);
        }
        if self.zeros == self.out_of_order {
            let entries = counted(
                self.zeros,
                "entry at the end has",
                "entries at the end have",
            );
            let text = format!("{entries} zeros in place of a position, whose move is lost");
            return self.with_not_found(text);
        }
        let mut text = format!(
            "the entries are out of order from number {} on, {} of them",
            first + 1,
            self.out_of_order
        );
        if self.copies > 0 {
            let copies = counted(
                self.copies,
                "is a copy of an earlier one and is ignored",
                "are copies of earlier ones and are ignored",
            );
            text = format!("{text}, of which {copies}");
        }
        if self.zeros > 0 {
            let zeros = counted(self.zeros, "entry has", "entries have");
            text = format!("{text}; {zeros} zeros in place of a position, whose move is lost");
        }
        self.with_not_found(text)
    }

    fn with_not_found(&self, text: String) -> String {
        if self.not_found == 0 {
            return text;
        }
        let fixes = if self.zeros == self.out_of_order {
            "leaves the zeros out"
        } else {
            "puts them in order"
        };
        format!(
            "{text}; other programs search by halves and do not find {} of {}; `tabia book fix` {fixes}",
            self.not_found,
            counted(self.moves, "move", "moves")
        )
    }
}

/// Bytes of entries that are written at a time.
const WRITE: usize = 64 << 10;

/// Whether entries in order contain an entry, equal to the last byte.
fn contains(entries: &[Entry], wanted: &Entry) -> bool {
    let start = entries.partition_point(|entry| entry.key < wanted.key);
    let rest = entries.get(start..).unwrap_or_default();
    rest.iter()
        .take_while(|entry| entry.key == wanted.key)
        .any(|entry| entry == wanted)
}

/// Counts moves that programs find as Polyglot does: by halves the first entry of the key, then all of the key that
/// follow at once.
struct FoundByHalves<'e> {
    file: &'e [Entry],
    key: Option<u64>,
    /// Entries of that key.
    count: u64,
    not_found: u64,
}

impl<'e> FoundByHalves<'e> {
    fn new(file: &'e [Entry]) -> Self {
        Self {
            file,
            key: None,
            count: 0,
            not_found: 0,
        }
    }

    /// Adds the next entry in order.
    fn add(&mut self, entry: &Entry) {
        let key = entry.key.get();
        if self.key != Some(key) {
            self.end_key();
            self.key = Some(key);
        }
        self.count += 1;
    }

    fn end_key(&mut self) {
        let Some(key) = self.key else { return };
        let first = self.file.partition_point(|entry| entry.key.get() < key);
        let rest = self.file.get(first..).unwrap_or_default();
        let found = rest.iter().take_while(|entry| entry.key.get() == key);
        self.not_found += self.count.saturating_sub(found.count() as u64);
        self.count = 0;
    }

    fn finish(mut self) -> u64 {
        self.end_key();
        self.not_found
    }
}
