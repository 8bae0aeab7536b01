//! All records of a book by key, and which of them have been met in which frame.

use std::sync::atomic::{AtomicU64, Ordering};

use tabia_core::chess::Position;

use super::frame::Frame;
use super::hash::hash;
use super::key::{seen, seen_keys};
use super::read::{CtgBook, MOST_LISTED};
use super::record::{PAGE, Record, Records};
use super::tree::Lookup;
use crate::sight::Sight;

/// A table of 16 bytes a slot, at most two of three slots in use. A book that is too large for one
/// is looked into instead, and only the frames are noted: 64 bytes a page.
#[derive(Debug)]
pub(super) struct Register<'b> {
    book: &'b CtgBook,
    /// None for a book that is looked into.
    slots: Vec<Slot>,
    /// Records that no key leads to.
    lost: Vec<(u32, u16)>,
    /// For a book that is looked into: a bit for each frame at every place where a record may begin.
    met: Vec<AtomicU64>,
}

/// A record, or nothing.
#[derive(Debug)]
struct Slot {
    hash: u64,
    /// From the high bits: the page, the place on it (12 bits), and one bit for each frame the
    /// record was met in.
    known: AtomicU64,
}

/// No record; no page has that number.
const EMPTY: u64 = u64::MAX;
const FRAMES: u32 = Frame::ALL.len() as u32;
const AT: u32 = PAGE.ilog2();
/// No two records begin among so many bytes.
const APART: usize = 32;
/// Places whose frames a word tells.
const PLACES: usize = u64::BITS as usize / FRAMES as usize;

/// A record by its key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'b> {
    /// How the position is turned in it.
    pub(super) frame: Frame,
    pub(super) record: Record<'b>,
    /// Its number in the register: of its slot, or of its place on the pages.
    slot: usize,
    /// What the slot held.
    known: u64,
}

impl Found<'_> {
    /// The same for a position that is turned otherwise.
    pub(super) const fn turned(self, frame: Frame) -> Self {
        Self { frame, ..self }
    }
}

impl<'b> Register<'b> {
    /// Lists the records that stand where they are looked for, the first of each key.
    pub(super) fn of(book: &'b CtgBook) -> Self {
        if book.page_count() > MOST_LISTED {
            Self::looking_into(book)
        } else {
            Self::listing(book)
        }
    }

    fn looking_into(book: &'b CtgBook) -> Self {
        let words = (book.page_count() as usize).saturating_mul(PAGE / APART / PLACES);
        let mut met = Vec::new();
        met.resize_with(words, || AtomicU64::new(0));
        Self {
            book,
            slots: Vec::new(),
            lost: Vec::new(),
            met,
        }
    }

    /// Whether positions are found by what is seen of them before they are there.
    pub(super) fn is_list(&self) -> bool {
        !self.slots.is_empty()
    }

    fn listing(book: &'b CtgBook) -> Self {
        let pages = || (0..book.page_count()).map(|number| (number, book.page(number)));
        let records = |page: Option<&'b [u8]>| Records::of(page.unwrap_or_default());
        let count: usize = pages().map(|(_, page)| records(page).said()).sum();
        let length = (count + count / 2 + 1).next_power_of_two();
        let mut slots = Vec::new();
        slots.resize_with(length, || Slot {
            hash: 0,
            known: AtomicU64::new(EMPTY),
        });
        let mut register = Self {
            book,
            slots,
            lost: Vec::new(),
            met: Vec::new(),
        };
        let mut keys = Vec::new();
        for (number, page) in pages() {
            register.look_at(number, records(page), &mut keys);
            // One after another, so that their slots come from memory at the same time.
            for &(at, key) in &keys {
                register.add(u64::from(number) << AT | u64::from(at), key);
            }
        }
        register
    }

