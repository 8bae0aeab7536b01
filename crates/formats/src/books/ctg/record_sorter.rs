//! Statistics of positions, sorted into the order of the tree of pages and added up by position.

use std::path::Path;

use tabia_core::error::Result;
use tabia_core::external::VariableSorter;
use tabia_core::io::{Sink, TemporaryFile};
use zerocopy::byteorder::big_endian::U32;

use super::key::Key;
use super::merged_record::Said;

/// The hash with its bits reversed, so that the records of a subtree follow one another, then the
/// padded key.
const ORDER: usize = 4 + 32;

/// Sorts statistics by position; uses temporary files when they are larger than memory.
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

    pub(super) fn push(&mut self, key: &Key, said: &Said) -> Result<()> {
        self.payload.clear();
        said.write(&mut self.payload);
        let mut order = [0; ORDER];
        if let Some((hash, padded)) = order.split_first_chunk_mut() {
            *hash = U32::new(key.hash().reverse_bits()).to_bytes();
            padded.copy_from_slice(key.padded());
        }
        self.sorter.push(&order, self.payload.as_slice())
    }

    /// Hands out the sum of the statistics of each position, in order.
    pub(super) fn finish(self, mut visit: impl FnMut(&Key, &Said) -> Result<()>) -> Result<()> {
        let mut current: Option<([u8; ORDER], Said)> = None;
        self.sorter.finish(|order, payload| {
            let said = Said::read(payload)?;
            match &mut current {
                Some((key, sum)) if key == order => sum.add(&said),
                _ => {
                    if let Some((key, sum)) = current.replace((*order, said)) {
                        visit(&key_of(&key), &sum)?;
                    }
                }
            }
            Ok(())
        })?;
        current.map_or(Ok(()), |(key, sum)| visit(&key_of(&key), &sum))
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
    fn statistics_of_a_position_are_added_up() {
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
        let said = |number: usize| Said {
            counts: Counts::new(Some(1), 0, 0, 0),
            moves: vec![[number as u8, 0]],
            ..Said::default()
        };
        let mut expected: Option<Vec<(Key, Said)>> = None;
        for memory in [1, 5000, 1 << 20] {
            let target = std::env::temp_dir().join("sorted.ctg");
            let mut sorter = RecordSorter::new(&target, memory);
            for number in 0..3 {
                for key in &keys {
                    sorter.push(key, &said(number)).unwrap();
                }
            }
            let mut found = Vec::new();
            sorter
                .finish(|key, said| {
                    found.push((*key, said.clone()));
                    Ok(())
                })
                .unwrap();
            let hashes: Vec<_> = found
                .iter()
                .map(|(key, _)| key.hash().reverse_bits())
                .collect();
            assert!(hashes.is_sorted());
            // Repeated positions, like 1.Nf3 and 1.Nh3 that no reply joins, are distinct here.
            assert_eq!(
                found.iter().map(|(_, said)| said.counts.games).sum::<u64>(),
                1200
            );
            let first = found.first().unwrap();
            assert_eq!(first.1.moves, [[0, 0], [1, 0], [2, 0]]);
            assert!(expected.get_or_insert_with(|| found.clone()) == &found);
        }
    }
}
