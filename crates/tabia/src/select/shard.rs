//! [`Shard`]: one of the parts into which inputs are cut.

use std::num::NonZeroU32;
use std::ops::Range;

use tabia_core::GameIndex;

/// Games of a stream without blocks that follow each other in one shard.
const RUN: u32 = 256;

/// One of several parts into which inputs are cut, so that several machines share a job. Each record is in
/// exactly one of them.
///
/// A database is cut into ranges of equal length, by the numbers of its records. A stream, whose length is not
/// known, is cut into blocks, which the shards get in turn. The cut depends on the bytes of an input and its
/// number among the inputs, and on nothing else.
///
/// ```
/// use std::num::NonZeroU32;
/// use tabia::select::Shard;
///
/// let number = |number| NonZeroU32::new(number).unwrap();
/// let shard = Shard::new(number(2), number(3)).unwrap();
/// assert_eq!(shard.records(10), 3..6);
/// assert!(Shard::new(number(4), number(3)).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u32,
    of: NonZeroU32,
}

impl Shard {
    /// Shard number `index`, from 1, of `of` shards; `None` if `index` is larger.
    pub fn new(index: NonZeroU32, of: NonZeroU32) -> Option<Self> {
        let index = index.get() - 1;
        (index < of.get()).then_some(Self { index, of })
    }

    /// Its records of a database with this many, counted from 0.
    pub fn records(self, length: u32) -> Range<u32> {
        let start = |index: u64| (u64::from(length) * index / u64::from(self.of.get())) as u32;
        start(self.index.into())..start(u64::from(self.index) + 1)
    }

    /// Whether it has a block of a stream, counted from 0.
    pub(crate) fn has_block(self, block: u64) -> bool {
        block % u64::from(self.of.get()) == u64::from(self.index)
    }

    /// Whether it has a game of a stream without blocks.
    pub(crate) fn has_game(self, game: GameIndex) -> bool {
        self.has_block(u64::from(game.0 / RUN))
    }

    /// The same shard for an input with this number, from 0: which shards have one record more, or the only
    /// block, is another for each input, so that many small ones are shared evenly too.
    pub(crate) fn for_input(self, input: usize) -> Self {
        let of = u64::from(self.of.get());
        let index = (u64::from(self.index) + input as u64) % of;
        Self {
            index: index as u32,
            of: self.of,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(of: u32) -> Vec<Shard> {
        let number = |number| NonZeroU32::new(number).unwrap();
        let shards = (1..=of).map(|index| Shard::new(number(index), number(of)).unwrap());
        shards.collect()
    }

    #[test]
    fn each_record_block_and_game_is_in_one_shard() {
        for of in [1, 2, 3, 7, 50] {
            for input in [0, 1, 6, 49, 1_000_003] {
                let shards: Vec<Shard> = shards(of)
                    .into_iter()
                    .map(|shard| shard.for_input(input))
                    .collect();
                for length in [0, 1, 2, 6, 49, 50, 51, 1000, u32::MAX] {
                    let mut ranges: Vec<_> = shards.iter().map(|s| s.records(length)).collect();
                    ranges.sort_by_key(|range| (range.start, range.end));
                    let mut at = 0;
                    for range in &ranges {
                        assert_eq!(range.start, at);
                        at = range.end;
                        assert!((range.end - range.start).abs_diff(length / of) <= 1);
                    }
                    assert_eq!(at, length);
                }
                for number in 0..2000 {
                    let has = |shard: &&Shard| shard.has_block(number);
                    assert_eq!(shards.iter().filter(has).count(), 1);
                    let has = |shard: &&Shard| shard.has_game(GameIndex(number as u32));
                    assert_eq!(shards.iter().filter(has).count(), 1);
                }
            }
        }
    }

    #[test]
    fn the_shards_of_one_database_are_in_its_order() {
        let ranges: Vec<_> = shards(4).iter().map(|shard| shard.records(10)).collect();
        assert_eq!(ranges, [0..2, 2..5, 5..7, 7..10]);
    }
}
