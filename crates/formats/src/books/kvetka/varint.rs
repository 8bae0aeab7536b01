//! Compact numbers: digits of seven bits, the most significant first.

use tabia_core::error::{Malformed, Why};
use tabia_core::io::{Cursor, Sink};

/// Digits of the longest number; longer ones are corrupt.
const MAX_DIGITS: u32 = 10;
/// The greatest number that is written.
pub(super) const MAX_WRITTEN: u64 = u32::MAX as u64;

/// Reads a number in digits of seven bits, the most significant first. Leading zeros are accepted.
pub(super) fn read_compact(cursor: &mut Cursor<'_>, field: &'static str) -> Result<u64, Malformed> {
    let mut value: u64 = 0;
    for _ in 0..MAX_DIGITS {
        let digit = cursor.u8(field)?;
        if value >> 56 != 0 {
            return Err(cursor.malformed(field, Why::Value(value)));
        }
        value = value << 7 | u64::from(digit & 0x7f);
        if digit & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(cursor.malformed(field, Why::Value(value)))
}

/// Writes a number in its shortest form; greater numbers become [`MAX_WRITTEN`].
pub(super) fn write_compact(sink: &mut Sink, value: u64) {
    let value = value.min(MAX_WRITTEN);
    let digits = compact_length(value);
    for digit in (0..digits).rev() {
        let continuation = if digit > 0 { 0x80 } else { 0 };
        sink.u8((value >> (7 * digit)) as u8 & 0x7f | continuation);
    }
}

/// Bytes of a number in its shortest form.
pub(super) fn compact_length(value: u64) -> usize {
    let bits = 64 - value.min(MAX_WRITTEN).leading_zeros() as usize;
    bits.div_ceil(7).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_numbers_round_trip_in_their_shortest_form() {
        for (value, bytes) in [
            (0u64, &[0u8][..]),
            (127, &[0x7f]),
            (128, &[0x81, 0]),
            (129, &[0x81, 1]),
            (255, &[0x81, 0x7f]),
            (16383, &[0xff, 0x7f]),
            (16384, &[0x81, 0x80, 0]),
            (2097151, &[0xff, 0xff, 0x7f]),
            (2097152, &[0x81, 0x80, 0x80, 0]),
            (268435455, &[0xff, 0xff, 0xff, 0x7f]),
            (268435456, &[0x81, 0x80, 0x80, 0x80, 0]),
            (4294967295, &[0x8f, 0xff, 0xff, 0xff, 0x7f]),
        ] {
            let mut sink = Sink::new();
            write_compact(&mut sink, value);
            assert_eq!(sink.as_slice(), bytes, "{value}");
            assert_eq!(compact_length(value), bytes.len());
            assert_eq!(read_compact(&mut Cursor::new(bytes), "n"), Ok(value));
        }
        assert_eq!(read_compact(&mut Cursor::new(&[0x80, 0x80, 5]), "n"), Ok(5));
        assert!(read_compact(&mut Cursor::new(&[0x80; 12]), "n").is_err());
        assert!(read_compact(&mut Cursor::new(&[0xff; 10]), "n").is_err());
        assert!(read_compact(&mut Cursor::new(&[0x81]), "n").is_err());
    }
}
