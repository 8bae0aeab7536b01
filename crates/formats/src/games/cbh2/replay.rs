//! From the tree of a game to a visitor, in PGN order.

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Malformed, Result, Why};
use tabia_core::game::{Annotation, Flow, Foreign, Visitor, Want};

use crate::games::common::record_context::Origin;

use super::annotations::Notes;
use super::move_codes;
use super::move_tree::{NONE, ROOT, Tree};

/// Moves on their way to a visitor.
pub(super) struct Walk<'a, 'v> {
    /// Of the content.
    pub(super) origin: Origin<'a>,
    pub(super) want: Want,
    /// Most variations inside variations.
    pub(super) depth: u32,
    pub(super) tree: &'a Tree,
    pub(super) content: &'a [u8],
    pub(super) notes: &'a Notes<'a>,
    pub(super) visitor: &'v mut dyn Visitor,
    /// The number that annotations know the next move by.
    pub(super) number: u32,
}

/// A move whose alternatives are being visited.
#[derive(Debug)]
struct Frame {
    /// The position before it.
    before: Position,
    ply: Ply,
    node: u32,
    /// The next alternative.
    next: u32,
    plies: u32,
}

impl Walk<'_, '_> {
    /// Visits the moves, which start from `position`. `Skip` and `Stop` are the visitor's.
    pub(super) fn run(&mut self, mut position: Position) -> Result<Flow> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut node = self.tree.node(ROOT).map_or(NONE, |root| root.child);
        let mut plies = 0;
        let flow = self.break_off(ROOT)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        loop {
            let Some(&here) = self.tree.node(node) else {
                let Some(mut frame) = frames.pop() else {
                    return Ok(Flow::Go);
                };
                self.visitor.end_variation();
                match self.alternative(&mut frame, frames.len())? {
                    Next::Visit(first) => {
                        position.clone_from(&frame.before);
                        plies = frame.plies;
                        node = first;
                        frames.push(frame);
                    }
                    Next::GoOn => {
                        position = frame.before;
                        position.play_ply(frame.ply);
                        plies = frame.plies + 1;
                        node = self.tree.node(frame.node).map_or(NONE, |main| main.child);
                    }
                    Next::Flow(flow) => return Ok(flow),
                }
                continue;
            };
            let ply = if here.word == move_codes::NULL {
                Some(Ply::Null)
            } else {
                move_codes::find(here.word, &mut position).map(Ply::Move)
            };
            let Some(ply) = ply else {
                let flow = self.unread(node, plies)?;
                if flow != Flow::Go {
                    return Ok(flow);
                }
                node = NONE;
                continue;
            };
            let mut flow = self.visitor.visit_move(&position, ply);
            if flow == Flow::Go {
                flow = self.visit_notes(1);
            }
            if flow == Flow::Go {
                flow = self.break_off(node)?;
            }
            if flow != Flow::Go {
                return Ok(flow);
            }
            if here.next == NONE || !self.tree.is_first(node) {
                position.play_ply(ply);
                plies += 1;
                node = here.child;
                continue;
            }
            let mut frame = Frame {
                before: position.clone(),
                ply,
                node,
                next: here.next,
                plies,
            };
            match self.alternative(&mut frame, frames.len())? {
                Next::Visit(first) => {
                    node = first;
                    frames.push(frame);
                }
                Next::GoOn => {
                    position.play_ply(ply);
                    plies += 1;
                    node = here.child;
                }
                Next::Flow(flow) => return Ok(flow),
            }
        }
    }

    /// The next alternative that the visitor wants.
    fn alternative(&mut self, frame: &mut Frame, open: usize) -> Result<Next> {
        while let Some(first) = self.tree.node(frame.next) {
            let number = std::mem::replace(&mut frame.next, first.next);
            let mut flow = Flow::Skip;
            if self.want.has(Want::VARIATIONS) {
                if open < self.depth as usize {
                    flow = self.visitor.begin_variation();
                } else {
                    let fault = fault(first.at, "variation", Why::Value(open as u64));
                    let error = self.origin.error(fault).at_ply(frame.plies);
                    let flow = self.origin.report(error, None, self.visitor)?;
                    if flow != Flow::Go {
                        return Ok(Next::Flow(flow));
                    }
                }
            }
            match flow {
                Flow::Go => return Ok(Next::Visit(number)),
                Flow::Skip => self.number = self.number.saturating_add(first.size),
                Flow::Stop => return Ok(Next::Flow(Flow::Stop)),
            }
        }
        Ok(Next::GoOn)
    }

    /// What is said of the next moves, `count` of them.
    fn visit_notes(&mut self, count: u32) -> Flow {
        let from = self.number;
        self.number = from.saturating_add(count);
        if self.want.has(Want::ANNOTATIONS) {
            self.notes.visit(from, self.number, self.visitor)
        } else {
            Flow::Go
        }
    }

    /// A word that is no legal move ends its line. The bytes of the rest are kept, and behind them
    /// what is said of its moves.
    fn unread(&mut self, number: u32, plies: u32) -> Result<Flow> {
        let Some(node) = self.tree.node(number) else {
            return Ok(Flow::Go);
        };
        let kept = self.tree.bytes(number, self.content);
        let mut count = node.size;
        if self.tree.is_first(number) {
            let mut next = node.next;
            while let Some(sibling) = self.tree.node(next) {
                count = count.saturating_add(sibling.size);
                next = sibling.next;
            }
        }
        let flow = self.keep(kept);
        if flow != Flow::Go {
            return Ok(flow);
        }
        let flow = self.visit_notes(count);
        if flow != Flow::Go {
            return Ok(flow);
        }
        let fault = fault(node.at, "move", Why::IllegalMove);
        let error = self.origin.error(fault).at_ply(plies);
        self.origin.report(error, Some(kept.into()), self.visitor)
    }

    fn keep(&mut self, bytes: &[u8]) -> Flow {
        if !self.want.has(Want::ANNOTATIONS) || bytes.is_empty() {
            return Flow::Go;
        }
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: self.origin.format,
            kind: Foreign::UNREAD_MOVES,
            bytes,
        }))
    }

    /// After the move behind which the words make no sense: tells of it and keeps what follows.
    fn break_off(&mut self, after: u32) -> Result<Flow> {
        let Some((last, fault)) = self.tree.fault else {
            return Ok(Flow::Go);
        };
        if last != after {
            return Ok(Flow::Go);
        }
        let kept = self.content.get(fault.at..).unwrap_or_default();
        let flow = self.keep(kept);
        if flow != Flow::Go {
            return Ok(flow);
        }
        let error = self.origin.error(fault);
        self.origin.report(error, Some(kept.into()), self.visitor)
    }
}

fn fault(at: u32, field: &'static str, why: Why) -> Malformed {
    Malformed {
        field,
        at: at as usize,
        why,
    }
}

/// What follows a move or an alternative.
enum Next {
    /// An alternative, which has begun.
    Visit(u32),
    /// The line itself.
    GoOn,
    /// The visitor's answer.
    Flow(Flow),
}
