//! Sums of the occurrences of a position, by move.

use tabia_core::books::{BookEntry, BookPosition, RatingSum, Wdl};
use tabia_core::chess::{Color, Move};

use super::book_rules::{MoveFilter, Weighting};
use super::occurrence::{Occurrence, Outcome, year_of};
use crate::rating_difference::rating_difference;

/// Number of times a move is played before Polyglot halves the counters of its position.
const POLYGLOT_HALVING: u64 = 16384;
/// The age in half-lives that a game without a date counts as.
const AGE_WITHOUT_DATE: f64 = 4.0;

/// How occurrences are summed.
#[derive(Debug, Clone, Copy)]
pub(super) struct AggregateOptions {
    pub(super) weighting: Weighting,
    /// The month of the newest game.
    pub(super) newest_month: u16,
    /// Whether ratings and dates count too.
    pub(super) facts: bool,
}

/// The totals of one move, or of the games that end in the position.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MoveTotals {
    pub(super) move_bits: u16,
    /// How often the move was played: a game that repeats it counts again.
    pub(super) games: u64,
    /// Number of games that have the move.
    pub(super) distinct_games: u64,
    results: Wdl,
    /// Sum and number of the ratings of those who played the move.
    own_ratings: (u64, u64),
    /// Sum and number of the ratings of their opponents.
    opponent_ratings: (u64, u64),
    /// Twice the points scored against rated opponents.
    points_against_rated: u64,
    /// The month of the newest game, 0 if no game has a date.
    newest_month: u16,
    /// Polyglot's counters of games and of points.
    pub(super) polyglot_games: u64,
    pub(super) polyglot_points: u64,
    /// Points weighted by age.
    pub(super) recent_points: f64,
}

/// A move that is in the book.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedMove {
    /// Index among the moves of its position: the totals of a move are too large to be copied for each position.
    pub(super) index: usize,
    pub(super) weight: u16,
}

/// The totals of one position.
#[derive(Debug, Default)]
pub(super) struct PositionTotals {
    pub(super) key: u64,
    pub(super) white_to_move: bool,
    /// Number of games that have the position.
    games: u64,
    /// In the order in which the moves first came.
    pub(super) moves: Vec<MoveTotals>,
}

impl PositionTotals {
    /// Starts with another position.
    pub(super) fn reset(&mut self, key: u64) {
        self.key = key;
        self.games = 0;
        self.moves.clear();
    }

    /// Number of games that have the position.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// Adds one move of one game.
    #[inline]
    pub(super) fn add(&mut self, occurrence: Occurrence, options: AggregateOptions) {
        let bits = occurrence.move_bits();
        let turn = occurrence.turn();
        self.white_to_move = turn.is_white();
        self.games += u64::from(!occurrence.repeats_position());
        let found = self.moves.iter().position(|known| known.move_bits == bits);
        let index = found.unwrap_or(self.moves.len());
        if found.is_none() {
            self.moves.push(MoveTotals {
                move_bits: bits,
                ..MoveTotals::default()
            });
        }
        let Some(totals) = self.moves.get_mut(index) else {
            return;
        };
        totals.games += 1;
        totals.distinct_games += u64::from(!occurrence.repeats_move());
        match occurrence.outcome() {
            Outcome::White => totals.results.white += 1,
            Outcome::Draw => totals.results.draws += 1,
            Outcome::Black => totals.results.black += 1,
            Outcome::None => {}
        }
        let won = match turn {
            Color::White => Outcome::White,
            Color::Black => Outcome::Black,
        };
        let points = match occurrence.outcome() {
            Outcome::Draw | Outcome::None => 1,
            outcome if outcome == won => 2,
            _ => 0,
        };
        if options.facts {
            totals.newest_month = totals.newest_month.max(occurrence.month());
            totals.add_ratings(occurrence, points);
        }
        match options.weighting {
            Weighting::Points => {}
            Weighting::Polyglot => {
                totals.polyglot_games += 1;
                totals.polyglot_points += points;
                if totals.polyglot_games >= POLYGLOT_HALVING {
                    for totals in &mut self.moves {
                        totals.polyglot_games = totals.polyglot_games.div_ceil(2);
                        totals.polyglot_points = totals.polyglot_points.div_ceil(2);
                    }
                }
            }
            Weighting::Recency { half_life } => {
                let age = match occurrence.month() {
                    0 => AGE_WITHOUT_DATE,
                    month => f64::from(options.newest_month.saturating_sub(month)) / half_life,
                };
                totals.recent_points += points as f64 * (-age).exp2();
            }
        }
    }

