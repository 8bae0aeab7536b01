//! The positions of all partitions, in the order of their keys.

use tabia_core::error::{Error, Result};
use tabia_core::external::PARTITIONS;
use tabia_core::io::{Progress, ProgressPhase};

use super::BuildOptions;
use super::aggregate::PositionTotals;
use super::grouping::{Grouper, TakePositions};
use super::occurrence::{Board, Occurrence, StoredOccurrence};
use super::read_games::CollectedGames;
use crate::parallel::ordered;

/// Makes rows of positions.
pub(super) trait MakeRows<R> {
    /// Appends the rows of a position.
    fn append(&mut self, totals: &PositionTotals, rows: &mut Vec<R>);

    /// Appends the rows of a position that occurs once; `false` if [`append`](Self::append) needs its totals.
    #[inline]
    fn append_single(&mut self, _: Occurrence, _: &mut Vec<R>) -> bool {
        false
    }
}

impl<R, F: FnMut(&PositionTotals, &mut Vec<R>)> MakeRows<R> for F {
    fn append(&mut self, totals: &PositionTotals, rows: &mut Vec<R>) {
        self(totals, rows);
    }
}

/// Hands on what is made of the positions, a partition at a time: the rows, and the number of positions that have
/// any. They are made on several threads, each with what `maker` returns. With `facts`, ratings and dates count.
pub(super) fn for_each_partition<S: StoredOccurrence, R: Send, M>(
    games: &CollectedGames<S>,
    options: &BuildOptions,
    facts: bool,
    progress: &Progress,
    maker: &(impl Fn() -> M + Sync),
    emit: &mut dyn FnMut(&[R], u64) -> Result<()>,
) -> Result<()>
where
    M: MakeRows<R>,
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
        make: &mut impl MakeRows<R>,
    ) {
        self.rows.clear();
        self.positions = 0;
        let mut taker = RowTaker {
            rows: &mut self.rows,
            positions: &mut self.positions,
            make,
        };
        let done = grouper.for_each_position(self.partition, &mut taker);
        self.error = done.err();
    }
}

/// Collects the rows of positions, and counts those that have any.
struct RowTaker<'a, R, M> {
    rows: &'a mut Vec<R>,
    positions: &'a mut u64,
    make: &'a mut M,
}

impl<R, M: MakeRows<R>> TakePositions for RowTaker<'_, R, M> {
    fn take(&mut self, totals: &PositionTotals, _: &[Board]) {
        let before = self.rows.len();
        self.make.append(totals, self.rows);
        *self.positions += u64::from(self.rows.len() > before);
    }

    #[inline]
    fn take_single(&mut self, occurrence: Occurrence) -> bool {
        let before = self.rows.len();
        let is_taken = self.make.append_single(occurrence, self.rows);
        *self.positions += u64::from(self.rows.len() > before);
        is_taken
    }
}
