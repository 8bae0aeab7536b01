//! Results that arrive in batches from a thread of their own: what iterators are made of.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use pyo3::prelude::*;
use tabia::{Error, Progress};

use crate::closing::Closing;
use crate::error::OrRaise;
use crate::interrupt::INTERVAL;

/// Batches that wait for the consumer.
const WAITING: usize = 4;

/// Hands on a batch; whether there is still a consumer.
pub(crate) type Send<'a, T> = &'a mut dyn FnMut(Vec<T>) -> bool;

/// What comes through the channel.
type Message<T> = Result<Vec<T>, Error>;

/// The consumer's end. Any number of threads may ask for results.
pub(crate) struct Batches<T> {
    arrived: Mutex<VecDeque<T>>,
    receiver: Mutex<Option<Receiver<Message<T>>>>,
    progress: Arc<Progress>,
    /// Of what is read.
    closing: Arc<Closing>,
}

enum Waited {
    Arrived,
    TimedOut,
    Ended,
    Failed(Error),
}

impl<T: std::marker::Send + 'static> Batches<T> {
    /// Starts the thread. Nothing comes once what it reads is closed.
    pub(crate) fn start(
        closing: Arc<Closing>,
        job: impl FnOnce(&Arc<Progress>, Send<'_, T>) -> Result<(), Error> + std::marker::Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let progress = Arc::new(Progress::default());
        closing.add_reader(&progress);
        let shared = Arc::clone(&progress);
        Builder::new().spawn(move || {
            let mut send = |batch| sender.send(Ok(batch)).is_ok();
            if let Err(error) = job(&shared, &mut send) {
                // No receiver is left after the iterator was dropped.
                let _ = sender.send(Err(error));
            }
        })?;
        Ok(Self {
            arrived: Mutex::default(),
            receiver: Mutex::new(Some(receiver)),
            progress,
            closing,
        })
    }

    /// The next result; `None` at the end and after an error.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        loop {
            self.closing.ensure_open()?;
            if let Some(result) = self.arrived() {
                return Ok(Some(result));
            }
            match py.detach(|| self.wait()) {
                Waited::Arrived => {}
                Waited::TimedOut => py.check_signals()?,
                Waited::Ended => return Ok(self.arrived()),
                Waited::Failed(error) => return Err(error).or_raise(py),
            }
        }
    }

    /// Ends the reading; no further results come.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.progress.cancel();
        py.detach(|| {
            *self.receiver.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.arrived
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        });
    }

    fn arrived(&self) -> Option<T> {
        self.arrived
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }

    fn wait(&self) -> Waited {
        let mut receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = receiver.as_ref() else {
            return Waited::Ended;
        };
        match open.recv_timeout(INTERVAL) {
            Ok(Ok(batch)) => {
                self.arrived
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(batch);
                Waited::Arrived
            }
            Ok(Err(error)) => {
                *receiver = None;
                Waited::Failed(error)
            }
            Err(RecvTimeoutError::Timeout) => Waited::TimedOut,
            Err(RecvTimeoutError::Disconnected) => Waited::Ended,
        }
    }
}

impl<T> Drop for Batches<T> {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}
