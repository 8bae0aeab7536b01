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
/// recognised in it, those of unknown players and guiding texts above all, are also compared as it would store them: they are written to a
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
        for records in [known.changeable.clone(), known.unknown_texts.clone()] {
            let records = records.into_iter();
            let mut records: Vec<GameIndex> = records
                .filter(|at| at.0 == number && !dropped.contains(at))
                .map(|at| at.1)
                .collect();
            records.sort_unstable();
            let found = known_as_stored(base, input, &records, options, progress)?;
            let duplicates = found.duplicates.into_iter().map(|duplicate| Duplicate {
                dropped: (number, duplicate.dropped.1),
                ..duplicate
            });
            known.duplicates.extend(duplicates);
            let texts = found.texts.into_iter().map(|text| (number, text));
            known.texts.extend(texts);
        }
    }
    number_groups(&mut known.duplicates);
    Ok(known)
}

/// What the database has of some records of an input.
#[derive(Default)]
struct KnownAsStored {
    duplicates: Vec<Duplicate>,
    texts: Vec<GameIndex>,
}

/// Those of some records of an input, all of them games or all of them texts, that the database has as it stores them.
fn known_as_stored(
    base: &InputItem,
    input: &InputItem,
    records: &[GameIndex],
    options: &DedupeOptions,
    progress: &Arc<Progress>,
) -> Result<KnownAsStored, Error> {
    let format = base.format().games();
    if records.is_empty() {
        return Ok(KnownAsStored::default());
    }
    // A text has games as they are.
    let format = format.filter(|format| format.create.is_some() && format.create_text.is_none());
    let (Some(format), Some(extension)) = (
        format,
        format.and_then(|format| format.file.extensions.first()),
    ) else {
        return Ok(KnownAsStored::default());
    };
    let path = temporary_folder().join(format!("stored.{extension}"));
    let folder = HiddenFolder::new(&path)?;
    let path = folder.path().join(format!("stored.{extension}"));
    let mut wanted = GameSet::default();
    for record in records {
        wanted.insert(*record);
    }
    let mut plan = ConvertOptions {
        open: options.open.clone(),
        without_media: true,
        ..ConvertOptions::default()
    };
    plan.plan.threads = options.threads;
    plan.plan.selection = Selection {
        texts: true,
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
    let (_, written) = convert(
        std::slice::from_ref(input),
        target,
        &plan,
        &silent,
        &mut NoObserver,
    )?;
    if written.records as usize != records.len() {
        // Which record is which game is not known.
        return Ok(KnownAsStored::default());
    }
    let resolver = Resolver::default();
    let mut pair = Vec::new();
    for path in [&**base.label(), &path] {
        for item in resolver.resolve_games(path.as_os_str())? {
            pair.push(item?.as_base());
        }
    }
    if pair.len() != 2 {
        return Ok(KnownAsStored::default());
    }
    progress.check()?;
    let found = find_known(&pair, 1, options, &silent, &mut NoObserver)?;
    let number_in_input = |at: (u32, GameIndex)| records.get(at.1.0 as usize).copied();
    let of_base = found
        .duplicates
        .into_iter()
        .filter(|duplicate| duplicate.kept.0 == 0);
    let original = |duplicate: Duplicate| {
        Some(Duplicate {
            dropped: (1, number_in_input(duplicate.dropped)?),
            ..duplicate
        })
    };
    Ok(KnownAsStored {
        duplicates: of_base.filter_map(original).collect(),
        texts: found
            .texts
            .into_iter()
            .filter_map(number_in_input)
            .collect(),
    })
}
