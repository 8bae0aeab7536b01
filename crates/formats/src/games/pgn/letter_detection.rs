//! Detects the language whose piece letters the moves of a text have.

use tabia_core::chess::{PieceLetters, Ply, Position, Role};
use tabia_core::game::{Annotation, Flow, Foreign, GameHead, Visitor, Want};
use tabia_core::io::Charset;
use tabia_core::{Error, GameIndex};

use super::encoding;
use super::read::Reader;
use super::text_cursor::TextCursor;

/// Bytes at the start of a text that are read to find the language, if they hold [`MIN_GAMES`].
const SHORT_SAMPLE: usize = 1 << 16;
/// Moves of pieces that show a language by letters that English has, too, for other pieces: a wrong letter or two are a
/// slip of the pen.
const MIN_PIECE_MOVES: u32 = 8;
/// Games without which more bytes are read: of one game that is cut nothing is known.
const MIN_GAMES: u32 = 2;

/// The letters of the language in which all games at the start of a text are legal, if they are not in
/// English and the letters of other languages give no other moves. `None` if that is English, or if
/// there is no such language, or several. `is_complete`: `text` does not continue.
pub(super) fn detect(
    text: &[u8],
    is_complete: bool,
    charset: Charset,
    depth: u32,
) -> Option<&'static PieceLetters> {
    let sample = sample(text, charset, depth);
    let is_complete = is_complete && sample.len() == text.len();
    let read = |letters| ReadMoves::of(sample, letters, charset, depth);
    let (english, others) = PieceLetters::ALL.split_first()?;
    if read(english).are_legal(is_complete) {
        return None;
    }
    let mut fitting = others
        .iter()
        .map(|letters| (letters, read(letters)))
        .filter(|(_, moves)| moves.are_legal(is_complete));
    let (letters, moves) = fitting.next()?;
    // Beyond a sample, moves could differ that are equal in it.
    let is_ambiguous = fitting.any(|(_, other)| !is_complete || other.hash != moves.hash);
    (!is_ambiguous && moves.show_language()).then_some(letters)
}

/// The letters of a language in which all games at the start of a text are legal, as in English, but with other
/// moves: `Pf3` is a move of a pawn, or of a Dutch knight.
pub(super) fn other_reading(
    text: &[u8],
    is_complete: bool,
    charset: Charset,
    depth: u32,
) -> Option<&'static PieceLetters> {
    // In other languages no letter of English is another piece without an illegal move soon.
    if !has_letters_of_pawns(text.get(..encoding::SAMPLE).unwrap_or(text)) {
        return None;
    }
    let sample = sample(text, charset, depth);
    let is_complete = is_complete && sample.len() == text.len();
    let read = |letters| ReadMoves::of(sample, letters, charset, depth);
    let (english, others) = PieceLetters::ALL.split_first()?;
    let english = read(english);
    if !english.are_legal(is_complete) {
        return None;
    }
    others.iter().find(|letters| {
        let other = read(letters);
        other.are_legal(is_complete) && other.hash != english.hash
    })
}

/// Whether a text has a move such as `Pf3`.
fn has_letters_of_pawns(text: &[u8]) -> bool {
    memchr::memchr_iter(b'P', text).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_start = before.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'.');
        is_start && matches!(text.get(at + 1..at + 3), Some([b'a'..=b'h', b'1'..=b'8']))
    })
}

/// The problem that reports that a text can be read with other letters, too.
pub(super) fn doubt(letters: &PieceLetters) -> Error {
    let names = names(letters).join(", ");
    let code = letters.languages().first().map_or("", |(code, _)| *code);
    Error::invalid(format!(
        "the moves are also legal with the piece letters of another language ({names}), as other moves; \
         `--pieces {code}` reads them so"
    ))
}

/// The names of the languages that have these letters.
fn names(letters: &PieceLetters) -> Vec<&'static str> {
    let mut names: Vec<&str> = letters.languages().iter().map(|(_, name)| *name).collect();
    names.dedup();
    names
}

