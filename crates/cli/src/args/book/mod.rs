//! The arguments of `tabia book`.

mod book_to_book_verbs;
mod build;
mod common;
#[cfg(feature = "parquet")]
mod from_parquet;
mod read_verbs;

use clap::Subcommand;

pub(crate) use book_to_book_verbs::{
    Advice, BookConvertArgs, BookEditArgs, BookFixArgs, BookMergeArgs, MergeModeArg, whole_number,
};
pub(crate) use build::{BookBuildArgs, Compat};
#[cfg(feature = "parquet")]
pub(crate) use from_parquet::BookFromParquetArgs;
pub(crate) use read_verbs::{
    BookDiffArgs, BookExplainArgs, BookFindArgs, BookInfoArgs, BookLineArgs, BookNoveltyArgs,
};

use crate::args::common::CommonArgs;

/// Opening books: query, build, merge, convert, edit
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
    #[cfg(feature = "parquet")]
    FromParquet(BookFromParquetArgs),
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
            #[cfg(feature = "parquet")]
            Self::FromParquet(args) => &args.common,
        }
    }
}
