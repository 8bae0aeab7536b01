//! Replays the moves of a game's tree for a visitor, in PGN order.

use std::ops::ControlFlow::{self, Break, Continue};

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Malformed, Problem, Result, Why};
use tabia_core::game::{Flow, Foreign, Want};

use crate::games::common::variation_walker::{VariationWalker, WalkerBuffers};

use super::annotations::game_annotations::GameAnnotations;
use super::move_codes;
use super::move_tree::{NONE, ROOT, Tree};

pub(super) type Walker<'a, 'v> = VariationWalker<'a, 'v, Position>;
pub(super) type Buffers = WalkerBuffers<Position>;

/// The moves of one game and how far they have been visited.
pub(super) struct Replay<'a, 'v> {
    walker: Walker<'a, 'v>,
    tree: &'a Tree,
    content: &'a [u8],
    annotations: &'a GameAnnotations<'a>,
    /// The number by which annotations refer to the next move.
    next_number: u32,
    /// For each open variation the move that it replaces.
    branches: Vec<Branch>,
}

/// A move whose alternatives are being visited.
#[derive(Debug)]
struct Branch {
    /// The next alternative.
    next: u32,
    /// The move that follows the first one.
    child: u32,
}

impl<'a, 'v> Replay<'a, 'v> {
    /// A replay of a tree, which starts from the walker's position. `content` is what the tree was
    /// read from.
    pub(super) fn new(
        walker: Walker<'a, 'v>,
        tree: &'a Tree,
        content: &'a [u8],
        annotations: &'a GameAnnotations<'a>,
    ) -> Self {
        Self {
            walker,
            tree,
            content,
            annotations,
            next_number: 0,
            branches: Vec::new(),
        }
    }

    /// The number by which annotations refer to the first move that was not visited.
    pub(super) const fn next_number(&self) -> u32 {
        self.next_number
    }

    /// Visits the moves. `Skip` and `Stop` are the visitor's.
    pub(super) fn run(&mut self) -> Result<Flow> {
        let flow = self.report_break(ROOT)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        let mut node = self.tree.node(ROOT).map_or(NONE, |root| root.child);
        loop {
            let visited = if self.tree.node(node).is_some() {
                self.visit_move(node)?
            } else if let Some(branch) = self.branches.pop() {
                match self.walker.end_variation() {
                    Flow::Go => self.visit_alternatives(branch)?,
                    flow => Break(flow),
                }
            } else {
                return Ok(Flow::Go);
            };
            match visited {
                Continue(next) => node = next,
                Break(flow) => return Ok(flow),
            }
        }
    }

    /// Visits and plays a move with its annotations. The node to visit next, or the visitor's
    /// answer.
    fn visit_move(&mut self, node: u32) -> Result<Next> {
        let Some(&stored) = self.tree.node(node) else {
            return Ok(Continue(NONE));
        };
        let walker = &mut self.walker;
        let ply = if stored.word == move_codes::NULL {
            Some(Ply::Null)
        } else {
            move_codes::find(stored.word, &mut walker.board).map(Ply::Move)
        };
        let Some(ply) = ply else {
            return Ok(match self.unreadable_moves(node)? {
                Flow::Go => Continue(NONE),
                flow => Break(flow),
            });
        };
        let mut flow = walker.visitor.visit_move(&walker.board, ply);
        if flow == Flow::Go {
            flow = self.visit_annotations(1);
        }
        if flow == Flow::Go {
            flow = self.report_break(node)?;
        }
        if flow != Flow::Go {
            return Ok(Break(flow));
        }
        let has_alternatives = stored.next != NONE && self.tree.is_first(node);
        let walker = &mut self.walker;
        if has_alternatives {
            walker.before = Some(walker.board.clone());
        }
        walker.board.play_ply(ply);
        walker.plies += 1;
        if has_alternatives {
            self.visit_alternatives(Branch {
                next: stored.next,
                child: stored.child,
            })
        } else {
            Ok(Continue(stored.child))
        }
    }

    /// Begins the next alternative that the visitor wants. Its first node, or the child of the
    /// branch after the last alternative.
    fn visit_alternatives(&mut self, mut branch: Branch) -> Result<Next> {
        while let Some(first) = self.tree.node(branch.next) {
            let node = std::mem::replace(&mut branch.next, first.next);
            let open = self.branches.len() as u64;
            let flow = self.walker.begin_variation(|walker| {
                let malformed = malformed(first.at, "variation", Why::Value(open));
                let error = walker.origin.error(malformed);
                Problem::from(error.at_ply(walker.plies.saturating_sub(1)))
            })?;
            match flow {
                Flow::Go => {
                    self.branches.push(branch);
                    return Ok(Continue(node));
                }
                Flow::Skip => self.next_number = self.next_number.saturating_add(first.size),
                Flow::Stop => return Ok(Break(Flow::Stop)),
            }
        }
        Ok(Continue(branch.child))
    }

    /// Visits the annotations of the next `count` moves.
    fn visit_annotations(&mut self, count: u32) -> Flow {
        let from = self.next_number;
        self.next_number = from.saturating_add(count);
        if self.walker.want.has(Want::ANNOTATIONS) {
            self.annotations
                .visit(from, self.next_number, self.walker.visitor)
        } else {
            Flow::Go
        }
    }

    /// A word that is no legal move ends its line. The bytes of the rest are kept, followed by the
    /// annotations of its moves.
    fn unreadable_moves(&mut self, number: u32) -> Result<Flow> {
        let Some(node) = self.tree.node(number) else {
            return Ok(Flow::Go);
        };
        let rest = self.tree.bytes(number, self.content);
        let mut count = node.size;
        if self.tree.is_first(number) {
            let mut next = node.next;
            while let Some(sibling) = self.tree.node(next) {
                count = count.saturating_add(sibling.size);
                next = sibling.next;
            }
        }
        let flow = self.visit_unread(rest);
        if flow != Flow::Go {
            return Ok(flow);
        }
        let flow = self.visit_annotations(count);
        if flow != Flow::Go {
            return Ok(flow);
        }
        let malformed = malformed(node.at, "move", Why::IllegalMove);
        let problem = self.walker.problem(malformed);
        self.walker.report(Problem {
            unread_bytes: Some(rest.into()),
            ..problem
        })
    }

    fn visit_unread(&mut self, bytes: &[u8]) -> Flow {
        if !self.walker.want.has(Want::ANNOTATIONS) || bytes.is_empty() {
            return Flow::Go;
        }
        self.walker.visit_foreign(Foreign::UNREAD_MOVES, bytes)
    }

    /// Reports the malformed word where the tree ends, if it follows the move `after`, and keeps
    /// what follows.
    fn report_break(&mut self, after: u32) -> Result<Flow> {
        let Some((last, malformed)) = self.tree.problem else {
            return Ok(Flow::Go);
        };
        if last != after {
            return Ok(Flow::Go);
        }
        let rest = self.content.get(malformed.at..).unwrap_or_default();
        let flow = self.visit_unread(rest);
        if flow != Flow::Go {
            return Ok(flow);
        }
        self.walker.report(Problem {
            error: self.walker.origin.error(malformed),
            unread_bytes: Some(rest.into()),
        })
    }
}

/// The node to visit next, or the visitor's answer if it is not `Go`.
type Next = ControlFlow<Flow, u32>;

fn malformed(at: u32, field: &'static str, why: Why) -> Malformed {
    Malformed {
        field,
        at: at as usize,
        why,
    }
}
