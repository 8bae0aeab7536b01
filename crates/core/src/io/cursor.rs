//! Reads fields from a slice of bytes and records the offset for errors.

#![expect(
    clippy::big_endian_bytes,
    clippy::little_endian_bytes,
    reason = "this is where byte order is converted"
)]

use crate::error::{Malformed, Why};

/// An offset in a slice of bytes. Every read names its field, so that an error states field and offset.
///
/// ```
/// use tabia_core::io::Cursor;
///
/// let mut cursor = Cursor::new(&[0x01, 0x02, 0xff]);
/// assert_eq!(cursor.u16_be("count")?, 0x0102);
/// let error = cursor.u32_le("size").unwrap_err();
/// assert_eq!((error.field, error.at), ("size", 2));
/// # Ok::<(), tabia_core::Malformed>(())
/// ```
///
/// Every method that reads fails with [`Why::Truncated`] if too few bytes are left; the cursor does not
/// move then.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

macro_rules! read {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $from:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(&mut self, field: &'static str) -> Result<$type, Malformed> {
            Ok(<$type>::$from(self.array(field)?))
        })*
    };
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The offset from the start of the slice.
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// Moves to an offset from the start of the slice; an offset after its end is an error.
    pub fn seek(&mut self, at: usize, field: &'static str) -> Result<(), Malformed> {
        if at > self.bytes.len() {
            let why = Why::Truncated {
                needed: at,
                left: self.bytes.len(),
            };
            return Err(Malformed {
                field,
                at: self.at,
                why,
            });
        }
        self.at = at;
        Ok(())
    }

    /// The next `length` bytes.
    pub fn take(&mut self, length: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        match self.rest().get(..length) {
            Some(bytes) => {
                self.at += length;
                Ok(bytes)
            }
            None => Err(Malformed {
                field,
                at: self.at,
                why: Why::Truncated {
                    needed: length,
                    left: self.left(),
                },
            }),
        }
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Malformed> {
        match self.rest().first_chunk() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(Malformed {
                field,
                at: self.at,
                why: Why::Truncated {
                    needed: N,
                    left: self.left(),
                },
            }),
        }
    }

    /// An error in `field` at the current offset.
    pub const fn malformed(&self, field: &'static str, why: Why) -> Malformed {
        Malformed {
            field,
            at: self.at,
            why,
        }
    }

    read! {
        /// One byte.
        u8: u8 = from_be_bytes;
        /// One signed byte.
        i8: i8 = from_be_bytes;
        /// Two bytes, most significant first.
        u16_be: u16 = from_be_bytes;
        /// Two bytes, least significant first.
        u16_le: u16 = from_le_bytes;
        /// Two signed bytes, most significant first.
        i16_be: i16 = from_be_bytes;
        /// Two signed bytes, least significant first.
        i16_le: i16 = from_le_bytes;
        /// Four bytes, most significant first.
        u32_be: u32 = from_be_bytes;
        /// Four bytes, least significant first.
        u32_le: u32 = from_le_bytes;
        /// Four signed bytes, most significant first.
        i32_be: i32 = from_be_bytes;
        /// Four signed bytes, least significant first.
        i32_le: i32 = from_le_bytes;
        /// Eight bytes, most significant first.
        u64_be: u64 = from_be_bytes;
        /// Eight bytes, least significant first.
        u64_le: u64 = from_le_bytes;
        /// Eight signed bytes, most significant first.
        i64_be: i64 = from_be_bytes;
        /// Eight signed bytes, least significant first.
        i64_le: i64 = from_le_bytes;
        /// A double, most significant byte first.
        f64_be: f64 = from_be_bytes;
        /// A double, least significant byte first.
        f64_le: f64 = from_le_bytes;
    }

    /// Three bytes, most significant first.
    pub fn u24_be(&mut self, field: &'static str) -> Result<u32, Malformed> {
        let [a, b, c] = self.array(field)?;
        Ok(u32::from_be_bytes([0, a, b, c]))
    }

    /// Three bytes, least significant first.
    pub fn u24_le(&mut self, field: &'static str) -> Result<u32, Malformed> {
        let [a, b, c] = self.array(field)?;
        Ok(u32::from_le_bytes([a, b, c, 0]))
    }

    /// Three signed bytes, most significant first.
    pub fn i24_be(&mut self, field: &'static str) -> Result<i32, Malformed> {
        let [a, b, c] = self.array(field)?;
        Ok(i32::from_be_bytes([a, b, c, 0]) >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_errors() {
        let mut cursor = Cursor::new(&[0xff, 0xff, 0xfe, 1, 2, 3]);
        assert_eq!(cursor.i24_be("position"), Ok(-2));
        assert_eq!(cursor.u24_le("size"), Ok(0x03_0201));
        let error = cursor.u16_be("count").unwrap_err();
        assert_eq!(error.to_string(), "`count` needs 2 bytes, 0 are left");
        assert_eq!(error.at, 6);
    }
}