    /// Hashes of the keys on a page that lead there, with their places.
    fn look_at(&mut self, page: u32, records: Records<'_>, keys: &mut Vec<(u16, u64)>) {
        keys.clear();
        let tree = &self.book.tree;
        // Most pages are one leaf, so that one way down the tree does for all their records: bits
        // that decide on the page, and which bits those are, once known.
        let mut leaf = None;
        let mut is_found = |hash: u32| {
            if tree.lookup == Lookup::Scan {
                return true;
            }
            if leaf.is_some_and(|(bits, decided)| hash & decided == bits) {
                return true;
            }
            if let Some((found, decided)) = tree.leaf_page(hash) {
                if found == page {
                    leaf = Some((hash & decided, decided));
                }
                return found == page;
            }
            tree.find(hash) == Some(page)
        };
        records.each_key(|at, key, is_whole| {
            let known = seen(key).filter(|_| is_whole && is_found(hash(key)));
            match known {
                Some(known) => keys.push((at as u16, known)),
                None if is_whole => self.lost.push((page, at as u16)),
                None => {}
            }
        });
    }

    fn add(&mut self, place: u64, key: u64) {
        match self.free(key) {
            Some(slot) => {
                slot.hash = key;
                *slot.known.get_mut() = place << FRAMES;
            }
            None => self
                .lost
                .push(((place >> AT) as u32, (place % PAGE as u64) as u16)),
        }
    }

    /// The slot for a hash, if it is not taken.
    fn free(&mut self, hash: u64) -> Option<&mut Slot> {
        let mut number = self.start(hash);
        loop {
            let slot = self.slots.get_mut(number)?;
            let known = *slot.known.get_mut();
            if known == EMPTY {
                return self.slots.get_mut(number);
            }
            if slot.hash == hash {
                return None;
            }
            number = self.after(number);
        }
    }

