//! External merge sort: sorted runs in a temporary file, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use zerocopy::IntoBytes;
use zerocopy::byteorder::big_endian::{U32, U64};

use super::FixedRecord;
use super::radix_sort::radix_sort;
use crate::error::{Error, ErrorKind, Result};
use crate::io::TemporaryFile;

/// Bytes of a run that are read at a time, at least and at most.
const MIN_READ: usize = 4 << 10;
const MAX_READ: usize = 128 << 10;
/// Bytes that are written at a time.
const WRITE: usize = 256 << 10;

/// Sorts records of one size; equal ones keep the order in which they were pushed.
///
/// ```
/// use tabia_core::external::{FixedRecord, FixedSorter};
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
/// #[repr(C)]
/// struct Count {
///     key: u64,
///     games: u64,
/// }
///
/// impl FixedRecord for Count {
///     type Order = u64;
///     fn order(&self) -> u64 {
///         self.key
///     }
///     fn lead(&self) -> u64 {
///         self.key
///     }
/// }
///
/// // Two records fit in memory, the others are in a temporary file meanwhile.
/// let mut sorter = FixedSorter::new(&std::env::temp_dir(), 32);
/// for (key, games) in [(3, 10), (1, 20), (2, 30), (1, 40)] {
///     sorter.push(Count { key, games })?;
/// }
/// let mut sorted = Vec::new();
/// sorter.finish(|count| {
///     sorted.push((count.key, count.games));
///     Ok(())
/// })?;
/// assert_eq!(sorted, [(1, 20), (1, 40), (2, 30), (3, 10)]);
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FixedSorter<T> {
    /// Records that memory holds.
    capacity: usize,
    records: Vec<T>,
    spare: Vec<T>,
    runs: Runs,
}

