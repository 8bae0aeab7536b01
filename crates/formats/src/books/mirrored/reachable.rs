//! A walk from the standard position through a book that keeps a position and its mirror images in
//! one record.

use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::{ChildHashes, MirrorHash};
use crate::books::mirrored::record_index::{RecordIndex, Slot};
use crate::books::mirrored::record_lookup::MirroredStore;

/// The records visited so far, in which orientations: four bits for each granule of the book.
#[derive(Debug)]
pub(crate) struct Visited {
    orientations: Vec<u8>,
    granule: u64,
}

impl Visited {
    /// No record of a book.
    pub(crate) fn empty<'b, S: MirroredStore<'b>>(store: S) -> Self {
        let length = store.end_offset().div_ceil(2 * S::GRANULE);
        Self {
            orientations: vec![0; usize::try_from(length).unwrap_or(0)],
            granule: S::GRANULE,
        }
    }

    /// All records reachable from the standard position.
    pub(crate) fn reachable<'b, S: MirroredStore<'b>>(store: S) -> Self {
        let mut visited = Self::empty(store);
        let _ = for_each_reachable(store, &mut visited, |_, _| Flow::Go);
        visited
    }

    /// The orientations in which a record was visited: a bit for each, by [`Orientation::index`].
    pub(crate) fn orientations(&self, offset: u64) -> u8 {
        let (byte, shift) = self.bits(offset);
        self.orientations
            .get(byte)
            .map_or(0, |bits| bits >> shift & 15)
    }

    /// Adds an orientation of a record; `true` if it is new.
    pub(super) fn insert(&mut self, offset: u64, orientation: Orientation) -> bool {
        let (byte, shift) = self.bits(offset);
        let bit = 1 << shift << orientation.index();
        self.orientations.get_mut(byte).is_some_and(|bits| {
            let is_new = *bits & bit == 0;
            *bits |= bit;
            is_new
        })
    }

    /// The byte and the bit in it where the bits of a record begin.
    const fn bits(&self, offset: u64) -> (usize, u32) {
        let granule = offset / self.granule;
        ((granule / 2) as usize, (granule as u32 & 1) * 4)
    }
}

/// A record in one orientation, with a position that reaches it.
#[derive(Clone)]
pub(crate) struct Node<R> {
    pub(crate) position: Position,
    /// Without an en passant file.
    pub(super) hash: MirrorHash,
    pub(crate) orientation: Orientation,
    pub(crate) record: R,
    /// Whether the record is visited for the first time, in any orientation.
    pub(crate) is_first: bool,
}

/// A move of a record, and the record of the position it leads to.
pub(crate) struct ChildMove<R, C> {
    pub(crate) code: C,
    /// `None` if the code is not that of a legal move.
    pub(crate) m: Option<Move>,
    /// `None` if the book does not contain the position.
    pub(crate) child: Option<R>,
}

/// Nodes whose children are prefetched together, so that the memory accesses overlap.
const BATCH: usize = 16;

/// A move of a node and the record of its child, as far as the index finds it without playing the
/// move.
struct Prefetched<R, C> {
    code: C,
    m: Option<Move>,
    hash: Option<MirrorHash>,
    /// Not mirrored, because the hash of a mirrored child is not known without playing.
    orientation: Orientation,
    offset: Option<u64>,
    record: Option<R>,
    /// Visited in this orientation before the batch.
    is_visited: bool,
}

/// Visits every record reachable from the standard position, once per orientation (`visited`), with
/// the records of its moves. Without an index each move is played and probed.
pub(crate) fn for_each_reachable<'b, S: MirroredStore<'b>>(
    store: S,
    visited: &mut Visited,
    visit: impl FnMut(&Node<S::Record>, &[ChildMove<S::Record, S::Code>]) -> Flow,
) -> Flow {
    let stack = Vec::from_iter(root(store, visited));
    walk_from(store, stack, visited, visit)
}

