//! Progress of long work, and a request to stop it.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

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

/// What a job does at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgressPhase {
    /// It reads its inputs.
    #[default]
    Reading,
    /// It compares what was read: names with each other, a database with what a repair would find in it.
    Comparing,
    /// It sorts and writes what was read.
    Writing,
}

impl ProgressPhase {
    /// Its name: `reading`, `comparing`, `writing`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Comparing => "comparing",
            Self::Writing => "writing",
        }
    }
}

/// Counters that workers advance and a display reads, and a flag by which the display asks the workers
/// to stop. Shared between threads.
#[derive(Debug)]
pub struct Progress {
    created: Instant,
    /// When the last phase began, in milliseconds after `created`.
    phase_begin: AtomicU64,
    done: AtomicU64,
    total: AtomicU64,
    games: AtomicU64,
    memory: AtomicU64,
    cancelled: AtomicBool,
    unit: AtomicU8,
    phase: AtomicU8,
    ignores_games: AtomicBool,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// All counters at 0.
    pub fn new() -> Self {
        Self {
            created: Instant::now(),
            phase_begin: AtomicU64::new(0),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            games: AtomicU64::new(0),
            memory: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
            unit: AtomicU8::new(0),
            phase: AtomicU8::new(0),
            ignores_games: AtomicBool::new(false),
        }
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

    /// Begins work of `total` units, 0 if unknown: neither what was done before nor its time counts.
    pub fn begin(&self, unit: ProgressUnit, total: u64) {
        let begin = u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.phase_begin.store(begin, Ordering::Relaxed);
        self.unit.store(unit as u8, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.set_total(total);
    }

    /// Begins a phase of the work of `total` units, 0 if unknown: what was done before does not count. Games that were
    /// counted stay counted.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Progress, ProgressPhase};
    /// let progress = Progress::new();
    /// progress.set_total(10);
    /// progress.advance(10, 3);
    /// progress.begin_phase(ProgressPhase::Writing, 4);
    /// assert_eq!((progress.done(), progress.total(), progress.games()), (0, 4, 3));
    /// assert_eq!(progress.phase().name(), "writing");
    /// ```
    pub fn begin_phase(&self, phase: ProgressPhase, total: u64) {
        self.phase.store(phase as u8, Ordering::Relaxed);
        self.begin(ProgressUnit::Games, total);
    }

    /// Does a part of the work as a phase of its own of `total` units, whose games are not counted; then what was done
    /// before goes on.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Progress, ProgressPhase};
    /// let progress = Progress::new();
    /// progress.set_total(10);
    /// progress.advance(5, 3);
    /// progress.during_phase(ProgressPhase::Comparing, 4, || progress.advance(4, 3));
    /// assert_eq!((progress.done(), progress.total(), progress.games()), (5, 10, 3));
    /// assert_eq!(progress.phase(), ProgressPhase::Reading);
    /// ```
    pub fn during_phase<T>(&self, phase: ProgressPhase, total: u64, work: impl FnOnce() -> T) -> T {
        let numbers = [&self.done, &self.total, &self.phase_begin];
        let before = numbers.map(|number| number.load(Ordering::Relaxed));
        let states = [&self.unit, &self.phase];
        let states_before = states.map(|state| state.load(Ordering::Relaxed));
        self.begin_phase(phase, total);
        let done = self.without_games(work);
        for (number, before) in numbers.into_iter().zip(before) {
            number.store(before, Ordering::Relaxed);
        }
        for (state, before) in states.into_iter().zip(states_before) {
            state.store(before, Ordering::Relaxed);
        }
        done
    }

    /// What is done at the moment.
    pub fn phase(&self) -> ProgressPhase {
        match self.phase.load(Ordering::Relaxed) {
            1 => ProgressPhase::Comparing,
            2 => ProgressPhase::Writing,
            _ => ProgressPhase::Reading,
        }
    }

    /// The time since [`begin_phase`](Self::begin_phase) or [`begin`](Self::begin), or since it was created.
    pub fn phase_elapsed(&self) -> Duration {
        let begin = Duration::from_millis(self.phase_begin.load(Ordering::Relaxed));
        self.created.elapsed().saturating_sub(begin)
    }

    /// Begins work of `total` units, unless work in this unit is known and not done yet, of which it is a part then.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Progress, ProgressUnit};
    ///
    /// let progress = Progress::new();
    /// progress.begin_part(ProgressUnit::Positions, 10);
    /// progress.advance(4, 0);
    /// progress.begin_part(ProgressUnit::Positions, 3);
    /// assert_eq!((progress.done(), progress.total()), (4, 10));
    /// progress.advance(6, 0);
    /// progress.begin_part(ProgressUnit::Positions, 3);
    /// assert_eq!((progress.done(), progress.total()), (0, 3));
    /// ```
    pub fn begin_part(&self, unit: ProgressUnit, total: u64) {
        if self.unit() != unit || self.done() >= self.total() {
            self.begin(unit, total);
        }
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
