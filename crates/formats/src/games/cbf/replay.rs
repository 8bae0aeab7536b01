//! From the moves of a record to a visitor, in PGN order, which is theirs.

use tabia_core::chess::Ply;
use tabia_core::error::{Malformed, Result, Why};
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Foreign, Visitor, Want};
use tabia_core::io::Charset;

use crate::games::common::record_context::Origin;

use super::annotations::Notes;
use super::moves::Board;
use super::record::Parts;

const BEGIN_VARIATION: u8 = 0xff;

/// The bit of a move that has an annotation; the other bits are its number, 0 the end of a line.
const NOTED: u8 = 0x80;

/// Kinds of bytes without a common meaning.
pub(crate) mod foreign {
    /// Codes of an annotation.
    pub(crate) const CODES: u16 = 1;
    /// What of the text area no move has taken.
    pub(crate) const TEXT: u16 = 2;
}

/// A line that waits for the end of a variation of it.
#[derive(Debug)]
pub(crate) struct Open {
    before: Option<Board>,
    after: Board,
    plies: u32,
}

/// Moves on their way to a visitor.
pub(crate) struct Walk<'a, 'v> {
    pub(crate) origin: Origin<'a>,
    pub(crate) want: Want,
    pub(crate) charset: Charset,
    /// Most variations inside variations.
    pub(crate) depth: u32,
    pub(crate) visitor: &'v mut dyn Visitor,
    pub(crate) open: &'v mut Vec<Open>,
}

/// The state of a walk.
struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the bytes in the record.
    base: usize,
    notes: Notes<'a>,
    board: Board,
    /// The position before the last move.
    before: Option<Board>,
    plies: u32,
}

impl Walk<'_, '_> {
    /// Visits the moves of a record, which start from `board`. `Skip` and `Stop` are the visitor's.
    pub(crate) fn run(&mut self, parts: &Parts, board: Board) -> Result<Flow> {
        self.open.clear();
        let mut line = Line {
            bytes: &parts.moves,
            at: 0,
            base: parts.moves_at,
            notes: Notes::new(&parts.text),
            board,
            before: None,
            plies: 0,
        };
        let flow = self.walk(&mut line)?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        while !self.open.is_empty() {
            let flow = self.report(
                "variation_end",
                Why::Truncated { needed: 1, left: 0 },
                &line,
            )?;
            if flow != Flow::Go {
                return Ok(flow);
            }
            self.end_variation(&mut line);
        }
        let rest = line.notes.rest();
        if !rest.is_empty() && self.want.has(Want::ANNOTATIONS) {
            return Ok(self.foreign(foreign::TEXT, rest));
        }
        Ok(Flow::Go)
    }

    fn walk(&mut self, line: &mut Line<'_>) -> Result<Flow> {
        while let Some(&byte) = line.bytes.get(line.at) {
            let at = line.at;
            line.at += 1;
            let flow = if byte == BEGIN_VARIATION {
                self.begin_variation(line)?
            } else if byte & !NOTED == 0 {
                if self.open.is_empty() {
                    return Ok(Flow::Go);
                }
                self.end_variation(line);
                Flow::Go
            } else {
                self.ply(byte, at, line)?
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    fn ply(&mut self, byte: u8, at: usize, line: &mut Line<'_>) -> Result<Flow> {
        let Some(m) = line.board.find(byte & !NOTED) else {
            return self.unread(at, line);
        };
        let mover = line.board.position.turn();
        let flow = self.visitor.visit_move(&line.board.position, Ply::Move(m));
        if flow != Flow::Go {
            return Ok(flow);
        }
        line.before = Some(line.board.clone());
        line.board.play(m);
        line.plies += 1;
        if byte & NOTED == 0 {
            return Ok(Flow::Go);
        }
        if !self.want.has(Want::ANNOTATIONS) {
            line.notes.skip();
            return Ok(Flow::Go);
        }
        let note = line.notes.read(mover, self.charset);
        for nag in note.nags() {
            let flow = self.visitor.visit_annotation(Annotation::Nag(nag));
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        if !note.text.is_empty() {
            let flow = self.visitor.visit_annotation(Annotation::Comment(Comment {
                placement: CommentPlacement::After,
                language: None,
                text: &note.text,
            }));
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        if note.unknown.is_empty() {
            return Ok(Flow::Go);
        }
        Ok(self.foreign(foreign::CODES, &note.unknown))
    }

    fn foreign(&mut self, kind: u16, bytes: &[u8]) -> Flow {
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: self.origin.format,
            kind,
            bytes,
        }))
    }

    /// A number that no legal move has ends its line. The bytes of the rest are kept, and behind
    /// them the annotations of its moves.
    fn unread(&mut self, at: usize, line: &mut Line<'_>) -> Result<Flow> {
        line.at = at;
        let kept = line.skip();
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

    fn begin_variation(&mut self, line: &mut Line<'_>) -> Result<Flow> {
        let mut flow = Flow::Skip;
        if self.want.has(Want::VARIATIONS) {
            let can_begin = line.before.is_some() && self.open.len() < self.depth as usize;
            flow = if can_begin {
                self.visitor.begin_variation()
            } else {
                // A variation of no move, or one too deep.
                match self.report("variation", Why::Value(BEGIN_VARIATION.into()), line)? {
                    Flow::Go => Flow::Skip,
                    other => return Ok(other),
                }
            };
        }
        match (flow, line.before.clone()) {
            (Flow::Go, Some(before)) => {
                self.open.push(Open {
                    before: line.before.take(),
                    after: std::mem::replace(&mut line.board, before),
                    plies: line.plies,
                });
                line.plies = line.plies.saturating_sub(1);
                Ok(Flow::Go)
            }
            (Flow::Stop, _) => Ok(Flow::Stop),
            _ => {
                line.skip();
                // The end of what was left out.
                line.at = (line.at + 1).min(line.bytes.len());
                Ok(Flow::Go)
            }
        }
    }

    fn end_variation(&mut self, line: &mut Line<'_>) {
        if let Some(open) = self.open.pop() {
            line.before = open.before;
            line.board = open.after;
            line.plies = open.plies;
            self.visitor.end_variation();
        }
    }

    fn report(&mut self, field: &'static str, why: Why, line: &Line<'_>) -> Result<Flow> {
        let fault = Malformed {
            field,
            at: line.base + line.at,
            why,
        };
        let error = self.origin.error(fault).at_ply(line.plies);
        self.origin.report(error, None, self.visitor)
    }
}

impl Line<'_> {
    /// Goes to the end of the line and takes its annotations. Gives both: the bytes of the moves,
    /// an end, the annotations.
    fn skip(&mut self) -> Vec<u8> {
        let mut depth = 0_u32;
        let mut end = self.at;
        let mut annotated = 0_usize;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                BEGIN_VARIATION => depth += 1,
                _ if byte & !NOTED != 0 => annotated += usize::from(byte & NOTED != 0),
                _ if depth == 0 => break,
                _ => depth -= 1,
            }
            end += 1;
        }
        let mut kept = self.bytes.get(self.at..end).unwrap_or_default().to_vec();
        kept.push(NOTED);
        for _ in 0..annotated {
            kept.extend_from_slice(self.notes.skip());
            kept.push(0xff);
        }
        self.at = end;
        kept
    }
}
