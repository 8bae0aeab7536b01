//! A walk through a book: every position that is reachable.

use tabia_core::Result;
use tabia_core::books::{Book, BookKey, BookPosition};
use tabia_core::chess::{Move, Position};
use tabia_core::external::{DiskKeySet, DiskQueue};
use tabia_core::game::Flow;
use tabia_core::io::{Progress, ProgressUnit};

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::packed_position::Packed;

/// A position to visit, with its distance from the start.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct QueuedPosition {
    packed: Packed,
    depth: u32,
    /// Number of its node, if lines are recorded.
    node: u32,
}

/// The positions that were queued, as a tree: each with the move to it and the node before.
#[derive(Debug, Default)]
struct LineTree {
    /// Number of the node before and bits of the move.
    nodes: Vec<(u32, u16)>,
}

impl LineTree {
    /// The moves from a start to a node.
    fn line(&self, mut node: u32) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some(&(before, bits)) = self.nodes.get(node as usize) {
            // A start has no move.
            let Some(m) = Move::from_bits(bits).filter(|_| before != node) else {
                break;
            };
            moves.push(m);
            node = before;
        }
        moves.reverse();
        moves
    }
}

/// Positions to visit, and the keys of all that were ever queued.
#[derive(Debug, Default)]
struct VisitQueue {
    queued: DiskKeySet,
    queue: DiskQueue<QueuedPosition>,
    lines: Option<LineTree>,
}

impl VisitQueue {
    /// Queues a start.
    fn push_start(&mut self, position: &Position) -> Result<()> {
        self.push(position, 0, |node| (node, 0))
    }

    /// Queues the position after a move unless it was queued before.
    fn push_after(&mut self, from: QueuedPosition, m: Move, position: &Position) -> Result<()> {
        self.push(position, from.depth + 1, |_| (from.node, m.to_bits()))
    }

    fn push(
        &mut self,
        position: &Position,
        depth: u32,
        node_of: impl FnOnce(u32) -> (u32, u16),
    ) -> Result<()> {
        if !self.queued.insert(position.key())? {
            return Ok(());
        }
        let Some(packed) = Packed::of(position) else {
            return Ok(());
        };
        let mut node = 0;
        if let Some(lines) = &mut self.lines {
            node = u32::try_from(lines.nodes.len()).unwrap_or(u32::MAX);
            lines.nodes.push(node_of(node));
        }
        self.queue.push(QueuedPosition {
            packed,
            depth,
            node,
        })
    }
}

/// What a walk visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walked {
    /// Positions of the book that were reached.
    pub positions: u64,
    /// Plies of the longest line: to the most distant position of the book, by its shortest line, and a move of it.
    pub depth: u32,
    /// Number of moves on these lines that the book does not contain, each to another position: lines with
    /// such a move may be longer than those of the games that the book was made from.
    pub other_moves: u64,
}

/// Visits every position of a book that is reachable from the starts, once, breadth first. From a
/// position that the book does not contain, the walk continues with every legal move that leads into
/// the book, because books for one side contain no moves of the other. If that reaches fewer than
/// `stored` positions, the walk continues so from the positions of the book as well, because a book
/// may be made of one for each side.
///
/// # Errors
/// Those of the book and of `visit`.
pub fn walk(
    book: &dyn Book,
    starts: &[Position],
    stored: u64,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, u32, &BookPosition) -> Result<Flow>,
) -> Result<Walked> {
    let queue = VisitQueue::default();
    walk_queue(book, starts, stored, progress, queue, &mut |step| {
        visit(step.position, step.depth, step.page)
    })
}

/// A function that receives a position and one that returns the moves to it.
pub(crate) type LineVisitor<'a> =
    &'a mut dyn FnMut(&Position, &dyn Fn() -> Vec<Move>) -> Result<Flow>;

/// Like [`walk`] from the standard position; `visit` also gets a function that returns the moves to the
/// position. Takes 8 bytes of memory for each position.
pub(crate) fn walk_with_lines(
    book: &dyn Book,
    stored: u64,
    progress: &Progress,
    visit: LineVisitor<'_>,
) -> Result<Walked> {
    let queue = VisitQueue {
        lines: Some(LineTree::default()),
        ..VisitQueue::default()
    };
    let starts = [Position::standard()];
    walk_queue(book, &starts, stored, progress, queue, &mut |step| {
        visit(step.position, &|| {
            step.lines
                .map_or_else(Vec::new, |lines| lines.line(step.node))
        })
    })
}

/// A visited position.
struct WalkStep<'w> {
    position: &'w Position,
    depth: u32,
    page: &'w BookPosition,
    lines: Option<&'w LineTree>,
    node: u32,
}

