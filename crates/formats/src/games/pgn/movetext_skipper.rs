//! Skips movetext without playing it, to the end of a variation or a game.

use tabia_core::game::GameResult;

use super::char_class::{at_line_start, is_symbol, line_end, symbol_end};
use super::comment_parser;
use super::irregular_tags::begins_unquoted;
use super::non_ascii_tokens::{dash_length, skip_blanks};
use super::tag_parser::is_tag;

/// The token that ends movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MovetextEnd {
    /// The `)` of the variation in which skipping began.
    VariationEnd,
    /// The result, and its length in bytes.
    Result(GameResult, usize),
    /// The first tag of the next game.
    Tag,
    /// The end of the text.
    EndOfText,
}

/// How far [`skip_movetext`] goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SkipTo {
    /// To the `)` of the innermost variation, or to the end of the game if that comes first.
    VariationEnd,
    /// To the end of the game.
    GameEnd,
}

/// Skips movetext from `at`, which is inside `depth` variations, to the result of the game, the next
/// tag or the end of the text, or to the end of the variation. Returns the offset of that token.
pub(super) fn skip_movetext(
    text: &[u8],
    mut at: usize,
    depth: usize,
    to: SkipTo,
) -> (usize, MovetextEnd) {
    let outer = depth;
    let mut depth = depth;
    // The first offset at which the current token can begin.
    let mut low = at;
    loop {
        at = next_mark(text, at);
        let Some(&byte) = text.get(at) else {
            return (text.len(), MovetextEnd::EndOfText);
        };
        match byte {
            b'{' => match comment_parser::end(text, at) {
                Some(end) => at = end + 1,
                None => return (text.len(), MovetextEnd::EndOfText),
            },
            b';' => at = line_end(text, at),
            b'%' if at_line_start(text, at) => at = line_end(text, at),
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                if to == SkipTo::VariationEnd && outer > 0 && depth == outer {
                    return (at, MovetextEnd::VariationEnd);
                }
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b'[' if begins_tag(text, at) => return (at, MovetextEnd::Tag),
            b'[' => at = bracket_end(text, at).unwrap_or(at + 1),
            b'%' => at += 1,
            _ => {
                let start = token_start(text, low, at);
                if let Some((result, length)) = result_at(text, start, depth > 0) {
                    return (start, MovetextEnd::Result(result, length));
                }
                at = symbol_end(text, at).max(character_end(text, at));
            }
        }
        low = at;
    }
}

/// The end of the character at `at`.
fn character_end(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    if text.get(at).is_some_and(|&byte| byte >= 0xc2) {
        while text.get(end).is_some_and(|&byte| byte & 0xc0 == 0x80) {
            end += 1;
        }
    }
    end
}

/// The start, at least `low`, of the token that contains the byte at `at`. The digits after a `$`
/// belong to the NAG, not to the token.
fn token_start(text: &[u8], low: usize, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    if !rest.first().is_some_and(|&byte| is_symbol(byte)) && dash_length(rest).is_none() {
        return at;
    }
    let before = text.get(low..at).unwrap_or_default();
    let length = before.iter().rev().take_while(|&&byte| is_symbol(byte));
    let start = at - length.count();
    if start > low && text.get(start - 1) == Some(&b'$') {
        let token = text.get(start..at).unwrap_or_default();
        start
            + token
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
    } else {
        start
    }
}

/// Bytes that are tested together: the loop over them becomes a few vector instructions.
const STRIDE: usize = 32;
/// [`is_mark`] of every byte.
const MARKS: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = is_mark(i as u8);
        i += 1;
    }
    table
};
/// Bytes that are tested one by one before that.
const NEAR: usize = 12;

/// The offset of the next byte from `at` on that can begin a comment, a variation, a tag or an escape
/// line, or that is part of a result.
#[inline]
fn next_mark(text: &[u8], at: usize) -> usize {
    // The one or two moves between comments are shorter than a stride.
    let near = text.get(at..).unwrap_or_default();
    let near = near.first_chunk::<NEAR>().map_or(near, |near| near);
    if let Some(found) = near.iter().position(|&byte| MARKS[usize::from(byte)]) {
        return at + found;
    }
    let mut tested = at + near.len();
    let rest = text.get(tested..).unwrap_or_default();
    let (chunks, tail) = rest.as_chunks::<STRIDE>();
    for chunk in chunks {
        let mut found = false;
        for &byte in chunk {
            found |= is_mark(byte);
        }
        if found {
            return tested + chunk.iter().position(|&byte| is_mark(byte)).unwrap_or(0);
        }
        tested += STRIDE;
    }
    let found = tail.iter().position(|&byte| is_mark(byte));
    found.map_or(text.len(), |found| tested + found)
}

