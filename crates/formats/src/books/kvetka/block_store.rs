//! The elements of a book, and how one of them is found.

use tabia_core::chess::{Move, Position};
use tabia_core::io::Blob;

use super::key::Key;
use super::move_code::decode_move;
use super::packed_counts;
use super::parts::{KeyRange, Parts};
use super::read_element::{BLOCK, Counts, Element, ListForm, key_of};
use super::text_byte_order::TextOrder;
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::MirrorHash;
use crate::books::mirrored::record_index::{LazyIndex, RecordIndex, Slot};
use crate::books::mirrored::record_lookup::{KeyHashes, Located, MirroredStore};

/// The blocks of a book, mapped into memory, and how their elements are read.
#[derive(Debug)]
pub(super) struct BlockStore {
    pub(super) parts: Parts,
    /// The index file, if it has a field for each block.
    pub(super) kin: Option<Blob>,
    /// Whether elements contain links to games.
    pub(super) has_links: bool,
    pub(super) text_order: TextOrder,
    pub(super) list_form: ListForm,
    lazy_index: LazyIndex,
}

impl BlockStore {
    pub(super) fn new(
        parts: Parts,
        kin: Option<Blob>,
        has_links: bool,
        text_order: TextOrder,
        list_form: ListForm,
    ) -> Self {
        let lazy_index = LazyIndex::new(parts.len(), BLOCK);
        Self {
            parts,
            kin,
            has_links,
            text_order,
            list_form,
            lazy_index,
        }
    }

    /// Finds the element of a key, without the index in memory: its block, its offset in the block,
    /// and its bytes.
    pub(super) fn find_key(&self, key: &Key) -> Option<(u32, usize, &[u8])> {
        let block = self.block_of(key, &mut KeyRange::ALL.clone())?;
        let (at, body) = self.find_in_block(block, key)?;
        Some((block, at, body))
    }

    /// The block in which a key is searched. `range` shrinks to keys that are searched there too.
    fn block_of(&self, key: &Key, range: &mut KeyRange) -> Option<u32> {
        let by_index = self.block_by_index_file(key, range);
        by_index.or_else(|| self.parts.search(key, range))
    }

    /// The first element of a block with a key, and its offset.
    fn find_in_block(&self, block: u32, key: &Key) -> Option<(usize, &[u8])> {
        let mut elements = self.parts.elements(block);
        loop {
            let at = elements.at();
            let body = elements.next()?;
            if body.first_chunk() == Some(&key.0) {
                return Some((at, body));
            }
        }
    }

