//! Options of tables in Parquet and Arrow.

use std::ops::RangeInclusive;

use clap::{Args, ValueEnum};
use tabia_columns::schema::Table;
use tabia_columns::write::parse_plies;

use super::common::profile;

/// Options of `convert` to Parquet or Arrow.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tables (x.parquet, x.arrow, out/)")]
pub(crate) struct TableArgs {
    /// The table: games, positions
    #[arg(
        long,
        value_name = "NAME",
        default_value = "games",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) table: TableArg,
    /// Columns of games: names with commas between, `header`, or more as `+move_codes`
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Option<String>,
    /// A column with the game as PGN: standard, full, lichess, chessbase, seven
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    pub(crate) with_pgn: Option<tabia::Profile>,
    /// Comments in all languages; one language of a game otherwise
    #[arg(long, value_name = "WHICH", hide_possible_values = true)]
    pub(crate) comments: Option<CommentsArg>,
    /// Plies of positions, as `1..40`
    #[arg(long, value_name = "RANGE", value_parser = parse_plies)]
    pub(crate) plies: Option<RangeInclusive<u16>>,
    /// This number of files in a folder, written at the same time: 1 to 64
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) shards: Option<u8>,
    /// A folder for each year in `out/`: `year=2015/part-00000.parquet`
    #[arg(long, value_name = "COLUMN", conflicts_with = "shards")]
    pub(crate) partition: Option<PartitionArg>,
    /// Positions have a column `fen`
    #[arg(long)]
    pub(crate) fen: bool,
}

/// A table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableArg {
    #[default]
    Games,
    Positions,
    #[value(name = "book_rows")]
    BookRows,
}

impl TableArg {
    /// The table.
    pub(crate) fn table(self) -> Table {
        match self {
            Self::Games => Table::Games,
            Self::Positions => Table::Positions,
            Self::BookRows => Table::BookRows,
        }
    }
}

/// The column whose values get a folder each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartitionArg {
    Year,
}

/// Which comments a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommentsArg {
    All,
}
