//! Problems that iterators and results keep for those who ask for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::{Error, InputItem, Observer, Problem, Progress};

use crate::batches::{Batches, Send};
use crate::closing::Closing;
use crate::error;

/// Problems that are held of a job or an iterator, at most; more are counted.
const MAX_PROBLEMS: usize = 100_000;

#[derive(Default)]
struct Kept {
    first: Vec<Error>,
    count: u64,
}

/// Problems so far: the first of them, and how many there are.
#[derive(Clone, Default)]
pub(crate) struct Problems(Arc<Mutex<Kept>>);

impl Problems {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds problems; they are kept as long as there are not too many.
    pub(crate) fn add(&self, found: impl IntoIterator<Item = Error>) {
        let mut kept = self.kept();
        for problem in found {
            kept.count = kept.count.saturating_add(1);
            if kept.first.len() < MAX_PROBLEMS {
                kept.first.push(problem);
            }
        }
    }

    /// Those that are kept; there are none then.
    pub(crate) fn take(&self) -> Vec<Error> {
        std::mem::take(&mut *self.kept()).first
    }

    /// Those that are kept, as exceptions that were not raised.
    pub(crate) fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let first = self.kept().first.clone();
        error::list(py, &first)
    }

    /// Number of all.
    pub(crate) fn count(&self) -> u64 {
        self.kept().count
    }
}

/// Keeps problems for those who ask for them. Records that lack something for one cause are one problem, as on the
/// command line.
pub(crate) struct KeepCauses(pub(crate) Problems);

impl Observer for KeepCauses {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.add([problem.error.clone()]);
        Ok(())
    }
}

/// Keeps problems for those who ask for them.
pub(crate) struct Keep(pub(crate) Problems);

impl Observer for Keep {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.0.add([problem.error.clone()]);
        Ok(())
    }

    fn record_problem(
        &mut self,
        item: &InputItem,
        problem: &Problem,
        _is_first: bool,
    ) -> Result<bool, Error> {
        // Each game has its own, also where they have one cause.
        self.problem(item, problem)?;
        Ok(true)
    }
}

/// Results in batches with the problems that were found on the way to them: what `Games` and `Headers` are.
pub(crate) struct BatchesWithProblems<T> {
    batches: Batches<T>,
    problems: Problems,
}

impl<T: std::marker::Send + 'static> BatchesWithProblems<T> {
    /// Starts the thread; `job` gets the problems to add to.
    pub(crate) fn start(
        closing: Arc<Closing>,
        job: impl FnOnce(&Arc<Progress>, &Problems, Send<'_, T>) -> Result<(), Error>
        + std::marker::Send
        + 'static,
    ) -> std::io::Result<Self> {
        let problems = Problems::default();
        let noted = problems.clone();
        let job = move |progress: &_, send: Send<'_, T>| job(progress, &noted, send);
        let batches = Batches::start(closing, job)?;
        Ok(Self { batches, problems })
    }

    /// The next result; `None` at the end and after an error.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        self.batches.next(py)
    }

    /// Problems so far, as exceptions that were not raised.
    pub(crate) fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.problems.list(py)
    }

    /// Number of problems so far.
    pub(crate) fn problem_count(&self) -> u64 {
        self.problems.count()
    }

    /// Ends the reading; no further results come.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.batches.close(py);
    }
}
