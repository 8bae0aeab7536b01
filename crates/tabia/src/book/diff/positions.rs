//! Compares books of any format position by position.

use tabia_core::Result;
use tabia_core::books::{Book, BookEntry, BookKey, BookPosition, SmallBytes};
use tabia_core::chess::{Move, Position, Setup};
use tabia_core::external::DiskKeySet;
use tabia_core::game::Flow;
use tabia_core::io::{Progress, ProgressPhase, ProgressUnit};

use super::union::BookUnion;
use super::{BookDiff, Difference, DifferingKeys, MovePair, OnDifference, for_each_reachable};
use crate::book::for_each_position::{for_each_board, stored_positions};
use crate::book::sorted_polyglot_entries::uci_of_bits;

/// Compares two books of any format: the positions that either stores with a board, else those that a
/// walk reaches. If one of them stores keys only, it is asked for every position of the other, and what no
/// walk reaches of it is compared by its key. In books of different formats, a field that only one of two
/// entries has is not compared. Calls `visit` with the differences: those of positions that the moves of
/// the books reach in the order of a walk from the standard position, then the others.
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
    let stored = stored_positions(first)?.saturating_add(stored_positions(second)?);
    progress.begin(ProgressUnit::Positions, stored);
    for_each_position(&books, progress, &mut |position, pair| {
        let mut differs = false;
        match position {
            BookKey::Board(_) => {
                for (_, pair) in pair.moves() {
                    differs |= diff.count(&pair, strict);
                }
            }
            BookKey::Key(_) => {
                diff.known_by_key += 1;
                for (_, pair) in pair.coded_moves() {
                    differs |= diff.count(&pair, strict);
                }
            }
        }
        keys.extend(differs.then(|| key_of(position)));
        Ok(Flow::Go)
    })?;
    let mut keys = DifferingKeys::new(keys);
    let mut pair = PositionPair::default();
    progress.begin_phase(ProgressPhase::Comparing, 0);
    progress.begin(ProgressUnit::Positions, stored);
    let goes_on = for_each_reachable(&books, &mut keys, progress, &mut |position, line| {
        first.probe(position, &mut pair.first)?;
        second.probe(position, &mut pair.second)?;
        pair.report(BookKey::Board(position), Some(line), strict, visit)
    })?;
    if goes_on && keys.left > 0 {
        for_each_position(&books, progress, &mut |position, pair| {
            if !keys.take(key_of(position)) {
                return Ok(Flow::Go);
            }
            pair.report(position, None, strict, visit)
        })?;
    }
    Ok(diff)
}

fn key_of(position: BookKey<'_>) -> u64 {
    match position {
        BookKey::Board(position) => position.key(),
        BookKey::Key(key) => key,
    }
}

