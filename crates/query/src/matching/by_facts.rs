//! [`FactsMatcher`]: queries that ratings, date and result decide.

use tabia_core::game::{Date, GameResult};

use super::by_head::{rating_difference, ratings_fit};
use super::rating_filter::{RatingTest, inside};
use crate::language::{AnyOf, DateField, DateTest, EloField, Item, Query, ResultTest, Test, What};

/// Tests games of which only ratings, date and result are known against a query that asks for nothing else.
///
/// ```
/// use tabia_core::game::{Date, GameResult};
/// use tabia_query::{FactsMatcher, Query};
///
/// let query = Query::parse("elo:>=2500 (date:2010.. OR -result:draw)")?;
/// let matcher = FactsMatcher::new(&query).expect("nothing else");
/// let date = Date::new(1972, 7, 11);
/// assert!(matcher.fits([2660, 2785], date, GameResult::BlackWins));
/// assert!(!matcher.fits([2660, 2785], date, GameResult::Draw));
/// // A rating of 0 is unknown.
/// assert!(!matcher.fits([2660, 0], date, GameResult::BlackWins));
/// assert!(FactsMatcher::new(&Query::parse("elo:>=2500 white:tal")?).is_none());
/// # Ok::<(), tabia_query::FilterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FactsMatcher {
    /// Of one of the lists all tests must hold.
    alternatives: Vec<Vec<FactTest>>,
}

/// Years for which it is known in advance whether all of their dates fit.
const YEARS: u16 = 2200;

/// An item of a query.
#[derive(Debug, Clone)]
enum FactTest {
    Ratings(RatingTest),
    /// The mean of the ratings, or their difference.
    BothRatings {
        test: Test,
        negated: bool,
    },
    Date {
        tests: Vec<DateTest>,
        /// Whether all dates of a year fit, or none.
        by_year: Box<[Option<bool>]>,
        negated: bool,
    },
    /// The bits of the results that fit.
    Result(u32),
    Group {
        alternatives: Vec<Vec<FactTest>>,
        negated: bool,
    },
}

impl FactsMatcher {
    /// `None` if the query asks for something else, or for nothing.
    pub fn new(query: &Query) -> Option<Self> {
        if query.is_empty() {
            return None;
        }
        Some(Self {
            alternatives: alternatives(query.any_of())?,
        })
    }

    /// Whether a game fits that is no guiding text. Its ratings are White's and Black's, 0 if unknown.
    #[inline]
    pub fn fits(&self, ratings: [u16; 2], date: Date, result: GameResult) -> bool {
        any_fits(&self.alternatives, ratings, date, result)
    }

    /// The bits of the games that fit, the lowest for the first one, as [`fits`](Self::fits) decides; games after the
    /// 128th are not asked. It is a multiple faster than asking them one by one.
    ///
    /// ```
    /// use tabia_core::game::{Date, GameResult};
    /// use tabia_query::{FactsMatcher, Query};
    ///
    /// let matcher = FactsMatcher::new(&Query::parse("elo:>=2500")?).expect("nothing else");
    /// let games = [[2660, 2785], [2400, 2650], [2510, 2500]];
    /// let games = games.map(|ratings| (ratings, Date::UNKNOWN, GameResult::Draw));
    /// assert_eq!(matcher.fitting(&games.into_iter()), 0b101);
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn fitting(
        &self,
        games: &(impl Iterator<Item = ([u16; 2], Date, GameResult)> + Clone),
    ) -> u128 {
        let lists = self.alternatives.iter();
        lists.fold(0, |found, tests| {
            let tests = tests.iter();
            found | tests.fold(u128::MAX, |bits, test| bits & test.fitting(games.clone()))
        })
    }
}

/// The bits of the first 128 answers that are `true`.
#[inline(always)]
fn bits_of(mut answers: impl Iterator<Item = bool>) -> u128 {
    let mut half = || {
        let (mut bits, mut count) = (0_u64, 0);
        for fits in answers.by_ref().take(64) {
            bits = bits >> 1 | u64::from(fits) << 63;
            count += 1;
        }
        bits.checked_shr(64 - count).unwrap_or_default()
    };
    let low = half();
    u128::from(low) | u128::from(half()) << 64
}

fn alternatives(any_of: &AnyOf) -> Option<Vec<Vec<FactTest>>> {
    let lists = any_of.0.iter();
    lists
        .map(|list| list.0.iter().map(FactTest::from_item).collect())
        .collect()
}

