//! `tabia book explain`: the games from which a move got its weight.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tabia::book::explain_weight::{ExplainQuery, MoveOccurrence, explain};
use tabia::book::find::{FoundPosition, find};
use tabia::book::linked_games::{FoundGame, for_each_linked_game, load_with_text};
use tabia::core::GameIndex;
use tabia::core::books::{Book, LinkedGame, Wdl};
use tabia::core::chess::Ply;
use tabia::core::formats::CreateOptions;
use tabia::core::game::{Date, Game};
use tabia::core::loss::Feature;
use tabia::core::shell_argument::{argument, file_argument};
use tabia::{Error, ErrorSide, InputItem};

use super::build_record::RecordedOptions;
use super::open_books::{book_input, open_book};
use crate::args::book::BookExplainArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::listing::{Listing, RowStyle};
use crate::messages::without_os_error_number;
use crate::parse_where_and_games::{parse_games, parse_query};
use crate::path_text::PathText as _;
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
    let mut reporter = context.reporter("book explain", args.replace.force, None)?;
    let book = open_book(&context, &item, &mut reporter)?;
    let found = find(&*book, &position)?;
    let record = RecordedOptions::of_book(&item, &context);
    let recorded_plies = record.as_ref().map(|record| record.max_ply);
    let max_ply = args.max_ply.or(recorded_plies);
    let mut query = ExplainQuery::new(position);
    query.m = m;
    query.max_ply = max_ply.unwrap_or(query.max_ply);
    let sources = if args.sources.is_empty() {
        Vec::new()
    } else {
        context.games(&args.sources, None, &mut reporter)?
    };
    let columns = columns(args, sources.len() != 1);
    let mut listing = if args.pgn {
        None
    } else {
        let listing = Listing::new(&context.bar, &args.listing, &columns, NUMERIC);
        Some(listing.paged(&context))
    };
    if let Some(listing) = listing.as_mut().filter(|_| sources.len() > 1) {
        listing.keep_column("source");
    }
    // Which games gave a book its moves is known if it links to them; a query asks for others.
    let links = item.format().book().map(|format| format.can);
    let has_links = links.is_some_and(|can| can.has(Feature::GameLinks));
    let mut linked = LinkedCounts::default();
    if sources.is_empty() || has_links && args.filter.is_none() || args.pgn {
        let files = GameFiles {
            sources: &sources,
            book: item.label(),
        };
        linked = list_linked_games(args, &context, &*book, &query, &files, listing.as_mut())?;
        if sources.is_empty() || linked.found > 0 || args.pgn {
            if let Some(listing) = listing {
                listing.finish()?;
            }
            return report_linked_games(args, &context, reporter, &linked, &query, found.as_ref());
        }
    }
    let Some(mut listing) = listing else {
        return Ok(ExitCode::Done);
    };
    let filter = args.filter.as_deref();
    let filter = filter.or(record.as_ref().map(|record| record.filter.as_str()));
    query.filter = parse_query(filter.unwrap_or_default(), &context.messages)?;
    if let Some(record) = &record {
        query.numbers = parse_games(record.games.as_deref())?;
        query.deleted = record.include_deleted;
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
    let mut total = format!(
        "{}, {}",
        game_total(sum.games, sum.results),
        counted(sum.points, "point")
    );
    if sum.times > sum.games {
        // As a weight does, points count every time.
        let text = format!(
            "; played {}, each of which gives points",
            counted(sum.times, "time")
        );
        total.push_str(&text);
    }
    let mut lines = vec![total];
    lines.extend(book_lines(&query, found.as_ref()));
    if linked.links > 0 {
        lines.push(format!(
            "the book links to {}, in files of other names than the sources: the games above are all those of the sources",
            counted(linked.links, "game")
        ));
    }
    lines.extend(record.and_then(|record| record.remark()));
    for text in lines {
        context.messages.note(&text);
    }
    let counts = GameCounts {
        games: sum.games,
        times: sum.times,
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

/// The files in which linked games are looked for.
struct GameFiles<'a> {
    /// Where the user expects them; empty: where the book does, and next to it.
    sources: &'a [InputItem],
    /// The path of the book.
    book: &'a Path,
}

impl GameFiles<'_> {
    /// The files that may have a game, the likeliest first.
    fn of(&self, linked: &LinkedGame) -> Vec<PathBuf> {
        let Some(path) = &linked.path else {
            return Vec::new();
        };
        let name = path.file_name().unwrap_or_default();
        if let [only] = self.sources {
            return vec![only.label().to_path_buf()];
        }
        if !self.sources.is_empty() {
            let labels = self.sources.iter().map(InputItem::label);
            let is_named = |label: &Path| {
                label
                    .file_name()
                    .unwrap_or_default()
                    .eq_ignore_ascii_case(name)
            };
            let named = labels.filter(|label| is_named(label));
            return named.map(|label| label.to_path_buf()).collect();
        }
        // A book and its games that were moved together are next to each other.
        let next_to_book = self.book.with_file_name(name);
        let mut files = vec![path.clone()];
        if next_to_book != *path && next_to_book.is_file() {
            files.push(next_to_book);
        }
        files
    }
}

