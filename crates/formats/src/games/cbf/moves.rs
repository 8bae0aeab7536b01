//! Moves by their number among the pseudo-legal moves of a position.

use std::ops::ControlFlow;

use tabia_core::chess::{Move, Piece, Position, Role, Setup, Square};

/// A position with the state that the numbering of moves depends on.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub(crate) position: Position,
    /// The file on which a pawn may be taken en passant.
    en_passant_file: Option<u8>,
    /// The file is that of the ply before: ChessBase restores it when a side has castled.
    is_restored: bool,
}

/// What a number refers to.
enum Candidate {
    /// A number without a move.
    Nothing,
    Move(Square, Square),
    /// Four numbers.
    Promotion(Square, Square),
    /// King and rook.
    Castling(Square, Square),
}

type Numbers<'n> = &'n mut dyn FnMut(Candidate) -> ControlFlow<Option<Move>>;

const DIAGONALS: [(i8, i8); 4] = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
const STRAIGHTS: [(i8, i8); 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
const KING: [(i8, i8); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [(i8, i8); 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];

impl Board {
    pub(crate) fn standard() -> Self {
        Self {
            position: Position::standard(),
            en_passant_file: None,
            is_restored: false,
        }
    }

    /// A setup position; `None` if it is not legal.
    pub(crate) fn from_setup(setup: &Setup, en_passant_file: Option<u8>) -> Option<Self> {
        Some(Self {
            position: Position::from_setup(setup).ok()?,
            en_passant_file,
            is_restored: false,
        })
    }

    /// The move with this number, from 1; `None` if there is no such move or it is illegal. A missing
    /// castling right is added to the position.
    pub(crate) fn find(&mut self, number: u8) -> Option<Move> {
        let mut left = usize::from(number);
        let found = self.number(&mut |candidate| {
            let count = match candidate {
                Candidate::Promotion(..) => 4,
                _ => 1,
            };
            if left > count {
                left -= count;
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(match candidate {
                Candidate::Nothing => None,
                Candidate::Move(from, to) => Some(Move::normal(from, to)),
                Candidate::Castling(king, rook) => Some(Move::castling(king, rook)),
                Candidate::Promotion(from, to) => {
                    const ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                    let role = left.checked_sub(1).and_then(|index| ROLES.get(index));
                    role.map(|&role| Move::promotion(from, to, role))
                }
            })
        });
        let ControlFlow::Break(Some(m)) = found else {
            return None;
        };
        if m.is_castling() {
            let us = self.position.turn();
            let side = usize::from(m.to().file() == 0);
            if self.position.castling_rook(us, side).is_none() {
                self.position.grant_castling(us, side);
            }
        }
        self.position.is_legal(m).then_some(m)
    }

    /// Plays a legal move.
    pub(crate) fn play(&mut self, m: Move) {
        let is_pawn = self
            .position
            .piece_at(m.from())
            .is_some_and(|p| p.role == Role::Pawn);
        let is_double = is_pawn && m.from().rank().abs_diff(m.to().rank()) == 2;
        if m.is_castling() {
            self.is_restored = self.en_passant_file.is_some();
        } else {
            self.en_passant_file = is_double.then_some(m.from().file());
            self.is_restored = false;
        }
        self.position.play(m);
    }

    /// Visits what each number refers to: pieces by file, then by rank, each with its own order.
    fn number(&self, each: Numbers<'_>) -> ControlFlow<Option<Move>> {
        let us = self.position.turn();
        for file in 0..8 {
            for rank in 0..8 {
                let Some(from) = Square::from_coords(file, rank) else {
                    continue;
                };
                let Some(piece) = self.position.piece_at(from).filter(|p| p.color == us) else {
                    continue;
                };
                match piece.role {
                    Role::King => {
                        self.slides(from, &KING, 1, each)?;
                        self.castlings(from, each)?;
                    }
                    Role::Queen => {
                        // Diagonals first, then straight lines.
                        self.slides(from, &DIAGONALS, 7, each)?;
                        self.slides(from, &STRAIGHTS, 7, each)?;
                    }
                    Role::Rook => self.slides(from, &STRAIGHTS, 7, each)?,
                    Role::Bishop => self.slides(from, &DIAGONALS, 7, each)?,
                    Role::Knight => self.slides(from, &KNIGHT, 1, each)?,
                    Role::Pawn => self.pawn(from, each)?,
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Moves of a piece in `directions`, at most `max_steps` far.
    fn slides(
        &self,
        from: Square,
        directions: &[(i8, i8)],
        max_steps: u8,
        each: Numbers<'_>,
    ) -> ControlFlow<Option<Move>> {
        for &(file, rank) in directions {
            let mut at = from;
            for _ in 0..max_steps {
                let Some(to) = step(at, file, rank) else {
                    break;
                };
                let taken = self.position.piece_at(to);
                if taken.is_some_and(|taken| taken.color == self.position.turn()) {
                    break;
                }
                each(Candidate::Move(from, to))?;
                if taken.is_some() {
                    break;
                }
                at = to;
            }
        }
        ControlFlow::Continue(())
    }

    /// Castling counts whenever king and rook are on their initial squares with nothing between them.
    fn castlings(&self, king: Square, each: Numbers<'_>) -> ControlFlow<Option<Move>> {
        let us = self.position.turn();
        let back = if us.is_white() { 0 } else { 7 };
        if king.rank() != back || king.file() != 4 {
            return ControlFlow::Continue(());
        }
        let own_rook = Some(Piece {
            color: us,
            role: Role::Rook,
        });
        for (rook, between) in [(7, 5..7), (0, 1..4)] {
            let square = |file| Square::from_coords(file, back);
            let is_free =
                |file| square(file).is_some_and(|at| self.position.piece_at(at).is_none());
            if let Some(rook) = square(rook)
                && self.position.piece_at(rook) == own_rook
                && between.into_iter().all(is_free)
            {
                each(Candidate::Castling(king, rook))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pawn(&self, from: Square, each: Numbers<'_>) -> ControlFlow<Option<Move>> {
        let us = self.position.turn();
        let (ahead, home, fifth) = if us.is_white() { (1, 1, 4) } else { (-1, 6, 3) };
        let is_last = |to: Square| matches!(to.rank(), 0 | 7);
        let is_free = |to: Square| self.position.piece_at(to).is_none();
        let single = step(from, 0, ahead).filter(|&to| is_free(to));
        if from.rank() == home
            && single.is_some()
            && let Some(double) = step(from, 0, 2 * ahead).filter(|&to| is_free(to))
        {
            each(Candidate::Move(from, double))?;
        }
        let captures = [-1, 1].map(|side| {
            step(from, side, ahead).filter(|&to| {
                let taken = self.position.piece_at(to);
                taken.is_some_and(|taken| taken.color != us)
            })
        });
        for to in [single].into_iter().chain(captures).flatten() {
            each(if is_last(to) {
                Candidate::Promotion(from, to)
            } else {
                Candidate::Move(from, to)
            })?;
        }
        for side in [-1, 1] {
            if side == 1
                && self.en_passant_file.is_none()
                && from.file() == 0
                && from.rank() == fifth
            {
                // ChessBase counts a capture that would leave the board.
                each(Candidate::Nothing)?;
            }
            let Some(to) = step(from, side, ahead) else {
                continue;
            };
            if from.rank() != fifth || self.en_passant_file != Some(to.file()) {
                continue;
            }
            if self.is_restored {
                each(Candidate::Nothing)?;
            } else if is_free(to) {
                each(Candidate::Move(from, to))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The number of a move, for tests that encode.
    #[cfg(test)]
    pub(crate) fn number_of(&self, wanted: Move) -> Option<u8> {
        (1..=127).find(|&number| self.clone().find(number) == Some(wanted))
    }
}

fn step(from: Square, files: i8, ranks: i8) -> Option<Square> {
    let file = from.file().checked_add_signed(files)?;
    let rank = from.rank().checked_add_signed(ranks)?;
    Square::from_coords(file, rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::{Ply, san};

    fn after(moves: &str) -> Board {
        let mut board = Board::standard();
        for text in moves.split_whitespace() {
            let Ok(Ply::Move(m)) = san::read(&board.position, text.as_bytes()) else {
                panic!("{text} is no move");
            };
            board.play(m);
        }
        board
    }

    fn san_of(board: &mut Board, number: u8) -> String {
        let Some(m) = board.find(number) else {
            return String::new();
        };
        let mut text = Vec::new();
        san::write(&board.position, Ply::Move(m), &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn moves_are_numbered_by_files() {
        let mut start = Board::standard();
        let all: Vec<String> = (1..=21).map(|number| san_of(&mut start, number)).collect();
        let expected = "a4 a3 Na3 Nc3 b4 b3 c4 c3 d4 d3 e4 e3 f4 f3 Nf3 Nh3 g4 g3 h4 h3 ";
        assert_eq!(all.join(" "), expected);
    }

    #[test]
    fn every_legal_move_has_a_number() {
        for moves in [
            "",
            "e4 e5 Nf3 Nc6 Bc4 Bc5",
            "e4 a6 e5 d5",
            "a4 h6 a5 b5",
            "a4 h6 a5 Nf6 Nf3 g6",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d5",
        ] {
            let board = after(moves);
            for m in board.position.legal_moves() {
                assert!(board.number_of(m).is_some(), "{m} after {moves}");
            }
        }
    }

    #[test]
    fn a_pawn_on_a5_adds_a_number_without_a_move() {
        // With a white pawn on a5 and no double step just before, every later number is one higher.
        let quiet = after("a4 h6 a5 Nf6");
        let double_step = after("a4 Nf6 a5 h5");
        let h3 = |board: &Board| {
            let Ok(Ply::Move(m)) = san::read(&board.position, b"h3") else {
                panic!("h3 can be played");
            };
            board.number_of(m).unwrap()
        };
        assert_eq!(h3(&quiet), h3(&double_step) + 1);
    }

    #[test]
    fn castling_restores_the_en_passant_file() {
        // Black castles right after e2-e4: the e-file still counts as the en passant file, and the
        // white pawn on d5 has a number without a move.
        let setup = Setup::parse_fen(b"r3k2r/8/8/3P4/8/8/4P3/4K3 w kq - 0 1").unwrap();
        let mut board = Board::from_setup(&setup, None).unwrap();
        for text in ["e4", "O-O"] {
            let Ok(Ply::Move(m)) = san::read(&board.position, text.as_bytes()) else {
                panic!("{text} is no move");
            };
            board.play(m);
        }
        assert_eq!((board.en_passant_file, board.is_restored), (Some(4), true));
        // The number after d6 is that of the capture on e6.
        let all: Vec<String> = (1..=3).map(|number| san_of(&mut board, number)).collect();
        assert_eq!(all, ["d6", "", "Kd1"]);
    }
}
