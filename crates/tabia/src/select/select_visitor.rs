//! [`SelectVisitor`]: hands the selected records on, with what is wanted of them, and counts.

use tabia_core::chess::{Ply, Position};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, Language, RecordKind, Visitor};
use tabia_core::{GameIndex, Problem};
use tabia_query::FoundMoment;

use super::record_selection::{LeaveOut, RecordRanges, Selection, SelectionCounts};
use super::shard::Shard;
use crate::comment_languages::LanguageChoice;

/// Hands the selected records on, with what is wanted of them, and counts.
#[derive(Debug)]
pub(crate) struct SelectVisitor<V> {
    /// Where the records go.
    pub(crate) inner: V,
    pub(crate) selection: Selection,
    pub(crate) leave_out: LeaveOut,
    pub(crate) languages: LanguageChoice,
    /// Added to the numbers that readers give before they are compared with the selection.
    pub(crate) base: u32,
    pub(crate) counts: SelectionCounts,
    /// Only the games of this shard, of a stream without blocks.
    pub(crate) shard: Option<Shard>,
    /// Records that may still pass.
    pub(crate) left: Option<u64>,
    /// Problems of records that are left out are dropped.
    pub(crate) only_selected: bool,
    /// The numbers, as readers give them, of the records that were left out since this was taken, if their problems
    /// are dropped; ascending.
    pub(crate) left_out: Vec<GameIndex>,
    passing: bool,
    stop_after: Option<GameIndex>,
}

impl<V> SelectVisitor<V> {
    /// `languages`: of comments in several languages only those in the first of these, unless it is
    /// empty.
    pub(crate) fn new(
        inner: V,
        selection: Selection,
        leave_out: LeaveOut,
        languages: &[Language],
    ) -> Self {
        let stop_after = selection.numbers.as_ref().and_then(RecordRanges::last);
        Self {
            inner,
            selection,
            leave_out,
            languages: LanguageChoice::new(languages),
            base: 0,
            counts: SelectionCounts::default(),
            shard: None,
            left: None,
            only_selected: false,
            left_out: Vec::new(),
            passing: false,
            stop_after,
        }
    }

    /// Whether moves go to the inner visitor and have no other effect. All fields are named, so that a new
    /// one is decided on here.
    pub(crate) fn passes_moves(&self) -> bool {
        let Self {
            inner: _,
            selection: _,
            leave_out: _,
            languages,
            base: _,
            counts: _,
            shard: _,
            left: _,
            only_selected: _,
            left_out: _,
            passing: _,
            stop_after: _,
        } = self;
        languages.passes_all()
    }

    /// Whether the record of that number may pass.
    fn has(&self, number: GameIndex) -> bool {
        self.shard.is_none_or(|shard| shard.has_game(number)) && self.selection.has(number)
    }
}

/// Gets the moments of a game that fits a query, before the game.
pub(crate) trait TakeMoments {
    fn take_moments(&mut self, moments: &[FoundMoment]);
}

impl<V: TakeMoments> TakeMoments for SelectVisitor<V> {
    fn take_moments(&mut self, moments: &[FoundMoment]) {
        self.inner.take_moments(moments);
    }
}

impl<V: Visitor> Visitor for SelectVisitor<V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.passing = false;
        let number = GameIndex(game.0.saturating_add(self.base));
        if self.stop_after.is_some_and(|last| number > last) {
            return Flow::Stop;
        }
        let is_text = head.kind == RecordKind::Text;
        if !self.has(number) {
            return Flow::Skip;
        }
        if !self.selection.keeps(head.deleted, is_text) {
            self.counts.deleted += u64::from(head.deleted);
            if self.only_selected {
                self.left_out.push(game);
            }
            return Flow::Skip;
        }
        match &mut self.left {
            Some(0) => return Flow::Stop,
            Some(left) => *left -= 1,
            None => {}
        }
        if is_text {
            self.counts.texts += 1;
        } else {
            self.counts.games += 1;
        }
        self.passing = true;
        self.inner.begin_game(game, head)
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        match self.languages.release(&mut self.inner) {
            Flow::Go => self.inner.visit_move(before, ply),
            other => other,
        }
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let training = self.languages.reduced_training(&annotation);
        let annotation = training.as_ref().map_or(annotation, Annotation::Training);
        if self.leave_out.drops(&annotation) || self.languages.holds(&annotation) {
            return Flow::Go;
        }
        self.inner.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        if self.leave_out.variations {
            return Flow::Skip;
        }
        match self.languages.release(&mut self.inner) {
            Flow::Go => self.inner.begin_variation(),
            other => other,
        }
    }

    fn end_variation(&mut self) {
        // A visitor that stops here stops at the next move.
        let _ = self.languages.release(&mut self.inner);
        self.inner.end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        if self.passing {
            self.passing = false;
            let _ = self.languages.release(&mut self.inner);
            self.inner.end_game(result);
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        let game = problem.error.location().game;
        if game.is_some() && game == self.left_out.last().copied() {
            return Flow::Go;
        }
        let meant = match game {
            Some(game) => self.has(GameIndex(game.0.saturating_add(self.base))),
            None => true,
        };
        if meant || self.passing {
            self.inner.problem(problem)
        } else {
            Flow::Go
        }
    }
}
