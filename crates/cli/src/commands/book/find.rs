//! `tabia book find`: moves and statistics of a position.

use serde::Serialize;
use tabia::book::find::{FoundMove, FoundPosition, find, opening_of, score};
use tabia::book::position_arg::position_of_fen;
use tabia::core::books::{BookPosition, LinkedGame, Wdl, illegal_entries};
use tabia::core::chess::Position;
use tabia::core::game::GameResult;
use tabia::query::openings::Opening;
use tabia::{Error, ErrorSide};

use super::find_in_several::{BookColumns, columns_for};
use super::one_sided_books::note_other_side;
use super::open_books::{book_inputs, open_book, report_damage};
use super::report_written::advice_name;
use crate::args::book::BookFindArgs;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json;
use crate::listing::{Listing, RowStyle};
use crate::misplaced_words::misplaced_words;
use crate::opening_names::{full_name, name_below};
use crate::path_text::PathText as _;
use crate::readable_numbers::{grouped, percent};
use crate::result_bar::bar;
use crate::stdout::StdoutWriter;
use crate::terminal::TextStyle;
use crate::typed_position::TypedPosition;

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

pub(crate) fn run(args: &BookFindArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.common)?;
    let mut reporter = context.reporter("book find", args.replace.force, None)?;
    let TypedPosition {
        start,
        plies,
        position,
    } = match args.position.board_alone() {
        Some(board) if args.books.iter().any(|book| book == "w" || book == "b") => {
            let text = "the FEN ends at its first space: it has to be in quotes";
            let hint = format!("`--fen '{board} w - - 0 1'`, for example");
            return Err(Error::usage(text).with_hint(hint));
        }
        Some(board) => position_of_board(&context, args, board, &["w", "b"])?,
        None => match args.position.board_and_side() {
            Some((board, side)) => position_of_board(&context, args, board, &[side])?,
            None => args.position.parse()?,
        },
    };
    if let Some(error) = misplaced_words(&args.books) {
        return Err(error);
    }
    let opening = opening_of(&start, &plies);
    let mut found = Vec::new();
    let mut missing_in = Vec::new();
    let mut failed = Vec::new();
    for path in &args.books {
        let done = book_inputs(&context, std::slice::from_ref(path)).and_then(|items| {
            for item in items {
                let book = open_book(&context, &item, &mut reporter)?;
                let position_found = find(&*book, &position)?;
                let name = item.name();
                if position_found.is_none() {
                    missing_in.push((item, book));
                }
                found.push((name, position_found));
            }
            Ok(())
        });
        match done {
            // One that cannot be read is not the end of the others.
            Err(error) if error.side() == ErrorSide::Input && !args.common.strict => {
                failed.push(error);
            }
            other => other?,
        }
    }
    let last = failed.pop_if(|_| found.is_empty());
    for error in &failed {
        reporter.report_failed_input(error)?;
    }
    if let Some(last) = last {
        return Err(last);
    }
    let is_cut = missing_in.iter().any(|(_, book)| book.info().is_cut);
    let mut code = if found.iter().any(|(_, position)| position.is_some()) {
        ExitCode::Done
    } else if is_cut {
        ExitCode::Problems
    } else {
        ExitCode::NoMatch
    };
    match RowStyle::of(&args.listing) {
        RowStyle::Json => documents(&context, &found, &position, opening)?,
        style => {
            let is_white = position.turn().is_white();
            table(&context, args, style, &found, opening, is_white)?;
        }
    }
    for (book, found) in &found {
        let illegal = found.as_ref().map_or(0, |found| found.unreadable);
        if illegal > 0 {
            let illegal = illegal as u64;
            let (count, entries) = (grouped(illegal), illegal_entries(illegal));
            let text = format!("{book}: {count} {entries} of this position and not shown");
            context.messages.note(&text);
        }
    }
    if code == ExitCode::Problems {
        let text = "the position is not in what is left of the book; it may be in the part that is missing";
        context.messages.note(text);
    }
    if code == ExitCode::NoMatch {
        let books = if found.len() == 1 {
            "the book does"
        } else {
            "the books do"
        };
        context
            .messages
            .note(&format!("{books} not have the position"));
        for (item, book) in &missing_in {
            if report_damage(&context, item, &**book, &mut reporter)? {
                code = ExitCode::Problems;
            }
        }
        if let [(_, book)] = &*missing_in
            && code == ExitCode::NoMatch
        {
            note_other_side(&context, &**book, &position)?;
        }
    }
    reporter.finish(None)?;
    Ok(if failed.is_empty() {
        code
    } else {
        code.worse(ExitCode::Input)
    })
}

