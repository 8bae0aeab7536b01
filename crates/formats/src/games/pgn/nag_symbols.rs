//! Symbols of NAGs: suffixes of moves (`!?`) and separate tokens (`+-`).

/// The NAG of the `!` and `?` at the start of `text`, and its length in bytes: `!?!` is `!?` and `!`.
pub(super) fn suffix(text: &[u8]) -> Option<(u8, usize)> {
    Some(match text {
        [b'!', b'!', ..] => (3, 2),
        [b'?', b'?', ..] => (4, 2),
        [b'!', b'?', ..] => (5, 2),
        [b'?', b'!', ..] => (6, 2),
        [b'!', ..] => (1, 1),
        [b'?', ..] => (2, 1),
        _ => return None,
    })
}

/// ASCII tokens; a token comes before those that are its prefix.
const ASCII: &[(&str, u8)] = &[
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+--", 20),
    ("--+", 21),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("RR", 145),
    ("N", 146),
    ("D", 220),
    ("=", 10),
    ("~", 13),
];

/// Non-ASCII tokens. NAGs up to 139 are defined by the PGN standard, the others by ChessBase.
const UNICODE: &[(&str, u8)] = &[
    ("\u{203c}", 3),
    ("\u{2047}", 4),
    ("\u{2049}", 5),
    ("\u{2048}", 6),
    ("\u{25a1}", 7),
    ("\u{221e}", 13),
    ("\u{2a72}", 14),
    ("\u{2a71}", 15),
    ("\u{b1}", 16),
    ("\u{2213}", 17),
    ("+\u{2212}", 18),
    ("\u{2212}+", 19),
    ("\u{2a00}", 22),
    ("\u{27f3}", 32),
    ("\u{2191}", 36),
    ("\u{2192}", 40),
    ("=\u{221e}", 44),
    ("\u{21c6}", 132),
    ("\u{2295}", 138),
    ("\u{2206}", 140),
    ("\u{25b3}", 140),
    ("\u{2313}", 142),
];

/// The NAG whose ASCII symbol is `text`.
pub(super) fn token(text: &[u8]) -> Option<u8> {
    ASCII
        .iter()
        .find(|(symbol, _)| symbol.as_bytes() == text)
        .map(|&(_, nag)| nag)
}

/// The NAG whose non-ASCII symbol `text` begins with, and the length of the symbol in bytes.
pub(super) fn unicode(text: &[u8]) -> Option<(u8, usize)> {
    if let Some((symbol, nag)) = UNICODE
        .iter()
        .find(|(symbol, _)| text.starts_with(symbol.as_bytes()))
    {
        return Some((*nag, symbol.len()));
    }
    // ± is the only one in windows-1252 and Latin-1.
    match text {
        [0xb1, next, ..] if !(0x80..0xc0).contains(next) => Some((16, 1)),
        [0xb1] => Some((16, 1)),
        _ => None,
    }
}

/// Splits an evaluation from the end of a move (`e4+-`, `Nf3=`): the move and the NAG.
pub(super) fn split_evaluation(text: &[u8]) -> Option<(&[u8], u8)> {
    ASCII
        .iter()
        .filter(|(symbol, _)| !symbol.as_bytes()[0].is_ascii_alphabetic())
        .find_map(|(symbol, nag)| Some((text.strip_suffix(symbol.as_bytes())?, *nag)))
        .filter(|(rest, _)| rest.len() > 1)
}

/// The letter of the piece whose figurine (`\u{2654}` to `\u{265f}`, three bytes) is at the start of
/// `text`; 0 for a pawn, which has no letter.
pub(super) fn figurine(text: &[u8]) -> Option<u8> {
    match text {
        [0xe2, 0x99, last @ 0x94..=0x9f, ..] => [b'K', b'Q', b'R', b'B', b'N', 0]
            .get(usize::from((last - 0x94) % 6))
            .copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_nags() {
        assert_eq!(suffix(b"!?!"), Some((5, 2)));
        assert_eq!(token(b"+/-"), Some(16));
        assert_eq!(token(b"N"), Some(146));
        assert_eq!(token(b"Nf3"), None);
        assert_eq!(unicode("=\u{221e} x".as_bytes()), Some((44, 4)));
        assert_eq!(unicode(b"\xb1 "), Some((16, 1)));
        assert_eq!(split_evaluation(b"Qh5+-"), Some((b"Qh5".as_slice(), 18)));
        assert_eq!(figurine("\u{265e}f6".as_bytes()), Some(b'N'));
    }
}
