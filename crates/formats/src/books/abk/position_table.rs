//! All positions of a book to be written with their moves, more of them than memory holds.

use std::cmp::Reverse;
use std::io::{BufWriter, Write};
use std::path::Path;

use tabia_core::books::Wdl;
use tabia_core::error::{Error, Result};
use tabia_core::external::{FixedRecord, FixedSorter, interpolation_lower_bound};
use tabia_core::io::{Blob, TemporaryFile};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::record::Record;

/// No position, no record.
pub(super) const NONE: u32 = u32::MAX;

/// A move of a position, with what leads on from it.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub(super) struct Known {
    pub(super) key: u64,
    pub(super) next: u64,
    white: u64,
    draws: u64,
    black: u64,
    pub(super) flags: u32,
    weight: u32,
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) promotion: i8,
    /// What else is there: a weight, and whether the move is deleted.
    marks: u8,
    pub(super) priority: u8,
    _unused: [u8; 3],
}

const HAS_WEIGHT: u8 = 1;
const IS_DELETED: u8 = 2;

impl Known {
    /// A move from one position to another, by their keys; `code` as records have it.
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

    /// A deleted move keeps its priority.
    pub(super) const fn delete(&mut self, priority: u8) {
        self.marks |= IS_DELETED;
        self.priority = priority;
    }

    /// The same move said again.
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

impl FixedRecord for Known {
    type Order = (u64, u8, u8, i8);

    fn order(&self) -> Self::Order {
        (self.key, self.from, self.to, self.promotion)
    }

    fn lead(&self) -> u64 {
        self.key
    }
}

/// A position: its key and the number of its first move.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Place {
    key: u64,
    first: u64,
}

/// All positions by key, each with its moves; in files without a name.
#[derive(Debug)]
pub(super) struct Graph {
    moves: Blob,
    /// The positions, and one more behind the last.
    positions: Blob,
    /// The position behind each move, or [`NONE`].
    next: Blob,
    /// Weights that became priorities in another proportion.
    pub(super) scaled: u64,
}

impl Graph {
    /// Of moves in any order; temporary files are in `folder`.
    pub(super) fn new(sorter: FixedSorter<Known>, folder: &Path) -> Result<Self> {
        let mut positions = Rows::<Place>::create(folder)?;
        let mut moves = Rows::<Known>::create(folder)?;
        let mut scaled = 0;
        let mut run: Vec<Known> = Vec::new();
        let mut put = |run: &mut Vec<Known>| -> Result<()> {
            let Some(key) = run.first().map(|known| known.key) else {
                return Ok(());
            };
            let first = moves.count;
            positions.push(&Place { key, first })?;
            scaled += set_priorities(run);
            run.sort_by_key(|known| {
                let games = known.results().games();
                (Reverse((known.priority, games)), known.order())
            });
            run.drain(..).try_for_each(|known| moves.push(&known))
        };
        sorter.finish(|known| {
            if run.last().is_some_and(|last| last.key != known.key) {
                put(&mut run)?;
            }
            match run.last_mut().filter(|last| last.order() == known.order()) {
                Some(last) => last.add(&known),
                None => run.push(known),
            }
            Ok(())
        })?;
        put(&mut run)?;
        let (count, first) = (positions.count, moves.count);
        if count >= u64::from(NONE) {
            return Err(Error::unsupported(format!(
                "an Arena book of {count} positions"
            )));
        }
        positions.push(&Place { key: 0, first })?;
        let mut graph = Self {
            moves: moves.finish()?,
            positions: positions.finish()?,
            next: Blob::from(Vec::new()),
            scaled,
        };
        let mut next = Rows::<u32>::create(folder)?;
        for known in graph.all() {
            next.push(&graph.find(known.next).unwrap_or(NONE))?;
        }
        graph.next = next.finish()?;
        Ok(graph)
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> u32 {
        self.places().len().saturating_sub(1) as u32
    }

    /// The number of a position.
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let places = self.places();
        let places = places.get(..places.len().saturating_sub(1))?;
        let place = interpolation_lower_bound(places, key, |place| place.key);
        let is_there = places.get(place)?.key == key;
        is_there.then_some(place as u32)
    }

    /// The moves of a position, each with the position behind it.
    pub(super) fn moves(&self, position: u32) -> impl ExactSizeIterator<Item = (&Known, u32)> {
        let range = self.range(position);
        let next = <[u32]>::ref_from_bytes(&self.next).unwrap_or_default();
        let next = next.get(range.clone()).unwrap_or_default();
        let moves = self.all().get(range).unwrap_or_default();
        moves.iter().zip(next.iter().copied())
    }

    /// How many moves there are.
    pub(super) fn move_total(&self) -> u64 {
        self.all().len() as u64
    }

    /// How many moves a position has.
    pub(super) fn move_count(&self, position: u32) -> u64 {
        self.range(position).len() as u64
    }

    fn range(&self, position: u32) -> std::ops::Range<usize> {
        let places = self.places();
        let first = |place: usize| places.get(place).map_or(0, |place| place.first as usize);
        first(position as usize)..first(position as usize + 1)
    }

    fn all(&self) -> &[Known] {
        <[Known]>::ref_from_bytes(&self.moves).unwrap_or_default()
    }

    fn places(&self) -> &[Place] {
        <[Place]>::ref_from_bytes(&self.positions).unwrap_or_default()
    }
}

/// Rows in a file without a name.
#[derive(Debug)]
pub(super) struct Rows<T> {
    out: BufWriter<TemporaryFile>,
    pub(super) count: u64,
    kind: std::marker::PhantomData<T>,
}

impl<T: IntoBytes + Immutable> Rows<T> {
    pub(super) fn create(folder: &Path) -> Result<Self> {
        let file = TemporaryFile::new_in(folder)?;
        Ok(Self {
            out: BufWriter::with_capacity(1 << 16, file),
            count: 0,
            kind: std::marker::PhantomData,
        })
    }

    pub(super) fn push(&mut self, row: &T) -> Result<()> {
        self.out.write_all(row.as_bytes())?;
        self.count += 1;
        Ok(())
    }

    /// The rows so far; more may be added.
    pub(super) fn so_far(&mut self) -> Result<Blob> {
        self.out.flush()?;
        self.out.get_ref().map()
    }

    pub(super) fn finish(mut self) -> Result<Blob> {
        self.so_far()
    }
}

/// Weights up to 9 are priorities as they are, greater ones are brought down together. Returns how
/// many did not keep their proportion.
fn set_priorities(run: &mut [Known]) -> u64 {
    let most = run.iter().filter_map(Known::weight).max();
    let most = u64::from(most.unwrap_or(0)).max(9);
    let mut inexact = 0;
    for known in run {
        known.priority = match (known.is_deleted(), known.weight()) {
            (true, _) => known.priority,
            (false, None) => 5,
            (false, Some(0)) => 0,
            (false, Some(weight)) => {
                let scaled = u64::from(weight) * 9;
                inexact += u64::from(scaled % most != 0);
                scaled.div_ceil(most).min(9) as u8
            }
        };
    }
    inexact
}
