//! A rough count of positions that all threads share.

use std::sync::atomic::{AtomicU8, Ordering};

/// Counts positions by some bits of their keys, up to a limit: never fewer than there were, since
/// positions may share a counter.
#[derive(Debug)]
pub(super) struct CountSketch {
    counters: Vec<AtomicU8>,
    limit: u8,
}

impl CountSketch {
    /// `bits` is the binary logarithm of the number of counters. `limit` is where counting ends.
    pub(super) fn new(bits: u32, limit: u64) -> Self {
        let limit = u8::try_from(limit).unwrap_or(u8::MAX);
        // Every position has come once when it is counted.
        let counters = if limit > 1 { 1usize << bits } else { 0 };
        Self {
            counters: (0..counters).map(|_| AtomicU8::new(0)).collect(),
            limit,
        }
    }

    /// Counts each of `keys`; `reached` gets, for each, whether it may have come `limit` times.
    pub(super) fn count(&self, keys: &[u64], reached: &mut Vec<bool>) {
        reached.clear();
        // First all counters are read, so that the memory accesses overlap.
        reached.extend(keys.iter().map(|&key| self.is_reached(key)));
        for (&key, reached) in keys.iter().zip(reached) {
            if !*reached {
                *reached = self.increment(key);
            }
        }
    }

    fn is_reached(&self, key: u64) -> bool {
        let counter = self.counter(key);
        counter.is_none_or(|counter| counter.load(Ordering::Relaxed) >= self.limit)
    }

    /// Whether the counter has reached the limit.
    fn increment(&self, key: u64) -> bool {
        let Some(counter) = self.counter(key) else {
            return true;
        };
        let add = |count: u8| (count < self.limit).then(|| count + 1);
        match counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(before) => before + 1 >= self.limit,
            Err(_) => true,
        }
    }

    /// `None` if there are no counters.
    fn counter(&self, key: u64) -> Option<&AtomicU8> {
        let mask = self.counters.len().wrapping_sub(1);
        self.counters.get(key as usize & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn positions_are_reached_at_the_limit() {
        let sketch = CountSketch::new(10, 3);
        let mut reached = Vec::new();
        let mut count = |keys: &[u64]| {
            sketch.count(keys, &mut reached);
            reached.clone()
        };
        assert_eq!(count(&[7, 9]), [false, false]);
        assert_eq!(count(&[7, 7, 7]), [false, true, true]);
        assert_eq!(count(&[9, 7, 9]), [false, true, true]);
        let every = CountSketch::new(10, 1);
        every.count(&[1, 2], &mut reached);
        assert_eq!(reached, [true, true]);
    }

    #[test]
    fn no_count_of_any_thread_is_lost() {
        const THREADS: usize = 4;
        const ROUNDS: usize = 60;
        const KEYS: u64 = 512;
        let sketch = CountSketch::new(9, 255);
        let barrier = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let keys: Vec<u64> = (0..KEYS).collect();
                    let mut reached = Vec::new();
                    barrier.wait();
                    for _ in 0..ROUNDS {
                        sketch.count(&keys, &mut reached);
                    }
                });
            }
        });
        for key in 0..KEYS {
            let count = sketch.counter(key).unwrap().load(Ordering::Relaxed);
            assert_eq!(usize::from(count), THREADS * ROUNDS, "{key}");
        }
    }
}
