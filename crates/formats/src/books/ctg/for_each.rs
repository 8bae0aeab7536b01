//! Which positions a record stands for: those that play reaches from the start.

use tabia_core::books::{BookKey, BookPosition};
use tabia_core::game::Flow;

use super::key::decode;
use super::read::CtgBook;
use super::record::{PAGE, Records};
use super::roundtrip_bytes::RawPage;
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::reachable::Met;

/// Every record as each position that play reaches in it, or else as it is stored.
pub(super) fn for_each(book: &CtgBook, visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow) {
    let met = Met::by_play(book);
    let mut page = BookPosition::default();
    for number in 0..book.page_count() {
        let mut records = Records::of(book.page(number).unwrap_or_default());
        while let Some(record) = records.next() {
            let place = u64::from(number) * PAGE as u64 + records.at() as u64;
            let frames = met.frames(place).max(1);
            let mut again = false;
            for frame in Frame::ALL {
                if frames >> frame.number() & 1 == 0 {
                    continue;
                }
                let Some(position) = decode(record.key, frame) else {
                    continue;
                };
                page.clear();
                book.fill(&position, book.look(&position), frame, &record, &mut page);
                RawPage { again, record }.write(&mut page.raw);
                page.is_duplicate = again;
                again = true;
                if visit(BookKey::Board(&position), &page) == Flow::Stop {
                    return;
                }
            }
        }
    }
}