/// Whether a byte is one of `( ) * % - / : ; [ {` or not ASCII.
#[inline(always)]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "no branches inside a vector loop"
)]
const fn is_mark(byte: u8) -> bool {
    (byte | 1 == b')')
        | (byte == b'*')
        | (byte == b'%')
        | (byte | 2 == b'/')
        | (byte | 1 == b';')
        | (byte | 0x20 == b'{')
        | (byte >= 0x80)
}

/// Whether the `[` at `at` begins a tag, which may be the first of a game.
pub(super) fn begins_tag(text: &[u8], at: usize) -> bool {
    is_tag(text, at) || begins_unquoted(text, at)
}

/// The longest text in brackets that is skipped, in bytes.
const LONGEST_BRACKETS: usize = 4096;

/// The end of the brackets at `at` that begin no tag: they are closed on the same line, with no other
/// bracket before that. A result between them ends no game.
pub(super) fn bracket_end(text: &[u8], at: usize) -> Option<usize> {
    let limit = at.saturating_add(LONGEST_BRACKETS).min(text.len());
    let inside = text.get(at + 1..limit)?;
    let length = memchr::memchr2(b'[', b']', inside)?;
    let is_closed = inside.get(length) == Some(&b']')
        && memchr::memchr2(b'\n', b'\r', inside.get(..length)?).is_none();
    is_closed.then_some(at + 1 + length + 1)
}

/// The result that is the token at `at`, and its length in bytes. Inside a variation (`inner`), and
/// for `0-0`, which can also be castling, only if the game ends after it.
pub(super) fn result_at(text: &[u8], at: usize, inner: bool) -> Option<(GameResult, usize)> {
    let rest = text.get(at..)?;
    let (found, length) = match rest {
        [b'*', ..] => (GameResult::Unknown, 1),
        [b'1' | b'0', ..] => {
            let token = text.get(at..symbol_end(text, at))?;
            match token {
                b"1-0" => (GameResult::WhiteWins, 3),
                b"0-1" => (GameResult::BlackWins, 3),
                b"1/2-1/2" => (GameResult::Draw, 7),
                _ => rare_result(rest)?,
            }
        }
        [b'+' | b'-' | b'=' | b'5' | 0x80.., ..] => {
            // `0.5-0.5`, of which `0.` is read as a move number.
            if let Some(length) = [b"5-0.5", b"5-0,5"]
                .iter()
                .find_map(|half| rest.starts_with(*half).then_some(half.len()))
                && matches!(text.get(..at), Some([.., b'0', b'.' | b',']))
            {
                (GameResult::Draw, length)
            } else {
                rare_result(rest)?
            }
        }
        _ => return None,
    };
    let castling = found == GameResult::BothLose && rest.starts_with(b"0");
    let is_result = !(inner || castling) || game_ends_at(text, at + length);
    is_result.then_some((found, length))
}

/// Whether the game ends at `at`, because nothing or a tag follows.
pub(super) fn game_ends_at(text: &[u8], at: usize) -> bool {
    let next = skip_blanks(text, at);
    match text.get(next) {
        None => true,
        Some(b'[') => begins_tag(text, next),
        _ => false,
    }
}

/// The result at the start of `text` in other spellings than the three usual ones, and its length.
#[cold]
fn rare_result(text: &[u8]) -> Option<(GameResult, usize)> {
    let mut token = [0; 8];
    let (mut length, mut end) = (0, 0);
    while let Some(rest @ [first, ..]) = text.get(end..) {
        let half = match rest {
            [0xc2, 0xbd, ..] => Some(2),
            // Latin-1 and windows-1252.
            [0xbd, ..] => Some(1),
            _ => None,
        };
        let (letters, size): (&[u8], usize) = if let Some(size) = half {
            (b"1/2", size)
        } else if let Some(size) = dash_length(rest) {
            (b"-", size)
        } else if is_symbol(*first) {
            (rest.get(..1)?, 1)
        } else {
            break;
        };
        token
            .get_mut(length..length + letters.len())?
            .copy_from_slice(letters);
        length += letters.len();
        end += size;
    }
    let found = match token.get(..length)? {
        b"1-0" | b"1:0" => GameResult::WhiteWins,
        b"0-1" | b"0:1" => GameResult::BlackWins,
        b"1/2-1/2" | b"1/2" | b"1/2:1/2" => GameResult::Draw,
        b"0-0" | b"0:0" | b"-:-" => GameResult::BothLose,
        b"+:-" => GameResult::WhiteWinsByForfeit,
        b"-:+" => GameResult::BlackWinsByForfeit,
        b"=:=" => GameResult::DrawByForfeit,
        _ => return None,
    };
    Some((found, end))
}