    /// The record of a position; `sight` is that of the position.
    pub(super) fn of_position(&self, position: &Position, sight: Sight) -> Option<Found<'b>> {
        if !self.is_list() {
            let (frame, place) = self.book.place(position, None)?;
            let slot = (place.page as usize * PAGE + place.at) / APART;
            let (record, known) = (place.record, u64::from(self.noted(slot)));
            return Some(Found {
                frame,
                record,
                slot,
                known,
            });
        }
        let (frame, key, other) = seen_keys(position, sight)?;
        let found = self.find(key, frame);
        found.or_else(|| self.find(other?, frame))
    }

    /// The record of a hash.
    pub(super) fn find(&self, hash: u64, frame: Frame) -> Option<Found<'b>> {
        self.found(self.slot(hash)?, frame)
    }

    /// The number of a hash's slot, and what it holds.
    #[inline]
    pub(super) fn slot(&self, hash: u64) -> Option<(usize, u64)> {
        if !self.is_list() {
            return None;
        }
        let mut number = self.start(hash);
        // Some slots are empty, so that this ends.
        loop {
            let slot = self.slots.get(number)?;
            let known = slot.known.load(Ordering::Relaxed);
            if known == EMPTY {
                return None;
            }
            if slot.hash == hash {
                return Some((number, known));
            }
            number = self.after(number);
        }
    }

    /// The record of a slot that holds this.
    #[inline]
    pub(super) fn found(&self, (slot, known): (usize, u64), frame: Frame) -> Option<Found<'b>> {
        let record = self.record(known)?;
        Some(Found {
            frame,
            record,
            slot,
            known,
        })
    }

    /// Notes that a record was met in its frame; whether that is new.
    pub(super) fn meet(&self, found: &Found<'_>) -> bool {
        let bit = 1 << found.frame.number();
        if found.known & bit != 0 {
            return false;
        }
        if !self.is_list() {
            let word = self.met.get(found.slot / PLACES);
            let bit = bit << (found.slot % PLACES * FRAMES as usize);
            return word.is_some_and(|word| word.fetch_or(bit, Ordering::Relaxed) & bit == 0);
        }
        let slot = self.slots.get(found.slot);
        slot.is_some_and(|slot| slot.known.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }

    /// The frames noted for a place, when the book is looked into.
    fn noted(&self, place: usize) -> u8 {
        let word = self.met.get(place / PLACES);
        let word = word.map_or(0, |word| word.load(Ordering::Relaxed));
        (word >> (place % PLACES * FRAMES as usize)) as u8 & ((1 << FRAMES) - 1)
    }

    /// The frames a record was met in, a bit each; none when its key leads to another one.
    pub(super) fn frames(&self, page: u32, at: usize, record: &Record<'_>) -> u8 {
        if !self.is_list() {
            return self.noted((page as usize * PAGE + at) / APART);
        }
        let found = seen(record.key).and_then(|hash| self.find(hash, Frame::PLAIN));
        let is_here = |known: u64| known >> FRAMES == u64::from(page) << AT | at as u64;
        let here = found.filter(|found| is_here(found.known));
        here.map_or(0, |found| (found.known & ((1 << FRAMES) - 1)) as u8)
    }

    /// Every record that was met in no frame, and those that no key leads to.
    pub(super) fn rest(&self) -> impl Iterator<Item = Record<'b>> {
        let unmet = self.slots.iter().filter_map(|slot| {
            let known = slot.known.load(Ordering::Relaxed);
            let is_unmet = known != EMPTY && known & ((1 << FRAMES) - 1) == 0;
            is_unmet.then(|| self.record(known))?
        });
        let lost = self.lost.iter().filter_map(|&(page, at)| {
            let place = u64::from(page) << AT | u64::from(at);
            self.record(place << FRAMES)
        });
        let pages = if self.is_list() {
            0
        } else {
            self.book.page_count()
        };
        let looked_into = (0..pages).flat_map(|number| {
            let mut records = Records::of(self.book.page(number).unwrap_or_default());
            std::iter::from_fn(move || {
                let at = records.at();
                Some((number, at, records.next()?))
            })
        });
        let unnoted = looked_into.filter_map(|(page, at, record)| {
            (self.frames(page, at, &record) == 0).then_some(record)
        });
        unmet.chain(lost).chain(unnoted)
    }

    /// The record of a slot; it was found to be on its page, whose head need not be read again.
    fn record(&self, known: u64) -> Option<Record<'b>> {
        let place = known >> FRAMES;
        let page = self.book.page((place >> AT) as u32)?;
        Record::read(page.get(place as usize % PAGE..)?)
    }

    const fn start(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    const fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::sweep::follow;
    use super::*;
    use tabia_core::book::{BookEntry, BookPage, BookWriter};
    use tabia_core::format::{CreateOptions, OpenOptions};
    use tabia_core::game::Flow;
    use tabia_core::io::Source;
    use tabia_testkit::Scratch;

    /// A book of 2,000 positions on lines of one move after another.
    fn book(scratch: &Scratch) -> CtgBook {
        let path = scratch.join("some.ctg");
        let mut writer = super::super::CtgWriter::create(&path, &CreateOptions::default()).unwrap();
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

    /// All keys with the frames they were met in, and those that were met in none.
    type Met = (Vec<(Vec<u8>, u8)>, Vec<Vec<u8>>);

    fn met(book: &CtgBook, register: &Register<'_>) -> Met {
        let mut steps = 0;
        follow(register, &mut |_, _| {
            steps += 1;
            Flow::Go
        });
        let mut all = Vec::new();
        for number in 0..book.page_count() {
            let mut records = Records::of(book.page(number).unwrap());
            loop {
                let at = records.at();
                let Some(record) = records.next() else { break };
                all.push((record.key.to_vec(), register.frames(number, at, &record)));
            }
        }
        let frames: u32 = all.iter().map(|(_, frames)| frames.count_ones()).sum();
        assert_eq!(steps, frames);
        let mut rest: Vec<_> = register.rest().map(|record| record.key.to_vec()).collect();
        rest.sort();
        (all, rest)
    }

    #[test]
    fn looking_into_a_book_finds_what_a_list_finds() {
        let scratch = Scratch::new("ctg_register");
        let book = book(&scratch);
        let listed = met(&book, &Register::listing(&book));
        let looked_into = met(&book, &Register::looking_into(&book));
        assert!(listed.0.len() > 1_500, "{}", listed.0.len());
        assert!(listed.0.iter().filter(|(_, frames)| *frames != 0).count() > 1_500);
        assert_eq!(listed, looked_into);
    }
}