type OnPosition<'a> = &'a mut dyn FnMut(BookKey<'_>, &PositionPair) -> Result<Flow>;

/// Visits every position of either book, those of the first before those that only the second has.
fn for_each_position(
    books: &BookUnion<'_>,
    progress: &Progress,
    visit: OnPosition<'_>,
) -> Result<()> {
    let (first, second) = (books.first, books.second);
    match (stores_keys(first)?, stores_keys(second)?) {
        (true, false) => return for_each_by_key(first, second, true, progress, visit),
        (false, true) => return for_each_by_key(second, first, false, progress, visit),
        _ => {}
    }
    let mut pair = PositionPair::default();
    let mut flow = Flow::Go;
    for_each_board(first, progress, &mut |position, page| {
        pair.first.clone_from(page);
        second.probe(position, &mut pair.second)?;
        flow = visit(BookKey::Board(position), &pair)?;
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
        visit(BookKey::Board(position), &pair)
    })?;
    Ok(())
}

/// Whether a book stores positions by key only.
fn stores_keys(book: &dyn Book) -> Result<bool> {
    let mut stores_keys = false;
    book.for_each(&mut |position, _| {
        stores_keys = matches!(position, BookKey::Key(_));
        Flow::Stop
    })?;
    Ok(stores_keys)
}

/// Visits the positions of a book with boards, then those that a walk reaches in a book with keys, then
/// the keys that are left.
fn for_each_by_key(
    keyed: &dyn Book,
    boards: &dyn Book,
    is_keyed_first: bool,
    progress: &Progress,
    visit: OnPosition<'_>,
) -> Result<()> {
    let mut seen = DiskKeySet::default();
    let mut pair = PositionPair::default();
    let mut flow = Flow::Go;
    for_each_board(boards, progress, &mut |position, page| {
        let (of_keyed, of_boards) = pair.sides(is_keyed_first);
        of_boards.clone_from(page);
        let mut turned = None;
        if !keyed.probe(position, of_keyed)? && page.is_side_assumed {
            turned = stored_image(keyed, boards, position, of_keyed, of_boards)?;
        }
        let position = turned.as_ref().unwrap_or(position);
        seen.insert(position.key())?;
        flow = visit(BookKey::Board(position), &pair)?;
        Ok(flow)
    })?;
    if flow == Flow::Stop {
        return Ok(());
    }
    for_each_board(keyed, progress, &mut |position, page| {
        if !seen.insert(position.key())? {
            return Ok(Flow::Go);
        }
        let (of_keyed, of_boards) = pair.sides(is_keyed_first);
        of_keyed.clone_from(page);
        boards.probe(position, of_boards)?;
        flow = visit(BookKey::Board(position), &pair)?;
        Ok(flow)
    })?;
    if flow == Flow::Stop {
        return Ok(());
    }
    let mut result = Ok(Flow::Go);
    keyed.for_each(&mut |position, page| {
        if seen.contains(key_of(position)) {
            return Flow::Go;
        }
        let (of_keyed, of_boards) = pair.sides(is_keyed_first);
        of_keyed.clone_from(page);
        of_boards.clear();
        result = visit(position, &pair);
        *result.as_ref().unwrap_or(&Flow::Stop)
    })?;
    result.map(drop)
}

/// The mirror image of a position that a book with keys contains, of a record that does not state the
/// side to move; fills the pages with it.
fn stored_image(
    keyed: &dyn Book,
    boards: &dyn Book,
    position: &Position,
    of_keyed: &mut BookPosition,
    of_boards: &mut BookPosition,
) -> Result<Option<Position>> {
    for (is_flipped, is_mirrored) in [(true, false), (false, true), (true, true)] {
        let Some(image) = image(position, is_flipped, is_mirrored) else {
            continue;
        };
        if keyed.probe(&image, of_keyed)? {
            if boards.probe(&image, of_boards)? {
                return Ok(Some(image));
            }
            of_keyed.clear();
            boards.probe(position, of_boards)?;
        }
    }
    Ok(None)
}

/// A position with colours exchanged, files exchanged, or both; `None` if files are exchanged while
/// somebody may castle.
fn image(position: &Position, is_flipped: bool, is_mirrored: bool) -> Option<Position> {
    let fen = position.fen();
    let mut fields = fen.split(' ');
    let (board, turn) = (fields.next()?, fields.next()?);
    let (castling, en_passant) = (fields.next()?, fields.next()?);
    if is_mirrored && castling != "-" {
        return None;
    }
    let swap_case = |text: &str| -> String {
        let swap = |c: char| match c {
            c if !is_flipped => c,
            c if c.is_ascii_uppercase() => c.to_ascii_lowercase(),
            c => c.to_ascii_uppercase(),
        };
        text.chars().map(swap).collect()
    };
    let mut ranks: Vec<String> = board.split('/').map(swap_case).collect();
    if is_flipped {
        ranks.reverse();
    }
    if is_mirrored {
        for rank in &mut ranks {
            *rank = rank.chars().rev().collect();
        }
    }
    let turn = match (turn, is_flipped) {
        ("w", false) | ("b", true) => "w",
        _ => "b",
    };
    let turn_square = |c: char| match c {
        'a'..='h' if is_mirrored => char::from(b'a' + b'h' - c as u8),
        '3' if is_flipped => '6',
        '6' if is_flipped => '3',
        c => c,
    };
    let en_passant: String = en_passant.chars().map(turn_square).collect();
    let castling = swap_case(castling);
    let fen = format!("{} {turn} {castling} {en_passant} 0 1", ranks.join("/"));
    Position::from_setup(&Setup::parse_fen(fen.as_bytes()).ok()?).ok()
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

    /// The position in the book with keys and in that with boards.
    fn sides(&mut self, is_keyed_first: bool) -> (&mut BookPosition, &mut BookPosition) {
        if is_keyed_first {
            (&mut self.first, &mut self.second)
        } else {
            (&mut self.second, &mut self.first)
        }
    }

    /// Every move of a position that is known by its key, with its Polyglot code.
    fn coded_moves(&self) -> impl Iterator<Item = (u16, MovePair)> {
        fn coded(entries: &[BookEntry]) -> Vec<(u16, BookEntry)> {
            let mut moves: Vec<(u16, BookEntry)> = Vec::new();
            for entry in entries {
                let [high, low, ..] = *entry.raw else {
                    continue;
                };
                let code = u16::from(high) << 8 | u16::from(low);
                if code == 0 {
                    continue;
                }
                match moves.iter_mut().find(|(known, _)| *known == code) {
                    // Repeats add up, as where the position is known.
                    Some((_, known)) => {
                        let weights = (known.weight, entry.weight);
                        known.weight = weights.0.map(|sum| sum + weights.1.unwrap_or(0));
                    }
                    None => moves.push((code, comparable(entry))),
                }
            }
            moves
        }
        let first = coded(&self.first.entries).into_iter().map(|(code, entry)| {
            let (first, second) = (Some(entry), None);
            (code, MovePair { first, second })
        });
        let second = coded(&self.second.entries)
            .into_iter()
            .map(|(code, entry)| {
                let (first, second) = (None, Some(entry));
                (code, MovePair { first, second })
            });
        first.chain(second)
    }

    /// Reports the moves that differ. Of a position that is known by its key all do.
    fn report(
        &self,
        position: BookKey<'_>,
        line: Option<&str>,
        strict: bool,
        visit: OnDifference<'_>,
    ) -> Result<Flow> {
        type Named = (String, Option<String>, MovePair);
        let (fen, moves): (_, Vec<Named>) = match position {
            BookKey::Board(position) => {
                let differing = self.moves().filter(|(_, pair)| !pair.is_same(strict));
                let named = differing.map(|(m, pair)| {
                    let uci = position.uci(m).to_string();
                    (uci, Some(position.san(m).to_string()), pair)
                });
                (Some(position.fen()), named.collect())
            }
            BookKey::Key(_) => {
                let named = self.coded_moves();
                let named = named.map(|(code, pair)| (uci_of_bits(code), None, pair));
                (None, named.collect())
            }
        };
        for (uci, san, pair) in moves {
            let differs = match position {
                BookKey::Board(_) => pair.differing(strict),
                BookKey::Key(_) => Vec::new(),
            };
            let flow = visit(Difference {
                key: key_of(position),
                fen: fen.clone(),
                line: line.map(str::to_owned),
                uci,
                san,
                differs,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_of_the_other_side_or_wing() {
        let setup = Setup::parse_fen(b"6k1/8/8/1Pp5/8/8/8/2K5 w - c6 0 1").unwrap();
        let position = Position::from_setup(&setup).unwrap();
        let fen = |flipped, mirrored| image(&position, flipped, mirrored).map(|image| image.fen());
        let expected = [
            (true, false, "2k5/8/8/8/1pP5/8/8/6K1 b - c3 0 1"),
            (false, true, "1k6/8/8/5pP1/8/8/8/5K2 w - f6 0 1"),
            (true, true, "5k2/8/8/8/5Pp1/8/8/1K6 b - f3 0 1"),
        ];
        for (flipped, mirrored, image) in expected {
            assert_eq!(fen(flipped, mirrored).as_deref(), Some(image));
        }
        assert!(image(&Position::standard(), true, true).is_none());
    }
}
