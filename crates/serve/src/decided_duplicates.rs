//! Duplicates about which the reader has decided: the merged game, and a new database without those that are dropped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::routing::post;
use serde::Deserialize;
use tabia::convert::ConvertOptions;
use tabia::dedupe::{DedupeOptions, Duplicate, merged, merges};
use tabia::{Game, GameIndex, Progress};

use crate::answers::{answer, profile_of};
use crate::app_state::App;
use crate::filter_and_sort::RowSource;
#[cfg(any(test, feature = "fuzzing"))]
use crate::job_requests::parse_json;
use crate::job_requests::read_json;
use crate::problem::Problem;
use crate::read_record::read_game;
use crate::search_duplicates_and_previews::duplicates;
use crate::write_requests::{NewDatabase, databases};

/// Decisions at most.
const MAX_DECISIONS: usize = 100_000;
/// How often a job that waits looks whether it is cancelled.
const PAUSE: Duration = Duration::from_millis(250);

/// The route of what is written.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new().route("/api/v1/dedupe", post(start_dedupe))
}

async fn start_dedupe(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let request: DedupeRequest = match read_json(request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    let shared = Arc::clone(&app);
    answer(app, move |_| dedupe_job(&shared, &request)).await
}

/// A database without the games that were decided to be dropped.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DedupeRequest {
    /// Ids separated by commas.
    db: String,
    to: String,
    #[serde(default)]
    profile: String,
    name: String,
    #[serde(default)]
    force: bool,
    decisions: Vec<Decision>,
}

/// What becomes of a pair, as `GET duplicates` lists it. Pairs without a decision keep both games.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Decision {
    kept: GameOf,
    dropped: GameOf,
    choice: Choice,
}

/// A game of one of the databases, its number from 1.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameOf {
    db: String,
    game: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Choice {
    /// The game that `tabia dedupe` keeps.
    Left,
    /// The other one.
    Right,
    /// The first with the annotations of the second.
    Merge,
    Both,
}

/// The game that is kept with the annotations of another one.
///
/// # Errors
/// When one of them cannot be read.
pub(crate) fn merged_game(
    app: &App,
    kept: (&str, u32),
    dropped: (&str, u32),
) -> Result<(GameIndex, Game), Problem> {
    let read = |(id, number): (&str, u32)| {
        let opened = app.shelf.database(id)?;
        let (index, game, _) = read_game(&opened, number)?;
        Ok::<_, Problem>((index, game))
    };
    let (index, kept) = read(kept)?;
    let (_, other) = read(dropped)?;
    Ok((index, merged(&kept, &other)))
}

/// The games that are dropped of each input, ascending, and those that are merged.
struct Decided {
    dropped: Vec<Vec<u32>>,
    merged: BTreeMap<(u32, u32), (u32, u32)>,
}

impl Decided {
    fn new(source: &RowSource, decisions: &[Decision]) -> Result<Self, Problem> {
        let record_of = |game: &GameOf| {
            let mut parts = (0_u32..).zip(&source.parts);
            let found = parts.find(|(_, part)| part.id == game.db);
            found
                .and_then(|(number, part)| {
                    let index = game.game.checked_sub(1).filter(|index| *index < part.len);
                    Some((number, index?))
                })
                .ok_or_else(|| {
                    let text = format!("`{}` has no game {}", game.db, game.game);
                    Problem::bad_request(text)
                })
        };
        let mut decided = Self {
            dropped: vec![Vec::new(); source.parts.len()],
            merged: BTreeMap::new(),
        };
        for decision in decisions {
            let (kept, other) = (record_of(&decision.kept)?, record_of(&decision.dropped)?);
            let out = match decision.choice {
                Choice::Both => continue,
                Choice::Left => other,
                Choice::Merge => {
                    decided.merged.insert(other, kept);
                    other
                }
                Choice::Right => kept,
            };
            if let Some(dropped) = decided.dropped.get_mut(out.0 as usize) {
                dropped.push(out.1);
            }
        }
        for dropped in &mut decided.dropped {
            dropped.sort_unstable();
            dropped.dedup();
        }
        // What is dropped by another decision gets nothing.
        let dropped = decided.dropped.clone();
        decided.merged.retain(|_, (input, game)| {
            let games = dropped.get(*input as usize);
            games.is_some_and(|games| games.binary_search(game).is_err())
        });
        Ok(decided)
    }
}

/// Starts the job that writes the games that are kept.
fn dedupe_job(app: &Arc<App>, request: &DedupeRequest) -> Result<Response<Body>, Problem> {
    let new = NewDatabase::new(app, &request.name, &request.to, request.force)?;
    if request.decisions.is_empty() || request.decisions.len() > MAX_DECISIONS {
        let text = format!("`decisions` are 1 to {MAX_DECISIONS}");
        return Err(Problem::bad_request(text));
    }
    let inputs = databases(app, &request.db)?;
    let ids: Vec<&str> = inputs.iter().map(|input| input.id.as_str()).collect();
    let source = RowSource::new(&app.shelf, &ids)?;
    let decided = Decided::new(&source, &request.decisions)?;
    let mut options = ConvertOptions::default();
    let mut reading = DedupeOptions::default();
    if let Some(input) = inputs.first() {
        options.open.clone_from(input.options());
        reading.open.clone_from(input.options());
    }
    reading.threads = app.threads;
    options.create.profile = profile_of(&request.profile)?;
    let shared = Arc::clone(app);
    new.convert(app, inputs, options, move |items, options, progress| {
        options.dropped = decided.dropped.iter().cloned().map(Arc::new).collect();
        if decided.merged.is_empty() {
            return Ok(());
        }
        let pairs = found_pairs(&shared, &source, progress)?;
        let wanted: Vec<Duplicate> = pairs
            .iter()
            .filter(|pair| {
                let of = |(input, game): (u32, GameIndex)| (input, game.0);
                decided.merged.get(&of(pair.dropped)) == Some(&of(pair.kept))
            })
            .cloned()
            .collect();
        options.merges = merges(items, &wanted, &reading, progress)?;
        Ok(())
    })
}

/// The pairs of the databases, which are found now unless they are known.
fn found_pairs(
    app: &App,
    source: &RowSource,
    progress: &Progress,
) -> Result<Arc<Vec<Duplicate>>, Problem> {
    let mut inputs = Vec::new();
    for part in &source.parts {
        inputs.push(app.shelf.find(&part.id)?);
    }
    let threads = app.threads;
    let job = app
        .duplicates
        .get_or_start(&source.key(), Arc::default(), move |job| {
            duplicates(&inputs, threads, job)
        })?;
    loop {
        progress.check()?;
        let found = job.wait(PAUSE, |_| false);
        found.failed(axum::http::StatusCode::UNPROCESSABLE_ENTITY)?;
        if found.is_done() {
            return Ok(Arc::clone(found.found()));
        }
    }
}

/// Reads a body as every request of this file does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_bodies(body: &[u8]) {
    if let Ok(request) = parse_json::<DedupeRequest>(body) {
        let source = RowSource {
            parts: Vec::new(),
            total: 0,
        };
        let decided = Decided::new(&source, &request.decisions);
        assert!(decided.is_err() || request.decisions.is_empty());
    }
}
