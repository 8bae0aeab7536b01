//! Decodes the moves of a game and visits them in PGN order.
//!
//! Records contain the mainline to its end first, then the alternatives from the last branch back.
//! As long as no move has alternatives, stored order is PGN order and moves go directly to the
//! visitor. From the first branch on, the rest is read into a tree of moves, which is then visited.

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Error, Malformed, Why};
use tabia_core::game::{Annotation, Flow, Foreign, Visitor, Want};

use super::move_reader::{Board, MoveReader, MoveRecord, Step};
use super::piece_numbers::PieceNumbers;
use super::start_position;
use crate::games::cbh::format_id::ID;

/// The game or the move to which annotations belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnotationAnchor {
    /// The game; visited before the first move.
    Game,
    /// The move with this number in stored order, from 0; visited after it.
    Move(u32),
    /// Moves with this number or above, which the game does not have; visited after the last move
    /// of the mainline.
    Past(u32),
}

/// The annotations of a game.
pub trait AnnotationSource {
    /// Visits the annotations of one anchor.
    fn visit(&mut self, anchor: AnnotationAnchor, visitor: &mut dyn Visitor) -> Flow;

    /// One more than the highest number of a move with annotations; 0 if no move has any.
    fn end_number(&self) -> u32;
}

/// An [`AnnotationSource`] without annotations.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAnnotations;

impl AnnotationSource for NoAnnotations {
    fn visit(&mut self, _anchor: AnnotationAnchor, _visitor: &mut dyn Visitor) -> Flow {
        Flow::Go
    }

    fn end_number(&self) -> u32 {
        0
    }
}

/// The outcome of [`Decoder::visit`].
#[derive(Debug)]
pub struct Visited {
    /// The visitor's last answer.
    pub flow: Flow,
    /// Why the rest of the record could not be read; `None` if all of it was read. Moves before
    /// the error were visited, and if annotations were wanted, the rest was visited as [`Foreign`]
    /// bytes.
    pub error: Option<Error>,
}

/// Decodes move records; its buffers are reused from record to record.
#[derive(Debug)]
pub struct Decoder {
    /// Numbers of the pieces in the standard position, counted from a1 and from h8.
    standard: [PieceNumbers; 2],
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    frames: Vec<VariationFrame>,
    depth: u32,
}

/// A move in stored order. The first continuation of a move is the next node, if it has one.
#[derive(Debug, Clone, Copy)]
struct Node {
    ply: Ply,
    has_next: bool,
    /// The next alternative to this move.
    alternative: u32,
    /// For the first move of a position: its last alternative so far.
    tail: u32,
}

/// No move.
const NONE: u32 = u32::MAX;

/// A position with an alternative that is stored later.
#[derive(Debug, Clone)]
struct Branch {
    board: Board,
    /// The move that led to it.
    last: u32,
    /// The first move read in this position.
    first: u32,
    ply: u32,
}

/// A position whose alternatives are being visited.
#[derive(Debug)]
struct VariationFrame {
    before: Position,
    first: u32,
    alternative: u32,
    is_open: bool,
}

/// Why and after how many plies reading ended early.
struct ReadFailure {
    malformed: Malformed,
    ply: u32,
}

impl Decoder {
    /// A decoder that refuses variations nested deeper than `depth`.
    pub fn new(depth: u32) -> Self {
        let position = Position::standard();
        Self {
            standard: [
                PieceNumbers::new(&position, false),
                PieceNumbers::new(&position, true),
            ],
            nodes: Vec::new(),
            branches: Vec::new(),
            frames: Vec::new(),
            depth,
        }
    }

