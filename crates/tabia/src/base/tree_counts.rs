//! Counts of the games that reached a position, by the move they went on with.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tabia_core::GameIndex;
use tabia_core::books::Wdl;
use tabia_core::chess::{Color, Ply};
use tabia_core::game::{Date, GameResult};
use tabia_index::Row;

use crate::rating_difference::rating_difference;

/// Results and ratings of some games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) games: u64,
    pub(super) results: Wdl,
    /// Sum and number of the ratings of the side that is asked about, usually the one to move.
    own: (u64, u64),
    /// Of its opponents, in games with a result.
    opponents: (u64, u64),
    /// Twice the points against opponents with a rating.
    points: u64,
    pub(super) first_played: Date,
    pub(super) last_played: Date,
    /// The first of the games: number of its database, and of its record.
    pub(super) sample: Option<(usize, GameIndex)>,
}

impl Totals {
    /// Adds those of at most 128 games of the database with this number whose bits are set; `turn` is the side
    /// that is asked about.
    /// The highest rating of a game, as [`Reached::rating`] has it.
    pub(super) fn add(&mut self, database: usize, rows: &[Row], counted: u128, turn: Color) -> u32 {
        let tables = if turn.is_white() { &WHITE } else { &BLACK };
        // Sums of 128 games fit into 16 bits, those of their ratings into 32: several are one number, and nothing of a
        // row decides a branch, since what comes next cannot be predicted.
        let (mut results, mut own, mut opponents) = (0_u64, 0_u64, 0_u64);
        let (mut games, mut first_game, mut highest) = (0_u64, u32::MAX, 0);
        let (mut first_day, mut last_day) = (u32::MAX, 0);
        for (rows, half) in rows
            .chunks(64)
            .zip([counted as u64, (counted >> 64) as u64])
        {
            let mut bits = half;
            while let Some(row) = rows.get(bits.trailing_zeros() as usize) {
                bits &= bits - 1;
                games += 1;
                first_game = first_game.min(row.game().0);
                let table = &tables[row.result() as usize & 7];
                results += table.result;
                let [white, black] = row.ratings().map(u64::from);
                let [rating, opponent] = if turn.is_white() {
                    [white, black]
                } else {
                    [black, white]
                };
                own += rating | u64::from(rating > 0) << 32;
                let is_rated = u64::from(opponent > 0).wrapping_neg();
                opponents += (opponent | table.points) & table.decided & is_rated;
                highest = highest.max(Reached::rating(row));
                let day = row.date_number();
                last_day = last_day.max(day);
                // Without a year no date is the first one.
                first_day = first_day.min(if day < 1 << 9 { u32::MAX } else { day });
            }
        }
        if games == 0 {
            return 0;
        }
        let part = |number: u64, bits: u32| number >> bits & 0xffff;
        let ratings = |number: u64| number & 0xffff_ffff;
        self.merge(&Self {
            games,
            results: Wdl {
                white: part(results, 0),
                draws: part(results, 16),
                black: part(results, 32),
            },
            own: (ratings(own), own >> 32),
            opponents: (ratings(opponents), part(opponents, 32)),
            points: part(opponents, 48),
            first_played: if first_day == u32::MAX {
                Date::UNKNOWN
            } else {
                date_of(first_day)
            },
            last_played: date_of(last_day),
            sample: Some((database, GameIndex(first_game))),
        });
        highest
    }

    /// Adds the games of others.
    pub(super) fn merge(&mut self, other: &Self) {
        let pair = |sum: &mut (u64, u64), more: (u64, u64)| {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        };
        self.games += other.games;
        self.results = crate::book::find::add(self.results, other.results);
        pair(&mut self.own, other.own);
        pair(&mut self.opponents, other.opponents);
        self.points += other.points;
        self.first_played = earlier(self.first_played, other.first_played);
        self.last_played = self.last_played.max(other.last_played);
        let both = self.sample.into_iter().chain(other.sample);
        self.sample = both.min();
    }

