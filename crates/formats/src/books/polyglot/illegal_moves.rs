//! Finds moves that are not legal, in the positions that the book's own moves reach.

use tabia_core::books::{Book, BookPosition, illegal_entries};
use tabia_core::chess::{Move, Position};
use tabia_core::error::Result;
use tabia_core::external::DiskKeySet;
use tabia_core::plural::counted;

use super::entry::{Entry, decode_move, is_foreign};

/// What is known of the moves of a book by their positions.
pub(super) struct WalkedMoves {
    /// Those that are not legal, one line; `None` if there are none.
    pub(super) problem: Option<String>,
    /// Castlings that their position has in both forms.
    pub(super) castlings_twice: u64,
}

/// Finds moves that are not legal, but not entries without a move. Which position a key belongs to is known only if
/// moves of the book lead to it from the standard position.
pub(super) fn walk<'b>(book: &dyn Book, find: impl Fn(u64) -> &'b [Entry]) -> Result<WalkedMoves> {
    let mut castlings_twice = 0;
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
        castlings_twice += castlings_in_both_forms(&position, find(position.key()));
        for entry in &page.entries {
            let Some(m) = entry.m else {
                let bits = bits(&entry.raw);
                if bits == 0 || is_foreign(bits) {
                    continue;
                }
                illegal += 1;
                if first.is_none() {
                    first = Some((position.fen(), uci(bits)));
                }
                continue;
            };
            let mut after = position.clone();
            after.play(m);
            rest.push(after);
        }
    }
    let Some((fen, uci)) = first else {
        return Ok(WalkedMoves {
            problem: None,
            castlings_twice,
        });
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
    Ok(WalkedMoves {
        problem: Some(text),
        castlings_twice,
    })
}

/// How many castlings the entries of a position repeat in the other form.
fn castlings_in_both_forms(position: &Position, found: &[Entry]) -> u64 {
    let mut castlings: Vec<(Move, u16)> = Vec::new();
    let mut repeats = 0;
    for bits in found.iter().map(|entry| entry.move_bits.get()) {
        let decoded = decode_move(position, bits);
        let Some(m) = decoded.filter(|m| m.is_castling()) else {
            continue;
        };
        let mut same = castlings.iter().filter(|(known, _)| *known == m);
        repeats += u64::from(same.next().is_some_and(|(_, first)| *first != bits));
        castlings.push((m, bits));
    }
    repeats
}

/// The stored bits of a move.
fn bits(raw: &[u8]) -> u16 {
    match *raw {
        [high, low, ..] => u16::from(high) << 8 | u16::from(low),
        _ => 0,
    }
}

/// The stored squares of a move.
fn uci(bits: u16) -> String {
    let square = |number: u16| {
        let (file, rank) = ((number & 7) as u8, (number >> 3 & 7) as u8);
        [char::from(b'a' + file), char::from(b'1' + rank)]
    };
    square(bits >> 6).into_iter().chain(square(bits)).collect()
}
