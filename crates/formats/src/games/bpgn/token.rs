//! Splits movetext into tokens.

use tabia_core::game::GameResult;

/// The number of a move: the board and the side that its letter denotes (`A`, `a`, `B`, `b`), and the
/// number on that board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) is_first_board: bool,
    pub(crate) is_white: bool,
    /// The full move number on that board, from 1.
    pub(crate) number: u32,
}

/// A token and its offset in the movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) at: usize,
    pub(crate) word: Word<'a>,
}

/// The kind of a token, and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// A move number.
    Turn(Turn, &'a [u8]),
    /// A move in SAN, or a drop.
    Move(&'a [u8]),
    /// The text in braces, or after a semicolon; and whether the comment is closed.
    Comment(&'a [u8], bool),
    Result(GameResult, &'a [u8]),
    /// Any other word.
    Other(&'a [u8]),
}

/// An iterator over the tokens of a movetext.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `length` bytes.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let word = self.bytes.get(self.at..self.at + length);
        self.at += length;
        word.unwrap_or_default()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.bytes.get(self.at..)?;
        let blank = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.at += blank;
        let at = self.at;
        let rest = rest.get(blank..)?;
        let word = match *rest.first()? {
            b'{' => {
                let end = memchr::memchr(b'}', rest);
                let length = end.map_or(rest.len(), |end| end + 1);
                let comment = self.take(length);
                let inner = comment.get(1..end.unwrap_or(length)).unwrap_or_default();
                Word::Comment(inner.trim_ascii(), end.is_some())
            }
            b';' => {
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let comment = self.take(end);
                Word::Comment(comment.get(1..).unwrap_or_default().trim_ascii(), true)
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b';');
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                let word = rest.get(..end).unwrap_or_default();
                if let Some((turn, length)) = move_number(word) {
                    Word::Turn(turn, self.take(length))
                } else {
                    let word = self.take(end);
                    match GameResult::parse(word) {
                        Some(result) => Word::Result(result, word),
                        None if is_move(word) => Word::Move(word),
                        None => Word::Other(word),
                    }
                }
            }
        };
        Some(Token { at, word })
    }
}

/// The move number (`12a.`) at the start of a word, and its length in bytes.
pub(crate) fn move_number(word: &[u8]) -> Option<(Turn, usize)> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(word.get(..digits)?)
        .ok()?
        .parse()
        .ok()?;
    let letter = *word.get(digits)?;
    if word.get(digits + 1) != Some(&b'.') || !matches!(letter, b'A' | b'a' | b'B' | b'b') {
        return None;
    }
    let turn = Turn {
        is_first_board: letter.eq_ignore_ascii_case(&b'A'),
        is_white: letter.is_ascii_uppercase(),
        number,
    };
    Some((turn, digits + 2))
}

/// Whether a word has the syntax of a move in SAN or of a drop (`N@f1`). Whether the move is legal is not
/// checked.
fn is_move(word: &[u8]) -> bool {
    let marks = |byte: &u8| matches!(byte, b'+' | b'#' | b'!' | b'?');
    let end = word
        .iter()
        .rposition(|byte| !marks(byte))
        .map_or(0, |last| last + 1);
    let word = word.get(..end).unwrap_or_default();
    if matches!(word, b"O-O" | b"O-O-O" | b"0-0" | b"0-0-0" | b"--") {
        return true;
    }
    let is_square = |square: &[u8]| tabia_core::chess::Square::parse(square).is_some();
    if let [piece, b'@', square @ ..] = word {
        return matches!(piece.to_ascii_uppercase(), b'P' | b'N' | b'B' | b'R' | b'Q')
            && is_square(square);
    }
    let word = word.strip_prefix(b"@").unwrap_or(word);
    let (word, promotes) = match word {
        [rest @ .., b'=', b'N' | b'B' | b'R' | b'Q'] => (rest, true),
        _ => (word, false),
    };
    let Some((rest, square)) = word
        .len()
        .checked_sub(2)
        .and_then(|at| word.split_at_checked(at))
    else {
        return false;
    };
    if !is_square(square) {
        return false;
    }
    let (rest, is_piece) = match rest {
        [b'K' | b'Q' | b'R' | b'B' | b'N' | b'P', rest @ ..] => (rest, true),
        _ => (rest, false),
    };
    let rest = rest.strip_suffix(b"x").unwrap_or(rest);
    let rest = rest.strip_suffix(b"-").unwrap_or(rest);
    let is_origin = match rest {
        [] => true,
        [file] => matches!(file, b'a'..=b'h' | b'1'..=b'8'),
        origin => is_square(origin),
    };
    is_origin && !(promotes && is_piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_recognized_by_their_syntax() {
        for text in [
            "e4", "exd5", "Nf3+", "N1f3", "Nbd7", "Qh4xe1#", "O-O-O", "e8=Q+", "dxe1=N", "N@f1",
            "P@h7#", "Kxd8!?", "0-0", "e2-e4",
        ] {
            assert!(is_move(text.as_bytes()), "{text}");
        }
        for text in [
            "", "e9", "K@e1", "Ne8=Q", "foo", "N@", "1A", "@", "x", "e4e",
        ] {
            assert!(!is_move(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn tokens_have_offsets() {
        let words: Vec<Token<'_>> = Tokens::new(b"12a.Nf6{1.5} ; so\n1/2-1/2 ?? {open").collect();
        let turn = Turn {
            is_first_board: true,
            is_white: false,
            number: 12,
        };
        let expected = [
            (0, Word::Turn(turn, b"12a.")),
            (4, Word::Move(b"Nf6")),
            (7, Word::Comment(b"1.5", true)),
            (13, Word::Comment(b"so", true)),
            (18, Word::Result(GameResult::Draw, b"1/2-1/2")),
            (26, Word::Other(b"??")),
            (29, Word::Comment(b"open", false)),
        ];
        assert_eq!(words, expected.map(|(at, word)| Token { at, word }));
        assert_eq!(move_number(b"99999999999a."), None);
    }
}
