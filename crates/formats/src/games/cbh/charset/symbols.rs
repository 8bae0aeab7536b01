//! The symbols of the ChessBase font: their bytes in single-byte texts and their private code points in
//! UTF-8 texts.

/// A byte of the ChessBase font, its Unicode symbol, and its private code point in UTF-8 texts of
/// ChessBase (0 if unknown). Names from scidb, code points measured by cbvault on ChessBase's own
/// export.
pub(super) const SYMBOLS: &[(u8, char, u32)] = &[
    (0x82, '\u{2192}', 0xe013), // attack
    (0x83, '\u{2191}', 0xe012), // initiative
    (0x84, '\u{21c6}', 0xe017), // counterplay
    (0x85, '\u{2206}', 0xe00d), // with the idea
    (0x86, '\u{25cb}', 0xe023), // space
    (0x87, '\u{2a00}', 0xe01d), // zugzwang
    (0x89, '\u{e02d}', 0xe02d), // a mark of layout, without a sign
    (0x90, '\u{27f3}', 0),      // development
    (0x91, '\u{21d4}', 0xe018), // line
    (0x92, '\u{21d7}', 0xe019), // diagonal
    (0x93, '\u{2295}', 0xe01c), // time trouble
    (0x94, '\u{229e}', 0xe01e), // centre
    (0x99, '\u{25a1}', 0xe021), // only move
    (0xa2, '\u{2654}', 0xe024), // king
    (0xa3, '\u{2655}', 0xe025), // queen
    (0xa4, '\u{2658}', 0xe028), // knight
    (0xa5, '\u{2657}', 0xe027), // bishop
    (0xa6, '\u{2656}', 0xe026), // rook
    (0xa7, '\u{2659}', 0xe029), // pawn
    (0xaa, '\u{221f}', 0xe01b), // with
    (0xab, '\u{27ea}', 0xe00e), // queenside
    (0xac, '\u{27c2}', 0xe01f), // endgame
    (0xad, '\u{2bba}', 0xe001), // bishop pair
    (0xae, '\u{2bbb}', 0xe002), // opposite bishops
    (0xaf, '\u{2bbc}', 0xe003), // bishops of the same colour
    (0xb0, '\u{2bf9}', 0xe000), // with compensation
    (0xb2, '\u{2a72}', 0xe02f), // White slightly better
    (0xb3, '\u{2a71}', 0xe02e), // Black slightly better
    (0xb5, '\u{2213}', 0xe01a), // Black better
    (0xb9, '\u{2313}', 0xe020), // better is
    (0xba, '\u{2bfe}', 0),      // without
    (0xbb, '\u{27eb}', 0xe00f), // kingside
    (0xf7, '\u{221e}', 0xe009), // unclear
    (0xfe, '\u{2bfd}', 0xe008), // passed pawn
];

/// Further private code points; their symbols are written in another way.
const OTHER_PRIVATE: [(u32, char); 5] = [
    (0xe004, '\u{2a71}'), // Black slightly better
    (0xe007, '\u{2a72}'), // White slightly better
    (0xe00a, '±'),        // White better
    (0xe00c, '\u{2313}'), // better is
    (0xe010, '×'),        // weak point
];

/// Cyrillic letters that ChessBase's conversion from windows-1251 took for symbols: where these touch
/// another Cyrillic letter they are such a letter.
const DAMAGED_LETTERS: [(u32, char); 6] = [
    (0xe004, 'і'),
    (0xe02e, 'і'),
    (0xe007, 'І'),
    (0xe02f, 'І'),
    (0xe008, 'ю'),
    (0xe009, 'ч'),
];

/// The symbol with the lowest code point.
const FIRST_SYMBOL: char = '\u{2191}';
/// The private code points.
const PRIVATE: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{e02f}';
/// The private code point of a diagram mark.
pub(super) const DIAGRAM_SIGN: char = '\u{e005}';

/// The symbol of a byte of the font; `None` for other bytes.
pub(super) fn symbol_of(byte: u8) -> Option<char> {
    let found = SYMBOLS.iter().find(|(other, ..)| *other == byte);
    found.map(|(_, symbol, _)| *symbol)
}

/// The byte of a symbol; `None` for other characters.
pub(super) fn symbol_byte(c: char) -> Option<u8> {
    if c < FIRST_SYMBOL {
        return None;
    }
    let found = SYMBOLS.iter().find(|(_, symbol, _)| *symbol == c);
    found.map(|(byte, ..)| *byte)
}

/// Whether a text has a private code point.
pub(super) fn has_private(text: &str) -> bool {
    memchr::memchr(0xee, text.as_bytes()).is_some() && text.chars().any(|c| PRIVATE.contains(&c))
}

/// The symbol or letter of a private code point between two characters; other characters unchanged.
pub(super) fn from_private(before: char, c: char, after: char) -> char {
    if !PRIVATE.contains(&c) {
        return c;
    }
    let code = u32::from(c);
    let is_cyrillic = |c: char| ('\u{400}'..='\u{4ff}').contains(&c);
    if (is_cyrillic(before) || is_cyrillic(after))
        && let Some((_, letter)) = DAMAGED_LETTERS.iter().find(|(damaged, _)| *damaged == code)
    {
        return *letter;
    }
    let symbols = SYMBOLS
        .iter()
        .map(|(_, symbol, private)| (*private, *symbol));
    let mut all = symbols.chain(OTHER_PRIVATE);
    all.find(|(private, _)| *private == code)
        .map_or(c, |(_, symbol)| symbol)
}

/// The private code point of a symbol; other characters unchanged.
pub(super) fn to_private(c: char) -> char {
    if c < FIRST_SYMBOL {
        return c;
    }
    let found = SYMBOLS
        .iter()
        .find(|(_, symbol, private)| *symbol == c && *private != 0);
    found
        .and_then(|(_, _, private)| char::from_u32(*private))
        .unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_tables_are_consistent() {
        for (byte, symbol, private) in SYMBOLS {
            assert!(*symbol >= FIRST_SYMBOL, "{symbol}");
            assert_eq!(symbol_byte(*symbol), Some(*byte));
            assert_eq!(symbol_of(*byte), Some(*symbol));
            if let Some(private) = char::from_u32(*private).filter(|c| *c != '\0') {
                assert_eq!(from_private(' ', private, ' '), *symbol);
                assert_eq!(to_private(*symbol), private);
            }
        }
    }

    #[test]
    fn symbols_inside_cyrillic_words_are_letters() {
        assert_eq!(from_private('л', '\u{e008}', 'е'), 'ю');
        assert_eq!(from_private(' ', '\u{e009}', 'е'), 'ч');
        assert_eq!(from_private(' ', '\u{e009}', ' '), '∞');
        assert_eq!(from_private('x', '\u{e005}', 'я'), '\u{e005}');
    }
}
