//! Games in order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::collect_in_parallel::{Collector, collect};
use tabia::list::ListOptions;
use tabia::sort::SortOrder;
use tabia::{
    Annotation, Error, Flow, GameHead, GameIndex, GameResult, Ply, Position, Recorder, ScanOptions,
    Visitor,
};

use crate::game::Game;
use crate::inputs::Inputs;
use crate::kept_problems::{BatchesWithProblems, Keep, Problems, add, take};
use crate::read_game::read_game;
use crate::sorted_records::{RecordAt, SortedRecords};

/// Games that are handed on at a time, once they are sorted.
const CHUNK: usize = 64;

/// Games, read on threads of their own. Their problems are those of records that are no game of the iterator.
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Games(BatchesWithProblems<Game>);

impl Games {
    /// Games in the order of the inputs.
    pub(crate) fn start(inputs: Arc<Inputs>, plan: ScanOptions) -> std::io::Result<Self> {
        let games = BatchesWithProblems::start(move |progress, lost, send| {
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
                    assign(take(&noted), &mut batch, lost);
                    Ok(send(batch))
                },
            );
            assign(take(&noted), &mut [], lost);
            done.map(drop)
        })?;
        Ok(Self(games))
    }

    /// Games in another order, read one after another.
    pub(crate) fn start_sorted(
        inputs: Arc<Inputs>,
        options: ListOptions,
        order: SortOrder,
    ) -> std::io::Result<Self> {
        let records = SortedRecords {
            inputs,
            options,
            order,
            chunk: CHUNK,
        };
        let games = BatchesWithProblems::start(move |progress, problems, send| {
            // Those of a game are found again when it is read.
            let listed = RefCell::new(BTreeMap::<_, Vec<Error>>::new());
            let mut found = |input: usize, found: Vec<Error>| {
                for problem in found {
                    let record = (input, problem.location().game);
                    listed.borrow_mut().entry(record).or_default().push(problem);
                }
            };
            let mut make = |at: RecordAt<'_>| {
                listed.borrow_mut().remove(&(at.input, Some(at.game)));
                read_game(at.database, at.game, at.item)
            };
            records.send_each(progress, &mut found, &mut make, send)?;
            add(problems, listed.into_inner().into_values().flatten());
            Ok(())
        })?;
        Ok(Self(games))
    }
}

/// Gives problems to the games that they are of; the others are lost records.
fn assign(problems: Vec<Error>, games: &mut [Game], lost: &Problems) {
    for problem in problems {
        let index = problem.location().game.map(|game| game.0);
        let found = games.binary_search_by_key(&index, |game| game.index);
        match found.ok().and_then(|found| games.get_mut(found)) {
            Some(game) => game.problems.push(problem),
            None => add(lost, [problem]),
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
        self.0.next(py)
    }

    /// Problems with records that are no game of this iterator, so far, as exceptions that were not
    /// raised. Those of a game are its own `problems`.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.0.problems(py)
    }

    /// Ends the reading; the iterator is then empty.
    fn close(&self, py: Python<'_>) {
        self.0.close(py);
    }
}
