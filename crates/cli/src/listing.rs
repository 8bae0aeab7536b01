//! Rows on standard output: a table, tab- or comma-separated values, JSON.

use std::borrow::Cow;

use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::Value;
use tabia::Error;

use crate::args::ListingArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json;
use crate::messages::Messages;
use crate::readable_numbers::counted;
use crate::stdout::StdoutWriter;
use crate::table::Table;
use crate::terminal;

/// The format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowStyle {
    Table,
    Tsv,
    Csv,
    Json,
    Ndjson,
}

impl RowStyle {
    /// The style of the options; by default a table on a terminal, else tab-separated values.
    pub(crate) fn of(args: &ListingArgs) -> Self {
        match args {
            ListingArgs { json: true, .. } => Self::Json,
            ListingArgs { ndjson: true, .. } => Self::Ndjson,
            ListingArgs { csv: true, .. } => Self::Csv,
            ListingArgs { tsv: true, .. } => Self::Tsv,
            ListingArgs { table: true, .. } => Self::Table,
            _ if terminal::stdout_is_terminal() => Self::Table,
            _ => Self::Tsv,
        }
    }

    /// Whether rows are lines of cells rather than JSON.
    pub(crate) fn has_cells(self) -> bool {
        matches!(self, Self::Table | Self::Tsv | Self::Csv)
    }
}

/// Appends a cell of tab-separated values: tabs, line breaks and backslashes are escaped, and other
/// control characters are written as `\\u001b`.
pub(crate) fn tsv_cell(text: &str, out: &mut Vec<u8>) {
    // Most cells need no escape. 0xc2 begins the control characters beyond ASCII, and others.
    let is_plain = |&byte: &u8| byte >= b' ' && byte != b'\\' && byte != 0x7f && byte != 0xc2;
    if text.as_bytes().iter().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut letter = [0; 4];
    for c in text.chars() {
        match c {
            '\t' => out.extend_from_slice(b"\\t"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\\' => out.extend_from_slice(b"\\\\"),
            c if c.is_control() => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            c => out.extend_from_slice(c.encode_utf8(&mut letter).as_bytes()),
        }
    }
}

/// Columns with the names of files.
const PATHS: &[&str] = &["path", "archive", "book", "source", "index", "output"];

/// The name of a file as a cell of tab-separated values, which can be typed as it is printed: on Windows with
/// `/`, which names the same file there and is not escaped.
pub(crate) fn path_cell(path: &str, is_windows: bool) -> Cow<'_, str> {
    if is_windows {
        path.replace('\\', "/").into()
    } else {
        path.into()
    }
}

/// Appends a cell of comma-separated values, quoted if it contains a quote, comma or line break. The format has no
/// escapes: other control characters are there as they are, so that names stay those of the database. On a terminal
/// standard output replaces them.
pub(crate) fn csv_cell(text: &str, out: &mut Vec<u8>) {
    if !text.contains(['"', ',', '\n', '\r']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Appends a line of cells.
pub(crate) fn line<'a>(style: RowStyle, cells: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for (i, cell) in cells.enumerate() {
        if style == RowStyle::Csv {
            if i > 0 {
                out.push(b',');
            }
            csv_cell(cell, out);
        } else {
            if i > 0 {
                out.push(b'\t');
            }
            tsv_cell(cell, out);
        }
    }
    out.push(b'\n');
}

/// What `--offset` and `--limit` make of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextRow {
    /// It is shown.
    Shown,
    /// `--offset` leaves it out.
    Skipped,
    /// `--limit` leaves out this row and all that follow.
    Beyond,
}

/// Writes rows in any style to standard output.
#[derive(Debug)]
pub(crate) struct Listing {
    style: RowStyle,
    columns: Vec<String>,
    table: Table,
    out: StdoutWriter,
    /// The line with the names of the columns, until the first row or the end.
    head: Vec<u8>,
    seen: u64,
    offset: u64,
    end: u64,
    shown: u64,
    messages: Option<Messages>,
}

impl Listing {
    /// `columns` are shown as cells; JSON rows show all their keys. The names of the columns are written with the first
    /// row or at the end: an error before it leaves no table without rows, which looks like a result.
    pub(crate) fn new(
        bar: &ProgressBar,
        args: &ListingArgs,
        columns: &[&str],
        numeric: &[&str],
    ) -> Self {
        let style = RowStyle::of(args);
        let mut listing = Self {
            style,
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            table: {
                let table = Table::new(columns, numeric);
                if args.no_header {
                    table.without_header()
                } else {
                    table
                }
            },
            out: StdoutWriter::new(bar),
            head: Vec::new(),
            seen: 0,
            offset: args.offset,
            end: args
                .limit
                .map_or(u64::MAX, |limit| args.offset.saturating_add(limit)),
            shown: 0,
            messages: None,
        };
        match style {
            RowStyle::Tsv | RowStyle::Csv if args.no_header => {}
            RowStyle::Tsv | RowStyle::Csv => {
                line(style, columns.iter().copied(), &mut listing.head);
            }
            // A list begins with its first row: an error before it leaves nothing half written.
            RowStyle::Table | RowStyle::Json | RowStyle::Ndjson => {}
        }
        listing
    }

    /// In a table a column has another header than usual.
    pub(crate) fn with_header(mut self, name: &str, header: &str) -> Self {
        self.table.set_header(name, header);
        self
    }

    /// A table that is longer than the terminal goes to a pager, and that `--offset` leaves out all rows is noted. For
    /// lists that this alone writes.
    pub(crate) fn paged(mut self, context: &Context) -> Self {
        self.messages = Some(context.messages.clone());
        if self.style == RowStyle::Table {
            if context.common.verbose {
                self.table.with_details();
            }
            self.out = self.out.with_pager(context.common.no_pager);
        }
        self
    }

