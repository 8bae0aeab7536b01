//! The query language: what a game must be.
//!
//! ```text
//! player:carlsen elo:>=2700 date:2020.. (eco:B9 OR opening:najdorf) -result:draw "candidates"
//! ```
//!
//! * Blanks join terms that must all hold; `OR` between them separates alternatives; parentheses group.
//! * `name:value` tests one field; commas separate alternatives; `-` before a term or a group negates it.
//! * A word or `"phrase"` without a field name must begin a word of a player, event, site or annotator.
//! * Numbers and dates take `>=`, `<=`, `>`, `<` and ranges `a..b`, open at either end.
//! * Names are compared without case and accents; `"=Last, First"` is the whole name, `/…/` a regular
//!   expression.
//! * An unknown value fits no range, and fits every negated one.
//!
//! Some terms ask something of one position of a game, the *moment*. All of them in one list hold at the
//! same position; a list in parentheses has a moment of its own. `A -> B` asks for a moment of `B` after
//! that of `A`, `A => B` exactly one ply later. The positions of a game are the start and the one after
//! each ply of the mainline, the last one too.
//!
//! Annotation terms (`text`, `nag`, `medal`, `eval`, `clock`) next to such terms hold at the moment too:
//! `eval` is about its position, the others are about the move played from it.
//!
//! `sort:` sets the order of the games; it is no condition, and the last one counts.
//!
//! [`fields`] lists all fields. The only errors are an unknown field, a value that the field cannot
//! have, a step or an option without a moment, a range that ends before it begins, a parenthesis or quotation
//! mark that is not closed, and a text above the limits; the error names the column, what
//! was probably meant and what is known.
//!
//! | module | holds |
//! |---|---|
//! | `scanner`, `parser` | from text to terms |
//! | `field_list` | the fields, for the parser and for users |
//! | `moment_terms` | terms about a position and the move played from it |
//! | `pawn_structures`, `move_pattern` | structures of pawns, and moves as far as a text describes them |
//! | `piece_set`, `square_set` | sets of pieces and of squares |
//! | `attacks`, `pins` | attacks and pins |
//! | `deferred_conditions` | sacrifices and annotations, which are known after the moment |
//! | `mirror` | mirror images of terms |
//! | `values` | numbers, dates, codes and their ranges |
//! | `term_order` | the order in which terms are asked |
//! | `print` | the normal form |
//! | `required_positions`, `required_material` | what an index of positions is asked |
//! | `probable_mistakes` | terms that are hardly meant as they are |
//! | `error_and_suggestions` | what is wrong with a text, and what was probably meant |

mod attacks;
mod deferred_conditions;
mod error_and_suggestions;
mod field_list;
mod inputs_of_tests;
mod line_of_moves;
mod mirror;
mod moment_terms;
mod move_pattern;
mod parser;
mod pawn_structures;
mod piece_set;
mod pins;
mod print;
mod probable_mistakes;
mod required_material;
mod required_positions;
mod scanner;
mod square_set;
mod term_order;
mod values;

use std::sync::Arc;

use tabia_core::chess::Ply;
use tabia_core::game::Want;

use crate::sorting::SortOrder;

pub(crate) use deferred_conditions::{Fact, Later, Note, STILL_GIVEN};
pub use error_and_suggestions::{FilterError, Suggestion, nearest};
pub use field_list::{Field, fields};
pub(crate) use inputs_of_tests::{Inputs, PlayedMoves};
pub(crate) use moment_terms::{Check, Moment, MomentTerm, balance};
pub use required_material::RequiredMaterial;
pub(crate) use required_material::SignatureFilter;
pub use term_order::PlanStep;
pub(crate) use values::{Bounds, DateTest, Ends, GameMark, Medal, NameTest, Part};
pub(crate) use values::{EvalTest, Flip, ResultTest, Scope, Speed, SpeedTest};
pub use values::{begins_word, speed, speed_of_time_control};

/// Longest text of a query in bytes.
pub(crate) const MAX_LENGTH: usize = 64 << 10;
/// Terms of a query at most.
pub(crate) const MAX_TERMS: usize = 256;
/// Parentheses inside each other at most.
pub(crate) const MAX_DEPTH: usize = 32;

