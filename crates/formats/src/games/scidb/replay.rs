//! Replays the moves of a record for a visitor. They are stored in PGN order; the data and texts of
//! annotations are in two streams of their own.

use tabia_core::error::{Malformed, Result, Why};
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Nag, Want};
use tabia_core::io::{Charset, Cursor, Sink, decode};

use crate::games::common::salvage::MainlineEnd;
use crate::games::common::variation_walker::{HeldComment, VariationWalker, WalkerBuffers};

use super::board::{Board, token, variation_follows};
use super::format_identity::{SECTIONS_SINCE, SEPARATE_NAGS_SINCE, VERSION};
use super::record_body;
use super::record_body::Body;
use super::shapes_clocks_and_evals;
use super::shapes_clocks_and_evals::{SideItem, foreign};
use super::text;

pub(crate) type Walker<'a, 'v> = VariationWalker<'a, 'v, Board>;
pub(crate) type Buffers = WalkerBuffers<Board>;

/// Bits of the flag byte of a comment.
pub(crate) mod comment_flag {
    pub(crate) const BEFORE: u8 = 1;
    pub(crate) const AFTER: u8 = 2;
    pub(crate) const BEFORE_ENGLISH: u8 = 4;
    pub(crate) const BEFORE_OTHER: u8 = 8;
    pub(crate) const AFTER_ENGLISH: u8 = 16;
    pub(crate) const AFTER_OTHER: u8 = 32;
}

/// The side data and the texts that have not been taken.
#[derive(Debug, Clone, Copy)]
struct SideCursors<'a> {
    side: Cursor<'a>,
    text: Cursor<'a>,
}

/// What a replay needs to know of its game besides the record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayOptions {
    pub(crate) charset: Charset,
    pub(crate) version: u16,
    /// Plies of the mainline by the index.
    pub(crate) plies: usize,
    /// Unused annotations are damage and reported; unused texts always are.
    pub(crate) salvage: bool,
}

/// The moves of one game and how far they have been visited.
pub(crate) struct Replay<'a, 'v> {
    walker: Walker<'a, 'v>,
    options: ReplayOptions,
    body: &'a Body<'a>,
    moves: &'a [u8],
    /// Offset of the next byte in the moves.
    at: usize,
    /// `None` if annotations are not wanted, or after an unreadable one.
    cursors: Option<SideCursors<'a>>,
    /// Annotations of the mainline's plies from the time table.
    times: Vec<Vec<Annotation<'static>>>,
    /// Where the mainline ended, for `salvage`.
    end: Option<MainlineEnd>,
}

impl<'a, 'v> Replay<'a, 'v> {
    /// A replay of the moves of a body, which start from the walker's board.
    pub(crate) fn new(walker: Walker<'a, 'v>, body: &'a Body<'a>, options: ReplayOptions) -> Self {
        let wants_annotations = walker.want.has(Want::ANNOTATIONS);
        Self {
            walker,
            options,
            body,
            moves: body.moves,
            at: 0,
            cursors: wants_annotations.then(|| SideCursors {
                side: Cursor::new(body.side),
                text: Cursor::new(body.text),
            }),
            times: Vec::new(),
            end: None,
        }
    }

    /// Where the mainline ended. `None` before the end, or unless the game is to be salvaged.
    pub(crate) const fn end(&self) -> Option<MainlineEnd> {
        self.end
    }

    /// Visits the moves. `Skip` and `Stop` are the visitor's.
    pub(crate) fn run(&mut self) -> Result<Flow> {
        if self.cursors.is_some() && self.visit_game_annotations() == Flow::Stop {
            return Ok(Flow::Stop);
        }
        let flow = self.visit_tokens()?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        let flow = self.walker.end_open_variations(Some(self.offset()))?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        if self.options.salvage {
            let walker = &self.walker;
            self.end = Some(MainlineEnd::new(walker.plies, &walker.board.position));
        }
        self.visit_unused()
    }

