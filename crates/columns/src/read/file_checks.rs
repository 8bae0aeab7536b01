//! Parquet files of strangers: what is checked before the reader of the package `parquet` sees them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use tabia::core::io::Blob;
use tabia::{Error, ErrorKind, FormatId, Limits};

use super::thrift::{Compact, Kind};

/// The short name of the format.
pub(super) const ID: FormatId = FormatId::new("parquet");

/// The first and last bytes of a Parquet file.
pub(super) const MAGIC: [u8; 4] = *b"PAR1";

/// How deep columns may be in columns.
const SCHEMA_DEPTH: usize = 16;

/// Columns at most, inner ones too.
const SCHEMA_SIZE: u64 = 10_000;

/// Bytes of a footer at most.
const FOOTER: usize = 64 << 20;

/// Values of a column in a row group that are always allowed.
const FEW_VALUES: u64 = 1 << 20;

/// Values of a column in a row group at most for each row, if there are few bytes for them.
const VALUES_A_ROW: u64 = 300;

/// Values of a column in a row group at most, if there are few bytes for them.
const MANY_VALUES: u64 = 32 << 20;

/// Values that one byte may encode without any doubt.
const VALUES_A_BYTE: u64 = 16;

/// The bytes of a file, for the package `parquet`.
#[derive(Clone)]
pub(super) struct FileBytes(pub(super) Blob);

impl Length for FileBytes {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

impl ChunkReader for FileBytes {
    type T = io::Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let rest = (self.0.len() as u64).saturating_sub(start);
        let bytes = self.get_bytes(start, usize::try_from(rest).unwrap_or(0))?;
        Ok(io::Cursor::new(bytes))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let part = usize::try_from(start)
            .ok()
            .and_then(|start| self.0.part(start, length));
        part.map(Bytes::from_owner)
            .ok_or_else(|| ParquetError::EOF("the file is shorter than its footer states".into()))
    }
}

/// The error of a file that is no sound Parquet.
pub(super) fn damaged(text: impl Into<String>) -> Error {
    Error::invalid(format!("Parquet: {}", text.into()))
}

/// Runs a call of the package `parquet`, which may panic on hostile bytes.
pub(super) fn guarded<T>(job: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(damaged(error.to_string())),
        Err(_) => Err(damaged("the reader gave up on damaged bytes")),
    }
}

/// Refuses files whose footer is cut, huge, or nests columns too deep.
pub(super) fn check_footer(file: &Blob) -> Result<(), Error> {
    let length = file.len();
    let too_short = || damaged("the file is cut off: its footer is missing");
    let tail = length.checked_sub(8).ok_or_else(too_short)?;
    let [a, b, c, d, magic @ ..] = file.get(tail..).unwrap_or_default() else {
        return Err(too_short());
    };
    if *magic != MAGIC {
        return Err(too_short());
    }
    let size = [*a, *b, *c, *d]
        .iter()
        .rev()
        .fold(0, |size, byte| size << 8 | usize::from(*byte));
    Limits::check("footer of a Parquet file", size as u64, FOOTER as u64)?;
    let footer = tail
        .checked_sub(size)
        .and_then(|start| file.get(start..tail));
    let footer = footer.ok_or_else(too_short)?;
    check_metadata(footer).ok_or_else(|| damaged("its footer is damaged or nests too deep"))
}

/// Looks through the footer; `None` if something is wrong with it.
fn check_metadata(footer: &[u8]) -> Option<()> {
    let mut reader = Compact::new(footer);
    let mut last = 0;
    while let Some((number, kind)) = reader.field(last)? {
        last = number;
        match (number, kind) {
            // The schema: a list of columns before their inner columns.
            (2, Kind::List) => check_schema(&mut reader)?,
            (_, kind) => reader.skip(kind)?,
        }
    }
    Some(())
}