    /// The mean rating of the side that is asked about.
    pub(super) fn average_rating(&self) -> Option<u16> {
        let (sum, count) = self.own;
        (count > 0).then(|| ((sum + count / 2) / count) as u16)
    }

    /// The mean rating of the opponents.
    pub(super) fn average_opponent_rating(&self) -> Option<u16> {
        let (sum, count) = self.opponents;
        (count > 0).then(|| ((sum + count / 2) / count) as u16)
    }

    /// The mean rating of the opponents and the rating difference for the score against them.
    pub(super) fn performance(&self) -> Option<u16> {
        let (sum, count) = self.opponents;
        if count == 0 {
            return None;
        }
        let score = self.points as f64 / 2.0 / count as f64;
        let performance = sum as f64 / count as f64 + rating_difference(score);
        Some(performance.round().clamp(0.0, f64::from(u16::MAX)) as u16)
    }
}

/// What a result adds to sums.
#[derive(Clone, Copy)]
struct Summands {
    /// 1 in bits 0 to 15 if White won, in 16 to 31 for a draw, in 32 to 47 if Black won.
    result: u64,
    /// All bits if one of these is the result.
    decided: u64,
    /// 1 in bits 32 to 47, and in those after them twice the points of the side to move.
    points: u64,
}

/// By the number of the result, for White and Black to move.
const WHITE: [Summands; 8] = summands(true);
const BLACK: [Summands; 8] = summands(false);

const fn summands(is_white: bool) -> [Summands; 8] {
    let mut all = [Summands {
        result: 0,
        decided: 0,
        points: 0,
    }; 8];
    let mut number = 0;
    while number < all.len() {
        let (bits, white_points) = match GameResult::ALL[number].to_pgn() {
            GameResult::WhiteWins => (0, 2),
            GameResult::Draw => (16, 1),
            GameResult::BlackWins => (32, 0),
            _ => {
                number += 1;
                continue;
            }
        };
        let points = if is_white {
            white_points
        } else {
            2 - white_points
        };
        all[number] = Summands {
            result: 1 << bits,
            decided: u64::MAX,
            points: 1 << 32 | points << 48,
        };
        number += 1;
    }
    all
}

/// The number of a date as [`Row::date_number`] has it.
pub(super) fn number_of(date: Date) -> u32 {
    u32::from(date.year) << 9 | u32::from(date.month) << 5 | u32::from(date.day)
}

/// The date of a number as [`Row::date_number`] has it.
fn date_of(number: u32) -> Date {
    Date::new(
        (number >> 9) as u16,
        (number >> 5 & 15) as u8,
        (number & 31) as u8,
    )
}

/// The earlier one of two dates; a known one if one of them is unknown.
fn earlier(a: Date, b: Date) -> Date {
    match (a.year, b.year) {
        (0, _) => b,
        (_, 0) => a,
        _ => a.min(b),
    }
}

/// A game that reached the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reached {
    /// Number of the database.
    pub(super) database: usize,
    pub(super) row: Row,
    pub(super) played: Option<Ply>,
    /// Players and event, if they were read.
    pub(super) names: Option<Box<[String; 3]>>,
}

impl Reached {
    /// The sum of both ratings, 0 if one is unknown.
    pub(super) fn rating(row: &Row) -> u32 {
        let [white, black] = row.ratings();
        if white == 0 || black == 0 {
            return 0;
        }
        u32::from(white) + u32::from(black)
    }

    fn number(&self) -> (usize, GameIndex) {
        (self.database, self.row.game())
    }
}

/// The best of some games in an order.
#[derive(Debug, Clone)]
pub(super) struct Best {
    order: Order,
    most: usize,
    /// The rating or date that a game must have at least. Games without one are not among the best.
    least: u32,
    pub(super) games: Vec<Reached>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By both ratings.
    Rating,
    /// By date.
    Date,
}

