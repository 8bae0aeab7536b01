//! The requests of the page and their answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::Response;
use axum::middleware::from_fn;
use axum::routing::{get, put};
use serde_json::{Value, json};
use tabia::base::Base;
use tabia::book::find::opening_of;
use tabia::core::chess::Ply;
use tabia::formats::Format;
use tabia::query::{Query, fields, fold};
use tabia::{CreateOptions, Error, ErrorKind, Game, GameIndex, Profile, Want};

use crate::answers::{
    PATIENCE, answer, by_content, document, of_type, profile_of, so_far, with_progress,
};
use crate::app_state::App;
use crate::etag::{self, Asked, Tag};
use crate::explore::{self, FoundTree};
use crate::filter_and_sort::{self, RowSource, SORT_COLUMNS, ViewQuery, ViewRows};
use crate::input_health;
use crate::inputs_by_id::{OpenedInput, ShelfInput};
use crate::jobs::Job;
use crate::names_by_frequency;
use crate::openapi;
use crate::params::Params;
use crate::problem::Problem;
use crate::read_record::read_game;
use crate::report_requests::{self, databases};
use crate::rows::{COLUMNS, rows};
use crate::search_duplicates_and_previews;
use crate::stored_record::stored_record;
use crate::write_requests;
use crate::{decided_duplicates, tried_writes};

/// Rows of one answer at most.
const MAX_ROWS: u32 = 500;
/// Sources of one explorer at most.
const MAX_SOURCES: usize = 6;
/// Names that are suggested at most.
const MAX_SUGGESTIONS: usize = 20;

type Shared = State<Arc<App>>;

/// The routes of [`openapi::ROUTES`].
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/shelf", get(shelf))
        .route("/api/v1/db/{id}", get(input))
        .route("/api/v1/games", get(games))
        .route("/api/v1/row", get(row))
        .route("/api/v1/db/{id}/games/{n}", get(game))
        .route("/api/v1/db/{id}/games/{n}/stored", get(stored))
        .route("/api/v1/convert/game", get(converted_game))
        .route("/api/v1/duplicates/merged", get(merged_game))
        .route("/api/v1/position", get(position))
        .route("/api/v1/explorer", get(explorer))
        .route("/api/v1/db/{id}/health", get(check))
        .route("/api/v1/fields", get(query_fields))
        .route("/api/v1/openapi.json", get(description))
        .route("/api/v1/suggest", get(suggest))
        .route("/api/v1/duplicates", get(duplicates))
        .route("/api/v1/formats", get(formats))
        .route("/api/v1/book/{id}", get(book))
        .route("/api/v1/drop", get(drop_space))
        .route("/api/v1/drop/{name}", put(drop_file))
        .merge(report_requests::router())
        .layer(from_fn(etag::not_modified))
}

async fn shelf(State(app): Shared) -> Response<Body> {
    answer(app, |app| {
        let inputs: Vec<Value> = app.shelf.inputs().iter().map(|input| card(input)).collect();
        by_content(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "canWrite": app.out.is_some(),
            "inputs": inputs,
        }))
    })
    .await
}

/// What is known of an input without opening it.
fn card(input: &ShelfInput) -> Value {
    let kind = match input.format {
        Some(Format::Games(_)) => "database",
        Some(Format::Book(_)) => "book",
        Some(Format::Archive(_)) => "archive",
        Some(Format::Export(_)) | None => "unknown",
    };
    let error = input.error.as_ref();
    json!({
        "id": input.id,
        "name": input.name,
        "folder": if input.is_dropped { "" } else { &input.folder },
        "dropped": input.is_dropped,
        "container": input.container,
        "kind": kind,
        "format": input.format.map(|format| format.id().to_string()),
        "formatName": input.format.map(Format::name),
        "bytes": input.bytes,
        "modified": input.modified(),
        "error": error.map(|error| input.without_folder(&error.to_string())),
        "open": input.if_open().is_some(),
    })
}

