//! One walk over a book from the usual start, with positions carried along.

use tabia_core::book::{BookEntry, BookPage, BookPosition};
use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use super::frame::Frame;
use super::key::{Key, decode};
use super::moves::decode_move;
use super::nags;
use super::raw::RawMove;
use super::read::{CtgBook, count, count_position};
use super::record::Record;
use super::register::{Found, Register};

/// A record in one frame, whose moves are still to be followed.
#[derive(Clone)]
pub(super) struct Step<'b> {
    position: Position,
    frame: Frame,
    record: Record<'b>,
}

/// A move of a record, and the record it leads to.
pub(super) struct Followed<'b> {
    pub(super) code: [u8; 2],
    pub(super) m: Option<Move>,
    pub(super) child: Option<Record<'b>>,
}

/// Follows all moves from the usual start; every record once in each frame it is reached in, which
/// the register notes. `each` gets them with what their moves lead to.
pub(super) fn follow<'b>(
    register: &Register<'b>,
    each: &mut dyn FnMut(&Step<'b>, &[Followed<'b>]) -> Flow,
) {
    let Some(start) = Step::first(register) else {
        return;
    };
    // Each record is waiting once a frame at most.
    let mut steps = vec![start];
    let mut moves = Vec::new();
    while let Some(step) = steps.pop() {
        moves.clear();
        for &code in step.record.moves {
            let m = decode_move(&step.position, step.frame, code[0]);
            let child = m.and_then(|m| follow_one(register, &step, m, &mut steps));
            moves.push(Followed { code, m, child });
        }
        if each(&step, &moves) == Flow::Stop {
            return;
        }
    }
}

/// The record a move leads to; it is a step of its own when it was not yet met in that frame.
fn follow_one<'b>(
    register: &Register<'b>,
    step: &Step<'b>,
    m: Move,
    steps: &mut Vec<Step<'b>>,
) -> Option<Record<'b>> {
    // Played where it stays, if it stays.
    let next = steps.push_mut(step.clone());
    next.position.play(m);
    let found = register.of_position(&next.position);
    let record = found.map(|found| found.record);
    if !found.is_some_and(|found| register.meet(&found) && next.settle(&found)) {
        steps.pop();
    }
    record
}

impl<'b> Step<'b> {
    fn first(register: &Register<'b>) -> Option<Self> {
        let position = Position::standard();
        let found = register.of_position(&position)?;
        let (frame, record) = (found.frame, found.record);
        register.meet(&found).then_some(Self {
            position,
            frame,
            record,
        })
    }

    /// Takes over the record of its position. Only what that says counts: a pawn that may not take
    /// leaves no trace in most keys.
    fn settle(&mut self, found: &Found<'b>) -> bool {
        (self.frame, self.record) = (found.frame, found.record);
        if self.position.en_passant().is_some() && !Key::has_en_passant(self.record.key) {
            let Some(position) = decode(self.record.key, self.frame) else {
                return false;
            };
            self.position = position;
        }
        true
    }
}

/// Every record as each position that play reaches in it, then the others as they are stored;
/// without ratings and the fields for the way back.
pub(super) fn sweep(
    book: &CtgBook,
    visit: &mut dyn FnMut(BookPosition<'_>, &mut BookPage) -> Flow,
) {
    let register = Register::of(book);
    let mut page = BookPage::default();
    let mut flow = Flow::Go;
    follow(&register, &mut |step, moves| {
        page.clear();
        count_position(step.frame, &step.record.stats(), &mut page);
        let entries = moves.iter().map(|followed| entry(step.frame, followed));
        page.entries.extend(entries);
        flow = visit(BookPosition::Board(&step.position), &mut page);
        flow
    });
    if flow == Flow::Stop {
        return;
    }
    for record in register.rest() {
        let Some(position) = decode(record.key, Frame::PLAIN) else {
            continue;
        };
        page.clear();
        book.fill(&position, Frame::PLAIN, &record, true, &mut page);
        if visit(BookPosition::Board(&position), &mut page) == Flow::Stop {
            return;
        }
    }
}

fn entry(frame: Frame, followed: &Followed<'_>) -> BookEntry {
    let mut entry = BookEntry {
        m: followed.m,
        ..BookEntry::default()
    };
    entry.nags.extend(nags::annotation(followed.code[1]));
    if let Some(stats) = followed.child.map(|child| child.stats()) {
        let raw = RawMove::new(followed.code, Some(&stats));
        count(&mut entry, &stats, !frame.flipped, raw);
    }
    entry
}
