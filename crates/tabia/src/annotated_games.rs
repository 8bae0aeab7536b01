//! Reads the annotated and the longer games of an input, for [`crate::merge_annotations`].

use std::sync::Arc;

use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{
    Annotation, Event, Flow, Game, GameHead, GameResult, RecordKind, Recorder, Visitor,
};

use crate::base::GameSet;
use crate::scan::Task;

/// Collects annotated games, and those that are wanted without annotations, too.
#[derive(Default)]
pub(crate) struct AnnotatedTask {
    wanted: Arc<GameSet>,
    recorder: Recorder,
    game: GameIndex,
    is_game: bool,
    games: Vec<(GameIndex, Game)>,
}

impl AnnotatedTask {
    pub(crate) fn new(wanted: Arc<GameSet>) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }
}

impl Visitor for AnnotatedTask {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.is_game = head.kind == RecordKind::Game;
        self.game = game;
        if !self.is_game {
            return Flow::Skip;
        }
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
        if !self.is_game {
            return;
        }
        self.recorder.end_game(result);
        let is_bare = self
            .recorder
            .game()
            .events()
            .all(|event| matches!(event, Event::Move(_)));
        if !is_bare || self.wanted.has(self.game) {
            let game = self.recorder.replace(Game::new());
            self.games.push((self.game, game));
        }
    }
}

impl Task for AnnotatedTask {
    type Out = Vec<(GameIndex, Game)>;

    fn swap(&mut self, out: &mut Self::Out) {
        out.clear();
        std::mem::swap(&mut self.games, out);
    }
}
