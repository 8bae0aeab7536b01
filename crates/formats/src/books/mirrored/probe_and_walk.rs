//! Probing and walking books that keep a position and its mirror images in one record, and the
//! statistics of a move in the record of the position it leads to.

use std::ops::ControlFlow;

use tabia_core::books::{BookEntry, BookKey, BookPosition};
use tabia_core::chess::Position;
use tabia_core::game::Flow;

use crate::books::mirrored::bridge::visit_bridged;
use crate::books::mirrored::orientation::Orientation;
use crate::books::mirrored::position_hash::BATCH;
use crate::books::mirrored::reachable::{ChildMove, Node, Visited, for_each_reachable};
use crate::books::mirrored::record_lookup::{IndexHit, MirroredStore};

/// How the records of a store become book positions.
pub(crate) trait MirroredBook<'b>: MirroredStore<'b> {
    /// Fills an empty page with what the record itself contains: the statistics of the position,
    /// and its moves without statistics.
    fn fill_moves(
        self,
        position: &Position,
        orientation: Orientation,
        record: &Self::Record,
        page: &mut BookPosition,
    );

    /// Completes the entry of that number with the statistics of the position its move leads to;
    /// `None` if the book does not contain it.
    fn set_child_stats(
        entry: &mut BookEntry,
        number: usize,
        orientation: Orientation,
        record: &Self::Record,
        stats: Option<Self::Stats>,
    );

    /// Fills an empty page for [`for_each_unordered`]: ratings and `raw` bytes may be missing.
    fn fill_unordered(
        self,
        node: &Node<Self::Record>,
        moves: &[ChildMove<Self::Record, Self::Code>],
        page: &mut BookPosition,
    );

    /// Appends the bytes that make a copy of the record exact.
    fn write_raw(record: &Self::Record, is_duplicate: bool, raw: &mut Vec<u8>);
}

/// Fills a page with the moves and statistics of a position; its record, if the book has one.
pub(crate) fn probe<'b, S: MirroredBook<'b>>(
    store: S,
    position: &Position,
    page: &mut BookPosition,
) -> Option<S::Record> {
    page.clear();
    let hit = store.index_hit(position);
    let found = store.locate(position, hit)?;
    fill(store, position, hit, found.orientation, &found.record, page);
    Some(found.record)
}

/// Fills a page from the record of a position alone; `false` if the book has none.
pub(crate) fn moves<'b, S: MirroredBook<'b>>(
    store: S,
    position: &Position,
    page: &mut BookPosition,
) -> bool {
    page.clear();
    let found = store.locate(position, store.index_hit(position));
    found.is_some_and(|found| {
        store.fill_moves(position, found.orientation, &found.record, page);
        true
    })
}

