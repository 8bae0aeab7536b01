//! Records in partitions by the first byte of their key, some in memory, the others in a file.
//!
//! Unlike a merge sort this reads no record before its partition is requested, so that partitions
//! can be sorted on several threads.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerocopy::IntoBytes;

use super::FixedRecord;
use super::radix_sort::{radix_sort, radix_sort_slices, scatter};
use crate::error::Result;
use crate::io::TemporaryFile;

/// The number of partitions: one for each value of the first byte of
/// [`lead`](FixedRecord::lead).
pub const PARTITIONS: usize = 256;
/// Bytes of memory that a partition takes at a time.
const CHUNK: usize = 16 << 10;
/// Bytes that are read at a time.
const READ: usize = 256 << 10;

/// A batch of records by partition; those of one partition are in the order in which they came.
#[derive(Debug)]
pub struct Partitions<T> {
    records: Vec<T>,
    /// Where each partition ends.
    ends: Vec<usize>,
}

impl<T> Default for Partitions<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: FixedRecord> Partitions<T> {
    /// Replaces the batch by `records`, each stored as `convert` makes it. The partition is that of
    /// the record before its conversion, so that the stored one need not have its first byte.
    pub fn fill<R: FixedRecord>(&mut self, records: &[R], convert: impl Fn(R) -> T) {
        self.ends.clear();
        self.ends.resize(PARTITIONS, 0);
        if self.records.len() < records.len() {
            self.records.resize_with(records.len(), T::new_zeroed);
        }
        let partition = |record: &R| (record.lead() >> 56) as usize;
        scatter(
            &[records],
            &mut self.records,
            &mut self.ends,
            partition,
            convert,
        );
    }

    /// The records of each partition.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let partition = self.records.get(start..end).unwrap_or_default();
            start = end;
            partition
        })
    }
}

/// The keys of a partition that have the same bits after the first byte.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyRange {
    /// How many bits; 0 for the complete partition.
    pub bits: u32,
    /// Their value.
    pub value: u64,
}

impl KeyRange {
    /// Whether a key of the partition is in the range.
    pub fn contains(self, key: u64) -> bool {
        self.bits == 0 || (key << 8) >> (u64::BITS - self.bits) == self.value
    }
}

/// Stores batches of records by partition. When memory is full, some partitions move to a temporary
/// file.
///
/// ```
/// use tabia_core::external::{FixedRecord, KeyRange, PARTITIONS, Partitions, SortBuffers, SpillStore};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
/// #[repr(C)]
/// struct Key(u64);
///
/// impl FixedRecord for Key {
///     type Order = u64;
///     fn order(&self) -> u64 {
///         self.0
///     }
///     fn lead(&self) -> u64 {
///         self.0
///     }
/// }
///
/// let mut store = SpillStore::new(&std::env::temp_dir(), 64 << 20);
/// let mut batch = Partitions::default();
/// batch.fill(&[Key(7 << 60), Key(3 << 40), Key(1 << 40)], |key| key);
/// store.extend(&batch)?;
///
/// let mut buffers = SortBuffers::default();
/// let mut sorted = Vec::new();
/// for partition in 0..PARTITIONS {
///     let keys = store.sorted(partition, KeyRange::default(), &mut buffers, None)?;
///     sorted.extend(keys.iter().map(|key| key.0));
/// }
/// assert_eq!(sorted, [1 << 40, 3 << 40, 7 << 60]);
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct SpillStore<T> {
    folder: PathBuf,
    partitions: Vec<Partition<T>>,
    /// Chunks without records.
    free: Vec<Vec<T>>,
    /// The partition that moves to the file next.
    next: usize,
    /// Chunks allocated, and the most that may be.
    chunks: usize,
    max_chunks: usize,
    file: Option<Mutex<TemporaryFile>>,
    /// Bytes in the file.
    spilled: u64,
}

#[derive(Debug)]
struct Partition<T> {
    chunks: Vec<Vec<T>>,
    /// Offset in the file and number of records.
    extents: Vec<(u64, usize)>,
    records: usize,
}

