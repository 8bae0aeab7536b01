//! Jobs that a request starts and that run until they are done, whether or not anything asks about them.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::{Value, json};
use tabia::Progress;
use tabia::core::io::ProgressUnit;
use tokio::sync::watch;

use crate::problem::Problem;
use crate::problem_codes::Code;

/// Jobs that run at the same time.
const MAX_RUNNING: usize = 2;
/// Finished jobs that are kept.
const MAX_FINISHED: usize = 50;

/// What a job is about.
#[derive(Debug, Clone)]
pub(crate) struct JobSubject {
    /// `index`, `convert` or `book`.
    pub(crate) kind: &'static str,
    /// Ids of its inputs.
    pub(crate) inputs: Vec<String>,
    /// The name of the file that it writes, if it is one in the folder for outputs.
    pub(crate) name: Option<String>,
}

/// What a job has done.
#[derive(Debug, Default)]
pub(crate) struct JobResult {
    pub(crate) document: Value,
    /// The files that it has written and that may be downloaded.
    pub(crate) files: Vec<PathBuf>,
}

/// A job.
#[derive(Debug)]
pub(crate) struct StartedJob {
    pub(crate) id: u64,
    subject: JobSubject,
    progress: Arc<Progress>,
    started: Instant,
    /// How it ended, and after what time; `None` while it runs.
    end: Mutex<Option<(End, Duration)>>,
}

#[derive(Debug)]
enum End {
    Done(JobResult),
    Cancelled,
    Failed(Problem),
}

impl StartedJob {
    fn lock(&self) -> MutexGuard<'_, Option<(End, Duration)>> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_running(&self) -> bool {
        self.lock().is_none()
    }

    /// The file with a number from 0 that the finished job has written.
    pub(crate) fn file(&self, number: usize) -> Option<PathBuf> {
        match &*self.lock() {
            Some((End::Done(result), _)) => result.files.get(number).cloned(),
            _ => None,
        }
    }

    /// The job as JSON.
    pub(crate) fn document(&self) -> Value {
        let end = self.lock();
        let (state, result, error) = match &*end {
            None => ("running", None, None),
            Some((End::Done(result), _)) => ("done", Some(&result.document), None),
            Some((End::Cancelled, _)) => ("cancelled", None, None),
            Some((End::Failed(problem), _)) => ("failed", None, Some(problem)),
        };
        let elapsed = end.as_ref().map(|(_, after)| *after);
        let seconds = elapsed.unwrap_or_else(|| self.started.elapsed());
        let seconds = seconds.as_secs_f64();
        let progress = &self.progress;
        let (done, total) = (progress.done(), progress.total());
        let share = (total > 0).then(|| (done as f64 / total as f64).min(1.0));
        let left = share.filter(|share| *share > 0.005 && end.is_none());
        let of_phase = progress.phase_elapsed().as_secs_f64();
        let unit = match progress.unit() {
            ProgressUnit::Positions => "positions",
            ProgressUnit::Moves => "moves",
            _ => "games",
        };
        let counted = progress.counted();
        json!({
            "id": self.id,
            "kind": self.subject.kind,
            "inputs": self.subject.inputs,
            "name": self.subject.name,
            "state": state,
            "unit": unit,
            "done": counted,
            "share": share.map(|share| (share * 1000.0).round() / 1000.0),
            "perSecond": (counted as f64 / seconds.max(0.001)) as u64,
            "seconds": (seconds * 10.0).round() / 10.0,
            "phase": progress.phase().name(),
            "etaSeconds": left.map(|share| (of_phase * (1.0 - share) / share) as u64),
            "error": error.map(Problem::summary),
            "result": result,
        })
    }
}

