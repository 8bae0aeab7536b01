//! Writes fields into a buffer, with patching of earlier ones.

#![expect(
    clippy::big_endian_bytes,
    clippy::little_endian_bytes,
    reason = "this is where byte order is converted"
)]

/// A growing buffer of fields; the counterpart of [`Cursor`](super::Cursor).
///
/// ```
/// use tabia_core::io::Sink;
///
/// let mut sink = Sink::new();
/// sink.u16_be(0);
/// sink.bytes(b"abc");
/// sink.patch_u16_be(0, 3);
/// assert_eq!(sink.as_slice(), b"\0\x03abc");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sink {
    bytes: Vec<u8>,
}

macro_rules! write {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $to:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(&mut self, value: $type) {
            self.bytes.extend_from_slice(&value.$to());
        })*
    };
}

impl Sink {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of bytes so far: the offset of the next field.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Empties the buffer, keeping its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The bytes so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Removes the bytes from offset `at` on.
    pub fn truncate(&mut self, at: usize) {
        self.bytes.truncate(at);
    }

    /// Appends `count` zero bytes.
    pub fn zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// Appends `text` in a field of `length` bytes, cut to leave a final zero and padded with zeros.
    pub fn fixed(&mut self, text: &[u8], length: usize) {
        let cut = text.get(..length.saturating_sub(1)).unwrap_or(text);
        self.bytes.extend_from_slice(cut);
        self.zeros(length - cut.len());
    }

    /// Overwrites bytes from offset `at` on; does nothing if they would exceed the buffer.
    pub fn patch(&mut self, at: usize, bytes: &[u8]) {
        if let Some(target) = self.bytes.get_mut(at..at.saturating_add(bytes.len())) {
            target.copy_from_slice(bytes);
        }
    }

    write! {
        /// Appends one byte.
        u8: u8 = to_be_bytes;
        /// Appends one signed byte.
        i8: i8 = to_be_bytes;
        /// Appends two bytes, most significant first.
        u16_be: u16 = to_be_bytes;
        /// Appends two bytes, least significant first.
        u16_le: u16 = to_le_bytes;
        /// Appends two signed bytes, most significant first.
        i16_be: i16 = to_be_bytes;
        /// Appends two signed bytes, least significant first.
        i16_le: i16 = to_le_bytes;
        /// Appends four bytes, most significant first.
        u32_be: u32 = to_be_bytes;
        /// Appends four bytes, least significant first.
        u32_le: u32 = to_le_bytes;
        /// Appends four signed bytes, most significant first.
        i32_be: i32 = to_be_bytes;
        /// Appends four signed bytes, least significant first.
        i32_le: i32 = to_le_bytes;
        /// Appends eight bytes, most significant first.
        u64_be: u64 = to_be_bytes;
        /// Appends eight bytes, least significant first.
        u64_le: u64 = to_le_bytes;
        /// Appends eight signed bytes, most significant first.
        i64_be: i64 = to_be_bytes;
        /// Appends eight signed bytes, least significant first.
        i64_le: i64 = to_le_bytes;
        /// Appends a double, most significant byte first.
        f64_be: f64 = to_be_bytes;
    }

    /// Appends the low three bytes, most significant first.
    pub fn u24_be(&mut self, value: u32) {
        let [_, a, b, c] = value.to_be_bytes();
        self.bytes.extend_from_slice(&[a, b, c]);
    }

    /// Appends the low three bytes, least significant first.
    pub fn u24_le(&mut self, value: u32) {
        let [a, b, c, _] = value.to_le_bytes();
        self.bytes.extend_from_slice(&[a, b, c]);
    }

    /// Overwrites two bytes from offset `at` on, most significant first.
    pub fn patch_u16_be(&mut self, at: usize, value: u16) {
        self.patch(at, &value.to_be_bytes());
    }

    /// Overwrites two bytes from offset `at` on, least significant first.
    pub fn patch_u16_le(&mut self, at: usize, value: u16) {
        self.patch(at, &value.to_le_bytes());
    }

    /// Overwrites three bytes from offset `at` on, most significant first.
    pub fn patch_u24_be(&mut self, at: usize, value: u32) {
        let [_, a, b, c] = value.to_be_bytes();
        self.patch(at, &[a, b, c]);
    }

    /// Overwrites four bytes from offset `at` on, most significant first.
    pub fn patch_u32_be(&mut self, at: usize, value: u32) {
        self.patch(at, &value.to_be_bytes());
    }

    /// Overwrites four bytes from offset `at` on, least significant first.
    pub fn patch_u32_le(&mut self, at: usize, value: u32) {
        self.patch(at, &value.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_fields_end_in_zero() {
        let mut sink = Sink::new();
        sink.fixed(b"abcdef", 4);
        sink.fixed(b"x", 3);
        sink.u24_be(0x01_0203);
        sink.patch_u16_le(0, 0x4142);
        assert_eq!(sink.as_slice(), b"BAc\0x\0\0\x01\x02\x03");
    }
}