async fn input(State(app): Shared, asked: Asked, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let mut card = card(&input);
        let opened = input.open()?;
        let index = app.bases.state_of_index(&input);
        let more = match (opened.database(), opened.book()) {
            (Some(database), _) => {
                let info = database.info();
                let overview = opened.overview();
                if index == "current" {
                    warm_explorer(app, &input);
                }
                json!({
                    "records": info.records,
                    "games": info.records.saturating_sub(info.texts),
                    "texts": info.texts,
                    "deleted": info.deleted,
                    "encoding": info.encoding,
                    "title": info.title,
                    "version": info.version,
                    "years": overview.years.map(|(first, last)| [first, last]),
                    "annotated": overview.annotated.map(|(annotated, _)| annotated),
                    "index": index,
                    "facts": info.facts,
                })
            }
            (None, Some(book)) => {
                let info = book.info();
                let size = opened.size(input.bytes);
                json!({
                    "positions": size.map(|size| size.positions),
                    "moves": size.map(|size| size.moves),
                    "games": info.games,
                    "version": info.version,
                    "facts": info.facts,
                })
            }
            (None, None) => json!({}),
        };
        let problems = opened.problems.iter().take(100);
        let problems: Vec<String> = problems.map(|text| input.without_folder(text)).collect();
        if let (Value::Object(card), Value::Object(more)) = (&mut card, more) {
            card.extend(more);
            card.insert("problems".into(), json!(problems));
            card.insert("fingerprint".into(), json!(opened.fingerprint));
            card.insert("open".into(), json!(true));
        }
        let tag = asked.tag(&format!("{} {index}", opened.fingerprint));
        document(&card).map(|answer| tag.mark(answer))
    })
    .await
}

/// Counts the games of the start position of a database with an index, so that the first view of the explorer
/// finds the answer.
fn warm_explorer(app: &App, input: &Arc<ShelfInput>) {
    let Ok((base, name)) = app.bases.of(std::slice::from_ref(input)) else {
        return;
    };
    // What cannot be counted now is counted when it is asked.
    let _ = tree_job(
        app,
        base,
        &name,
        &tabia::Position::standard(),
        &Query::default(),
        explore::MAX_GAMES,
    );
}

/// The databases, the query and the rows found so far.
enum List {
    /// Every row of the source in its order.
    Everything,
    Found(Arc<Job<ViewRows>>),
}

fn list(app: &App, source: &RowSource, params: &Params) -> Result<List, Problem> {
    let deleted = params.is_on("deleted");
    let query = ViewQuery::parse(params.text("where"), params.text("sort"), deleted)?;
    if query.is_everything(source) {
        return Ok(List::Everything);
    }
    let key = query.key(source);
    let threads = app.threads;
    let (rows, mut wanted) = (source.clone(), query);
    let start = ViewRows::default();
    let mut bases = Vec::new();
    let needs_duplicates = wanted.asks_for_duplicates();
    let has_candidates = wanted.asks_for_positions();
    if needs_duplicates || has_candidates {
        for part in &source.parts {
            let input = app.shelf.find(&part.id)?;
            bases.push(app.bases.of(std::slice::from_ref(&input))?.0);
        }
    }
    let job = app.views.get_or_start(&key, start, move |job| {
        if needs_duplicates {
            wanted.find_duplicates(&bases, threads, &job.progress)?;
        }
        if has_candidates {
            wanted.find_candidates(&bases);
        }
        filter_and_sort::build(&rows, &wanted, &job.progress, threads, &|change| {
            job.update(|found| change(found));
        })
    })?;
    Ok(List::Found(job))
}

