//! Texts: code page 850 of DOS, with chess figurines instead of some characters.

use std::borrow::Cow;

use tabia_core::io::{Charset, DosCharset, decode};

/// King, queen, knight, bishop, rook, pawn: the order in which figurines are numbered.
const FIGURINES: [char; 6] = [
    '\u{2654}', '\u{2655}', '\u{2658}', '\u{2657}', '\u{2656}', '\u{2659}',
];

/// The same as letters.
const LETTERS: [char; 6] = ['K', 'Q', 'N', 'B', 'R', 'P'];

/// First bytes of the figurines in names of players and in comments, where they are read as letters.
const NAME_FIGURINES: u8 = 0xa2;
const TEXT_FIGURINES: u8 = 0xb1;

/// A name, trimmed. If the user names a character set, all bytes are decoded with it.
pub(crate) fn name(bytes: &[u8], charset: Charset, is_player: bool) -> String {
    let text = match charset {
        _ if charset.is_single_byte() => decode(bytes, charset),
        _ if is_player => decode_cp850(bytes, NAME_FIGURINES, FIGURINES),
        _ => decode_cp850(bytes, u8::MAX, FIGURINES),
    };
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
        .to_owned()
}

/// The text of a comment: zeros are blanks, 0xfe ends a line.
pub(crate) fn comment(bytes: &[u8], charset: Charset) -> String {
    let mut text = String::new();
    for part in bytes.split_inclusive(|&byte| byte == LINE_END) {
        let (part, ends_line) = match part.split_last() {
            Some((&LINE_END, part)) => (part, true),
            _ => (part, false),
        };
        let part = match charset {
            _ if charset.is_single_byte() => decode(part, charset),
            _ => decode_cp850(part, TEXT_FIGURINES, LETTERS),
        };
        text.extend(part.chars().map(|c| if c == '\0' { ' ' } else { c }));
        if ends_line {
            text.push('\n');
        }
    }
    text.trim_matches(|c: char| c.is_whitespace()).to_owned()
}

/// The byte that ends a line of a comment.
const LINE_END: u8 = 0xfe;

/// Decodes CP850 with figurines from the byte `first` on.
fn decode_cp850(bytes: &[u8], first: u8, figurines: [char; 6]) -> Cow<'static, str> {
    let character = |&byte: &u8| {
        let figurine = byte.checked_sub(first).map(usize::from);
        match figurine.and_then(|index| figurines.get(index)) {
            Some(&figurine) => figurine,
            None => DosCharset::Cp850.character(byte),
        }
    };
    Cow::Owned(bytes.iter().map(character).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_figurines() {
        assert_eq!(name(b" H\x81bner\0", Charset::Auto, true), "Hübner");
        assert_eq!(name(b"G\xa2mez", Charset::Auto, false), "Gómez");
        assert_eq!(name(b"\xa4g1", Charset::Auto, true), "\u{2658}g1");
    }

    #[test]
    fn comments_have_lines_and_letters() {
        let text = b"\0with\0\xb3f3\xfeand \x84\0";
        assert_eq!(comment(text, Charset::Auto), "with Nf3\nand ä");
        let russian = Charset::parse("cp1251").unwrap();
        assert_eq!(comment(b"\xcf\xe5\xf8", russian), "Пеш");
        // A set that is named has its own characters in place of figurines.
        let cp850 = Charset::parse("cp850").unwrap();
        assert_eq!(comment(b"\xb3 \x9d", cp850), "│ Ø");
        assert_eq!(
            name(b"\xa4g1", Charset::parse("cp437").unwrap(), true),
            "ñg1"
        );
    }
}
