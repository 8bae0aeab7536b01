//! Games of a stream by a filter. The tags decide first, so that the moves of most games are skipped; a
//! game that they do not exclude is recorded and decided on at its end.

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
    /// Whether the tags of the game exclude it.
    is_excluded: bool,
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
            is_excluded: false,
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
        let excludes = |filter: &Arc<Filter>| filter.excludes(|name| head.tags.text(name));
        self.is_excluded = self.filter.as_ref().is_some_and(excludes);
        if self.is_excluded {
            return Flow::Skip;
        }
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
        if self.is_excluded {
            return;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of games handed on.
    #[derive(Default)]
    struct Count(u32);

    impl Visitor for Count {
        fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
            Flow::Go
        }

        fn end_game(&mut self, _result: GameResult) {
            self.0 += 1;
        }
    }

    #[test]
    fn moves_of_excluded_games_are_skipped() {
        let filter = Filter::parse("white:anna moves:0").unwrap();
        let mut visitor = FilterVisitor::new(Count::default(), Some(Arc::new(filter)));
        let mut head = GameHead::default();
        for (white, flow, count) in [
            ("Bert", Flow::Skip, 0),
            ("Anna", Flow::Go, 1),
            ("Bert", Flow::Skip, 1),
        ] {
            head.tags.clear();
            head.tags.push("White", white);
            assert_eq!(visitor.begin_game(GameIndex(0), &head), flow);
            visitor.end_game(GameResult::Unknown);
            assert_eq!(visitor.inner.0, count);
        }
    }
}
