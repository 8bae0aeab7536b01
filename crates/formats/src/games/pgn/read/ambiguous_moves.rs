//! Moves that more than one piece can make, decided by the moves that follow.

use tabia_core::chess::{PieceLetters, Ply, Position, san};
use tabia_core::error::Error;
use tabia_core::io::Charset;

use super::{Input, Reader};
use crate::games::pgn::char_class::{at_line_start, digits_end, is_space, line_end};
use crate::games::pgn::comment_parser;
use crate::games::pgn::irregular_tags::begins_tag;
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use crate::games::pgn::nag_symbols;
use crate::games::pgn::national_move_to_english::EnglishMove;
use crate::games::pgn::non_ascii_tokens::{AsciiToken, blank_length};
use crate::games::pgn::result_tokens::result_at;

/// Tokens that are tried for each byte of the game.
const TRIES_PER_BYTE: usize = 16;

impl Reader {
    /// The only move with that notation with which the rest of its line is legal; it is reported. `None` if
    /// there is no such move, or several, or finding out would take too long.
    #[cold]
    pub(super) fn resolve_ambiguous(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        token: &[u8],
        end: usize,
    ) -> Option<Ply> {
        let candidates = san::read_all(&self.line.position, token);
        if candidates.len() < 2 {
            return None;
        }
        let text = input.text;
        let depth = self.frames.len();
        // The work for all such moves of a game is bounded by its length.
        let tries = self.tries.get_or_insert_with(|| {
            let (game_end, _) = skip_movetext(text, at, depth, SkipTo::GameEnd);
            (game_end - at).saturating_mul(TRIES_PER_BYTE)
        });
        let mut found = None;
        for ply in candidates {
            let mut position = self.line.position.clone();
            position.play_ply(ply);
            let line = Line {
                text,
                depth,
                letters: self.letters,
                charset: self.charset,
            };
            if line.is_legal(position, end, tries)? {
                if found.is_some() {
                    return None;
                }
                found = Some(ply);
            }
        }
        let ply = found?;
        let notation = String::from_utf8_lossy(token).into_owned();
        let san = self.line.position.san(ply);
        let text = format!(
            "more than one piece can play `{notation}`; only with {san} is the rest of the line legal"
        );
        let error = Error::invalid(text).at_ply(self.line.ply);
        self.report(input, at, error, None).then_some(ply)
    }
}

/// A line whose moves are tried.
struct Line<'t> {
    text: &'t [u8],
    /// Number of variations that it is inside of.
    depth: usize,
    letters: Option<&'static PieceLetters>,
    charset: Charset,
}

impl Line<'_> {
    /// Whether the moves from `at` to the end of the line are legal for some choice of the pieces that
    /// ambiguous ones of them mean. `None` if `tries` tokens do not suffice to find out.
    fn is_legal(&self, position: Position, at: usize, tries: &mut usize) -> Option<bool> {
        let Self { text, depth, .. } = *self;
        let mut open = vec![(position, at)];
        'choices: while let Some((mut position, mut at)) = open.pop() {
            loop {
                *tries = tries.checked_sub(1)?;
                let Some(rest @ [first, ..]) = text.get(at..) else {
                    return Some(true);
                };
                let next = match *first {
                    byte if is_space(byte) || matches!(byte, b'.' | b',') => at + 1,
                    b'{' => match comment_parser::end(text, at) {
                        Some(end) => end + 1,
                        None => return Some(true),
                    },
                    b';' => line_end(text, at),
                    b'%' if at_line_start(text, at) => line_end(text, at),
                    b'$' => digits_end(text, at),
                    b'!' | b'?' => at + nag_symbols::suffix(rest).map_or(1, |(_, length)| length),
                    b'(' => match skip_movetext(text, at + 1, depth + 1, SkipTo::VariationEnd) {
                        (end, MovetextEnd::VariationEnd) => end + 1,
                        _ => return Some(true),
                    },
                    b')' if depth > 0 => return Some(true),
                    b'[' if begins_tag(text, at) => return Some(true),
                    _ => {
                        if result_at(text, at, depth > 0).is_some() {
                            return Some(true);
                        }
                        match self.token(at, &position) {
                            Token::Ignored(end) => end,
                            Token::Moves(plies, end) => {
                                let Some((ply, others)) = plies.split_first() else {
                                    continue 'choices;
                                };
                                for other in others {
                                    *tries = tries.checked_sub(1)?;
                                    let mut branch = position.clone();
                                    branch.play_ply(*other);
                                    open.push((branch, end));
                                }
                                position.play_ply(*ply);
                                end
                            }
                        }
                    }
                };
                at = next;
            }
        }
        Some(false)
    }

    fn token(&self, at: usize, position: &Position) -> Token {
        let text = self.text;
        let rest = text.get(at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && matches!(rest.get(digits), Some(b'.' | b' ') | None) {
            return Token::Ignored(at + digits);
        }
        if let Some(length) = blank_length(rest) {
            return Token::Ignored(at + length);
        }
        if let Some((_, length)) = nag_symbols::unicode(rest) {
            return Token::Ignored(at + length);
        }
        if let Some(letters) = self.letters
            && let Some(english) = EnglishMove::read(letters, text, at, self.charset)
        {
            let plies = san::read_all(position, english.as_slice());
            return Token::Moves(plies, english.end);
        }
        let Some(token) = AsciiToken::read(text, at).filter(|token| token.end > at) else {
            return Token::Moves(Vec::new(), at);
        };
        let letters = token.as_slice();
        if nag_symbols::token(letters).is_some() {
            return Token::Ignored(token.end);
        }
        Token::Moves(san::read_all(position, letters), token.end)
    }
}

/// What a token of a line is.
enum Token {
    /// A number, a symbol, a blank.
    Ignored(usize),
    /// The moves that it can mean, none if it is not legal.
    Moves(Vec<Ply>, usize),
}
