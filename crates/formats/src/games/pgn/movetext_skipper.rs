//! Going over movetext without playing it: where a line or a game ends.

use tabia_core::game::GameResult;

use super::char_class::{
    at_line_start, is_name, is_space, is_symbol, line_end, skip_spaces, symbol_end,
};

/// What ends a stretch of movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// `)` of the line that was skipped.
    Close,
    /// The result, which is that many bytes long.
    Result(GameResult, usize),
    /// The first tag of the next game.
    Tag,
    /// The end of the text.
    Text,
}

/// Goes from `at`, which lies inside `depth` variations, to the end of the game: its result, the
/// next tag or the end of the text; with `line` no further than the `)` that closes the innermost
/// variation. Returns the place and what is there.
pub(super) fn skip(text: &[u8], mut at: usize, depth: usize, line: bool) -> (usize, End) {
    let outer = depth;
    let mut depth = depth;
    // Where the token that is looked at can begin at the earliest.
    let mut low = at;
    loop {
        at = next_mark(text, at);
        let Some(&byte) = text.get(at) else {
            return (text.len(), End::Text);
        };
        match byte {
            b'{' => {
                let rest = text.get(at..).unwrap_or_default();
                match memchr::memchr(b'}', rest) {
                    Some(length) => at += length + 1,
                    None => return (text.len(), End::Text),
                }
            }
            b';' => at = line_end(text, at),
            b'%' if at_line_start(text, at) => at = line_end(text, at),
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                if line && outer > 0 && depth == outer {
                    return (at, End::Close);
                }
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b'[' if is_tag(text, at) => return (at, End::Tag),
            b'[' | b'%' => at += 1,
            _ => {
                let start = token_start(text, low, at);
                if let Some((result, length)) = result(text, start, depth > 0) {
                    return (start, End::Result(result, length));
                }
                at = symbol_end(text, at).max(at + 1);
            }
        }
        low = at;
    }
}

/// Where the token begins that holds the byte at `at`, not before `low`: the digits of a NAG
/// belong to the NAG.
fn token_start(text: &[u8], low: usize, at: usize) -> usize {
    if !text.get(at).is_some_and(|&byte| is_symbol(byte)) {
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

/// How many bytes are looked at in one go: the loop over them becomes a few vector instructions.
const STRIDE: usize = 32;
/// What [`is_mark`] says, for single bytes.
const MARKS: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = is_mark(i as u8);
        i += 1;
    }
    table
};
/// How many bytes are looked at one by one before that.
const NEAR: usize = 12;

/// The next byte from `at` on that can begin a comment, a variation, a tag or an escape line, or
/// that is part of a result.
#[inline]
fn next_mark(text: &[u8], at: usize) -> usize {
    // A move or two between comments are over sooner than the vectors are filled.
    let near = text.get(at..).unwrap_or_default();
    let near = near.first_chunk::<NEAR>().map_or(near, |near| near);
    if let Some(found) = near.iter().position(|&byte| MARKS[usize::from(byte)]) {
        return at + found;
    }
    let mut passed = at + near.len();
    let rest = text.get(passed..).unwrap_or_default();
    let (chunks, tail) = rest.as_chunks::<STRIDE>();
    for chunk in chunks {
        let mut found = false;
        for &byte in chunk {
            found |= is_mark(byte);
        }
        if found {
            return passed + chunk.iter().position(|&byte| is_mark(byte)).unwrap_or(0);
        }
        passed += STRIDE;
    }
    let found = tail.iter().position(|&byte| is_mark(byte));
    found.map_or(text.len(), |found| passed + found)
}

/// The bytes `( ) * % - / : ; [ {` and all beyond ASCII.
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

/// Whether a tag pair stands at `at`, which is a `[`: a name and a quote.
pub(super) fn is_tag(text: &[u8], at: usize) -> bool {
    let mut i = at + 1;
    while matches!(text.get(i), Some(b' ' | b'\t')) {
        i += 1;
    }
    let name = i;
    while text.get(i).is_some_and(|&byte| is_name(byte)) {
        i += 1;
    }
    if i == name {
        return false;
    }
    while text.get(i).is_some_and(|&byte| is_space(byte)) {
        i += 1;
    }
    text.get(i) == Some(&b'"')
}

