//! UTF-8 sequences inside texts of a single-byte set.

use encoding_rs::{Encoding, WINDOWS_1252};

/// Decodes bytes of a single-byte set with UTF-8 sequences among them.
pub(super) fn decode_mixed(bytes: &[u8], page: &'static Encoding) -> String {
    let mut out = String::with_capacity(bytes.len() + bytes.len() / 4);
    let (mut at, mut plain) = (0, 0);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((character, length)) = utf8_sequence(rest, page) else {
            at += 1;
            continue;
        };
        let before = bytes.get(plain..at).unwrap_or_default();
        out.push_str(&page.decode_without_bom_handling(before).0);
        out.push(character);
        at += length;
        plain = at;
    }
    let before = bytes.get(plain..).unwrap_or_default();
    out.push_str(&page.decode_without_bom_handling(before).0);
    out
}

/// The character of a UTF-8 sequence of two bytes or more at the start of a text in a single-byte set,
/// and its length. `None` if there is none, or if its bytes may be meant as characters of the set: only
/// Latin and Cyrillic letters (in windows-1252), punctuation and symbols, private code points of
/// ChessBase and emoji are taken for UTF-8.
pub(super) fn utf8_sequence(bytes: &[u8], page: &'static Encoding) -> Option<(char, usize)> {
    let length = match bytes.first()? {
        0xc2..=0xc5 | 0xc8 | 0xd0..=0xd1 if page == WINDOWS_1252 => 2,
        0xe1..=0xe2 | 0xee..=0xef => 3,
        0xf0 => 4,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    let character = text.chars().next()?;
    let is_meant = matches!(
        character,
        '\u{a0}'..='\u{17f}'
            | '\u{218}'..='\u{21b}'
            | '\u{400}'..='\u{44f}'
            | '\u{1e00}'..='\u{1eff}'
            | '\u{2000}'..='\u{2bff}'
            | '\u{e000}'..='\u{e02f}'
            | '\u{fb00}'..='\u{fb06}'
            | '\u{feff}'
            | '\u{1f000}'..
    );
    is_meant.then_some((character, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_of_utf8_inside_single_byte_texts_are_decoded() {
        for (bytes, text) in [
            (&b"\xc5\xbdlebc\xedk"[..], "Žlebcík"),
            (
                b"sch\xf6n \xe2\x80\xa6 \xee\x80\xa8f3",
                "schön … \u{e028}f3",
            ),
            // A capital and a quotation mark, not a letter of the International Phonetic Alphabet.
            (b"\xabFINALIT\xc9\xbb", "«FINALITÉ»"),
            (b"\xe9\xc3", "éÃ"),
        ] {
            assert_eq!(decode_mixed(bytes, WINDOWS_1252), text);
        }
        // In other sets capitals are followed by such bytes.
        let cyrillic = encoding_rs::WINDOWS_1251;
        assert_eq!(
            decode_mixed(b"\xc4\xbb \xe2\x80\x94 \xe0", cyrillic),
            "Д» — а"
        );
    }
}
