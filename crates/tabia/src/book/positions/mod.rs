//! Books as positions one after another, for tables and other storage: [`for_each`] reads them, [`Builder`] makes
//! a book of them.
//!
//! Both know positions by their board or, in Polyglot's books, by their key alone.

mod builder;
mod reading;

pub use builder::Builder;
pub use reading::{StoredPosition, for_each};
