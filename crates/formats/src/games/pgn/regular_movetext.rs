//! Skips movetext that ends with a usual result and contains nothing irregular, 64 bytes at a time.
//!
//! Comments are found by counting braces: a byte is inside a comment if an odd number of braces precedes it,
//! as long as each `{` is followed by a `}` before the next one. Everything else that decides where a
//! game ends is left to [`movetext_skipper`](super::movetext_skipper), which finds the same end.

use tabia_core::byte_sets::{BlockScanner, ByteSet};
use tabia_core::game::GameResult;

use super::char_class::symbol_end;
use super::movetext_skipper::token_start;
use super::result_tokens::result_at;

/// The bytes that can begin a variation, a tag, a comment of a line or an escape line, or that are part of a
/// result; without the `-` of castling, since no result contains an `O`. Then braces, and the
/// beginning of the first tag of a game.
static SCANNER: BlockScanner = BlockScanner::new(
    ByteSet::of_ranges(&[
        (b'%', b'%'),
        (b'(', b'*'),
        (b'-', b'-'),
        (b'/', b'/'),
        (b':', b';'),
        (b'[', b'['),
        (0x80, 0xff),
    ]),
    *b"O-",
    b'{',
    b'}',
    *b"[E",
);

/// Skips movetext from `at` to the result that ends the game, and returns it and its end. `None` if there is
/// anything irregular before it, or something that may be the next game, also inside a comment.
pub(super) fn skip(text: &[u8], at: usize) -> Option<(GameResult, usize)> {
    // All bits if the block begins inside a comment.
    let mut inside = 0_u64;
    let mut tokens = Tokens {
        text,
        depth: 0,
        low: at,
    };
    let found = SCANNER.scan(text, at, |block_at, masks| {
        let braces = masks.open | masks.close;
        let mut comments = inside;
        if braces | inside != 0 {
            comments ^= prefix_parity(braces);
            if braces & comments != masks.open || masks.pair & comments != 0 {
                return Some(End::Irregular);
            }
            inside = (comments.cast_signed() >> 63).cast_unsigned();
        }
        let marks = masks.set & !comments;
        if marks == 0 {
            return None;
        }
        tokens.read(block_at, marks)
    });
    match found {
        Some(End::Result(result, end)) => Some((result, end)),
        Some(End::Irregular) | None => None,
    }
}

/// Where skipping ends.
enum End {
    /// The result that ends the game, and its end.
    Result(GameResult, usize),
    /// Before something that [`skip_movetext`](super::movetext_skipper::skip_movetext) has to look at.
    Irregular,
}

/// The tokens outside of comments.
struct Tokens<'t> {
    text: &'t [u8],
    /// The number of open variations.
    depth: usize,
    /// The first offset at which the current token can begin.
    low: usize,
}

impl Tokens<'_> {
    /// Reads the tokens that contain the `marks` of the block at `block_at`; `None` if skipping goes on.
    #[inline(never)]
    fn read(&mut self, block_at: usize, marks: u64) -> Option<End> {
        let text = self.text;
        let mut marks = marks;
        while marks != 0 {
            let mark = block_at + marks.trailing_zeros() as usize;
            marks &= marks - 1;
            if mark < self.low {
                continue;
            }
            match text.get(mark) {
                Some(b'(') => self.depth += 1,
                Some(b')') => self.depth = self.depth.saturating_sub(1),
                Some(b'*' | b'-' | b'/' | b':') => {
                    let start = token_start(text, self.low, mark);
                    match result_at(text, start, false) {
                        Some((result, length)) => {
                            let is_usual = self.depth == 0 && !result.is_special();
                            return Some(if is_usual {
                                End::Result(result, start + length)
                            } else {
                                End::Irregular
                            });
                        }
                        None => self.low = symbol_end(text, mark).max(mark + 1),
                    }
                }
                _ => return Some(End::Irregular),
            }
        }
        None
    }
}

/// For each bit, whether the number of bits up to it, itself included, is an odd number.
#[inline(always)]
fn prefix_parity(mut bits: u64) -> u64 {
    for distance in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << distance;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::super::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
    use super::*;

    #[test]
    fn regular_movetext_ends_where_skipping_ends() {
        const PARTS: [&[u8]; 34] = [
            b" ",
            b"\n",
            b" 1-0\n",
            b" 1/2-1/2\r\n",
            b" 0-1",
            b" *",
            b"1-0",
            b" 0-0 ",
            b"0-0-0",
            b"(",
            b")",
            b" (12. Nf3 (12. Nc3) Nc6) ",
            b"{",
            b"}",
            b"{ a comment of 1-0 with (parentheses; and [%clk 0:01:00]) that is a little longer }",
            b"{[%clk 0:01:00]}",
            b"{\n[Event \"x\"]\n}",
            b"{[E}",
            b"[White \"b\"]",
            b"[%x]",
            b"%",
            b"; 1-0",
            b"$1",
            b"$11-0",
            b"O-O",
            b"O-O-O+ ",
            b"e2-e4",
            b"12.",
            b"\xc2\xbd",
            b"+:-",
            b"-",
            b"/",
            b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7\n6. Re1 b5 7. Bb3 d6 ",
            b"1. e4 e5 2. Nf3 Nc6 ",
        ];
        let mut random = tabia_testkit::Random::new(5);
        let mut regular = 0;
        for round in 0..100_000 {
            let mut text = b"]".to_vec();
            // Regular games need few of the others.
            let parts = if round % 2 == 0 { PARTS.len() } else { 4 };
            for _ in 0..random.below(12) {
                let part = match random.below(4) {
                    0 => PARTS[random.below(parts)],
                    1 => PARTS[[11, 14, 15, 25][random.below(4)]],
                    _ => PARTS[PARTS.len() - 1 - random.below(2)],
                };
                text.extend_from_slice(part);
            }
            text.extend_from_slice(b" 1-0\n\n[Event \"next\"]\n");
            text.resize(text.len() + random.below(140), b' ');
            let Some((result, end)) = skip(&text, 1) else {
                continue;
            };
            regular += 1;
            let (start, found) = skip_movetext(&text, 1, 0, SkipTo::GameEnd);
            let expected = MovetextEnd::Result(result, end - start);
            assert_eq!(found, expected, "{}", text.escape_ascii());
        }
        assert!(regular > 20_000, "{regular}");
    }

    #[test]
    fn what_may_be_the_next_game_is_irregular() {
        let skip = |text: &str| skip(format!(" {text}{}", " ".repeat(200)).as_bytes(), 1);
        assert_eq!(skip("1. e4 {x} 1-0"), Some((GameResult::WhiteWins, 14)));
        assert_eq!(
            skip("1. e4 {(1-0} (1. d4) 1/2-1/2"),
            Some((GameResult::Draw, 29))
        );
        for text in [
            "1. e4",
            "1. e4 {x 1-0",
            "1. e4 {x {y} 1-0} 1-0",
            "1. e4 x} 1-0",
            "1. e4 {\n\n[Event \"b\"]} 1-0",
            "1. e4 [White \"b\"] 1-0",
            "1. e4 (e5 1-0",
            "1. e4 +:- ",
            "1. e4 ; 1-0\n 1-0",
        ] {
            assert_eq!(skip(text), None, "{text}");
        }
    }

    #[test]
    fn parity_counts_from_the_lowest_bit() {
        assert_eq!(prefix_parity(0b1001_0010), !0x7f | 0b1110);
        assert_eq!(prefix_parity(0), 0);
        assert_eq!(prefix_parity(1), u64::MAX);
    }
}
