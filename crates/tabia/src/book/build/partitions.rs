//! The positions of all partitions, in the order of their keys.

use tabia_core::error::{Error, Result};
use tabia_core::external::PARTITIONS;
use tabia_core::io::{Progress, ProgressPhase};

use super::BuildOptions;
use super::aggregate::PositionTotals;
use super::grouping::Grouper;
use super::occurrence::StoredOccurrence;
use super::read_games::CollectedGames;
use crate::parallel::ordered;

/// Hands on what is made of the positions, a partition at a time: the rows, and the number of positions that have
/// any. They are made on several threads, each with a function that `maker` makes. With `facts`, ratings and dates count.
pub(super) fn for_each_partition<S: StoredOccurrence, R: Send, M>(
    games: &CollectedGames<S>,
    options: &BuildOptions,
    facts: bool,
    progress: &Progress,
    maker: &(impl Fn() -> M + Sync),
    emit: &mut dyn FnMut(&[R], u64) -> Result<()>,
) -> Result<()>
where
    M: FnMut(&PositionTotals, &mut Vec<R>),
{
    progress.begin_phase(ProgressPhase::Writing, PARTITIONS as u64);
    let mut next = 0;
    let fill = |job: &mut PartitionJob<R>| {
        job.partition = next;
        next += 1;
        job.partition < PARTITIONS && !progress.is_cancelled()
    };
    let worker = || {
        let mut grouper = Grouper::new(games, options, facts);
        let mut make = maker();
        move |job: &mut PartitionJob<R>| job.run(&mut grouper, &mut make)
    };
    ordered(options.threads, fill, worker, |job| {
        if let Some(error) = job.error.take() {
            return Err(error.in_output());
        }
        emit(&job.rows, job.positions)?;
        progress.advance(1, 0);
        Ok(true)
    })?;
    if progress.is_cancelled() {
        return Err(Error::cancelled());
    }
    Ok(())
}

/// The rows of a partition.
struct PartitionJob<R> {
    partition: usize,
    rows: Vec<R>,
    positions: u64,
    error: Option<Error>,
}

impl<R> Default for PartitionJob<R> {
    fn default() -> Self {
        Self {
            partition: 0,
            rows: Vec::new(),
            positions: 0,
            error: None,
        }
    }
}

impl<R> PartitionJob<R> {
    fn run<S: StoredOccurrence>(
        &mut self,
        grouper: &mut Grouper<'_, S>,
        make: &mut impl FnMut(&PositionTotals, &mut Vec<R>),
    ) {
        self.rows.clear();
        self.positions = 0;
        let (rows, positions) = (&mut self.rows, &mut self.positions);
        let done = grouper.for_each_position(self.partition, &mut |totals, _| {
            let before = rows.len();
            make(totals, rows);
            *positions += u64::from(rows.len() > before);
        });
        self.error = done.err();
    }
}