/// A parsed query. Cheap to clone. `Display` writes the normal form, which parses to an equal query.
///
/// ```
/// # use tabia_query as tabia;
/// use tabia::Query;
///
/// let query = Query::parse("White:Müller  (eco:B90..B99 OR date:>1950)")?;
/// assert_eq!(query.to_string(), "white:muller (eco:B9 OR date:>1950)");
/// assert_eq!(Query::parse(&query.to_string())?, query);
/// # Ok::<(), tabia_query::FilterError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Query {
    parsed: Arc<Parsed>,
    /// The numbers of the games that `is:duplicate` finds, ascending, once they are known.
    duplicates: Option<Arc<Vec<u32>>>,
}

#[derive(Debug, Default)]
struct Parsed {
    any_of: AnyOf,
    /// Number of terms.
    terms: usize,
    suggestions: Vec<Suggestion>,
    sort: SortOrder,
}

/// Accepts what [`Query::parse`] accepts.
///
/// ```
/// # use tabia_query as tabia;
/// use tabia::Query;
///
/// let query: Query = "player:carlsen -result:draw".parse()?;
/// assert_eq!(query, query.to_string().parse()?);
/// # Ok::<(), tabia_query::FilterError>(())
/// ```
impl std::str::FromStr for Query {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        Self::parse(text)
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.parsed.any_of == other.parsed.any_of && self.parsed.sort == other.parsed.sort
    }
}

/// Alternatives; everything fits if there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AnyOf(pub(crate) Vec<List>);

/// Items that must all hold; never empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct List(pub(crate) Vec<Item>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) negated: bool,
    pub(crate) what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    Term(Term),
    Group(AnyOf),
    /// The moment of the items after it is later than that of those before: by one ply if `next`.
    Step {
        next: bool,
    },
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    /// Its number among the terms of the query, from 0.
    pub(crate) number: usize,
    pub(crate) test: Test,
}

/// What a term asks of a game; one of the values must fit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// Folded texts that begin a word of a player, event, site or annotator.
    Word(Vec<String>),
    Name(NameField, Vec<NameTest>),
    Elo(EloField, Vec<Bounds>),
    EloDifference(Vec<Bounds>),
    Date(DateField, Vec<DateTest>),
    Result(Vec<ResultTest>),
    /// Inclusive ranges of ECO codes.
    Eco(Vec<(u16, u16)>),
    /// Folded texts that begin words of the name of an opening; after `=` the whole name, or all before its `:`.
    Opening(Vec<String>),
    /// The first moves from the standard position.
    Line(Vec<Vec<Ply>>),
    Moves(Vec<Bounds>),
    Plies(Vec<Bounds>),
    Speed(Vec<SpeedTest>),
    Rated(Vec<bool>),
    /// Folded names of variants.
    Variant(Vec<String>),
    FideId(Vec<Bounds>),
    /// Name of a tag, and the folded text that begins a word of its value.
    Tag(Vec<(String, Option<String>)>),
    Ends(Vec<Ends>),
    /// Folded texts that begin words of a comment.
    Text(Vec<String>),
    Nag(Vec<u8>),
    Medal(Vec<Medal>),
    Eval(Vec<EvalTest>),
    /// Milliseconds.
    Clock(Vec<Bounds>),
    Has(Vec<Part>),
    Is(Vec<GameMark>),
    /// Numbers of games from 1.
    Game(Vec<Bounds>),
    /// Folded texts that begin words of a database's name.
    Db(Vec<String>),
    /// About the moment.
    Moment(MomentTerm),
    /// The moment's terms hold on that many positions from it on.
    For(u32),
    /// The moment is at most that many plies after the one before.
    Within(u32),
    /// The lines whose moments count; also for lists inside.
    In(Scope),
    /// The moment or one of these mirror images.
    Flip(Vec<Flip>),
}

