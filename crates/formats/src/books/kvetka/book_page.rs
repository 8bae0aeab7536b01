//! What an element and the elements behind its moves say, as a page.

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::{Move, Position};

use super::element::{Element, links};
use super::key::Key;
use super::moves::decode_move;
use super::read::{KvetkaBook, Seen};
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::{Lookout, TOGETHER};
use crate::books::mirrored::record_index::{SAID, Slot};

impl KvetkaBook {
    /// Fills a page with what an element says of a position in that frame.
    pub(super) fn fill(
        &self,
        position: &Position,
        frame: Frame,
        element: &Element<'_>,
        page: &mut BookPosition,
    ) {
        self.describe(frame, element, page);
        let mut codes = Codes::default();
        for &code in element.moves {
            if codes.is_new(code) {
                let m = decode_move(position, frame, code);
                page.entries.push(entry(m, code));
            }
        }
    }

    /// The same without the moves.
    pub(super) fn describe(&self, frame: Frame, element: &Element<'_>, page: &mut BookPosition) {
        let results = results(element.counts, frame);
        page.games = Some(results.games());
        page.results = Some(results);
        page.comment = element.comment.map(|comment| self.order().decode(comment));
        page.sample_game = element.source;
        links(
            element,
            self.header().has_game_links(),
            self.list_form(),
            &mut page.games_ending_here,
        );
    }

    /// Adds what the elements behind the moves of a page say of them; `seen` is what
    /// [`look`](Self::look) says of the position.
    pub(super) fn fill_results(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
        page: &mut BookPosition,
    ) {
        for entries in page.entries.chunks_mut(TOGETHER) {
            let children = match seen {
                Some(seen) => self.look_behind(position, seen, entries),
                None => position_hash::behind_each(position, entries, |next| {
                    let (element, frame) = self.of_position(next, None)?;
                    Some((element.counts, frame))
                }),
            };
            for (entry, child) in entries.iter_mut().zip(children) {
                if let Some((counts, frame)) = child {
                    count(entry, counts, frame);
                }
            }
        }
    }

    /// The counts of the elements behind some moves. All of the table is asked for before any of it
    /// is read, so that it comes from memory at the same time.
    fn look_behind(
        &self,
        position: &Position,
        Seen { table, sight }: Seen<'_>,
        entries: &[BookEntry],
    ) -> [Option<(Counts, Frame)>; TOGETHER] {
        let lookout = Lookout::new(position, sight);
        let plain = Frame {
            flipped: !lookout.turn().is_white(),
            mirrored: false,
        };
        let hashes = lookout.keys(entries, |key| (key, plain), Key::seen_of);
        let slots = position_hash::for_each(entries.len(), &hashes, |(key, frame)| {
            Some((table.find(key)?, frame))
        });
        position_hash::for_each(entries.len(), &slots, |(slot, frame)| {
            Some((self.counts_of(slot)?, frame))
        })
    }

    /// The counts of an element, which is looked at only where its slot does not say them.
    fn counts_of(&self, slot: Slot) -> Option<Counts> {
        let said = slot.said();
        if said == LOOK {
            return Some(self.placed(slot.place())?.counts);
        }
        Some([0, 1, 2].map(|number| said >> (number * COUNT) & ((1 << COUNT) - 1)))
    }
}

/// Won, drawn and lost, from the side to move.
type Counts = [u64; 3];

/// Bits of a count in a slot.
const COUNT: u32 = SAID / 3;
/// Instead of counts: they are too great, or there is no whole element.
const LOOK: u64 = (1 << SAID) - 1;

/// What the slot of an element says of it.
pub(super) fn said_of(element: Option<&Element<'_>>) -> u64 {
    match element.map(|element| element.counts) {
        Some(counts) if counts.iter().all(|count| *count < 1 << COUNT) => {
            let mut said = 0;
            for count in counts.iter().rev() {
                said = said << COUNT | count;
            }
            said
        }
        _ => LOOK,
    }
}

/// The codes of an element, each of which counts once.
#[derive(Default)]
pub(super) struct Codes([u64; 4]);

impl Codes {
    pub(super) fn is_new(&mut self, code: u8) -> bool {
        let bit = 1 << (code & 63);
        let word = &mut self.0[usize::from(code >> 6)];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// A move and its code, which is kept when there is no such move.
pub(super) fn entry(m: Option<Move>, code: u8) -> BookEntry {
    let mut entry = BookEntry {
        m,
        ..BookEntry::default()
    };
    if m.is_none() {
        entry.raw = [code].into();
    }
    entry
}

/// What an element in that frame says of a move that leads to it.
pub(super) fn count(entry: &mut BookEntry, counts: Counts, frame: Frame) {
    let results = results(counts, frame);
    entry.games = Some(results.games());
    entry.results = Some(results);
}

/// From the side to move to White's side.
fn results([won, draws, lost]: [u64; 3], frame: Frame) -> Wdl {
    let (white, black) = if frame.flipped {
        (lost, won)
    } else {
        (won, lost)
    };
    Wdl {
        white,
        draws,
        black,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_say_counts_or_where_to_look() {
        let element = |counts| Element {
            key: Key([0; Key::SIZE]),
            counts,
            moves: &[],
            flags: 0,
            source: None,
            comment: None,
            rest: &[],
            bad_comment: false,
        };
        assert_eq!(said_of(None), LOOK);
        assert_eq!(said_of(Some(&element([0, 1 << COUNT, 0]))), LOOK);
        assert_eq!(said_of(Some(&element([0, 0, u64::MAX]))), LOOK);
        let most = (1 << COUNT) - 1;
        for counts in [[0, 0, 0], [1, 2, 3], [most, 0, 1], [most; 3]] {
            let said = said_of(Some(&element(counts)));
            assert!(said < LOOK);
            let slot = Slot::new(7, said);
            let back = [0, 1, 2].map(|number| slot.said() >> (number * COUNT) & most);
            assert_eq!((slot.place(), back), (7, counts));
        }
    }
}
