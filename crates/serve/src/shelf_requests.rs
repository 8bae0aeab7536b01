//! The requests for inputs: the shelf, one input, files that are dropped.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::Response;
use axum::routing::{get, post, put};
use serde::Deserialize;
use serde_json::{Value, json};
use tabia::formats::Format;
use tabia::query::Query;

use crate::answers::{answer, by_content, document};
use crate::app_state::App;
use crate::etag::Asked;
use crate::explore;
use crate::explorer_requests::tree_job;
use crate::job_requests::read_json;
use crate::params::Params;
use crate::problem::Problem;
use crate::shelf_input::ShelfInput;

type Shared = State<Arc<App>>;

/// The routes of inputs.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/shelf", get(shelf))
        .route("/api/v1/state", get(state))
        .route("/api/v1/db/{id}", get(input))
        .route("/api/v1/db/{id}/password", post(unlock))
        .route("/api/v1/drop", get(drop_space))
        .route("/api/v1/drop/{name}", put(drop_file))
}

async fn shelf(State(app): Shared) -> Response<Body> {
    let looking = Arc::clone(&app);
    // The answer does not wait for it: a page that shows the shelf asks again.
    tokio::task::spawn_blocking(move || looking.shelf.look_again());
    answer(app, |app| {
        let inputs = app.shelf.inputs().into_iter();
        let inputs = inputs.filter(|input| !input.is_removed());
        let inputs: Vec<Value> = inputs.map(|input| card(&input)).collect();
        by_content(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "canWrite": app.out.is_some(),
            "inputs": inputs,
        }))
    })
    .await
}

/// Whether the files of inputs are there and unchanged. A page that shows them asks again and again, so nothing is
/// opened for it.
async fn state(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let found = params.ids("db").into_iter();
        let found = found.filter_map(|id| app.shelf.find(id).ok());
        let inputs: Vec<Value> = found
            .filter(|input| input.error.is_none())
            .map(|input| {
                json!({
                    "id": input.id,
                    "name": input.name,
                    "fingerprint": input.state_of_files(),
                    "problem": input.why_gone().as_ref().map(Problem::summary),
                })
            })
            .collect();
        document(&json!({"inputs": inputs}))
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
    let problem = input.error.clone().map(Problem::from);
    let problem = problem.map(|problem| problem.map_texts(|text| input.without_folder(text)));
    json!({
        "id": input.id,
        "name": input.name,
        "folder": if input.is_dropped { "" } else { &input.folder },
        "dropped": input.is_dropped,
        "container": input.container,
        "kind": kind,
        "format": input.format.map(|format| format.id().to_string()),
        "formatName": input.format.map(Format::name),
        "bytes": input.size(),
        "modified": input.modified(),
        "error": problem.as_ref().map(|problem| &problem.detail),
        "problem": problem.as_ref().map(Problem::summary),
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
        explore::listed_games(),
    );
}

/// The password of an archive: in the body, since addresses are remembered.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PasswordRequest {
    password: String,
}

async fn unlock(State(app): Shared, Path(id): Path<String>, request: Request) -> Response<Body> {
    let request: PasswordRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    answer(app, move |app| {
        let found = app.shelf.unlock(&id, &request.password)?;
        let inputs: Vec<Value> = found.iter().map(|input| card(input)).collect();
        document(&json!({"inputs": inputs}))
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
