//! How games are handed on: [`Visitor`] and the small values around it.

use crate::chess::{Ply, Position, Setup};
use crate::error::Problem;
use crate::game::{Annotation, GameResult, Tags};
use crate::ids::GameIndex;

/// What the consumer will look at. Readers skip files and bytes that nobody asked for; what they
/// do hand on is the same whatever else was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want(u8);

impl Want {
    /// Tag pairs and header facts.
    pub const TAGS: Want = Want(1);
    /// The moves of the mainline.
    pub const MAINLINE: Want = Want(2);
    /// The moves of all variations.
    pub const VARIATIONS: Want = Want(4);
    /// Everything said about moves and the game.
    pub const ANNOTATIONS: Want = Want(8);
    /// Everything.
    pub const ALL: Want = Want(15);

    /// Whether all of `part` is wanted.
    pub const fn has(self, part: Want) -> bool {
        self.0 & part.0 == part.0
    }

    /// Both.
    #[must_use]
    pub const fn and(self, part: Want) -> Want {
        Want(self.0 | part.0)
    }
}

/// A visitor's answer.
///
/// From `begin_game` and `visit_move`, `Skip` leaves the rest of the game out (`end_game` is still
/// called, without the `end_variation` of open variations); from `begin_variation` it leaves that
/// variation out, and `end_variation` is not called for it. `Stop` ends the whole scan at once.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Go,
    /// Leave the rest of this game, or this variation, out.
    Skip,
    /// End the scan.
    Stop,
}

/// What a record of a database is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// A game.
    #[default]
    Game,
    /// A guiding text: no moves; its content comes as [`Annotation::Text`] items.
    Text,
}

/// The position a game starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The setup position; `None` is the usual start.
    pub setup: Option<Box<Setup>>,
    /// Whether the game is Chess960, even if it starts from the usual position.
    pub chess960: bool,
}

impl Start {
    /// The first position of the game; `None` when the setup position cannot be played from.
    pub fn position(&self) -> Option<Position> {
        match &self.setup {
            None => Some(Position::standard()),
            Some(setup) => Position::from_setup(setup).ok(),
        }
    }

    /// Whether a tag `FEN` with this value says another position, or none that can be read.
    pub fn contradicts(&self, fen: &str) -> bool {
        let said = Setup::parse_fen(fen.trim_ascii().as_bytes());
        !said.is_ok_and(|said| match &self.setup {
            Some(setup) => said == **setup,
            None => said == Setup::standard(),
        })
    }
}

/// All that is known before the first move.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GameHead {
    /// The tag pairs, in stored order.
    pub tags: Tags,
    /// The first position.
    pub start: Start,
    /// Game or guiding text.
    pub kind: RecordKind,
    /// Whether the record is marked as deleted.
    pub deleted: bool,
}

impl Clone for GameHead {
    fn clone(&self) -> Self {
        Self {
            tags: self.tags.clone(),
            start: self.start.clone(),
            kind: self.kind,
            deleted: self.deleted,
        }
    }

    /// Keeps the buffers.
    fn clone_from(&mut self, source: &Self) {
        self.tags.clone_from(&source.tags);
        self.start.clone_from(&source.start);
        self.kind = source.kind;
        self.deleted = source.deleted;
    }
}

impl GameHead {
    /// Empties the head for reuse, keeping its buffers.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.start = Start::default();
        self.kind = RecordKind::Game;
        self.deleted = false;
    }
}

/// Receives one game after another, **in PGN order**: a variation follows the move it replaces.
///
/// `begin_game`; then for every line `visit_move` / `visit_annotation` / `begin_variation` …
/// `end_variation`; then `end_game`.
///
/// *Annotations* belong to the last move visited in their line; before the first move of the
/// mainline to the game, before the first move of a variation to the variation. A comment that
/// stands before a move still comes after it, with [`CommentPlacement::Before`](crate::game::CommentPlacement); so the
/// comment at the start of a variation belongs to its first move. Only a variation without moves
/// keeps its comments itself.
///
/// Readers whose format has another order (ChessBase: primary line first; Scid: comments after all
/// moves) put it right in their own scratch space.
pub trait Visitor {
    /// A game begins.
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let _ = (game, head);
        Flow::Go
    }

    /// A move; `before` is the position in which `ply` is played.
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow;

    /// Something said about the last move (or the game, or the variation).
    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let _ = annotation;
        Flow::Go
    }

    /// An alternative to the last move begins.
    fn begin_variation(&mut self) -> Flow {
        Flow::Skip
    }

    /// The innermost open variation ends.
    fn end_variation(&mut self) {}

    /// The game ends.
    fn end_game(&mut self, result: GameResult) {
        let _ = result;
    }

    /// Something in this game could not be read; what could be read is visited all the same.
    fn problem(&mut self, problem: Problem) -> Flow {
        let _ = problem;
        Flow::Go
    }
}
