//! Moves with the piece letters of another language than English.

use tabia_core::chess::{PieceLetters, Role};
use tabia_core::io::{Charset, decode};

use super::char_class::is_symbol;
use super::non_ascii_tokens::{blank_length, dash_length};

/// Most bytes of a move.
const MAX_MOVE: usize = 24;

/// A move whose piece letters are replaced by the English ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EnglishMove {
    letters: [u8; MAX_MOVE],
    length: usize,
    /// The offset of its end in the text.
    pub(super) end: usize,
}

impl EnglishMove {
    /// The move at `at`; `None` if the text there has none of these letters, or cannot be a move.
    pub(super) fn read(
        letters: &PieceLetters,
        text: &[u8],
        at: usize,
        charset: Charset,
    ) -> Option<Self> {
        let mut found = Self {
            end: at,
            ..Self::default()
        };
        let mut is_open = false;
        while let Some(rest @ [first, ..]) = text.get(found.end..) {
            let is_part = match first {
                b'(' => found.end > at,
                b')' => is_open,
                0x80.. => blank_length(rest).is_none(),
                byte => is_symbol(*byte),
            };
            if !is_part {
                break;
            }
            is_open |= *first == b'(';
            found.end += 1;
            if found.end - at > MAX_MOVE {
                return None;
            }
        }
        let raw = decode(text.get(at..found.end)?, charset);
        let mut rest: &str = &raw;
        let mut is_changed = false;
        while let Some(c) = rest.chars().next() {
            let can_be_piece = matches!(
                found.as_slice(),
                [] | [.., b'=' | b'/' | b'('] | [.., b'a'..=b'h', b'1' | b'8']
            );
            if can_be_piece && let Some((role, length)) = letters.prefix(rest) {
                is_changed = true;
                if role != Role::Pawn {
                    found.push(role.upper_char())?;
                }
                rest = rest.get(length..)?;
                continue;
            }
            let byte = match c {
                '×' => b'x',
                '†' | '‡' => b'+',
                c if c.is_ascii() => c as u8,
                _ if dash_length(rest.as_bytes()) == Some(c.len_utf8()) => b'-',
                _ => return None,
            };
            found.push(byte)?;
            rest = rest.get(c.len_utf8()..)?;
        }
        is_changed.then_some(found)
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
    fn letters_become_english() {
        let read = |language: &str, text: &str| {
            let letters = PieceLetters::of_language(language).unwrap();
            let found = EnglishMove::read(letters, text.as_bytes(), 0, Charset::Auto)?;
            let (token, rest) = (found.as_slice(), &text[found.end..]);
            Some((String::from_utf8_lossy(token).into_owned(), rest.to_owned()))
        };
        for (language, text, expect, rest) in [
            ("de", "Sf3 e5", "Nf3", " e5"),
            ("de", "Dd1xd8+!?", "Qd1xd8+", "!?"),
            ("de", "e8D+ Kd7", "e8Q+", " Kd7"),
            ("de", "dxc1=S#", "dxc1=N#", ""),
            ("de", "e8(T) *", "e8(R)", " *"),
            ("fr", "Rd2)", "Kd2", ")"),
            ("nl", "Pf3", "Nf3", ""),
            ("ru", "Крe2 Кf6", "Ke2", " Кf6"),
            ("ru", "Кf6{x}", "Nf6", "{x}"),
            ("de", "Lb5–a4", "Bb5-a4", ""),
        ] {
            let expect = Some((expect.to_owned(), rest.to_owned()));
            assert_eq!(read(language, text), expect, "{text}");
        }
        for (language, text) in [("de", "e4"), ("de", "Nf3"), ("de", "O-O"), ("de", "½-½")] {
            assert_eq!(read(language, text), None, "{text}");
        }
        let letters = PieceLetters::of_language("ru").unwrap();
        let (cp1251, _, _) = encoding_rs::WINDOWS_1251.encode("Кf6 ");
        let charset = Charset::Fallback(encoding_rs::WINDOWS_1251);
        let found = EnglishMove::read(letters, &cp1251, 0, charset).unwrap();
        assert_eq!((found.as_slice(), found.end), (&b"Nf6"[..], 3));
    }
}
