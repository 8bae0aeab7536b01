//! Postings: the lines that have a position or a class of positions, by a hash.
//!
//! The upper bits of the hash choose a bucket, the next ones are the *mark* of a posting. A bucket is its
//! number of postings in groups of seven bits, and then these as an ascending list of `mark * games + rank`,
//! see [`rank_lists`](crate::rank_lists). What is found may have another hash.

use std::thread;

use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use crate::directory::Unusable;
use crate::layout::{Kind, MAX_SEGMENT_GAMES, POSTING_RANK_BITS, Section};
use crate::rank_lists::{ListReader, ListWriter, low_bits};
use crate::section_reader::{SectionReader, read_number};

/// Partitions of postings by the first bits of their hash.
const PARTITIONS: usize = 64;
/// Postings in a bucket, at least and below twice as many.
const PER_BUCKET: usize = 48;
/// Bits of a posting in memory that belong to it, see [`Shape::width`].
const EXTRA_BITS: u32 = 6;
/// Bits of a hash that are not in a posting in memory.
const BELOW_HASH: u32 = POSTING_RANK_BITS + EXTRA_BITS;

/// What the postings of a kind are made of.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Bits of the mark.
    mark_bits: u32,
    /// Bits that belong to a posting.
    width: u32,
    postings: Kind,
    buckets: Kind,
}

/// Positions, by the hash of White's men. A posting is for one position with each side to move, which
/// follow each other on the line, and has three bits of the hash of each.
pub(crate) const POSITIONS: Shape = Shape {
    mark_bits: 3,
    width: 6,
    postings: Kind::POSTINGS,
    buckets: Kind::BUCKETS,
};

/// Classes of positions.
pub(crate) const CLASSES: Shape = Shape {
    mark_bits: 6,
    width: 0,
    postings: Kind::CLASSES,
    buckets: Kind::CLASS_BUCKETS,
};

/// Postings before they are packed, in partitions.
#[derive(Debug)]
pub(crate) struct Postings(Vec<Vec<u64>>);

impl Default for Postings {
    fn default() -> Self {
        Self(vec![Vec::new(); PARTITIONS])
    }
}

impl Postings {
    /// Adds a posting with bits that belong to it.
    #[inline]
    pub(crate) fn push(&mut self, hash: u64, rank: usize, extra: u64) {
        let posting = hash >> BELOW_HASH << BELOW_HASH | (rank as u64) << EXTRA_BITS | extra;
        let partition = (hash >> (64 - PARTITIONS.ilog2())) as usize;
        if let Some(postings) = self.0.get_mut(partition) {
            postings.push(posting);
        }
    }
}

impl Shape {
    /// The part of a hash by which a bucket and mark are chosen.
    fn slot(&self, hash: u64, bucket_bits: u32) -> (usize, u64) {
        let bucket = (hash >> (64 - bucket_bits)) as usize;
        let mark = hash << bucket_bits >> (64 - self.mark_bits);
        (bucket, mark)
    }

    /// Packs postings of lines below `games`; returns the number of bits of a hash that choose the bucket.
    pub(crate) fn pack(
        &self,
        parts: Vec<Postings>,
        threads: usize,
        games: usize,
        sections: &mut Vec<Section>,
    ) -> u32 {
        let total: usize = parts.iter().flat_map(|part| &part.0).map(Vec::len).sum();
        let bits = (total / PER_BUCKET).max(PARTITIONS).ilog2();
        // The lists of one partition from all parts, taken by one thread after the other.
        let mut partitions: Vec<Vec<Vec<u64>>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
        for part in parts {
            for (partition, list) in partitions.iter_mut().zip(part.0) {
                partition.push(list);
            }
        }
        let size = PARTITIONS.div_ceil(threads);
        let packed: Vec<Packed> = thread::scope(|scope| {
            let mut workers = Vec::new();
            let mut rest = partitions.into_iter().enumerate();
            loop {
                let share: Vec<_> = rest.by_ref().take(size).collect();
                if share.is_empty() {
                    break;
                }
                workers.push(scope.spawn(move || {
                    let share = share.into_iter();
                    share
                        .map(|(number, lists)| self.pack_partition(number, lists, bits, games))
                        .collect::<Vec<_>>()
                }));
            }
            let done = workers.into_iter();
            done.flat_map(|worker| worker.join().unwrap_or_default())
                .collect()
        });
        let mut bytes = Vec::with_capacity(packed.iter().map(|part| part.bytes.len()).sum());
        let mut buckets: Vec<U32> = Vec::with_capacity((1 << bits) + 1);
        for part in packed {
            let before = bytes.len() as u32;
            buckets.extend(part.starts.iter().map(|start| U32::new(before + start)));
            bytes.extend(part.bytes);
        }
        buckets.push((bytes.len() as u32).into());
        sections.push((self.postings, total as u64, bytes));
        let count = buckets.len() as u64;
        sections.push((self.buckets, count, buckets.as_bytes().to_vec()));
        bits
    }

