//! The stream that other libraries read a table from.

use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tabia::InputItem;
use tabia::core::io::Interrupts;
use tabia_columns::stream::TableStream;
use tabia_columns::write::TableOptions;

use crate::closing::Closing;
use crate::file_argument::TemporaryFolder;
use crate::inputs::Inputs;
use crate::interrupt::INTERVAL;
use crate::kept_problems::{KeepCauses, Problems};

/// After this time without a call, signals that have come were meant for something else.
const IDLE: Duration = Duration::from_secs(1);

const INTERRUPTED: &str = "KeyboardInterrupt: the stream was interrupted";

/// A stream that keeps the files that it reads, and ends with an error after Ctrl-C.
///
/// Libraries ask for batches on the thread that called them or on their own, and hold the lock of the interpreter
/// meanwhile or do not. Python handles signals on its main thread only. A thread that is not Python's must not wait for
/// the lock here: the main thread may hold it and wait for that thread. It notices the signal next to Python, if
/// Python does with it what it usually does.
pub(crate) struct HeldStream {
    stream: TableStream,
    held: Held,
    /// Python's main thread; `None` if another thread of a program in Python asked for the stream.
    main: Option<ThreadId>,
    looked: Instant,
    /// What notices signals on other threads, if `SIGINT` interrupts Python.
    interrupts: Option<Interrupts>,
    /// When the last batch was handed on.
    handed_on: Instant,
}

/// What a stream reads and keeps.
pub(crate) enum Held {
    Database(Arc<Inputs>),
    /// A book, with the folder of its file if that is a copy.
    Book {
        closing: Arc<Closing>,
        _folder: Option<Arc<TemporaryFolder>>,
    },
}

impl Held {
    fn closing(&self) -> &Arc<Closing> {
        match self {
            Self::Database(inputs) => &inputs.closing,
            Self::Book { closing, .. } => closing,
        }
    }
}

/// Whether `SIGINT` raises `KeyboardInterrupt`.
fn interrupts_python(py: Python<'_>) -> PyResult<bool> {
    let signal = py.import("signal")?;
    let handler = signal.call_method1("getsignal", (signal.getattr("SIGINT")?,))?;
    Ok(handler.is(&signal.getattr("default_int_handler")?))
}

/// Python's main thread, as soon as it has used this package.
static MAIN: OnceLock<ThreadId> = OnceLock::new();

/// Which threads are of Python.
enum Caller {
    /// Its main thread.
    Main,
    /// Another thread of a program in Python, which `SIGINT` does not interrupt.
    Other,
    /// A thread of a library.
    Foreign,
}

/// What this thread is. Notes the main thread.
fn caller<'py>(py: Python<'py>) -> PyResult<Caller> {
    let threading = py.import("threading")?;
    let ident = |thread: &Bound<'py, PyAny>| thread.getattr("ident");
    let this = threading.call_method0("get_ident")?;
    if ident(&threading.call_method0("main_thread")?)?.eq(&this)? {
        let _ = MAIN.set(thread::current().id());
        return Ok(Caller::Main);
    }
    for thread in threading.call_method0("enumerate")?.try_iter()? {
        if ident(&thread?)?.eq(&this)? {
            return Ok(Caller::Other);
        }
    }
    Ok(Caller::Foreign)
}

/// Notes the main thread, if this is it.
pub(crate) fn note_main_thread(py: Python<'_>) -> PyResult<()> {
    caller(py).map(drop)
}

impl HeldStream {
    pub(crate) fn new(
        py: Python<'_>,
        items: Arc<Vec<InputItem>>,
        held: Held,
        options: TableOptions,
        problems: &Problems,
    ) -> PyResult<Self> {
        let observer = Box::new(KeepCauses(problems.clone()));
        let stream = TableStream::with_observer(items, options, observer);
        held.closing().add_reader(stream.progress());
        let is_interrupted = match caller(py)? {
            Caller::Main | Caller::Foreign => true,
            Caller::Other => false,
        };
        let main = MAIN.get().copied().filter(|_| is_interrupted);
        let is_watched = is_interrupted && interrupts_python(py)?;
        Ok(Self {
            stream,
            held,
            main,
            looked: Instant::now(),
            interrupts: is_watched.then(Interrupts::watch),
            handed_on: Instant::now(),
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

    /// Whether Python was interrupted, as a thread knows that is not Python's. The main thread has the exception.
    fn noticed(&self) -> Result<(), String> {
        match &self.interrupts {
            Some(interrupts) if interrupts.have_come() => Err(INTERRUPTED.to_owned()),
            _ => Ok(()),
        }
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
            return INTERRUPTED.to_owned();
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
        if self.handed_on.elapsed() > IDLE && self.interrupts.is_some() {
            self.interrupts = Some(Interrupts::watch());
        }
        let batch = self.next_or_error();
        self.handed_on = Instant::now();
        batch
    }
}

impl HeldStream {
    fn next_or_error(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let is_main = self.main == Some(thread::current().id());
        loop {
            if self.held.closing().is_closed() {
                return Some(Err(failed(self.held.closing().text())));
            }
            let batch = self.wait(is_main);
            let looked = if is_main { self.look() } else { self.noticed() };
            if let Err(text) = looked {
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
