//! Reasons why an arrangement of pieces is not legal chess.

use std::fmt;

use super::position::Position;
use super::setup::Setup;
use super::types::{Color, Piece, Role, Square};

/// A reason why an arrangement of pieces cannot come from a game of chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SetupProblem {
    /// A side has no king: not playable.
    NoKing,
    /// A side has several kings: not playable.
    TooManyKings,
    /// A pawn is on the first or the eighth rank: not playable.
    PawnOnLastRank,
    /// A side has more than eight pawns.
    TooManyPawns,
    /// A side has more than sixteen pieces.
    TooManyPieces,
    /// A side has more additional pieces than missing pawns.
    TooManyPromoted,
    /// The side that is not to move is in check.
    OpponentInCheck,
    /// More than two pieces give check.
    TooManyCheckers,
    /// A castling right without king and rook on their squares.
    CastlingRight,
    /// An en passant square that no pawn has passed with a double step.
    EnPassant,
}

impl SetupProblem {
    /// Every reason.
    pub const ALL: [SetupProblem; 10] = [
        Self::NoKing,
        Self::TooManyKings,
        Self::PawnOnLastRank,
        Self::TooManyPawns,
        Self::TooManyPieces,
        Self::TooManyPromoted,
        Self::OpponentInCheck,
        Self::TooManyCheckers,
        Self::CastlingRight,
        Self::EnPassant,
    ];
}

impl fmt::Display for SetupProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoKing => "a side has no king",
            Self::TooManyKings => "a side has more than one king",
            Self::PawnOnLastRank => "a pawn is on the first or eighth rank",
            Self::TooManyPawns => "a side has more than eight pawns",
            Self::TooManyPieces => "a side has more than sixteen pieces",
            Self::TooManyPromoted => "a side has more pieces than pawns can have promoted",
            Self::OpponentInCheck => "the side not to move is in check",
            Self::TooManyCheckers => "more than two pieces give check",
            Self::CastlingRight => "a castling right without king and rook on their squares",
            Self::EnPassant => "an en passant square that no pawn has passed",
        })
    }
}

/// A set of [`SetupProblem`]s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Legality(u16);

impl Legality {
    /// Whether the set is empty.
    pub const fn is_legal(self) -> bool {
        self.0 == 0
    }

    /// Whether a problem is in the set.
    pub const fn has(self, problem: SetupProblem) -> bool {
        self.0 >> problem as u16 & 1 == 1
    }

    /// The problems, in the order of [`SetupProblem::ALL`].
    pub fn problems(self) -> impl Iterator<Item = SetupProblem> {
        SetupProblem::ALL
            .into_iter()
            .filter(move |&problem| self.has(problem))
    }

    fn note(&mut self, is_wrong: bool, problem: SetupProblem) {
        self.0 |= u16::from(is_wrong) << problem as u16;
    }
}

impl Setup {
    /// The reasons why this arrangement cannot come from a game of chess, as far as they are
    /// visible. [`Position::from_setup`] refuses only the first three of [`SetupProblem`].
    pub fn legality(&self) -> Legality {
        let mut found = Legality::default();
        for color in [Color::White, Color::Black] {
            let count = |role| self.squares(Piece { color, role }).count();
            let (kings, pawns) = (count(Role::King), count(Role::Pawn));
            found.note(kings == 0, SetupProblem::NoKing);
            found.note(kings > 1, SetupProblem::TooManyKings);
            found.note(pawns > 8, SetupProblem::TooManyPawns);
            let pieces: u32 = Role::ALL.into_iter().map(count).sum();
            found.note(pieces > 16, SetupProblem::TooManyPieces);
            let promoted = count(Role::Queen).saturating_sub(1)
                + [Role::Knight, Role::Bishop, Role::Rook]
                    .into_iter()
                    .map(|role| count(role).saturating_sub(2))
                    .sum::<u32>();
            found.note(
                promoted > 8u32.saturating_sub(pawns),
                SetupProblem::TooManyPromoted,
            );
            let pawns = self.squares(Piece {
                color,
                role: Role::Pawn,
            });
            found.note(
                pawns.0 & 0xff00_0000_0000_00ff != 0,
                SetupProblem::PawnOnLastRank,
            );
            for side in 0..2 {
                let right = self.castling[color as usize][side];
                let wrong = right.is_some_and(|rook| !self.can_have_right(color, side, rook));
                found.note(wrong, SetupProblem::CastlingRight);
            }
        }
        let wrong = self
            .en_passant
            .is_some_and(|square| !self.was_passed(square));
        found.note(wrong, SetupProblem::EnPassant);
        if let Ok(position) = Position::from_setup(self) {
            found.note(
                position.checkers().count() > 2,
                SetupProblem::TooManyCheckers,
            );
            let king = position.king(self.turn.other());
            let attackers = position.attackers_to(king, self.turn);
            found.note(!attackers.is_empty(), SetupProblem::OpponentInCheck);
        }
        found
    }

