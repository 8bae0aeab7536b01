//! The requests about a position: its legal moves, the explorer, a page of a book.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use axum::routing::get;
use serde_json::{Value, json};
use tabia::Position;
use tabia::base::{Base, TreeOptions};
use tabia::book::find::opening_of;
use tabia::core::chess::Ply;
use tabia::formats::Format;
use tabia::query::Query;

use crate::answers::{PATIENCE, answer, by_content, document, so_far, with_progress};
use crate::app_state::App;
use crate::etag::Asked;
use crate::explore::{self, FoundTree};
use crate::jobs::{Asking, Job};
use crate::params::Params;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::read_record::read_game;
use crate::search_duplicates_and_previews;
use crate::shelf_input::ShelfInput;
use crate::write_requests;

/// Sources of one explorer at most.
const MAX_SOURCES: usize = 6;

type Shared = State<Arc<App>>;

/// The routes of positions.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/position", get(position))
        .route("/api/v1/explorer", get(explorer))
        .route("/api/v1/book/{id}", get(book))
}

/// A start position, moves from there, and the position after them.
struct AskedLine {
    start: Position,
    plies: Vec<Ply>,
    position: Position,
    /// Changes with the game that has the moves.
    fingerprint: String,
}

/// The line of `fen` and `play`; of a `game` its first `plies` with `play` after them, since an address cannot hold the
/// moves of the longest games.
fn asked_line(app: &App, params: &Params) -> Result<AskedLine, Problem> {
    if params.text("game").is_empty() {
        let (start, plies, position) = params.position()?;
        return Ok(AskedLine {
            start,
            plies,
            position,
            fingerprint: String::new(),
        });
    }
    let number: u32 = params.number("game", 0)?;
    let opened = app.shelf.database(params.text("db"))?;
    let (_, game, _) = read_game(&opened, number)?;
    let start = game.start_position().ok_or_else(|| {
        Problem::bad_request(format!("game {number} has no position that can be read"))
    })?;
    let wanted: usize = params.number("plies", 0)?;
    let mut plies: Vec<Ply> = game.mainline().take(wanted).collect();
    if plies.len() < wanted {
        let text = format!("game {number} has {} plies, not {wanted}", plies.len());
        return Err(Problem::bad_request(text));
    }
    let mut position = start.clone();
    for ply in &plies {
        position.play_ply(*ply);
    }
    let (more, position) = params.play_from(&position)?;
    plies.extend(more);
    Ok(AskedLine {
        start,
        plies,
        position,
        fingerprint: opened.fingerprint.clone(),
    })
}

async fn position(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let AskedLine {
            start,
            plies,
            position,
            fingerprint,
        } = asked_line(app, &params)?;
        let legal: Vec<Value> = position
            .legal_moves()
            .iter()
            .map(|m| {
                json!({
                    "uci": position.uci(*m).to_string(),
                    "san": position.san(*m).to_string(),
                })
            })
            .collect();
        let mut line = Vec::new();
        let mut before = start.clone();
        for ply in &plies {
            line.push(before.san(*ply).to_string());
            before.play_ply(*ply);
        }
        let opening = opening_of(&start, &plies);
        let found = document(&json!({
            "fen": position.fen(),
            "line": line,
            "legal": legal,
            "check": position.is_check(),
            "checkmate": position.is_checkmate(),
            "stalemate": position.is_stalemate(),
            "chess960": position.is_chess960(),
            "opening": explore::opening_json(opening),
        }))?;
        Ok(asked.tag(&fingerprint).mark(found))
    })
    .await
}

async fn explorer(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let ids = params.ids("src");
        if ids.len() > MAX_SOURCES {
            return Err(Problem::bad_request("`src` names more than 6 sources"));
        }
        let AskedLine {
            start,
            plies,
            position,
            ..
        } = asked_line(app, &params)?;
        let opening = opening_of(&start, &plies);
        let is_over = params.is_on("stop");
        let mut sources = Vec::new();
        for (number, id) in ids.into_iter().enumerate() {
            let input = app.shelf.find(id)?;
            let own = params.text(&format!("where{}", number + 1));
            // Each alone first: the column of an error is that of what was typed.
            Query::parse(params.text("where"))?;
            Query::parse(own)?;
            let query = Query::parse(&both(params.text("where"), own))?;
            if is_over {
                if input.open()?.database().is_some() {
                    let (_, name) = app.bases.of(std::slice::from_ref(&input))?;
                    let key = tree_key(&name, &position, &query, &explore::listed_games());
                    app.scans.stop(&key);
                }
                continue;
            }
            let found = explore_source(app, &input, &position, &query);
            let (mut source, key, value) = match found {
                Ok(Value::Object(source)) => (source, "name", json!(input.name)),
                Ok(_) => continue,
                Err(problem) if problem.status == StatusCode::SERVICE_UNAVAILABLE => {
                    return Err(problem);
                }
                Err(problem) => {
                    let problem = problem.map_texts(|text| input.without_folder(text));
                    let source = [("problem".to_owned(), problem.summary())];
                    let source = serde_json::Map::from_iter(source);
                    (source, "error", json!(problem.detail))
                }
            };
            source.insert("id".into(), json!(id));
            source.insert(key.into(), value);
            sources.push(Value::Object(source));
        }
        // A source that cannot be read is done.
        let is_done = sources.iter().all(|source| source["isDone"] != false);
        let scanned = sources
            .iter()
            .filter_map(|source| source["scanned"].as_u64());
        let scanned = scanned.sum();
        let found = json!({
            "fen": position.fen(),
            "opening": explore::opening_json(opening),
            "sources": sources,
        });
        if is_done {
            by_content(&with_progress(found, true, scanned))
        } else {
            so_far(found, false, scanned)
        }
    })
    .await
}

