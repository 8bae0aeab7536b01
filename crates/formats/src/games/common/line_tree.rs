//! The moves of a game, linked to their continuations and alternatives, for formats that store lines in
//! another order than PGN.

use tabia_core::chess::Ply;
use tabia_core::game::{Event, Game};

/// No move.
pub(crate) const NONE: u32 = u32::MAX;

/// A move in the game's order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) ply: Ply,
    /// The first continuation.
    pub(crate) next: u32,
    /// The next alternative.
    pub(crate) alternative: u32,
    /// The first move in this position.
    pub(crate) first: u32,
    /// For the first move of a position: its last alternative so far.
    tail: u32,
    /// The previous move.
    before: u32,
}

/// The moves of a game, numbered in the game's order. Variations of a variation's first move are
/// alternatives to the move that it replaces, which is equivalent. Variations without moves are left out.
#[derive(Debug, Default)]
pub(crate) struct LineTree {
    nodes: Vec<Node>,
    /// For every open variation, the move it replaces.
    open: Vec<u32>,
}

impl LineTree {
    /// Removes all moves; the buffers are reused.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
    }

    /// The number of moves.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Collects the moves of a game, linked to their continuations and alternatives.
    pub(crate) fn collect(&mut self, game: &Game) {
        self.clear();
        // The last move of the current line, and the first move of the position where the next
        // move is an alternative.
        let (mut last, mut first) = (NONE, NONE);
        for event in game.events() {
            match event {
                Event::Move(ply) => {
                    let added = self.nodes.len() as u32;
                    self.add(ply, last, first);
                    (last, first) = (added, NONE);
                }
                Event::BeginVariation => {
                    self.open.push(last);
                    if let Some(node) = self.node(last) {
                        first = node.first;
                        last = self.node(first).map_or(NONE, |node| node.before);
                    }
                }
                Event::EndVariation => {
                    if let Some(replaced) = self.open.pop() {
                        (last, first) = (replaced, NONE);
                    }
                }
                Event::Annotation(_) => {}
            }
        }
    }

    fn add(&mut self, ply: Ply, last: u32, first: u32) {
        let added = self.nodes.len() as u32;
        // A variation before the first move replaces no move. Its first move, and a move after an
        // empty variation there, become alternatives to the first move.
        let first = match (first, last) {
            (NONE, NONE) if added > 0 => 0,
            _ => first,
        };
        let leader = if first == NONE { added } else { first };
        self.nodes.push(Node {
            ply,
            next: NONE,
            alternative: NONE,
            first: leader,
            tail: added,
            before: last,
        });
        if first == NONE {
            if let Some(node) = self.nodes.get_mut(last as usize) {
                node.next = added;
            }
            return;
        }
        let tail = self.node(first).map_or(NONE, |node| node.tail);
        if let Some(node) = self.nodes.get_mut(tail as usize) {
            node.alternative = added;
        }
        if let Some(node) = self.nodes.get_mut(first as usize) {
            node.tail = added;
        }
    }

    /// A move by its number; `None` for [`NONE`].
    pub(crate) fn node(&self, index: u32) -> Option<Node> {
        self.nodes.get(index as usize).copied()
    }
}
