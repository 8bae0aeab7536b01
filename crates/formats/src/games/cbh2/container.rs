//! The records of `.2cbg` and `.2cba`: a magic number, sizes, a checksum, the content, free space.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::Cursor;

/// The first bytes of a record.
pub(super) const MARK: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// Bytes before the content.
pub(super) const HEAD: usize = 26;
/// Bytes of a record apart from its content and free space.
pub(super) const FRAME: u64 = 34;
/// Bytes of the file's own header.
pub(super) const FILE_HEADER: usize = 12;

/// The stored content types of records.
pub(super) mod tag {
    pub(crate) const GAME: u16 = 1;
    pub(crate) const CHESS960: u16 = 2;
    pub(crate) const TEXT: u16 = 0x1000;
    pub(crate) const ANNOTATIONS: u16 = 0x2000;
}

/// The content of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content<'f> {
    /// The content, cut at the end of the file.
    pub(super) bytes: &'f [u8],
    /// Its type, one of [`tag`].
    pub(super) tag: u16,
    /// A problem of the record around the content; offsets are from the record's start.
    pub(super) problem: Option<Malformed>,
}

/// The record at an offset of a file, with at most `limit` bytes of content.
///
/// # Errors
/// If no record begins there or its content is larger.
pub(super) fn content(file: &[u8], at: i64, limit: u64) -> Result<Content<'_>, Malformed> {
    let bytes = usize::try_from(at).ok().filter(|&at| at >= FILE_HEADER);
    let bytes = bytes.and_then(|at| file.get(at..)).unwrap_or_default();
    let mut cursor = Cursor::new(bytes);
    if cursor.array::<8>("mark")? != MARK {
        return Err(Malformed {
            field: "mark",
            at: 0,
            why: Why::Value(bytes.first().copied().unwrap_or(0).into()),
        });
    }
    let size_at = cursor.offset();
    let size = cursor.u32_le("size")?;
    let free = cursor.u32_le("free_space")?;
    let sum = cursor.u64_be("checksum")?;
    let tag = cursor.u16_le("tag")?;
    if size > i32::MAX as u32 || u64::from(size) > limit {
        return Err(Malformed {
            field: "size",
            at: size_at,
            why: Why::Value(size.into()),
        });
    }
    let length = size as usize;
    let Some(content) = cursor.rest().get(..length) else {
        return Ok(Content {
            bytes: cursor.rest(),
            tag,
            problem: cursor.take(length, "content").err(),
        });
    };
    let mut problem = None;
    if checksum(content) != sum {
        problem = Some(cursor.malformed("checksum", Why::Checksum));
    }
    let end = length.checked_add(free as usize).and_then(|skipped| {
        let after = cursor.rest().get(skipped..)?;
        Cursor::new(after).u64_le("total").ok()
    });
    let expected = u64::from(size) + u64::from(free) + FRAME;
    if problem.is_none()
        && let Some(total) = end
        && total != expected
    {
        problem = Some(cursor.malformed("total", Why::Value(total)));
    }
    Ok(Content {
        bytes: content,
        tag,
        problem,
    })
}

/// Bytes of the record at an offset of a file, its frame and free space included. `None` if none begins there.
pub(super) fn record_length(file: &[u8], at: u64) -> Option<usize> {
    let at = usize::try_from(at).ok().filter(|&at| at >= FILE_HEADER)?;
    let mut cursor = Cursor::new(file.get(at..)?);
    if cursor.array::<8>("mark").ok()? != MARK {
        return None;
    }
    let size = cursor.u32_le("size").ok()?;
    let free = cursor.u32_le("free_space").ok()?;
    let length = u64::from(size) + u64::from(free) + FRAME;
    Some(usize::try_from(length).unwrap_or(usize::MAX))
}

/// The checksum of a content: eight sums of bytes, each of an eighth of the content, the first in the
/// lowest byte. A content of less than eight bytes is its own checksum.
pub(super) fn checksum(content: &[u8]) -> u64 {
    let part = content.len() / 8;
    let sum = |bytes: &[u8]| bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let mut parts = [0_u8; 8];
    for (i, out) in parts.iter_mut().enumerate() {
        *out = if part == 0 {
            content.get(i).copied().unwrap_or(0)
        } else {
            let from = i * part;
            sum(content.get(from..from + part).unwrap_or_default())
        };
    }
    parts
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_has_the_sum_of_each_eighth() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[1, 2, 3]), 0x03_0201);
        let bytes: Vec<u8> = (0..17).collect();
        // Two bytes in each part; the last byte is in no part.
        assert_eq!(checksum(&bytes), 0x1d19_1511_0d09_0501);
        assert_eq!(checksum(&[0xff; 16]), 0xfefe_fefe_fefe_fefe);
    }
}
