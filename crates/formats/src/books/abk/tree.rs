//! From positions to a tree: what leads where, what is repeated, how counts are shared out.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use tabia_core::books::{BookSize, Wdl};
use tabia_core::chess::Position;
use tabia_core::error::{Error, Result};
use tabia_core::external::{FixedRecord, FixedSorter};
use tabia_core::io::{Blob, Output, TemporaryFile};
use zerocopy::byteorder::little_endian::{I32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::header::ROOT;
use super::position_table::{Graph, Known, NONE, Rows};
use super::record::Record;

/// Half-moves of the longest line written.
const DEEPEST: u32 = 1000;

/// What became of the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tree {
    pub(super) records: u32,
    pub(super) deleted: u32,
    pub(super) depth: u32,
    /// Moves of positions that no line reaches.
    pub(super) unreached: u64,
    /// The other positions and their moves, each once.
    pub(super) held: BookSize,
}

/// A place in the tree whose moves are to be written.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Node {
    position: u32,
    /// Number of the place it comes from.
    parent: u32,
    /// Games that lead here.
    games: u64,
}

/// Writes the records level by level. A list of alternatives stands in one piece, and lists in the
/// order in which what leads to them was written, so every place is known beforehand. In memory are
/// two bits for each position, and about `memory` bytes.
pub(super) fn write(
    graph: &Graph,
    repeats: Option<u64>,
    memory: usize,
    out: &mut Output,
) -> Result<Tree> {
    let folder = TemporaryFile::folder_of(out.target()).to_path_buf();
    let mut writing = Writing {
        graph,
        left: repeats.unwrap_or_else(|| graph.move_total().saturating_mul(4)),
        free: ROOT as u64,
        expanded: Marks::new(graph.len()),
        nodes: Rows::create(&folder)?,
        tree: Tree::default(),
        out,
    };
    let mut counted = Marks::new(graph.len());
    if let Some(position) = graph.find(Position::standard().key()) {
        writing.free += graph.move_count(position);
        writing.expanded.set(position);
        writing.nodes.push(&Node {
            position,
            parent: NONE,
            games: 1,
        })?;
    }
    let mut level = 0..writing.nodes.count;
    while !level.is_empty() {
        writing.tree.depth += 1;
        let nodes = Nodes(writing.nodes.so_far()?);
        let shares = shares(nodes.level(&level), &counted, &folder, memory)?;
        shares.finish(|place| writing.write_moves(&nodes, level.start, &place))?;
        for node in nodes.level(&level) {
            counted.set(node.position);
        }
        level = level.end..writing.nodes.count;
    }
    let Writing {
        mut tree, expanded, ..
    } = writing;
    for position in 0..graph.len() {
        let moves = graph.move_count(position);
        if expanded.has(position) {
            tree.held.positions += 1;
            tree.held.moves += moves;
        } else {
            tree.unreached += moves;
        }
    }
    Ok(tree)
}

struct Writing<'g, 'o> {
    graph: &'g Graph,
    /// Moves that may still be repeated.
    left: u64,
    /// The next record without a use.
    free: u64,
    /// Positions that stand somewhere.
    expanded: Marks,
    nodes: Rows<Node>,
    tree: Tree,
    out: &'o mut Output,
}

impl Writing<'_, '_> {
    /// Writes the moves of a place of the level that begins with the node of that number.
    fn write_moves(&mut self, nodes: &Nodes, start: u64, place: &Shared) -> Result<()> {
        let number = start + u64::from(place.number);
        let Some(&node) = nodes.get(number) else {
            return Ok(());
        };
        let graph = self.graph;
        let moves = graph.moves(node.position);
        let count = moves.len();
        for (offset, (known, next)) in moves.enumerate() {
            let results = place.share.of_results(known.results());
            let mut child = NONE;
            if next != NONE && self.tree.depth < DEEPEST {
                let length = graph.move_count(next);
                let is_new = !self.expanded.has(next);
                let again = !is_new && length <= self.left && !nodes.leads_back(number, next);
                if (is_new || again) && self.free + length < i32::MAX as u64 {
                    self.left -= if is_new { 0 } else { length };
                    self.expanded.set(next);
                    child = self.free as u32;
                    self.free += length;
                    self.nodes.push(&Node {
                        position: next,
                        parent: number as u32,
                        games: results.games(),
                    })?;
                }
            }
            let is_last = offset + 1 == count;
            let sibling = ROOT as u64 + u64::from(self.tree.records) + 1;
            let record = record(known, results, child, (!is_last).then_some(sibling));
            self.out
                .write_all(record.as_bytes())
                .map_err(|error| Error::from(error).in_path(self.out.target()))?;
            self.tree.records += 1;
            self.tree.deleted += u32::from(record.is_deleted());
        }
        Ok(())
    }
}

/// All places up to the end of a level.
struct Nodes(Blob);

impl Nodes {
    fn all(&self) -> &[Node] {
        <[Node]>::ref_from_bytes(&self.0).unwrap_or_default()
    }

