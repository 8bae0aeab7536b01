//! Opening books: probe, walk, build, merge, convert, compare, repair.
//!
//! | module | holds |
//! |---|---|
//! | [`find`](mod@find) | what a book knows of a position, as players want to see it |
//! | [`line`](mod@line) | a walk through a book, best or at random |
//! | [`walk`](mod@walk) | every position of a book that can be reached |
//! | [`inspect`](mod@inspect) | format, size and health of a book |
//! | [`build`](mod@build) | books from games |
//! | [`merge`](mod@merge) | several books into one |
//! | [`convert`](mod@convert) | a book in another format, or as lines of PGN |
//! | [`diff`](mod@diff) | differences between two books |
//! | [`edit`](mod@edit) | changes of single moves, and whole books as rows |
//! | [`explain`](mod@explain) | which games made a move's weight |
//! | [`novelty`](mod@novelty) | where games leave a book |

pub mod build;
pub mod convert;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod find;
mod for_each_board;
pub mod inspect;
pub mod line;
#[doc(hidden)]
pub mod linked_games;
pub mod merge;
pub mod novelty;
mod packed_position;
mod polyglot_entries;
#[doc(hidden)]
pub mod position_arg;
pub mod walk;
#[doc(hidden)]
pub mod xxh64;

pub use polyglot_entries::FixCounts;

use tabia_core::books::{Book, BookEntry};
use tabia_core::formats::OpenOptions;
use tabia_core::{BookFormat, Error};

use crate::input::{InputItem, OpenInput};

/// Opens an item as a book.
///
/// # Errors
/// A [usage error](Error::usage) when it is something else, else what the format says.
pub fn open(item: &InputItem, options: &OpenOptions) -> Result<Box<dyn Book>, Error> {
    match item.open(options, None)?.input {
        OpenInput::Book(book) => Ok(book),
        _ => Err(Error::usage(format!(
            "{} is no book, its format is {}",
            item.name(),
            item.format().name()
        ))),
    }
}

/// The format of a book.
///
/// # Errors
/// A [usage error](Error::usage) when the item is something else.
pub fn book_format(item: &InputItem) -> Result<&'static BookFormat, Error> {
    item.format().book().ok_or_else(|| {
        Error::usage(format!(
            "{} is no book, its format is {}",
            item.name(),
            item.format().name()
        ))
    })
}

/// How much an entry counts among its siblings: its weight, else its games; 0 is *never play*, which
/// the author's advice against a move is too.
pub fn share(entry: &BookEntry) -> u64 {
    if entry.m.is_none() || entry.recommended == Some(false) {
        return 0;
    }
    match (entry.weight, entry.games) {
        (Some(weight), _) => u64::from(weight),
        (None, Some(games)) => games,
        (None, None) => 1,
    }
}
