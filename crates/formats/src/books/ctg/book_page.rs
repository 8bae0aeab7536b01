//! What a record and the records behind its moves say, as a page.

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::Position;

use super::key::seen_keys;
use super::moves::decode_move;
use super::nags;
use super::packed_stats::Brief;
use super::read::{CtgBook, Seen};
use super::record::{Record, Stats};
use super::roundtrip_bytes::RawMove;
use crate::books::mirrored::orientation::Frame;
use crate::books::mirrored::position_hash;
use crate::books::mirrored::position_hash::{Lookout, TOGETHER};

/// What a record says by itself: of its position, and which moves there are.
pub(super) fn fill_moves(
    position: &Position,
    frame: Frame,
    record: &Record<'_>,
    page: &mut BookPosition,
) {
    describe_position(frame, &record.stats(), page);
    for &[code, annotation] in record.moves {
        let m = decode_move(position, frame, code);
        let mut entry = BookEntry {
            m,
            ..BookEntry::default()
        };
        entry.nags.extend(nags::annotation(annotation));
        page.entries.push(entry);
    }
}

impl CtgBook {
    /// The same with what the records its moves lead to say of the moves; `seen` is what
    /// [`look`](Self::look) says of the position.
    pub(super) fn fill(
        &self,
        position: &Position,
        seen: Option<Seen<'_>>,
        frame: Frame,
        record: &Record<'_>,
        page: &mut BookPosition,
    ) {
        let first = page.entries.len();
        fill_moves(position, frame, record, page);
        let entries = page.entries.get_mut(first..).unwrap_or_default();
        let moves = entries.chunks_mut(TOGETHER);
        for (entries, codes) in moves.zip(record.moves.chunks(TOGETHER)) {
            let children = match seen {
                Some(seen) => self.look_behind(position, seen, entries),
                None => position_hash::behind_each(position, entries, |next| {
                    let (_, place) = self.place(next, None)?;
                    Some(Brief::of(&place.record))
                }),
            };
            for ((entry, code), child) in entries.iter_mut().zip(codes).zip(children) {
                let stats = child.map(|child| child.stats());
                let raw = RawMove::new(*code, stats.as_ref());
                if let Some(stats) = &stats {
                    describe(entry, stats, !frame.flipped, raw);
                }
                entry.raw = raw.write();
            }
        }
    }

    /// The statistics behind some moves. All of the table is asked for before any of it is read, and
    /// so are the records that are to be looked at, so that they come from memory at the same time.
    fn look_behind(
        &self,
        position: &Position,
        Seen { table, sight }: Seen<'_>,
        entries: &[BookEntry],
    ) -> [Option<Brief>; TOGETHER] {
        let lookout = Lookout::new(position, sight);
        let played =
            |next: &Position, sight| seen_keys(next, sight).map(|(_, key, other)| (key, other));
        let hashes = lookout.keys(entries, |key| (key, None), played);
        let slots = position_hash::for_each(entries.len(), &hashes, |(key, other)| {
            table.find(key).or_else(|| table.find(other?))
        });
        position_hash::for_each(entries.len(), &slots, |slot| Brief::at(self, slot))
    }
}

/// What the statistics of a record say of its position.
fn describe_position(frame: Frame, stats: &Stats, page: &mut BookPosition) {
    count_position(frame, stats, page);
    page.average_rating = stats.own_average();
    page.performance = stats.own_performance();
}

/// The same without ratings, which take longer than all the rest.
pub(super) fn count_position(frame: Frame, stats: &Stats, page: &mut BookPosition) {
    page.games = Some(u64::from(stats.games));
    page.results = Some(results(stats, frame.flipped));
    page.nags
        .extend(nags::commentary(stats.commentary, frame.flipped));
}

/// What the record of the position behind a move says of the move; `flipped` is that position's.
fn describe(entry: &mut BookEntry, stats: &Stats, flipped: bool, raw: RawMove) {
    count(entry, stats, flipped, raw);
    entry.average_rating = stats.other_average();
    entry.performance = stats.other_performance();
}

/// The same without ratings.
pub(super) fn count(entry: &mut BookEntry, stats: &Stats, flipped: bool, raw: RawMove) {
    entry.games = Some(u64::from(stats.games));
    entry.results = Some(results(stats, flipped));
    entry.recommended = raw.recommended();
    if entry.recommended == Some(false) {
        entry.weight = Some(0);
    }
    entry
        .nags
        .extend(nags::commentary(stats.commentary, flipped));
}

pub(super) fn results(stats: &Stats, flipped: bool) -> Wdl {
    let (won, lost) = (u64::from(stats.won), u64::from(stats.lost));
    let (white, black) = if flipped { (lost, won) } else { (won, lost) };
    Wdl {
        white,
        draws: u64::from(stats.drawn),
        black,
    }
}
