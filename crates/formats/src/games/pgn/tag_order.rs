//! The order of tags: the roster of seven, then those of most programs.

use tabia_core::game::SEVEN_TAG_ROSTER;

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

/// The tags that follow the roster, in ChessBase's order.
const CHESSBASE: [&str; 23] = [
    "ECO",
    "WhiteElo",
    "BlackElo",
    "Annotator",
    "Variant",
    "SetUp",
    "FEN",
    "PlyCount",
    "EventDate",
    "EventType",
    "EventRounds",
    "EventCountry",
    "EventCategory",
    "SourceTitle",
    "Source",
    "SourceVersion",
    "SourceVersionDate",
    "SourceQuality",
    "WhiteTeam",
    "BlackTeam",
    "WhiteTeamCountry",
    "BlackTeamCountry",
    "TimeControl",
];

/// As [`rank`], in ChessBase's order.
pub(super) fn chessbase_rank(name: &str) -> u8 {
    let all = SEVEN_TAG_ROSTER.iter().chain(&CHESSBASE);
    let found = (0..REST).zip(all).find(|(_, other)| **other == name);
    found.map_or(REST, |(rank, _)| rank)
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
        for (i, name) in (0..).zip(SEVEN_TAG_ROSTER.into_iter().chain(CHESSBASE)) {
            assert_eq!(chessbase_rank(name), i, "{name}");
        }
        assert_eq!(chessbase_rank("WhiteTitle"), REST);
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
}
