//! The query language of databases of any format, and names of openings.
//!
//! ```
//! use tabia_core::GameIndex;
//! use tabia_core::game::{Game, GameResult};
//! use tabia_query::{Matcher, Query};
//!
//! let query = Query::parse("player:carlsen elo:>=2700 -result:draw")?;
//! let mut game = Game::new();
//! for (name, value) in [("White", "Carlsen, Magnus"), ("WhiteElo", "2850"), ("BlackElo", "2710")] {
//!     game.head.tags.push(name, value);
//! }
//! game.result = GameResult::WhiteWins;
//! let mut matcher = Matcher::new(&query);
//! assert!(matcher.matches(GameIndex(0), &game));
//! game.result = GameResult::Draw;
//! assert!(!matcher.matches(GameIndex(0), &game));
//! # Ok::<(), tabia_query::FilterError>(())
//! ```
#![warn(missing_docs)]

mod fold_case;
pub mod language;
pub mod matching;
pub mod openings;
mod sorting;

pub use fold_case::fold;
pub use language::{
    Field, FilterError, PlanStep, Query, RequiredMaterial, Suggestion, begins_word, fields,
    nearest, speed, speed_of_time_control,
};
pub use matching::{Answer, FactsMatcher, FoundMoment, Matcher};
pub use sorting::{SortOrder, SortValues};
