//! The central directory: the list of members at the end of a ZIP archive. Layout: APPNOTE.TXT,
//! sections 4.3 and 4.5.

use tabia_core::error::Why;
use tabia_core::io::{Charset, Cursor, decode};
use tabia_core::{Error, Malformed, Result};

use crate::archives::Timestamp;

/// The entry of one member.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The name as stored, which the local header repeats.
    pub(super) stored_name: Vec<u8>,
    pub(super) method: u16,
    pub(super) encrypted: bool,
    pub(super) crc: u32,
    pub(super) packed: u64,
    /// `None` if it is stored after the data only, and missing there.
    pub(super) size: Option<u64>,
    /// Offset of the local header.
    pub(super) at: u64,
    pub(super) modified: Option<Timestamp>,
}

impl Entry {
    /// Offset of the local header, and of the byte after the data if the local header has no extra field.
    pub(super) fn extent(&self) -> (u64, u64) {
        let header = (LOCAL_HEADER + self.stored_name.len()) as u64;
        (
            self.at,
            self.at.saturating_add(header).saturating_add(self.packed),
        )
    }
}

/// Size of a local header without its name and extra field, in bytes.
pub(super) const LOCAL_HEADER: usize = 30;
/// Size of the end record without its comment, in bytes.
const END_RECORD: usize = 22;
const MAX_COMMENT: usize = 0xffff;
/// Size of the record that points to the ZIP64 end record, in bytes.
const LOCATOR: usize = 20;
/// Flag: the member is encrypted.
const ENCRYPTED: u16 = 1;
/// Flag: the name is UTF-8.
const UTF8: u16 = 1 << 11;

/// Reads the signature that ends with the byte `last`; its third byte is one less.
pub(super) fn signature(
    cursor: &mut Cursor<'_>,
    last: u8,
    field: &'static str,
) -> Result<(), Malformed> {
    let at = cursor.offset();
    let found: [u8; 4] = cursor.array(field)?;
    if found == [b'P', b'K', last - 1, last] {
        return Ok(());
    }
    let value = found
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte));
    Err(Malformed {
        field,
        at,
        why: Why::Value(value),
    })
}

/// The location of the central directory, as the end record states it.
struct DirectoryLocation {
    /// Number of entries; its lowest 16 bits unless the archive is a ZIP64 archive.
    count: u64,
    /// Length in bytes.
    length: u64,
    /// Offset in the file.
    at: u64,
    /// Number of bytes before the archive.
    shift: u64,
}

/// Reads the entries. If one is malformed, those before it are returned, and the error as a problem.
///
/// # Errors
/// There is no central directory, or it belongs to an archive that is stored as a member of this one.
pub(super) fn read(bytes: &[u8], charset: Charset) -> Result<(Vec<Entry>, Vec<Error>)> {
    let location = find(bytes)?;
    let mut cursor = Cursor::new(bytes);
    let start = usize::try_from(location.at).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(location.length).unwrap_or(usize::MAX));
    cursor.seek(start, "central directory")?;
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    while cursor.offset() < end {
        match entry(&mut cursor, charset) {
            Ok(entry) => entries.push(Entry {
                at: entry.at.saturating_add(location.shift),
                ..entry
            }),
            Err(malformed) => {
                let error = Error::from(malformed).at_offset(malformed.at as u64);
                if entries.is_empty() {
                    return Err(error);
                }
                problems.push(error);
                break;
            }
        }
    }
    let count = entries.len() as u64;
    let is_wrong = count != location.count && (count & 0xffff) != location.count;
    if is_wrong && problems.is_empty() {
        let stated = location.count;
        let text = format!("the archive states {stated} members, its list has {count}");
        problems.push(Error::invalid(text).at_offset(location.at));
    }
    let first = entries.iter().map(|entry| entry.at).min();
    if bytes.starts_with(b"PK\x03\x04") && first != Some(0) {
        let text = "the list of members belongs to an archive inside this one";
        return Err(Error::invalid(text).at_offset(location.at));
    }
    Ok((entries, problems))
}

