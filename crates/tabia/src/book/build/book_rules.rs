//! Which moves are in a book, and how their weights are computed.

use tabia_core::chess::Color;

/// How the weights of moves are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Weighting {
    /// Two points for a win of the side that plays the move, one for a draw or an unknown result.
    #[default]
    Points,
    /// The same with counters of 15 bits, as Polyglot 2.0.4 has them: when a move has been played
    /// 16384 times, the counters of all moves of its position are halved. Depends on the order of
    /// the games.
    Polyglot,
    /// Points that halve with age.
    Recency {
        /// Months in which points lose half of their value.
        half_life: f64,
    },
}

/// Which moves are in a book.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MoveFilter {
    /// Least number of games in which a move was played.
    pub min_games: u64,
    /// Least score of the side that plays a move, in percent.
    pub min_score: f64,
    /// Least share of a move in the games of its position, in percent.
    pub min_percent: f64,
    /// Only moves of this side.
    pub only: Option<Color>,
    /// Whether moves that never scored are in the book.
    pub scoreless: bool,
}

impl Default for MoveFilter {
    /// Moves of both sides that were played three times and scored.
    fn default() -> Self {
        Self {
            min_games: 3,
            min_score: 0.0,
            min_percent: 0.0,
            only: None,
            scoreless: false,
        }
    }
}
