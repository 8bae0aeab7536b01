//! Compact numbers and 16-bit texts.

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

/// Byte order of 16-bit texts, which the description leaves open (FORMAT.md § Open points).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextOrder {
    /// Least significant byte first.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

impl TextOrder {
    /// From `le` or `be`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "le" => Some(Self::Little),
            "be" => Some(Self::Big),
            _ => None,
        }
    }

    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Little => "UTF-16LE",
            Self::Big => "UTF-16BE",
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        let [a, b] = bytes.map(u16::from);
        match self {
            Self::Little => b << 8 | a,
            Self::Big => a << 8 | b,
        }
    }

    fn bytes(self, unit: u16) -> [u8; 2] {
        let (high, low) = ((unit >> 8) as u8, unit as u8);
        match self {
            Self::Little => [low, high],
            Self::Big => [high, low],
        }
    }

    /// The text of 16-bit units; unpaired surrogates become U+FFFD.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        let pairs = bytes.chunks_exact(2).filter_map(<[u8]>::first_chunk::<2>);
        char::decode_utf16(pairs.map(|pair| self.unit(*pair)))
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// The bytes of a text.
    pub(super) fn encode(self, text: &str) -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| self.bytes(unit))
            .collect()
    }
}

/// Guesses the byte order of texts: the one in which more units are usual letters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextOrderVotes {
    little: u64,
    big: u64,
}

impl TextOrderVotes {
    /// Adds the bytes of a text.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(2).filter_map(<[u8]>::first_chunk::<2>) {
            self.little += u64::from(is_usual(TextOrder::Little.unit(*pair)));
            self.big += u64::from(is_usual(TextOrder::Big.unit(*pair)));
        }
    }

    /// The order with more usual letters; `None` on a tie.
    pub(super) fn winner(self) -> Option<TextOrder> {
        match self.little.cmp(&self.big) {
            std::cmp::Ordering::Greater => Some(TextOrder::Little),
            std::cmp::Ordering::Less => Some(TextOrder::Big),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Latin and Cyrillic letters, digits and signs.
fn is_usual(unit: u16) -> bool {
    matches!(unit, 0x20..=0x7e | 0xa0..=0x24f | 0x400..=0x4ff)
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

    #[test]
    fn byte_order_is_guessed_from_the_letters() {
        for text in ["Test book", "Дебютная книга", "Grünfeld"] {
            for order in [TextOrder::Little, TextOrder::Big] {
                let mut votes = TextOrderVotes::default();
                let bytes = order.encode(text);
                votes.add(&bytes);
                assert_eq!(votes.winner(), Some(order), "{text}");
                assert_eq!(order.decode(&bytes), text);
            }
        }
        assert_eq!(TextOrderVotes::default().winner(), None);
        assert_eq!(TextOrder::Little.decode(&[0, 0xd8, 0x41, 0]), "\u{fffd}A");
    }
}
