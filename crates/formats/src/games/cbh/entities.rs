//! Entity files: players, tournaments, annotators, sources, teams, game tags.
//!
//! Ids run to the end of the file; the counts and the tree stored in it are neither needed nor
//! trusted.

use tabia_core::error::{Malformed, Why};
use tabia_core::games::is_lost_name;
use tabia_core::io::Blob;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::games::common::realign_entries::realign;

use super::records::{
    AnnotatorRecord, ENTITY_MAGIC, EntityHeader, EntityNode, GameTagRecord, NODE_DELETED,
    PlayerRecord, SourceRecord, TeamRecord, TournamentRecord, U24,
};

/// The id that rebuilt records store for an unknown name.
pub(super) const UNKNOWN_ID: U24 = U24::new(0xff_ffff);

/// A record of an entity file.
pub trait Entity: FromBytes + KnownLayout + Immutable + Unaligned {
    /// Extension of its file.
    const EXTENSION: &'static str;

    /// The stored number of references to it, and the stored number (from 1, 0 if absent) of the
    /// first record that refers to it.
    fn uses(&self) -> (i32, i32);

    /// The bytes of its name, or of the first one that it has.
    fn name(&self) -> &[u8];
}

macro_rules! entities {
    ($($record:ident: $extension:literal, $name:ident $([$index:literal])?;)*) => {
        $(impl Entity for $record {
            const EXTENSION: &'static str = $extension;

            fn name(&self) -> &[u8] {
                &self.$name$([$index])?
            }

            fn uses(&self) -> (i32, i32) {
                (self.references.get(), self.first_game.get())
            }
        })*
    };
}

entities! {
    PlayerRecord: "cbp", last_name;
    TournamentRecord: "cbt", title;
    AnnotatorRecord: "cbc", name;
    SourceRecord: "cbs", title;
    TeamRecord: "cbe", title;
    GameTagRecord: "cbl", titles[0];
}

/// One entity file.
#[derive(Debug, Clone)]
pub struct EntityTable<E> {
    blob: Blob,
    header: EntityHeader,
    /// Offset of record 0.
    start: usize,
    /// Bytes from one record to the next.
    stride: usize,
    capacity: u32,
    /// Ids of the records into which bytes were inserted, or that lost some, in ascending order.
    changed: Vec<u32>,
    record: std::marker::PhantomData<fn() -> E>,
}

impl<E: Entity> EntityTable<E> {
    /// The table in the bytes of a file. Records may be longer than the known ones; a last record
    /// that is cut off is not counted.
    ///
    /// # Errors
    /// If the header is cut off, has another magic number or impossible sizes.
    pub fn new(blob: Blob) -> Result<Self, Malformed> {
        let malformed = |field, at, why| Malformed { field, at, why };
        let Some(header) = EntityHeader::read(blob.prefix(EntityHeader::SIZE)).copied() else {
            let why = Why::Truncated {
                needed: EntityHeader::SIZE,
                left: blob.len(),
            };
            return Err(malformed("entity_header", 0, why));
        };
        if header.magic.get() != ENTITY_MAGIC {
            let value = u64::from(header.magic.get());
            return Err(malformed("magic", 8, Why::Value(value)));
        }
        let data_size = header.data_size.get() as usize;
        if data_size < size_of::<E>() || data_size > 1 << 24 {
            return Err(malformed("data_size", 12, Why::Value(data_size as u64)));
        }
        let extra = header.extra.get() as usize;
        let start = EntityHeader::SIZE.saturating_add(extra);
        if extra > 1 << 16 {
            return Err(malformed("extra", 24, Why::Value(extra as u64)));
        }
        let stride = EntityNode::SIZE + data_size;
        let records = blob.len().saturating_sub(start) / stride;
        // Ids are signed 32-bit numbers.
        let capacity = records.min(i32::MAX as usize) as u32;
        Ok(Self {
            blob,
            header,
            start,
            stride,
            capacity,
            changed: Vec::new(),
            record: std::marker::PhantomData,
        })
    }

