//! A visitor that records every game and hands it to a sink.

use crate::chess::{Ply, Position};
use crate::game::{Annotation, Flow, Game, GameHead, GameResult, Recorder, Visitor};
use crate::ids::GameIndex;

/// Receives recorded games from [`RecordEach`].
pub trait GameSink {
    /// A game has ended. It is in `recorder`, which records the next one afterwards.
    fn push(&mut self, index: GameIndex, recorder: &mut Recorder);
}

impl GameSink for Vec<Game> {
    fn push(&mut self, _index: GameIndex, recorder: &mut Recorder) {
        Vec::push(self, recorder.replace(Game::new()));
    }
}

/// Records every game that is visited and hands it to a sink. Problems are ignored.
///
/// ```
/// use tabia_core::GameIndex;
/// use tabia_core::game::{Game, RecordEach, Want};
///
/// let mut all = RecordEach::<Vec<Game>>::default();
/// for index in 0..2 {
///     let _ = Game::new().replay(GameIndex(index), Want::ALL, &mut all);
/// }
/// assert_eq!(all.sink.len(), 2);
/// ```
#[derive(Debug, Default)]
pub struct RecordEach<S> {
    /// Where the games go.
    pub sink: S,
    recorder: Recorder,
    index: GameIndex,
}

impl<S> RecordEach<S> {
    /// A visitor that hands its games to `sink`.
    pub fn new(sink: S) -> Self {
        Self {
            sink,
            recorder: Recorder::new(),
            index: GameIndex(0),
        }
    }
}

impl<S: GameSink> Visitor for RecordEach<S> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.index = game;
        self.recorder.begin_game(game, head)
    }

    #[inline]
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
        self.sink.push(self.index, &mut self.recorder);
    }
}
