//! Tables as wide as the terminal, one line per row.

use std::fmt::Write;

use comfy_table::{CellAlignment, ColumnConstraint, Row, Width, presets};
use tabia::Error;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::StdoutWriter;
use crate::terminal;

/// Rows that are laid out together. The widths of the first ones are those of all.
const BATCH: usize = 500;
/// Columns that hold paths: cut at the front, since paths differ at their end.
const PATHS: &[&str] = &["path", "archive"];
/// Text columns are not cut below this width, that of a date.
const MIN_WIDTH: usize = 10;
/// Headers other than the column's name: short where the numbers are.
const HEADERS: &[(&str, &str)] = &[("whiteElo", "Elo"), ("blackElo", "Elo")];
/// Spaces between columns.
const GAP: usize = 2;

/// A table that is printed while its rows come. Columns without content in the first rows are left
/// out, cells that are too long are cut.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<&'static str>,
    numeric: Vec<bool>,
    /// The visible columns, once the first rows are known.
    layout: Option<Vec<Column>>,
    waiting: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Column {
    index: usize,
    /// Display width in terminal columns.
    width: usize,
}

impl Table {
    pub(crate) fn new(names: Vec<&'static str>, numeric: &[&str]) -> Self {
        let numeric = names.iter().map(|name| numeric.contains(name)).collect();
        Self {
            names,
            numeric,
            layout: None,
            waiting: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: &[String], out: &mut StdoutWriter) -> Result<(), Error> {
        let cells = cells.iter().map(|cell| terminal::one_line(cell).into());
        self.waiting.push(cells.collect());
        if self.waiting.len() >= BATCH {
            self.print(out)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, out: &mut StdoutWriter) -> Result<(), Error> {
        self.print(out)
    }

    /// Prints the rows that wait, the header first if they are the first.
    fn print(&mut self, out: &mut StdoutWriter) -> Result<(), Error> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.waiting);
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        // Cells hold no line breaks, so they are cut anywhere instead of between words.
        table.set_delimiter('\n').set_truncation_indicator("…");
        let layout = self.layout.take().unwrap_or_else(|| {
            let layout = self.fit(&rows, terminal::width(), terminal::stdout_is_terminal());
            let headers = self.names.iter().map(|name| header(name).to_owned());
            table.add_row(self.row(&layout, &headers.collect::<Vec<_>>()));
            layout
        });
        for cells in &rows {
            table.add_row(self.row(&layout, cells));
        }
        for (column, shown) in layout.iter().zip(table.column_iter_mut()) {
            shown.set_padding((0, GAP as u16));
            shown.set_constraint(ColumnConstraint::Absolute(Width::Fixed(
                u16::try_from(column.width + GAP).unwrap_or(u16::MAX),
            )));
            if self.is_numeric(column.index) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            out.text(line.trim_end())?;
            out.text("\n")?;
        }
        self.layout = Some(layout);
        Ok(())
    }

    /// The visible cells of a row.
    fn row(&self, layout: &[Column], cells: &[String]) -> Row {
        let cells = layout.iter().map(|column| {
            let cell = cells.get(column.index).map_or("", String::as_str);
            if self.is_path(column.index) {
                cut_front(cell, column.width)
            } else {
                cell.to_owned()
            }
        });
        let mut row = Row::from(cells.collect::<Vec<_>>());
        row.max_height(1);
        row
    }

    /// Which columns are shown, and how wide. `drops`: the last columns are left out until the rest
    /// fits into `limit`; otherwise lines may be longer.
    fn fit(&self, rows: &[Vec<String>], limit: usize, drops: bool) -> Vec<Column> {
        let mut columns = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            let cells = rows.iter().filter_map(|cells| cells.get(index));
            let content = cells.map(|cell| cell.width()).max().unwrap_or_default();
            if content > 0 {
                let width = content.max(header(name).width());
                columns.push(Column { index, width });
            }
        }
        loop {
            let mut layout = columns.clone();
            while total(&layout) > limit {
                let texts = layout.iter_mut();
                let texts = texts.filter(|column| !self.is_numeric(column.index));
                let widest = texts.max_by_key(|column| column.width);
                match widest.filter(|column| column.width > MIN_WIDTH) {
                    Some(widest) => widest.width -= 1,
                    None => break,
                }
            }
            // A row is of no use without its path.
            let last = columns
                .iter()
                .rposition(|column| !self.is_path(column.index));
            match last.filter(|last| total(&layout) > limit && drops && *last > 0) {
                Some(last) => drop(columns.remove(last)),
                None => return layout,
            }
        }
    }

    fn is_path(&self, index: usize) -> bool {
        let name = self.names.get(index);
        name.is_some_and(|name| PATHS.contains(name))
    }

    fn is_numeric(&self, index: usize) -> bool {
        self.numeric.get(index).copied().unwrap_or_default()
    }
}