/// The result that stands at `at` as a token of its own, and its length. Inside a variation
/// (`inner`), and for `0-0`, which is castling as well, only when nothing of the game follows.
pub(super) fn result(text: &[u8], at: usize, inner: bool) -> Option<(GameResult, usize)> {
    let rest = text.get(at..)?;
    let (found, length, castling) = match rest {
        [b'*', ..] => (GameResult::Unknown, 1, false),
        [b'1' | b'0', ..] => {
            let end = symbol_end(text, at);
            let token = text.get(at..end)?;
            let found = match token {
                b"1-0" => GameResult::WhiteWins,
                b"0-1" => GameResult::BlackWins,
                b"1/2-1/2" | b"1/2" => GameResult::Draw,
                b"0-0" => GameResult::BothLose,
                _ => return None,
            };
            (found, token.len(), token == b"0-0")
        }
        _ => {
            let (found, length) = [
                ("\u{bd}-\u{bd}", GameResult::Draw),
                ("\u{bd}", GameResult::Draw),
                ("+:-", GameResult::WhiteWinsByForfeit),
                ("-:+", GameResult::BlackWinsByForfeit),
                ("=:=", GameResult::DrawByForfeit),
                ("-:-", GameResult::BothLose),
            ]
            .into_iter()
            .find(|(known, _)| rest.starts_with(known.as_bytes()))
            .map(|(known, found)| (found, known.len()))
            // Latin-1 and windows-1252.
            .or(rest
                .starts_with(b"\xbd-\xbd")
                .then_some((GameResult::Draw, 3)))?;
            (found, length, false)
        }
    };
    if inner || castling {
        let next = skip_spaces(text, at + length);
        let last = match text.get(next) {
            None => true,
            Some(b'[') => is_tag(text, next),
            _ => false,
        };
        if !last {
            return None;
        }
    }
    Some((found, length))
}

#[cfg(test)]
mod tests {
    use super::super::char_class::{Class, class};
    use super::*;

    /// The same, byte by byte.
    fn slowly(text: &[u8], mut at: usize, outer: usize, line: bool) -> (usize, End) {
        let mut depth = outer;
        loop {
            let Some(&byte) = text.get(at) else {
                return (text.len(), End::Text);
            };
            match class(byte) {
                Class::Brace => match memchr::memchr(b'}', &text[at..]) {
                    Some(length) => at += length + 1,
                    None => return (text.len(), End::Text),
                },
                Class::Semicolon => at = line_end(text, at),
                Class::Percent if at_line_start(text, at) => at = line_end(text, at),
                Class::Open => {
                    depth += 1;
                    at += 1;
                }
                Class::Close if line && outer > 0 && depth == outer => return (at, End::Close),
                Class::Close => {
                    depth = depth.saturating_sub(1);
                    at += 1;
                }
                Class::Bracket if is_tag(text, at) => return (at, End::Tag),
                Class::Dollar => {
                    at += 1;
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                Class::Digit | Class::Star | Class::Other => {
                    if let Some((result, length)) = result(text, at, depth > 0) {
                        return (at, End::Result(result, length));
                    }
                    at = symbol_end(text, at).max(at + 1);
                }
                Class::Move => at = symbol_end(text, at),
                _ => at += 1,
            }
        }
    }

    #[test]
    fn every_byte_counts_the_same() {
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
        let mut seed = 7_u64;
        for _ in 0..200_000 {
            let mut text = Vec::new();
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let mut bits = seed >> 8;
            for _ in 0..seed >> 60 {
                text.extend_from_slice(PARTS[(bits % 32) as usize]);
                bits = bits.rotate_right(5).wrapping_mul(0x9e3779b97f4a7c15);
            }
            for depth in 0..3 {
                for line in [false, true] {
                    let fast = skip(&text, 0, depth, line);
                    assert_eq!(
                        fast,
                        slowly(&text, 0, depth, line),
                        "{}",
                        text.escape_ascii()
                    );
                }
            }
        }
    }

    #[test]
    fn ends_of_lines() {
        let check = |text: &str, variation: bool, at: usize, end: End| {
            let depth = usize::from(variation);
            assert_eq!(skip(text.as_bytes(), 0, depth, true), (at, end), "{text}");
        };
        check(
            "e4 (e5) {1-0} 1-0",
            false,
            14,
            End::Result(GameResult::WhiteWins, 3),
        );
        check("e4 (e5 1-0) ) 1-0", true, 12, End::Close);
        check("0-0 Nf3\n", false, 8, End::Text);
        check("e4 0-0\n", false, 3, End::Result(GameResult::BothLose, 3));
        check("e4 ; 1-0\n*", false, 9, End::Result(GameResult::Unknown, 1));
        check("e4 e5 [White \"x\"]", false, 6, End::Tag);
        check("e4 {[White \"x\"]}", false, 16, End::Text);
        check(
            "e4 \u{bd}-\u{bd} ",
            false,
            3,
            End::Result(GameResult::Draw, 5),
        );
    }
}
