//! [`Node`]: a move of a game with its annotations and variations.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tabia::annotation::{CommentPlacement, Score, Shape, ShapeKind};
use tabia::{Line, Ply};

use crate::position::{Position, uci_text};

/// All moves of a game, those of variations too.
pub(crate) struct Moves {
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
    pub(crate) fn of(game: &tabia::Game) -> Option<Self> {
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

    /// The lines that are alternatives to the moves of the mainline.
    pub(crate) fn variations(self: &Arc<Self>) -> Vec<Vec<Node>> {
        let mainline = self.lines.first().into_iter().flatten();
        let nodes = mainline.filter_map(|number| self.nodes.get(*number));
        let lines = nodes.flat_map(|node| &node.variations);
        lines.map(|number| self.line(*number)).collect()
    }

    pub(crate) fn line(self: &Arc<Self>, number: usize) -> Vec<Node> {
        let nodes = self.lines.get(number).into_iter().flatten();
        let node = |number: &usize| Node {
            moves: Arc::clone(self),
            number: *number,
        };
        nodes.map(node).collect()
    }
}

/// A move with what is attached to it.
///
/// >>> node = db.game(2).mainline()[-1]
/// >>> node.san, node.uci, node.position.is_checkmate
/// ('Rd8#', 'd1d8', True)
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

/// An evaluation, positive if White is better: hundredths of a pawn or moves to mate.
///
/// >>> [node] = tabia.open(b"1. e4 {[%eval #3]} *", name="a.pgn")[0].mainline()
/// >>> node.eval.mate, str(node.eval)
/// (3, '#3')
#[pyclass(frozen, eq, hash, module = "tabia")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Eval(tabia::annotation::Eval);

#[pymethods]
impl Eval {
    /// Hundredths of a pawn; `None` if one side mates.
    #[getter]
    fn cp(&self) -> Option<i32> {
        match self.0.score {
            Score::Centipawns(score) => Some(score),
            Score::Mate(_) => None,
        }
    }

    /// Moves to mate, negative if Black mates; `None` if neither side does.
    #[getter]
    fn mate(&self) -> Option<i32> {
        match self.0.score {
            Score::Mate(moves) => Some(moves),
            Score::Centipawns(_) => None,
        }
    }

    /// The depth in plies; `None` if unknown.
    #[getter]
    fn depth(&self) -> Option<u16> {
        self.0.depth
    }

    fn __str__(&self) -> String {
        match self.0.score {
            Score::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
            Score::Mate(moves) => format!("#{moves}"),
        }
    }

    fn __repr__(&self) -> String {
        format!("<tabia.Eval {}>", self.__str__())
    }
}

#[pymethods]
impl Node {
    /// Number of the ply, from 1.
    #[getter]
    fn ply(&self) -> PyResult<u32> {
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
                Some((shape.color.to_string(), from.to_string(), to.to_string()))
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
            Some((form, shape.color.to_string(), square.to_string()))
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

    /// The evaluation after the move; `None` if there is none.
    ///
    /// >>> [node] = tabia.open(b"1. e4 {[%eval 0.25,20]} *", name="a.pgn")[0].mainline()
    /// >>> node.eval, node.eval.cp, node.eval.mate, node.eval.depth
    /// (<tabia.Eval +0.25>, 25, None, 20)
    #[getter]
    fn eval(&self) -> PyResult<Option<Eval>> {
        Ok(self.stored()?.eval.map(Eval))
    }

    /// Evaluation in hundredths of a pawn, positive if White is better.
    #[getter]
    fn eval_cp(&self) -> PyResult<Option<i32>> {
        Ok(self.eval()?.and_then(|eval| eval.cp()))
    }

    /// Moves to mate, negative if Black mates.
    #[getter]
    fn eval_mate(&self) -> PyResult<Option<i32>> {
        Ok(self.eval()?.and_then(|eval| eval.mate()))
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
        Ok(format!("<tabia.Node {} {}>", self.ply()?, self.san()?))
    }
}
