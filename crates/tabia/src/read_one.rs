//! One record, whole.

use std::sync::Arc;

use tabia_core::formats::OpenOptions;
use tabia_core::game::Game;
use tabia_core::io::Progress;
use tabia_core::{Error, GameIndex, Problem};

use crate::input::{InputItem, OpenInput};
use crate::output::RecordTask;
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::select::{RecordRanges, Selection};
use crate::summary::{Observer, Summary};

/// Reads one record, deleted or not; `None` when the item has fewer. A stream is read only as far
/// as needed.
///
/// # Errors
/// When the item cannot be opened or read so far.
pub fn load(
    item: &InputItem,
    game: GameIndex,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Option<Game>, Error> {
    let mut opened = item.open(options, Some(progress))?;
    let mut summary = Summary::default();
    let mut reporter = ScanReporter {
        item,
        summary: &mut summary,
        observer,
        progress,
    };
    for error in std::mem::take(&mut opened.problems) {
        reporter.problem(Problem::from(error), options.strict)?;
    }
    let (input, late) = opened.into_parts();
    if let OpenInput::Database(database) = &input
        && game.0 >= database.len()
    {
        return Ok(None);
    }
    let plan = ScanOptions {
        selection: Selection {
            numbers: Some(RecordRanges::one(game)),
            ..Selection::all()
        },
        strict: options.strict,
        ..ScanOptions::default()
    };
    let mut found = None;
    let tasks = vec![RecordTask::default()];
    scan(&mut reporter, input, &plan, tasks, &mut |_, recorded| {
        found = recorded.iter().next().map(|(_, game)| game.clone());
        Ok(found.is_none())
    })?;
    for error in late.take() {
        reporter.problem(error.in_file(item.label()).into(), options.strict)?;
    }
    Ok(found)
}
