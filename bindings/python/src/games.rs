//! Games in order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyList;
use tabia::collect_in_parallel::{Collector, collect};
use tabia::core::games::{Database as OpenDatabase, HeadReader, IndexHead};
use tabia::known_texts::KnownTexts;
use tabia::list::ListOptions;
use tabia::sort::SortOrder;
use tabia::{
    Annotation, Error, FileStates, Flow, GameHead, GameIndex, GameResult, InputItem, Ply, Position,
    Recorder, ScanOptions, Visitor, Want,
};

use crate::game::{Game, HeadsOfRecords, RecordSource, WantedParts};
use crate::game_heads::{GameHeads, KnownNames};
use crate::inputs::Inputs;
use crate::kept_problems::{BatchesWithProblems, Keep, Problems};
use crate::read_game::read_game;
use crate::sorted_records::{RecordAt, SortedRecords};

/// Games that are handed on at a time, once they are sorted.
const CHUNK: usize = 64;

/// Games, read on threads of their own. Their problems are those of records that are no game of the iterator.
///
/// >>> games = db.games()
/// >>> next(games).white
/// 'Morphy, Paul'
/// >>> games.close()
#[pyclass(frozen, module = "tabia")]
pub(crate) struct Games(BatchesWithProblems<Game>);

impl Games {
    /// Games in the order of the inputs. Of databases with an index only heads are read until moves are asked for.
    pub(crate) fn start(inputs: Arc<Inputs>, plan: ScanOptions) -> std::io::Result<Self> {
        let games = BatchesWithProblems::start(
            Arc::clone(&inputs.closing),
            move |progress, lost, send| {
                inputs.check()?;
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
                            wanted: Arc::clone(&sources.borrow().wanted),
                            ..GameCollector::default()
                        })
                    },
                    progress,
                    &mut Keep(noted.clone()),
                    &mut |_, base, piece| {
                        let mut batch = sources.borrow().games(piece, base);
                        assign(noted.take(), &mut batch, lost);
                        Ok(send(batch))
                    },
                );
                assign(noted.take(), &mut [], lost);
                done.map(drop)
            },
        )?;
        Ok(Self(games))
    }

    /// Games in another order, read one after another.
    pub(crate) fn start_sorted(
        inputs: Arc<Inputs>,
        options: ListOptions,
        order: SortOrder,
    ) -> std::io::Result<Self> {
        let records = SortedRecords {
            inputs: Arc::clone(&inputs),
            options,
            order,
            chunk: CHUNK,
        };
        let games = BatchesWithProblems::start(
            Arc::clone(&inputs.closing),
            move |progress, problems, send| {
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
                problems.add(listed.into_inner().into_values().flatten());
                Ok(())
            },
        )?;
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
            None => lost.add([problem]),
        }
    }
}

/// The input that is being read.
struct Sources<'i> {
    inputs: &'i Arc<Inputs>,
    name: Arc<str>,
    record: Option<Arc<RecordSource>>,
    wanted: Arc<WantedParts>,
}

impl<'i> Sources<'i> {
    fn new(inputs: &'i Arc<Inputs>) -> Self {
        Self {
            inputs,
            name: "".into(),
            record: None,
            wanted: Arc::default(),
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
                wanted: Arc::clone(&self.wanted),
            })
        });
    }

    /// The games of a piece; `base` is added to their numbers.
    fn games(&self, piece: &mut Piece, base: GameIndex) -> Vec<Game> {
        let heads = std::mem::take(&mut piece.heads);
        let heads = self.record.as_ref().map(|record| {
            Arc::new(HeadsOfRecords {
                heads,
                source: Arc::clone(&self.name),
                record: Arc::clone(record),
            })
        });
        let make = |recorded: Recorded| {
            let index = recorded.number.saturating_add(base.0);
            match (recorded.part, &heads) {
                (Part::Head(number), Some(heads)) => {
                    Some(Game::of_head(Arc::clone(heads), number, index))
                }
                (Part::Tags(game), Some(heads)) => {
                    let (source, record) = (Arc::clone(&heads.source), Arc::clone(&heads.record));
                    Some(Game::of_tags(game, index, source, record))
                }
                (Part::Tags(game) | Part::Whole(game), _) => {
                    Some(Game::new(game, Some(index), Arc::clone(&self.name)))
                }
                // Heads are taken of inputs alone.
                (Part::Head(_), None) => None,
            }
        };
        piece.games.drain(..).filter_map(make).collect()
    }
}

/// Games of a part of an input.
#[derive(Default)]
struct Piece {
    games: Vec<Recorded>,
    heads: GameHeads,
}

/// A game of a piece.
struct Recorded {
    number: u32,
    part: Part,
}

/// What was read of a game.
enum Part {
    /// The number of its head in the piece.
    Head(u32),
    Tags(Box<tabia::Game>),
    Whole(Box<tabia::Game>),
}

/// Records games with their numbers.
#[derive(Default)]
struct GameCollector {
    recorder: Recorder,
    number: u32,
    /// Whether the moves of games of a database are read when they are asked for.
    may_read_later: bool,
    wanted: Arc<WantedParts>,
    /// Whether only the tags of the game are read.
    has_only_tags: bool,
    names: KnownNames,
    done: Piece,
}

impl GameCollector {
    /// Whether moves are left to be read later.
    fn leaves_moves(&self) -> bool {
        self.may_read_later && !self.wanted.moves.load(Ordering::Relaxed)
    }
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
        let game = Box::new(self.recorder.replace(tabia::Game::new()));
        self.done.games.push(Recorded {
            number: self.number,
            part: if self.has_only_tags {
                Part::Tags(game)
            } else {
                Part::Whole(game)
            },
        });
    }
}

impl Collector for GameCollector {
    type Piece = Piece;

    fn swap(&mut self, piece: &mut Piece) {
        // Its heads were taken.
        piece.games.clear();
        std::mem::swap(&mut self.done, piece);
        self.names.iter_mut().for_each(KnownTexts::forget);
    }

    fn want_of(&mut self, database: &dyn OpenDatabase, _: GameIndex, want: Want) -> Want {
        // Formats that store names apart have an index, by which one game costs no more than its share of all.
        let has_index = !database.info().names.is_empty();
        self.has_only_tags = has_index && self.leaves_moves();
        if self.has_only_tags { Want::TAGS } else { want }
    }

    fn wants_heads(&self) -> bool {
        self.may_read_later
    }

    fn take_head(
        &mut self,
        _: &dyn OpenDatabase,
        game: GameIndex,
        heads: &dyn HeadReader,
        head: &IndexHead,
    ) -> bool {
        if !self.leaves_moves() || self.wanted.tags.load(Ordering::Relaxed) {
            return false;
        }
        let number = self.done.heads.push(&mut self.names, heads, head);
        self.done.games.extend(number.map(|number| Recorded {
            number: game.0,
            part: Part::Head(number),
        }));
        number.is_some()
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

    /// Number of these problems so far; of more than a hundred thousand `problems` has the first.
    #[getter]
    fn problem_count(&self) -> u64 {
        self.0.problem_count()
    }

    /// Ends the reading; the iterator is then empty.
    fn close(&self, py: Python<'_>) {
        self.0.close(py);
    }
}
