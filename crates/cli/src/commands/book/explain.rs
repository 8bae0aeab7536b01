//! `tabia book explain`: the games from which a move got its weight.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use tabia::book::explain_weight::{ExplainQuery, MoveOccurrence, MoveStats, explain};
use tabia::book::find::{FoundPosition, find};
use tabia::book::linked_games::{FoundGame, for_each_linked_game, load_with_text};
use tabia::core::GameIndex;
use tabia::core::books::{Book, LinkedGame};
use tabia::core::chess::{Move, Ply, Position};
use tabia::core::formats::CreateOptions;
use tabia::core::game::{Date, Game};
use tabia::core::shell_argument::argument;
use tabia::{Error, ErrorSide};

use super::build_record::RecordedOptions;
use super::open_books::{book_input, open_book};
use crate::args::book::BookExplainArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, NextRow, RowStyle};
use crate::messages::without_os_error_number;
use crate::parse_where_and_games::parse_query;
use crate::readable_numbers::{counted, counted_as, grouped, percent};
use crate::report::Reporter;
use crate::stdout::StdoutWriter;
use crate::typed_position::{TypedPosition, parse_move};

const COLUMNS: &[&str] = &[
    "source", "game", "offset", "ply", "move", "white", "whiteElo", "black", "blackElo", "result",
    "date", "points",
];
const NUMERIC: &[&str] = &["game", "offset", "ply", "whiteElo", "blackElo", "points"];

