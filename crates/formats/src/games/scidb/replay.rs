//! From the moves of a record to a visitor. They are in PGN order; what is said of them comes from
//! two streams beside them.

use tabia_core::error::{Malformed, Result, Why};
use tabia_core::game::{
    Annotation, Comment, CommentPlacement, Flow, Foreign, Language, Nag, Visitor, Want,
};
use tabia_core::io::{Charset, Cursor, decode};

use crate::games::common::record_context::Origin;

use super::blob_scanner::End;
use super::board::{Board, token, variation_follows};
use super::record_body;
use super::record_body::Body;
use super::side_data;
use super::side_data::{Said, foreign};
use super::{NAGS_BESIDE_SINCE, SECTIONS_SINCE, VERSION, text};

/// Bits of the byte that says how a comment stands.
pub(crate) mod comment_flag {
    pub(crate) const BEFORE: u8 = 1;
    pub(crate) const AFTER: u8 = 2;
    pub(crate) const BEFORE_ENGLISH: u8 = 4;
    pub(crate) const BEFORE_OTHER: u8 = 8;
    pub(crate) const AFTER_ENGLISH: u8 = 16;
    pub(crate) const AFTER_OTHER: u8 = 32;
}

/// A line that waits for the end of a variation of it.
#[derive(Debug)]
struct Open {
    /// The position before the last move, and after it.
    before: Option<Board>,
    after: Board,
    plies: u32,
}

/// A comment that waits for the first move of its variation.
#[derive(Debug)]
struct Held {
    language: Option<Language>,
    text: String,
}

/// What reading games needs again and again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    open: Vec<Open>,
    held: Vec<Held>,
}

/// Moves on their way to a visitor.
pub(crate) struct Walk<'a, 'v> {
    pub(crate) origin: Origin<'a>,
    pub(crate) want: Want,
    pub(crate) charset: Charset,
    /// Most variations inside variations.
    pub(crate) depth: u32,
    pub(crate) version: u16,
    /// Plies of the mainline, as far as the index tells.
    pub(crate) plies: usize,
    pub(crate) visitor: &'v mut dyn Visitor,
    pub(crate) scratch: &'v mut Scratch,
    /// What is left over was lost by damage, and is told.
    pub(crate) salvage: bool,
    /// Where the mainline led to; known only when `salvage` asks for it.
    pub(crate) end: Option<End>,
}

/// What stands beside the moves.
#[derive(Debug, Clone, Copy)]
struct Beside<'a> {
    side: Cursor<'a>,
    text: Cursor<'a>,
}

/// The state of a walk.
struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the moves begin in the body, and the side data.
    base: usize,
    side_at: usize,
    /// `None` when nobody wants it, or when it has ended too early.
    beside: Option<Beside<'a>>,
    board: Board,
    /// The position before the last move, when a variation replaces it.
    before: Option<Board>,
    plies: u32,
    /// No move yet in this line.
    fresh: bool,
    /// What the table of times says of the plies of the mainline.
    times: Vec<Vec<Annotation<'static>>>,
}

