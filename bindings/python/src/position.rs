//! Positions.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tabia::Ply;
use tabia::book::position_arg::{self, play_moves, position_of_fen};
use tabia::core::chess::uci;

use crate::html;

/// A position that can be played from. It does not change: `play` returns another.
///
/// >>> position = tabia.Position().play("1. e4 c5 2. Nf3")
/// >>> position.turn, len(position.legal_moves), position.is_check
/// ('black', 22, False)
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Position(Box<tabia::Position>);

impl From<tabia::Position> for Position {
    fn from(position: tabia::Position) -> Self {
        Self(Box::new(position))
    }
}

/// A move in UCI notation.
pub(crate) fn uci_text(ply: Ply, chess960: bool) -> String {
    let Ply::Move(m) = ply else {
        return "0000".to_owned();
    };
    let mut text = Vec::new();
    uci::write(m, chess960, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The position that an argument means: a `Position`, a FEN, or moves from the standard position.
pub(crate) fn position_of(value: &Bound<'_, PyAny>) -> PyResult<tabia::Position> {
    if let Ok(position) = value.cast::<Position>() {
        return Ok((*position.get().0).clone());
    }
    let text: String = value.extract()?;
    position_arg::position_of(&text).map_err(PyValueError::new_err)
}

/// The Polyglot key of a position, a FEN, or moves from the standard position.
///
/// >>> hex(tabia.key("1. e4"))
/// '0x823c9b50fd114196'
#[pyfunction]
pub(crate) fn key(position: &Bound<'_, PyAny>) -> PyResult<u64> {
    position_of(position).map(|position| position.key())
}

#[pymethods]
impl Position {
    /// The position of a FEN; the standard position without one.
    #[new]
    #[pyo3(signature = (fen=None))]
    fn new(fen: Option<&str>) -> PyResult<Self> {
        match fen {
            None => Ok(tabia::Position::standard().into()),
            Some(fen) => position_of_fen(fen).map(Self::from).map_err(|text| {
                let are_moves = position_arg::position_of(fen).is_ok();
                PyValueError::new_err(if are_moves {
                    format!("{text}\nhint: `tabia.Position().play({fen:?})` plays moves")
                } else {
                    text
                })
            }),
        }
    }

    /// The position after moves in SAN or UCI notation, with or without numbers.
    fn play(&self, moves: &str) -> PyResult<Self> {
        let played = play_moves(&self.0, moves);
        let played = played.map_err(|illegal| PyValueError::new_err(illegal.to_string()))?;
        Ok(played.0.into())
    }

    /// The position as FEN.
    fn fen(&self) -> String {
        self.0.fen()
    }

    /// The legal moves in UCI notation, sorted.
    #[getter]
    fn legal_moves(&self) -> Vec<String> {
        let moves = self.0.legal_moves();
        let chess960 = self.0.is_chess960();
        let mut texts: Vec<String> = moves
            .iter()
            .map(|m| uci_text((*m).into(), chess960))
            .collect();
        texts.sort();
        texts
    }

    /// The Polyglot key.
    #[getter]
    fn key(&self) -> u64 {
        self.0.key()
    }

    /// `white` or `black`.
    #[getter]
    fn turn(&self) -> &'static str {
        if self.0.turn().is_white() {
            "white"
        } else {
            "black"
        }
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        self.0.is_check()
    }

    /// Whether the side to move is mated.
    #[getter]
    fn is_checkmate(&self) -> bool {
        self.0.is_checkmate()
    }

    /// The board as SVG, for notebooks.
    fn _repr_html_(&self) -> String {
        html::board(&self.0)
    }

    fn __str__(&self) -> String {
        self.0.fen()
    }

    fn __repr__(&self) -> String {
        format!("Position({:?})", self.0.fen())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        self.0.key()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Self>().into_any(), (self.0.fen(),))
    }
}
