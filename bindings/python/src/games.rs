//! Games in order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::collect_in_parallel::{Collector, collect};
use tabia::core::games::Database as OpenDatabase;
use tabia::list::ListOptions;
use tabia::sort::SortOrder;
use tabia::{
    Annotation, Error, FileStates, Flow, GameHead, GameIndex, GameResult, InputItem, Ply, Position,
    Recorder, ScanOptions, Visitor, Want,
};

use crate::game::{Game, RecordSource};
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
    /// Games in the order of the inputs. Of databases with an index only heads are read until moves are asked for.
    pub(crate) fn start(inputs: Arc<Inputs>, plan: ScanOptions) -> std::io::Result<Self> {
        let games = BatchesWithProblems::start(move |progress, lost, send| {
            let noted = Problems::default();
            let sources = RefCell::new(Sources::new(&inputs));
            let done = collect(
                &inputs.items,
                &inputs.open,
                &plan,
                &mut |item| {
                    sources.borrow_mut().begin(item);
                    Ok(GameCollector {
                        // Archives would be unpacked twice.
                        may_read_later: item.source().is_some(),
                        wants_moves: Arc::clone(&sources.borrow().wants_moves),
                        ..GameCollector::default()
                    })
                },
                progress,
                &mut Keep(Arc::clone(&noted)),
                &mut |_, base, piece| {
                    let sources = sources.borrow();
                    let make = |recorded: Recorded| sources.game(recorded, base);
                    let mut batch: Vec<Game> = piece.drain(..).map(make).collect();
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

/// The input that is being read.
struct Sources<'i> {
    inputs: &'i Arc<Inputs>,
    name: Arc<str>,
    record: Option<Arc<RecordSource>>,
    wants_moves: Arc<AtomicBool>,
}

impl<'i> Sources<'i> {
    fn new(inputs: &'i Arc<Inputs>) -> Self {
        Self {
            inputs,
            name: "".into(),
            record: None,
            wants_moves: Arc::default(),
        }
    }

    /// An input is read next.
    fn begin(&mut self, item: &InputItem) {
        self.name = item.name().into();
        let mut items = self.inputs.items.iter();
        let number = items.position(|other| std::ptr::eq(other, item));
        self.record = number.map(|input| {
            Arc::new(RecordSource {
                inputs: Arc::clone(self.inputs),
                input,
                states: FileStates::of(item),
                wants_moves: Arc::clone(&self.wants_moves),
            })
        });
    }

    fn game(&self, recorded: Recorded, base: GameIndex) -> Game {
        let index = recorded.number.saturating_add(base.0);
        let source = Arc::clone(&self.name);
        match &self.record {
            Some(record) if recorded.is_head => {
                Game::of_head(recorded.game, index, source, Arc::clone(record))
            }
            _ => Game::new(recorded.game, Some(index), source),
        }
    }
}

/// A game of a piece.
struct Recorded {
    number: u32,
    /// Whether its moves were not read.
    is_head: bool,
    game: tabia::Game,
}

/// Records games with their numbers.
#[derive(Default)]
struct GameCollector {
    recorder: Recorder,
    number: u32,
    /// Whether the moves of games of a database are read when they are asked for.
    may_read_later: bool,
    wants_moves: Arc<AtomicBool>,
    is_head: bool,
    done: Vec<Recorded>,
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
        self.done.push(Recorded {
            number: self.number,
            is_head: self.is_head,
            game,
        });
    }
}

impl Collector for GameCollector {
    type Piece = Vec<Recorded>;

    fn swap(&mut self, piece: &mut Self::Piece) {
        piece.clear();
        std::mem::swap(&mut self.done, piece);
    }

    fn want_of(&mut self, database: &dyn OpenDatabase, _: GameIndex, want: Want) -> Want {
        // Formats that store names apart have an index, by which one game costs no more than its share of all.
        let has_index = !database.info().names.is_empty();
        self.is_head =
            self.may_read_later && has_index && !self.wants_moves.load(Ordering::Relaxed);
        if self.is_head { Want::TAGS } else { want }
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
