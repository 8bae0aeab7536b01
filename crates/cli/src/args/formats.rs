//! The arguments of `formats`.

use clap::Args;

use super::common::{CommonArgs, ListingArgs};

/// Lists the formats and what each can hold
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia formats
  tabia formats --json
  tabia formats --csv > formats.csv")]
pub(crate) struct FormatsArgs {
    /// The columns of a table in Parquet or Arrow instead: `games`, `positions` or `book_rows`
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "TABLE", hide_possible_values = true)]
    pub(crate) schema: Option<super::parquet_options::TableArg>,
    /// The columns as a statement of SQL that creates the table
    #[cfg(feature = "parquet")]
    #[arg(long, requires = "schema", group = "style")]
    pub(crate) sql: bool,
    /// The columns as a table of Markdown
    #[cfg(feature = "parquet")]
    #[arg(long, requires = "schema", group = "style")]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