    /// The table in the bytes of a file with a corrupt header: records are taken to have the known
    /// size, after a header of the size that leaves the fewest bytes over. `None` if not one
    /// record is complete.
    pub(super) fn salvage(blob: Blob) -> Option<Self> {
        let stride = EntityNode::SIZE + size_of::<E>();
        let rest = |start: &usize| blob.len().saturating_sub(*start) % stride;
        let start = [EntityHeader::SIZE + 4, EntityHeader::SIZE]
            .into_iter()
            .min_by_key(rest)?;
        let capacity = u32::try_from(blob.len().checked_sub(start)? / stride).ok()?;
        let mut header = EntityHeader::new_zeroed();
        header.root.set(-1);
        header.first_deleted.set(-1);
        header.data_size.set(size_of::<E>() as u32);
        (capacity > 0).then(|| Self {
            blob,
            header,
            start,
            stride,
            capacity,
            changed: Vec::new(),
            record: std::marker::PhantomData,
        })
    }

    /// The table with ids up to `end` (exclusive); missing records are made by `make`.
    pub(super) fn extended(table: Option<&Self>, end: u32, make: impl Fn(u32) -> E) -> Self
    where
        E: IntoBytes,
    {
        let mut header = EntityHeader::new_zeroed();
        header.root.set(-1);
        header.first_deleted.set(-1);
        header.data_size.set(size_of::<E>() as u32);
        let header = table.map_or(header, |table| table.header);
        let stride = table.map_or(EntityNode::SIZE + size_of::<E>(), |table| table.stride);
        let start = table.map_or(0, |table| table.start);
        let existing = table.map_or(0, |table| table.capacity);
        let length = start + stride * existing as usize;
        let old = table.and_then(|table| table.blob.get(..length));
        let mut bytes = old.unwrap_or_default().to_vec();
        let mut node = EntityNode::new_zeroed();
        node.left.set(-1);
        node.right.set(-1);
        for id in existing..end {
            let next = bytes.len() + stride;
            bytes.extend_from_slice(node.as_bytes());
            bytes.extend_from_slice(make(id).as_bytes());
            bytes.resize(next, 0);
        }
        Self {
            blob: Blob::from(bytes),
            header,
            start,
            stride,
            capacity: end,
            changed: table.map_or_else(Vec::new, |table| table.changed.clone()),
            record: std::marker::PhantomData,
        }
    }

    /// Whether the record of an entity was overwritten with zeros: the first entity is both of its children,
    /// which no tree has, and it has no name or a placeholder.
    pub(super) fn is_blank(&self, id: u32) -> bool {
        let is_in_no_tree = |node: &EntityNode| node.left.get() == 0 && node.right.get() == 0;
        let has_no_name = |entity: &E| {
            let name = entity.name();
            name.first() == Some(&0) || is_lost_name(name)
        };
        self.node(id).is_some_and(is_in_no_tree) && self.get(id).is_some_and(has_no_name)
    }

    /// The table with other entities in its blank records, which stay in no tree; `None` if it has none.
    pub(super) fn with_blanks_filled(&self, make: impl Fn(u32) -> E) -> Option<Self>
    where
        E: IntoBytes,
    {
        let mut bytes = None;
        for id in (0..self.capacity).filter(|id| self.is_blank(*id)) {
            let bytes = bytes.get_or_insert_with(|| self.blob.to_vec());
            let at = self.start + self.stride * id as usize + EntityNode::SIZE;
            let entity = make(id);
            let fields = bytes.get_mut(at..).unwrap_or_default().iter_mut();
            for (byte, new) in fields.zip(entity.as_bytes()) {
                *byte = *new;
            }
        }
        Some(Self {
            blob: Blob::from(bytes?),
            header: self.header,
            start: self.start,
            stride: self.stride,
            capacity: self.capacity,
            changed: self.changed.clone(),
            record: std::marker::PhantomData,
        })
    }