    /// Whether king and rook are on squares that allow this castling right.
    pub(super) fn can_have_right(&self, color: Color, side: usize, rook: Square) -> bool {
        let back = if color.is_white() { 0 } else { 7 };
        let role = Role::Rook;
        self.king(color).is_some_and(|king| {
            king.rank() == back
                && rook.rank() == back
                && (rook.file() > king.file()) == (side == 0)
                && self.piece(rook) == Some(Piece { color, role })
        })
    }

    /// Whether a pawn of the side that is not to move may just have passed over the square.
    pub(super) fn was_passed(&self, square: Square) -> bool {
        let (rank, before, after) = if self.turn.is_white() {
            (5, 6, 4)
        } else {
            (2, 1, 3)
        };
        let on_rank =
            |rank| Square::from_coords(square.file(), rank).and_then(|square| self.piece(square));
        let pawn = Piece {
            color: self.turn.other(),
            role: Role::Pawn,
        };
        square.rank() == rank
            && self.piece(square).is_none()
            && on_rank(before).is_none()
            && on_rank(after) == Some(pawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_is_found() {
        let cases = [
            ("8/8/8/8/8/8/8/K7 w - - 0 1", &[SetupProblem::NoKing][..]),
            (
                "k6k/8/8/8/8/8/8/K7 w - - 0 1",
                &[SetupProblem::TooManyKings],
            ),
            (
                "k6P/8/8/8/8/8/8/K7 w - - 0 1",
                &[SetupProblem::PawnOnLastRank],
            ),
            (
                "k7/8/8/8/8/P7/PPPPPPPP/K7 w - - 0 1",
                &[SetupProblem::TooManyPawns],
            ),
            (
                "k7/8/8/8/NNNN4/NNNNNN2/PPPPPPPP/K7 w - - 0 1",
                &[SetupProblem::TooManyPieces, SetupProblem::TooManyPromoted],
            ),
            (
                "k7/8/8/8/8/3QQ3/PPPPPPPP/K7 w - - 0 1",
                &[SetupProblem::TooManyPromoted],
            ),
            (
                "k6R/8/8/8/8/8/8/K7 w - - 0 1",
                &[SetupProblem::OpponentInCheck],
            ),
            (
                "k6R/2N5/1N6/3B4/8/8/8/K7 b - - 0 1",
                &[SetupProblem::TooManyCheckers],
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
                &[SetupProblem::EnPassant],
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                &[],
            ),
            (
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
                &[],
            ),
        ];
        for (fen, expected) in cases {
            let setup = Setup::parse_fen(fen.as_bytes()).unwrap();
            let found: Vec<_> = setup.legality().problems().collect();
            assert_eq!(found, expected, "{fen}");
            assert_eq!(setup.legality().is_legal(), expected.is_empty());
        }
        let mut setup = Setup::standard();
        setup.set(Square::A1, None);
        assert!(setup.legality().has(SetupProblem::CastlingRight));
    }
}