impl<T: FixedRecord> FixedSorter<T> {
    /// A sorter that holds at most `memory` bytes of records, or one record, and as much again
    /// while it sorts them. Further records go to a temporary file in `folder`.
    pub fn new(folder: &Path, memory: usize) -> Self {
        Self {
            capacity: (memory / size_of::<T>().max(1)).max(1),
            records: Vec::new(),
            spare: Vec::new(),
            runs: Runs::new(folder),
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn push(&mut self, record: T) -> Result<()> {
        if self.records.len() >= self.capacity {
            self.spill()?;
        }
        self.records.push(record);
        Ok(())
    }

    fn sort(&mut self) {
        let Some(first) = self.records.first().map(T::lead) else {
            return;
        };
        let differing = |bits, record: &T| bits | (record.lead() ^ first);
        let skip = self.records.iter().fold(0, differing).leading_zeros();
        let count = self.records.len();
        if self.spare.len() < count {
            self.spare.resize_with(count, T::new_zeroed);
        }
        let spare = self.spare.get_mut(..count).unwrap_or_default();
        radix_sort(&mut self.records, spare, skip);
    }

    fn spill(&mut self) -> Result<()> {
        self.sort();
        let bytes = self.records.as_bytes();
        self.runs.add(|file| file.write_all(bytes))?;
        self.records.clear();
        Ok(())
    }

    /// Hands out every record in order.
    ///
    /// # Errors
    /// When the temporary file cannot be written or read, and those of `visit`.
    pub fn finish(mut self, mut visit: impl FnMut(T) -> Result<()>) -> Result<()> {
        if self.runs.is_empty() {
            self.sort();
            self.spare = Vec::new();
            return self.records.into_iter().try_for_each(visit);
        }
        self.spill()?;
        let memory = self.capacity.saturating_mul(size_of::<T>());
        (self.records, self.spare) = (Vec::new(), Vec::new());
        self.runs
            .merge::<FixedLayout<T>>(memory, |record| match T::read_from_bytes(record) {
                Ok(record) => visit(record),
                Err(_) => Ok(()),
            })
    }
}

/// Sorts records that each have a key of `KEY` bytes and a payload of any length. Keys are compared
/// byte by byte; records with equal keys keep the order in which they were pushed.
///
/// ```
/// use tabia_core::external::VariableSorter;
///
/// let mut sorter = VariableSorter::<2>::new(&std::env::temp_dir(), 1 << 20);
/// sorter.push(b"d4", b"Queen's Pawn")?;
/// sorter.push(b"c4", b"English")?;
/// sorter.push(b"d4", b"")?;
/// let mut sorted = Vec::new();
/// sorter.finish(|key, payload| {
///     sorted.push((*key, payload.len()));
///     Ok(())
/// })?;
/// assert_eq!(sorted, [(*b"c4", 7), (*b"d4", 12), (*b"d4", 0)]);
/// # Ok::<(), tabia_core::Error>(())
/// ```
#[derive(Debug)]
pub struct VariableSorter<const KEY: usize> {
    /// Bytes that memory holds.
    memory: usize,
    /// Records, each a key, the length of the payload in four bytes, and the payload.
    bytes: Vec<u8>,
    index: Vec<Indexed>,
    runs: Runs,
}

/// A record in memory.
#[derive(Debug, Clone, Copy)]
struct Indexed {
    /// The first eight bytes of the key.
    lead: u64,
    /// Where the record begins.
    start: u32,
}

impl<const KEY: usize> VariableSorter<KEY> {
    /// A sorter that holds at most `memory` bytes (up to 4 GiB), or one record. Further records go
    /// to a temporary file in `folder`.
    pub fn new(folder: &Path, memory: usize) -> Self {
        Self {
            memory: memory.min(u32::MAX as usize),
            bytes: Vec::new(),
            index: Vec::new(),
            runs: Runs::new(folder),
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When the temporary file cannot be written, or the payload has 4 GiB or more.
    pub fn push(&mut self, key: &[u8; KEY], payload: &[u8]) -> Result<()> {
        let length = u32::try_from(payload.len()).map_err(|_| {
            Error::new(ErrorKind::Limit {
                what: "a record",
                limit: u32::MAX.into(),
                size: payload.len() as u64,
            })
        })?;
        let size = VariableLayout::<KEY>::HEADER + payload.len() + size_of::<Indexed>();
        let used = self.bytes.len() + self.index.len() * size_of::<Indexed>();
        if used.saturating_add(size) > self.memory && !self.index.is_empty() {
            self.spill()?;
        }
        self.index.push(Indexed {
            lead: lead(key),
            start: self.bytes.len() as u32,
        });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(&U32::new(length).to_bytes());
        self.bytes.extend_from_slice(payload);
        Ok(())
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let rest = |indexed: &Indexed| {
            let start = indexed.start as usize;
            bytes.get(start + KEY.min(8)..start + KEY)
        };
        self.index.sort_unstable_by(|a, b| {
            let order = a.lead.cmp(&b.lead);
            let order = order.then_with(|| rest(a).cmp(&rest(b)));
            order.then(a.start.cmp(&b.start))
        });
    }

    fn spill(&mut self) -> Result<()> {
        self.sort();
        let (bytes, index) = (&self.bytes, &self.index);
        self.runs.add(|file| {
            let mut out = BufWriter::with_capacity(WRITE, file);
            for indexed in index {
                out.write_all(record_at::<KEY>(bytes, indexed.start))?;
            }
            out.flush()
        })?;
        self.bytes.clear();
        self.index.clear();
        Ok(())
    }

    /// Hands out the key and the payload of every record in order.
    ///
    /// # Errors
    /// When the temporary file cannot be written or read, and those of `visit`.
    pub fn finish(mut self, mut visit: impl FnMut(&[u8; KEY], &[u8]) -> Result<()>) -> Result<()> {
        let mut visit_record = |record: &[u8]| match record.split_first_chunk() {
            Some((key, rest)) => visit(key, rest.get(size_of::<U32>()..).unwrap_or_default()),
            None => Ok(()),
        };
        if self.runs.is_empty() {
            self.sort();
            return self.index.iter().try_for_each(|indexed| {
                visit_record(record_at::<KEY>(&self.bytes, indexed.start))
            });
        }
        self.spill()?;
        (self.bytes, self.index) = (Vec::new(), Vec::new());
        self.runs
            .merge::<VariableLayout<KEY>>(self.memory, visit_record)
    }
}

/// The first eight bytes of a key, shorter ones with zeros after them.
fn lead(key: &[u8]) -> u64 {
    let mut lead = [0; 8];
    for (byte, from) in lead.iter_mut().zip(key) {
        *byte = *from;
    }
    U64::from_bytes(lead).get()
}

fn record_at<const KEY: usize>(bytes: &[u8], start: u32) -> &[u8] {
    let rest = bytes.get(start as usize..).unwrap_or_default();
    rest.get(..VariableLayout::<KEY>::length(rest))
        .unwrap_or_default()
}

/// The layout of records in a run.
trait Layout {
    type Order: Ord;

    /// Bytes that contain the length of a record.
    const HEADER: usize;

    /// The length of the record that begins here, with its header.
    fn length(header: &[u8]) -> usize;

    /// What the record is sorted by; `None` if it is cut off.
    fn order(record: &[u8]) -> Option<Self::Order>;
}

struct FixedLayout<T>(PhantomData<T>);

impl<T: FixedRecord> Layout for FixedLayout<T> {
    type Order = T::Order;

    const HEADER: usize = size_of::<T>();

    fn length(_: &[u8]) -> usize {
        Self::HEADER
    }

    fn order(record: &[u8]) -> Option<T::Order> {
        T::read_from_bytes(record).ok().map(|record| record.order())
    }
}

struct VariableLayout<const KEY: usize>;

impl<const KEY: usize> Layout for VariableLayout<KEY> {
    type Order = [u8; KEY];

    const HEADER: usize = KEY + size_of::<U32>();

    fn length(header: &[u8]) -> usize {
        let length = header.get(KEY..).and_then(|bytes| bytes.first_chunk());
        Self::HEADER + length.map_or(0, |bytes| U32::from_bytes(*bytes).get() as usize)
    }

    fn order(record: &[u8]) -> Option<[u8; KEY]> {
        record.first_chunk().copied()
    }
}

/// Sorted runs, one after another in a temporary file.
#[derive(Debug)]
struct Runs {
    folder: PathBuf,
    file: Option<TemporaryFile>,
    /// The offset at which each run ends.
    ends: Vec<u64>,
}

impl Runs {
    fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            file: None,
            ends: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends the run that `write` writes.
    fn add(&mut self, write: impl FnOnce(&mut TemporaryFile) -> io::Result<()>) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => empty.insert(TemporaryFile::new_in(&self.folder)?),
        };
        write(file)?;
        self.ends.push(file.stream_position()?);
        Ok(())
    }

    /// Hands out the records of all runs in order, equal ones in the order of the runs.
    fn merge<L: Layout>(
        self,
        memory: usize,
        mut visit: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let capacity = (memory / self.ends.len().max(1)).clamp(MIN_READ, MAX_READ);
        let mut runs = Vec::with_capacity(self.ends.len());
        let mut heap = BinaryHeap::with_capacity(self.ends.len());
        let mut start = 0;
        for &end in &self.ends {
            let mut run = Run::new(file, start..end, capacity);
            if let Some(order) = run.advance::<L>()? {
                heap.push(Reverse((order, runs.len())));
            }
            runs.push(run);
            start = end;
        }
        while let Some(mut first) = heap.peek_mut() {
            let Reverse((order, number)) = &mut *first;
            let Some(run) = runs.get_mut(*number) else {
                break;
            };
            visit(run.record())?;
            match run.advance::<L>()? {
                Some(next) => *order = next,
                None => {
                    PeekMut::pop(first);
                }
            }
        }
        Ok(())
    }
}

/// A run that is read from its beginning.
struct Run<'f> {
    file: &'f TemporaryFile,
    /// The part of the file that was not read yet.
    unread: std::ops::Range<u64>,
    buffer: Vec<u8>,
    capacity: usize,
    /// Where the current record begins in the buffer, and its length.
    start: usize,
    length: usize,
}

impl<'f> Run<'f> {
    fn new(file: &'f TemporaryFile, unread: std::ops::Range<u64>, capacity: usize) -> Self {
        Self {
            file,
            unread,
            buffer: Vec::new(),
            capacity,
            start: 0,
            length: 0,
        }
    }

