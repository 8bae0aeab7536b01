//! Characters outside ASCII that programs and web pages put into PGN: blanks, dashes, figurines.

use super::char_class::{is_space, is_symbol};
use super::nag_symbols::figurine;

/// The length in bytes of the blank or invisible character at the start of `text` that is not ASCII;
/// `None` if there is none. In UTF-8, or a single byte of windows-1252 and windows-1251.
pub(super) fn blank_length(text: &[u8]) -> Option<usize> {
    Some(match text {
        // No-break space, soft hyphen, next line.
        [0xc2, 0xa0 | 0xad | 0x85, ..] => 2,
        // U+2000 to U+200F, U+2028 to U+202F, U+205F to U+206F, U+1680, U+180E, U+3000, U+FEFF.
        [0xe2, 0x80, 0x80..=0x8f | 0xa8..=0xaf, ..]
        | [0xe2, 0x81, 0x9f..=0xaf, ..]
        | [0xe1, 0x9a, 0x80, ..]
        | [0xe1, 0xa0, 0x8e, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        [0xa0 | 0xad, ..] => 1,
        _ => return None,
    })
}

/// The length in bytes of the character without a width at the start of `text`, which can be within a word: a soft
/// hyphen, a joiner, a variation selector after a figurine.
pub(super) fn invisible_length(text: &[u8]) -> Option<usize> {
    match text {
        // U+00AD, and its byte in windows-1252.
        [0xc2, 0xad, ..] => Some(2),
        [0xad, ..] => Some(1),
        // U+200B to U+200F, U+2060 to U+206F, U+FE00 to U+FE0F, U+FEFF.
        [0xe2, 0x80, 0x8b..=0x8f, ..]
        | [0xe2, 0x81, 0xa0..=0xaf, ..]
        | [0xef, 0xb8, 0x80..=0x8f, ..]
        | [0xef, 0xbb, 0xbf, ..] => Some(3),
        _ => None,
    }
}

/// The offset of the first byte from `at` on that is no blank of any kind.
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while let Some(rest) = text.get(at..) {
        match rest.first() {
            Some(&byte) if is_space(byte) => at += 1,
            Some(0x80..) => match blank_length(rest) {
                Some(length) => at += length,
                None => return at,
            },
            _ => return at,
        }
    }
    at
}

/// The length in bytes of the dash or minus sign at the start of `text` that is not ASCII.
pub(super) fn dash_length(text: &[u8]) -> Option<usize> {
    match text {
        // U+2010 to U+2015, U+2212.
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => Some(3),
        // The two dashes of windows-1252 and windows-1251.
        [0x96 | 0x97, ..] => Some(1),
        _ => None,
    }
}

/// A token in ASCII letters.
#[derive(Debug, Default)]
pub(super) struct AsciiToken {
    letters: [u8; 24],
    length: usize,
    /// The offset of its end in the text.
    pub(super) end: usize,
}

