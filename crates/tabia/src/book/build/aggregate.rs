//! From records to the moves of positions.

use tabia_core::books::{BookEntry, BookPosition, Wdl};
use tabia_core::chess::{Color, Move};

use super::grouping::Adding;
use super::record::{Occurrence, Outcome};

/// How moves get their weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Weighing {
    /// Two points for a win of the side that plays the move, one for a draw or an unknown result.
    #[default]
    Points,
    /// The same, in 15 bits and with halving while games are counted, as Polyglot 2.0.4 does it:
    /// when a move has been played 16384 times, the counters of all moves of its position are
    /// halved. Depends on the order of the games.
    Polyglot,
    /// Points that halve with every so many months of age.
    Recency {
        /// Months in which points lose half of their worth.
        half_life: f64,
    },
}

/// Which moves are kept.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MoveFilter {
    /// Games in which a move was played, at least.
    pub min_games: u64,
    /// Score of the side that plays it in percent, at least.
    pub min_score: f64,
    /// Only moves of White, or of Black.
    pub only: Option<Color>,
    /// Moves that never scored too.
    pub scoreless: bool,
}

impl Default for MoveFilter {
    /// Moves of both sides that were played three times and scored.
    fn default() -> Self {
        Self {
            min_games: 3,
            min_score: 0.0,
            only: None,
            scoreless: false,
        }
    }
}

/// Plays after which Polyglot halves.
const HALVING: u64 = 16384;
/// A game without a date counts as one of so many half-lives before the newest.
const UNDATED: f64 = 4.0;

/// One move of a position, or the games that end there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) move_bits: u16,
    games: u64,
    results: Wdl,
    /// Sum and number of the ratings of those who played it.
    own: (u64, u64),
    /// Sum and number of their opponents' ratings, and twice the points made against those.
    others: (u64, u64),
    points_against: u64,
    /// Polyglot's two counters.
    n: u64,
    sum: u64,
    recent: f64,
}

/// The moves of one position in the order they first came.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) key: u64,
    pub(super) white_to_move: bool,
    pub(super) cells: Vec<Cell>,
}

impl Group {
    pub(super) fn begin(&mut self, key: u64) {
        self.key = key;
        self.cells.clear();
    }

    /// Records that were added.
    pub(super) fn games(&self) -> u64 {
        self.cells.iter().map(|cell| cell.games).sum()
    }

    /// Notes one move of one game.
    #[inline]
    pub(super) fn add(&mut self, record: Occurrence, adding: Adding) {
        let bits = record.move_bits();
        let turn = record.turn();
        self.white_to_move = turn.is_white();
        let known = self.cells.iter().position(|cell| cell.move_bits == bits);
        let place = known.unwrap_or(self.cells.len());
        if known.is_none() {
            self.cells.push(Cell {
                move_bits: bits,
                ..Cell::default()
            });
        }
        let Some(cell) = self.cells.get_mut(place) else {
            return;
        };
        cell.games += 1;
        match record.outcome() {
            Outcome::White => cell.results.white += 1,
            Outcome::Draw => cell.results.draws += 1,
            Outcome::Black => cell.results.black += 1,
            Outcome::None => {}
        }
        let won = match turn {
            Color::White => Outcome::White,
            Color::Black => Outcome::Black,
        };
        let points = match record.outcome() {
            Outcome::Draw | Outcome::None => 1,
            outcome if outcome == won => 2,
            _ => 0,
        };
        if adding.ratings {
            cell.add_ratings(record, points);
        }
        match adding.weighing {
            Weighing::Points => {}
            Weighing::Polyglot => {
                cell.n += 1;
                cell.sum += points;
                if cell.n >= HALVING {
                    for cell in &mut self.cells {
                        cell.n = cell.n.div_ceil(2);
                        cell.sum = cell.sum.div_ceil(2);
                    }
                }
            }
            Weighing::Recency { half_life } => {
                let age = match record.month() {
                    0 => UNDATED,
                    month => f64::from(adding.newest.saturating_sub(month)) / half_life,
                };
                cell.recent += points as f64 * (-age).exp2();
            }
        }
    }

