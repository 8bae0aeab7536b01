//! From positions to a tree: what leads where, what is repeated, how counts are shared out.

use std::io::{self, Write};

use tabia_core::book::{BookSize, Wdl};
use tabia_core::chess::Position;
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::{I32, U32};

use super::header::ROOT;
use super::record::Record;

/// Half-moves of the longest line written.
const DEEPEST: u32 = 1000;
/// No position, no record.
const NONE: u32 = u32::MAX;

/// A move of a position, with what leads on from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) key: u64,
    pub(super) next: u64,
    pub(super) from: u8,
    pub(super) to: u8,
    pub(super) promotion: i8,
    /// The priority of a deleted move.
    pub(super) deleted: Option<u8>,
    pub(super) flags: u32,
    pub(super) weight: Option<u32>,
    pub(super) results: Wdl,
    pub(super) priority: u8,
}

/// All positions by key, each with its moves.
#[derive(Debug)]
pub(super) struct Graph {
    moves: Vec<Known>,
    /// Key and first move of each position, ascending.
    positions: Vec<(u64, u32)>,
    /// The position behind each move.
    next: Vec<u32>,
    /// Weights that became priorities in another proportion.
    pub(super) scaled: u64,
}

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
#[derive(Debug, Clone, Copy)]
struct Node {
    position: u32,
    /// Number of the place it comes from.
    parent: u32,
    /// Games that lead here.
    games: u64,
}

impl Graph {
    pub(super) fn new(mut moves: Vec<Known>) -> Self {
        moves.sort_by_key(order);
        moves.dedup_by(|repeat, kept| {
            let same = order(repeat) == order(kept);
            if same {
                add(kept, repeat);
            }
            same
        });
        let mut scaled = 0;
        for run in moves.chunk_by_mut(|a, b| a.key == b.key) {
            scaled += set_priorities(run);
            run.sort_by_key(|known| {
                (
                    std::cmp::Reverse((known.priority, known.results.games())),
                    order(known),
                )
            });
        }
        let mut positions: Vec<(u64, u32)> = Vec::new();
        for (place, known) in moves.iter().enumerate() {
            if positions.last().map(|(key, _)| *key) != Some(known.key) {
                positions.push((known.key, place as u32));
            }
        }
        let index = Index::of(&positions);
        let find = |known: &Known| index.find(&positions, known.next).unwrap_or(NONE);
        let next = moves.iter().map(find).collect();
        Self {
            moves,
            positions,
            next,
            scaled,
        }
    }

    /// The moves of a position, and the number of the first.
    fn moves(&self, position: u32) -> (usize, &[Known]) {
        let place = position as usize;
        let start = self.positions.get(place).map_or(0, |(_, at)| *at as usize);
        let end = match self.positions.get(place + 1) {
            Some((_, at)) => *at as usize,
            None => self.moves.len(),
        };
        (start, self.moves.get(start..end).unwrap_or_default())
    }

    /// Writes the records level by level. A list of alternatives stands in one piece, and lists in
    /// the order in which what leads to them was written, so every place is known beforehand.
    pub(super) fn write(&self, repeats: Option<u64>, out: &mut impl Write) -> io::Result<Tree> {
        let mut tree = Tree::default();
        let mut left = repeats.unwrap_or(4 * self.moves.len() as u64);
        let count = self.positions.len();
        let (mut expanded, mut counted) = (vec![false; count], vec![false; count]);
        // Games that lead to a position on this level, and those of the places before.
        let (mut total, mut before) = (vec![0u64; count], vec![0u64; count]);
        let mut nodes: Vec<Node> = Vec::new();
        let start = Position::standard().key();
        if let Ok(place) = self.positions.binary_search_by_key(&start, |(key, _)| *key) {
            nodes.push(Node {
                position: place as u32,
                parent: NONE,
                games: 1,
            });
            mark(&mut expanded, place as u32);
        }
        let mut free = ROOT as u64 + self.list_length(nodes.first());
        let mut level = 0..nodes.len();
        while !level.is_empty() {
            tree.depth += 1;
            for node in nodes.get(level.clone()).unwrap_or_default() {
                if let Some(sum) = total.get_mut(node.position as usize) {
                    *sum = sum.saturating_add(node.games);
                }
            }
            for number in level.clone() {
                let Some(&node) = nodes.get(number) else {
                    continue;
                };
                let place = node.position as usize;
                let share = if counted.get(place) == Some(&true) {
                    Share::NOTHING
                } else {
                    Share::of(&node, total.get(place), before.get_mut(place))
                };
                let (first, moves) = self.moves(node.position);
                for (offset, known) in moves.iter().enumerate() {
                    let results = share.of_results(known.results);
                    let next = self.next.get(first + offset).copied().unwrap_or(NONE);
                    let mut child = NONE;
                    if next != NONE && tree.depth < DEEPEST {
                        let length = self.moves(next).1.len() as u64;
                        let is_new = expanded.get(next as usize) == Some(&false);
                        let again = !is_new && length <= left && !leads_back(&nodes, number, next);
                        if (is_new || again) && free + length < i32::MAX as u64 {
                            left -= if is_new { 0 } else { length };
                            mark(&mut expanded, next);
                            child = free as u32;
                            free += length;
                            nodes.push(Node {
                                position: next,
                                parent: number as u32,
                                games: results.games(),
                            });
                        }
                    }
                    let is_last = offset + 1 == moves.len();
                    let sibling = ROOT as u64 + u64::from(tree.records) + 1;
                    let record = record(known, results, child, (!is_last).then_some(sibling));
                    out.write_all(record.as_bytes())?;
                    tree.records += 1;
                    tree.deleted += u32::from(record.is_deleted());
                }
            }
            for node in nodes.get(level.clone()).unwrap_or_default() {
                mark(&mut counted, node.position);
            }
            level = level.end..nodes.len();
        }
        for (place, reached) in expanded.iter().enumerate() {
            let moves = self.moves(place as u32).1.len() as u64;
            if *reached {
                tree.held.positions += 1;
                tree.held.moves += moves;
            } else {
                tree.unreached += moves;
            }
        }
        Ok(tree)
    }

