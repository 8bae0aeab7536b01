//! `tabia tree`: the moves of the games that reached a position.

use serde::Serialize;
use tabia::base::{Base, BaseOptions, Tree, TreeGame, TreeMove, TreeOptions};
use tabia::book::find::opening_of;
use tabia::core::game::Date;
use tabia::query::openings::Opening;
use tabia::{Error, Wdl};

use crate::args::TreeArgs;
use crate::commands::index::index_options;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::json;
use crate::listing::{Listing, RowStyle};
use crate::opening_names::{full_name, name_below};
use crate::parse_where_and_games::parse_query;
use crate::readable_numbers::percent;
use crate::result_bar::bar;
use crate::stdout::StdoutWriter;
use crate::terminal::TextStyle;
use crate::typed_position::TypedPosition;

const COLUMNS: &[&str] = &[
    "uci",
    "san",
    "games",
    "results",
    "white",
    "draws",
    "black",
    "score",
    "averageRating",
    "performance",
    "lastPlayed",
    "childGames",
    "opening",
];
const NUMERIC: &[&str] = &[
    "games",
    "white",
    "draws",
    "black",
    "score",
    "averageRating",
    "performance",
    "childGames",
];
/// Games of each kind in JSON.
const GAMES: usize = 8;

pub(crate) fn run(args: &TreeArgs) -> Result<ExitCode, Error> {
    let context = Context::new(&args.rows.common)?;
    let TypedPosition {
        start,
        plies,
        position,
    } = TypedPosition::parse(
        args.fen.as_deref(),
        "--line",
        args.line.as_deref().unwrap_or_default(),
    )?;
    let query = parse_query(&args.filter, &context.messages)?;
    let mut reporter = context.reporter("tree", args.replace.force, None)?;
    let style = RowStyle::of(&args.rows.listing);
    let display = context.display();
    let (items, unread) = context.games_to_list(&args.paths, &mut reporter)?;
    let names: Vec<String> = items.iter().map(tabia::InputItem::name).collect();
    let bytes = items.iter().filter_map(tabia::InputItem::bytes).sum();
    context.progress.set_total(bytes);
    let mut options = BaseOptions::default();
    options.open = context.open.clone();
    options.open.strict = args.rows.common.strict;
    options.index = args.rows.index.use_index.into();
    options.index_options = index_options(&context);
    options.threads = context.threads;
    options.deleted = args.include_deleted;
    let base = Base::of_items(items, options, &context.progress, &mut reporter)?;
    let selected = base.select(&query, &context.progress)?;
    let mut wanted = TreeOptions::default();
    wanted.moves = args.moves;
    wanted.games = if style == RowStyle::Json { GAMES } else { 0 };
    let tree = base.tree_with(
        &position,
        &selected,
        &wanted,
        &context.progress,
        &mut reporter,
    )?;
    drop(display);
    let opening = opening_of(&start, &plies);
    if style == RowStyle::Json {
        let several = names.len() > 1;
        let document = Document::new(&tree, opening, several.then_some(names.as_slice()));
        let mut out = StdoutWriter::new(&context.bar);
        out.bytes(&json::pretty(&document))?;
        out.text("\n")?;
        out.flush()?;
    } else {
        rows(&context, args, style, &tree, opening)?;
    }
    let code = unread.worse(ExitCode::of_problems(reporter.count()));
    reporter.finish_reading()?;
    if tree.games == 0 {
        let is_start = plies.is_empty() && args.fen.is_none();
        context.messages.note(match (query.is_empty(), is_start) {
            (true, _) => "no game reached the position",
            (false, true) => "no game fits the query",
            (false, false) => "no game that fits the query reached the position",
        });
        return Ok(code.worse(ExitCode::NoMatch));
    }
    Ok(code)
}

/// The row of all games, of a move, or of the games that ended.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    uci: String,
    san: String,
    games: u64,
    /// A bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<String>,
    white: u64,
    draws: u64,
    black: u64,
    /// Percent of the points for the side to move.
    score: Option<f64>,
    average_rating: Option<u16>,
    performance: Option<u16>,
    last_played: Option<String>,
    child_games: Option<u64>,
    opening: Option<String>,
}

impl Row {
    fn new(san: &str, games: u64, results: Wdl, style: RowStyle) -> Self {
        Self {
            uci: String::new(),
            san: san.to_owned(),
            games,
            results: (style == RowStyle::Table).then(|| bar(results)),
            white: results.white,
            draws: results.draws,
            black: results.black,
            score: None,
            average_rating: None,
            performance: None,
            last_played: None,
            child_games: None,
            opening: None,
        }
    }

    /// `above`: the opening above the table, which is not repeated.
    fn all(tree: &Tree, style: RowStyle, above: Option<Opening>) -> Self {
        let is_white = tree.position.turn().is_white();
        let opening = tree.opening.filter(|opening| Some(*opening) != above);
        let score = tabia::book::find::score(tree.results, is_white);
        Self {
            score: score.map(percent),
            average_rating: tree.average_rating,
            performance: tree.performance,
            last_played: known(tree.last_played),
            opening: opening.map(full_name),
            ..Self::new("all", tree.games, tree.results, style)
        }
    }

    /// The games that ended in the position.
    fn ended(tree: &Tree, style: RowStyle) -> Self {
        let is_white = tree.position.turn().is_white();
        let score = tabia::book::find::score(tree.ended_results, is_white);
        Self {
            score: score.map(percent),
            average_rating: tree.ended_average_rating,
            performance: tree.ended_performance,
            last_played: known(tree.ended_last_played),
            ..Self::new("end", tree.ended, tree.ended_results, style)
        }
    }

