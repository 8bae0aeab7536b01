//! Games and their moves.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::annotation::{CommentPlacement, Score, Shape, ShapeColor, ShapeKind};
use tabia::{CreateOptions, Error, Line, Ply, Profile, Want};

use crate::error::{self, OrRaise};
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

/// All moves of a game, those of variations too.
struct Moves {
    nodes: Vec<Stored>,
    /// The moves of each line by their numbers; the mainline is the first.
    lines: Vec<Vec<usize>>,
}

/// A move with its annotations.
struct Stored {
    ply_number: u32,
    before: tabia::Position,
    ply: Ply,
    chess960: bool,
    comments: Vec<String>,
    comments_before: Vec<String>,
    nags: Vec<u8>,
    shapes: Vec<Shape>,
    clock: Option<f64>,
    elapsed: Option<f64>,
    eval: Option<tabia::annotation::Eval>,
    /// The numbers of lines.
    variations: Vec<usize>,
}

impl Moves {
    /// `None` if the first position cannot be played from.
    fn of(game: &tabia::Game) -> Option<Self> {
        let start = game.start_position();
        if start.is_none() && game.ply_count() == 0 {
            return Some(Self {
                nodes: Vec::new(),
                lines: vec![Vec::new()],
            });
        }
        let mut moves = Self {
            nodes: Vec::new(),
            lines: vec![Vec::new()],
        };
        // Lines are read one after another, so that no depth of variations is too deep.
        let mut waiting = vec![(0, 0, start?, game.root())];
        while let Some((number, plies, start, line)) = waiting.pop() {
            moves.read(
                number,
                plies,
                start,
                line,
                game.head.start.chess960,
                &mut waiting,
            );
        }
        Some(moves)
    }

    fn read<'g>(
        &mut self,
        number: usize,
        plies: u32,
        start: tabia::Position,
        line: Line<'g>,
        chess960: bool,
        waiting: &mut Vec<(usize, u32, tabia::Position, Line<'g>)>,
    ) {
        let mut own = Vec::new();
        for (ply_number, (before, node)) in (plies + 1..).zip(line.with_positions(start)) {
            let mut variations = Vec::new();
            for variation in node.variations() {
                variations.push(self.lines.len());
                waiting.push((self.lines.len(), ply_number - 1, before.clone(), variation));
                self.lines.push(Vec::new());
            }
            let (mut comments, mut comments_before) = (Vec::new(), Vec::new());
            for comment in node.comments() {
                let list = match comment.placement {
                    CommentPlacement::Before => &mut comments_before,
                    CommentPlacement::After => &mut comments,
                };
                list.push(comment.text.to_owned());
            }
            own.push(self.nodes.len());
            self.nodes.push(Stored {
                ply_number,
                before,
                ply: node.ply(),
                chess960,
                comments,
                comments_before,
                nags: node.nags().map(|nag| nag.0).collect(),
                shapes: node.shapes().collect(),
                clock: node.clock().map(|time| time.as_secs_f64()),
                elapsed: node.elapsed().map(|time| time.as_secs_f64()),
                eval: node.eval(),
                variations,
            });
        }
        if let Some(line) = self.lines.get_mut(number) {
            *line = own;
        }
    }

    fn line(self: &Arc<Self>, number: usize) -> Vec<Node> {
        let nodes = self.lines.get(number).into_iter().flatten();
        let node = |number: &usize| Node {
            moves: Arc::clone(self),
            number: *number,
        };
        nodes.map(node).collect()
    }
}

/// A move with what is attached to it.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Node {
    moves: Arc<Moves>,
    number: usize,
}

impl Node {
    fn stored(&self) -> PyResult<&Stored> {
        let none = || PyValueError::new_err("there is no such move");
        self.moves.nodes.get(self.number).ok_or_else(none)
    }
}

/// The name of a colour.
fn color_name(color: ShapeColor) -> String {
    let name = match color {
        ShapeColor::Green => "green",
        ShapeColor::Yellow => "yellow",
        ShapeColor::Red => "red",
        ShapeColor::Blue => "blue",
        ShapeColor::Orange => "orange",
        ShapeColor::Cyan => "cyan",
        ShapeColor::Magenta => "magenta",
        ShapeColor::Purple => "purple",
        ShapeColor::DarkBlue => "darkblue",
        ShapeColor::White => "white",
        ShapeColor::Black => "black",
        ShapeColor::ChessBase(number) => return format!("chessbase:{number}"),
        ShapeColor::Rgb(rgb) => return format!("#{rgb:06x}"),
        _ => "other",
    };
    name.to_owned()
}

#[pymethods]
impl Node {
    /// Number of the ply, from 1.
    #[getter]
    fn ply_number(&self) -> PyResult<u32> {
        Ok(self.stored()?.ply_number)
    }

    /// The move in SAN.
    #[getter]
    fn san(&self) -> PyResult<String> {
        let stored = self.stored()?;
        Ok(stored.before.san(stored.ply).to_string())
    }

    /// The move in UCI notation; castling as king takes rook only in Chess960.
    #[getter]
    fn uci(&self) -> PyResult<String> {
        let stored = self.stored()?;
        Ok(uci_text(stored.ply, stored.chess960))
    }

    /// Comments after the move.
    #[getter]
    fn comments(&self) -> PyResult<Vec<String>> {
        Ok(self.stored()?.comments.clone())
    }

    /// Comments before the move.
    #[getter]
    fn comments_before(&self) -> PyResult<Vec<String>> {
        Ok(self.stored()?.comments_before.clone())
    }

