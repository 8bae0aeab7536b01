//! Spellings of names that the reader has chosen: which games get other names, and a new database in which they have.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::routing::post;
use serde::Deserialize;
use serde_json::{Value, json};
use tabia::NoObserver;
use tabia::convert::ConvertOptions;
use tabia::list::ListOptions;
use tabia::names::{NamedThing, RenamedGame, Renames, find_renamed_games};

use crate::answers::{answer, profile_of, report};
use crate::app_state::App;
#[cfg(any(test, feature = "fuzzing"))]
use crate::job_requests::parse_json;
use crate::job_requests::read_json;
use crate::problem::Problem;
use crate::shelf_input::ShelfInput;
use crate::write_requests::{NewDatabase, databases, out_folder};

/// Names that change at most.
const MAX_RENAMES: usize = 10_000;
/// Games that a preview shows.
const MAX_GAMES: usize = 20;

/// The routes of what is written.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/names", post(start_rename))
        .route("/api/v1/names/preview", post(preview))
}

/// A name and its new spelling.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rename {
    /// `player`, `event`, `site` or `annotator`.
    kind: String,
    name: String,
    proposal: String,
}

/// A database in which names have other spellings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RenameRequest {
    /// Ids separated by commas.
    db: String,
    to: String,
    #[serde(default)]
    profile: String,
    name: String,
    #[serde(default)]
    force: bool,
    renames: Vec<Rename>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PreviewRequest {
    db: String,
    renames: Vec<Rename>,
}

fn renames_of(renames: &[Rename]) -> Result<Renames, Problem> {
    if renames.is_empty() || renames.len() > MAX_RENAMES {
        let text = format!("`renames` are 1 to {MAX_RENAMES}");
        return Err(Problem::bad_request(text));
    }
    let rows: Result<Vec<_>, Problem> = renames
        .iter()
        .map(|rename| {
            let kind = NamedThing::parse(&rename.kind).ok_or_else(|| {
                Problem::bad_request("`kind` is player, event, site or annotator")
            })?;
            Ok((kind, rename.name.clone(), rename.proposal.clone()))
        })
        .collect();
    let renames = Renames::new(rows?);
    let renames = renames.map_err(|error| Problem::bad_request(error.to_string()))?;
    if renames.is_empty() {
        return Err(Problem::bad_request("`renames` change no name"));
    }
    Ok(renames)
}

async fn start_rename(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let request: RenameRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    let shared = Arc::clone(&app);
    answer(app, move |_| {
        let new = NewDatabase::new(&shared, &request.name, &request.to, request.force)?;
        let renames = renames_of(&request.renames)?;
        let inputs = databases(&shared, &request.db)?;
        let mut options = ConvertOptions::default();
        if let Some(input) = inputs.first() {
            options.open.clone_from(input.options());
        }
        options.create.profile = profile_of(&request.profile)?;
        options.plan.renames = Some(Arc::new(renames));
        new.convert(&shared, inputs, options, |_, _, _| Ok(()))
    })
    .await
}

/// The games that would get other names; asked again until it is known.
async fn preview(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let request: PreviewRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    answer(app, move |app| {
        out_folder(app)?;
        let renames = renames_of(&request.renames)?;
        let inputs = databases(app, &request.db)?;
        let states: Vec<String> = inputs.iter().map(|input| input.state_of_files()).collect();
        let key = format!("names\n{}\n{request:?}", states.join("\n"));
        let threads = app.threads;
        let job = app.reports.get_or_start(&key, Value::Null, move |job| {
            let mut options = ListOptions::default();
            options.threads = threads;
            let mut items = Vec::new();
            for input in &inputs {
                items.push(input.resolve()?);
                options.open.clone_from(input.options());
            }
            let bytes = items.iter().filter_map(tabia::InputItem::bytes).sum();
            job.progress.set_total(bytes);
            let progress = &job.progress;
            let found = find_renamed_games(
                &items,
                &renames,
                &options,
                MAX_GAMES,
                progress,
                &mut NoObserver,
            );
            let (_, found) = found?;
            let first: Vec<Value> = found.first.iter().map(|game| row(game, &inputs)).collect();
            job.update(|report| *report = json!({"games": found.games, "first": first}));
            Ok(())
        })?;
        report(&job, None)
    })
    .await
}

fn row(game: &RenamedGame, inputs: &[Arc<ShelfInput>]) -> Value {
    let changes = game
        .changes
        .iter()
        .map(|change| json!({"tag": change.tag, "old": change.old, "new": change.new}));
    json!({
        "db": inputs.get(game.item).map(|input| input.id.as_str()),
        "game": u64::from(game.game.0) + 1,
        "changes": changes.collect::<Vec<Value>>(),
    })
}

/// Reads a body as every request of this file does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_bodies(body: &[u8]) {
    let renames = match parse_json::<RenameRequest>(body) {
        Ok(request) => request.renames,
        Err(_) => match parse_json::<PreviewRequest>(body) {
            Ok(request) => request.renames,
            Err(_) => return,
        },
    };
    if let Ok(names) = renames_of(&renames) {
        assert!(names.len() <= renames.len());
    }
}
