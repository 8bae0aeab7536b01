//! The list of members at the end of a ZIP archive. Facts: APPNOTE.TXT, sections 4.3 and 4.5.

use tabia_core::error::Why;
use tabia_core::io::{Charset, Cursor, decode};
use tabia_core::{Error, Malformed, Result};

use crate::archives::Stamp;

/// One member.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) encrypted: bool,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// Where its local header begins.
    pub(super) at: u64,
    pub(super) modified: Option<Stamp>,
}

/// Bytes of the record at the end without its comment, and the longest comment.
const END: usize = 22;
const LONGEST_COMMENT: usize = 0xffff;
/// Bytes of the record that points to the ZIP64 record.
const LOCATOR: usize = 20;
/// Flags of a member.
const ENCRYPTED: u16 = 1;
const UTF8: u16 = 1 << 11;

/// Reads `PK` and the low byte of a signature; the fourth byte follows from it.
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

/// Where the list is, as the end of the file states it.
struct Place {
    count: u64,
    length: u64,
    /// Its offset in the file, and how many bytes were put before the archive.
    at: u64,
    shift: u64,
}

/// Reads the list. Members before a fault in it are kept.
pub(super) fn read(bytes: &[u8], charset: Charset) -> Result<(Vec<Entry>, Vec<Error>)> {
    let place = find(bytes)?;
    let mut cursor = Cursor::new(bytes);
    let start = usize::try_from(place.at).unwrap_or(usize::MAX);
    cursor.seek(start, "central directory")?;
    let mut entries = Vec::new();
    for _ in 0..place.count {
        match entry(&mut cursor, charset) {
            Ok(entry) => entries.push(Entry {
                at: entry.at.saturating_add(place.shift),
                ..entry
            }),
            Err(fault) => {
                let error = Error::from(fault).at_offset(fault.at as u64);
                if entries.is_empty() {
                    return Err(error);
                }
                return Ok((entries, vec![error]));
            }
        }
    }
    Ok((entries, Vec::new()))
}

fn find(bytes: &[u8]) -> Result<Place, Malformed> {
    let first = bytes.len().saturating_sub(END + LONGEST_COMMENT);
    let tail = bytes.get(first..).unwrap_or_default();
    let found = memchr::memmem::rfind_iter(tail, b"PK\x05\x06").find(|at| {
        // The comment must reach exactly to the end; if it does not, these bytes are part of one.
        let length = tail
            .get(at + 20..at + 22)
            .map(|l| usize::from(l[0]) | usize::from(l[1]) << 8);
        length.is_some_and(|length| at + END + length <= tail.len())
    });
    let Some(found) = found else {
        let why = Why::Truncated {
            needed: END,
            left: bytes.len().min(END - 1),
        };
        return Err(Malformed {
            field: "end of central directory",
            at: bytes.len(),
            why,
        });
    };
    let end = first + found;
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
    // The list ends where the records behind it begin; if not, bytes were put before it all.
    let real = end.checked_sub(length).ok_or(Malformed {
        field: "central directory size",
        at: end as usize,
        why: Why::Value(length),
    })?;
    Ok(Place {
        count,
        length,
        at: real,
        shift: real.saturating_sub(at),
    }
    .checked(bytes))
}

impl Place {
    /// Without a count that the list has no room for.
    fn checked(self, bytes: &[u8]) -> Self {
        let most = self.length.min(bytes.len() as u64) / 46 + 1;
        Self {
            count: self.count.min(most),
            ..self
        }
    }
}

/// The ZIP64 record: count, length and offset of the list, and where the record begins.
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

fn entry(cursor: &mut Cursor<'_>, charset: Charset) -> Result<Entry, Malformed> {
    signature(cursor, 2, "central directory")?;
    cursor.take(4, "versions")?;
    let flags = cursor.u16_le("flags")?;
    let method = cursor.u16_le("method")?;
    let time = u32::from(cursor.u16_le("time")?);
    let date = u32::from(cursor.u16_le("date")?);
    let crc = cursor.u32_le("crc")?;
    let mut packed = u64::from(cursor.u32_le("packed size")?);
    let mut size = u64::from(cursor.u32_le("size")?);
    let name = usize::from(cursor.u16_le("name length")?);
    let extra = usize::from(cursor.u16_le("extra length")?);
    let comment = usize::from(cursor.u16_le("comment length")?);
    cursor.take(8, "attributes")?;
    let mut at = u64::from(cursor.u32_le("offset")?);
    let name = cursor.take(name, "name")?;
    let charset = if flags & UTF8 != 0 {
        Charset::Utf8
    } else {
        charset
    };
    let name = decode(name, charset).replace('\\', "/");
    let mut extra = Cursor::new(cursor.take(extra, "extra field")?);
    while extra.left() >= 4 {
        let (id, length) = (extra.u16_le("extra field")?, extra.u16_le("extra field")?);
        let Ok(body) = extra.take(usize::from(length), "extra field") else {
            break;
        };
        if id == 1 {
            // Only those that do not fit above are here, in this order.
            let mut body = Cursor::new(body);
            for field in [&mut size, &mut packed, &mut at] {
                if *field == u64::from(u32::MAX) {
                    *field = body.u64_le("ZIP64 field").unwrap_or(*field);
                }
            }
        }
    }
    cursor.take(comment, "comment")?;
    let modified = Stamp::new(
        (1980 + (date >> 9), date >> 5 & 15, date & 31),
        (time >> 11, time >> 5 & 63, (time & 31) * 2),
    );
    let encrypted = flags & ENCRYPTED != 0;
    Ok(Entry {
        name,
        method,
        encrypted,
        crc,
        packed,
        size,
        at,
        modified,
    })
}
