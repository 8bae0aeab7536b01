//! The moves of a position in a book.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};
use tabia::book::find::{FoundMove, FoundPosition, opening_of};

use crate::explore::results;
use crate::html;
use crate::position::Position;

/// A position of a book: a sequence of its moves, heaviest first, which is empty if the book does not contain it.
/// What the book does not store is `None`.
///
/// >>> found = tabia.open_book("book.bin").find("1. e4 e5")
/// >>> found.moves[0].san, found[0].weight, len(found)
/// ('Nf3', 5, 1)
#[pyclass(frozen, sequence, module = "tabia")]
pub(crate) struct BookPosition {
    position: Box<tabia::Position>,
    found: FoundPosition,
}

impl BookPosition {
    /// What was found of a position; nothing if the book does not contain it.
    pub(crate) fn new(position: tabia::Position, found: Option<FoundPosition>) -> Self {
        Self {
            position: Box::new(position),
            found: found.unwrap_or_default(),
        }
    }
}

#[pymethods]
impl BookPosition {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        tabia::Position::clone(&self.position).into()
    }

    /// The moves, heaviest first.
    #[getter]
    fn moves(&self) -> Vec<BookMove> {
        self.found.moves.iter().cloned().map(BookMove).collect()
    }

    /// Games that reached the position.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.found.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> Option<(u64, u64, u64)> {
        self.found.results.map(results)
    }

    /// The comment on the position.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.found.comment.as_deref()
    }

    /// Number of entries without a legal move.
    #[getter]
    fn unreadable(&self) -> usize {
        self.found.unreadable
    }

    /// The name of the position, if it has one.
    #[getter]
    fn opening(&self) -> Option<&'static str> {
        opening_of(&self.position, &[]).map(|opening| opening.name)
    }

    fn __len__(&self) -> usize {
        self.found.moves.len()
    }

    /// A move by its index, or a list of them by slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PySlice>() {
            return PyList::new(py, self.moves())?.into_any().get_item(index);
        }
        let length = self.found.moves.len() as isize;
        let Ok(at) = index.extract::<isize>() else {
            return Err(PyTypeError::new_err("an index is a number or a slice"));
        };
        let at = if at < 0 { at + length } else { at };
        let found = usize::try_from(at)
            .ok()
            .and_then(|at| self.found.moves.get(at));
        let found = found.ok_or_else(|| PyIndexError::new_err("there is no such move"))?;
        Ok(Bound::new(py, BookMove(found.clone()))?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.moves())?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        let moves = self.found.moves.iter();
        let moves: Vec<&str> = moves.map(|m| m.san.as_str()).collect();
        format!("<tabia.BookPosition {}>", moves.join(" "))
    }

    /// The board and the moves, for notebooks.
    fn _repr_html_(&self) -> String {
        let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        let rows = self.found.moves.iter().map(|m| {
            let share = format!("{:.1} %", m.probability * 100.0);
            let weight = number(m.weight.map(u64::from));
            let results = m.results.map(results);
            let results = results.map_or_else(String::new, html::results);
            vec![m.san.clone(), share, weight, number(m.games), results]
        });
        let names = ["move", "probability", "weight", "games", "+ = \u{2212}"];
        html::board_and_table(&self.position, &names, rows)
    }
}

/// A move of a book. What the book does not store is `None`.
///
/// >>> move = tabia.open_book("book.bin").find("1. e4 e5")[0]
/// >>> move.san, move.uci, move.probability
/// ('Nf3', 'g1f3', 1.0)
#[pyclass(frozen, module = "tabia")]
pub(crate) struct BookMove(FoundMove);

#[pymethods]
impl BookMove {
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

    /// The stored weight.
    #[getter]
    fn weight(&self) -> Option<u32> {
        self.0.weight
    }

    /// Games in which the move was played.
    #[getter]
    fn games(&self) -> Option<u64> {
        self.0.games
    }

    /// Games won by White, drawn, won by Black.
    #[getter]
    fn results(&self) -> Option<(u64, u64, u64)> {
        self.0.results.map(results)
    }

    /// Score of the side that plays it, 0 to 1.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.0.score
    }

    /// Average Elo of the players who played the move.
    #[getter]
    fn average_rating(&self) -> Option<u16> {
        self.0.average_rating
    }

    /// Their performance.
    #[getter]
    fn performance(&self) -> Option<u16> {
        self.0.performance
    }

    /// Probability with which a program plays the move, 0 to 1.
    #[getter]
    fn probability(&self) -> f64 {
        self.0.probability
    }

    /// `True`: to be played before all others; `False`: never.
    #[getter]
    fn recommended(&self) -> Option<bool> {
        self.0.recommended
    }

    /// A comment.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.0.comment.as_deref()
    }

    /// The name of the opening after the move.
    #[getter]
    fn opening(&self) -> Option<&'static str> {
        self.0.opening.map(|opening| opening.name)
    }

    fn __repr__(&self) -> String {
        let weight = self
            .0
            .weight
            .map_or_else(String::new, |weight| format!(" {weight}"));
        format!("<tabia.BookMove {}{weight}>", self.0.san)
    }
}
