//! Tags as ChessBase writes them into PGN.

use std::borrow::Cow;

use tabia_core::game::{GameHead, RecordKind, Tags};

/// The head with the tags that ChessBase writes: players with a full stop after a first name of one
/// letter, teams with their numbers, no `SourceDate`. Returns the number of tags that are left out or
/// contain less.
pub(super) fn adapt(head: &GameHead) -> (Cow<'_, GameHead>, u64) {
    let is_adapted = |(name, value): (&str, &str)| match name {
        "White" | "Black" => has_initial(value),
        "SourceDate" => true,
        "WhiteTeam" | "BlackTeam" => team_number(&head.tags, name).is_some(),
        _ => false,
    };
    if head.kind == RecordKind::Text || !head.tags.iter().any(is_adapted) {
        return (Cow::Borrowed(head), 0);
    }
    let mut tags = Tags::new();
    let mut lost = 0;
    for (name, value) in head.tags.iter() {
        let value = match name {
            "White" | "Black" if has_initial(value) => Cow::Owned(format!("{value}.")),
            "SourceDate" => {
                lost += u64::from(value != "????.??.??");
                continue;
            }
            "WhiteTeam" | "BlackTeam" => match team_number(&head.tags, name) {
                Some(number) => {
                    lost += 1;
                    Cow::Owned(format!("{value} {}", roman(number)))
                }
                None => Cow::Borrowed(value),
            },
            _ => Cow::Borrowed(value),
        };
        tags.push(name, &value);
    }
    let mut adapted = head.clone();
    adapted.tags = tags;
    (Cow::Owned(adapted), lost)
}

/// Whether a player has a first name of one letter: `Svidler, P`.
fn has_initial(name: &str) -> bool {
    let mut end = name.chars().rev();
    let initial = end.next();
    initial.is_some_and(char::is_alphabetic) && end.next() == Some(' ') && end.next() == Some(',')
}

/// The number of a side's team, from 2; `None` if its name is complete without it.
fn team_number(tags: &Tags, team: &str) -> Option<u32> {
    let number = match team {
        "WhiteTeam" => "CbWhiteTeamNumber",
        _ => "CbBlackTeamNumber",
    };
    let number: u32 = tags.get(number)?.parse().ok()?;
    (2..100).contains(&number).then_some(number)
}

fn roman(mut number: u32) -> String {
    let mut out = String::new();
    for (value, letters) in [
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ] {
        while number >= value {
            out.push_str(letters);
            number -= value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_teams_and_sources_are_those_of_chessbase() {
        let mut head = GameHead::default();
        for (name, value) in [
            ("White", "Svidler, P"),
            ("Black", "Anand, Vishy"),
            ("WhiteTeam", "Eppingen"),
            ("BlackTeam", "Porz"),
            ("CbWhiteTeamNumber", "2"),
            ("CbBlackTeamNumber", "1"),
            ("SourceDate", "1999.07.01"),
        ] {
            head.tags.push(name, value);
        }
        let (adapted, lost) = adapt(&head);
        assert_eq!(lost, 2);
        assert_eq!(adapted.tags.get("White"), Some("Svidler, P."));
        assert_eq!(adapted.tags.get("Black"), Some("Anand, Vishy"));
        assert_eq!(adapted.tags.get("WhiteTeam"), Some("Eppingen II"));
        assert_eq!(adapted.tags.get("BlackTeam"), Some("Porz"));
        assert_eq!(adapted.tags.get("SourceDate"), None);
        assert_eq!(roman(49), "XLIX");
        for name in ["P", "Svidler,P", "Svidler, Pe", "Svidler, 1", ""] {
            assert!(!has_initial(name), "{name}");
        }
    }
}
