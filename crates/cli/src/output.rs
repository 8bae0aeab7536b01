//! Rows on standard output: a table, tab- or comma-separated values, JSON.

use std::io::{self, Write};

use indicatif::ProgressBar;
use serde::Serialize;
use tabia::Failure;

use crate::args::ListingArgs;
use crate::json;
use crate::table::Table;
use crate::terminal;

/// How rows are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Table,
    Tsv,
    Csv,
    Json,
    Ndjson,
}

impl Style {
    /// What was asked for, else a table for people and tab-separated values for programs.
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

/// Standard output, buffered; failures are failures of the output.
#[derive(Debug)]
pub(crate) struct Out(terminal::Text<io::BufWriter<Stdout>>);

impl Out {
    /// On a terminal control characters are replaced, and `bar` is hidden while something is
    /// written.
    pub(crate) fn new(bar: &ProgressBar) -> Self {
        let is_terminal = terminal::stdout_is_terminal();
        let stdout = Stdout {
            inner: io::stdout(),
            bar: is_terminal.then(|| bar.clone()),
        };
        let buffered = io::BufWriter::with_capacity(1 << 16, stdout);
        Self(terminal::Text::new(buffered, is_terminal))
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.0.write_all(bytes).map_err(failure)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(failure)
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.0
    }
}

/// Standard output on the terminal that may show a progress bar.
#[derive(Debug)]
struct Stdout {
    inner: io::Stdout,
    bar: Option<ProgressBar>,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.inner.write(bytes)),
            None => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.inner.flush()),
            None => self.inner.flush(),
        }
    }
}

fn failure(error: io::Error) -> Failure {
    Failure::output(
        tabia::core::Error::from(error).in_path(std::path::Path::new("standard output")),
    )
}

/// Appends a cell of tab-separated values: tabs, line breaks and backslashes are escaped.
pub(crate) fn tsv_cell(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            other => out.push(other),
        }
    }
}

/// Appends a cell of comma-separated values: quoted where it must be.
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
pub(crate) fn line<'a>(style: Style, cells: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for (i, cell) in cells.enumerate() {
        if style == Style::Csv {
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

/// Rows of a few cells each, in any style.
#[derive(Debug)]
pub(crate) struct Listing {
    style: Style,
    columns: Vec<&'static str>,
    table: Table,
    out: Out,
    seen: u64,
    offset: u64,
    end: u64,
    shown: u64,
}

impl Listing {
    /// `columns` are shown as cells; JSON rows show all their keys.
    pub(crate) fn new(
        bar: &ProgressBar,
        args: &ListingArgs,
        columns: &[&'static str],
        numeric: &[&str],
    ) -> Result<Self, Failure> {
        let style = Style::of(args);
        let mut listing = Self {
            style,
            columns: columns.to_vec(),
            table: Table::new(columns.to_vec(), numeric),
            out: Out::new(bar),
            seen: 0,
            offset: args.offset,
            end: args
                .limit
                .map_or(u64::MAX, |limit| args.offset.saturating_add(limit)),
            shown: 0,
        };
        match style {
            Style::Tsv | Style::Csv => {
                let mut head = Vec::new();
                line(style, columns.iter().copied(), &mut head);
                listing.out.bytes(&head)?;
            }
            Style::Json => listing.out.text("[")?,
            Style::Table | Style::Ndjson => {}
        }
        Ok(listing)
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Standard output, for what is no row.
    pub(crate) fn out(&mut self) -> &mut Out {
        &mut self.out
    }

    /// Shows a row, unless `--offset` or `--limit` leaves it out. `row` serializes as an object.
    pub(crate) fn push<R: Serialize>(&mut self, row: &R) -> Result<(), Failure> {
        self.seen += 1;
        if self.seen <= self.offset || self.seen > self.end {
            return Ok(());
        }
        self.shown += 1;
        match self.style {
            Style::Table => {
                let cells = cells(row, &self.columns);
                self.table.push(&cells, &mut self.out)
            }
            Style::Tsv | Style::Csv => {
                let cells = cells(row, &self.columns);
                let mut text = Vec::new();
                line(self.style, cells.iter().map(String::as_str), &mut text);
                self.out.bytes(&text)
            }
            Style::Json => {
                let comma = if self.shown == 1 { "\n" } else { ",\n" };
                self.out.text(comma)?;
                self.out.bytes(&json::pretty(row))
            }
            Style::Ndjson => {
                self.out.bytes(&json::compact(row))?;
                self.out.text("\n")
            }
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match self.style {
            Style::Table => self.table.finish(&mut self.out)?,
            Style::Json => self
                .out
                .text(if self.shown == 0 { "]\n" } else { "\n]\n" })?,
            Style::Tsv | Style::Csv | Style::Ndjson => {}
        }
        self.out.flush()
    }
}

/// The cells of a row, `""` for keys that it does not have.
fn cells<R: Serialize>(row: &R, columns: &[&'static str]) -> Vec<String> {
    let value = serde_json::to_value(row).unwrap_or_default();
    let cells = columns.iter().map(|column| value.get(column));
    cells
        .map(|value| value.map_or_else(String::new, json::cell))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped() {
        let cells = ["a\tb", "c,\"d\"", "e"];
        let text = |style| {
            let mut out = Vec::new();
            line(style, cells.into_iter(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(Style::Tsv), "a\\tb\tc,\"d\"\te\n");
        assert_eq!(text(Style::Csv), "a\tb,\"c,\"\"d\"\"\",e\n");
    }
}
