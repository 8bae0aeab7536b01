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
        sort(&mut self.entries);
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
        sort(&mut self.entries);
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

/// Entries that are spread before they are sorted, at most; they take as much memory again.
const SPREAD: usize = 4 << 20;
/// Entries that stand together after spreading, about.
const TOGETHER: u32 = 8;

/// Sorts entries, repeats in the order they came. Keys are spread evenly, so their first bits bring
/// most entries near their places.
fn sort(entries: &mut Vec<Entry>) {
    let bits = entries
        .len()
        .checked_ilog2()
        .unwrap_or(0)
        .saturating_sub(TOGETHER.ilog2());
    if bits == 0 || entries.len() > SPREAD {
        entries.sort_by_key(order);
        return;
    }
    let heap = |entry: &Entry| (entry.key.get() >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0u32; 1 << bits];
    for entry in entries.iter() {
        if let Some(end) = ends.get_mut(heap(entry)) {
            *end += 1;
        }
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut spread = entries.clone();
    for entry in entries.iter() {
        if let Some(end) = ends.get_mut(heap(entry)) {
            if let Some(place) = spread.get_mut(*end as usize) {
                *place = *entry;
            }
            *end += 1;
        }
    }
    for heap in spread.chunk_by_mut(|a, b| heap(a) == heap(b)) {
        heap.sort_by_key(order);
    }
    *entries = spread;
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
        // The same with keys that are spread over all bits.
        let spread = given.iter().map(|entry| Entry {
            key: U64::new(entry.key.get().wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            ..*entry
        });
        for given in [given.clone(), spread.collect()] {
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
}
