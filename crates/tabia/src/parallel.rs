//! Work on several threads, results in order, memory bounded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs `fill` → `work` → `consume` over recycled jobs: `fill` one call at a time and in order,
/// `work` on `threads` threads at once, `consume` on the calling thread and in the order of `fill`.
///
/// `fill` puts the next piece of work into a job and returns whether there was one; `worker` makes
/// the state of a thread; `consume` returns whether to go on. At most `2 * threads + 2` jobs exist,
/// whatever the amount of work.
pub(crate) fn ordered<J, W, E>(
    threads: usize,
    mut fill: impl FnMut(&mut J) -> bool + Send,
    worker: impl Fn() -> W + Sync,
    mut consume: impl FnMut(&mut J) -> Result<bool, E>,
) -> Result<(), E>
where
    J: Default + Send,
    W: FnMut(&mut J),
{
    if threads <= 1 {
        let mut job = J::default();
        let mut work = worker();
        while fill(&mut job) {
            work(&mut job);
            if !consume(&mut job)? {
                break;
            }
        }
        return Ok(());
    }
    let stop = AtomicBool::new(false);
    let (free, empty) = channel::<J>();
    let (done, results) = channel();
    let count = 2 * threads + 2;
    for _ in 0..count {
        // The receiver lives as long as the threads.
        let _ = free.send(J::default());
    }
    let source = Mutex::new(Source {
        fill: &mut fill,
        empty,
        next: 0,
    });
    thread::scope(|scope| {
        for _ in 0..threads {
            let done = done.clone();
            let (source, stop, worker) = (&source, &stop, &worker);
            scope.spawn(move || work_until_empty(source, stop, worker(), &done));
        }
        drop(done);
        let outcome = in_order(&results, &free, &mut consume);
        stop.store(true, Ordering::Relaxed);
        drop(free);
        outcome
    })
}

struct Source<F, J> {
    fill: F,
    empty: Receiver<J>,
    next: u64,
}

enum Message<J> {
    Done(u64, J),
    Died,
}

/// Notifies the consumer if a thread panics, so that it does not wait for its job.
struct Alarm<'a, J>(&'a Sender<Message<J>>);

impl<J> Drop for Alarm<'_, J> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Message::Died);
        }
    }
}

fn work_until_empty<J>(
    source: &Mutex<Source<&mut (impl FnMut(&mut J) -> bool + Send), J>>,
    stop: &AtomicBool,
    mut work: impl FnMut(&mut J),
    done: &Sender<Message<J>>,
) {
    let alarm = Alarm(done);
    loop {
        let (number, mut job) = {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let Ok(mut job) = source.empty.recv() else {
                return;
            };
            if stop.load(Ordering::Relaxed) || !(source.fill)(&mut job) {
                stop.store(true, Ordering::Relaxed);
                return;
            }
            source.next += 1;
            (source.next - 1, job)
        };
        work(&mut job);
        if alarm.0.send(Message::Done(number, job)).is_err() {
            return;
        }
    }
}

fn in_order<J, E>(
    results: &Receiver<Message<J>>,
    free: &Sender<J>,
    consume: &mut impl FnMut(&mut J) -> Result<bool, E>,
) -> Result<(), E> {
    let mut next = 0;
    let mut early: Vec<(u64, J)> = Vec::new();
    while let Ok(Message::Done(number, job)) = results.recv() {
        early.push((number, job));
        while let Some(index) = early.iter().position(|(number, _)| *number == next) {
            let (_, mut job) = early.swap_remove(index);
            next += 1;
            if !consume(&mut job)? {
                return Ok(());
            }
            // Sending fails only after all threads have ended.
            let _ = free.send(job);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(threads: usize, stop_at: u64) -> Vec<u64> {
        let mut given = 0;
        let mut seen = Vec::new();
        ordered(
            threads,
            |job: &mut u64| {
                given += 1;
                *job = given;
                given <= 1000
            },
            || {
                |job: &mut u64| {
                    if job.is_multiple_of(7) {
                        thread::yield_now();
                    }
                    *job *= *job;
                }
            },
            |job| {
                seen.push(*job);
                if *job == stop_at { Err(()) } else { Ok(true) }
            },
        )
        .unwrap_or(());
        seen
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        let expected: Vec<u64> = (1..=1000).map(|n| n * n).collect();
        for threads in [1, 2, 3, 8] {
            assert_eq!(squares(threads, 0), expected, "{threads} threads");
        }
    }

    #[test]
    fn an_error_of_the_consumer_ends_the_work() {
        for threads in [1, 4] {
            assert_eq!(squares(threads, 9), [1, 4, 9], "{threads} threads");
        }
    }

    #[test]
    fn a_panic_does_not_hang() {
        let outcome = std::panic::catch_unwind(|| {
            let mut given = 0;
            ordered(
                3,
                |job: &mut u64| {
                    given += 1;
                    *job = given;
                    given <= 1000
                },
                || |job: &mut u64| assert!(*job != 5, "on purpose"),
                |_| Ok::<_, ()>(true),
            )
        });
        assert!(outcome.is_err());
    }
}