/// Visits all records in file order: each as every position that is reachable from the standard
/// position, or as it is stored if no position is, marked as [`BookPosition::is_side_assumed`]. Returns the number of records whose key is not that
/// of a position.
pub(crate) fn for_each<'b, S: MirroredBook<'b>>(
    store: S,
    visit: &mut dyn FnMut(BookKey<'_>, &BookPosition) -> Flow,
) -> u64 {
    let mut visited = Visited::reachable(store);
    let _ = visit_bridged(store, &mut visited, |_, _| Flow::Go);
    let mut page = BookPosition::default();
    let mut skipped = 0;
    for (offset, record) in store.records() {
        let known = visited.orientations(offset);
        let orientations = known.max(1);
        let mut is_duplicate = false;
        for orientation in Orientation::ALL {
            if orientations >> orientation.index() & 1 == 0 {
                continue;
            }
            let Some(position) = fill_record(store, &record, orientation, &mut page) else {
                skipped += 1;
                continue;
            };
            S::write_raw(&record, is_duplicate, &mut page.raw);
            page.is_duplicate = is_duplicate;
            page.is_side_assumed = known == 0;
            is_duplicate = true;
            if visit(BookKey::Board(&position), &page) == Flow::Stop {
                return skipped;
            }
        }
    }
    skipped
}

/// Visits all records in the order of a walk: each as every position that is reachable from the
/// standard position, then the others as they are stored. Ratings and `raw` bytes may be missing.
/// Returns the number of records whose key is not that of a position.
pub(crate) fn for_each_unordered<'b, S: MirroredBook<'b>>(
    store: S,
    visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
) -> u64 {
    scan(store, true, visit, |_, _| {}).skipped
}

/// What a scan of a book has visited.
pub(crate) struct Scanned {
    /// The records that are reachable from the standard position.
    pub(crate) visited: Visited,
    /// The number of records whose key is not that of a position.
    pub(crate) skipped: u64,
}

/// As [`for_each_unordered`], without the records that only moves reach which the book does not contain
/// unless `is_bridged`; `on_record` gets every reachable record once, with its moves, before its
/// position is visited.
pub(crate) fn scan<'b, S: MirroredBook<'b>>(
    store: S,
    is_bridged: bool,
    visit: &mut dyn FnMut(BookKey<'_>, &mut BookPosition) -> Flow,
    mut on_record: impl FnMut(&Node<S::Record>, &[ChildMove<S::Record, S::Code>]),
) -> Scanned {
    let mut visited = Visited::empty(store);
    let mut page = BookPosition::default();
    let mut on_node = |node: &Node<S::Record>, moves: &[ChildMove<S::Record, S::Code>]| {
        if node.is_first {
            on_record(node, moves);
        }
        page.clear();
        store.fill_unordered(node, moves, &mut page);
        visit(BookKey::Board(&node.position), &mut page)
    };
    let mut flow = for_each_reachable(store, &mut visited, &mut on_node);
    if is_bridged && flow == Flow::Go {
        flow = visit_bridged(store, &mut visited, &mut on_node);
    }
    let mut skipped = 0;
    if flow == Flow::Stop {
        return Scanned { visited, skipped };
    }
    // Without a call of `next` for each record, most of which are visited.
    let _ = store.records().try_for_each(|(offset, record)| {
        if visited.orientations(offset) != 0 {
            return ControlFlow::Continue(());
        }
        let position = fill_record(store, &record, Orientation::IDENTITY, &mut page);
        page.is_side_assumed = true;
        match position {
            Some(position) if visit(BookKey::Board(&position), &mut page) == Flow::Stop => {
                return ControlFlow::Break(());
            }
            Some(_) => (),
            None => skipped += 1,
        }
        ControlFlow::Continue(())
    });
    Scanned { visited, skipped }
}

/// Fills a page for the position of a record in an orientation; `None` if its key is not that of a
/// position.
fn fill_record<'b, S: MirroredBook<'b>>(
    store: S,
    record: &S::Record,
    orientation: Orientation,
    page: &mut BookPosition,
) -> Option<Position> {
    let position = S::position(record, orientation)?;
    page.clear();
    let hit = store.index_hit(&position);
    fill(store, &position, hit, orientation, record, page);
    Some(position)
}

/// Fills an empty page from a record and those of the positions its moves lead to; `hit` is that of
/// the position.
fn fill<'b, S: MirroredBook<'b>>(
    store: S,
    position: &Position,
    hit: Option<IndexHit<'_>>,
    orientation: Orientation,
    record: &S::Record,
    page: &mut BookPosition,
) {
    store.fill_moves(position, orientation, record, page);
    let mut number = 0;
    for entries in page.entries.chunks_mut(BATCH) {
        let children = store.children(position, hit, entries);
        for (entry, stats) in entries.iter_mut().zip(children) {
            S::set_child_stats(entry, number, orientation, record, stats);
            number += 1;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
pub(crate) mod tests {
    use super::*;
    use tabia_core::books::Book;

    /// The scan of an inspection visits the positions that [`Book::for_each`] visits, with the same
    /// moves, and finds what [`Book::size`] and [`Book::problems`] find.
    pub(crate) fn assert_inspection_finds_all(book: &dyn Book) {
        let (mut scanned, mut visited) = (Vec::new(), Vec::new());
        let moves = |page: &BookPosition| -> Vec<_> {
            let entries = page.entries.iter();
            entries.map(|entry| (entry.m, entry.weight)).collect()
        };
        let mut add = |position: BookKey<'_>, page: &BookPosition| {
            if let BookKey::Board(position) = position {
                scanned.push((position.key(), moves(page)));
            }
            Flow::Go
        };
        let found = book.inspect(&mut add).unwrap();
        let mut add = |position: BookKey<'_>, page: &BookPosition| {
            if let BookKey::Board(position) = position {
                visited.push((position.key(), moves(page)));
            }
            Flow::Go
        };
        book.for_each(&mut add).unwrap();
        scanned.sort_by_key(|(key, _)| *key);
        visited.sort_by_key(|(key, _)| *key);
        assert!(scanned.len() > 1_500);
        assert_eq!(scanned, visited);
        assert_eq!(found.size, book.size().unwrap());
        assert_eq!(found.problems, book.problems().unwrap());
    }
}
