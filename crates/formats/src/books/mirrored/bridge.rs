//! Records that no move of the book leads to. A record does not state the side to move (colours are
//! exchanged if it is Black), so that only a line to its position shows it: one with a move or two
//! that the book does not contain, where its moves do not lead there.

use std::collections::HashSet;
use std::marker::PhantomData;

use tabia_core::chess::{Color, Move, Position};
use tabia_core::game::Flow;

use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::{ChildHashes, MirrorHash};
use crate::books::mirrored::reachable::{ChildMove, Node, Visited, root, walk_from};
use crate::books::mirrored::record_lookup::MirroredStore;

/// Records up to this number are compared by board before moves are played to reach them. If there are more, no
/// two moves are tried: in a large book that would take hours.
const MOST_BOARDS: usize = 512;
/// Squares of one colour that two plies change at most: castling, and a capture.
const MOST_CHANGED: u32 = 5;

/// Visits the records that are reachable from the visited ones, or from the standard position, by one
/// legal move that the book does not contain, or else by two, and those that their moves lead to.
/// `visited` contains what the moves of the book reach.
pub(crate) fn visit_bridged<'b, S: MirroredStore<'b>>(
    store: S,
    visited: &mut Visited,
    mut visit: impl FnMut(&Node<S::Record>, &[ChildMove<S::Record, S::Code>]) -> Flow,
) -> Flow {
    let mut bridged: Vec<Found<S::Record>> = Vec::new();
    for plies in [1, 2] {
        let Some(targets) = Targets::of(store, visited) else {
            break;
        };
        if plies > 1 && targets.boards.is_empty() {
            break;
        }
        let mut finder = Finder::new(store, targets, plies);
        // A book need not contain the standard position.
        let start = Position::standard();
        finder.try_moves(&start, MirrorHash::of(&start));
        let mut again = Visited::empty(store);
        let mut stack = Vec::from_iter(root(store, &mut again));
        for found in &bridged {
            if again.insert(found.offset, found.node.orientation) {
                stack.push(found.node.clone());
            }
        }
        let _ = walk_from(store, stack, &mut again, |node, _| {
            finder.try_moves(&node.position, node.hash);
            Flow::Go
        });
        loop {
            let mut stack = Vec::new();
            for mut found in std::mem::take(&mut finder.found) {
                found.node.is_first = visited.orientations(found.offset) == 0;
                if visited.insert(found.offset, found.node.orientation) {
                    stack.push(found.node.clone());
                    bridged.push(found);
                }
            }
            if stack.is_empty() {
                break;
            }
            let flow = walk_from(store, stack, visited, |node, moves| {
                finder.try_moves(&node.position, node.hash);
                visit(node, moves)
            });
            if flow == Flow::Stop {
                return Flow::Stop;
            }
        }
    }
    Flow::Go
}

/// A record to which a line of legal moves leads.
struct Found<R> {
    offset: u64,
    node: Node<R>,
}

/// Records that were not visited.
struct Targets {
    /// Sorted.
    offsets: Vec<u64>,
    /// A bit for some bits of the hash of each key: most moves lead to none of the records.
    filter: Vec<u64>,
    /// The squares of the side to move and of the other, as stored; empty if they are too many.
    boards: Vec<[u64; 2]>,
}

impl Targets {
    /// `None` if there are none.
    fn of<'b, S: MirroredStore<'b>>(store: S, visited: &Visited) -> Option<Self> {
        let (mut offsets, mut hashes, mut boards) = (Vec::new(), Vec::new(), Vec::new());
        for (offset, record) in store.records() {
            if visited.orientations(offset) != 0 {
                continue;
            }
            let Some(position) = S::position(&record, Orientation::IDENTITY) else {
                continue;
            };
            let Some(keys) = S::key_hashes(&position, MirrorHash::of(&position)) else {
                continue;
            };
            offsets.push(offset);
            hashes.extend([Some(keys.key), keys.alternative].into_iter().flatten());
            if boards.len() <= MOST_BOARDS {
                boards.push(squares(&position, Color::White));
            }
        }
        if offsets.is_empty() {
            return None;
        }
        offsets.sort_unstable();
        if boards.len() > MOST_BOARDS {
            boards = Vec::new();
        }
        // 64 bits for each key.
        let mut targets = Self {
            filter: vec![0; hashes.len().next_power_of_two()],
            offsets,
            boards,
        };
        for hash in hashes {
            let (word, bit) = targets.bit(hash);
            if let Some(word) = targets.filter.get_mut(word) {
                *word |= bit;
            }
        }
        Some(targets)
    }

