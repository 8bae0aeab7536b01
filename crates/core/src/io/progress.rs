//! Progress of long work, and a request to stop it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// What a job counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgressUnit {
    /// Games; the total is in bytes or records.
    #[default]
    Games,
    /// Positions of a book; the total is in positions, too.
    Positions,
    /// Moves of a book; the total is in moves, too.
    Moves,
}

/// Counters that workers advance and a display reads, and a flag by which the display asks the workers
/// to stop. Shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    games: AtomicU64,
    memory: AtomicU64,
    cancelled: AtomicBool,
    unit: AtomicU8,
    ignores_games: AtomicBool,
}

impl Progress {
    /// All counters at 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the amount of all work, in bytes or records; 0 if unknown.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Work of this amount is to come, 0 if unknown. It is the amount of all work, or added to it, unless that is
    /// larger than what is done, and so was set for this work too.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let progress = tabia::Progress::new();
    /// progress.expect(10);
    /// progress.advance(10, 1);
    /// progress.expect(5);
    /// assert_eq!((progress.done(), progress.total()), (10, 15));
    /// progress.expect(7);
    /// assert_eq!(progress.total(), 15);
    /// ```
    pub fn expect(&self, work: u64) {
        if work > 0 && self.total() <= self.done() {
            self.set_total(self.done().saturating_add(work));
        }
    }

    /// Begins work of `total` units, 0 if unknown: what was done before does not count.
    pub fn begin(&self, unit: ProgressUnit, total: u64) {
        self.unit.store(unit as u8, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.set_total(total);
    }

    /// Counts these from now on, unless the amount of all work is known: then it is that of the work in
    /// progress.
    pub fn count_if_unknown(&self, unit: ProgressUnit) {
        if self.total() == 0 {
            self.unit.store(unit as u8, Ordering::Relaxed);
        }
    }

    /// What is counted.
    pub fn unit(&self) -> ProgressUnit {
        match self.unit.load(Ordering::Relaxed) {
            1 => ProgressUnit::Positions,
            2 => ProgressUnit::Moves,
            _ => ProgressUnit::Games,
        }
    }

    /// The number of units that are done: games, or what [`begin`](Self::begin) named.
    pub fn counted(&self) -> u64 {
        match self.unit() {
            ProgressUnit::Games => self.games(),
            ProgressUnit::Positions | ProgressUnit::Moves => self.done(),
        }
    }

    /// Adds finished work, in the unit of the total, and finished games.
    pub fn advance(&self, work: u64, games: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
        if games > 0 && !self.ignores_games.load(Ordering::Relaxed) {
            self.games.fetch_add(games, Ordering::Relaxed);
        }
    }

    /// Does a part of the work whose games are read again later, so that they are not counted here.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// let progress = tabia::Progress::new();
    /// progress.without_games(|| progress.advance(100, 3));
    /// progress.advance(100, 3);
    /// assert_eq!((progress.done(), progress.games()), (200, 3));
    /// ```
    pub fn without_games<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.ignores_games.swap(true, Ordering::Relaxed);
        let done = work();
        self.ignores_games.store(before, Ordering::Relaxed);
        done
    }

    /// Work done so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The amount of all work; 0 if unknown.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Games done so far.
    pub fn games(&self) -> u64 {
        self.games.load(Ordering::Relaxed)
    }

    /// Sets the number of bytes in memory that count towards the memory budget.
    pub fn set_memory(&self, bytes: u64) {
        self.memory.store(bytes, Ordering::Relaxed);
    }

    /// Bytes in memory that count towards the memory budget; 0 if not reported.
    pub fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// Asks the workers to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the workers should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns an error if the workers should stop.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] after [`cancel`](Self::cancel).
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::new(ErrorKind::Cancelled))
        } else {
            Ok(())
        }
    }
}