impl Test {
    /// Whether a guiding text can fit; all other terms leave guiding texts out.
    pub(crate) fn fits_guiding_texts(&self) -> bool {
        match self {
            Self::Word(_) | Self::Text(_) => true,
            Self::Name(field, _) => matches!(field, NameField::Event | NameField::Annotator),
            Self::Is(marks) => marks.contains(&GameMark::Text),
            _ => false,
        }
    }

    /// What has to be read of a game to decide the term when no index does.
    pub(crate) fn want(&self) -> Want {
        match self {
            Self::Line(_)
            | Self::Opening(_)
            | Self::Moves(_)
            | Self::Plies(_)
            | Self::For(_)
            | Self::Within(_)
            | Self::Flip(_)
            | Self::In(Scope::Mainline) => Want::MAINLINE,
            Self::In(_) => Want::MAINLINE.and(Want::VARIATIONS),
            Self::Moment(term) if term.asks_for_notes() => Want::MAINLINE.and(Want::ANNOTATIONS),
            Self::Moment(_) => Want::MAINLINE,
            Self::Ends(ends) => {
                if ends.iter().all(|end| end.is_position()) {
                    Want::MAINLINE
                } else {
                    Want::MAINLINE.and(Want::TAGS)
                }
            }
            Self::Text(_) | Self::Nag(_) | Self::Medal(_) | Self::Eval(_) | Self::Clock(_) => {
                Want::ALL
            }
            Self::Has(parts) => {
                if parts
                    .iter()
                    .all(|part| matches!(part, Part::Setup | Part::Elo | Part::AnyElo))
                {
                    Want::TAGS
                } else {
                    Want::ALL
                }
            }
            _ => Want::TAGS,
        }
    }

    /// Whether the term is about a moment of the game.
    pub(crate) fn is_about_moment(&self) -> bool {
        matches!(
            self,
            Self::Moment(_) | Self::For(_) | Self::Within(_) | Self::Flip(_) | Self::In(_)
        )
    }

