//! Replays stored moves for a visitor: the positions, variations and reports of formats that store
//! moves as a tree. Each format decodes its own bytes.

use tabia_core::error::{Malformed, Problem, Result, Why};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, Foreign, Language, Visitor, Want,
};

use super::record_context::Origin;

/// A comment that is visited with the first move of its variation.
#[derive(Debug)]
pub(crate) struct HeldComment {
    pub(crate) language: Option<Language>,
    pub(crate) text: String,
}

impl HeldComment {
    /// The comment, before or after its move.
    pub(crate) fn annotation(&self, placement: CommentPlacement) -> Annotation<'_> {
        Annotation::Comment(Comment {
            placement,
            language: self.language,
            text: &self.text,
        })
    }
}

/// A line that continues after the variation being visited.
#[derive(Debug)]
struct OpenLine<B> {
    /// The position before the last move of the line, and after it.
    before: Option<B>,
    after: B,
    plies: u32,
}

/// The buffers of a walker, reused from game to game.
#[derive(Debug)]
pub(crate) struct WalkerBuffers<B> {
    open: Vec<OpenLine<B>>,
    held: Vec<HeldComment>,
}

impl<B> Default for WalkerBuffers<B> {
    fn default() -> Self {
        Self {
            open: Vec::new(),
            held: Vec::new(),
        }
    }
}

/// Keeps the position while the moves of a game are visited, and restores it at the end of each
/// variation. `B` is the position as the format numbers its pieces.
pub(crate) struct VariationWalker<'a, 'v, B> {
    pub(crate) origin: Origin<'a>,
    pub(crate) want: Want,
    /// At most that many variations are open at a time.
    max_depth: u32,
    pub(crate) visitor: &'v mut dyn Visitor,
    buffers: &'v mut WalkerBuffers<B>,
    pub(crate) board: B,
    /// The position before the last move, at least if a variation replaces that move.
    pub(crate) before: Option<B>,
    /// Plies from the start of the game to `board`.
    pub(crate) plies: u32,
    /// No move of the current line has been visited.
    pub(crate) is_line_start: bool,
}

impl<'a, 'v, B: Clone> VariationWalker<'a, 'v, B> {
    /// A walker at the start of a game.
    pub(crate) fn new(
        origin: Origin<'a>,
        want: Want,
        max_depth: u32,
        board: B,
        buffers: &'v mut WalkerBuffers<B>,
        visitor: &'v mut dyn Visitor,
    ) -> Self {
        buffers.open.clear();
        buffers.held.clear();
        Self {
            origin,
            want,
            max_depth,
            visitor,
            buffers,
            board,
            before: None,
            plies: 0,
            is_line_start: true,
        }
    }

    /// True inside a variation, false on the mainline.
    #[inline]
    pub(crate) fn is_in_variation(&self) -> bool {
        !self.buffers.open.is_empty()
    }

    /// Begins a variation that replaces the last move. `Go`: it has begun, and `board` is the
    /// position before that move. `Skip`: it must be skipped, since the visitor does not want it or
    /// since it replaces no move or is nested too deeply, which is the reported problem.
    pub(crate) fn begin_variation(
        &mut self,
        refusal: impl FnOnce(&Self) -> Problem,
    ) -> Result<Flow> {
        if !self.want.has(Want::VARIATIONS) {
            return Ok(Flow::Skip);
        }
        if self.before.is_none() || self.buffers.open.len() >= self.max_depth as usize {
            let problem = refusal(self);
            return Ok(match self.report(problem)? {
                Flow::Go => Flow::Skip,
                flow => flow,
            });
        }
        let flow = self.visitor.begin_variation();
        if flow == Flow::Go
            && let Some(before) = self.before.clone()
        {
            self.buffers.open.push(OpenLine {
                before: self.before.take(),
                after: std::mem::replace(&mut self.board, before),
                plies: self.plies,
            });
            self.plies = self.plies.saturating_sub(1);
            self.is_line_start = true;
        }
        Ok(flow)
    }

    /// Ends the current variation and returns to the line that it branched off.
    pub(crate) fn end_variation(&mut self) -> Flow {
        let flow = self.visit_held(CommentPlacement::After);
        if flow != Flow::Go {
            return flow;
        }
        if let Some(line) = self.buffers.open.pop() {
            self.before = line.before;
            self.board = line.after;
            self.plies = line.plies;
            self.is_line_start = false;
            self.visitor.end_variation();
        }
        Flow::Go
    }

    /// Ends all variations that the moves left open. With the offset in the record where the moves
    /// end, each is reported.
    pub(crate) fn end_open_variations(&mut self, reported_at: Option<usize>) -> Result<Flow> {
        while self.is_in_variation() {
            if let Some(at) = reported_at {
                let why = Why::Truncated { needed: 1, left: 0 };
                let flow = self.report_malformed("variation_end", at, why)?;
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let flow = self.end_variation();
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    /// The comments for the first move of the current variation, and the visitor.
    pub(crate) fn held_and_visitor(&mut self) -> (&mut Vec<HeldComment>, &mut dyn Visitor) {
        (&mut self.buffers.held, &mut *self.visitor)
    }

    /// Visits the comments that were held.
    pub(crate) fn visit_held(&mut self, placement: CommentPlacement) -> Flow {
        for comment in self.buffers.held.drain(..) {
            let flow = self.visitor.visit_annotation(comment.annotation(placement));
            if flow != Flow::Go {
                return flow;
            }
        }
        Flow::Go
    }

    /// Visits bytes that have no common meaning.
    pub(crate) fn visit_foreign(&mut self, kind: u16, bytes: &[u8]) -> Flow {
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: self.origin.format,
            kind,
            bytes,
        }))
    }

    /// Visits and reports the rest of a line whose next move, at offset `at` of the record, cannot
    /// be played.
    pub(crate) fn unreadable_moves(&mut self, at: usize, rest: Vec<u8>) -> Result<Flow> {
        if self.want.has(Want::ANNOTATIONS) {
            let flow = self.visit_foreign(Foreign::UNREAD_MOVES, &rest);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        let problem = self.problem(Malformed {
            field: "move",
            at,
            why: Why::IllegalMove,
        });
        self.report(Problem {
            unread_bytes: Some(rest.into_boxed_slice()),
            ..problem
        })
    }

    /// A problem of the record at the current ply.
    pub(crate) fn problem(&self, malformed: Malformed) -> Problem {
        Problem::from(self.origin.error(malformed).at_ply(self.plies))
    }

    /// The problem of a variation that cannot begin, whose token is at offset `at` of the record.
    pub(crate) fn refused_variation(&self, at: usize, token: u8) -> Problem {
        self.problem(Malformed {
            field: "variation",
            at,
            why: Why::Value(token.into()),
        })
    }

    /// Reports a problem at offset `at` of the record.
    pub(crate) fn report_malformed(
        &mut self,
        field: &'static str,
        at: usize,
        why: Why,
    ) -> Result<Flow> {
        let problem = self.problem(Malformed { field, at, why });
        self.report(problem)
    }

    /// Reports a problem to the visitor. It is an error if the first problem is to be one.
    pub(crate) fn report(&mut self, problem: Problem) -> Result<Flow> {
        let Problem {
            error,
            unread_bytes,
        } = problem;
        self.origin.report(error, unread_bytes, self.visitor)
    }
}
