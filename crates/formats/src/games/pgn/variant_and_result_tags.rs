//! The meaning of the tags `Variant` and `Result`.

use tabia_core::game::GameResult;

/// The rules of a game, according to the tag `Variant`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Chess, or a value that is not a variant (some files contain the name of the opening).
    Chess,
    /// Expressly chess: `Standard`. It is not Chess960, whatever the castling rights are.
    Standard,
    Chess960,
    /// Other rules.
    Other,
}

/// Parses the value of the tag `Variant`.
pub(super) fn variant(value: &str) -> Variant {
    let name: String = value
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    match name.as_str() {
        "chess960"
        | "fischerandom"
        | "fischerrandom"
        | "fischerandomchess"
        | "fischerrandomchess"
        | "fischerrandomchess960"
        | "frc"
        | "960"
        | "freestyle"
        | "freestylechess" => Variant::Chess960,
        "standard" | "standardchess" | "chess" | "normal" | "classic" | "classicalchess"
        | "orthodox" | "orthodoxchess" => Variant::Standard,
        "crazyhouse" | "bughouse" | "antichess" | "suicide" | "giveaway" | "losers" | "losing"
        | "losingchess" | "atomic" | "atomicchess" | "horde" | "racingkings" | "threecheck"
        | "3check" | "kingofthehill" | "koth" | "duck" | "duckchess" | "fogofwar" | "shatranj"
        | "xiangqi" | "shogi" | "makruk" | "janggi" | "4player" | "capablanca" | "gothic"
        | "seirawan" | "kriegspiel" | "setupboard" => Variant::Other,
        _ => Variant::Chess,
    }
}

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

    #[test]
    fn variants_are_recognized_by_name() {
        assert_eq!(variant("fischerandom"), Variant::Chess960);
        assert_eq!(variant("Chess 960"), Variant::Chess960);
        assert_eq!(variant("Three-check"), Variant::Other);
        assert_eq!(variant("Najdorf"), Variant::Chess);
        assert_eq!(variant("Standard"), Variant::Standard);
    }
}
