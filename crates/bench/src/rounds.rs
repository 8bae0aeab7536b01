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

    /// The time of each round.
    pub(crate) fn times(&self) -> &[Duration] {
        &self.times
    }

    /// The least, the median and the largest ratio of its times to those of another in the same rounds.
    pub(crate) fn ratios(&self, other: &[Duration]) -> [f64; 3] {
        let pairs = self.times.iter().zip(other);
        let mut ratios: Vec<f64> = pairs
            .map(|(time, other)| time.as_secs_f64() / other.as_secs_f64())
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| ratios.get(index).copied().unwrap_or_default();
        [0, ratios.len() / 2, ratios.len().saturating_sub(1)].map(at)
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
