//! Results of games.

use std::fmt;

use super::tags::{Tags, is_blank_value};

/// The result of a game, including results that only databases store.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::GameResult;
///
/// assert_eq!("1/2-1/2".parse(), Ok(GameResult::Draw));
/// assert_eq!(GameResult::WhiteWinsByForfeit.to_string(), "+:-");
/// assert_eq!(GameResult::WhiteWinsByForfeit.pgn(), "1-0");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameResult {
    /// `*`: unknown, or the game is not finished.
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
    /// Every result once, in the order of the variants.
    pub const ALL: [Self; 8] = [
        Self::Unknown,
        Self::WhiteWins,
        Self::BlackWins,
        Self::Draw,
        Self::WhiteWinsByForfeit,
        Self::BlackWinsByForfeit,
        Self::DrawByForfeit,
        Self::BothLose,
    ];

    /// Parses a result as PGN, databases and people write it: `1-0`, `0-1F`, `½-½`, `+:-`, `+--`, `1:0`,
    /// `0.5-0.5`, …; `None` for anything else.
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
            _ => return Self::parse_rare(text),
        })
    }

    /// Parses other spellings: with a colon, decimals, blanks, typographic dashes, `½`, `+--`.
    #[cold]
    fn parse_rare(text: &[u8]) -> Option<Self> {
        let mut ascii = [0; 16];
        let mut length = 0;
        let mut rest = text;
        while let [first, after @ ..] = rest {
            let (letters, after): (&[u8], _) = match rest {
                // In UTF-8, Latin-1 and windows-1252.
                [0xc2, 0xbd, after @ ..] | [0xbd, after @ ..] => (b"1/2", after),
                // U+2010 to U+2015, U+2212, and the dashes of windows-1252.
                [0xe2, 0x80, 0x90..=0x95, after @ ..]
                | [0xe2, 0x88, 0x92, after @ ..]
                | [0x96 | 0x97, after @ ..] => (b"-", after),
                [0xc2, 0xa0, after @ ..] | [b' ' | b'\t' | 0xa0, after @ ..] => (b"", after),
                [b',', after @ ..] => (b".", after),
                _ => (std::slice::from_ref(first), after),
            };
            ascii
                .get_mut(length..length + letters.len())?
                .copy_from_slice(letters);
            length += letters.len();
            rest = after;
        }
        Some(match ascii.get(..length)? {
            b"1-0" | b"1:0" => Self::WhiteWins,
            b"0-1" | b"0:1" => Self::BlackWins,
            b"1/2" | b"1/2-1/2" | b"1/2:1/2" | b"0.5-0.5" | b"0.5:0.5" | b".5-.5" | b".5:.5" => {
                Self::Draw
            }
            b"+-" | b"+--" | b"+:-" | b"+/-" | b"1-0F" | b"1-0f" => Self::WhiteWinsByForfeit,
            b"-+" | b"--+" | b"-:+" | b"-/+" | b"0-1F" | b"0-1f" => Self::BlackWinsByForfeit,
            b"=:=" | b"=-=" | b"=/=" => Self::DrawByForfeit,
            b"0-0" | b"0:0" | b"-:-" | b"-/-" => Self::BothLose,
            _ => return None,
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

    /// The nearest of the four results of PGN: a forfeit counts as a win or draw, a loss of both as
    /// unknown.
    pub const fn to_pgn(self) -> Self {
        match self {
            Self::WhiteWins | Self::WhiteWinsByForfeit => Self::WhiteWins,
            Self::BlackWins | Self::BlackWinsByForfeit => Self::BlackWins,
            Self::Draw | Self::DrawByForfeit => Self::Draw,
            Self::Unknown | Self::BothLose => Self::Unknown,
        }
    }

    /// Whether a tag `Result` with this value contains another result, or cannot be read. The values for
    /// unknown results (`*`, `?`, empty) contradict no result.
    pub fn contradicts(self, tag: &str) -> bool {
        match Self::parse(tag.trim_ascii().as_bytes()) {
            Some(tag) => tag != Self::Unknown && tag != self && tag != self.to_pgn(),
            None => !is_blank_value(tag),
        }
    }

    /// Number of tags `Result` that a format with one result per game cannot keep: those that
    /// contradict it, and those that repeat it.
    pub fn lost_tags(self, tags: &Tags) -> u64 {
        let results = tags.iter().filter(|(name, _)| *name == "Result");
        let lost = results.enumerate().filter(|&(number, (_, value))| {
            let repeats = number > 0 && !is_blank_value(value);
            repeats || self.contradicts(value)
        });
        lost.count() as u64
    }

    /// Whether PGN has no marker for the result.
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

/// Writes the result as lists of games show it: `1-0`, `+:-`, `0-0`, ….
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteWinsByForfeit => "+:-",
            Self::BlackWinsByForfeit => "-:+",
            Self::DrawByForfeit => "=:=",
            Self::BothLose => "0-0",
            result => result.pgn(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_round_trip() {
        for result in GameResult::ALL {
            assert_eq!(
                GameResult::parse(result.to_string().as_bytes()),
                Some(result)
            );
        }
        assert_eq!(GameResult::parse("½-½".as_bytes()), Some(GameResult::Draw));
        for (text, result) in [
            ("1:0", GameResult::WhiteWins),
            ("0 – 1", GameResult::BlackWins),
            ("½:½", GameResult::Draw),
            ("1/2–1/2", GameResult::Draw),
            ("0.5-0.5", GameResult::Draw),
            ("0,5-0,5", GameResult::Draw),
            ("+--", GameResult::WhiteWinsByForfeit),
            ("--+", GameResult::BlackWinsByForfeit),
            ("+ / −", GameResult::WhiteWinsByForfeit),
        ] {
            assert_eq!(GameResult::parse(text.as_bytes()), Some(result), "{text}");
        }
        assert_eq!(GameResult::parse(b"\xbd-\xbd"), Some(GameResult::Draw));
        assert_eq!(GameResult::parse(b"2-0"), None);
    }

    #[test]
    fn contradicting_tags_are_counted() {
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
