//! Pages and the tree that leads to them, from sorted records.

use std::collections::VecDeque;
use std::io::{Seek, SeekFrom, Write};

use tabia_core::error::{Error, Result};
use tabia_core::io::Sink;

use super::header::Header;
use super::page_tree::{CTB_HEAD, CTO_HEAD};
use super::record::{PAGE, PAGE_HEAD};

/// Level of the deepest node; a deeper one would mean more than a page of records with one hash.
const MAX_LEVEL: u32 = 30;
/// Number of reversed hashes.
const HASHES: u64 = 1 << 32;

/// Builds the tree as `ChessBase` does: a node is split if the records below it do not fit on a page.
/// Records come in the order of their hashes with the bits reversed, so that the records below a node
/// are a range of these, and the leaves follow one another from 0 on.
#[derive(Debug)]
pub(super) struct PageBuilder<W> {
    out: W,
    /// Reversed hashes and bytes of the records that are not written.
    pending: VecDeque<(u32, Vec<u8>)>,
    /// Number of bytes in `pending`.
    pending_bytes: usize,
    /// The reversed hash at which the next leaf begins.
    next: u64,
    /// Levels that are split even if their records fit on a page.
    min_level: u32,
    /// Leaves with their pages.
    leaves: Vec<(u32, u32)>,
    /// Nodes that are split.
    split: Vec<u32>,
    records: u32,
}

/// The contents of `.ctb` and `.cto`.
#[derive(Debug)]
pub(super) struct Companions {
    leaves: Vec<(u32, u32)>,
    split: Vec<u32>,
}

impl<W: Write + Seek> PageBuilder<W> {
    /// Leaves space for the first page. With `split` there are at least two pages: older programs do
    /// not find the records of a single one.
    pub(super) fn new(mut out: W, split: bool) -> Result<Self> {
        out.write_all(&[0; PAGE])?;
        Ok(Self {
            out,
            pending: VecDeque::new(),
            pending_bytes: 0,
            next: 0,
            min_level: u32::from(split),
            leaves: Vec::new(),
            split: Vec::new(),
            records: 0,
        })
    }

    /// Adds a record; `order`, its reversed hash, must not be less than that of the one before.
    pub(super) fn push(&mut self, order: u32, record: Vec<u8>) -> Result<()> {
        self.pending_bytes += record.len();
        self.pending.push_back((order, record));
        self.records = self.records.saturating_add(1);
        while self.pending_bytes > PAGE - PAGE_HEAD {
            self.write_leaf()?;
        }
        Ok(())
    }

    /// Writes the largest leaf that can begin at `next`. The pending records are more than a page or
    /// the last ones, so all records that fit into the leaf are among them.
    fn write_leaf(&mut self) -> Result<()> {
        let mut level = match self.next {
            0 => 0,
            next => LEVELS_OF_HASH.saturating_sub(next.trailing_zeros()),
        };
        level = level.max(self.min_level);
        let (count, used) = loop {
            if level > MAX_LEVEL {
                let text = "more records with the same hash than a page holds";
                return Err(Error::invalid(text));
            }
            let end = self.next + (HASHES >> level);
            let mut used = PAGE_HEAD;
            let mut count = 0;
            let in_leaf = |pending: &&(u32, Vec<u8>)| u64::from(pending.0) < end;
            for (_, record) in self.pending.iter().take_while(in_leaf) {
                used += record.len();
                count += 1;
            }
            if used <= PAGE {
                break (count, used);
            }
            level += 1;
        };
        let page = u32::try_from(self.leaves.len()).unwrap_or(u32::MAX);
        self.leaves.push((node(self.next, level), page));
        // The nodes above that begin here too are split.
        for above in (0..level).rev() {
            if !self.next.is_multiple_of(HASHES >> above) {
                break;
            }
            self.split.push(node(self.next, above));
        }
        let mut sink = Sink::new();
        sink.u16_be(count as u16);
        sink.u16_be(used as u16);
        for (_, record) in self.pending.drain(..count) {
            sink.bytes(&record);
        }
        sink.zeros(PAGE - sink.len());
        self.out.write_all(sink.as_slice())?;
        self.pending_bytes -= used - PAGE_HEAD;
        self.next += HASHES >> level;
        Ok(())
    }

    /// Writes the pending records and the first page; returns the number of all records.
    pub(super) fn finish(mut self, games: u32) -> Result<(Companions, u32)> {
        while self.next < HASHES {
            self.write_leaf()?;
        }
        let header = Header {
            version: (1, 1),
            pages: u32::try_from(self.leaves.len()).unwrap_or(u32::MAX),
            free: super::header::NO_PAGE,
            added: self.records,
            games,
        };
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header.write())?;
        self.out.flush()?;
        self.leaves.sort_unstable();
        self.split.sort_unstable();
        let companions = Companions {
            leaves: self.leaves,
            split: self.split,
        };
        Ok((companions, self.records))
    }
}

/// Bits of a hash.
const LEVELS_OF_HASH: u32 = 32;

/// The node of a level whose range of reversed hashes begins at `start`.
fn node(start: u64, level: u32) -> u32 {
    let mask = ((1u64 << level) - 1) as u32;
    mask + ((start as u32).reverse_bits() & mask)
}

