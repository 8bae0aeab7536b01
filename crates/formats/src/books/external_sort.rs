//! Records of one size in order, more of them than memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::scratch_file;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// What can be sorted.
pub(crate) trait Sorted: Copy + FromBytes + IntoBytes + Immutable {
    /// What records are sorted by.
    type Order: Ord + Copy;

    fn order(&self) -> Self::Order;

    /// The first 64 bits of the order. Where they are spread evenly, sorting is faster.
    fn lead(&self) -> u64;
}

/// Sorts records in runs of bounded size, kept in files without a name. Records of one order stay
/// in the order they came.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    /// The scratch files lie in its folder.
    target: PathBuf,
    /// Records held in memory.
    most: usize,
    records: Vec<T>,
    runs: Vec<File>,
}

impl<T: Sorted> Sorter<T> {
    /// Keeps at most `bytes` of records in memory, and as much again while it sorts them.
    pub(crate) fn new(target: &Path, bytes: usize) -> Self {
        let target = target.to_path_buf();
        Self {
            target,
            most: (bytes / size_of::<T>()).max(1),
            records: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Adds a record.
    pub(crate) fn push(&mut self, record: T) -> Result<()> {
        self.records.push(record);
        if self.records.len() >= self.most {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        sort(&mut self.records);
        let file = scratch_file(&self.target)?;
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let mut out = BufWriter::new(file);
        out.write_all(self.records.as_bytes()).map_err(named)?;
        let mut file = out
            .into_inner()
            .map_err(|error| named(error.into_error()))?;
        file.rewind().map_err(named)?;
        self.runs.push(file);
        self.records.clear();
        Ok(())
    }

    /// Hands every record on in order.
    pub(crate) fn finish(mut self, mut each: impl FnMut(T) -> Result<()>) -> Result<()> {
        sort(&mut self.records);
        if self.runs.is_empty() {
            return self.records.into_iter().try_for_each(each);
        }
        let target = self.target;
        let named = |error: std::io::Error| Error::from(error).in_path(&target);
        // The records in memory are the youngest run, so repeats stay in the order they came.
        let mut last = self.records.into_iter();
        let mut runs: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let youngest = runs.len();
        let mut next = |run: usize| -> Result<Option<T>> {
            match runs.get_mut(run) {
                Some(run) => read_record(run).map_err(named),
                None => Ok(last.next()),
            }
        };
        let mut heap = BinaryHeap::new();
        let mut heads = vec![None; youngest + 1];
        for run in 0..=youngest {
            let record = next(run)?;
            if let Some(record) = &record {
                heap.push(Reverse((record.order(), run)));
            }
            if let Some(head) = heads.get_mut(run) {
                *head = record;
            }
        }
        while let Some(Reverse((_, run))) = heap.pop() {
            let Some(head) = heads.get_mut(run) else {
                continue;
            };
            if let Some(record) = head.take() {
                each(record)?;
            }
            *head = next(run)?;
            if let Some(record) = head {
                heap.push(Reverse((record.order(), run)));
            }
        }
        Ok(())
    }
}

/// Records that stand together after spreading, about.
const TOGETHER: u32 = 8;

/// Sorts records, repeats in the order they came. Where the leads are spread evenly, their first
/// bits bring most records near their places.
fn sort<T: Sorted>(records: &mut Vec<T>) {
    let bits = records
        .len()
        .checked_ilog2()
        .unwrap_or(0)
        .saturating_sub(TOGETHER.ilog2());
    if bits == 0 {
        records.sort_by_key(T::order);
        return;
    }
    let heap = |record: &T| (record.lead() >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0u32; 1 << bits];
    for record in records.iter() {
        if let Some(end) = ends.get_mut(heap(record)) {
            *end += 1;
        }
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut spread = records.clone();
    for record in records.iter() {
        if let Some(end) = ends.get_mut(heap(record)) {
            if let Some(place) = spread.get_mut(*end as usize) {
                *place = *record;
            }
            *end += 1;
        }
    }
    for heap in spread.chunk_by_mut(|a, b| heap(a) == heap(b)) {
        heap.sort_by_key(T::order);
    }
    *records = spread;
}

fn read_record<T: FromBytes + IntoBytes>(run: &mut BufReader<File>) -> std::io::Result<Option<T>> {
    let mut record = T::new_zeroed();
    match run.read_exact(record.as_mut_bytes()) {
        Ok(()) => Ok(Some(record)),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
    #[repr(C)]
    struct Item {
        key: u64,
        minor: u32,
        came: u32,
    }

    impl Sorted for Item {
        type Order = (u64, u32);

        fn order(&self) -> (u64, u32) {
            (self.key, self.minor)
        }

        fn lead(&self) -> u64 {
            self.key
        }
    }

    #[test]
    fn runs_are_merged_in_order() {
        let mut seed = 7u64;
        let mut given = Vec::new();
        for came in 0..1000u32 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            given.push(Item {
                key: seed % 50,
                minor: (seed >> 40) as u32 % 8,
                came,
            });
        }
        // The same with keys that are spread over all bits.
        let spread = given.iter().map(|item| Item {
            key: item.key.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            ..*item
        });
        for given in [given.clone(), spread.collect()] {
            let mut expected = given.clone();
            expected.sort_by_key(Item::order);
            for most in [1, 7, 999, 5000] {
                let bytes = most * size_of::<Item>();
                let mut sorter = Sorter::new(&std::env::temp_dir().join("sorted.bin"), bytes);
                for item in &given {
                    sorter.push(*item).unwrap();
                }
                let mut sorted = Vec::new();
                sorter
                    .finish(|item| {
                        sorted.push(item);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(sorted, expected, "{most}");
            }
        }
    }
}
