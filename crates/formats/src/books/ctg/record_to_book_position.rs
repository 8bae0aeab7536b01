//! Book positions from records.

use tabia_core::books::{BookEntry, BookPosition, RatingSum, Wdl};
use tabia_core::chess::Position;

use super::moves::decode_move;
use super::nags;
use super::packed_stats::PackedStats;
use super::page_store::PageStore;
use super::raw_page_and_move::{RawMove, RawPage};
use super::record::{Record, Stats};
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::probe_and_walk::MirroredBook;
use crate::books::mirrored::reachable::{ChildMove, Node};

impl<'b> MirroredBook<'b> for &'b PageStore {
    fn fill_moves(
        self,
        position: &Position,
        orientation: Orientation,
        record: &Record<'b>,
        page: &mut BookPosition,
    ) {
        let stats = record.stats();
        set_position_counts(page, &stats, orientation);
        page.average_rating = stats.own_average();
        page.ratings = ratings(stats.own_rated, stats.own_ratings);
        page.opponent_ratings = ratings(stats.other_rated, stats.other_ratings);
        page.performance = stats.own_performance();
        for &[code, annotation] in record.moves {
            let mut entry = BookEntry::default();
            entry.m = decode_move(position, orientation, code);
            entry.nags.extend(nags::annotation(annotation));
            page.entries.push(entry);
        }
    }

    fn set_child_stats(
        entry: &mut BookEntry,
        number: usize,
        orientation: Orientation,
        record: &Record<'b>,
        stats: Option<PackedStats>,
    ) {
        let Some(code) = record.moves.get(number) else {
            return;
        };
        let stats = stats.map(|stats| stats.unpack());
        let raw = RawMove::new(*code, stats.as_ref());
        if let Some(stats) = &stats {
            set_counts(entry, stats, !orientation.flipped, raw);
            entry.average_rating = stats.other_average();
            entry.ratings = ratings(stats.other_rated, stats.other_ratings);
            entry.performance = stats.other_performance();
        }
        entry.raw = raw.write();
    }

    /// Ratings take longer than everything else and are left out.
    fn fill_unordered(
        self,
        node: &Node<Record<'b>>,
        moves: &[ChildMove<Record<'b>, [u8; 2]>],
        page: &mut BookPosition,
    ) {
        set_position_counts(page, &node.record.stats(), node.orientation);
        page.entries.reserve(moves.len());
        for child in moves {
            let entry = page.entries.push_mut(BookEntry::default());
            fill_entry(entry, child, node.orientation);
        }
    }

    fn write_raw(record: &Record<'b>, is_duplicate: bool, raw: &mut Vec<u8>) {
        let record = *record;
        RawPage {
            is_duplicate,
            record,
        }
        .write(raw);
    }
}

/// Fills an empty entry with a move, without ratings and raw bytes.
#[inline]
fn fill_entry(
    entry: &mut BookEntry,
    child: &ChildMove<Record<'_>, [u8; 2]>,
    orientation: Orientation,
) {
    entry.m = child.m;
    if let Some(nag) = nags::annotation(child.code[1]) {
        entry.nags.push(nag);
    }
    if let Some(stats) = child.child.map(|record| record.stats()) {
        let raw = RawMove::new(child.code, Some(&stats));
        set_counts(entry, &stats, !orientation.flipped, raw);
    }
}

/// Sets what the statistics of a position contain but the ratings.
#[inline]
fn set_position_counts(page: &mut BookPosition, stats: &Stats, orientation: Orientation) {
    page.games = Some(u64::from(stats.games));
    page.results = Some(results(stats, orientation.flipped));
    if let Some(nag) = nags::commentary(stats.commentary, orientation.flipped) {
        page.nags.push(nag);
    }
}

/// Sets what the statistics of the position after a move contain but the ratings; `flipped` is that
/// of the position after the move. Inlined, so that the ratings are not even read where they are left
/// out.
#[inline(always)]
fn set_counts(entry: &mut BookEntry, stats: &Stats, flipped: bool, raw: RawMove) {
    entry.games = Some(u64::from(stats.games));
    entry.results = Some(results(stats, flipped));
    entry.recommended = raw.recommended();
    if entry.recommended == Some(false) {
        entry.weight = Some(0);
    }
    if let Some(nag) = nags::commentary(stats.commentary, flipped) {
        entry.nags.push(nag);
    }
}

fn ratings(games: u32, sum: u32) -> Option<RatingSum> {
    let (games, sum) = (u64::from(games), u64::from(sum));
    (games > 0).then_some(RatingSum { games, sum })
}

/// The results of a position, from the side to move to White's side.
pub(super) fn results(stats: &Stats, flipped: bool) -> Wdl {
    let (won, lost) = (u64::from(stats.won), u64::from(stats.lost));
    let (white, black) = if flipped { (lost, won) } else { (won, lost) };
    Wdl {
        white,
        draws: u64::from(stats.drawn),
        black,
    }
}
