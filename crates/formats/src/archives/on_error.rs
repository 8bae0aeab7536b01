//! What to do about a fault inside a member.

use std::sync::{Arc, Mutex, PoisonError};

use tabia_core::{Error, Result};

/// Whether a fault in a member ends its stream or is noted and passed over.
#[derive(Debug, Clone, Default)]
pub struct Faults(Option<Arc<Mutex<Vec<Error>>>>);

impl Faults {
    /// The first fault is an error.
    pub fn stop() -> Self {
        Self(None)
    }

    /// Faults are noted: a wrong checksum is passed over, what cannot be unpacked is left out (or
    /// zeros where its length is known), and the stream ends where nothing more can be read.
    pub fn note() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether faults are noted.
    pub fn are_noted(&self) -> bool {
        self.0.is_some()
    }

    /// Notes a fault, or makes it an error.
    pub fn raise(&self, error: Error) -> Result<()> {
        let Some(noted) = &self.0 else {
            return Err(error);
        };
        noted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(error);
        Ok(())
    }

    /// The faults noted so far; they are forgotten here.
    pub fn take(&self) -> Vec<Error> {
        match &self.0 {
            Some(noted) => {
                std::mem::take(&mut *noted.lock().unwrap_or_else(PoisonError::into_inner))
            }
            None => Vec::new(),
        }
    }
}