    pub(crate) fn style(&self) -> RowStyle {
        self.style
    }

    /// Never leaves a column out of a table, however narrow the terminal is.
    pub(crate) fn keep_column(&mut self, name: &'static str) {
        self.table.keep(name);
    }

    /// Standard output, for text between rows.
    pub(crate) fn out(&mut self) -> &mut StdoutWriter {
        &mut self.out
    }

    /// Whether the next row will be shown. A row that `--offset` leaves out counts as pushed.
    pub(crate) fn next_row(&mut self) -> NextRow {
        if self.seen >= self.end {
            NextRow::Beyond
        } else if self.seen < self.offset {
            self.seen += 1;
            NextRow::Skipped
        } else {
            NextRow::Shown
        }
    }

    /// Whether `--limit` leaves out all further rows.
    pub(crate) fn is_full(&self) -> bool {
        self.seen >= self.end
    }

    /// Shows a row, unless `--offset` or `--limit` leaves it out. `row` serializes as an object.
    pub(crate) fn push<R: Serialize>(&mut self, row: &R) -> Result<(), Error> {
        self.seen += 1;
        if self.seen <= self.offset || self.seen > self.end {
            return Ok(());
        }
        self.shown += 1;
        self.write_head()?;
        match self.style {
            RowStyle::Table => {
                let cells = cells(row, &self.columns, json::table_cell);
                self.table.push(&cells, &mut self.out)
            }
            RowStyle::Tsv | RowStyle::Csv => {
                let is_tsv = self.style == RowStyle::Tsv;
                let cells = cells(row, &self.columns, if is_tsv { tsv_text } else { csv_text });
                let mut text = Vec::new();
                line(self.style, cells.iter().map(String::as_str), &mut text);
                self.out.bytes(&text)
            }
            RowStyle::Json => {
                let comma = if self.shown == 1 { "[\n" } else { ",\n" };
                self.out.text(comma)?;
                self.out.bytes(&json::pretty(row))
            }
            RowStyle::Ndjson => {
                self.out.bytes(&json::compact(row))?;
                self.out.text("\n")
            }
        }
    }

    fn write_head(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.head) {
            head if head.is_empty() => Ok(()),
            head => self.out.bytes(&head),
        }
    }

    /// As [`finish`](Self::finish), but without the names of the columns if there is no row because no input could be
    /// opened.
    pub(crate) fn finish_with(mut self, code: ExitCode) -> Result<(), Error> {
        if code == ExitCode::Input && self.seen == 0 {
            self.head.clear();
        }
        self.finish()
    }

    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.write_head()?;
        match self.style {
            RowStyle::Table => self.table.finish(&mut self.out)?,
            RowStyle::Json => self
                .out
                .text(if self.shown == 0 { "[]\n" } else { "\n]\n" })?,
            RowStyle::Tsv | RowStyle::Csv | RowStyle::Ndjson => {}
        }
        self.out.flush()?;
        if let Some(messages) = &self.messages
            && is_beyond(self.offset, self.seen)
        {
            messages.note(&beyond(self.offset, self.seen));
        }
        Ok(())
    }
}

/// Whether `--offset` leaves out all of some rows.
pub(crate) fn is_beyond(offset: u64, rows: u64) -> bool {
    rows > 0 && rows <= offset
}

/// Why no row is shown.
pub(crate) fn beyond(offset: u64, rows: u64) -> String {
    let rows = counted(rows, "row");
    format!("`--offset {offset}` leaves out all there is: {rows}")
}

fn csv_text(_: &str, value: &Value) -> String {
    json::cell(value)
}

fn tsv_text(column: &str, value: &Value) -> String {
    let text = json::cell(value);
    if PATHS.contains(&column) {
        return path_cell(&text, cfg!(windows)).into_owned();
    }
    text
}

/// The cells of a row, `""` for keys that it does not have.
fn cells<R: Serialize>(
    row: &R,
    columns: &[String],
    cell: fn(&str, &Value) -> String,
) -> Vec<String> {
    let value = serde_json::to_value(row).unwrap_or_default();
    let cells = columns.iter().map(|column| {
        let value = value.get(column.as_str());
        value.map_or_else(String::new, |value| cell(column, value))
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_can_be_typed_as_they_are_printed() {
        let mut cell = Vec::new();
        tsv_cell(&path_cell("C:\\Chess\\new.pgn", true), &mut cell);
        assert_eq!(cell, b"C:/Chess/new.pgn");
        assert_eq!(path_cell("a\\b.pgn", false), "a\\b.pgn");
    }

    #[test]
    fn tsv_is_escaped_and_csv_is_quoted() {
        let cells = ["a\tb", "c,\"d\"", "e"];
        let mut escaped = Vec::new();
        tsv_cell("\u{1b}[31mé\u{9b}", &mut escaped);
        assert_eq!(escaped, "\\u001b[31mé\\u009b".as_bytes());
        let mut kept = Vec::new();
        csv_cell("\u{1b}[31m,\té\u{9b}\n", &mut kept);
        assert_eq!(kept, "\"\u{1b}[31m,\té\u{9b}\n\"".as_bytes());
        kept.clear();
        csv_cell("St\u{6}hlberg", &mut kept);
        assert_eq!(kept, b"St\x06hlberg");
        let text = |style| {
            let mut out = Vec::new();
            line(style, cells.into_iter(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(RowStyle::Tsv), "a\\tb\tc,\"d\"\te\n");
        assert_eq!(text(RowStyle::Csv), "a\tb,\"c,\"\"d\"\"\",e\n");
    }
}
