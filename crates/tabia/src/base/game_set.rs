//! Sets of games of one database.

use tabia_core::GameIndex;

/// Games of one database by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameSet {
    words: Vec<u64>,
}

impl GameSet {
    /// Adds a game.
    pub fn insert(&mut self, game: GameIndex) {
        let (word, bit) = (game.0 as usize / 64, game.0 % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// Whether a game is in the set.
    #[inline]
    pub fn has(&self, game: GameIndex) -> bool {
        let word = self.words.get(game.0 as usize / 64);
        word.is_some_and(|word| word >> (game.0 % 64) & 1 != 0)
    }

    /// Number of games.
    pub fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// The first game at or after `from`.
    pub fn next_from(&self, from: u32) -> Option<u32> {
        let first = from as usize / 64;
        let mut mask = u64::MAX << (from % 64);
        for (index, word) in self.words.iter().enumerate().skip(first) {
            let rest = word & mask;
            if rest != 0 {
                return Some(index as u32 * 64 + rest.trailing_zeros());
            }
            mask = u64::MAX;
        }
        None
    }

    /// The games in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = GameIndex> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let game = self.next_from(from)?;
            from = game.checked_add(1)?;
            Some(GameIndex(game))
        })
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.words.len() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_in_order() {
        let mut set = GameSet::default();
        for game in [200, 3, 64, 63] {
            set.insert(GameIndex(game));
        }
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(game) = set.next_from(from) {
            found.push(game);
            from = game + 1;
        }
        assert_eq!((found, set.count()), (vec![3, 63, 64, 200], 4));
        assert!(set.has(GameIndex(64)) && !set.has(GameIndex(65)) && !set.has(GameIndex(9999)));
        assert_eq!(set.next_from(1 << 31), None);
    }
}
