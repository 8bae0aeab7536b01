//! What is noted of every move of every game.

use tabia_core::chess::{Color, Move};
use tabia_core::game::{Date, GameResult};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::store::Keyed;
use crate::book::pack::Packed;

/// A move played in a position, with what the game says, in 16 bytes.
///
/// | bits | holds |
/// |-----:|-------|
/// | 0-15 | the move; all ones where a game ends |
/// | 16-17 | the result: 0 none, 1 White won, 2 draw, 3 Black won |
/// | 18-29 | White's rating, 0 for none |
/// | 30-41 | Black's rating |
/// | 42-57 | month of the game, counted from the year 1000; 0 for none |
/// | 58 | White is to move |
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub(super) struct Occurrence {
    pub(super) key: u64,
    facts: u64,
}

/// In place of a move: the game ends here.
const END: u64 = 0xffff;
const RATING: u64 = 0xfff;
const WHITE_TO_MOVE: u64 = 1 << 58;

/// How a game ended, as far as statistics go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    None,
    White,
    Draw,
    Black,
}

impl Outcome {
    pub(super) fn of(result: GameResult) -> Self {
        match result.to_pgn() {
            GameResult::WhiteWins => Self::White,
            GameResult::BlackWins => Self::Black,
            GameResult::Draw => Self::Draw,
            _ => Self::None,
        }
    }
}

/// What all moves of one game share.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GameFacts(u64);

impl GameFacts {
    pub(super) fn new(white_elo: Option<u16>, black_elo: Option<u16>, date: Option<Date>) -> Self {
        let rating = |elo: Option<u16>| {
            let elo = u64::from(elo.unwrap_or(0));
            if elo > RATING { 0 } else { elo }
        };
        Self(rating(white_elo) << 18 | rating(black_elo) << 30 | month(date) << 42)
    }
}

fn month(date: Option<Date>) -> u64 {
    match date {
        Some(date) if date.year >= 1000 => {
            let months = u64::from(date.year - 1000) * 12 + u64::from(date.month.max(1));
            months.min(0xffff)
        }
        _ => 0,
    }
}

impl Occurrence {
    /// `m`: `None` where a game ends.
    pub(super) fn new(key: u64, turn: Color, m: Option<Move>, facts: GameFacts) -> Self {
        let bits = m.map_or(END, |m| u64::from(m.to_bits()));
        let turn = if turn.is_white() { WHITE_TO_MOVE } else { 0 };
        Self {
            key,
            facts: bits | facts.0 | turn,
        }
    }

    pub(super) fn set_outcome(&mut self, outcome: Outcome) {
        self.facts |= (outcome as u64) << 16;
    }

    /// The move's bits; `END` has none that a move could have.
    pub(super) fn move_bits(self) -> u16 {
        self.facts as u16
    }

    pub(super) fn outcome(self) -> Outcome {
        match self.facts >> 16 & 3 {
            1 => Outcome::White,
            2 => Outcome::Draw,
            3 => Outcome::Black,
            _ => Outcome::None,
        }
    }

    pub(super) fn turn(self) -> Color {
        if self.facts & WHITE_TO_MOVE == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// The ratings of White and Black, 0 for none.
    pub(super) fn ratings(self) -> (u16, u16) {
        (
            (self.facts >> 18 & RATING) as u16,
            (self.facts >> 30 & RATING) as u16,
        )
    }

    /// Month of the game, 0 for none.
    pub(super) fn month(self) -> u16 {
        (self.facts >> 42) as u16
    }
}

impl Keyed for Occurrence {
    fn key(&self) -> u64 {
        self.key
    }
}

/// A position with its key.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub(super) struct Board {
    pub(super) key: u64,
    pub(super) packed: Packed,
}

impl Keyed for Board {
    fn key(&self) -> u64 {
        self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabia_core::chess::Square;

    #[test]
    fn facts_come_back() {
        let facts = GameFacts::new(Some(2851), Some(5000), Some(Date::new(2013, 9, 0)));
        let m = Move::normal(Square::E2, Square::E4);
        let mut record = Occurrence::new(7, Color::White, Some(m), facts);
        record.set_outcome(Outcome::Black);
        assert_eq!(Move::from_bits(record.move_bits()), Some(m));
        assert_eq!(record.outcome(), Outcome::Black);
        assert_eq!(record.ratings(), (2851, 0));
        assert_eq!(record.month(), 1013 * 12 + 9);
        assert_eq!(record.turn(), Color::White);
        let end = Occurrence::new(7, Color::Black, None, GameFacts::default());
        assert_eq!(Move::from_bits(end.move_bits()), None);
        assert_eq!((end.outcome(), end.turn()), (Outcome::None, Color::Black));
    }
}
