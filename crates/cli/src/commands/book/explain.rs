//! `tabia book explain`: which games made a move's weight.

use tabia::Failure;
use tabia::book::explain::{Question, Sum, Witness, explain};
use tabia::book::find::{Found, find};
use tabia::core::game::Date;

use super::{asked, item, move_of};
use crate::book_args::BookExplainArgs;
use crate::commands::ls::filter;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::Listing;
use crate::progress::grouped;
use crate::report::Reporter;

const COLUMNS: &[&str] = &[
    "source", "game", "ply", "move", "white", "whiteElo", "black", "blackElo", "result", "date",
    "points",
];
const NUMERIC: &[&str] = &["game", "ply", "whiteElo", "blackElo", "points"];

pub(crate) fn run(args: &BookExplainArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let (_, _, position) = asked(&args.position)?;
    let m = args
        .m
        .as_deref()
        .map(|text| move_of(&position, text))
        .transpose()?;
    let book = tabia::book::open(&item(&context, &args.book)?, &context.open)?;
    let known = find(&*book, &position).map_err(Failure::input)?;
    let question = Question {
        position,
        m,
        filter: filter(&args.filter)?,
        max_ply: args.max_ply,
    };
    let mut reporter = Reporter::new(&context, "book explain", false, None)?;
    let sources = context.contents(&args.sources)?;
    let mut listing = Listing::new(&args.listing, COLUMNS, NUMERIC)?;
    let display = context.display();
    let explained = explain(
        &sources,
        &question,
        &context.open,
        context.threads,
        &context.progress,
        &mut reporter,
        &mut |source, witness| listing.push(row(&source.name(), witness)),
    );
    drop(display);
    let (sum, problems) = explained?;
    listing.finish()?;
    for text in verdict(sum, &question, known.as_ref()) {
        context.messages.note(&text);
    }
    reporter.finish(None)?;
    if sum.games == 0 {
        return Ok(ExitCode::Nothing);
    }
    Ok(ExitCode::of_problems(problems))
}

fn row(source: &str, witness: &Witness) -> Vec<(&'static str, Json)> {
    let date = Some(witness.date).filter(|date| *date != Date::UNKNOWN);
    vec![
        ("source", source.into()),
        ("game", (u64::from(witness.game.0) + 1).into()),
        ("ply", (witness.ply + 1).into()),
        ("move", witness.san.clone().into()),
        ("white", witness.white.clone().into()),
        ("whiteElo", witness.white_elo.into()),
        ("black", witness.black.clone().into()),
        ("blackElo", witness.black_elo.into()),
        ("result", witness.result.pgn().into()),
        ("date", date.map(|date| date.to_string()).into()),
        ("points", witness.points.into()),
    ]
}

/// What the games make beside what the book says.
fn verdict(sum: Sum, question: &Question, known: Option<&Found>) -> Vec<String> {
    let mut lines = vec![format!(
        "{} games: +{} ={} -{} for White, {} points",
        grouped(sum.games),
        grouped(sum.results.white),
        grouped(sum.results.draws),
        grouped(sum.results.black),
        grouped(sum.points)
    )];
    for m in known.iter().flat_map(|known| &known.moves) {
        if question.m.is_some_and(|asked| asked != m.m) {
            continue;
        }
        let weight = m.weight.map_or_else(String::new, |weight| {
            format!(", weight {}", grouped(u64::from(weight)))
        });
        let games = m
            .games
            .map_or_else(String::new, |games| format!(", {} games", grouped(games)));
        let percent = m.probability * 100.0;
        lines.push(format!("the book: {}{weight}{games}, {percent:.1}%", m.san));
    }
    if known.is_none() {
        lines.push("the book does not have the position".to_owned());
    }
    lines
}
