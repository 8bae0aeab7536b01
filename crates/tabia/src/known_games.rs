//! The games that a database has already, also where it has changed them.

use std::collections::HashSet;
use std::sync::Arc;

use tabia_core::io::{Progress, temporary_folder};
use tabia_core::{Error, GameIndex};
use tabia_formats::archives::compressed::Compression;

use crate::base::GameSet;
use crate::convert::{ConvertOptions, Target, convert};
use crate::dedupe::{DedupeOptions, Duplicate, Known, find_known, number_groups};
use crate::hidden_folder::HiddenFolder;
use crate::input::InputItem;
use crate::observer::{NoObserver, Observer};
use crate::resolve::Resolver;
use crate::select::Selection;

/// As [`find_known`] with the first item as the database, but new games that it would change so that they are not
/// recognised in it, those of unknown players above all, are also compared as it would store them: they are written to a
/// temporary database of its format, and read again.
///
/// # Errors
/// As [`find_known`], and when the temporary database cannot be written.
///
/// ```
/// use std::sync::Arc;
/// use tabia::dedupe::DedupeOptions;
/// use tabia::{NoObserver, Progress, Resolver, find_known_as_stored};
///
/// # fn main() -> Result<(), tabia::Error> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/tabia.cbv");
/// let find = || Resolver::default().resolve_games(path.as_ref());
/// let items = find()?.into_iter().chain(find()?);
/// let items = items.collect::<Result<Vec<_>, _>>()?;
/// let (progress, options) = (Arc::new(Progress::new()), DedupeOptions::default());
/// let known = find_known_as_stored(&items, &options, &progress, &mut NoObserver)?;
/// assert!(!known.duplicates.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn find_known_as_stored(
    items: &[InputItem],
    options: &DedupeOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Known, Error> {
    let mut known = find_known(items, 1, options, progress, observer)?;
    let Some((base, inputs)) = items.split_first() else {
        return Ok(known);
    };
    let dropped: HashSet<(u32, GameIndex)> = known
        .duplicates
        .iter()
        .map(|duplicate| duplicate.dropped)
        .collect();
    for (number, input) in (1..).zip(inputs) {
        let games = known.changeable.iter();
        let mut games: Vec<GameIndex> = games
            .filter(|at| at.0 == number && !dropped.contains(at))
            .map(|at| at.1)
            .collect();
        games.sort_unstable();
        if !games.is_empty() {
            let found = known_as_stored(base, input, &games, options, progress)?;
            known
                .duplicates
                .extend(found.into_iter().map(|duplicate| Duplicate {
                    dropped: (number, duplicate.dropped.1),
                    ..duplicate
                }));
        }
    }
    number_groups(&mut known.duplicates);
    Ok(known)
}

/// Those of some games of an input that the database has as it stores them.
fn known_as_stored(
    base: &InputItem,
    input: &InputItem,
    games: &[GameIndex],
    options: &DedupeOptions,
    progress: &Arc<Progress>,
) -> Result<Vec<Duplicate>, Error> {
    let format = base.format().games();
    // A text has games as they are.
    let format = format.filter(|format| format.create.is_some() && format.create_text.is_none());
    let (Some(format), Some(extension)) = (
        format,
        format.and_then(|format| format.file.extensions.first()),
    ) else {
        return Ok(Vec::new());
    };
    let path = temporary_folder().join(format!("stored.{extension}"));
    let folder = HiddenFolder::new(&path)?;
    let path = folder.path().join(format!("stored.{extension}"));
    let mut wanted = GameSet::default();
    for game in games {
        wanted.insert(*game);
    }
    let mut plan = ConvertOptions {
        open: options.open.clone(),
        without_media: true,
        ..ConvertOptions::default()
    };
    plan.plan.threads = options.threads;
    plan.plan.selection = Selection {
        texts: false,
        ..options.selection.clone()
    };
    plan.plan.candidates = Some(Arc::new(wanted));
    let target = Target::File {
        format,
        path: path.clone(),
        compression: Compression::None,
    };
    // The progress is that of the inputs.
    let silent = Arc::new(Progress::new());
    progress.check()?;
    let (summary, _) = convert(
        std::slice::from_ref(input),
        target,
        &plan,
        &silent,
        &mut NoObserver,
    )?;
    if summary.counts.games != games.len() as u64 {
        // Which record is which game is not known.
        return Ok(Vec::new());
    }
    let resolver = Resolver::default();
    let mut pair = Vec::new();
    for path in [&**base.label(), &path] {
        for item in resolver.resolve_games(path.as_os_str())? {
            pair.push(item?.as_base());
        }
    }
    if pair.len() != 2 {
        return Ok(Vec::new());
    }
    progress.check()?;
    let found = find_known(&pair, 1, options, &silent, &mut NoObserver)?;
    let of_base = found
        .duplicates
        .into_iter()
        .filter(|duplicate| duplicate.kept.0 == 0);
    let original = |duplicate: Duplicate| {
        let game = *games.get(duplicate.dropped.1.0 as usize)?;
        Some(Duplicate {
            dropped: (1, game),
            ..duplicate
        })
    };
    Ok(of_base.filter_map(original).collect())
}
