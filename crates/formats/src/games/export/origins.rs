//! Where the games of a table came from, and what was wrong with them.

use tabia_core::error::{GameIndex, Problem};
use tabia_core::games::{GameOrigin, OriginOffset};

/// Counts the problems of games, and keeps the offsets of their origins if these are written later.
#[derive(Debug, Default)]
pub(super) struct Origins {
    is_deferred: bool,
    offsets: Vec<OriginOffset>,
    /// The game that is open, and its problems.
    open: Option<(GameIndex, u32)>,
    /// The last problems outside of a game, with the game that they name.
    early: Option<(Option<GameIndex>, u32)>,
    has_ended: bool,
}

impl Origins {
    pub(super) fn defer(&mut self) {
        self.is_deferred = true;
    }

    pub(super) fn take(&mut self) -> Vec<OriginOffset> {
        std::mem::take(&mut self.offsets)
    }

    pub(super) fn begin_game(&mut self, game: GameIndex) {
        let early = self.early.take();
        let early = early.filter(|(meant, _)| meant.is_none_or(|meant| meant == game));
        self.open = Some((game, early.map_or(0, |(_, count)| count)));
    }

    /// A record ends that is not written.
    pub(super) fn skip_game(&mut self) {
        self.open = None;
        self.has_ended = true;
    }

    /// Counts a problem: of the game that is open, else of the one that it names, else of the last one.
    pub(super) fn add_problem(&mut self, problem: &Problem) {
        if let Some((_, count)) = &mut self.open {
            *count = count.saturating_add(1);
            return;
        }
        let game = problem.error.location().game;
        if let Some(last) = self.offsets.last_mut()
            && game.is_none_or(|game| game == last.game)
        {
            last.problems = last.problems.saturating_add(1);
            return;
        }
        if game.is_none() && self.has_ended {
            // That of the last game, whose text is taken: it is reported, as all are.
            return;
        }
        match &mut self.early {
            Some((meant, count)) if *meant == game => *count = count.saturating_add(1),
            early => *early = Some((game, 1)),
        }
    }

    /// Ends a game whose origin belongs at the end of `text`: what is to be written there now, if it is not
    /// deferred.
    pub(super) fn end_game(&mut self, text: &[u8]) -> Option<GameOrigin<'static>> {
        self.has_ended = true;
        let (game, problems) = self.open.take().unwrap_or((GameIndex(0), 0));
        if !self.is_deferred {
            return Some(GameOrigin {
                game,
                source: "",
                problems,
            });
        }
        self.offsets.push(OriginOffset {
            at: text.len(),
            game,
            problems,
        });
        None
    }
}