    /// Whether the term is about annotations, and about those of a moment next to terms about one.
    pub(crate) fn is_note(&self) -> bool {
        matches!(
            self,
            Self::Text(_) | Self::Nag(_) | Self::Medal(_) | Self::Eval(_) | Self::Clock(_)
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameField {
    Player,
    White,
    Black,
    Winner,
    Loser,
    Event,
    Site,
    Round,
    Annotator,
    Source,
    Team,
    Title,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EloField {
    /// Both players.
    Both,
    /// At least one player.
    Either,
    /// The mean of both.
    Mean,
    White,
    Black,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateField {
    Game,
    Event,
}

impl Query {
    /// Parses a query in the [query language](crate::language). The empty text fits everything.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// assert!(Query::parse("player:carlsen elo:>=2700").is_ok());
    /// let error = Query::parse("elo:high").unwrap_err();
    /// assert_eq!(error.to_string(), "column 5: `high` is not a rating");
    /// let error = Query::parse("whit:carlsen").unwrap_err();
    /// assert!(error.hint.is_some_and(|hint| hint.starts_with("did you mean `white`?")));
    /// let error = Query::parse("elo>2700").unwrap_err();
    /// assert!(error.hint.is_some_and(|hint| hint.starts_with("did you mean `elo:>2700`?")));
    /// ```
    ///
    /// # Errors
    /// Unknown fields, words such as `elo>2700`, values that a field cannot have, parentheses that are not closed, more than
    /// 64 KiB of text, 256 terms or 32 parentheses inside each other.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        parser::parse(text).map(|parsed| Self {
            parsed: Arc::new(parsed),
            duplicates: None,
        })
    }

    /// Whether every game fits.
    pub fn is_empty(&self) -> bool {
        self.parsed.any_of.0.is_empty()
    }

    /// Words that look as if something else was meant, such as `1/2-1/2` or `or`.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("carlsen 1/2-1/2")?;
    /// assert_eq!(query.suggestions()[0].meant, "result:1/2-1/2");
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.parsed.suggestions
    }

    /// Whether a term asks for the number of the game, which is known only when all games before are
    /// counted.
    pub fn asks_for_numbers(&self) -> bool {
        let mut asks = false;
        self.for_each_term(&mut |term| {
            asks |= match &term.test {
                Test::Game(_) => true,
                Test::Is(marks) => marks.contains(&GameMark::Duplicate),
                _ => false,
            };
        });
        asks
    }

    /// Whether `is:duplicate` is in it, which fits no game before
    /// [`with_duplicates`](Self::with_duplicates).
    ///
    /// ```
    /// use std::sync::Arc;
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("is:duplicate")?;
    /// assert!(query.asks_for_duplicates());
    /// assert!(!query.with_duplicates(Arc::new(vec![2, 7])).lacks_duplicates());
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn asks_for_duplicates(&self) -> bool {
        let mut asks = false;
        self.for_each_term(&mut |term| {
            asks |= matches!(&term.test, Test::Is(marks) if marks.contains(&GameMark::Duplicate));
        });
        asks
    }

    /// Whether `is:duplicate` is in it and the duplicates are not known.
    pub fn lacks_duplicates(&self) -> bool {
        self.duplicates.is_none() && self.asks_for_duplicates()
    }

    /// The query for a database whose duplicates are these games: their numbers from 0, ascending.
    #[must_use]
    pub fn with_duplicates(&self, games: Arc<Vec<u32>>) -> Self {
        Self {
            parsed: Arc::clone(&self.parsed),
            duplicates: Some(games),
        }
    }

    /// Whether a game is one of the duplicates.
    pub(crate) fn has_duplicate(&self, game: u32) -> bool {
        let games = self.duplicates.as_deref();
        games.is_some_and(|games| games.binary_search(&game).is_ok())
    }

    /// Whether a game fits at positions of its own, its moments: a term about a position is in it that is not in
    /// a negated group.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let asks = |query: &str| Query::parse(query).map(|query| query.asks_for_moments());
    /// assert!(asks("elo:>2700 mat:KRPKR")? && asks("player:tal OR move:Bxh7+")?);
    /// assert!(!asks("player:tal has:comments")? && !asks("player:tal -(mat:KRPKR)")?);
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn asks_for_moments(&self) -> bool {
        self.parsed.any_of.asks_for_moments()
    }

    /// The order that `sort:` asks for; empty if it does not.
    ///
    /// ```
    /// # use tabia_query as tabia;
    /// use tabia::Query;
    ///
    /// let query = Query::parse("player:tal sort:date,white")?;
    /// assert_eq!(query.sort().to_string(), "date-desc,white-asc");
    /// # Ok::<(), tabia_query::FilterError>(())
    /// ```
    pub fn sort(&self) -> &SortOrder {
        &self.parsed.sort
    }

    pub(crate) fn any_of(&self) -> &AnyOf {
        &self.parsed.any_of
    }

    /// Number of terms.
    pub(crate) fn term_count(&self) -> usize {
        self.parsed.terms
    }

    /// Calls `visit` for every term.
    pub(crate) fn for_each_term<'q>(&'q self, visit: &mut dyn FnMut(&'q Term)) {
        self.parsed.any_of.for_each_term(visit);
    }
}

impl AnyOf {
    /// Whether a term is about a moment of the game.
    pub(crate) fn has_moment(&self) -> bool {
        let mut has = false;
        self.for_each_term(&mut |term| has |= matches!(term.test, Test::Moment(_)));
        has
    }

    /// Whether a list has a moment that is not one of a negated group.
    pub(super) fn asks_for_moments(&self) -> bool {
        let mut items = self.0.iter().flat_map(|list| &list.0);
        items.any(|item| match &item.what {
            What::Term(term) => matches!(term.test, Test::Moment(_)),
            What::Group(group) => !item.negated && group.asks_for_moments(),
            What::Step { .. } => false,
        })
    }

    pub(crate) fn for_each_term<'q>(&'q self, visit: &mut dyn FnMut(&'q Term)) {
        for item in self.0.iter().flat_map(|list| &list.0) {
            match &item.what {
                What::Term(term) => visit(term),
                What::Group(group) => group.for_each_term(visit),
                What::Step { .. } => {}
            }
        }
    }
}
