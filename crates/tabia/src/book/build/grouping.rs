//! The positions of a part, each with the moves that games made of it.

use std::collections::BTreeMap;

use tabia_core::error::Result;
use tabia_core::external::{KeyRange, SortBuffers, SpillStore};

use super::aggregate::{Group, Weighing};
use super::record::{Board, Stored};
use super::{BuildOptions, Gathered};

/// What a thread folds records with.
pub(super) struct Folder<'a, S> {
    gathered: &'a Gathered<S>,
    options: &'a BuildOptions,
    /// Whether somebody will ask for ratings.
    ratings: bool,
    records: SortBuffers<S>,
    boards: SortBuffers<Board>,
    piece: Vec<S>,
    group: Group,
}

impl<'a, S: Stored> Folder<'a, S> {
    pub(super) fn new(gathered: &'a Gathered<S>, options: &'a BuildOptions, ratings: bool) -> Self {
        Self {
            gathered,
            options,
            ratings,
            records: SortBuffers::default(),
            boards: SortBuffers::default(),
            piece: Vec::new(),
            group: Group::default(),
        }
    }

    /// Hands on the positions of a part, by key, with the boards from theirs on.
    pub(super) fn groups(
        &mut self,
        part: usize,
        each: &mut dyn FnMut(&Group, &[Board]),
    ) -> Result<()> {
        let gathered = self.gathered;
        let occurrences = &gathered.occurrences;
        let adding = Adding {
            weighing: self.options.weighing,
            newest: gathered.newest,
            ratings: self.ratings,
        };
        let least = self.options.keep.min_games;
        let bits = slices(occurrences, part, self.options.memory / 16);
        for number in 0..1 << bits {
            let slice = KeyRange {
                bits,
                value: number,
            };
            let mut often = Often::of(occurrences, part, slice, &mut self.piece)?;
            let records = occurrences.sorted(part, slice, &mut self.records, |record| {
                often.take(*record, part, adding)
            })?;
            let boards = gathered
                .boards
                .sorted(part, slice, &mut self.boards, |_| false)?;
            let mut rest = boards;
            let mut hand_on = |group: &Group| {
                if group.games() >= least {
                    let start = rest.partition_point(|board| board.key < group.key);
                    rest = rest.get(start..).unwrap_or_default();
                    each(group, rest);
                }
            };
            let mut often = often.groups.into_iter().peekable();
            for run in records.chunk_by(|a, b| a.lead() == b.lead()) {
                let Some(first) = run.first().filter(|_| run.len() as u64 >= least) else {
                    continue;
                };
                let key = first.occurrence(part).key;
                while let Some((_, group)) = often.next_if(|(before, _)| *before < key) {
                    hand_on(&group);
                }
                self.group.begin(key);
                for record in run {
                    self.group.add(record.occurrence(part), adding);
                }
                hand_on(&self.group);
            }
            often.for_each(|(_, group)| hand_on(&group));
        }
        Ok(())
    }
}

/// How records are added up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Adding {
    pub(super) weighing: Weighing,
    /// The month of the newest game.
    pub(super) newest: u16,
    /// Ratings are added up too.
    pub(super) ratings: bool,
}

/// How a part is folded without taking more than so many bytes for its records.
fn slices<S: Stored>(store: &SpillStore<S>, part: usize, bytes: u64) -> u32 {
    let own = (store.len(part) * size_of::<S>()) as u64;
    let pieces = own.div_ceil(bytes.max(1 << 20)).max(1);
    pieces.next_power_of_two().ilog2().min(16)
}

/// Positions with so many records that these are not kept, but added up as they come: those at the
/// beginning of games, when there are very many games.
#[derive(Default)]
struct Often {
    /// Whether records are taken, by the first bits of their keys behind the slice's.
    takes: Vec<bool>,
    skip: u32,
    groups: BTreeMap<u64, Group>,
}

/// Bits of a key that records are counted by.
const BITS: u32 = 12;
/// Records of which no more are kept.
const MANY: u32 = 1 << 16;

impl Often {
    /// Counts the records of a slice; a part that is taken whole is small.
    fn of<S: Stored>(
        store: &SpillStore<S>,
        part: usize,
        slice: KeyRange,
        piece: &mut Vec<S>,
    ) -> Result<Self> {
        let mut often = Self {
            skip: 8 + slice.bits,
            ..Self::default()
        };
        if slice.bits == 0 {
            return Ok(often);
        }
        let mut counts = vec![0u32; 1 << BITS];
        store.read(part, piece, |records| {
            for record in records
                .iter()
                .filter(|record| slice.contains(record.lead()))
            {
                if let Some(count) = counts.get_mut(often.bucket(record.lead())) {
                    *count = count.saturating_add(1);
                }
            }
        })?;
        often.takes = counts.into_iter().map(|count| count > MANY).collect();
        Ok(often)
    }

    fn bucket(&self, key: u64) -> usize {
        (key << self.skip >> (64 - BITS)) as usize
    }

