//! Filters over databases of any format, and names of openings.
//!
//! ```
//! use tabia_core::game::{GameResult, Tags};
//! use tabia_core::games::IndexEntry;
//! use tabia_query::{Filter, Matcher};
//!
//! let filter = Filter::parse("player:carlsen elo:>=2700 -result:1/2-1/2")?;
//! let tags: Tags = [("White", "Carlsen, Magnus"), ("WhiteElo", "2850"), ("BlackElo", "2710")]
//!     .into_iter()
//!     .collect();
//! let mut matcher = Matcher::new(&filter);
//! assert!(matcher.matches_tags(&tags, GameResult::WhiteWins, &IndexEntry::default()));
//! assert!(!matcher.matches_tags(&tags, GameResult::Draw, &IndexEntry::default()));
//! # Ok::<(), tabia_query::FilterError>(())
//! ```
#![warn(missing_docs)]

pub mod filter;
mod fold_case;
pub mod openings;

pub use filter::{Filter, FilterError, Matcher};
pub use fold_case::fold;
