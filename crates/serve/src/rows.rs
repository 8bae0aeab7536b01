//! Rows of a list as JSON arrays.

use std::fmt::Write;

use serde_json::{Value, json};
use tabia::core::games::GameReader;
use tabia::list::{ListRow, RowDetails, row_with};
use tabia::{Database, Date, GameIndex};

use crate::filter_and_sort::RowSource;
use crate::problem::Problem;

/// The columns, in the order of the values of a row.
pub(crate) const COLUMNS: [&str; 18] = [
    "db",
    "game",
    "white",
    "whiteElo",
    "black",
    "blackElo",
    "result",
    "moves",
    "eco",
    "event",
    "site",
    "round",
    "date",
    "annotator",
    "flags",
    "problem",
    "opening",
    "medals",
];

/// The columns that are read from the moves, so that they are filled only if they are asked for.
pub(crate) fn details(names: &[&str]) -> Result<RowDetails, Problem> {
    let mut details = RowDetails::default();
    for name in names {
        match *name {
            "opening" => details.opening = true,
            "medals" => details.medals = true,
            other => {
                let text = format!("`details` is opening or medals, not `{other}`");
                return Err(Problem::bad_request(text));
            }
        }
    }
    Ok(details)
}

/// The rows with these numbers.
pub(crate) fn rows(
    source: &RowSource,
    numbers: impl Iterator<Item = u32>,
    details: RowDetails,
) -> Vec<Value> {
    let mut readers: Vec<(&str, &dyn Database, Box<dyn GameReader + '_>)> = Vec::new();
    let mut rows = Vec::new();
    for number in numbers {
        let Some((part, game)) = source.locate(number) else {
            continue;
        };
        let Some(database) = part.opened.database() else {
            continue;
        };
        let known = readers.iter().position(|(id, ..)| *id == part.id);
        let index = known.unwrap_or_else(|| {
            readers.push((&part.id, database, database.reader()));
            readers.len() - 1
        });
        if let Some((id, database, reader)) = readers.get_mut(index) {
            rows.push(match row_with(*database, &mut **reader, game, details) {
                Ok(found) => values(id, &found, details),
                Err(error) => unreadable(id, game, &error.to_string()),
            });
        }
    }
    rows
}

fn values(id: &str, row: &ListRow<'_>, details: RowDetails) -> Value {
    let text = |value: &str| match value {
        "" => Value::Null,
        value => json!(value),
    };
    let mut flags = String::new();
    // Writing to a string does not fail.
    let _ = write!(flags, "{}", row.flags);
    let is_text = row.flags.text;
    json!([
        id,
        u64::from(row.game.0) + 1,
        text(&row.white),
        row.white_elo,
        text(&row.black),
        row.black_elo,
        (!is_text).then(|| row.result.to_string()),
        row.plies
            .filter(|_| !is_text)
            .map(|plies| plies.div_ceil(2)),
        row.eco.map(|eco| eco.to_string()),
        text(&row.event),
        text(&row.site),
        text(&row.round),
        (row.date != Date::UNKNOWN).then(|| row.date.to_string()),
        text(&row.annotator),
        flags,
        Value::Null,
        row.opening.map(|opening| opening.name),
        (details.medals && !is_text).then_some(row.medals),
    ])
}

fn unreadable(id: &str, game: GameIndex, problem: &str) -> Value {
    let mut row = vec![json!(id), json!(u64::from(game.0) + 1)];
    row.resize(COLUMNS.len() - 4, Value::Null);
    row.extend([json!(""), json!(problem), Value::Null, Value::Null]);
    Value::Array(row)
}
