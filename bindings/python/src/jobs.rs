//! Jobs that write files: their progress, their problems and their report.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tabia::select::SelectionCounts;
use tabia::{Error, GameIndex, InputItem, Losses, Observer, Problem, Progress};

use crate::error::OrRaise;
use crate::interrupt::{self, AtSignal};
use crate::report::Report;

/// Problems that a result has, at most.
const MAX_PROBLEMS: usize = 1000;

/// Keeps the first problems, and writes the report if there is one.
#[derive(Default)]
pub(crate) struct Noted {
    pub(crate) first: Vec<Error>,
    pub(crate) report: Option<Report>,
}

impl Noted {
    /// Notes a problem.
    pub(crate) fn note(&mut self, problem: &Problem) -> Result<(), Error> {
        if self.first.len() < MAX_PROBLEMS {
            self.first.push(problem.error.clone());
        }
        match &mut self.report {
            Some(report) => report.problem(problem),
            None => Ok(()),
        }
    }
}

impl Observer for Noted {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        self.note(problem)
    }

    fn losses(&mut self, item: &InputItem, game: GameIndex, losses: &Losses) -> Result<(), Error> {
        match &mut self.report {
            Some(report) => report.losses(item, game, losses),
            None => Ok(()),
        }
    }

    fn finished(&mut self, item: &InputItem, counts: &SelectionCounts) -> Result<(), Error> {
        if let Some(report) = &mut self.report {
            report.finished(item, counts);
        }
        Ok(())
    }
}

/// Runs a job with its progress; `report` is called with the work done, all work, and the games so far.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    report: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Arc<Progress>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let progress = Arc::new(Progress::default());
    let shared = Arc::clone(&progress);
    let cancel = || progress.cancel();
    let mut tick = || match report {
        Some(report) => {
            let counts = (progress.done(), progress.total(), progress.games());
            report.call1(counts).map(drop)
        }
        None => Ok(()),
    };
    interrupt::run(
        py,
        move || job(&shared),
        AtSignal::Cancel(&cancel),
        &mut tick,
    )?
    .or_raise(py)
}

/// Seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the library takes the time as an argument"
)]
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// What could not be held: counts by the names of the command line's reports.
pub(crate) fn losses_dict(
    py: Python<'_>,
    counts: impl IntoIterator<Item = (String, u64)>,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, count) in counts {
        dict.set_item(name, count)?;
    }
    Ok(dict)
}
