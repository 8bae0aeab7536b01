//! The meaning of the tag `Result`.

use tabia_core::game::GameResult;

/// The result of a game with this tag `Result` and this termination marker. The marker has
/// precedence; the tag is used if the marker is absent or `*`, and for forfeits.
pub(super) fn result(tag: Option<GameResult>, marker: Option<GameResult>) -> GameResult {
    match (tag, marker) {
        (Some(tag), Some(marker)) if tag.is_special() && tag.to_pgn() == marker => tag,
        // `0-0` at the end may have been castling.
        (Some(tag), None | Some(GameResult::Unknown))
        | (
            Some(tag @ (GameResult::WhiteWins | GameResult::BlackWins | GameResult::Draw)),
            Some(GameResult::BothLose),
        ) => tag,
        (_, marker) => marker.unwrap_or_default(),
    }
}

/// Whether the tag `Result` and the termination marker state different results.
pub(super) fn contradicts(tag: GameResult, marker: GameResult) -> bool {
    let both = [tag, marker];
    !both.contains(&GameResult::Unknown) && tag != marker && tag.to_pgn() != marker
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_has_precedence_over_tag() {
        use GameResult::{BothLose, Draw, Unknown, WhiteWins, WhiteWinsByForfeit};
        assert_eq!(result(Some(WhiteWins), None), WhiteWins);
        assert_eq!(result(Some(Draw), Some(WhiteWins)), WhiteWins);
        assert_eq!(result(Some(WhiteWins), Some(Unknown)), WhiteWins);
        assert_eq!(
            result(Some(WhiteWinsByForfeit), Some(WhiteWins)),
            WhiteWinsByForfeit
        );
        assert_eq!(result(Some(BothLose), Some(Unknown)), BothLose);
        assert_eq!(result(Some(Draw), Some(BothLose)), Draw);
        assert_eq!(result(None, None), Unknown);
        assert!(contradicts(WhiteWins, BothLose));
        assert!(contradicts(WhiteWins, Draw));
        assert!(!contradicts(WhiteWinsByForfeit, WhiteWins));
        assert!(!contradicts(WhiteWins, Unknown));
    }
}
