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

impl SplitBy {
    /// What the command line calls `event`, `eco`, `player` or `year`; `None` for other words.
    pub fn of_field(name: &str) -> Option<Self> {
        Some(match name {
            "event" => Self::Event,
            "eco" => Self::Eco,
            "player" => Self::Player,
            "year" => Self::Year,
            _ => return None,
        })
    }
}
