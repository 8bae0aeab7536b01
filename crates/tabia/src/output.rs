//! Where converted games go: text joined in order, or a database written game by game.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, Game, GameHead, GameResult, Recorder, Visitor};
use tabia_core::games::{GameEncoder, TextWriter};
use tabia_core::loss::Losses;
use tabia_core::{Error, GameIndex, Problem};

use crate::scan::Task;

/// Writes games as text.
pub(crate) struct TextTask(pub(crate) Box<dyn TextWriter>);

impl Visitor for TextTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.0.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.0.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.0.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.0.begin_variation()
    }

    fn end_variation(&mut self) {
        self.0.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        self.0.end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.0.problem(problem)
    }
}

impl Task for TextTask {
    type Out = Vec<u8>;

    fn swap(&mut self, out: &mut Vec<u8>) {
        out.clear();
        std::mem::swap(self.0.text(), out);
    }

    fn take_losses(&mut self) -> Losses {
        self.0.take_losses()
    }
}

/// Games recorded in one piece of work, with their numbers there; buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    games: Vec<(GameIndex, Game)>,
    used: usize,
}

impl Recorded {
    /// The games with their numbers; the buffers go with them.
    pub(crate) fn take(&mut self) -> Vec<(GameIndex, Game)> {
        self.games.truncate(self.used);
        self.used = 0;
        std::mem::take(&mut self.games)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (GameIndex, &Game)> {
        self.games
            .iter()
            .take(self.used)
            .map(|(number, game)| (*number, game))
    }
}

/// Records games for a writer that needs them whole.
#[derive(Debug, Default)]
pub(crate) struct RecordTask {
    recorder: Recorder,
    number: GameIndex,
    done: Recorded,
}

impl Visitor for RecordTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.number = game;
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
        let used = self.done.used;
        if let Some(slot) = self.done.games.get_mut(used) {
            let next = std::mem::take(&mut slot.1);
            *slot = (self.number, self.recorder.replace(next));
        } else {
            let game = self.recorder.replace(Game::new());
            self.done.games.push((self.number, game));
        }
        self.done.used += 1;
    }
}

impl Task for RecordTask {
    type Out = Recorded;

    fn swap(&mut self, out: &mut Recorded) {
        out.used = 0;
        std::mem::swap(&mut self.done, out);
    }
}

/// Games encoded in one piece of work, up to the first that could not be.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) failure: Option<Error>,
}

/// Encodes games for a writer that puts them in order.
pub(crate) struct EncodeTask {
    recorder: Recorder,
    encoder: Box<dyn GameEncoder>,
    losses: Losses,
    done: Encoded,
}

impl EncodeTask {
    pub(crate) fn new(encoder: Box<dyn GameEncoder>) -> Self {
        Self {
            recorder: Recorder::new(),
            encoder,
            losses: Losses::new(),
            done: Encoded::default(),
        }
    }
}

impl Visitor for EncodeTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
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
        if self.done.failure.is_some() {
            return;
        }
        let game = self.recorder.game();
        match self.encoder.encode(game, &mut self.done.bytes) {
            Ok(losses) => self.losses = losses,
            Err(error) => self.done.failure = Some(error),
        }
    }
}

impl Task for EncodeTask {
    type Out = Encoded;

    fn swap(&mut self, out: &mut Encoded) {
        out.bytes.clear();
        out.failure = None;
        std::mem::swap(&mut self.done, out);
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}
