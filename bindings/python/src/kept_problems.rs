//! Problems that iterators keep for those who ask for them.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::{Error, InputItem, Observer, Problem, Progress};

use crate::batches::{Batches, Send};
use crate::closing::Closing;
use crate::error;

/// Problems that an iterator holds for its `problems`, at most; more are counted by `check`.
const MAX_PROBLEMS: usize = 100_000;

pub(crate) type Problems = Arc<Mutex<Vec<Error>>>;

/// Keeps problems for those who ask for them.
pub(crate) struct Keep(pub(crate) Problems);

impl Observer for Keep {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        add(&self.0, [problem.error.clone()]);
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

/// Adds problems as long as there are not too many.
pub(crate) fn add(problems: &Problems, found: impl IntoIterator<Item = Error>) {
    let mut problems = problems.lock().unwrap_or_else(PoisonError::into_inner);
    let free = MAX_PROBLEMS.saturating_sub(problems.len());
    problems.extend(found.into_iter().take(free));
}

pub(crate) fn take(problems: &Problems) -> Vec<Error> {
    std::mem::take(&mut problems.lock().unwrap_or_else(PoisonError::into_inner))
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
        let noted = Arc::clone(&problems);
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
        let problems = self
            .problems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        error::list(py, &problems)
    }

    /// Ends the reading; no further results come.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.batches.close(py);
    }
}
