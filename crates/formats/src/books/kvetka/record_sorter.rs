//! Records in order of a position's key and a number.

use std::path::Path;

use tabia_core::error::Result;
use tabia_core::external::VariableSorter;
use tabia_core::io::TemporaryFile;
use zerocopy::byteorder::big_endian::U64;

use super::key::Key;

/// The key, then the number that orders the records of one key.
const ORDER: usize = Key::SIZE + 8;

/// Sorts records by key and number; uses temporary files when they are larger than memory. Records
/// of one key and number keep the order in which they were pushed.
#[derive(Debug)]
pub(super) struct RecordSorter(VariableSorter<ORDER>);

impl RecordSorter {
    /// Holds at most `memory` bytes; temporary files are in the folder of `target`.
    pub(super) fn new(target: &Path, memory: usize) -> Self {
        Self(VariableSorter::new(
            TemporaryFile::folder_of(target),
            memory,
        ))
    }

    /// Adds a record of at most 65535 bytes; longer ones are cut.
    pub(super) fn push(&mut self, key: &Key, number: u64, record: &[u8]) -> Result<()> {
        let record = record.get(..usize::from(u16::MAX)).unwrap_or(record);
        let mut order = [0; ORDER];
        if let Some((first, last)) = order.split_first_chunk_mut() {
            *first = key.0;
            last.copy_from_slice(&U64::new(number).to_bytes());
        }
        self.0.push(&order, record)
    }

    /// Hands out every record in order, with its key.
    pub(super) fn finish(self, mut visit: impl FnMut(&Key, &[u8]) -> Result<()>) -> Result<()> {
        self.0.finish(|order, record| match order.first_chunk() {
            Some(key) => visit(&Key(*key), record),
            None => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_sorted_by_key_and_number() {
        let mut records = Vec::new();
        for number in 0..500u64 {
            let mut key = Key([0; Key::SIZE]);
            key.0[3] = (number * 7 % 20) as u8;
            let length = (number * 11 % 40) as usize;
            records.push((key, (500 - number) / 2, vec![number as u8; length]));
        }
        let mut expected = records.clone();
        expected.sort_by_key(|(key, number, _)| (*key, *number));
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(key, _, record)| (key, record))
            .collect();
        for memory in [1, 100, 5000, 1 << 20] {
            let target = std::env::temp_dir().join("sorted.kob");
            let mut sorter = RecordSorter::new(&target, memory);
            for (key, number, record) in &records {
                sorter.push(key, *number, record).unwrap();
            }
            let mut sorted = Vec::new();
            sorter
                .finish(|key, record| {
                    sorted.push((*key, record.to_vec()));
                    Ok(())
                })
                .unwrap();
            assert!(sorted == expected, "{memory}");
        }
    }
}
