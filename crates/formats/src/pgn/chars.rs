//! What a byte can be in movetext.

use zerocopy::byteorder::little_endian::U64;

/// What a byte begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Space,
    /// Letters a move can begin with.
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

const CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => Class::Space,
            b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'O' | b'P' | b'o' => Class::Move,
            b'0'..=b'9' => Class::Digit,
            b'.' => Class::Dot,
            b'{' => Class::Brace,
            b'(' => Class::Open,
            b')' => Class::Close,
            b'$' => Class::Dollar,
            b'!' | b'?' => Class::Mark,
            b'*' => Class::Star,
            b';' => Class::Semicolon,
            b'[' => Class::Bracket,
            b'%' => Class::Percent,
            _ => Class::Other,
        };
        i += 1;
    }
    table
};

/// Bytes that go on with a move, a number or a result.
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

#[inline(always)]
pub(super) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

#[inline(always)]
pub(super) fn is_symbol(byte: u8) -> bool {
    SYMBOLS[byte as usize]
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(CLASSES[byte as usize], Class::Space)
}

#[inline(always)]
pub(super) fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Where the run of symbols from `at` ends.
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

/// Where the run of digits from `at` ends, one digit at least.
#[inline(always)]
pub(super) fn digits_end(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    end
}

/// The place behind a blank or line feed at `at`, if there is one.
#[inline(always)]
pub(super) fn past_blank(text: &[u8], at: usize) -> usize {
    at + usize::from(matches!(text.get(at), Some(b' ' | b'\n')))
}

/// Where the word from `at` ends, at a blank or control character, if that is within eight bytes:
/// found without a branch for each byte.
#[inline(always)]
pub(super) fn word_end(text: &[u8], at: usize) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = text.get(at..)?.first_chunk()?;
    let bytes = U64::from_bytes(*word).get();
    // The lowest marked byte is the first below `!`; those above it may be marked wrongly.
    let low = bytes.wrapping_sub(ONES * 0x21) & !bytes & (ONES << 7);
    (low != 0).then(|| at + (low.trailing_zeros() / 8) as usize)
}

/// The first byte from `at` on that is no space.
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

/// The end of the line that `at` is in: the place of its line break, or the end.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    memchr::memchr2(b'\n', b'\r', rest).map_or(text.len(), |found| at + found)
}

/// Whether a line begins at `at`.
pub(super) fn at_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || text.get(at - 1).is_some_and(|&byte| is_newline(byte))
}
