//! Requests whose answers are reports: work that is asked about again until it is done.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::routing::get;
use serde_json::{Value, json};
use tabia::Error;
use tabia::query::Query;

use crate::answers::{PATIENCE, answer, profile_of, report, so_far, tagged_if};
use crate::app_state::App;
use crate::etag::Asked;
use crate::filter_and_sort::RowSource;
use crate::input_health;
use crate::jobs::Job;
use crate::params::Params;
use crate::player_games::PlayerGames;
use crate::player_tree::ReferenceReplies;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::search_duplicates_and_previews::{self, PREVIEWED, SAMPLED, Tried, preview, sample};
use crate::shelf_input::ShelfInput;
use crate::{spellings_and_charsets, tried_writes, unlikely_values};

/// Pairs of one answer at most.
const MAX_PAIRS: usize = 500;
/// Spellings of one player at most.
const MAX_SPELLINGS: usize = 50;

type Shared = State<Arc<App>>;

/// The routes of reports.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/db/{id}/health", get(check))
        .route("/api/v1/duplicates", get(duplicates))
        .route("/api/v1/db/{id}/charsets", get(charsets))
        .route("/api/v1/db/{id}/unlikely", get(unlikely))
        .route("/api/v1/db/{id}/repair", get(repair))
        .route("/api/v1/spellings", get(spellings))
        .route("/api/v1/player", get(player))
        .route("/api/v1/player/unfaced", get(unfaced))
        .route("/api/v1/convert", get(conversion))
}

/// As far as `work` has come with the report of a key, which it does once in each `state` of the inputs.
///
/// # Errors
/// Those of the work, or that too much runs.
fn reported(
    app: &App,
    asked: &Asked,
    state: &str,
    key: &str,
    work: impl FnOnce(&Job<Value>) -> Result<(), Error> + Send + 'static,
) -> Result<Response<Body>, Problem> {
    reported_from(app, asked, state, key, Value::Null, work)
}

/// As [`reported`]; `start` is what the report is before anything is found.
pub(crate) fn reported_from(
    app: &App,
    asked: &Asked,
    state: &str,
    key: &str,
    start: Value,
    work: impl FnOnce(&Job<Value>) -> Result<(), Error> + Send + 'static,
) -> Result<Response<Body>, Problem> {
    let tag = asked.tag(state);
    if let Some(known) = tag.if_known() {
        return Ok(known);
    }
    let job = app.reports.get_or_start(key, start, work)?;
    report(&job, Some(&tag))
}

/// The databases of `db`.
pub(crate) fn databases(app: &App, params: &Params) -> Result<Vec<Arc<ShelfInput>>, Problem> {
    let source = RowSource::new(&app.shelf, &params.ids("db"))?;
    let parts = source.parts.iter();
    parts.map(|part| app.shelf.find(&part.id)).collect()
}

async fn player(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let name = params.text("name").trim().to_owned();
        if name.is_empty() {
            return Err(Problem::bad_request("`name` is empty"));
        }
        let names = spellings_of(&name, &params)?;
        let key = format!("player\n{}\n{}", source.key(), names.join("\n"));
        reported(app, &asked, &source.fingerprint(), &key, move |job| {
            let mut games = PlayerGames::default();
            job.progress.set_total(source.total.into());
            for part in &source.parts {
                if let Some(database) = part.opened.database() {
                    games.add(database, &names, &job.progress)?;
                }
            }
            let found = games.document(&name);
            job.update(|report| *report = found);
            Ok(())
        })
    })
    .await
}

/// A name and the other spellings of it that a request names, a line each.
fn spellings_of(name: &str, params: &Params) -> Result<Vec<String>, Problem> {
    let others = params.text("also").lines().map(str::trim);
    let mut names = vec![name.to_owned()];
    names.extend(others.filter(|other| !other.is_empty()).map(str::to_owned));
    if names.len() > MAX_SPELLINGS {
        return Err(Problem::bad_request("`also` names more than 50 spellings"));
    }
    Ok(names)
}

/// The names of databases that are spelt in several ways.
async fn spellings(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let only_players = match params.text("of") {
            "" => false,
            "player" => true,
            _ => return Err(Problem::bad_request("`of` is player")),
        };
        let inputs = databases(app, &params)?;
        let threads = app.threads;
        let key = format!("spellings\n{only_players}\n{}", source.key());
        reported(app, &asked, &source.fingerprint(), &key, move |job| {
            spellings_and_charsets::spellings(&inputs, only_players, threads, job)
        })
    })
    .await
}

/// The first names of a database that are not ASCII, in several character sets.
async fn charsets(State(app): Shared, asked: Asked, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let opened = app.shelf.database(&id)?;
        let fingerprint = opened.fingerprint.clone();
        let key = format!("charsets\n{id}\n{fingerprint}");
        reported(app, &asked, &fingerprint, &key, move |job| {
            let found = spellings_and_charsets::charsets(&input, &opened, &job.progress)?;
            job.update(|report| *report = found);
            Ok(())
        })
    })
    .await
}

