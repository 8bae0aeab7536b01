//! Progress of long work, and a request to stop it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Counters that workers advance and a display reads, and a flag by which the display asks the workers
/// to stop. Shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    games: AtomicU64,
    memory: AtomicU64,
    cancelled: AtomicBool,
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

    /// Adds finished work, in the unit of the total, and finished games.
    pub fn advance(&self, work: u64, games: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
        self.games.fetch_add(games, Ordering::Relaxed);
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