/// The position of a board that one of the books has, whichever of these sides is to move and whoever may castle. If
/// they have several, that of the most castling rights with the first side to move.
fn position_of_board(
    context: &Context,
    args: &BookFindArgs,
    board: &str,
    sides: &[&str],
) -> Result<TypedPosition, Error> {
    let mut books = Vec::new();
    for item in book_inputs(context, &args.books)? {
        books.push(tabia::book::open(&item, &context.open)?);
    }
    let mut candidates: Vec<Position> = Vec::new();
    for turn in sides {
        for castling in CASTLING_RIGHTS {
            let fen = format!("{board} {turn} {castling} - 0 1");
            let Ok(position) = position_of_fen(&fen) else {
                continue;
            };
            // Rights of a king or rook that is not at home are none.
            if candidates.iter().any(|known| known.key() == position.key()) {
                continue;
            }
            let mut page = BookPosition::default();
            for book in &books {
                if book.moves(&position, &mut page)? {
                    candidates.push(position);
                    break;
                }
            }
        }
    }
    let Some(position) = candidates.first() else {
        // The books have none of them: the command must name one.
        return args.position.parse();
    };
    let fens: Vec<String> = candidates.iter().map(Position::fen).collect();
    let missing = match sides {
        [_] => "castling rights",
        _ => "the side to move",
    };
    let mut text = format!(
        "the FEN does not state {missing}; found: {}",
        position.fen()
    );
    if let Some(others) = fens.get(1..).filter(|others| !others.is_empty()) {
        text = format!("{text}, also {}", others.join(", "));
    }
    context.messages.note(&text);
    let moves = args.position.moves.as_deref().unwrap_or_default();
    TypedPosition::parse(Some(&position.fen()), "--moves", moves)
}

/// Castling rights, the most first.
const CASTLING_RIGHTS: [&str; 16] = [
    "KQkq", "KQk", "KQq", "Kkq", "Qkq", "KQ", "kq", "Kk", "Kq", "Qk", "Qq", "K", "Q", "k", "q", "-",
];

/// One document for one book; a list of them, each with its book, for several.
fn documents(
    context: &Context,
    found: &[(String, Option<FoundPosition>)],
    position: &Position,
    opening: Option<Opening>,
) -> Result<(), Error> {
    let several = found.len() > 1;
    let documents: Vec<Document<'_>> = found
        .iter()
        .map(|(book, found)| {
            let name = several.then_some(book.as_str());
            Document::new(name, found.as_ref(), position, opening)
        })
        .collect();
    let text = match documents.as_slice() {
        [document] => json::pretty(document),
        several => json::pretty(several),
    };
    let mut out = StdoutWriter::new(&context.bar);
    out.bytes(&text)?;
    out.text("\n")?;
    out.flush()
}

/// What a book has of a position, with the keys of the Lichess explorer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    /// Only if several books are queried.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<&'a str>,
    fen: String,
    #[serde(flatten)]
    results: Option<ResultCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    moves: Vec<MoveDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    top_games: Vec<GameDocument<'a>>,
    opening: Option<OpeningDocument>,
}

#[derive(Serialize)]
struct OpeningDocument {
    eco: &'static str,
    name: &'static str,
}

/// Games by result.
#[derive(Serialize)]
struct ResultCounts {
    white: u64,
    draws: u64,
    black: u64,
}

impl ResultCounts {
    fn new(results: Wdl) -> Self {
        Self {
            white: results.white,
            draws: results.draws,
            black: results.black,
        }
    }
}

