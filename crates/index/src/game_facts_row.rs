//! What the index stores of a game that reached a position.

use tabia_core::GameIndex;
use tabia_core::game::{Date, GameResult};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Number, ratings, date and result of a game.
///
/// | offset | size | field | meaning |
/// |---:|---:|---|---|
/// | 0 | 4 | game | number of the record in the database, from 0 |
/// | 4 | 2 | white Elo | 0 if unknown |
/// | 6 | 2 | black Elo | 0 if unknown |
/// | 8 | 4 | date and result | bits 0-4 day, 5-8 month, 9-22 year, 24-26 result, 27 deleted |
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned,
)]
#[repr(C)]
pub struct Row {
    game: U32,
    white_elo: U16,
    black_elo: U16,
    facts: U32,
}
const _: () = assert!(size_of::<Row>() == 12);

/// A row stores the number of its result in this list.
const RESULTS: [GameResult; 8] = GameResult::ALL;
const DELETED: u32 = 1 << 27;

impl Row {
    /// The row of a game; a rating of 0 is unknown.
    pub fn new(
        game: GameIndex,
        [white_elo, black_elo]: [u16; 2],
        date: Date,
        result: GameResult,
        deleted: bool,
    ) -> Self {
        let result = RESULTS.iter().position(|&other| other == result);
        let mut facts = u32::from(date.day.min(31))
            | u32::from(date.month.min(15)) << 5
            | u32::from(date.year.min(9999)) << 9
            | (result.unwrap_or_default() as u32) << 24;
        if deleted {
            facts |= DELETED;
        }
        Self {
            game: game.0.into(),
            white_elo: white_elo.into(),
            black_elo: black_elo.into(),
            facts: facts.into(),
        }
    }

    /// Number of the record in its database.
    #[inline]
    pub fn game(&self) -> GameIndex {
        GameIndex(self.game.get())
    }

    /// The row with another number.
    #[must_use]
    pub fn with_game(mut self, game: GameIndex) -> Self {
        self.game = game.0.into();
        self
    }

    /// Ratings of White and Black, 0 if unknown.
    #[inline]
    pub fn ratings(&self) -> [u16; 2] {
        [self.white_elo.get(), self.black_elo.get()]
    }

    /// The date.
    #[inline]
    pub fn date(&self) -> Date {
        let facts = self.facts.get();
        Date::new(
            (facts >> 9 & 0x3fff) as u16,
            (facts >> 5 & 15) as u8,
            (facts & 31) as u8,
        )
    }

    /// The date as a number, the higher the later; 0 if all of it is unknown: 512 times the year, 32 times the month, and
    /// the day.
    #[inline]
    pub fn date_number(&self) -> u32 {
        self.facts.get() & 0x7f_ffff
    }

    /// The result.
    #[inline]
    pub fn result(&self) -> GameResult {
        let number = (self.facts.get() >> 24 & 7) as usize;
        RESULTS.get(number).copied().unwrap_or_default()
    }

    /// Whether the record is marked as deleted.
    #[inline]
    pub fn is_deleted(&self) -> bool {
        self.facts.get() & DELETED != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_values() {
        for (number, result) in RESULTS.into_iter().enumerate() {
            let date = Date::new(2026, number as u8, 31);
            let deleted = number % 2 == 1;
            let row = Row::new(GameIndex(1 << 31), [2851, 0], date, result, deleted);
            assert_eq!(row.game(), GameIndex(1 << 31));
            assert_eq!((row.ratings(), row.date()), ([2851, 0], date));
            assert_eq!((row.result(), row.is_deleted()), (result, deleted));
            assert_eq!(row.date_number(), 2026 << 9 | (number as u32) << 5 | 31);
        }
    }
}