/// The games that a book links to.
#[derive(Default)]
struct LinkedCounts {
    /// All from the position on.
    links: u64,
    /// Those that are in their files.
    found: u64,
    /// Those of them that have the move.
    games: u64,
    results: Wdl,
    /// Those that do not have it: they come into the lines after it by other moves.
    joining: u64,
    /// Not looked for, since the listing has as many rows as it may have.
    beyond: u64,
    missing: MissingGames,
}

/// Lists the games that the book links to, without `listing` as PGN.
fn list_linked_games(
    args: &BookExplainArgs,
    context: &Context,
    book: &dyn Book,
    query: &ExplainQuery,
    files: &GameFiles<'_>,
    mut listing: Option<&mut Listing>,
) -> Result<LinkedCounts, Error> {
    let mut out = StdoutWriter::new(&context.bar);
    let mut after = query.position.clone();
    if let Some(m) = query.m {
        after.play(m);
    }
    let mut counts = LinkedCounts::default();
    let display = context.display();
    let listed = for_each_linked_game(book, &after, &context.progress, &mut |game| {
        counts.links += 1;
        if listing.as_ref().is_some_and(|listing| listing.is_full()) {
            counts.beyond += 1;
            return Ok(());
        }
        let (game, found) = match find_game(game, files, context)? {
            Ok(found) => found,
            Err(why) => {
                counts.missing.add(game, why);
                // What it has at the position is not known; of sources only what they have is listed.
                return match &mut listing {
                    Some(listing) if files.sources.is_empty() => {
                        listing.push(&LinkedRow::new(game, LinkedMove::default()))
                    }
                    _ => Ok(()),
                };
            }
        };
        counts.found += 1;
        let played = LinkedMove::of(&found.game, query);
        if played.is_there {
            counts.games += 1;
            counts.results.count(game.result);
        } else {
            counts.joining += 1;
            if !args.transpositions {
                return Ok(());
            }
        }
        if let Some(listing) = &mut listing {
            return listing.push(&LinkedRow::new(&game, played));
        }
        out.bytes(pgn_of(&game, found)?.trim_ascii())?;
        out.text("\n\n")
    });
    drop(display);
    listed?;
    out.flush()?;
    Ok(counts)
}

