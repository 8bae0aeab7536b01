//! Builds entity files: every name once, with its uses and its tree node.

use std::collections::HashMap;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::Sink;
use zerocopy::{Immutable, IntoBytes};

use super::entity_tree::{Node, Tree};
use crate::games::cbh::entities::{Entity, EntityTable};
use crate::games::cbh::entity_order::Ordered;
use crate::games::cbh::records::{ENTITY_MAGIC, NODE_DELETED};
use crate::games::common::interner::Seed;

/// The names of one file. Ids are assigned in order of first use; the ids of deleted names are reused
/// first.
#[derive(Debug)]
pub(super) struct Names<E> {
    records: Vec<E>,
    ids: HashMap<Box<[u8]>, u32, Seed>,
    /// The last requested name, if it has no details: often the next one is the same.
    last: Option<u32>,
    uses: Vec<Uses>,
    /// Ids of deleted names; the last one is reused first.
    deleted: Vec<u32>,
}

/// The uses of a name.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    count: i32,
    /// The number of the first game that uses it, from 1; 0 if unused.
    first: u32,
}

/// Bytes at the end of every record: its uses.
const USES: usize = 8;
/// References are three bytes in game records.
const MAX_NAMES: u64 = 0xff_ffff;

impl<E: Ordered + Copy + IntoBytes + Immutable> Names<E> {
    /// No names.
    pub(super) fn new() -> Self {
        Self {
            records: Vec::new(),
            ids: HashMap::with_hasher(Seed::new()),
            last: None,
            uses: Vec::new(),
            deleted: Vec::new(),
        }
    }