    /// Adds up a record of such a position; `false` for all others.
    fn take<S: Stored>(&mut self, record: S, part: usize, adding: Adding) -> bool {
        let takes = self.takes.get(self.bucket(record.lead())) == Some(&true);
        if takes {
            let record = record.occurrence(part);
            let group = self.groups.entry(record.key).or_default();
            group.key = record.key;
            group.add(record, adding);
        }
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{GameFacts, Occurrence, Outcome, Short};
    use super::super::{KvetkaOptions, Selection};
    use super::*;
    use crate::book::build::{MoveFilter, Query};
    use tabia_core::books::BookPosition;
    use tabia_core::chess::{Color, Move, Square};
    use tabia_core::external::Partitions;
    use tabia_core::formats::{CreateOptions, OpenOptions};
    use tabia_core::game::Date;

    const PART: usize = 0x42;
    /// A position of very many games, one of several that shares its first bits, and one more.
    const FREQUENT: u64 = 0x4212_3400_0000_0001;
    const NEIGHBOUR: u64 = FREQUENT + 1;
    const OTHER: u64 = 0x42ff_0000_0000_0009;

    /// A part of a very large set of games: two positions that nearly all of them have, one that
    /// lies between those in the order of keys, and 20,000 that few have.
    fn records() -> Vec<Occurrence> {
        let moves = [
            Move::normal(Square::E2, Square::E4),
            Move::normal(Square::D2, Square::D4),
            Move::normal(Square::C2, Square::C4),
        ];
        let mut random = tabia_testkit::Random::new(5);
        let mut records = Vec::new();
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
            let mut record = Occurrence::new(key, Color::White, m, facts);
            record.set_outcome(match bits >> 45 & 3 {
                0 => Outcome::White,
                1 => Outcome::Draw,
                2 => Outcome::Black,
                _ => Outcome::None,
            });
            records.push(record);
        }
        records
    }

    fn options(weighing: Weighing, memory: u64) -> BuildOptions {
        BuildOptions {
            open: OpenOptions::default(),
            create: CreateOptions::default(),
            threads: 1,
            selection: Selection::default(),
            filter: Query::default(),
            max_ply: 1024,
            keep: MoveFilter {
                min_games: 2,
                min_score: 0.0,
                only: None,
                scoreless: true,
            },
            weighing,
            stretch: false,
            uniform: false,
            variations: false,
            memory,
            kvetka: KvetkaOptions::default(),
            strict: true,
        }
    }

    fn folded<S: Stored>(
        gathered: &Gathered<S>,
        options: &BuildOptions,
    ) -> Vec<(u64, BookPosition)> {
        let mut folder = Folder::new(gathered, options, true);
        let mut pages = Vec::new();
        let mut take = |group: &Group, _: &[Board]| {
            let page = group.page(&options.keep, options.weighing, options.stretch);
            pages.push((group.key, page));
        };
        folder.groups(PART, &mut take).unwrap();
        pages
    }

    fn check<S: Stored>(weighing: Weighing) {
        let records = records();
        let mut batch = Partitions::default();
        batch.fill(&records, S::of);
        let target = std::env::temp_dir().join("folded.bin");
        let mut gathered = Gathered::<S>::new(&target, 1 << 20, 0);
        gathered.occurrences.extend(&batch).unwrap();
        gathered.newest = records.iter().map(|record| record.month()).max().unwrap();
        let small = options(weighing, 1 << 20);
        let large = options(weighing, 1 << 30);

        // The small one has to add up records that it cannot keep, the large one keeps them all.
        let store = &gathered.occurrences;
        let bits = slices(store, PART, small.memory / 16);
        assert!(bits > 0 && slices(store, PART, large.memory / 16) == 0);
        let number = FREQUENT << 8 >> (64 - bits);
        let often = Often::of(
            store,
            PART,
            KeyRange {
                bits,
                value: number,
            },
            &mut Vec::new(),
        )
        .unwrap();
        assert_eq!(often.takes.iter().filter(|taken| **taken).count(), 1);
        assert!(often.takes[often.bucket(FREQUENT)] && often.takes[often.bucket(NEIGHBOUR)]);

        let (small, large) = (folded(&gathered, &small), folded(&gathered, &large));
        assert_eq!(small.len(), large.len());
        for (a, b) in small.iter().zip(&large) {
            assert_eq!(a, b);
        }
        let of = |key: u64| large.iter().find(|(own, _)| *own == key).unwrap();
        assert!(of(FREQUENT).1.games.unwrap() > 100_000);
        assert!(of(OTHER).1.games.unwrap() > 70_000);
        assert!(of(NEIGHBOUR).1.games.unwrap() > 100);
        assert!(large.len() > 5_000 && large.is_sorted_by_key(|(key, _)| *key));
    }

    #[test]
    fn positions_of_very_many_games_are_added_up_as_they_come() {
        check::<Short>(Weighing::Points);
        // Halving depends on the order of the games.
        check::<Short>(Weighing::Polyglot);
        check::<Occurrence>(Weighing::Recency { half_life: 60.0 });
    }
}
