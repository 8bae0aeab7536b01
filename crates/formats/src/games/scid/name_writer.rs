//! Numbers names and writes the name files, front-coded or appended.

use tabia_core::error::{Error, ErrorKind, Result};
use tabia_core::io::Sink;

use super::names::MAGIC;
use super::version::Version;
use crate::games::common::interner::Interner;

/// Numbers names in the order in which they are added.
#[derive(Debug)]
pub(crate) struct NameWriter {
    version: Version,
    tables: [NameTable; 4],
    /// For `.sn5`: records that are not written yet.
    appended: Vec<u8>,
}

/// The names of a kind.
#[derive(Debug, Default)]
struct NameTable {
    names: Interner,
    /// The number of uses of each name.
    uses: Vec<u32>,
}

/// The kinds of names in messages.
const KIND_NAMES: [&str; 4] = ["players", "events", "sites", "rounds"];

impl NameWriter {
    pub(crate) fn new(version: Version) -> Self {
        Self {
            version,
            tables: Default::default(),
            appended: Vec::new(),
        }
    }

    /// The number of a name, whose uses are counted.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if the version has no number left.
    pub(crate) fn number(&mut self, kind: usize, name: &[u8]) -> Result<u32> {
        let limits = self.version.max_names();
        let (Some(table), Some(&limit), Some(&what)) = (
            self.tables.get_mut(kind),
            limits.get(kind),
            KIND_NAMES.get(kind),
        ) else {
            return Ok(0);
        };
        let Some((id, is_new)) = table.names.number(name, limit) else {
            return Err(Error::new(ErrorKind::Limit {
                what,
                limit: u64::from(limit),
                size: u64::from(limit) + 1,
            }));
        };
        match self.version {
            Version::V3 | Version::V4 => table.count(id),
            Version::V5 if is_new => append(&mut self.appended, kind, &[name]),
            Version::V5 => {}
        }
        Ok(id)
    }

    /// Adds a fact of the database to `.sn5`.
    pub(crate) fn fact(&mut self, key: &str, value: &str) {
        append(&mut self.appended, 4, &[key.as_bytes(), value.as_bytes()]);
    }

    /// The records of `.sn5` that are not written yet.
    pub(crate) fn appended(&mut self) -> &mut Vec<u8> {
        &mut self.appended
    }

    /// The content of `.sn3` or `.sn4`.
    pub(crate) fn front_coded(&self) -> Vec<u8> {
        let mut sink = Sink::new();
        sink.bytes(&MAGIC);
        sink.u32_be(0);
        let greatest = |table: &NameTable| table.uses.iter().copied().max().unwrap_or(0);
        for table in &self.tables {
            sink.u24_be(table.names.len());
        }
        for table in &self.tables {
            sink.u24_be(greatest(table).min(MAX_USES));
        }
        for table in &self.tables {
            table.front_coded(greatest(table).min(MAX_USES), &mut sink);
        }
        sink.into_vec()
    }
}

/// The greatest number of uses that a name file can store.
const MAX_USES: u32 = 0xff_ffff;

impl NameTable {
    /// Counts a use of a name.
    fn count(&mut self, id: u32) {
        let index = id as usize;
        if index >= self.uses.len() {
            self.uses.resize(index + 1, 0);
        }
        if let Some(uses) = self.uses.get_mut(index) {
            *uses = uses.saturating_add(1);
        }
    }

