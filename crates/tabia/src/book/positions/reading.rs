//! Every position of a book with all that is known of it.

use tabia_core::books::BookPosition;
use tabia_core::chess::Position;
use tabia_core::external::{FixedRecord, FixedSorter};
use tabia_core::formats::OpenOptions;
use tabia_core::game::Flow;
use tabia_core::io::{Progress, ProgressUnit, temporary_folder};
use tabia_core::{Error, Result};
use tabia_formats::books::polyglot::{decode_move, encode_move};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::book::for_each_position::for_each_board;
use crate::book::merge::{Merged, has_key_entries, open_polyglot};
use crate::book::packed_position::Packed;
use crate::book::sorted_polyglot_entries::EntryRuns;
use crate::book::walk::walk;
use crate::input::InputItem;

/// Bytes of memory for the boards of a book that stores keys only; the rest goes to a temporary file.
const MEMORY: usize = 32 << 20;

/// A position of a book.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StoredPosition<'a> {
    /// Its Polyglot key.
    pub key: u64,
    /// Its board; `None` if the book stores the key only and a walk does not reach the position.
    pub position: Option<&'a Position>,
    /// What the book stores of it.
    pub page: &'a BookPosition,
    /// The moves of the entries of `page` in Polyglot's code, one for each.
    pub codes: &'a [u16],
}

/// A board in the order of its key.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct KeyedBoard {
    key: u64,
    board: Packed,
}

impl FixedRecord for KeyedBoard {
    type Order = u64;

    fn order(&self) -> u64 {
        self.key
    }

    fn lead(&self) -> u64 {
        self.key
    }
}

/// Visits every position of a book. Those of a Polyglot book come in the order of their keys, with
/// repeated entries summed, those of other books in the order of the file. Entries without a move are
/// left out.
///
/// Returns the number of positions and moves that were visited, the entries that were corrected or left
/// out, and the damage of the book; [`Merged::unreached`] counts positions without a board, which were visited.
///
/// # Errors
/// Those of the book and of `visit`.
pub fn for_each(
    item: &InputItem,
    options: &OpenOptions,
    progress: &Progress,
    visit: &mut dyn FnMut(&StoredPosition<'_>) -> Result<(), Error>,
) -> Result<Merged, Error> {
    if has_key_entries(item) {
        for_each_key(item, options, progress, visit)
    } else {
        for_each_stored_board(item, options, progress, visit)
    }
}

fn for_each_stored_board(
    item: &InputItem,
    options: &OpenOptions,
    progress: &Progress,
    visit: &mut dyn FnMut(&StoredPosition<'_>) -> Result<(), Error>,
) -> Result<Merged, Error> {
    let book = crate::book::open(item, options)?;
    progress.begin(ProgressUnit::Positions, book.info().positions.unwrap_or(0));
    let mut merged = Merged::default();
    let mut codes = Vec::new();
    let mut legal = BookPosition::default();
    let counts = for_each_board(&*book, progress, &mut |position, stored| {
        let mut page = stored;
        if page.entries.iter().any(|entry| entry.m.is_none()) {
            legal.clone_from(page);
            legal.entries.retain(|entry| entry.m.is_some());
            merged.fixes.no_moves += (stored.entries.len() - legal.entries.len()) as u64;
            page = &legal;
        }
        codes.clear();
        codes.extend(
            page.entries
                .iter()
                .filter_map(|entry| entry.m)
                .map(encode_move),
        );
        merged.positions += 1;
        merged.moves += codes.len() as u64;
        visit(&StoredPosition {
            key: position.key(),
            position: Some(position),
            page,
            codes: &codes,
        })?;
        Ok(Flow::Go)
    })?;
    let mut damage = book.damage()?;
    damage.extend(counts.problem());
    merged.damage.push(damage);
    Ok(merged)
}

fn for_each_key(
    item: &InputItem,
    options: &OpenOptions,
    progress: &Progress,
    visit: &mut dyn FnMut(&StoredPosition<'_>) -> Result<(), Error>,
) -> Result<Merged, Error> {
    let book = open_polyglot(item, options)?;
    let stored = book.inspect().positions;
    progress.begin(ProgressUnit::Positions, stored);
    let mut boards = FixedSorter::new(&temporary_folder(), MEMORY);
    let starts = [Position::standard()];
    walk(&book, &starts, stored, progress, &mut |position, _, _| {
        if let Some(board) = Packed::of(position) {
            let key = position.key();
            boards.push(KeyedBoard { key, board })?;
        }
        Ok(Flow::Go)
    })?;
    let mut reader = KeyReader {
        runs: EntryRuns::new(&book, progress)?,
        run: Vec::new(),
        page: BookPosition::default(),
        codes: Vec::new(),
        merged: Merged::default(),
        progress,
        visit,
    };
    boards.finish(|board| {
        while reader.runs.key().is_some_and(|key| key < board.key) {
            reader.visit_next(None)?;
        }
        if reader.runs.key() == Some(board.key) {
            reader.visit_next(board.board.position().as_ref())?;
        }
        Ok(())
    })?;
    while reader.runs.key().is_some() {
        reader.visit_next(None)?;
    }
    let KeyReader {
        runs, mut merged, ..
    } = reader;
    merged.fixes = runs.fixes;
    Ok(merged)
}

/// Visits the positions of a Polyglot book in the order of their keys.
struct KeyReader<'a, 'b> {
    runs: EntryRuns<'b>,
    run: Vec<crate::book::sorted_polyglot_entries::KeyMove>,
    page: BookPosition,
    codes: Vec<u16>,
    merged: Merged,
    progress: &'a Progress,
    visit: &'a mut dyn FnMut(&StoredPosition<'_>) -> Result<(), Error>,
}

impl KeyReader<'_, '_> {
    fn visit_next(&mut self, position: Option<&Position>) -> Result<(), Error> {
        let Some(key) = self.runs.key() else {
            return Ok(());
        };
        self.progress.check()?;
        self.runs.take(&mut self.run);
        if self.run.is_empty() {
            return Ok(());
        }
        self.page.entries.clear();
        self.codes.clear();
        for key_move in &self.run {
            let mut entry = key_move.book_entry();
            entry.m = position.and_then(|position| decode_move(position, key_move.bits));
            self.page.entries.push(entry);
            self.codes.push(key_move.bits);
        }
        self.merged.positions += 1;
        self.merged.moves += self.codes.len() as u64;
        self.merged.unreached += u64::from(position.is_none());
        (self.visit)(&StoredPosition {
            key,
            position,
            page: &self.page,
            codes: &self.codes,
        })
    }
}
