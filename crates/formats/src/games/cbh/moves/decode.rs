//! Reads the moves of a game and hands them on in PGN order.
//!
//! Records hold the mainline to its end first, then the alternatives from the last branch back.
//! As long as no move has alternatives, stored order is PGN order and moves go straight to the
//! visitor. From the first branch on, the rest is read into a flat list of moves and walked.

use tabia_core::chess::{Ply, Position};
use tabia_core::error::{Error, Malformed, Why};
use tabia_core::game::{Annotation, Flow, Foreign, Visitor, Want};

use super::move_reader::{Board, Input, MoveRecord, Step};
use super::piece_numbers::Slots;
use super::start_position;
use crate::games::cbh::annotations::CBH;

/// Where annotations of a game stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Before the first move: those of the whole game.
    Game,
    /// After the move with that number in stored order, from 0.
    Move(u32),
    /// After the last move of the mainline: those whose move is that number or above, which is
    /// past the last move of the game.
    Past(u32),
}

/// The annotations of a game.
pub trait Notes {
    /// Hands on the annotations of one spot.
    fn visit(&mut self, spot: Spot, visitor: &mut dyn Visitor) -> Flow;

    /// One above the highest number of a move that has annotations.
    fn reach(&self) -> u32;
}

/// What came of reading the moves.
#[derive(Debug)]
pub struct Visited {
    /// The visitor's last answer.
    pub flow: Flow,
    /// Why the rest of the record could not be read. What could be read was visited, and the rest
    /// was handed on as [`Foreign`] bytes when annotations were wanted.
    pub fault: Option<Error>,
}

/// Reads move records, one after another, reusing its memory.
#[derive(Debug)]
pub struct Decoder {
    /// Numbers of the pieces in the usual start position, from a1 and from h8.
    standard: [Slots; 2],
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    frames: Vec<Frame>,
    depth: u32,
}

/// A move in stored order. The first continuation of a move, if it has one, is the next in order.
#[derive(Debug, Clone, Copy)]
struct Node {
    ply: Ply,
    has_next: bool,
    /// The next alternative to this move.
    alternative: u32,
    /// Of the first alternative in a position: the last one so far.
    tail: u32,
}

/// No move.
const NONE: u32 = u32::MAX;

/// A position to which reading comes back.
#[derive(Debug, Clone)]
struct Branch {
    board: Board,
    /// The move before.
    last: u32,
    /// The first move read in this position.
    first: u32,
    ply: u32,
}

/// A position whose alternatives are being visited.
#[derive(Debug)]
struct Frame {
    before: Position,
    first: u32,
    alternative: u32,
    is_open: bool,
}

/// Why and where reading stopped.
struct Stop {
    malformed: Malformed,
    ply: u32,
}

impl Decoder {
    /// Refuses variations nested deeper than `depth`.
    pub fn new(depth: u32) -> Self {
        let position = Position::standard();
        Self {
            standard: [Slots::new(&position, false), Slots::new(&position, true)],
            nodes: Vec::new(),
            branches: Vec::new(),
            frames: Vec::new(),
            depth,
        }
    }

