//! The requests for lists of games, and for what a query can contain.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use serde_json::{Value, json};
use tabia::query::{fields, fold};

use crate::answers::{PATIENCE, answer, document, so_far, tagged_if};
use crate::app_state::App;
use crate::etag::Asked;
use crate::filter_and_sort::{self, RowSource, SORT_COLUMNS, Unread, ViewQuery, ViewRows};
use crate::jobs::Job;
use crate::names_by_frequency;
use crate::params::Params;
use crate::problem::Problem;
use crate::rows::{COLUMNS, details, rows};

/// Rows of one answer at most.
const MAX_ROWS: u32 = 500;
/// Names that are suggested at most.
const MAX_SUGGESTIONS: usize = 20;

type Shared = State<Arc<App>>;

/// The routes of lists.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/games", get(games))
        .route("/api/v1/row", get(row))
        .route("/api/v1/fields", get(query_fields))
        .route("/api/v1/suggest", get(suggest))
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
        let details = details(&params.ids("details"))?;
        let source = RowSource::new(&app.shelf, &params.ids("db"))?;
        let tag = asked.tag(&source.fingerprint());
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let list = list(app, &source, &params)?;
        let end = from.saturating_add(count);
        let mut answer = json!({
            "total": source.total,
            "texts": source.texts(),
            "from": from,
            "columns": COLUMNS,
            "sortable": SORT_COLUMNS,
            "fingerprints": fingerprints(&source),
        });
        let mut unread = None;
        let (numbers, count, is_done, scanned) = match &list {
            List::Everything => {
                let numbers: Vec<u32> = (from..end.min(source.total)).collect();
                (numbers, json!(source.total), true, source.total.into())
            }
            List::Found(job) => {
                let found = job.wait(PATIENCE, |found| found.rows.len() >= end as usize);
                found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
                unread = named_unread(&source, &found.found().unread);
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
        answer["unread"] = json!(unread);
        answer["rows"] = Value::Array(rows(&source, numbers.into_iter(), details));
        let answer = so_far(answer, is_done, scanned)?;
        Ok(tagged_if(is_done, &tag, answer))
    })
    .await
}

/// The games that could not be read to their end; nothing if there are none.
fn named_unread(source: &RowSource, unread: &Unread) -> Option<Value> {
    let first = unread.first.iter().filter_map(|(row, text)| {
        let (part, game) = source.locate(*row)?;
        Some(json!({"db": part.id, "game": game.0 + 1, "text": text}))
    });
    let first: Vec<Value> = first.collect();
    (unread.count > 0).then(|| json!({"count": unread.count, "first": first}))
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
                found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
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