/// Whether English is the language of the games of a text whatever follows them: their moves are legal
/// in English, or not in any other language.
pub(super) fn is_surely_english(text: &[u8], charset: Charset, depth: u32) -> bool {
    let sample = sample(text, charset, depth);
    let is_complete = sample.len() == text.len();
    let is_legal = |letters: &'static PieceLetters| {
        ReadMoves::of(sample, letters, charset, depth).are_legal(is_complete)
    };
    match PieceLetters::ALL.split_first() {
        Some((english, others)) => is_legal(english) || !others.iter().any(is_legal),
        None => true,
    }
}

/// The start of a text that is read to find the language.
fn sample(text: &[u8], charset: Charset, depth: u32) -> &[u8] {
    let Some(short) = text.get(..SHORT_SAMPLE) else {
        return text;
    };
    let games = PieceLetters::ALL.first().map_or(0, |english| {
        ReadMoves::of(short, english, charset, depth).games
    });
    if games >= MIN_GAMES {
        return short;
    }
    text.get(..encoding::SAMPLE).unwrap_or(text)
}

/// The problem that reports letters that were detected.
pub(super) fn problem(letters: &PieceLetters) -> Error {
    let languages = letters.languages();
    let code = languages.first().map_or("", |(code, _)| *code);
    Error::invalid(format!(
        "the moves have the piece letters of another language than English ({}); `--pieces {code}` \
         states which",
        names(letters).join(", ")
    ))
}

/// Whether all moves are legal, and which they are.
#[derive(Debug, Default)]
struct ReadMoves {
    games: u32,
    /// Games with unreadable moves, without the last game.
    bad: u32,
    /// The last game has unreadable moves.
    is_last_bad: bool,
    /// A hash of the moves of all games.
    hash: u64,
    letters: Option<&'static PieceLetters>,
    /// Moves of pieces.
    piece_moves: u32,
    /// Whether one of these pieces has a letter that no piece has in English.
    has_own_letters: bool,
}

impl ReadMoves {
    /// The moves of a sample, read with the letters of a language.
    fn of(sample: &[u8], letters: &'static PieceLetters, charset: Charset, depth: u32) -> Self {
        let mut reader = Reader::new(charset, false, depth, Some(letters));
        let mut cursor = TextCursor::default();
        let mut moves = Self {
            letters: Some(letters),
            ..Self::default()
        };
        while let Ok(Some(_)) = reader.next(sample, &mut cursor, Want::ALL, &mut moves) {}
        moves
    }

    /// Whether the moves cannot well be in English.
    fn show_language(&self) -> bool {
        self.has_own_letters || self.piece_moves >= MIN_PIECE_MOVES
    }

    fn are_legal(&self, is_complete: bool) -> bool {
        // The last game of a sample may be cut; there must be others then.
        let is_cut_only = !is_complete && self.games < MIN_GAMES;
        self.bad == 0 && !is_cut_only && !(is_complete && self.is_last_bad)
    }
}

impl Visitor for ReadMoves {
    fn begin_game(&mut self, _game: GameIndex, _head: &GameHead) -> Flow {
        self.games += 1;
        self.bad += u32::from(std::mem::take(&mut self.is_last_bad));
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let bits = match ply {
            Ply::Move(m) => {
                let piece = before.piece_at(m.from()).filter(|_| !m.is_castling());
                let role = piece
                    .map(|piece| piece.role)
                    .filter(|role| *role != Role::Pawn);
                if let (Some(role), Some(letters)) = (role, self.letters) {
                    self.piece_moves += 1;
                    let letter = letters.letter(role);
                    self.has_own_letters |= !matches!(letter, "K" | "Q" | "R" | "B" | "N");
                }
                u64::from(m.to_bits()) + 1
            }
            Ply::Null => 0,
        };
        self.hash = (self.hash ^ bits)
            .wrapping_mul(0x100_0000_01b3)
            .rotate_left(5);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if let Annotation::Foreign(foreign) = annotation {
            self.is_last_bad |= foreign.kind == Foreign::UNREAD_MOVES;
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        Flow::Go
    }
}
