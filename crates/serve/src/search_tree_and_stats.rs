//! The requests that answer as `tabia search`, `tree` and `stats` do, over some databases or all of them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::routing::get;
use serde_json::{Map, Value, json};
use tabia::base::Base;
use tabia::query::Query;
use tabia::stats::{StatsCount, StatsKey, StatsOptions, StatsOrder, StatsRow, StatsValue};
use tabia::{Error, NoObserver};

use crate::answers::{PATIENCE, answer, by_content, so_far, with_progress};
use crate::app_state::App;
use crate::etag::Asked;
use crate::explore;
use crate::explorer_requests::tree_job;
use crate::filter_and_sort::RowSource;
use crate::jobs::Job;
use crate::params::Params;
use crate::problem::Problem;
use crate::report_requests::reported_from;
use crate::search_duplicates_and_previews::{self, MAX_HITS, Page};
use crate::shelf_input::ShelfInput;

/// Groups of one answer at most.
const MAX_GROUPS: usize = 10_000;

type Shared = State<Arc<App>>;

/// The routes of questions about games.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/search", get(search))
        .route("/api/v1/tree", get(tree))
        .route("/api/v1/stats", get(stats))
}

/// What is asked of which databases.
struct Question {
    inputs: Vec<Arc<ShelfInput>>,
    source: RowSource,
    query: Query,
    /// Of all databases those that cannot be read, with the reasons.
    left_out: Vec<Value>,
}

impl Question {
    /// The databases of `db`, all if it is absent, and the query `q`, which is called `where` elsewhere.
    fn new(app: &App, params: &Params) -> Result<Self, Problem> {
        let mut names: Vec<String> = params.ids("db").into_iter().map(str::to_owned).collect();
        let mut left_out = Vec::new();
        if names.is_empty() {
            let all = app.shelf.inputs().into_iter();
            for input in all.filter(|input| input.is_database()) {
                match input.open() {
                    Ok(_) => names.push(input.id.clone()),
                    Err(problem) if problem.status == StatusCode::SERVICE_UNAVAILABLE => {
                        return Err(problem);
                    }
                    Err(problem) => {
                        left_out.push(json!({"id": input.id, "problem": problem.summary()}));
                    }
                }
            }
        }
        let ids: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = RowSource::new(&app.shelf, &ids)?;
        let parts = source.parts.iter();
        let inputs: Result<_, _> = parts.map(|part| app.shelf.find(&part.id)).collect();
        let text = match params.text("q") {
            "" => params.text("where"),
            text => text,
        };
        Ok(Self {
            inputs: inputs?,
            source,
            query: Query::parse(text)?,
            left_out,
        })
    }
}

async fn search(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let question = Question::new(app, &params)?;
        if question.query.is_empty() {
            return Err(Problem::bad_request("`q` is empty"));
        }
        let page = Page {
            after: params.number("after", 0)?,
            limit: params.number("limit", MAX_HITS)?,
        };
        if page.limit == 0 || page.limit > MAX_HITS {
            let text = format!("`limit` is 1 to {MAX_HITS}");
            return Err(Problem::bad_request(text));
        }
        let Question {
            inputs,
            source,
            query,
            left_out,
        } = question;
        let ids: Vec<String> = inputs.iter().map(|input| input.id.clone()).collect();
        let (base, name) = app.bases.of(&inputs)?;
        let key = format!("search\n{name}\n{} {}\n{query}", page.after, page.limit);
        let numbered = inputs.iter().enumerate();
        let unindexed = numbered
            .filter(|(number, input)| input.is_indexable() && !base.has_index(*number))
            .map(|(_, input)| input.id.as_str());
        let mut start = search_duplicates_and_previews::no_hits();
        start["total"] = json!(source.total);
        start["unindexed"] = unindexed.collect();
        start["leftOut"] = json!(left_out);
        reported_from(
            app,
            &asked,
            &source.fingerprint(),
            &key,
            start,
            move |job| search_duplicates_and_previews::search(&base, &ids, &query, page, job),
        )
    })
    .await
}