    /// The table of a file in which bytes were inserted or lost, with its records where they are; `None` for another file.
    pub(super) fn realigned(&self) -> Option<Self> {
        let (head, records) = self.blob.split_at(self.start.min(self.blob.len()));
        let realigned = realign(records, self.stride, |record| self.is_sound(record))?;
        let bytes = Blob::from([head, &realigned.bytes].concat());
        let capacity = realigned.bytes.len() / self.stride;
        Some(Self {
            capacity: u32::try_from(capacity).ok()?,
            changed: realigned.changed,
            blob: bytes,
            header: self.header,
            start: self.start,
            stride: self.stride,
            record: std::marker::PhantomData,
        })
    }

    /// Whether bytes were inserted or lost before the end of the file: a part of a record is left over there, and the file
    /// was not cut.
    pub(super) fn is_shifted(&self) -> bool {
        let stated = u32::try_from(self.header.capacity.get()).unwrap_or(0);
        let last = self.capacity.checked_sub(1).and_then(|id| self.bytes(id));
        self.rest() > 0
            && (self.capacity >= stated || !last.is_some_and(|record| self.is_sound(record)))
    }

    /// Whether most records are such as programs write.
    pub(super) fn is_mostly_sound(&self) -> bool {
        let sound = (0..self.capacity).filter(|&id| {
            let record = self.bytes(id);
            record.is_some_and(|record| self.is_sound(record))
        });
        2 * sound.count() > self.capacity as usize
    }

    /// Whether a record is in the tree or deleted, and has a name and possible uses.
    fn is_sound(&self, record: &[u8]) -> bool {
        let end = i32::try_from(self.capacity).unwrap_or(i32::MAX);
        let is_child = |id: i32| (-1..=end).contains(&id);
        let node = EntityNode::read(record);
        let entity = record.get(EntityNode::SIZE..);
        let entity = entity.and_then(|data| E::ref_from_prefix(data).ok());
        // No node has one entity as both of its children, as zeros would.
        let is_in_tree = |node: &EntityNode| {
            let (left, right) = (node.left.get(), node.right.get());
            is_child(left) && (left != right || left == -1) || left == NODE_DELETED
        };
        let is_possible = |(entity, _): (&E, &[u8])| {
            let name = entity.name();
            let length = memchr::memchr(0, name).unwrap_or(name.len());
            let (references, first) = entity.uses();
            let is_number = |number: i32| (0..1 << 24).contains(&number);
            length > 0
                && name.iter().take(length).all(|&byte| byte >= b' ')
                && is_number(references)
                && is_number(first)
        };
        node.is_some_and(|node| {
            is_in_tree(node) && is_child(node.right.get()) && (-2..=2).contains(&node.balance)
        }) && entity.is_some_and(is_possible)
    }

    /// Whether bytes were inserted into the file or lost from it.
    pub(super) fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Whether bytes were inserted into the record of an entity, or lost from it.
    pub(super) fn is_changed(&self, id: u32) -> bool {
        self.changed.binary_search(&id).is_ok()
    }

    /// The file's header.
    pub fn header(&self) -> &EntityHeader {
        &self.header
    }

    /// Records in the file, including deleted ones.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Bytes after the last complete record.
    pub fn rest(&self) -> usize {
        self.blob.len().saturating_sub(self.start) % self.stride
    }

    /// Number of entities that are not deleted, by following the chain of deleted ones.
    pub fn live(&self) -> u32 {
        let mut deleted = 0;
        let mut next = self.header.first_deleted.get();
        while let Some(node) = u32::try_from(next).ok().and_then(|id| self.node(id)) {
            if node.left.get() != NODE_DELETED || deleted >= self.capacity {
                break;
            }
            deleted += 1;
            next = node.right.get();
        }
        self.capacity - deleted
    }