type BestKey = (Reverse<u32>, Reverse<u32>, (usize, GameIndex));

impl Best {
    fn new(order: Order, most: usize) -> Self {
        Self {
            order,
            most,
            least: 1,
            games: Vec::new(),
        }
    }

    fn key(&self, game: &Reached) -> BestKey {
        let (first, second) = match self.order {
            Order::Rating => (Reached::rating(&game.row), game.row.date_number()),
            Order::Date => (game.row.date_number(), Reached::rating(&game.row)),
        };
        (Reverse(first), Reverse(second), game.number())
    }

    #[inline]
    fn push(&mut self, game: &Reached) {
        let value = match self.order {
            Order::Rating => Reached::rating(&game.row),
            Order::Date => game.row.date_number(),
        };
        // Most games are worse than all that are kept.
        if value >= self.least {
            self.insert(game);
        }
    }

    fn insert(&mut self, game: &Reached) {
        let key = self.key(game);
        if self.most == 0 {
            return;
        }
        if self.games.len() == self.most
            && let Some(last) = self.games.last()
            && self.key(last) <= key
        {
            return;
        }
        let index = self.games.partition_point(|other| self.key(other) < key);
        self.games.insert(index, game.clone());
        self.games.truncate(self.most);
        if self.games.len() == self.most
            && let Some(last) = self.games.last()
        {
            self.least = self.key(last).0.0;
        }
    }
}

/// What is counted of a position.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    turn: Color,
    /// By the move played; `None` for games that ended there.
    pub(super) moves: BTreeMap<Option<Ply>, Totals>,
    /// Games that reached the position after a move by any order of moves.
    pub(super) children: BTreeMap<Ply, u64>,
    pub(super) top: Best,
    pub(super) recent: Best,
    keeps_ended: bool,
}

impl Tally {
    /// `games`: of the games with the highest ratings and of the last ones, at most; `keeps_ended`: also of those
    /// that did not go on with a move.
    pub(super) fn new(turn: Color, games: usize, keeps_ended: bool) -> Self {
        Self {
            turn,
            keeps_ended,
            moves: BTreeMap::new(),
            children: BTreeMap::new(),
            top: Best::new(Order::Rating, games),
            recent: Best::new(Order::Date, games),
        }
    }

    /// Whether games are kept.
    pub(super) fn keeps_games(&self) -> bool {
        self.top.most > 0
    }

    /// Whether one of some games may be kept that have at most this rating and were played on this day at the latest.
    pub(super) fn may_keep(&self, rating: u32, day: u32) -> bool {
        self.keeps_games() && (rating >= self.top.least || day >= self.recent.least)
    }

    /// Adds a game with its move.
    pub(super) fn add(&mut self, game: &Reached) {
        let totals = self.moves.entry(game.played).or_default();
        totals.add(game.database, std::slice::from_ref(&game.row), 1, self.turn);
        self.keep(game);
    }

    /// Adds results and ratings of games with the same move.
    pub(super) fn add_totals(&mut self, played: Option<Ply>, totals: &Totals) {
        self.moves.entry(played).or_default().merge(totals);
    }

    /// Keeps a game if it is one of the best.
    pub(super) fn keep(&mut self, game: &Reached) {
        if !self.keeps_ended && !matches!(game.played, Some(Ply::Move(_))) {
            return;
        }
        self.top.push(game);
        self.recent.push(game);
    }

    /// Adds what was counted of another database.
    pub(super) fn merge(&mut self, other: &Self) {
        for (played, totals) in &other.moves {
            self.add_totals(*played, totals);
        }
        for (played, games) in &other.children {
            *self.children.entry(*played).or_default() += games;
        }
        other.top.games.iter().for_each(|game| self.top.push(game));
        let recent = other.recent.games.iter();
        recent.for_each(|game| self.recent.push(game));
    }
}