    /// Numeric annotation glyphs.
    #[getter]
    fn nags(&self) -> PyResult<Vec<u32>> {
        Ok(self.stored()?.nags.iter().copied().map(u32::from).collect())
    }

    /// Arrows as colour, from, to: `("green", "e2", "e4")`.
    #[getter]
    fn arrows(&self) -> PyResult<Vec<(String, String, String)>> {
        let shapes = self.stored()?.shapes.iter();
        let arrow = |shape: &Shape| match shape.kind {
            ShapeKind::Arrow(from, to) => {
                Some((color_name(shape.color), from.to_string(), to.to_string()))
            }
            _ => None,
        };
        Ok(shapes.filter_map(arrow).collect())
    }

    /// Marked squares as form, colour, square: `("square", "red", "e4")`; forms are `square`, `circle`,
    /// `disk`, `frame`, and a character for a letter on a square.
    #[getter]
    fn marks(&self) -> PyResult<Vec<(String, String, String)>> {
        let shapes = self.stored()?.shapes.iter();
        let mark = |shape: &Shape| {
            let (form, square) = match shape.kind {
                ShapeKind::Square(square) => ("square".to_owned(), square),
                ShapeKind::Circle(square) => ("circle".to_owned(), square),
                ShapeKind::Disk(square) => ("disk".to_owned(), square),
                ShapeKind::Frame(square) => ("frame".to_owned(), square),
                ShapeKind::Letter(square, letter) => (letter.to_string(), square),
                _ => return None,
            };
            Some((form, color_name(shape.color), square.to_string()))
        };
        Ok(shapes.filter_map(mark).collect())
    }

    /// Seconds left after the move; `None` if unknown.
    #[getter]
    fn clock(&self) -> PyResult<Option<f64>> {
        Ok(self.stored()?.clock)
    }

    /// Seconds spent on the move; `None` if unknown.
    #[getter]
    fn elapsed(&self) -> PyResult<Option<f64>> {
        Ok(self.stored()?.elapsed)
    }

    /// Evaluation in hundredths of a pawn, positive if White is better.
    #[getter]
    fn eval_cp(&self) -> PyResult<Option<i32>> {
        Ok(self.stored()?.eval.and_then(|eval| match eval.score {
            Score::Centipawns(score) => Some(score),
            Score::Mate(_) => None,
        }))
    }

    /// Moves to mate, negative if Black mates.
    #[getter]
    fn eval_mate(&self) -> PyResult<Option<i32>> {
        Ok(self.stored()?.eval.and_then(|eval| match eval.score {
            Score::Mate(moves) => Some(moves),
            Score::Centipawns(_) => None,
        }))
    }

    /// Depth of the evaluation in plies; `None` if unknown.
    #[getter]
    fn eval_depth(&self) -> PyResult<Option<u16>> {
        Ok(self.stored()?.eval.and_then(|eval| eval.depth))
    }

    /// The alternatives to this move, each a list of moves.
    #[getter]
    fn variations(&self) -> PyResult<Vec<Vec<Node>>> {
        let lines = self.stored()?.variations.iter();
        Ok(lines.map(|number| self.moves.line(*number)).collect())
    }

    /// The position before the move.
    #[getter]
    fn before(&self) -> PyResult<Position> {
        Ok(self.stored()?.before.clone().into())
    }

    /// The position after the move.
    #[getter]
    fn position(&self) -> PyResult<Position> {
        let stored = self.stored()?;
        Ok(stored.before.after(stored.ply).into())
    }

    /// The position after the move, as FEN.
    fn fen(&self) -> PyResult<String> {
        let stored = self.stored()?;
        Ok(stored.before.after(stored.ply).fen())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "<tabia.Node {} {}>",
            self.ply_number()?,
            self.san()?
        ))
    }
}

/// A date whose parts may be unknown.
#[pyclass(frozen, eq, hash, module = "tabia")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Date(pub(crate) tabia::Date);

#[pymethods]
impl Date {
    #[new]
    #[pyo3(signature = (year=None, month=None, day=None))]
    fn new(year: Option<u16>, month: Option<u8>, day: Option<u8>) -> Self {
        let (month, day) = (month.unwrap_or(0), day.unwrap_or(0));
        Self(tabia::Date::new(year.unwrap_or(0), month, day))
    }

    /// The year; `None` if unknown.
    #[getter]
    fn year(&self) -> Option<u16> {
        Some(self.0.year).filter(|part| *part != 0)
    }

    /// The month; `None` if unknown.
    #[getter]
    fn month(&self) -> Option<u8> {
        Some(self.0.month).filter(|part| *part != 0)
    }

    /// The day; `None` if unknown.
    #[getter]
    fn day(&self) -> Option<u8> {
        Some(self.0.day).filter(|part| *part != 0)
    }

    /// The date as `datetime.date`, if it is complete and exists.
    #[getter]
    fn complete<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !self.0.is_complete() {
            return Ok(None);
        }
        let parts = (self.0.year, self.0.month, self.0.day);
        match py.import("datetime")?.getattr("date")?.call1(parts) {
            Ok(date) => Ok(Some(date)),
            Err(error) if error.is_instance_of::<PyValueError>(py) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let part =
            |part: Option<u16>| part.map_or_else(|| "None".to_owned(), |part| part.to_string());
        let month = self.month().map(u16::from);
        let day = self.day().map(u16::from);
        format!(
            "Date({}, {}, {})",
            part(self.year()),
            part(month),
            part(day)
        )
    }
}
