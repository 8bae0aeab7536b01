//! A walk over the book as pages without ratings.

use tabia_core::books::{BookEntry, BookKey, BookPosition};
use tabia_core::chess::{Move, Position};
use tabia_core::game::Flow;

use super::book_page::{count, count_position};
use super::key::{Key, decode};
use super::moves::decode_move;
use super::nags;
use super::read::CtgBook;
use super::record::{PAGE, Record, Records};
use super::roundtrip_bytes::RawMove;
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash::Sight;
use crate::books::mirrored::reachable::{Followed, Met, Stored, follow};
use crate::books::mirrored::record_index::Table;

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
pub(super) fn sweep(book: &CtgBook, visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow) {
    let mut met = Met::none_of(book);
    let mut page = BookPosition::default();
    let mut flow = Flow::Go;
    follow(book, &mut met, |step, moves| {
        page.clear();
        count_position(step.frame, &step.record.stats(), &mut page);
        let entries = moves.iter().map(|followed| entry(step.frame, followed));
        page.entries.extend(entries);
        flow = visit(BookKey::Board(&step.position), &mut page);
        flow
    });
    if flow == Flow::Stop {
        return;
    }
    for number in 0..book.page_count() {
        let mut records = Records::of(book.page(number).unwrap_or_default());
        while let Some(record) = records.next() {
            let place = u64::from(number) * PAGE as u64 + records.at() as u64;
            if met.frames(place) != 0 {
                continue;
            }
            let Some(position) = decode(record.key, Frame::PLAIN) else {
                continue;
            };
            page.clear();
            let seen = book.look(&position);
            book.fill(&position, seen, Frame::PLAIN, &record, &mut page);
            if visit(BookKey::Board(&position), &mut page) == Flow::Stop {
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
    use crate::books::mirrored::record_index::Places;
    use tabia_core::books::BookWriter;
    use tabia_core::formats::{CreateOptions, OpenOptions};
    use tabia_core::io::Source;
    use tabia_testkit::Scratch;

    /// A book of 2,000 positions on lines of one move after another.
    fn book(scratch: &Scratch) -> CtgBook {
        let path = scratch.join("some.ctg");
        let mut writer =
            crate::books::ctg::CtgWriter::create(&path, &CreateOptions::default()).unwrap();
        let mut seed = 5u64;
        for _ in 0..100 {
            let mut position = Position::standard();
            for _ in 0..20 {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let moves = position.legal_moves();
                let m = moves[(seed % moves.len() as u64) as usize];
                let page = BookPosition {
                    entries: vec![BookEntry {
                        m: Some(m),
                        games: Some(1),
                        ..BookEntry::default()
                    }],
                    games: Some(1),
                    ..BookPosition::default()
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
            while let Some(record) = records.next() {
                let place = u64::from(number) * PAGE as u64 + records.at() as u64;
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

    #[test]
    fn what_stands_behind_a_broken_record_is_walked_over() {
        let scratch = Scratch::new("ctg_broken");
        let whole = book(&scratch);
        let read = |extension: &str| {
            let bytes = std::fs::read(scratch.join(&format!("some.{extension}"))).unwrap();
            (format!("some.{extension}"), bytes)
        };
        let mut files = ["ctg", "ctb", "cto"].map(read);
        // The first record of every page is as long as it was and none: its key is shorter by a byte
        // and its moves, which are pairs, longer.
        let mut broken = 0;
        for page in files[0].1.chunks_mut(PAGE).skip(1) {
            let moves = 4 + usize::from(page[4] & 31);
            page[4] -= 1;
            page[moves - 1] = page[moves] + 1;
            broken += 1;
        }
        let members = files.map(|(name, bytes)| (name, tabia_core::io::Blob::from(bytes)));
        let source = Source::from_members("some.ctg", "some.ctg", members.into()).unwrap();
        let damaged = CtgBook::open(&source, &OpenOptions::default()).unwrap();
        let count = |book: &CtgBook| book.records().count();
        assert!(broken > 20);
        assert_eq!(count(&damaged), count(&whole) - broken);
        assert_eq!(damaged.inspect().damaged_pages, broken as u64);
        let mut keys = Vec::new();
        crate::books::ctg::for_each::for_each(&damaged, &mut |position, _| {
            if let BookKey::Board(position) = position {
                keys.push(position.key());
            }
            Flow::Go
        });
        let mut swept = Vec::new();
        sweep(&damaged, &mut |position, _| {
            if let BookKey::Board(position) = position {
                swept.push(position.key());
            }
            Flow::Go
        });
        keys.sort_unstable();
        swept.sort_unstable();
        assert_eq!(keys, swept);
    }
}
