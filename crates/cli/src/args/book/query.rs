//! Verbs that tell of books.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::{PositionArgs, above_zero};
use crate::args::common::{CommonArgs, ListingArgs};

/// What books are, how much they hold, and every defect by name and count
///
/// All entries are looked at. `--walk` also goes through the book from the usual start: how deep it
/// is, which side it is for, how castling is written, which moves are not legal.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book info book.bin
  tabia book info book.bin --walk
  tabia book info *.bin --json")]
pub(crate) struct BookInfoArgs {
    /// Books
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    /// Go through the book from the usual start too: depth, positions of each side, what is not
    /// reached, how castling is written, moves that are not legal
    #[arg(long)]
    pub(crate) walk: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What books know of a position; exit code 1 when none has it
///
/// Score is that of the side to move, probability how likely a program plays the move. `--json` has
/// the keys of the Lichess explorer; what a book does not know is absent or null. White, draws and
/// black are games from White's side.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book find book.bin
  tabia book find one.bin two.bin --moves \"1.e4 c5 2.Nf3\"
  tabia book find book.bin --fen \"8/8/8/8/8/5k2/6p1/6K1 b - - 0 1\" --json")]
pub(crate) struct BookFindArgs {
    /// Books; several are shown side by side
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// A walk through a book: the best moves, or moves at random by their weights
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book line book.bin --best
  tabia book line book.bin --seed 7 --moves \"1.d4\"
  tabia book line book.bin --count 5 --plies 12")]
pub(crate) struct BookLineArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// Always the heaviest move
    #[arg(long, conflicts_with = "seed")]
    pub(crate) best: bool,
    /// Makes the random choice repeatable
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How many lines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = above_zero::<u32>)]
    pub(crate) count: u32,
    /// Plies at most
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = above_zero::<usize>)]
    pub(crate) plies: usize,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What two books say differently, a row a move
///
/// Two Polyglot books are compared by their keys; others position by position. Between formats, what
/// only one of them holds is no difference.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book diff old.bin new.bin
  tabia book diff old.bin new.bin --limit 20
  tabia book diff book.ctg book.bin --json")]
pub(crate) struct BookDiffArgs {
    /// The first book
    #[arg(value_name = "FIRST")]
    pub(crate) first: OsString,
    /// The second book
    #[arg(value_name = "SECOND")]
    pub(crate) second: OsString,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which games made a move's weight; exit code 1 when there are none
///
/// The games come from the sources, given again, with the points that `book build` gives them; the
/// end compares them with what the book says. Without sources they are those that the book links
/// to, from the position on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book explain book.bin games.pgn --moves \"1.e4\" --move c5
  tabia book explain book.bin mega.cbh --move d4 --where \"elo:>=2600\"
  tabia book explain book_0.kob --moves \"1.e4\" --pgn")]
pub(crate) struct BookExplainArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// Where the games are [default: where the book's links lead]
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<OsString>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The move, SAN or UCI [default: any]
    #[arg(long = "move", value_name = "MOVE")]
    pub(crate) m: Option<String>,
    /// The text of the games that the book links to, out of their files
    #[arg(long, conflicts_with = "sources")]
    pub(crate) pgn: bool,
    /// Plies of each game, as when the book was built
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = above_zero::<u32>)]
    pub(crate) max_ply: u32,
    /// Only games that fit, as when the book was built
    #[arg(
        long = "where",
        value_name = "FILTER",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Marks where games leave a book: NAG 146 and a comment that says what the book has instead
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book novelty games.pgn --book book.bin -o marked.pgn
  tabia book novelty mega.cbh --book book.bin --games 1-100 -o marked.pgn
  tabia book novelty games.pgn --book book.bin | less")]
pub(crate) struct BookNoveltyArgs {
    /// Databases: files, base names, folders, archives, `archive:member`, or `-`
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The book
    #[arg(long, value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The PGN; without it standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Only these games of each input, as `1-100,205`
    #[arg(long, value_name = "NUMBERS")]
    pub(crate) games: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
