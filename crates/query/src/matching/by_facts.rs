//! [`FactsMatcher`]: queries that ratings, date and result decide.

use tabia_core::game::{Date, GameResult};

use super::answer::Answer;
use super::by_head::{rating_difference, ratings_fit};
use super::evaluate_alternatives::evaluate;
use super::rating_filter::RatingTest;
use crate::language::{DateField, Query, Test};

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
    query: Query,
    /// The terms on ratings that must hold.
    ratings: Vec<RatingTest>,
    /// There are no other terms.
    is_ratings_only: bool,
}

impl FactsMatcher {
    /// `None` if the query asks for something else, or for nothing.
    pub fn new(query: &Query) -> Option<Self> {
        let mut decides = !query.is_empty();
        query.for_each_term(&mut |term| decides &= decides_by_facts(&term.test));
        if !decides {
            return None;
        }
        let items = match query.any_of().0.as_slice() {
            [list] => list.0.as_slice(),
            _ => &[],
        };
        let ratings: Vec<_> = items.iter().filter_map(RatingTest::from_item).collect();
        Some(Self {
            query: query.clone(),
            is_ratings_only: !items.is_empty() && ratings.len() == items.len(),
            ratings,
        })
    }

    /// Whether a game fits that is no guiding text. Its ratings are White's and Black's, 0 if unknown.
    #[inline]
    pub fn fits(&self, ratings: [u16; 2], date: Date, result: GameResult) -> bool {
        self.ratings.iter().all(|test| test.has(ratings))
            && (self.is_ratings_only || self.terms_fit(ratings, date, result))
    }

    fn terms_fit(&self, ratings: [u16; 2], date: Date, result: GameResult) -> bool {
        let ratings = ratings.map(|elo| Some(elo).filter(|elo| *elo != 0));
        let fits = evaluate(self.query.any_of(), false, &mut |term| {
            Ok(Answer::from(match &term.test {
                Test::Elo(field, bounds) => ratings_fit(*field, bounds, ratings),
                Test::EloDifference(bounds) => rating_difference(bounds, ratings),
                Test::Date(_, tests) => tests.iter().any(|test| test.fits(date)),
                Test::Result(tests) => tests.iter().any(|test| test.fits(result)),
                _ => return Ok(Answer::Maybe),
            }))
        });
        fits.is_ok_and(|fits| fits == Answer::Yes)
    }
}

fn decides_by_facts(test: &Test) -> bool {
    matches!(
        test,
        Test::Elo(..) | Test::EloDifference(_) | Test::Date(DateField::Game, _) | Test::Result(_)
    )
}
