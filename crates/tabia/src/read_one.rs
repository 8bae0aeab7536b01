//! Single records, whole.

use std::path::Path;
use std::sync::Arc;

use tabia_core::formats::OpenOptions;
use tabia_core::game::{Game, Want};
use tabia_core::io::{Blob, Progress};
use tabia_core::{Error, GameIndex};

use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::saved_block_offsets::BlockMap;
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::select::{RecordRanges, Selection};
use crate::text_record_and_encode_tasks::RecordTask;

/// Reads one record, deleted or not; `None` when the item has fewer. A [`GameIndex`] counts from 0: people's
/// game 3 is `GameIndex(2)`.
///
/// # Errors
/// As of [`load_each`].
pub fn load(
    item: &InputItem,
    game: GameIndex,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Game>, Error> {
    load_wanted(item, game, Want::ALL, options, progress, observer)
}

/// As [`load`], for a database of the same format: with the texts as they are stored
/// ([`Want::STORED_TEXTS`]).
///
/// # Errors
/// As of [`load`].
pub fn load_to_copy(
    item: &InputItem,
    game: GameIndex,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Game>, Error> {
    let want = Want::ALL.and(Want::STORED_TEXTS);
    load_wanted(item, game, want, options, progress, observer)
}

fn load_wanted(
    item: &InputItem,
    game: GameIndex,
    want: Want,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Game>, Error> {
    let mut found = None;
    let numbers = RecordRanges::one(game);
    let source = Source {
        item,
        options,
        map: None,
        want,
    };
    load_from(source, numbers, progress, observer, &mut |_, game| {
        found = Some(game.clone());
        Ok(())
    })?;
    Ok(found)
}

/// Reads records, deleted or not, and hands each to `show` in the order of the item. Returns how many
/// there were. A stream is read only as far as needed.
///
/// # Errors
/// When the item cannot be opened or read so far, and those of `show`.
pub fn load_each(
    item: &InputItem,
    numbers: RecordRanges,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    show: &mut dyn FnMut(GameIndex, &Game) -> Result<(), Error>,
) -> Result<u64, Error> {
    let source = Source {
        item,
        options,
        map: None,
        want: Want::ALL,
    };
    load_from(source, numbers, progress, observer, show)
}

/// As [`load_each`], for games of a large text that are asked for one after another: the first time, all
/// of it is read, and where its games are is saved in the folder `cache`; then a game is read without
/// those before it. What is saved is checked (length, time and both ends of the file) and may be removed
/// at any time. It is used for files of more than 4 MB that are neither compressed nor in an archive.
///
/// # Errors
/// As of [`load_each`]; a cache that cannot be written is none.
pub fn load_each_cached(
    item: &InputItem,
    numbers: RecordRanges,
    options: &OpenOptions,
    cache: &Path,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    show: &mut dyn FnMut(GameIndex, &Game) -> Result<(), Error>,
) -> Result<u64, Error> {
    let map = BlockMap::of(item, &numbers, options, cache, progress);
    let source = Source {
        item,
        options,
        map: map.map_err(|error| error.in_file(item.label()))?,
        want: Want::ALL,
    };
    load_from(source, numbers, progress, observer, show)
}

/// From what records are read.
struct Source<'a> {
    item: &'a InputItem,
    options: &'a OpenOptions,
    /// With the file.
    map: Option<(BlockMap, Blob)>,
    want: Want,
}

fn load_from(
    source: Source<'_>,
    numbers: RecordRanges,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
    show: &mut dyn FnMut(GameIndex, &Game) -> Result<(), Error>,
) -> Result<u64, Error> {
    let Source {
        item,
        options,
        map,
        want,
    } = source;
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    reporter.read_item(options, progress, options.strict, |reporter, input| {
        let (input, map) = BlockMap::restrict(map, &numbers, input);
        let plan = ScanOptions {
            strict: options.strict,
            map,
            want,
            ..ScanOptions::default()
        };
        show_records(reporter, input, numbers, plan, show)
    })
}

/// Hands the records of an opened item to `show`; returns how many there were.
fn show_records(
    reporter: &mut ScanReporter<'_>,
    input: OpenInput,
    numbers: RecordRanges,
    plan: ScanOptions,
    show: &mut dyn FnMut(GameIndex, &Game) -> Result<(), Error>,
) -> Result<u64, Error> {
    let last = numbers.last().unwrap_or_default();
    let mut shown = 0;
    if let OpenInput::Database(database) = &input
        && numbers
            .next_from(0)
            .is_none_or(|first| first >= database.len())
    {
        return Ok(0);
    }
    let plan = ScanOptions {
        selection: Selection {
            numbers: Some(numbers),
            ..Selection::all()
        },
        ..plan
    };
    let tasks = vec![RecordTask::default()];
    scan(reporter, input, &plan, tasks, &mut |_, recorded| {
        let mut goes_on = true;
        for (number, game) in recorded.iter() {
            show(number, game)?;
            shown += 1;
            goes_on &= number < last;
        }
        Ok(goes_on)
    })?;
    Ok(shown)
}
