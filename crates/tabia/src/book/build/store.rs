//! Records by key, more of them than memory holds.
//!
//! Records go into 256 parts by the first byte of their key. Each part keeps them in the order they
//! came. When memory is full, all parts move to a file without a name; they are read back one part
//! at a time, so the parts give all records in the order of their keys' first bytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabia_core::error::{Error, Result};
use tabia_core::io::scratch_file;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Something with the key of a position.
pub(super) trait Keyed: Copy + FromBytes + IntoBytes + Immutable + Send + Sync {
    fn key(&self) -> u64;
}

/// How many parts there are.
pub(super) const PARTS: usize = 256;
/// Bytes of memory that are handed out at a time.
const CHUNK: usize = 16 << 10;
/// Bytes read back at a time.
const PIECE: usize = 256 << 10;

#[derive(Debug)]
pub(super) struct Store<T> {
    /// The scratch file lies in its folder.
    target: PathBuf,
    parts: Vec<Part<T>>,
    free: Vec<Vec<T>>,
    /// Chunks in existence and at most.
    chunks: usize,
    most: usize,
    file: Option<Mutex<File>>,
    /// Bytes in the file.
    spilled: u64,
}

#[derive(Debug)]
struct Part<T> {
    chunks: Vec<Vec<T>>,
    /// Where in the file, and how many records.
    extents: Vec<(u64, usize)>,
    records: usize,
}

impl<T: Keyed> Store<T> {
    /// Keeps about so many bytes in memory.
    pub(super) fn new(target: &Path, memory: u64) -> Self {
        let parts = (0..PARTS)
            .map(|_| Part {
                chunks: Vec::new(),
                extents: Vec::new(),
                records: 0,
            })
            .collect();
        let most = usize::try_from(memory / CHUNK as u64).unwrap_or(usize::MAX);
        Self {
            target: target.to_path_buf(),
            parts,
            free: Vec::new(),
            chunks: 0,
            most: most.max(2 * PARTS),
            file: None,
            spilled: 0,
        }
    }

    /// Bytes of memory in use.
    pub(super) fn memory(&self) -> u64 {
        (self.chunks * CHUNK) as u64
    }

    /// Bytes that went to disk.
    pub(super) fn spilled(&self) -> u64 {
        self.spilled
    }

    /// Adds records in order.
    pub(super) fn extend(&mut self, records: &[T]) -> Result<()> {
        for record in records {
            let number = (record.key() >> 56) as usize;
            let Some(part) = self.parts.get_mut(number) else {
                continue;
            };
            part.records += 1;
            if let Some(chunk) = part.chunks.last_mut()
                && chunk.len() < chunk.capacity()
            {
                chunk.push(*record);
                continue;
            }
            let mut chunk = self.chunk()?;
            chunk.push(*record);
            if let Some(part) = self.parts.get_mut(number) {
                part.chunks.push(chunk);
            }
        }
        Ok(())
    }

    fn chunk(&mut self) -> Result<Vec<T>> {
        if self.free.is_empty() && self.chunks >= self.most {
            self.spill()?;
        }
        Ok(self.free.pop().unwrap_or_else(|| {
            self.chunks += 1;
            Vec::with_capacity(CHUNK / size_of::<T>())
        }))
    }

    fn spill(&mut self) -> Result<()> {
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(Mutex::new(scratch_file(&self.target)?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.spilled)).map_err(named)?;
        for part in &mut self.parts {
            let count: usize = part.chunks.iter().map(Vec::len).sum();
            if count > 0 {
                part.extents.push((self.spilled, count));
            }
            for mut chunk in part.chunks.drain(..) {
                let bytes = chunk.as_slice().as_bytes();
                file.write_all(bytes).map_err(named)?;
                self.spilled += bytes.len() as u64;
                chunk.clear();
                self.free.push(chunk);
            }
        }
        Ok(())
    }

    /// Records of a part.
    pub(super) fn len(&self, part: usize) -> usize {
        self.parts.get(part).map_or(0, |part| part.records)
    }