    /// Reads the head and start position of the record at the start of `bytes`; `base` is its
    /// offset in the file, `chess960` the start number in the game's header.
    ///
    /// Games with a setup position that castle without the stored right get the right.
    ///
    /// # Errors
    /// If the head or the start position is malformed.
    pub fn open<'r>(
        &mut self,
        bytes: &'r [u8],
        base: u64,
        chess960: Option<u16>,
    ) -> Result<MoveRecord<'r>, Malformed> {
        let mut record = MoveRecord::read(bytes, base, chess960)?;
        let Some(setup) = &record.start.setup else {
            return Ok(record);
        };
        let missing = start_position::missing_rights(setup);
        if missing.is_empty() {
            return Ok(record);
        }
        let (mut read, mut is_complete) = self.count_readable(&record);
        // A right may be needed after a move that needs another one.
        let mut has_progress = true;
        while has_progress && !is_complete {
            has_progress = false;
            for &(color, side) in &missing {
                if is_complete {
                    break;
                }
                let mut granted = record.clone();
                if let Some(setup) = &mut granted.start.setup {
                    setup.castling[color as usize][side] =
                        start_position::CLASSICAL[color as usize][side];
                }
                let (further, is_granted_complete) = self.count_readable(&granted);
                if further > read {
                    (record, read, is_complete) = (granted, further, is_granted_complete);
                    has_progress = true;
                }
            }
        }
        Ok(record)
    }

    /// Visits the moves of a record, with their annotations, in PGN order.
    pub fn visit(
        &mut self,
        record: &MoveRecord<'_>,
        want: Want,
        visitor: &mut dyn Visitor,
        annotations: &mut dyn AnnotationSource,
    ) -> Visited {
        let is_annotated = want.has(Want::ANNOTATIONS);
        let mut target = AnnotatedVisitor {
            is_annotated,
            end_number: if is_annotated {
                annotations.end_number()
            } else {
                0
            },
            visitor,
            annotations,
        };
        let mut error = None;
        let flow = self.visit_record(record, want, &mut target, &mut error);
        Visited { flow, error }
    }

    fn visit_record(
        &mut self,
        record: &MoveRecord<'_>,
        want: Want,
        target: &mut AnnotatedVisitor<'_>,
        error: &mut Option<Error>,
    ) -> Flow {
        let flow = target.visit_annotations(AnnotationAnchor::Game);
        if flow != Flow::Go || !want.has(Want::MAINLINE) {
            return flow;
        }
        if let Err(unsupported) = record.check_mode() {
            *error = Some(unsupported);
            return target.visit_unread(record.bytes);
        }
        let (Some(mut reader), Some(mut board)) = (MoveReader::new(record), self.board(record))
        else {
            return Self::visit_unplayable(record, target, error);
        };
        let mut branches = 0u32;
        // Branches in the current position. A line that ends at once is empty, and the mainline
        // goes on with the next alternative.
        let mut branches_here = 0u32;
        loop {
            let stored = reader.moves();
            match reader.next(&mut board) {
                Step::Play(ply) => {
                    let flow = target.visitor.visit_move(&board.position, ply);
                    if flow != Flow::Go {
                        return flow;
                    }
                    board.position.play_ply_inlined(ply);
                    branches_here = 0;
                    let flow = target.visit_annotations_of(stored);
                    if flow != Flow::Go {
                        return flow;
                    }
                }
                Step::Branch if want.has(Want::VARIATIONS) => {
                    let start = board.position.clone();
                    let failure = self.collect(&mut reader, board, stored);
                    let rest = reader.offset();
                    let unread = failure.map(|failure| fail(&failure, record, error, rest));
                    return self.visit_nodes(start, stored, unread, target);
                }
                Step::Branch => {
                    branches += 1;
                    branches_here += 1;
                }
                Step::End if branches_here > 0 => {
                    branches -= 1;
                    branches_here -= 1;
                }
                Step::End => {
                    if target.end_number > stored
                        && let Some(rest) = branches
                            .checked_sub(1)
                            .map_or(Some(0), |open| reader.count_rest(open))
                        && target.end_number > stored + rest
                    {
                        return target.visit_annotations(AnnotationAnchor::Past(stored + rest));
                    }
                    return Flow::Go;
                }
                Step::Unreadable => {
                    let rest = reader.offset();
                    let failure = ReadFailure {
                        malformed: reader.malformed(),
                        ply: stored,
                    };
                    let unread = fail(&failure, record, error, rest);
                    return target.visit_unread(unread);
                }
            }
        }
    }

    /// Visits the moves of a start position that cannot be played from as unread bytes.
    fn visit_unplayable(
        record: &MoveRecord<'_>,
        target: &mut AnnotatedVisitor<'_>,
        error: &mut Option<Error>,
    ) -> Flow {
        let has_moves = MoveReader::new(record).and_then(|reader| reader.count_rest(0)) != Some(0);
        if !has_moves {
            return Flow::Go;
        }
        let malformed = Malformed {
            field: "move",
            at: record.body,
            why: Why::IllegalMove,
        };
        *error = Some(malformed.at_base(record.base).at_ply(0));
        target.visit_unread(record.bytes.get(record.body..).unwrap_or_default())
    }

    /// The start position and its piece numbers; `None` if it cannot be played from.
    fn board(&self, record: &MoveRecord<'_>) -> Option<Board> {
        let position = record.start.position()?;
        let numbers = match (&record.start.setup, &self.standard) {
            (None, [_, reverse]) if record.is_reverse() => reverse.clone(),
            (None, [forward, _]) => forward.clone(),
            (Some(_), _) => PieceNumbers::new(&position, record.is_reverse()),
        };
        Some(Board { position, numbers })
    }

    /// The number of moves of a record that can be read, and whether these are all.
    fn count_readable(&mut self, record: &MoveRecord<'_>) -> (u32, bool) {
        match (MoveReader::new(record), self.board(record)) {
            (Some(mut reader), Some(board)) => {
                let failure = self.collect_from(&mut reader, board, 0, false);
                (reader.moves(), failure.is_none())
            }
            _ => (0, true),
        }
    }

    /// Reads the rest of a game, from its first branch on, into `self.nodes`.
    fn collect(
        &mut self,
        reader: &mut MoveReader<'_>,
        board: Board,
        ply: u32,
    ) -> Option<ReadFailure> {
        self.collect_from(reader, board, ply, true)
    }

    fn collect_from(
        &mut self,
        reader: &mut MoveReader<'_>,
        mut board: Board,
        mut ply: u32,
        is_branch: bool,
    ) -> Option<ReadFailure> {
        self.nodes.clear();
        self.branches.clear();
        let mut last = NONE;
        // The first move of the branch's position after a line has ended, NONE inside a line.
        let mut first = NONE;
        let mut step = if is_branch {
            Step::Branch
        } else {
            reader.next(&mut board)
        };
        loop {
            let next = self.nodes.len() as u32;
            match step {
                Step::Branch => {
                    if self.branches.len() >= self.depth as usize {
                        let malformed = Malformed {
                            field: "variation",
                            at: reader.offset(),
                            why: Why::Value(u64::from(self.depth)),
                        };
                        return Some(ReadFailure { malformed, ply });
                    }
                    self.branches.push(Branch {
                        board: board.clone(),
                        last,
                        first: if first == NONE { next } else { first },
                        ply,
                    });
                }
                Step::Play(played) => {
                    self.add(played, last, first);
                    board.position.play_ply(played);
                    (last, first) = (next, NONE);
                    ply += 1;
                }
                Step::End => {
                    let branch = self.branches.pop()?;
                    board = branch.board;
                    (last, first, ply) = (branch.last, branch.first, branch.ply);
                }
                Step::Unreadable => {
                    let malformed = reader.malformed();
                    return Some(ReadFailure { malformed, ply });
                }
            }
            step = reader.next(&mut board);
        }
    }

    /// Adds a move as the continuation of `last`, or as another alternative to `first`.
    fn add(&mut self, ply: Ply, last: u32, first: u32) {
        let added = self.nodes.len() as u32;
        self.nodes.push(Node {
            ply,
            has_next: false,
            alternative: NONE,
            tail: added,
        });
        if first < added {
            let tail = self.node(first).map_or(NONE, |node| node.tail);
            if let Some(node) = self.nodes.get_mut(tail as usize) {
                node.alternative = added;
            }
            if let Some(node) = self.nodes.get_mut(first as usize) {
                node.tail = added;
            }
        } else if let Some(node) = self.nodes.get_mut(last as usize) {
            node.has_next = true;
        }
    }

    fn node(&self, index: u32) -> Option<Node> {
        self.nodes.get(index as usize).copied()
    }

    /// Visits `self.nodes`, which begin in `position` with the stored move number `base`. Unread
    /// bytes are visited after the last move in stored order.
    fn visit_nodes(
        &mut self,
        position: Position,
        base: u32,
        unread: Option<&[u8]>,
        target: &mut AnnotatedVisitor<'_>,
    ) -> Flow {
        macro_rules! go {
            ($flow:expr) => {
                match $flow {
                    Flow::Go => {}
                    other => return other,
                }
            };
        }
        self.frames.clear();
        let mut position = position;
        let count = self.nodes.len() as u32;
        if count == 0
            && let Some(bytes) = unread
        {
            return target.visit_unread(bytes);
        }
        let mut at = 0;
        let mut is_first = true;
        while let Some(node) = self.node(at) {
            if let Ply::Move(m) = node.ply {
                position.cache_check(m);
            }
            go!(target.visitor.visit_move(&position, node.ply));
            go!(target.visit_annotations_of(base + at));
            if let Some(bytes) = unread
                && at + 1 == count
            {
                go!(target.visit_unread(bytes));
            } else if target.end_number > base + count
                && !node.has_next
                && is_first
                && self.frames.is_empty()
                && unread.is_none()
            {
                go!(target.visit_annotations(AnnotationAnchor::Past(base + count)));
            }
            if is_first && node.alternative != NONE {
                self.frames.push(VariationFrame {
                    before: position.clone(),
                    first: at,
                    alternative: node.alternative,
                    is_open: false,
                });
            } else if node.has_next {
                position.play_ply(node.ply);
                at += 1;
                is_first = true;
                continue;
            }
            // The next alternative, or the rest of the line if all its alternatives were visited.
            loop {
                let Some(frame) = self.frames.last_mut() else {
                    return Flow::Go;
                };
                if frame.is_open {
                    target.visitor.end_variation();
                    frame.is_open = false;
                }
                if let Some(node) = self.nodes.get(frame.alternative as usize) {
                    at = frame.alternative;
                    frame.alternative = node.alternative;
                    match target.visitor.begin_variation() {
                        Flow::Go => {}
                        Flow::Skip => continue,
                        Flow::Stop => return Flow::Stop,
                    }
                    frame.is_open = true;
                    position.clone_from(&frame.before);
                    is_first = false;
                    break;
                }
                let Some(frame) = self.frames.pop() else {
                    return Flow::Go;
                };
                let Some(node) = self.node(frame.first) else {
                    return Flow::Go;
                };
                if node.has_next {
                    position = frame.before;
                    position.play_ply(node.ply);
                    at = frame.first + 1;
                    is_first = true;
                    break;
                }
            }
        }
        Flow::Go
    }
}

