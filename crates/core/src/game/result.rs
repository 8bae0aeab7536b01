//! Results of games.

use std::fmt;

use super::tags::Tags;

/// How a game ended, with the results that only databases know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameResult {
    /// `*`: unknown, or still going on.
    #[default]
    Unknown,
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
    /// White won by forfeit (`+:-`).
    WhiteWinsByForfeit,
    /// Black won by forfeit (`-:+`).
    BlackWinsByForfeit,
    /// Draw by forfeit (`=:=`).
    DrawByForfeit,
    /// Both lost (`0-0`).
    BothLose,
}

impl GameResult {
    /// Reads a result as PGN and databases write it. `None` for anything else.
    pub fn parse(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"*" => Self::Unknown,
            b"1-0" => Self::WhiteWins,
            b"0-1" => Self::BlackWins,
            b"1/2-1/2" | b"1/2" => Self::Draw,
            b"+-" | b"+:-" | b"+/-" | b"1-0F" | b"1-0f" => Self::WhiteWinsByForfeit,
            b"-+" | b"-:+" | b"-/+" | b"0-1F" | b"0-1f" => Self::BlackWinsByForfeit,
            b"=:=" | b"1/2-1/2F" | b"1/2-1/2f" => Self::DrawByForfeit,
            b"0-0" | b"-:-" | b"--:--" => Self::BothLose,
            _ => match std::str::from_utf8(text) {
                Ok("½-½" | "½") => Self::Draw,
                _ => return None,
            },
        })
    }

    /// The PGN termination marker: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub const fn pgn(self) -> &'static str {
        match self {
            Self::WhiteWins | Self::WhiteWinsByForfeit => "1-0",
            Self::BlackWins | Self::BlackWinsByForfeit => "0-1",
            Self::Draw | Self::DrawByForfeit => "1/2-1/2",
            Self::Unknown | Self::BothLose => "*",
        }
    }

    /// The result among the four of PGN that is nearest.
    pub const fn to_pgn(self) -> Self {
        match self {
            Self::WhiteWins | Self::WhiteWinsByForfeit => Self::WhiteWins,
            Self::BlackWins | Self::BlackWinsByForfeit => Self::BlackWins,
            Self::Draw | Self::DrawByForfeit => Self::Draw,
            Self::Unknown | Self::BothLose => Self::Unknown,
        }
    }

    /// Whether a tag `Result` with this value says something else than this result, or nothing
    /// that can be read. One that says *unknown* (`*`, `?`, nothing) contradicts none.
    pub fn contradicts(self, tag: &str) -> bool {
        match Self::parse(tag.trim_ascii().as_bytes()) {
            Some(said) => said != Self::Unknown && said != self && said != self.to_pgn(),
            None => !tag.chars().all(|c| "?.- ".contains(c)),
        }
    }

    /// How many tags `Result` a format must drop that says the result once: those that contradict
    /// it, and those that repeat it.
    pub fn lost_tags(self, tags: &Tags) -> u64 {
        let said = tags.iter().filter(|(name, _)| *name == "Result");
        let lost = said.enumerate().filter(|&(number, (_, value))| {
            let repeats = number > 0 && !value.chars().all(|c| "?.- ".contains(c));
            repeats || self.contradicts(value)
        });
        lost.count() as u64
    }

    /// Whether PGN's four markers cannot say it.
    pub const fn is_special(self) -> bool {
        matches!(
            self,
            Self::WhiteWinsByForfeit
                | Self::BlackWinsByForfeit
                | Self::DrawByForfeit
                | Self::BothLose
        )
    }
}

/// Writes the result as database lists show it: `1-0`, `+:-`, `0-0`, ….
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteWinsByForfeit => "+:-",
            Self::BlackWinsByForfeit => "-:+",
            Self::DrawByForfeit => "=:=",
            Self::BothLose => "0-0",
            plain => plain.pgn(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for result in [
            GameResult::Unknown,
            GameResult::WhiteWins,
            GameResult::BlackWins,
            GameResult::Draw,
            GameResult::WhiteWinsByForfeit,
            GameResult::BlackWinsByForfeit,
            GameResult::DrawByForfeit,
            GameResult::BothLose,
        ] {
            assert_eq!(
                GameResult::parse(result.to_string().as_bytes()),
                Some(result)
            );
        }
        assert_eq!(GameResult::parse("½-½".as_bytes()), Some(GameResult::Draw));
        assert_eq!(GameResult::parse(b"2-0"), None);
    }

    #[test]
    fn tags_that_say_something_else_are_counted() {
        let result = GameResult::WhiteWins;
        for (tag, contradicts) in [
            ("1-0", false),
            ("*", false),
            ("?", false),
            ("", false),
            (" 1-0 ", false),
            ("0-1", true),
            ("1/2", true),
            ("+:-", true),
            ("white", true),
        ] {
            assert_eq!(result.contradicts(tag), contradicts, "{tag}");
        }
        assert!(!GameResult::WhiteWinsByForfeit.contradicts("1-0"));
        let mut tags = Tags::new();
        for value in ["1-0", "1-0", "0-1"] {
            tags.push("Result", value);
        }
        assert_eq!(result.lost_tags(&tags), 2);
    }
}