    /// The tree node of an entity; `None` if there is no record with this id.
    pub fn node(&self, id: u32) -> Option<&EntityNode> {
        EntityNode::read(self.bytes(id)?)
    }

    /// An entity, deleted or not; `None` if there is no record with this id.
    pub fn get(&self, id: u32) -> Option<&E> {
        let data = self.bytes(id)?.get(EntityNode::SIZE..)?;
        E::ref_from_prefix(data).ok().map(|(record, _)| record)
    }

    /// The entities that are not deleted, with their ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &E)> {
        (0..self.capacity).filter_map(|id| {
            let deleted = self.node(id)?.left.get() == NODE_DELETED;
            if deleted {
                None
            } else {
                Some((id, self.get(id)?))
            }
        })
    }

    fn bytes(&self, id: u32) -> Option<&[u8]> {
        if id >= self.capacity {
            return None;
        }
        let at = self
            .start
            .checked_add(self.stride.checked_mul(id as usize)?)?;
        self.blob.get(at..at.checked_add(self.stride)?)
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::io::Sink;

    use super::*;

    /// A `.cbc` with the given names; those called `-` are deleted, chained from the last to the
    /// first.
    fn annotators(names: &[&str], extra: usize, longer: usize) -> Vec<u8> {
        let deleted: Vec<usize> = (0..names.len()).filter(|&i| names[i] == "-").collect();
        let mut sink = Sink::new();
        sink.u32_le(7); // capacity and count are wrong on purpose
        sink.i32_le(0);
        sink.u32_le(ENTITY_MAGIC);
        sink.u32_le(53 + longer as u32);
        sink.i32_le(deleted.last().map_or(-1, |&id| id as i32));
        sink.u32_le(99);
        sink.u32_le(extra as u32);
        sink.zeros(extra);
        for (i, name) in names.iter().enumerate() {
            let next = deleted.iter().rev().find(|&&id| id < i);
            if *name == "-" {
                sink.i32_le(NODE_DELETED);
                sink.i32_le(next.map_or(-1, |&id| id as i32));
            } else {
                sink.i32_le(-1);
                sink.i32_le(-1);
            }
            sink.u8(0);
            sink.fixed(name.as_bytes(), 45);
            sink.zeros(8 + longer);
        }
        sink.into_vec()
    }

    #[test]
    fn records_are_found_after_headers_of_both_sizes() {
        for (extra, longer) in [(0, 0), (4, 0), (4, 3)] {
            let bytes = annotators(&["Ann", "-", "Bob", "-"], extra, longer);
            let table = EntityTable::<AnnotatorRecord>::new(Blob::from(bytes)).unwrap();
            assert_eq!((table.capacity(), table.live()), (4, 2));
            let names: Vec<_> = table.iter().map(|(id, a)| (id, a.name[0])).collect();
            assert_eq!(names, [(0, b'A'), (2, b'B')]);
            assert!(table.get(1).is_some(), "deleted records are readable");
            assert!(table.get(4).is_none());
        }
    }

    #[test]
    fn damaged_tables_fail_or_lose_records() {
        let bytes = annotators(&["Ann", "Bob"], 4, 0);
        for length in 0..bytes.len() {
            let cut = Blob::from(bytes[..length].to_vec());
            if let Ok(table) = EntityTable::<AnnotatorRecord>::new(cut) {
                assert!(table.capacity() < 2);
                assert!(table.get(1).is_none());
            }
        }
        let mut circle = annotators(&["-", "-"], 4, 0);
        // The next deleted record of record 0 is record 0 itself.
        circle[32 + 4..32 + 8].fill(0);
        let table = EntityTable::<AnnotatorRecord>::new(Blob::from(circle)).unwrap();
        assert_eq!(table.live(), 0);
        let mut magic = bytes.clone();
        magic[8] = 0;
        assert!(EntityTable::<AnnotatorRecord>::new(Blob::from(magic)).is_err());
        assert!(EntityTable::<PlayerRecord>::new(Blob::from(bytes)).is_err());
    }
}
