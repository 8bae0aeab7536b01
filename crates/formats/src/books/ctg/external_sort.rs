//! What is said of records, in the order of the tree, more of it than memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tabia_core::error::{Error, Result};
use tabia_core::io::{Sink, scratch_file};

use super::key::Key;
use super::merged_record::Said;

/// The hash with its bits reversed, so that the records below a node stand together, then the key.
type Order = (u32, [u8; 32]);

/// Sorts in runs of bounded size, kept in files without a name.
#[derive(Debug)]
pub(super) struct Sorter {
    /// The scratch files lie in its folder.
    target: PathBuf,
    /// Bytes held in memory.
    most: usize,
    /// Entries: two bytes of length, the key in 32 bytes, what is said.
    bytes: Vec<u8>,
    /// Order of the hash and place of each entry.
    entries: Vec<(u32, usize)>,
    sink: Sink,
    runs: Vec<File>,
}

/// Bytes of an entry before what is said.
const HEAD: usize = 34;

impl Sorter {
    /// Keeps about `most` bytes in memory.
    pub(super) fn new(target: &Path, most: usize) -> Self {
        Self {
            target: target.to_path_buf(),
            most,
            bytes: Vec::new(),
            entries: Vec::new(),
            sink: Sink::new(),
            runs: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, key: &Key, said: &Said) -> Result<()> {
        self.sink.clear();
        said.write(&mut self.sink);
        let size = self.bytes.len() + self.entries.len() * size_of::<(u32, usize)>();
        if size + HEAD + self.sink.len() > self.most && !self.entries.is_empty() {
            self.spill()?;
        }
        let at = self.bytes.len();
        let mut head = Sink::new();
        head.u16_be(u16::try_from(self.sink.len()).unwrap_or(u16::MAX));
        head.bytes(key.padded());
        self.bytes.extend_from_slice(head.as_slice());
        self.bytes.extend_from_slice(self.sink.as_slice());
        self.entries.push((key.hash().reverse_bits(), at));
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let key = |at: usize| bytes.get(at + 2..at + HEAD);
        self.entries
            .sort_unstable_by(|a, b| (a.0, key(a.1), a.1).cmp(&(b.0, key(b.1), b.1)));
    }

    fn spill(&mut self) -> Result<()> {
        self.sort();
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let mut out = BufWriter::with_capacity(1 << 18, scratch_file(&self.target)?);
        for &(_, at) in &self.entries {
            let entry = entry_at(&self.bytes, at);
            out.write_all(entry).map_err(named)?;
        }
        let mut file = out
            .into_inner()
            .map_err(|error| named(error.into_error()))?;
        file.rewind().map_err(named)?;
        self.runs.push(file);
        self.bytes.clear();
        self.entries.clear();
        Ok(())
    }

    /// Hands on all that was said of each key, in order.
    pub(super) fn finish(mut self, mut each: impl FnMut(&Key, &Said) -> Result<()>) -> Result<()> {
        self.sort();
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let runs = self.runs.len();
        let mut files: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let mut last = self.entries.iter();
        // What is in memory is the youngest run.
        let mut next = |run: usize, entry: &mut Vec<u8>| -> Result<bool> {
            entry.clear();
            match files.get_mut(run) {
                Some(file) => read_entry(file, entry).map_err(named),
                None => Ok(last.next().is_some_and(|&(_, at)| {
                    entry.extend_from_slice(entry_at(&self.bytes, at));
                    true
                })),
            }
        };
        let mut heap = BinaryHeap::new();
        let mut heads = vec![Vec::new(); runs + 1];
        for (run, head) in heads.iter_mut().enumerate() {
            if next(run, head)? {
                heap.push(Reverse((order(head), run)));
            }
        }
        let mut known: Option<(Order, Said)> = None;
        while let Some(Reverse((order_of_head, run))) = heap.pop() {
            let Some(head) = heads.get_mut(run) else {
                continue;
            };
            let said = Said::read(head.get(HEAD..).unwrap_or_default())?;
            match &mut known {
                Some((order, sum)) if *order == order_of_head => sum.add(&said),
                _ => {
                    let before = known.replace((order_of_head, said));
                    hand_on(before, &mut each)?;
                }
            }
            if next(run, head)? {
                heap.push(Reverse((order(head), run)));
            }
        }
        hand_on(known, &mut each)
    }
}

fn hand_on(
    known: Option<(Order, Said)>,
    each: &mut impl FnMut(&Key, &Said) -> Result<()>,
) -> Result<()> {
    match known {
        Some(((_, bytes), said)) => each(&Key::from_padded(bytes), &said),
        None => Ok(()),
    }
}

fn entry_at(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.get(..HEAD + length(rest)).unwrap_or_default()
}

fn length(entry: &[u8]) -> usize {
    match entry {
        [high, low, ..] => usize::from(*high) << 8 | usize::from(*low),
        _ => 0,
    }
}

fn order(entry: &[u8]) -> Order {
    let bytes = entry.get(2..HEAD).and_then(|key| key.first_chunk::<32>());
    let key = Key::from_padded(bytes.copied().unwrap_or_default());
    (key.hash().reverse_bits(), *key.padded())
}

/// The next entry; `false` at the end.
fn read_entry(file: &mut BufReader<File>, entry: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut head = [0; HEAD];
    match file.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
        Err(error) => return Err(error),
    }
    entry.extend_from_slice(&head);
    entry.resize(HEAD + length(&head), 0);
    file.read_exact(entry.get_mut(HEAD..).unwrap_or_default())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::ctg::Keys;
    use crate::books::ctg::merged_record::Counts;
    use tabia_core::chess::Position;

    #[test]
    fn all_that_is_said_of_a_key_comes_together() {
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
        for most in [1, 5000, 1 << 20] {
            let mut sorter = Sorter::new(&std::env::temp_dir().join("sorted.ctg"), most);
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
