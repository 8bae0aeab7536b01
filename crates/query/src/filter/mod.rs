//! The filter language of `--where`.
//!
//! A filter is a list of terms; a game matches if all of them hold:
//!
//! ```text
//! player:carlsen elo:>=2700 date:2020.. eco:B9,C4 -result:1/2-1/2 "candidates"
//! ```
//!
//! * `name:value` tests one field; commas separate alternatives; `-` before a term negates it.
//! * A word or `"phrase"` without a field name must occur in a player's name, the event or the site.
//! * Numbers and dates take `>=`, `<=`, `>`, `<` and ranges `a..b`, open at either end.
//! * Names are compared without case and accents; a value matches at the start of a word of the name.
//!
//! The only errors are an unknown field and a value that the field cannot have; the error names the
//! column and lists what is valid.

mod matcher;
mod parser;
mod rating_filter;

use std::fmt;

pub use matcher::Matcher;
use tabia_core::game::{Date, GameResult};

/// A parsed filter. Each thread tests games with a [`Matcher`] of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    pub(crate) terms: Vec<Term>,
}

/// A condition on one field, or its negation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    pub(crate) negated: bool,
    pub(crate) test: Test,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// At least one of the texts, folded, occurs in one of the fields.
    Name(NameField, Vec<String>),
    Elo(EloField, Vec<Bounds<u16>>),
    Date(Vec<Bounds<Date>>),
    Result(Vec<GameResult>),
    /// Inclusive ranges of ECO codes.
    Eco(Vec<(u16, u16)>),
    Moves(Vec<Bounds<u16>>),
    Has(Vec<Part>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameField {
    /// Players, event and site.
    Any,
    Player,
    White,
    Black,
    Event,
    Site,
    Round,
    Annotator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EloField {
    /// Both players.
    Both,
    /// At least one player.
    Either,
    White,
    Black,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Variations,
    Comments,
    Nags,
    Setup,
    Deleted,
    Text,
}

/// A range from `low` to `high`, both included; `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds<T> {
    pub(crate) low: Option<T>,
    pub(crate) high: Option<T>,
}

impl<T: Ord + Copy> Bounds<T> {
    pub(crate) fn has(&self, value: T) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }
}

impl Filter {
    /// Parses a filter in the language described [here](self). The empty text matches everything.
    ///
    /// ```
    /// use tabia_query::Filter;
    ///
    /// assert!(Filter::parse("player:carlsen elo:>=2700").is_ok());
    /// let error = Filter::parse("elo:high").unwrap_err();
    /// assert_eq!(error.to_string(), "column 5: `high` is not a rating");
    /// ```
    ///
    /// # Errors
    /// Unknown fields and values that a field cannot have.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parser::parse(text)
    }

    /// Whether the filter matches everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Why a text is not a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// Column in characters, from 1.
    pub column: usize,
    /// The error, for users.
    pub message: String,
    /// Advice for the user, if any.
    pub hint: Option<String>,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for FilterError {}

impl From<FilterError> for tabia_core::Error {
    fn from(error: FilterError) -> Self {
        Self::invalid(error.to_string())
    }
}
