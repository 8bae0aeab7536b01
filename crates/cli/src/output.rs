//! Rows on standard output: a table, tab- or comma-separated values, JSON.

use std::io::{self, Write};

use serde::Serialize;
use tabia::Failure;

use crate::args::ListingArgs;
use crate::json;
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
pub(crate) struct Out(terminal::Text<io::BufWriter<io::Stdout>>);

impl Out {
    /// Control characters are replaced on a terminal.
    pub(crate) fn new() -> Self {
        let buffered = io::BufWriter::with_capacity(1 << 16, io::stdout());
        Self(terminal::Text::new(
            buffered,
            terminal::stdout_is_terminal(),
        ))
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

/// A table laid out for the width of the terminal from its first rows; what does not fit is cut.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<&'static str>,
    numeric: Vec<bool>,
    /// Column, width; columns without any content are left out.
    layout: Option<Vec<(usize, usize)>>,
    waiting: Vec<Vec<String>>,
}

/// Rows looked at before the widths are settled.
const SAMPLE: usize = 500;
/// Columns that hold paths.
const PATHS: &[&str] = &["path", "archive"];
/// Columns are not cut below this.
const NARROWEST: usize = 8;

impl Table {
    pub(crate) fn new(columns: Vec<&'static str>, numeric: &[&str]) -> Self {
        let numeric = columns.iter().map(|name| numeric.contains(name)).collect();
        Self {
            columns,
            numeric,
            layout: None,
            waiting: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: &[String], out: &mut Out) -> Result<(), Failure> {
        let cells: Vec<String> = cells
            .iter()
            .map(|cell| terminal::one_line(cell).into_owned())
            .collect();
        if self.layout.is_some() {
            return self.print(&cells, out);
        }
        self.waiting.push(cells);
        if self.waiting.len() >= SAMPLE {
            self.settle(out)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, out: &mut Out) -> Result<(), Failure> {
        if self.layout.is_none() && !self.waiting.is_empty() {
            self.settle(out)?;
        }
        Ok(())
    }

    fn settle(&mut self, out: &mut Out) -> Result<(), Failure> {
        let limit = terminal::width();
        let mut layout: Vec<(usize, usize)> = Vec::new();
        for (i, name) in self.columns.iter().enumerate() {
            let cells = self.waiting.iter().filter_map(|cells| cells.get(i));
            let widest = cells.map(|cell| width(cell)).max().unwrap_or(0);
            if widest > 0 {
                layout.push((i, widest.max(width(name))));
            }
        }
        let total = |layout: &[(usize, usize)]| {
            layout
                .iter()
                .map(|(_, width)| width + 2)
                .sum::<usize>()
                .saturating_sub(2)
        };
        while total(&layout) > limit {
            let Some(widest) = layout
                .iter_mut()
                .filter(|(i, width)| *width > NARROWEST && !self.is_numeric(*i))
                .max_by_key(|(_, width)| *width)
            else {
                break;
            };
            widest.1 -= 1;
        }
        self.layout = Some(layout);
        let header: Vec<String> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        self.print(&header, out)?;
        for cells in std::mem::take(&mut self.waiting) {
            self.print(&cells, out)?;
        }
        Ok(())
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.numeric.get(column).copied().unwrap_or_default()
    }

    fn print(&self, cells: &[String], out: &mut Out) -> Result<(), Failure> {
        let mut text = String::new();
        for (i, room) in self.layout.iter().flatten() {
            let cell = cells.get(*i).map_or("", String::as_str);
            let is_path = self
                .columns
                .get(*i)
                .is_some_and(|name| PATHS.contains(name));
            let cut = if is_path {
                cut_front(cell, *room)
            } else {
                cut(cell, *room)
            };
            let gap = " ".repeat(room.saturating_sub(width(&cut)));
            if !text.is_empty() || *i > 0 {
                text.push_str("  ");
            }
            if self.is_numeric(*i) {
                text += &gap;
                text += &cut;
            } else {
                text += &cut;
                text += &gap;
            }
        }
        let trimmed = text.trim_end();
        out.text(trimmed)?;
        out.text("\n")
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(room.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// As [`cut`], keeping the end: that is where paths differ.
fn cut_front(text: &str, room: usize) -> String {
    let length = width(text);
    if length <= room {
        return text.to_owned();
    }
    let skipped = length - room.saturating_sub(1);
    std::iter::once('…')
        .chain(text.chars().skip(skipped))
        .collect()
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
        args: &ListingArgs,
        columns: &[&'static str],
        numeric: &[&str],
    ) -> Result<Self, Failure> {
        let style = Style::of(args);
        let mut listing = Self {
            style,
            columns: columns.to_vec(),
            table: Table::new(columns.to_vec(), numeric),
            out: Out::new(),
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
        assert_eq!(cut("Carlsen, Magnus", 8), "Carlsen…");
        assert_eq!(cut_front("/chess/mega.cbh", 9), "…mega.cbh");
    }
}
