//! Tables of a database as a stream of Arrow.

use std::ffi::c_char;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream as ArrowArrayStream;
use tabia_columns::schema::{GameColumns, Table};
use tabia_columns::stream::TableStream;
use tabia_columns::write::TableOptions;
use tabia_rust::{Error, Query};

use crate::database::tabia_database;
use crate::error::tabia_error;
use crate::report::{NoteAll, tabia_report};
use crate::{guarded, is_null, pointee, text};

/// Stores in `stream` a table of a database: `games`, a row for each record, or `positions`, a row for each
/// move. `columns` are names of columns of `games` with commas between, `header` for those before the moves, or
/// NULL for the usual ones; `query` is a query as of `tabia search`, or NULL.
///
/// The batches are read when the consumer asks for them. The stream is independent of the database, which
/// may be closed before; the consumer releases it by its `release`. Nothing is stored if it fails,
/// as it does with `TABIA_USAGE` if `database`, `table` or `stream` is NULL.
///
/// # Safety
/// `database` is open or NULL; the texts end with a zero byte or are NULL; `stream` is NULL, or can be written
/// to and holds no stream that is not released; `error` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_arrow_stream(
    database: *const tabia_database,
    table: *const c_char,
    columns: *const c_char,
    query: *const c_char,
    stream: *mut ArrowArrayStream,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        tabia_arrow_stream_with(
            database,
            table,
            columns,
            query,
            std::ptr::null(),
            stream,
            error,
        )
    }
}

/// As `tabia_arrow_stream`. The problems of the database and what the table cannot hold are added to `report`, if that is
/// not NULL: those of a batch before the consumer gets it.
///
/// # Safety
/// As `tabia_arrow_stream`; `report` comes from `tabia_report_new` or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tabia_arrow_stream_with(
    database: *const tabia_database,
    table: *const c_char,
    columns: *const c_char,
    query: *const c_char,
    report: *const tabia_report,
    stream: *mut ArrowArrayStream,
    error: *mut *mut tabia_error,
) -> bool {
    // SAFETY: the caller vouches for the pointers.
    let made = unsafe {
        guarded(error, || {
            if stream.is_null() {
                return Err(is_null("stream").into());
            }
            let database = pointee(database, "database")?;
            let (columns, query) = (text::read_optional(columns)?, text::read_optional(query)?);
            let mut options = options(text::read(table)?, columns, query)?;
            options.open = database.open.clone();
            let items = Arc::clone(&database.items);
            let table = match report.as_ref() {
                Some(report) => {
                    let observer = Box::new(NoteAll(report.reported()));
                    TableStream::with_observer(items, options, observer)
                }
                None => TableStream::new(items, options),
            };
            Ok(ArrowArrayStream::new(Box::new(table)))
        })
    };
    let is_made = made.is_some();
    if let Some(made) = made {
        // SAFETY: the caller vouches for it; what is there holds nothing, so it is not dropped.
        unsafe { stream.write(made) };
    }
    is_made
}

fn options(table: &str, columns: Option<&str>, query: Option<&str>) -> Result<TableOptions, Error> {
    let mut options = TableOptions::default();
    let kind = Table::parse(table).filter(|kind| *kind != Table::BookRows);
    let unknown = || Error::usage(format!("`{table}` is no table: `games`, `positions`"));
    options.table = kind.ok_or_else(unknown)?;
    if let Some(columns) = columns {
        if options.table != Table::Games {
            return Err(Error::usage("`columns` are for the table `games`"));
        }
        options.columns = GameColumns::parse(columns)?;
    }
    if let Some(query) = query {
        let query = Query::parse(query)?;
        if !query.sort().is_empty() {
            let text = "tables are not sorted: their rows are in the order of the input";
            return Err(Error::usage(text));
        }
        options.plan.filter = Some(query);
    }
    Ok(options)
}
