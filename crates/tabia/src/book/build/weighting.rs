//! From the totals of a position's moves to the weights of those that are in the book.

use tabia_core::chess::Move;

use super::aggregate::{MoveTotals, PositionTotals, WeightedMove};
use super::book_rules::{MoveFilter, Weighting};

impl PositionTotals {
    /// Fills `out` with the moves that are in the book and their weights, in the order in which the
    /// moves first came.
    pub(super) fn weigh(
        &self,
        filter: &MoveFilter,
        weighting: Weighting,
        stretch: bool,
        out: &mut Vec<WeightedMove>,
    ) {
        out.clear();
        if filter
            .only
            .is_some_and(|color| color.is_white() != self.white_to_move)
        {
            return;
        }
        let white = self.white_to_move;
        // Without a least share the sum makes no difference.
        let games = if filter.min_percent > 0.0 {
            self.game_count(weighting)
        } else {
            0
        };
        let numbered = self.moves.iter().enumerate();
        let kept = numbered.filter(|(_, totals)| totals.is_kept(filter, weighting, white, games));
        out.extend(kept.map(|(index, _)| WeightedMove { index, weight: 0 }));
        match weighting {
            Weighting::Polyglot => {
                self.set_weights(out, |totals| totals.polyglot_points as u16);
            }
            Weighting::Recency { .. } => {
                self.set_scaled_weights(out, |totals| totals.recent_points);
            }
            Weighting::Points => {
                let points = |totals: &MoveTotals| totals.points(white);
                let is_exact = !stretch
                    && self
                        .moves_of(out)
                        .all(|totals| u16::try_from(points(totals)).is_ok());
                if is_exact {
                    self.set_weights(out, |totals| points(totals) as u16);
                } else {
                    self.set_scaled_weights(out, |totals| points(totals) as f64);
                }
            }
        }
    }

    /// Sets weights so that the heaviest move has the greatest.
    fn set_scaled_weights(&self, out: &mut [WeightedMove], weight: impl Fn(&MoveTotals) -> f64) {
        let limit = f64::from(u16::MAX);
        let max = self.moves_of(out).map(&weight).fold(0.0, f64::max);
        let scale = if max <= 0.0 { 1.0 } else { limit / max };
        self.set_weights(out, |totals| {
            let weight = weight(totals);
            // A move that scored is not scaled down to *never play*.
            let min = if weight > 0.0 { 1.0 } else { 0.0 };
            (weight * scale).round().clamp(min, limit) as u16
        });
    }

    fn set_weights(&self, out: &mut [WeightedMove], weight: impl Fn(&MoveTotals) -> u16) {
        for kept in out {
            kept.weight = self.moves.get(kept.index).map_or(0, &weight);
        }
    }

    /// The totals of the moves that are in the book.
    fn moves_of(&self, kept: &[WeightedMove]) -> impl Iterator<Item = &MoveTotals> {
        kept.iter().filter_map(|kept| self.moves.get(kept.index))
    }

    /// The sum of the games of all moves, as the weighting counts them.
    fn game_count(&self, weighting: Weighting) -> u64 {
        let moves = self.moves.iter().filter(|totals| totals.is_move());
        moves.map(|totals| totals.count(weighting)).sum()
    }
}

impl MoveTotals {
    /// Whether these are the totals of a move, and not of the games that end in the position.
    fn is_move(&self) -> bool {
        Move::from_bits(self.move_bits).is_some()
    }

    /// The number of games that have the move. Polyglot counts a game that repeats it again.
    fn count(&self, weighting: Weighting) -> u64 {
        match weighting {
            Weighting::Polyglot => self.polyglot_games,
            _ => self.distinct_games,
        }
    }

    /// `position_games`: the sum of the games of all moves of the position.
    fn is_kept(
        &self,
        filter: &MoveFilter,
        weighting: Weighting,
        white: bool,
        position_games: u64,
    ) -> bool {
        let games = self.count(weighting);
        // The score is that of all times the move was played, as the points are.
        let (points, played) = match weighting {
            Weighting::Polyglot => (self.polyglot_points, self.polyglot_games),
            _ => (self.points(white), self.games),
        };
        // Every score is at least 0, but a move that was not played has none.
        let scores_enough = if filter.min_score <= 0.0 {
            played > 0 || points > 0
        } else {
            points as f64 / played as f64 / 2.0 >= filter.min_score / 100.0
        };
        self.is_move()
            && games >= filter.min_games
            && (points > 0 || filter.scoreless)
            && scores_enough
            && games as f64 * 100.0 >= filter.min_percent * position_games as f64
    }
}

#[cfg(test)]
mod tests {
    use tabia_core::chess::Color;

