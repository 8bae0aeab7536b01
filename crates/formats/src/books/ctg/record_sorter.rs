//! Records of positions, sorted into the order of the page tree and merged by position.

use std::path::Path;

use tabia_core::error::Result;
use tabia_core::external::VariableSorter;
use tabia_core::io::{Sink, TemporaryFile};
use zerocopy::byteorder::big_endian::U32;

use super::key::Key;
use super::merged_record::MergedRecord;

/// The hash with its bits reversed, so that the records of a subtree follow one another, then the
/// padded key.
const ORDER: usize = 4 + 32;

/// Sorts records by position; uses temporary files when they are larger than memory.
#[derive(Debug)]
pub(super) struct RecordSorter {
    sorter: VariableSorter<ORDER>,
    payload: Sink,
}

impl RecordSorter {
    /// Holds about `memory` bytes; temporary files are in the folder of `target`.
    pub(super) fn new(target: &Path, memory: usize) -> Self {
        Self {
            sorter: VariableSorter::new(TemporaryFile::folder_of(target), memory),
            payload: Sink::new(),
        }
    }

    /// Adds a part of the record of a position.
    pub(super) fn push(&mut self, key: &Key, part: &MergedRecord) -> Result<()> {
        self.payload.clear();
        part.save(&mut self.payload);
        let mut order = [0; ORDER];
        if let Some((hash, padded)) = order.split_first_chunk_mut() {
            *hash = U32::new(key.hash().reverse_bits()).to_bytes();
            padded.copy_from_slice(key.padded());
        }
        self.sorter.push(&order, self.payload.as_slice())
    }

    /// Calls `visit` with the merged record of each position, in order.
    pub(super) fn finish(
        self,
        mut visit: impl FnMut(&Key, &MergedRecord) -> Result<()>,
    ) -> Result<()> {
        let mut current: Option<([u8; ORDER], MergedRecord)> = None;
        self.sorter.finish(|order, payload| {
            let part = MergedRecord::load(payload)?;
            match &mut current {
                Some((key, merged)) if key == order => merged.add(&part),
                _ => {
                    if let Some((key, merged)) = current.replace((*order, part)) {
                        visit(&key_of(&key), &merged)?;
                    }
                }
            }
            Ok(())
        })?;
        current.map_or(Ok(()), |(key, merged)| visit(&key_of(&key), &merged))
    }
}

fn key_of(order: &[u8; ORDER]) -> Key {
    Key::from_padded(order.last_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::ctg::Keys;
    use crate::books::ctg::merged_record::Counts;
    use tabia_core::chess::Position;

    #[test]
    fn records_of_a_position_are_merged() {
        let mut keys = Vec::new();
        let start = Position::standard();
        for &first in &*start.legal_moves() {
            let mut next = start.clone();
            next.play(first);
            for &second in &*next.legal_moves() {
                let mut after = next.clone();
                after.play(second);
                keys.push(Keys::of(&after).unwrap().key);
            }
        }
        let part = |number: usize| MergedRecord {
            page_counts: Counts::new(Some(1), 0, 0, 0),
            moves: vec![[number as u8, 0]],
            ..MergedRecord::default()
        };
        let mut expected: Option<Vec<(Key, MergedRecord)>> = None;
        for memory in [1, 5000, 1 << 20] {
            let target = std::env::temp_dir().join("sorted.ctg");
            let mut sorter = RecordSorter::new(&target, memory);
            for number in 0..3 {
                for key in &keys {
                    sorter.push(key, &part(number)).unwrap();
                }
            }
            let mut found = Vec::new();
            sorter
                .finish(|key, merged| {
                    found.push((*key, merged.clone()));
                    Ok(())
                })
                .unwrap();
            let hashes: Vec<_> = found
                .iter()
                .map(|(key, _)| key.hash().reverse_bits())
                .collect();
            assert!(hashes.is_sorted());
            // No two of these lines transpose into each other.
            assert_eq!(
                found
                    .iter()
                    .map(|(_, merged)| merged.page_counts.games)
                    .sum::<u64>(),
                1200
            );
            let first = found.first().unwrap();
            assert_eq!(first.1.moves, [[0, 0], [1, 0], [2, 0]]);
            assert!(expected.get_or_insert_with(|| found.clone()) == &found);
        }
    }
}