    fn level(&self, level: &Range<u64>) -> &[Node] {
        let range = level.start as usize..level.end as usize;
        self.all().get(range).unwrap_or_default()
    }

    fn get(&self, number: u64) -> Option<&Node> {
        self.all().get(number as usize)
    }

    /// Whether a position stands on the way from the start to that place.
    fn leads_back(&self, number: u64, position: u32) -> bool {
        let nodes = self.all();
        let mut number = number as usize;
        while let Some(node) = nodes.get(number) {
            if node.position == position {
                return true;
            }
            number = node.parent as usize;
        }
        false
    }
}

/// A bit for each position.
struct Marks(Vec<u64>);

impl Marks {
    fn new(count: u32) -> Self {
        Self(vec![0; count as usize / 64 + 1])
    }

    fn has(&self, place: u32) -> bool {
        let word = self.0.get(place as usize / 64);
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    fn set(&mut self, place: u32) {
        if let Some(word) = self.0.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
    }
}

/// A part of a whole: what lies between two of its fractions. Parts that follow each other add up
/// to the whole, whatever is shared.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Share {
    from: u64,
    to: u64,
    of: u64,
}

impl Share {
    const NOTHING: Share = Share {
        from: 0,
        to: 0,
        of: 1,
    };

    /// The share of a place to which so many games lead, of so many in `total`; `before` are those
    /// of the places before it.
    fn of(games: u64, total: u64, before: &mut u64) -> Self {
        // Nothing is known of what leads here: the first place has all.
        let (games, of) = if total == 0 {
            (u64::from(*before == 0), 1)
        } else {
            (games, total)
        };
        let from = *before;
        *before = from.saturating_add(games);
        Self {
            from,
            to: *before,
            of,
        }
    }

    fn of_count(self, count: u64) -> u64 {
        let at = |fraction: u64| u128::from(count) * u128::from(fraction) / u128::from(self.of);
        u64::try_from(at(self.to) - at(self.from)).unwrap_or(u64::MAX)
    }

    fn of_results(self, results: Wdl) -> Wdl {
        Wdl {
            white: self.of_count(results.white),
            draws: self.of_count(results.draws),
            black: self.of_count(results.black),
        }
    }
}

/// A place of a level by its position.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Placed {
    position: u32,
    number: u32,
    games: u64,
}

impl FixedRecord for Placed {
    type Order = (u32, u32);

    fn order(&self) -> (u32, u32) {
        (self.position, self.number)
    }

    fn lead(&self) -> u64 {
        u64::from(self.position) << 32
    }
}

/// A place of a level with its share of the position's counts.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Shared {
    share: Share,
    number: u32,
    _unused: u32,
}

impl FixedRecord for Shared {
    type Order = u32;

    fn order(&self) -> u32 {
        self.number
    }

    fn lead(&self) -> u64 {
        u64::from(self.number) << 32
    }
}

/// What each place of a level has of its position's counts: those that stand on a level before have
/// got all of them.
fn shares(
    level: &[Node],
    counted: &Marks,
    folder: &Path,
    memory: usize,
) -> Result<FixedSorter<Shared>> {
    let mut places = FixedSorter::new(folder, memory / 2);
    for (number, node) in level.iter().enumerate() {
        places.push(Placed {
            position: node.position,
            number: number as u32,
            games: node.games,
        })?;
    }
    let mut shares = FixedSorter::new(folder, memory / 2);
    let mut run: Vec<Placed> = Vec::new();
    let mut share_out = |run: &mut Vec<Placed>| -> Result<()> {
        let games = run.iter().map(|place| place.games);
        let total = games.fold(0, u64::saturating_add);
        let mut before = 0;
        run.drain(..).try_for_each(|place| {
            let share = if counted.has(place.position) {
                Share::NOTHING
            } else {
                Share::of(place.games, total, &mut before)
            };
            shares.push(Shared {
                share,
                number: place.number,
                _unused: 0,
            })
        })
    };
    places.finish(|place| {
        if run
            .last()
            .is_some_and(|last| last.position != place.position)
        {
            share_out(&mut run)?;
        }
        run.push(place);
        Ok(())
    })?;
    share_out(&mut run)?;
    Ok(shares)
}

fn record(known: &Known, results: Wdl, child: u32, sibling: Option<u64>) -> Record {
    let count = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
    let games = results.games();
    let reference = |number: Option<u64>| {
        let number = number.and_then(|number| i32::try_from(number).ok());
        I32::new(number.unwrap_or(-1))
    };
    Record {
        from: known.from,
        to: known.to,
        promotion: known.promotion,
        priority: known.priority,
        games: I32::new(count(games)),
        won: I32::new(count(results.white)),
        lost: I32::new(count(results.black)),
        flags: U32::new(known.flags),
        child: reference((child != NONE).then_some(u64::from(child))),
        sibling: reference(sibling),
    }
}