impl<'a> Document<'a> {
    fn new(
        book: Option<&'a str>,
        found: Option<&'a FoundPosition>,
        position: &Position,
        opening: Option<Opening>,
    ) -> Self {
        let moves = found.map_or(&[][..], |found| &found.moves);
        let linked = found.map_or(&[][..], |found| &found.linked);
        Self {
            book,
            fen: position.fen(),
            results: found.and_then(|found| found.results).map(ResultCounts::new),
            games: found.and_then(|found| found.games),
            moves: moves.iter().map(MoveDocument::new).collect(),
            comment: found.and_then(|found| found.comment.as_deref()),
            top_games: linked.iter().map(GameDocument::new).collect(),
            opening: opening.map(|opening| OpeningDocument {
                eco: opening.eco,
                name: opening.name,
            }),
        }
    }
}

/// A game that the book links to, in the explorer's shape; and where it is.
#[derive(Serialize)]
struct GameDocument<'a> {
    winner: Option<&'static str>,
    white: PlayerDocument<'a>,
    black: PlayerDocument<'a>,
    result: &'static str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
}

#[derive(Serialize)]
struct PlayerDocument<'a> {
    name: &'a str,
    rating: Option<u16>,
}

impl<'a> GameDocument<'a> {
    fn new(game: &'a LinkedGame) -> Self {
        Self {
            winner: match game.result {
                GameResult::WhiteWins => Some("white"),
                GameResult::BlackWins => Some("black"),
                _ => None,
            },
            white: PlayerDocument {
                name: &game.white,
                rating: game.white_elo,
            },
            black: PlayerDocument {
                name: &game.black,
                rating: game.black_elo,
            },
            result: game.result.pgn(),
            source: &game.source,
            path: game.path.as_ref().map(|path| path.path_text().into_owned()),
            game: game.index.map(|index| u64::from(index) + 1),
            offset: game.offset,
            length: game.length,
        }
    }
}

/// A move; counts and weights that the book does not hold are absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveDocument<'a> {
    uci: &'a str,
    san: &'a str,
    #[serde(flatten)]
    results: Option<ResultCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<u32>,
    probability: f64,
    average_rating: Option<u16>,
    performance: Option<u16>,
    annotation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
}

impl<'a> MoveDocument<'a> {
    fn new(m: &'a FoundMove) -> Self {
        Self {
            uci: &m.uci,
            san: &m.san,
            results: m.results.map(ResultCounts::new),
            games: m.games,
            weight: m.weight,
            probability: to_millionths(m.probability),
            average_rating: m.average_rating,
            performance: m.performance,
            annotation: m.annotation.as_deref(),
            recommended: m.recommended,
            comment: m.comment.as_deref(),
        }
    }
}

/// A number with at most six decimal places.
fn to_millionths(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// A move as a line of JSON.
#[derive(Serialize)]
struct NdjsonRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<&'a str>,
    #[serde(flatten)]
    found: MoveDocument<'a>,
}

/// A move as cells.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveCells<'a> {
    book: &'a str,
    #[serde(rename = "move")]
    san: &'a str,
    games: Option<u64>,
    /// A bar.
    results: Option<String>,
    #[serde(flatten)]
    counts: Option<ResultCounts>,
    /// Percent of the points for the side to move.
    score: Option<f64>,
    average_rating: Option<u16>,
    performance: Option<u16>,
    weight: Option<u32>,
    /// In percent in a table, and else the share, as in JSON.
    probability: f64,
    annotation: Option<&'a str>,
    advice: Option<&'static str>,
    opening: Option<String>,
    comment: Option<&'a str>,
}

impl<'a> MoveCells<'a> {
    /// All games of the position.
    fn total(position: &'a FoundPosition, is_white: bool) -> Self {
        // Only tables have it.
        let results = position.results;
        let score = results.and_then(|results| score(results, is_white));
        let games = position.games.or(results.map(Wdl::games));
        Self {
            book: "",
            san: "all",
            games,
            results: results.map(bar),
            counts: None,
            score: score.map(percent),
            average_rating: None,
            performance: None,
            weight: None,
            probability: 100.0,
            annotation: None,
            advice: None,
            opening: None,
            comment: position.comment.as_deref(),
        }
    }