/// A query for what fits two queries.
fn both(first: &str, second: &str) -> String {
    match (first.trim(), second.trim()) {
        ("", query) | (query, "") => query.to_owned(),
        (first, second) => format!("({first}) ({second})"),
    }
}

fn explore_source(
    app: &App,
    input: &Arc<ShelfInput>,
    position: &Position,
    query: &Query,
) -> Result<Value, Problem> {
    let opened = input.open()?;
    if let Some(book) = opened.book() {
        let mut answer = explore::of_book(book, position)?;
        if let Value::Object(answer) = &mut answer {
            let format = input.format.map(|format| format.id().to_string());
            answer.insert("format".into(), json!(format));
            answer.insert("isDone".into(), json!(true));
        }
        return Ok(answer);
    }
    let database = opened.database().ok_or_else(|| {
        let id = &input.id;
        Problem::bad_request(format!("`{id}` has no games"))
    })?;
    let (base, name) = app.bases.of(std::slice::from_ref(input))?;
    let is_indexed = base.has_index(0);
    let job = tree_job(app, base, &name, position, query, explore::listed_games())?;
    // The first numbers are shown at once. An index has all of them soon.
    let found = job.wait(PATIENCE, |tree| {
        !is_indexed && tree.as_ref().is_some_and(|tree| tree.games > 0)
    });
    found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
    let tree = found.found().clone();
    let is_done = found.is_done();
    drop(found);
    let mut answer = match &tree {
        Some(tree) => explore::of_tree(&input.id, tree, database),
        None => json!({"kind": "database", "games": 0, "moves": []}),
    };
    if let Value::Object(answer) = &mut answer {
        answer.insert("isDone".into(), json!(is_done));
        answer.insert("indexed".into(), json!(is_indexed));
        answer.insert("indexable".into(), json!(input.is_indexable()));
        answer.insert("scanned".into(), json!(job.progress.games()));
        answer.insert("total".into(), json!(database.len()));
        answer.insert("fingerprint".into(), json!(opened.fingerprint));
    }
    Ok(answer)
}

/// What identifies the counts of a position.
fn tree_key(name: &str, position: &Position, query: &Query, options: &TreeOptions) -> String {
    let TreeOptions {
        games,
        ended_games,
        side,
        ..
    } = options;
    let fen = position.fen();
    format!("{name}\n{fen}\n{games} {ended_games} {side:?}\n{query}")
}

/// Counts the games of a position, with the best and the last ones; `name` identifies the databases and their state.
pub(crate) fn tree_job(
    app: &App,
    base: Arc<Base>,
    name: &str,
    position: &Position,
    query: &Query,
    options: TreeOptions,
) -> Result<Arc<Job<FoundTree>>, Problem> {
    let key = tree_key(name, position, query, &options);
    let work = tree_work(base, position, query, options);
    app.scans.get_or_start(&key, None, work)
}

/// As [`tree_job`], for a request that waits for the end.
pub(crate) fn ask_tree(
    app: &App,
    base: Arc<Base>,
    name: &str,
    position: &Position,
    query: &Query,
    options: TreeOptions,
) -> Result<Asking<FoundTree>, Problem> {
    let key = tree_key(name, position, query, &options);
    let work = tree_work(base, position, query, options);
    app.scans.ask(&key, None, work)
}

fn tree_work(
    base: Arc<Base>,
    position: &Position,
    query: &Query,
    options: TreeOptions,
) -> impl FnOnce(&Job<FoundTree>) -> Result<(), tabia::Error> + Send + 'static {
    let (position, query) = (position.clone(), query.clone());
    move |job| explore::count(&base, &position, &query, &options, job)
}

async fn book(
    State(app): Shared,
    asked: Asked,
    Path(id): Path<String>,
    params: Params,
) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let opened = input.open()?;
        let book = opened.book().ok_or_else(|| {
            Problem::bad_request(format!("`{id}` is no book")).coded(Code::NoBook, &[("id", &id)])
        })?;
        let (start, plies, position) = params.position()?;
        let opening = opening_of(&start, &plies);
        let mut page = search_duplicates_and_previews::book_page(book, &position)?;
        page["id"] = json!(id);
        page["name"] = json!(input.name);
        page["format"] = json!(input.format.map(|format| format.id().to_string()));
        if let Some(Format::Book(format)) = input.format {
            page["can"] = write_requests::editable(format);
            page["extension"] = json!(format.file.extensions.first());
        }
        page["fen"] = json!(position.fen());
        page["opening"] = explore::opening_json(opening);
        page["fingerprint"] = json!(opened.fingerprint);
        Ok(asked.tag(&opened.fingerprint).mark(document(&page)?))
    })
    .await
}
