//! Pseudo-random numbers that are the same on every run and machine.

/// A small generator (xorshift64*).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator for a seed, which can be any number.
    pub fn new(seed: u64) -> Self {
        // The state must not be 0; the multiplication spreads small seeds.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        (self.next_u64() % bound as u64) as usize
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        (self.next_u64() >> 16) % bound.max(1)
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        (self.next_u64() >> 32) as u8
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below_u64(n) == 0
    }

    /// One of `items`.
    ///
    /// # Panics
    /// If `items` is empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below_u64(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_repeatable_and_below_their_bound() {
        let mut random = Random::new(0);
        let mut again = Random::new(0);
        for bound in 0..200 {
            let number = random.below(bound);
            assert_eq!(number, again.below(bound));
            assert!(number < bound.max(1));
            assert!(random.below_u64(bound as u64) < bound.max(1) as u64);
            again.next_u64();
        }
        assert_eq!(random.pick(&[7]), 7);
    }
}
