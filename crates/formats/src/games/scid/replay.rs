//! Replays the moves of a blob for a visitor. They are stored in PGN order, with the texts of the
//! comments after all moves.

use tabia_core::Error;
use tabia_core::error::{Problem, Result, Why};
use tabia_core::game::{Annotation, CommentPlacement, Flow, Nag, Want};
use tabia_core::io::{Charset, decode};

use crate::games::common::salvage::MainlineEnd;
use crate::games::common::variation_walker::{VariationWalker, WalkerBuffers};

use super::blob_parts::{
    Comments, Skipped, are_moves_wiped, skip_game, skip_line, variation_follows,
};
use super::board::{Board, token};
use super::comments;
use super::entry::MAX_PLIES;

/// Consecutive null moves of a variation at most.
const MAX_NULL_MOVES: usize = 15;

pub(crate) type Walker<'a, 'v> = VariationWalker<'a, 'v, Board>;
pub(crate) type Buffers = WalkerBuffers<Board>;

/// The moves of one game and how far they have been visited.
pub(crate) struct Replay<'a, 'v> {
    walker: Walker<'a, 'v>,
    charset: Charset,
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
    /// `None` if annotations are not wanted.
    comments: Option<Comments<'a>>,
    /// Whether comments without marks exist, and whether the last move may take one.
    has_unmarked: bool,
    may_take_unmarked: bool,
    /// Runs of zeros are damage, not moves.
    salvage: bool,
    /// Plies of the mainline as the index states them, to recognise such runs.
    plies: u16,
    /// The mainline has as many plies as the index states, so that its zeros are null moves.
    is_as_stated: bool,
    /// The rest is zeros.
    is_wiped: bool,
    /// Where the mainline ended, for `salvage`.
    end: Option<MainlineEnd>,
}

impl<'a, 'v> Replay<'a, 'v> {
    /// A replay of the moves from offset `at` of a blob on, which start from the walker's board.
    pub(crate) fn new(
        walker: Walker<'a, 'v>,
        bytes: &'a [u8],
        at: usize,
        charset: Charset,
        salvage: bool,
        plies: u16,
    ) -> Self {
        let wants_comments = walker.want.has(Want::ANNOTATIONS);
        let comments = wants_comments.then(|| Comments::new(bytes, skip_game(bytes, at)));
        Self {
            walker,
            charset,
            bytes,
            at,
            has_unmarked: comments.as_ref().is_some_and(Comments::has_unmarked),
            comments,
            may_take_unmarked: false,
            salvage,
            plies,
            is_as_stated: false,
            is_wiped: false,
            end: None,
        }
    }

    /// Where the mainline ended. `None` before the end, or unless the blob is to be salvaged.
    pub(crate) const fn end(&self) -> Option<MainlineEnd> {
        self.end
    }

