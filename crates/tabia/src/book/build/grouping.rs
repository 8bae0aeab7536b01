//! The positions of a partition, each with the totals of its moves.

use tabia_core::error::Result;
use tabia_core::external::{KeyRange, SortBuffers, SpillStore};

use super::BuildOptions;
use super::aggregate::{AggregateOptions, PositionTotals};
use super::hot_positions::HotPositions;
use super::occurrence::{Board, Occurrence, StoredOccurrence};
use super::read_games::CollectedGames;

/// Takes the positions of a partition.
pub(super) trait TakePositions {
    /// Takes a position, and the boards from that of the position on.
    fn take(&mut self, totals: &PositionTotals, boards: &[Board]);

    /// Takes a position that occurs once without its totals; `false` if [`take`](Self::take) needs them.
    #[inline]
    fn take_single(&mut self, _: Occurrence) -> bool {
        false
    }
}

impl<F: FnMut(&PositionTotals, &[Board])> TakePositions for F {
    fn take(&mut self, totals: &PositionTotals, boards: &[Board]) {
        self(totals, boards);
    }
}

/// Groups the occurrences of a partition by position, and sums them. Each thread has one.
pub(super) struct Grouper<'a, S> {
    games: &'a CollectedGames<S>,
    options: &'a BuildOptions,
    /// Whether ratings and dates count.
    facts: bool,
    occurrences: SortBuffers<S>,
    boards: SortBuffers<Board>,
    read_buffer: Vec<S>,
    totals: PositionTotals,
}

impl<'a, S: StoredOccurrence> Grouper<'a, S> {
    pub(super) fn new(
        games: &'a CollectedGames<S>,
        options: &'a BuildOptions,
        facts: bool,
    ) -> Self {
        Self {
            games,
            options,
            facts,
            occurrences: SortBuffers::default(),
            boards: SortBuffers::default(),
            read_buffer: Vec::new(),
            totals: PositionTotals::default(),
        }
    }

    /// Hands on every position of a partition that came often enough, by key.
    pub(super) fn for_each_position(
        &mut self,
        partition: usize,
        taker: &mut impl TakePositions,
    ) -> Result<()> {
        let games = self.games;
        let options = AggregateOptions {
            weighting: self.options.weighting,
            newest_month: games.newest_month,
            facts: self.facts,
        };
        let min_games = self.options.move_filter.min_games;
        let bits = range_bits(&games.occurrences, partition, self.options.memory / 16);
        for value in 0..1 << bits {
            let range = KeyRange { bits, value };
            let mut hot =
                HotPositions::of(&games.occurrences, partition, range, &mut self.read_buffer)?;
            let has_hot = !hot.is_empty();
            let mut take = |occurrence: &S| hot.take(*occurrence, partition, options);
            let take: Option<&mut dyn FnMut(&S) -> bool> =
                if has_hot { Some(&mut take) } else { None };
            let occurrences =
                games
                    .occurrences
                    .sorted(partition, range, &mut self.occurrences, take)?;
            let boards = games
                .boards
                .sorted(partition, range, &mut self.boards, None)?;
            let mut next_boards = boards;
            let mut take = |taker: &mut dyn TakePositions, totals: &PositionTotals| {
                if totals.games() >= min_games {
                    let before = next_boards.partition_point(|board| board.key < totals.key);
                    next_boards = next_boards.get(before..).unwrap_or_default();
                    taker.take(totals, next_boards);
                }
            };
            let mut hot = hot.into_positions().peekable();
            let mut rest = occurrences;
            while let Some((first, others)) = rest.split_first() {
                let is_same = |other: &&S| other.lead() == first.lead();
                let length = 1 + others.iter().take_while(is_same).count();
                let (run, after) = rest.split_at(length);
                rest = after;
                if (length as u64) < min_games {
                    continue;
                }
                let occurrence = first.occurrence(partition);
                let key = occurrence.key;
                while has_hot && let Some(totals) = hot.next_if(|totals| totals.key < key) {
                    take(taker, &totals);
                }
                // Most positions occur once.
                if length == 1 && taker.take_single(occurrence) {
                    continue;
                }
                self.totals.reset(key);
                for occurrence in run {
                    self.totals.add(occurrence.occurrence(partition), options);
                }
                take(taker, &self.totals);
            }
            hot.for_each(|totals| take(taker, &totals));
        }
        Ok(())
    }
}

/// The number of bits that split the keys of a partition into ranges whose occurrences take about
/// `bytes` bytes.
pub(super) fn range_bits<S: StoredOccurrence>(
    store: &SpillStore<S>,
    partition: usize,
    bytes: u64,
) -> u32 {
    let total = (store.len(partition) * size_of::<S>()) as u64;
    let ranges = total.div_ceil(bytes.max(1 << 20)).max(1);
    ranges.next_power_of_two().ilog2().min(16)
}

