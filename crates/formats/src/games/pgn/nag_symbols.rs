//! Symbols that stand for NAGs: suffixes of moves and tokens of their own.

/// The NAG of a run of `!` and `?`, with the number of its bytes: `!?!` is `!?` and `!`.
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

/// Tokens in ASCII; the longer ones first where one begins another.
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

/// Tokens outside ASCII. Numbers up to 139 are those of the PGN standard, the others ChessBase's.
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

/// The NAG of a whole token in ASCII.
pub(super) fn token(text: &[u8]) -> Option<u8> {
    ASCII
        .iter()
        .find(|(known, _)| known.as_bytes() == text)
        .map(|&(_, nag)| nag)
}

/// The NAG that `text` begins with, outside ASCII, and its length in bytes.
pub(super) fn unicode(text: &[u8]) -> Option<(u8, usize)> {
    if let Some((known, nag)) = UNICODE
        .iter()
        .find(|(known, _)| text.starts_with(known.as_bytes()))
    {
        return Some((*nag, known.len()));
    }
    // windows-1252 and Latin-1 have ± alone.
    match text {
        [0xb1, next, ..] if !(0x80..0xc0).contains(next) => Some((16, 1)),
        [0xb1] => Some((16, 1)),
        _ => None,
    }
}

/// An evaluation glued to the end of a move (`e4+-`, `Nf3=`): its NAG and the move without it.
pub(super) fn glued(text: &[u8]) -> Option<(&[u8], u8)> {
    ASCII
        .iter()
        .filter(|(known, _)| !known.as_bytes()[0].is_ascii_alphabetic())
        .find_map(|(known, nag)| Some((text.strip_suffix(known.as_bytes())?, *nag)))
        .filter(|(rest, _)| rest.len() > 1)
}

/// The letter of a figurine (`\u{2654}` to `\u{265f}`) at the start of `text`, which is always
/// three bytes; 0 for a pawn, which has none.
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
    fn symbols_are_read() {
        assert_eq!(suffix(b"!?!"), Some((5, 2)));
        assert_eq!(token(b"+/-"), Some(16));
        assert_eq!(token(b"N"), Some(146));
        assert_eq!(token(b"Nf3"), None);
        assert_eq!(unicode("=\u{221e} x".as_bytes()), Some((44, 4)));
        assert_eq!(unicode(b"\xb1 "), Some((16, 1)));
        assert_eq!(glued(b"Qh5+-"), Some((b"Qh5".as_slice(), 18)));
        assert_eq!(figurine("\u{265e}f6".as_bytes()), Some(b'N'));
    }
}
