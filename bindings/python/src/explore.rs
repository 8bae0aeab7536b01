//! Statistics of a position.

use pyo3::prelude::*;
use tabia::Wdl;

use crate::date::Date;
use crate::position::Position;

/// The games that reached a position.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Tree(Box<tabia::base::Tree>);

impl From<tabia::base::Tree> for Tree {
    fn from(tree: tabia::base::Tree) -> Self {
        Self(Box::new(tree))
    }
}

pub(crate) fn results(wdl: Wdl) -> (u64, u64, u64) {
    (wdl.white, wdl.draws, wdl.black)
}

#[pymethods]
impl Tree {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        self.0.position.clone().into()
    }

    /// Games that reached it.
    #[getter]
    fn games(&self) -> u64 {
        self.0.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> (u64, u64, u64) {
        results(self.0.results)
    }

    /// The moves, the most frequent one first.
    #[getter]
    fn moves(&self) -> Vec<TreeMove> {
        self.0.moves.iter().cloned().map(TreeMove).collect()
    }

    /// Games that ended in the position.
    #[getter]
    fn ended(&self) -> u64 {
        self.0.ended
    }

    /// The name of the position, if it has one.
    #[getter]
    fn opening(&self) -> Option<&'static str> {
        self.0.opening.map(|opening| opening.name)
    }

    /// The games with the highest mean of both ratings.
    #[getter]
    fn top_games(&self) -> Vec<TreeGame> {
        self.0.top_games.iter().cloned().map(TreeGame).collect()
    }

    /// The last games.
    #[getter]
    fn recent_games(&self) -> Vec<TreeGame> {
        self.0.recent_games.iter().cloned().map(TreeGame).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "<tabia.Tree {} games, {} moves>",
            self.0.games,
            self.0.moves.len()
        )
    }
}

/// A move that was played from a position.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct TreeMove(tabia::base::TreeMove);

#[pymethods]
impl TreeMove {
    /// The move in SAN.
    #[getter]
    fn san(&self) -> &str {
        &self.0.san
    }

    /// The move in UCI notation.
    #[getter]
    fn uci(&self) -> &str {
        &self.0.uci
    }

    /// Games in which it was played.
    #[getter]
    fn games(&self) -> u64 {
        self.0.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> (u64, u64, u64) {
        results(self.0.results)
    }

    /// The score of the side that plays it, 0 to 1; `None` without results.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.0.score
    }

    /// The mean rating of the players who played it.
    #[getter]
    fn average_rating(&self) -> Option<u16> {
        self.0.average_rating
    }

    /// Their performance.
    #[getter]
    fn performance(&self) -> Option<u16> {
        self.0.performance
    }

    /// The date of the last of the games.
    #[getter]
    fn last_played(&self) -> Date {
        Date(self.0.last_played)
    }

    fn __repr__(&self) -> String {
        format!("<tabia.TreeMove {} {}>", self.0.san, self.0.games)
    }
}

/// A game that reached a position.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct TreeGame(tabia::base::TreeGame);

#[pymethods]
impl TreeGame {
    /// The number in its database, from 1.
    #[getter]
    fn number(&self) -> u64 {
        u64::from(self.0.game.0) + 1
    }

    /// The number of the database among those that were opened, from 0.
    #[getter]
    fn database(&self) -> usize {
        self.0.database
    }

    /// The player with White.
    #[getter]
    fn white(&self) -> &str {
        &self.0.white
    }

    /// The player with Black.
    #[getter]
    fn black(&self) -> &str {
        &self.0.black
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> &'static str {
        self.0.result.pgn()
    }

    /// The date, whose parts may be unknown.
    #[getter]
    fn date(&self) -> Date {
        Date(self.0.date)
    }

    /// The move played from the position, in UCI notation; `None` if the game ended there.
    #[getter]
    fn uci(&self) -> Option<&str> {
        self.0.uci.as_deref()
    }

    fn __repr__(&self) -> String {
        format!(
            "<tabia.TreeGame {} {} - {}>",
            self.number(),
            self.0.white,
            self.0.black
        )
    }
}