/// Reports how many games were listed, and what is not there.
fn report_linked_games(
    args: &BookExplainArgs,
    context: &Context,
    reporter: Reporter,
    counts: &LinkedCounts,
    query: &ExplainQuery,
    found: Option<&FoundPosition>,
) -> Result<ExitCode, Error> {
    let code = ExitCode::of_problems(reporter.count());
    reporter.finish(None)?;
    if counts.links == 0 {
        if !args.sources.is_empty() {
            let text = "the book links to no games here, which `--pgn` would print; without it those of the sources are listed";
            context.messages.note(text);
            return Ok(ExitCode::NoMatch);
        }
        let text = "the book links to no games here; name the databases from which it was built";
        context.messages.note(text);
        context.messages.hint(&search_hint(args));
        return Ok(ExitCode::NoMatch);
    }
    // The number of all is not known of a listing that was ended before.
    if counts.beyond == 0 && counts.found > 0 {
        let mut total = game_total(counts.games, counts.results);
        if counts.joining > 0 {
            let joining = counted_as(
                counts.joining,
                "more comes into the lines after it by other moves",
                "more come into the lines after it by other moves",
            );
            total = format!("{total}; {joining}");
            if !args.transpositions {
                total.push_str(": `--transpositions` lists them, too");
            }
        }
        context.messages.note(&total);
        for line in book_lines(query, found) {
            context.messages.note(&line);
        }
    }
    for text in counts.missing.messages() {
        context.messages.warning(&text);
    }
    if counts.missing.games > 0 {
        if args.sources.is_empty() {
            context.messages.hint(&search_hint(args));
        }
        return Ok(ExitCode::Problems);
    }
    if counts.games == 0 && counts.beyond == 0 && !args.transpositions {
        return Ok(code.worse(ExitCode::NoMatch));
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
            Some(path) => path.path_text().into_owned(),
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
    let book = args.book.path_text().into_owned();
    let mut command = format!("tabia book explain {} FILE", file_argument(&book));
    for (option, value) in [
        ("--fen ", args.position.fen.as_ref()),
        ("--moves ", args.position.moves.as_ref()),
        ("--move ", args.m.as_ref()),
    ] {
        if let Some(value) = value {
            command.extend([" ", option, &*argument(value)]);
        }
    }
    if args.pgn {
        command.push_str(" --pgn");
    }
    format!("`{command}` searches the file or folder FILE for the games")
}

/// A linked game as one of the files has it, with the path of that file; or why it is not found in the first of them.
fn find_game(
    linked: &LinkedGame,
    files: &GameFiles<'_>,
    context: &Context,
) -> Result<Result<(LinkedGame, FoundGame), String>, Error> {
    let mut first_reason = None;
    for path in files.of(linked) {
        let mut linked = linked.clone();
        linked.path = Some(path);
        match find_game_in_its_file(&linked, context)? {
            Ok(found) => return Ok(Ok((linked, found))),
            Err(why) => {
                first_reason.get_or_insert(why);
            }
        }
    }
    let reason = match (first_reason, &linked.path) {
        (Some(reason), _) => reason,
        (None, None) => "web pages are not read".to_owned(),
        (None, Some(_)) => "no source has its name".to_owned(),
    };
    Ok(Err(reason))
}

/// A linked game as its file has it, or why it is not found there.
fn find_game_in_its_file(
    linked: &LinkedGame,
    context: &Context,
) -> Result<Result<FoundGame, String>, Error> {
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
    times: u64,
    white: u64,
    draws: u64,
    black: u64,
    points: u64,
}

/// What the file of a linked game has beyond what the book states; all absent if the game is not found.
#[derive(Default)]
struct LinkedMove {
    /// Whether the game has the move, or without one the position.
    is_there: bool,
    ply: Option<u32>,
    san: Option<String>,
    date: Option<String>,
}

impl LinkedMove {
    fn of(game: &Game, query: &ExplainQuery) -> Self {
        let mut found = Self::default();
        let date = game.head.tags.date();
        let date = date.filter(|date| *date != Date::UNKNOWN);
        found.date = date.map(|date| date.to_string());
        let Some(start) = game.start_position() else {
            return found;
        };
        let key = query.position.key();
        let mut last = start.clone();
        for (ply, (before, node)) in (1..=query.max_ply).zip(game.root().with_positions(start)) {
            let is_move = query.m.is_none_or(|m| node.ply() == Ply::Move(m));
            if is_move && before.key() == key {
                found.is_there = true;
                found.ply = Some(ply);
                found.san = Some(before.san(node.ply()).to_string());
                return found;
            }
            last = before.clone();
            last.play_ply(node.ply());
        }
        // It ends there.
        found.is_there = query.m.is_none() && last.key() == key;
        found
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
        let path = game.path.as_ref().map(|path| path.path_text().into_owned());
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

/// `68 games: +30 =20 -18 for White`.
fn game_total(games: u64, results: Wdl) -> String {
    format!(
        "{}: +{} ={} -{} for White",
        counted(games, "game"),
        grouped(results.white),
        grouped(results.draws),
        grouped(results.black)
    )
}

/// What the book has of the moves, to compare.
fn book_lines(query: &ExplainQuery, found: Option<&FoundPosition>) -> Vec<String> {
    let mut lines = Vec::new();
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
