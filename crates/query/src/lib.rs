//! Questions to databases, whatever their format. Works on `dyn Database` and names no format.
#![warn(missing_docs)]

pub mod filter;
mod fold;

pub use filter::{Filter, FilterError, Matcher};
pub use fold::fold;
