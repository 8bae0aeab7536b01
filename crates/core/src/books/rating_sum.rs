//! The ratings of the games of a position or of a move.

/// The ratings of one side in the games of a position or of a move. Not every game has a rating, so that averages of several
/// books cannot be summed by their numbers of games.
///
/// ```
/// use tabia_core::books::RatingSum;
///
/// let mut ratings = RatingSum::of_average(3, 2600);
/// ratings.add(RatingSum { games: 1, sum: 2400 });
/// assert_eq!((ratings.games, ratings.average()), (4, Some(2550)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RatingSum {
    /// Number of games with a rating.
    pub games: u64,
    /// The sum of the ratings.
    pub sum: u64,
}

impl RatingSum {
    /// The ratings of `games` games with that average.
    pub const fn of_average(games: u64, average: u16) -> Self {
        Self {
            games,
            sum: games.saturating_mul(average as u64),
        }
    }

    /// Adds the ratings of other games.
    pub const fn add(&mut self, other: Self) {
        self.games = self.games.saturating_add(other.games);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// The average, rounded; `None` without games, or if it is no rating.
    pub fn average(self) -> Option<u16> {
        let rounded = self.sum.saturating_add(self.games / 2);
        u16::try_from(rounded.checked_div(self.games)?).ok()
    }
}
