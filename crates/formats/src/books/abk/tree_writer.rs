//! Writes the tree from the position table: which positions are repeated, and how their counts are
//! distributed among the repetitions.

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
use super::position_table::{NO_POSITION, PositionTable, RecordFile, TableMove};
use super::record::Record;

/// Plies of the longest line written.
const MAX_PLIES: u32 = 1000;

/// The size of a written tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WrittenTree {
    pub(super) records: u32,
    pub(super) deleted: u32,
    pub(super) depth: u32,
    /// Moves of positions that are not reachable from the standard position.
    pub(super) unreachable_moves: u64,
    /// The reachable positions and their moves, repetitions not counted.
    pub(super) reachable: BookSize,
}

/// A node of the tree: a position, reached by one line.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct Node {
    position: u32,
    /// Number of the node before.
    parent: u32,
    /// Games of the line.
    games: u64,
}

/// Writes the records breadth first. The moves of a node are contiguous, in the order of the nodes, so
/// that the record number of a child is known before it is written. `repeats` limits how many moves
/// are repeated for transpositions. Uses two bits for each position, and about `memory` bytes.
pub(super) fn write(
    table: &PositionTable,
    repeats: Option<u64>,
    memory: usize,
    out: &mut Output,
) -> Result<WrittenTree> {
    let folder = TemporaryFile::folder_of(out.target()).to_path_buf();
    let mut writer = TreeWriter {
        table,
        repeats_left: repeats.unwrap_or_else(|| table.move_total().saturating_mul(4)),
        next_record: ROOT as u64,
        expanded: PositionSet::new(table.len()),
        nodes: RecordFile::create(&folder)?,
        tree: WrittenTree::default(),
        out,
    };
    let mut counted = PositionSet::new(table.len());
    if let Some(position) = table.find(Position::standard().key()) {
        writer.next_record += table.move_count(position);
        writer.expanded.insert(position);
        writer.nodes.push(&Node {
            position,
            parent: NO_POSITION,
            games: 1,
        })?;
    }
    let mut level = 0..writer.nodes.count;
    while !level.is_empty() {
        writer.tree.depth += 1;
        let nodes = NodeFile(writer.nodes.so_far()?);
        let shares = shares(nodes.level(&level), &counted, &folder, memory)?;
        shares.finish(|share| writer.write_moves(&nodes, level.start, &share))?;
        for node in nodes.level(&level) {
            counted.insert(node.position);
        }
        level = level.end..writer.nodes.count;
    }
    let TreeWriter {
        mut tree, expanded, ..
    } = writer;
    for position in 0..table.len() {
        let moves = table.move_count(position);
        if expanded.contains(position) {
            tree.reachable.positions += 1;
            tree.reachable.moves += moves;
        } else {
            tree.unreachable_moves += moves;
        }
    }
    Ok(tree)
}

struct TreeWriter<'g, 'o> {
    table: &'g PositionTable,
    /// Moves that may still be repeated.
    repeats_left: u64,
    /// The number of the next unassigned record.
    next_record: u64,
    /// Positions that have a node.
    expanded: PositionSet,
    nodes: RecordFile<Node>,
    tree: WrittenTree,
    out: &'o mut Output,
}

impl TreeWriter<'_, '_> {
    /// Writes the moves of a node; `level_start` is the number of the first node of its level.
    fn write_moves(&mut self, nodes: &NodeFile, level_start: u64, node: &NodeShare) -> Result<()> {
        let share = node.share;
        let number = level_start + u64::from(node.number);
        let Some(&node) = nodes.get(number) else {
            return Ok(());
        };
        let table = self.table;
        let moves = table.moves(node.position);
        let count = moves.len();
        for (offset, (entry, next)) in moves.enumerate() {
            let results = share.of_results(entry.results());
            let mut child = NO_POSITION;
            if next != NO_POSITION && self.tree.depth < MAX_PLIES {
                let move_count = table.move_count(next);
                let is_new = !self.expanded.contains(next);
                let is_repeated =
                    !is_new && move_count <= self.repeats_left && !nodes.is_on_line(number, next);
                let fits = self.next_record + move_count < i32::MAX as u64;
                if (is_new || is_repeated) && fits {
                    self.repeats_left -= if is_new { 0 } else { move_count };
                    self.expanded.insert(next);
                    child = self.next_record as u32;
                    self.next_record += move_count;
                    self.nodes.push(&Node {
                        position: next,
                        parent: number as u32,
                        games: results.games(),
                    })?;
                }
            }
            let is_last = offset + 1 == count;
            let sibling = ROOT as u64 + u64::from(self.tree.records) + 1;
            let record = record(entry, results, child, (!is_last).then_some(sibling));
            self.out
                .write_all(record.as_bytes())
                .map_err(|error| Error::from(error).in_path(self.out.target()))?;
            self.tree.records += 1;
            self.tree.deleted += u32::from(record.is_deleted());
        }
        Ok(())
    }
}

