//! ECO codes of games by position, while the games are handed on.

use std::str::FromStr;

use tabia_core::GameIndex;
use tabia_core::chess::{Ply, Position};
use tabia_core::game::{
    Annotation, Eco, Flow, Game, GameHead, GameResult, RecordKind, Recorder, Visitor, Want,
};
use tabia_query::openings::{GameOpening, Opening};

/// What happens to the ECO codes of games that are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcoUpdate {
    /// They stay as they are.
    #[default]
    Keep,
    /// Games without a code get that of their last named position.
    Fill,
    /// All games with a named position get its code.
    Replace,
}

impl FromStr for EcoUpdate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "keep" => Ok(Self::Keep),
            "fill" => Ok(Self::Fill),
            "replace" => Ok(Self::Replace),
            _ => Err("one of keep, fill, replace".to_owned()),
        }
    }
}

/// Follows the mainline of a game to its last position.
#[derive(Default)]
pub(crate) struct Mainline {
    opening: GameOpening,
    last: Option<(Position, Option<Ply>)>,
    depth: u32,
}

impl Mainline {
    pub(crate) fn begin(&mut self, head: &GameHead) {
        self.opening = GameOpening::default();
        self.last = head.first_position().map(|position| (position, None));
        self.depth = 0;
    }

    /// Whether a later position may still have a name.
    pub(crate) fn visit_move(&mut self, before: &Position, ply: Ply) -> bool {
        if self.depth > 0 || self.opening.is_over() {
            return self.depth > 0;
        }
        self.opening.look(before);
        match &mut self.last {
            Some((position, last)) => {
                position.clone_from(before);
                *last = Some(ply);
            }
            last => *last = Some((before.clone(), Some(ply))),
        }
        !self.opening.is_over()
    }

    pub(crate) fn end(&mut self) -> Option<(Opening, u32)> {
        if let Some((mut position, ply)) = self.last.take() {
            if let Some(ply) = ply {
                position.play_ply(ply);
            }
            self.opening.look(&position);
        }
        self.opening.found()
    }
}

/// Records a game to its end, when its opening is known, and hands it on with its code.
pub(crate) struct EcoTagger {
    update: EcoUpdate,
    mainline: Mainline,
    recorder: Recorder,
    spare: Game,
    game: GameIndex,
}

impl EcoTagger {
    /// `None` if the codes stay as they are.
    pub(crate) fn new(update: EcoUpdate) -> Option<Self> {
        (update != EcoUpdate::Keep).then(|| Self {
            update,
            mainline: Mainline::default(),
            recorder: Recorder::new(),
            spare: Game::new(),
            game: GameIndex(0),
        })
    }

    /// Ends the game and hands it to `visitor`.
    pub(crate) fn finish(&mut self, result: GameResult, visitor: &mut dyn Visitor) {
        self.recorder.end_game(result);
        let mut game = self.recorder.replace(std::mem::take(&mut self.spare));
        let tags = &mut game.head.tags;
        let found = self.mainline.end();
        let is_open = self.update == EcoUpdate::Replace || tags.eco().is_none();
        let is_game = game.head.kind == RecordKind::Game;
        if let Some((opening, _)) = found
            && is_open
            && is_game
            && tags.eco().map(Eco::code) != Eco::parse(opening.eco).map(Eco::code)
        {
            tags.set("ECO", opening.eco);
        }
        // The visitor's wish to stop has no effect: the game is complete.
        let _ = game.replay(self.game, Want::ALL, visitor);
        self.spare = game;
    }
}

impl Visitor for EcoTagger {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        self.mainline.begin(head);
        self.recorder.begin_game(game, head)
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let _ = self.mainline.visit_move(before, ply);
        self.recorder.visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        self.recorder.visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        self.mainline.depth += 1;
        self.recorder.begin_variation()
    }

    fn end_variation(&mut self) {
        self.mainline.depth = self.mainline.depth.saturating_sub(1);
        self.recorder.end_variation();
    }
}
