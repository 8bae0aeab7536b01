//! The moves of a position in books and databases.

use std::sync::Arc;

use serde_json::{Value, json};
use tabia::base::{Base, Tree, TreeGame, TreeMove, TreeOptions};
use tabia::book::find::{FoundPosition, find};
use tabia::core::game::Date;
use tabia::core::games::{NameId, NameKind};
use tabia::{Book, Database, Error, NoObserver, Opening, Ply, Position, Query};

use crate::jobs::Job;

/// Games shown for a position.
pub(crate) const MAX_GAMES: usize = 15;

/// What the games of databases did in a position, as far as they were read.
pub(crate) type FoundTree = Option<Arc<Tree>>;

/// The answer of a book.
pub(crate) fn of_book(book: &dyn Book, position: &Position) -> Result<Value, Error> {
    let found = find(book, position)?.unwrap_or_default();
    let total = found.results;
    let moves: Vec<Value> = found
        .moves
        .iter()
        .map(|m| {
            json!({
                "uci": m.uci,
                "san": m.san,
                "games": m.games,
                "white": m.results.map(|results| results.white),
                "draws": m.results.map(|results| results.draws),
                "black": m.results.map(|results| results.black),
                "averageRating": m.average_rating,
                "performance": m.performance,
                "weight": m.weight,
                "share": m.probability,
                "recommended": m.recommended,
                "annotation": m.annotation,
                "comment": m.comment,
                "opening": opening_json(m.opening),
            })
        })
        .collect();
    Ok(json!({
        "kind": "book",
        "games": found.games,
        "white": total.map(|results| results.white),
        "draws": total.map(|results| results.draws),
        "black": total.map(|results| results.black),
        "comment": found.comment,
        "unreadable": found.unreadable,
        "moves": moves,
        "linked": linked(&found),
    }))
}

fn linked(found: &FoundPosition) -> Vec<Value> {
    let games = found.linked.iter().take(MAX_GAMES);
    games
        .map(|game| {
            json!({
                "source": game.source,
                "game": game.index.map(|index| u64::from(index) + 1),
                "white": game.white,
                "whiteElo": game.white_elo,
                "black": game.black,
                "blackElo": game.black_elo,
                "result": game.result.to_string(),
            })
        })
        .collect()
}

/// The best and the last games of the page's explorer.
pub(crate) fn listed_games() -> TreeOptions {
    let mut options = TreeOptions::default();
    options.games = MAX_GAMES;
    options
}

/// Counts what the games did in a position, and finds the best and the last of them; the job shows what was found so
/// far.
pub(crate) fn count(
    base: &Base,
    position: &Position,
    query: &Query,
    options: &TreeOptions,
    job: &Job<FoundTree>,
) -> Result<(), Error> {
    let mut options = options.clone();
    // The database is open anyway: see `names_of`.
    options.names = false;
    let selected = base.select(query, &job.progress)?;
    let show = |tree: Tree| job.update(|found| *found = Some(Arc::new(tree)));
    let tree = base.tree_updates(
        position,
        &selected,
        &options,
        &job.progress,
        &mut NoObserver,
        &mut |tree| show(tree),
    )?;
    show(tree);
    Ok(())
}

/// The code and name of an opening; null without one.
pub(crate) fn opening_json(opening: Option<Opening>) -> Value {
    json!(opening.map(|opening| json!({"eco": opening.eco, "name": opening.name})))
}

/// What all lists have of a move that games played.
fn played_move(m: &TreeMove) -> Value {
    json!({
        "uci": m.uci,
        "san": m.san,
        "games": m.games,
        "white": m.results.white,
        "draws": m.results.draws,
        "black": m.results.black,
        "averageRating": m.average_rating,
        "performance": m.performance,
        "childGames": m.child_games,
        "opening": opening_json(m.opening),
    })
}

/// The position after a move.
fn fen_after(position: &Position, uci: &str) -> Option<String> {
    let ply = position.parse_uci(uci)?;
    let mut after = position.clone();
    after.play_ply(ply);
    Some(after.fen())
}