    /// The position as books store it: statistics of all games, and the moves that are in the book
    /// with their weights.
    pub(super) fn book_position(
        &self,
        filter: &MoveFilter,
        weighting: Weighting,
        stretch: bool,
    ) -> BookPosition {
        let mut all = MoveTotals::default();
        for totals in &self.moves {
            all.games += totals.games;
            all.results = crate::book::find::add(all.results, totals.results);
            add_pair(&mut all.own_ratings, totals.own_ratings);
            add_pair(&mut all.opponent_ratings, totals.opponent_ratings);
            all.points_against_rated += totals.points_against_rated;
        }
        let mut kept = Vec::new();
        self.weigh(filter, weighting, stretch, &mut kept);
        let entry = |kept: &WeightedMove| {
            let totals = self.moves.get(kept.index)?;
            let mut entry = BookEntry::new(Move::from_bits(totals.move_bits)?)
                .with_weight(u32::from(kept.weight))
                .with_games(totals.games)
                .with_results(totals.results);
            entry.average_rating = totals.average_rating();
            entry.ratings = totals.rating_sum();
            entry.performance = totals.performance();
            Some(entry)
        };
        let mut position = BookPosition::default();
        position.entries.extend(kept.iter().filter_map(entry));
        position.games = Some(all.games);
        position.results = Some(all.results);
        position.average_rating = all.average_rating();
        position.ratings = all.rating_sum();
        position.performance = all.performance();
        position
    }
}

fn add_pair(sum: &mut (u64, u64), pair: (u64, u64)) {
    *sum = (sum.0 + pair.0, sum.1 + pair.1);
}

impl MoveTotals {
    /// `points`: twice those of the side that plays the move.
    fn add_ratings(&mut self, occurrence: Occurrence, points: u64) {
        let (white, black) = occurrence.ratings();
        let (own, opponent) = match occurrence.turn() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        if own > 0 {
            add_pair(&mut self.own_ratings, (u64::from(own), 1));
        }
        if opponent > 0 && occurrence.outcome() != Outcome::None {
            add_pair(&mut self.opponent_ratings, (u64::from(opponent), 1));
            self.points_against_rated += points;
        }
    }

    /// The results of the games.
    pub(super) fn results(&self) -> Wdl {
        self.results
    }

    /// Twice the points of the side that plays the move.
    pub(super) fn points(&self, white: bool) -> u64 {
        let wins = if white {
            self.results.white
        } else {
            self.results.black
        };
        2 * wins + self.games - self.results.white - self.results.black
    }

    /// Sum and number of the ratings of those who played the move.
    pub(super) fn own_ratings(&self) -> (u64, u64) {
        self.own_ratings
    }

    /// The year of the newest game; `None` if no game has a date.
    pub(super) fn last_year(&self) -> Option<u16> {
        year_of(self.newest_month)
    }

    fn average_rating(&self) -> Option<u16> {
        self.rating_sum()?.average()
    }

    fn rating_sum(&self) -> Option<RatingSum> {
        let (sum, games) = self.own_ratings;
        (games > 0).then_some(RatingSum { games, sum })
    }

    /// The average rating of the opponents and the rating difference for the score against them.
    fn performance(&self) -> Option<u16> {
        let (sum, count) = self.opponent_ratings;
        if count == 0 {
            return None;
        }
        let score = self.points_against_rated as f64 / 2.0 / count as f64;
        let performance = sum as f64 / count as f64 + rating_difference(score);
        Some(performance.round().clamp(0.0, f64::from(u16::MAX)) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrence::GameFacts;
    use super::*;
    use tabia_core::chess::Square;

    #[test]
    fn statistics_are_those_of_the_side_that_plays() {
        let options = AggregateOptions {
            weighting: Weighting::Points,
            newest_month: 0,
            facts: true,
        };
        let filter = MoveFilter {
            min_games: 1,
            ..MoveFilter::default()
        };
        let mut totals = PositionTotals::default();
        for (outcome, white, black) in [
            (Outcome::White, 2500, 2400),
            (Outcome::Black, 2600, 2600),
            (Outcome::None, 2400, 0),
        ] {
            let facts = GameFacts::new(Some(white), Some(black), None);
            let e4 = Move::normal(Square::E2, Square::E4);
            let mut occurrence = Occurrence::new(1, Color::White, Some(e4), facts);
            occurrence.set_outcome(outcome);
            totals.add(occurrence, options);
        }
        let position = totals.book_position(&filter, Weighting::Points, false);
        let entry = &position.entries[0];
        assert_eq!(entry.games, Some(3));
        assert_eq!(entry.weight, Some(3));
        assert_eq!(entry.average_rating, Some(2500));
        let ratings = entry.ratings.unwrap();
        assert_eq!((ratings.games, ratings.sum), (3, 7500));
        assert_eq!(entry.performance, Some(2500));
        assert_eq!(
            (position.games, position.performance),
            (Some(3), Some(2500))
        );
        assert!((rating_difference(0.75) - 190.85).abs() < 0.01);
    }
}