    /// Visits the parts of the record that belong to no move.
    fn visit_game_annotations(&mut self) -> Flow {
        let mut time_table = self.body.time_table;
        let ReplayOptions { version, plies, .. } = self.options;
        if let Some(times) = record_body::times(time_table, version, plies) {
            self.times = times;
            time_table = &[];
        }
        let time_kind = if version < VERSION {
            foreign::REST
        } else {
            foreign::TIME_TABLE
        };
        let engines = (foreign::ENGINES, self.body.engines);
        for (kind, bytes) in [engines, (time_kind, time_table)] {
            if !bytes.is_empty() && self.walker.visit_foreign(kind, bytes) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    }

    /// Visits the side data and texts that no token has taken.
    fn visit_unused(&mut self) -> Result<Flow> {
        let Some(SideCursors { side, text }) = self.cursors else {
            return Ok(Flow::Go);
        };
        for rest in [side.rest(), text.rest()] {
            if !rest.is_empty() && self.walker.visit_foreign(foreign::REST, rest) == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        let unused = side.left() + text.left();
        // Where zeros replace texts, each of them ends one, and others are left over.
        if unused > 0 && (self.options.salvage || text.left() > 0) {
            let why = Why::Truncated {
                needed: unused,
                left: 0,
            };
            return self.report("annotations", why);
        }
        Ok(Flow::Go)
    }

    /// Offset of the next byte in the record.
    fn offset(&self) -> usize {
        self.body.moves_at + self.at
    }

    fn visit_tokens(&mut self) -> Result<Flow> {
        loop {
            let Some(&byte) = self.moves.get(self.at) else {
                let why = Why::Truncated { needed: 1, left: 0 };
                return self.report("moves", why);
            };
            let at = self.at;
            self.at += 1;
            let flow = match byte {
                token::MARK => self.mark()?,
                token::NAG => self.nag()?,
                token::COMMENT => self.comment()?,
                token::BEGIN_VARIATION => self.begin_variation()?,
                token::END => {
                    let flow = self.end_comment()?;
                    if flow == Flow::Go && !self.walker.is_in_variation() {
                        return Ok(Flow::Go);
                    }
                    if flow == Flow::Go {
                        self.walker.end_variation()
                    } else {
                        flow
                    }
                }
                byte => self.visit_move(byte, at)?,
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
    }

    fn visit_move(&mut self, byte: u8, at: usize) -> Result<Flow> {
        let (moves, mut next) = (self.moves, self.at);
        let walker = &mut self.walker;
        let ply = walker.board.decode(byte, || {
            let second = moves.get(next).copied();
            next += 1;
            second
        });
        let Some(ply) = ply else {
            self.at = at;
            let rest = self.skip_line();
            return self.walker.unreadable_moves(self.body.moves_at + at, rest);
        };
        self.at = next;
        if walker.want.has(Want::VARIATIONS)
            && variation_follows(moves, next, self.options.version < SEPARATE_NAGS_SINCE)
        {
            walker.before = Some(walker.board.clone());
        }
        let flow = walker.visitor.visit_move(&walker.board.position, ply);
        if flow != Flow::Go {
            return Ok(flow);
        }
        walker.board.play(ply);
        walker.plies += 1;
        if !walker.is_in_variation()
            && let Some(times) = self.times.get(walker.plies as usize - 1)
        {
            for &annotation in times {
                let flow = walker.visitor.visit_annotation(annotation);
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
        }
        if walker.is_line_start {
            walker.is_line_start = false;
            return Ok(walker.visit_held(CommentPlacement::Before));
        }
        Ok(Flow::Go)
    }

    fn mark(&mut self) -> Result<Flow> {
        let Some(cursors) = &mut self.cursors else {
            return Ok(Flow::Go);
        };
        let version = self.options.version;
        let data = match shapes_clocks_and_evals::read(&mut cursors.side, version) {
            Ok(data) => data,
            Err(malformed) => return self.end_annotations(malformed),
        };
        let walker = &mut self.walker;
        match data {
            SideItem::Empty => Ok(Flow::Go),
            SideItem::Annotation(annotation) => Ok(walker.visitor.visit_annotation(annotation)),
            SideItem::Bytes(bytes) if version < SECTIONS_SINCE && is_information(bytes) => {
                Ok(walker.visit_foreign(foreign::OLD_INFORMATION, bytes))
            }
            SideItem::Bytes(bytes) => Ok(walker.visit_foreign(foreign::INFORMATION, bytes)),
            SideItem::Diagram(caption) => {
                let caption = decode(caption, self.options.charset);
                let text = if caption.is_empty() {
                    "[#]".to_owned()
                } else {
                    format!("[#] {caption}")
                };
                let comment = Annotation::Comment(Comment {
                    placement: CommentPlacement::After,
                    language: None,
                    text: &text,
                });
                Ok(walker.visitor.visit_annotation(comment))
            }
        }
    }

    fn nag(&mut self) -> Result<Flow> {
        let number = if self.options.version < SEPARATE_NAGS_SINCE {
            let number = self.moves.get(self.at).copied();
            self.at += 1;
            number.filter(|_| self.cursors.is_some())
        } else {
            let Some(cursors) = &mut self.cursors else {
                return Ok(Flow::Go);
            };
            match cursors.side.u8("nag") {
                Ok(number) => Some(number),
                Err(malformed) => return self.end_annotations(malformed),
            }
        };
        Ok(match number {
            None => Flow::Go,
            Some(0) => self.walker.visit_foreign(foreign::ILLEGAL, &[]),
            Some(number) => {
                let nag = Annotation::Nag(Nag(number));
                self.walker.visitor.visit_annotation(nag)
            }
        })
    }

    fn comment(&mut self) -> Result<Flow> {
        let Some(cursors) = &mut self.cursors else {
            return Ok(Flow::Go);
        };
        let (before, after) = match cursors.comment() {
            Ok(texts) => texts,
            Err(malformed) => return self.end_annotations(malformed),
        };
        let is_held = self.walker.is_line_start && self.walker.is_in_variation();
        for (stored, placement) in [
            (before, CommentPlacement::Before),
            (after, CommentPlacement::After),
        ] {
            let Some(stored) = stored else {
                continue;
            };
            let flow = self.visit_text(stored, placement, is_held);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    /// The second byte of a line's end, and the comment that it may announce.
    fn end_comment(&mut self) -> Result<Flow> {
        let second = self.moves.get(self.at).copied();
        self.at += 1;
        if second != Some(token::COMMENT) {
            return Ok(Flow::Go);
        }
        let Some(cursors) = &mut self.cursors else {
            return Ok(Flow::Go);
        };
        let (before, after) = match cursors.comment() {
            Ok(texts) => texts,
            Err(malformed) => return self.end_annotations(malformed),
        };
        for stored in [before, after].into_iter().flatten() {
            let flow = self.visit_text(stored, CommentPlacement::After, false);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    /// Visits the texts of a comment, or holds them until the first move of their variation.
    fn visit_text(&mut self, stored: &[u8], placement: CommentPlacement, is_held: bool) -> Flow {
        let stored = decode(stored, self.options.charset);
        let (stored, evals) = text::take_evals(&stored);
        let is_comment = evals.is_empty() || !stored.is_empty();
        for eval in evals {
            let (_, visitor) = self.walker.held_and_visitor();
            let flow = visitor.visit_annotation(eval);
            if flow != Flow::Go {
                return flow;
            }
        }
        if !is_comment {
            return Flow::Go;
        }
        let read = text::read(&stored);
        for (language, text) in read.parts {
            let comment = HeldComment { language, text };
            let (held, visitor) = self.walker.held_and_visitor();
            if is_held {
                held.push(comment);
                continue;
            }
            let flow = visitor.visit_annotation(comment.annotation(placement));
            if flow != Flow::Go {
                return flow;
            }
        }
        if read.has_markup {
            return self
                .walker
                .visit_foreign(foreign::MARKUP, stored.as_bytes());
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Result<Flow> {
        let at = self.offset();
        let flow = self
            .walker
            .begin_variation(|walker| walker.refused_variation(at, token::BEGIN_VARIATION))?;
        if flow != Flow::Skip {
            return Ok(flow);
        }
        self.skip_line();
        // Its end, and the comment there.
        self.at += 1;
        if self.moves.get(self.at) == Some(&token::COMMENT)
            && let Some(cursors) = &mut self.cursors
            && cursors.comment().is_err()
        {
            self.cursors = None;
        }
        self.at = (self.at + 1).min(self.moves.len());
        Ok(Flow::Go)
    }

    /// Skips the rest of the current line with its side data and texts, and returns all of it:
    /// lengths of moves and side data (four bytes each, lowest first), moves, side data, texts.
    fn skip_line(&mut self) -> Vec<u8> {
        let bytes = self.moves;
        let start = self.at;
        let skipped_from = self.cursors;
        let version = self.options.version;
        let mut at = start;
        let mut depth = 0_u32;
        while let Some(&byte) = bytes.get(at) {
            let skipped = match (byte, &mut self.cursors) {
                (token::END, _) if depth == 0 => break,
                (token::END, cursors) => {
                    depth -= 1;
                    at += 1;
                    match cursors {
                        Some(cursors) if bytes.get(at) == Some(&token::COMMENT) => {
                            cursors.comment().map(drop)
                        }
                        _ => Ok(()),
                    }
                }
                (token::BEGIN_VARIATION, _) => {
                    depth += 1;
                    Ok(())
                }
                (token::NAG, _) if version < SEPARATE_NAGS_SINCE => {
                    at += 1;
                    Ok(())
                }
                (token::MARK, Some(cursors)) => {
                    shapes_clocks_and_evals::read(&mut cursors.side, version).map(drop)
                }
                (token::NAG, Some(cursors)) => cursors.side.u8("nag").map(drop),
                (token::COMMENT, Some(cursors)) => cursors.comment().map(drop),
                _ => Ok(()),
            };
            if skipped.is_err() {
                self.cursors = None;
            }
            at += 1;
        }
        self.at = at.min(bytes.len());
        let moves = bytes.get(start..self.at).unwrap_or_default();
        let (side, text) = skipped_from.map_or((&[][..], &[][..]), |from| {
            let to = self.cursors;
            (
                taken(from.side, to.map(|to| to.side)),
                taken(from.text, to.map(|to| to.text)),
            )
        });
        let mut sink = Sink::new();
        sink.u32_le(moves.len() as u32);
        sink.u32_le(side.len() as u32);
        sink.bytes(moves);
        sink.bytes(side);
        sink.bytes(text);
        sink.into_vec()
    }

    /// Visits the rest of the side data and texts as they are: an annotation ends too early or is
    /// of an unknown kind, so that nothing after it can be found.
    fn end_annotations(&mut self, malformed: Malformed) -> Result<Flow> {
        if let Some(SideCursors { side, text }) = self.cursors.take() {
            for rest in [side.rest(), text.rest()] {
                if !rest.is_empty() {
                    let flow = self.walker.visit_foreign(foreign::REST, rest);
                    if flow != Flow::Go {
                        return Ok(flow);
                    }
                }
            }
        }
        let problem = self.walker.problem(Malformed {
            at: self.body.side_at + malformed.at,
            ..malformed
        });
        self.walker.report(problem)
    }

    fn report(&mut self, field: &'static str, why: Why) -> Result<Flow> {
        let at = self.offset();
        self.walker.report_malformed(field, at, why)
    }
}

/// The bytes between two states of a cursor; all that were left without a second one.
fn taken<'a>(from: Cursor<'a>, to: Option<Cursor<'a>>) -> &'a [u8] {
    let left = to.map_or(0, |to| to.left());
    let length = from.left().saturating_sub(left);
    from.rest().get(..length).unwrap_or_default()
}

fn is_information(bytes: &[u8]) -> bool {
    bytes
        .first()
        .is_some_and(|&first| first >= shapes_clocks_and_evals::INFORMATION)
}

/// Two texts of a comment: before its move and after it.
type Stored<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

impl<'a> SideCursors<'a> {
    /// The texts of the next comment.
    fn comment(&mut self) -> Result<Stored<'a>, Malformed> {
        let flag = self.side.u8("comment_flag")?;
        let mut next = |bit: u8| {
            if flag & bit == 0 {
                return Ok(None);
            }
            let rest = self.text.rest();
            let end = memchr::memchr(0, rest).unwrap_or(rest.len());
            let text = self.text.take(end, "comment")?;
            self.text.u8("comment")?;
            Ok(Some(text))
        };
        Ok((next(comment_flag::BEFORE)?, next(comment_flag::AFTER)?))
    }
}