/// All nodes up to the end of a level.
struct NodeFile(Blob);

impl NodeFile {
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

    /// Whether the line to a node contains a position.
    fn is_on_line(&self, number: u64, position: u32) -> bool {
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
struct PositionSet(Vec<u64>);

impl PositionSet {
    fn new(count: u32) -> Self {
        Self(vec![0; count as usize / 64 + 1])
    }

    fn contains(&self, position: u32) -> bool {
        let word = self.0.get(position as usize / 64);
        word.is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    fn insert(&mut self, position: u32) {
        if let Some(word) = self.0.get_mut(position as usize / 64) {
            *word |= 1 << (position % 64);
        }
    }
}

/// The fraction of counts between `from`/`of` and `to`/`of`. Adjacent shares add up without rounding
/// errors.
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

    /// The share of a node with `games` of `total` games; `before` are those of the nodes before it.
    fn of(games: u64, total: u64, before: &mut u64) -> Self {
        // Without games the first node gets all counts.
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

/// A node by its position; `number` counts from the start of its level.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct NodeGames {
    position: u32,
    number: u32,
    games: u64,
}

impl FixedRecord for NodeGames {
    type Order = (u32, u32);

    fn order(&self) -> (u32, u32) {
        (self.position, self.number)
    }

    fn lead(&self) -> u64 {
        u64::from(self.position) << 32
    }
}

/// The share that a node has of its position's counts; `number` counts from the start of its level.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
struct NodeShare {
    share: Share,
    number: u32,
    _unused: u32,
}

impl FixedRecord for NodeShare {
    type Order = u32;

    fn order(&self) -> u32 {
        self.number
    }

    fn lead(&self) -> u64 {
        u64::from(self.number) << 32
    }
}

/// The shares of the nodes of a level. Nodes of positions that are on a level before get nothing.
fn shares(
    level: &[Node],
    counted: &PositionSet,
    folder: &Path,
    memory: usize,
) -> Result<FixedSorter<NodeShare>> {
    let mut by_position = FixedSorter::new(folder, memory / 2);
    for (number, node) in level.iter().enumerate() {
        by_position.push(NodeGames {
            position: node.position,
            number: number as u32,
            games: node.games,
        })?;
    }
    let mut shares = FixedSorter::new(folder, memory / 2);
    let mut run: Vec<NodeGames> = Vec::new();
    let mut push_shares = |run: &mut Vec<NodeGames>| -> Result<()> {
        let games = run.iter().map(|node| node.games);
        let total = games.fold(0, u64::saturating_add);
        let mut before = 0;
        run.drain(..).try_for_each(|node| {
            let share = if counted.contains(node.position) {
                Share::NOTHING
            } else {
                Share::of(node.games, total, &mut before)
            };
            shares.push(NodeShare {
                share,
                number: node.number,
                _unused: 0,
            })
        })
    };
    by_position.finish(|node| {
        if run
            .last()
            .is_some_and(|last| last.position != node.position)
        {
            push_shares(&mut run)?;
        }
        run.push(node);
        Ok(())
    })?;
    push_shares(&mut run)?;
    Ok(shares)
}

fn record(entry: &TableMove, results: Wdl, child: u32, sibling: Option<u64>) -> Record {
    // The table has no counts that do not fit.
    let count = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
    let reference = |number: Option<u64>| {
        let number = number.and_then(|number| i32::try_from(number).ok());
        I32::new(number.unwrap_or(-1))
    };
    Record {
        from: entry.from,
        to: entry.to,
        promotion: entry.promotion,
        priority: entry.priority,
        games: I32::new(count(results.games())),
        won: I32::new(count(results.white)),
        lost: I32::new(count(results.black)),
        flags: U32::new(entry.flags),
        child: reference((child != NO_POSITION).then_some(u64::from(child))),
        sibling: reference(sibling),
    }
}
