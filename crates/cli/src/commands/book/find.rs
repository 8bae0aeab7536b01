//! `tabia book find`: what books know of a position.

use tabia::Failure;
use tabia::book::find::{FoundMove, FoundPosition, find, opening_of};
use tabia::core::books::{LinkedGame, Wdl};
use tabia::core::chess::Position;
use tabia::core::game::GameResult;
use tabia::query::openings::Opening;

use super::inputs::{QueriedPosition, book_inputs, open_book};
use super::report::advice_name;
use crate::args::book::BookFindArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json::Json;
use crate::output::{Listing, Out, Style};
use crate::report::Reporter;

const COLUMNS: &[&str] = &[
    "book",
    "move",
    "games",
    "results",
    "white",
    "draws",
    "black",
    "score",
    "averageRating",
    "performance",
    "weight",
    "probability",
    "annotation",
    "advice",
    "opening",
    "comment",
];
const NUMERIC: &[&str] = &[
    "games",
    "white",
    "draws",
    "black",
    "score",
    "averageRating",
    "performance",
    "weight",
    "probability",
];
/// Characters of the bar of results.
const BAR: u64 = 12;

pub(crate) fn run(args: &BookFindArgs) -> Result<ExitCode, Failure> {
    let context = Context::new(&args.common)?;
    let QueriedPosition {
        start,
        plies,
        position,
    } = QueriedPosition::parse(&args.position)?;
    let mut reporter = Reporter::new(&context, "book find", false, None)?;
    let opening = opening_of(&start, &plies);
    let mut found = Vec::new();
    for item in book_inputs(&context, &args.books)? {
        let book = open_book(&context, &item, &mut reporter)?;
        let known = find(&*book, &position).map_err(Failure::input)?;
        found.push((item.name(), known));
    }
    let code = if found.iter().any(|(_, known)| known.is_some()) {
        ExitCode::Done
    } else {
        ExitCode::Nothing
    };
    match Style::of(&args.listing) {
        Style::Json => documents(&found, &position, opening)?,
        style => table(args, style, &found)?,
    }
    if code == ExitCode::Nothing {
        let books = if found.len() == 1 {
            "the book does"
        } else {
            "the books do"
        };
        context
            .messages
            .note(&format!("{books} not have the position"));
    }
    reporter.finish(None)?;
    Ok(code)
}

/// One document for one book; a list of them, each with its book, for several.
fn documents(
    found: &[(String, Option<FoundPosition>)],
    position: &Position,
    opening: Option<Opening>,
) -> Result<(), Failure> {
    let json = match found {
        [(_, known)] => Json::Object(document(None, known.as_ref(), position, opening)),
        several => Json::List(
            several
                .iter()
                .map(|(book, known)| {
                    Json::Object(document(Some(book), known.as_ref(), position, opening))
                })
                .collect(),
        ),
    };
    let mut out = Out::new();
    out.text(&json.pretty())?;
    out.text("\n")?;
    out.flush()
}