    /// The page of the position: statistics of all games, the moves that are kept with their
    /// weights.
    pub(super) fn page(
        &self,
        keep: &MoveFilter,
        weighing: Weighing,
        stretch: bool,
    ) -> BookPosition {
        let mut page = BookPosition::default();
        let mut results = Wdl::default();
        let mut games = 0;
        let mut all = Cell::default();
        for cell in &self.cells {
            games += cell.games;
            results = crate::book::find::add(results, cell.results);
            all.own = (all.own.0 + cell.own.0, all.own.1 + cell.own.1);
            all.others = (all.others.0 + cell.others.0, all.others.1 + cell.others.1);
            all.points_against += cell.points_against;
        }
        page.games = Some(games);
        page.results = Some(results);
        page.average_rating = all.average();
        page.performance = all.performance();
        let mut kept = Vec::new();
        self.weigh(keep, weighing, stretch, &mut kept);
        page.entries
            .extend(kept.iter().filter_map(|(cell, weight)| {
                let mut entry = BookEntry::new(Move::from_bits(cell.move_bits)?)
                    .with_weight(u32::from(*weight))
                    .with_games(cell.games)
                    .with_results(cell.results);
                entry.average_rating = cell.average();
                entry.performance = cell.performance();
                Some(entry)
            }));
        page
    }

    /// The moves that are kept, with weights in 16 bits, in the order they came.
    pub(super) fn weigh(
        &self,
        keep: &MoveFilter,
        weighing: Weighing,
        stretch: bool,
        out: &mut Vec<(Cell, u16)>,
    ) {
        out.clear();
        if keep
            .only
            .is_some_and(|color| color.is_white() != self.white_to_move)
        {
            return;
        }
        let kept = || {
            self.cells
                .iter()
                .filter(|cell| cell.is_kept(keep, weighing, self.white_to_move))
        };
        if let Weighing::Polyglot = weighing {
            out.extend(kept().map(|cell| (*cell, cell.sum as u16)));
            return;
        }
        let weight = |cell: &Cell| match weighing {
            Weighing::Recency { .. } => cell.recent,
            _ => cell.points(self.white_to_move) as f64,
        };
        let most = kept().map(weight).fold(0.0, f64::max);
        let limit = f64::from(u16::MAX);
        let is_whole = !matches!(weighing, Weighing::Recency { .. }) && !stretch && most <= limit;
        let scale = if is_whole || most <= 0.0 {
            1.0
        } else {
            limit / most
        };
        out.extend(kept().map(|cell| {
            let own = weight(cell);
            // What scored at all is not scaled down to *never play*.
            let least = if own > 0.0 { 1.0 } else { 0.0 };
            (*cell, (own * scale).round().clamp(least, limit) as u16)
        }));
    }
}

impl Cell {
    /// `points`: twice those of the side that plays the move.
    fn add_ratings(&mut self, record: Occurrence, points: u64) {
        let (white, black) = record.ratings();
        let (own, other) = match record.turn() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        if own > 0 {
            self.own = (self.own.0 + u64::from(own), self.own.1 + 1);
        }
        if other > 0 && record.outcome() != Outcome::None {
            self.others = (self.others.0 + u64::from(other), self.others.1 + 1);
            self.points_against += points;
        }
    }

    /// Twice the points of the side that plays the move.
    fn points(&self, white: bool) -> u64 {
        let wins = if white {
            self.results.white
        } else {
            self.results.black
        };
        2 * wins + self.games - self.results.white - self.results.black
    }

    fn is_kept(&self, keep: &MoveFilter, weighing: Weighing, white: bool) -> bool {
        let (n, sum) = match weighing {
            Weighing::Polyglot => (self.n, self.sum),
            _ => (self.games, self.points(white)),
        };
        Move::from_bits(self.move_bits).is_some()
            && n >= keep.min_games
            && (sum > 0 || keep.scoreless)
            && sum as f64 / n as f64 / 2.0 >= keep.min_score / 100.0
    }

    fn average(&self) -> Option<u16> {
        let (sum, count) = self.own;
        (count > 0).then(|| ((sum + count / 2) / count) as u16)
    }

    /// The opponents' average and what the score against them is worth.
    fn performance(&self) -> Option<u16> {
        let (sum, count) = self.others;
        if count == 0 {
            return None;
        }
        let score = self.points_against as f64 / 2.0 / count as f64;
        let value = sum as f64 / count as f64 + rating_difference(score);
        Some(value.round().clamp(0.0, f64::from(u16::MAX)) as u16)
    }
}

