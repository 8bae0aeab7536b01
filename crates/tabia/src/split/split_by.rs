//! Which games share a file.

use std::num::NonZeroU32;

/// Which games share a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitBy {
    /// As many records in each file, in the order of the input.
    Count(NonZeroU32),
    /// The games of an event.
    Event,
    /// The games of an opening, by the three characters of its ECO code.
    Eco,
    /// The games of a player; each game is in the files of both players.
    Player,
    /// The games of a year.
    Year,
}
