//! The order of tags, and the tags with a meaning: variant, result, and those of the profile `full`.

use tabia_core::game::{GameResult, SEVEN_TAG_ROSTER, Tags};

use super::full_profile;

/// Marks records that are not ordinary games: words `deleted`, `text`, `classical`.
pub(super) const RECORD: &str = "TabiaRecord";
/// The stored order of the tags: numbers of written tags, from 1.
pub(super) const ORDER: &str = "TabiaTags";
/// The result, if `Result` and the termination marker do not state it exactly.
pub(super) const RESULT: &str = "TabiaResult";
/// A tag that PGN cannot represent: percent-encoded name and value.
pub(super) const ENCODED: &str = "TabiaTag";

/// The tags that follow the roster, in the order of most programs.
const COMMON: [&str; 24] = [
    "WhiteTitle",
    "BlackTitle",
    "WhiteElo",
    "BlackElo",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "UTCDate",
    "UTCTime",
    "ECO",
    "Opening",
    "Variation",
    "Variant",
    "TimeControl",
    "Termination",
    "Annotator",
    "SetUp",
    "FEN",
    "PlyCount",
    "EventDate",
    "EventType",
    "EventRounds",
    "EventCountry",
];

/// The rank of all other tags.
pub(super) const REST: u8 = 255;

/// The ranks of the tags that define the start position.
pub(super) const VARIANT: u8 = 20;
pub(super) const SETUP: u8 = 24;
pub(super) const FEN: u8 = 25;

/// The names with a rank, in order of rank.
const NAMES: [&str; 31] = {
    let mut names = [""; 31];
    let mut i = 0;
    while i < 31 {
        names[i] = if i < 7 {
            SEVEN_TAG_ROSTER[i]
        } else {
            COMMON[i - 7]
        };
        i += 1;
    }
    names
};

/// Ranks by the [`slot`] of their names: a perfect hash table.
static RANKS: [u8; 64] = {
    let mut ranks = [REST; 64];
    let mut i = 0;
    while i < 31 {
        ranks[slot(NAMES[i].as_bytes())] = i as u8;
        i += 1;
    }
    ranks
};

/// The hash of a name.
const fn slot(name: &[u8]) -> usize {
    let [first, ..] = *name else { return 0 };
    let [.., third, _, _] = *name else { return 0 };
    (first as usize * 9 + third as usize * 10 + name.len() * 7) % 64
}

/// The rank of a name: tags are written in order of rank, and [`REST`] follows all others.
pub(super) fn rank(name: &str) -> u8 {
    let rank = RANKS[slot(name.as_bytes())];
    match NAMES.get(usize::from(rank)) {
        Some(ranked) if *ranked == name => rank,
        _ => REST,
    }
}

/// Whether a tag is a header fact of a database format (`Cb…`, `Cb2…`, `Scid…`, `Sci…`) without a
/// standard name in PGN.
pub(super) fn is_fact(name: &str) -> bool {
    name.starts_with(['C', 'S'])
        && ["Cb", "Scid", "Sci"].iter().any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '2'))
        })
}

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
    !both.contains(&GameResult::Unknown)
        && tag != marker
        && tag.to_pgn() != marker
        && result(Some(tag), Some(marker)) == marker
}

/// The words of the tag [`RECORD`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RecordMarks {
    pub(super) deleted: bool,
    pub(super) text: bool,
    /// Not Chess960, although the castling rights may look like it.
    pub(super) classical: bool,
}

/// Parses the tag [`RECORD`].
pub(super) fn record_marks(tags: &Tags) -> RecordMarks {
    let words = tags.text(RECORD);
    let has = |word: &str| words.split_ascii_whitespace().any(|marked| marked == word);
    RecordMarks {
        deleted: has("deleted"),
        text: has("text"),
        classical: has("classical"),
    }
}

/// Removes the tags of the profile `full` and restores the stored order of the others.
pub(super) fn restore(tags: &mut Tags) {
    if !tags.iter().any(|(name, _)| name.starts_with("Tabia")) {
        return;
    }
    let mut written: Vec<(String, String)> = Vec::new();
    for (name, value) in tags.iter() {
        match name {
            RECORD | ORDER | RESULT => {}
            ENCODED => {
                let (name, value) = value.split_once(' ').unwrap_or((value, ""));
                let name = if name == "%" { "" } else { name };
                written.push((full_profile::decode(name), full_profile::decode(value)));
            }
            _ => written.push((name.to_owned(), value.to_owned())),
        }
    }
    let order: Option<Vec<usize>> = tags.get(ORDER).map(parse_order);
    tags.clear();
    match order {
        None => {
            for (name, value) in &written {
                tags.push(name, value);
            }
        }
        Some(order) => {
            for number in order.into_iter().take(1 << 16) {
                if let Some((name, value)) = written.get(number.wrapping_sub(1)) {
                    tags.push(name, value);
                }
            }
        }
    }
}

/// Parses the value of the tag [`ORDER`].
fn parse_order(text: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        if let (Ok(first), Ok(last)) = (first.parse::<u16>(), last.parse::<u16>()) {
            numbers.extend(usize::from(first)..=usize::from(last));
        }
        if numbers.len() > 1 << 16 {
            break;
        }
    }
    numbers
}

/// Formats the value of the tag [`ORDER`]: `1-7,9`.
pub(super) fn write_order(numbers: &[usize]) -> String {
    let mut out = String::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let length = rest
            .iter()
            .enumerate()
            .take_while(|&(i, &number)| number == first + i)
            .count();
        if !out.is_empty() {
            out.push(',');
        }
        out += &first.to_string();
        if length > 1 {
            out.push('-');
            out += &(first + length - 1).to_string();
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_distinct_ranks() {
        for (i, name) in (0..).zip(NAMES) {
            assert_eq!(rank(name), i, "{name}");
        }
        assert_eq!(
            [rank(""), rank("Ev"), rank("event"), rank("Eventx")],
            [REST; 4]
        );
        let start = [VARIANT, SETUP, FEN].map(|rank| NAMES[usize::from(rank)]);
        assert_eq!(start, ["Variant", "SetUp", "FEN"]);
    }

    #[test]
    fn facts_have_the_name_of_a_format() {
        for name in ["CbCreated", "Cb2WhiteRating", "ScidFlags", "SciRecord"] {
            assert!(is_fact(name), "{name}");
        }
        for name in ["Cb", "Cbx", "Scidb", "Event", "Citizen"] {
            assert!(!is_fact(name), "{name}");
        }
    }

    #[test]
    fn orders_round_trip() {
        for order in [vec![], vec![1], vec![1, 2, 3, 7, 5, 6], vec![3, 2, 1]] {
            assert_eq!(parse_order(&write_order(&order)), order);
        }
    }

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