    /// The block that the index file names; `None` if the blocks contradict it.
    fn block_by_index_file(&self, key: &Key, range: &mut KeyRange) -> Option<u32> {
        let kin = self.kin.as_ref()?;
        let field = |number: usize| {
            let bytes = kin.get(number * Key::SIZE..)?.first_chunk()?;
            Some(Key(*bytes))
        };
        let (mut low, mut high) = (0, self.parts.len() as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            if range.reaches(key, field(middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let block = low.checked_sub(1)?;
        let number = u32::try_from(block).ok()?;
        let first = self.parts.first_key(number)?;
        if !range.reaches(key, first) || Some(first) != field(block) {
            return None;
        }
        let is_last = number + 1 == self.parts.len();
        let next = self.parts.first_key(number + 1);
        (is_last || next.is_some_and(|next| !range.reaches(key, next))).then_some(number)
    }

    /// Calls `visit` with the elements of a block that [`find_key`](Self::find_key) finds there:
    /// offset, key and bytes.
    fn for_each_found(&self, block: u32, visit: &mut dyn FnMut(usize, &Key, &[u8])) {
        let mut elements = self.parts.elements(block);
        // One search for the block serves all its keys, unless something is out of order.
        let mut found_here: Option<KeyRange> = None;
        let mut greatest: Option<Key> = None;
        loop {
            let at = elements.at();
            let Some(body) = elements.next() else { return };
            let Some(key) = key_of(body) else { continue };
            if found_here.is_none_or(|range| !range.contains(&key)) {
                let mut range = KeyRange::ALL;
                if self.block_of(&key, &mut range) != Some(block) {
                    continue;
                }
                found_here = Some(range);
            }
            if greatest.is_none_or(|greatest| greatest < key) {
                greatest = Some(key);
                visit(at, &key, body);
            } else if self
                .find_in_block(block, &key)
                .is_some_and(|(first, _)| first == at)
            {
                visit(at, &key, body);
            }
        }
    }

    /// The bytes of the element at an offset.
    fn body_at(&self, offset: u64) -> Option<&[u8]> {
        let (block, at) = ((offset / BLOCK as u64) as u32, offset as usize % BLOCK);
        self.parts.element(block, at)
    }
}

/// The offset of an element that begins at byte `at` of a block.
pub(super) const fn offset(block: u32, at: usize) -> u64 {
    block as u64 * BLOCK as u64 + at as u64
}

impl<'b> MirroredStore<'b> for &'b BlockStore {
    type Record = Element<'b>;
    type Code = u8;
    type Stats = Counts;
    const GRANULE: u64 = 16;

    fn end_offset(self) -> u64 {
        offset(self.parts.len(), 0)
    }

    fn lazy_index(self) -> &'b LazyIndex {
        &self.lazy_index
    }

    fn build_index(self) -> Option<RecordIndex> {
        let blocks = 0..self.parts.len();
        let counts = blocks.map(|block| self.parts.elements(block).count());
        let mut index = RecordIndex::with_capacity(counts.sum())?;
        let mut found = Vec::new();
        for block in 0..self.parts.len() {
            found.clear();
            self.for_each_found(block, &mut |at, key, body| {
                if let Some(mirror_hash) = key.mirror_hash() {
                    let element = Element::read(body, self.has_links);
                    let payload = packed_counts::payload(element.as_ref());
                    found.push((mirror_hash, Slot::new(offset(block, at), payload)));
                }
            });
            // In a loop of their own, so that the memory accesses overlap.
            for &(mirror_hash, slot) in &found {
                index.insert(mirror_hash, slot);
            }
        }
        Some(index)
    }

    fn record_at(self, offset: u64) -> Option<Element<'b>> {
        Element::read(self.body_at(offset)?, self.has_links)
    }

    fn search(self, position: &Position) -> Option<Located<Element<'b>>> {
        let (key, orientation) = Key::of(position)?;
        let indexed = self.index_if_built().zip(key.mirror_hash());
        let (offset, body) = if let Some((index, hash)) = indexed {
            let offset = index.find(hash)?.offset();
            let body = self.body_at(offset)?;
            (body.first_chunk() == Some(&key.0)).then_some((offset, body))?
        } else {
            let (block, at, body) = self.find_key(&key)?;
            (offset(block, at), body)
        };
        Some(Located {
            orientation,
            offset,
            record: Element::read(body, self.has_links)?,
        })
    }

    fn key_hashes(position: &Position, hash: MirrorHash) -> Option<KeyHashes> {
        let (key, orientation) = Key::mirror_hash_of(position, hash)?;
        Some(KeyHashes {
            orientation,
            key,
            alternative: None,
        })
    }

    fn records(self) -> impl Iterator<Item = (u64, Element<'b>)> {
        (0..self.parts.len()).flat_map(move |block| {
            let mut elements = self.parts.elements(block);
            std::iter::from_fn(move || {
                loop {
                    let offset = offset(block, elements.at());
                    let body = elements.next()?;
                    if let Some(element) = Element::read(body, self.has_links) {
                        return Some((offset, element));
                    }
                }
            })
        })
    }

    fn slot_stats(self, slot: Slot) -> Option<Counts> {
        let counts = packed_counts::unpack(slot.payload());
        counts.or_else(|| Some(self.record_at(slot.offset())?.counts))
    }

    fn record_stats(element: &Element<'b>) -> Counts {
        element.counts
    }

    fn move_codes(element: &Element<'b>) -> &'b [u8] {
        element.moves
    }

    fn decode_move(position: &Position, orientation: Orientation, code: u8) -> Option<Move> {
        decode_move(position, orientation, code)
    }

    fn position(element: &Element<'b>, orientation: Orientation) -> Option<Position> {
        element.key.position(orientation)
    }

    /// Keys always contain the file of a pawn that has just moved two squares.
    fn apply_en_passant(_: &mut Position, _: Orientation, _: &Element<'b>) -> bool {
        true
    }
}

#[cfg(test)]
impl BlockStore {
    /// Makes the book look too large for an index.
    pub(super) fn disable_index(&mut self) {
        self.lazy_index = LazyIndex::new(u32::MAX, BLOCK);
    }
}