fn check_schema(reader: &mut Compact<'_>) -> Option<()> {
    let (count, kind) = reader.list()?;
    if kind != Kind::Struct || count > SCHEMA_SIZE {
        return None;
    }
    // How many columns are still expected at each level.
    let mut open: Vec<i64> = Vec::new();
    for _ in 0..count {
        let mut last = 0;
        let mut inner = 0;
        while let Some((number, kind)) = reader.field(last)? {
            last = number;
            match (number, kind) {
                (5, Kind::Int) => inner = reader.int()?,
                (_, kind) => reader.skip(kind)?,
            }
        }
        if let Some(rest) = open.last_mut() {
            *rest -= 1;
        }
        if inner > 0 {
            open.push(inner);
        }
        while open.last().is_some_and(|rest| *rest <= 0) {
            open.pop();
        }
        if open.len() > SCHEMA_DEPTH {
            return None;
        }
    }
    Some(())
}

/// Refuses a row group whose pages would unpack to more than the limits allow.
pub(super) fn check_row_group(
    file: &Blob,
    group: &RowGroupMetaData,
    limits: &Limits,
) -> Result<(), Error> {
    let rows = u64::try_from(group.num_rows());
    let rows = rows.map_err(|_| damaged("a number of rows is negative"))?;
    for column in group.columns() {
        check_column(file, column, rows, limits)?;
    }
    Ok(())
}

fn check_column(
    file: &Blob,
    column: &ColumnChunkMetaData,
    rows: u64,
    limits: &Limits,
) -> Result<(), Error> {
    let wrong = || {
        let name = column.column_path().string();
        damaged(format!("the pages of the column `{name}` are damaged"))
    };
    let start = match column.dictionary_page_offset() {
        Some(offset) if offset > 0 => offset.min(column.data_page_offset()),
        _ => column.data_page_offset(),
    };
    let start = usize::try_from(start).map_err(|_| wrong())?;
    let length = usize::try_from(column.compressed_size()).map_err(|_| wrong())?;
    let end = start.checked_add(length).ok_or_else(wrong)?;
    let bytes = file.get(start..end).ok_or_else(wrong)?;
    let is_packed = column.compression() != Compression::UNCOMPRESSED;
    let few = rows.saturating_mul(VALUES_A_ROW).min(MANY_VALUES);
    let bound = (length as u64)
        .saturating_mul(VALUES_A_BYTE)
        .max(few)
        .max(FEW_VALUES);
    let mut at = 0;
    let mut values: u64 = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let page = page_header(rest).ok_or_else(wrong)?;
        let limit = if is_packed {
            limits.unpacked_from(page.packed as u64).min(limits.record)
        } else {
            page.packed as u64
        };
        Limits::check("page of a Parquet file", page.unpacked as u64, limit)?;
        values = values.saturating_add(page.values);
        if values > bound {
            return Err(Error::new(ErrorKind::Limit {
                what: "number of values of a column",
                limit: bound,
                size: values,
            }));
        }
        at = at
            .checked_add(page.header)
            .and_then(|at| at.checked_add(page.packed))
            .ok_or_else(wrong)?;
    }
    let is_flat = column.column_descr().max_rep_level() == 0;
    if at > bytes.len() || is_flat && values != rows {
        return Err(wrong());
    }
    Ok(())
}

/// The sizes of a page.
struct Page {
    /// Bytes of its header.
    header: usize,
    /// Bytes after the header.
    packed: usize,
    unpacked: usize,
    values: u64,
}

fn page_header(bytes: &[u8]) -> Option<Page> {
    let mut reader = Compact::new(bytes);
    let mut page = Page {
        header: 0,
        packed: 0,
        unpacked: 0,
        values: 0,
    };
    let mut last = 0;
    while let Some((number, kind)) = reader.field(last)? {
        last = number;
        match (number, kind) {
            (2, Kind::Int) => page.unpacked = usize::try_from(reader.int()?).ok()?,
            (3, Kind::Int) => page.packed = usize::try_from(reader.int()?).ok()?,
            // Headers of data in both versions; a dictionary has no more values than bytes.
            (5 | 8, Kind::Struct) => {
                let mut last = 0;
                while let Some((number, kind)) = reader.field(last)? {
                    last = number;
                    match (number, kind) {
                        (1, Kind::Int) => page.values = u64::try_from(reader.int()?).ok()?,
                        (_, kind) => reader.skip(kind)?,
                    }
                }
            }
            (_, kind) => reader.skip(kind)?,
        }
    }
    page.header = reader.position();
    Some(page)
}