impl<'a> Walk<'a, '_> {
    /// Visits the moves of a body, which start from `board`. `Skip` and `Stop` are the visitor's.
    pub(crate) fn run(&mut self, body: &Body<'a>, board: Board) -> Result<Flow> {
        self.scratch.open.clear();
        self.scratch.held.clear();
        let wanted = self.want.has(Want::ANNOTATIONS);
        let mut line = Line {
            bytes: body.moves,
            at: 0,
            base: body.moves_at,
            side_at: body.side_at,
            beside: wanted.then(|| Beside {
                side: Cursor::new(body.side),
                text: Cursor::new(body.text),
            }),
            board,
            before: None,
            plies: 0,
            fresh: true,
            times: Vec::new(),
        };
        if wanted {
            let mut kept = body.time_table;
            if let Some(times) = record_body::times(kept, self.version, self.plies) {
                line.times = times;
                kept = &[];
            }
            let kind = if self.version < VERSION {
                foreign::REST
            } else {
                foreign::TIME_TABLE
            };
            for (kind, bytes) in [(foreign::ENGINES, body.engines), (kind, kept)] {
                if !bytes.is_empty() && self.foreign(kind, bytes) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
        }
        let flow = self.walk(&mut line)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        while !self.scratch.open.is_empty() {
            let why = Why::Truncated { needed: 1, left: 0 };
            let flow = self.report("variation_end", why, &line)?;
            if flow != Flow::Go {
                return Ok(flow);
            }
            let flow = self.end_variation(&mut line);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        if self.salvage {
            self.end = Some(End::new(line.plies, &line.board.position));
        }
        if let Some(Beside { side, text }) = line.beside {
            for rest in [side.rest(), text.rest()] {
                if !rest.is_empty() && self.foreign(foreign::REST, rest) == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            let left = side.left() + text.left();
            if self.salvage && left > 0 {
                let why = Why::Truncated {
                    needed: left,
                    left: 0,
                };
                return self.report("annotations", why, &line);
            }
        }
        Ok(Flow::Go)
    }

    fn walk(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        loop {
            let Some(&byte) = line.bytes.get(line.at) else {
                let why = Why::Truncated { needed: 1, left: 0 };
                return self.report("moves", why, line);
            };
            let at = line.at;
            line.at += 1;
            let flow = match byte {
                token::MARK => self.mark(line)?,
                token::NAG => self.nag(line)?,
                token::COMMENT => self.comment(line)?,
                token::BEGIN_VARIATION => self.begin_variation(line)?,
                token::END => {
                    let flow = self.end(line)?;
                    if flow == Flow::Go && self.scratch.open.is_empty() {
                        return Ok(Flow::Go);
                    }
                    if flow == Flow::Go {
                        self.end_variation(line)
                    } else {
                        flow
                    }
                }
                byte => self.ply(byte, at, line)?,
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
    }

    fn ply(&mut self, byte: u8, at: usize, line: &mut Line<'a>) -> Result<Flow> {
        let mut next = line.at;
        let ply = line.board.decode(byte, || {
            let second = line.bytes.get(next).copied();
            next += 1;
            second
        });
        let Some(ply) = ply else {
            return self.unread(at, line);
        };
        line.at = next;
        if self.want.has(Want::VARIATIONS)
            && variation_follows(line.bytes, next, self.version < NAGS_BESIDE_SINCE)
        {
            line.before = Some(line.board.clone());
        }
        let flow = self.visitor.visit_move(&line.board.position, ply);
        if flow != Flow::Go {
            return Ok(flow);
        }
        line.board.play(ply);
        line.plies += 1;
        if self.scratch.open.is_empty()
            && let Some(times) = line.times.get(line.plies as usize - 1)
        {
            for &annotation in times {
                let flow = self.visitor.visit_annotation(annotation);
                if flow != Flow::Go {
                    return Ok(flow);
                }
            }
        }
        if line.fresh {
            line.fresh = false;
            return Ok(self.show_held(CommentPlacement::Before));
        }
        Ok(Flow::Go)
    }

    /// A move that cannot be played ends its line. What is left of the line is kept: its moves,
    /// and with lengths before them its side data and its texts.
    fn unread(&mut self, at: usize, line: &mut Line<'a>) -> Result<Flow> {
        line.at = at;
        let kept = self.skip_line(line);
        if self.want.has(Want::ANNOTATIONS) {
            let flow = self.foreign(Foreign::UNREAD_MOVES, &kept);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        let fault = Malformed {
            field: "move",
            at: line.base + at,
            why: Why::IllegalMove,
        };
        let error = self.origin.error(fault).at_ply(line.plies);
        self.origin
            .report(error, Some(kept.into_boxed_slice()), self.visitor)
    }

    fn mark(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let Some(beside) = &mut line.beside else {
            return Ok(Flow::Go);
        };
        let said = match side_data::read(&mut beside.side, self.version) {
            Ok(said) => said,
            Err(fault) => return self.side_fault(fault, line),
        };
        match said {
            Said::Nothing => Ok(Flow::Go),
            Said::Annotation(annotation) => Ok(self.visitor.visit_annotation(annotation)),
            Said::Bytes(bytes) if self.version < SECTIONS_SINCE && is_information(bytes) => {
                Ok(self.foreign(foreign::OLD_INFORMATION, bytes))
            }
            Said::Bytes(bytes) => Ok(self.foreign(foreign::INFORMATION, bytes)),
            Said::Diagram(caption) => {
                let caption = decode(caption, self.charset);
                let text = if caption.is_empty() {
                    "[#]".to_owned()
                } else {
                    format!("[#] {caption}")
                };
                Ok(self.visitor.visit_annotation(Annotation::Comment(Comment {
                    placement: CommentPlacement::After,
                    language: None,
                    text: &text,
                })))
            }
        }
    }

    fn nag(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let number = if self.version < NAGS_BESIDE_SINCE {
            let number = line.bytes.get(line.at).copied();
            line.at += 1;
            number.filter(|_| line.beside.is_some())
        } else {
            let Some(beside) = &mut line.beside else {
                return Ok(Flow::Go);
            };
            match beside.side.u8("nag") {
                Ok(number) => Some(number),
                Err(fault) => return self.side_fault(fault, line),
            }
        };
        Ok(match number {
            None => Flow::Go,
            Some(0) => self.foreign(foreign::ILLEGAL, &[]),
            Some(number) => self.visitor.visit_annotation(Annotation::Nag(Nag(number))),
        })
    }

    fn comment(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let Some(beside) = &mut line.beside else {
            return Ok(Flow::Go);
        };
        let (before, after) = match beside.comment() {
            Ok(texts) => texts,
            Err(fault) => return self.side_fault(fault, line),
        };
        let waits = line.fresh && !self.scratch.open.is_empty();
        for (stored, placement) in [
            (before, CommentPlacement::Before),
            (after, CommentPlacement::After),
        ] {
            let Some(stored) = stored else {
                continue;
            };
            let flow = self.show(stored, placement, waits);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    /// The end of a line, which may have a comment.
    fn end(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let second = line.bytes.get(line.at).copied();
        line.at += 1;
        if second != Some(token::COMMENT) {
            return Ok(Flow::Go);
        }
        let Some(beside) = &mut line.beside else {
            return Ok(Flow::Go);
        };
        let (before, after) = match beside.comment() {
            Ok(texts) => texts,
            Err(fault) => return self.side_fault(fault, line),
        };
        for stored in [before, after].into_iter().flatten() {
            let flow = self.show(stored, CommentPlacement::After, false);
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    /// Visits the texts of a comment, or keeps them for the first move of their variation.
    fn show(&mut self, stored: &[u8], placement: CommentPlacement, waits: bool) -> Flow {
        let stored = decode(stored, self.charset);
        let read = text::read(&stored);
        for (language, text) in read.parts {
            if waits {
                self.scratch.held.push(Held { language, text });
                continue;
            }
            let flow = self.visitor.visit_annotation(Annotation::Comment(Comment {
                placement,
                language,
                text: &text,
            }));
            if flow != Flow::Go {
                return flow;
            }
        }
        if read.has_markup {
            return self.foreign(foreign::MARKUP, stored.as_bytes());
        }
        Flow::Go
    }

    fn show_held(&mut self, placement: CommentPlacement) -> Flow {
        for held in self.scratch.held.drain(..) {
            let flow = self.visitor.visit_annotation(Annotation::Comment(Comment {
                placement,
                language: held.language,
                text: &held.text,
            }));
            if flow != Flow::Go {
                return flow;
            }
        }
        Flow::Go
    }

    fn foreign(&mut self, kind: u16, bytes: &[u8]) -> Flow {
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: self.origin.format,
            kind,
            bytes,
        }))
    }

    fn begin_variation(&mut self, line: &mut Line<'a>) -> Result<Flow> {
        let mut flow = Flow::Skip;
        if self.want.has(Want::VARIATIONS) {
            let can_begin = line.before.is_some() && self.scratch.open.len() < self.depth as usize;
            flow = if can_begin {
                self.visitor.begin_variation()
            } else {
                // A variation of no move, or one too deep.
                let why = Why::Value(token::BEGIN_VARIATION.into());
                match self.report("variation", why, line)? {
                    Flow::Go => Flow::Skip,
                    other => return Ok(other),
                }
            };
        }
        match (flow, line.before.clone()) {
            (Flow::Go, Some(before)) => {
                self.scratch.open.push(Open {
                    before: line.before.take(),
                    after: std::mem::replace(&mut line.board, before),
                    plies: line.plies,
                });
                line.plies = line.plies.saturating_sub(1);
                line.fresh = true;
                Ok(Flow::Go)
            }
            (Flow::Stop, _) => Ok(Flow::Stop),
            _ => {
                self.skip_line(line);
                // Its end, and the comment there.
                line.at += 1;
                if line.bytes.get(line.at) == Some(&token::COMMENT)
                    && let Some(beside) = &mut line.beside
                    && beside.comment().is_err()
                {
                    line.beside = None;
                }
                line.at = (line.at + 1).min(line.bytes.len());
                Ok(Flow::Go)
            }
        }
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

    /// Goes to the end of the line at hand, and passes over what stands beside it. Gives all of
    /// it: lengths of moves and side data (four bytes each, lowest first), moves, side data, texts.
    fn skip_line(&self, line: &mut Line<'a>) -> Vec<u8> {
        let start = line.at;
        let beside = line.beside;
        let mut depth = 0_u32;
        while let Some(&byte) = line.bytes.get(line.at) {
            let passed = match (byte, &mut line.beside) {
                (token::END, _) if depth == 0 => break,
                (token::END, beside) => {
                    depth -= 1;
                    line.at += 1;
                    match beside {
                        Some(beside) if line.bytes.get(line.at) == Some(&token::COMMENT) => {
                            beside.comment().map(drop)
                        }
                        _ => Ok(()),
                    }
                }
                (token::BEGIN_VARIATION, _) => {
                    depth += 1;
                    Ok(())
                }
                (token::NAG, _) if self.version < NAGS_BESIDE_SINCE => {
                    line.at += 1;
                    Ok(())
                }
                (token::MARK, Some(beside)) => {
                    side_data::read(&mut beside.side, self.version).map(drop)
                }
                (token::NAG, Some(beside)) => beside.side.u8("nag").map(drop),
                (token::COMMENT, Some(beside)) => beside.comment().map(drop),
                _ => Ok(()),
            };
            if passed.is_err() {
                line.beside = None;
            }
            line.at += 1;
        }
        line.at = line.at.min(line.bytes.len());
        let moves = line.bytes.get(start..line.at).unwrap_or_default();
        let passed = |before: Cursor<'a>, after: Option<Cursor<'a>>| -> &'a [u8] {
            let left = after.map_or(0, |after| after.left());
            let length = before.left().saturating_sub(left);
            before.rest().get(..length).unwrap_or_default()
        };
        let side = beside.map_or(&[][..], |b| passed(b.side, line.beside.map(|a| a.side)));
        let text = beside.map_or(&[][..], |b| passed(b.text, line.beside.map(|a| a.text)));
        let mut sink = tabia_core::io::Sink::new();
        sink.u32_le(moves.len() as u32);
        sink.u32_le(side.len() as u32);
        sink.bytes(moves);
        sink.bytes(side);
        sink.bytes(text);
        sink.into_vec()
    }

    /// What stands beside the moves has ended too early, or says what is not known: from here on
    /// nothing in it has a place.
    fn side_fault(&mut self, fault: Malformed, line: &mut Line<'a>) -> Result<Flow> {
        let rest = line.beside.take();
        if let Some(Beside { side, text }) = rest {
            for rest in [side.rest(), text.rest()] {
                if !rest.is_empty() {
                    let flow = self.foreign(foreign::REST, rest);
                    if flow != Flow::Go {
                        return Ok(flow);
                    }
                }
            }
        }
        let fault = Malformed {
            at: line.side_at + fault.at,
            ..fault
        };
        let error = self.origin.error(fault).at_ply(line.plies);
        self.origin.report(error, None, self.visitor)
    }

    fn report(&mut self, field: &'static str, why: Why, line: &Line<'a>) -> Result<Flow> {
        let fault = Malformed {
            field,
            at: line.base + line.at,
            why,
        };
        let error = self.origin.error(fault).at_ply(line.plies);
        self.origin.report(error, None, self.visitor)
    }
}

fn is_information(bytes: &[u8]) -> bool {
    bytes
        .first()
        .is_some_and(|&first| first >= side_data::INFORMATION)
}

/// Two texts of a comment: before its move and after it.
type Stored<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

impl<'a> Beside<'a> {
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
