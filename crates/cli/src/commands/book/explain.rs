//! `tabia book explain`: the games from which a move got its weight.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;
use tabia::Error;
use tabia::book::explain_weight::{ExplainQuery, MoveOccurrence, MoveStats, explain};
use tabia::book::find::{FoundPosition, find};
use tabia::book::linked_games::{for_each_linked_game, load, text_of};
use tabia::core::GameIndex;
use tabia::core::books::{Book, LinkedGame};
use tabia::core::chess::Position;
use tabia::core::formats::CreateOptions;
use tabia::core::game::Date;
use tabia::core::shell_argument::argument;

use super::open_books::{book_input, open_book};
use super::position_arg::{QueriedPosition, parse_move};
use crate::args::book::BookExplainArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::game_pgn::pgn;
use crate::listing::Listing;
use crate::parse_where_and_games::parse_query;
use crate::readable_numbers::{counted, counted_as, grouped};
use crate::report::Reporter;
use crate::stdout::StdoutWriter;

const COLUMNS: &[&str] = &[
    "source", "game", "offset", "ply", "move", "white", "whiteElo", "black", "blackElo", "result",
    "date", "points",
];
const NUMERIC: &[&str] = &["game", "offset", "ply", "whiteElo", "blackElo", "points"];

pub(crate) fn run(args: &BookExplainArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let QueriedPosition { position, .. } = QueriedPosition::parse(&args.position)?;
    let m = args
        .m
        .as_deref()
        .map(|text| parse_move(&position, text))
        .transpose()?;
    let item = book_input(&context, &args.book)?;
    let mut reporter = context.reporter("book explain", false, None)?;
    let book = open_book(&context, &item, &mut reporter)?;
    if args.sources.is_empty() {
        let mut after = position;
        if let Some(m) = m {
            after.play(m);
        }
        return list_linked_games(args, &context, reporter, &*book, &after);
    }
    let found = find(&*book, &position)?;
    let mut query = ExplainQuery::new(position);
    query.m = m;
    query.filter = parse_query(&args.filter, &context.messages)?;
    query.max_ply = args.max_ply;
    let sources = context.games(&args.sources, None, &mut reporter)?;
    let mut listing = Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC)?;
    let display = context.display();
    let explained = explain(
        &sources,
        &query,
        &context.open,
        context.threads,
        &context.progress,
        &mut reporter,
        &mut |source, occurrence| listing.push(&OccurrenceRow::new(&source.name(), occurrence)),
    );
    drop(display);
    let (sum, _) = explained?;
    listing.finish()?;
    for text in summary_lines(sum, &query, found.as_ref()) {
        context.messages.note(&text);
    }
    let counts = GameCounts {
        games: sum.games,
        white: sum.results.white,
        draws: sum.results.draws,
        black: sum.results.black,
        points: sum.points,
    };
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish_with(None, Some(&counts))?;
    if sum.games == 0 {
        return Ok(ExitCode::NoMatch);
    }
    Ok(code)
}

/// The games that the book links to.
fn list_linked_games(
    args: &BookExplainArgs,
    context: &Context,
    reporter: Reporter,
    book: &dyn Book,
    position: &Position,
) -> Result<ExitCode, Error> {
    let mut out = StdoutWriter::new(&context.bar);
    let mut listing = (!args.pgn)
        .then(|| Listing::new(&context.bar, &args.listing, COLUMNS, NUMERIC))
        .transpose()?;
    let mut missing = MissingGames::default();
    let display = context.display();
    let found = for_each_linked_game(book, position, &context.progress, &mut |game| {
        if let Some(listing) = &mut listing {
            return listing.push(&LinkedRow::new(game));
        }
        if let Some(text) = pgn_of(game, context)? {
            out.bytes(text.trim_ascii())?;
            out.text("\n\n")
        } else {
            missing.add(game);
            Ok(())
        }
    });
    drop(display);
    let found = found?;
    if let Some(listing) = listing {
        listing.finish()?;
    }
    out.flush()?;
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish(None)?;
    for text in missing.messages(&args.book) {
        context.messages.warning(&text);
    }
    if missing.games > 0 {
        return Ok(ExitCode::Problems);
    }
    if found == 0 {
        let text = "the book links to no games here; name the databases from which it was built";
        context.messages.note(text);
        return Ok(ExitCode::NoMatch);
    }
    Ok(code)
}

/// Linked games that are not in their files.
#[derive(Default)]
struct MissingGames {
    games: u64,
    /// Number of games by the file in which they are looked for.
    files: BTreeMap<String, u64>,
}

/// Largest number of files named.
const MAX_FILES: usize = 5;

