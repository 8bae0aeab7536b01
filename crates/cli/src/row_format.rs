//! Rows of games as bytes: tab- or comma-separated values, JSON. Runs on all threads.

use std::io::Write;

use tabia::core::game::{Date, GameResult};
use tabia::list::ListRow;

use crate::json::quote;
use crate::output::{Style, csv_cell, tsv_cell};

/// The columns, which are the keys in JSON too.
pub(crate) const COLUMNS: &[&str] = &[
    "game",
    "white",
    "whiteElo",
    "black",
    "blackElo",
    "result",
    "date",
    "event",
    "site",
    "round",
    "eco",
    "plies",
    "annotator",
    "flags",
];
/// Those that hold numbers.
pub(crate) const NUMERIC: &[&str] = &["game", "whiteElo", "blackElo", "plies"];

/// Appends a row; `path` is there when rows of several inputs are mixed. In a JSON list every row
/// begins with a comma.
pub(crate) fn render(style: Style, row: &ListRow<'_>, path: Option<&str>, out: &mut Vec<u8>) {
    if style == Style::Json {
        out.extend_from_slice(b",\n");
    }
    let mut cells = Cells {
        style,
        out,
        column: 0,
    };
    cells.number(Some(u64::from(row.game.0) + 1));
    cells.text(&row.white);
    cells.number(row.white_elo.map(u64::from));
    cells.text(&row.black);
    cells.number(row.black_elo.map(u64::from));
    cells.text(if row.flags.text {
        ""
    } else {
        result(row.result)
    });
    match row.date {
        Date::UNKNOWN => cells.text(""),
        date => cells.text(&date.to_string()),
    }
    cells.text(&row.event);
    cells.text(&row.site);
    cells.text(&row.round);
    cells.text(&row.eco.map(|eco| eco.to_string()).unwrap_or_default());
    cells.number(row.plies.map(u64::from));
    cells.text(&row.annotator);
    cells.flags(&row.flags.to_string());
    if let Some(path) = path {
        cells.named("path", path);
    }
    match style {
        Style::Json => out.push(b'}'),
        Style::Ndjson => out.extend_from_slice(b"}\n"),
        Style::Table | Style::Tsv | Style::Csv => out.push(b'\n'),
    }
}

/// As database lists show it.
fn result(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWinsByForfeit => "+:-",
        GameResult::BlackWinsByForfeit => "-:+",
        GameResult::DrawByForfeit => "=:=",
        GameResult::BothLose => "0-0",
        plain => plain.pgn(),
    }
}

struct Cells<'o> {
    style: Style,
    out: &'o mut Vec<u8>,
    column: usize,
}

impl Cells<'_> {
    /// What stands before the next cell.
    fn begin(&mut self) {
        let name = COLUMNS.get(self.column).copied().unwrap_or_default();
        self.begin_named(name);
    }

    fn begin_named(&mut self, name: &str) {
        let is_first = self.column == 0;
        self.column += 1;
        match self.style {
            Style::Json | Style::Ndjson => {
                let before: &[u8] = if is_first { b"{\"" } else { b",\"" };
                self.out.extend_from_slice(before);
                self.out.extend_from_slice(name.as_bytes());
                self.out.extend_from_slice(b"\":");
            }
            Style::Csv if !is_first => self.out.push(b','),
            Style::Tsv | Style::Table if !is_first => self.out.push(b'\t'),
            Style::Csv | Style::Tsv | Style::Table => {}
        }
    }

    fn number(&mut self, value: Option<u64>) {
        self.begin();
        match value {
            // Writing to a vector does not fail.
            Some(value) => drop(write!(self.out, "{value}")),
            None => self.nothing(),
        }
    }

    fn nothing(&mut self) {
        if !self.style.has_cells() {
            self.out.extend_from_slice(b"null");
        }
    }

    fn text(&mut self, value: &str) {
        self.begin();
        if value.is_empty() {
            self.nothing();
        } else {
            self.value(value);
        }
    }

    /// Text that is never null.
    fn flags(&mut self, value: &str) {
        self.begin();
        self.value(value);
    }

    fn named(&mut self, name: &str, value: &str) {
        self.begin_named(name);
        self.value(value);
    }

    fn value(&mut self, value: &str) {
        match self.style {
            Style::Json | Style::Ndjson => {
                let mut text = String::new();
                quote(value, &mut text);
                self.out.extend_from_slice(text.as_bytes());
            }
            Style::Csv => csv_cell(value, self.out),
            Style::Tsv | Style::Table => tsv_cell(value, self.out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_has_the_same_columns() {
        let row = ListRow {
            white: "Tal, \"Misha\"".into(),
            white_elo: Some(2705),
            ..ListRow::default()
        };
        let text = |style| {
            let mut out = Vec::new();
            render(style, &row, None, &mut out);
            String::from_utf8(out).unwrap()
        };
        let value: serde_json::Value = serde_json::from_str(&text(Style::Ndjson)).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), COLUMNS.len());
        for column in COLUMNS {
            assert!(value.get(column).is_some(), "{column}");
        }
        assert_eq!(value["white"], "Tal, \"Misha\"");
        assert_eq!(value["blackElo"], serde_json::Value::Null);
        assert_eq!(text(Style::Tsv).matches('\t').count(), COLUMNS.len() - 1);
        assert!(text(Style::Csv).starts_with("1,\"Tal, \"\"Misha\"\"\",2705,"));
    }
}
