//! Finds moves that are not legal, in the positions that the book's own moves reach.

use tabia_core::books::{Book, BookPosition, illegal_entries};
use tabia_core::chess::Position;
use tabia_core::error::Result;
use tabia_core::external::DiskKeySet;
use tabia_core::plural::counted;

/// The moves of a book that are not legal as a problem, one line; `None` if there are none. Which position
/// a key belongs to is known only if moves of the book lead to it from the standard position.
pub(super) fn problem(book: &dyn Book) -> Result<Option<String>> {
    let mut seen = DiskKeySet::default();
    let mut rest = vec![Position::standard()];
    let (mut illegal, mut reached) = (0u64, 0u64);
    let mut first = None;
    let mut page = BookPosition::default();
    while let Some(position) = rest.pop() {
        if !seen.insert(position.key())? || !book.probe(&position, &mut page)? {
            continue;
        }
        reached += 1;
        for entry in &page.entries {
            let Some(m) = entry.m else {
                illegal += 1;
                if first.is_none() {
                    first = Some((position.fen(), uci(&entry.raw)));
                }
                continue;
            };
            let mut after = position.clone();
            after.play(m);
            rest.push(after);
        }
    }
    let Some((fen, uci)) = first else {
        return Ok(None);
    };
    let entries = illegal_entries(illegal);
    let mut text = format!("{illegal} {entries}: {uci} in {fen}");
    let unreached = book.size()?.positions.saturating_sub(reached);
    if unreached > 0 {
        let count = counted(
            unreached,
            "position is known only by its key, so that its moves are",
            "positions are known only by their key, so that their moves are",
        );
        text = format!("{text} ({count} not checked)");
    }
    Ok(Some(text))
}

/// The stored squares of a move.
fn uci(raw: &[u8]) -> String {
    let [high, low, ..] = *raw else {
        return String::new();
    };
    let square = |number: u16| {
        let (file, rank) = ((number & 7) as u8, (number >> 3 & 7) as u8);
        [char::from(b'a' + file), char::from(b'1' + rank)]
    };
    let bits = u16::from(high) << 8 | u16::from(low);
    square(bits >> 6).into_iter().chain(square(bits)).collect()
}
