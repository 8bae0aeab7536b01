//! Classes of bytes in movetext and tag pairs, and searches for the end of a run of them.

use tabia_core::byte_sets::ByteSet;
use zerocopy::byteorder::little_endian::{U32, U64};

/// The byte order mark of UTF-8.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The kind of token that a byte begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharClass {
    Space,
    /// A letter with which a move can begin.
    Move,
    Digit,
    Dot,
    /// `{`
    Brace,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `$`
    Dollar,
    /// `!` and `?`
    Mark,
    /// `*`
    Star,
    /// `;`
    Semicolon,
    /// `[`
    Bracket,
    /// `%`
    Percent,
    Other,
}

const CLASSES: [CharClass; 256] = {
    let mut table = [CharClass::Other; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => CharClass::Space,
            b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'O' | b'P' | b'o' => CharClass::Move,
            b'0'..=b'9' => CharClass::Digit,
            b'.' => CharClass::Dot,
            b'{' => CharClass::Brace,
            b'(' => CharClass::Open,
            b')' => CharClass::Close,
            b'$' => CharClass::Dollar,
            b'!' | b'?' => CharClass::Mark,
            b'*' => CharClass::Star,
            b';' => CharClass::Semicolon,
            b'[' => CharClass::Bracket,
            b'%' => CharClass::Percent,
            _ => CharClass::Other,
        };
        i += 1;
    }
    table
};

/// Bytes that can continue a move, a number or a result.
const SYMBOLS: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(
            i as u8,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'
                | b'+' | b'#' | b'=' | b'-' | b':' | b'/' | b'_' | b'@'
        );
        i += 1;
    }
    table
};

/// Letters, digits and `_ + # = : -`, of which tag names consist.
const NAMES: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = (i as u8).is_ascii_alphanumeric()
            || matches!(i as u8, b'_' | b'+' | b'#' | b'=' | b':' | b'-');
        i += 1;
    }
    table
};

#[inline(always)]
pub(super) fn is_name(byte: u8) -> bool {
    NAMES[byte as usize]
}

/// Letters with which a move can begin.
const MOVES: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(CLASSES[i], CharClass::Move);
        i += 1;
    }
    table
};

const SPACES: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = matches!(CLASSES[i], CharClass::Space);
        i += 1;
    }
    table
};

/// Whether a move can begin with `byte`.
#[inline(always)]
pub(super) fn begins_move(byte: u8) -> bool {
    MOVES[byte as usize]
}

#[inline(always)]
pub(super) fn class(byte: u8) -> CharClass {
    CLASSES[byte as usize]
}

#[inline(always)]
pub(super) fn is_symbol(byte: u8) -> bool {
    SYMBOLS[byte as usize]
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    SPACES[byte as usize]
}

#[inline(always)]
pub(super) fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The end of the run of symbols from `at` on.
#[inline(always)]
pub(super) fn symbol_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        if !is_symbol(byte) {
            break;
        }
        at += 1;
    }
    at
}

/// The end of the run of digits from `at` on; the byte at `at` counts as one.
#[inline(always)]
pub(super) fn digits_end(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    end
}

/// `at + 1` if the byte at `at` is a space, else `at`.
#[inline(always)]
pub(super) fn past_space(text: &[u8], at: usize) -> usize {
    at + text
        .get(at)
        .map_or(0, |&byte| usize::from(SPACES[byte as usize]))
}