impl AsciiToken {
    /// The move, number or result at `at`, in which dashes, figurines, crosses and daggers are replaced
    /// by ASCII letters, and `e.p.` is left out. `None` if it is too long for one of these.
    pub(super) fn read(text: &[u8], at: usize) -> Option<Self> {
        let mut token = Self {
            end: at,
            ..Self::default()
        };
        while let Some(rest @ [first, ..]) = text.get(token.end..) {
            let (letter, length) = if is_symbol(*first) {
                (*first, 1)
            } else if let Some(length) = dash_length(rest) {
                (b'-', length)
            } else if let Some(letter) = figurine(rest) {
                (if letter == 0 { b'P' } else { letter }, 3)
            } else if let Some(length) = invisible_length(rest).filter(|_| token.length > 0) {
                let after = rest.get(length..).unwrap_or_default();
                match after.first() {
                    // A soft hyphen is the dash of castling.
                    Some(b'O' | b'0' | b'o') if token.is_castling() => token.push(b'-')?,
                    Some(byte) if is_symbol(*byte) || figurine(after).is_some() => {}
                    _ => break,
                }
                token.end += length;
                continue;
            } else {
                match *rest {
                    [0xc3, 0x97, ..] => (b'x', 2),
                    [0xe2, 0x80, 0xa0 | 0xa1, ..] => (b'+', 3),
                    [b'.', b'p', ..] if token.length > 4 && token.as_slice().ends_with(b"e") => {
                        token.length -= 1;
                        token.end += if rest.get(2) == Some(&b'.') { 3 } else { 2 };
                        continue;
                    }
                    [b'(', ref inside @ ..] if token.may_promote() => {
                        let (letter, length) = match figurine(inside) {
                            Some(letter) => (letter, 3),
                            None => (inside.first().copied().unwrap_or_default(), 1),
                        };
                        if !letter.is_ascii_alphabetic() || inside.get(length) != Some(&b')') {
                            break;
                        }
                        token.push(letter)?;
                        token.end += length + 2;
                        continue;
                    }
                    _ => break,
                }
            };
            token.push(letter)?;
            token.end += length;
        }
        Some(token)
    }

    /// Whether it is a part of castling.
    fn is_castling(&self) -> bool {
        let letters = self.as_slice();
        matches!(
            letters,
            [b'O' | b'0' | b'o'] | [_, b'-', b'O' | b'0' | b'o']
        )
    }

    /// Whether a piece in parentheses can follow.
    fn may_promote(&self) -> bool {
        matches!(
            self.as_slice(),
            [.., b'a'..=b'h', b'1' | b'8'] | [.., b'a'..=b'h', b'1' | b'8', b'=']
        )
    }

    fn push(&mut self, letter: u8) -> Option<()> {
        *self.letters.get_mut(self.length)? = letter;
        self.length += 1;
        Some(())
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_web_pages_are_blanks() {
        for blank in [
            "\u{a0}", "\u{ad}", "\u{85}", "\u{2002}", "\u{2009}", "\u{200b}", "\u{200e}",
            "\u{202f}", "\u{2060}", "\u{3000}", "\u{feff}",
        ] {
            let text = format!(" {blank}\n{blank}e4");
            assert_eq!(skip_blanks(text.as_bytes(), 0), text.len() - 2, "{blank:?}");
        }
        assert_eq!(skip_blanks(b"\xa0\xade4", 0), 2);
        assert_eq!(skip_blanks("\u{bd}".as_bytes(), 0), 0);
    }

    #[test]
    fn tokens_become_ascii() {
        for (text, expect, rest) in [
            ("O\u{2013}O\u{2011}O ", "O-O-O", " "),
            ("1\u{2014}0\n", "1-0", "\n"),
            ("bxa8=\u{2655}+ ", "bxa8=Q+", " "),
            ("e8(\u{265b}) ", "e8Q", " "),
            ("e8=(Q)# ", "e8=Q#", " "),
            ("\u{265e}f6\u{d7}e4\u{2020}", "Nf6xe4+", ""),
            ("exf6e.p.+ gxf6", "exf6+", " gxf6"),
            ("e4 (d4)", "e4", " (d4)"),
            ("a8(b7)", "a8", "(b7)"),
            ("N\u{ad}f3 ", "Nf3", " "),
            ("B\u{200b}a\u{feff}4\u{2060} ", "Ba4", "\u{2060} "),
            ("\u{2658}\u{fe0e}f3", "Nf3", ""),
            ("O\u{ad}O\u{ad}O ", "O-O-O", " "),
        ] {
            let token = AsciiToken::read(text.as_bytes(), 0).unwrap();
            assert_eq!(token.as_slice(), expect.as_bytes(), "{text}");
            assert_eq!(&text[token.end..], rest, "{text}");
        }
        assert!(AsciiToken::read(&[b'x'; 25], 0).is_none());
    }
}
