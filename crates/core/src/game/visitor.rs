//! [`Visitor`], which receives games, and its arguments [`Want`] and [`Flow`].

use super::game_head::GameHead;
use crate::chess::{Ply, Position};
use crate::error::Problem;
use crate::game::{Annotation, GameResult};
use crate::ids::GameIndex;

/// The parts of a game that a consumer needs. Readers skip files and bytes that are not needed for
/// them; the parts that are visited do not depend on which other ones are wanted.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Want;
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
    /// All parts of a game.
    pub const ALL: Want = Want(15);
    /// The bytes of texts as they are stored, for a copy in the same format. They are not part of the game:
    /// formats that have them visit them with the annotations, as [`Foreign`](crate::game::Foreign) data.
    pub const STORED_TEXTS: Want = Want(16);

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
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::{Flow, Game, GameIndex, Ply, Position, Visitor, Want};
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
