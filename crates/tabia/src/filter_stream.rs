//! Games of a stream by a query. The tags decide first, so that the moves of most games are skipped; a
//! game on which they do not decide is recorded until it is decided on.

use std::sync::Arc;

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{
    Annotation, Flow, Game, GameHead, GameResult, RecordKind, Recorder, Visitor, Want,
};
use tabia_core::{GameIndex, Problem};
use tabia_query::{Answer, Matcher};

use crate::base::GameSet;
use crate::select::{Selection, TakeMoments};

/// Hands on the games that fit a query; without a query every visit goes straight on.
#[derive(Debug)]
pub(crate) struct FilterVisitor<V> {
    /// Where the games go.
    pub(crate) inner: V,
    matcher: Option<Matcher>,
    /// What is handed on of a game; more may be read to decide on it.
    want: Want,
    /// The records that count when the query leaves them out.
    counted: Selection,
    /// No other games fit.
    pub(crate) candidates: Option<Arc<GameSet>>,
    /// The number of the first game of the part of the stream that is read.
    first_game: u32,
    /// Games that the query left out.
    pub(crate) filtered: u64,
    recorder: Recorder,
    state: State,
    is_counted: bool,
    /// Whether this record is a guiding text.
    is_text: bool,
    /// Problems found in the game being recorded.
    problems: Vec<Problem>,
    /// A game's buffers, to be used again.
    spare: Game,
    stop: bool,
}

/// What happens to the game being visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Every visit goes straight on.
    Passing,
    /// Left out.
    Excluded,
    /// Not decided on yet, or decided on while it was recorded.
    Recording(GameIndex),
}

impl<V> FilterVisitor<V> {
    /// `counted`: the records that count when the query leaves them out.
    pub(crate) fn new(inner: V, matcher: Option<Matcher>, want: Want, counted: Selection) -> Self {
        Self {
            inner,
            matcher,
            want,
            counted,
            candidates: None,
            first_game: 0,
            filtered: 0,
            recorder: Recorder::new(),
            state: State::Passing,
            is_counted: false,
            is_text: false,
            problems: Vec::new(),
            spare: Game::new(),
            stop: false,
        }
    }

    /// Sets the number of games before the part of the stream that is read next.
    pub(crate) fn set_first_game(&mut self, first: u32) {
        self.first_game = first;
        if let Some(matcher) = &mut self.matcher {
            matcher.set_first_game(first);
        }
    }

    /// Whether the parts of the game are handed on as they come.
    #[inline]
    pub(crate) fn is_passing(&self) -> bool {
        // All fields are named, so that a new one is decided on here. Moves are always wanted.
        let Self {
            inner: _,
            matcher: _,
            want: _,
            counted: _,
            candidates: _,
            first_game: _,
            filtered: _,
            recorder: _,
            state,
            is_counted: _,
            is_text: _,
            problems: _,
            spare: _,
            stop: _,
        } = self;
        matches!(state, State::Passing)
    }

    /// Counts a record that the query leaves out, if it is a game.
    fn count(&mut self) {
        self.filtered += u64::from(self.is_counted && !self.is_text);
    }

    fn exclude(&mut self) -> Flow {
        self.state = State::Excluded;
        self.count();
        Flow::Skip
    }

    /// Asks the matcher unless it has decided; whether the game is left out.
    fn is_excluded_by(&mut self, ask: impl FnOnce(&mut Matcher) -> Flow) -> bool {
        let Some(matcher) = &mut self.matcher else {
            return false;
        };
        if matcher.answer() == Answer::Maybe {
            // The rest of a game that fits is recorded as well.
            let _ = ask(matcher);
        }
        matcher.answer() == Answer::No
    }
}