impl<T: FixedRecord> SpillStore<T> {
    /// A store that uses about `memory` bytes, but at least 8 MiB, and a temporary file in
    /// `folder`.
    pub fn new(folder: &Path, memory: u64) -> Self {
        let partition = |_| Partition {
            chunks: Vec::new(),
            extents: Vec::new(),
            records: 0,
        };
        let max_chunks = usize::try_from(memory / CHUNK as u64).unwrap_or(usize::MAX);
        Self {
            folder: folder.to_path_buf(),
            partitions: (0..PARTITIONS).map(partition).collect(),
            free: Vec::new(),
            next: 0,
            chunks: 0,
            max_chunks: max_chunks.max(2 * PARTITIONS),
            file: None,
            spilled: 0,
        }
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> u64 {
        (self.chunks * CHUNK) as u64
    }

    /// Bytes that were written to the temporary file.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    /// The number of records of a partition.
    pub fn len(&self, partition: usize) -> usize {
        self.partitions
            .get(partition)
            .map_or(0, |partition| partition.records)
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn extend(&mut self, batch: &Partitions<T>) -> Result<()> {
        for (number, mut records) in batch.iter().enumerate() {
            if let Some(partition) = self.partitions.get_mut(number) {
                partition.records += records.len();
            }
            while !records.is_empty() {
                let partition = self.partitions.get_mut(number);
                let last = partition.and_then(|partition| partition.chunks.last_mut());
                let mut chunk = match last {
                    Some(chunk) if chunk.len() < chunk.capacity() => {
                        records = append(chunk, records);
                        continue;
                    }
                    _ => self.chunk()?,
                };
                records = append(&mut chunk, records);
                if let Some(partition) = self.partitions.get_mut(number) {
                    partition.chunks.push(chunk);
                }
            }
        }
        Ok(())
    }

    fn chunk(&mut self) -> Result<Vec<T>> {
        if self.free.is_empty() && self.chunks >= self.max_chunks {
            self.spill()?;
        }
        Ok(self.free.pop().unwrap_or_else(|| {
            self.chunks += 1;
            Vec::with_capacity(CHUNK / size_of::<T>().max(1))
        }))
    }

    /// Moves partitions to the file, in turn, until a sixteenth of the memory is free: most of it
    /// stays in use, and callers do not wait long.
    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(Mutex::new(TemporaryFile::new_in(&self.folder)?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.spilled))?;
        for _ in 0..PARTITIONS {
            if self.free.len() >= self.max_chunks / 16 && !self.free.is_empty() {
                break;
            }
            let next = self.next;
            self.next = (next + 1) % PARTITIONS;
            let Some(partition) = self.partitions.get_mut(next) else {
                continue;
            };
            let count: usize = partition.chunks.iter().map(Vec::len).sum();
            if count > 0 {
                partition.extents.push((self.spilled, count));
            }
            for mut chunk in partition.chunks.drain(..) {
                let bytes = chunk.as_slice().as_bytes();
                file.write_all(bytes)?;
                self.spilled += bytes.len() as u64;
                chunk.clear();
                self.free.push(chunk);
            }
        }
        Ok(())
    }

    /// Hands out the records of a partition in slices, in the order in which they came. `buffer` is
    /// for those that are read from the file.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn read(
        &self,
        partition: usize,
        buffer: &mut Vec<T>,
        mut visit: impl FnMut(&[T]),
    ) -> Result<()> {
        let Some(partition) = self.partitions.get(partition) else {
            return Ok(());
        };
        let max_records = (READ / size_of::<T>().max(1)).max(1);
        if !partition.extents.is_empty() {
            grow(buffer, max_records);
        }
        for &(start, count) in &partition.extents {
            let mut offset = start;
            let mut left = count;
            while left > 0 {
                let records = buffer.get_mut(..left.min(max_records)).unwrap_or_default();
                self.read_at(offset, records)?;
                offset += size_of_val(records) as u64;
                left -= records.len();
                visit(records);
            }
        }
        partition.chunks.iter().for_each(|chunk| visit(chunk));
        Ok(())
    }

    fn read_at(&self, offset: u64, records: &mut [T]) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        Ok(file.read_exact(records.as_mut_bytes())?)
    }

    /// The records of a partition in a range of keys, sorted; equal ones are in the order in which
    /// they came. Records for which `exclude` returns `true` are left out.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn sorted<'s>(
        &self,
        partition: usize,
        range: KeyRange,
        buffers: &'s mut SortBuffers<T>,
        exclude: Option<&mut dyn FnMut(&T) -> bool>,
    ) -> Result<&'s [T]> {
        if range.bits == 0 && exclude.is_none() {
            return self.all_sorted(partition, buffers);
        }
        let SortBuffers {
            records,
            spare,
            read,
        } = buffers;
        records.clear();
        let mut keep_all = |_: &T| false;
        let exclude = exclude.unwrap_or(&mut keep_all);
        self.read(partition, read, |slice| {
            let in_range = |record: &&T| range.contains(record.lead()) && !exclude(record);
            records.extend(slice.iter().filter(in_range));
        })?;
        grow(spare, records.len());
        let spare = spare.get_mut(..records.len()).unwrap_or_default();
        radix_sort(records, spare, 8 + range.bits);
        Ok(records)
    }

    /// [`sorted`](Self::sorted) for a complete partition: records in memory are not copied before they are sorted.
    fn all_sorted<'s>(&self, number: usize, buffers: &'s mut SortBuffers<T>) -> Result<&'s [T]> {
        let SortBuffers {
            records,
            spare,
            read,
        } = buffers;
        let Some(partition) = self.partitions.get(number) else {
            return Ok(&[]);
        };
        let in_file = partition.extents.iter().map(|&(_, count)| count).sum();
        grow(read, in_file);
        let (in_file, _) = read.split_at_mut_checked(in_file).unwrap_or_default();
        let mut rest = &mut *in_file;
        for &(start, count) in &partition.extents {
            let (extent, after) = rest.split_at_mut_checked(count).unwrap_or_default();
            self.read_at(start, extent)?;
            rest = after;
        }
        let chunks = partition.chunks.iter().map(Vec::as_slice);
        let slices: Vec<&[T]> = std::iter::once(&*in_file).chain(chunks).collect();
        grow(spare, partition.records);
        grow(records, partition.records);
        let spare = spare.get_mut(..partition.records).unwrap_or_default();
        let records = records.get_mut(..partition.records).unwrap_or_default();
        radix_sort_slices(&slices, spare, records, 8);
        Ok(records)
    }
}

