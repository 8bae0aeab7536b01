//! `tabia book diff`: the moves that differ between two books.

use serde::Serialize;
use tabia::Error;
use tabia::book::diff::{BookDiff, Difference, diff_entries, diff_positions};
use tabia::book::find::symbols;
use tabia::book::merge::{has_key_entries, open_polyglot};
use tabia::core::books::BookEntry;
use tabia::core::game::Flow;

use super::open_books::{book_input, open_book, report_damage, report_problems};
use crate::args::book::BookDiffArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::readable_numbers::{counted, grouped};

const COLUMNS: &[&str] = &[
    "change",
    "key",
    "fen",
    "move",
    "first",
    "second",
    "games",
    "gamesThen",
    "differs",
    "line",
    "san",
];
/// The columns on a terminal.
const TABLE_COLUMNS: &[&str] = &[
    "change",
    "line",
    "san",
    "first",
    "second",
    "games",
    "gamesThen",
    "differs",
];
const NUMERIC: &[&str] = &["first", "second", "games", "gamesThen"];

pub(crate) fn run(args: &BookDiffArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let first = book_input(&context, &args.first)?;
    let second = book_input(&context, &args.second)?;
    let mut reporter = context.reporter("book diff", args.replace.force, None)?;
    let columns = match RowStyle::of(&args.listing) {
        RowStyle::Table => TABLE_COLUMNS,
        _ => COLUMNS,
    };
    let listing = Listing::new(&context.bar, &args.listing, columns, NUMERIC);
    let mut listing = listing.paged(&context);
    let mut failed = None;
    let is_table = listing.style() == RowStyle::Table;
    let mut each = |difference: Difference| {
        let key;
        let mut row = DifferenceRow::new(&difference);
        if is_table && row.line.is_none() {
            // Which position it is: a table shows neither FEN nor key.
            key = format!("position {}", row.key);
            row.line = row.fen.or(Some(&key));
            row.san = row.san.or(Some(row.uci));
        }
        match listing.push(&row) {
            Ok(()) => Ok(Flow::Go),
            Err(failure) => {
                failed = Some(failure);
                Ok(Flow::Stop)
            }
        }
    };
    let progress = &context.progress;
    let both = [&first, &second];
    let are_polyglot = both.iter().all(|item| has_key_entries(item));
    let display = context.display();
    let compared = if are_polyglot {
        let a = open_polyglot(&first, &context.open)?;
        let b = open_polyglot(&second, &context.open)?;
        report_problems(&context, &first, &a, &mut reporter)?;
        report_problems(&context, &second, &b, &mut reporter)?;
        report_damage(&context, &first, &a, &mut reporter)?;
        report_damage(&context, &second, &b, &mut reporter)?;
        for item in &both {
            reporter.add_book(item);
        }
        diff_entries(&a, &b, progress, &mut each)
    } else {
        let a = open_book(&context, &first, &mut reporter)?;
        let b = open_book(&context, &second, &mut reporter)?;
        report_damage(&context, &first, &*a, &mut reporter)?;
        report_damage(&context, &second, &*b, &mut reporter)?;
        diff_positions(&*a, &*b, progress, &mut each)
    };
    drop(display);
    if let Some(failure) = failed {
        return Err(failure);
    }
    let compared = compared?;
    listing.finish()?;
    context.messages.note(&summary(compared));
    if compared.known_by_key > 0 {
        let text = format!(
            "{} known only by key, with no line to it: compared by key, and not in the other book",
            counted(compared.known_by_key, "position")
        );
        context.messages.note(&text);
    }
    let counts = DifferenceCounts {
        same: compared.same,
        changed: compared.changed,
        removed: compared.only_first,
        added: compared.only_second,
    };
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish_with(None, Some(&counts))?;
    Ok(code)
}

fn summary(compared: BookDiff) -> String {
    format!(
        "{} equal, {} changed, {} only in the first, {} only in the second",
        counted(compared.same, "move"),
        grouped(compared.changed),
        grouped(compared.only_first),
        grouped(compared.only_second)
    )
}

/// The counts of a report's summary.
#[derive(Serialize)]
struct DifferenceCounts {
    same: u64,
    changed: u64,
    removed: u64,
    added: u64,
}

/// A move that differs; of removed and added moves the other book's values are null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DifferenceRow<'a> {
    change: &'static str,
    key: String,
    fen: Option<&'a str>,
    #[serde(rename = "move")]
    uci: &'a str,
    first: Option<u32>,
    second: Option<u32>,
    games: Option<u64>,
    games_then: Option<u64>,
    annotation: Option<String>,
    annotation_then: Option<String>,
    differs: Option<&'a [&'static str]>,
    line: Option<&'a str>,
    san: Option<&'a str>,
}

impl<'a> DifferenceRow<'a> {
    fn new(difference: &'a Difference) -> Self {
        let first = difference.first.as_ref();
        let second = difference.second.as_ref();
        let annotation = |entry: &BookEntry| symbols(&entry.nags);
        Self {
            change: match (first, second) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "removed",
                _ => "added",
            },
            key: format!("{:016x}", difference.key),
            fen: difference.fen.as_deref(),
            uci: &difference.uci,
            first: first.and_then(|entry| entry.weight),
            second: second.and_then(|entry| entry.weight),
            games: first.and_then(|entry| entry.games),
            games_then: second.and_then(|entry| entry.games),
            annotation: first.and_then(annotation),
            annotation_then: second.and_then(annotation),
            differs: first.and(second).map(|_| difference.differs.as_slice()),
            line: difference.line.as_deref(),
            san: difference.san.as_deref(),
        }
    }
}
