//! Rows of `ls` as bytes: tab- or comma-separated values, JSON. Runs on several threads.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use serde::Serialize;
use tabia::core::decimal_digits::write_number;
use tabia::core::game::{Date, Eco, GameResult};
use tabia::list::{Flags, ListRow};
use tabia::query::FoundMoment;

use crate::json::{self, Displayed};
use crate::listing::{RowStyle, csv_cell, path_cell, tsv_cell};

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
/// Further columns of a search: the first moment.
pub(crate) const MOMENT_COLUMNS: &[&str] = &["ply", "fen", "move"];
/// Those that hold numbers.
pub(crate) const NUMERIC: &[&str] = &[
    "game", "whiteElo", "blackElo", "plies", "ply", "year", "month", "decade",
];

/// A row as JSON. Unknown values are null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GameRow<'a> {
    /// From 1.
    game: u64,
    white: Option<&'a str>,
    white_elo: Option<u16>,
    black: Option<&'a str>,
    black_elo: Option<u16>,
    /// As database lists show it.
    result: Option<Displayed<GameResult>>,
    date: Option<Displayed<Date>>,
    event: Option<&'a str>,
    site: Option<&'a str>,
    round: Option<&'a str>,
    eco: Option<Displayed<Eco>>,
    plies: Option<u32>,
    annotator: Option<&'a str>,
    flags: Displayed<Flags>,
    /// Only of a search.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    found: Option<FoundJson>,
    /// Only if rows of several inputs are mixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

/// The first moment, and all of them.
#[derive(Serialize)]
struct FoundJson {
    ply: Option<u32>,
    fen: Option<String>,
    r#move: Option<String>,
    moments: Vec<MomentJson>,
}

#[derive(Serialize, Clone)]
struct MomentJson {
    /// Plies before it.
    ply: u32,
    fen: String,
    /// Null at the end of the game.
    r#move: Option<String>,
}

impl MomentJson {
    fn new(moment: &FoundMoment) -> Self {
        Self {
            ply: moment.ply,
            fen: moment.position.fen(),
            r#move: moment
                .played
                .map(|ply| moment.position.san(ply).to_string()),
        }
    }

    /// For people, who find it in the game by its number: `3...Nf6`.
    fn numbered_move(&self) -> Option<String> {
        let san = self.r#move.as_ref()?;
        let mut fields = self.fen.split(' ').skip(1);
        let dots = if fields.next() == Some("b") {
            "..."
        } else {
            "."
        };
        let number = fields.last().unwrap_or_default();
        Some(format!("{number}{dots}{san}"))
    }
}

impl FoundJson {
    fn new(row: &ListRow<'_>) -> Self {
        let moments: Vec<MomentJson> = row.moments.iter().map(MomentJson::new).collect();
        let first = moments.first().cloned();
        Self {
            ply: first.as_ref().map(|moment| moment.ply),
            fen: first.as_ref().map(|moment| moment.fen.clone()),
            r#move: first.and_then(|moment| moment.r#move),
            moments,
        }
    }
}

impl<'a> GameRow<'a> {
    fn new(row: &'a ListRow<'_>, moments: bool, path: Option<&'a str>) -> Self {
        let text = |value: &'a str| Some(value).filter(|value| !value.is_empty());
        Self {
            game: u64::from(row.game.0) + 1,
            white: text(&row.white),
            white_elo: row.white_elo,
            black: text(&row.black),
            black_elo: row.black_elo,
            result: Some(row.result).filter(|_| !row.flags.text).map(Displayed),
            date: Some(row.date)
                .filter(|date| *date != Date::UNKNOWN)
                .map(Displayed),
            event: text(&row.event),
            site: text(&row.site),
            round: text(&row.round),
            eco: row.eco.map(Displayed),
            plies: row.plies,
            annotator: text(&row.annotator),
            flags: Displayed(row.flags),
            found: moments.then(|| FoundJson::new(row)),
            path,
        }
    }
}

/// Appends a row. `path` is present if rows of several inputs are mixed. In a JSON list every row
/// begins with a comma.
pub(crate) fn render(
    style: RowStyle,
    row: &ListRow<'_>,
    moments: bool,
    path: Option<&str>,
    out: &mut Vec<u8>,
) {
    match style {
        RowStyle::Json => {
            out.extend_from_slice(b",\n");
            json::append(&GameRow::new(row, moments, path), out);
        }
        RowStyle::Ndjson => {
            json::append(&GameRow::new(row, moments, path), out);
            out.push(b'\n');
        }
        RowStyle::Table | RowStyle::Tsv | RowStyle::Csv => cells(style, row, moments, path, out),
    }
}

/// Appends the cells of a row; unknown values are empty.
fn cells(style: RowStyle, row: &ListRow<'_>, moments: bool, path: Option<&str>, out: &mut Vec<u8>) {
    let mut line = Line { style, out };
    write_number(u64::from(row.game.0) + 1, line.out);
    line.text(&row.white);
    line.number(row.white_elo);
    line.text(&row.black);
    line.number(row.black_elo);
    line.value(Some(row.result).filter(|_| !row.flags.text));
    line.value(Some(row.date).filter(|date| *date != Date::UNKNOWN));
    line.text(&row.event);
    line.text(&row.site);
    line.text(&row.round);
    line.value(row.eco);
    line.number(row.plies);
    line.text(&row.annotator);
    line.value(Some(row.flags));
    if moments {
        let first = row.moments.first().map(MomentJson::new);
        line.number(first.as_ref().map(|moment| moment.ply));
        line.text(first.as_ref().map_or("", |moment| moment.fen.as_str()));
        let is_table = style == RowStyle::Table;
        line.value(first.and_then(|moment| {
            if is_table {
                moment.numbered_move()
            } else {
                moment.r#move
            }
        }));
    }
    if let Some(path) = path {
        line.text(&path_cell(path, cfg!(windows)));
    }
    out.push(b'\n');
}