impl<V: Visitor + TakeMoments> Visitor for FilterVisitor<V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        if self.stop {
            return Flow::Stop;
        }
        self.is_text = head.kind == RecordKind::Text;
        let number = GameIndex(game.0.saturating_add(self.first_game));
        // A block may go on after the last game of the selection.
        self.is_counted =
            self.counted.keeps(head.deleted, self.is_text) && self.counted.has(number);
        if let Some(candidates) = &self.candidates
            && !candidates.has(number)
        {
            return self.exclude();
        }
        let Some(matcher) = &mut self.matcher else {
            self.state = State::Passing;
            return self.inner.begin_game(game, head);
        };
        let _ = matcher.begin_game(game, head);
        match matcher.answer() {
            Answer::No => self.exclude(),
            Answer::Yes => {
                self.state = State::Passing;
                self.inner.take_moments(&[]);
                self.inner.begin_game(game, head)
            }
            Answer::Maybe => {
                self.state = State::Recording(game);
                self.problems.clear();
                self.recorder.begin_game(game, head)
            }
        }
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        match self.state {
            State::Passing => self.inner.visit_move(before, ply),
            State::Excluded => Flow::Skip,
            State::Recording(_) => {
                if self.is_excluded_by(|matcher| matcher.visit_move(before, ply)) {
                    return self.exclude();
                }
                self.recorder.visit_move(before, ply)
            }
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        match self.state {
            State::Passing if self.want.has(Want::ANNOTATIONS) => {
                self.inner.visit_annotation(annotation)
            }
            State::Passing => Flow::Go,
            State::Excluded => Flow::Skip,
            State::Recording(_) => {
                if self.is_excluded_by(|matcher| matcher.visit_annotation(annotation)) {
                    return self.exclude();
                }
                self.recorder.visit_annotation(annotation)
            }
        }
    }

    fn begin_variation(&mut self) -> Flow {
        match self.state {
            State::Passing if self.want.has(Want::VARIATIONS) => self.inner.begin_variation(),
            State::Passing | State::Excluded => Flow::Skip,
            State::Recording(_) => {
                if self.is_excluded_by(Visitor::begin_variation) {
                    return self.exclude();
                }
                self.recorder.begin_variation()
            }
        }
    }

    fn end_variation(&mut self) {
        match self.state {
            State::Passing => self.inner.end_variation(),
            State::Excluded => {}
            State::Recording(_) => {
                if let Some(matcher) = &mut self.matcher {
                    matcher.end_variation();
                }
                self.recorder.end_variation();
            }
        }
    }

    fn end_game(&mut self, result: GameResult) {
        let index = match std::mem::replace(&mut self.state, State::Passing) {
            State::Passing => return self.inner.end_game(result),
            State::Excluded => return,
            State::Recording(index) => index,
        };
        self.recorder.end_game(result);
        let mut game = self.recorder.replace(std::mem::take(&mut self.spare));
        let excluded = self.is_excluded_by(|matcher| {
            matcher.end_game(result);
            Flow::Go
        });
        let mut flow = Flow::Go;
        // What is lost of a game that is left out now may have been what the query asks for.
        if !excluded || self.is_counted {
            for problem in self.problems.drain(..) {
                if flow != Flow::Stop {
                    flow = self.inner.problem(problem);
                }
            }
        }
        if excluded {
            self.count();
            self.stop = flow == Flow::Stop;
        } else {
            if let Some(matcher) = &self.matcher {
                self.inner.take_moments(matcher.moments());
            }
            if flow != Flow::Stop {
                flow = game.replay(index, self.want, &mut self.inner);
            }
            self.stop = flow == Flow::Stop;
        }
        std::mem::swap(&mut self.spare, &mut game);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        match self.state {
            State::Passing => return self.inner.problem(problem),
            State::Recording(_) => self.problems.push(problem),
            State::Excluded => {}
        }
        Flow::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_query::Query;

    /// The number of games handed on.
    #[derive(Default)]
    struct Count(u32);

    impl TakeMoments for Count {
        fn take_moments(&mut self, _moments: &[tabia_query::FoundMoment]) {}
    }

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
        let query = Query::parse("white:anna moves:0").unwrap();
        let matcher = Some(Matcher::new(&query));
        let selection = Selection::default();
        let mut visitor = FilterVisitor::new(Count::default(), matcher, Want::ALL, selection);
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
        assert_eq!(visitor.filtered, 2);
    }

    #[test]
    fn a_game_is_left_as_soon_as_a_move_excludes_it() {
        let query = Query::parse("moves:<2").unwrap();
        let matcher = Some(Matcher::new(&query));
        let selection = Selection::default();
        let mut visitor = FilterVisitor::new(Count::default(), matcher, Want::ALL, selection);
        assert_eq!(
            visitor.begin_game(GameIndex(0), &GameHead::default()),
            Flow::Go
        );
        let mut position = Position::standard();
        let mut flows = Vec::new();
        for san in ["e4", "e5", "Nf3"] {
            let ply = position.parse_san(san).unwrap();
            flows.push(visitor.visit_move(&position, ply));
            position.play_ply(ply);
        }
        assert_eq!(flows, [Flow::Go, Flow::Go, Flow::Skip]);
        visitor.end_game(GameResult::Unknown);
        assert_eq!((visitor.inner.0, visitor.filtered), (0, 1));
    }
}
