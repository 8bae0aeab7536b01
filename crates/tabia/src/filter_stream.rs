//! Games of a stream by a filter: what a game is, is known at its end.

use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{
    Annotation, Flow, Game, GameHead, GameResult, RecordKind, Recorder, Visitor, Want,
};
use tabia_core::games::IndexEntry;
use tabia_core::{GameIndex, Problem};
use tabia_query::{Filter, Matcher};

/// Hands on the games that match a filter; without a filter every visit goes straight on.
#[derive(Debug)]
pub(crate) struct FilterVisitor<V> {
    /// Where the games go.
    pub(crate) inner: V,
    filter: Option<Arc<Filter>>,
    recorder: Recorder,
    /// The game being read.
    game: Option<GameIndex>,
    /// Problems found in it.
    problems: Vec<Problem>,
    /// A game's buffers, to be used again.
    spare: Game,
    stop: bool,
}

impl<V> FilterVisitor<V> {
    pub(crate) fn new(inner: V, filter: Option<Arc<Filter>>) -> Self {
        Self {
            inner,
            filter: filter.filter(|filter| !filter.is_empty()),
            recorder: Recorder::new(),
            game: None,
            problems: Vec::new(),
            spare: Game::new(),
            stop: false,
        }
    }
}

impl<V: Visitor> Visitor for FilterVisitor<V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.filter.is_none() {
            return self.inner.begin_game(game, head);
        }
        if self.stop {
            return Flow::Stop;
        }
        self.game = Some(game);
        self.problems.clear();
        self.recorder.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        if self.game.is_none() {
            return self.inner.visit_move(before, ply);
        }
        self.recorder.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.game.is_none() {
            return self.inner.visit_annotation(annotation);
        }
        self.recorder.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        if self.game.is_none() {
            return self.inner.begin_variation();
        }
        self.recorder.begin_variation()
    }

    fn end_variation(&mut self) {
        if self.game.is_none() {
            return self.inner.end_variation();
        }
        self.recorder.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        let (Some(index), Some(filter)) = (self.game.take(), &self.filter) else {
            return self.inner.end_game(result);
        };
        self.recorder.end_game(result);
        let game = self.recorder.replace(std::mem::take(&mut self.spare));
        let fits = Matcher::new(filter).matches_tags(&game.head.tags, result, &row(&game));
        if fits {
            let mut flow = Flow::Go;
            for problem in self.problems.drain(..) {
                if flow != Flow::Stop {
                    flow = self.inner.problem(problem);
                }
            }
            if flow != Flow::Stop {
                flow = game.replay(index, Want::ALL, &mut self.inner);
            }
            self.stop = flow == Flow::Stop;
        }
        self.spare = game;
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        if self.game.is_none() {
            return self.inner.problem(problem);
        }
        self.problems.push(problem);
        Flow::Go
    }
}

/// The index entry that a database would have for a game, without the fields of its tags.
fn row(game: &Game) -> IndexEntry {
    let mut comments = false;
    let mut nags = false;
    for event in game.events() {
        if let tabia_core::game::Event::Annotation(annotation) = event {
            comments |= matches!(annotation, Annotation::Comment(_));
            nags |= matches!(annotation, Annotation::Nag(_));
        }
    }
    IndexEntry {
        ply_count: Some(u16::try_from(game.ply_count()).unwrap_or(u16::MAX)),
        deleted: game.head.deleted,
        is_text: game.head.kind == RecordKind::Text,
        has_setup: game.head.start.setup.is_some(),
        has_variations: Some(game.has_variations()),
        has_comments: Some(comments),
        has_nags: Some(nags),
        ..IndexEntry::default()
    }
}
