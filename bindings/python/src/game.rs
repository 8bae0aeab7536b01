//! [`Game`]: a game with its tags.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::{CreateOptions, Error, Profile, Want};

use crate::date::Date;
use crate::error::{self, OrRaise};
use crate::move_node::{Moves, Node};
use crate::position::{Position, uci_text};

/// A game. It does not change, and has no connection to the file that it was read from.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Game {
    inner: Arc<tabia::Game>,
    /// The number in its database, from 0.
    pub(crate) index: Option<u32>,
    source: String,
    pub(crate) problems: Vec<Error>,
    moves: OnceLock<Option<Arc<Moves>>>,
}

/// The profile of PGN with that name.
pub(crate) fn profile(name: &str) -> Result<Profile, Error> {
    let known = Profile::ALL.iter().find(|(_, known)| *known == name);
    known.map(|(profile, _)| *profile).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|(_, name)| *name).collect();
        Error::usage(format!(
            "`{name}` is no profile of PGN: there are {}",
            names.join(", ")
        ))
    })
}

impl Game {
    pub(crate) fn new(game: tabia::Game, index: Option<u32>, source: String) -> Self {
        Self {
            inner: Arc::new(game),
            index,
            source,
            problems: Vec::new(),
            moves: OnceLock::new(),
        }
    }

    fn tag(&self, name: &str) -> Option<&str> {
        self.inner
            .tag(name)
            .filter(|value| !matches!(*value, "" | "?"))
    }

    fn moves(&self) -> PyResult<Arc<Moves>> {
        let moves = self
            .moves
            .get_or_init(|| Moves::of(&self.inner).map(Arc::new));
        let impossible = || PyValueError::new_err("its first position cannot be played from");
        moves.clone().ok_or_else(impossible)
    }
}

#[pymethods]
impl Game {
    /// The number in its database, from 1.
    #[getter]
    fn number(&self) -> Option<u64> {
        self.index.map(|index| u64::from(index) + 1)
    }

    /// The input that the game was read from.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The tag pairs in stored order; of a tag that occurs twice, the first.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.inner.head.tags.iter() {
            if !dict.contains(name)? {
                dict.set_item(name, value)?;
            }
        }
        Ok(dict)
    }

    /// The player with White; `None` if unknown, as for all tags.
    #[getter]
    fn white(&self) -> Option<&str> {
        self.tag("White")
    }

    /// The player with Black.
    #[getter]
    fn black(&self) -> Option<&str> {
        self.tag("Black")
    }

    /// The event.
    #[getter]
    fn event(&self) -> Option<&str> {
        self.tag("Event")
    }

    /// The site: town or server.
    #[getter]
    fn site(&self) -> Option<&str> {
        self.tag("Site")
    }

    /// The round.
    #[getter]
    fn round(&self) -> Option<&str> {
        self.tag("Round")
    }

    /// The opening code, as stored.
    #[getter]
    fn eco(&self) -> Option<&str> {
        self.tag("ECO")
    }

    /// The Elo of White.
    #[getter]
    fn white_elo(&self) -> Option<u16> {
        self.inner.head.tags.white_elo()
    }

    /// The Elo of Black.
    #[getter]
    fn black_elo(&self) -> Option<u16> {
        self.inner.head.tags.black_elo()
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> &'static str {
        self.inner.result.pgn()
    }

    /// The date, whose parts may be unknown.
    #[getter]
    fn date(&self) -> Date {
        Date(self.inner.head.tags.date().unwrap_or_default())
    }

    /// Number of plies of the mainline.
    #[getter]
    fn ply_count(&self) -> usize {
        self.inner.ply_count()
    }

    /// Whether the game has variations.
    #[getter]
    fn has_variations(&self) -> bool {
        self.inner.has_variations()
    }

    /// What was wrong with the game when it was read, as exceptions that were not raised.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        error::list(py, &self.problems)
    }

    /// Comments before the first move.
    #[getter]
    fn comments(&self) -> Vec<String> {
        let comments = self.inner.root().comments();
        comments.map(|comment| comment.text.to_owned()).collect()
    }

    /// The position before the first move.
    #[getter]
    fn start(&self) -> PyResult<Position> {
        let position = self.inner.start_position();
        let impossible = || PyValueError::new_err("its first position cannot be played from");
        position.map(Position::from).ok_or_else(impossible)
    }

    /// The moves of the mainline. Each has its `variations`.
    fn mainline(&self, py: Python<'_>) -> PyResult<Vec<Node>> {
        let moves = py.detach(|| self.moves())?;
        Ok(moves.line(0))
    }

    /// The moves of the mainline in UCI notation.
    fn uci(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| {
            let chess960 = self.inner.head.start.chess960;
            if self.inner.start_position().is_none() {
                self.moves()?;
            }
            let moves = self.inner.root().moves();
            Ok(moves.map(|node| uci_text(node.ply(), chess960)).collect())
        })
    }

    /// The game as PGN in a profile: `full` (the default) loses nothing.
    #[pyo3(signature = (profile="full"))]
    fn pgn(&self, py: Python<'_>, profile: &str) -> PyResult<String> {
        py.detach(|| {
            let mut options = CreateOptions::default();
            options.profile = self::profile(profile)?;
            let create = tabia::writable_formats().find_map(|format| format.create_text);
            let create = create.ok_or_else(|| Error::unsupported("no text can be written"))?;
            let mut writer = create(&options)?;
            let index = tabia::GameIndex(self.index.unwrap_or_default());
            let _ = self.inner.replay(index, Want::ALL, &mut *writer);
            Ok(String::from_utf8_lossy(writer.text()).into_owned())
        })
        .or_raise(py)
    }

    /// The game as `chess.pgn.Game` of the package `chess`, which must be installed; passed as text.
    fn to_chess<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.pgn(py, "lichess")?;
        let file = py.import("io")?.call_method1("StringIO", (text,))?;
        py.import("chess.pgn")?.call_method1("read_game", (file,))
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.pgn(py, "standard")
    }

    fn __repr__(&self) -> String {
        let name = |name: Option<&str>| name.unwrap_or("?").to_owned();
        let (white, black) = (name(self.white()), name(self.black()));
        format!("<tabia.Game {white} - {black} {}>", self.result())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}
