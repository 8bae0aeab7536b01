//! Limits on the time and memory of tests.
//!
//! Memory is counted by a global allocator, which the test program must declare. No other test may
//! run in the process at the same time (`harness = false`, or one test in the program):
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: tabia_testkit::time_and_memory_limits::Allocator = tabia_testkit::time_and_memory_limits::ALLOCATOR;
//! # let (_, bytes) = tabia_testkit::time_and_memory_limits::peak(&ALLOCATOR, || vec![0_u8; 1 << 20].len());
//! # assert!(bytes >= 1 << 20);
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The type of the counting allocator.
pub type Allocator = peak_alloc::PeakAlloc;

/// A counting allocator.
pub const ALLOCATOR: Allocator = peak_alloc::PeakAlloc;

/// Runs `work` and returns its result and the most bytes that were allocated at once, in addition to
/// those allocated before.
pub fn peak<T>(allocator: &Allocator, work: impl FnOnce() -> T) -> (T, usize) {
    allocator.reset_peak_usage();
    let before = allocator.current_usage();
    let result = work();
    (result, allocator.peak_usage().saturating_sub(before))
}

/// Aborts the process with the name of the current case if a case takes too long. A test that hangs
/// cannot be ended in any other way.
#[derive(Debug)]
pub struct Watchdog {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    case: String,
    since: Instant,
    ended: bool,
}

impl Watchdog {
    /// Starts to watch: each case must end within `limit`.
    pub fn new(limit: Duration) -> Self {
        let state = Arc::new(Mutex::new(State {
            case: "the start".to_owned(),
            since: Instant::now(),
            ended: false,
        }));
        let watched = Arc::clone(&state);
        thread::spawn(move || {
            loop {
                thread::sleep(limit.min(Duration::from_millis(500)));
                let state = lock(&watched);
                if state.ended {
                    return;
                }
                if state.since.elapsed() > limit {
                    eprintln!("{} takes longer than {limit:?}", state.case);
                    std::process::abort();
                }
            }
        });
        Self { state }
    }

    /// Begins the next case.
    pub fn case(&self, name: &str) {
        let mut state = lock(&self.state);
        name.clone_into(&mut state.case);
        state.since = Instant::now();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        lock(&self.state).ended = true;
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
