//! The stream that other libraries read a table from.

use std::sync::Arc;
use std::task::Poll;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tabia_columns::stream::TableStream;
use tabia_columns::write::TableOptions;

use crate::inputs::Inputs;
use crate::interrupt::INTERVAL;

/// A stream that keeps the files that it reads, and ends with an error after Ctrl-C.
///
/// Libraries ask for batches on the thread that called them or on their own, and hold the lock of the interpreter
/// meanwhile or do not. Python handles signals on its main thread only, so only there they are looked for. A thread
/// that is not Python's must not wait for the lock here: the main thread may hold it and wait for that thread.
pub(crate) struct HeldStream {
    stream: TableStream,
    inputs: Arc<Inputs>,
    /// Python's main thread, if the stream was asked for on it.
    main: Option<ThreadId>,
    looked: Instant,
}

/// This thread, if it is Python's main thread.
fn main_thread(py: Python<'_>) -> PyResult<Option<ThreadId>> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    let this = threading.call_method0("get_ident")?;
    Ok(main.eq(this)?.then(|| thread::current().id()))
}

impl HeldStream {
    pub(crate) fn new(
        py: Python<'_>,
        inputs: &Arc<Inputs>,
        options: TableOptions,
    ) -> PyResult<Self> {
        let stream = TableStream::new(Arc::clone(&inputs.items), options);
        inputs.closing.add_reader(stream.progress());
        Ok(Self {
            stream,
            inputs: Arc::clone(inputs),
            main: main_thread(py)?,
            looked: Instant::now(),
        })
    }

    /// Waits for the next batch, without the lock of the interpreter.
    fn wait(&mut self, is_main: bool) -> Poll<Option<Result<RecordBatch, tabia::Error>>> {
        // Nothing is locked for a batch that is there.
        let batch = self.stream.poll_batch(Duration::ZERO);
        if batch.is_ready() {
            return batch;
        }
        if is_main {
            let stream = &mut self.stream;
            let waited = Python::try_attach(|py| py.detach(|| stream.poll_batch(INTERVAL)));
            if let Some(waited) = waited {
                return waited;
            }
        }
        self.stream.poll_batch(INTERVAL)
    }

    /// Looks for signals, if it is time to.
    fn look(&mut self) -> Result<(), String> {
        if self.looked.elapsed() < INTERVAL {
            return Ok(());
        }
        self.looked = Instant::now();
        Python::try_attach(raised).unwrap_or(Ok(()))
    }
}

/// What a signal raises, as a text.
fn raised(py: Python<'_>) -> Result<(), String> {
    py.check_signals().map_err(|error| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // The library makes an error of its own of it, which a program may survive: Python raises this one after it.
            let again = py
                .import("_thread")
                .and_then(|thread| thread.call_method0("interrupt_main"));
            drop(again);
            return "KeyboardInterrupt: the stream was interrupted".to_owned();
        }
        error.to_string()
    })
}

fn failed(text: impl Into<String>) -> ArrowError {
    ArrowError::ExternalError(text.into().into())
}

impl Iterator for HeldStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_main = self.main == Some(thread::current().id());
        loop {
            if self.inputs.closing.is_closed() {
                return Some(Err(failed("the database is closed")));
            }
            let batch = self.wait(is_main);
            if is_main && let Err(text) = self.look() {
                self.stream.progress().cancel();
                return Some(Err(failed(text)));
            }
            if let Poll::Ready(batch) = batch {
                return batch.map(|batch| batch.map_err(|error| failed(error.to_string())));
            }
        }
    }
}

impl RecordBatchReader for HeldStream {
    fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }
}
