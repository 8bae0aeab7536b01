//! A walk over the book as pages without ratings.

use tabia_core::book::{BookEntry, BookPage, BookPosition};
use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use super::fill::{count, count_position};
use super::key::{Key, decode};
use super::moves::decode_move;
use super::nags;
use super::raw::RawMove;
use super::read::CtgBook;
use super::record::{PAGE, Record, Records};
use crate::frame::Frame;
use crate::places::Table;
use crate::sight::Sight;
use crate::walk::{Followed, Met, Stored, follow};

impl<'b> Stored<'b> for &'b CtgBook {
    type Record = Record<'b>;
    type Code = [u8; 2];
    const APART: u64 = 32;

    fn end(self) -> u64 {
        u64::from(self.page_count()) * PAGE as u64
    }

    fn list(self) -> Option<&'b Table> {
        self.all()
    }

    fn record(self, place: u64) -> Option<Record<'b>> {
        self.at(place).map(|place| place.record)
    }

    fn place(self, position: &Position, sight: Sight) -> Option<(Frame, u64)> {
        let (frame, place) = self.place(position, self.seen(sight))?;
        Some((frame, place.number()))
    }

    fn codes(record: &Record<'b>) -> &'b [[u8; 2]] {
        record.moves
    }

    fn decode(position: &Position, frame: Frame, code: [u8; 2]) -> Option<Move> {
        decode_move(position, frame, code[0])
    }

    /// A pawn that may not take leaves no trace in most keys.
    fn settle(position: &mut Position, frame: Frame, record: &Record<'b>) -> bool {
        if position.en_passant().is_none() || Key::has_en_passant(record.key) {
            return true;
        }
        let said = decode(record.key, frame);
        said.is_some_and(|said| {
            *position = said;
            true
        })
    }
}

/// Every record as each position that play reaches in it, then the others as they are stored;
/// without ratings and the fields for the way back.
pub(super) fn sweep(
    book: &CtgBook,
    visit: &mut dyn FnMut(BookPosition<'_>, &mut BookPage) -> Flow,
) {
    let mut met = Met::none_of(book);
    let mut page = BookPage::default();
    let mut flow = Flow::Go;
    follow(book, &mut met, |step, moves| {
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
    for number in 0..book.page_count() {
        let mut records = Records::of(book.page(number).unwrap_or_default());
        loop {
            let place = u64::from(number) * PAGE as u64 + records.at() as u64;
            let Some(record) = records.next() else { break };
            if met.frames(place) != 0 {
                continue;
            }
            let Some(position) = decode(record.key, Frame::PLAIN) else {
                continue;
            };
            page.clear();
            let seen = book.look(&position);
            book.fill(&position, seen, Frame::PLAIN, &record, &mut page);
            if visit(BookPosition::Board(&position), &mut page) == Flow::Stop {
                return;
            }
        }
    }
}

fn entry(frame: Frame, followed: &Followed<Record<'_>, [u8; 2]>) -> BookEntry {
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::places::Places;
    use tabia_core::book::BookWriter;
    use tabia_core::format::{CreateOptions, OpenOptions};
    use tabia_core::io::Source;
    use tabia_testkit::Scratch;

    /// A book of 2,000 positions on lines of one move after another.
    fn book(scratch: &Scratch) -> CtgBook {
        let path = scratch.join("some.ctg");
        let mut writer = crate::ctg::CtgWriter::create(&path, &CreateOptions::default()).unwrap();
        let mut seed = 5u64;
        for _ in 0..100 {
            let mut position = Position::standard();
            for _ in 0..20 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let moves = position.legal_moves();
                let m = moves[(seed % moves.len() as u64) as usize];
                let page = BookPage {
                    entries: vec![BookEntry {
                        m: Some(m),
                        games: Some(1),
                        ..BookEntry::default()
                    }],
                    games: Some(1),
                    ..BookPage::default()
                };
                writer.put(&position, &page).unwrap();
                position.play(m);
            }
        }
        Box::new(writer).finish().unwrap();
        let source = Source::from_path(&path).unwrap();
        CtgBook::open(&source, &OpenOptions::default()).unwrap()
    }

    /// All records with the frames they were met in.
    fn met(book: &CtgBook) -> Vec<(Vec<u8>, u8)> {
        let met = Met::by_play(book);
        let mut all = Vec::new();
        for number in 0..book.page_count() {
            let mut records = Records::of(book.page(number).unwrap());
            loop {
                let place = u64::from(number) * PAGE as u64 + records.at() as u64;
                let Some(record) = records.next() else { break };
                all.push((record.key.to_vec(), met.frames(place)));
            }
        }
        all
    }

    #[test]
    fn a_book_without_a_list_is_walked_through_alike() {
        let scratch = Scratch::new("ctg_sweep");
        let mut book = book(&scratch);
        let listed = met(&book);
        assert!(listed.len() > 1_500, "{}", listed.len());
        assert!(listed.iter().filter(|(_, frames)| *frames != 0).count() > 1_500);
        book.places = Places::of(u32::MAX, PAGE);
        assert!(book.all().is_none());
        assert_eq!(listed, met(&book));
    }
}
