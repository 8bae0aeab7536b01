//! One walk over a book from the usual start, with positions carried along: for books whose
//! records stand for a position and its twins, and say of a move what is said of the position
//! behind it.

use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash::{Lookout, Sight};
use crate::books::mirrored::record_index::{Slot, Table};

/// What the walk asks of a book.
pub(crate) trait Stored<'b>: Copy {
    /// What is stored of a position and its twins.
    type Record: Copy;
    /// A move as it is stored.
    type Code: Copy + 'b;
    /// No two records begin among so many bytes; a power of two.
    const APART: u64;

    /// No record is at that place or behind it.
    fn end(self) -> u64;
    /// All records by what is seen of them; none for a book that is too large for a list.
    fn list(self) -> Option<&'b Table>;
    /// The record at a place that the list tells.
    fn record(self, place: u64) -> Option<Self::Record>;
    /// Where the record of a position is, and how the position is turned in it; the sight is that
    /// of the position.
    fn place(self, position: &Position, sight: Sight) -> Option<(Frame, u64)>;
    /// The moves of a record.
    fn codes(record: &Self::Record) -> &'b [Self::Code];
    /// A move of a position turned like that.
    fn decode(position: &Position, frame: Frame, code: Self::Code) -> Option<Move>;
    /// Changes a position to what its record says of it; `false` when that is no position.
    fn settle(position: &mut Position, frame: Frame, record: &Self::Record) -> bool;
}

/// Which records were met in which frames: half a byte at every place where one may begin.
#[derive(Debug)]
pub(crate) struct Met {
    frames: Vec<u8>,
    apart: u64,
}

impl Met {
    /// None of the records of a book.
    pub(crate) fn none_of<'b, S: Stored<'b>>(book: S) -> Self {
        let length = book.end().div_ceil(2 * S::APART);
        Self {
            frames: vec![0; usize::try_from(length).unwrap_or(0)],
            apart: S::APART,
        }
    }

    /// All that play reaches from the usual start.
    pub(crate) fn by_play<'b, S: Stored<'b>>(book: S) -> Self {
        let mut met = Self::none_of(book);
        follow(book, &mut met, |_, _| Flow::Go);
        met
    }

    /// The frames a record was met in, a bit each by [`Frame::number`].
    pub(crate) fn frames(&self, place: u64) -> u8 {
        let (at, shift) = self.at(place);
        self.frames.get(at).map_or(0, |both| both >> shift & 15)
    }

    /// Notes a frame; whether it is new.
    fn meet(&mut self, place: u64, frame: Frame) -> bool {
        let (at, shift) = self.at(place);
        let bit = 1 << shift << frame.number();
        self.frames.get_mut(at).is_some_and(|both| {
            let is_new = *both & bit == 0;
            *both |= bit;
            is_new
        })
    }

    const fn at(&self, place: u64) -> (usize, u32) {
        let number = place / self.apart;
        ((number / 2) as usize, (number as u32 & 1) * 4)
    }
}

/// A record in one frame, whose moves are followed.
#[derive(Clone)]
pub(crate) struct Step<R> {
    pub(crate) position: Position,
    /// Without an en passant file.
    sight: Sight,
    pub(crate) frame: Frame,
    pub(crate) record: R,
}

/// A move of a record, and the record it leads to.
pub(crate) struct Followed<R, C> {
    pub(crate) code: C,
    pub(crate) m: Option<Move>,
    pub(crate) child: Option<R>,
}

/// Steps taken together, so that what they ask for comes from memory at the same time.
const TOGETHER: usize = 16;

/// What is seen behind a move, and the record there.
struct Ahead<R, C> {
    code: C,
    m: Option<Move>,
    sight: Option<Sight>,
    /// The usual one of the side to move there.
    frame: Frame,
    place: Option<u64>,
    record: Option<R>,
    /// It was met so before the steps that are taken together.
    is_met: bool,
}

