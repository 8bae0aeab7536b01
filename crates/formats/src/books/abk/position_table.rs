//! The positions of a book to be written, with their moves, in temporary files.

use std::cmp::Reverse;
use std::io::{BufWriter, Write};
use std::path::Path;

use tabia_core::books::Wdl;
use tabia_core::error::{Error, Result};
use tabia_core::external::{FixedRecord, FixedSorter, interpolation_lower_bound};
use tabia_core::io::{Blob, TemporaryFile};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::record::Record;

/// The number of no position.
pub(super) const NO_POSITION: u32 = u32::MAX;

/// A move of a position.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub(super) struct TableMove {
    /// The key of the position.
    pub(super) key: u64,
    /// The key of the position after the move.
    pub(super) next: u64,
    white: u64,
    draws: u64,
    black: u64,
    pub(super) flags: u32,
    weight: u32,
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) promotion: i8,
    /// [`HAS_WEIGHT`] and [`IS_DELETED`].
    marks: u8,
    pub(super) priority: u8,
    _unused: [u8; 3],
}

const HAS_WEIGHT: u8 = 1;
const IS_DELETED: u8 = 2;

impl TableMove {
    /// A move from one position to another, by their keys; the squares and the promotion as in a
    /// [`Record`].
    pub(super) const fn new(key: u64, next: u64, (from, to, promotion): (u8, u8, i8)) -> Self {
        Self {
            key,
            next,
            white: 0,
            draws: 0,
            black: 0,
            flags: 0,
            weight: 0,
            from,
            to,
            promotion,
            marks: 0,
            priority: 0,
            _unused: [0; 3],
        }
    }

    pub(super) const fn results(&self) -> Wdl {
        Wdl {
            white: self.white,
            draws: self.draws,
            black: self.black,
        }
    }

    pub(super) const fn set_results(&mut self, results: Wdl) {
        (self.white, self.draws, self.black) = (results.white, results.draws, results.black);
    }

    /// Scales counts that a record cannot contain, so that no more games are decided than played. The
    /// counts of all repetitions of a move add up to these, so a copy of the book has the same. Returns
    /// whether they were scaled.
    fn fit_results(&mut self) -> bool {
        const MAX: u64 = i32::MAX as u64;
        let games = self.results().games();
        if games <= MAX {
            return false;
        }
        let scaled = |count: u64| (u128::from(count) * u128::from(MAX) / u128::from(games)) as u64;
        (self.white, self.black) = (scaled(self.white), scaled(self.black));
        self.draws = MAX.saturating_sub(self.white + self.black);
        true
    }

    fn weight(&self) -> Option<u32> {
        (self.marks & HAS_WEIGHT != 0).then_some(self.weight)
    }

    pub(super) fn set_weight(&mut self, weight: Option<u32>) {
        self.marks = self.marks & !HAS_WEIGHT | u8::from(weight.is_some());
        self.weight = weight.unwrap_or(0);
    }

    const fn is_deleted(&self) -> bool {
        self.marks & IS_DELETED != 0
    }

    /// Marks the move as deleted. A deleted move keeps its priority.
    pub(super) const fn delete(&mut self, priority: u8) {
        self.marks |= IS_DELETED;
        self.priority = priority;
    }

    /// Adds another entry of the same move.
    fn add(&mut self, repeat: &Self) {
        self.white = self.white.saturating_add(repeat.white);
        self.draws = self.draws.saturating_add(repeat.draws);
        self.black = self.black.saturating_add(repeat.black);
        self.set_weight(match (self.weight(), repeat.weight()) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        });
        if !self.is_deleted() || !repeat.is_deleted() {
            self.marks &= !IS_DELETED;
            self.flags = (self.flags | repeat.flags) & !Record::DELETED;
        }
    }
}

impl FixedRecord for TableMove {
    type Order = (u64, u8, u8, i8);

    fn order(&self) -> Self::Order {
        (self.key, self.from, self.to, self.promotion)
    }

    fn lead(&self) -> u64 {
        self.key
    }
}

/// The key of a position, and the number of its first move.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct TablePosition {
    key: u64,
    first: u64,
}

/// All positions sorted by key, each with its moves.
#[derive(Debug)]
pub(super) struct PositionTable {
    moves: Blob,
    /// The positions, followed by one that has the number of all moves.
    positions: Blob,
    /// The number of the position after each move; [`NO_POSITION`] if the book does not contain it.
    next: Blob,
    /// Number of weights that are not in proportion to their priorities.
    pub(super) inexact: u64,
    /// Number of moves with more games than a record can count.
    pub(super) scaled: u64,
}

