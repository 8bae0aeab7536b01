//! Lines of moves from the start position, as `1.e4 c5 2.Nf3`.

use tabia_core::chess::{Ply, Position, san};

/// The position after moves from the standard position, and the moves.
pub(super) fn play(text: &str) -> Result<(Position, Vec<Ply>), String> {
    let mut position = Position::standard();
    let mut plies = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == '_') {
        let word = word
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['.', '…']);
        if word.is_empty() {
            continue;
        }
        let ply = san::read(&position, word.as_bytes())
            .map_err(|error| format!("`{word}` is {error} in {}", position.fen()))?;
        position.play_ply(ply);
        plies.push(ply);
    }
    Ok((position, plies))
}
