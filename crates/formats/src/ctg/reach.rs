//! Which positions a record stands for: those that play reaches from the start.

use tabia_core::book::{BookPage, BookPosition};
use tabia_core::chess::Position;
use tabia_core::game::Flow;

use super::frame::Frame;
use super::key::decode;
use super::moves::decode_move;
use super::raw::RawPage;
use super::read::{CtgBook, Place};
use super::record::{Record, Records, SLOTS};

/// For every record, in which frames the moves of the book reach it from the usual start. One byte
/// for each record that could be on a page.
#[derive(Debug)]
pub(super) struct Reach {
    frames: Vec<u8>,
}

/// A record in one frame, whose moves are still to be followed.
struct Step {
    page: u32,
    at: u16,
    frame: u8,
}

impl Reach {
    pub(super) fn of(book: &CtgBook) -> Self {
        let slots = (book.page_count() as usize).saturating_mul(SLOTS);
        let mut reach = Self {
            frames: vec![0; slots],
        };
        // No more steps than records and frames: each is taken once.
        let mut steps = Vec::new();
        if let Some((frame, place)) = book.place(&Position::standard()) {
            steps.extend(reach.mark(book, frame, &place));
        }
        while let Some(step) = steps.pop() {
            let bytes = book.page(step.page).unwrap_or_default();
            let rest = bytes.get(usize::from(step.at)..).unwrap_or_default();
            let frame = Frame::ALL[usize::from(step.frame & 3)];
            let Some(record) = Record::read(rest) else {
                continue;
            };
            let Some(position) = decode(record.key, frame) else {
                continue;
            };
            for &[code, _] in record.moves {
                let Some(m) = decode_move(&position, frame, code) else {
                    continue;
                };
                let mut next = position.clone();
                next.play(m);
                if let Some((frame, place)) = book.place(&next) {
                    steps.extend(reach.mark(book, frame, &place));
                }
            }
        }
        reach
    }

    /// The step that follows when the record was not known in that frame.
    fn mark(&mut self, book: &CtgBook, frame: Frame, place: &Place<'_>) -> Option<Step> {
        let records = Records::of(book.page(place.page)?);
        let slot = slot_of(records, place.at)?;
        let known = self.frames.get_mut(index(place.page, slot)?)?;
        let bit = 1 << frame.number();
        if *known & bit != 0 {
            return None;
        }
        *known |= bit;
        Some(Step {
            page: place.page,
            at: u16::try_from(place.at).ok()?,
            frame: frame.number(),
        })
    }

    /// The frames of a record by its place among those of its page, a bit each.
    pub(super) fn frames(&self, page: u32, slot: usize) -> u8 {
        let known = index(page, slot).and_then(|at| self.frames.get(at));
        known.copied().unwrap_or_default()
    }
}

fn index(page: u32, slot: usize) -> Option<usize> {
    (page as usize).checked_mul(SLOTS)?.checked_add(slot)
}

/// How many records stand before the one at that offset.
fn slot_of(mut records: Records<'_>, at: usize) -> Option<usize> {
    let mut slot = 0;
    while records.at() < at {
        records.next()?;
        slot += 1;
    }
    (slot < SLOTS).then_some(slot)
}

/// Every record as each position that play reaches in it, or else as it is stored.
pub(super) fn for_each(book: &CtgBook, visit: &mut dyn FnMut(BookPosition<'_>, &BookPage) -> Flow) {
    let reach = Reach::of(book);
    let mut page = BookPage::default();
    for number in 0..book.page_count() {
        let bytes = book.page(number).unwrap_or_default();
        for (slot, record) in Records::of(bytes).enumerate() {
            let frames = reach.frames(number, slot).max(1);
            let mut again = false;
            for frame in Frame::ALL {
                if frames >> frame.number() & 1 == 0 {
                    continue;
                }
                let Some(position) = decode(record.key, frame) else {
                    continue;
                };
                page.clear();
                book.fill(&position, frame, &record, true, &mut page);
                RawPage { again, record }.write(&mut page.raw);
                page.again = again;
                again = true;
                if visit(BookPosition::Board(&position), &page) == Flow::Stop {
                    return;
                }
            }
        }
    }
}
