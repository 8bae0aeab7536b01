//! Differences between two books.

mod polyglot_entries;
mod positions;
mod union;

pub use polyglot_entries::diff_entries;
pub use positions::diff_positions;

use tabia_core::Result;
use tabia_core::books::{Book, BookEntry};
use tabia_core::chess::{Move, Ply, Position, san};
use tabia_core::game::Flow;
use tabia_core::io::Progress;

use super::walk::walk_with_lines;
use union::BookUnion;

/// A move that differs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The Polyglot key of the position.
    pub key: u64,
    /// The position, if it is known.
    pub fen: Option<String>,
    /// The moves of the books that lead to the position from the standard position, as
    /// `1.e4 c5 2.Nf3`; `None` if no moves do.
    pub line: Option<String>,
    /// The move in UCI notation; castling is king takes rook if only the key of the position is
    /// known.
    pub uci: String,
    /// The move in SAN, if the position is known and the move is legal.
    pub san: Option<String>,
    /// The move in the first book; `None` if the book does not contain it.
    pub first: Option<BookEntry>,
    /// The move in the second book; `None` if the book does not contain it.
    pub second: Option<BookEntry>,
    /// The fields that differ, if both books contain the move.
    pub differs: Vec<&'static str>,
}

/// The counts of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookDiff {
    /// Moves that are equal in both books.
    pub same: u64,
    /// Moves only in the first book.
    pub only_first: u64,
    /// Moves only in the second book.
    pub only_second: u64,
    /// Moves in both books that differ.
    pub changed: u64,
    /// Positions of a book with keys that no walk reaches and that the other book, which has boards,
    /// does not contain: their moves count as only in that book.
    pub known_by_key: u64,
}

/// Receives the differences.
pub type OnDifference<'a> = &'a mut dyn FnMut(Difference) -> Result<Flow>;

/// The same move in both books; `None` where a book does not contain it.
struct MovePair {
    first: Option<BookEntry>,
    second: Option<BookEntry>,
}

impl MovePair {
    /// The fields that differ; empty unless both books contain the move.
    fn differing(&self, strict: bool) -> Vec<&'static str> {
        match (&self.first, &self.second) {
            (Some(first), Some(second)) => differing(first, second, strict),
            _ => Vec::new(),
        }
    }

    fn is_same(&self, strict: bool) -> bool {
        self.first.is_some() && self.second.is_some() && self.differing(strict).is_empty()
    }
}

impl BookDiff {
    /// Counts a pair; returns whether it differs.
    fn count(&mut self, pair: &MovePair, strict: bool) -> bool {
        let is_same = pair.is_same(strict);
        match (&pair.first, &pair.second) {
            (Some(_), Some(_)) if is_same => self.same += 1,
            (Some(_), Some(_)) => self.changed += 1,
            (Some(_), None) => self.only_first += 1,
            (None, _) => self.only_second += 1,
        }
        !is_same
    }
}

/// The fields in which two entries of a move differ. Unless `strict`, a field that only one of them
/// has is not compared.
fn differing(a: &BookEntry, b: &BookEntry, strict: bool) -> Vec<&'static str> {
    fn differ<T: PartialEq>(a: Option<&T>, b: Option<&T>, strict: bool) -> bool {
        a != b && (strict || (a.is_some() && b.is_some()))
    }
    let nags = |entry: &BookEntry| (!entry.nags.is_empty()).then(|| entry.nags.clone());
    let all = [
        (
            "weight",
            differ(a.weight.as_ref(), b.weight.as_ref(), strict),
        ),
        ("games", differ(a.games.as_ref(), b.games.as_ref(), strict)),
        (
            "results",
            differ(a.results.as_ref(), b.results.as_ref(), strict),
        ),
        (
            "averageRating",
            differ(a.average_rating.as_ref(), b.average_rating.as_ref(), strict),
        ),
        (
            "performance",
            differ(a.performance.as_ref(), b.performance.as_ref(), strict),
        ),
        (
            "annotation",
            differ(nags(a).as_ref(), nags(b).as_ref(), strict),
        ),
        (
            "advice",
            differ(a.recommended.as_ref(), b.recommended.as_ref(), strict),
        ),
        (
            "comment",
            differ(a.comment.as_ref(), b.comment.as_ref(), strict),
        ),
        ("learn", differ(a.learn.as_ref(), b.learn.as_ref(), strict)),
    ];
    let differing = all.into_iter().filter(|(_, differs)| *differs);
    differing.map(|(name, _)| name).collect()
}

/// The keys of positions with differences, and which of them are reported.
struct DifferingKeys {
    /// Ascending.
    keys: Vec<u64>,
    is_reported: Vec<bool>,
    left: usize,
}

impl DifferingKeys {
    fn new(mut keys: Vec<u64>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        Self {
            is_reported: vec![false; keys.len()],
            left: keys.len(),
            keys,
        }
    }

    /// Whether a position has differences that are not reported; they count as reported from now on.
    fn take(&mut self, key: u64) -> bool {
        let Ok(index) = self.keys.binary_search(&key) else {
            return false;
        };
        let Some(is_reported) = self.is_reported.get_mut(index) else {
            return false;
        };
        let is_new = !std::mem::replace(is_reported, true);
        self.left -= usize::from(is_new);
        is_new
    }

    /// The keys of positions that are not reported.
    fn left(&self) -> impl Iterator<Item = u64> {
        let keys = self.keys.iter().zip(&self.is_reported);
        keys.filter(|(_, is_reported)| !**is_reported)
            .map(|(key, _)| *key)
    }
}

/// Visits the positions with differences in the order of a walk through both books from the standard
/// position, each with its line. Returns `false` if `visit` stopped.
fn for_each_reachable(
    books: &BookUnion<'_>,
    keys: &mut DifferingKeys,
    progress: &Progress,
    visit: &mut dyn FnMut(&Position, &str) -> Result<Flow>,
) -> Result<bool> {
    if keys.left == 0 {
        return Ok(true);
    }
    let stored = books.size()?.positions;
    let mut flow = Flow::Go;
    walk_with_lines(books, stored, progress, &mut |position, line| {
        if keys.take(position.key()) {
            flow = visit(position, &line_text(&line()))?;
        }
        if keys.left == 0 {
            return Ok(Flow::Stop);
        }
        Ok(flow)
    })?;
    Ok(flow != Flow::Stop)
}

/// Moves from the standard position as text.
fn line_text(moves: &[Move]) -> String {
    let mut position = Position::standard();
    let mut text = Vec::new();
    for (number, &m) in moves.iter().enumerate() {
        if number > 0 {
            text.push(b' ');
        }
        if number % 2 == 0 {
            text.extend_from_slice(format!("{}.", number / 2 + 1).as_bytes());
        }
        san::write_and_play(&mut position, Ply::Move(m), &mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Square;

    #[test]
    fn lines_are_numbered() {
        let moves = [
            Move::normal(Square::E2, Square::E4),
            Move::normal(Square::C7, Square::C5),
            Move::normal(Square::G1, Square::F3),
        ];
        assert_eq!(line_text(&moves), "1.e4 c5 2.Nf3");
        assert_eq!(line_text(&[]), "");
    }

    #[test]
    fn positions_are_reported_once() {
        let mut keys = DifferingKeys::new(vec![7, 3, 7]);
        assert!(keys.take(7) && !keys.take(7) && !keys.take(5));
        assert_eq!(keys.left().collect::<Vec<_>>(), [3]);
    }
}
