//! Targets for the query language.

use tabia_core::GameIndex;
use tabia_query::{Matcher, Query};

use crate::tiny;

/// A text that is a query is parsed to the same query after it is printed, and answers on games; an error
/// names a column of the text.
pub(super) fn query(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let query = match Query::parse(&text) {
        Ok(query) => query,
        Err(error) => {
            let length = text.chars().count();
            assert!((1..=length + 1).contains(&error.column), "{text}: {error}");
            return;
        }
    };
    let normal = query.to_string();
    let again = Query::parse(&normal)
        .unwrap_or_else(|error| panic!("{normal} does not read back: {error:?}"));
    assert_eq!(again, query, "{text}: {normal}");
    assert_eq!(again.to_string(), normal, "{text}");
    let plan = query.plan();
    let mut matcher = Matcher::new(&query).with_moments();
    for (number, game) in tiny::games().iter().enumerate() {
        let index = GameIndex(number as u32);
        let fits = matcher.matches(index, game);
        assert_eq!(Matcher::new(&again).matches(index, game), fits, "{text}");
        for step in &plan {
            let _ = Matcher::new(&step.query).matches(index, game);
        }
        // The last step of a query without alternatives is the whole query.
        if let [.., last] = plan.as_slice() {
            let last = Matcher::new(&last.query).matches(index, game);
            assert_eq!(last, fits, "{text}");
        }
    }
}