    /// The names of a file, with their ids. Of equal names the first one is used.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if records are longer than the known ones, because the content of
    /// the unknown bytes of new records is not known.
    pub(super) fn of<'d>(table: &EntityTable<E>, details: impl Fn(u32) -> &'d [u8]) -> Result<Self>
    where
        E: Entity,
    {
        if table.header().data_size.get() as usize != size_of::<E>() {
            let size = table.header().data_size.get();
            let text = format!(
                "records of {size} bytes in .{} are of an unknown version",
                E::EXTENSION
            );
            return Err(Error::unsupported(text));
        }
        let mut names = Self::new();
        let node = |id: u32| {
            table
                .node(id)
                .filter(|node| node.left.get() == NODE_DELETED)
        };
        for id in 0..table.capacity() {
            let Some(record) = table.get(id) else { break };
            let (count, first) = record.uses();
            names.records.push(*record);
            names.uses.push(Uses {
                count,
                first: u32::try_from(first).unwrap_or(0),
            });
            if node(id).is_none() {
                let key = [data(record), details(id)].concat();
                names.ids.entry(key.into()).or_insert(id);
            }
        }
        // The chain in its order, then deleted records outside it.
        let mut is_chained = vec![false; names.records.len()];
        let mut next = u32::try_from(table.header().first_deleted.get()).ok();
        while let Some(id) = next {
            let (Some(node), Some(seen)) = (node(id), is_chained.get_mut(id as usize)) else {
                break;
            };
            if std::mem::replace(seen, true) {
                break;
            }
            names.deleted.push(id);
            next = u32::try_from(node.right.get()).ok();
        }
        let unchained = (0..table.capacity()).zip(&is_chained);
        let unchained = unchained.filter(|(id, seen)| !**seen && node(*id).is_some());
        names.deleted.extend(unchained.map(|(id, _)| id));
        names.deleted.reverse();
        Ok(names)
    }

    /// Resets the uses of all names that are not deleted.
    pub(super) fn reset_uses(&mut self) {
        let deleted: std::collections::HashSet<u32> = self.deleted.iter().copied().collect();
        for (id, uses) in (0..).zip(&mut self.uses) {
            if !deleted.contains(&id) {
                *uses = Uses::default();
            }
        }
    }

    /// The id of a record, whose stored uses are ignored, and whether it is new. Records with
    /// different `details` are different even if they are equal themselves.
    ///
    /// # Errors
    /// If ids would no longer fit the records of games.
    pub(super) fn id(&mut self, record: &E, details: &[u8]) -> Result<(u32, bool)> {
        if details.is_empty()
            && let Some(id) = self.last
            && let Some(last) = self.records.get(id as usize)
            && data(last) == data(record)
        {
            return Ok((id, false));
        }
        let (id, is_new) = self.look_up(record, details)?;
        self.last = details.is_empty().then_some(id);
        Ok((id, is_new))
    }

    fn look_up(&mut self, record: &E, details: &[u8]) -> Result<(u32, bool)> {
        let data = data(record);
        let joined;
        let key = if details.is_empty() {
            data
        } else {
            joined = [data, details].concat();
            &joined
        };
        if let Some(&id) = self.ids.get(key) {
            return Ok((id, false));
        }
        if let Some(id) = self.deleted.pop() {
            if let (Some(stored), Some(uses)) = (
                self.records.get_mut(id as usize),
                self.uses.get_mut(id as usize),
            ) {
                *stored = *record;
                *uses = Uses::default();
            }
            self.ids.insert(key.into(), id);
            return Ok((id, true));
        }
        let id = self.records.len() as u32;
        if u64::from(id) > MAX_NAMES {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of names of one kind",
                limit: MAX_NAMES,
                size: u64::from(id) + 1,
            }));
        }
        self.ids.insert(key.into(), id);
        self.records.push(*record);
        self.uses.push(Uses::default());
        Ok((id, true))
    }

    /// Counts a use in the game with a number (from 1).
    pub(super) fn count(&mut self, id: u32, game: u32) {
        if let Some(uses) = self.uses.get_mut(id as usize) {
            uses.count = uses.count.saturating_add(1);
            if uses.first == 0 {
                uses.first = game;
            }
        }
    }

    /// The bytes of the complete file.
    pub(super) fn file(&self) -> Vec<u8> {
        let mut nodes = vec![DELETED; self.records.len()];
        for (i, &id) in self.deleted.iter().enumerate() {
            let next = i.checked_sub(1).and_then(|i| self.deleted.get(i));
            if let Some(node) = nodes.get_mut(id as usize) {
                node.right = next.map_or(-1, |&next| next as i32);
                // Marked by a balance that no tree node has.
                node.balance = i8::MIN;
            }
        }
        let is_live = |(_, node): &(u32, &Node)| node.balance != i8::MIN;
        let live: Vec<u32> = (0..)
            .zip(&nodes)
            .filter(is_live)
            .map(|(id, _)| id)
            .collect();
        // The tree numbers only live records; these indexes are mapped to ids.
        let record = |index: u32| {
            let id = live.get(index as usize)?;
            self.records.get(*id as usize)
        };
        let tree = Tree::build(live.len() as u32, |a, b| match (record(a), record(b)) {
            (Some(a), Some(b)) => a.order(b, E::BYTES).is_lt(),
            _ => false,
        });
        let id = |index: i32| {
            let id = usize::try_from(index)
                .ok()
                .and_then(|index| live.get(index));
            id.map_or(index, |&id| id as i32)
        };
        for (node, &record_id) in tree.nodes().iter().zip(&live) {
            if let Some(stored) = nodes.get_mut(record_id as usize) {
                *stored = Node {
                    left: id(node.left),
                    right: id(node.right),
                    balance: node.balance,
                };
            }
        }
        let mut sink = Sink::new();
        sink.u32_le(self.records.len() as u32);
        sink.i32_le(id(tree.root()));
        sink.u32_le(ENTITY_MAGIC);
        sink.u32_le(size_of::<E>() as u32);
        sink.i32_le(self.deleted.last().map_or(-1, |&id| id as i32));
        sink.u32_le(live.len() as u32);
        sink.u32_le(4);
        sink.zeros(4);
        for ((record, node), uses) in self.records.iter().zip(&nodes).zip(&self.uses) {
            sink.i32_le(node.left);
            sink.i32_le(node.right);
            sink.i8(if node.left == NODE_DELETED {
                0
            } else {
                node.balance
            });
            sink.bytes(data(record));
            sink.i32_le(uses.count);
            sink.u32_le(uses.first);
        }
        sink.into_vec()
    }
}

