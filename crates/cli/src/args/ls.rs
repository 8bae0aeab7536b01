//! The arguments of `ls`.

use std::ffi::OsString;

use clap::Args;

use super::common::{IndexedRowArgs, ReplaceReportArgs, SelectArgs, sort_order};

/// Lists games, one row each
///
/// Columns: game (from 1), white, whiteElo, black, blackElo, result, date, event, site, round, eco,
/// plies, annotator, flags. Flags: D deleted, T guiding text, P setup position, V variations,
/// C comments, S symbols. Several inputs add a column `path`. `--columns` chooses among these, and
/// among all tags of the games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia ls mega.cbh --limit 20
  tabia ls mega.cbv:mega.cbh --columns white,black,WhiteTeam --no-header
  zstdcat games.pgn.zst | tabia ls - --csv > games.csv")]
pub(crate) struct LsArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Also guiding texts
    #[arg(long)]
    pub(crate) texts: bool,
    /// Only these columns, in this order; also `year`, `month`, `decade`, `speed`; any other name is that
    /// of a tag, as `white,black,WhiteTeam`; the tag `Opening` is not the opening by position
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Option<String>,
    /// Sort the rows of all inputs, as `date` or `white,-date`
    ///
    /// `-` is descending. Fields: number, white, black, whiteElo, blackElo, result, moves, plies, ply, eco, date,
    /// event, site, round, annotator. The query orders too: `sort:date-asc` is `--sort date`.
    #[arg(long, value_name = "FIELDS", value_parser = sort_order, allow_hyphen_values = true)]
    pub(crate) sort: Option<tabia::sort::SortOrder>,
    #[command(flatten)]
    pub(crate) rows: IndexedRowArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}