    fn list_length(&self, node: Option<&Node>) -> u64 {
        node.map_or(0, |node| self.moves(node.position).1.len() as u64)
    }
}

/// Where the keys with certain high bits begin. Keys are spread evenly, so that few share as many of
/// these as there are positions.
struct Index {
    starts: Vec<u32>,
    shift: u32,
}

impl Index {
    fn of(positions: &[(u64, u32)]) -> Self {
        let bits = positions.len().checked_ilog2().unwrap_or(0).max(1);
        let shift = u64::BITS - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (place, (key, _)) in positions.iter().enumerate() {
            starts.resize(starts.len().max((key >> shift) as usize + 1), place as u32);
        }
        starts.resize((1 << bits) + 1, positions.len() as u32);
        Self { starts, shift }
    }

    /// The number of a position.
    fn find(&self, positions: &[(u64, u32)], key: u64) -> Option<u32> {
        let &[start, end] = self
            .starts
            .get((key >> self.shift) as usize..)?
            .first_chunk()?;
        let some = positions.get(start as usize..end as usize)?;
        let place = some.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(start + place as u32)
    }
}

fn mark(marks: &mut [bool], place: u32) {
    if let Some(mark) = marks.get_mut(place as usize) {
        *mark = true;
    }
}

/// Whether a position stands on the way from the start to that place.
fn leads_back(nodes: &[Node], mut number: usize, position: u32) -> bool {
    while let Some(node) = nodes.get(number) {
        if node.position == position {
            return true;
        }
        number = node.parent as usize;
    }
    false
}

/// A part of a whole: what lies between two of its fractions. Parts that follow each other add up
/// to the whole, whatever is shared.
#[derive(Debug, Clone, Copy)]
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

    /// The share of a place among those of its level.
    fn of(node: &Node, total: Option<&u64>, before: Option<&mut u64>) -> Self {
        let (Some(&total), Some(before)) = (total, before) else {
            return Self::NOTHING;
        };
        // Nothing is known of what leads here: the first place has all.
        let (games, of) = if total == 0 {
            (u64::from(*before == 0), 1)
        } else {
            (node.games, total)
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

/// What moves of a position are sorted by, and the same move is the same in.
fn order(known: &Known) -> (u64, u8, u8, i8) {
    (known.key, known.from, known.to, known.promotion)
}

/// One move said twice.
fn add(known: &mut Known, repeat: &Known) {
    known.results.white = known.results.white.saturating_add(repeat.results.white);
    known.results.draws = known.results.draws.saturating_add(repeat.results.draws);
    known.results.black = known.results.black.saturating_add(repeat.results.black);
    known.weight = match (known.weight, repeat.weight) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    if known.deleted.is_none() || repeat.deleted.is_none() {
        known.deleted = None;
        known.flags = (known.flags | repeat.flags) & !Record::DELETED;
    }
}

/// Weights up to 9 are priorities as they are, greater ones are brought down together. Returns how
/// many did not keep their proportion.
fn set_priorities(run: &mut [Known]) -> u64 {
    let most = run.iter().filter_map(|known| known.weight).max();
    let most = u64::from(most.unwrap_or(0)).max(9);
    let mut inexact = 0;
    for known in run {
        known.priority = match (known.deleted, known.weight) {
            (Some(priority), _) => priority,
            (None, None) => 5,
            (None, Some(0)) => 0,
            (None, Some(weight)) => {
                let scaled = u64::from(weight) * 9;
                inexact += u64::from(scaled % most != 0);
                scaled.div_ceil(most).min(9) as u8
            }
        };
    }
    inexact
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_where_it_is() {
        for count in [0u64, 1, 2, 3, 100, 1000] {
            for spread in [1, 0x9e37_79b9_7f4a_7c15, 1 << 54] {
                let keys = (0..count).map(|number| number.wrapping_mul(spread));
                let mut positions: Vec<(u64, u32)> = keys.map(|key| (key, 0)).collect();
                positions.extend([(u64::MAX, 0)].iter().take(count as usize));
                positions.sort_unstable();
                let index = Index::of(&positions);
                for (place, (key, _)) in positions.iter().enumerate() {
                    assert_eq!(index.find(&positions, *key), Some(place as u32));
                }
                assert_eq!(index.find(&positions, u64::MAX - 1), None);
                assert_eq!(index.find(&positions, 1 << 53 | 5), None);
            }
        }
    }
}