/// The value of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// The game has no such value, or it is not known.
    Unknown,
    Number(u64),
    Text(Cow<'a, str>),
}

/// The value of a column of [`COLUMNS`] or [`MOMENT_COLUMNS`].
pub(crate) fn cell<'a>(column: &str, row: &'a ListRow<'_>) -> Cell<'a> {
    let text = |text: &'a str| match text {
        "" => Cell::Unknown,
        text => Cell::Text(text.into()),
    };
    let number = |value: Option<u64>| value.map_or(Cell::Unknown, Cell::Number);
    let shown =
        |value: Option<String>| value.map_or(Cell::Unknown, |value| Cell::Text(value.into()));
    let moment = || row.moments.first().map(MomentJson::new);
    match column {
        "game" => Cell::Number(u64::from(row.game.0) + 1),
        "white" => text(&row.white),
        "whiteElo" => number(row.white_elo.map(u64::from)),
        "black" => text(&row.black),
        "blackElo" => number(row.black_elo.map(u64::from)),
        "result" => shown((!row.flags.text).then(|| row.result.to_string())),
        "date" => shown((row.date != Date::UNKNOWN).then(|| row.date.to_string())),
        "event" => text(&row.event),
        "site" => text(&row.site),
        "round" => text(&row.round),
        "eco" => shown(row.eco.map(|eco| eco.to_string())),
        "plies" => number(row.plies.map(u64::from)),
        "annotator" => text(&row.annotator),
        "flags" => Cell::Text(row.flags.to_string().into()),
        "ply" => number(moment().map(|moment| moment.ply.into())),
        "fen" => shown(moment().map(|moment| moment.fen)),
        "move" => shown(moment().and_then(|moment| moment.r#move)),
        _ => Cell::Unknown,
    }
}

/// The cells after the first.
struct Line<'o> {
    style: RowStyle,
    out: &'o mut Vec<u8>,
}

impl Line<'_> {
    fn separate(&mut self) {
        self.out.push(if self.style == RowStyle::Csv {
            b','
        } else {
            b'\t'
        });
    }

    fn text(&mut self, text: &str) {
        self.separate();
        if self.style == RowStyle::Csv {
            csv_cell(text, self.out);
        } else {
            tsv_cell(text, self.out);
        }
    }

    fn number(&mut self, number: Option<impl Into<u64>>) {
        self.separate();
        if let Some(number) = number {
            write_number(number.into(), self.out);
        }
    }

    /// A value whose text needs no escapes.
    fn value(&mut self, value: Option<impl Display>) {
        self.separate();
        if let Some(value) = value {
            // Writing to a vector does not fail.
            let _ = write!(self.out, "{value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_the_same_value_alone() {
        let mut row = ListRow::default();
        row.white = "Tal, Misha".into();
        row.black_elo = Some(2705);
        row.eco = Eco::parse("B90");
        row.flags.setup = true;
        let mut out = Vec::new();
        render(RowStyle::Tsv, &row, true, None, &mut out);
        let text = String::from_utf8(out).unwrap();
        let cells = text.trim_end_matches('\n').split('\t');
        for (column, expected) in COLUMNS.iter().chain(MOMENT_COLUMNS).zip(cells) {
            let found = match cell(column, &row) {
                Cell::Unknown => String::new(),
                Cell::Number(number) => number.to_string(),
                Cell::Text(text) => text.into_owned(),
            };
            assert_eq!(found, expected, "{column}");
        }
    }

    #[test]
    fn moves_in_tables_have_their_number() {
        let moment = |fen: &str, san: Option<&str>| MomentJson {
            ply: 0,
            fen: fen.into(),
            r#move: san.map(str::to_owned),
        };
        let rank = "8/8/8/8/8/8/8/8";
        let black = moment(&format!("{rank} b - - 4 3"), Some("Nf6"));
        assert_eq!(black.numbered_move().as_deref(), Some("3...Nf6"));
        let white = moment(&format!("{rank} w - - 0 41"), Some("e4"));
        assert_eq!(white.numbered_move().as_deref(), Some("41.e4"));
        assert_eq!(moment(rank, None).numbered_move(), None);
    }

    #[test]
    fn every_style_has_the_same_columns() {
        let mut row = ListRow::default();
        row.white = "Tal, \"Misha\"".into();
        row.white_elo = Some(2705);
        let text = |style| {
            let mut out = Vec::new();
            render(style, &row, false, None, &mut out);
            String::from_utf8(out).unwrap()
        };
        let value: serde_json::Value = serde_json::from_str(&text(RowStyle::Ndjson)).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), COLUMNS.len());
        for column in COLUMNS {
            assert!(value.get(column).is_some(), "{column}");
        }
        assert_eq!(value["white"], "Tal, \"Misha\"");
        assert_eq!(value["blackElo"], serde_json::Value::Null);
        assert_eq!(text(RowStyle::Tsv).matches('\t').count(), COLUMNS.len() - 1);
        assert!(text(RowStyle::Csv).starts_with("1,\"Tal, \"\"Misha\"\"\",2705,"));
    }
}
