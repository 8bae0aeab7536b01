//! The arguments of `dedupe`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::common::DuplicateRowArgs;

/// Leaves duplicate games out
///
/// Games of the same two surnames and compatible years are duplicates if they have the same moves, most of
/// the moves, or if one begins the other; short games only if event, round or day agree. Kept is the game
/// with most annotations, then the longest, then the one with most known tags, then the first. The surname of
/// `Nikola Padevsky` is its last word, that of `Padevsky Nikola`, too, unless 40 plies are the same. Rows:
/// group, kind (exact, near, embedded), kept, dropped, reason, score (percentage of plies in common).
/// Nothing is dropped without a row.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia dedupe mega.cbh --dry-run
  tabia dedupe old.pgn new.pgn -o all.pgn --explain dropped.tsv
  tabia dedupe *.pgn -o all.si5")]
pub(crate) struct DedupeArgs {
    /// Files, base names, folders, archives, `archive:member`
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The games that are kept, of all inputs in order
    #[arg(long, short, value_name = "OUT", conflicts_with = "dry_run")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace existing outputs
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Write a row for each game that is dropped, tab-separated
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Add the annotations and variations of duplicates, and moves after the last one, to the games that are kept
    #[arg(long, requires = "output")]
    pub(crate) merge_annotations: bool,
    /// Show the rows and write no games
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) rows: DuplicateRowArgs,
}