    /// Reads the head and start position of the record that begins at `bytes`; `base` is its offset
    /// in the file, `chess960` the start number that the game's header gives.
    ///
    /// Set-up games that castle without the stored right get the right.
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
        let (mut read, mut whole) = self.readable(&record);
        // A right may be needed behind a move that needs another.
        let mut has_more = true;
        while has_more && !whole {
            has_more = false;
            for &(color, side) in &missing {
                if whole {
                    break;
                }
                let mut granted = record.clone();
                if let Some(setup) = &mut granted.start.setup {
                    setup.castling[color as usize][side] =
                        start_position::CLASSICAL[color as usize][side];
                }
                let (further, granted_whole) = self.readable(&granted);
                if further > read {
                    (record, read, whole) = (granted, further, granted_whole);
                    has_more = true;
                }
            }
        }
        Ok(record)
    }

    /// Visits the moves of a record in PGN order with their annotations.
    pub fn visit(
        &mut self,
        record: &MoveRecord<'_>,
        want: Want,
        visitor: &mut dyn Visitor,
        notes: &mut dyn Notes,
    ) -> Visited {
        let annotated = want.has(Want::ANNOTATIONS);
        let mut walk = Walk {
            annotated,
            reach: if annotated { notes.reach() } else { 0 },
            visitor,
            notes,
        };
        let mut fault = None;
        let flow = self.visit_record(record, want, &mut walk, &mut fault);
        Visited { flow, fault }
    }

    fn visit_record(
        &mut self,
        record: &MoveRecord<'_>,
        want: Want,
        walk: &mut Walk<'_>,
        fault: &mut Option<Error>,
    ) -> Flow {
        let flow = walk.notes(Spot::Game);
        if flow != Flow::Go || !want.has(Want::MAINLINE) {
            return flow;
        }
        if let Err(error) = record.check_mode() {
            *fault = Some(error);
            return walk.unread(record.bytes);
        }
        let (Some(mut input), Some(mut board)) = (Input::new(record), self.board(record)) else {
            return Self::visit_unplayable(record, walk, fault);
        };
        let mut branches = 0u32;
        // How many of them are at the position at hand. A line that ends at once there is no line:
        // the next one in its place is the mainline.
        let mut here = 0u32;
        loop {
            let stored = input.moves();
            match input.next(&mut board) {
                Step::Play(ply) => {
                    let flow = walk.visitor.visit_move(&board.position, ply);
                    if flow != Flow::Go {
                        return flow;
                    }
                    board.position.play_ply(ply);
                    here = 0;
                    let flow = walk.notes_of(stored);
                    if flow != Flow::Go {
                        return flow;
                    }
                }
                Step::Branch if want.has(Want::VARIATIONS) => {
                    let start = board.position.clone();
                    let stop = self.collect(&mut input, board, stored);
                    let rest = input.offset();
                    let stop = stop.map(|stop| fail(&stop, record, fault, rest));
                    return self.walk(start, stored, stop, walk);
                }
                Step::Branch => {
                    branches += 1;
                    here += 1;
                }
                Step::End if here > 0 => {
                    branches -= 1;
                    here -= 1;
                }
                Step::End => {
                    if walk.reach > stored
                        && let Some(rest) = branches
                            .checked_sub(1)
                            .map_or(Some(0), |open| input.count_rest(open))
                        && walk.reach > stored + rest
                    {
                        return walk.notes(Spot::Past(stored + rest));
                    }
                    return Flow::Go;
                }
                Step::Fault => {
                    let rest = input.offset();
                    let stop = Stop {
                        malformed: input.fault(),
                        ply: stored,
                    };
                    let unread = fail(&stop, record, fault, rest);
                    return walk.unread(unread);
                }
            }
        }
    }

    /// Moves from a position that cannot be played from are kept as they are.
    fn visit_unplayable(
        record: &MoveRecord<'_>,
        walk: &mut Walk<'_>,
        fault: &mut Option<Error>,
    ) -> Flow {
        let has_moves = Input::new(record).and_then(|input| input.count_rest(0)) != Some(0);
        if !has_moves {
            return Flow::Go;
        }
        let malformed = Malformed {
            field: "move",
            at: record.body,
            why: Why::IllegalMove,
        };
        *fault = Some(malformed.at_base(record.base).at_ply(0));
        walk.unread(record.bytes.get(record.body..).unwrap_or_default())
    }

    /// The first position and its numbers; `None` when it cannot be played from.
    fn board(&self, record: &MoveRecord<'_>) -> Option<Board> {
        let position = record.start.position()?;
        let slots = match (&record.start.setup, &self.standard) {
            (None, [_, reverse]) if record.is_reverse() => reverse.clone(),
            (None, [forward, _]) => forward.clone(),
            (Some(_), _) => Slots::new(&position, record.is_reverse()),
        };
        Some(Board { position, slots })
    }

    /// How many moves of a record can be read, and whether those are all.
    fn readable(&mut self, record: &MoveRecord<'_>) -> (u32, bool) {
        match (Input::new(record), self.board(record)) {
            (Some(mut input), Some(board)) => {
                let stop = self.collect_from(&mut input, board, 0, false);
                (input.moves(), stop.is_none())
            }
            _ => (0, true),
        }
    }

    /// Reads the rest of a game after its first branch into the list of moves.
    fn collect(&mut self, input: &mut Input<'_>, board: Board, ply: u32) -> Option<Stop> {
        self.collect_from(input, board, ply, true)
    }

    fn collect_from(
        &mut self,
        input: &mut Input<'_>,
        mut board: Board,
        mut ply: u32,
        branched: bool,
    ) -> Option<Stop> {
        self.nodes.clear();
        self.branches.clear();
        let mut last = NONE;
        // The first move of the position to which reading has come back, NONE when it goes on.
        let mut first = NONE;
        let mut step = if branched {
            Step::Branch
        } else {
            input.next(&mut board)
        };
        loop {
            let next = self.nodes.len() as u32;
            match step {
                Step::Branch => {
                    if self.branches.len() >= self.depth as usize {
                        let malformed = Malformed {
                            field: "variation",
                            at: input.offset(),
                            why: Why::Value(u64::from(self.depth)),
                        };
                        return Some(Stop { malformed, ply });
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
                Step::Fault => {
                    let malformed = input.fault();
                    return Some(Stop { malformed, ply });
                }
            }
            step = input.next(&mut board);
        }
    }

    /// Adds a move after `last`, or as another move beside `first`.
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

    /// Visits the list of moves, which begins at `position` with the stored move `base`. Bytes that
    /// were not read come after the last move in stored order.
    fn walk(
        &mut self,
        position: Position,
        base: u32,
        unread: Option<&[u8]>,
        walk: &mut Walk<'_>,
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
            return walk.unread(bytes);
        }
        let mut at = 0;
        let mut is_first = true;
        while let Some(node) = self.node(at) {
            if let Ply::Move(m) = node.ply {
                position.cache_check(m);
            }
            go!(walk.visitor.visit_move(&position, node.ply));
            go!(walk.notes_of(base + at));
            if let Some(bytes) = unread
                && at + 1 == count
            {
                go!(walk.unread(bytes));
            } else if walk.reach > base + count
                && !node.has_next
                && is_first
                && self.frames.is_empty()
                && unread.is_none()
            {
                go!(walk.notes(Spot::Past(base + count)));
            }
            if is_first && node.alternative != NONE {
                self.frames.push(Frame {
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
            // The next alternative, or on with the line whose alternatives are through.
            loop {
                let Some(frame) = self.frames.last_mut() else {
                    return Flow::Go;
                };
                if frame.is_open {
                    walk.visitor.end_variation();
                    frame.is_open = false;
                }
                if let Some(node) = self.nodes.get(frame.alternative as usize) {
                    at = frame.alternative;
                    frame.alternative = node.alternative;
                    match walk.visitor.begin_variation() {
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

/// Notes the fault and gives the bytes that were not read.
fn fail<'r>(
    stop: &Stop,
    record: &MoveRecord<'r>,
    fault: &mut Option<Error>,
    rest: usize,
) -> &'r [u8] {
    *fault = Some(stop.malformed.at_base(record.base).at_ply(stop.ply));
    record.bytes.get(rest..).unwrap_or_default()
}

/// What the walk talks to.
struct Walk<'v> {
    annotated: bool,
    /// That of the notes, 0 when nobody wants them.
    reach: u32,
    visitor: &'v mut dyn Visitor,
    notes: &'v mut dyn Notes,
}

impl Walk<'_> {
    #[inline]
    fn notes(&mut self, spot: Spot) -> Flow {
        if self.annotated {
            self.notes.visit(spot, self.visitor)
        } else {
            Flow::Go
        }
    }

    /// The annotations of a move.
    #[inline]
    fn notes_of(&mut self, number: u32) -> Flow {
        if number < self.reach {
            self.notes.visit(Spot::Move(number), self.visitor)
        } else {
            Flow::Go
        }
    }

    fn unread(&mut self, bytes: &[u8]) -> Flow {
        if !self.annotated || bytes.is_empty() {
            return Flow::Go;
        }
        self.visitor.visit_annotation(Annotation::Foreign(Foreign {
            format: CBH,
            kind: Foreign::UNREAD_MOVES,
            bytes,
        }))
    }
}