impl PositionTable {
    /// From the moves of all positions; temporary files are in `folder`.
    pub(super) fn new(sorter: FixedSorter<TableMove>, folder: &Path) -> Result<Self> {
        let mut positions = RecordFile::<TablePosition>::create(folder)?;
        let mut moves = RecordFile::<TableMove>::create(folder)?;
        let (mut inexact, mut scaled) = (0, 0);
        let mut run: Vec<TableMove> = Vec::new();
        let mut push_position = |run: &mut Vec<TableMove>| -> Result<()> {
            let Some(key) = run.first().map(|entry| entry.key) else {
                return Ok(());
            };
            let first = moves.count;
            positions.push(&TablePosition { key, first })?;
            inexact += set_priorities(run);
            for entry in run.iter_mut() {
                scaled += u64::from(entry.fit_results());
            }
            run.sort_by_key(|entry| {
                let games = entry.results().games();
                (Reverse((entry.priority, games)), entry.order())
            });
            run.drain(..).try_for_each(|entry| moves.push(&entry))
        };
        sorter.finish(|entry| {
            if run.last().is_some_and(|last| last.key != entry.key) {
                push_position(&mut run)?;
            }
            match run.last_mut().filter(|last| last.order() == entry.order()) {
                Some(last) => last.add(&entry),
                None => run.push(entry),
            }
            Ok(())
        })?;
        push_position(&mut run)?;
        let (count, first) = (positions.count, moves.count);
        if count >= u64::from(NO_POSITION) {
            return Err(Error::unsupported(format!(
                "an Arena book of {count} positions"
            )));
        }
        positions.push(&TablePosition { key: 0, first })?;
        let mut table = Self {
            moves: moves.finish()?,
            positions: positions.finish()?,
            next: Blob::from(Vec::new()),
            inexact,
            scaled,
        };
        let mut next = RecordFile::<u32>::create(folder)?;
        for entry in table.all_moves() {
            next.push(&table.find(entry.next).unwrap_or(NO_POSITION))?;
        }
        table.next = next.finish()?;
        Ok(table)
    }

    /// Number of positions.
    pub(super) fn len(&self) -> u32 {
        self.positions().len().saturating_sub(1) as u32
    }

    /// The number of the position with a key.
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let positions = self.positions();
        let positions = positions.get(..positions.len().saturating_sub(1))?;
        let number = interpolation_lower_bound(positions, key, |position| position.key);
        (positions.get(number)?.key == key).then_some(number as u32)
    }

    /// The moves of a position, each with the number of the position after it or [`NO_POSITION`].
    pub(super) fn moves(&self, position: u32) -> impl ExactSizeIterator<Item = (&TableMove, u32)> {
        let range = self.range(position);
        let next = <[u32]>::ref_from_bytes(&self.next).unwrap_or_default();
        let next = next.get(range.clone()).unwrap_or_default();
        let moves = self.all_moves().get(range).unwrap_or_default();
        moves.iter().zip(next.iter().copied())
    }

    /// Number of moves of all positions.
    pub(super) fn move_total(&self) -> u64 {
        self.all_moves().len() as u64
    }

    /// Number of moves of a position.
    pub(super) fn move_count(&self, position: u32) -> u64 {
        self.range(position).len() as u64
    }

    fn range(&self, position: u32) -> std::ops::Range<usize> {
        let positions = self.positions();
        let first = |number: usize| {
            positions
                .get(number)
                .map_or(0, |entry| entry.first as usize)
        };
        first(position as usize)..first(position as usize + 1)
    }

    fn all_moves(&self) -> &[TableMove] {
        <[TableMove]>::ref_from_bytes(&self.moves).unwrap_or_default()
    }

    fn positions(&self) -> &[TablePosition] {
        <[TablePosition]>::ref_from_bytes(&self.positions).unwrap_or_default()
    }
}

/// Records of a fixed size in a temporary file.
#[derive(Debug)]
pub(super) struct RecordFile<T> {
    out: BufWriter<TemporaryFile>,
    pub(super) count: u64,
    kind: std::marker::PhantomData<T>,
}

impl<T: IntoBytes + Immutable> RecordFile<T> {
    pub(super) fn create(folder: &Path) -> Result<Self> {
        let file = TemporaryFile::new_in(folder)?;
        Ok(Self {
            out: BufWriter::with_capacity(1 << 16, file),
            count: 0,
            kind: std::marker::PhantomData,
        })
    }

    pub(super) fn push(&mut self, record: &T) -> Result<()> {
        self.out.write_all(record.as_bytes())?;
        self.count += 1;
        Ok(())
    }

    /// The bytes of the records so far; more may be added.
    pub(super) fn so_far(&mut self) -> Result<Blob> {
        self.out.flush()?;
        self.out.get_ref().map()
    }

    pub(super) fn finish(mut self) -> Result<Blob> {
        self.so_far()
    }
}

/// Sets the priorities of a position's moves from their weights. Weights up to 9 are used unchanged;
/// if one is greater, all are scaled down. Returns how many are not in proportion any more.
fn set_priorities(run: &mut [TableMove]) -> u64 {
    let max = run.iter().filter_map(TableMove::weight).max();
    let max = u64::from(max.unwrap_or(0)).max(9);
    let mut inexact = 0;
    for entry in run {
        entry.priority = match (entry.is_deleted(), entry.weight()) {
            (true, _) => entry.priority,
            (false, None) => 5,
            (false, Some(0)) => 0,
            (false, Some(weight)) => {
                let scaled = u64::from(weight) * 9;
                inexact += u64::from(scaled % max != 0);
                scaled.div_ceil(max).min(9) as u8
            }
        };
    }
    inexact
}