    /// The current record.
    fn record(&self) -> &[u8] {
        let end = self.start + self.length;
        self.buffer.get(self.start..end).unwrap_or_default()
    }

    /// Goes to the next record; `None` at the end.
    fn advance<L: Layout>(&mut self) -> Result<Option<L::Order>> {
        self.start += self.length;
        self.length = 0;
        self.fill(L::HEADER)?;
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let length = L::length(rest);
        self.fill(length)?;
        self.length = length;
        Ok(L::order(self.record()))
    }

    /// Reads until the buffer has `count` bytes from the current record on, or all that are left.
    fn fill(&mut self, count: usize) -> Result<()> {
        if self.buffer.len() - self.start >= count || self.unread.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let used = self.buffer.len();
        let left = usize::try_from(self.unread.end - self.unread.start).unwrap_or(usize::MAX);
        let read = left.min(self.capacity.max(count) - used);
        self.buffer.resize(used + read, 0);
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.unread.start))?;
        file.read_exact(self.buffer.get_mut(used..).unwrap_or_default())?;
        self.unread.start += read as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_numbers;
    use super::*;
    use zerocopy::{FromBytes, Immutable, IntoBytes};

    #[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable)]
    #[repr(C)]
    struct Record {
        key: u64,
        minor: u32,
        number: u32,
    }

    impl FixedRecord for Record {
        type Order = (u64, u32);

        fn order(&self) -> (u64, u32) {
            (self.key, self.minor)
        }

        fn lead(&self) -> u64 {
            self.key
        }
    }