    /// Visits the moves. `Skip` and `Stop` are the visitor's.
    pub(crate) fn run(&mut self) -> Result<Flow> {
        let flow = self.visit_tokens()?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        let reported_at = (!self.is_wiped).then_some(self.at);
        let flow = self.walker.end_open_variations(reported_at)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        if self.salvage {
            let walker = &self.walker;
            self.end = Some(MainlineEnd::new(walker.plies, &walker.board.position));
        }
        while self.has_unmarked
            && !self.is_wiped
            && let Some(text) = self.comments.as_mut().and_then(Comments::unmarked)
        {
            let flow = self.visit_comment(text, CommentPlacement::After);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    fn visit_tokens(&mut self) -> Result<Flow> {
        loop {
            if !self.walker.is_line_start && !self.has_unmarked {
                let flow = self.visit_moves();
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let Some(&byte) = self.bytes.get(self.at) else {
                let why = Why::Truncated { needed: 1, left: 0 };
                return self.walker.report_malformed("moves", self.at, why);
            };
            let at = self.at;
            self.at += 1;
            if self.may_take_unmarked && !matches!(byte, token::NAG | token::COMMENT) {
                let flow = self.unmarked_comment();
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
            let flow = match byte {
                token::NAG => self.nag()?,
                token::COMMENT => self.marked_comment()?,
                token::BEGIN_VARIATION => self.begin_variation()?,
                token::END_VARIATION if !self.walker.is_in_variation() => {
                    let why = Why::Value(u64::from(byte));
                    self.walker.report_malformed("variation_end", at, why)?
                }
                token::END_VARIATION => self.walker.end_variation(),
                token::END_GAME => return Ok(Flow::Go),
                0 if are_moves_wiped(self.bytes.get(at..).unwrap_or_default())
                    && (self.salvage || !self.has_null_moves(at)) =>
                {
                    return self.report_wiped(at);
                }
                _ => match self.visit_move(byte) {
                    Some(flow) => flow,
                    None => self.unreadable_moves(at)?,
                },
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
    }

    /// Visits and plays plies up to the first token, null move or unreadable move.
    #[inline(always)]
    fn visit_moves(&mut self) -> Flow {
        let bytes = self.bytes;
        let mut at = self.at;
        let mut flow = Flow::Go;
        while let Some(&byte) = bytes.get(at)
            && !matches!(byte, 0 | token::NAG..=token::END_GAME)
        {
            let mut next = at + 1;
            let Some(ply) = self.walker.board.decode(byte, || {
                next += 1;
                bytes.get(at + 1).copied()
            }) else {
                break;
            };
            at = next;
            if let Some(token::NAG..=token::BEGIN_VARIATION) = bytes.get(at) {
                self.at = at;
                self.keep_before();
            }
            let walker = &mut self.walker;
            flow = walker.visitor.visit_move(&walker.board.position, ply);
            if flow != Flow::Go {
                break;
            }
            walker.board.play(byte, ply);
            walker.plies += 1;
        }
        self.at = at;
        flow
    }

    /// Visits and plays the ply of a byte. `None` if it cannot be played.
    #[inline(never)]
    fn visit_move(&mut self, byte: u8) -> Option<Flow> {
        let (bytes, mut next) = (self.bytes, self.at);
        let ply = self.walker.board.decode(byte, || {
            let second = bytes.get(next).copied();
            next += 1;
            second
        })?;
        self.at = next;
        if let Some(token::NAG..=token::BEGIN_VARIATION) = bytes.get(next) {
            self.keep_before();
        }
        let walker = &mut self.walker;
        let flow = walker.visitor.visit_move(&walker.board.position, ply);
        if flow != Flow::Go {
            return Some(flow);
        }
        walker.board.play(byte, ply);
        walker.plies += 1;
        self.may_take_unmarked = self.has_unmarked;
        if walker.is_line_start {
            walker.is_line_start = false;
            return Some(walker.visit_held(CommentPlacement::Before));
        }
        Some(Flow::Go)
    }

    /// Keeps the position before a move that a variation follows.
    #[inline(never)]
    fn keep_before(&mut self) {
        if self.walker.want.has(Want::VARIATIONS) && variation_follows(self.bytes, self.at) {
            self.walker.before = Some(self.walker.board.clone());
        }
    }

    /// A move that cannot be played ends its line. The bytes of the rest are kept, with the
    /// comments that belong to them.
    fn unreadable_moves(&mut self, at: usize) -> Result<Flow> {
        let skipped = skip_line(self.bytes, at);
        let mut rest = self.bytes.get(at..skipped.end).unwrap_or_default().to_vec();
        rest.push(token::END_GAME);
        self.at = skipped.end;
        for text in self.skip_comments(skipped) {
            rest.extend_from_slice(text);
            rest.push(0);
        }
        self.walker.unreadable_moves(at, rest)
    }

    /// Whether the zeros from `at` on are null moves: with them the mainline has as many plies as the index states. A
    /// longer run in a variation is none.
    #[cold]
    fn has_null_moves(&mut self, at: usize) -> bool {
        let bytes = self.bytes;
        if self.walker.is_in_variation() {
            let zeros = bytes.iter().skip(at).take_while(|&&byte| byte == 0);
            return zeros.take(MAX_NULL_MOVES + 1).count() <= MAX_NULL_MOVES;
        }
        // Counted once: a game of null moves would be counted again at each of them.
        if self.is_as_stated {
            return true;
        }
        let mut board = self.walker.board.clone();
        let (mut at, mut plies) = (at, self.walker.plies);
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                token::NAG => at += 1,
                token::COMMENT => {}
                token::BEGIN_VARIATION => at = skip_line(bytes, at).end + 1,
                token::END_GAME | token::END_VARIATION => break,
                _ => {
                    let ply = board.decode(byte, || {
                        at += 1;
                        bytes.get(at - 1).copied()
                    });
                    let Some(ply) = ply else { return false };
                    board.play(byte, ply);
                    plies += 1;
                }
            }
        }
        self.is_as_stated = plies.min(MAX_PLIES.into()) == u32::from(self.plies);
        self.is_as_stated
    }

    /// Zeros replace the moves from `at` on: what follows them is of no use without them.
    fn report_wiped(&mut self, at: usize) -> Result<Flow> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        self.is_wiped = true;
        let origin = &self.walker.origin;
        let error = Error::invalid(format!("{zeros} zero bytes in place of moves"))
            .at_offset(origin.base.saturating_add(at as u64))
            .at_ply(self.walker.plies)
            .in_game(origin.game)
            .in_file(origin.file);
        self.walker.report(error.into())
    }

    fn nag(&mut self) -> Result<Flow> {
        let Some(&number) = self.bytes.get(self.at) else {
            let why = Why::Truncated { needed: 1, left: 0 };
            return self.walker.report_malformed("nag", self.at, why);
        };
        self.at += 1;
        if !self.walker.want.has(Want::ANNOTATIONS) {
            return Ok(Flow::Go);
        }
        let nag = Annotation::Nag(Nag(number));
        Ok(self.walker.visitor.visit_annotation(nag))
    }

    fn marked_comment(&mut self) -> Result<Flow> {
        let Some(comments) = &mut self.comments else {
            return Ok(Flow::Go);
        };
        self.may_take_unmarked = false;
        let end = self.bytes.len();
        if comments.are_wiped() {
            comments.skip_wiped();
            let flow = self
                .walker
                .report_malformed("comment", end, Why::Value(0))?;
            if flow == Flow::Stop {
                return Ok(flow);
            }
        }
        let Some(comments) = &mut self.comments else {
            return Ok(Flow::Go);
        };
        if comments.skip_lost() {
            return Ok(Flow::Go);
        }
        let Some(text) = comments.marked() else {
            let why = Why::Truncated { needed: 1, left: 0 };
            return self.walker.report_malformed("comment", end, why);
        };
        let before_first = self.walker.is_line_start && self.walker.is_in_variation();
        let placement = if before_first {
            CommentPlacement::Before
        } else {
            CommentPlacement::After
        };
        Ok(self.visit_comment(text, placement))
    }

    /// The comment of a move without a mark.
    #[cold]
    fn unmarked_comment(&mut self) -> Flow {
        self.may_take_unmarked = false;
        match self.comments.as_mut().and_then(Comments::unmarked) {
            Some(text) => self.visit_comment(text, CommentPlacement::After),
            None => Flow::Go,
        }
    }

    /// Visits the annotations in a comment. The text of a comment before the first move of a
    /// variation is held until that move.
    fn visit_comment(&mut self, bytes: &[u8], placement: CommentPlacement) -> Flow {
        let text = decode(bytes, self.charset);
        let (held, visitor) = self.walker.held_and_visitor();
        let held = match placement {
            CommentPlacement::Before => Some(held),
            CommentPlacement::After => None,
        };
        comments::read(&text, held, visitor)
    }

    fn begin_variation(&mut self) -> Result<Flow> {
        let (bytes, next) = (self.bytes, self.at);
        let flow = self.walker.begin_variation(|walker| {
            let at = next - 1;
            let end = skip_line(bytes, next).end;
            Problem {
                unread_bytes: bytes.get(at..end).map(Box::from),
                ..walker.refused_variation(at, token::BEGIN_VARIATION)
            }
        })?;
        if flow == Flow::Skip {
            let skipped = skip_line(bytes, next);
            self.at = skipped.end;
            if bytes.get(self.at) == Some(&token::END_VARIATION) {
                self.at += 1;
            }
            self.skip_comments(skipped);
            return Ok(Flow::Go);
        }
        Ok(flow)
    }

    /// Takes the comments of moves that are skipped.
    fn skip_comments(&mut self, skipped: Skipped) -> Vec<&'a [u8]> {
        let Some(comments) = &mut self.comments else {
            return Vec::new();
        };
        (0..skipped.marks)
            .map_while(|_| comments.marked())
            .collect()
    }
}
