//! The `learn` value of a book move.

#![expect(
    clippy::big_endian_bytes,
    clippy::little_endian_bytes,
    reason = "the conventions differ in byte order"
)]

use std::fmt;

/// The `learn` value that Polyglot books store with a move: four bytes with several conventions. No
/// file states which one it follows, so the bytes are carried unchanged; the methods read them by
/// one convention each.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Learn;
///
/// let learn = Learn::parse("1f001400").unwrap();
/// assert_eq!(learn.score_and_depth(), (31, 20));
/// assert_eq!(learn.to_string(), "1f001400");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Learn([u8; 4]);

impl Learn {
    /// The value of a move without learn data.
    pub const ZERO: Learn = Learn([0; 4]);

    /// From the bytes in file order.
    pub const fn from_bytes(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }

    /// The bytes in file order.
    pub const fn to_bytes(self) -> [u8; 4] {
        self.0
    }

    /// From eight hexadecimal digits, as [`Display`](fmt::Display) writes them; `None` for any other
    /// text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u32::from_str_radix(text, 16).ok().filter(|_| is_hex)?;
        Some(Self(number.to_be_bytes()))
    }

    /// Whether all bytes are zero.
    pub const fn is_zero(self) -> bool {
        matches!(self.0, [0, 0, 0, 0])
    }

    /// By the convention of engine scores: centipawns from the side to move, and plies searched.
    pub const fn score_and_depth(self) -> (i16, u8) {
        let [low, high, depth, _] = self.0;
        (i16::from_le_bytes([low, high]), depth)
    }

    /// By the convention of experience books: games played with the move, and half-points scored in
    /// them by the side that played it.
    pub const fn games_and_points(self) -> (u16, u16) {
        let [a, b, c, d] = self.0;
        (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
    }
}

/// Eight hexadecimal digits, in file order.
impl fmt::Display for Learn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_round_trip() {
        let learn = Learn::from_bytes([0x0a, 0xb0, 0x00, 0xff]);
        assert_eq!(learn.to_string(), "0ab000ff");
        assert_eq!(Learn::parse("0AB000ff"), Some(learn));
        assert_eq!(learn.to_bytes(), [0x0a, 0xb0, 0x00, 0xff]);
        for text in ["", "0ab000f", "0ab000ff0", "+ab000ff", "0ab000fg"] {
            assert_eq!(Learn::parse(text), None, "{text}");
        }
    }

    #[test]
    fn values_follow_their_convention() {
        assert!(Learn::default().is_zero());
        let learn = Learn::from_bytes([0xfe, 0xff, 20, 1]);
        assert!(!learn.is_zero());
        assert_eq!(learn.score_and_depth(), (-2, 20));
        let learn = Learn::from_bytes([1, 0, 0, 3]);
        assert_eq!(learn.games_and_points(), (256, 3));
    }
}
