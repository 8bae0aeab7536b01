//! Interpolation search in sorted records.

/// Guesses before the search goes on from the last one.
const GUESSES: u32 = 3;

/// The index of the first record whose key is not lower than `key`; `records` ascend by key.
///
/// Where keys are spread evenly over 64 bits, as hashes of positions are, a key's value gives its
/// index nearly exactly, so that few pages of a large file are touched. From the last guess the
/// search goes on in steps that double, so that it is never slower than logarithmic by more than a
/// factor.
///
/// ```
/// use tabia_core::external::interpolation_lower_bound;
///
/// let keys = [1 << 60, 5 << 60, 5 << 60, 9 << 60];
/// assert_eq!(interpolation_lower_bound(&keys, 5 << 60, |key| *key), 1);
/// assert_eq!(interpolation_lower_bound(&keys, u64::MAX, |key| *key), 4);
/// ```
pub fn interpolation_lower_bound<T>(records: &[T], key: u64, key_of: impl Fn(&T) -> u64) -> usize {
    let Some(last) = records.len().checked_sub(1) else {
        return 0;
    };
    let key_at = |index: usize| records.get(index).map_or(u64::MAX, &key_of);
    let is_lower = |index: usize| {
        records
            .get(index)
            .is_some_and(|record| key_of(record) < key)
    };
    // The records that a range of this many keys has on average.
    let share = |keys: u64| ((u128::from(keys) * records.len() as u128) >> 64) as usize;
    let mut guess = share(key);
    for _ in 0..GUESSES {
        let found = key_at(guess);
        let better = if found < key {
            guess.saturating_add(share(key - found)).min(last)
        } else {
            guess.saturating_sub(share(found - key))
        };
        if better == guess {
            break;
        }
        guess = better;
    }
    let (mut low, mut high) = (guess, guess);
    let mut step = 4;
    if is_lower(guess) {
        while is_lower(high) {
            low = high + 1;
            high = high.saturating_add(step).min(records.len());
            step *= 2;
        }
    } else {
        while low > 0 && !is_lower(low - 1) {
            high = low - 1;
            low = low.saturating_sub(step);
            step *= 2;
        }
    }
    let between = records.get(low..high).unwrap_or_default();
    low + between.partition_point(|record| key_of(record) < key)
}

#[cfg(test)]
mod tests {
    use super::super::random_numbers;
    use super::*;

    /// Compares the search with a linear one: for every key, its neighbours and others.
    fn assert_finds_all(keys: &[u64], others: &[u64]) {
        let near = keys
            .iter()
            .flat_map(|&key| [key.wrapping_sub(1), key, key.wrapping_add(1)]);
        let ends = [0, 1, 1 << 63, u64::MAX - 1, u64::MAX];
        for key in near.chain(others.iter().copied()).chain(ends) {
            let expected = keys.iter().take_while(|&&other| other < key).count();
            assert_eq!(
                interpolation_lower_bound(keys, key, |key| *key),
                expected,
                "{key:x} in {}",
                keys.len()
            );
        }
    }

    #[test]
    fn interpolation_finds_what_a_linear_search_finds() {
        let mut random = random_numbers(11);
        for round in 0..60u32 {
            let count = 1 + (random() % 400) as usize;
            let mut keys: Vec<u64> = (0..count)
                .map(|_| match round % 6 {
                    // Even, with repeats, all low, all high, two clusters, growing distances.
                    0 => random(),
                    1 => (random() % 40) << 58,
                    2 => random() % 500,
                    3 => u64::MAX - random() % 500,
                    4 => (random() & 1) * (u64::MAX / 3) + random() % 1000,
                    _ => random() >> (random() % 64),
                })
                .collect();
            keys.sort_unstable();
            let others: Vec<u64> = (0..50).map(|_| random()).collect();
            assert_finds_all(&keys, &others);
        }
        assert_finds_all(&[], &[7]);
        assert_finds_all(&[0; 100], &[7]);
        assert_finds_all(&[u64::MAX; 100], &[7]);
    }
}
