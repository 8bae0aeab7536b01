//! What can be typed after `tabia book`.

mod build;
mod modify;
mod query;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};

pub(crate) use build::{BookBuildArgs, Compat, from_polyglot};
pub(crate) use modify::{
    Advice, BookConvertArgs, BookEditArgs, BookFixArgs, BookMergeArgs, MergeModeArg,
};
pub(crate) use query::{
    BookDiffArgs, BookExplainArgs, BookFindArgs, BookInfoArgs, BookLineArgs, BookNoveltyArgs,
};

use crate::args::CommonArgs;

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
    Build(Box<BookBuildArgs>),
    Merge(BookMergeArgs),
    Convert(BookConvertArgs),
    Diff(BookDiffArgs),
    Fix(BookFixArgs),
    Edit(BookEditArgs),
    Explain(BookExplainArgs),
    Novelty(BookNoveltyArgs),
}

impl BookVerb {
    /// The options that all verbs share.
    pub(crate) fn common(&self) -> &CommonArgs {
        match self {
            Self::Info(args) => &args.common,
            Self::Find(args) => &args.common,
            Self::Line(args) => &args.common,
            Self::Build(args) => &args.common,
            Self::Merge(args) => &args.common,
            Self::Convert(args) => &args.common,
            Self::Diff(args) => &args.common,
            Self::Fix(args) => &args.common,
            Self::Edit(args) => &args.common,
            Self::Explain(args) => &args.common,
            Self::Novelty(args) => &args.common,
        }
    }
}

/// A whole number that is not 0.
fn above_zero<T: FromStr + Default + PartialEq>(text: &str) -> Result<T, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| *number != T::default());
    number.ok_or_else(|| "a whole number above 0".to_owned())
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

/// Where a book is written.
#[derive(Debug, Clone, Args)]
pub(crate) struct BookOutArgs {
    /// The book
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The book's format, whatever its extension
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Replace an existing book
    #[arg(long, short)]
    pub(crate) force: bool,
}