    fn sorted_records(records: &[Record], memory: usize) -> (Vec<Record>, usize) {
        let mut sorter = FixedSorter::new(&std::env::temp_dir(), memory);
        for record in records {
            sorter.push(*record).unwrap();
        }
        let runs = sorter.runs.ends.len();
        let mut sorted = Vec::new();
        sorter
            .finish(|record| {
                sorted.push(record);
                Ok(())
            })
            .unwrap();
        (sorted, runs)
    }

    #[test]
    fn fixed_records_are_sorted_as_in_memory() {
        let mut random = random_numbers(7);
        // Few keys, keys that are spread over all bits, keys that differ in their last bits.
        for (keys, factor) in [
            (50, 1),
            (u64::MAX, 1),
            (3000, 0x9e37_79b9_7f4a_7c15),
            (1, 0),
        ] {
            for count in [0, 1, 2, 1000, 20_000] {
                let record = |number| Record {
                    key: (random() % keys).wrapping_mul(factor),
                    minor: random() as u32 % 8,
                    number,
                };
                let records: Vec<Record> = (0..count).map(record).collect();
                let mut expected = records.clone();
                expected.sort_by_key(Record::order);
                for memory in [1, 7 * 16, 999 * 16, 5000 * 16, 1 << 20] {
                    if count as usize * 16 / memory > 2000 {
                        continue;
                    }
                    let (sorted, runs) = sorted_records(&records, memory);
                    assert!(sorted == expected, "{count} records in {memory} bytes");
                    assert_eq!(runs > 0, count as usize > (memory / 16).max(1));
                }
            }
        }
    }

    type Pair<const KEY: usize> = ([u8; KEY], Vec<u8>);

    fn sorted_payloads<const KEY: usize>(
        records: &[Pair<KEY>],
        memory: usize,
    ) -> (Vec<Pair<KEY>>, usize) {
        let mut sorter = VariableSorter::<KEY>::new(&std::env::temp_dir(), memory);
        for (key, payload) in records {
            sorter.push(key, payload).unwrap();
        }
        let runs = sorter.runs.ends.len();
        let mut sorted = Vec::new();
        sorter
            .finish(|key, payload| {
                sorted.push((*key, payload.to_vec()));
                Ok(())
            })
            .unwrap();
        (sorted, runs)
    }

    fn variable_records_are_sorted<const KEY: usize>(values: u64) {
        let mut random = random_numbers(11);
        for count in [0, 1, 2, 500, 4000] {
            let record = |number| {
                let key: [u8; KEY] = std::array::from_fn(|_| (random() % values) as u8);
                (key, vec![number as u8; (random() >> 32) as usize % 40])
            };
            let records: Vec<_> = (0..count).map(record).collect();
            let mut expected = records.clone();
            expected.sort_by_key(|record| record.0);
            for memory in [1, 300, 5000, 1 << 20] {
                if count / memory > 2000 {
                    continue;
                }
                let (sorted, runs) = sorted_payloads(&records, memory);
                assert!(sorted == expected, "{count} records in {memory} bytes");
                assert!(memory > 1 || runs == count.saturating_sub(1));
            }
        }
    }

    #[test]
    fn variable_records_are_sorted_as_in_memory() {
        variable_records_are_sorted::<1>(3);
        variable_records_are_sorted::<8>(2);
        variable_records_are_sorted::<12>(2);
        variable_records_are_sorted::<30>(256);
    }

    #[test]
    fn payloads_may_be_larger_than_memory() {
        let mut random = random_numbers(13);
        let record = |_| {
            let length = random() as usize % (3 * MAX_READ);
            ([random() as u8], vec![random() as u8; length])
        };
        let records: Vec<_> = (0..20).map(record).collect();
        let mut expected = records.clone();
        expected.sort_by_key(|record| record.0);
        assert!(sorted_payloads(&records, 1000).0 == expected);
    }

    #[test]
    fn errors_name_the_folder_and_those_of_the_visitor_pass() {
        let folder = std::env::temp_dir().join("tabia-no-such-folder");
        let mut sorter = VariableSorter::<1>::new(&folder, 1);
        sorter.push(b"b", b"").unwrap();
        let error = sorter.push(b"a", b"").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TemporaryFile(_)));
        assert_eq!(error.location().file.as_deref(), Some(&*folder));

        for memory in [1, 1000] {
            let mut sorter = VariableSorter::<1>::new(&std::env::temp_dir(), memory);
            sorter.push(b"b", b"").unwrap();
            sorter.push(b"a", b"").unwrap();
            let result = sorter.finish(|key, _| Err(Error::invalid(format!("{key:?}"))));
            assert_eq!(result.unwrap_err().to_string(), "[97]");
        }
    }
}
