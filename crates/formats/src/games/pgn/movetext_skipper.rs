//! Skips movetext without playing it, to the end of a variation or a game.

use tabia_core::byte_sets::ByteSet;
use tabia_core::game::GameResult;

use super::char_class::{at_line_start, is_symbol, line_end, symbol_end};
use super::comment_parser;
use super::irregular_tags::begins_tag;
use super::non_ascii_tokens::dash_length;
use super::result_tokens::result_at;

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
                None => at = comment_parser::open_end(text, at),
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
pub(super) fn token_start(text: &[u8], low: usize, at: usize) -> usize {
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

/// The bytes that can begin a comment, a variation, a tag or an escape line, or that are part of a
/// result: all results have one of them.
static MARKS: ByteSet = ByteSet::of_ranges(&[
    (b'%', b'%'),
    (b'(', b'*'),
    (b'-', b'-'),
    (b'/', b'/'),
    (b':', b';'),
    (b'[', b'['),
    (b'{', b'{'),
    (0x80, 0xff),
]);

/// The offset of the next [mark](MARKS) from `at` on, else the end of `text`. A `-` after an `O` is
/// castling and no mark: no result contains that letter.
#[inline]
fn next_mark(text: &[u8], at: usize) -> usize {
    let mut from = at;
    loop {
        let found = MARKS.find(text, from);
        let is_castling = found > at && text.get(found - 1..=found) == Some(b"O-");
        if !is_castling {
            return found;
        }
        from = found + 1;
    }
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
                    None => at = comment_parser::open_end(text, at),
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
