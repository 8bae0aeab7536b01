//! Which tags there are, in which order they are written, and what they say about the game.

use tabia_core::game::{GameResult, SEVEN_TAG_ROSTER, Tags};

use super::full_profile;

/// Marks a record that is no ordinary game: words `deleted`, `text`, `classical`.
pub(super) const RECORD: &str = "TabiaRecord";
/// The order in which the tags were stored: numbers of written tags, from 1.
pub(super) const ORDER: &str = "TabiaTags";
/// The result, where tag and marker do not say it.
pub(super) const RESULT: &str = "TabiaResult";
/// A tag that PGN cannot write: percent-encoded name and value.
pub(super) const ENCODED: &str = "TabiaTag";

/// Tags that follow the roster, in the order of most programs.
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

/// The ranks of the tags that say how a game begins.
pub(super) const VARIANT: u8 = 20;
pub(super) const SETUP: u8 = 24;
pub(super) const FEN: u8 = 25;

/// The names that have a rank, by rank.
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

/// The ranks by the [`slot`] of their names, in which no two are.
static RANKS: [u8; 64] = {
    let mut ranks = [REST; 64];
    let mut i = 0;
    while i < 31 {
        ranks[slot(NAMES[i].as_bytes())] = i as u8;
        i += 1;
    }
    ranks
};

const fn slot(name: &[u8]) -> usize {
    let [first, ..] = *name else { return 0 };
    let [.., third, _, _] = *name else { return 0 };
    (first as usize * 9 + third as usize * 10 + name.len() * 7) % 64
}

/// The place of a name among those written first.
pub(super) fn rank(name: &str) -> u8 {
    let rank = RANKS[slot(name.as_bytes())];
    match NAMES.get(usize::from(rank)) {
        Some(known) if *known == name => rank,
        _ => REST,
    }
}

/// Whether a tag is a header fact of one database format, which has no tag of its own in PGN.
pub(super) fn is_fact(name: &str) -> bool {
    name.starts_with(['C', 'S'])
        && ["Cb", "Scid", "Sci"].iter().any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
}

/// What a game is played by, as the tag `Variant` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variant {
    /// Chess, or a word that is no variant's name (some files name the opening there).
    Chess,
    Chess960,
    /// Other rules.
    Other,
}

/// Reads the value of the tag `Variant`.
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
        "crazyhouse" | "bughouse" | "antichess" | "suicide" | "giveaway" | "losers" | "losing"
        | "losingchess" | "atomic" | "atomicchess" | "horde" | "racingkings" | "threecheck"
        | "3check" | "kingofthehill" | "koth" | "duck" | "duckchess" | "fogofwar" | "shatranj"
        | "xiangqi" | "shogi" | "makruk" | "janggi" | "4player" | "capablanca" | "gothic"
        | "seirawan" | "kriegspiel" | "setupboard" => Variant::Other,
        _ => Variant::Chess,
    }
}

/// The result of a game by its tag and its termination marker. The marker counts; the tag says
/// what a missing or unknown marker does not, and which forfeit it was.
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

/// What the tags of the profile `full` say about the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Special {
    pub(super) deleted: bool,
    pub(super) text: bool,
    /// Not Chess960, whatever the castling rights look like.
    pub(super) classical: bool,
}

/// Reads [`RECORD`].
pub(super) fn special(tags: &Tags) -> Special {
    let words = tags.text(RECORD);
    let has = |word: &str| words.split_ascii_whitespace().any(|known| known == word);
    Special {
        deleted: has("deleted"),
        text: has("text"),
        classical: has("classical"),
    }
}

/// Takes the tags of the profile `full` away and puts the others in the order they had.
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

/// Writes numbers as [`parse_order`] reads them: `1-7,9`.
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
    fn every_name_has_its_rank() {
        for (i, name) in (0..).zip(NAMES) {
            assert_eq!(rank(name), i, "{name}");
        }
        assert_eq!(
            [rank(""), rank("Ev"), rank("event"), rank("Eventx")],
            [REST; 4]
        );
        let known = [VARIANT, SETUP, FEN].map(|rank| NAMES[usize::from(rank)]);
        assert_eq!(known, ["Variant", "SetUp", "FEN"]);
    }

    #[test]
    fn orders_are_read_back() {
        for order in [vec![], vec![1], vec![1, 2, 3, 7, 5, 6], vec![3, 2, 1]] {
            assert_eq!(parse_order(&write_order(&order)), order);
        }
    }

    #[test]
    fn results_of_tag_and_marker() {
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
    fn variants() {
        assert_eq!(variant("fischerandom"), Variant::Chess960);
        assert_eq!(variant("Chess 960"), Variant::Chess960);
        assert_eq!(variant("Three-check"), Variant::Other);
        assert_eq!(variant("Najdorf"), Variant::Chess);
    }
}