    /// Hands on the records of a part in pieces, in the order they came.
    pub(super) fn read(&self, part: usize, mut each: impl FnMut(&[T]) -> Result<()>) -> Result<()> {
        let Some(part) = self.parts.get(part) else {
            return Ok(());
        };
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let mut piece: Vec<T> = Vec::new();
        for &(start, count) in &part.extents {
            let mut at = start;
            let mut left = count;
            while left > 0 {
                let now = left.min(PIECE / size_of::<T>());
                piece.resize_with(now, T::new_zeroed);
                let bytes = piece.as_mut_slice().as_mut_bytes();
                if let Some(file) = &self.file {
                    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    file.seek(SeekFrom::Start(at)).map_err(named)?;
                    file.read_exact(bytes).map_err(named)?;
                }
                at += bytes.len() as u64;
                left -= now;
                each(&piece)?;
            }
        }
        part.chunks.iter().try_for_each(|chunk| each(chunk))
    }

    /// Fills `out` with the records of a part whose key has `slice` in the `bits` after the first
    /// byte, by key; those of one key in the order they came.
    pub(super) fn sorted(&self, part: usize, slice: Slice, out: &mut Vec<T>) -> Result<()> {
        // About sixteen records a bucket: sorting one is cheap then.
        let expected = self.len(part) >> slice.bits;
        let bits = (expected / 16).max(1).ilog2().min(16);
        let bucket = |record: &T| {
            let rest = record.key() << (8 + slice.bits);
            (rest >> 1 >> (63 - bits)) as usize
        };
        let mut ends = vec![0usize; 1 << bits];
        let mut count = 0;
        self.read(part, |records| {
            for record in records.iter().filter(|record| slice.has(record.key())) {
                count += 1;
                if let Some(end) = ends.get_mut(bucket(record)) {
                    *end += 1;
                }
            }
            Ok(())
        })?;
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        out.clear();
        out.resize_with(count, T::new_zeroed);
        self.read(part, |records| {
            for record in records.iter().filter(|record| slice.has(record.key())) {
                if let Some(end) = ends.get_mut(bucket(record))
                    && let Some(place) = out.get_mut(*end)
                {
                    *place = *record;
                    *end += 1;
                }
            }
            Ok(())
        })?;
        let mut start = 0;
        for end in ends {
            if let Some(run) = out.get_mut(start..end)
                && run.len() > 1
            {
                run.sort_by_key(T::key);
            }
            start = end;
        }
        Ok(())
    }
}

/// The keys of a part that have a number in the bits after the first byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    pub(super) bits: u32,
    pub(super) number: u64,
}

impl Slice {
    fn has(self, key: u64) -> bool {
        self.bits == 0 || (key << 8) >> (64 - self.bits) == self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::build::record::{GameFacts, Occurrence};
    use tabia_core::chess::Color;

    #[test]
    fn parts_come_back_sorted_and_in_order() {
        let mut seed = 3u64;
        let mut given = Vec::new();
        for i in 0..60_000u16 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Few keys, so that many records share one; the rating tells them apart.
            let key = (seed % 1000).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let facts = GameFacts::new(Some(i % 4096), None, None);
            given.push(Occurrence::new(key, Color::White, None, facts));
        }
        let mut expected = given.clone();
        expected.sort_by_key(|record| record.key);
        let target = std::env::temp_dir().join("store.bin");
        for memory in [0, 1 << 30] {
            let mut store = Store::new(&target, memory);
            // The smallest store holds 8 MiB, so give it the records several times.
            let rounds = if memory == 0 { 12 } else { 1 };
            for _ in 0..rounds {
                store.extend(&given).unwrap();
            }
            assert_eq!(store.spilled() > 0, memory == 0);
            for bits in [0, 2] {
                let mut all = Vec::new();
                let mut some = Vec::new();
                for part in 0..PARTS {
                    for number in 0..1 << bits {
                        store
                            .sorted(part, Slice { bits, number }, &mut some)
                            .unwrap();
                        all.extend_from_slice(&some);
                    }
                }
                assert_eq!(all.len(), rounds * expected.len());
                if rounds == 1 {
                    assert!(all == expected);
                } else {
                    assert!(all.is_sorted_by_key(|record| record.key));
                }
            }
        }
    }
}
