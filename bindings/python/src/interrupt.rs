//! Long jobs on threads of their own, so that Python's other threads run and Ctrl-C is seen.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals are looked for.
pub(crate) const INTERVAL: Duration = Duration::from_millis(40);

/// What happens to the job when a signal raises an exception.
pub(crate) enum AtSignal<'a> {
    /// The function makes it end, which is awaited: its files are removed then.
    Cancel(&'a dyn Fn()),
    /// It goes on without anyone waiting for it; it only reads.
    Abandon,
}

/// Runs `job` while `tick` is called again and again. After Ctrl-C, another signal that raises, or an
/// exception of `tick`, the exception is returned.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce() -> T + Send + 'static,
    at_signal: AtSignal<'_>,
    tick: &mut dyn FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    Builder::new().spawn(move || {
        // An abandoned job has no receiver.
        let _ = sender.send(job());
    })?;
    let receiver = Mutex::new(receiver);
    let mut raised = None;
    loop {
        match wait(py, &receiver) {
            Ok(value) => return raised.map_or(Ok(value), Err),
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals().and_then(|()| tick()) {
                    match at_signal {
                        AtSignal::Cancel(cancel) => cancel(),
                        AtSignal::Abandon => return Err(error),
                    }
                    raised = Some(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let text = "this is a defect of tabia: please report it";
                return Err(PyRuntimeError::new_err(text));
            }
        }
    }
}

/// As [`run`], for a job that only reads.
pub(crate) fn read<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run(py, job, AtSignal::Abandon, &mut || Ok(()))
}

fn wait<T: Send>(py: Python<'_>, receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    py.detach(|| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(INTERVAL)
    })
}
