//! Entity files under construction: every name once, counted, sorted.

use std::collections::HashMap;

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::Sink;
use zerocopy::{Immutable, IntoBytes};

use super::tree::Tree;
use crate::cbh::order::Ordered;
use crate::cbh::records::ENTITY_MAGIC;

/// The names of one file. Ids are given in order of first use.
#[derive(Debug)]
pub(super) struct Names<E> {
    records: Vec<E>,
    ids: HashMap<Box<[u8]>, u32>,
    uses: Vec<Uses>,
}

/// How often a name is used, and where first (from 1, 0 for nowhere).
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    count: i32,
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
            ids: HashMap::new(),
            uses: Vec::new(),
        }
    }

    /// The id of a record, whose counts are left aside, and whether it is new. Records with
    /// different `details` are different whatever they say themselves.
    pub(super) fn id(&mut self, record: &E, details: &[u8]) -> Result<(u32, bool)> {
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
        let id = self.records.len() as u32;
        if u64::from(id) > MAX_NAMES {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of names of one kind",
                limit: MAX_NAMES,
                asked: u64::from(id) + 1,
            }));
        }
        self.ids.insert(key.into(), id);
        self.records.push(*record);
        self.uses.push(Uses::default());
        Ok((id, true))
    }

    /// Counts a use in a game, whose number is from 1.
    pub(super) fn count(&mut self, id: u32, game: u32) {
        if let Some(uses) = self.uses.get_mut(id as usize) {
            uses.count = uses.count.saturating_add(1);
            if uses.first == 0 {
                uses.first = game;
            }
        }
    }

    /// The whole file.
    pub(super) fn file(&self) -> Vec<u8> {
        let count = self.records.len() as u32;
        let record = |id: u32| self.records.get(id as usize);
        let tree = Tree::build(count, |a, b| match (record(a), record(b)) {
            (Some(a), Some(b)) => a.order(b, E::BYTES).is_lt(),
            _ => false,
        });
        let mut sink = Sink::new();
        sink.u32_le(count);
        sink.i32_le(tree.root());
        sink.u32_le(ENTITY_MAGIC);
        sink.u32_le(size_of::<E>() as u32);
        sink.i32_le(-1);
        sink.u32_le(count);
        sink.u32_le(4);
        sink.zeros(4);
        for ((record, node), uses) in self.records.iter().zip(tree.nodes()).zip(&self.uses) {
            sink.i32_le(node.left);
            sink.i32_le(node.right);
            sink.i8(node.balance);
            sink.bytes(data(record));
            sink.i32_le(uses.count);
            sink.u32_le(uses.first);
        }
        sink.into_vec()
    }
}

fn data<E: IntoBytes + Immutable>(record: &E) -> &[u8] {
    let bytes = record.as_bytes();
    bytes
        .get(..bytes.len().saturating_sub(USES))
        .unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbh::entities::{Entity, EntityTable};
    use crate::cbh::records::{
        AnnotatorRecord, PlayerRecord, SourceRecord, TeamRecord, TournamentRecord,
    };
    use tabia_core::io::Blob;
    use tabia_testkit::shared_data;
    use zerocopy::FromZeros;

    #[test]
    fn names_are_given_once_and_counted() {
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
    fn an_empty_file_is_a_header() {
        let expected = [
            0, 0, 0, 0, 0, 0, 0, 0, 0xd2, 2, 0x96, 0x49, 0x3a, 0, 0, 0, 255, 255, 255, 255, 0, 0,
            0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(Names::<PlayerRecord>::new().file(), expected);
    }

    /// Writes the records of a real file without deleted ones again: every place in the tree is the
    /// same.
    fn rewrites<E: Entity + Ordered + Copy + IntoBytes + Immutable>(path: &str) {
        let test = "real_trees_come_out_the_same";
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
    fn real_trees_come_out_the_same() {
        for path in [
            "uncbv-twic1134/twic1134",
            "morphy-hedgehog/Hedgehog",
            "morphy-world-ch/World-ch",
        ] {
            rewrites::<PlayerRecord>(path);
            rewrites::<TournamentRecord>(path);
            rewrites::<AnnotatorRecord>(path);
            rewrites::<TeamRecord>(path);
        }
        rewrites::<SourceRecord>("morphy-world-ch/World-ch");
    }
}