    /// `above`: the opening above the table, whose name is not repeated.
    fn new(book: &'a str, m: &'a FoundMove, style: RowStyle, above: Option<Opening>) -> Self {
        let name = |opening| match above {
            Some(above) => name_below(opening, above),
            None => full_name(opening),
        };
        Self {
            book,
            san: &m.san,
            games: m.games,
            results: m.results.map(bar),
            counts: m.results.map(ResultCounts::new),
            score: m.score.map(percent),
            average_rating: m.average_rating,
            performance: m.performance,
            weight: m.weight,
            probability: match style {
                RowStyle::Table => percent(m.probability),
                _ => to_millionths(m.probability),
            },
            annotation: m.annotation.as_deref(),
            advice: m.recommended.map(advice_name),
            opening: m.opening.map(name),
            comment: m.comment.as_deref(),
        }
    }
}

/// One row per move; the same move of several books is in adjacent rows, or in one row of a table.
fn table(
    context: &Context,
    args: &BookFindArgs,
    style: RowStyle,
    found: &[(String, Option<FoundPosition>)],
    opening: Option<Opening>,
    is_white: bool,
) -> Result<(), Error> {
    let several = found.len() > 1;
    let mut rows: Vec<(&str, &FoundMove)> = Vec::new();
    for (book, found) in found {
        for m in found.iter().flat_map(|found| &found.moves) {
            let last = rows.iter().rposition(|(_, other)| other.m == m.m);
            rows.insert(last.map_or(rows.len(), |index| index + 1), (book, m));
        }
    }
    if style == RowStyle::Table
        && several
        && let Some(columns) = columns_for(found)
    {
        return books_as_columns(context, args, found, columns, &rows, opening);
    }
    let mut columns = COLUMNS.to_vec();
    // A table shows the bar, everything else the counts.
    columns.retain(|column| match *column {
        "book" => several,
        "results" => style == RowStyle::Table,
        "white" | "draws" | "black" => style != RowStyle::Table,
        _ => true,
    });
    let listing = Listing::new(&context.bar, &args.listing, &columns, NUMERIC);
    let mut listing = listing.paged(context);
    if style == RowStyle::Table
        && let [(_, Some(position))] = found
    {
        if let Some(opening) = opening {
            caption(opening, listing.out())?;
        }
        if position.results.is_some() || position.games.is_some() {
            listing.push(&MoveCells::total(position, is_white))?;
        }
    }
    let above = opening.filter(|_| style == RowStyle::Table);
    for (book, m) in rows {
        if style == RowStyle::Ndjson {
            listing.push(&NdjsonRow {
                book: several.then_some(book),
                found: MoveDocument::new(m),
            })?;
        } else {
            listing.push(&MoveCells::new(book, m, style, above))?;
        }
    }
    listing.finish()
}

/// The name of the opening above a table.
fn caption(opening: Opening, out: &mut StdoutWriter) -> Result<(), Error> {
    out.styled(TextStyle::Dim, &full_name(opening))?;
    out.text("\n")
}

/// A table with one row per move and one column per book: how often it plays the move, games or
/// weight, and the results, as far as all of it fits.
fn books_as_columns(
    context: &Context,
    args: &BookFindArgs,
    found: &[(String, Option<FoundPosition>)],
    columns: BookColumns,
    rows: &[(&str, &FoundMove)],
    opening: Option<Opening>,
) -> Result<(), Error> {
    let mut moves: Vec<&FoundMove> = Vec::new();
    for (_, m) in rows {
        if moves.last().is_none_or(|last| last.m != m.m) {
            moves.push(m);
        }
    }
    let mut out = StdoutWriter::new(&context.bar);
    if let Some(opening) = opening {
        caption(opening, &mut out)?;
    }
    let limit = args.listing.limit.unwrap_or(u64::MAX);
    let shown = moves.into_iter().skip(args.listing.offset as usize);
    let shown: Vec<&FoundMove> = shown
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
        .collect();
    columns.write(found, &shown, &mut out)?;
    out.flush()
}
