//! The names of a database by frequency.

use std::collections::HashMap;

use tabia::core::games::{NameId, NameKind};
use tabia::query::fold;
use tabia::{Database, GameIndex};

/// Names that are kept of one kind.
const MAX_NAMES: usize = 500_000;

/// A name and how many games have it.
#[derive(Debug, Clone)]
pub(crate) struct CountedName {
    pub(crate) games: u32,
    pub(crate) name: String,
    /// The name without case and accents.
    folded: String,
}

impl CountedName {
    /// Whether a word of the name begins with `text`, which is folded.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let mut from = 0;
        while let Some(found) = self.folded.get(from..).and_then(|rest| rest.find(text)) {
            let at = from + found;
            let before = self
                .folded
                .get(..at)
                .and_then(|text| text.chars().next_back());
            if !before.is_some_and(char::is_alphanumeric) {
                return true;
            }
            let next = self.folded.get(at..).and_then(|rest| rest.chars().next());
            from = at + next.map_or(1, char::len_utf8);
        }
        false
    }
}

/// The kind of names that a field of a query asks.
pub(crate) fn kind_of_field(field: &str) -> Option<NameKind> {
    Some(match field {
        "player" | "white" | "black" | "winner" | "loser" => NameKind::Player,
        "event" => NameKind::Event,
        "site" => NameKind::Site,
        "annotator" => NameKind::Annotator,
        _ => return None,
    })
}

/// The names of a database by frequency.
pub(crate) fn names(database: &dyn Database, kind: NameKind) -> Vec<CountedName> {
    let mut counts: HashMap<NameId, u32> = HashMap::new();
    for game in 0..database.len() {
        let Ok(entry) = database.entry(GameIndex(game)) else {
            continue;
        };
        if entry.is_text || entry.deleted {
            continue;
        }
        let ids = match kind {
            NameKind::Player => [entry.white, entry.black],
            NameKind::Event => [entry.event, None],
            NameKind::Site => [entry.site, None],
            NameKind::Annotator => [entry.annotator, None],
            _ => [None, None],
        };
        for id in ids.into_iter().flatten() {
            *counts.entry(id).or_default() += 1;
        }
    }
    let mut by_frequency: Vec<(u32, NameId)> =
        counts.into_iter().map(|(id, games)| (games, id)).collect();
    by_frequency.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.0.cmp(&b.1.0)));
    by_frequency.truncate(MAX_NAMES);
    by_frequency
        .into_iter()
        .filter_map(|(games, id)| {
            let name = database.name(kind, id).ok()?;
            let name = name.trim();
            (!matches!(name, "" | "?" | "-")).then(|| CountedName {
                games,
                name: name.to_owned(),
                folded: fold(name),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> CountedName {
        CountedName {
            games: 1,
            name: text.to_owned(),
            folded: fold(text),
        }
    }

    #[test]
    fn names_fit_from_the_start_of_a_word() {
        let carlsen = name("Carlsen, Magnus");
        for text in ["carl", "magn", "carlsen, m", ""] {
            assert!(carlsen.fits(text), "{text}");
        }
        for text in ["arlsen", "agnus", "x"] {
            assert!(!carlsen.fits(text), "{text}");
        }
        assert!(name("Müller, Élan").fits(&fold("élan")));
    }
}