/// The jobs of a server.
#[derive(Debug)]
pub(crate) struct StartedJobs {
    state: Mutex<Jobs>,
    /// Signalled when a job ends.
    ended: Condvar,
    /// Changes with the list and the states of the jobs.
    version: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Jobs {
    last_id: u64,
    /// Oldest first.
    all: Vec<Arc<StartedJob>>,
    /// The threads that work.
    running: usize,
    is_closed: bool,
}

/// The number before that of the first job: another one in each run, so that a page which was open while the server
/// was started again does not take a new job for one that it knows. JSON holds 40 bits exactly.
fn first_number() -> u64 {
    RandomState::new().build_hasher().finish() >> 24
}

impl Default for StartedJobs {
    fn default() -> Self {
        let jobs = Jobs {
            last_id: first_number(),
            ..Jobs::default()
        };
        Self {
            state: Mutex::new(jobs),
            ended: Condvar::new(),
            version: watch::Sender::new(0),
        }
    }
}

impl StartedJobs {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// Runs `work` in a thread of its own.
    ///
    /// # Errors
    /// 409 while a job of the same kind works on the same inputs or writes the same file; [`Problem::busy`] if too
    /// many run.
    pub(crate) fn start(
        self: &Arc<Self>,
        subject: JobSubject,
        work: impl FnOnce(&Arc<Progress>) -> Result<JobResult, Problem> + Send + 'static,
    ) -> Result<Arc<StartedJob>, Problem> {
        let mut jobs = self.lock();
        let is_same = |job: &&Arc<StartedJob>| {
            job.is_running()
                && match (&job.subject.name, &subject.name) {
                    (Some(known), Some(name)) => known.eq_ignore_ascii_case(name),
                    (None, None) => {
                        job.subject.kind == subject.kind && job.subject.inputs == subject.inputs
                    }
                    _ => false,
                }
        };
        if let Some(job) = jobs.all.iter().find(is_same) {
            let problem = Problem::new(StatusCode::CONFLICT, "another job does this already");
            return Err(problem.coded(Code::SameJob, &[("id", &job.id)]));
        }
        if jobs.is_closed || jobs.running >= MAX_RUNNING {
            let text = format!("{MAX_RUNNING} jobs run already");
            let problem = Problem::busy(text).coded(Code::ManyJobs, &[("n", &MAX_RUNNING)]);
            return Err(problem.with_hint("wait until one is done, or cancel one"));
        }
        jobs.last_id += 1;
        let job = Arc::new(StartedJob {
            id: jobs.last_id,
            subject,
            progress: Arc::new(Progress::new()),
            started: Instant::now(),
            end: Mutex::default(),
        });
        let (table, worker) = (Arc::clone(self), Arc::clone(&job));
        let spawned = std::thread::Builder::new().spawn(move || {
            let caught = catch_unwind(AssertUnwindSafe(|| work(&worker.progress)));
            let end = match caught {
                Ok(Ok(result)) => End::Done(result),
                Ok(Err(_)) if worker.progress.is_cancelled() => End::Cancelled,
                Ok(Err(problem)) => End::Failed(problem),
                Err(_) => {
                    let status = StatusCode::INTERNAL_SERVER_ERROR;
                    let text = "an internal error ended the work; please report it";
                    End::Failed(Problem::new(status, text))
                }
            };
            *worker.lock() = Some((end, worker.started.elapsed()));
            table.lock().running -= 1;
            table.ended.notify_all();
            table.announce();
        });
        if let Err(error) = spawned {
            return Err(Problem::busy(format!("no thread can be started: {error}")));
        }
        jobs.running += 1;
        jobs.all.push(Arc::clone(&job));
        let finished = jobs.all.iter().filter(|job| !job.is_running()).count();
        if finished > MAX_FINISHED
            && let Some(oldest) = jobs.all.iter().position(|job| !job.is_running())
        {
            jobs.all.remove(oldest);
        }
        drop(jobs);
        self.announce();
        Ok(job)
    }

    /// The jobs, oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<StartedJob>> {
        self.lock().all.clone()
    }

    /// The job with a number.
    ///
    /// # Errors
    /// 404 if there is none.
    pub(crate) fn find(&self, id: u64) -> Result<Arc<StartedJob>, Problem> {
        let jobs = self.lock();
        let found = jobs.all.iter().find(|job| job.id == id);
        let missing = || Problem::not_found(format!("there is no job {id}"));
        found.map(Arc::clone).ok_or_else(missing)
    }

