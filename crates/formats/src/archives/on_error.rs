//! What a stream does about an error inside a member.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabia_core::{Error, Result};

/// Whether an error inside a member ends its stream or is collected and skipped. Clones share the
/// collected errors.
#[derive(Debug, Clone, Default)]
pub struct OnError(Option<Arc<Mutex<Collected>>>);

#[derive(Debug, Default)]
struct Collected {
    errors: Vec<Error>,
    zeros: u64,
}

impl OnError {
    /// The first error ends the stream.
    pub fn stop() -> Self {
        Self(None)
    }

    /// Errors are collected: a wrong checksum is ignored, bytes that cannot be unpacked are left
    /// out (or replaced by zeros if their number is known), and the stream ends where nothing more
    /// can be read.
    pub fn collect() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether errors are collected.
    pub fn is_collecting(&self) -> bool {
        self.0.is_some()
    }

    /// Collects an error, or returns it.
    pub fn report(&self, error: Error) -> Result<()> {
        let Some(collected) = &self.0 else {
            return Err(error);
        };
        lock(collected).errors.push(error);
        Ok(())
    }

    /// Counts bytes that could not be read and were replaced by zeros.
    pub(super) fn add_zeros(&self, count: usize) {
        if let Some(collected) = &self.0 {
            lock(collected).zeros += count as u64;
        }
    }

    /// The number of bytes of the stream so far that could not be read and are zeros instead.
    pub fn zeros(&self) -> u64 {
        self.0.as_ref().map_or(0, |collected| lock(collected).zeros)
    }

    /// Removes and returns the errors collected so far.
    pub fn take(&self) -> Vec<Error> {
        match &self.0 {
            Some(collected) => std::mem::take(&mut lock(collected).errors),
            None => Vec::new(),
        }
    }
}

fn lock(collected: &Mutex<Collected>) -> MutexGuard<'_, Collected> {
    collected.lock().unwrap_or_else(PoisonError::into_inner)
}
