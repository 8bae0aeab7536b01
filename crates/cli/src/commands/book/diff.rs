//! `tabia book diff`: what two books say differently.

use tabia::Failure;
use tabia::book::diff::{BookDiff, Difference, diff_entries, diff_pages};
use tabia::book::find::symbols;
use tabia::book::merge::{has_key_entries, open_polyglot};
use tabia::core::books::BookEntry;
use tabia::core::game::Flow;

use super::inputs::{book_input, open_book, report_problems};
use crate::args::book::BookDiffArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::Listing;
use crate::report::Reporter;
use crate::units::{counted, grouped};

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
];
const NUMERIC: &[&str] = &["first", "second", "games", "gamesThen"];

pub(crate) fn run(args: &BookDiffArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let first = book_input(&context, &args.first)?;
    let second = book_input(&context, &args.second)?;
    let mut reporter = Reporter::new(&context, "book diff", false, None)?;
    let mut listing = Listing::new(&args.listing, COLUMNS, NUMERIC)?;
    let mut failed = None;
    let mut each = |difference: Difference| match listing.push(row(&difference)) {
        Ok(()) => Ok(Flow::Go),
        Err(failure) => {
            failed = Some(failure);
            Ok(Flow::Stop)
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
        diff_entries(&a, &b, progress, &mut each)
    } else {
        let a = open_book(&context, &first, &mut reporter)?;
        let b = open_book(&context, &second, &mut reporter)?;
        diff_pages(&*a, &*b, progress, &mut each)
    };
    drop(display);
    if let Some(failure) = failed {
        return Err(failure);
    }
    let compared = compared.map_err(Failure::input)?;
    listing.finish()?;
    context.messages.note(&summary(compared));
    reporter.extra = vec![
        ("same", compared.same.into()),
        ("changed", compared.changed.into()),
        ("removed", compared.only_first.into()),
        ("added", compared.only_second.into()),
    ];
    reporter.finish(None)?;
    Ok(ExitCode::Done)
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

fn row(difference: &Difference) -> Vec<(&'static str, Json)> {
    let change = match (&difference.first, &difference.second) {
        (Some(_), Some(_)) => "changed",
        (Some(_), None) => "removed",
        _ => "added",
    };
    let weight = |entry: &Option<BookEntry>| -> Json {
        entry.as_ref().and_then(|entry| entry.weight).into()
    };
    let games =
        |entry: &Option<BookEntry>| -> Json { entry.as_ref().and_then(|entry| entry.games).into() };
    let nags = |entry: &Option<BookEntry>| -> Json {
        entry.as_ref().and_then(|entry| symbols(&entry.nags)).into()
    };
    let is_both = difference.first.is_some() && difference.second.is_some();
    let differs = difference.differs.iter().map(|name| (*name).into());
    let differs = is_both.then(|| Json::List(differs.collect()));
    vec![
        ("change", change.into()),
        ("key", format!("{:016x}", difference.key).into()),
        ("fen", difference.fen.clone().into()),
        ("move", difference.uci.clone().into()),
        ("first", weight(&difference.first)),
        ("second", weight(&difference.second)),
        ("games", games(&difference.first)),
        ("gamesThen", games(&difference.second)),
        ("annotation", nags(&difference.first)),
        ("annotationThen", nags(&difference.second)),
        ("differs", differs.unwrap_or(Json::Null)),
    ]
}
