//! Players whose names are similar to one that no game has.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use tabia_core::Error;
use tabia_core::io::Progress;
use tabia_query::nearest;

use super::name_rows;
use crate::input::InputItem;
use crate::list::{ListOptions, ListRow, list};
use crate::observer::NoObserver;

/// Letters that a word has at least if another one is similar to it.
const LEAST_LETTERS: usize = 4;

/// A player with a name similar to a wanted one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimilarPlayer {
    /// The name as games have it.
    pub name: String,
    /// Games with this name, of those that were looked at.
    pub games: u64,
}

/// The players whose names are similar to `name`: each of its words begins a word of theirs or differs from one by at
/// most two letters, and at least one differs. Those with the most games come first. The games are those of
/// `options`; after `deadline` no more are looked at.
///
/// # Errors
/// When an item cannot be read.
///
/// ```
/// use std::time::{Duration, Instant};
/// use tabia::Resolver;
/// use tabia::list::ListOptions;
/// use tabia::names::similar_players;
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let deadline = Instant::now() + Duration::from_secs(1);
/// let found = similar_players(&items, "Anderson", &ListOptions::default(), deadline)?;
/// assert_eq!(found[0].name, "Anderssen, Adolf");
/// # Ok(())
/// # }
/// ```
pub fn similar_players(
    items: &[InputItem],
    name: &str,
    options: &ListOptions,
    deadline: Instant,
) -> Result<Vec<SimilarPlayer>, Error> {
    let wanted: Vec<&str> = words(name).collect();
    if !wanted.iter().any(|word| letters(word) >= LEAST_LETTERS) {
        return Ok(Vec::new());
    }
    let options = name_rows(options);
    let render = |row: &ListRow<'_>, out: &mut Vec<String>| {
        for name in [&row.white, &row.black] {
            if is_similar(&wanted, name) {
                out.push(name.to_string());
            }
        }
    };
    let mut games: HashMap<String, u64> = HashMap::new();
    for item in items {
        let progress = Arc::new(Progress::new());
        let listed = list(
            item,
            &options,
            &render,
            &progress,
            &mut NoObserver,
            &mut |found| {
                for name in found.drain(..) {
                    *games.entry(name).or_default() += 1;
                }
                if Instant::now() >= deadline {
                    return Err(Error::cancelled());
                }
                Ok(())
            },
        );
        match listed {
            Err(error) if matches!(error.kind(), tabia_core::ErrorKind::Cancelled) => break,
            other => other?,
        };
    }
    let mut found: Vec<SimilarPlayer> = games
        .into_iter()
        .map(|(name, games)| SimilarPlayer { name, games })
        .collect();
    found.sort_unstable_by(|a, b| b.games.cmp(&a.games).then_with(|| a.name.cmp(&b.name)));
    Ok(found)
}

/// Whether each of these words begins a word of a name or nearly is one, and one of them is only nearly one.
fn is_similar(wanted: &[&str], name: &str) -> bool {
    let mut differs = false;
    let all = wanted.iter().all(|word| {
        let begins = words(name).any(|other| begins_with(other, word));
        let is_near = || {
            letters(word) >= LEAST_LETTERS
                && words(name).any(|other| {
                    letters(other) >= LEAST_LETTERS && nearest(word, &[other]).is_some()
                })
        };
        // Of `Carlsen, Magnus` a base may have the initial: after a word that is the same.
        let is_initial = || {
            let surnames = wanted.iter().filter(|other| *other != word);
            let mut surnames = surnames.filter(|other| letters(other) >= LEAST_LETTERS);
            words(name).any(|other| letters(other) == 1 && begins_with(word, other))
                && surnames.any(|surname| words(name).any(|other| begins_with(other, surname)))
        };
        differs |= !begins;
        begins || is_near() || is_initial()
    });
    all && differs
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '"');
    name.split(is_end).filter(|word| !word.is_empty())
}

fn letters(word: &str) -> usize {
    word.chars().count()
}

/// Whether a word begins with another, whatever the case of letters.
fn begins_with(word: &str, start: &str) -> bool {
    let mut letters = word.chars().flat_map(char::to_lowercase);
    let mut start = start.chars().flat_map(char::to_lowercase);
    start.all(|letter| letters.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_one_or_two_other_letters_are_similar() {
        for (wanted, name, expected) in [
            ("Karpof", "Karpov, Anatoly", true),
            ("karpov", "Karpov, Anatoly", false),
            ("Carlson, M", "Carlsen, Magnus", true),
            ("Carlson, A", "Carlsen, Magnus", false),
            ("Carlsen, Magnus", "Carlsen,M", true),
            ("Carlsen, Magnus", "Carlsen,H", false),
            ("Carlsen, Magnus", "Kasimdzhanov,M", false),
            ("Kaspa", "Kasparov, Garry", false),
            ("Tal", "Tals, X", false),
            ("Anand", "Amin, Bassem", false),
            ("Ding Lirn", "Ding, Liren", true),
        ] {
            let wanted: Vec<&str> = words(wanted).collect();
            assert_eq!(is_similar(&wanted, name), expected, "{wanted:?} {name}");
        }
    }
}
