//! The rules of a game, according to its tag `Variant`.

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rules {
    /// Chess, or a value that is not a variant (some files contain the name of the opening).
    Chess,
    /// Expressly chess: `Standard`. It is not Chess960, whatever the castling rights are.
    Standard,
    /// Chess960.
    Chess960,
    /// Other rules, whose moves are not played here: Atomic, Crazyhouse, Bughouse.
    Other,
}

impl Rules {
    /// The rules that a value of the tag `Variant` names, in the spellings of Lichess, Chess.com, ICC, `ChessBase` and
    /// xboard.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Rules;
    ///
    /// assert_eq!(Rules::of_variant("Fischerandom"), Rules::Chess960);
    /// assert_eq!(Rules::of_variant("Three-check"), Rules::Other);
    /// assert_eq!(Rules::of_variant("Najdorf"), Rules::Chess);
    /// ```
    pub fn of_variant(value: &str) -> Self {
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
            | "freestylechess" => Self::Chess960,
            "standard" | "standardchess" | "chess" | "normal" | "classic" | "classicalchess"
            | "orthodox" | "orthodoxchess" => Self::Standard,
            "crazyhouse" | "bughouse" | "antichess" | "suicide" | "giveaway" | "losers"
            | "losing" | "losingchess" | "atomic" | "atomicchess" | "horde" | "racingkings"
            | "threecheck" | "3check" | "kingofthehill" | "koth" | "duck" | "duckchess"
            | "fogofwar" | "shatranj" | "xiangqi" | "shogi" | "makruk" | "janggi" | "4player"
            | "capablanca" | "gothic" | "seirawan" | "kriegspiel" | "setupboard" => Self::Other,
            _ => Self::Chess,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_recognized_by_name() {
        for (value, rules) in [
            ("fischerandom", Rules::Chess960),
            ("Chess 960", Rules::Chess960),
            ("Three-check", Rules::Other),
            ("Najdorf", Rules::Chess),
            ("Standard", Rules::Standard),
        ] {
            assert_eq!(Rules::of_variant(value), rules, "{value}");
        }
    }
}
