//! One record, whole.

use std::sync::Arc;

use tabia_core::formats::OpenOptions;
use tabia_core::game::Game;
use tabia_core::io::Progress;
use tabia_core::{GameIndex, Problem};

use crate::error::Failure;
use crate::input::{Input, Item};
use crate::output::RecordTask;
use crate::scan::{Desk, Plan, scan};
use crate::select::{Numbers, Selection};
use crate::summary::{Ledger, Watch};

/// Reads one record, deleted or not; `None` when the item has fewer. A stream is read only as far
/// as needed.
///
/// # Errors
/// When the item cannot be opened or read so far.
pub fn load(
    item: &Item,
    game: GameIndex,
    options: &OpenOptions,
    progress: &Arc<Progress>,
    watch: &mut dyn Watch,
) -> Result<Option<Game>, Failure> {
    let mut opened = item.open(options, Some(progress)).map_err(Failure::input)?;
    let mut ledger = Ledger::default();
    let mut desk = Desk {
        item,
        ledger: &mut ledger,
        watch,
        progress,
    };
    for error in std::mem::take(&mut opened.problems) {
        desk.problem(Problem::from(error), options.strict)?;
    }
    let (input, late) = opened.into_parts();
    if let Input::Database(database) = &input
        && game.0 >= database.len()
    {
        return Ok(None);
    }
    let plan = Plan {
        selection: Selection {
            numbers: Some(Numbers::one(game)),
            ..Selection::all()
        },
        strict: options.strict,
        ..Plan::default()
    };
    let mut found = None;
    let tasks = vec![RecordTask::default()];
    scan(&mut desk, input, &plan, tasks, &mut |_, recorded| {
        found = recorded.iter().next().map(|(_, game)| game.clone());
        Ok(found.is_none())
    })?;
    for error in late.take() {
        desk.problem(error.in_file(item.label()).into(), options.strict)?;
    }
    Ok(found)
}
