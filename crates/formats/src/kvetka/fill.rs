//! What an element and the elements behind its moves say, as a page.

use tabia_core::book::{BookEntry, BookPage, Wdl};
use tabia_core::chess::{Move, Position};

use super::element::{Element, links};
use super::key::Key;
use super::moves::decode_move;
use super::read::{KvetkaBook, Seen};
use crate::frame::Frame;
use crate::sight::{self, Lookout, TOGETHER};

impl KvetkaBook {
    /// Fills a page with what an element says of a position in that frame.
    pub(super) fn fill(
        &self,
        position: &Position,
        frame: Frame,
        element: &Element<'_>,
        page: &mut BookPage,
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
    pub(super) fn describe(&self, frame: Frame, element: &Element<'_>, page: &mut BookPage) {
        let results = results(element.counts, frame);
        page.games = Some(results.games());
        page.results = Some(results);
        page.comment = element.comment.map(|comment| self.order().decode(comment));
        page.example = element.source;
        links(
            element,
            self.header().has_game_links(),
            self.list_form(),
            &mut page.ending,
        );
    }

    /// Adds what the elements behind the moves of a page say of them; `seen` is what
    /// [`look`](Self::look) says of the position.
    pub(super) fn fill_results(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
        page: &mut BookPage,
    ) {
        for entries in page.entries.chunks_mut(TOGETHER) {
            let children = match seen {
                Some(seen) => self.look_behind(position, seen, entries),
                None => sight::behind_each(position, entries, |next| self.of_position(next, None)),
            };
            for (entry, child) in entries.iter_mut().zip(children) {
                let Some((element, frame)) = child else {
                    continue;
                };
                count(entry, &element, frame);
            }
        }
    }

    /// The elements behind some moves. All of the table is asked for before any element is, and all
    /// of the elements before any is read, so that they come from memory at the same time.
    fn look_behind<'b>(
        &'b self,
        position: &Position,
        Seen { table, sight }: Seen<'_>,
        entries: &[BookEntry],
    ) -> [Option<(Element<'b>, Frame)>; TOGETHER] {
        let lookout = Lookout::new(position, sight);
        let plain = Frame {
            flipped: !lookout.turn().is_white(),
            mirrored: false,
        };
        let hashes = lookout.keys(entries, |key| (key, plain), Key::seen_of);
        let places =
            hashes.map(|hash| hash.and_then(|(key, frame)| Some((table.find(key)?, frame))));
        places.map(|place| {
            let (place, frame) = place?;
            Some((self.placed(place)?, frame))
        })
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
pub(super) fn count(entry: &mut BookEntry, element: &Element<'_>, frame: Frame) {
    let results = results(element.counts, frame);
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
