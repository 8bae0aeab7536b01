//! What the answers to all requests are made with.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};
use tabia::Profile;

use crate::app_state::App;
use crate::etag::{self, Tag};
use crate::jobs::Job;
use crate::problem::Problem;

/// How long an answer waits for a search before it states what was found so far.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);

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

/// The result of a job as JSON, with `isDone` and the number of games read so far.
pub(crate) fn report(job: &Job<Value>, tag: Option<&Tag>) -> Result<Response<Body>, Problem> {
    let found = job.wait(PATIENCE, |_| false);
    if let Some(error) = found.error() {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error));
    }
    let mut answer = match found.found() {
        Value::Null => json!({}),
        value => value.clone(),
    };
    answer["isDone"] = json!(found.is_done());
    answer["scanned"] = json!(job.progress.games());
    let tag = tag.filter(|_| found.is_done());
    drop(found);
    let answer = document(&answer)?;
    Ok(match tag {
        Some(tag) => tag.mark(answer),
        None => answer,
    })
}
