//! Rows as a table, TSV, CSV or lines of JSON, batch by batch.

use std::io::{self, BufWriter, Stdout, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::json::WriterBuilder;
use datafusion::arrow::json::writer::LineDelimited;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::exit_code::Failure;

/// Rows from which the widths of a table are taken.
const ROWS_FOR_WIDTHS: usize = 1000;

/// Characters of a cell of a table at most.
const MAX_WIDTH: usize = 60;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Table,
    Tsv,
    Csv,
    Ndjson,
}

/// Writes rows to standard output.
pub(crate) struct Output {
    style: Style,
    out: BufWriter<Stdout>,
    names: Vec<String>,
    /// Columns that are aligned to the right.
    numbers: Vec<bool>,
    /// Rows of a table whose widths are not known yet.
    waiting: Vec<Vec<String>>,
    widths: Option<Vec<usize>>,
    has_names: bool,
}

impl Output {
    pub(crate) fn new(style: Style, schema: &Schema) -> Self {
        let fields = schema.fields().iter();
        let numbers = fields.map(|field| field.data_type().is_numeric());
        Self {
            style,
            out: BufWriter::new(io::stdout()),
            names: schema
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect(),
            numbers: numbers.collect(),
            waiting: Vec::new(),
            widths: None,
            has_names: false,
        }
    }

    /// Writes the rows of a batch; those of a table wait until its widths are known.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        if self.style == Style::Ndjson {
            return self.write_json(batch);
        }
        let options = FormatOptions::default().with_null(match self.style {
            Style::Table => "·",
            _ => "",
        });
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let columns = columns.collect::<Result<Vec<_>, _>>();
        let columns = columns.map_err(|error| Failure::usage(&error.to_string()))?;
        for row in 0..batch.num_rows() {
            let cells = columns
                .iter()
                .map(|column| column.value(row).try_to_string());
            let cells = cells.collect::<Result<Vec<String>, _>>();
            self.row(cells.map_err(|error| Failure::usage(&error.to_string()))?)?;
        }
        Ok(())
    }

    fn write_json(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let mut text = Vec::new();
        let mut writer = WriterBuilder::new()
            .with_explicit_nulls(true)
            .build::<_, LineDelimited>(&mut text);
        let done = writer.write(batch).and_then(|()| writer.finish());
        done.map_err(|error| Failure::usage(&error.to_string()))?;
        drop(writer);
        Ok(self.out.write_all(&text)?)
    }

    fn row(&mut self, cells: Vec<String>) -> io::Result<()> {
        if self.style != Style::Table {
            self.head()?;
            return self.line(&cells);
        }
        let cells: Vec<String> = cells.iter().map(|cell| shown(cell)).collect();
        if self.widths.is_some() {
            return self.table_line(&cells);
        }
        self.waiting.push(cells);
        if self.waiting.len() >= ROWS_FOR_WIDTHS {
            self.begin_table()?;
        }
        Ok(())
    }

    /// The names of the columns, once.
    fn head(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.has_names, true) {
            return Ok(());
        }
        let names = self.names.clone();
        self.line(&names)
    }

    fn line(&mut self, cells: &[String]) -> io::Result<()> {
        let mut text = String::new();
        for (number, cell) in cells.iter().enumerate() {
            if number > 0 {
                text.push(if self.style == Style::Tsv { '\t' } else { ',' });
            }
            match self.style {
                Style::Tsv => tsv_cell(cell, &mut text),
                _ => csv_cell(cell, &mut text),
            }
        }
        text.push('\n');
        self.out.write_all(text.as_bytes())
    }

    fn begin_table(&mut self) -> io::Result<()> {
        let names: Vec<String> = self.names.iter().map(|name| shown(name)).collect();
        let rows = std::mem::take(&mut self.waiting);
        let width = |column: usize| {
            let all = rows
                .iter()
                .chain([&names])
                .filter_map(|row| row.get(column));
            all.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        self.widths = Some((0..names.len()).map(width).collect());
        self.table_line(&names)?;
        rows.iter().try_for_each(|row| self.table_line(row))
    }

    fn table_line(&mut self, cells: &[String]) -> io::Result<()> {
        let mut text = String::new();
        let widths = self.widths.as_deref().unwrap_or_default();
        for ((cell, width), is_number) in cells.iter().zip(widths).zip(&self.numbers) {
            let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
            if *is_number {
                text.push_str(&blanks);
            }
            text.push_str(cell);
            if !is_number {
                text.push_str(&blanks);
            }
            text.push_str("  ");
        }
        writeln!(self.out, "{}", text.trim_end())
    }

    /// Writes what waits, and the names of the columns if there were no rows.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match self.style {
            Style::Table if self.widths.is_none() => self.begin_table()?,
            Style::Csv | Style::Tsv => self.head()?,
            _ => {}
        }
        Ok(self.out.flush()?)
    }
}

/// A cell of a table: on one line, not too long, without characters that a terminal obeys.
fn shown(text: &str) -> String {
    let is_obeyed =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = text.chars().map(|c| match c {
        '\n' | '\r' | '\t' => ' ',
        c if is_obeyed(c) => '\u{fffd}',
        c => c,
    });
    let mut cell: String = plain.take(MAX_WIDTH + 1).collect();
    if let Some((end, _)) = cell.char_indices().nth(MAX_WIDTH) {
        let end = cell
            .get(..end)
            .and_then(|part| part.char_indices().next_back())
            .map_or(0, |(end, _)| end);
        cell.truncate(end);
        cell.push('…');
    }
    cell
}

fn tsv_cell(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
}

fn csv_cell(text: &str, out: &mut String) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_one_line() {
        assert_eq!(shown("a\tb\u{1b}[2J"), "a b\u{fffd}[2J");
        let long = shown(&"ü".repeat(100));
        assert_eq!(long.chars().count(), MAX_WIDTH);
        assert!(long.ends_with('…'));
        let mut out = String::new();
        tsv_cell("a\tb\\\n", &mut out);
        csv_cell("a,\"b\"", &mut out);
        assert_eq!(out, "a\\tb\\\\\\n\"a,\"\"b\"\"\"");
    }
}
