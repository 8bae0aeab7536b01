//! What a stream does about an error inside a member.

use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::{Error, Result};

/// Whether an error inside a member ends its stream or is collected and skipped. Clones share the
/// collected errors.
#[derive(Debug, Clone, Default)]
pub struct OnError(Option<Arc<Mutex<Vec<Error>>>>);

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
        collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(error);
        Ok(())
    }

    /// Removes and returns the errors collected so far.
    pub fn take(&self) -> Vec<Error> {
        match &self.0 {
            Some(collected) => {
                std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner))
            }
            None => Vec::new(),
        }
    }
}
