//! Work in threads of its own that a page asks about until it is done, and that ends when the page no longer
//! asks. What cannot run yet waits for its turn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tabia::{Error, Progress};

use crate::problem::Problem;

/// Work that runs at the same time.
const MAX_RUNNING: usize = 4;
/// Work that waits for its turn.
const MAX_WAITING: usize = 64;
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
    /// Requests that wait for the end, see [`Asking`].
    askers: Mutex<usize>,
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

    fn askers(&self) -> MutexGuard<'_, usize> {
        self.askers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was cancelled before its end, so that it never has a result.
    fn is_abandoned(&self) -> bool {
        let state = self.lock();
        self.progress.is_cancelled() && (!state.is_done || state.problem.is_some())
    }

    fn end(&self, problem: Option<Problem>) {
        let mut state = self.lock();
        state.is_done = true;
        state.problem = problem;
        drop(state);
        self.changed.notify_all();
    }
}

/// A request that waits for a [`Job`]. If it is dropped before it is answered, because its client is gone, and no
/// other one waits, the job is cancelled.
#[derive(Debug)]
pub(crate) struct Asking<T> {
    job: Arc<Job<T>>,
    is_answered: AtomicBool,
}

impl<T> Asking<T> {
    /// One that is counted among those who ask already.
    fn new(job: &Arc<Job<T>>) -> Self {
        Self {
            job: Arc::clone(job),
            is_answered: AtomicBool::new(false),
        }
    }

    pub(crate) fn job(&self) -> &Job<T> {
        &self.job
    }

    /// The client has its answer, even if it is not the last one: the job goes on for the next request.
    pub(crate) fn answered(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }
}

impl<T> Drop for Asking<T> {
    fn drop(&mut self) {
        let mut askers = self.job.askers();
        *askers -= 1;
        if *askers == 0 && !self.is_answered.load(Ordering::Relaxed) && !self.job.lock().is_done {
            self.job.progress.cancel();
        }
    }
}

/// The running jobs of all tables, and those that wait for their turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunningJobs(Arc<Mutex<JobQueue>>);

#[derive(Debug, Default)]
struct JobQueue {
    running: usize,
    /// The one that waits longest is first.
    waiting: VecDeque<WaitingJob>,
}

struct WaitingJob {
    progress: Arc<Progress>,
    run: Box<dyn FnOnce() + Send>,
}

impl std::fmt::Debug for WaitingJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitingJob").finish_non_exhaustive()
    }
}

impl RunningJobs {
    fn lock(&self) -> MutexGuard<'_, JobQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a job in a thread, as soon as no more than [`MAX_RUNNING`] do.
    ///
    /// # Errors
    /// [`Problem::busy`] if [`MAX_WAITING`] wait.
    fn submit(&self, job: WaitingJob) -> Result<(), Problem> {
        let mut queue = self.lock();
        if queue.running < MAX_RUNNING {
            queue.running += 1;
            drop(queue);
            let jobs = self.clone();
            std::thread::spawn(move || {
                let mut next = Some(job);
                while let Some(job) = next {
                    (job.run)();
                    next = jobs.next();
                }
            });
            return Ok(());
        }
        let (cancelled, waiting) = std::mem::take(&mut queue.waiting)
            .into_iter()
            .partition(|job| job.progress.is_cancelled());
        queue.waiting = waiting;
        let is_full = queue.waiting.len() >= MAX_WAITING;
        if !is_full {
            queue.waiting.push_back(job);
        }
        drop(queue);
        // These end at once.
        let cancelled: VecDeque<WaitingJob> = cancelled;
        for job in cancelled {
            (job.run)();
        }
        if is_full {
            return Err(Problem::busy("too many searches wait for their turn"));
        }
        Ok(())
    }