    /// Asks a running job to stop; forgets a finished one.
    pub(crate) fn cancel_or_forget(&self, job: &StartedJob) {
        if job.is_running() {
            job.progress.cancel();
        } else {
            self.lock().all.retain(|known| known.id != job.id);
        }
        self.announce();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Changes with the list and the states of the jobs, not with their progress.
    pub(crate) fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Cancels everything; nothing starts any more.
    pub(crate) fn close(&self) {
        let mut jobs = self.lock();
        jobs.is_closed = true;
        for job in &jobs.all {
            job.progress.cancel();
        }
        drop(jobs);
        self.announce();
    }

    /// Waits until no job works, at most for `patience`.
    pub(crate) fn wait_until_idle(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let mut jobs = self.lock();
        while jobs.running > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.ended.wait_timeout(jobs, left);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn about(kind: &'static str, input: &str, name: Option<&str>) -> JobSubject {
        JobSubject {
            kind,
            inputs: vec![input.to_owned()],
            name: name.map(str::to_owned),
        }
    }

    /// Runs until it is cancelled.
    fn endless(progress: &Arc<Progress>) -> Result<JobResult, Problem> {
        while !progress.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(Problem::from(progress.check().unwrap_err()))
    }

    fn state(job: &StartedJob) -> Value {
        job.document()["state"].clone()
    }

    #[test]
    fn a_job_ends_with_its_result_or_its_error() {
        let jobs = Arc::new(StartedJobs::default());
        let done = jobs.start(about("index", "a", None), |progress| {
            progress.set_total(10);
            progress.advance(10, 3);
            Ok(JobResult {
                document: json!({"games": 3}),
                files: vec![PathBuf::from("x")],
            })
        });
        jobs.wait_until_idle(LONG);
        let failed = jobs.start(about("index", "b", None), |_| {
            Err(Problem::bad_request("no").with_hint("yes"))
        });
        jobs.wait_until_idle(LONG);
        let panicked = jobs.start(about("index", "c", None), |_| unreachable!("in a test"));
        jobs.wait_until_idle(LONG);
        let done = done.unwrap();
        let document = done.document();
        assert_eq!(document["state"], "done");
        assert_eq!(document["result"]["games"], 3);
        assert_eq!(
            (&document["share"], &document["done"]),
            (&json!(1.0), &json!(3))
        );
        assert_eq!(done.file(0), Some(PathBuf::from("x")));
        assert_eq!(done.file(1), None);
        let failed = failed.unwrap();
        assert_eq!(state(&failed), "failed");
        assert_eq!(
            failed.document()["error"],
            json!({"code": "request", "values": {"detail": "no"}, "detail": "no", "hint": "yes"})
        );
        assert_eq!(state(&panicked.unwrap()), "failed");
        jobs.cancel_or_forget(&failed);
        let forgotten = jobs.find(failed.id).unwrap_err();
        assert_eq!(forgotten.status, StatusCode::NOT_FOUND);
        assert_eq!(jobs.all().len(), 2);
    }

    #[test]
    fn jobs_are_limited_and_the_same_work_runs_once() {
        let jobs = Arc::new(StartedJobs::default());
        let mut version = jobs.version();
        let status = |started: Result<Arc<StartedJob>, Problem>| started.unwrap_err().status;
        let first = jobs.start(about("index", "a", None), endless).unwrap();
        assert!(version.has_changed().unwrap());
        version.mark_unchanged();
        let again = jobs.start(about("index", "a", None), endless);
        assert_eq!(status(again), StatusCode::CONFLICT);
        let second = jobs
            .start(about("convert", "a", Some("X.pgn")), endless)
            .unwrap();
        let same_file = jobs.start(about("book", "b", Some("x.pgn")), endless);
        assert_eq!(status(same_file), StatusCode::CONFLICT);
        let third = jobs.start(about("index", "b", None), endless);
        assert_eq!(status(third), StatusCode::SERVICE_UNAVAILABLE);
        jobs.cancel_or_forget(&first);
        let end = Instant::now() + LONG;
        while first.is_running() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(state(&first), "cancelled");
        assert_eq!(state(&second), "running");
        jobs.close();
        jobs.wait_until_idle(LONG);
        assert_eq!(state(&second), "cancelled");
        let late = jobs.start(about("index", "c", None), endless);
        assert_eq!(status(late), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn old_finished_jobs_are_forgotten() {
        let jobs = Arc::new(StartedJobs::default());
        let mut last = 0;
        for _ in 0..MAX_FINISHED + 5 {
            let done = |_: &Arc<Progress>| Ok(JobResult::default());
            last = jobs.start(about("index", "a", None), done).unwrap().id;
            jobs.wait_until_idle(LONG);
        }
        assert!(jobs.all().len() <= MAX_FINISHED + 1);
        assert_eq!(jobs.all().last().unwrap().id, last);
    }

    #[test]
    fn jobs_of_two_runs_have_different_numbers() {
        let id = || {
            let jobs = Arc::new(StartedJobs::default());
            let done = |_: &Arc<Progress>| Ok(JobResult::default());
            let job = jobs.start(about("index", "a", None), done).unwrap();
            jobs.wait_until_idle(LONG);
            job.id
        };
        let ids = [id(), id()];
        assert_ne!(ids[0], ids[1]);
        assert!(ids.iter().all(|id| *id < 1 << 53));
    }
}
