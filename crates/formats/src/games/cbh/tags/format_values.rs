//! Names, rounds and kinds of tournaments in words.

use crate::games::cbh::charset::Texts;
use crate::games::cbh::records::PlayerRecord;
use tabia_core::decimal_digits;

/// `Last, First`; `""` if both are empty.
pub fn player_name(player: &PlayerRecord, texts: Texts) -> String {
    let mut name = String::new();
    write_player(player, texts, &mut name);
    name
}

pub(super) fn write_player(player: &PlayerRecord, texts: Texts, out: &mut String) {
    out.push_str(&texts.field(&player.last_name));
    let first = texts.field(&player.first_name);
    if !first.is_empty() {
        out.push_str(", ");
        out.push_str(&first);
    }
}

/// `5`, `5.2` or, as ChessBase writes it, `?.2`; `""` if both are 0.
pub fn round_name(round: u8, sub_round: u8) -> String {
    let mut name = String::new();
    write_round(round, sub_round, &mut name);
    name
}

pub(super) fn write_round(round: u8, sub_round: u8, out: &mut String) {
    if round == 0 && sub_round != 0 {
        out.push('?');
    } else if round != 0 {
        decimal_digits::push_number(u64::from(round), out);
    }
    if sub_round != 0 {
        out.push('.');
        decimal_digits::push_number(u64::from(sub_round), out);
    }
}

/// Words of `EventType` by the low five bits of a tournament's type.
const EVENT_TYPES: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// The `EventType` of a tournament: `swiss`, `team-tourn (rapid)`, …. `None` if its type is unset
/// or has no words.
pub fn event_type(kind: u8, team: bool) -> Option<String> {
    let word = EVENT_TYPES.get(usize::from(kind & 0x1f))?;
    let pace = match kind >> 5 {
        0 => "",
        1 => " (blitz)",
        2 => " (rapid)",
        4 => " (corr)",
        _ => return None,
    };
    if word.is_empty() {
        return None;
    }
    let team = if team { "team-" } else { "" };
    Some(format!("{team}{word}{pace}"))
}

/// The type byte and the team flag of an `EventType`: the reverse of [`event_type`].
pub fn parse_event_type(text: &str) -> Option<(u8, bool)> {
    let (team, text) = match text.strip_prefix("team-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (word, pace) = match text.split_once(' ') {
        None => (text, 0),
        Some((word, "(blitz)")) => (word, 1),
        Some((word, "(rapid)")) => (word, 2),
        Some((word, "(corr)")) => (word, 4),
        Some(_) => return None,
    };
    let kind = EVENT_TYPES
        .iter()
        .skip(1)
        .position(|&known| known == word)?;
    Some(((kind as u8 + 1) | pace << 5, team))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_types_round_trip() {
        let words = |kind, team| event_type(kind, team);
        assert_eq!(words(4, false).as_deref(), Some("swiss"));
        assert_eq!(words(3 | 0x40, true).as_deref(), Some("team-tourn (rapid)"));
        assert_eq!(words(0, true), None);
        assert_eq!(words(9, false), None);
        assert_eq!(words(2 | 0x60, false), None);
        for kind in 0..=u8::MAX {
            for team in [false, true] {
                if let Some(text) = words(kind, team) {
                    assert_eq!(parse_event_type(&text), Some((kind, team)));
                }
            }
        }
        assert_eq!(parse_event_type("open"), None);
    }

    #[test]
    fn round_names_have_sub_rounds() {
        assert_eq!(round_name(0, 0), "");
        assert_eq!(round_name(5, 0), "5");
        assert_eq!(round_name(5, 2), "5.2");
        assert_eq!(round_name(0, 2), "?.2");
    }
}
