//! Positions from FEN and moves as users type them.

use std::borrow::Cow;
use std::fmt;

use tabia_core::chess::{Ply, Position, Setup, san, uci};

/// The position of a FEN, or of `startpos`, as UCI calls the standard one.
///
/// # Errors
/// What is wrong with the FEN, in words for people.
pub fn position_of_fen(text: &str) -> Result<Position, String> {
    if text == "startpos" {
        return Ok(Position::standard());
    }
    let setup = Setup::parse_fen(text.as_bytes()).map_err(|error| error.to_string())?;
    Position::from_setup(&setup).map_err(|error| error.to_string())
}

/// The position of a text that is a FEN, or of moves from the standard position.
///
/// # Errors
/// What is wrong with the FEN, or the first word that is not a legal move, in words for people.
///
/// ```
/// use tabia::book::position_arg::position_of;
///
/// let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
/// assert_eq!(position_of(fen).unwrap().key(), position_of("1.e4").unwrap().key());
/// assert!(position_of("1.e5").is_err());
/// ```
pub fn position_of(text: &str) -> Result<Position, String> {
    if text.matches('/').count() == 7 {
        return position_of_fen(text);
    }
    let played = play_moves(&Position::standard(), text);
    played
        .map(|(position, _)| position)
        .map_err(|illegal| illegal.to_string())
}

/// A word that is not a legal move where it was typed.
#[derive(Debug, Clone)]
pub struct IllegalMove {
    /// The word, without a move number.
    pub word: String,
    /// The moves before it.
    pub played: Vec<Ply>,
    /// The position after them.
    pub position: Box<Position>,
}

impl IllegalMove {
    /// Legal moves in SAN that were probably meant: those of the same piece, or of a pawn on the same file, and
    /// those to the same square.
    /// If there are none, all legal moves; 8 at most.
    ///
    /// ```
    /// use tabia::book::position_arg::play_moves;
    /// use tabia::Position;
    ///
    /// let error = play_moves(&Position::standard(), "1.e4 e5 2.Ke3").unwrap_err();
    /// assert_eq!((error.word.as_str(), error.similar()), ("Ke3", vec!["Ke2".to_owned()]));
    /// ```
    pub fn similar(&self) -> Vec<String> {
        let legal = self.position.legal_moves();
        let mut all: Vec<String> = legal
            .iter()
            .map(|m| self.position.san(*m).to_string())
            .collect();
        // The letter of a piece, or the file of a pawn.
        let piece = |san: &str| san.chars().next();
        let target = |san: &str| {
            let san = san.trim_end_matches(['+', '#', '!', '?']);
            let san = san.split('=').next().unwrap_or(san);
            san.get(san.len().saturating_sub(2)..).map(str::to_owned)
        };
        let is_similar =
            |san: &String| piece(san) == piece(&self.word) || target(san) == target(&self.word);
        if all.iter().any(is_similar) {
            all.retain(is_similar);
        }
        all.truncate(MOST_SIMILAR);
        all
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, fen) = (&self.word, self.position.fen());
        write!(f, "`{word}` is not a legal move in {fen}")
    }
}

impl std::error::Error for IllegalMove {}

impl From<IllegalMove> for tabia_core::Error {
    fn from(error: IllegalMove) -> Self {
        Self::invalid(error.to_string())
    }
}

/// Legal moves that are proposed at most.
const MOST_SIMILAR: usize = 8;

/// The position after moves as people write them, from `start`: `1.e4 c5 2. Nf3`, or in UCI
/// notation, with commas between them or not; numbers, results, symbols, comments and variations are skipped.
///
/// # Errors
/// The first word that is not a legal move.
pub fn play_moves(start: &Position, text: &str) -> Result<(Position, Vec<Ply>), IllegalMove> {
    let mut position = start.clone();
    let mut plies = Vec::new();
    let mainline = without_comments(text);
    for word in mainline.split(|c: char| c.is_whitespace() || c == ',') {
        let word = word
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['.', '…']);
        if word.is_empty() || word.starts_with(['-', '/', '*', '$']) {
            continue;
        }
        let ply = uci::read(&position, word.as_bytes())
            .or_else(|| san::read(&position, word.as_bytes()).ok());
        let Some(ply) = ply else {
            return Err(IllegalMove {
                word: word.to_owned(),
                played: plies,
                position: Box::new(position),
            });
        };
        position.play_ply(ply);
        plies.push(ply);
    }
    Ok((position, plies))
}