#[inline]
fn any_fits(
    alternatives: &[Vec<FactTest>],
    ratings: [u16; 2],
    date: Date,
    result: GameResult,
) -> bool {
    alternatives
        .iter()
        .any(|tests| tests.iter().all(|test| test.fits(ratings, date, result)))
}

impl FactTest {
    /// `None` if ratings, date and result do not decide the item.
    fn from_item(item: &Item) -> Option<Self> {
        let negated = item.negated;
        let term = match &item.what {
            What::Term(term) => term,
            What::Group(group) => {
                return Some(Self::Group {
                    alternatives: alternatives(group)?,
                    negated,
                });
            }
            What::Step { .. } => return None,
        };
        if let Some(test) = RatingTest::from_item(item) {
            return Some(Self::Ratings(test));
        }
        match &term.test {
            test @ (Test::Elo(..) | Test::EloDifference(_)) => Some(Self::BothRatings {
                test: test.clone(),
                negated,
            }),
            Test::Date(DateField::Game, tests) => Some(Self::Date {
                by_year: (0..YEARS).map(|year| all_of_year(tests, year)).collect(),
                tests: tests.clone(),
                negated,
            }),
            Test::Result(tests) => Some(Self::Result(bits_of_results(tests, negated))),
            _ => None,
        }
    }

    #[inline]
    fn fits(&self, ratings: [u16; 2], date: Date, result: GameResult) -> bool {
        match self {
            Self::Ratings(test) => test.has(ratings),
            Self::BothRatings { test, negated } => {
                let ratings = ratings.map(|elo| Some(elo).filter(|elo| *elo != 0));
                let fits = match test {
                    Test::Elo(field, bounds) => ratings_fit(*field, bounds, ratings),
                    Test::EloDifference(bounds) => rating_difference(bounds, ratings),
                    _ => false,
                };
                fits != *negated
            }
            Self::Date {
                tests,
                by_year,
                negated,
            } => {
                let known = by_year.get(usize::from(date.year)).copied().flatten();
                let fits = known.unwrap_or_else(|| tests.iter().any(|test| test.fits(date)));
                fits != *negated
            }
            Self::Result(bits) => bits >> result as u32 & 1 != 0,
            Self::Group {
                alternatives,
                negated,
            } => any_fits(alternatives, ratings, date, result) != *negated,
        }
    }

    /// As [`FactsMatcher::fitting`]. What is tested is decided once, not for each game.
    fn fitting(&self, games: impl Iterator<Item = ([u16; 2], Date, GameResult)> + Clone) -> u128 {
        match self {
            Self::Ratings(test) => match test.only_range() {
                Some(range) => {
                    let ratings = games.map(|(ratings, _, _)| ratings);
                    match test.field() {
                        EloField::Both | EloField::Mean => {
                            bits_of(ratings.map(|[w, b]| inside(range, w) & inside(range, b)))
                        }
                        EloField::Either => {
                            bits_of(ratings.map(|[w, b]| inside(range, w) | inside(range, b)))
                        }
                        EloField::White => bits_of(ratings.map(|[w, _]| inside(range, w))),
                        EloField::Black => bits_of(ratings.map(|[_, b]| inside(range, b))),
                    }
                }
                None => bits_of(games.map(|(ratings, _, _)| test.has(ratings))),
            },
            Self::Result(bits) => {
                bits_of(games.map(|(_, _, result)| bits >> result as u32 & 1 != 0))
            }
            Self::Date {
                by_year, negated, ..
            } => {
                let of_year = |year: u16| by_year.get(usize::from(year)).copied().flatten();
                let known = games.clone().map(|(_, date, _)| of_year(date.year));
                let open = bits_of(known.clone().map(|known| known.is_none()));
                let fitting = bits_of(known.map(|known| known == Some(!*negated)));
                if open == 0 {
                    return fitting;
                }
                fitting | open & bits_of(games.map(|(r, date, x)| self.fits(r, date, x)))
            }
            _ => bits_of(games.map(|(ratings, date, result)| self.fits(ratings, date, result))),
        }
    }
}

/// Whether all dates of a year fit, or none.
fn all_of_year(tests: &[DateTest], year: u16) -> Option<bool> {
    let answers = || tests.iter().map(|test| test.fits_all_of_year(year));
    if answers().any(|answer| answer == Some(true)) {
        return Some(true);
    }
    answers()
        .all(|answer| answer == Some(false))
        .then_some(false)
}

