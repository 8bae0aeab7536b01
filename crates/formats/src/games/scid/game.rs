//! From the moves of a blob to a visitor, in PGN order.

use tabia_core::Error;
use tabia_core::chess::Material;
use tabia_core::error::{Malformed, Result, Why};
use tabia_core::game::{Annotation, CommentPlacement, Flow, Foreign, Nag, Visitor, Want};
use tabia_core::io::{Charset, decode};

use crate::games::common::record_context::Origin;

use super::board::{Board, token};
use super::comments::{self, Held};
use super::game_blob::{Comments, Skipped, fault, skip_game, skip_line, variation_follows};

/// A line that waits for the end of a variation of it.
#[derive(Debug)]
struct Open {
    /// The position before the last move, and after it.
    before: Option<Board>,
    after: Board,
    plies: u32,
}

/// What reading games needs again and again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    open: Vec<Open>,
    /// Comments that wait for the first move of their variation.
    held: Vec<Held>,
}

/// Moves on their way to a visitor.
pub(crate) struct Walk<'a, 'v> {
    pub(crate) origin: Origin<'a>,
    pub(crate) want: Want,
    pub(crate) charset: Charset,
    /// Most variations inside variations.
    pub(crate) depth: u32,
    pub(crate) visitor: &'v mut dyn Visitor,
    pub(crate) scratch: &'v mut Scratch,
    /// Zeros are what a damaged file has, not moves.
    pub(crate) salvage: bool,
    /// Where the mainline ended, for `salvage`.
    pub(crate) end: Option<End>,
}

/// The end of a mainline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct End {
    pub(crate) plies: u32,
    /// Signature of the last position.
    pub(crate) material: u32,
}

/// So many zeros in a row are no null moves, which nobody plays one after another.
const WIPED_MOVES: usize = 4;

/// So many are no empty comments.
const WIPED_COMMENTS: usize = 8;

/// Whether moves were wiped here: zeros for longer than any game would have them, or nothing else.
pub(crate) fn are_moves_wiped(bytes: &[u8]) -> bool {
    has_zeros(bytes, WIPED_MOVES)
}

/// The same of comments.
pub(crate) fn are_comments_wiped(bytes: &[u8]) -> bool {
    has_zeros(bytes, WIPED_COMMENTS)
}

fn has_zeros(bytes: &[u8], many: usize) -> bool {
    let zeros = bytes.iter().take(many).take_while(|&&byte| byte == 0);
    let zeros = zeros.count();
    zeros == many || zeros == bytes.len() && zeros > 2
}

/// The state of a walk.
struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
    board: Board,
    /// The position before the last move, where a variation follows it.
    before: Option<Board>,
    plies: u32,
    /// No move yet in this variation.
    fresh: bool,
    comments: Option<Comments<'a>>,
    /// Whether comments without marks exist, and whether the last move may take one.
    has_unmarked: bool,
    may_take: bool,
    /// The rest is zeros.
    is_cut: bool,
}

