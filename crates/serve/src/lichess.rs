//! Answers in the shape of Lichess' opening explorer, from the databases of the shelf.
//!
//! The names, their order and which of them are present are those of the original, so that a program works with
//! another base address only.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::get;
use serde::Serialize;
use tabia::base::{Base, SearchOptions, Tree, TreeGame};
use tabia::book::find::{add, opening_of};
use tabia::core::chess::uci;
use tabia::{Color, GameIndex, GameResult, Move, Ply, Position, Query, Recorder, Want, Wdl};

use crate::answers::{MAX_WAIT, in_pool, of_type};
use crate::app_state::App;
use crate::explore::{self, FoundTree};
use crate::explorer_requests::ask_tree;
use crate::game_requests::game_pgn;
use crate::jobs::Asking;
use crate::opened_input::OpenedInput;
use crate::opening_inputs;
use crate::params::Params;
use crate::problem::Problem;
use crate::shelf_input::ShelfInput;
use crate::speeds::speed_of;
use crate::stream::{self, Sender};

/// The groups that ratings fall into.
const RATING_GROUPS: [u16; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];
/// The variants of the original whose moves are not read here.
const OTHER_VARIANTS: [&str; 7] = [
    "antichess",
    "atomic",
    "crazyhouse",
    "horde",
    "kingOfTheHill",
    "racingKings",
    "threeCheck",
];
/// Games of an answer at most.
const MAX_GAMES: usize = 500;
/// How long `/masters` and `/lichess` count before they answer with what they have, in milliseconds.
const DEADLINE: u64 = 10_000;
/// How often an answer that is not ready is looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How often the months counted so far are shown.
const SHOWN: Duration = Duration::from_millis(100);
/// How often a newline is sent while games of a player are counted.
const ALIVE: Duration = Duration::from_secs(8);

type Shared = State<Arc<App>>;

/// The paths that other programs ask.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/masters", get(masters))
        .route("/master", get(masters))
        .route("/lichess", get(lichess))
        .route("/lichess/history", get(history))
        .route("/player", get(player))
        .route("/personal", get(player))
        .route("/masters/pgn/{id}", get(export))
        .route("/master/pgn/{id}", get(export))
        .route("/game/export/{id}", get(export))
}

/// Which of the endpoints is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    Masters,
    Lichess,
    Player(Color),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    white: u64,
    draws: u64,
    black: u64,
    moves: Vec<MoveAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_games: Option<Vec<MovedGame>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_games: Option<Vec<MovedGame>>,
    opening: Option<OpeningAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_position: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<MonthAnswer>>,
    /// `false` if the deadline came first; absent otherwise, as in the original, which has no such thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
}

#[derive(Serialize)]
struct HistoryAnswer {
    history: Vec<MonthAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
}

