//! Compares books of any format position by position.

use tabia_core::Result;
use tabia_core::books::{Book, BookEntry, BookPosition, SmallBytes};
use tabia_core::chess::{Move, Position, uci};
use tabia_core::game::Flow;
use tabia_core::io::Progress;

use super::union::BookUnion;
use super::{BookDiff, Difference, DifferingKeys, MovePair, OnDifference, for_each_reachable};
use crate::book::for_each_position::for_each_board;

/// Compares two books of any format: the positions that either stores with a board, else those that a
/// walk reaches. In books of different formats, a field that only one of two entries has is not
/// compared. Calls `visit` with the differences: those of positions that the moves of the books
/// reach in the order of a walk from the standard position, then the others.
///
/// # Errors
/// Those of the books and of `visit`.
pub fn diff_positions(
    first: &dyn Book,
    second: &dyn Book,
    progress: &Progress,
    visit: OnDifference<'_>,
) -> Result<BookDiff> {
    let strict = first.info().format == second.info().format;
    let books = BookUnion { first, second };
    let mut diff = BookDiff::default();
    let mut keys = Vec::new();
    for_each_position(&books, progress, &mut |position, pair| {
        let mut differs = false;
        for (_, pair) in pair.moves() {
            differs |= diff.count(&pair, strict);
        }
        keys.extend(differs.then(|| position.key()));
        Ok(Flow::Go)
    })?;
    let mut keys = DifferingKeys::new(keys);
    let mut pair = PositionPair::default();
    let goes_on = for_each_reachable(&books, &mut keys, progress, &mut |position, line| {
        first.probe(position, &mut pair.first)?;
        second.probe(position, &mut pair.second)?;
        pair.report(position, Some(line), strict, visit)
    })?;
    if goes_on && keys.left > 0 {
        for_each_position(&books, progress, &mut |position, pair| {
            if keys.take(position.key()) {
                return pair.report(position, None, strict, visit);
            }
            Ok(Flow::Go)
        })?;
    }
    Ok(diff)
}

/// Visits every position of either book, those of the first before those that only the second has.
fn for_each_position(
    books: &BookUnion<'_>,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &PositionPair) -> Result<Flow>,
) -> Result<()> {
    let (first, second) = (books.first, books.second);
    let mut pair = PositionPair::default();
    let mut flow = Flow::Go;
    for_each_board(first, progress, &mut |position, page| {
        pair.first.clone_from(page);
        second.probe(position, &mut pair.second)?;
        flow = visit(position, &pair)?;
        Ok(flow)
    })?;
    if flow == Flow::Stop {
        return Ok(());
    }
    for_each_board(second, progress, &mut |position, page| {
        if first.probe(position, &mut pair.first)? {
            return Ok(Flow::Go);
        }
        pair.second.clone_from(page);
        visit(position, &pair)
    })?;
    Ok(())
}

/// A position in both books, empty where a book does not contain it.
#[derive(Default)]
struct PositionPair {
    first: BookPosition,
    second: BookPosition,
}

impl PositionPair {
    /// Every move once.
    fn moves(&self) -> impl Iterator<Item = (Move, MovePair)> {
        let (first, second) = (&self.first.entries, &self.second.entries);
        let find = |entries: &[BookEntry], m| {
            let found = entries.iter().find(|entry| entry.m == Some(m));
            found.map(comparable)
        };
        let only_second = |m: &Move| first.iter().all(|entry| entry.m != Some(*m));
        let moves = first.iter().filter_map(|entry| entry.m);
        let more = second.iter().filter_map(|entry| entry.m);
        moves.chain(more.filter(only_second)).map(move |m| {
            let pair = MovePair {
                first: find(first, m),
                second: find(second, m),
            };
            (m, pair)
        })
    }

    /// Reports the moves that differ.
    fn report(
        &self,
        position: &Position,
        line: Option<&str>,
        strict: bool,
        visit: OnDifference<'_>,
    ) -> Result<Flow> {
        for (m, pair) in self.moves() {
            if pair.is_same(strict) {
                continue;
            }
            let mut text = Vec::new();
            uci::write(m, position.is_chess960(), &mut text);
            let flow = visit(Difference {
                key: position.key(),
                fen: Some(position.fen()),
                line: line.map(str::to_owned),
                uci: String::from_utf8_lossy(&text).into_owned(),
                san: Some(super::san_text(position, m)),
                differs: pair.differing(strict),
                first: pair.first,
                second: pair.second,
            })?;
            if flow == Flow::Stop {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }
}

/// The fields of an entry that are compared.
fn comparable(entry: &BookEntry) -> BookEntry {
    let mut comparable = entry.clone();
    comparable.m = None;
    comparable.raw = SmallBytes::new();
    comparable
}