/// A text without its comments in braces and its variations in parentheses.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', '(']) {
        return text.into();
    }
    let (mut is_comment, mut depth) = (false, 0u32);
    let mut mainline = String::new();
    for c in text.chars() {
        match c {
            '}' if is_comment => is_comment = false,
            _ if is_comment => {}
            '{' => {
                is_comment = true;
                mainline.push(' ');
            }
            '(' => depth = depth.saturating_add(1),
            ')' if depth > 0 => {
                depth -= 1;
                mainline.push(' ');
            }
            _ if depth == 0 => mainline.push(c),
            _ => {}
        }
    }
    mainline.into()
}

/// A position as the `position` command of UCI has it, or the part of it from `startpos` on: the FEN, if it has one, and
/// the moves.
///
/// ```
/// use tabia::book::position_arg::uci_position;
///
/// assert_eq!(uci_position("position startpos moves e2e4 e7e5"), Some((None, "e2e4 e7e5")));
/// assert_eq!(uci_position("startpos"), Some((None, "")));
/// let (fen, moves) = uci_position("position fen 8/8/8/8/8/5k2/6p1/6K1 b - - 0 1 moves f3g3").unwrap();
/// assert_eq!((fen, moves), (Some("8/8/8/8/8/5k2/6p1/6K1 b - - 0 1"), "f3g3"));
/// assert_eq!(uci_position("1.e4 e5"), None);
/// ```
pub fn uci_position(text: &str) -> Option<(Option<&str>, &str)> {
    let text = text.trim();
    let rest = text.strip_prefix("position ").map_or(text, str::trim_start);
    let (setup, moves) = match rest.split_once(" moves") {
        Some((setup, moves)) if moves.is_empty() || moves.starts_with(' ') => (setup, moves.trim()),
        _ => (rest, ""),
    };
    let setup = setup.trim();
    if setup == "startpos" {
        return Some((None, moves));
    }
    let fen = setup.strip_prefix("fen ").map(str::trim_start);
    Some((Some(fen?), moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_as_people_write_them() {
        let start = Position::standard();
        let (expected, _) = play_moves(&start, "1. e4 c5 2. Nf3").unwrap();
        for text in [
            "e4 c5 Nf3",
            "1.e4 c5 2.Nf3",
            "e2e4 c7c5 g1f3",
            "e2e4,c7c5, g1f3",
            "1.e4 1...c5 2.Nf3 *",
            "1. e4 {best by test (they think} c5 (1... e5 2. Nf3 (2. f4)) 2. Nf3 $1",
        ] {
            let (position, plies) = play_moves(&start, text).unwrap();
            assert_eq!((position.key(), plies.len()), (expected.key(), 3), "{text}");
        }
        assert!(position_of_fen("8/8 w").is_err());
        assert_eq!(position_of_fen("startpos").unwrap().key(), start.key());
    }

    #[test]
    fn an_illegal_move_names_legal_ones() {
        let illegal = |text: &str| play_moves(&Position::standard(), text).unwrap_err();
        let error = illegal("e4 e4");
        assert!(error.to_string().contains("`e4` is not a legal move"));
        assert_eq!(error.played.len(), 1);
        let sorted = |mut moves: Vec<String>| {
            moves.sort_unstable();
            moves
        };
        assert_eq!(sorted(error.similar()), ["e5", "e6"]);
        assert_eq!(illegal("Nf6").similar(), ["Na3", "Nc3", "Nf3", "Nh3"]);
        assert_eq!(illegal("Be4").similar(), ["e4"]);
        assert_eq!(sorted(illegal("e4 d5 exf5").similar()), ["e5", "exd5"]);
        // No queen can move, and no piece goes there: all moves, as many as are shown.
        assert_eq!(illegal("Qh5").similar().len(), MOST_SIMILAR);
    }
}
