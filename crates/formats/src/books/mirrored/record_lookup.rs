//! Lookup in books that keep a position and its mirror images in one record: in the file, or in an
//! index once it is worthwhile.

use tabia_core::books::BookEntry;
use tabia_core::chess::{Move, Position};

use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::{
    BATCH, ChildHashes, MirrorHash, lookup_children, map_batch,
};
use crate::books::mirrored::record_index::{LazyIndex, RecordIndex, Slot};

/// A position's hash, and the index to look it up in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexHit<'b> {
    pub(crate) index: &'b RecordIndex,
    pub(crate) hash: MirrorHash,
}

/// The hashes of the keys under which a position may be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyHashes {
    pub(crate) orientation: Orientation,
    pub(crate) key: u64,
    /// Of a second key, tried if the first is not found.
    pub(crate) alternative: Option<u64>,
}

/// The record of a position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<R> {
    /// In which the position is stored.
    pub(crate) orientation: Orientation,
    /// Bytes of pages before the record.
    pub(crate) offset: u64,
    pub(crate) record: R,
}

/// The records of a book and how to find them. An offset counts the bytes of pages or blocks before
/// a record.
pub(crate) trait MirroredStore<'b>: Copy {
    /// The moves and statistics of a position and its mirror images.
    type Record: Copy;
    /// A move as stored.
    type Code: Copy + 'b;
    /// Statistics of a record, as needed for the moves that lead to its position.
    type Stats: Copy;
    /// At most one record begins in each aligned run of this many bytes; a power of two.
    const GRANULE: u64;

    /// All records are at offsets below.
    fn end_offset(self) -> u64;
    /// The index of all records, if it is built.
    fn lazy_index(self) -> &'b LazyIndex;
    /// Builds the index of all records that [`search`](Self::search) can find; `None` if it would
    /// be too large.
    fn build_index(self) -> Option<RecordIndex>;
    /// The record at an offset of an index slot.
    fn record_at(self, offset: u64) -> Option<Self::Record>;
    /// Finds the record of a position by its key.
    fn search(self, position: &Position) -> Option<Located<Self::Record>>;
    /// The hashes of the position's keys; `hash` is that of the position. `None` if it has no key.
    fn key_hashes(position: &Position, hash: MirrorHash) -> Option<KeyHashes>;
    /// All intact records with their offsets, in file order.
    fn records(self) -> impl Iterator<Item = (u64, Self::Record)>;
    /// The statistics of the record of a slot, which is read only if the payload lacks them.
    fn slot_stats(self, slot: Slot) -> Option<Self::Stats>;
    /// The statistics of a record.
    fn record_stats(record: &Self::Record) -> Self::Stats;
    /// The moves of a record.
    fn move_codes(record: &Self::Record) -> &'b [Self::Code];
    /// The move of a code in a position of that orientation; `None` if it is not legal.
    fn decode_move(position: &Position, orientation: Orientation, code: Self::Code)
    -> Option<Move>;
    /// The position of a record in an orientation; `None` if its key is not that of a position.
    fn position(record: &Self::Record, orientation: Orientation) -> Option<Position>;
    /// Sets the en passant square of a position to that of its record; `false` if the key of the
    /// record is not that of a position.
    fn apply_en_passant(
        position: &mut Position,
        orientation: Orientation,
        record: &Self::Record,
    ) -> bool;

    /// The index, built now if it is not yet; `None` if it would be too large.
    fn index(self) -> Option<&'b RecordIndex> {
        self.lazy_index().force(|| self.build_index())
    }

    /// The index, if it is built or worth building by now. Counts as a lookup.
    fn index_if_built(self) -> Option<&'b RecordIndex> {
        self.lazy_index().get_if_worthwhile(|| self.build_index())
    }

    /// How to find a position in the index; `None` without an index. Counts as a lookup.
    fn index_hit(self, position: &Position) -> Option<IndexHit<'b>> {
        let index = self.index_if_built()?;
        let hash = MirrorHash::of(position);
        Some(IndexHit { index, hash })
    }

    /// How to find a position in the index, which is built now if it is not yet, by its hash.
    fn index_hit_for(self, hash: MirrorHash) -> Option<IndexHit<'b>> {
        self.index().map(|index| IndexHit { index, hash })
    }

    /// The record of a position. `hit` is its [`index_hit`](Self::index_hit); without one the
    /// record is [searched](Self::search).
    fn locate(
        self,
        position: &Position,
        hit: Option<IndexHit<'_>>,
    ) -> Option<Located<Self::Record>> {
        let Some(IndexHit { index, hash }) = hit else {
            return self.search(position);
        };
        let hashes = Self::key_hashes(position, hash)?;
        let slot = index.find(hashes.key);
        let offset = slot.or_else(|| index.find(hashes.alternative?))?.offset();
        Some(Located {
            orientation: hashes.orientation,
            offset,
            record: self.record_at(offset)?,
        })
    }

    /// The statistics of the positions after up to [`BATCH`] moves of a position. All slots are
    /// looked up before a record is read, so that the memory accesses of a batch overlap.
    fn children(
        self,
        position: &Position,
        hit: Option<IndexHit<'_>>,
        entries: &[BookEntry],
    ) -> [Option<Self::Stats>; BATCH] {
        let Some(IndexHit { index, hash }) = hit else {
            return lookup_children(position, entries, |child| {
                let found = self.locate(child, None)?;
                Some(Self::record_stats(&found.record))
            });
        };
        let children = ChildHashes::new(position, hash);
        let played = |child: &Position, hash| {
            let hashes = Self::key_hashes(child, hash)?;
            Some((hashes.key, hashes.alternative))
        };
        let hashes = children.children(entries, |key| (key, None), played);
        let slots = map_batch(entries.len(), &hashes, |(key, alternative)| {
            index.find(key).or_else(|| index.find(alternative?))
        });
        map_batch(entries.len(), &slots, |slot| self.slot_stats(slot))
    }
}
