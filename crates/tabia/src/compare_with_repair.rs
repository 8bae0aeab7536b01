//! What a check and a repair know of each other: a set in which either finds damage is healthy for neither.

use tabia_core::chess::{Ply, Position};
use tabia_core::formats::OpenOptions;
use tabia_core::game::{Flow, Visitor, Want};
use tabia_core::games::{Database, PartKind};
use tabia_core::{Error, ErrorKind, GameIndex, Problem};

use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::scan::{ScanOptions, ScanReporter, Task, scan_database};
use crate::select::Selection;

/// Reports what a repair of the item would find: entries that lead to the record of another game, games that end
/// otherwise than the index states, names that belong to other games.
///
/// # Errors
/// Those of reading; `strict`: the first problem.
pub(crate) fn report_as_repair(
    reporter: &mut ScanReporter<'_>,
    open: &OpenOptions,
    threads: usize,
    strict: bool,
) -> Result<(), Error> {
    let mut open = open.clone();
    open.salvage = true;
    let Some(database) = open_database(reporter.item, &open)? else {
        return Ok(());
    };
    let (item, progress) = (reporter.item, reporter.progress);
    let mut summary = Summary::default();
    let mut second = ScanReporter {
        item,
        summary: &mut summary,
        observer: &mut *reporter.observer,
        progress,
    };
    second.report_database_problems(&*database, strict)?;
    let plan = ScanOptions {
        threads,
        selection: Selection::all(),
        want: Want::MAINLINE,
        strict,
        ..ScanOptions::default()
    };
    let tasks = (0..threads.max(1)).map(|_| ReadOnly).collect();
    second.read_opened(|second| {
        scan_database(second, &*database, &plan, tasks, &mut |_, ()| Ok(true))
    })?;
    reporter.summary.problems += summary.problems;
    Ok(())
}

/// What comparing the files of an item with each other finds, which repairs do not: for a check the reasons why it
/// is not healthy. Nothing if it cannot be opened as it is, or has another number of records than `records`.
///
/// # Errors
/// Those of the system; damage is none.
pub(crate) fn problems_of_comparison(
    item: &InputItem,
    open: &OpenOptions,
    records: u32,
) -> Result<Vec<Problem>, Error> {
    let mut found = Vec::new();
    let Some(database) = open_database(item, open)? else {
        return Ok(found);
    };
    if database.len() == records {
        database.verify(&mut |problem| found.push(located(item, problem)));
    }
    Ok(found)
}

/// Why a database is not copied as it is: a record whose moves are stored where those of another one are. `None` if there
/// is none.
pub(crate) fn shared_record(database: &dyn Database) -> Option<String> {
    let moves_of = |game: u32| {
        let parts = database.stored_parts(GameIndex(game)).into_iter();
        let mut moves = parts.filter(|part| matches!(part.kind, PartKind::Game | PartKind::Moves));
        let part = moves.next()?;
        Some((part.offset, part.bytes.len() as u64, game))
    };
    let records = || (0..database.len()).filter_map(moves_of);
    let shared = |last: &mut (u64, u32), (start, length, game): (u64, u64, u32)| {
        let before = std::mem::replace(last, (start + length, game));
        (start < before.0).then_some((GameIndex(before.1), GameIndex(game)))
    };
    let mut last = (0, 0);
    // Mostly they are in the order of the records.
    records().find_map(|record| shared(&mut last, record))?;
    let mut sorted: Vec<_> = records().collect();
    sorted.sort_unstable();
    last = (0, 0);
    let found = sorted
        .into_iter()
        .find_map(|record| shared(&mut last, record));
    found.map(|(game, other)| format!("games {game} and {other} have the same moves in the file"))
}

/// A problem of [`Database::verify`] with the name of the file that it is in.
pub(crate) fn located(item: &InputItem, problem: Problem) -> Problem {
    let at = problem.error.location();
    let error = match problem.error.kind() {
        // Its text may begin with the file of the set that it is in.
        ErrorKind::Invalid(text) if at.file.is_none() && at.game.is_none() => {
            item.problem_text(text)
        }
        _ => problem.error.clone().in_file(item.label()),
    };
    Problem { error, ..problem }
}

/// The database of an item; `None` if it is none or cannot be opened so.
fn open_database(item: &InputItem, open: &OpenOptions) -> Result<Option<Box<dyn Database>>, Error> {
    match item.open(open, None) {
        Ok(opened) => Ok(match opened.into_parts().0 {
            OpenInput::Database(database) => Some(database),
            _ => None,
        }),
        Err(error) if error.is_system() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Reads and keeps nothing.
struct ReadOnly;

impl Visitor for ReadOnly {
    fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
        Flow::Go
    }
}

impl Task for ReadOnly {
    type Out = ();

    fn swap(&mut self, (): &mut ()) {}
}