/// The answer of a database, which is the only one of the tree.
pub(crate) fn of_tree(id: &str, tree: &Tree, database: &dyn Database) -> Value {
    let all = tree.games.max(1) as f64;
    let moves: Vec<Value> = tree
        .moves
        .iter()
        .map(|m| {
            let year = m.last_played.year;
            let first = m.first_played.year;
            let mut row = played_move(m);
            row["firstYear"] = json!((first > 0).then_some(first));
            row["lastYear"] = json!((year > 0).then_some(year));
            row["share"] = json!(m.games as f64 / all);
            let transposes = m.child_games > m.games;
            row["transposes"] = json!(transposes);
            // To find how the others came there.
            let after = Some(&m.uci).filter(|_| transposes);
            row["fen"] = json!(after.and_then(|uci| fen_after(&tree.position, uci)));
            row
        })
        .collect();
    let games = |list: &[TreeGame]| -> Vec<Value> {
        let rows = list.iter().take(MAX_GAMES);
        rows.map(|game| game_row(id, &tree.position, game, database))
            .collect()
    };
    json!({
        "kind": "database",
        "games": tree.games,
        "white": tree.results.white,
        "draws": tree.results.draws,
        "black": tree.results.black,
        "ended": tree.ended,
        "averageRating": tree.average_rating,
        "performance": tree.performance,
        "moves": moves,
        "topGames": games(&tree.top_games),
        "recentGames": games(&tree.recent_games),
    })
}

/// A date; `None` if nothing of it is known.
fn known_date(date: Date) -> Option<String> {
    (!date.is_unknown()).then(|| date.to_string())
}

/// The answer of several databases together, with the names of `tabia tree --json`.
pub(crate) fn of_databases(tree: &Tree, databases: &[(&str, &dyn Database)]) -> Value {
    let moves: Vec<Value> = tree
        .moves
        .iter()
        .map(|m| {
            let mut row = played_move(m);
            row["lastPlayed"] = json!(known_date(m.last_played));
            row
        })
        .collect();
    let games = |list: &[TreeGame]| -> Vec<Value> {
        let rows = list.iter().filter_map(|game| {
            let (id, database) = databases.get(game.database)?;
            Some(game_row(id, &tree.position, game, *database))
        });
        rows.take(MAX_GAMES).collect()
    };
    json!({
        "games": tree.games,
        "white": tree.results.white,
        "draws": tree.results.draws,
        "black": tree.results.black,
        "averageRating": tree.average_rating,
        "performance": tree.performance,
        "lastPlayed": known_date(tree.last_played),
        "moves": moves,
        "end": {
            "games": tree.ended,
            "white": tree.ended_results.white,
            "draws": tree.ended_results.draws,
            "black": tree.ended_results.black,
        },
        "topGames": games(&tree.top_games),
        "recentGames": games(&tree.recent_games),
        "opening": opening_json(tree.opening),
    })
}

/// White and Black of a game.
fn names_of(game: &TreeGame, database: &dyn Database) -> [String; 2] {
    if !game.white.is_empty() || !game.black.is_empty() {
        return [game.white.clone(), game.black.clone()];
    }
    let entry = database.entry(game.game).ok();
    let players = entry.map(|entry| [entry.white, entry.black]);
    let name = |id: Option<NameId>| {
        let name = id.and_then(|id| database.name(NameKind::Player, id).ok());
        let name = name.map(std::borrow::Cow::into_owned).unwrap_or_default();
        if name == "?" { String::new() } else { name }
    };
    players.unwrap_or_default().map(name)
}

fn game_row(id: &str, position: &Position, game: &TreeGame, database: &dyn Database) -> Value {
    let ply = game.uci.as_ref();
    let ply = ply.and_then(|text| position.parse_uci(text));
    let san = ply.map(|ply: Ply| position.san(ply).to_string());
    let [white, black] = names_of(game, database);
    json!({
        "db": id,
        "game": u64::from(game.game.0) + 1,
        "san": san,
        "white": white,
        "whiteElo": game.white_elo,
        "black": black,
        "blackElo": game.black_elo,
        "result": game.result.to_string(),
        "year": (game.date.year > 0).then_some(game.date.year),
    })
}
