//! The requests that start jobs, show their progress and end them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tabia::NoObserver;
use tabia::base::{IndexChange, build_index};

use crate::answers::{answer, document, of_type};
use crate::app_state::App;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::started_jobs::{JobResult, JobSubject, StartedJob};
use crate::stream;

/// Bytes of the JSON of a request.
const MAX_BODY: usize = 1 << 20;
/// Time for them to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How often the progress of running jobs is sent.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often something is sent if nothing happens, so that clients that are gone are noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A client that takes nothing for this time is given up.
const STALLED: Duration = Duration::from_secs(30);

type Shared = State<Arc<App>>;

/// The routes of jobs, those of [`openapi::ROUTES`](crate::openapi) and those that start and end jobs.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/jobs", get(jobs).merge(post(start)))
        .route("/api/v1/jobs/{id}", get(job).delete(cancel))
        .route("/api/v1/events", get(events))
}

/// The JSON of a request.
///
/// # Errors
/// 415 if it is something else, 413 if it is too long, 408 if it does not arrive, 400 if it is wrong.
pub(crate) async fn read_json<T: DeserializeOwned>(request: Request) -> Result<T, Problem> {
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    if !essence.is_some_and(|value| value.trim().eq_ignore_ascii_case("application/json")) {
        let text = "the request has to be `application/json`";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
    }
    let body = to_bytes(request.into_body(), MAX_BODY);
    let Ok(body) = tokio::time::timeout(BODY_TIME, body).await else {
        let text = "the request did not arrive in time";
        return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, text));
    };
    let body = body.map_err(|_| {
        let text = "the request is longer than 1 MiB, or broke off";
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    })?;
    parse_json(&body)
}

/// The JSON of a request in its bytes.
pub(crate) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::bad_request(format!("the request cannot be read: {error}")))
}

/// The answer to a request that has started a job.
pub(crate) fn accepted(job: &StartedJob) -> Result<Response<Body>, Problem> {
    let mut answer = document(&job.document())?;
    *answer.status_mut() = StatusCode::ACCEPTED;
    let location = HeaderValue::try_from(format!("/api/v1/jobs/{}", job.id));
    if let Ok(location) = location {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    Ok(answer)
}

/// The number in a path.
pub(crate) fn number_of(id: &str) -> Result<u64, Problem> {
    id.parse()
        .map_err(|_| Problem::not_found(format!("`{id}` is no number of a job")))
}

async fn jobs(State(app): Shared) -> Response<Body> {
    answer(app, |app| {
        let jobs: Vec<Value> = app.started.all().iter().map(|job| job.document()).collect();
        document(&json!({"jobs": jobs}))
    })
    .await
}

async fn job(State(app): Shared, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        document(&app.started.find(number_of(&id)?)?.document())
    })
    .await
}

async fn cancel(State(app): Shared, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let job = app.started.find(number_of(&id)?)?;
        app.started.cancel_or_forget(&job);
        document(&job.document())
    })
    .await
}

/// What `POST jobs` starts.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
enum JobRequest {
    /// The saved index of a database.
    Index { db: String },
}

async fn start(State(app): Shared, request: Request) -> Response<Body> {
    let request = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    answer(app, move |app| {
        let JobRequest::Index { db } = request;
        let job = start_index(app, &db)?;
        accepted(&job)
    })
    .await
}

/// Makes the saved index of a database, in the cache.
fn start_index(app: &App, id: &str) -> Result<Arc<StartedJob>, Problem> {
    let input = app.shelf.find(id)?;
    if !input.is_database() {
        let problem = Problem::bad_request(format!("`{id}` is no database"));
        return Err(problem.coded(Code::NoDatabase, &[("id", &id)]));
    }
    if !input.is_indexable() {
        let text = format!("`{id}` is no file of its own, so it has no index");
        return Err(Problem::bad_request(text));
    }
    let mut options = app.bases.options_to_build();
    options.open.clone_from(input.options());
    let subject = JobSubject {
        kind: "index",
        inputs: vec![id.to_owned()],
        name: None,
    };
    app.started.start(subject, move |progress| {
        let of_input =
            |error: tabia::Error| Problem::from(error).map_texts(|text| input.without_folder(text));
        let item = input.resolve().map_err(of_input)?;
        progress.set_total(item.bytes().unwrap_or_default());
        let built = build_index(&item, &options, progress, &mut NoObserver).map_err(of_input)?;
        let change = match built.change {
            IndexChange::None => "current",
            IndexChange::Grown => "grown",
            IndexChange::Built => "built",
        };
        Ok(JobResult {
            document: json!({
                "change": change,
                "games": built.index.games(),
                "bytes": built.index.bytes(),
                "problems": built.summary.problems,
            }),
            files: Vec::new(),
        })
    })
}

/// The jobs as events, each when it changes.
async fn events(State(app): Shared) -> Response<Body> {
    let Ok(permit) = Arc::clone(&app.listeners).try_acquire_owned() else {
        return Problem::busy("too many pages follow the jobs").into_response();
    };
    let (sender, body) = stream::body();
    tokio::spawn(async move {
        let _permit = permit;
        follow(&app, &sender).await;
    });
    let mut response = of_type("text/event-stream", Vec::new());
    *response.body_mut() = body;
    response
}

/// Sends events until the client is gone or the server ends.
async fn follow(app: &App, sender: &stream::Sender) {
    let mut version = app.started.version();
    let mut sent: Option<BTreeMap<u64, String>> = None;
    let mut text = String::new();
    loop {
        version.mark_unchanged();
        let is_closed = app.started.is_closed();
        let mut is_running = false;
        let mut known = BTreeMap::new();
        for job in app.started.all() {
            let document = job.document();
            is_running |= document["state"] == "running";
            known.insert(job.id, document.to_string());
        }
        // Writing into a string cannot fail.
        let _ = match &sent {
            None => {
                let all: Vec<&str> = known.values().map(String::as_str).collect();
                write!(
                    text,
                    "event: jobs\ndata: {{\"jobs\":[{}]}}\n\n",
                    all.join(",")
                )
            }
            Some(sent) => write_changes(sent, &known, &mut text),
        };
        sent = Some(known);
        if !text.is_empty() {
            let part = Bytes::from(std::mem::take(&mut text));
            let is_sent = tokio::time::timeout(STALLED, sender.send(part)).await;
            if is_sent != Ok(true) {
                return;
            }
        }
        if is_closed {
            return;
        }
        let pause = if is_running { INTERVAL } else { HEARTBEAT };
        tokio::select! {
            () = sender.closed() => return,
            changed = tokio::time::timeout(pause, version.changed()) => match changed {
                Ok(Err(_)) => return,
                Err(_) if !is_running => text.push_str(": \n\n"),
                Ok(Ok(())) | Err(_) => {}
            },
        }
    }
}

/// Events for what differs from what was sent.
fn write_changes(
    sent: &BTreeMap<u64, String>,
    known: &BTreeMap<u64, String>,
    text: &mut String,
) -> std::fmt::Result {
    for (id, document) in known {
        if sent.get(id) != Some(document) {
            write!(text, "event: job\ndata: {document}\n\n")?;
        }
    }
    for id in sent.keys().filter(|id| !known.contains_key(id)) {
        write!(text, "event: forgotten\ndata: {{\"id\":{id}}}\n\n")?;
    }
    Ok(())
}

/// Reads a body as every request of this file does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_bodies(body: &[u8]) {
    let _: Result<JobRequest, Problem> = parse_json(body);
}
