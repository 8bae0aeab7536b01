//! Work in threads of its own that a page asks about until it is done, and that ends when the page no longer
//! asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tabia::{Error, Progress};

use crate::problem::Problem;

/// Work that runs at the same time.
const MAX_RUNNING: usize = 4;
/// Work that nothing asks about is cancelled after this time.
const FORGOTTEN: Duration = Duration::from_secs(10);
/// Results of finished work that are kept, and how long.
const MAX_KEPT: usize = 64;
const KEPT: Duration = Duration::from_mins(15);

/// A piece of work and what it has found so far.
#[derive(Debug)]
pub(crate) struct Job<T> {
    pub(crate) progress: Arc<Progress>,
    state: Mutex<JobState<T>>,
    changed: Condvar,
    asked: Mutex<Instant>,
}

#[derive(Debug)]
struct JobState<T> {
    found: T,
    is_done: bool,
    problem: Option<Problem>,
}

/// The results of a [`Job`] at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot<'j, T> {
    state: MutexGuard<'j, JobState<T>>,
}

impl<T> Snapshot<'_, T> {
    pub(crate) fn found(&self) -> &T {
        &self.state.found
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state.is_done
    }

    /// Why the work has ended before its end.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        self.state.problem.as_ref()
    }

    /// The same as an answer with a status.
    pub(crate) fn failed(&self, status: StatusCode) -> Result<(), Problem> {
        match self.problem() {
            Some(problem) => Err(problem.clone().with_status(status)),
            None => Ok(()),
        }
    }
}

