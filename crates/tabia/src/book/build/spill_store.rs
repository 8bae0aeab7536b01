//! Records by key, more of them than memory holds.
//!
//! Records go into 256 parts by the first byte of their key. Each part keeps them in the order they
//! came. When memory is full, some parts move to a file without a name; they are read back one part
//! at a time, so the parts give all records in the order of their keys' first bytes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tabia_core::error::{Error, Result};
use tabia_core::io::scratch_file;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::partitions::{Sheaf, sort};

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
    /// The part that goes to the file next.
    turn: usize,
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
            turn: 0,
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
    pub(super) fn extend(&mut self, sheaf: &Sheaf<T>) -> Result<()> {
        for (number, mut records) in sheaf.parts().enumerate() {
            if let Some(part) = self.parts.get_mut(number) {
                part.records += records.len();
            }
            while !records.is_empty() {
                let last = self.parts.get_mut(number);
                let last = last.and_then(|part| part.chunks.last_mut());
                let mut chunk = match last {
                    Some(chunk) if chunk.len() < chunk.capacity() => {
                        records = top_up(chunk, records);
                        continue;
                    }
                    _ => self.chunk()?,
                };
                records = top_up(&mut chunk, records);
                if let Some(part) = self.parts.get_mut(number) {
                    part.chunks.push(chunk);
                }
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

    /// Moves some of the parts to the file, the next ones in turn: most of the memory stays in use,
    /// and nobody waits for long.
    fn spill(&mut self) -> Result<()> {
        let named = |error: std::io::Error| Error::from(error).in_path(&self.target);
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(Mutex::new(scratch_file(&self.target)?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.spilled)).map_err(named)?;
        for _ in 0..PARTS {
            if self.free.len() >= self.most / 16 && !self.free.is_empty() {
                break;
            }
            let turn = self.turn;
            self.turn = (turn + 1) % PARTS;
            let Some(part) = self.parts.get_mut(turn) else {
                continue;
            };
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
    pub(super) fn read(
        &self,
        part: usize,
        piece: &mut Vec<T>,
        mut each: impl FnMut(&[T]),
    ) -> Result<()> {
        let Some(part) = self.parts.get(part) else {
            return Ok(());
        };
        let most = PIECE / size_of::<T>();
        if !part.extents.is_empty() && piece.len() < most {
            piece.resize_with(most, T::new_zeroed);
        }
        for &(start, count) in &part.extents {
            let mut at = start;
            let mut left = count;
            while left > 0 {
                let now = left.min(most);
                let records = piece.get_mut(..now).unwrap_or_default();
                self.read_at(at, records)?;
                at += (now * size_of::<T>()) as u64;
                left -= now;
                each(records);
            }
        }
        part.chunks.iter().for_each(|chunk| each(chunk));
        Ok(())
    }

    fn read_at(&self, at: u64, records: &mut [T]) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(records.as_mut_bytes()))
            .map_err(|error| Error::from(error).in_path(&self.target))
    }

    /// All records of a part, in the order they came.
    fn load(&self, part: usize, out: &mut Vec<T>) -> Result<usize> {
        let Some(part) = self.parts.get(part) else {
            return Ok(0);
        };
        // What is there is overwritten, so that nothing is set to zero twice.
        if out.len() < part.records {
            out.resize_with(part.records, T::new_zeroed);
        }
        let mut rest = out.as_mut_slice();
        for &(start, count) in &part.extents {
            let Some((own, more)) = std::mem::take(&mut rest).split_at_mut_checked(count) else {
                break;
            };
            self.read_at(start, own)?;
            rest = more;
        }
        for chunk in &part.chunks {
            let Some((own, more)) = std::mem::take(&mut rest).split_at_mut_checked(chunk.len())
            else {
                break;
            };
            own.copy_from_slice(chunk);
            rest = more;
        }
        Ok(part.records)
    }

    /// The records of a part whose key has `slice` in the `bits` after the first byte, by key;
    /// those of one key in the order they came. Those that `aside` takes are left out.
    pub(super) fn sorted<'s>(
        &self,
        part: usize,
        slice: Slice,
        scratch: &'s mut Scratch<T>,
        mut aside: impl FnMut(&T) -> bool,
    ) -> Result<&'s [T]> {
        let Scratch {
            records,
            spare,
            piece,
        } = scratch;
        let mut count = 0;
        if slice.bits == 0 {
            count = self.load(part, records)?;
        } else {
            records.clear();
            self.read(part, piece, |pieces| {
                let own = pieces.iter().filter(|record| slice.has(record.key()));
                records.extend(own.filter(|record| !aside(record)));
            })?;
            count += records.len();
        }
        if spare.len() < count {
            spare.resize_with(count, T::new_zeroed);
        }
        let records = records.get_mut(..count).unwrap_or_default();
        let spare = spare.get_mut(..count).unwrap_or_default();
        sort(records, spare, 8 + slice.bits);
        Ok(records)
    }
}

/// What sorting takes, to be used again.
#[derive(Debug)]
pub(super) struct Scratch<T> {
    records: Vec<T>,
    spare: Vec<T>,
    piece: Vec<T>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            spare: Vec::new(),
            piece: Vec::new(),
        }
    }
}

/// Adds what there is room for and gives back the rest.
fn top_up<'r, T: Copy>(chunk: &mut Vec<T>, records: &'r [T]) -> &'r [T] {
    let room = chunk.capacity() - chunk.len();
    let (now, rest) = records.split_at(records.len().min(room));
    chunk.extend_from_slice(now);
    rest
}

/// The keys of a part that have a number in the bits after the first byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slice {
    pub(super) bits: u32,
    pub(super) number: u64,
}

impl Slice {
    pub(super) fn has(self, key: u64) -> bool {
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
        let target = std::env::temp_dir().join("store.bin");
        let mut sheaf = Sheaf::default();
        sheaf.fill(&given, |record| record);
        for memory in [0, 1 << 30] {
            let mut store = Store::new(&target, memory);
            // The smallest store holds 8 MiB, so give it the records several times.
            let rounds = if memory == 0 { 12 } else { 1 };
            for _ in 0..rounds {
                store.extend(&sheaf).unwrap();
            }
            assert_eq!(store.spilled() > 0, memory == 0);
            let mut expected = given.repeat(rounds);
            expected.sort_by_key(|record| record.key);
            let mut scratch = Scratch::default();
            for bits in [0, 2] {
                let mut all = Vec::new();
                for part in 0..PARTS {
                    for number in 0..1 << bits {
                        let slice = Slice { bits, number };
                        let some = store.sorted(part, slice, &mut scratch, |_| false);
                        all.extend_from_slice(some.unwrap());
                    }
                }
                assert!(all == expected);
            }
        }
    }
}
