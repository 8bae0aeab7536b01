//! The arguments of `tree`.

use std::ffi::OsString;

use clap::Args;

use super::common::{IndexedRowArgs, ReplaceReportArgs};

/// Explores a position: the moves of the games that reached it, with results and ratings
///
/// A game counts once, with the move after its first arrival; games that end in the position are the row
/// `end`. childGames are the games that reach the position after the move, by any order of moves.
/// averageRating and performance are those of the side to move. `--json` has the keys of `book find`, and
/// the best and the last games. Exit code 1 if no game reached the position.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia tree mega.cbh
  tabia tree mega.cbh --line '1.e4 c5 2.Nf3 d6' --where 'elo:>=2500'
  tabia tree mega.cbh twic.pgn --fen '8/8/8/8/8/5k2/6p1/6K1 b - - 0 1' --json")]
pub(crate) struct TreeArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// The position, as FEN [default: the standard position]
    #[arg(long, value_name = "FEN")]
    pub(crate) fen: Option<String>,
    /// The position after these moves, SAN or UCI, with or without numbers
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub(crate) line: Option<String>,
    /// Only games that fit a query
    #[arg(
        long = "where",
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub(crate) filter: String,
    /// At most this many moves; the sums are those of all
    #[arg(long, value_name = "N")]
    pub(crate) moves: Option<usize>,
    /// Also records marked as deleted
    #[arg(long)]
    pub(crate) include_deleted: bool,
    #[command(flatten)]
    pub(crate) rows: IndexedRowArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
