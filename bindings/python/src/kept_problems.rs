//! Problems that iterators keep for those who ask for them.

use std::sync::{Arc, Mutex, PoisonError};

use tabia::{Error, InputItem, Observer, Problem};

/// Problems that an iterator holds for its `problems`, at most; more are counted by `check`.
const MAX_PROBLEMS: usize = 100_000;

pub(crate) type Problems = Arc<Mutex<Vec<Error>>>;

/// Keeps problems for those who ask for them.
pub(crate) struct Keep(pub(crate) Problems);

impl Observer for Keep {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<(), Error> {
        let mut problems = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if problems.len() < MAX_PROBLEMS {
            problems.push(problem.error.clone());
        }
        Ok(())
    }
}

pub(crate) fn take(problems: &Problems) -> Vec<Error> {
    std::mem::take(&mut problems.lock().unwrap_or_else(PoisonError::into_inner))
}
