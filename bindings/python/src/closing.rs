//! Databases and books that are closed before they are dropped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tabia::Progress;

/// Whether something is closed, and what reads it until then for an iterator or a stream.
pub(crate) struct Closing {
    /// What is closed.
    name: &'static str,
    is_closed: AtomicBool,
    readers: Mutex<Vec<Weak<Progress>>>,
}

impl Closing {
    pub(crate) fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name,
            is_closed: AtomicBool::default(),
            readers: Mutex::default(),
        })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// That it is closed.
    pub(crate) fn text(&self) -> String {
        format!("the {} is closed", self.name)
    }

    /// A `ValueError` once it is closed.
    pub(crate) fn ensure_open(&self) -> PyResult<()> {
        if self.is_closed() {
            return Err(PyValueError::new_err(self.text()));
        }
        Ok(())
    }

    /// Remembers what reads, so that closing ends it.
    pub(crate) fn add_reader(&self, progress: &Arc<Progress>) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.retain(|reader| reader.strong_count() > 0);
        readers.push(Arc::downgrade(progress));
        if self.is_closed() {
            progress.cancel();
        }
    }

    /// Ends what reads.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        for reader in readers.drain(..).filter_map(|reader| reader.upgrade()) {
            reader.cancel();
        }
    }
}