pub(crate) fn run(args: &BookExplainArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let TypedPosition { position, .. } = args.position.parse()?;
    let m = args
        .m
        .as_deref()
        .map(|text| parse_move(&position, text))
        .transpose()?;
    let item = book_input(&context, &args.book)?;
    let mut reporter = context.reporter("book explain", false, None)?;
    let book = open_book(&context, &item, &mut reporter)?;
    if args.sources.is_empty() {
        return list_linked_games(args, &context, reporter, &*book, &LinkQuery { position, m });
    }
    let found = find(&*book, &position)?;
    let mut query = ExplainQuery::new(position);
    query.m = m;
    let record = RecordedOptions::of_book(&item, &context);
    let filter = args.filter.as_deref();
    let filter = filter.or(record.as_ref().map(|record| record.filter.as_str()));
    query.filter = parse_query(filter.unwrap_or_default(), &context.messages)?;
    let max_ply = args
        .max_ply
        .or(record.as_ref().map(|record| record.max_ply));
    query.max_ply = max_ply.unwrap_or(query.max_ply);
    let sources = context.games(&args.sources, None, &mut reporter)?;
    let columns = columns(args, sources.len() > 1);
    let listing = Listing::new(&context.bar, &args.listing, &columns, NUMERIC)?;
    let mut listing = listing.paged(&context);
    if sources.len() > 1 {
        listing.keep_column("source");
    }
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
    let mut lines = summary_lines(sum, &query, found.as_ref());
    lines.extend(record.and_then(|record| record.remark()));
    for text in lines {
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

/// The columns; a table of the games of one source does not repeat its name.
fn columns(args: &BookExplainArgs, has_several_sources: bool) -> Vec<&'static str> {
    let is_table = RowStyle::of(&args.listing) == RowStyle::Table;
    let mut columns = COLUMNS.to_vec();
    // Numbers of bytes are for programs.
    columns.retain(|column| match *column {
        "source" => has_several_sources || !is_table,
        "offset" => !is_table,
        _ => true,
    });
    columns
}

/// The position, and the move played in it, whose linked games are listed.
struct LinkQuery {
    position: Position,
    m: Option<Move>,
}

impl LinkQuery {
    /// The position from which the book's links are followed.
    fn after(&self) -> Position {
        let mut after = self.position.clone();
        if let Some(m) = self.m {
            after.play(m);
        }
        after
    }
}

/// The games that the book links to.
fn list_linked_games(
    args: &BookExplainArgs,
    context: &Context,
    reporter: Reporter,
    book: &dyn Book,
    query: &LinkQuery,
) -> Result<ExitCode, Error> {
    let mut out = StdoutWriter::new(&context.bar);
    let columns = columns(args, true);
    let mut listing = (!args.pgn)
        .then(|| Listing::new(&context.bar, &args.listing, &columns, NUMERIC))
        .transpose()?
        .map(|listing| listing.paged(context));
    let mut missing = MissingGames::default();
    let display = context.display();
    let after = query.after();
    let found = for_each_linked_game(book, &after, &context.progress, &mut |game| {
        if let Some(listing) = &mut listing {
            return match listing.next_row() {
                NextRow::Shown => {
                    let played = match find_game(game, context)? {
                        Ok(found) => LinkedMove::of(&found.game, query),
                        Err(why) => {
                            missing.add(game, why);
                            LinkedMove::default()
                        }
                    };
                    listing.push(&LinkedRow::new(game, played))
                }
                NextRow::Skipped | NextRow::Beyond => Ok(()),
            };
        }
        match find_game(game, context)? {
            Ok(found) => {
                out.bytes(pgn_of(game, found)?.trim_ascii())?;
                out.text("\n\n")
            }
            Err(why) => {
                missing.add(game, why);
                Ok(())
            }
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
    for text in missing.messages() {
        context.messages.warning(&text);
    }
    if missing.games > 0 {
        context.messages.hint(&search_hint(args));
        return Ok(ExitCode::Problems);
    }
    if found == 0 {
        let text = "the book links to no games here; name the databases from which it was built";
        context.messages.note(text);
        context.messages.hint(&search_hint(args));
        return Ok(ExitCode::NoMatch);
    }
    Ok(code)
}

/// Linked games that are not in their files.
#[derive(Default)]
struct MissingGames {
    games: u64,
    /// Number of games by the file in which they are looked for, or by the web page, and why they are not found.
    files: BTreeMap<(String, String), u64>,
}

/// Largest number of files named.
const MAX_FILES: usize = 5;

impl MissingGames {
    fn add(&mut self, game: &LinkedGame, why: String) {
        self.games += 1;
        let file = match &game.path {
            Some(path) => path.display().to_string(),
            None => game.source.clone(),
        };
        *self.files.entry((file, why)).or_default() += 1;
    }

    /// Which games are missing in which files.
    fn messages(&self) -> Vec<String> {
        let files = self.files.iter().take(MAX_FILES);
        let named = files.map(|((file, why), games)| {
            let games = counted_as(*games, "linked game is", "linked games are");
            format!("{games} not found in {file}: {why}")
        });
        let mut messages: Vec<String> = named.collect();
        let others = self.files.len().saturating_sub(MAX_FILES);
        if others > 0 {
            messages.push(format!("and in {} more", counted(others as u64, "file")));
        }
        messages
    }
}

/// How to find the games in a database, whatever its name is now.
fn search_hint(args: &BookExplainArgs) -> String {
    let book = args.book.display().to_string();
    let mut command = format!("tabia book explain {} FILE", argument(&book));
    for (option, value) in [
        ("--fen ", args.position.fen.as_ref()),
        ("--moves ", args.position.moves.as_ref()),
        ("--move ", args.m.as_ref()),
    ] {
        if let Some(value) = value {
            command.extend([" ", option, &*argument(value)]);
        }
    }
    format!("`{command}` searches the file or folder FILE for the games")
}

/// A linked game as its file has it, or why it is not found there.
fn find_game(linked: &LinkedGame, context: &Context) -> Result<Result<FoundGame, String>, Error> {
    let Some(path) = &linked.path else {
        return Ok(Err("web pages are not read".to_owned()));
    };
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(Err("it is no file".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Err("there is no such file".to_owned()));
        }
        Err(error) => return Ok(Err(why_unread(&error.into()))),
    }
    let other = "it does not have these games where the book expects them";
    match load_with_text(linked, &context.resolver, &context.open) {
        Ok(found) => Ok(found.ok_or_else(|| other.to_owned())),
        Err(error) if error.is_system() => Ok(Err(why_unread(&error))),
        // A file of that name is no database.
        Err(error) if error.side() == ErrorSide::Input => Ok(Err(other.to_owned())),
        Err(error) => Err(error),
    }
}

fn why_unread(error: &Error) -> String {
    let why = without_os_error_number(&error.kind().to_string());
    format!("it cannot be read: {why}")
}

/// The PGN of a linked game: as in its PGN file, or made from its record.
fn pgn_of(linked: &LinkedGame, found: FoundGame) -> Result<Vec<u8>, Error> {
    let FoundGame { game, text, .. } = found;
    text.map_or_else(
        || {
            let number = GameIndex(linked.index.unwrap_or_default());
            tabia::pgn_with(&game, number, &CreateOptions::default())
        },
        Ok,
    )
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

/// What the file of a linked game has beyond what the book states; all absent if the game is not found.
#[derive(Default)]
struct LinkedMove {
    ply: Option<u32>,
    san: Option<String>,
    date: Option<String>,
}

impl LinkedMove {
    fn of(game: &Game, query: &LinkQuery) -> Self {
        let key = query.position.key();
        let played = game.start_position().and_then(|start| {
            let moves = (1..).zip(game.root().with_positions(start));
            let mut here = moves.filter(|(_, (before, node))| {
                let is_move = query.m.is_none_or(|m| node.ply() == Ply::Move(m));
                is_move && before.key() == key
            });
            here.next()
                .map(|(ply, (before, node))| (ply, before.san(node.ply()).to_string()))
        });
        let (ply, san) = played.unzip();
        let date = game.head.tags.date();
        Self {
            ply,
            san,
            date: date
                .filter(|date| *date != Date::UNKNOWN)
                .map(|date| date.to_string()),
        }
    }
}

/// A game that the book links to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkedRow<'a> {
    source: String,
    game: Option<u64>,
    offset: Option<u64>,
    ply: Option<u32>,
    #[serde(rename = "move")]
    san: Option<String>,
    white: &'a str,
    white_elo: Option<u16>,
    black: &'a str,
    black_elo: Option<u16>,
    result: &'static str,
    date: Option<String>,
}

impl<'a> LinkedRow<'a> {
    fn new(game: &'a LinkedGame, read: LinkedMove) -> Self {
        let path = game.path.as_ref().map(|path| path.display().to_string());
        Self {
            source: path.unwrap_or_else(|| game.source.clone()),
            game: game.index.map(|index| u64::from(index) + 1),
            offset: game.offset,
            ply: read.ply,
            san: read.san,
            white: &game.white,
            white_elo: game.white_elo,
            black: &game.black,
            black_elo: game.black_elo,
            result: game.result.pgn(),
            date: read.date,
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
        let share = percent(m.probability);
        lines.push(format!("the book: {}{weight}{games}, {share:.1}%", m.san));
    }
    if found.is_none() {
        lines.push("the book does not have the position".to_owned());
    }
    lines
}
