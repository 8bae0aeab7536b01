//! The moves and statistics of a position in a book, as they are shown to players.

mod find_position;
mod nag_symbols;

pub use find_position::{FoundMove, FoundPosition, add, find, opening_of, score};
pub use nag_symbols::{nag_of, symbols};