/// The node of a deleted record.
const DELETED: Node = Node {
    left: NODE_DELETED,
    right: -1,
    balance: 0,
};

/// The bytes of a record without its uses.
fn data<E: IntoBytes + Immutable>(record: &E) -> &[u8] {
    let bytes = record.as_bytes();
    bytes
        .get(..bytes.len().saturating_sub(USES))
        .unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::cbh::records::{
        AnnotatorRecord, PlayerRecord, SourceRecord, TeamRecord, TournamentRecord,
    };
    use tabia_core::io::Blob;
    use tabia_testkit::shared_data;
    use zerocopy::FromZeros;

    #[test]
    fn names_are_stored_once_and_counted() {
        let mut names = Names::new();
        let mut record = AnnotatorRecord::new_zeroed();
        record.name[..3].copy_from_slice(b"Bob");
        assert_eq!(names.id(&record, &[]).unwrap(), (0, true));
        record.name[..3].copy_from_slice(b"Ann");
        assert_eq!(names.id(&record, &[]).unwrap(), (1, true));
        assert_eq!(names.id(&record, b"x").unwrap(), (2, true));
        assert_eq!(names.id(&record, &[]).unwrap(), (1, false));
        names.count(1, 4);
        names.count(1, 9);
        let bytes = names.file();
        assert_eq!(bytes.len(), 32 + 3 * (9 + 53));
        let table = EntityTable::<AnnotatorRecord>::new(Blob::from(bytes)).unwrap();
        assert_eq!(table.capacity(), 3);
        let ann = table.get(1).unwrap();
        assert_eq!((ann.references.get(), ann.first_game.get()), (2, 4));
        assert_eq!(table.header().count.get(), 3);
    }

    #[test]
    fn empty_files_are_a_header() {
        let expected = [
            0, 0, 0, 0, 0, 0, 0, 0, 0xd2, 2, 0x96, 0x49, 0x3a, 0, 0, 0, 255, 255, 255, 255, 0, 0,
            0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(Names::<PlayerRecord>::new().file(), expected);
    }

    /// Writes the records of a real file without deleted records again: every tree node is the same.
    fn assert_same_tree<E: Entity + Ordered + Copy + IntoBytes + Immutable>(path: &str) {
        let test = "real_trees_round_trip";
        let Some(path) = shared_data(test, &format!("cbh/{path}.{}", E::EXTENSION)) else {
            return;
        };
        let bytes = std::fs::read(&path).unwrap();
        let table = EntityTable::<E>::new(Blob::from(bytes.clone())).unwrap();
        let mut names = Names::<E>::new();
        for (id, record) in table.iter() {
            let again = names.id(record, id.to_string().as_bytes()).unwrap();
            assert_eq!(again, (id, true));
        }
        let written = names.file();
        assert_eq!(written[..28], bytes[..28], "{}", path.display());
        let nodes = |bytes: &[u8]| -> Vec<[u8; 9]> {
            let records = bytes[32..].chunks_exact(9 + size_of::<E>());
            records
                .map(|record| record[..9].try_into().unwrap())
                .collect()
        };
        assert!(nodes(&written) == nodes(&bytes), "{}", path.display());
    }

    #[test]
    fn real_trees_round_trip() {
        for path in [
            "uncbv-twic1134/twic1134",
            "morphy-hedgehog/Hedgehog",
            "morphy-world-ch/World-ch",
        ] {
            assert_same_tree::<PlayerRecord>(path);
            assert_same_tree::<TournamentRecord>(path);
            assert_same_tree::<AnnotatorRecord>(path);
            assert_same_tree::<TeamRecord>(path);
        }
        assert_same_tree::<SourceRecord>("morphy-world-ch/World-ch");
    }
}