/// The forfeit at `at` that is also the symbol of a NAG (`+--`), and its length, if nothing else
/// follows in the game.
pub(super) fn forfeit_at(text: &[u8], at: usize) -> Option<(GameResult, usize)> {
    let found = match text.get(at..symbol_end(text, at))? {
        b"+--" => GameResult::WhiteWinsByForfeit,
        b"--+" => GameResult::BlackWinsByForfeit,
        _ => return None,
    };
    game_ends_at(text, at + 3).then_some((found, 3))
}

#[cfg(test)]
mod tests {
    use super::super::char_class::{CharClass, class};
    use super::*;

    /// [`skip_movetext`], byte by byte.
    fn skip_slowly(text: &[u8], mut at: usize, outer: usize, to: SkipTo) -> (usize, MovetextEnd) {
        let mut depth = outer;
        loop {
            let Some(&byte) = text.get(at) else {
                return (text.len(), MovetextEnd::EndOfText);
            };
            match class(byte) {
                CharClass::Brace => match comment_parser::end(text, at) {
                    Some(end) => at = end + 1,
                    None => return (text.len(), MovetextEnd::EndOfText),
                },
                CharClass::Semicolon => at = line_end(text, at),
                CharClass::Percent if at_line_start(text, at) => at = line_end(text, at),
                CharClass::Open => {
                    depth += 1;
                    at += 1;
                }
                CharClass::Close if to == SkipTo::VariationEnd && outer > 0 && depth == outer => {
                    return (at, MovetextEnd::VariationEnd);
                }
                CharClass::Close => {
                    depth = depth.saturating_sub(1);
                    at += 1;
                }
                CharClass::Bracket if begins_tag(text, at) => return (at, MovetextEnd::Tag),
                CharClass::Bracket => at = bracket_end(text, at).unwrap_or(at + 1),
                CharClass::Dollar => {
                    at += 1;
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                CharClass::Digit | CharClass::Star | CharClass::Other => {
                    if let Some((result, length)) = result_at(text, at, depth > 0) {
                        return (at, MovetextEnd::Result(result, length));
                    }
                    at = symbol_end(text, at).max(character_end(text, at));
                }
                CharClass::Move => at = symbol_end(text, at),
                _ => at += 1,
            }
        }
    }

    #[test]
    fn skipping_by_strides_equals_skipping_by_bytes() {
        const PARTS: [&[u8]; 32] = [
            b" ",
            b"\n",
            b"\r\n",
            b"1-0",
            b"0-1",
            b"1/2-1/2",
            b"1/2",
            b"0-0",
            b"*",
            b"(",
            b")",
            b"{",
            b"}",
            b"[A \"b\"]",
            b"[%x]",
            b"%",
            b";",
            b"$1",
            b"$",
            b"O-O",
            b"e4",
            b"12.",
            b"\xc2\xbd",
            b"\xbd-\xbd",
            b"+:-",
            b"=:=",
            b"-",
            b"/",
            b"-+",
            b"Nf3 Nc6 e8=Q+ d4",
            b"\xe2",
            b"abcdefgh abcdefgh abcdefgh abcdefgh",
        ];
        let mut random = tabia_testkit::Random::new(7);
        for _ in 0..200_000 {
            let mut text = Vec::new();
            for _ in 0..random.below(16) {
                text.extend_from_slice(PARTS[random.below(32)]);
            }
            for depth in 0..3 {
                for to in [SkipTo::GameEnd, SkipTo::VariationEnd] {
                    assert_eq!(
                        skip_movetext(&text, 0, depth, to),
                        skip_slowly(&text, 0, depth, to),
                        "{}",
                        text.escape_ascii()
                    );
                }
            }
        }
    }

    #[test]
    fn movetext_ends_at_results_parentheses_and_tags() {
        let check = |text: &str, variation: bool, at: usize, end: MovetextEnd| {
            let depth = usize::from(variation);
            let found = skip_movetext(text.as_bytes(), 0, depth, SkipTo::VariationEnd);
            assert_eq!(found, (at, end), "{text}");
        };
        check(
            "e4 (e5) {1-0} 1-0",
            false,
            14,
            MovetextEnd::Result(GameResult::WhiteWins, 3),
        );
        check("e4 (e5 1-0) ) 1-0", true, 12, MovetextEnd::VariationEnd);
        check("0-0 Nf3\n", false, 8, MovetextEnd::EndOfText);
        check(
            "e4 0-0\n",
            false,
            3,
            MovetextEnd::Result(GameResult::BothLose, 3),
        );
        check(
            "e4 ; 1-0\n*",
            false,
            9,
            MovetextEnd::Result(GameResult::Unknown, 1),
        );
        check("e4 e5 [White \"x\"]", false, 6, MovetextEnd::Tag);
        check("e4 {[White \"x\"]}", false, 16, MovetextEnd::EndOfText);
        check(
            "e4 \u{bd}-\u{bd} ",
            false,
            3,
            MovetextEnd::Result(GameResult::Draw, 5),
        );
    }
}
