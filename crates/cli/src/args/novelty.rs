//! The arguments of `novelty`.

use std::ffi::OsString;

use clap::Args;

use super::common::{IndexedRowArgs, ReplaceReportArgs, SelectArgs};

/// The first position of each game that no earlier game of a base had
///
/// Columns: game, ply, san (the move that leads to it), fen, basegames (earlier games that had the position
/// before). A game of the base is earlier if its date certainly is: a game without a date is earlier than none,
/// and to a game without a date all that have one are earlier. If every position is known, ply, san and fen
/// are empty. Several inputs add a column `path`. Bases with a saved index are looked up, others are read.
/// `--from`, `--encoding` and `--pieces` are about the games, not about the bases.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia novelty twic.pgn --base mega.cbh
  tabia novelty twic.pgn --base mega.cbh --base old.si5 --where 'elo:>=2600'
  tabia novelty mega.cbh --base mega.cbh --games 48213")]
pub(crate) struct NoveltyArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "GAMES")]
    pub(crate) paths: Vec<OsString>,
    /// A database of what was played before; several are given with `--base` each
    #[arg(long, required = true, value_name = "IN")]
    pub(crate) base: Vec<OsString>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) rows: IndexedRowArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
