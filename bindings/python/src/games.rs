//! Games in order.

use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::collect_in_parallel::{Collector, collect};
use tabia::{
    Annotation, Error, Flow, GameHead, GameIndex, GameResult, Ply, Position, Recorder, ScanOptions,
    Visitor,
};

use crate::batches::Batches;
use crate::error;
use crate::game::Game;
use crate::inputs::Inputs;
use crate::kept_problems::{Keep, Problems, take};

/// Games in order, read on threads of their own.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Games {
    games: Batches<Game>,
    /// Those of records that are no game of the iterator.
    problems: Problems,
}

impl Games {
    pub(crate) fn start(inputs: Arc<Inputs>, plan: ScanOptions) -> std::io::Result<Self> {
        let problems = Problems::default();
        let lost = Arc::clone(&problems);
        let games = Batches::start(move |progress, send| {
            let noted = Problems::default();
            let done = collect(
                &inputs.items,
                &inputs.open,
                &plan,
                &mut |_| Ok(GameCollector::default()),
                progress,
                &mut Keep(Arc::clone(&noted)),
                &mut |item, base, piece| {
                    let mut batch: Vec<Game> = piece
                        .drain(..)
                        .map(|(number, game)| {
                            let index = number.saturating_add(base.0);
                            Game::new(game, Some(index), item.name())
                        })
                        .collect();
                    assign(take(&noted), &mut batch, &lost);
                    Ok(send(batch))
                },
            );
            assign(take(&noted), &mut [], &lost);
            done.map(drop)
        })?;
        Ok(Self { games, problems })
    }
}

/// Gives problems to the games that they are of; the others are lost records.
fn assign(problems: Vec<Error>, games: &mut [Game], lost: &Problems) {
    for problem in problems {
        let index = problem.location().game.map(|game| game.0);
        let found = games.binary_search_by_key(&index, |game| game.index);
        match found.ok().and_then(|found| games.get_mut(found)) {
            Some(game) => game.problems.push(problem),
            None => lost
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(problem),
        }
    }
}

/// Records games with their numbers.
#[derive(Default)]
struct GameCollector {
    recorder: Recorder,
    number: u32,
    done: Vec<(u32, tabia::Game)>,
}

impl Visitor for GameCollector {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.number = game.0;
        self.recorder.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.recorder.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.recorder.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.recorder.begin_variation()
    }

    fn end_variation(&mut self) {
        self.recorder.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.recorder.end_game(result);
        let game = self.recorder.replace(tabia::Game::new());
        self.done.push((self.number, game));
    }
}

impl Collector for GameCollector {
    type Piece = Vec<(u32, tabia::Game)>;

    fn swap(&mut self, piece: &mut Self::Piece) {
        piece.clear();
        std::mem::swap(&mut self.done, piece);
    }
}

#[pymethods]
impl Games {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        self.games.next(py)
    }

    /// Problems with records that are no game of this iterator, so far, as exceptions that were not
    /// raised. Those of a game are its own `problems`.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let problems = self
            .problems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        error::list(py, &problems)
    }

    /// Ends the reading; the iterator is then empty.
    fn close(&self, py: Python<'_>) {
        self.games.close(py);
    }
}
