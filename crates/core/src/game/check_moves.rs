//! [`Game::check_moves`]: whether all moves of a game can be played.

use super::game::{Game, Token};
use crate::chess::{Move, Ply, Position};
use crate::error::{Error, Result};
use crate::game::{Flow, GameHead, Visitor, Want};
use crate::ids::GameIndex;

impl Game {
    /// Checks that every move, of variations too, is legal where it is played. Games that were read from files
    /// hold only such moves; writers would put others into files that no program can read.
    ///
    /// A setup position may lack the right to castle, as those of many files do.
    ///
    /// # Errors
    /// The first move that cannot be played.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::{Game, Move, Ply, Square};
    ///
    /// let mut game = Game::new();
    /// let mut recorder = game.recorder();
    /// recorder.push_move(Ply::Move(Move::normal(Square::E2, Square::E4)));
    /// recorder.push_move(Ply::Move(Move::normal(Square::E7, Square::E4)));
    /// let error = game.check_moves().unwrap_err();
    /// assert_eq!(error.location().ply, Some(1));
    /// assert!(error.to_string().contains("e7e4 is not a legal move"));
    /// ```
    pub fn check_moves(&self) -> Result<()> {
        if self.has_known_moves() {
            return Ok(());
        }
        let is_move = |token: &Token| matches!(token, Token::Move(_) | Token::Null);
        if self.start_position().is_none() && self.tokens.iter().any(is_move) {
            let text = "the game has moves, but its setup position cannot be played from";
            return Err(Error::invalid(text));
        }
        let mut check = CheckMoves::default();
        let _ = self.replay(GameIndex(0), Want::ALL, &mut check);
        match check.illegal {
            None => Ok(()),
            Some((m, position)) => {
                let text = format!("{m} is not a legal move in {}", position.fen());
                Err(Error::invalid(text).at_ply(check.plies))
            }
        }
    }
}

/// Stops at the first move that is not legal.
#[derive(Default)]
struct CheckMoves {
    has_setup: bool,
    /// Number of plies in the line, from the start of the game.
    plies: u32,
    /// The numbers at the starts of the open variations.
    outer: Vec<u32>,
    illegal: Option<(Move, Position)>,
}

impl CheckMoves {
    fn is_legal(&self, before: &Position, m: Move) -> bool {
        if before.is_known_legal(m) || before.is_legal(m) {
            return true;
        }
        if !self.has_setup || !m.is_castling() {
            return false;
        }
        let side = usize::from(m.to().file() < m.from().file());
        let mut position = before.clone();
        position.grant_castling(position.turn(), side) && position.is_legal(m)
    }
}

impl Visitor for CheckMoves {
    fn begin_game(&mut self, _game: GameIndex, head: &GameHead) -> Flow {
        self.has_setup = head.start.setup.is_some();
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        match ply {
            Ply::Move(m) if !self.is_legal(before, m) => {
                self.illegal = Some((m, before.clone()));
                Flow::Stop
            }
            Ply::Move(_) | Ply::Null => {
                self.plies += 1;
                Flow::Go
            }
        }
    }

    fn begin_variation(&mut self) -> Flow {
        self.outer.push(self.plies);
        self.plies = self.plies.saturating_sub(1);
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.plies = self.outer.pop().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Setup, Square};

    /// A game of moves in coordinates; `(` and `)` are variations.
    fn game(fen: Option<&str>, moves: &str) -> Game {
        let mut game = Game::new();
        let mut recorder = game.recorder();
        for token in moves.split_whitespace() {
            match token {
                "(" => assert_eq!(recorder.begin_variation(), Flow::Go),
                ")" => recorder.end_variation(),
                "--" => recorder.push_move(Ply::Null),
                _ => {
                    let square = |at: usize| Square::parse(&token.as_bytes()[at..at + 2]).unwrap();
                    let castles = matches!(token, "e1h1" | "e1a1" | "e8h8" | "e8a8");
                    let new = if castles {
                        Move::castling
                    } else {
                        Move::normal
                    };
                    recorder.push_move(Ply::Move(new(square(0), square(2))));
                }
            }
        }
        recorder.end_game(crate::game::GameResult::Unknown);
        game.head.start.setup = fen.map(|fen| Box::new(Setup::parse_fen(fen.as_bytes()).unwrap()));
        game
    }

    fn ply_of_error(fen: Option<&str>, moves: &str) -> Option<u32> {
        let error = game(fen, moves).check_moves().err()?;
        Some(error.location().ply.unwrap_or(u32::MAX))
    }

    #[test]
    fn the_first_move_that_is_not_legal_is_found() {
        for (moves, ply) in [
            ("", None),
            ("e2e4 e7e5 ( c7c5 g1f3 ( b1c3 ) d7d6 ) g1f3", None),
            ("e2e4 -- d2d4", None),
            ("e2e5", Some(0)),
            ("e2e4 e7e5 e1h1", Some(2)),
            ("e2e4 ( d2d4 d7d5 ( d7d2 ) ) e7e5", Some(1)),
            ("e2e4 ( d2d4 d7d5 ) e7e5 e4e5", Some(2)),
        ] {
            assert_eq!(ply_of_error(None, moves), ply, "{moves}");
        }
    }

    #[test]
    fn a_setup_position_may_lack_the_right_to_castle() {
        let fen = Some("4k3/8/8/8/8/8/8/4K2R w - - 0 1");
        assert_eq!(ply_of_error(fen, "e1h1"), None);
        assert_eq!(ply_of_error(fen, "e1a1"), Some(0));
        assert_eq!(
            ply_of_error(Some("8/8/8/8/8/8/8/4K2R w - - 0 1"), "e1h1"),
            Some(u32::MAX)
        );
        assert_eq!(ply_of_error(Some("8/8/8/8/8/8/8/4K2R w - - 0 1"), ""), None);
    }
}