fn bits_of_results(tests: &[ResultTest], negated: bool) -> u32 {
    GameResult::ALL.iter().fold(0, |bits, &result| {
        let fits = tests.iter().any(|test| test.fits(result));
        bits | u32::from(fits != negated) << result as u32
    })
}

#[cfg(test)]
mod tests {
    use tabia_core::GameIndex;
    use tabia_core::game::GameHead;
    use tabia_testkit::Random;

    use super::super::answer::Answer;
    use super::super::by_head;
    use super::super::evaluate_alternatives::evaluate;
    use super::*;

    /// Terms that facts decide.
    const TERMS: &[&str] = &[
        "elo:>=2400",
        "elo:2300..2500,2650..",
        "anyelo:>2600",
        "whiteelo:<2000",
        "blackelo:2500",
        "avgelo:>=2500",
        "elodiff:-50..50",
        "date:2010..",
        "date:1999.05..2004.02.28",
        "date:>2011.06",
        "date:<1950.02,2020",
        "date:<=1960",
        "date:2011.??.11",
        "date:????.05",
        "date:????",
        "date:??",
        "date:1980",
        "result:1-0",
        "result:draw,0-1",
        "result:unknown",
    ];

    fn random_query(random: &mut Random) -> String {
        let mut text = String::new();
        let mut is_open = false;
        for number in 0..=random.below(4) {
            if number > 0 {
                text.push_str([" ", " OR "][random.below(2)]);
            }
            if random.below(4) == 0 {
                text.push('-');
            }
            if !is_open && random.below(4) == 0 {
                text.push('(');
                is_open = true;
            }
            text.push_str(TERMS[random.below(TERMS.len())]);
            if is_open && random.below(2) == 0 {
                text.push(')');
                is_open = false;
            }
        }
        if is_open {
            text.push(')');
        }
        text
    }

    #[test]
    fn facts_decide_as_heads_do() {
        let mut random = Random::new(31);
        let (mut asked, mut fitting) = (0, 0);
        for _ in 0..3000 {
            let text = random_query(&mut random);
            let Ok(query) = Query::parse(&text) else {
                panic!("{text}: {:?}", Query::parse(&text));
            };
            // `-a OR a` asks for nothing.
            if query.is_empty() {
                continue;
            }
            let Some(matcher) = FactsMatcher::new(&query) else {
                panic!("{text} is decided by facts: {:?}", query.any_of());
            };
            let (mut games, mut bits) = (Vec::new(), Vec::new());
            for _ in 0..[30, 64, 100, 130][random.below(4)] {
                let mut head = GameHead::default();
                let elo = |random: &mut Random| match random.below(4) {
                    0 => 0,
                    _ => 1900 + random.below(900) as u16,
                };
                let ratings = [elo(&mut random), elo(&mut random)];
                let year = match random.below(6) {
                    0 => 0,
                    1 => 1 + random.below(9999) as u16,
                    _ => 1940 + random.below(90) as u16,
                };
                let date = Date::new(year, random.below(13) as u8, random.below(32) as u8);
                let result = GameResult::ALL[random.below(GameResult::ALL.len())];
                for (tag, elo) in ["WhiteElo", "BlackElo"].into_iter().zip(ratings) {
                    if elo > 0 {
                        head.tags.push(tag, &elo.to_string());
                    }
                }
                head.tags.push("Date", &date.to_string());
                let mut folded = String::new();
                let expected = evaluate(query.any_of(), false, &mut |term| {
                    // The result comes after the moves.
                    Ok(match &term.test {
                        Test::Result(tests) => {
                            Answer::from(tests.iter().any(|test| test.fits(result)))
                        }
                        test => by_head::answer(test, GameIndex(0), &head, &mut folded),
                    })
                });
                let fits = matcher.fits(ratings, date, result);
                games.push((ratings, date, result));
                bits.push(fits);
                let expected = expected.unwrap();
                assert_ne!(expected, Answer::Maybe, "{text}");
                assert_eq!(
                    fits,
                    expected == Answer::Yes,
                    "{text}: {ratings:?} {date} {result:?}"
                );
                asked += 1;
                fitting += u32::from(fits);
            }
            let found = matcher.fitting(&games.iter().copied());
            for (number, fits) in bits.iter().take(128).enumerate() {
                assert_eq!(found >> number & 1 != 0, *fits, "{text}");
            }
        }
        assert!(fitting > asked / 10 && fitting < asked * 9 / 10);
    }
}