/// Offset of the end record, and of the byte after its comment.
fn end_record(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = bytes.len().saturating_sub(END_RECORD + MAX_COMMENT);
    let tail = bytes.get(first..).unwrap_or_default();
    memchr::memmem::rfind_iter(tail, b"PK\x05\x06").find_map(|at| {
        let length = tail.get(at + 20..at + 22)?;
        let length = usize::from(length[0]) | usize::from(length[1]) << 8;
        let end = at + END_RECORD + length;
        // A comment that would exceed the file means that these bytes are part of a comment.
        (end <= tail.len()).then_some((first + at, first + end))
    })
}

/// What follows the archive, and the offset of its first byte.
pub(super) fn after_end(bytes: &[u8]) -> Option<(&[u8], u64)> {
    let (_, end) = end_record(bytes)?;
    Some((bytes.get(end..)?, end as u64))
}

/// Finds the central directory through the end record.
fn find(bytes: &[u8]) -> Result<DirectoryLocation, Malformed> {
    let Some((end, _)) = end_record(bytes) else {
        let why = Why::Truncated {
            needed: END_RECORD,
            left: bytes.len().min(END_RECORD - 1),
        };
        return Err(Malformed {
            field: "end of central directory",
            at: bytes.len(),
            why,
        });
    };
    let mut cursor = Cursor::new(bytes);
    cursor.seek(end + 10, "end of central directory")?;
    let count = cursor.u16_le("members")?;
    let length = cursor.u32_le("central directory size")?;
    let at = cursor.u32_le("central directory offset")?;
    let wide = if count == u16::MAX || length == u32::MAX || at == u32::MAX {
        end.checked_sub(LOCATOR)
            .map(|locator| find_wide(bytes, locator))
            .transpose()?
            .flatten()
    } else {
        None
    };
    let (count, length, at, end) = wide.unwrap_or((
        u64::from(count),
        u64::from(length),
        u64::from(at),
        end as u64,
    ));
    // The directory ends where the next record begins. Its real offset therefore shows how many
    // bytes were put before the archive.
    let real = end.checked_sub(length).ok_or(Malformed {
        field: "central directory size",
        at: end as usize,
        why: Why::Value(length),
    })?;
    Ok(DirectoryLocation {
        count,
        length,
        at: real,
        shift: real.saturating_sub(at),
    })
}

/// The ZIP64 end record: count, length and offset of the central directory, and its own offset;
/// `None` if absent.
fn find_wide(bytes: &[u8], locator: usize) -> Result<Option<(u64, u64, u64, u64)>, Malformed> {
    let mut cursor = Cursor::new(bytes);
    cursor.seek(locator, "ZIP64 locator")?;
    if signature(&mut cursor, 7, "ZIP64 locator").is_err() {
        return Ok(None);
    }
    cursor.take(4, "disk")?;
    let at = cursor.u64_le("ZIP64 offset")?;
    cursor.seek(usize::try_from(at).unwrap_or(usize::MAX), "ZIP64 offset")?;
    let found: [u8; 4] = cursor.array("ZIP64 record")?;
    if found != *b"PK\x06\x06" {
        let why = Why::Value(u64::from(found[0]));
        return Err(Malformed {
            field: "ZIP64 record",
            at: cursor.offset(),
            why,
        });
    }
    cursor.take(28, "ZIP64 record")?;
    let count = cursor.u64_le("members")?;
    let length = cursor.u64_le("central directory size")?;
    let offset = cursor.u64_le("central directory offset")?;
    Ok(Some((count, length, offset, at)))
}

