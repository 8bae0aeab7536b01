//! Options of tables in Parquet and Arrow.

use std::ops::RangeInclusive;

use clap::{Args, ValueEnum};
use tabia_columns::schema::Table;

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
    #[arg(long, value_name = "RANGE", value_parser = plies)]
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

/// `1..40`, `..40`, `16`.
fn plies(text: &str) -> Result<RangeInclusive<u16>, String> {
    let number = |text: &str, open: u16| match text {
        "" => Some(open),
        text => text.parse().ok().filter(|ply| *ply > 0),
    };
    let range = match text.split_once("..") {
        Some((first, last)) => number(first, 1).zip(number(last, u16::MAX)),
        None => number(text, 0).filter(|ply| *ply > 0).map(|ply| (ply, ply)),
    };
    match range {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err("plies from 1, as `1..40`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_counted_from_1() {
        assert_eq!(plies("1..40"), Ok(1..=40));
        assert_eq!(plies("16"), Ok(16..=16));
        assert_eq!(plies("..9"), Ok(1..=9));
        assert_eq!(plies("9.."), Ok(9..=u16::MAX));
        for text in ["", "0", "5..4", "0..4", "a", "1...4", "1-4"] {
            assert!(plies(text).is_err(), "{text}");
        }
    }
}