/// Visits the nodes and all that is reachable from them and not visited yet.
pub(super) fn walk_from<'b, S: MirroredStore<'b>>(
    store: S,
    mut stack: Vec<Node<S::Record>>,
    visited: &mut Visited,
    mut visit: impl FnMut(&Node<S::Record>, &[ChildMove<S::Record, S::Code>]) -> Flow,
) -> Flow {
    let index = store.index();
    // Each record is on the stack at most once per orientation.
    let mut children = Vec::new();
    let mut prefetched = Vec::new();
    let mut moves = Vec::new();
    while !stack.is_empty() {
        let start = stack.len().saturating_sub(BATCH);
        let batch = stack.get(start..).unwrap_or_default();
        prefetch(store, index, batch, visited, &mut prefetched);
        let mut prefetched = prefetched.iter();
        for node in batch {
            moves.clear();
            for next in prefetched.by_ref().take(S::move_codes(&node.record).len()) {
                let (code, m) = (next.code, next.m);
                let child = match m {
                    Some(m) if next.hash.is_some() => {
                        push_known(node, m, next, visited, &mut children)
                    }
                    Some(m) => push_played(store, node, m, visited, &mut children),
                    None => None,
                };
                moves.push(ChildMove { code, m, child });
            }
            if visit(node, &moves) == Flow::Stop {
                return Flow::Stop;
            }
        }
        // The children are moved all at once, in the order in which they were found.
        stack.truncate(start);
        stack.append(&mut children);
    }
    Flow::Go
}

/// The node of the standard position.
pub(super) fn root<'b, S: MirroredStore<'b>>(
    store: S,
    visited: &mut Visited,
) -> Option<Node<S::Record>> {
    let position = Position::standard();
    let hash = MirrorHash::of(&position);
    let found = store.locate(&position, store.index_hit_for(hash))?;
    let is_first = visited.orientations(found.offset) == 0;
    let is_new = visited.insert(found.offset, found.orientation);
    is_new.then_some(Node {
        position,
        hash,
        orientation: found.orientation,
        record: found.record,
        is_first,
    })
}

/// Looks up the children of a batch in the index, as far as their hashes are known without playing.
/// All slots are looked up before a record is read.
fn prefetch<'b, S: MirroredStore<'b>>(
    store: S,
    index: Option<&RecordIndex>,
    batch: &[Node<S::Record>],
    visited: &Visited,
    out: &mut Vec<Prefetched<S::Record, S::Code>>,
) {
    out.clear();
    for node in batch {
        let children = ChildHashes::new(&node.position, node.hash);
        let orientation = Orientation {
            flipped: node.position.turn().is_white(),
            mirrored: false,
        };
        out.extend(S::move_codes(&node.record).iter().map(|&code| {
            let m = S::decode_move(&node.position, node.orientation, code);
            Prefetched {
                code,
                m,
                hash: m
                    .filter(|_| index.is_some())
                    .and_then(|m| children.after(m)),
                orientation,
                offset: None,
                record: None,
                is_visited: false,
            }
        }));
    }
    let Some(index) = index else { return };
    for next in &mut *out {
        let slot = next
            .hash
            .and_then(|hash| index.find(hash.for_side(next.orientation.turn())));
        next.offset = slot.map(Slot::offset);
    }
    for next in out {
        let Some(offset) = next.offset else { continue };
        next.is_visited = visited.orientations(offset) >> next.orientation.index() & 1 == 1;
        next.record = store.record_at(offset);
    }
}

/// Returns the prefetched record of a move and pushes its node if it is new.
fn push_known<R: Copy, C>(
    parent: &Node<R>,
    m: Move,
    next: &Prefetched<R, C>,
    visited: &mut Visited,
    stack: &mut Vec<Node<R>>,
) -> Option<R> {
    let (hash, offset, record) = (next.hash?, next.offset?, next.record?);
    let orientation = next.orientation;
    let is_first = visited.orientations(offset) == 0;
    if !next.is_visited && visited.insert(offset, orientation) {
        let node = stack.push_mut(parent.clone());
        node.is_first = is_first;
        node.position.play(m);
        (node.hash, node.orientation, node.record) = (hash, orientation, record);
    }
    Some(record)
}

/// Plays a move, looks up the position, returns its record, and pushes its node if it is new.
fn push_played<'b, S: MirroredStore<'b>>(
    store: S,
    parent: &Node<S::Record>,
    m: Move,
    visited: &mut Visited,
    stack: &mut Vec<Node<S::Record>>,
) -> Option<S::Record> {
    // Built on the stack, and removed again if it is not new.
    let node = stack.push_mut(parent.clone());
    node.position.play(m);
    node.hash = MirrorHash::of(&node.position);
    let found = store.locate(&node.position, store.index_hit_for(node.hash));
    let is_kept = found.is_some_and(|found| {
        (node.orientation, node.record) = (found.orientation, found.record);
        node.is_first = visited.orientations(found.offset) == 0;
        visited.insert(found.offset, found.orientation)
            && S::apply_en_passant(&mut node.position, found.orientation, &found.record)
    });
    if !is_kept {
        stack.pop();
    }
    found.map(|found| found.record)
}
