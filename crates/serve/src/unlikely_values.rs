//! Dates and results that cannot be right.

use serde_json::{Value, json};
use tabia::core::chess::Color;
use tabia::core::games::IndexEntry;
use tabia::{Database, Date, Error, Flow, GameIndex, Ply, Position, Progress, Visitor, Want};

use crate::player_score::CHUNK;

/// Games of each list that are shown.
const MAX_SHOWN: usize = 50;
/// The year of the oldest game that is known.
const FIRST_YEAR: u16 = 1475;

/// The games with something, and how many there are.
#[derive(Debug, Default)]
struct Listed {
    count: u64,
    first: Vec<Value>,
}

impl Listed {
    fn add(&mut self, game: u32, value: &str, why: &str) {
        self.count += 1;
        if self.first.len() < MAX_SHOWN {
            self.first
                .push(json!({"game": u64::from(game) + 1, "value": value, "why": why}));
        }
    }

    fn document(self) -> Value {
        json!({"count": self.count, "games": self.first})
    }
}

/// The position at the end of the mainline.
#[derive(Default)]
struct LastPosition(Option<Position>);

impl Visitor for LastPosition {
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let mut after = before.clone();
        after.play_ply(ply);
        self.0 = Some(after);
        Flow::Go
    }
}

/// Lists the dates that do not exist, are older than any known game, or are later than the file itself, and the results
/// that the last position contradicts.
///
/// # Errors
/// When it is cancelled.
pub(crate) fn find(
    database: &dyn Database,
    modified: Option<u64>,
    progress: &Progress,
) -> Result<Value, Error> {
    let last_year = modified.map(year_of);
    let (mut dates, mut results) = (Listed::default(), Listed::default());
    let mut reader = database.reader();
    progress.set_total(database.len().into());
    for game in 0..database.len() {
        if game % CHUNK == 0 {
            progress.check()?;
            let rest = CHUNK.min(database.len() - game);
            progress.advance(u64::from(CHUNK), u64::from(rest));
        }
        let index = GameIndex(game);
        let Ok(entry) = database.entry(index) else {
            continue;
        };
        if entry.is_text {
            continue;
        }
        if let Some(why) = unlikely_date(entry.date, last_year) {
            dates.add(game, &entry.date.to_string(), why);
        }
        let mut last = LastPosition::default();
        // What cannot be read to its end has no last position.
        let is_whole = reader.read(index, Want::MAINLINE, &mut last).is_ok();
        let last = last.0.filter(|_| is_whole);
        if let Some(why) = last.and_then(|last| contradiction(&entry, &last)) {
            results.add(game, &entry.result.to_string(), why);
        }
    }
    Ok(json!({"dates": dates.document(), "results": results.document()}))
}

/// The year of a time in seconds since 1970.
fn year_of(seconds: u64) -> u16 {
    // A mean year: the days around New Year do not matter here.
    u16::try_from(1970 + seconds / 31_556_952).unwrap_or(u16::MAX)
}

fn unlikely_date(date: Date, last_year: Option<u16>) -> Option<&'static str> {
    let century = date.year.is_multiple_of(100);
    let is_leap = date.year.is_multiple_of(if century { 400 } else { 4 });
    let days = match date.month {
        // A day of an unknown year can be that of a leap year.
        2 if is_leap || date.year == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if date.month > 12 || date.day > days {
        Some("noDay")
    } else if (1..FIRST_YEAR).contains(&date.year) {
        Some("early")
    } else if last_year.is_some_and(|last| date.year > last.saturating_add(1)) {
        Some("late")
    } else {
        None
    }
}

/// What the last position is, if the result is another one.
fn contradiction(entry: &IndexEntry, last: &Position) -> Option<&'static str> {
    let result = entry.result.to_string();
    if last.is_checkmate() {
        let winner = if last.turn() == Color::White {
            "0-1"
        } else {
            "1-0"
        };
        (result != winner).then_some("mate")
    } else if last.is_stalemate() {
        (result != "1/2-1/2").then_some("stalemate")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_no_game_can_have() {
        for (text, why) in [
            ("2024.02.29", None),
            ("2023.02.29", Some("noDay")),
            ("1900.02.29", Some("noDay")),
            ("????.02.29", None),
            ("2000.04.31", Some("noDay")),
            ("1475.??.??", None),
            ("1474.??.??", Some("early")),
            ("2025.01.01", None),
            ("2026.01.01", Some("late")),
            ("????.??.??", None),
        ] {
            let date = Date::parse(text).unwrap();
            assert_eq!(unlikely_date(date, Some(2024)), why, "{text}");
        }
        let stored = Date {
            month: 13,
            ..Date::UNKNOWN
        };
        assert_eq!(unlikely_date(stored, None), Some("noDay"));
        assert_eq!(year_of(1_735_689_600), 2025);
    }
}
