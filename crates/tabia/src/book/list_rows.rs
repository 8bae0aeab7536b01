//! Whole books as rows, one for each move.

use tabia_core::books::BookEntry;
use tabia_core::chess::uci;
use tabia_core::external::DiskKeySet;
use tabia_core::game::Flow;
use tabia_core::io::Progress;
use tabia_core::{Error, Result};

use super::for_each_position::for_each_board;
use super::merge::{MergeOptions, has_key_entries, open_polyglot};
use super::sorted_polyglot_entries::{EntryRuns, uci_of_bits};
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
        for entry in &page.entries {
            let Some(m) = entry.m else { continue };
            let mut text = Vec::new();
            uci::write(m, position.is_chess960(), &mut text);
            visit(BookRow {
                key: position.key(),
                fen: Some(position.fen()),
                uci: String::from_utf8_lossy(&text).into_owned(),
                entry: entry.clone(),
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
        for key_move in &run {
            visit(BookRow {
                key,
                fen: None,
                uci: uci_of_bits(key_move.bits),
                entry: key_move.book_entry(),
            })?;
        }
    }
    Ok(())
}
