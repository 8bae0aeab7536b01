//! Book positions from elements.

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::{Move, Position};

use super::block_store::BlockStore;
use super::move_code::decode_move;
use super::read_element::{Counts, Element, read_links};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::probe_and_walk::MirroredBook;
use crate::books::mirrored::reachable::{ChildMove, Node};

/// [`BookPosition::raw`] of a Kvetka book.
pub(super) const RAW: &[u8; 3] = b"kob";

impl<'b> MirroredBook<'b> for &'b BlockStore {
    fn fill_moves(
        self,
        position: &Position,
        orientation: Orientation,
        element: &Element<'b>,
        page: &mut BookPosition,
    ) {
        self.fill_position(orientation, element, page);
        let mut codes = CodeSet::default();
        for &code in element.moves {
            if codes.insert(code) {
                let m = decode_move(position, orientation, code);
                page.entries.push(entry(m, code));
            }
        }
    }

    fn set_child_stats(
        entry: &mut BookEntry,
        _: usize,
        orientation: Orientation,
        _: &Element<'b>,
        counts: Option<Counts>,
    ) {
        if let Some(counts) = counts {
            set_counts(entry, counts, !orientation.flipped);
        }
    }

    fn fill_unordered(
        self,
        node: &Node<Element<'b>>,
        moves: &[ChildMove<Element<'b>, u8>],
        page: &mut BookPosition,
    ) {
        self.fill_position(node.orientation, &node.record, page);
        let mut codes = CodeSet::default();
        for child in moves.iter().filter(|child| codes.insert(child.code)) {
            let entry = page.entries.push_mut(entry(child.m, child.code));
            if let Some(element) = &child.child {
                set_counts(entry, element.counts, !node.orientation.flipped);
            }
        }
    }

    fn write_raw(_: &Element<'b>, _: bool, raw: &mut Vec<u8>) {
        raw.extend_from_slice(RAW);
    }
}

impl BlockStore {
    /// Fills a page with everything but the moves.
    fn fill_position(
        &self,
        orientation: Orientation,
        element: &Element<'_>,
        page: &mut BookPosition,
    ) {
        let results = results(element.counts, orientation.flipped);
        page.games = Some(results.games());
        page.results = Some(results);
        page.comment = element
            .comment
            .map(|comment| self.text_order.decode(comment));
        page.sample_game = element.source;
        let games = &mut page.games_ending_here;
        read_links(element, self.has_links, self.list_form, games);
    }
}

/// A set of move codes: a code that an element repeats counts once.
#[derive(Default)]
pub(super) struct CodeSet([u64; 4]);

impl CodeSet {
    /// Adds a code; `true` if it is new.
    pub(super) fn insert(&mut self, code: u8) -> bool {
        let bit = 1 << (code & 63);
        let word = &mut self.0[usize::from(code >> 6)];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// The entry of a move; its code is stored if it is not that of a legal move.
fn entry(m: Option<Move>, code: u8) -> BookEntry {
    let mut entry = BookEntry::default();
    entry.m = m;
    if m.is_none() {
        entry.raw = [code].into();
    }
    entry
}

/// Sets the counts of the position after a move; `flipped` is that of this position.
fn set_counts(entry: &mut BookEntry, counts: Counts, flipped: bool) {
    let results = results(counts, flipped);
    entry.games = Some(results.games());
    entry.results = Some(results);
}

/// From the side to move to White's side.
fn results([won, draws, lost]: Counts, flipped: bool) -> Wdl {
    let (white, black) = if flipped { (lost, won) } else { (won, lost) };
    Wdl {
        white,
        draws,
        black,
    }
}