async fn tree(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let Question {
            inputs,
            source,
            query,
            left_out,
        } = Question::new(app, &params)?;
        let (_, _, position) = params.position()?;
        let (base, name) = app.bases.of(&inputs)?;
        let job = tree_job(app, base, &name, &position, &query, explore::listed_games())?;
        let found = job.wait(PATIENCE, |_| false);
        found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
        let (tree, is_done) = (found.found().clone(), found.is_done());
        drop(found);
        let parts = source.parts.iter();
        let open: Vec<_> = parts
            .filter_map(|part| Some((part.id.as_str(), part.opened.database()?)))
            .collect();
        let mut found = match &tree {
            Some(tree) => explore::of_databases(tree, &open),
            None => json!({"games": 0, "white": 0, "draws": 0, "black": 0, "moves": []}),
        };
        found["fen"] = json!(position.fen());
        found["leftOut"] = json!(left_out);
        let scanned = job.progress.games();
        if is_done {
            by_content(&with_progress(found, true, scanned))
        } else {
            so_far(found, false, scanned)
        }
    })
    .await
}

async fn stats(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let Question {
            inputs,
            source,
            query,
            left_out,
        } = Question::new(app, &params)?;
        let mut options = StatsOptions::default();
        let by = params.text("by");
        if !by.is_empty() {
            let keys = StatsKey::parse_list(by);
            options.keys = keys.map_err(|why| Problem::bad_request(format!("by: {why}")))?;
        }
        let player = params.text("player").trim();
        options.player = (!player.is_empty()).then(|| player.to_owned());
        options.order = match params.text("order") {
            "games" => StatsOrder::Games,
            "key" => StatsOrder::Key,
            "" => StatsOrder::usual(&options.keys),
            other => {
                let text = format!("`order={other}` is not `games` or `key`");
                return Err(Problem::bad_request(text));
            }
        };
        let (base, name) = app.bases.of(&inputs)?;
        let key = format!(
            "stats\n{name}\n{by}\n{player}\n{:?}\n{query}",
            options.order
        );
        let start = json!({"groups": [], "isLimited": false, "leftOut": left_out});
        reported_from(
            app,
            &asked,
            &source.fingerprint(),
            &key,
            start,
            move |job| groups(&base, &query, &options, job),
        )
    })
    .await
}

/// The groups of games, with the names of `tabia stats --ndjson`.
fn groups(
    base: &Base,
    query: &Query,
    options: &StatsOptions,
    job: &Job<Value>,
) -> Result<(), Error> {
    let (mut groups, mut is_limited) = (Vec::new(), false);
    base.stats_with(query, options, &job.progress, &mut NoObserver, &mut |row| {
        is_limited = groups.len() == MAX_GROUPS;
        if !is_limited {
            groups.push(group(row, options));
        }
        Ok(!is_limited)
    })?;
    job.update(|found| {
        found["groups"] = json!(groups);
        found["isLimited"] = json!(is_limited);
    });
    Ok(())
}

fn group(row: &StatsRow, options: &StatsOptions) -> Value {
    let mut found = Map::new();
    for (key, value) in options.keys.iter().zip(&row.values) {
        let value = match value {
            StatsValue::Number(number) => json!(number),
            StatsValue::Text(text) => json!(text),
            _ => Value::Null,
        };
        found.insert(key.name().to_owned(), value);
    }
    found.extend(row.counts(options).map(|(name, count)| {
        let count = match count {
            StatsCount::Whole(number) => json!(number),
            // Whole numbers are written as such.
            StatsCount::Tenths(number) if number.fract() == 0.0 => json!(number as i64),
            StatsCount::Tenths(number) => json!(number),
            _ => Value::Null,
        };
        (name.to_owned(), count)
    }));
    Value::Object(found)
}
