//! 16-bit texts, in either byte order, and guessing the byte order from texts.

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