impl Companions {
    /// Number of bits in the bytes with all bits set at the start of the bitmap.
    fn leading_ones(&self) -> u32 {
        let ones = (0u32..)
            .zip(&self.split)
            .take_while(|(bit, node)| bit == *node);
        ones.count() as u32 / 8 * 8
    }

    /// Writes `.ctb`.
    pub(super) fn write_bits(&self, mut out: impl Write) -> Result<()> {
        let bytes = self.split.last().map_or(0, |last| last / 8 + 1);
        let mut sink = Sink::new();
        sink.u16_be(CTB_HEAD as u16);
        sink.u16_be(1);
        sink.u32_be(self.leading_ones());
        sink.u32_be(8 * bytes);
        let mut split = self.split.iter().peekable();
        for byte in 0..bytes {
            let mut bits = 0u8;
            while let Some(node) = split.next_if(|node| **node / 8 == byte) {
                bits |= 1 << (node % 8);
            }
            sink.u8(bits);
            drain(&mut sink, &mut out, 1 << 16)?;
        }
        drain(&mut sink, &mut out, 0)
    }

    /// Writes `.cto`.
    pub(super) fn write_nodes(&self, mut out: impl Write) -> Result<()> {
        let count = self.leaves.last().map_or(0, |(node, _)| node + 1);
        let mut sink = Sink::new();
        sink.u16_be(CTO_HEAD as u16);
        sink.u16_be(1);
        sink.u32_be(count);
        sink.u32_be(0);
        sink.u32_be(self.leading_ones());
        let mut leaves = self.leaves.iter().peekable();
        for node in 0..count {
            match leaves.next_if(|leaf| leaf.0 == node) {
                Some(&(_, page)) => sink.u32_be(page),
                None => sink.i32_be(-1),
            }
            drain(&mut sink, &mut out, 1 << 16)?;
        }
        drain(&mut sink, &mut out, 0)
    }
}

/// Writes the bytes of `sink` if there are more than `max`.
fn drain(sink: &mut Sink, out: &mut impl Write, max: usize) -> Result<()> {
    if sink.len() > max {
        out.write_all(sink.as_slice())?;
        sink.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn build(orders: &[u32], split: bool) -> (Vec<u8>, Companions, u32) {
        let mut out = Cursor::new(Vec::new());
        let mut builder = PageBuilder::new(&mut out, split).unwrap();
        for &order in orders {
            builder.push(order, vec![7; 1000]).unwrap();
        }
        let (companions, records) = builder.finish(5).unwrap();
        (out.into_inner(), companions, records)
    }

    #[test]
    fn nodes_are_split_if_they_do_not_fit() {
        // Five records of 1000 bytes, four to a page. Two below 10, two below 11, one below 0.
        let orders = [1, 0x8000_0000, 0x8000_0001, 0xc000_0000, 0xc000_0001];
        let (bytes, companions, records) = build(&orders, false);
        assert_eq!(records, 5);
        assert_eq!(companions.leaves, [(1, 0), (2, 1)]);
        assert_eq!(companions.split, [0]);
        assert_eq!(bytes.len(), 3 * PAGE);
        assert_eq!(bytes[PAGE..PAGE + 4], [0, 1, 3, 0xec]);
        assert_eq!(bytes[2 * PAGE..2 * PAGE + 4], [0, 4, 0xf, 0xa4]);

        let (_, companions, _) = build(&[1, 2, 0x8000_0000], false);
        assert_eq!(
            (companions.leaves, companions.split),
            (vec![(0, 0)], vec![])
        );
        let (bytes, companions, _) = build(&[1, 2, 3], true);
        assert_eq!(companions.leaves, [(1, 0), (2, 1)]);
        assert_eq!(bytes[2 * PAGE..2 * PAGE + 4], [0, 0, 0, 4]);
    }

    #[test]
    fn companions_describe_the_tree() {
        // All below 0000 first: a long thin tree.
        let orders: Vec<u32> = (0..5).map(|i| i << 24).collect();
        let (_, companions, _) = build(&orders, true);
        let mut bits = Vec::new();
        companions.write_bits(&mut bits).unwrap();
        let split = [0, 1, 3, 7, 15, 31];
        assert_eq!(companions.split, split);
        assert_eq!(bits[..12], [0, 12, 0, 1, 0, 0, 0, 0, 0, 0, 0, 32]);
        assert_eq!(bits[12..], [0b1000_1011, 0b1000_0000, 0, 0b1000_0000]);
        let mut nodes = Vec::new();
        companions.write_nodes(&mut nodes).unwrap();
        let count = nodes[7];
        assert_eq!(nodes.len(), 16 + 4 * usize::from(count));
        let pages = nodes[16..].chunks(4).filter(|entry| entry[0] == 0).count();
        assert_eq!(pages, split.len() + 1);
    }

    #[test]
    fn too_many_records_with_one_hash_are_an_error() {
        let mut builder = PageBuilder::new(Cursor::new(Vec::new()), true).unwrap();
        let pushed: Result<()> = (0..5).try_for_each(|_| builder.push(9, vec![0; 1000]));
        assert!(pushed.is_err());
    }
}
