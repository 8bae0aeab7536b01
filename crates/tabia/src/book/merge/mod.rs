//! Several books into one.

mod polyglot_entries;
mod positions;
mod weights;

pub(crate) use positions::{create_options, drop_unknown_links, keep_links};

use std::path::Path;

use tabia_core::books::{Book, BookSize, WrittenBook};
use tabia_core::formats::{CreateOptions, OpenOptions};
use tabia_core::games::Written;
use tabia_core::io::Progress;
use tabia_core::loss::Losses;
use tabia_core::{BookFormat, Error};
use tabia_formats::books::polyglot::PolyglotBook;

use super::edit_counts::EditCounts;
use super::sorted_polyglot_entries::FixCounts;
use crate::input::InputItem;

/// How the weights of a move that several books have are combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeMode {
    /// Their sum.
    #[default]
    Sum,
    /// The greatest of them.
    Max,
    /// Each position has the moves of the first book that contains it, and no others.
    Priority,
    /// Their mean over the books that contain the position; a move that such a book lacks counts
    /// as 0.
    Average,
}

/// How to merge.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct MergeOptions {
    /// How the books are opened.
    pub open: OpenOptions,
    /// How the target is created.
    pub create: CreateOptions,
    /// How the weights of a move are combined.
    pub mode: MergeMode,
    /// A factor for the weights of each book; 1 for those that are absent.
    pub factors: Vec<f64>,
    /// Whether the weights of each position of each book are first scaled so that the greatest is
    /// 65535.
    pub normalize: bool,
    /// Whether weight 0, *never play*, in one book overrides any weight in others.
    pub zero_wins: bool,
    /// Whether moves of Polyglot books that are not legal are left out, as far as positions are known.
    pub only_legal: bool,
}

/// A book that was merged, converted or changed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Merged {
    /// Number of positions written.
    pub positions: u64,
    /// Number of moves written.
    pub moves: u64,
    /// Moves without games whose weights were written as games, all drawn, because the format has no
    /// weights.
    pub invented_games: u64,
    /// Moves of weight 0 without games that became moves which are not to be played, because the format has no weights;
    /// it has no record without games, so that they have 1 where nothing counts any.
    pub unplayed_moves: u64,
    /// Positions whose weights were scaled, because one of them does not fit into 16 bits; 0 if they are
    /// [normalized](MergeOptions::normalize) anyway.
    pub scaled_positions: u64,
    /// Moves of such positions that lead to a position to which another led before: the format stores games with the
    /// position after a move, where they add up.
    pub shared_games: u64,
    /// Positions for which the book states one game because nothing counts any: those of moves whose own
    /// records a damaged book has lost.
    pub assumed_games: u64,
    /// Defects of Polyglot entries that were corrected, of all inputs.
    pub fixes: FixCounts,
    /// Positions that a book stores by key only and that no walk reaches; they are not written to a
    /// format that stores boards.
    pub unreached: u64,
    /// Positions whose side to move a book does not state ([`BookPosition::is_side_assumed`]); they are
    /// not written to a format that stores it.
    ///
    /// [`BookPosition::is_side_assumed`]: crate::BookPosition::is_side_assumed
    pub without_side: u64,
    /// What changes did, if the book was [edited](crate::book::edit::edit).
    pub edits: EditCounts,
    /// What could not be read of each book, one line for each kind.
    pub damage: Vec<Vec<String>>,
    /// The greatest weight of each book; `None` if it has no weights.
    pub max_weights: Vec<Option<u32>>,
    /// The greatest weight of each book in the standard position; `None` if it has none there.
    pub first_weights: Vec<Option<u32>>,
    /// What the target cannot hold.
    pub losses: Losses,
    /// The files.
    pub written: Written,
}

impl Merged {
    /// Takes over what is known once the book is written.
    pub(crate) fn set_written(&mut self, book: WrittenBook) {
        self.set_size(book.size);
        self.losses.merge(&book.losses);
        self.assumed_games = book.assumed_games;
        self.written = book.written;
    }

    fn set_size(&mut self, size: BookSize) {
        (self.positions, self.moves) = (size.positions, size.moves);
    }

    /// Adds the greatest weight of a position of a book.
    fn add_max_weight(&mut self, book: usize, is_standard: bool, weight: Option<u32>) {
        let add = |weights: &mut Vec<Option<u32>>| {
            if weights.len() <= book {
                weights.resize(book + 1, None);
            }
            if let Some(max) = weights.get_mut(book) {
                *max = (*max).max(weight);
            }
        };
        add(&mut self.max_weights);
        if is_standard {
            add(&mut self.first_weights);
        }
    }
}

/// Merges books into one. Polyglot books are merged into a Polyglot book entry by entry, in little
/// memory.
///
/// # Errors
/// Of the first book that cannot be read, or of the target.
pub fn merge(
    items: &[InputItem],
    format: &'static BookFormat,
    path: &Path,
    options: &MergeOptions,
    progress: &Progress,
) -> Result<Merged, Error> {
    if format.has_key_entries && items.iter().all(has_key_entries) {
        let books = items.iter().map(|item| open_polyglot(item, &options.open));
        let books: Vec<PolyglotBook> = books.collect::<Result<_, _>>()?;
        return polyglot_entries::merge(&books, path, options, progress);
    }
    let books = items
        .iter()
        .map(|item| open_completely(item, &options.open));
    let books: Vec<_> = books.collect::<Result<_, _>>()?;
    // Their positions that no walk reaches can be copied by key.
    let mut keyed = Vec::new();
    if format.has_key_entries {
        for (number, item) in items.iter().enumerate() {
            if has_key_entries(item) {
                keyed.push((number, open_polyglot(item, &options.open)?));
            }
        }
    }
    positions::merge(&books, &keyed, format, path, options, progress)
}

/// Opens a book of which everything is read.
fn open_completely(item: &InputItem, options: &OpenOptions) -> Result<Box<dyn Book>, Error> {
    if has_key_entries(item) {
        return Ok(Box::new(open_polyglot(item, options)?));
    }
    super::open(item, options)
}

/// Whether the item is a book of entries sorted by key.
#[doc(hidden)]
pub fn has_key_entries(item: &InputItem) -> bool {
    let book = item.format().book();
    book.is_some_and(|format| format.has_key_entries)
}

/// Opens an item as a Polyglot book, with everything that only this format has.
///
/// # Errors
/// If it cannot be read.
#[doc(hidden)]
pub fn open_polyglot(item: &InputItem, options: &OpenOptions) -> Result<PolyglotBook, Error> {
    let files = item.files(options)?;
    PolyglotBook::open_completely(&files, options).map_err(|error| error.in_file(item.label()))
}
