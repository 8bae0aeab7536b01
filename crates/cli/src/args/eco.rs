//! The arguments of `eco`.

use std::ffi::OsString;

use clap::{ArgGroup, Args};

use super::common::{CommonArgs, ListingArgs, SelectArgs};

/// Openings of games by position
///
/// The opening of a game is that of its last mainline position that has a name, by whatever order of moves
/// it was reached; positions after more than 36 without a name are not looked at. Columns: game, ply of that position, eco, name; without a named position they are
/// empty. Several inputs add a column `path`. With `-o` the games are written with these codes.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("written").args(["output", "report"]).multiple(true)))]
#[command(after_help = "\
Examples:
  tabia eco mega.cbh --limit 20
  tabia eco games.pgn -o coded.pgn
  tabia eco games.pgn -o coded.si5 --eco replace")]
pub(crate) struct EcoArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// Write the games to this file instead of rows; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output or report
    #[arg(long, short, requires = "written")]
    pub(crate) force: bool,
    /// Stored codes in written games: fill those that are missing, replace all, keep all [default: fill]
    #[arg(long, value_name = "HOW", requires = "output")]
    pub(crate) eco: Option<tabia::list_openings::EcoUpdate>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
