//! The pages of a book, and how a record on them is found.

use std::cell::Cell;
use std::sync::OnceLock;

use tabia_core::chess::{Move, Position};
use tabia_core::io::Blob;

use super::hash::hash;
use super::key::{self, Key, Keys, decode};
use super::moves::decode_move;
use super::packed_stats::{self, PackedStats};
use super::page_tree::{Lookup, Tree};
use super::record::{PAGE, Record, Records};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::MirrorHash;
use crate::books::mirrored::record_index::{LazyIndex, RecordIndex, Slot};
use crate::books::mirrored::record_lookup::{KeyHashes, Located, MirroredStore};

/// The pages of a book, mapped into memory.
#[derive(Debug)]
pub(super) struct PageStore {
    blob: Blob,
    page_count: u32,
    tree: Tree,
    /// Hash and page of every record, by hash; only for [`Lookup::Scan`].
    hashes: OnceLock<Vec<(u32, u32)>>,
    lazy_index: LazyIndex,
    /// Counted when the index is built, or when it is first asked for.
    damaged_pages: OnceLock<u64>,
}

impl PageStore {
    /// From the bytes of `.ctg`, of which the first page and `page_count` others are used.
    pub(super) fn new(blob: Blob, page_count: u32, tree: Tree) -> Self {
        Self {
            blob,
            page_count,
            tree,
            hashes: OnceLock::new(),
            lazy_index: LazyIndex::new(page_count, PAGE),
            damaged_pages: OnceLock::new(),
        }
    }

    /// Number of pages after the first.
    pub(super) fn page_count(&self) -> u32 {
        self.page_count
    }

    /// The tree of the companions.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The bytes of a page, counted from 0 after the first.
    pub(super) fn page(&self, number: u32) -> Option<&[u8]> {
        let start = (number as usize).checked_add(1)?.checked_mul(PAGE)?;
        let end = start.checked_add(PAGE)?;
        self.blob.get(start..end)
    }

    /// The intact records of a page.
    pub(super) fn page_records(&self, number: u32) -> Records<'_> {
        Records::of(self.page(number).unwrap_or_default())
    }

    /// Number of pages whose records do not end where the page states, or are not as many as it
    /// states.
    pub(super) fn damaged_pages(&self) -> u64 {
        let is_damaged = |page: &u32| {
            let mut records = self.page_records(*page);
            records.by_ref().for_each(drop);
            !records.is_intact()
        };
        let count = || (0..self.page_count).filter(is_damaged).count() as u64;
        *self.damaged_pages.get_or_init(count)
    }

    /// The record of a key and its offset.
    pub(super) fn find_key(&self, key: &Key) -> Option<(u64, Record<'_>)> {
        if self.tree.lookup != Lookup::Scan {
            let indexed = self.index_if_built().zip(key.mirror_hash());
            return match indexed {
                Some((index, hash)) => {
                    let offset = index.find(hash)?.offset();
                    let record = self.record_at(offset)?;
                    (record.key == key.as_bytes()).then_some((offset, record))
                }
                None => self.find_on_page(self.tree.find(key.hash())?, key),
            };
        }
        let hashes = self.hashes.get_or_init(|| {
            let records = self.records();
            let page = |offset: u64| (offset / PAGE as u64) as u32;
            let mut hashes: Vec<_> = records.map(|(at, r)| (hash(r.key), page(at))).collect();
            hashes.sort_unstable();
            hashes
        });
        let hash = key.hash();
        let start = hashes.partition_point(|entry| entry.0 < hash);
        hashes
            .iter()
            .skip(start)
            .take_while(|entry| entry.0 == hash)
            .find_map(|&(_, page)| self.find_on_page(page, key))
    }

    fn find_on_page(&self, page: u32, key: &Key) -> Option<(u64, Record<'_>)> {
        let (at, record) = Records::of(self.page(page)?).find(key.as_bytes())?;
        Some((offset(page, at), record))
    }

    /// Whether the tree leads from a hash to a page, as a function of the hash.
    fn leaf_filter(&self, page: u32) -> impl Fn(u32) -> bool {
        // Most pages are one leaf, so that one walk down the tree serves all their records: the bits
        // of the hash that led to the page, and which bits these are.
        let leaf = Cell::new(None);
        move |hash| {
            if self.tree.lookup == Lookup::Scan {
                return true;
            }
            if leaf.get().is_some_and(|(bits, mask)| hash & mask == bits) {
                return true;
            }
            if let Some((found, mask)) = self.tree.leaf_page(hash) {
                if found == page {
                    leaf.set(Some((hash & mask, mask)));
                }
                return found == page;
            }
            self.tree.find(hash) == Some(page)
        }
    }

    /// Bytes at an offset.
    fn bytes<const N: usize>(&self, offset: u64) -> Option<&[u8; N]> {
        let start = usize::try_from(offset).ok()?.checked_add(PAGE)?;
        self.blob.get(start..start.checked_add(N)?)?.first_chunk()
    }
}