/// Follows all moves from the usual start; every record once in each frame it is reached in, which
/// `met` notes. `each` gets them with what their moves lead to. Without a list every move is played
/// and what is behind it looked for in the book.
pub(crate) fn follow<'b, S: Stored<'b>>(
    book: S,
    met: &mut Met,
    mut each: impl FnMut(&Step<S::Record>, &[Followed<S::Record, S::Code>]) -> Flow,
) {
    let list = book.list();
    // Each record is waiting once a frame at most.
    let mut steps = Vec::from_iter(first(book, met));
    let mut taken = Vec::new();
    let mut ahead = Vec::new();
    let mut moves = Vec::new();
    while !steps.is_empty() {
        taken.clear();
        taken.extend(steps.drain(steps.len().saturating_sub(TOGETHER)..));
        look_ahead(book, list, &taken, met, &mut ahead);
        let mut ahead = ahead.iter();
        for step in &taken {
            moves.clear();
            for ahead in ahead.by_ref().take(S::codes(&step.record).len()) {
                let (code, m) = (ahead.code, ahead.m);
                let child = match m {
                    Some(m) if ahead.sight.is_some() => go(step, m, ahead, met, &mut steps),
                    Some(m) => play(book, step, m, met, &mut steps),
                    None => None,
                };
                moves.push(Followed { code, m, child });
            }
            if each(step, &moves) == Flow::Stop {
                return;
            }
        }
    }
}

fn first<'b, S: Stored<'b>>(book: S, met: &mut Met) -> Option<Step<S::Record>> {
    let position = Position::standard();
    let sight = Sight::of(&position);
    let (frame, place) = book.place(&position, sight)?;
    let record = book.record(place)?;
    met.meet(place, frame).then_some(Step {
        position,
        sight,
        frame,
        record,
    })
}

/// What is behind the moves of some steps, as far as it is seen and there is a `list` to find it
/// in. All is asked for before any of it is read.
fn look_ahead<'b, S: Stored<'b>>(
    book: S,
    list: Option<&Table>,
    taken: &[Step<S::Record>],
    met: &Met,
    all: &mut Vec<Ahead<S::Record, S::Code>>,
) {
    all.clear();
    for step in taken {
        let lookout = Lookout::new(&step.position, step.sight);
        let frame = Frame {
            flipped: step.position.turn().is_white(),
            mirrored: false,
        };
        all.extend(S::codes(&step.record).iter().map(|&code| {
            let m = S::decode(&step.position, step.frame, code);
            Ahead {
                code,
                m,
                sight: m.filter(|_| list.is_some()).and_then(|m| lookout.behind(m)),
                frame,
                place: None,
                record: None,
                is_met: false,
            }
        }));
    }
    let Some(list) = list else { return };
    for ahead in &mut *all {
        let found = ahead
            .sight
            .and_then(|sight| list.find(sight.seen_by(ahead.frame.turn())));
        ahead.place = found.map(Slot::place);
    }
    for ahead in all {
        let Some(place) = ahead.place else { continue };
        ahead.is_met = met.frames(place) >> ahead.frame.number() & 1 == 1;
        ahead.record = book.record(place);
    }
}

/// The record found behind a move; it is a step of its own when it was not yet met so.
fn go<R: Copy, C>(
    from: &Step<R>,
    m: Move,
    ahead: &Ahead<R, C>,
    met: &mut Met,
    steps: &mut Vec<Step<R>>,
) -> Option<R> {
    let (sight, place, record) = (ahead.sight?, ahead.place?, ahead.record?);
    let frame = ahead.frame;
    if !ahead.is_met && met.meet(place, frame) {
        let next = steps.push_mut(from.clone());
        next.position.play(m);
        (next.sight, next.frame, next.record) = (sight, frame, record);
    }
    Some(record)
}

/// The same for a move behind which nothing is seen before it is played.
fn play<'b, S: Stored<'b>>(
    book: S,
    from: &Step<S::Record>,
    m: Move,
    met: &mut Met,
    steps: &mut Vec<Step<S::Record>>,
) -> Option<S::Record> {
    // Played where it stays, if it stays.
    let next = steps.push_mut(from.clone());
    next.position.play(m);
    next.sight = Sight::of(&next.position);
    let found = book.place(&next.position, next.sight);
    let found = found.and_then(|(frame, place)| Some((frame, place, book.record(place)?)));
    let stays = found.is_some_and(|(frame, place, record)| {
        (next.frame, next.record) = (frame, record);
        met.meet(place, frame) && S::settle(&mut next.position, frame, &record)
    });
    if !stays {
        steps.pop();
    }
    found.map(|(.., record)| record)
}