impl<T> Job<T> {
    fn lock(&self) -> MutexGuard<'_, JobState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what was found.
    pub(crate) fn update(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.lock().found);
        self.changed.notify_all();
    }

    /// What was found, as soon as the work is done or `is_enough`, at the latest after `patience`.
    pub(crate) fn wait(
        &self,
        patience: Duration,
        is_enough: impl Fn(&T) -> bool,
    ) -> Snapshot<'_, T> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let end = Instant::now() + patience;
        let mut state = self.lock();
        while !state.is_done && !is_enough(&state.found) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Snapshot { state }
    }

    fn last_asked(&self) -> Instant {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of running jobs of all tables.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunningJobs(Arc<AtomicUsize>);

/// Jobs by what was asked.
#[derive(Debug)]
pub(crate) struct JobTable<T> {
    jobs: Mutex<BTreeMap<String, Arc<Job<T>>>>,
    running: RunningJobs,
    is_closed: AtomicBool,
}

impl<T: Send + 'static> JobTable<T> {
    pub(crate) fn new(running: &RunningJobs) -> Self {
        Self {
            jobs: Mutex::default(),
            running: running.clone(),
            is_closed: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Job<T>>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job with a key; it is started if there is none.
    ///
    /// # Errors
    /// [`Problem::busy`] if too many jobs run.
    pub(crate) fn get_or_start(
        &self,
        key: &str,
        start: T,
        work: impl FnOnce(&Job<T>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Arc<Job<T>>, Problem> {
        let mut jobs = self.lock();
        if let Some(job) = jobs.get(key) {
            return Ok(Arc::clone(job));
        }
        let running = self.running.0.clone();
        if self.is_closed.load(Ordering::Relaxed) || running.load(Ordering::Relaxed) >= MAX_RUNNING
        {
            return Err(Problem::busy("too many searches run at the same time"));
        }
        running.fetch_add(1, Ordering::Relaxed);
        let job = Arc::new(Job {
            progress: Arc::new(Progress::new()),
            state: Mutex::new(JobState {
                found: start,
                is_done: false,
                problem: None,
            }),
            changed: Condvar::new(),
            asked: Mutex::new(Instant::now()),
        });
        jobs.insert(key.to_owned(), Arc::clone(&job));
        let worker = Arc::clone(&job);
        std::thread::spawn(move || {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&worker)));
            running.fetch_sub(1, Ordering::Relaxed);
            let mut state = worker.lock();
            state.is_done = true;
            state.problem = match caught {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(Problem::from(error)),
                Err(_) => {
                    let text = "an internal error ended the work; please report it";
                    Some(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text))
                }
            };
            drop(state);
            worker.changed.notify_all();
        });
        Ok(job)
    }

    /// Cancels a job that is not done and forgets it; whether there was one. Who still asks for it starts it anew.
    pub(crate) fn stop(&self, key: &str) -> bool {
        let mut jobs = self.lock();
        let is_running = jobs.get(key).is_some_and(|job| !job.lock().is_done);
        if is_running && let Some(job) = jobs.remove(key) {
            job.progress.cancel();
        }
        is_running
    }

    /// Cancels jobs that nothing asks about, and drops old results; `weight` is the number of bytes of a result,
    /// of which `max_bytes` are kept.
    pub(crate) fn clean(&self, weight: impl Fn(&T) -> usize, max_bytes: usize) {
        let mut jobs = self.lock();
        jobs.retain(|_, job| {
            let age = job.last_asked().elapsed();
            let is_done = job.lock().is_done;
            if !is_done && age > FORGOTTEN {
                job.progress.cancel();
                return false;
            }
            age < KEPT
        });
        loop {
            let bytes: usize = jobs.values().map(|job| weight(&job.lock().found)).sum();
            if jobs.len() <= MAX_KEPT && bytes <= max_bytes {
                return;
            }
            let finished = jobs.iter().filter(|(_, job)| job.lock().is_done);
            let oldest = finished.min_by_key(|(_, job)| job.last_asked());
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            jobs.remove(&key);
        }
    }

    /// Cancels everything; nothing starts any more.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let mut jobs = self.lock();
        for job in jobs.values() {
            job.progress.cancel();
        }
        jobs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_shows_what_it_has_found_so_far() {
        let table = JobTable::new(&RunningJobs::default());
        let job = table
            .get_or_start("x", 0_u32, |job| {
                for _ in 0..3 {
                    job.update(|count| *count += 1);
                }
                Ok(())
            })
            .unwrap();
        let done = job.wait(Duration::from_secs(10), |_| false);
        assert_eq!((*done.found(), done.is_done()), (3, true));
    }

    #[test]
    fn jobs_are_limited_and_cancelled() {
        let table = JobTable::new(&RunningJobs::default());
        let wait = |job: &Job<()>| {
            while !job.progress.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            job.progress.check()
        };
        let keys = ["a", "b", "c", "d"];
        let jobs: Vec<_> = keys
            .iter()
            .map(|key| table.get_or_start(key, (), wait).unwrap())
            .collect();
        assert!(table.get_or_start("e", (), wait).is_err());
        table.close();
        for job in jobs {
            let end = job.wait(Duration::from_secs(10), |()| false);
            assert!(end.is_done() && end.problem().is_some());
        }
    }

    #[test]
    fn results_that_were_asked_long_ago_go_when_all_weigh_too_much() {
        let table = JobTable::new(&RunningJobs::default());
        for (number, key) in ["a", "b", "c"].into_iter().enumerate() {
            let job = table.get_or_start(key, number, |_| Ok(())).unwrap();
            assert!(job.wait(Duration::from_secs(10), |_| false).is_done());
            std::thread::sleep(Duration::from_millis(2));
        }
        let kept = |table: &JobTable<usize>| table.lock().keys().cloned().collect::<Vec<_>>();
        table.clean(|_| 100, 300);
        assert_eq!(kept(&table), ["a", "b", "c"]);
        // Asked again, it is the last one to go.
        let again = table.get_or_start("a", 0, |_| Ok(())).unwrap();
        drop(again.wait(Duration::from_secs(10), |_| false));
        table.clean(|_| 100, 299);
        assert_eq!(kept(&table), ["a", "c"]);
        table.clean(|_| 100, 100);
        assert_eq!(kept(&table), ["a"]);
    }
}
