//! Verbs that make books from books.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{BookOutArgs, PositionArgs, above_zero};
use crate::args::common::{CommonArgs, ListingArgs};

/// Merges several books into one
///
/// Books of any size are merged as streams. Games, results and ratings of moves, in formats that have
/// them, add up. In a new ChessBase book, which has no weights, those of Polyglot books become games
/// and add up with the games of the others. `--mode` max and average, `--factors`, `--normalize` and
/// `--zero-wins` are for weights.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book merge one.bin two.bin -o both.bin
  tabia book merge mine.bin theirs.bin -o both.bin --mode priority
  tabia book merge a.bin b.bin -o all.bin --mode average --factors 2,1")]
pub(crate) struct BookMergeArgs {
    /// Books, the most important first
    #[arg(required = true, value_name = "BOOK")]
    pub(crate) books: Vec<OsString>,
    #[command(flatten)]
    pub(crate) out: BookOutArgs,
    /// Moves of several books: sum or max of the weights, priority of the first book that has the
    /// position, average of those that have it
    #[arg(
        long,
        value_name = "MODE",
        default_value = "sum",
        hide_possible_values = true
    )]
    pub(crate) mode: MergeModeArg,
    /// Factors for the weights of each book, as `2,1`
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = factor)]
    pub(crate) factors: Vec<f64>,
    /// Bring the heaviest move of each position of each book to 65535 first
    #[arg(long)]
    pub(crate) normalize: bool,
    /// Weight 0 (never play) in one book wins over any weight in others
    #[arg(long)]
    pub(crate) zero_wins: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a number of 0 or more".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeModeArg {
    Sum,
    Max,
    Priority,
    Average,
}

/// Examples of `book convert`.
#[cfg(not(feature = "parquet"))]
const CONVERT_EXAMPLES: &str = "\
Examples:
  tabia book convert book.ctg -o book.bin
  tabia book convert book.bin -o lines.pgn --plies 20
  tabia book convert book.bin --to pgn --moves \"1.e4 c5\"";

/// Examples of `book convert`, with tables.
#[cfg(feature = "parquet")]
const CONVERT_EXAMPLES: &str = "\
Examples:
  tabia book convert book.ctg -o book.bin
  tabia book convert book.bin -o lines.pgn --plies 20
  tabia book convert book.bin --to pgn --moves \"1.e4 c5\"
  tabia book convert book.ctg -o rows.parquet
  tabia book convert rows.parquet -o book.bin";

/// Converts a book to another format, or to lines of PGN
///
/// Books that store only keys are followed from the standard position; what cannot be reached is
/// counted as lost. PGN has a game for every line; a line ends at a position that another line has.
#[derive(Debug, Args)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct BookConvertArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The output [default: lines of PGN on standard output]
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing output
    #[arg(long, short)]
    pub(crate) force: bool,
    /// At most this many plies of a line of PGN [default: 200]
    #[arg(long, aliases = ["max-ply", "depth"], value_name = "N", value_parser = above_zero::<usize>)]
    pub(crate) plies: Option<usize>,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl BookConvertArgs {
    /// Plies of a line at most.
    pub(crate) fn plies(&self) -> usize {
        self.plies.unwrap_or(200)
    }
}

/// Writes a corrected copy of a book: sorted, no stale entries, repeats added up, one form of castling
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book fix old.bin -o sound.bin
  tabia book info old.bin && tabia book fix old.bin -o sound.bin")]
pub(crate) struct BookFixArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    #[command(flatten)]
    pub(crate) out: BookOutArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Changes moves of a book, or lists all of them as rows that can be imported
///
/// Without changes every move is listed. `--import` reads rows as `--csv` lists them: `fen` or
/// `key`, `move`, and the values to change: `weight`, `annotation`, `advice`, `comment`, `learn`. Empty
/// cells change nothing, a weight of `-` removes the move.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book edit book.bin --csv > moves.csv
  tabia book edit book.bin --import moves.csv -o new.bin
  tabia book edit book.bin --moves \"1.e4\" --move c5 --weight 100 -o new.bin
  tabia book edit book.ctg --move d4 --annotation ! --advice play -o new.ctg")]
pub(crate) struct BookEditArgs {
    /// The book
    #[arg(value_name = "BOOK")]
    pub(crate) book: OsString,
    /// The changed book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// The move to change, SAN or UCI
    #[arg(long = "move", value_name = "MOVE", requires = "output")]
    pub(crate) m: Option<String>,
    /// Its weight, 0 to 65535; 0 is never played
    #[arg(long, value_name = "N", requires = "m", value_parser = weight)]
    pub(crate) weight: Option<u32>,
    /// Its symbols, as `!` or `$14`; empty for none
    #[arg(long, value_name = "SYMBOLS", requires = "m")]
    pub(crate) annotation: Option<String>,
    /// The author's advice, which ChessBase shows green or red: play, avoid, none
    #[arg(
        long,
        value_name = "ADVICE",
        requires = "m",
        hide_possible_values = true
    )]
    pub(crate) advice: Option<Advice>,
    /// Its comment; empty for none
    #[arg(long, value_name = "TEXT", requires = "m")]
    pub(crate) comment: Option<String>,
    /// Remove it
    #[arg(long, requires = "m", conflicts_with_all = ["weight", "annotation", "advice", "comment"])]
    pub(crate) remove: bool,
    /// Changes as comma-separated rows; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with = "m")]
    pub(crate) import: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

fn weight(text: &str) -> Result<u32, String> {
    whole_number(text)
        .map(u32::from)
        .ok_or_else(|| format!("a whole number from 0 to {}, without a sign", u16::MAX))
}

/// A number of digits alone: `+10` would look like a change by 10.
pub(crate) fn whole_number(text: &str) -> Option<u16> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

/// The author's advice on a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Advice {
    Play,
    Avoid,
    None,
}
