//! One walk over a book from the usual start, with positions carried along.

use tabia_core::book::{BookEntry, BookPage, BookPosition};
use tabia_core::chess::{Color, Move, Position};
use tabia_core::game::Flow;

use super::fill::{count, count_position};
use super::frame::Frame;
use super::key::{Key, decode};
use super::moves::decode_move;
use super::nags;
use super::raw::RawMove;
use super::read::CtgBook;
use super::record::Record;
use super::register::{Found, Register};
use crate::sight::{Lookout, Sight};

/// A record in one frame, whose moves are still to be followed.
#[derive(Clone)]
pub(super) struct Step<'b> {
    position: Position,
    /// Without an en passant file.
    sight: Sight,
    frame: Frame,
    record: Record<'b>,
}

/// A move of a record, and the record it leads to.
pub(super) struct Followed<'b> {
    pub(super) code: [u8; 2],
    pub(super) m: Option<Move>,
    pub(super) child: Option<Record<'b>>,
}

/// Steps taken together, so that what they ask for comes from memory at the same time.
const TOGETHER: usize = 16;

/// What is seen behind a move, and the slot of the register that has it.
struct Ahead {
    code: [u8; 2],
    m: Option<Move>,
    sight: Option<Sight>,
    slot: Option<(usize, u64)>,
}

/// Follows all moves from the usual start; every record once in each frame it is reached in, which
/// the register notes. `each` gets them with what their moves lead to.
pub(super) fn follow<'b>(
    register: &Register<'b>,
    each: &mut dyn FnMut(&Step<'b>, &[Followed<'b>]) -> Flow,
) {
    // Each record is waiting once a frame at most.
    let mut steps = Vec::from_iter(Step::first(register));
    let mut taken = Vec::new();
    let mut ahead: Vec<Ahead> = Vec::new();
    let mut found: Vec<Option<Found<'b>>> = Vec::new();
    let mut moves = Vec::new();
    while !steps.is_empty() {
        taken.clear();
        taken.extend(steps.drain(steps.len().saturating_sub(TOGETHER)..));
        ahead.clear();
        for step in &taken {
            step.look_ahead(register.is_list(), &mut ahead);
        }
        // Whose view it is matters only where something is seen.
        let mut turns = taken.iter().flat_map(|step| {
            let turn = step.position.turn().other();
            step.record.moves.iter().map(move |_| turn)
        });
        for ahead in &mut ahead {
            let turn = turns.next().unwrap_or(Color::White);
            ahead.slot = ahead
                .sight
                .and_then(|sight| register.slot(sight.seen_by(turn)));
        }
        found.clear();
        found.extend(
            ahead
                .iter()
                .map(|ahead| register.found(ahead.slot?, Frame::PLAIN)),
        );
        let mut both = ahead.iter().zip(&found);
        for step in &taken {
            moves.clear();
            for (ahead, found) in both.by_ref().take(step.record.moves.len()) {
                let (code, m) = (ahead.code, ahead.m);
                let child = match ahead.sight.zip(m) {
                    Some((sight, m)) => step.go(register, sight, m, *found, &mut steps),
                    None => m.and_then(|m| step.play(register, m, &mut steps)),
                };
                moves.push(Followed { code, m, child });
            }
            if each(step, &moves) == Flow::Stop {
                return;
            }
        }
    }
}

impl<'b> Step<'b> {
    fn first(register: &Register<'b>) -> Option<Self> {
        let position = Position::standard();
        let sight = Sight::of(&position);
        let found = register.of_position(&position, sight)?;
        let (frame, record) = (found.frame, found.record);
        register.meet(&found).then_some(Self {
            position,
            sight,
            frame,
            record,
        })
    }

    /// What is seen behind the moves, if there is a `list` to find it in.
    fn look_ahead(&self, list: bool, ahead: &mut Vec<Ahead>) {
        let lookout = Lookout::new(&self.position, self.sight);
        ahead.extend(self.record.moves.iter().map(|&code| {
            let m = decode_move(&self.position, self.frame, code[0]);
            Ahead {
                code,
                m,
                sight: m.filter(|_| list).and_then(|m| lookout.behind(m)),
                slot: None,
            }
        }));
    }

    /// The record found behind a move; it is a step of its own when it was not yet met so.
    fn go(
        &self,
        register: &Register<'b>,
        sight: Sight,
        m: Move,
        found: Option<Found<'b>>,
        steps: &mut Vec<Self>,
    ) -> Option<Record<'b>> {
        let frame = Frame {
            flipped: self.position.turn().is_white(),
            mirrored: false,
        };
        let found = found?.turned(frame);
        if register.meet(&found) {
            let next = steps.push_mut(self.clone());
            next.position.play(m);
            (next.sight, next.frame, next.record) = (sight, frame, found.record);
        }
        Some(found.record)
    }

    /// The same for a move behind which nothing is seen before it is played.
    fn play(&self, register: &Register<'b>, m: Move, steps: &mut Vec<Self>) -> Option<Record<'b>> {
        // Played where it stays, if it stays.
        let next = steps.push_mut(self.clone());
        next.position.play(m);
        next.sight = Sight::of(&next.position);
        let found = register.of_position(&next.position, next.sight);
        if !found.is_some_and(|found| register.meet(&found) && next.settle(&found)) {
            steps.pop();
        }
        found.map(|found| found.record)
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
        book.fill(
            &position,
            book.look(&position),
            Frame::PLAIN,
            &record,
            &mut page,
        );
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
