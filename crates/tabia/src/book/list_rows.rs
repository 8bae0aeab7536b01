//! Whole books as rows, one for each move.

use tabia_core::books::BookEntry;
use tabia_core::external::DiskKeySet;
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_core::{Error, Result};

use super::for_each_position::for_each_board;
use super::merge::{MergeOptions, has_key_entries, open_polyglot};
use super::sorted_polyglot_entries::{EntryRuns, fitting_weight, uci_of_bits};
use crate::input::InputItem;

/// A move of a book as a row.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BookRow {
    /// The Polyglot key of the position.
    pub key: u64,
    /// The position; `None` if a walk does not reach it.
    pub fen: Option<String>,
    /// The move in UCI notation.
    pub uci: String,
    /// All that is known of the move.
    pub entry: BookEntry,
}

/// Calls `visit` with every move of a book. Positions that a walk does not reach have no FEN.
///
/// # Errors
/// Those of the book and of `visit`.
pub fn rows(
    item: &InputItem,
    options: &MergeOptions,
    progress: &Progress,
    visit: &mut dyn FnMut(BookRow) -> Result<(), Error>,
) -> Result<(), Error> {
    let book = super::open(item, &options.open)?;
    let mut reached = DiskKeySet::default();
    let is_polyglot = has_key_entries(item);
    for_each_board(&*book, progress, &mut |position, page| {
        reached.insert(position.key())?;
        let max = page.entries.iter().filter_map(|entry| entry.weight).max();
        for entry in &page.entries {
            let uci = match (entry.m, &*entry.raw) {
                (Some(m), _) => position.uci(m).to_string(),
                // Not legal: it can be removed.
                (None, [high, low, ..]) if is_polyglot => {
                    let bits = u16::from(*high) << 8 | u16::from(*low);
                    uci_of_bits(bits)
                }
                (None, _) => continue,
            };
            visit(BookRow {
                key: position.key(),
                fen: Some(position.fen()),
                uci,
                entry: with_fitting_weight(entry.clone(), max),
            })?;
        }
        Ok(Flow::Go)
    })?;
    if !is_polyglot {
        return Ok(());
    }
    let book = open_polyglot(item, &options.open)?;
    let mut runs = EntryRuns::new(&book, progress)?;
    let mut run = Vec::new();
    while let Some(key) = runs.key() {
        runs.take(&mut run);
        if reached.contains(key) {
            continue;
        }
        let max = run.iter().map(|key_move| key_move.weight).max();
        for key_move in &run {
            visit(BookRow {
                key,
                fen: None,
                uci: uci_of_bits(key_move.bits),
                entry: with_fitting_weight(key_move.book_entry(), max),
            })?;
        }
    }
    Ok(())
}

/// The entry with its weight scaled as a new book has it: repeats of a move may add up to more than 16
/// bits hold.
fn with_fitting_weight(mut entry: BookEntry, max: Option<u32>) -> BookEntry {
    if let Some(max) = max {
        entry.weight = entry.weight.map(|weight| fitting_weight(weight, max));
    }
    entry
}
