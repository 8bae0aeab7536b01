//! Numbers of games that no input has: `--games 900000`.

use tabia::inspect::inspect;
use tabia::select::{RecordRanges, SelectionCounts};
use tabia::{Error, InputItem};

use crate::args::ConvertArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;

/// Games of larger files are not counted for a message.
const COUNTED_SIZE: u64 = 1 << 30;
/// Games of larger texts are counted only if it is known that numbers are missing.
const QUICKLY_COUNTED: u64 = 1 << 26;

/// Compares the numbers that were asked for with the records of the inputs.
#[derive(Debug)]
pub(crate) struct AbsentGames {
    numbers: Option<RecordRanges>,
    /// The greatest number of a record in one of the inputs.
    last: u64,
    /// The numbers that an input lacks whose records were not counted.
    of_uncounted: Vec<String>,
    /// Whether an input has all the numbers, or may have them.
    is_complete: bool,
}

impl AbsentGames {
    pub(crate) fn new(numbers: Option<&RecordRanges>) -> Self {
        Self {
            numbers: numbers.cloned(),
            last: 0,
            of_uncounted: Vec::new(),
            is_complete: false,
        }
    }

    /// Adds an input that was read. `chosen`: how many records of it the numbers chose; `None` if a query chose among
    /// those.
    pub(crate) fn add(&mut self, context: &Context, item: &InputItem, chosen: Option<u64>) {
        let Some(numbers) = &self.numbers else {
            return;
        };
        if self.is_complete || numbers.absent(chosen.unwrap_or(0)).is_empty() {
            self.is_complete = true;
            return;
        }
        let Some(chosen) = chosen else {
            // A database of several files knows how many games it has without being read.
            let is_set = !item.format().companions().is_empty();
            let is_quick = is_set || item.bytes().is_some_and(|bytes| bytes <= QUICKLY_COUNTED);
            let records = is_quick.then(|| count_records(context, item)).flatten();
            match records {
                Some(records) => self.last = self.last.max(records),
                None => self.is_complete = true,
            }
            return;
        };
        match count_records(context, item) {
            Some(records) => self.last = self.last.max(records),
            None => self.of_uncounted = numbers.absent(chosen),
        }
    }

    /// Adds an input of which these records were handed on or are deleted: all that the numbers chose if no query was
    /// given.
    pub(crate) fn add_counted(
        &mut self,
        context: &Context,
        item: &InputItem,
        counts: &SelectionCounts,
        is_unfiltered: bool,
    ) {
        let chosen = counts.games + counts.texts + counts.deleted;
        self.add(context, item, is_unfiltered.then_some(chosen));
    }

    /// Reports the numbers that no input has: [`ExitCode::Problems`] if there are others, [`ExitCode::NoMatch`] if not.
    pub(crate) fn report(&self, context: &Context) -> ExitCode {
        let Some(numbers) = self.numbers.as_ref().filter(|_| !self.is_complete) else {
            return ExitCode::Done;
        };
        let absent = match self.last {
            0 if !self.of_uncounted.is_empty() => self.of_uncounted.clone(),
            last => numbers.beyond(last),
        };
        if absent.is_empty() {
            return ExitCode::Done;
        }
        let text = no_such_game(&absent.join(", "), Some(self.last).filter(|last| *last > 0));
        if numbers.beyond(0).len() == absent.len() {
            context.messages.note(&text);
            return ExitCode::NoMatch;
        }
        context.messages.warning(&text);
        ExitCode::Problems
    }
}

/// Reports the numbers of `--games` that no input of a conversion has.
pub(crate) fn absent_games(
    args: &ConvertArgs,
    context: &Context,
    numbers: Option<&RecordRanges>,
    items: &[InputItem],
    counts: &SelectionCounts,
) -> ExitCode {
    let mut absent = AbsentGames::new(numbers);
    let is_known = items.len() == 1
        && args.select.filter.trim().is_empty()
        && args.shard.is_none()
        && args.dropped.is_empty();
    for item in items {
        absent.add_counted(context, item, counts, is_known);
    }
    absent.report(context)
}

/// The sentence about numbers that are none of games.
pub(crate) fn no_such_game(numbers: &str, last: Option<u64>) -> String {
    let there_is = if numbers.contains([',', '-']) {
        "there are no games"
    } else {
        "there is no game"
    };
    match last {
        None => format!("{there_is} {numbers}"),
        Some(0) => format!("{there_is} {numbers}: it has no games"),
        Some(last) => format!("{there_is} {numbers}; the last one is {last}"),
    }
}

/// As [`records_of`]; `None` for what can be read once, and for very large files, where counting takes longer than a
/// message is worth.
pub(crate) fn count_records(context: &Context, item: &InputItem) -> Option<u64> {
    if item.is_once() || item.bytes().is_none_or(|bytes| bytes > COUNTED_SIZE) {
        return None;
    }
    records_of(context, item).ok().flatten()
}

/// The number of records: games, deleted or not, and guiding texts.
pub(crate) fn records_of(context: &Context, item: &InputItem) -> Result<Option<u64>, Error> {
    let (open, progress) = (&context.open, &context.progress);
    let info = inspect(&context.resolver, item, open, context.threads, progress)?;
    Ok(info
        .games
        .map(|games| games + info.texts.unwrap_or_default()))
}
