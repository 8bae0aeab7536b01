//! All records of a book by key, and which of them have been met in which frame.

use std::sync::atomic::{AtomicU64, Ordering};

use super::frame::Frame;
use super::key::{Key, Keys};
use super::read::CtgBook;
use super::record::{PAGE, Record, Records};
use super::tree::Lookup;

/// A table of eight bytes a slot, at most two of three slots in use.
///
/// A slot holds, from the high bits, 16 of the key's hash, the page, the place on it (12 bits), and
/// one bit for each frame the record was met in.
#[derive(Debug)]
pub(super) struct Register<'b> {
    book: &'b CtgBook,
    slots: Vec<AtomicU64>,
    /// Records that no key leads to.
    lost: Vec<(u32, u16)>,
}

/// No record; no page has that number.
const EMPTY: u64 = u64::MAX;
const FRAMES: u32 = Frame::ALL.len() as u32;
const AT: u32 = PAGE.ilog2();
const TAG: u32 = 16;

/// A record by its key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'b> {
    /// How the position is turned in it.
    pub(super) frame: Frame,
    pub(super) record: Record<'b>,
    /// Its number in the register.
    slot: usize,
    /// Its number when no frame was known.
    known: u64,
}

impl<'b> Register<'b> {
    /// Lists the records that stand where they are looked for, the first of each key.
    pub(super) fn of(book: &'b CtgBook) -> Self {
        let pages = || (0..book.page_count()).map(|number| (number, book.page(number)));
        let records = |page: Option<&'b [u8]>| Records::of(page.unwrap_or_default());
        let count: usize = pages().map(|(_, page)| records(page).said()).sum();
        let length = (count + count / 2 + 1).next_power_of_two();
        let mut slots = Vec::new();
        slots.resize_with(length, || AtomicU64::new(EMPTY));
        let mut register = Self {
            book,
            slots,
            lost: Vec::new(),
        };
        for (number, page) in pages() {
            // Most pages are one leaf, so that one way down the tree does for all their records.
            let mut leaf = None;
            records(page).each_key(|at, key| register.add(number, at, key, &mut leaf));
        }
        register
    }

    /// `leaf`: bits that decide on the page, and which bits those are, once known.
    fn add(&mut self, page: u32, at: usize, stored: &[u8], leaf: &mut Option<(u32, u32)>) {
        let place = u64::from(page) << AT | at as u64;
        let tree = &self.book.tree;
        let mut is_found = |hash: u32| {
            if tree.lookup == Lookup::Scan {
                return true;
            }
            if leaf.is_some_and(|(bits, decided)| hash & decided == bits) {
                return true;
            }
            if let Some((found, decided)) = tree.leaf_page(hash) {
                if found == page {
                    *leaf = Some((hash & decided, decided));
                }
                return found == page;
            }
            tree.find(hash) == Some(page)
        };
        let key = Key::from_stored(stored)
            .filter(|key| self.record(place << FRAMES, stored).is_some() && is_found(key.hash()));
        if let Some(key) = key
            && self.find(&key).is_none()
        {
            let hash = key.mixed();
            let mut number = self.start(hash);
            while let Some(slot) = self.slots.get_mut(number) {
                let slot = slot.get_mut();
                if *slot == EMPTY {
                    *slot = tag(hash) | place << FRAMES;
                    return;
                }
                number = self.after(number);
            }
        }
        self.lost.push((page, at as u16));
    }

    /// The record of a position.
    pub(super) fn of_position(&self, position: &tabia_core::chess::Position) -> Option<Found<'b>> {
        let Keys { frame, key, other } = Keys::of(position)?;
        let found = self.find(&key);
        let found = found.or_else(|| self.find(&other?))?;
        Some(Found { frame, ..found })
    }

    /// The record of a key, in no frame.
    pub(super) fn find(&self, key: &Key) -> Option<Found<'b>> {
        let hash = key.mixed();
        let mut slot = self.start(hash);
        // Some slots are empty, so that this ends.
        loop {
            let known = self.slots.get(slot)?.load(Ordering::Relaxed);
            if known == EMPTY {
                return None;
            }
            if tag(known) == tag(hash)
                && let Some(record) = self.record(known, key.as_bytes())
            {
                let frame = Frame::PLAIN;
                return Some(Found {
                    frame,
                    record,
                    slot,
                    known,
                });
            }
            slot = self.after(slot);
        }
    }

    /// Notes that a record was met in its frame; whether that is new.
    pub(super) fn meet(&self, found: &Found<'_>) -> bool {
        let bit = 1 << found.frame.number();
        if found.known & bit != 0 {
            return false;
        }
        let slot = self.slots.get(found.slot);
        slot.is_some_and(|slot| slot.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }

    /// The frames a record was met in, a bit each; none when its key leads to another one.
    pub(super) fn frames(&self, page: u32, at: usize, record: &Record<'_>) -> u8 {
        let key = Key::from_stored(record.key);
        let found = key.and_then(|key| self.find(&key));
        let is_here =
            |known: u64| known << TAG >> (TAG + FRAMES) == u64::from(page) << AT | at as u64;
        let here = found.filter(|found| is_here(found.known));
        here.map_or(0, |found| (found.known & ((1 << FRAMES) - 1)) as u8)
    }

    /// Every record that was met in no frame, and those that no key leads to.
    pub(super) fn rest(&self) -> impl Iterator<Item = Record<'b>> {
        let unmet = self.slots.iter().filter_map(|slot| {
            let known = slot.load(Ordering::Relaxed);
            let is_unmet = known != EMPTY && known & ((1 << FRAMES) - 1) == 0;
            is_unmet.then(|| self.record(known, &[]))?
        });
        let lost = self.lost.iter().filter_map(|&(page, at)| {
            let place = u64::from(page) << AT | u64::from(at);
            self.record(place << FRAMES, &[])
        });
        unmet.chain(lost)
    }

    /// The record of a slot, if its key begins like that.
    fn record(&self, known: u64, key: &[u8]) -> Option<Record<'b>> {
        let place = known << TAG >> (TAG + FRAMES);
        let page = self.book.page((place >> AT) as u32)?;
        Records::of(page).at_offset(place as usize % PAGE, key)
    }

    fn start(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.slots.len() - 1)
    }

    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

/// The bits of a hash that a slot keeps.
const fn tag(bits: u64) -> u64 {
    bits >> (u64::BITS - TAG) << (u64::BITS - TAG)
}