/// The offset of a record that begins at byte `at` of a page.
pub(super) const fn offset(page: u32, at: usize) -> u64 {
    page as u64 * PAGE as u64 + at as u64
}

impl<'b> MirroredStore<'b> for &'b PageStore {
    type Record = Record<'b>;
    type Code = [u8; 2];
    type Stats = PackedStats;
    const GRANULE: u64 = 32;

    fn end_offset(self) -> u64 {
        offset(self.page_count, 0)
    }

    fn lazy_index(self) -> &'b LazyIndex {
        &self.lazy_index
    }

    fn build_index(self) -> Option<RecordIndex> {
        let counts = (0..self.page_count).map(|page| self.page_records(page).declared_count());
        let mut index = RecordIndex::with_capacity(counts.sum())?;
        let mut found = Vec::new();
        let mut damaged_pages = 0;
        for page in 0..self.page_count {
            found.clear();
            let is_found = self.leaf_filter(page);
            let mut records = self.page_records(page);
            while let Some(record) = records.next() {
                if let Some(mirror_hash) = key::mirror_hash(record.key)
                    && is_found(hash(record.key))
                {
                    let offset = offset(page, records.at());
                    let slot = Slot::new(offset, packed_stats::payload(&record));
                    found.push((mirror_hash, slot));
                }
            }
            damaged_pages += u64::from(!records.is_intact());
            // In a loop of their own, so that the memory accesses overlap.
            for &(mirror_hash, slot) in &found {
                index.insert(mirror_hash, slot);
            }
        }
        self.damaged_pages.get_or_init(|| damaged_pages);
        Some(index)
    }

    fn record_at(self, offset: u64) -> Option<Record<'b>> {
        let (page, at) = ((offset / PAGE as u64) as u32, offset as usize % PAGE);
        Record::read(self.page(page)?.get(at..)?)
    }

    fn search(self, position: &Position) -> Option<Located<Record<'b>>> {
        let keys = Keys::of(position)?;
        let found = self.find_key(&keys.key);
        let (offset, record) = found.or_else(|| self.find_key(&keys.alternative?))?;
        Some(Located {
            orientation: keys.orientation,
            offset,
            record,
        })
    }

    fn key_hashes(position: &Position, hash: MirrorHash) -> Option<KeyHashes> {
        key::key_hashes(position, hash)
    }

    fn records(self) -> impl Iterator<Item = (u64, Record<'b>)> {
        (0..self.page_count).flat_map(move |page| {
            let mut records = self.page_records(page);
            std::iter::from_fn(move || {
                let record = records.next()?;
                Some((offset(page, records.at()), record))
            })
        })
    }

    fn slot_stats(self, slot: Slot) -> Option<PackedStats> {
        PackedStats::of_slot(slot, |data| self.bytes(data))
    }

    fn record_stats(record: &Record<'b>) -> PackedStats {
        PackedStats::of(record)
    }

    fn move_codes(record: &Record<'b>) -> &'b [[u8; 2]] {
        record.moves
    }

    fn decode_move(
        position: &Position,
        orientation: Orientation,
        [code, _]: [u8; 2],
    ) -> Option<Move> {
        decode_move(position, orientation, code)
    }

    fn position(record: &Record<'b>, orientation: Orientation) -> Option<Position> {
        decode(record.key, orientation)
    }

    /// Most keys omit the file of a pawn that may not be captured.
    fn apply_en_passant(
        position: &mut Position,
        orientation: Orientation,
        record: &Record<'b>,
    ) -> bool {
        if position.en_passant().is_none() || Key::has_en_passant(record.key) {
            return true;
        }
        let stored = decode(record.key, orientation);
        stored.is_some_and(|stored| {
            *position = stored;
            true
        })
    }
}

#[cfg(test)]
impl PageStore {
    /// Makes the book look too large for an index.
    pub(super) fn disable_index(&mut self) {
        self.lazy_index = LazyIndex::new(u32::MAX, PAGE);
    }
}
