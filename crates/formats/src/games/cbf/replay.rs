//! Replays the moves of a record for a visitor. They are stored in PGN order.

use tabia_core::chess::{Color, Ply};
use tabia_core::error::Result;
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Want};
use tabia_core::io::Charset;

use crate::games::common::variation_walker::{VariationWalker, WalkerBuffers};

use super::annotations::AnnotationReader;
use super::moves::Board;
use super::record::Parts;

pub(crate) type Walker<'a, 'v> = VariationWalker<'a, 'v, Board>;
pub(crate) type Buffers = WalkerBuffers<Board>;

const BEGIN_VARIATION: u8 = 0xff;

/// The bit of a move that has an annotation. The other bits are the move's number, or 0 at the end
/// of a line.
const ANNOTATED: u8 = 0x80;

/// Kinds of foreign bytes.
pub(crate) mod foreign {
    /// Codes of an annotation.
    pub(crate) const CODES: u16 = 1;
    /// The part of the text area that belongs to no move.
    pub(crate) const TEXT: u16 = 2;
}

/// The moves of one game and how far they have been visited.
pub(crate) struct Replay<'a, 'v> {
    walker: Walker<'a, 'v>,
    charset: Charset,
    moves: &'a [u8],
    /// Offset of the moves in the record.
    moves_at: usize,
    /// Offset of the next byte in the moves.
    at: usize,
    annotations: AnnotationReader<'a>,
}

impl<'a, 'v> Replay<'a, 'v> {
    /// A replay of the moves of a record, which start from the walker's board.
    pub(crate) fn new(walker: Walker<'a, 'v>, parts: &'a Parts, charset: Charset) -> Self {
        Self {
            walker,
            charset,
            moves: &parts.moves,
            moves_at: parts.moves_at,
            at: 0,
            annotations: AnnotationReader::new(&parts.text),
        }
    }

    /// Visits the moves. `Skip` and `Stop` are the visitor's.
    pub(crate) fn run(&mut self) -> Result<Flow> {
        let flow = self.visit_moves()?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        let end = self.moves_at + self.at;
        let flow = self.walker.end_open_variations(Some(end))?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        let rest = self.annotations.rest();
        if !rest.is_empty() && self.walker.want.has(Want::ANNOTATIONS) {
            return Ok(self.walker.visit_foreign(foreign::TEXT, rest));
        }
        Ok(Flow::Go)
    }

    fn visit_moves(&mut self) -> Result<Flow> {
        while let Some(&byte) = self.moves.get(self.at) {
            let at = self.at;
            self.at += 1;
            let flow = if byte == BEGIN_VARIATION {
                self.begin_variation()?
            } else if byte & !ANNOTATED == 0 {
                if !self.walker.is_in_variation() {
                    return Ok(Flow::Go);
                }
                self.walker.end_variation()
            } else {
                self.visit_move(byte, at)?
            };
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    fn visit_move(&mut self, byte: u8, at: usize) -> Result<Flow> {
        let walker = &mut self.walker;
        let Some(m) = walker.board.find(byte & !ANNOTATED) else {
            self.at = at;
            let rest = self.skip_line();
            return self.walker.unreadable_moves(self.moves_at + at, rest);
        };
        let mover = walker.board.position.turn();
        let flow = walker
            .visitor
            .visit_move(&walker.board.position, Ply::Move(m));
        if flow != Flow::Go {
            return Ok(flow);
        }
        walker.before = Some(walker.board.clone());
        walker.board.play(m);
        walker.plies += 1;
        if byte & ANNOTATED == 0 {
            return Ok(Flow::Go);
        }
        if !walker.want.has(Want::ANNOTATIONS) {
            self.annotations.skip();
            return Ok(Flow::Go);
        }
        Ok(self.visit_annotations(mover))
    }

    /// Visits the annotations of a move.
    fn visit_annotations(&mut self, mover: Color) -> Flow {
        let annotations = self.annotations.read(mover, self.charset);
        for nag in annotations.nags() {
            let flow = self.walker.visitor.visit_annotation(Annotation::Nag(nag));
            if flow != Flow::Go {
                return flow;
            }
        }
        if !annotations.text.is_empty() {
            let comment = Annotation::Comment(Comment {
                placement: CommentPlacement::After,
                language: None,
                text: &annotations.text,
            });
            let flow = self.walker.visitor.visit_annotation(comment);
            if flow != Flow::Go {
                return flow;
            }
        }
        if annotations.unknown.is_empty() {
            return Flow::Go;
        }
        self.walker
            .visit_foreign(foreign::CODES, &annotations.unknown)
    }

    fn begin_variation(&mut self) -> Result<Flow> {
        let at = self.moves_at + self.at;
        let flow = self
            .walker
            .begin_variation(|walker| walker.refused_variation(at, BEGIN_VARIATION))?;
        if flow != Flow::Skip {
            return Ok(flow);
        }
        self.skip_line();
        // The end of the skipped variation.
        self.at = (self.at + 1).min(self.moves.len());
        Ok(Flow::Go)
    }

    /// Skips the rest of the current line with its annotations, and returns both: the bytes of the
    /// moves, an end, the annotations.
    fn skip_line(&mut self) -> Vec<u8> {
        let mut depth = 0_u32;
        let mut end = self.at;
        let mut annotated = 0_usize;
        while let Some(&byte) = self.moves.get(end) {
            match byte {
                BEGIN_VARIATION => depth += 1,
                _ if byte & !ANNOTATED != 0 => annotated += usize::from(byte & ANNOTATED != 0),
                _ if depth == 0 => break,
                _ => depth -= 1,
            }
            end += 1;
        }
        let mut rest = self.moves.get(self.at..end).unwrap_or_default().to_vec();
        rest.push(ANNOTATED);
        for _ in 0..annotated {
            rest.extend_from_slice(self.annotations.skip());
            rest.push(0xff);
        }
        self.at = end;
        rest
    }
}