/// What a score between 0 and 1 is worth in rating points, as the logistic curve of the Elo system
/// has it, at most 800 either way.
fn rating_difference(score: f64) -> f64 {
    if score <= 0.0 {
        -800.0
    } else if score >= 1.0 {
        800.0
    } else {
        (-400.0 * (1.0 / score - 1.0).log10()).clamp(-800.0, 800.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::GameFacts;
    use super::*;
    use tabia_core::chess::Square;
    use tabia_core::game::Date;

    const KEEP: MoveFilter = MoveFilter {
        min_games: 1,
        min_score: 0.0,
        only: None,
        scoreless: false,
    };

    fn record(m: Move, outcome: Outcome, facts: GameFacts) -> Occurrence {
        let mut record = Occurrence::new(1, Color::White, Some(m), facts);
        record.set_outcome(outcome);
        record
    }

    fn adding(weighing: Weighing, newest: u16) -> Adding {
        Adding {
            weighing,
            newest,
            ratings: true,
        }
    }

    fn weights(group: &Group, weighing: Weighing) -> Vec<u16> {
        let mut out = Vec::new();
        group.weigh(&KEEP, weighing, false, &mut out);
        out.iter().map(|(_, weight)| *weight).collect()
    }

    #[test]
    fn halving_is_that_of_polyglot() {
        let e4 = Move::normal(Square::E2, Square::E4);
        let d4 = Move::normal(Square::D2, Square::D4);
        let win = |m| record(m, Outcome::White, GameFacts::default());
        let count = |first: usize, wins: usize, last: usize| {
            let mut group = Group::default();
            let moves = std::iter::repeat_n(d4, first)
                .chain(std::iter::repeat_n(e4, wins))
                .chain(std::iter::repeat_n(d4, last));
            for m in moves {
                group.add(win(m), adding(Weighing::Polyglot, 0));
            }
            weights(&group, Weighing::Polyglot)
        };
        assert_eq!(count(0, 16383, 0), [32766]);
        assert_eq!(count(0, 16384, 0), [16384]);
        assert_eq!(count(0, 40000, 0), [30848]);
        assert_eq!(count(100, 40000, 0), [25, 30848]);
        assert_eq!(count(0, 40000, 100), [30848, 200]);
    }

    #[test]
    fn large_counts_are_scaled_true() {
        let e4 = Move::normal(Square::E2, Square::E4);
        let d4 = Move::normal(Square::D2, Square::D4);
        let mut group = Group::default();
        for _ in 0..50_000 {
            group.add(
                record(e4, Outcome::White, GameFacts::default()),
                adding(Weighing::Points, 0),
            );
        }
        for _ in 0..25_000 {
            group.add(
                record(d4, Outcome::White, GameFacts::default()),
                adding(Weighing::Points, 0),
            );
        }
        assert_eq!(weights(&group, Weighing::Points), [65535, 32768]);
    }

    #[test]
    fn old_games_count_less() {
        let e4 = Move::normal(Square::E2, Square::E4);
        let d4 = Move::normal(Square::D2, Square::D4);
        let at = |year| GameFacts::new(None, None, Some(Date::new(year, 1, 0)));
        let weighing = Weighing::Recency { half_life: 120.0 };
        let newest = record(e4, Outcome::Draw, at(2020)).month();
        let mut group = Group::default();
        group.add(
            record(e4, Outcome::Draw, at(2020)),
            adding(weighing, newest),
        );
        group.add(
            record(d4, Outcome::Draw, at(2010)),
            adding(weighing, newest),
        );
        assert_eq!(weights(&group, weighing), [65535, 32768]);
    }

    #[test]
    fn statistics_are_those_of_the_side_that_plays() {
        let e4 = Move::normal(Square::E2, Square::E4);
        let facts = |white, black| GameFacts::new(Some(white), Some(black), None);
        let mut group = Group::default();
        group.add(
            record(e4, Outcome::White, facts(2500, 2400)),
            adding(Weighing::Points, 0),
        );
        group.add(
            record(e4, Outcome::Black, facts(2600, 2600)),
            adding(Weighing::Points, 0),
        );
        group.add(
            record(e4, Outcome::None, facts(2400, 0)),
            adding(Weighing::Points, 0),
        );
        let page = group.page(&KEEP, Weighing::Points, false);
        let entry = &page.entries[0];
        assert_eq!(entry.games, Some(3));
        assert_eq!(entry.weight, Some(3));
        assert_eq!(entry.average_rating, Some(2500));
        assert_eq!(entry.performance, Some(2500));
        assert_eq!((page.games, page.performance), (Some(3), Some(2500)));
        assert!((rating_difference(0.75) - 190.85).abs() < 0.01);
    }
}
