//! Questions to databases, whatever their format. Works on `dyn Database` and names no format.
//! Names of openings by position are in [`openings`].
#![warn(missing_docs)]

pub mod filter;
mod fold_case;
pub mod openings;

pub use filter::{Filter, FilterError, Matcher};
pub use fold_case::fold;