impl<'a> Walk<'a, '_> {
    /// Visits the moves of `bytes` from `at` on, where they start from `board`. `Skip` and `Stop`
    /// are the visitor's.
    pub(crate) fn run(&mut self, bytes: &'a [u8], at: usize, board: Board) -> Result<Flow> {
        self.scratch.open.clear();
        self.scratch.held.clear();
        let comments = self
            .want
            .has(Want::ANNOTATIONS)
            .then(|| Comments::new(bytes, skip_game(bytes, at)));
        let mut line = Line {
            bytes,
            at,
            board,
            before: None,
            plies: 0,
            fresh: true,
            has_unmarked: comments.as_ref().is_some_and(Comments::has_unmarked),
            comments,
            may_take: false,
            is_cut: false,
        };
        let flow = self.walk(&mut line)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        while !self.scratch.open.is_empty() {
            let why = Why::Truncated { needed: 1, left: 0 };
            if !line.is_cut {
                let flow = self.report(fault("variation_end", line.at, why), &line, None)?;
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let flow = self.end_variation(&mut line);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        if self.salvage {
            self.end = Some(End {
                plies: line.plies,
                material: Material::of(&line.board.position).to_bits(),
            });
        }
        while line.has_unmarked
            && !line.is_cut
            && let Some(text) = line.comments.as_mut().and_then(Comments::unmarked)
        {
            let flow = self.comment(text, CommentPlacement::After);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    fn walk(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        loop {
            if !line.fresh && !line.has_unmarked {
                let flow = self.plies(line);
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let Some(&byte) = line.bytes.get(line.at) else {
                let why = Why::Truncated { needed: 1, left: 0 };
                return self.report(fault("moves", line.at, why), line, None);
            };
            let at = line.at;
            line.at += 1;
            if line.may_take && !matches!(byte, token::NAG | token::COMMENT) {
                let flow = self.unmarked_comment(line);
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let flow = match byte {
                token::NAG => self.nag(line)?,
                token::COMMENT => self.marked_comment(line)?,
                token::BEGIN_VARIATION => self.begin_variation(line)?,
                token::END_VARIATION if self.scratch.open.is_empty() => {
                    let why = Why::Value(u64::from(byte));
                    self.report(fault("variation_end", at, why), line, None)?
                }
                token::END_VARIATION => self.end_variation(line),
                token::END_GAME => return Ok(Flow::Go),
                0 if self.salvage && are_moves_wiped(line.bytes.get(at..).unwrap_or_default()) => {
                    return self.wiped(at, line);
                }
                _ => match self.play(byte, line) {
                    Some(flow) => flow,
                    None => self.unread(at, line)?,
                },
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
    }

    fn report(
        &mut self,
        fault: Malformed,
        line: &Line<'_>,
        kept: Option<Box<[u8]>>,
    ) -> Result<Flow> {
        let error = self.origin.error(fault).at_ply(line.plies);
        self.origin.report(error, kept, self.visitor)
    }

    /// Visits and plays one ply after the other, up to what is none or has more to it.
    #[inline(always)]
    fn plies(&mut self, line: &mut Line<'a>) -> Flow {
        let bytes = line.bytes;
        let mut at = line.at;
        let mut flow = Flow::Go;
        while let Some(&byte) = bytes.get(at)
            && !matches!(byte, 0 | token::NAG..=token::END_GAME)
        {
            let mut next = at + 1;
            let Some(ply) = line.board.decode(byte, || {
                next += 1;
                bytes.get(at + 1).copied()
            }) else {
                break;
            };
            at = next;
            if let Some(token::NAG..=token::BEGIN_VARIATION) = bytes.get(at) {
                line.at = at;
                self.keep_before(line);
            }
            flow = self.visitor.visit_move(&line.board.position, ply);
            if flow != Flow::Go {
                break;
            }
            line.board.play(byte, ply);
            line.plies += 1;
        }
        line.at = at;
        flow
    }

    /// Visits and plays the ply of a byte; `None` when it cannot be played.
    #[inline(never)]
    fn play(&mut self, byte: u8, line: &mut Line<'a>) -> Option<Flow> {
        let (bytes, mut next) = (line.bytes, line.at);
        let ply = line.board.decode(byte, || {
            let second = bytes.get(next).copied();
            next += 1;
            second
        })?;
        line.at = next;
        if let Some(token::NAG..=token::BEGIN_VARIATION) = bytes.get(next) {
            self.keep_before(line);
        }
        let flow = self.visitor.visit_move(&line.board.position, ply);
        if flow != Flow::Go {
            return Some(flow);
        }
        line.board.play(byte, ply);
        line.plies += 1;
        line.may_take = line.has_unmarked;
        if line.fresh {
            line.fresh = false;
            return Some(self.show_held(CommentPlacement::Before));
        }
        Some(Flow::Go)
    }

    /// Keeps the position before a move that a variation follows.
    #[inline(never)]
    fn keep_before(&self, line: &mut Line<'a>) {
        if self.want.has(Want::VARIATIONS) && variation_follows(line.bytes, line.at) {
            line.before = Some(line.board.clone());
        }
    }

    /// A move that cannot be played ends its line; the bytes of the rest are kept, with the
    /// comments that belong to them.
    fn unread(&mut self, at: usize, line: &mut Line<'a>) -> Result<Flow> {
        let skipped = skip_line(line.bytes, at);
        let mut kept = line.bytes.get(at..skipped.end).unwrap_or_default().to_vec();
        kept.push(token::END_GAME);
        line.at = skipped.end;
        for text in line.drop_comments(skipped) {
            kept.extend_from_slice(text);
            kept.push(0);
        }
        if self.want.has(Want::ANNOTATIONS) {
            let flow = self.visitor.visit_annotation(Annotation::Foreign(Foreign {
                format: self.origin.format,
                kind: Foreign::UNREAD_MOVES,
                bytes: &kept,
            }));
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        let fault = fault("move", at, Why::IllegalMove);
        self.report(fault, line, Some(kept.into_boxed_slice()))
    }

    /// Zeros where moves were: without them what stands behind is of no use.
    fn wiped(&mut self, at: usize, line: &mut Line<'a>) -> Result<Flow> {
        let rest = line.bytes.get(at..).unwrap_or_default();
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        line.is_cut = true;
        let error = Error::invalid(format!("{zeros} zeros stand where moves were"))
            .at_offset(self.origin.base.saturating_add(at as u64))
            .at_ply(line.plies)
            .in_game(self.origin.game)
            .in_file(self.origin.file);
        self.origin.report(error, None, self.visitor)
    }

    fn nag(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let Some(&number) = line.bytes.get(line.at) else {
            let why = Why::Truncated { needed: 1, left: 0 };
            return self.report(fault("nag", line.at, why), line, None);
        };
        line.at += 1;
        if !self.want.has(Want::ANNOTATIONS) {
            return Ok(Flow::Go);
        }
        Ok(self.visitor.visit_annotation(Annotation::Nag(Nag(number))))
    }

    fn marked_comment(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let Some(comments) = &mut line.comments else {
            return Ok(Flow::Go);
        };
        line.may_take = false;
        if self.salvage && comments.are_wiped() {
            comments.end();
            let why = Why::Value(0);
            return self.report(fault("comment", line.bytes.len(), why), line, None);
        }
        let Some(text) = comments.marked() else {
            let why = Why::Truncated { needed: 1, left: 0 };
            return self.report(fault("comment", line.bytes.len(), why), line, None);
        };
        let before_first = line.fresh && !self.scratch.open.is_empty();
        let placement = if before_first {
            CommentPlacement::Before
        } else {
            CommentPlacement::After
        };
        Ok(self.comment(text, placement))
    }

    /// The comment of a move without a mark.
    #[cold]
    fn unmarked_comment(&mut self, line: &mut Line<'a>) -> Flow {
        line.may_take = false;
        match line.comments.as_mut().and_then(Comments::unmarked) {
            Some(text) => self.comment(text, CommentPlacement::After),
            None => Flow::Go,
        }
    }

    /// Shows what a comment says. The text of one before the first move of a variation waits for
    /// that move.
    fn comment(&mut self, bytes: &[u8], placement: CommentPlacement) -> Flow {
        let text = decode(bytes, self.charset);
        let held = match placement {
            CommentPlacement::Before => Some(&mut self.scratch.held),
            CommentPlacement::After => None,
        };
        comments::read(&text, held, self.visitor)
    }

    fn show_held(&mut self, placement: CommentPlacement) -> Flow {
        for held in self.scratch.held.drain(..) {
            let flow = self.visitor.visit_annotation(held.annotation(placement));
            if flow != Flow::Go {
                return flow;
            }
        }
        Flow::Go
    }

    fn begin_variation(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let at = line.at - 1;
        let mut flow = Flow::Skip;
        if self.want.has(Want::VARIATIONS) {
            if line.before.is_none() || self.scratch.open.len() >= self.depth as usize {
                // A variation of no move, or one too deep.
                let why = Why::Value(u64::from(token::BEGIN_VARIATION));
                let end = skip_line(line.bytes, line.at).end;
                let kept = line.bytes.get(at..end).map(Box::from);
                flow = self.report(fault("variation", at, why), line, kept)?;
                if flow == Flow::Go {
                    flow = Flow::Skip;
                }
            } else {
                flow = self.visitor.begin_variation();
            }
        }
        match flow {
            Flow::Go => {}
            Flow::Stop => return Ok(Flow::Stop),
            Flow::Skip => {
                let skipped = skip_line(line.bytes, line.at);
                line.at = skipped.end;
                if line.bytes.get(line.at) == Some(&token::END_VARIATION) {
                    line.at += 1;
                }
                line.drop_comments(skipped);
                return Ok(Flow::Go);
            }
        }
        if let Some(before) = line.before.clone() {
            let after = std::mem::replace(&mut line.board, before);
            self.scratch.open.push(Open {
                before: line.before.take(),
                after,
                plies: line.plies,
            });
            line.plies = line.plies.saturating_sub(1);
            line.fresh = true;
        }
        Ok(Flow::Go)
    }

    fn end_variation(&mut self, line: &mut Line<'a>) -> Flow {
        let flow = self.show_held(CommentPlacement::After);
        if flow != Flow::Go {
            return flow;
        }
        if let Some(open) = self.scratch.open.pop() {
            line.before = open.before;
            line.board = open.after;
            line.plies = open.plies;
            line.fresh = false;
            self.visitor.end_variation();
        }
        Flow::Go
    }
}

impl<'a> Line<'a> {
    /// Takes the comments of a part that is left out.
    fn drop_comments(&mut self, skipped: Skipped) -> Vec<&'a [u8]> {
        let Some(comments) = &mut self.comments else {
            return Vec::new();
        };
        (0..skipped.marks)
            .map_while(|_| comments.marked())
            .collect()
    }
}
