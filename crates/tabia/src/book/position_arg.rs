//! Positions from FEN and moves as users type them.

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

/// The position after moves as people write them, from `start`: `1.e4 c5 2. Nf3`, or in UCI
/// notation; numbers, results and symbols are skipped.
///
/// # Errors
/// The first word that is not a legal move, in words for people.
pub fn play_moves(start: &Position, text: &str) -> Result<(Position, Vec<Ply>), String> {
    let mut position = start.clone();
    let mut plies = Vec::new();
    for word in text.split_whitespace() {
        let word = word
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['.', '…']);
        if word.is_empty() || word.starts_with(['-', '/', '*', '$']) {
            continue;
        }
        let ply = uci::read(&position, word.as_bytes())
            .or_else(|| san::read(&position, word.as_bytes()).ok())
            .ok_or_else(|| format!("`{word}` is not a legal move in {}", position.fen()))?;
        position.play_ply(ply);
        plies.push(ply);
    }
    Ok((position, plies))
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
            "1.e4 1...c5 2.Nf3 *",
        ] {
            let (position, plies) = play_moves(&start, text).unwrap();
            assert_eq!((position.key(), plies.len()), (expected.key(), 3), "{text}");
        }
        let error = play_moves(&start, "e4 e4").unwrap_err();
        assert!(error.contains("`e4` is not a legal move"), "{error}");
        assert!(position_of_fen("8/8 w").is_err());
        assert_eq!(position_of_fen("startpos").unwrap().key(), start.key());
    }
}
