//! The requests of the page and their answers.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::middleware::from_fn;
use axum::routing::get;
use serde_json::json;
use tabia::Profile;

use crate::answers::{answer, by_content};
use crate::app_state::App;
use crate::etag;
use crate::openapi;
use crate::{explorer_requests, game_requests, list_requests, report_requests, shelf_requests};
use crate::{search_duplicates_and_previews, search_tree_and_stats};

type Shared = State<Arc<App>>;

/// The routes of [`openapi::ROUTES`].
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/openapi.json", get(description))
        .route("/api/v1/formats", get(formats))
        .merge(shelf_requests::router())
        .merge(list_requests::router())
        .merge(search_tree_and_stats::router())
        .merge(game_requests::router())
        .merge(explorer_requests::router())
        .merge(report_requests::router())
        .layer(from_fn(etag::not_modified))
}

async fn description(State(app): Shared) -> Response<Body> {
    answer(app, |_| by_content(&openapi::document())).await
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
