//! Statistics of a position.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::book::find::{FoundPosition, find};
use tabia::{Error, Wdl};

use crate::book::Book;
use crate::book_position::BookPosition;
use crate::database::{Database, TreeJob, TreeQuestion, cancellable};
use crate::date::Date;
use crate::html;
use crate::inputs::query;
use crate::kept_problems::Problems;
use crate::position::{Position, position_of};

/// The moves of a position in several sources: databases, or books. Each source has its own answer, in their order: a
/// `Tree` of a database, a `BookPosition` of a book. `where`, `games` and `threads` are for databases, as in
/// `Database.explore`.
///
/// >>> tree, found = tabia.explore([db, tabia.open_book("book.bin")], "1. e4 e5")
/// >>> tree.moves[0].san, tree.moves[0].games, found.moves[0].san, found.moves[0].weight
/// ('Nf3', 3, 'Nf3', 5)
#[pyfunction]
#[pyo3(signature = (sources, position, *, r#where=None, games=8, threads=None))]
pub(crate) fn explore<'py>(
    py: Python<'py>,
    sources: Vec<Explored<'py>>,
    position: &Bound<'py, PyAny>,
    r#where: Option<&str>,
    games: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let position = position_of(position)?;
    let ask = TreeQuestion {
        filter: r#where,
        games,
        threads,
    };
    // What is wrong with the question is known before the first source is read.
    query(py, r#where)?;
    let jobs = sources.iter().map(|source| match source {
        Explored::Database(database) => database.get().tree_job(py, &position, &ask).map(Job::Tree),
        Explored::Book(book) => book.get().opened().map(Job::Find),
    });
    let jobs = jobs.collect::<PyResult<Vec<_>>>()?;
    let wanted = position.clone();
    let answers = cancellable(py, move |progress| {
        let answer = |job| {
            Ok(match job {
                Job::Tree(job) => Answer::Tree(job(progress)?.into()),
                Job::Find(book) => Answer::Found(Box::new(find(&*book, &wanted)?)),
            })
        };
        jobs.into_iter()
            .map(answer)
            .collect::<Result<Vec<_>, Error>>()
    })?;
    let list = PyList::empty(py);
    for answer in answers {
        match answer {
            Answer::Tree(tree) => list.append(Bound::new(py, tree)?)?,
            Answer::Found(found) => {
                let found = BookPosition::new(position.clone(), *found);
                list.append(Bound::new(py, found)?)?;
            }
        }
    }
    Ok(list)
}

/// What is explored.
#[derive(FromPyObject)]
pub(crate) enum Explored<'py> {
    Database(Bound<'py, Database>),
    Book(Bound<'py, Book>),
}

enum Job {
    Tree(TreeJob),
    Find(Arc<dyn tabia::Book>),
}

enum Answer {
    Tree(Tree),
    Found(Box<Option<FoundPosition>>),
}

/// The games that reached a position.
///
/// >>> tree = db.explore("1. e4 e5 2. Nf3")
/// >>> tree.games, tree.results, tree.opening
/// (3, (2, 1, 0), "King's Knight Opening")
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Tree(Box<tabia::base::Tree>, Problems);

impl From<(tabia::base::Tree, Problems)> for Tree {
    fn from((tree, problems): (tabia::base::Tree, Problems)) -> Self {
        Self(Box::new(tree), problems)
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

    /// Problems of what was read for it, as exceptions that were not raised; of more than a hundred thousand the first.
    /// Those of the files of a folder that cannot be read precede them. What a saved index knows is not read.
    ///
    /// >>> tree = tabia.open(b"1. e4 e5 2. Ke3 *", name="a.pgn").explore("1. e4")
    /// >>> tree.games, [(problem.game, problem.ply) for problem in tree.problems], tree.problem_count
    /// (1, [(1, 2)], 1)
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.1.list(py)
    }

    /// Number of problems of what was read for it.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.1.count()
    }

    fn __repr__(&self) -> String {
        format!(
            "<tabia.Tree {} games, {} moves>",
            self.0.games,
            self.0.moves.len()
        )
    }

    /// The board and the moves, for notebooks.
    fn _repr_html_(&self) -> String {
        let rows = self.0.moves.iter().map(|m| {
            let score = m
                .score
                .map_or_else(String::new, |score| format!("{:.1} %", score * 100.0));
            let results = html::results(results(m.results));
            vec![m.san.clone(), m.games.to_string(), score, results]
        });
        let names = ["move", "games", "score", "+ = \u{2212}"];
        html::board_and_table(&self.0.position, &names, rows)
    }
}

/// A move that was played from a position.
///
/// >>> move = db.explore("1. e4").moves[0]
/// >>> move.san, move.games, move.last_played.year
/// ('e5', 4, 2024)
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
///
/// >>> game = db.explore("1. e4 e5 2. f4").recent_games[0]
/// >>> game.white, db.game(game.number).white
/// ('Anderssen, Adolf', 'Anderssen, Adolf')
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