fn header(name: &'static str) -> &'static str {
    let header = HEADERS.iter().find(|(column, _)| *column == name);
    header.map_or(name, |(_, header)| header)
}

/// The width of a line.
fn total(layout: &[Column]) -> usize {
    let widths = layout.iter().map(|column| column.width + GAP);
    widths.sum::<usize>().saturating_sub(GAP)
}

/// Cuts text at its front to a display width.
fn cut_front(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut start = text.len();
    for (index, c) in text.char_indices().rev() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or_default()) else {
            break;
        };
        left = rest;
        // A combining character is not cut off its base.
        if c.width() != Some(0) {
            start = index;
        }
    }
    format!("…{}", text.get(start..).unwrap_or_default())
}

/// Names and values below a title, the values aligned.
pub(crate) fn describe(title: &str, lines: &[(String, String)], indent: &str) -> String {
    let widest = lines.iter().map(|(name, _)| name.width()).max();
    let widest = widest.unwrap_or_default();
    let mut text = format!("{indent}{}\n", terminal::one_line(title));
    for (name, value) in lines {
        let gap = " ".repeat(widest - name.width().min(widest) + GAP);
        let value = terminal::one_line(value);
        let _ = writeln!(text, "{indent}  {name}{gap}{value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&'static str], numeric: &[&str]) -> Table {
        Table::new(names.to_vec(), numeric)
    }

    fn cells(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    fn widths(layout: &[Column]) -> Vec<(usize, usize)> {
        let pairs = layout.iter().map(|column| (column.index, column.width));
        pairs.collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_content_is_displayed() {
        let table = table(&["name", "empty", "city"], &[]);
        let rows = [
            cells(&["王", "", "e\u{301}"]),
            cells(&["Ding Liren", "", ""]),
        ];
        assert_eq!(widths(&table.fit(&rows, 80, true)), [(0, 10), (2, 4)]);
    }

    #[test]
    fn texts_are_cut_before_columns_are_dropped() {
        let table = table(&["white", "whiteElo", "black", "event"], &["whiteElo"]);
        let rows = [cells(&[
            "Carlsen, Magnus",
            "2861",
            "Aronian, Levon",
            "Tata Steel Masters",
        ])];
        let fit = |limit, drops| widths(&table.fit(&rows, limit, drops));
        assert_eq!(fit(80, true), [(0, 15), (1, 4), (2, 14), (3, 18)]);
        assert_eq!(fit(41, true), [(0, 11), (1, 4), (2, 10), (3, 10)]);
        assert_eq!(fit(30, true), [(0, 11), (1, 4), (2, 11)]);
        assert_eq!(fit(30, false), [(0, 10), (1, 4), (2, 10), (3, 10)]);
    }

    #[test]
    fn paths_are_cut_at_their_front() {
        assert_eq!(cut_front("/chess/mega.cbh", 9), "…mega.cbh");
        assert_eq!(cut_front("/棋/名人.cbh", 9), "…名人.cbh");
        assert_eq!(cut_front("/棋/名人.cbh", 8), "…人.cbh");
        assert_eq!(cut_front("/e\u{301}e\u{301}", 2), "…e\u{301}");
        assert_eq!(cut_front("short", 9), "short");
    }

    #[test]
    fn values_are_aligned_by_display_width() {
        let lines = [("a", "1"), ("王王", "2")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(describe("t", &lines, ""), "t\n  a     1\n  王王  2\n");
    }
}
