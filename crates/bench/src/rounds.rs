//! Timing in alternating rounds, so that other load of the machine affects all contestants.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A contestant: its name, its work, which returns a checksum, and its times.
pub(crate) struct Contestant<'a> {
    pub(crate) name: &'static str,
    work: Box<dyn FnMut() -> u64 + 'a>,
    times: Vec<Duration>,
    pub(crate) sum: u64,
}

impl<'a> Contestant<'a> {
    pub(crate) fn new(name: &'static str, work: impl FnMut() -> u64 + 'a) -> Self {
        Self {
            name,
            work: Box::new(work),
            times: Vec::new(),
            sum: 0,
        }
    }

    pub(crate) fn best(&self) -> Duration {
        self.times.iter().min().copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

/// Runs the work of each contestant once per round, in turn.
pub(crate) fn run(contestants: &mut [Contestant<'_>], rounds: usize) {
    for _ in 0..rounds {
        for contestant in contestants.iter_mut() {
            let start = thread_time();
            contestant.sum = (contestant.work)();
            contestant.times.push(thread_time().saturating_sub(start));
        }
    }
}

/// The CPU time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}
