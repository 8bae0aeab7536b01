//! The arguments of `search`.

use std::ffi::OsString;

use clap::{ArgGroup, Args};

use super::common::{IndexedRowArgs, RecordArgs, sort_order};
use super::write_verbs::PositionArg;

/// Finds games by players, positions, moves: one row per game, or a new database
///
/// The last argument is the query: words of names, `name:value`, comparisons, `OR`, parentheses, `-` for
/// not. Terms about a position hold at the same one, the moment, whose ply, position and next move are
/// the last columns; `A -> B` asks for a later one, `A => B` for the next. Exit code 1 if no game fits.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("written").args(["output", "report"]).multiple(true)))]
#[command(
    after_help = "\
Examples:
  tabia search mega.cbh 'player:carlsen elo:>=2700 date:2020..'
  tabia search games.pgn 'mat:KRPKR for:10' -o endings.pgn --mark
  tabia search mega.si5 'by:white move:Bxh7+ => move:Kxh7' --count

`tabia help search` lists the fields of queries.",
    after_long_help = crate::query_help::field_table()
)]
pub(crate) struct SearchArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-`; then the query. Standard input, if
    /// it is a pipe and nothing but the query is given
    #[arg(required = true, num_args = 1.., value_name = "IN... QUERY")]
    pub(crate) inputs: Vec<OsString>,
    /// Write the games to this file instead of rows; `-` is standard output
    #[arg(long, short, value_name = "OUT", conflicts_with = "count")]
    pub(crate) output: Option<OsString>,
    /// The output's format [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Replace an existing output or report
    #[arg(long, short, requires = "written")]
    pub(crate) force: bool,
    /// Put a comment at the moments in the games that `-o` writes [default text: found]
    #[arg(
        long,
        value_name = "TEXT",
        num_args = 0..=1,
        default_missing_value = "found",
        requires = "output"
    )]
    pub(crate) mark: Option<String>,
    /// The positions of the games that `-o x.epd` or `-o x.fen` gets: start, end or moment
    /// [default: moment, if the query has terms about a position, or else end]
    #[arg(
        long,
        value_name = "WHICH",
        requires = "output",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(crate) position: Option<PositionArg>,
    /// Only the number of games
    #[arg(long, conflicts_with = "style")]
    pub(crate) count: bool,
    /// The terms in the order in which they are asked, and how many games each leaves
    #[arg(long, conflicts_with_all = ["output", "count"])]
    pub(crate) explain: bool,
    /// The query is one of Scoutfish, in JSON; what it is here is noted
    #[arg(long, hide_short_help = true)]
    pub(crate) scoutfish: bool,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    /// Also guiding texts
    #[arg(long)]
    pub(crate) texts: bool,
    /// Only these columns, in this order; also `year`, `month`, `decade`, `speed`; any other name is that
    /// of a tag, as `white,black,WhiteTeam`; the tag `Opening` is not the opening by position
    #[arg(long, value_name = "NAMES", hide_short_help = true)]
    pub(crate) columns: Option<String>,
    /// Sort the rows of all inputs, as `date` or `white,-date`
    ///
    /// `-` is descending. Fields: number, white, black, whiteElo, blackElo, result, moves, plies, ply, eco, date,
    /// event, site, round, annotator. The query orders too: `sort:date-asc` is `--sort date`.
    #[arg(long, value_name = "FIELDS", value_parser = sort_order, allow_hyphen_values = true, conflicts_with = "count")]
    pub(crate) sort: Option<tabia::sort::SortOrder>,
    #[command(flatten)]
    pub(crate) rows: IndexedRowArgs,
}
