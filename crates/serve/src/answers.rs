//! What the answers to all requests are made with.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::Next;
use serde_json::{Value, json};
use tabia::Profile;
use tokio::time::Instant;

use crate::app_state::App;
use crate::etag::{self, Tag};
use crate::jobs::Job;
use crate::openapi;
use crate::params::Params;
use crate::problem::Problem;

/// How long an answer waits for a search before it states what was found so far.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);
/// Milliseconds that a request can ask to wait for the complete answer, at most.
pub(crate) const MAX_WAIT: u64 = 20_000;
/// Between two looks of a request that waits.
const PAUSE: Duration = Duration::from_millis(50);

/// The result of `work`, which runs in the bounded pool.
///
/// # Errors
/// Those of the work; [`Problem::busy`] if too much waits for a thread.
pub(crate) async fn in_pool<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let Ok(permit) = Arc::clone(&app.queue).try_acquire_owned() else {
        return Err(Problem::busy("too many requests wait"));
    };
    let done = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    done.await.unwrap_or_else(|_| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Err(Problem::new(status, "an internal error; please report it"))
    })
}

/// Runs `work` in the bounded pool.
pub(crate) async fn answer(
    app: Arc<App>,
    work: impl FnOnce(&App) -> Result<Response<Body>, Problem> + Send + 'static,
) -> Response<Body> {
    let shared = Arc::clone(&app);
    in_pool(&app, move || work(&shared))
        .await
        .unwrap_or_else(Problem::into_response)
}

pub(crate) fn of_type(content_type: &'static str, bytes: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes));
    let value = HeaderValue::from_static(content_type);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

pub(crate) fn document(value: &Value) -> Result<Response<Body>, Problem> {
    let bytes = serde_json::to_vec(value).map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, error.to_string())
    })?;
    Ok(of_type("application/json", bytes))
}

/// A document with a tag made from its bytes.
pub(crate) fn by_content(value: &Value) -> Result<Response<Body>, Problem> {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    Ok(etag::mark_with_content(document(value)?, &bytes))
}

/// The profile with a name; the usual one if it is empty.
pub(crate) fn profile_of(name: &str) -> Result<Profile, Problem> {
    if name.is_empty() {
        return Ok(Profile::default());
    }
    let found = Profile::ALL.iter().find(|(_, known)| *known == name);
    let (profile, _) = found.ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|(_, name)| *name).collect();
        Problem::bad_request(format!("no profile is called `{name}`"))
            .with_hint(format!("profiles: {}", names.join(", ")))
    })?;
    Ok(*profile)
}

/// Marks an answer that came before the work for it was done.
#[derive(Debug, Clone, Copy)]
struct Partial;

/// The answer of work that may not be done: with `isDone`, and in `scanned` the number of games read so far.
pub(crate) fn with_progress(mut value: Value, is_done: bool, scanned: u64) -> Value {
    value["isDone"] = json!(is_done);
    value["scanned"] = json!(scanned);
    value
}

/// As [`with_progress`], as a response.
pub(crate) fn so_far(value: Value, is_done: bool, scanned: u64) -> Result<Response<Body>, Problem> {
    let mut answer = document(&with_progress(value, is_done, scanned))?;
    if !is_done {
        answer.extensions_mut().insert(Partial);
    }
    Ok(answer)
}

/// Repeats a request with `wait=MS` until its answer is that of finished work, or the time is over. No thread
/// waits for that.
pub(crate) async fn wait_until_done(request: Request, next: Next) -> Response<Body> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read || !request.uri().path().starts_with("/api/") {
        return next.run(request).await;
    }
    let wait = Params::of(request.uri()).and_then(|params| {
        openapi::check_params(request.uri().path(), &params)?;
        params.number("wait", 0)
    });
    let wait = match wait {
        Ok(wait) if wait <= MAX_WAIT => Duration::from_millis(wait),
        Ok(_) => {
            let problem = Problem::bad_request(format!("`wait` is at most {MAX_WAIT}"));
            return problem.into_response();
        }
        Err(problem) => return problem.into_response(),
    };
    let end = Instant::now() + wait;
    let (parts, body) = request.into_parts();
    let mut response = next
        .clone()
        .run(Request::from_parts(parts.clone(), body))
        .await;
    while response.extensions().get::<Partial>().is_some() && Instant::now() < end {
        tokio::time::sleep_until(end.min(Instant::now() + PAUSE)).await;
        let again = Request::from_parts(parts.clone(), Body::empty());
        response = next.clone().run(again).await;
    }
    response
}

/// The answer, with its tag if it is complete.
pub(crate) fn tagged_if(is_complete: bool, tag: &Tag, answer: Response<Body>) -> Response<Body> {
    if is_complete {
        tag.mark(answer)
    } else {
        answer
    }
}

/// The result of a job as JSON.
pub(crate) fn report(job: &Job<Value>, tag: Option<&Tag>) -> Result<Response<Body>, Problem> {
    let found = job.wait(PATIENCE, |_| false);
    found.failed(StatusCode::UNPROCESSABLE_ENTITY)?;
    let value = match found.found() {
        Value::Null => json!({}),
        value => value.clone(),
    };
    let is_done = found.is_done();
    let tag = tag.filter(|_| is_done);
    drop(found);
    let answer = so_far(value, is_done, job.progress.games())?;
    Ok(match tag {
        Some(tag) => tag.mark(answer),
        None => answer,
    })
}
