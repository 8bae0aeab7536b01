//! Reads the games of all inputs and stores their occurrences.

use std::path::Path;
use std::sync::Arc;

use tabia_core::Error;
use tabia_core::external::SpillStore;
use tabia_core::game::Want;
use tabia_core::io::{Progress, TemporaryFile};
use tabia_core::shell_argument::argument;

use super::book_rules::Weighting;
use super::collect_occurrences::{Batch, CollectRules, Collector, GameCounts};
use super::count_sketch::CountSketch;
use super::occurrence::{Board, StoredOccurrence};
use super::{BuildOptions, Built};
use crate::base::restrict_by_index;
use crate::input::{InputItem, OpenInput};
use crate::job_summary::Summary;
use crate::observer::Observer;
use crate::scan::{ScanOptions, ScanReporter, scan};
use crate::select::{LeaveOut, Selection};

/// What the games of all inputs contribute to a book.
pub(super) struct CollectedGames<S> {
    pub(super) occurrences: SpillStore<S>,
    pub(super) boards: SpillStore<Board>,
    /// The month of the newest game.
    pub(super) newest_month: u16,
}

impl<S: StoredOccurrence> CollectedGames<S> {
    /// Temporary files are in the folder of `target`; both numbers are bytes of memory.
    pub(super) fn new(target: &Path, for_occurrences: u64, for_boards: u64) -> Self {
        let folder = TemporaryFile::folder_of(target);
        Self {
            occurrences: SpillStore::new(folder, for_occurrences),
            boards: SpillStore::new(folder, for_boards),
            newest_month: 0,
        }
    }

    fn add(&mut self, batch: &Batch<S>) -> Result<(), Error> {
        self.newest_month = self.newest_month.max(batch.newest_month);
        let added = self.occurrences.extend(&batch.occurrences);
        added
            .and_then(|()| self.boards.extend(&batch.boards))
            .map_err(Error::in_output)
    }
}

/// Reads all games; with a `sketch`, the boards of frequent positions are collected too. Returns the
/// counts of games and problems.
pub(super) fn read_games<S: StoredOccurrence>(
    items: &[InputItem],
    games: &mut CollectedGames<S>,
    sketch: Option<&CountSketch>,
    options: &BuildOptions,
    progress: &Arc<Progress>,
    observer: &mut dyn Observer,
) -> Result<Built, Error> {
    let mut built = Built::default();
    let scan_options = scan_options(options);
    let rules = CollectRules {
        max_ply: options.max_ply,
        polyglot: options.weighting == Weighting::Polyglot,
        least_elo: options.kvetka.least_elo,
    };
    let mut summary = Summary::default();
    for item in items {
        let collectors = (0..options.threads.max(1)).map(|_| Collector::new(rules, sketch));
        let collectors = collectors.collect();
        let mut counts = GameCounts::default();
        let mut reporter = ScanReporter {
            item,
            summary: &mut summary,
            observer: &mut *observer,
            progress,
        };
        let before = reporter.summary.counts;
        let mut scan_options = scan_options.for_item(item, &options.open, progress)?;
        restrict_by_index(
            &mut scan_options,
            item,
            options.index,
            &options.index_options,
            progress,
            reporter.observer,
        )?;
        reporter.read_item(
            &options.open,
            progress,
            options.strict,
            |reporter, input| {
                if let OpenInput::Book(_) = input {
                    let (name, quoted) = (item.name(), argument(&item.name()).into_owned());
                    let hint = format!(
                        "`tabia book merge {quoted} OTHER -o NEW` adds up books, `tabia book convert {quoted} -o NEW` \
                         changes the format"
                    );
                    return Err(Error::usage(format!("{name} is a book, not games")).with_hint(hint));
                }
                scan(
                    reporter,
                    input,
                    &scan_options,
                    collectors,
                    &mut |_, batch| {
                        counts.add(batch.counts);
                        games.add(batch)?;
                        progress.set_memory(games.occurrences.memory() + games.boards.memory());
                        Ok(true)
                    },
                )
            },
        )?;
        counts.filtered += reporter.finish_item(before)?.filtered;
        built.games.add(counts);
        built.inputs.push(counts);
    }
    built.problems = summary.problems;
    built.spilled = games.occurrences.spilled() + games.boards.spilled();
    Ok(built)
}

/// How the inputs are read.
pub(super) fn scan_options(options: &BuildOptions) -> ScanOptions {
    let want = Want::TAGS.and(Want::MAINLINE);
    ScanOptions {
        threads: options.threads,
        selection: Selection {
            texts: false,
            ..options.selection.clone()
        },
        leave_out: LeaveOut {
            variations: !options.variations,
            ..LeaveOut::default()
        },
        want: if options.variations {
            want.and(Want::VARIATIONS)
        } else {
            want
        },
        strict: options.strict,
        filter: Some(options.filter.clone()).filter(|query| !query.is_empty()),
        count_filtered: true,
        ..ScanOptions::default()
    }
}