#[derive(Serialize, Clone)]
struct MonthAnswer {
    month: String,
    white: u64,
    draws: u64,
    black: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveAnswer {
    uci: String,
    san: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_rating: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_opponent_rating: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<u16>,
    white: u64,
    draws: u64,
    black: u64,
    game: Option<GameAnswer>,
    opening: Option<OpeningAnswer>,
}

#[derive(Serialize)]
struct OpeningAnswer {
    eco: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct MovedGame {
    uci: String,
    #[serde(flatten)]
    game: GameAnswer,
}

#[derive(Serialize, Clone)]
struct GameAnswer {
    id: String,
    winner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    black: PlayerAnswer,
    white: PlayerAnswer,
    year: u16,
    month: Option<String>,
}

#[derive(Serialize, Clone)]
struct PlayerAnswer {
    name: String,
    rating: u16,
}

/// A request that was understood.
struct Request {
    endpoint: Endpoint,
    start: Position,
    plies: Vec<Ply>,
    position: Position,
    query: Query,
    moves: usize,
    top_games: usize,
    recent_games: usize,
    has_history: bool,
    /// When it is answered with what was found so far; the stream of a player ends with all that there is.
    deadline: Option<Instant>,
}

/// A move in UCI notation. The original writes castling as the king taking the rook.
fn uci_of(played: Move) -> String {
    let mut text = Vec::new();
    uci::write(played, true, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn bad_request(why: impl std::fmt::Display) -> Response<Body> {
    plain(StatusCode::BAD_REQUEST, format!("bad request: {why}\n"))
}

fn plain(status: StatusCode, text: String) -> Response<Body> {
    let mut response = of_type("text/plain; charset=utf-8", text.into_bytes());
    *response.status_mut() = status;
    response
}

fn refused(problem: Problem) -> Response<Body> {
    match problem.status {
        StatusCode::BAD_REQUEST => bad_request(problem.detail),
        StatusCode::SERVICE_UNAVAILABLE => {
            let mut response = plain(problem.status, format!("{}\n", problem.detail));
            let seconds = HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
            response
        }
        status => plain(status, format!("{}\n", problem.detail)),
    }
}

/// A position of a FEN whose castling rights or en passant square may be wrong.
fn forgiving_position(fen: &str) -> Result<Position, Problem> {
    let error = match Position::parse_fen(fen.as_bytes()) {
        Ok(position) => return Ok(position),
        Err(error) => error,
    };
    let mut fields: Vec<&str> = fen
        .split([' ', '_'])
        .filter(|field| !field.is_empty())
        .collect();
    let castling = fields.get(2).copied().unwrap_or("-").to_owned();
    if let Some(en_passant) = fields.get_mut(3) {
        *en_passant = "-";
    }
    // With as many of the rights as there can be.
    let rights: Vec<char> = castling.chars().filter(|c| *c != '-').take(4).collect();
    let mut subsets: Vec<u32> = (0..1 << rights.len()).collect();
    subsets.sort_by_key(|subset| std::cmp::Reverse(subset.count_ones()));
    for subset in subsets {
        let kept = rights.iter().enumerate();
        let kept: String = kept
            .filter(|(number, _)| subset >> number & 1 == 1)
            .map(|(_, c)| *c)
            .collect();
        let mut fields = fields.clone();
        if let Some(field) = fields.get_mut(2) {
            *field = if kept.is_empty() { "-" } else { &kept };
        }
        if let Ok(position) = Position::parse_fen(fields.join(" ").as_bytes()) {
            return Ok(position);
        }
    }
    Err(Problem::bad_request(error.to_string()))
}

/// A year, or year and month, as the start or end of a range of dates.
fn date_part(text: &str, has_month: bool) -> Option<String> {
    let mut parts = text.split('-');
    let year: u16 = parts
        .next()?
        .parse()
        .ok()
        .filter(|year| (1..=9999).contains(year))?;
    match (parts.next(), has_month) {
        (None, _) => Some(format!("{year:04}")),
        (Some(month), true) if parts.next().is_none() => {
            let month: u8 = month
                .parse()
                .ok()
                .filter(|month| (1..=12).contains(month))?;
            Some(format!("{year:04}.{month:02}"))
        }
        _ => None,
    }
}

/// The query for the games that a request asks.
fn query_of(params: &Params, endpoint: Endpoint) -> Result<Query, Problem> {
    let mut terms: Vec<String> = Vec::new();
    let bad = |name: &str| {
        let text = params.text(name);
        Problem::bad_request(format!("{name}: `{text}` is not allowed"))
    };
    let mut bounds = [String::new(), String::new()];
    for (name, bound) in ["since", "until"].into_iter().zip(&mut bounds) {
        if !params.text(name).is_empty() {
            let has_month = endpoint != Endpoint::Masters;
            *bound = date_part(params.text(name), has_month).ok_or_else(|| bad(name))?;
        }
    }
    let [since, until] = &bounds;
    if !since.is_empty() || !until.is_empty() {
        terms.push(format!("date:{since}..{until}"));
    }
    if endpoint != Endpoint::Masters {
        match params.text("variant") {
            "" | "standard" | "chess" | "fromPosition" => {}
            "chess960" => terms.push("is:chess960".to_owned()),
            other if OTHER_VARIANTS.contains(&other) => terms.push(format!("variant:{other}")),
            _ => return Err(bad("variant")),
        }
        let speeds = params.ids("speeds");
        if !speeds.is_empty() {
            let known = [
                "ultraBullet",
                "bullet",
                "blitz",
                "rapid",
                "classical",
                "correspondence",
            ];
            if speeds.iter().any(|speed| !known.contains(speed)) {
                return Err(bad("speeds"));
            }
            let list = speeds.join(",").to_lowercase();
            // Games without a time control count as classical.
            terms.push(if speeds.contains(&"classical") {
                format!("(speed:{list} OR -tag:TimeControl)")
            } else {
                format!("speed:{list}")
            });
        }
        let mut ranges = Vec::new();
        for group in params.ids("ratings") {
            let number: u16 = group.parse().map_err(|_| bad("ratings"))?;
            let index = RATING_GROUPS.iter().position(|known| *known == number);
            let index = index.ok_or_else(|| bad("ratings"))?;
            ranges.push(match (number, RATING_GROUPS.get(index + 1)) {
                (0, Some(next)) => format!("..{}", next - 1),
                (from, Some(next)) => format!("{from}..{}", next - 1),
                (from, None) => format!("{from}.."),
            });
        }
        if !ranges.is_empty() {
            terms.push(format!("avgelo:{}", ranges.join(",")));
        }
    }
    if let Endpoint::Player(color) = endpoint {
        let player = params.text("player");
        if player.is_empty() {
            return Err(Problem::bad_request("missing field `player`"));
        }
        let field = if color.is_white() { "white" } else { "black" };
        let quoted = player.replace('\\', "\\\\").replace('"', "\\\"");
        terms.push(format!("{field}:\"={quoted}\""));
        let modes = params.ids("modes");
        if modes.iter().any(|mode| !["casual", "rated"].contains(mode)) {
            return Err(bad("modes"));
        }
        if let [mode] = modes.as_slice() {
            // What no event calls casual is rated, as in the answers.
            let term = if *mode == "rated" {
                "-rated:no"
            } else {
                "rated:no"
            };
            terms.push(term.to_owned());
        }
    }
    Query::parse(&terms.join(" ")).map_err(Problem::from)
}

impl Request {
    fn new(params: &Params, endpoint: Endpoint) -> Result<Self, Problem> {
        let start = match params.text("fen") {
            "" => Position::standard(),
            fen => forgiving_position(fen)?,
        };
        let (plies, position) = params.play_from(&start)?;
        let (top, recent) = match endpoint {
            Endpoint::Masters => (15, 0),
            Endpoint::Lichess => (4, 4),
            Endpoint::Player(_) => (0, 8),
        };
        let wait = params.number("wait", DEADLINE)?;
        if wait > MAX_WAIT {
            return Err(Problem::bad_request(format!(
                "`wait` is at most {MAX_WAIT}"
            )));
        }
        let is_player = matches!(endpoint, Endpoint::Player(_));
        Ok(Self {
            endpoint,
            query: query_of(params, endpoint)?,
            moves: params.number("moves", 12)?,
            top_games: params.number("topGames", top)?,
            recent_games: params.number("recentGames", recent)?,
            // Clients in Python write `True`.
            has_history: match &*params.text("history").to_ascii_lowercase() {
                "" | "0" | "false" | "no" => false,
                "1" | "true" | "yes" => true,
                other => {
                    let text = format!("history: `{other}` is neither true nor false");
                    return Err(Problem::bad_request(text));
                }
            },
            deadline: (!is_player).then(|| Instant::now() + Duration::from_millis(wait)),
            start,
            plies,
            position,
        })
    }

    /// Whether it has waited as long as it may.
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The databases that are asked.
    fn inputs(&self, app: &App) -> Vec<(usize, Arc<ShelfInput>)> {
        let masters = app.shelf.masters();
        let inputs = app.shelf.inputs().into_iter().enumerate();
        inputs
            .filter(|(_, input)| input.is_database())
            .filter(|(number, _)| {
                self.endpoint != Endpoint::Masters || masters.is_empty() || masters.contains(number)
            })
            .collect()
    }
}

/// Reads the parameters as each endpoint does.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn read_requests(params: &Params) {
    for endpoint in [
        Endpoint::Masters,
        Endpoint::Lichess,
        Endpoint::Player(Color::White),
        Endpoint::Player(Color::Black),
    ] {
        if let Ok(request) = Request::new(params, endpoint) {
            let text = request.query.to_string();
            let again = Query::parse(&text).ok();
            assert_eq!(again.as_ref(), Some(&request.query), "{text}");
        }
    }
}

/// The databases of a request.
struct Source {
    base: Arc<Base>,
    /// The databases and their state.
    name: String,
    /// Their numbers on the shelf.
    numbers: Vec<usize>,
}

impl Source {
    fn new(app: &App, request: &Request) -> Result<Self, Problem> {
        let (mut numbers, mut inputs): (Vec<usize>, Vec<Arc<ShelfInput>>) =
            request.inputs(app).into_iter().unzip();
        let found = app.bases.of(&inputs).or_else(|problem| {
            // Files that are gone are no reason to answer from none of the others.
            let all = request.inputs(app).into_iter();
            let rest: Vec<_> = all
                .filter(|(_, input)| input.why_gone().is_none())
                .collect();
            if rest.len() == inputs.len() {
                return Err(problem);
            }
            (numbers, inputs) = rest.into_iter().unzip();
            app.bases.of(&inputs)
        });
        let (base, name) = found?;
        Ok(Self {
            base,
            name,
            numbers,
        })
    }

    /// What identifies the answer to a request.
    fn key(&self, request: &Request) -> String {
        format!(
            "{:?} {} {} {} {} {}\n{}\n{} {:?}\n{}",
            request.endpoint,
            request.moves,
            request.top_games,
            request.recent_games,
            request.has_history,
            self.name,
            request.start.fen(),
            request.position.fen(),
            request.plies,
            request.query
        )
    }
}

/// What a request waits for.
struct Counting {
    asking: Asking<FoundTree>,
    /// Numbers of the databases on the shelf.
    numbers: Vec<usize>,
}

impl Counting {
    fn start(app: &App, request: &Request, source: Source) -> Result<Self, Problem> {
        let games = request.top_games.max(request.recent_games);
        let mut options = explore::listed_games();
        options.games = games.clamp(options.games, MAX_GAMES);
        // The original lists a game with its move, and has no others.
        options.ended_games = false;
        // A player's opponents are those of the other colour, whoever is to move.
        if let Endpoint::Player(color) = request.endpoint {
            options.side = Some(color);
        }
        let Source {
            base,
            name,
            numbers,
        } = source;
        let (position, query) = (&request.position, &request.query);
        let asking = ask_tree(app, base, &name, position, query, options)?;
        Ok(Self { asking, numbers })
    }

    /// The tree as far as it is counted, and whether that is all.
    fn tree(&self) -> Result<(FoundTree, bool), Problem> {
        let found = self.asking.job().wait(Duration::ZERO, |_| false);
        found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
        Ok((found.found().clone(), found.is_done()))
    }
}

/// Waits for an answer without holding a thread.
async fn answer(app: Arc<App>, params: Params, endpoint: Endpoint) -> Response<Body> {
    match answered(app, params, endpoint).await {
        Ok(bytes) => {
            let mut response = of_type("application/json", Vec::new());
            *response.body_mut() = Body::from(bytes);
            response
        }
        Err(problem) => refused(problem),
    }
}

async fn answered(app: Arc<App>, params: Params, endpoint: Endpoint) -> Result<Bytes, Problem> {
    let start = Arc::clone(&app);
    let prepared = in_pool(&app, move || {
        let request = Request::new(&params, endpoint)?;
        let source = Source::new(&start, &request)?;
        let key = source.key(&request);
        if let Some(known) = start.answers.find(&key) {
            return Ok(Prepared::Known(known));
        }
        let counting = Counting::start(&start, &request, source)?;
        Ok(Prepared::Counting(Box::new((request, counting)), key))
    });
    let (counted, key) = match prepared.await? {
        Prepared::Known(bytes) => return Ok(bytes),
        Prepared::Counting(counted, key) => (Arc::new(*counted), key),
    };
    let found = written(&app, &counted).await;
    counted.1.asking.answered();
    let (bytes, is_complete) = found?;
    if is_complete {
        app.answers.keep(key, bytes.clone());
    }
    Ok(bytes)
}

/// How a request begins.
enum Prepared {
    /// It was answered before.
    Known(Bytes),
    /// With what identifies the answer.
    Counting(Box<(Request, Counting)>, String),
}

/// The answer once everything is counted or the time is over, and whether that is all.
async fn written(
    app: &Arc<App>,
    counted: &Arc<(Request, Counting)>,
) -> Result<(Bytes, bool), Problem> {
    let (request, counting) = &**counted;
    let (tree, mut is_complete) = loop {
        match counting.tree()? {
            (Some(tree), true) => break (tree, true),
            (Some(tree), false) if request.is_over() => break (tree, false),
            (None, _) if request.is_over() => {
                return Err(Problem::busy("nothing is counted yet"));
            }
            _ => tokio::time::sleep(INTERVAL).await,
        }
    };
    let history = if request.has_history {
        let (history, is_all) = wait_for_history(app, request).await?;
        is_complete &= is_all;
        Some(history)
    } else {
        None
    };
    let found = Arc::new((tree, history));
    let deadline = opening_inputs::deadline();
    let bytes = loop {
        let (shared, counted) = (Arc::clone(app), Arc::clone(counted));
        let found = Arc::clone(&found);
        let written = in_pool(app, move || {
            let ((request, counting), (tree, history)) = (&*counted, &*found);
            let mut answer = document(&shared, request, counting, tree, history.clone())?;
            answer.complete = (!is_complete).then_some(false);
            let bytes = serde_json::to_vec(&answer).map_err(internal)?;
            Ok(Bytes::from(bytes))
        });
        match written.await {
            Err(Problem {
                opening: Some(opening),
                ..
            }) if opening.clone().wait(deadline).await => {}
            written => break written?,
        }
    };
    Ok((bytes, is_complete))
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

async fn masters(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, params, Endpoint::Masters).await
}

async fn lichess(State(app): Shared, params: Params) -> Response<Body> {
    answer(app, params, Endpoint::Lichess).await
}

async fn history(State(app): Shared, params: Params) -> Response<Body> {
    let request = match Request::new(&params, Endpoint::Lichess) {
        Ok(request) => request,
        Err(problem) => return refused(problem),
    };
    match wait_for_history(&app, &request).await {
        Ok((history, is_all)) => {
            let complete = (!is_all).then_some(false);
            match serde_json::to_vec(&HistoryAnswer { history, complete }) {
                Ok(bytes) => of_type("application/json", bytes),
                Err(error) => refused(internal(error)),
            }
        }
        Err(problem) => refused(problem),
    }
}

/// One line when everything is counted; newlines until then.
async fn player(State(app): Shared, params: Params) -> Response<Body> {
    let color = match params.text("color") {
        "white" => Color::White,
        "black" => Color::Black,
        "" => return bad_request("missing field `color`"),
        other => return bad_request(format!("color: `{other}` is neither white nor black")),
    };
    let endpoint = Endpoint::Player(color);
    // What is wrong with the request is known before the stream begins.
    if let Err(problem) = Request::new(&params, endpoint) {
        return refused(problem);
    }
    let (sender, body) = stream::body();
    tokio::spawn(async move {
        let mut counted = pin!(answered(app, params, endpoint));
        loop {
            let next = tokio::select! {
                () = sender.closed() => return,
                next = tokio::time::timeout(ALIVE, counted.as_mut()) => next,
            };
            match next {
                Ok(found) => {
                    send_line(&sender, found).await;
                    return;
                }
                Err(_) if sender.send(Bytes::from_static(b"\n")).await => {}
                Err(_) => return,
            }
        }
    });
    let mut response = of_type("application/x-ndjson", Vec::new());
    *response.body_mut() = body;
    response
}

async fn send_line(sender: &Sender, found: Result<Bytes, Problem>) {
    // A stream that cannot be finished ends without its line.
    if let Ok(bytes) = found {
        let mut line = bytes.to_vec();
        line.push(b'\n');
        sender.send(Bytes::from(line)).await;
    }
}

/// The months of the games, and whether those are all.
async fn wait_for_history(
    app: &Arc<App>,
    request: &Request,
) -> Result<(Vec<MonthAnswer>, bool), Problem> {
    let inputs: Vec<Arc<ShelfInput>> = request
        .inputs(app)
        .into_iter()
        .map(|(_, input)| input)
        .collect();
    let fen = request.position.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let text = format!("{} fen:{}", request.query, fields.join("_"));
    let query = Query::parse(&text)?;
    let shared = Arc::clone(app);
    let asking = in_pool(app, move || {
        let (base, name) = shared.bases.of(&inputs)?;
        let key = format!("history\n{name}\n{query}");
        shared
            .reports
            .ask(&key, serde_json::Value::Null, move |job| {
                let mut months: BTreeMap<String, [u64; 3]> = BTreeMap::new();
                let mut shown = Instant::now();
                let mut options = SearchOptions::default();
                options.progress = Arc::clone(&job.progress);
                for hit in base.search(&query, &options) {
                    let hit = hit?;
                    let header = hit.header;
                    // As in the original, games that ended here are in no sum.
                    if hit.moments.iter().any(|moment| moment.played.is_none()) {
                        continue;
                    }
                    let date = header.date;
                    if date.year == 0 || date.month == 0 {
                        continue;
                    }
                    let counts = months
                        .entry(format!("{:04}-{:02}", date.year, date.month))
                        .or_default();
                    let results = match header.result.to_pgn() {
                        GameResult::WhiteWins => 0,
                        GameResult::Draw => 1,
                        GameResult::BlackWins => 2,
                        _ => continue,
                    };
                    if let Some(count) = counts.get_mut(results) {
                        *count += 1;
                    }
                    if shown.elapsed() > SHOWN {
                        shown = Instant::now();
                        job.update(|found| *found = serde_json::json!(months));
                    }
                }
                job.progress.check()?;
                job.update(|found| *found = serde_json::json!(months));
                Ok(())
            })
    })
    .await?;
    loop {
        {
            let found = asking.job().wait(Duration::ZERO, |_| false);
            found.failed(StatusCode::SERVICE_UNAVAILABLE)?;
            if found.is_done() || request.is_over() {
                asking.answered();
                // Null while nothing is counted.
                let months: Option<BTreeMap<String, [u64; 3]>> =
                    serde_json::from_value(found.found().clone()).map_err(internal)?;
                return Ok((every_month(&months.unwrap_or_default()), found.is_done()));
            }
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// The months from the first to the last, also those without games.
fn every_month(months: &BTreeMap<String, [u64; 3]>) -> Vec<MonthAnswer> {
    let number = |text: &str| {
        let (year, month) = text.split_once('-')?;
        Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?.checked_sub(1)?)
    };
    let ends = [months.keys().next(), months.keys().next_back()];
    let [Some(first), Some(last)] = ends.map(|end| number(end?)) else {
        return Vec::new();
    };
    (first..=last)
        .map(|number| {
            let month = format!("{:04}-{:02}", number / 12, number % 12 + 1);
            let counts = months.get(&month).copied().unwrap_or_default();
            let [white, draws, black] = counts;
            MonthAnswer {
                month,
                white,
                draws,
                black,
            }
        })
        .collect()
}

fn document(
    app: &App,
    request: &Request,
    counting: &Counting,
    tree: &Tree,
    history: Option<Vec<MonthAnswer>>,
) -> Result<Answer, Problem> {
    let games = Games {
        app,
        counting,
        endpoint: request.endpoint,
    };
    let is_player = matches!(request.endpoint, Endpoint::Player(_));
    // As in the original, games that ended here are in no sum.
    let continued = tree.moves.iter().filter(|m| m.ply != Ply::Null);
    let Wdl {
        white,
        draws,
        black,
    } = continued.fold(Wdl::default(), |sum, m| add(sum, m.results));
    let moves = tree
        .moves
        .iter()
        .filter_map(|m| {
            let Ply::Move(played) = m.ply else {
                return None;
            };
            let Wdl {
                white,
                draws,
                black,
            } = m.results;
            let game = m.sample.filter(|_| m.games == 1);
            // The original has a number always; without ratings it is that of players who have none.
            let rating = |known: Option<u16>| known.unwrap_or(0);
            Some(Ok(MoveAnswer {
                uci: uci_of(played),
                san: m.san.clone(),
                average_rating: (!is_player).then_some(rating(m.average_rating)),
                average_opponent_rating: is_player.then_some(rating(m.average_opponent_rating)),
                performance: is_player.then_some(rating(m.performance)),
                white,
                draws,
                black,
                game: match game {
                    Some((database, game)) => match games.answer(database, game) {
                        Ok(found) => found,
                        Err(problem) => return Some(Err(problem)),
                    },
                    None => None,
                },
                opening: m.opening.map(|opening| OpeningAnswer {
                    eco: opening.eco,
                    name: opening.name,
                }),
            }))
        })
        .take(request.moves)
        .collect::<Result<_, Problem>>()?;
    let rows = |list: &[TreeGame], count: usize| -> Result<Vec<MovedGame>, Problem> {
        let list = list.iter();
        list.filter_map(|game| games.moved(&request.position, game).transpose())
            .take(count)
            .collect()
    };
    let recent_games = match request.endpoint {
        Endpoint::Masters => None,
        _ => Some(rows(&tree.recent_games, request.recent_games)?),
    };
    let top_games = match request.endpoint {
        Endpoint::Player(_) => None,
        _ => Some(rows(&tree.top_games, request.top_games)?),
    };
    Ok(Answer {
        white,
        draws,
        black,
        moves,
        recent_games,
        top_games,
        opening: opening_of(&request.start, &request.plies).map(|opening| OpeningAnswer {
            eco: opening.eco,
            name: opening.name,
        }),
        queue_position: is_player.then_some(0),
        history,
        complete: None,
    })
}

/// Makes the rows of games.
struct Games<'a> {
    app: &'a App,
    counting: &'a Counting,
    endpoint: Endpoint,
}

impl Games<'_> {
    /// A game that went on with a move; the original has no others.
    fn moved(&self, position: &Position, game: &TreeGame) -> Result<Option<MovedGame>, Problem> {
        let uci = game.uci.as_deref().unwrap_or_default();
        let Some(Ply::Move(played)) = uci::read(position, uci.as_bytes()) else {
            return Ok(None);
        };
        let found = self.answer(game.database, game.game)?;
        Ok(found.map(|game| MovedGame {
            uci: uci_of(played),
            game,
        }))
    }

    /// A game of the database with this number among those that were asked; `None` if it cannot be read.
    ///
    /// # Errors
    /// When its database is being opened.
    fn answer(&self, database: usize, game: GameIndex) -> Result<Option<GameAnswer>, Problem> {
        let number = self.counting.numbers.get(database);
        let Some(number) = number.copied() else {
            return Ok(None);
        };
        let Some(input) = self.app.shelf.numbered(number) else {
            return Ok(None);
        };
        let opened = match input.open() {
            Ok(opened) => opened,
            Err(problem) if problem.opening.is_some() => return Err(problem),
            Err(_) => return Ok(None),
        };
        Ok(self.of_database((number, input.slot), game, &opened))
    }

    fn of_database(
        &self,
        (number, slot): (usize, Option<u64>),
        game: GameIndex,
        opened: &OpenedInput,
    ) -> Option<GameAnswer> {
        let mut recorder = Recorder::new();
        let mut reader = opened.database()?.reader();
        // The recorder never stops a reader.
        let _ = reader.read(game, Want::TAGS, &mut recorder).ok()?;
        let tags = &recorder.game().head.tags;
        let id = match lichess_id(tags.text("Site")) {
            Some(id) => {
                self.app.answers.name_game(id, (number, game.0));
                id.to_owned()
            }
            None => own_id(slot?, game.0),
        };
        let date = tags.date().unwrap_or_default();
        let player = |name: &str, rating: Option<u16>| PlayerAnswer {
            name: tags.text(name).to_owned(),
            rating: rating.unwrap_or(0),
        };
        let is_online = self.endpoint != Endpoint::Masters;
        let is_casual = tags.text("Event").to_lowercase().starts_with("casual");
        Some(GameAnswer {
            id,
            winner: match tags.text("Result") {
                "1-0" => Some("white"),
                "0-1" => Some("black"),
                _ => None,
            },
            speed: is_online.then(|| speed_of(tags.text("TimeControl"))),
            mode: is_online.then_some(if is_casual { "casual" } else { "rated" }),
            black: player("Black", tags.black_elo()),
            white: player("White", tags.white_elo()),
            year: date.year,
            month: (date.year > 0 && date.month > 0)
                .then(|| format!("{:04}-{:02}", date.year, date.month)),
        })
    }
}

/// The id in the address of a game on Lichess.
fn lichess_id(site: &str) -> Option<&str> {
    let rest = site
        .strip_prefix("https://")
        .or_else(|| site.strip_prefix("http://"))?;
    let path = rest
        .strip_prefix("www.")
        .unwrap_or(rest)
        .strip_prefix("lichess.org/")?;
    let id = path.split(['/', '#', '?']).next()?.get(..8)?;
    id.bytes()
        .all(|byte| byte.is_ascii_alphanumeric())
        .then_some(id)
}

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Eight digits to the base 62 for a game of the input with a slot.
fn own_id(slot: u64, game: u32) -> String {
    let mut value = slot << 32 | u64::from(game);
    let mut digits = [b'0'; 8];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS.get((value % 62) as usize).copied().unwrap_or(b'0');
        value /= 62;
    }
    String::from_utf8_lossy(&digits).into_owned()
}

/// The slot of the input and the index of the game.
fn game_of_id(id: &str) -> Option<(u64, u32)> {
    if id.len() != 8 {
        return None;
    }
    let mut value = 0_u64;
    for byte in id.bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        value = value * 62 + digit as u64;
    }
    Some((value >> 32, (value & u64::from(u32::MAX)) as u32))
}

/// How long a game is looked for that no answer had.
const LOOKING_FOR_GAME: Duration = Duration::from_secs(5);

/// The first game on the shelf that comes from Lichess' address with this id: no answer of this process had it.
fn find_by_address(app: &Arc<App>, id: &str) -> Option<(usize, u32)> {
    let is_id = id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let query = is_id.then(|| Query::parse(&format!("site:\"lichess.org/{id}\"")).ok())??;
    let mut options = SearchOptions::default();
    options.deadline = Some(Instant::now() + LOOKING_FOR_GAME);
    let inputs = app.shelf.inputs().into_iter().enumerate();
    let databases = inputs.filter(|(_, input)| input.is_database() && input.error.is_none());
    for (number, input) in databases {
        // What cannot be opened has no games.
        let Ok((base, _)) = app.bases.of(&[input]) else {
            continue;
        };
        let mut hits = base.search(&query, &options).flatten();
        let is_address = |site: &str| lichess_id(site) == Some(id);
        if let Some(hit) = hits.find(|hit| is_address(&hit.header.site)) {
            return Some((number, hit.game.0));
        }
    }
    None
}

/// A game by the id that an answer had, or that is in its address.
async fn export(State(app): Shared, Path(id): Path<String>) -> Response<Body> {
    let shared = Arc::clone(&app);
    let found = in_pool(&app, move || {
        let id = id.strip_suffix(".pgn").unwrap_or(&id);
        let absent = || Problem::not_found("there is no such game");
        let known = shared.answers.game(id).or_else(|| {
            let (slot, game) = game_of_id(id)?;
            Some((shared.shelf.of_slot(slot)?, game))
        });
        let known = known.or_else(|| find_by_address(&shared, id));
        let (number, game) = known.ok_or_else(absent)?;
        let input = shared.shelf.numbered(number).ok_or_else(absent)?;
        if !input.is_database() {
            return Err(absent());
        }
        let opened = input.open()?;
        let number = game.checked_add(1).ok_or_else(absent)?;
        game_pgn(&opened, number, "")
    });
    match found.await {
        Ok(pgn) => of_type("application/x-chess-pgn", pgn),
        Err(problem) => refused(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_eight_digits_and_lead_back() {
        for (input, game) in [
            (0, 0),
            (0, 1),
            (3, 11_964_284),
            (crate::stable_ids::SLOTS - 1, u32::MAX),
        ] {
            let id = own_id(input, game);
            assert_eq!(id.len(), 8);
            assert_eq!(game_of_id(&id), Some((input, game)), "{id}");
        }
        assert_eq!(game_of_id("short"), None);
        assert_eq!(game_of_id("a-b_c.d/"), None);
    }

    #[test]
    fn the_id_of_a_lichess_game_is_in_its_site() {
        assert_eq!(lichess_id("https://lichess.org/abcdEF12"), Some("abcdEF12"));
        assert_eq!(
            lichess_id("https://lichess.org/abcdEF12/black#3"),
            Some("abcdEF12")
        );
        for other in [
            "Berlin",
            "https://lichess.org/",
            "https://example.org/abcdEF12",
        ] {
            assert_eq!(lichess_id(other), None, "{other}");
        }
    }

    #[test]
    fn months_without_games_are_in_a_history() {
        let months = [("1999-11", [1, 0, 0]), ("2000-02", [0, 2, 3])];
        let months = BTreeMap::from(months.map(|(month, counts)| (month.to_owned(), counts)));
        let found: Vec<(String, u64)> = every_month(&months)
            .into_iter()
            .map(|month| (month.month, month.white + month.draws + month.black))
            .collect();
        let wanted = [
            ("1999-11", 1),
            ("1999-12", 0),
            ("2000-01", 0),
            ("2000-02", 5),
        ];
        assert_eq!(
            found,
            wanted.map(|(month, games)| (month.to_owned(), games))
        );
        assert!(every_month(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn wrong_rights_are_forgiven() {
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQK3 b KQkq e3 0 1";
        let position = forgiving_position(fen).unwrap();
        assert!(position.fen().contains(" b Qkq "), "{}", position.fen());
        assert!(forgiving_position("nonsense").is_err());
    }

    #[test]
    fn queries_are_made_of_known_values_only() {
        let params = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            Params(
                pairs
                    .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                    .collect(),
            )
        };
        let query = |endpoint, pairs: &[(&str, &str)]| {
            query_of(&params(pairs), endpoint).map(|query| query.to_string())
        };
        let lichess = Endpoint::Lichess;
        for pairs in [
            [("since", "2012-01"), ("until", "2013-12")],
            [("speeds", "blitz,classical"), ("ratings", "0,1600,2500")],
        ] {
            assert!(query(lichess, &pairs).is_ok(), "{pairs:?}");
        }
        for pairs in [
            [("since", "x")],
            [("since", "2012-13")],
            [("speeds", "slow")],
            [("ratings", "1601")],
            [("variant", "x y")],
            [("variant", "foo")],
        ] {
            assert!(query(lichess, &pairs).is_err(), "{pairs:?}");
        }
        assert!(query(Endpoint::Masters, &[("since", "2012-01")]).is_err());
        let player = Endpoint::Player(Color::White);
        assert!(query(player, &[]).is_err());
        let quoted = query(player, &[("player", "A \"B\" OR c")]).unwrap();
        assert!(quoted.starts_with("white:"), "{quoted}");
    }
}
