//! Opening books: probe, walk, build, merge, convert, compare, repair.
//!
//! | module | contents |
//! |---|---|
//! | [`find`](mod@find) | the moves and statistics of a position, as they are shown to players |
//! | [`pick_line`] | a line out of a book, of the best moves or of moves at random |
//! | [`walk`](mod@walk) | every position that is reachable |
//! | [`inspect`](mod@inspect) | format, size and defects |
//! | [`build`](mod@build) | books from games |
//! | [`merge`](mod@merge) | several books into one |
//! | [`convert`](mod@convert) | books in another format, or as lines of PGN |
//! | [`diff`](mod@diff) | differences between two books |
//! | [`edit`](mod@edit) | changes of single moves, and complete books as rows |
//! | [`positions`] | books as positions one after another, and books made of them |
//! | [`explain_weight`] | the games from which a move got its weight |
//! | [`novelty`](mod@novelty) | the moves with which games leave a book |

mod book_as_lines;
pub mod build;
pub mod convert;
mod default_weights;
pub mod diff;
pub mod edit;
mod edit_counts;
pub mod explain_weight;
pub mod find;
mod for_each_position;
pub mod inspect;
#[doc(hidden)]
pub mod linked_games;
mod list_rows;
pub mod merge;
pub mod novelty;
mod packed_position;
pub mod pick_line;
#[doc(hidden)]
pub mod position_arg;
pub mod positions;
mod sorted_polyglot_entries;
pub mod walk;

pub use sorted_polyglot_entries::FixCounts;

use tabia_core::books::{Book, BookEntry};
use tabia_core::formats::OpenOptions;
use tabia_core::shell_argument::argument;
use tabia_core::{BookFormat, Error};

use crate::input::{InputItem, OpenInput};

/// Opens an item as a book.
///
/// # Errors
/// A [usage error](Error::usage) if it is something else, and those of opening it.
pub fn open(item: &InputItem, options: &OpenOptions) -> Result<Box<dyn Book>, Error> {
    open_with_problems(item, options).map(|(book, _)| book)
}

/// Opens an item as a book; also returns the problems of the archive or compressed stream that
/// contains it.
///
/// # Errors
/// As with [`open`].
pub fn open_with_problems(
    item: &InputItem,
    options: &OpenOptions,
) -> Result<(Box<dyn Book>, Vec<Error>), Error> {
    // A stream can be read only once: this is no reason to do so.
    book_format(item)?;
    let mut opened = item.open(options, None)?;
    let problems = std::mem::take(&mut opened.problems);
    match opened.input {
        OpenInput::Book(book) => Ok((book, problems)),
        _ => Err(not_a_book(item)),
    }
}

/// The format of a book.
///
/// # Errors
/// A [usage error](Error::usage) if the item is something else.
pub fn book_format(item: &InputItem) -> Result<&'static BookFormat, Error> {
    item.format().book().ok_or_else(|| not_a_book(item))
}

fn not_a_book(item: &InputItem) -> Error {
    let (name, format) = (item.name(), item.format().name());
    if name == "-" {
        // Nothing at all counts as a stream of no games.
        let text = format!("`-` is not a book: standard input is empty, or its format is {format}");
        return Error::usage(text).with_hint("the command before the pipe has to write a book");
    }
    let error = Error::usage(format!("{name} is not a book, its format is {format}"));
    let name = argument(&name);
    if item.format().games().is_some() {
        return error.with_hint(format!(
            "`tabia book build {name} -o BOOK` makes a book of games"
        ));
    }
    error.with_hint(format!("`tabia info {name}` lists what is in it"))
}

/// What an entry counts among the moves of its position: its weight, else its games, else 1; 0 if it is
/// never to be played, by its weight or by the author's advice. Without a weight, no counted game is no
/// advice against the move, so that it counts as one whose games are not known.
pub fn share(entry: &BookEntry) -> u64 {
    if entry.m.is_none() || entry.recommended == Some(false) {
        return 0;
    }
    match (entry.weight, entry.games) {
        (Some(weight), _) => u64::from(weight),
        (None, Some(games)) => games.max(1),
        (None, None) => 1,
    }
}