async fn games(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let from: u32 = params.number("from", 0)?;
        let count: u32 = params.number("n", 100)?;
        if count > MAX_ROWS {
            return Err(Problem::bad_request("`n` is at most 500"));
        }
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let tag = asked.tag(&source.fingerprint());
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let list = list(app, &source, &params)?;
        let end = from.saturating_add(count);
        let mut answer = json!({
            "total": source.total,
            "from": from,
            "columns": COLUMNS,
            "sortable": SORT_COLUMNS,
            "fingerprints": fingerprints(&source),
        });
        let (numbers, count, is_done, scanned) = match &list {
            List::Everything => {
                let numbers: Vec<u32> = (from..end.min(source.total)).collect();
                (numbers, json!(source.total), true, source.total.into())
            }
            List::Found(job) => {
                let found = job.wait(PATIENCE, |found| found.rows.len() >= end as usize);
                if let Some(error) = found.error() {
                    return Err(Problem::busy(error));
                }
                let rows = &found.found().rows;
                let range = (from as usize).min(rows.len())..(end as usize).min(rows.len());
                (
                    rows.get(range).unwrap_or_default().to_vec(),
                    json!(found.found().found),
                    found.is_done(),
                    job.progress.done(),
                )
            }
        };
        answer["count"] = count;
        answer["rows"] = Value::Array(rows(&source, numbers.into_iter()));
        let answer = so_far(answer, is_done, scanned)?;
        Ok(tagged_if(is_done, &tag, answer))
    })
    .await
}

/// The answer, with its tag if it is complete.
fn tagged_if(is_complete: bool, tag: &Tag, answer: Response<Body>) -> Response<Body> {
    if is_complete {
        tag.mark(answer)
    } else {
        answer
    }
}

fn fingerprints(source: &RowSource) -> BTreeMap<&str, &str> {
    let parts = source.parts.iter();
    parts
        .map(|part| (part.id.as_str(), part.opened.fingerprint.as_str()))
        .collect()
}

async fn row(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let tag = asked.tag(&source.fingerprint());
        let list = list(app, &source, &params)?;
        let game: u32 = params.number("game", 0)?;
        let part = source
            .parts
            .iter()
            .find(|part| part.id == params.text("in"));
        let wanted = part
            .and_then(|part| {
                Some(part.first + game.checked_sub(1).filter(|game| *game < part.len)?)
            })
            .ok_or_else(|| Problem::not_found(format!("there is no game {game}")))?;
        let (row, is_done, scanned) = match &list {
            List::Everything => (Some(wanted as usize), true, source.total.into()),
            List::Found(job) => {
                let found = job.wait(PATIENCE, |_| false);
                if let Some(error) = found.error() {
                    return Err(Problem::busy(error));
                }
                let rows = &found.found().rows;
                let row = rows.iter().position(|row| *row == wanted);
                (row, found.is_done(), job.progress.done())
            }
        };
        let answer = so_far(json!({"row": row}), is_done, scanned)?;
        Ok(tagged_if(is_done, &tag, answer))
    })
    .await
}

