//! The arguments of `stats`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::common::{IndexedRowArgs, ReplaceReportArgs, SelectArgs};

/// Games, results, ratings and plies by year, player, opening or anything else
///
/// A row for each group: its keys, games, white, draws, black, score (of White, in percent),
/// averageRating (of both players), plies (mean). Games with an unknown result are in none of the three.
/// With `player`, `opponent` or `color` a game counts for each of its players, from that player's side:
/// games, wins, draws, losses, score, averageRating, performance, plies. Several inputs are added up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia stats mega.cbh --by year
  tabia stats mega.cbh --by player --limit 20
  tabia stats mega.cbh --player 'carlsen, m' --by color,openingFamily

Keys: year decade month date player opponent color whitePlayer blackPlayer whiteElo blackElo
eloBand result event site round annotator eco opening openingFamily plyCount plyBand speed,
and any tag, as WhiteTitle.")]
pub(crate) struct StatsArgs {
    /// Files, base names, folders, archives, `archive:member`, or `-` [default: standard input, if it is a
    /// pipe]
    #[arg(value_name = "IN")]
    pub(crate) paths: Vec<OsString>,
    /// What games are grouped by; without it all games are one group
    #[arg(long, value_name = "KEYS")]
    pub(crate) by: Option<String>,
    /// Only games of a player, from that player's side: each word begins a word of the name
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
    /// The order of rows: key (ascending), games (most first) [default: games for one key that is a
    /// name, else key]
    #[arg(long, value_name = "ORDER", hide_possible_values = true)]
    pub(crate) order: Option<StatsOrderChoice>,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) rows: IndexedRowArgs,
    #[command(flatten)]
    pub(crate) replace: ReplaceReportArgs,
}

/// The order of rows of `stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsOrderChoice {
    Key,
    Games,
}