    fn front_coded(&self, greatest: u32, sink: &mut Sink) {
        let mut sorted: Vec<(&[u8], u32)> = (0..self.names.len())
            .filter_map(|id| Some((self.names.get(id)?, id)))
            .collect();
        sorted.sort_unstable_by_key(|(name, _)| SortKey(name));
        let mut previous: Option<&[u8]> = None;
        for (name, id) in sorted {
            let uses = self
                .uses
                .get(id as usize)
                .copied()
                .unwrap_or(0)
                .min(MAX_USES);
            if self.names.len() < 1 << 16 {
                sink.u16_be(id as u16);
            } else {
                sink.u24_be(id);
            }
            match greatest {
                0..=0xff => sink.u8(uses as u8),
                0x100..=0xffff => sink.u16_be(uses as u16),
                _ => sink.u24_be(uses),
            }
            sink.u8(name.len() as u8);
            let prefix = previous.map_or(0, |previous| common_prefix(previous, name));
            if previous.is_some() {
                sink.u8(prefix as u8);
            }
            sink.bytes(name.get(prefix..).unwrap_or_default());
            previous = Some(name);
        }
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Scid's order: the first byte without sign, the others with; the end of a name counts as 0.
#[derive(PartialEq, Eq)]
struct SortKey<'n>(&'n [u8]);

impl Ord for SortKey<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let first = |name: &[u8]| name.first().copied();
        first(self.0).cmp(&first(other.0)).then_with(|| {
            let signed = |&byte: &u8| byte.cast_signed();
            let a = self.0.iter().skip(1).map(signed).chain([0]);
            let b = other.0.iter().skip(1).map(signed).chain([0]);
            a.cmp(b)
        })
    }
}

impl PartialOrd for SortKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Appends a record of `.sn5`: kind and length as a varint, then the bytes.
pub(crate) fn append(out: &mut Vec<u8>, kind: usize, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut head = (length as u64) << 3 | kind as u64;
    while head >= 0x80 {
        out.push(head as u8 | 0x80);
        head >>= 7;
    }
    out.push(head as u8);
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scid::names::Names;
    use tabia_core::io::Blob;

    fn written(version: Version, names: &[&str]) -> (Vec<u32>, Names, Vec<u8>) {
        let mut writer = NameWriter::new(version);
        let ids = names
            .iter()
            .map(|name| writer.number(0, name.as_bytes()).unwrap())
            .collect();
        let bytes = match version {
            Version::V5 => std::mem::take(writer.appended()),
            _ => writer.front_coded(),
        };
        let read = Names::read(version, &Blob::from(bytes.clone()));
        assert_eq!(read.problems, []);
        (ids, read, bytes)
    }

    #[test]
    fn names_round_trip() {
        let long = "x".repeat(255);
        let names = ["Kasparov, G", "", "Karpov, A", "Kasparov, G", &long, "Ka"];
        for version in [Version::V3, Version::V4, Version::V5] {
            let (ids, read, _) = written(version, &names);
            assert_eq!(ids, [0, 1, 2, 0, 3, 4]);
            for (name, id) in names.into_iter().zip(ids) {
                assert_eq!(read.get(0, id), Some(name.as_bytes()));
            }
        }
    }

    #[test]
    fn names_are_in_the_order_of_scid() {
        let (_, _, bytes) = written(Version::V4, &["ab", "a\u{e9}", "\u{e9}", "a"]);
        // Bytes from 0x80 on sort before ASCII, except as the first byte; an end counts as 0.
        let ids: Vec<u16> = {
            let mut at = 36;
            let mut ids = Vec::new();
            for rank in 0..4 {
                ids.push(u16::from(bytes[at]) << 8 | u16::from(bytes[at + 1]));
                let length = usize::from(bytes[at + 3]);
                at += if rank == 0 {
                    4 + length
                } else {
                    5 + length - usize::from(bytes[at + 4])
                };
            }
            ids
        };
        assert_eq!(ids, [1, 3, 0, 2]);
    }

    #[test]
    fn too_many_names_are_refused() {
        let mut writer = NameWriter::new(Version::V4);
        let limit = Version::V4.max_names()[3];
        for number in 0..limit {
            writer.number(3, &number.to_string().into_bytes()).unwrap();
        }
        let error = writer.number(3, b"one more").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }));
        assert!(writer.number(3, b"7").is_ok());
    }
}
