//! Verbs that read books.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::{PositionArgs, above_zero};
use crate::args::common::{CommonArgs, ListingArgs, ReplaceReportArgs};

/// Format, size and defects of books
///
/// All entries are read. `--walk` also follows the moves from the standard position: depth, positions
/// of each side, how castling is written, illegal moves.
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
    /// Also follow the moves from the standard position: depth, positions of each side, what is not
    /// reached, how castling is written, illegal moves
    #[arg(long)]
    pub(crate) walk: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Moves and statistics of a position; exit code 1 if no book has it
///
/// The score is that of the side to move, the probability that of a program that plays by weight.
/// `--json` has the keys of the Lichess explorer; values that a book does not hold are absent or null.
/// White, draws and black count games by result.
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
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Plays a line out of a book: the best moves, or moves at random by their weights
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
    /// Seed of the random choice; the same seed gives the same lines
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Number of lines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = above_zero::<u32>)]
    pub(crate) count: u32,
    /// At most this many plies of a line
    #[arg(long, aliases = ["max-ply", "depth"], value_name = "N", default_value_t = 200, value_parser = above_zero::<usize>)]
    pub(crate) plies: usize,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Lists the moves that differ between two books
///
/// Positions come in the order of a walk from the standard position, each with the moves that lead to
/// it; then those that the books do not lead to. Values that only one of the two formats can hold are
/// not compared.
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
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Lists the games from which a move got its weight; exit code 1 if there are none
///
/// The games are read again from the sources, with the points that `book build` gives them; the
/// end compares them with the book. If the record of `book build` is next to the book, its `--max-ply`, `--games` and
/// `--where` are used, and what else in it decides the weights is reported. Of a book that links to its games those are
/// listed that have the position: from the files in which the book expects them, or of the same name next to the book
/// or among the sources.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book explain book.bin games.pgn --moves \"1.e4\" --move c5
  tabia book explain book.bin mega.cbh --move d4 --where \"elo:>=2600\"
  tabia book explain book_0.kob --moves \"1.e4\" --pgn
  tabia book explain moved/book_0.kob games --moves \"1.e4\" --pgn")]
pub(crate) struct BookExplainArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// Databases with the games [default: the files that the book links to]
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<OsString>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The move, SAN or UCI [default: any]
    #[arg(long = "move", value_name = "MOVE")]
    pub(crate) m: Option<String>,
    /// Print the games that the book links to, from their files
    #[arg(long)]
    pub(crate) pgn: bool,
    /// Games that the book links to and that come into the lines after the position by other moves, too
    #[arg(long)]
    pub(crate) transpositions: bool,
    /// Plies read of each game [default: as in the record next to the book, else 1024]
    #[arg(long, value_name = "N", value_parser = above_zero::<u32>)]
    pub(crate) max_ply: Option<u32>,
    /// Only games that match [default: as in the record next to the book, else all]
    #[arg(long = "where", value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// Marks where games leave a book: NAG 146 and a comment with the book's own moves
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book novelty games.pgn --book book.bin -o marked.pgn
  tabia book novelty mega.cbh --book book.bin --games 1-100 -o marked.pgn
  tabia book novelty games.pgn --book book.bin | less")]
pub(crate) struct BookNoveltyArgs {
    /// Databases: files, base names, folders, archives, `archive:member`, or `-` [default: standard input,
    /// if it is a pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The book
    #[arg(long, value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The PGN file [default: standard output]
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