    use super::super::aggregate::AggregateOptions;
    use super::super::occurrence::{GameFacts, Occurrence, Outcome};
    use super::*;
    use tabia_core::chess::Square;
    use tabia_core::game::Date;

    fn all_moves() -> MoveFilter {
        MoveFilter {
            min_games: 1,
            ..MoveFilter::default()
        }
    }

    fn occurrence(m: Move, outcome: Outcome, facts: GameFacts) -> Occurrence {
        let mut occurrence = Occurrence::new(1, Color::White, Some(m), facts);
        occurrence.set_outcome(outcome);
        occurrence
    }

    fn weights(totals: &PositionTotals, filter: &MoveFilter, weighting: Weighting) -> Vec<u16> {
        let mut out = Vec::new();
        totals.weigh(filter, weighting, false, &mut out);
        out.iter().map(|kept| kept.weight).collect()
    }

    fn wins(counts: &[(Move, usize)], options: AggregateOptions) -> PositionTotals {
        let mut totals = PositionTotals::default();
        for &(m, count) in counts {
            for _ in 0..count {
                let win = occurrence(m, Outcome::White, GameFacts::default());
                totals.add(win, options);
            }
        }
        totals
    }

    fn options(weighting: Weighting) -> AggregateOptions {
        AggregateOptions {
            weighting,
            newest_month: 0,
            facts: false,
        }
    }

    const E4: Move = Move::normal(Square::E2, Square::E4);
    const D4: Move = Move::normal(Square::D2, Square::D4);

    #[test]
    fn counters_are_halved_as_polyglot_does() {
        let weighting = Weighting::Polyglot;
        let weights = |first: usize, wins_of_e4: usize, last: usize| {
            let counts = [(D4, first), (E4, wins_of_e4), (D4, last)];
            weights(&wins(&counts, options(weighting)), &all_moves(), weighting)
        };
        assert_eq!(weights(0, 16383, 0), [32766]);
        assert_eq!(weights(0, 16384, 0), [16384]);
        assert_eq!(weights(0, 40000, 0), [30848]);
        assert_eq!(weights(100, 40000, 0), [25, 30848]);
        assert_eq!(weights(0, 40000, 100), [30848, 200]);
    }

    #[test]
    fn moves_that_were_not_played_are_left_out() {
        let filter = MoveFilter {
            min_games: 0,
            scoreless: true,
            ..MoveFilter::default()
        };
        let mut totals = wins(&[(E4, 1), (D4, 1)], options(Weighting::Polyglot));
        assert_eq!(weights(&totals, &filter, Weighting::Polyglot), [2, 2]);
        totals.moves[1].polyglot_points = 0;
        assert_eq!(weights(&totals, &filter, Weighting::Polyglot), [2, 0]);
        // No score can be computed from these, whatever the least one is.
        totals.moves[1].polyglot_games = 0;
        for min_score in [-1.0, 0.0, 1.0] {
            let filter = MoveFilter {
                min_score,
                ..filter
            };
            assert_eq!(weights(&totals, &filter, Weighting::Polyglot), [2]);
        }
    }

    #[test]
    fn large_weights_are_scaled_in_proportion() {
        let weighting = Weighting::Points;
        let totals = wins(&[(E4, 50_000), (D4, 25_000)], options(weighting));
        assert_eq!(weights(&totals, &all_moves(), weighting), [65535, 32768]);
    }

    #[test]
    fn old_games_count_less() {
        let at = |year| GameFacts::new(None, None, Some(Date::new(year, 1, 0)));
        let weighting = Weighting::Recency { half_life: 120.0 };
        let recent = occurrence(E4, Outcome::Draw, at(2020));
        let options = AggregateOptions {
            newest_month: recent.month(),
            ..options(weighting)
        };
        let mut totals = PositionTotals::default();
        totals.add(recent, options);
        totals.add(occurrence(D4, Outcome::Draw, at(2010)), options);
        assert_eq!(weights(&totals, &all_moves(), weighting), [65535, 32768]);
    }

    #[test]
    fn rare_moves_are_left_out_by_their_share() {
        let weighting = Weighting::Points;
        let mut totals = wins(&[(E4, 97), (D4, 3)], options(weighting));
        // Games that end in the position do not count.
        let mut end = Occurrence::new(1, Color::White, None, GameFacts::default());
        end.set_outcome(Outcome::White);
        (0..50).for_each(|_| totals.add(end, options(weighting)));
        for (min_percent, expected) in [
            (0.0, &[194, 6][..]),
            (3.0, &[194, 6]),
            (3.1, &[194]),
            (97.5, &[]),
        ] {
            let filter = MoveFilter {
                min_percent,
                ..all_moves()
            };
            assert_eq!(
                weights(&totals, &filter, weighting),
                expected,
                "{min_percent}"
            );
        }
    }
}
