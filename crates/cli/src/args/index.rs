//! The arguments of `index`.

use std::ffi::OsString;

use clap::Args;

use super::common::{CommonArgs, ListingArgs, ReplaceReportArgs};

/// Makes or extends the saved index of positions of databases
///
/// The index is the file `NAME.EXT.tidx` next to the database, or in the user's cache folder if that
/// cannot be written to. `search` and `tree` use it; it grows when games were appended, and is made again
/// when the database was changed otherwise. `--check` compares it with the database (exit code 3 if it
/// differs).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia index mega.cbh
  tabia index ~/Chess -j 2
  tabia index games.pgn --check
  tabia index games.pgn --sections
  tabia index games.pgn --drop")]
pub(crate) struct IndexArgs {
    /// Files, base names or folders
    #[arg(required = true, value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Compare the index with the database, game by game, and change nothing
    #[arg(long, conflicts_with = "drop")]
    pub(crate) check: bool,
    /// Remove the index
    #[arg(long)]
    pub(crate) drop: bool,
    /// List the sections of the index with their sizes, and change nothing
    #[arg(long, conflicts_with_all = ["check", "drop"])]
    pub(crate) sections: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
