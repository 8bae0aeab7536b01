//! The games that get other names, before anything is written.

use std::sync::Arc;

use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex};

use super::renames::Renames;
use super::{NamedThing, name_rows};
use crate::input::InputItem;
use crate::job_summary::Summary;
use crate::list::{ListOptions, ListRow, list};
use crate::observer::Observer;

/// The games that get other names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenamedGames {
    /// Number of games.
    pub games: u64,
    /// The first of them.
    pub first: Vec<RenamedGame>,
}

/// A game that gets other names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenamedGame {
    /// Number of its item, from 0.
    pub item: usize,
    /// Its number in the item.
    pub game: GameIndex,
    /// At least one.
    pub changes: Vec<NameChange>,
}

/// A name of a game that becomes another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameChange {
    /// The tag: `White`, `Black`, `Event`, `Site` or `Annotator`.
    pub tag: &'static str,
    /// The name.
    pub old: String,
    /// The new name.
    pub new: String,
}

/// The games of all items whose names `renames` changes: their number, and the first `most` of them in order.
/// Nothing is changed.
///
/// # Errors
/// When an item cannot be read, or `progress` is cancelled.
///
/// ```
/// use std::sync::Arc;
/// use tabia::list::ListOptions;
/// use tabia::names::{NamedThing, Renames, find_renamed_games};
/// use tabia::{NoObserver, Progress, Resolver};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = std::env::temp_dir().join(format!("tabia-renamed-{}.pgn", std::process::id()));
/// # std::fs::write(&path, "[White \"Tal,M\"]\n[Black \"Benko\"]\n\n*\n")?;
/// let items = Resolver::default().resolve_games(path.as_ref())?;
/// let items = items.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let rows = [(NamedThing::Player, "Tal,M".to_owned(), "Tal, Mikhail".to_owned())];
/// let renames = Renames::new(rows)?;
/// let (options, progress) = (ListOptions::default(), Arc::new(Progress::new()));
/// let (_, found) = find_renamed_games(&items, &renames, &options, 10, &progress, &mut NoObserver)?;
/// assert_eq!((found.games, found.first[0].changes[0].tag), (1, "White"));
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # }
/// ```
pub fn find_renamed_games(
    items: &[InputItem],
    renames: &Renames,
    options: &ListOptions,
    most: usize,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<(Summary, RenamedGames), Error> {
    let mut summary = Summary::default();
    let mut renamed = RenamedGames::default();
    let options = name_rows(options);
    let render = |row: &ListRow<'_>, out: &mut Vec<(GameIndex, Vec<NameChange>)>| {
        let changes = changes(row, renames);
        if !changes.is_empty() {
            out.push((row.game, changes));
        }
    };
    for (number, item) in items.iter().enumerate() {
        let (found, _) = list(
            item,
            &options,
            &render,
            progress,
            &mut *observer,
            &mut |found| {
                renamed.games += found.len() as u64;
                let left = most.saturating_sub(renamed.first.len());
                let first = found.drain(..).take(left);
                renamed
                    .first
                    .extend(first.map(|(game, changes)| RenamedGame {
                        item: number,
                        game,
                        changes,
                    }));
                Ok(())
            },
        )?;
        summary.problems += found.problems;
    }
    Ok((summary, renamed))
}

/// The names of a row that change. The title of a guiding text is no name of a player.
fn changes(row: &ListRow<'_>, renames: &Renames) -> Vec<NameChange> {
    let names = [
        ("White", NamedThing::Player, &row.white),
        ("Black", NamedThing::Player, &row.black),
        ("Event", NamedThing::Event, &row.event),
        ("Site", NamedThing::Site, &row.site),
        ("Annotator", NamedThing::Annotator, &row.annotator),
    ];
    let names = names
        .into_iter()
        .filter(|(_, kind, _)| !row.flags.text || *kind == NamedThing::Annotator);
    names
        .filter_map(|(tag, kind, old)| {
            let new = renames.get(kind, old)?;
            Some(NameChange {
                tag,
                old: old.clone().into_owned(),
                new: new.to_owned(),
            })
        })
        .collect()
}