impl MissingGames {
    fn add(&mut self, game: &LinkedGame) {
        self.games += 1;
        let file = match &game.path {
            Some(path) => path.display().to_string(),
            None => game.source.clone(),
        };
        *self.files.entry(file).or_default() += 1;
    }

    /// Which games are missing in which files, and what to do about it.
    fn messages(&self, book: &OsStr) -> Vec<String> {
        let named = self.files.iter().take(MAX_FILES).map(|(file, games)| {
            let games = counted_as(*games, "linked game is", "linked games are");
            let is_there = Path::new(file).is_file();
            let why = if is_there {
                "the book's numbers do not fit it"
            } else {
                "there is no such file"
            };
            format!("{games} not found in {file}: {why}")
        });
        let mut messages: Vec<String> = named.collect();
        let others = self.files.len().saturating_sub(MAX_FILES);
        if others > 0 {
            messages.push(format!("and in {} more", counted(others as u64, "file")));
        }
        if self.games > 0 {
            let book = book.display().to_string();
            let book = argument(&book);
            messages.push(format!(
                "name the database: `tabia book explain {book} FILE --move MOVE` reads its games"
            ));
        }
        messages
    }
}

/// The PGN of a linked game: as in its PGN file, or made from its record. `None` if the file is missing.
fn pgn_of(game: &LinkedGame, context: &Context) -> Result<Option<Vec<u8>>, Error> {
    let Some(index) = game.index else {
        return text_of(game, &context.open.limits);
    };
    if !game.path.as_ref().is_some_and(|path| path.is_file()) {
        return Ok(None);
    }
    let found = load(game, &context.resolver, &context.open)?;
    found
        .map(|found| pgn(context, &CreateOptions::default(), GameIndex(index), &found))
        .transpose()
}

/// The counts of a report's summary.
#[derive(Serialize)]
struct GameCounts {
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
    points: u64,
}

/// A game that the book links to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkedRow<'a> {
    source: &'a str,
    game: Option<u64>,
    offset: Option<u64>,
    white: &'a str,
    white_elo: Option<u16>,
    black: &'a str,
    black_elo: Option<u16>,
    result: &'static str,
}

impl<'a> LinkedRow<'a> {
    fn new(game: &'a LinkedGame) -> Self {
        Self {
            source: &game.source,
            game: game.index.map(|index| u64::from(index) + 1),
            offset: game.offset,
            white: &game.white,
            white_elo: game.white_elo,
            black: &game.black,
            black_elo: game.black_elo,
            result: game.result.pgn(),
        }
    }
}

/// A game in which the move was played.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OccurrenceRow<'a> {
    source: &'a str,
    game: u64,
    ply: u32,
    #[serde(rename = "move")]
    san: &'a str,
    white: &'a str,
    white_elo: Option<u16>,
    black: &'a str,
    black_elo: Option<u16>,
    result: &'static str,
    date: Option<String>,
    points: u64,
}

impl<'a> OccurrenceRow<'a> {
    fn new(source: &'a str, occurrence: &'a MoveOccurrence) -> Self {
        let date = Some(occurrence.date).filter(|date| *date != Date::UNKNOWN);
        Self {
            source,
            game: u64::from(occurrence.game.0) + 1,
            ply: occurrence.ply + 1,
            san: &occurrence.san,
            white: &occurrence.white,
            white_elo: occurrence.white_elo,
            black: &occurrence.black,
            black_elo: occurrence.black_elo,
            result: occurrence.result.pgn(),
            date: date.map(|date| date.to_string()),
            points: occurrence.points,
        }
    }
}

/// The statistics of the games, and those of the book to compare.
fn summary_lines(
    sum: MoveStats,
    query: &ExplainQuery,
    found: Option<&FoundPosition>,
) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: +{} ={} -{} for White, {}",
        counted(sum.games, "game"),
        grouped(sum.results.white),
        grouped(sum.results.draws),
        grouped(sum.results.black),
        counted(sum.points, "point")
    )];
    for m in found.iter().flat_map(|found| &found.moves) {
        if query.m.is_some_and(|queried| queried != m.m) {
            continue;
        }
        let weight = m.weight.map_or_else(String::new, |weight| {
            format!(", weight {}", grouped(u64::from(weight)))
        });
        let games = m
            .games
            .map_or_else(String::new, |games| format!(", {}", counted(games, "game")));
        let percent = m.probability * 100.0;
        lines.push(format!("the book: {}{weight}{games}, {percent:.1}%", m.san));
    }
    if found.is_none() {
        lines.push("the book does not have the position".to_owned());
    }
    lines
}
