//! The directory: the list of members. Layout: FORMAT.md, "Header" and "Directory record".

use tabia_core::Malformed;
use tabia_core::io::{Charset, Cursor, decode};

use super::{DIRECTORY, MAGIC, RECORD};
use crate::archives::Timestamp;

/// A directory record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Name with its folders, separated by `/`.
    pub(super) name: String,
    /// Offset of its blocks.
    pub(super) at: u64,
    /// Size of its blocks, in bytes.
    pub(super) packed: u64,
    /// Size of the file, in bytes.
    pub(super) size: u64,
    pub(super) modified: Option<Timestamp>,
    /// Whether the byte after the 32-bit fields is 1, as in every archive.
    pub(super) is_marked: bool,
}

impl Entry {
    /// Offset of its first byte, and of the byte after its last one.
    pub(super) fn extent(&self) -> (u64, u64) {
        (self.at, self.at.saturating_add(self.packed))
    }

    /// Whether the record is not that of a member, not even of an empty file: a part of it is missing, as of records
    /// that became zeros. Data begin at `first`.
    pub(super) fn is_damaged(&self, first: u64) -> bool {
        let is_empty = self.packed == 0 || self.size == 0;
        self.at < first || is_empty && !self.is_marked
    }
}

/// Whether `head` is the beginning of an archive.
pub(super) fn is_header(head: &[u8]) -> bool {
    matches!(head, [m0, m1, n0, n1, record, 0, 3, 0, ..]
        if [*m0, *m1] == MAGIC && (*n0, *n1) != (0, 0) && usize::from(*record) == RECORD)
}

/// The number of members that the header states.
pub(super) fn count(head: &[u8]) -> Result<usize, Malformed> {
    let mut cursor = Cursor::new(head);
    cursor.seek(2, "members")?;
    Ok(usize::from(cursor.u16_le("members")?))
}

/// Offset of the record with that number.
pub(super) const fn record_at(number: usize) -> usize {
    DIRECTORY + number * RECORD
}

/// Reads one record.
pub(super) fn entry(record: &[u8], charset: Charset) -> Result<Entry, Malformed> {
    let mut cursor = Cursor::new(record);
    let name = cursor.take(128, "name")?;
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = decode(name, charset).replace('\\', "/");
    let short = [
        cursor.u32_le("offset")?,
        cursor.u32_le("packed size")?,
        cursor.u32_le("size")?,
    ];
    let is_marked = cursor.take(1, "one")? == [1];
    let date = cursor.u32_le("date")?;
    let time = cursor.u32_le("time")?;
    let long = [
        cursor.u64_le("offset")?,
        cursor.u64_le("packed size")?,
        cursor.u64_le("size")?,
    ];
    // The 64-bit fields are valid if their low halves equal the 32-bit fields.
    let agree = long
        .iter()
        .zip(short)
        .all(|(long, short)| *long as u32 == short);
    let [at, packed, size] = if agree { long } else { short.map(u64::from) };
    let modified = Timestamp::new(
        (date / 10_000, date / 100 % 100, date % 100),
        (time / 1_000_000, time / 10_000 % 100, time / 100 % 100),
    );
    Ok(Entry {
        name,
        at,
        packed,
        size,
        modified,
        is_marked,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_recognised() {
        assert!(is_header(&[8, 0, 12, 0, 173, 0, 3, 0, b'x']));
        assert!(!is_header(&[8, 0, 0, 0, 173, 0, 3, 0]));
        assert!(!is_header(&[8, 0, 1, 0, 173, 0, 4, 0]));
        assert!(!is_header(&[8, 0, 1, 0, 173, 0, 3]));
    }
}