fn document(
    book: Option<&str>,
    found: Option<&FoundPosition>,
    position: &Position,
    opening: Option<Opening>,
) -> Vec<(&'static str, Json)> {
    let mut pairs: Vec<(&'static str, Json)> = Vec::new();
    if let Some(book) = book {
        pairs.push(("book", book.into()));
    }
    pairs.push(("fen", position.fen().into()));
    pairs.extend(counts(found.and_then(|found| found.results)));
    if let Some(games) = found.and_then(|found| found.games) {
        pairs.push(("games", games.into()));
    }
    let moves = found
        .map(|found| found.moves.as_slice())
        .unwrap_or_default();
    let moves = moves.iter().map(|m| Json::Object(move_json(m)));
    pairs.push(("moves", Json::List(moves.collect())));
    if let Some(comment) = found.and_then(|found| found.comment.clone()) {
        pairs.push(("comment", comment.into()));
    }
    let linked = found.map(|found| found.linked.as_slice());
    let linked = linked.filter(|games| !games.is_empty());
    if let Some(games) = linked {
        let games = games.iter().map(|game| Json::Object(game_json(game)));
        pairs.push(("topGames", Json::List(games.collect())));
    }
    let opening = opening.map(|opening| {
        Json::Object(vec![
            ("eco", opening.eco.into()),
            ("name", opening.name.into()),
        ])
    });
    pairs.push(("opening", opening.unwrap_or(Json::Null)));
    pairs
}

/// A game that the book points to, in the explorer's shape; and where it is.
fn game_json(game: &LinkedGame) -> Vec<(&'static str, Json)> {
    let player = |name: &str, elo: Option<u16>| {
        Json::Object(vec![("name", name.into()), ("rating", elo.into())])
    };
    let winner = match game.result {
        GameResult::WhiteWins => Json::from("white"),
        GameResult::BlackWins => Json::from("black"),
        _ => Json::Null,
    };
    let mut pairs: Vec<(&'static str, Json)> = vec![
        ("winner", winner),
        ("white", player(&game.white, game.white_elo)),
        ("black", player(&game.black, game.black_elo)),
        ("result", game.result.pgn().into()),
        ("source", game.source.as_str().into()),
    ];
    if let Some(path) = &game.path {
        pairs.push(("path", path.display().to_string().into()));
    }
    if let Some(index) = game.index {
        pairs.push(("game", (u64::from(index) + 1).into()));
    }
    if let Some(offset) = game.offset {
        pairs.push(("offset", offset.into()));
    }
    if let Some(length) = game.length {
        pairs.push(("length", length.into()));
    }
    pairs
}

fn counts(results: Option<Wdl>) -> Vec<(&'static str, Json)> {
    results.map_or_else(Vec::new, |results| {
        vec![
            ("white", results.white.into()),
            ("draws", results.draws.into()),
            ("black", results.black.into()),
        ]
    })
}

fn move_json(m: &FoundMove) -> Vec<(&'static str, Json)> {
    let mut pairs: Vec<(&'static str, Json)> =
        vec![("uci", m.uci.clone().into()), ("san", m.san.clone().into())];
    pairs.extend(counts(m.results));
    if let Some(games) = m.games {
        pairs.push(("games", games.into()));
    }
    if let Some(weight) = m.weight {
        pairs.push(("weight", weight.into()));
    }
    pairs.push(("probability", real(m.probability, 6)));
    pairs.push(("averageRating", m.average_rating.into()));
    pairs.push(("performance", m.performance.into()));
    pairs.push(("annotation", m.annotation.clone().into()));
    if let Some(recommended) = m.recommended {
        pairs.push(("recommended", recommended.into()));
    }
    if let Some(comment) = &m.comment {
        pairs.push(("comment", comment.clone().into()));
    }
    pairs
}

/// A number with so many decimals at most.
fn real(value: f64, decimals: i32) -> Json {
    let unit = 10f64.powi(decimals);
    Json::Real((value * unit).round() / unit)
}

/// A row a move; the same move of several books stands together.
fn table(
    args: &BookFindArgs,
    style: Style,
    found: &[(String, Option<FoundPosition>)],
) -> Result<(), Failure> {
    let several = found.len() > 1;
    let mut columns = COLUMNS.to_vec();
    // A table shows the bar, everything else the counts.
    columns.retain(|column| match *column {
        "book" => several,
        "results" => style == Style::Table,
        "white" | "draws" | "black" => style != Style::Table,
        _ => true,
    });
    let mut rows: Vec<(&str, &FoundMove)> = Vec::new();
    for (book, known) in found {
        for m in known.iter().flat_map(|known| &known.moves) {
            let last = rows.iter().rposition(|(_, other)| other.m == m.m);
            rows.insert(last.map_or(rows.len(), |place| place + 1), (book, m));
        }
    }
    let mut listing = Listing::new(&args.listing, &columns, NUMERIC)?;
    for (book, m) in rows {
        let mut row: Vec<(&'static str, Json)> = Vec::new();
        if several {
            row.push(("book", book.into()));
        }
        if style == Style::Ndjson {
            row.extend(move_json(m));
            listing.push(row)?;
            continue;
        }
        row.push(("move", m.san.clone().into()));
        row.push(("games", m.games.into()));
        row.push(("results", m.results.map(bar).into()));
        row.extend(counts(m.results));
        let percent = |value: f64| real(value * 100.0, 1);
        row.push(("score", m.score.map_or(Json::Null, percent)));
        row.push(("averageRating", m.average_rating.into()));
        row.push(("performance", m.performance.into()));
        row.push(("weight", m.weight.into()));
        row.push(("probability", percent(m.probability)));
        row.push(("annotation", m.annotation.clone().into()));
        row.push(("advice", m.recommended.map(advice_name).into()));
        let opening = m
            .opening
            .map(|opening| format!("{} {}", opening.eco, opening.name));
        row.push(("opening", opening.into()));
        row.push(("comment", m.comment.clone().into()));
        listing.push(row)?;
    }
    listing.finish()
}

/// White's wins, draws and Black's wins as a bar, whose parts always fill it.
fn bar(results: Wdl) -> String {
    let games = results.games();
    if games == 0 {
        return String::new();
    }
    let white = (results.white * BAR + games / 2) / games;
    let black = ((results.black * BAR + games / 2) / games).min(BAR - white);
    let part = |sign: &str, count: u64| sign.repeat(count as usize);
    part("█", white) + &part("▒", BAR - white - black) + &part("░", black)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_always_full() {
        for (white, draws, black) in [(1, 0, 0), (1, 1, 1), (0, 0, 9), (7, 5, 1), (1, 0, 1)] {
            let results = Wdl {
                white,
                draws,
                black,
            };
            assert_eq!(bar(results).chars().count() as u64, BAR, "{results:?}");
        }
        assert_eq!(bar(Wdl::default()), "");
    }
}
