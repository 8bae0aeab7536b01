//! [`Visitor`], which receives games, and its arguments and return values.

use crate::chess::{Ply, Position, Setup};
use crate::error::Problem;
use crate::game::{Annotation, GameResult, Tags};
use crate::ids::GameIndex;

/// The parts of a game that a consumer needs. Readers skip files and bytes that are not needed for
/// them; the parts that are visited do not depend on which other ones are wanted.
///
/// ```
/// use tabia_core::game::Want;
///
/// let want = Want::TAGS.and(Want::MAINLINE);
/// assert!(want.has(Want::TAGS) && !want.has(Want::VARIATIONS));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want(u8);

impl Want {
    /// Tag pairs and header facts.
    pub const TAGS: Want = Want(1);
    /// The moves of the mainline.
    pub const MAINLINE: Want = Want(2);
    /// The moves of all variations.
    pub const VARIATIONS: Want = Want(4);
    /// The annotations of moves, of variations and of the game.
    pub const ANNOTATIONS: Want = Want(8);
    /// Everything.
    pub const ALL: Want = Want(15);

    /// Whether all parts in `part` are wanted.
    pub const fn has(self, part: Want) -> bool {
        self.0 & part.0 == part.0
    }

    /// The parts of either.
    #[must_use]
    pub const fn and(self, part: Want) -> Want {
        Want(self.0 | part.0)
    }
}

/// A visitor's answer: how the scan continues.
///
/// From `begin_game` and `visit_move`, `Skip` leaves out the rest of the game (`end_game` is still
/// called, without the `end_variation` of open variations); from `begin_variation` it leaves out that
/// variation, and `end_variation` is not called for it. `Stop` ends the scan at once.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue.
    Go,
    /// Leave out the rest of this game, or this variation.
    Skip,
    /// End the scan.
    Stop,
}

/// The kind of a record of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// A game.
    #[default]
    Game,
    /// A guiding text: a record without moves, whose content is visited as [`Annotation::Text`].
    Text,
}

/// The start position of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The setup position; `None` for the standard start position.
    pub setup: Option<Box<Setup>>,
    /// Whether the game is Chess960; also possible with the standard start position.
    pub chess960: bool,
}

impl Start {
    /// The first position of the game; `None` if the setup position cannot be played from.
    pub fn position(&self) -> Option<Position> {
        match &self.setup {
            None => Some(Position::standard()),
            Some(setup) => Position::from_setup(setup).ok(),
        }
    }

    /// Whether a tag `FEN` with this value contains another position, or is not FEN.
    pub fn contradicts(&self, fen: &str) -> bool {
        let parsed = Setup::parse_fen(fen.trim_ascii().as_bytes());
        !parsed.is_ok_and(|parsed| match &self.setup {
            Some(setup) => parsed == **setup,
            None => parsed == Setup::standard(),
        })
    }
}

/// The data of a game that precede its first move.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameHead {
    /// The tag pairs, in stored order.
    pub tags: Tags,
    /// The start position.
    pub start: Start,
    /// Whether the record is a game or a guiding text.
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
    /// Resets the head for reuse, keeping its buffers.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.start = Start::default();
        self.kind = RecordKind::Game;
        self.deleted = false;
    }
}

/// Receives one game after another, **in PGN order**: a variation follows the move it replaces.
///
/// The calls for a game are `begin_game`; for every line `visit_move`, `visit_annotation` and
/// `begin_variation` … `end_variation` in any order; then `end_game`.
///
/// *Annotations* belong to the last move visited in their line; before the first move of the
/// mainline to the game, before the first move of a variation to the variation. A comment
/// before a move is still visited after it, with [`CommentPlacement::Before`](crate::game::CommentPlacement); so the
/// comment at the start of a variation belongs to its first move. Only a variation without moves
/// keeps its comments itself.
///
/// Readers of formats with another order (ChessBase: mainline first; Scid: comments after all moves)
/// reorder in buffers of their own.
///
/// ```
/// use tabia_core::chess::{Ply, Position};
/// use tabia_core::game::{Flow, Game, Visitor, Want};
/// use tabia_core::GameIndex;
///
/// /// Counts the moves of the mainline, as [`begin_variation`](Visitor::begin_variation) skips
/// /// variations by default.
/// struct CountMoves(u32);
///
/// impl Visitor for CountMoves {
///     fn visit_move(&mut self, _before: &Position, _ply: Ply) -> Flow {
///         self.0 += 1;
///         Flow::Go
///     }
/// }
///
/// let mut count = CountMoves(0);
/// let flow = Game::new().replay(GameIndex(0), Want::MAINLINE, &mut count);
/// assert_eq!((flow, count.0), (Flow::Go, 0));
/// ```
pub trait Visitor {
    /// A game begins. `game` is its index in the database or stream.
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        let _ = (game, head);
        Flow::Go
    }

    /// A move; `before` is the position before it.
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow;

    /// An annotation of the last move, of the game or of the variation.
    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        let _ = annotation;
        Flow::Go
    }

    /// A variation begins: an alternative to the last move. Variations are skipped by default.
    fn begin_variation(&mut self) -> Flow {
        Flow::Skip
    }

    /// The innermost open variation ends.
    fn end_variation(&mut self) {}

    /// The game ends.
    fn end_game(&mut self, result: GameResult) {
        let _ = result;
    }

    /// A part of this game could not be read. The other parts are visited as usual.
    fn problem(&mut self, problem: Problem) -> Flow {
        let _ = problem;
        Flow::Go
    }
}

impl<V: Visitor + ?Sized> Visitor for Box<V> {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        (**self).begin_game(game, head)
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        (**self).visit_move(before, ply)
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        (**self).visit_annotation(annotation)
    }

    fn begin_variation(&mut self) -> Flow {
        (**self).begin_variation()
    }

    fn end_variation(&mut self) {
        (**self).end_variation();
    }

    fn end_game(&mut self, result: GameResult) {
        (**self).end_game(result);
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        (**self).problem(problem)
    }
}
