//! Character sets of DOS, which `encoding_rs` does not have.

use std::borrow::Cow;

/// A character set of DOS, in which every byte is a character.
///
/// ```
/// use tabia_core::io::DosCharset;
///
/// assert_eq!(DosCharset::Cp850.decode(b"H\x81bner"), "Hübner");
/// assert_eq!(DosCharset::Cp437.encode("Hübner"), Some(b"H\x81bner".to_vec()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DosCharset {
    /// Code page 437, of the United States: with Greek letters, without capital letters that have a grave accent.
    Cp437,
    /// Code page 850, of western Europe.
    Cp850,
}

/// The characters of bytes 0x80 to 0xff, sixteen a line, as Unicode's tables `CP437.TXT` and `CP850.TXT` define them
/// (`MAPPINGS/VENDORS/MICSFT/PC`).
const CP437: [&str; 8] = [
    "ÇüéâäàåçêëèïîìÄÅ",
    "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ",
    "áíóúñÑªº¿⌐¬½¼¡«»",
    "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
    "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
    "αßΓπΣσµτΦΘΩδ∞φε∩",
    "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
];

const CP850: [&str; 8] = [
    "ÇüéâäàåçêëèïîìÄÅ",
    "ÉæÆôöòûùÿÖÜø£Ø×ƒ",
    "áíóúñÑªº¿®¬½¼¡«»",
    "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐",
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤",
    "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀",
    "ÓßÔÒõÕµþÞÚÛÙýÝ¯´",
    "\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
];

impl DosCharset {
    /// The name, as IANA registers it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cp437 => "IBM437",
            Self::Cp850 => "IBM850",
        }
    }

    /// The set of a name as users write it, in lower case.
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name {
            "cp437" | "ibm437" | "437" => Some(Self::Cp437),
            "cp850" | "ibm850" | "850" => Some(Self::Cp850),
            _ => None,
        }
    }

    fn lines(self) -> &'static [&'static str; 8] {
        match self {
            Self::Cp437 => &CP437,
            Self::Cp850 => &CP850,
        }
    }

    /// The character of a byte.
    pub fn character(self, byte: u8) -> char {
        if byte < 0x80 {
            return char::from(byte);
        }
        let line = self.lines().get(usize::from(byte >> 4 & 7));
        line.and_then(|line| line.chars().nth(usize::from(byte & 15)))
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// The text of some bytes.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.is_ascii() => Cow::Borrowed(text),
            _ => Cow::Owned(bytes.iter().map(|&byte| self.character(byte)).collect()),
        }
    }

    /// The byte of a character; `None` for one that the set lacks.
    pub fn byte(self, character: char) -> Option<u8> {
        if character.is_ascii() {
            return u8::try_from(character).ok();
        }
        let mut high = self.lines().iter().flat_map(|line| line.chars());
        let at = high.position(|other| other == character)?;
        u8::try_from(at + 0x80).ok()
    }

    /// The bytes of a text; `None` if the set lacks one of its characters.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        text.chars().map(|c| self.byte(c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_one_character_and_back() {
        for set in [DosCharset::Cp437, DosCharset::Cp850] {
            let all: Vec<u8> = (0..=255).collect();
            let text = set.decode(&all);
            assert_eq!(text.chars().count(), 256);
            assert!(!text.contains(char::REPLACEMENT_CHARACTER));
            assert_eq!(set.encode(&text), Some(all), "{set:?}");
        }
    }

    #[test]
    fn the_sets_differ_where_their_tables_do() {
        for (byte, cp437, cp850) in [
            (0x80, 'Ç', 'Ç'),
            (0x9b, '¢', 'ø'),
            (0x9d, '¥', 'Ø'),
            (0xb5, '╡', 'Á'),
            (0xe0, 'α', 'Ó'),
            (0xe1, 'ß', 'ß'),
            (0xf1, '±', '±'),
            (0xfe, '■', '■'),
        ] {
            assert_eq!(DosCharset::Cp437.character(byte), cp437, "{byte:#x}");
            assert_eq!(DosCharset::Cp850.character(byte), cp850, "{byte:#x}");
        }
        assert_eq!(DosCharset::Cp437.byte('Ø'), None);
        assert_eq!(DosCharset::Cp850.byte('α'), None);
    }
}