    /// The job whose turn it is for a thread whose job has ended.
    fn next(&self) -> Option<WaitingJob> {
        let mut queue = self.lock();
        let next = queue.waiting.pop_front();
        if next.is_none() {
            queue.running -= 1;
        }
        next
    }
}

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

    /// The job with a key; it is started if there is none, or waits for its turn.
    ///
    /// # Errors
    /// [`Problem::busy`] if too many jobs wait.
    pub(crate) fn get_or_start(
        &self,
        key: &str,
        start: T,
        work: impl FnOnce(&Job<T>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Arc<Job<T>>, Problem> {
        self.find_or_start(&mut self.lock(), key, start, work)
    }

    /// As [`get_or_start`](Self::get_or_start), for a request that waits for the end.
    ///
    /// # Errors
    /// [`Problem::busy`] if too many jobs wait.
    pub(crate) fn ask(
        &self,
        key: &str,
        start: T,
        work: impl FnOnce(&Job<T>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Asking<T>, Problem> {
        let mut jobs = self.lock();
        // What the last one who asked has just abandoned is started anew.
        if let Some(job) = jobs.get(key) {
            let mut askers = job.askers();
            if !job.is_abandoned() {
                *askers += 1;
                drop(askers);
                return Ok(Asking::new(job));
            }
        }
        let job = self.find_or_start(&mut jobs, key, start, work)?;
        *job.askers() += 1;
        Ok(Asking::new(&job))
    }

    fn find_or_start(
        &self,
        jobs: &mut BTreeMap<String, Arc<Job<T>>>,
        key: &str,
        start: T,
        work: impl FnOnce(&Job<T>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Arc<Job<T>>, Problem> {
        if let Some(job) = jobs.get(key)
            && !job.is_abandoned()
        {
            return Ok(Arc::clone(job));
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Problem::busy("the server ends"));
        }
        let job = Arc::new(Job {
            progress: Arc::new(Progress::new()),
            state: Mutex::new(JobState {
                found: start,
                is_done: false,
                problem: None,
            }),
            changed: Condvar::new(),
            asked: Mutex::new(Instant::now()),
            askers: Mutex::new(0),
        });
        let worker = Arc::clone(&job);
        let run = Box::new(move || {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                worker.progress.check()?;
                work(&worker)
            }));
            worker.end(match caught {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(Problem::from(error)),
                Err(_) => {
                    let text = "an internal error ended the work; please report it";
                    Some(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, text))
                }
            });
        });
        let progress = Arc::clone(&job.progress);
        self.running.submit(WaitingJob { progress, run })?;
        jobs.insert(key.to_owned(), Arc::clone(&job));
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

    fn until_cancelled(job: &Job<()>) -> Result<(), Error> {
        while !job.progress.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        job.progress.check()
    }

    #[test]
    fn jobs_are_limited_and_cancelled() {
        let table = JobTable::new(&RunningJobs::default());
        let jobs: Vec<_> = (0..MAX_RUNNING + MAX_WAITING)
            .map(|key| table.get_or_start(&key.to_string(), (), until_cancelled))
            .map(Result::unwrap)
            .collect();
        let refused = table.get_or_start("more", (), until_cancelled);
        assert_eq!(refused.unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        // One that is known needs no turn.
        assert!(table.get_or_start("0", (), until_cancelled).is_ok());
        // What is cancelled does not count.
        assert!(table.stop(&MAX_RUNNING.to_string()));
        assert!(table.get_or_start("more", (), until_cancelled).is_ok());
        table.close();
        for job in jobs {
            let end = job.wait(Duration::from_secs(10), |()| false);
            assert!(end.is_done() && end.problem().is_some());
        }
    }

    #[test]
    fn waiting_jobs_run_in_their_order() {
        let table = JobTable::new(&RunningJobs::default());
        let first: Vec<_> = (0..MAX_RUNNING)
            .map(|key| table.get_or_start(&key.to_string(), (), until_cancelled))
            .map(Result::unwrap)
            .collect();
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..8)
            .map(|number| {
                let order = Arc::clone(&order);
                let job = table.get_or_start(&format!("waiting {number}"), (), move |_| {
                    order.lock().unwrap().push(number);
                    Ok(())
                });
                job.unwrap()
            })
            .collect();
        assert!(order.lock().unwrap().is_empty());
        for job in waiting.iter().rev() {
            assert!(!job.wait(Duration::ZERO, |()| false).is_done());
        }
        // One thread is free.
        first[0].progress.cancel();
        for job in &waiting {
            assert!(job.wait(Duration::from_secs(10), |()| false).is_done());
        }
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        table.close();
    }

    #[test]
    fn a_job_is_cancelled_with_the_last_request_that_waits_for_it() {
        let table = JobTable::new(&RunningJobs::default());
        let first = table.ask("x", (), until_cancelled).unwrap();
        let second = table.ask("x", (), until_cancelled).unwrap();
        let job = Arc::clone(&first.job);
        drop(first);
        assert!(!job.progress.is_cancelled());
        drop(second);
        assert!(job.progress.is_cancelled());
        // Who asks now gets another one; an answer that is not the last one leaves it running.
        let third = table.ask("x", (), until_cancelled).unwrap();
        assert!(!Arc::ptr_eq(&third.job, &job));
        let job = Arc::clone(&third.job);
        third.answered();
        drop(third);
        assert!(!job.progress.is_cancelled());
        table.close();
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
