//! The form of movetext, for text that may or may not be some.

use super::char_class::symbol_end;

/// Whether the token at `at` has the form of a token of movetext: a number, a move in any language, a
/// result, an annotation, a bracket of a variation.
pub(super) fn looks_like_movetext(text: &[u8], at: usize) -> bool {
    let Some(rest @ [first, ..]) = text.get(at..) else {
        return false;
    };
    if matches!(
        first,
        b'0'..=b'9' | b'*' | b'(' | b')' | b'$' | b'{' | b';' | b'!' | b'?'
    ) {
        return true;
    }
    let token = rest.get(..symbol_end(rest, 0)).unwrap_or_default();
    if matches!(token, b"--" | b"Z0" | [b'O' | b'o', b'-', b'O' | b'o', ..]) {
        return true;
    }
    // The squares of a move: a file followed by a rank, with no other lower-case letters than files, a
    // cross and a promotion.
    let has_square = token
        .windows(2)
        .any(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']));
    let is_letter = |byte: &u8| matches!(byte, b'a'..=b'h' | b'x' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'#' | b'=' | b'-' | b':');
    has_square && token.len() < 10 && token.iter().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movetext_is_recognized_by_its_form() {
        for text in [
            "1. e4", "e4", "Sf3", "O-O", "*", "(1. d4)", "exd8=D+", "--", "0-1",
        ] {
            assert!(looks_like_movetext(text.as_bytes(), 0), "{text}");
        }
        for text in [
            "White: Anna",
            "bad",
            "rest}",
            "Black Bob",
            "",
            "lost",
            "Game 1",
        ] {
            assert!(!looks_like_movetext(text.as_bytes(), 0), "{text}");
        }
    }
}