    /// The word and the bit of a hash.
    fn bit(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 6) as usize & self.filter.len().wrapping_sub(1);
        (word, 1 << (hash & 63))
    }

    fn may_contain(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        self.filter.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether the board of a record with `turn` to move may be two plies away.
    fn may_be_near(&self, position: &Position, turn: Color) -> bool {
        let [own, other] = squares(position, turn);
        let mirror = |squares: u64| squares.reverse_bits().swap_bytes();
        let is_near = |squares: u64, stored: u64| (squares ^ stored).count_ones() <= MOST_CHANGED;
        let (mirrored_own, mirrored_other) = (mirror(own), mirror(other));
        let mut boards = self.boards.iter();
        self.boards.is_empty()
            || boards.any(|&[stored_own, stored_other]| {
                is_near(own, stored_own) && is_near(other, stored_other)
                    || is_near(mirrored_own, stored_own) && is_near(mirrored_other, stored_other)
            })
    }
}

/// The squares of `turn` and of the other colour, seen from `turn`.
fn squares(position: &Position, turn: Color) -> [u64; 2] {
    [turn, turn.other()].map(|color| {
        let squares = position.by_color(color).0;
        match turn {
            Color::White => squares,
            Color::Black => squares.swap_bytes(),
        }
    })
}

/// Plays moves and collects the records that they lead to.
struct Finder<'b, S: MirroredStore<'b>> {
    store: S,
    targets: Targets,
    plies: u8,
    /// Offsets and orientations of all that was ever found.
    proposed: HashSet<(u64, u8)>,
    found: Vec<Found<S::Record>>,
    book: PhantomData<&'b ()>,
}

impl<'b, S: MirroredStore<'b>> Finder<'b, S> {
    fn new(store: S, targets: Targets, plies: u8) -> Self {
        Self {
            store,
            targets,
            plies,
            proposed: HashSet::new(),
            found: Vec::new(),
            book: PhantomData,
        }
    }

    /// Tries all lines of up to as many plies as wanted.
    fn try_moves(&mut self, position: &Position, hash: MirrorHash) {
        for plies in 1..=self.plies {
            let turn = match plies {
                1 => position.turn().other(),
                _ => position.turn(),
            };
            if self.targets.may_be_near(position, turn) {
                self.try_plies(position, hash, plies);
            }
        }
    }

    fn try_plies(&mut self, position: &Position, hash: MirrorHash, plies: u8) {
        let children = ChildHashes::new(position, hash);
        for &m in &*position.legal_moves() {
            if plies > 1 {
                let child = play(position, m);
                self.try_plies(&child, MirrorHash::of(&child), plies - 1);
                continue;
            }
            // Unless the hash is known only once the move is played.
            let hash = children.after(m);
            let turn = children.turn();
            if hash.is_none_or(|hash| self.targets.may_contain(hash.for_side(turn))) {
                self.propose(play(position, m));
            }
        }
    }

    fn propose(&mut self, mut position: Position) {
        let hash = MirrorHash::of(&position);
        let Some(keys) = S::key_hashes(&position, hash) else {
            return;
        };
        let mut hashes = [Some(keys.key), keys.alternative].into_iter().flatten();
        if !hashes.any(|hash| self.targets.may_contain(hash)) {
            return;
        }
        let hit = self.store.index_hit_for(hash);
        let Some(located) = self.store.locate(&position, hit) else {
            return;
        };
        let (offset, orientation) = (located.offset, located.orientation);
        let is_new = self.targets.offsets.binary_search(&offset).is_ok()
            && self.proposed.insert((offset, orientation.index()))
            && S::apply_en_passant(&mut position, orientation, &located.record);
        if is_new {
            let node = Node {
                position,
                hash,
                orientation,
                record: located.record,
                is_first: false,
            };
            self.found.push(Found { offset, node });
        }
    }
}

fn play(position: &Position, m: Move) -> Position {
    let mut child = position.clone();
    child.play(m);
    child
}
