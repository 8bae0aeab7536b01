//! `tabia formats --schema`: the columns of a table in Parquet or Arrow.

use indicatif::ProgressBar;
use serde::Serialize;
use tabia::Error;
use tabia_columns::schema::{Column, Table, markdown, sql};

use crate::args::FormatsArgs;
use crate::exit_code::ExitCode;
use crate::listing::Listing;
use crate::stdout::StdoutWriter;

const COLUMNS: &[&str] = &["column", "type", "null", "meaning"];

#[derive(Serialize)]
struct ColumnRow {
    column: &'static str,
    r#type: &'static str,
    null: bool,
    meaning: &'static str,
}

/// Lists the columns of a table.
pub(crate) fn list(table: Table, args: &FormatsArgs) -> Result<ExitCode, Error> {
    let bar = ProgressBar::hidden();
    if args.sql || args.markdown {
        let text = if args.sql {
            sql(table)
        } else {
            markdown(table)
        };
        let mut out = StdoutWriter::new(&bar);
        out.text(&text)?;
        out.flush()?;
        return Ok(ExitCode::Done);
    }
    let mut listing = Listing::new(&bar, &args.listing, COLUMNS, &[]);
    for column in table.columns() {
        listing.push(&row(column))?;
    }
    listing.finish()?;
    Ok(ExitCode::Done)
}

fn row(column: &'static Column) -> ColumnRow {
    ColumnRow {
        column: column.name,
        r#type: column.data.name(),
        null: column.nullable,
        meaning: column.meaning,
    }
}