async fn game(
    State(app): Shared,
    asked: Asked,
    Path((id, number)): Path<(String, String)>,
    params: Params,
) -> Response<Body> {
    answer(app, move |app| {
        let (number, is_pgn) = match number.strip_suffix(".pgn") {
            Some(number) => (number, true),
            None => (number.as_str(), false),
        };
        let number: u32 = number
            .parse()
            .map_err(|_| Problem::bad_request(format!("`{number}` is no number of a game")))?;
        let opened = app.shelf.database(&id)?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let (index, game, problems) = read_game(&opened, number)?;
        if is_pgn {
            let pgn = pgn(index, &game, params.text("profile"))?;
            return Ok(tag.mark(of_type("application/x-chess-pgn; charset=utf-8", pgn)));
        }
        let mut bytes = (app.game_document)(index, &game);
        // Further keys go before the end of the object.
        while bytes.pop().is_some_and(|byte| byte != b'}') {}
        let input = app.shelf.find(&id)?;
        let problems: Vec<String> = problems
            .iter()
            .map(|text| input.without_folder(text))
            .collect();
        let mainline: Vec<Ply> = game.mainline().collect();
        let opening = game
            .start_position()
            .and_then(|start| opening_of(&start, &mainline))
            .map(|opening| json!({"eco": opening.eco, "name": opening.name}));
        let total = opened.database().map(tabia::Database::len);
        for (key, value) in [
            ("db", json!(id)),
            ("total", json!(total)),
            ("opening", json!(opening)),
            ("problems", json!(problems)),
            ("fingerprint", json!(opened.fingerprint)),
        ] {
            bytes.extend_from_slice(format!(",\"{key}\":{value}").as_bytes());
        }
        bytes.push(b'}');
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}

/// The game with a number from 1 as PGN.
pub(crate) fn game_pgn(
    opened: &OpenedInput,
    number: u32,
    profile: &str,
) -> Result<Vec<u8>, Problem> {
    let (index, game, _) = read_game(opened, number)?;
    pgn(index, &game, profile)
}

fn pgn(index: GameIndex, game: &Game, profile: &str) -> Result<Vec<u8>, Problem> {
    let mut options = CreateOptions::default();
    options.profile = profile_of(profile)?;
    let format = tabia::format("pgn").and_then(Format::games);
    let create = format
        .and_then(|format| format.create_text)
        .ok_or_else(|| Error::new(ErrorKind::Unsupported("PGN cannot be written".into())))?;
    let mut writer = create(&options)?;
    // The writer never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut *writer);
    Ok(std::mem::take(writer.text()))
}

async fn position(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |_| {
        let (start, plies, position) = params.position()?;
        let legal: Vec<Value> = position
            .legal_moves()
            .iter()
            .map(|m| {
                json!({
                    "uci": explore::uci_of(*m, position.is_chess960()),
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
            "opening": opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})),
        }))?;
        Ok(asked.tag("").mark(found))
    })
    .await
}

async fn explorer(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let ids = params.ids("src");
        if ids.len() > MAX_SOURCES {
            return Err(Problem::bad_request("`src` names more than 6 sources"));
        }
        let (start, plies, position) = params.position()?;
        let opening = opening_of(&start, &plies);
        let mut sources = Vec::new();
        for (number, id) in ids.into_iter().enumerate() {
            let input = app.shelf.find(id)?;
            let own = params.text(&format!("where{}", number + 1));
            let query = Query::parse(&both(params.text("where"), own))?;
            let found = explore_source(app, &input, &position, &query);
            let (mut source, key, value) = match found {
                Ok(Value::Object(source)) => (source, "name", json!(input.name)),
                Ok(_) => continue,
                Err(problem) if problem.status == axum::http::StatusCode::SERVICE_UNAVAILABLE => {
                    return Err(problem);
                }
                Err(problem) => {
                    let text = input.without_folder(&problem.detail);
                    (serde_json::Map::new(), "error", json!(text))
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
            "opening": opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})),
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
    position: &tabia::Position,
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
    let job = tree_job(app, base, &name, position, query, explore::MAX_GAMES)?;
    let found = job.wait(PATIENCE, |_| false);
    if let Some(error) = found.error() {
        return Err(Problem::busy(error));
    }
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

/// Counts the games of a position, with the best and the last `games`; `name` identifies the databases and their
/// state.
pub(crate) fn tree_job(
    app: &App,
    base: Arc<Base>,
    name: &str,
    position: &tabia::Position,
    query: &Query,
    games: usize,
) -> Result<Arc<Job<FoundTree>>, Problem> {
    let key = format!("{name}\n{}\n{games}\n{query}", position.fen());
    let (wanted, searched) = (position.clone(), query.clone());
    app.scans.get_or_start(&key, None, move |job| {
        explore::count(&base, &wanted, &searched, games, job)
    })
}

async fn check(State(app): Shared, asked: Asked, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let tag = asked.tag(&input.state_of_files());
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let modified = input.modified().unwrap_or_default();
        let key = format!("{id}\n{modified}");
        let threads = app.threads;
        let checked = Arc::clone(&input);
        let job = app
            .checks
            .get_or_start(&key, input_health::Health::default(), move |job| {
                input_health::run(&checked, threads, job)
            })?;
        let found = job.wait(PATIENCE, |_| false);
        let mut answer = found.found().document();
        if let Value::Object(answer) = &mut answer {
            let error = found.error().map(|text| input.without_folder(text));
            answer.insert("error".into(), json!(error));
            answer.insert("games".into(), json!(job.progress.games()));
        }
        let is_done = found.is_done();
        let is_complete = is_done && found.error().is_none();
        drop(found);
        let answer = so_far(answer, is_done, job.progress.games())?;
        Ok(tagged_if(is_complete, &tag, answer))
    })
    .await
}