/// The games of a database whose date or result cannot be right.
async fn unlikely(State(app): Shared, asked: Asked, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let opened = app.shelf.database(&id)?;
        let fingerprint = opened.fingerprint.clone();
        let key = format!("unlikely\n{id}\n{fingerprint}");
        reported(app, &asked, &fingerprint, &key, move |job| {
            let Some(database) = opened.database() else {
                return Ok(());
            };
            let found = unlikely_values::find(database, input.modified(), &job.progress)?;
            job.update(|report| *report = found);
            Ok(())
        })
    })
    .await
}

/// What a repair would save.
async fn repair(State(app): Shared, asked: Asked, Path(id): Path<String>) -> Response<Body> {
    answer(app, move |app| {
        let input = app.shelf.find(&id)?;
        let format = input.format.filter(|_| input.is_database());
        let format = format.ok_or_else(|| {
            let problem = Problem::bad_request(format!("`{id}` is no database that can be read"));
            problem.coded(Code::NoDatabase, &[("id", &id)])
        })?;
        let writable = format.game_writer().is_some();
        let to = Some(format).filter(|_| writable);
        let to = to.or_else(|| tabia::format("pgn"));
        let to = to.ok_or_else(|| Error::unsupported("PGN cannot be written"))?;
        let state = input.state_of_files();
        let key = format!("repair\n{id}\n{state}");
        let threads = app.threads;
        reported(app, &asked, &state, &key, move |job| {
            tried_writes::repair_preview(&input, to, threads, job)
        })
    })
    .await
}

/// The replies that are frequent in the reference and that no game of the player has.
async fn unfaced(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let reference = match params.ids("reference") {
            ids if ids.is_empty() => source.clone(),
            ids => RowSource::new(&app.shelf, &ids)?,
        };
        let name = params.text("name").trim().to_owned();
        if name.is_empty() {
            return Err(Problem::bad_request("`name` is empty"));
        }
        let fingerprints = format!("{} {}", source.fingerprint(), reference.fingerprint());
        let key = format!("unfaced\n{}\n{}\n{name}", source.key(), reference.key());
        let threads = app.threads;
        reported(app, &asked, &fingerprints, &key, move |job| {
            let total = u64::from(source.total) + u64::from(reference.total);
            job.progress.set_total(total);
            let mut games = PlayerGames::default();
            for part in &source.parts {
                if let Some(database) = part.opened.database() {
                    games.add(database, std::slice::from_ref(&name), &job.progress)?;
                }
            }
            let mut replies = ReferenceReplies::new(games.trees());
            for part in &reference.parts {
                if let Some(database) = part.opened.database() {
                    replies.add(database, games.trees(), threads, &job.progress)?;
                }
            }
            let found = replies.document(games.trees());
            job.update(|report| *report = found);
            Ok(())
        })
    })
    .await
}

async fn conversion(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let is_sample = params.is_on("sample");
        let tried = Tried {
            inputs: databases(app, &params)?,
            records: source.parts.iter().map(|part| part.len).collect(),
            query: Query::parse(params.text("where"))?,
            deleted: params.is_on("deleted"),
            most: if is_sample { SAMPLED } else { PREVIEWED },
        };
        let name = params.text("to");
        let to = tabia::format(name)
            .filter(|format| format.game_writer().is_some())
            .ok_or_else(|| {
                let text = format!("games cannot be written in the format `{name}`");
                Problem::bad_request(text).coded(Code::NoTarget, &[("format", &name)])
            })?;
        let profile = profile_of(params.text("profile"))?;
        let (key, deleted) = (source.key(), tried.deleted);
        let key = format!(
            "convert\n{key}\n{name}\n{profile:?}\n{deleted} {is_sample}\n{}",
            tried.query
        );
        let threads = app.threads;
        reported(app, &asked, &source.fingerprint(), &key, move |job| {
            let work = if is_sample { sample } else { preview };
            work(&tried, to, profile, threads, job)
        })
    })
    .await
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
            let problem = found.problem().cloned();
            let problem =
                problem.map(|problem| problem.map_texts(|text| input.without_folder(text)));
            let error = problem.as_ref().map(|problem| &problem.detail);
            answer.insert("error".into(), json!(error));
            answer.insert(
                "problem".into(),
                json!(problem.as_ref().map(Problem::summary)),
            );
            answer.insert("games".into(), json!(job.progress.games()));
        }
        let is_done = found.is_done();
        let is_complete = is_done && found.problem().is_none();
        drop(found);
        let answer = so_far(answer, is_done, job.progress.games())?;
        Ok(tagged_if(is_complete, &tag, answer))
    })
    .await
}

async fn duplicates(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let from: usize = params.number("from", 0)?;
        let count: usize = params.number("n", 50)?;
        if count > MAX_PAIRS {
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
        found.failed(axum::http::StatusCode::UNPROCESSABLE_ENTITY)?;
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