/// Reads one entry.
fn entry(cursor: &mut Cursor<'_>, charset: Charset) -> Result<Entry, Malformed> {
    signature(cursor, 2, "central directory")?;
    cursor.take(4, "versions")?;
    let fields = Fields::read(cursor)?;
    let name = usize::from(cursor.u16_le("name length")?);
    let extra = usize::from(cursor.u16_le("extra length")?);
    let comment = usize::from(cursor.u16_le("comment length")?);
    cursor.take(8, "attributes")?;
    let mut at = u64::from(cursor.u32_le("offset")?);
    let name = cursor.take(name, "name")?;
    let (mut size, mut packed) = (fields.size, fields.packed);
    let extra = cursor.take(extra, "extra field")?;
    read_wide(extra, &mut [&mut size, &mut packed, &mut at]);
    cursor.take(comment, "comment")?;
    Ok(Entry {
        packed,
        size: Some(size),
        at,
        ..fields.entry(name, charset)
    })
}

/// The fields that an entry and a local header have in common.
pub(super) struct Fields {
    pub(super) flags: u16,
    method: u16,
    time: u32,
    date: u32,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
}

impl Fields {
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            flags: cursor.u16_le("flags")?,
            method: cursor.u16_le("method")?,
            time: u32::from(cursor.u16_le("time")?),
            date: u32::from(cursor.u16_le("date")?),
            crc: cursor.u32_le("crc")?,
            packed: u64::from(cursor.u32_le("packed size")?),
            size: u64::from(cursor.u32_le("size")?),
        })
    }

    /// An entry with these fields, at offset 0.
    pub(super) fn entry(&self, name: &[u8], charset: Charset) -> Entry {
        let (time, date) = (self.time, self.date);
        Entry {
            name: decode_name(name, self.flags, charset),
            stored_name: name.to_vec(),
            method: self.method,
            encrypted: self.flags & ENCRYPTED != 0,
            crc: self.crc,
            packed: self.packed,
            size: Some(self.size),
            at: 0,
            modified: Timestamp::new(
                (1980 + (date >> 9), date >> 5 & 15, date & 31),
                (time >> 11, time >> 5 & 63, (time & 31) * 2),
            ),
        }
    }
}

/// A name with `/` between its folders. Without the mark of UTF-8 and a stated character set, one that is not UTF-8
/// is in code page 437, as the format demands.
pub(super) fn decode_name(name: &[u8], flags: u16, charset: Charset) -> String {
    let is_utf8 = flags & UTF8 != 0;
    if !is_utf8 && charset == Charset::Auto && std::str::from_utf8(name).is_err() {
        let letter = |&byte: &u8| match byte.checked_sub(0x80) {
            Some(high) => CP437.chars().nth(high.into()).unwrap_or_default(),
            None => char::from(byte),
        };
        let text: String = name.iter().map(letter).collect();
        return text.replace('\\', "/");
    }
    let charset = if is_utf8 { Charset::Utf8 } else { charset };
    decode(name, charset).replace('\\', "/")
}

/// The characters of bytes 0x80 to 0xff.
const CP437: &str = concat!(
    "ÇüéâäàåçêëèïîìÄÅ",
    "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ",
    "áíóúñÑªº¿⌐¬½¼¡«»",
    "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
    "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
    "αßΓπΣσµτΦΘΩδ∞φε∩",
    "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
);

/// Replaces fields whose bits are all set by their 64-bit values, which the ZIP64 extra field has in this
/// order.
pub(super) fn read_wide(extra: &[u8], fields: &mut [&mut u64]) {
    let mut extra = Cursor::new(extra);
    while let (Ok(id), Ok(length)) = (extra.u16_le("extra field"), extra.u16_le("extra field"))
        && let Ok(body) = extra.take(usize::from(length), "extra field")
    {
        if id == 1 {
            let mut body = Cursor::new(body);
            for field in &mut *fields {
                if **field == u64::from(u32::MAX) {
                    **field = body.u64_le("ZIP64 field").unwrap_or(**field);
                }
            }
        }
    }
}