async fn query_fields(State(app): Shared, asked: Asked) -> Response<Body> {
    answer(app, move |_| {
        let fields: Vec<Value> = fields()
            .iter()
            .map(|field| {
                json!({
                    "name": field.name,
                    "asks": field.asks,
                    "values": field.values,
                    "example": field.example,
                    "hasNames": names_by_frequency::kind_of_field(field.name).is_some(),
                })
            })
            .collect();
        let found = document(&json!({"fields": fields}))?;
        Ok(asked.tag("").mark(found))
    })
    .await
}

async fn description(State(app): Shared) -> Response<Body> {
    answer(app, |_| by_content(&openapi::document())).await
}

async fn suggest(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let kind = names_by_frequency::kind_of_field(params.text("field"))
            .ok_or_else(|| Problem::bad_request("`field` is player, event, site or annotator"))?;
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let tag = asked.tag(&source.fingerprint());
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let wanted = fold(params.text("q").trim());
        let mut found: BTreeMap<String, u32> = BTreeMap::new();
        for part in &source.parts {
            let names = part.opened.names(kind);
            let fitting = names.iter().filter(|name| name.fits(&wanted));
            for name in fitting.take(MAX_SUGGESTIONS) {
                *found.entry(name.name.clone()).or_default() += name.games;
            }
        }
        let mut names: Vec<(String, u32)> = found.into_iter().collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        names.truncate(MAX_SUGGESTIONS);
        let names: Vec<Value> = names
            .into_iter()
            .map(|(name, games)| json!({"name": name, "games": games}))
            .collect();
        Ok(tag.mark(document(&json!({"names": names}))?))
    })
    .await
}

/// A game as it would be in another format.
async fn converted_game(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let id = params.text("db").to_owned();
        let input = app.shelf.find(&id)?;
        let opened = app.shelf.database(&id)?;
        let number: u32 = params.number("game", 0)?;
        let (index, _, _) = read_game(&opened, number)?;
        let name = params.text("to");
        let to = tabia::format(name)
            .filter(|format| format.game_writer().is_some())
            .ok_or_else(|| {
                Problem::bad_request(format!("games cannot be written in the format `{name}`"))
            })?;
        let profile = profile_of(params.text("profile"))?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let found = tried_writes::converted_game(&input, index, to, profile)?;
        let bytes = match found {
            Some(game) => (app.game_document)(index, &game),
            None => b"null".to_vec(),
        };
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}

/// A game with the annotations of its duplicate.
async fn merged_game(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let kept: u32 = params.number("game", 0)?;
        let other: u32 = params.number("duplicate", 0)?;
        let (db, with) = (params.text("db"), params.text("of"));
        let with = if with.is_empty() { db } else { with };
        let (index, game) = decided_duplicates::merged_game(app, (db, kept), (with, other))?;
        let source = RowSource::new(&app.shelf, &[db, with])?;
        let bytes = (app.game_document)(index, &game);
        let tag = asked.tag(&source.fingerprint());
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}

/// The index entry and the bytes of a record.
async fn stored(
    State(app): Shared,
    asked: Asked,
    Path((id, number)): Path<(String, String)>,
) -> Response<Body> {
    answer(app, move |app| {
        let opened = app.shelf.database(&id)?;
        let number: u32 = number
            .parse()
            .map_err(|_| Problem::bad_request(format!("`{number}` is no number of a game")))?;
        let len = opened.database().map_or(0, tabia::Database::len);
        let index = number.checked_sub(1).filter(|index| *index < len);
        let index = index.map(GameIndex).ok_or_else(|| {
            Problem::not_found(format!("there is no game {number}; the last one is {len}"))
        })?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let found = stored_record(&opened, index)?;
        Ok(tag.mark(document(&found)?))
    })
    .await
}

