//! What can be typed after `tabia book`.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use crate::args::{CommonArgs, ListingArgs};

/// Opening books: what they know, and how they are made
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  tabia book info book.bin
  tabia book find book.bin --moves \"1.e4 c5\"
  tabia book line book.bin --best")]
pub(crate) enum BookVerb {
    Info(BookInfoArgs),
    Find(BookFindArgs),
    Line(BookLineArgs),
}

impl BookVerb {
    /// The options that all verbs share.
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::Info(args) => &args.common,
            Self::Find(args) => &args.common,
            Self::Line(args) => &args.common,
        }
    }
}

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
    /// Go through the book from the usual start
    #[arg(long)]
    pub(crate) walk: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which position.
#[derive(Debug, Clone, Args)]
pub(crate) struct PositionArgs {
    /// The position, as FEN [default: the usual start]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// The position after these moves, SAN or UCI, with or without numbers
    #[arg(long, value_name = "MOVES")]
    pub(crate) moves: Option<String>,
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
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) count: u32,
    /// Plies at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) plies: usize,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
