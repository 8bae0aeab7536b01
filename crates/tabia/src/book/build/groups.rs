//! The positions of a part, each with the moves that games made of it.

use std::collections::BTreeMap;

use tabia_core::error::Result;

use super::fold::{Group, Weighing};
use super::record::{Board, Stored};
use super::store::{Scratch, Slice, Store};
use super::{BuildOptions, Gathered};

/// What a thread folds records with.
pub(super) struct Folder<'a, S> {
    gathered: &'a Gathered<S>,
    options: &'a BuildOptions,
    /// Whether somebody will ask for ratings.
    ratings: bool,
    records: Scratch<S>,
    boards: Scratch<Board>,
    piece: Vec<S>,
    group: Group,
}

impl<'a, S: Stored> Folder<'a, S> {
    pub(super) fn new(gathered: &'a Gathered<S>, options: &'a BuildOptions, ratings: bool) -> Self {
        Self {
            gathered,
            options,
            ratings,
            records: Scratch::default(),
            boards: Scratch::default(),
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
            let slice = Slice { bits, number };
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
            for run in records.chunk_by(|a, b| a.key() == b.key()) {
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
fn slices<S: Stored>(store: &Store<S>, part: usize, bytes: u64) -> u32 {
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
        store: &Store<S>,
        part: usize,
        slice: Slice,
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
            for record in records.iter().filter(|record| slice.has(record.key())) {
                if let Some(count) = counts.get_mut(often.bucket(record.key())) {
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
        let takes = self.takes.get(self.bucket(record.key())) == Some(&true);
        if takes {
            let record = record.occurrence(part);
            let group = self.groups.entry(record.key).or_default();
            group.key = record.key;
            group.add(record, adding);
        }
        takes
    }
}
