//! Finding a key among sorted ones that are spread evenly, as the hashes of positions are.

/// How often a place is guessed anew before the rest is searched.
const GUESSES: u32 = 3;

/// The first item whose key is not lower. Keys are spread evenly, so it is near the place that
/// its key tells, and nearer still to the place that the key found there tells: a large book has
/// few of its pages touched. Where keys are not spread evenly the steps from the last guess double.
pub fn lower_bound<T>(items: &[T], key: u64, key_of: impl Fn(&T) -> u64) -> usize {
    let Some(last) = items.len().checked_sub(1) else {
        return 0;
    };
    let key_at = |place: usize| items.get(place).map_or(u64::MAX, &key_of);
    let is_lower = |place: usize| items.get(place).is_some_and(|item| key_of(item) < key);
    let share = |keys: u64| ((u128::from(keys) * items.len() as u128) >> 64) as usize;
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
            high = high.saturating_add(step).min(items.len());
            step *= 2;
        }
    } else {
        while low > 0 && !is_lower(low - 1) {
            high = low - 1;
            low = low.saturating_sub(step);
            step *= 2;
        }
    }
    let between = items.get(low..high).unwrap_or_default();
    low + between.partition_point(|item| key_of(item) < key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search beside a look at every entry: for every key there, its neighbours and others.
    fn agrees(keys: &[u64], more: &[u64]) {
        let near = keys
            .iter()
            .flat_map(|&key| [key.wrapping_sub(1), key, key.wrapping_add(1)]);
        let ends = [0, 1, 1 << 63, u64::MAX - 1, u64::MAX];
        for key in near.chain(more.iter().copied()).chain(ends) {
            let slow = keys.iter().take_while(|&&it| it < key).count();
            assert_eq!(
                lower_bound(keys, key, |own| *own),
                slow,
                "{key:x} in {}",
                keys.len()
            );
        }
    }

    #[test]
    fn guesses_find_what_a_look_at_every_entry_finds() {
        let mut seed = 11u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for round in 0..60u32 {
            let count = 1 + (random() % 400) as usize;
            let mut keys: Vec<u64> = (0..count)
                .map(|_| match round % 6 {
                    // Even, with repeats, all low, all high, two heaps, steps that grow.
                    0 => random(),
                    1 => (random() % 40) << 58,
                    2 => random() % 500,
                    3 => u64::MAX - random() % 500,
                    4 => (random() & 1) * (u64::MAX / 3) + random() % 1000,
                    _ => random() >> (random() % 64),
                })
                .collect();
            keys.sort_unstable();
            let more: Vec<u64> = (0..50).map(|_| random()).collect();
            agrees(&keys, &more);
        }
        agrees(&[], &[7]);
        agrees(&[0; 100], &[7]);
        agrees(&[u64::MAX; 100], &[7]);
    }
}