    /// `above`: the opening above the table, whose name is not repeated.
    fn of_move(m: &TreeMove, style: RowStyle, above: Option<Opening>) -> Self {
        let name = |opening| match above {
            Some(above) => name_below(opening, above),
            None => full_name(opening),
        };
        Self {
            uci: m.uci.clone(),
            score: m.score.map(percent),
            average_rating: m.average_rating,
            performance: m.performance,
            last_played: known(m.last_played),
            child_games: Some(m.child_games),
            opening: m.opening.map(name),
            ..Self::new(&m.san, m.games, m.results, style)
        }
    }
}

fn rows(
    context: &Context,
    args: &TreeArgs,
    style: RowStyle,
    tree: &Tree,
    opening: Option<Opening>,
) -> Result<(), Error> {
    let mut columns = COLUMNS.to_vec();
    // A table shows the bar, everything else the counts.
    columns.retain(|column| match *column {
        "results" => style == RowStyle::Table,
        "uci" | "white" | "draws" | "black" => style != RowStyle::Table,
        _ => true,
    });
    let listing = Listing::new(&context.bar, &args.rows.listing, &columns, NUMERIC);
    let mut listing = listing.paged(context);
    let above = opening.filter(|_| style == RowStyle::Table);
    if let Some(opening) = above {
        listing.out().styled(TextStyle::Dim, &full_name(opening))?;
        listing.out().text("\n")?;
    }
    listing.push(&Row::all(tree, style, above))?;
    for m in &tree.moves {
        listing.push(&Row::of_move(m, style, above))?;
    }
    if tree.ended > 0 {
        listing.push(&Row::ended(tree, style))?;
    }
    listing.finish()
}

fn known(date: Date) -> Option<String> {
    (!date.is_unknown()).then(|| date.to_string())
}

/// A position with the keys of `book find` and more.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    fen: String,
    #[serde(flatten)]
    results: Counts,
    games: u64,
    average_rating: Option<u16>,
    performance: Option<u16>,
    last_played: Option<String>,
    moves: Vec<MoveDocument<'a>>,
    /// Games that ended in the position.
    end: EndDocument,
    top_games: Vec<GameDocument<'a>>,
    recent_games: Vec<GameDocument<'a>>,
    opening: Option<OpeningDocument>,
}

#[derive(Serialize)]
struct OpeningDocument {
    eco: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct Counts {
    white: u64,
    draws: u64,
    black: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EndDocument {
    #[serde(flatten)]
    results: Counts,
    games: u64,
    average_rating: Option<u16>,
    performance: Option<u16>,
    last_played: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveDocument<'a> {
    uci: &'a str,
    san: &'a str,
    #[serde(flatten)]
    results: Counts,
    games: u64,
    probability: f64,
    average_rating: Option<u16>,
    performance: Option<u16>,
    /// Databases hold none of positions.
    annotation: Option<&'a str>,
    last_played: Option<String>,
    child_games: u64,
    opening: Option<OpeningDocument>,
}

#[derive(Serialize)]
struct PlayerDocument<'a> {
    name: &'a str,
    rating: Option<u16>,
}

#[derive(Serialize)]
struct GameDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    game: u64,
    uci: Option<&'a str>,
    winner: Option<&'static str>,
    white: PlayerDocument<'a>,
    black: PlayerDocument<'a>,
    result: String,
    date: Option<String>,
    event: &'a str,
}

impl Counts {
    fn new(results: Wdl) -> Self {
        Self {
            white: results.white,
            draws: results.draws,
            black: results.black,
        }
    }
}

impl OpeningDocument {
    fn new(opening: Opening) -> Self {
        Self {
            eco: opening.eco,
            name: opening.name,
        }
    }
}

impl<'a> Document<'a> {
    /// `paths` if there are several databases.
    fn new(tree: &'a Tree, opening: Option<Opening>, paths: Option<&'a [String]>) -> Self {
        let games = |games: &'a [TreeGame]| {
            let games = games.iter();
            games.map(|game| GameDocument::new(game, paths)).collect()
        };
        Self {
            fen: tree.position.fen(),
            results: Counts::new(tree.results),
            games: tree.games,
            average_rating: tree.average_rating,
            performance: tree.performance,
            last_played: known(tree.last_played),
            moves: tree
                .moves
                .iter()
                .map(|m| MoveDocument::new(m, tree.games))
                .collect(),
            end: EndDocument {
                results: Counts::new(tree.ended_results),
                games: tree.ended,
                average_rating: tree.ended_average_rating,
                performance: tree.ended_performance,
                last_played: known(tree.ended_last_played),
            },
            top_games: games(&tree.top_games),
            recent_games: games(&tree.recent_games),
            opening: opening.map(OpeningDocument::new),
        }
    }
}

impl<'a> MoveDocument<'a> {
    fn new(m: &'a TreeMove, total: u64) -> Self {
        let share = m.games as f64 / total.max(1) as f64;
        Self {
            uci: &m.uci,
            san: &m.san,
            results: Counts::new(m.results),
            games: m.games,
            probability: (share * 1e6).round() / 1e6,
            average_rating: m.average_rating,
            performance: m.performance,
            annotation: None,
            last_played: known(m.last_played),
            child_games: m.child_games,
            opening: m.opening.map(OpeningDocument::new),
        }
    }
}

impl<'a> GameDocument<'a> {
    fn new(game: &'a TreeGame, paths: Option<&'a [String]>) -> Self {
        let path = paths.and_then(|paths| paths.get(game.database));
        Self {
            path: path.map(String::as_str),
            game: u64::from(game.game.0) + 1,
            uci: game.uci.as_deref(),
            winner: match game.result.pgn() {
                "1-0" => Some("white"),
                "0-1" => Some("black"),
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
            result: game.result.to_string(),
            date: known(game.date),
            event: &game.event,
        }
    }
}