/// The eight bytes from `at` on, the first in the lowest byte, and the length of the word at their
/// start, which ends at a blank or control character: found without a branch for each byte.
/// `None` if fewer bytes follow or the word is longer.
#[inline(always)]
pub(super) fn word_at(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let bytes = load_u64(text, at)?;
    // The lowest marked byte is the first below `!`; marks above it may be wrong.
    let low = bytes.wrapping_sub(ONES * 0x21) & !bytes & HIGH;
    (low != 0).then(|| (bytes, (low.trailing_zeros() / 8) as usize))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = ONES << 7;

/// The eight bytes from `at` on, the first in the lowest byte.
#[inline(always)]
fn load_u64(text: &[u8], at: usize) -> Option<u64> {
    let bytes = text.get(at..)?.first_chunk()?;
    Some(U64::from_bytes(*bytes).get())
}

/// The end of the tag name that begins at `at`. Letters, the most frequent, are tested eight at a time.
#[inline(always)]
pub(super) fn name_end(text: &[u8], mut at: usize) -> usize {
    while let Some(bytes) = load_u64(text, at) {
        let small = (bytes | (ONES * 0x20)) & !HIGH;
        let from_a = small + ONES * (0x80 - 0x61);
        let from_z = small + ONES * (0x80 - 0x7b);
        let others = (!(from_a ^ from_z) | bytes) & HIGH;
        if others != 0 {
            at += (others.trailing_zeros() / 8) as usize;
            break;
        }
        at += 8;
    }
    while text.get(at).is_some_and(|&byte| is_name(byte)) {
        at += 1;
    }
    at
}

/// Quotes, backslashes and control characters.
pub(super) static SPECIALS: ByteSet =
    ByteSet::of_ranges(&[(0, 0x1f), (b'"', b'"'), (b'\\', b'\\'), (0x7f, 0x7f)]);

/// The offset of the next quote, backslash or control character from `at` on, else the end of `text`.
#[inline(always)]
pub(super) fn value_end(text: &[u8], at: usize) -> usize {
    SPECIALS.find_near(text, at)
}

/// Whether a text contains no quote, backslash or control character.
#[inline(always)]
pub(super) fn is_clean(text: &[u8]) -> bool {
    const BLANKS: u64 = ONES * b' ' as u64;
    if let Some(last) = text.last_chunk() {
        let (chunks, _) = text.as_chunks();
        let marks = |bytes: &[u8; 8]| specials(U64::from_bytes(*bytes).get());
        return chunks
            .iter()
            .fold(marks(last), |all, bytes| all | marks(bytes))
            == 0;
    }
    let bytes = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            let [first, last] = [first, last].map(|&four| u64::from(U32::from_bytes(four).get()));
            first | last << 32
        }
        _ => text
            .iter()
            .fold(BLANKS, |bytes, &byte| bytes << 8 | u64::from(byte)),
    };
    specials(bytes) == 0
}

/// Sets the highest bit of every byte that is a quote, backslash or control character. The lowest mark
/// is right; those above it may be wrong.
#[inline(always)]
fn specials(bytes: u64) -> u64 {
    let is = |byte: u8| {
        let zero = bytes ^ (ONES * u64::from(byte));
        zero.wrapping_sub(ONES) & !zero
    };
    let low = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    (is(b'"') | is(b'\\') | is(0x7f) | low) & HIGH
}

/// The offset of the first byte from `at` on that is not a space.
#[inline(always)]
pub(super) fn skip_spaces(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        if !is_space(byte) {
            break;
        }
        at += 1;
    }
    at
}

/// The end of the line that contains `at`: the offset of its line break, or the end of `text`.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr2(b'\n', b'\r', rest).map_or(text.len(), |found| at + found)
}

/// Whether a line begins at `at`, or before the byte order marks that precede it: a stream is read
/// without the one at its start.
pub(super) fn at_line_start(text: &[u8], at: usize) -> bool {
    let mut before = text.get(..at).unwrap_or_default();
    while let Some(rest) = before.strip_suffix(BOM) {
        before = rest;
    }
    before.last().is_none_or(|&byte| is_newline(byte))
}

/// Whether blanks contain one line break.
pub(super) fn is_one_line_break(blanks: &[u8]) -> bool {
    let mut breaks = 0;
    let mut previous = 0;
    for &byte in blanks {
        breaks += u32::from(is_newline(byte) && !(byte == b'\n' && previous == b'\r'));
        previous = byte;
    }
    breaks == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_found_at_every_offset() {
        for length in 0..20 {
            let clean = vec![b'a'; length];
            assert!(is_clean(&clean));
            assert_eq!(value_end(&clean, 0), length);
            for at in 0..length {
                for byte in 0..=255 {
                    let mut text = clean.clone();
                    text[at] = byte;
                    let special = byte < b' ' || matches!(byte, b'"' | b'\\' | 0x7f);
                    assert_eq!(is_clean(&text), !special, "{text:?}");
                    assert_eq!(value_end(&text, 0), if special { at } else { length });
                }
            }
        }
    }

    #[test]
    fn names_consist_of_letters_digits_and_underscores() {
        for byte in 0..=255 {
            for before in ["", "Event", "WhiteElo", "WhiteFideId", "a_b", "Z9z"] {
                for after in ["", " \"?\"]\r\n[Site"] {
                    let mut text = before.as_bytes().to_vec();
                    text.push(byte);
                    text.extend_from_slice(after.as_bytes());
                    let end = text.iter().position(|&byte| !is_name(byte));
                    assert_eq!(name_end(&text, 0), end.unwrap_or(text.len()), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn words_end_at_blanks() {
        let text = b"Nf3 e4\tQxe5+\r\nabcdefgh ";
        assert_eq!(word_at(text, 0).map(|(_, length)| length), Some(3));
        assert_eq!(word_at(text, 4).map(|(_, length)| length), Some(2));
        assert_eq!(word_at(text, 7).map(|(_, length)| length), Some(5));
        assert_eq!(word_at(text, 14), None);
        assert_eq!(word_at(text, 16), None);
    }
}