async fn duplicates(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let from: usize = params.number("from", 0)?;
        let count: usize = params.number("n", 50)?;
        if count > MAX_ROWS as usize {
            return Err(Problem::bad_request("`n` is at most 500"));
        }
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let tag = asked.tag(&source.fingerprint());
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let inputs = databases(app, &params)?;
        let threads = app.threads;
        let key = source.key();
        let job = app
            .duplicates
            .get_or_start(&key, Arc::default(), move |job| {
                search_duplicates_and_previews::duplicates(&inputs, threads, job)
            })?;
        let found = job.wait(PATIENCE, |_| false);
        if let Some(error) = found.error() {
            return Err(Problem::new(
                axum::http::StatusCode::UNPROCESSABLE_ENTITY,
                error,
            ));
        }
        let (all, is_done) = (Arc::clone(found.found()), found.is_done());
        drop(found);
        let open: Vec<(String, &dyn tabia::Database)> = source
            .parts
            .iter()
            .filter_map(|part| Some((part.id.clone(), part.opened.database()?)))
            .collect();
        let mut readers: Vec<_> = open.iter().map(|(_, database)| database.reader()).collect();
        let pairs: Vec<Value> = all
            .iter()
            .skip(from)
            .take(count)
            .map(|duplicate| search_duplicates_and_previews::pair(duplicate, &open, &mut readers))
            .collect();
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for duplicate in all.iter() {
            *kinds.entry(duplicate.kind.name()).or_default() += 1;
        }
        let found = json!({
            "count": all.len(),
            "kinds": kinds,
            "from": from,
            "pairs": pairs,
            "total": source.total,
        });
        let answer = so_far(found, is_done, job.progress.games())?;
        Ok(tagged_if(is_done, &tag, answer))
    })
    .await
}

async fn formats(State(app): Shared) -> Response<Body> {
    answer(app, |_| {
        let profiles: Vec<&str> = Profile::ALL.iter().map(|(_, name)| *name).collect();
        by_content(&json!({
            "targets": search_duplicates_and_previews::targets(),
            "books": search_duplicates_and_previews::book_targets(),
            "profiles": profiles,
        }))
    })
    .await
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
        let book = opened
            .book()
            .ok_or_else(|| Problem::bad_request(format!("`{id}` is no book")))?;
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
        page["opening"] =
            json!(opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})));
        page["fingerprint"] = json!(opened.fingerprint);
        Ok(asked.tag(&opened.fingerprint).mark(document(&page)?))
    })
    .await
}

async fn drop_space(State(app): Shared) -> Response<Body> {
    answer(app, |app| document(&json!({"space": app.dropped.space()}))).await
}

/// Stores a file of a set; the last one opens it.
async fn drop_file(
    State(app): Shared,
    Path(name): Path<String>,
    params: Params,
    request: Request,
) -> Response<Body> {
    let set = match params.text("set") {
        "" => None,
        _ => match params.number("set", 0_u64) {
            Ok(set) => Some(set),
            Err(problem) => return problem.into_response(),
        },
    };
    let (parts, body) = request.into_parts();
    let received = app.dropped.receive(name, set, &parts.headers, body).await;
    let set = match received {
        Ok(set) => set,
        Err(problem) => return problem.into_response(),
    };
    if params.is_on("more") {
        return answer(app, |_| document(&json!({"inputs": [], "problems": []}))).await;
    }
    answer(app, move |app| {
        app.dropped.complete(&set);
        let found = app.shelf.add_dropped(&set.folder);
        let (inputs, problems) = found.inspect_err(|_| app.dropped.discard(&set))?;
        let inputs: Vec<Value> = inputs.iter().map(|input| card(input)).collect();
        let mut answer = document(&json!({"inputs": inputs, "problems": problems}))?;
        *answer.status_mut() = axum::http::StatusCode::CREATED;
        Ok(answer)
    })
    .await
}