fn walk_queue(
    book: &dyn Book,
    starts: &[Position],
    stored: u64,
    progress: &Progress,
    mut queue: VisitQueue,
    visit: &mut dyn FnMut(&WalkStep<'_>) -> Result<Flow>,
) -> Result<Walked> {
    progress.begin_part(ProgressUnit::Positions, stored);
    let mut walked = Walked::default();
    for start in starts {
        queue.push_start(start)?;
    }
    let mut page = BookPosition::default();
    // Visited positions. Their moves that are not in the book are tried last.
    let mut visited: DiskQueue<QueuedPosition> = DiskQueue::default();
    let mut filter = None;
    loop {
        let Some(next) = queue.queue.pop()? else {
            // The book's own moves lead to no other position.
            let Some(next) = visited.pop()?.filter(|_| walked.positions < stored) else {
                break;
            };
            progress.check()?;
            let filter = KeyFilter::get_or_build(&mut filter, book)?;
            walked.other_moves += push_moves_into_book(book, filter, next, &mut queue)?;
            continue;
        };
        let Some(position) = next.packed.position() else {
            continue;
        };
        progress.check()?;
        if !book.probe(&position, &mut page)? {
            let filter = KeyFilter::get_or_build(&mut filter, book)?;
            walked.other_moves += push_moves_into_book(book, filter, next, &mut queue)?;
            continue;
        }
        walked.positions += 1;
        let goes_on = page.entries.iter().any(|entry| entry.m.is_some());
        walked.depth = walked.depth.max(next.depth + u32::from(goes_on));
        visited.push(next)?;
        progress.advance(1, 0);
        let step = WalkStep {
            position: &position,
            depth: next.depth,
            page: &page,
            lines: queue.lines.as_ref(),
            node: next.node,
        };
        if visit(&step)? == Flow::Stop {
            break;
        }
        for m in page.entries.iter().filter_map(|entry| entry.m) {
            let mut after = position.clone();
            after.play(m);
            queue.push_after(next, m, &after)?;
        }
    }
    Ok(walked)
}

/// Queues the positions of the book that legal moves lead to; returns how many are new.
fn push_moves_into_book(
    book: &dyn Book,
    filter: &KeyFilter,
    from: QueuedPosition,
    queue: &mut VisitQueue,
) -> Result<u64> {
    let Some(position) = from.packed.position() else {
        return Ok(0);
    };
    let mut pushed = 0;
    let mut page = BookPosition::default();
    for &m in &*position.legal_moves() {
        let mut after = position.clone();
        after.play(m);
        let may_be_new = filter.may_contain(after.key()) && !queue.queued.contains(after.key());
        if may_be_new && book.moves(&after, &mut page)? {
            queue.push_after(from, m, &after)?;
            pushed += 1;
        }
    }
    Ok(pushed)
}

/// A Bloom filter of the keys of a book with one hash: most legal moves of a position lead to
/// positions that the book does not contain, and need not be looked up.
struct KeyFilter {
    /// A bit for each value of some bits of a key; empty if the book may contain any key.
    bits: Vec<u64>,
}

/// Number of bits for each key.
const BITS_PER_KEY: u64 = 16;
/// Largest number of words: 64 MiB.
const MAX_WORDS: usize = 8 << 20;

impl KeyFilter {
    /// The filter of the book, built on first use.
    fn get_or_build<'f>(built: &'f mut Option<Self>, book: &dyn Book) -> Result<&'f Self> {
        let filter = match built.take() {
            Some(filter) => filter,
            None => Self::of(book)?,
        };
        Ok(built.insert(filter))
    }

    fn of(book: &dyn Book) -> Result<Self> {
        let words = book.size()?.positions.saturating_mul(BITS_PER_KEY) / 64 + 1;
        let words = usize::try_from(words).unwrap_or(MAX_WORDS);
        let mut filter = Self {
            bits: vec![0; words.next_power_of_two().min(MAX_WORDS)],
        };
        let mut has_boards = false;
        book.for_each(&mut |position, _| {
            // One record may be that of several boards.
            let BookKey::Key(key) = position else {
                has_boards = true;
                return Flow::Stop;
            };
            let (word, bit) = filter.bit_of(key);
            if let Some(word) = filter.bits.get_mut(word) {
                *word |= bit;
            }
            Flow::Go
        })?;
        if has_boards {
            filter.bits.clear();
        }
        Ok(filter)
    }

    fn may_contain(&self, key: u64) -> bool {
        let (word, bit) = self.bit_of(key);
        self.bits.get(word).is_none_or(|word| word & bit != 0)
    }

    /// The word and the bit of a key.
    fn bit_of(&self, key: u64) -> (usize, u64) {
        let word = (key >> 6) as usize & self.bits.len().wrapping_sub(1);
        (word, 1 << (key & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_passes_all_known_keys() {
        let mut filter = KeyFilter {
            bits: vec![0; 1 << 4],
        };
        let keys: Vec<u64> = (0..60u64)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        for &key in &keys {
            let (word, bit) = filter.bit_of(key);
            filter.bits[word] |= bit;
        }
        assert!(keys.iter().all(|&key| filter.may_contain(key)));
        let others =
            (1000..2000u64).filter(|n| filter.may_contain(n.wrapping_mul(0x1234_5678_9abc_def1)));
        assert!(others.count() < 200);
        assert!(KeyFilter { bits: Vec::new() }.may_contain(7));
    }
}