#[cfg(test)]
mod tests {
    use super::super::book_rules::Weighting;
    use super::super::occurrence::{CompactOccurrence, GameFacts, Occurrence, Outcome};
    use super::*;
    use tabia_core::books::BookPosition;
    use tabia_core::chess::{Color, Move, Square};
    use tabia_core::external::Partitions;
    use tabia_core::game::Date;

    const PART: usize = 0x42;
    /// A position of many games, one that shares its first bits, and another of many games.
    const FREQUENT: u64 = 0x4212_3400_0000_0001;
    const NEIGHBOUR: u64 = FREQUENT + 1;
    const OTHER: u64 = 0x42ff_0000_0000_0009;

    /// A partition of a large set of games: two positions that most of them have, one between those
    /// in the order of keys, and 20,000 that few have.
    fn occurrences() -> Vec<Occurrence> {
        let moves = [
            Move::normal(Square::E2, Square::E4),
            Move::normal(Square::D2, Square::D4),
            Move::normal(Square::C2, Square::C4),
        ];
        let mut random = tabia_testkit::Random::new(5);
        let mut occurrences = Vec::new();
        for i in 0..240_000u64 {
            let bits = random.next_u64();
            let key = match bits % 12 {
                0..6 => FREQUENT,
                6..10 => OTHER,
                10 if i % 50 == 0 => NEIGHBOUR,
                _ => (PART as u64) << 56 | (bits % 20_000).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8,
            };
            let rating = |shift: u32| Some(2000 + (bits >> shift & 511) as u16);
            let date = Date::new(1990 + (bits >> 50 & 15) as u16, 3, 0);
            let facts = GameFacts::new(rating(20), rating(30), Some(date));
            let m = match bits >> 40 & 15 {
                0 => None,
                n => moves.get(n as usize % 4).copied().or(Some(moves[0])),
            };
            let mut occurrence = Occurrence::new(key, Color::White, m, facts);
            occurrence.set_outcome(match bits >> 45 & 3 {
                0 => Outcome::White,
                1 => Outcome::Draw,
                2 => Outcome::Black,
                _ => Outcome::None,
            });
            occurrences.push(occurrence);
        }
        occurrences
    }

    fn options(weighting: Weighting, memory: u64) -> BuildOptions {
        let mut options = BuildOptions {
            weighting,
            memory,
            ..BuildOptions::default()
        };
        options.move_filter.min_games = 2;
        options.move_filter.scoreless = true;
        options
    }

    fn positions<S: StoredOccurrence>(
        games: &CollectedGames<S>,
        options: &BuildOptions,
    ) -> Vec<(u64, BookPosition)> {
        let mut grouper = Grouper::new(games, options, true);
        let mut positions = Vec::new();
        let mut visit = |totals: &PositionTotals, _: &[Board]| {
            let (filter, weighting) = (&options.move_filter, options.weighting);
            let position = totals.book_position(filter, weighting, options.stretch);
            positions.push((totals.key, position));
        };
        grouper.for_each_position(PART, &mut visit).unwrap();
        positions
    }

    fn check<S: StoredOccurrence>(weighting: Weighting) {
        let occurrences = occurrences();
        let mut batch = Partitions::default();
        batch.fill(&occurrences, S::of);
        let target = std::env::temp_dir().join("grouped.bin");
        let mut games = CollectedGames::<S>::new(&target, 1 << 20, 0);
        games.occurrences.extend(&batch).unwrap();
        let months = occurrences.iter().map(|occurrence| occurrence.month());
        games.newest_month = months.max().unwrap();
        let small = options(weighting, 1 << 20);
        let large = options(weighting, 1 << 30);

        // With little memory the frequent positions are summed as they come, with much they are sorted.
        let store = &games.occurrences;
        let bits = range_bits(store, PART, small.memory / 16);
        assert!(bits > 0 && range_bits(store, PART, large.memory / 16) == 0);
        let value = FREQUENT << 8 >> (64 - bits);
        let range = KeyRange { bits, value };
        let hot = HotPositions::of(store, PART, range, &mut Vec::new()).unwrap();
        assert_eq!(hot.bucket_count(), 1);
        assert!(hot.is_hot(FREQUENT) && hot.is_hot(NEIGHBOUR));

        let (small, large) = (positions(&games, &small), positions(&games, &large));
        assert_eq!(small.len(), large.len());
        for (a, b) in small.iter().zip(&large) {
            assert_eq!(a, b);
        }
        let of = |key: u64| large.iter().find(|(known, _)| *known == key).unwrap();
        assert!(of(FREQUENT).1.games.unwrap() > 100_000);
        assert!(of(OTHER).1.games.unwrap() > 70_000);
        assert!(of(NEIGHBOUR).1.games.unwrap() > 100);
        assert!(large.len() > 5_000 && large.is_sorted_by_key(|(key, _)| *key));
    }

    #[test]
    fn frequent_positions_are_summed_as_they_come() {
        check::<CompactOccurrence>(Weighting::Points);
        // Halving depends on the order of the games.
        check::<CompactOccurrence>(Weighting::Polyglot);
        check::<Occurrence>(Weighting::Recency { half_life: 60.0 });
    }
}