/// Stores the error of a failure and returns the unread bytes, which begin at `rest`.
fn fail<'r>(
    failure: &ReadFailure,
    record: &MoveRecord<'r>,
    error: &mut Option<Error>,
    rest: usize,
) -> &'r [u8] {
    *error = Some(failure.malformed.at_base(record.base).at_ply(failure.ply));
    record.bytes.get(rest..).unwrap_or_default()
}

/// A visitor together with the annotations for it.
struct AnnotatedVisitor<'v> {
    /// Whether annotations are wanted.
    is_annotated: bool,
    /// The end number of the annotations; 0 if they are not wanted.
    end_number: u32,
    visitor: &'v mut dyn Visitor,
    annotations: &'v mut dyn AnnotationSource,
}

impl AnnotatedVisitor<'_> {
    #[inline]
    fn visit_annotations(&mut self, anchor: AnnotationAnchor) -> Flow {
        if self.is_annotated {
            self.annotations.visit(anchor, self.visitor)
        } else {
            Flow::Go
        }
    }

    /// Visits the annotations of a move by its number in stored order.
    #[inline]
    fn visit_annotations_of(&mut self, number: u32) -> Flow {
        if number < self.end_number {
            self.annotations
                .visit(AnnotationAnchor::Move(number), self.visitor)
        } else {
            Flow::Go
        }
    }

    /// Visits unread moves as foreign bytes, if annotations are wanted.
    fn visit_unread(&mut self, bytes: &[u8]) -> Flow {
        if !self.is_annotated || bytes.is_empty() {
            return Flow::Go;
        }
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: ID,
            kind: Foreign::UNREAD_MOVES,
            bytes,
        }))
    }
}
