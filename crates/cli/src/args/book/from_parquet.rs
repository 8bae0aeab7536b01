//! The arguments of `tabia book from-parquet`.

use std::ffi::OsString;

use clap::Args;

use super::common::BookOutArgs;
use crate::args::common::CommonArgs;

/// Makes a book of tables of book rows, one after another
///
/// `tabia book convert BOOK -o rows.parquet` writes such a table. Of other tables the columns `key` and
/// `move` are needed (`tabia formats --schema book_rows` lists all), and `fen` for formats that store
/// boards. Rows may be in any order; those of the same move add up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tabia book from-parquet rows.parquet -o book.bin
  tabia book from-parquet part-00000.parquet part-00001.parquet -o book.bin")]
pub(crate) struct BookFromParquetArgs {
    /// Tables, or folders of tables
    #[arg(required = true, value_name = "TABLE")]
    pub(crate) tables: Vec<OsString>,
    #[command(flatten)]
    pub(crate) out: BookOutArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
