//! All of a book: each element as the positions that play reaches in it from the start.

use tabia_core::books::{BookKey, BookPosition};
use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use super::book_page::{Codes, count, entry};
use super::element::{BLOCK, Element};
use super::moves::decode_move;
use super::read::{KvetkaBook, RAW};
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash::Sight;
use crate::books::mirrored::reachable::{Met, Stored, follow};
use crate::books::mirrored::record_index::Table;

impl<'b> Stored<'b> for &'b KvetkaBook {
    type Record = Element<'b>;
    type Code = u8;
    const APART: u64 = 16;

    fn end(self) -> u64 {
        u64::from(self.parts().len()) * BLOCK as u64
    }

    fn list(self) -> Option<&'b Table> {
        self.all()
    }

    fn record(self, place: u64) -> Option<Element<'b>> {
        self.placed(place)
    }

    fn place(self, position: &Position, sight: Sight) -> Option<(Frame, u64)> {
        self.place(position, self.seen(sight))
    }

    fn codes(element: &Element<'b>) -> &'b [u8] {
        element.moves
    }

    fn decode(position: &Position, frame: Frame, code: u8) -> Option<Move> {
        decode_move(position, frame, code)
    }

    /// Keys say all of a position.
    fn settle(_: &mut Position, _: Frame, _: &Element<'b>) -> bool {
        true
    }
}

/// Every element as each position that play reaches in it, or else as it is stored; in file order.
pub(super) fn for_each(
    book: &KvetkaBook,
    visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
) {
    let met = Met::by_play(book);
    as_stored(book, &mut |element, place, page| {
        let frames = met.frames(place).max(1);
        let mut again = false;
        for frame in Frame::ALL {
            if frames >> frame.number() & 1 == 0 {
                continue;
            }
            let Some(position) = book.page(element, frame, page) else {
                continue;
            };
            page.raw.extend_from_slice(RAW);
            page.is_duplicate = again;
            again = true;
            if visit(BookKey::Board(&position), page) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Go
    });
}

/// Every element as each position that play reaches in it, then the others as they are stored;
/// without the fields for the way back.
pub(super) fn sweep(
    book: &KvetkaBook,
    visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
) {
    let mut met = Met::none_of(book);
    let mut page = BookPosition::default();
    let mut flow = Flow::Go;
    follow(book, &mut met, |step, moves| {
        page.clear();
        book.describe(step.frame, &step.record, &mut page);
        let mut codes = Codes::default();
        for followed in moves.iter().filter(|followed| codes.is_new(followed.code)) {
            let entry = page.entries.push_mut(entry(followed.m, followed.code));
            if let Some(child) = &followed.child {
                let flipped = !step.frame.flipped;
                count(
                    entry,
                    child.counts,
                    Frame {
                        flipped,
                        ..step.frame
                    },
                );
            }
        }
        flow = visit(BookKey::Board(&step.position), &mut page);
        flow
    });
    if flow == Flow::Stop {
        return;
    }
    as_stored(book, &mut |element, place, page| {
        if met.frames(place) != 0 {
            return Flow::Go;
        }
        match book.page(element, Frame::PLAIN, page) {
            Some(position) => visit(BookKey::Board(&position), page),
            None => Flow::Go,
        }
    });
}

impl KvetkaBook {
    /// Fills a page with all that is known of an element in that frame; the position, if it is one.
    fn page(
        &self,
        element: &Element<'_>,
        frame: Frame,
        page: &mut BookPosition,
    ) -> Option<Position> {
        let position = element.key.position(frame)?;
        page.clear();
        self.fill(&position, frame, element, page);
        self.fill_results(&position, self.look(&position), page);
        Some(position)
    }
}

/// Every element with its place.
fn as_stored(
    book: &KvetkaBook,
    each: &mut dyn FnMut(&Element<'_>, u64, &mut BookPosition) -> Flow,
) {
    let linked = book.header().has_game_links();
    let mut page = BookPosition::default();
    for block in 0..book.parts().len() {
        let mut elements = book.parts().elements(block);
        loop {
            let place = u64::from(block) * BLOCK as u64 + elements.at() as u64;
            let Some(body) = elements.next() else { break };
            let Some(element) = Element::read(body, linked) else {
                continue;
            };
            if each(&element, place, &mut page) == Flow::Stop {
                return;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::books::kvetka::Builder;
    use crate::books::kvetka::book_page::said_of;
    use crate::books::mirrored::record_index::Places;
    use tabia_core::books::{BookEntry, BookWriter, Wdl};
    use tabia_core::formats::{CreateOptions, OpenOptions};
    use tabia_core::io::Source;
    use tabia_testkit::Scratch;

    /// A book of lines with both kings on the move, in small blocks.
    fn book(scratch: &Scratch) -> KvetkaBook {
        let path = scratch.join("some.kob");
        let mut options = CreateOptions::default();
        options.facts.push(("kvetka.fill".into(), "20".into()));
        let mut builder = Builder::create(&path, &options).unwrap();
        let mut seed = 5u64;
        for _ in 0..40 {
            let mut position = Position::standard();
            for _ in 0..50 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let m = moves[(seed % moves.len() as u64) as usize];
                let results = Wdl {
                    white: seed % 300,
                    ..Wdl::default()
                };
                let page = BookPosition {
                    entries: vec![BookEntry {
                        m: Some(m),
                        results: Some(results),
                        ..BookEntry::default()
                    }],
                    results: Some(results),
                    ..BookPosition::default()
                };
                builder.put(&position, &page).unwrap();
                position.play(m);
            }
        }
        Box::new(builder).finish().unwrap();
        let source = Source::from_path(&scratch.join("some_0.kob")).unwrap();
        KvetkaBook::open(&source, &OpenOptions::default()).unwrap()
    }

    /// All keys with the frames they were met in.
    fn met(book: &KvetkaBook) -> Vec<([u8; 22], u8)> {
        let met = Met::by_play(book);
        let mut all = Vec::new();
        as_stored(book, &mut |element, place, _| {
            all.push((element.key.0, met.frames(place)));
            Flow::Go
        });
        all
    }

    #[test]
    fn a_book_without_a_list_is_walked_through_alike() {
        let scratch = Scratch::new("kvetka_sweep");
        let mut book = book(&scratch);
        let listed = met(&book);
        assert!(listed.len() > 1_500, "{}", listed.len());
        assert!(listed.iter().all(|(_, frames)| *frames != 0));
        book.places = Places::of(u32::MAX, BLOCK);
        assert!(book.all().is_none());
        assert_eq!(listed, met(&book));
    }

    #[test]
    fn the_list_has_what_a_search_finds() {
        let scratch = Scratch::new("kvetka_list");
        let book = book(&scratch);
        let table = book.all().unwrap();
        let mut count = 0;
        as_stored(&book, &mut |element, place, _| {
            let slot = table.find(element.key.seen().unwrap()).unwrap();
            assert_eq!((slot.place(), slot.said()), (place, said_of(Some(element))));
            assert_eq!(
                book.search(&element.key).map(|found| found.1),
                Some(place as usize % BLOCK)
            );
            count += 1;
            Flow::Go
        });
        assert!(count > 1_500);
    }
}
