//! The requests for one game: as JSON, as PGN, as it is stored, in another format, merged with its duplicate.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::routing::get;
use serde_json::{Value, json};
use tabia::book::find::opening_of;
use tabia::core::chess::Ply;
use tabia::formats::Format;
use tabia::query::{Matcher, Query};
use tabia::{CreateOptions, Error, ErrorKind, Game, GameIndex, Want};

use crate::answers::{answer, document, of_type, profile_of};
use crate::app_state::App;
use crate::etag::Asked;
use crate::explore;
use crate::filter_and_sort::RowSource;
use crate::opened_input::OpenedInput;
use crate::params::Params;
use crate::problem::Problem;
use crate::problem_codes::Code;
use crate::read_record::read_game;
use crate::stored_record::stored_record;
use crate::{decided_duplicates, tried_writes};

type Shared = State<Arc<App>>;

/// The routes of games.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/api/v1/db/{id}/games/{n}", get(game))
        .route("/api/v1/db/{id}/games/{n}/stored", get(stored))
        .route("/api/v1/db/{id}/games/{n}/moment", get(moment))
        .route("/api/v1/convert/game", get(converted_game))
        .route("/api/v1/duplicates/merged", get(merged_game))
}

async fn game(
    State(app): Shared,
    asked: Asked,
    Path((id, number)): Path<(String, String)>,
    params: Params,
) -> Response<Body> {
    answer(app, move |app| {
        let (number, is_pgn) = match number.strip_suffix(".pgn") {
            Some(number) => (number, true),
            None => (number.as_str(), false),
        };
        let number: u32 = number
            .parse()
            .map_err(|_| Problem::bad_request(format!("`{number}` is no number of a game")))?;
        let opened = app.shelf.database(&id)?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let (index, game, problems) = read_game(&opened, number)?;
        if is_pgn {
            let pgn = pgn(index, &game, params.text("profile"))?;
            return Ok(tag.mark(of_type("application/x-chess-pgn; charset=utf-8", pgn)));
        }
        let mut bytes = (app.game_document)(index, &game);
        // Further keys go before the end of the object.
        while bytes.pop().is_some_and(|byte| byte != b'}') {}
        let input = app.shelf.find(&id)?;
        let problems: Vec<Problem> = problems
            .into_iter()
            .map(|problem| problem.map_texts(|text| input.without_folder(text)))
            .collect();
        let texts: Vec<&str> = problems
            .iter()
            .map(|problem| problem.detail.as_str())
            .collect();
        let summaries: Vec<Value> = problems.iter().map(Problem::summary).collect();
        let mainline: Vec<Ply> = game.mainline().collect();
        let opening = game
            .start_position()
            .and_then(|start| opening_of(&start, &mainline));
        let total = opened.database().map(tabia::Database::len);
        for (key, value) in [
            ("db", json!(id)),
            ("total", json!(total)),
            ("opening", explore::opening_json(opening)),
            ("problems", json!(texts)),
            ("problemList", json!(summaries)),
            ("fingerprint", json!(opened.fingerprint)),
        ] {
            bytes.extend_from_slice(format!(",\"{key}\":{value}").as_bytes());
        }
        bytes.push(b'}');
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}

/// The game with a number from 1 as PGN.
pub(crate) fn game_pgn(
    opened: &OpenedInput,
    number: u32,
    profile: &str,
) -> Result<Vec<u8>, Problem> {
    let (index, game, _) = read_game(opened, number)?;
    pgn(index, &game, profile)
}

fn pgn(index: GameIndex, game: &Game, profile: &str) -> Result<Vec<u8>, Problem> {
    let mut options = CreateOptions::default();
    options.profile = profile_of(profile)?;
    let format = tabia::format("pgn").and_then(Format::games);
    let create = format
        .and_then(|format| format.create_text)
        .ok_or_else(|| Error::new(ErrorKind::Unsupported("PGN cannot be written".into())))?;
    let mut writer = create(&options)?;
    // The writer never stops a replay.
    let _ = game.replay(index, Want::ALL, &mut *writer);
    Ok(std::mem::take(writer.text()))
}

/// The index of the game with a number from 1.
fn numbered(opened: &OpenedInput, number: &str) -> Result<GameIndex, Problem> {
    let number: u32 = number
        .parse()
        .map_err(|_| Problem::bad_request(format!("`{number}` is no number of a game")))?;
    let len = opened.database().map_or(0, tabia::Database::len);
    let index = number.checked_sub(1).filter(|index| *index < len);
    index.map(GameIndex).ok_or_else(|| {
        let text = format!("there is no game {number}; the last one is {len}");
        Problem::not_found(text).coded(Code::NoGame, &[("game", &number), ("last", &len)])
    })
}

/// The first position of a game at which a query fits.
async fn moment(
    State(app): Shared,
    asked: Asked,
    Path((id, number)): Path<(String, String)>,
    params: Params,
) -> Response<Body> {
    answer(app, move |app| {
        let query = Query::parse(params.text("where"))?;
        let opened = app.shelf.database(&id)?;
        let index = numbered(&opened, &number)?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let mut found = json!(null);
        if let Some(database) = opened.database().filter(|_| query.asks_for_moments()) {
            let mut matcher = Matcher::new(&query).for_database(&id).with_moments();
            let mut reader = database.reader();
            let fits = matcher.matches_record(database, &mut *reader, index)?;
            if let Some(moment) = matcher.moments().first().filter(|_| fits) {
                found = json!({"line": moment.line, "ply": moment.ply});
            }
        }
        Ok(tag.mark(document(&json!({"moment": found}))?))
    })
    .await
}

/// The index entry and the bytes of a record.
async fn stored(
    State(app): Shared,
    asked: Asked,
    Path((id, number)): Path<(String, String)>,
) -> Response<Body> {
    answer(app, move |app| {
        let opened = app.shelf.database(&id)?;
        let index = numbered(&opened, &number)?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let found = stored_record(&opened, index)?;
        Ok(tag.mark(document(&found)?))
    })
    .await
}

/// A game as it would be in another format.
async fn converted_game(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let id = params.text("db").to_owned();
        let input = app.shelf.find(&id)?;
        let opened = app.shelf.database(&id)?;
        let number: u32 = params.number("game", 0)?;
        let (index, _, _) = read_game(&opened, number)?;
        let name = params.text("to");
        let to = tabia::format(name)
            .filter(|format| format.game_writer().is_some())
            .ok_or_else(|| {
                let text = format!("games cannot be written in the format `{name}`");
                Problem::bad_request(text).coded(Code::NoTarget, &[("format", &name)])
            })?;
        let profile = profile_of(params.text("profile"))?;
        let tag = asked.tag(&opened.fingerprint);
        if let Some(known) = tag.if_known() {
            return Ok(known);
        }
        let found = tried_writes::converted_game(&input, index, to, profile)?;
        let bytes = match found {
            Some(game) => (app.game_document)(index, &game),
            None => b"null".to_vec(),
        };
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}

/// A game with the annotations of its duplicate.
async fn merged_game(State(app): Shared, asked: Asked, params: Params) -> Response<Body> {
    answer(app, move |app| {
        let kept: u32 = params.number("game", 0)?;
        let other: u32 = params.number("duplicate", 0)?;
        let (db, with) = (params.text("db"), params.text("of"));
        let with = if with.is_empty() { db } else { with };
        let (index, game) = decided_duplicates::merged_game(app, (db, kept), (with, other))?;
        let source = RowSource::new(&app.shelf, &[db, with])?;
        let bytes = (app.game_document)(index, &game);
        let tag = asked.tag(&source.fingerprint());
        Ok(tag.mark(of_type("application/json", bytes)))
    })
    .await
}