    fn pack_partition(
        &self,
        partition: usize,
        lists: Vec<Vec<u64>>,
        bits: u32,
        games: usize,
    ) -> Packed {
        let mut all: Vec<u64> = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        // Bucket and mark, rank, and the bits of the posting.
        let unused = 64 - bits - self.mark_bits;
        let low = (1 << BELOW_HASH) - 1;
        for list in lists {
            all.extend(
                list.iter()
                    .map(|posting| posting >> unused << BELOW_HASH | posting & low),
            );
        }
        all.sort_unstable();
        let in_partition = 1 << (bits - PARTITIONS.ilog2());
        let mut packed = Packed::default();
        let mut writer = ListWriter::default();
        let mut rest = all.as_slice();
        for bucket in (partition * in_partition..).take(in_partition) {
            packed
                .starts
                .push((packed.bytes.len() + writer.len()) as u32);
            let bucket_of = |posting: &u64| (posting >> (BELOW_HASH + self.mark_bits)) as usize;
            let count = rest.partition_point(|posting| bucket_of(posting) <= bucket);
            let (list, after) = rest.split_at(count);
            rest = after;
            writer.number(count);
            let limit = (games as u64) << self.mark_bits;
            let low_bits = low_bits(limit, count as u64);
            let mut before = 0;
            for posting in list {
                let mark = posting >> BELOW_HASH & ((1 << self.mark_bits) - 1);
                let rank = posting >> EXTRA_BITS & (MAX_SEGMENT_GAMES as u64 - 1);
                let value = mark * games as u64 + rank;
                let extra = posting & ((1 << self.width) - 1);
                writer.push(value - before, low_bits, extra, self.width);
                before = value;
            }
            writer.end();
        }
        packed.bytes = writer.into_bytes();
        packed
    }
}

/// The postings of a partition.
#[derive(Debug, Default)]
struct Packed {
    bytes: Vec<u8>,
    /// Where each bucket begins in `bytes`.
    starts: Vec<u32>,
}

/// The postings of a segment.
#[derive(Debug)]
pub(crate) struct Table {
    shape: &'static Shape,
    bucket_bits: u32,
    postings: SectionReader,
    buckets: SectionReader,
}

impl Table {
    /// The postings of a kind; `find` opens a section.
    ///
    /// # Errors
    /// When a section is damaged.
    pub(crate) fn open(
        shape: &'static Shape,
        bucket_bits: u32,
        find: &dyn Fn(Kind) -> Result<SectionReader, Unusable>,
    ) -> Result<Self, Unusable> {
        let table = Self {
            shape,
            bucket_bits,
            postings: find(shape.postings)?,
            buckets: find(shape.buckets)?,
        };
        if !(1..=BELOW_HASH).contains(&bucket_bits) {
            return Err(table.buckets.damaged("a number is impossible"));
        }
        let length = ((1_u64 << bucket_bits) + 1) * size_of::<U32>() as u64;
        if length != table.buckets.len() as u64 {
            return Err(table.buckets.damaged("its length is wrong"));
        }
        Ok(table)
    }

    /// The sections.
    pub(crate) fn sections(&self) -> [&SectionReader; 2] {
        [&self.postings, &self.buckets]
    }

    /// Appends the ranks, below `games`, of the postings that may have a hash, in order. Of the bits that
    /// belong to a posting those of `mask` are to be as in `extra`.
    ///
    /// # Errors
    /// When the index is damaged.
    pub(crate) fn find(
        &self,
        hash: u64,
        games: u32,
        (mask, extra): (u64, u64),
        ranks: &mut Vec<u32>,
    ) -> Result<(), Unusable> {
        let (bucket, mark) = self.shape.slot(hash, self.bucket_bits);
        let [from, to] = *self.buckets.records::<U32>(bucket, 2)? else {
            return Err(self.buckets.damaged("a bucket is missing"));
        };
        let (from, to) = (from.get() as usize, to.get() as usize);
        let length = to.checked_sub(from);
        let length = length.ok_or_else(|| self.buckets.damaged("a bucket ends too early"))?;
        let mut bytes = self.postings.bytes(from, length)?;
        let damaged = || self.postings.damaged("a posting cannot be read");
        let count = read_number(&mut bytes).ok_or_else(damaged)?;
        let limit = u64::from(games) << self.shape.mark_bits;
        let low_bits = low_bits(limit, count as u64);
        let first = mark * u64::from(games);
        let mut list = ListReader::new(bytes, low_bits, self.shape.width);
        let mut value = 0;
        for _ in 0..count {
            let (difference, bits) = list.next().ok_or_else(damaged)?;
            value += difference;
            if value >= first + u64::from(games) {
                break;
            }
            if value >= first && bits & mask == extra {
                ranks.push((value - first) as u32);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_postings_fit_into_memory() {
        for shape in [&POSITIONS, &CLASSES] {
            assert!(shape.width <= EXTRA_BITS);
            // The postings of the largest segment, with one for each of its 2^26 plies.
            assert!(26 + shape.mark_bits <= 64 - BELOW_HASH);
        }
    }
}
