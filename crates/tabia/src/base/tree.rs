//! What is found of a position: moves with results and ratings, and games.

use std::time::Instant;

use tabia_core::GameIndex;
use tabia_core::books::Wdl;
use tabia_core::chess::{Color, Ply, Position};
use tabia_core::game::{Date, GameResult};
use tabia_query::openings::{self, Opening};

use super::tree_counts::{Reached, Tally, Totals};

/// What of a position is asked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TreeOptions {
    /// Moves at most, the most frequent ones; all of them if `None`. The sums do not depend on it.
    pub moves: Option<usize>,
    /// Games with the highest ratings, and last games, at most.
    pub games: usize,
    /// Whether games that ended at the position, or went on with a null move, can be among these.
    pub ended_games: bool,
    /// Whether players and event of these games are read where only an index was asked; without it they are empty.
    pub names: bool,
    /// The players whose ratings and performance are found, and not those of their opponents; those who are to move if
    /// `None`.
    pub side: Option<Color>,
    /// When reading databases without an index ends; what was found until then is returned.
    pub deadline: Option<Instant>,
}

impl TreeOptions {
    /// The side whose ratings are found in a position.
    pub(super) fn side_in(&self, position: &Position) -> Color {
        self.side.unwrap_or(position.turn())
    }
}

impl Default for TreeOptions {
    /// All moves, eight games of each kind with their names, no deadline.
    fn default() -> Self {
        Self {
            moves: None,
            games: 8,
            ended_games: true,
            names: true,
            side: None,
            deadline: None,
        }
    }
}

/// The games that reached a position. A game counts once, with the move after its first arrival:
/// [`games`](Self::games) is the sum of those of all moves and of [`ended`](Self::ended).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Tree {
    /// The position.
    pub position: Position,
    /// Games that reached it.
    pub games: u64,
    /// Their results; games with an unknown result are in none of the three.
    pub results: Wdl,
    /// The mean rating of the players who were to move, or of [`TreeOptions::side`].
    pub average_rating: Option<u16>,
    /// Their performance.
    pub performance: Option<u16>,
    /// The date of the last of the games; unknown if no game has one.
    pub last_played: Date,
    /// The moves, the most frequent one first.
    pub moves: Vec<TreeMove>,
    /// Games that ended in the position.
    pub ended: u64,
    /// Their results.
    pub ended_results: Wdl,
    /// The mean rating of the players who were to move at their end, or of [`TreeOptions::side`].
    pub ended_average_rating: Option<u16>,
    /// The performance of these players.
    pub ended_performance: Option<u16>,
    /// The date of the last of these games; unknown if none has one.
    pub ended_last_played: Date,
    /// The games with the highest mean of both ratings.
    pub top_games: Vec<TreeGame>,
    /// The last games.
    pub recent_games: Vec<TreeGame>,
    /// The name of the position.
    pub opening: Option<Opening>,
    /// Whether all games were looked at.
    pub is_complete: bool,
}

/// A move that was played from the position.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TreeMove {
    /// The move, or a null move.
    pub ply: Ply,
    /// The move in SAN, `--` for a null move.
    pub san: String,
    /// The move in UCI notation, `0000` for a null move.
    pub uci: String,
    /// Games in which it was played after their first arrival.
    pub games: u64,
    /// Their results.
    pub results: Wdl,
    /// The score of the side that plays it, 0 to 1; `None` without results.
    pub score: Option<f64>,
    /// The mean rating of the players who played it, or of [`TreeOptions::side`] in games with it.
    pub average_rating: Option<u16>,
    /// The mean rating of their opponents, in games with a result.
    pub average_opponent_rating: Option<u16>,
    /// Their performance: the mean rating of their opponents and the difference for their score.
    pub performance: Option<u16>,
    /// The date of the first of the games with a date; unknown if none has one.
    pub first_played: Date,
    /// The date of the last of the games.
    pub last_played: Date,
    /// Games that reached the position after the move, by any order of moves.
    pub child_games: u64,
    /// The opening after the move.
    pub opening: Option<Opening>,
    /// The first of the games: number of its database among those that were opened, from 0, and of the record in it.
    pub sample: Option<(usize, GameIndex)>,
}

/// A game that reached the position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeGame {
    /// Number of the database among those that were opened, from 0.
    pub database: usize,
    /// Number of the record in it.
    pub game: GameIndex,
    /// Player with White.
    pub white: String,
    /// Player with Black.
    pub black: String,
    /// Event.
    pub event: String,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// How it ended.
    pub result: GameResult,
    /// When it was played.
    pub date: Date,
    /// The move played from the position, in UCI notation; `None` if it ended there.
    pub uci: Option<String>,
}

impl Tree {
    /// The tree of what was counted.
    pub(super) fn new(
        position: &Position,
        tally: &Tally,
        options: &TreeOptions,
        is_complete: bool,
    ) -> Self {
        let mut all = Totals::default();
        let mut moves = Vec::new();
        for (played, totals) in &tally.moves {
            all.merge(totals);
            if let Some(ply) = played {
                let children = tally.children.get(ply).copied().unwrap_or_default();
                moves.push(TreeMove::new(position, *ply, totals, children));
            }
        }
        moves.sort_by(|a: &TreeMove, b| b.games.cmp(&a.games).then_with(|| a.uci.cmp(&b.uci)));
        moves.truncate(options.moves.unwrap_or(usize::MAX));
        let ended = tally.moves.get(&None).copied().unwrap_or_default();
        let games = |games: &[Reached]| {
            let games = games.iter();
            games.map(|game| TreeGame::new(position, game)).collect()
        };
        Self {
            position: position.clone(),
            games: all.games,
            results: all.results,
            average_rating: all.average_rating(),
            performance: all.performance(),
            last_played: all.last_played,
            moves,
            ended: ended.games,
            ended_results: ended.results,
            ended_average_rating: ended.average_rating(),
            ended_performance: ended.performance(),
            ended_last_played: ended.last_played,
            top_games: games(&tally.top.games),
            recent_games: games(&tally.recent.games),
            opening: openings::lookup(position),
            is_complete,
        }
    }
}

impl TreeMove {
    fn new(position: &Position, ply: Ply, totals: &Totals, child_games: u64) -> Self {
        let is_white = position.turn().is_white();
        Self {
            ply,
            san: position.san(ply).to_string(),
            uci: position.uci(ply).to_string(),
            games: totals.games,
            results: totals.results,
            score: crate::book::find::score(totals.results, is_white),
            average_rating: totals.average_rating(),
            average_opponent_rating: totals.average_opponent_rating(),
            performance: totals.performance(),
            first_played: totals.first_played,
            last_played: totals.last_played,
            child_games,
            opening: openings::lookup(&position.after(ply)),
            sample: totals.sample,
        }
    }
}

impl TreeGame {
    fn new(position: &Position, game: &Reached) -> Self {
        let [white, black, event] = game.names.as_deref().cloned().unwrap_or_default();
        let [white_elo, black_elo] = game.row.ratings().map(|elo| (elo > 0).then_some(elo));
        Self {
            database: game.database,
            game: game.row.game(),
            white,
            black,
            event,
            white_elo,
            black_elo,
            result: game.row.result(),
            date: game.row.date(),
            uci: game.played.map(|ply| position.uci(ply).to_string()),
        }
    }
}
