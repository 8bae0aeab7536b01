//! Entries in order of key and move, more of them than memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::scratch_file;
use zerocopy::{FromBytes, IntoBytes};

use super::entry::Entry;

/// Sorts entries in runs of bounded size, kept in files without a name.
#[derive(Debug)]
pub(super) struct Sorter {
    /// The scratch files lie in its folder.
    target: PathBuf,
    /// Entries held in memory.
    most: usize,
    entries: Vec<Entry>,
    runs: Vec<File>,
}

/// What entries are sorted by; the number keeps repeats in the order they came.
fn order(entry: &Entry) -> (u64, u16) {
    (entry.key.get(), entry.move_bits.get())
}

impl Sorter {
    /// Keeps at most `most` entries (16 bytes each) in memory.
    pub(super) fn new(target: &Path, most: usize) -> Self {
        let target = target.to_path_buf();
        Self {
            target,
            most: most.max(1),
            entries: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, entry: Entry) -> Result<()> {
        self.entries.push(entry);
        if self.entries.len() >= self.most {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.entries.sort_by_key(order);
        let file = scratch_file(&self.target)?;
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let mut out = BufWriter::new(file);
        out.write_all(self.entries.as_bytes()).map_err(named)?;
        let mut file = out
            .into_inner()
            .map_err(|error| named(error.into_error()))?;
        file.rewind().map_err(named)?;
        self.runs.push(file);
        self.entries.clear();
        Ok(())
    }

    /// Hands every entry on in order.
    pub(super) fn finish(mut self, mut each: impl FnMut(Entry) -> Result<()>) -> Result<()> {
        self.entries.sort_by_key(order);
        if self.runs.is_empty() {
            return self.entries.into_iter().try_for_each(each);
        }
        let target = self.target;
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        // The entries in memory are the youngest run, so repeats stay in the order they came.
        let mut last = self.entries.into_iter();
        let mut runs: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let youngest = runs.len();
        let mut next = |run: usize| -> Result<Option<Entry>> {
            match runs.get_mut(run) {
                Some(run) => read_entry(run).map_err(named),
                None => Ok(last.next()),
            }
        };
        let mut heap = BinaryHeap::new();
        let mut heads = vec![None; youngest + 1];
        for run in 0..=youngest {
            let entry = next(run)?;
            if let Some(entry) = &entry {
                heap.push(Reverse((order(entry), run)));
            }
            if let Some(head) = heads.get_mut(run) {
                *head = entry;
            }
        }
        while let Some(Reverse((_, run))) = heap.pop() {
            let Some(head) = heads.get_mut(run) else {
                continue;
            };
            if let Some(entry) = head.take() {
                each(entry)?;
            }
            *head = next(run)?;
            if let Some(entry) = head {
                heap.push(Reverse((order(entry), run)));
            }
        }
        Ok(())
    }
}

fn read_entry(run: &mut BufReader<File>) -> std::io::Result<Option<Entry>> {
    let mut bytes = [0; Entry::SIZE];
    match run.read_exact(&mut bytes) {
        Ok(()) => Ok(Entry::read_from_bytes(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::byteorder::big_endian::{U16, U64};

    #[test]
    fn runs_are_merged_in_order() {
        let mut seed = 7u64;
        let mut given = Vec::new();
        for i in 0..1000u16 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let entry = Entry {
                key: U64::new(seed % 50),
                move_bits: U16::new((seed >> 40) as u16 % 8),
                weight: U16::new(i),
                learn: [0; 4],
            };
            given.push(entry);
        }
        let mut expected = given.clone();
        expected.sort_by_key(order);
        for most in [1, 7, 999, 5000] {
            let mut sorter = Sorter::new(&std::env::temp_dir().join("sorted.bin"), most);
            for entry in &given {
                sorter.push(*entry).unwrap();
            }
            let mut sorted = Vec::new();
            sorter
                .finish(|entry| {
                    sorted.push(entry);
                    Ok(())
                })
                .unwrap();
            assert_eq!(sorted, expected, "{most}");
        }
    }
}