/// Makes a buffer at least as long as that; what it holds does not matter.
fn grow<T: FixedRecord>(buffer: &mut Vec<T>, length: usize) {
    if buffer.len() < length {
        buffer.resize_with(length, T::new_zeroed);
    }
}

/// Memory for sorting a partition, which can be used again.
#[derive(Debug)]
pub struct SortBuffers<T> {
    records: Vec<T>,
    spare: Vec<T>,
    read: Vec<T>,
}

impl<T> Default for SortBuffers<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            spare: Vec::new(),
            read: Vec::new(),
        }
    }
}

/// Adds as many records as the chunk has capacity for; returns the others.
fn append<'r, T: Copy>(chunk: &mut Vec<T>, records: &'r [T]) -> &'r [T] {
    let free = chunk.capacity() - chunk.len();
    let (fitting, rest) = records.split_at(records.len().min(free));
    chunk.extend_from_slice(fitting);
    rest
}

#[cfg(test)]
mod tests {
    use super::super::random_numbers;
    use super::*;
    use crate::error::ErrorKind;
    use zerocopy::{FromBytes, Immutable, IntoBytes};

    #[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable)]
    #[repr(C)]
    struct Record {
        key: u64,
        number: u64,
    }

    impl FixedRecord for Record {
        type Order = u64;

        fn order(&self) -> u64 {
            self.key
        }

        fn lead(&self) -> u64 {
            self.key
        }
    }

    fn records(count: u64, keys: u64) -> Vec<Record> {
        let mut random = random_numbers(3);
        let record = |number| Record {
            key: (random() % keys).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            number,
        };
        (0..count).map(record).collect()
    }

    #[test]
    fn partitions_have_the_records_in_their_order() {
        let mut batch = Partitions::default();
        for count in [9000, 0, 50] {
            let records = records(count, 1000);
            batch.fill(&records, |record| record);
            for (number, partition) in batch.iter().enumerate() {
                let expected = records
                    .iter()
                    .filter(|record| record.key >> 56 == number as u64);
                assert!(expected.eq(partition));
            }
            assert_eq!(batch.iter().count(), PARTITIONS);
        }
    }

    fn filled(records: &[Record], folder: &Path, memory: u64) -> Result<SpillStore<Record>> {
        let mut store = SpillStore::new(folder, memory);
        let mut batch = Partitions::default();
        for records in records.chunks(10_000) {
            batch.fill(records, |record| record);
            store.extend(&batch)?;
        }
        Ok(store)
    }

    #[test]
    fn partitions_are_sorted_as_in_memory() {
        for (count, memory) in [(0, 0), (1, 0), (60_000, 1 << 30), (720_000, 0)] {
            let records = records(count, 1000);
            let store = filled(&records, &std::env::temp_dir(), memory).unwrap();
            assert_eq!(store.spilled() > 0, count > 100_000);
            let mut expected = records;
            expected.sort_by_key(|record| record.key);
            let mut buffers = SortBuffers::default();
            for bits in [0, 2] {
                let mut sorted = Vec::new();
                for partition in 0..PARTITIONS {
                    for value in 0..1 << bits {
                        let range = KeyRange { bits, value };
                        let records = store.sorted(partition, range, &mut buffers, None);
                        sorted.extend_from_slice(records.unwrap());
                    }
                }
                assert!(sorted == expected, "{count} records, {bits} bits");
            }
            let lengths = (0..PARTITIONS).map(|partition| store.len(partition));
            assert_eq!(lengths.sum::<usize>() as u64, count);
        }
    }

    #[test]
    fn excluded_records_are_left_out() {
        let records = records(1000, 100);
        let store = filled(&records, &std::env::temp_dir(), 0).unwrap();
        let partition = (0..PARTITIONS)
            .max_by_key(|&number| store.len(number))
            .unwrap();
        let mut buffers = SortBuffers::default();
        let mut excluded = 0;
        let mut left = 0;
        for value in 0..2 {
            let range = KeyRange { bits: 1, value };
            let mut is_even = |record: &Record| {
                let is_even = record.number.is_multiple_of(2);
                excluded += usize::from(is_even);
                is_even
            };
            let sorted = store.sorted(partition, range, &mut buffers, Some(&mut is_even));
            left += sorted.unwrap().len();
        }
        assert!(excluded > 0 && left > 0);
        assert_eq!(excluded + left, store.len(partition));
    }

    #[test]
    fn errors_name_the_folder() {
        let folder = std::env::temp_dir().join("tabia-no-such-folder");
        let error = filled(&records(720_000, 1000), &folder, 0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(error.location().file.as_deref(), Some(&*folder));
    }
}
