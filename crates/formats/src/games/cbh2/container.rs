//! The records of `.2cbg` and `.2cba`: a mark, sizes, a checksum, the content.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::Cursor;

/// The first bytes of a record.
pub(super) const MARK: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
/// Bytes in front of the content.
pub(super) const HEAD: usize = 26;
/// Bytes of a record beside its content and its room.
pub(super) const FRAME: u64 = 34;
/// Bytes of the file's own header.
pub(super) const FILE_HEADER: usize = 12;

/// What a record holds.
pub(super) mod tag {
    pub(crate) const GAME: u16 = 1;
    pub(crate) const CHESS960: u16 = 2;
    pub(crate) const TEXT: u16 = 0x1000;
    pub(crate) const ANNOTATIONS: u16 = 0x2000;
}

/// A record taken out of its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Content<'f> {
    /// The content, cut at the end of the file.
    pub(super) bytes: &'f [u8],
    /// What it holds.
    pub(super) tag: u16,
    /// What is wrong with the frame; offsets are from its start.
    pub(super) fault: Option<Malformed>,
}

/// The record at an offset of a file, its content no longer than `limit`.
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
    let room = cursor.u32_le("room")?;
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
            fault: cursor.take(length, "content").err(),
        });
    };
    let mut fault = None;
    if checksum(content) != sum {
        fault = Some(cursor.malformed("checksum", Why::Checksum));
    }
    let end = length.checked_add(room as usize).and_then(|skipped| {
        let after = cursor.rest().get(skipped..)?;
        Cursor::new(after).u64_le("total").ok()
    });
    let expected = u64::from(size) + u64::from(room) + FRAME;
    if fault.is_none()
        && let Some(total) = end
        && total != expected
    {
        fault = Some(cursor.malformed("total", Why::Value(total)));
    }
    Ok(Content {
        bytes: content,
        tag,
        fault,
    })
}

/// Eight sums of bytes, each of an eighth of the content; of less than eight bytes the content
/// itself. The first is the lowest.
pub(super) fn checksum(content: &[u8]) -> u64 {
    let part = content.len() / 8;
    let sum = |bytes: &[u8]| bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let mut parts = [0_u8; 8];
    for (place, out) in parts.iter_mut().enumerate() {
        *out = if part == 0 {
            content.get(place).copied().unwrap_or(0)
        } else {
            let from = place * part;
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
    fn sums_are_of_eighths() {
        assert_eq!(checksum(&[]), 0);
        assert_eq!(checksum(&[1, 2, 3]), 0x03_0201);
        let bytes: Vec<u8> = (0..17).collect();
        // Two bytes a part, the last byte in none.
        assert_eq!(checksum(&bytes), 0x1d19_1511_0d09_0501);
        assert_eq!(checksum(&[0xff; 16]), 0xfefe_fefe_fefe_fefe);
    }
}
