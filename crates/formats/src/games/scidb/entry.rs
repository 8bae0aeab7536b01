//! An index entry: 14 words of 32 bits, most significant byte first.

use tabia_core::error::Malformed;
use tabia_core::game::{Date, Eco, GameResult};
use tabia_core::io::{Cursor, Sink};

use crate::games::common::scid_and_scidb_index_codes;

/// Bytes of the header and of an entry.
pub(crate) const HEADER_LENGTH: usize = 128;
pub(crate) const ENTRY_LENGTH: usize = 56;

/// The longest description in the header in bytes.
pub(crate) const MAX_DESCRIPTION: usize = 107;

/// The number of the standard position.
pub(crate) const STANDARD: u16 = 518;

/// The greatest number of plies that an entry stores.
pub(crate) const MAX_PLIES: u16 = 2046;

/// The fields of an index entry. Codes are as stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The pawns that left their home squares in order, a nibble each, the first one low.
    pub(crate) home_pawns: [u8; 8],
    pub(crate) home_pawn_count: u8,
    pub(crate) white: u32,
    pub(crate) black: u32,
    pub(crate) event: u32,
    pub(crate) annotator: u32,
    pub(crate) plies: u16,
    pub(crate) day: u8,
    pub(crate) month: u8,
    /// Year - 1200, or [`NO_YEAR`].
    pub(crate) year: u16,
    /// Opening key (20 bits) and opening code. Two moves if the start is not the standard position.
    pub(crate) opening: u32,
    /// Pawns of the last position on the second, third, seventh and sixth rank: White's, Black's.
    pub(crate) pawns: [u8; 4],
    pub(crate) record_at: u32,
    pub(crate) variations: u8,
    pub(crate) comments: u8,
    /// NAGs and marks.
    pub(crate) annotations: u8,
    pub(crate) round: u8,
    pub(crate) sub_round: u8,
    pub(crate) material: u32,
    pub(crate) flags: u32,
    /// Castlings of the mainline, see [`castled`].
    pub(crate) castlings: u8,
    pub(crate) promotion: bool,
    pub(crate) under_promotion: bool,
    pub(crate) white_elo: u16,
    pub(crate) black_elo: u16,
    /// A second rating and its kind, an index into `code_tables::RATINGS`.
    pub(crate) white_rating: u16,
    pub(crate) white_rating_kind: u8,
    pub(crate) black_rating: u16,
    pub(crate) black_rating_kind: u8,
    /// Number of the start position.
    pub(crate) start: u16,
    pub(crate) is_setup: bool,
    pub(crate) termination: u8,
    pub(crate) result: u8,
    pub(crate) has_english: bool,
    pub(crate) has_other_languages: bool,
}

/// The code of the result that both players lose.
const BOTH_LOSE: u8 = 4;

/// The code of an unknown year.
pub(crate) const NO_YEAR: u16 = 1023;

/// Bits of [`Entry::castlings`].
pub(crate) mod castled {
    pub(crate) const WHITE_LONG: u8 = 1;
    pub(crate) const WHITE_SHORT: u8 = 2;
    pub(crate) const BLACK_LONG: u8 = 4;
    pub(crate) const BLACK_SHORT: u8 = 8;
}

/// Bits of [`Entry::flags`].
pub(crate) const DELETED: u32 = 1;
pub(crate) const ILLEGAL: u32 = 3 << 22;

/// Bits of [`Entry::opening`] below the code.
pub(crate) const OPENING_KEY: u32 = (1 << 20) - 1;

impl Entry {
    /// Reads the entry at the start of `bytes`, as versions from 93 on store it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let home_pawns = cursor.array("home_pawns")?;
        let mut word = || cursor.u32_be("entry");
        let (w2, w3, opening) = (word()?, word()?, word()?);
        let pawns = cursor.array("pawns")?;
        let mut word = || cursor.u32_be("entry");
        let record_at = word()?;
        let (w7, w8, w9, w10) = (word()?, word()?, word()?, word()?);
        let (w11, w12, w13) = (word()?, word()?, word()?);
        Ok(Self {
            home_pawns,
            home_pawn_count: (w9 >> 4 & 15) as u8,
            white: w2 >> 8,
            black: (w2 & 0xff) << 16 | w3 >> 16,
            event: w8 >> 8,
            annotator: w7 >> 8,
            plies: (w3 >> 5 & 0x7ff) as u16,
            day: (w3 & 31) as u8,
            month: (w12 >> 4 & 15) as u8,
            year: (w13 >> 10 & 0x3ff) as u16,
            opening,
            pawns,
            record_at,
            variations: (w7 >> 4 & 15) as u8,
            comments: (w7 & 15) as u8,
            annotations: (w12 & 15) as u8,
            round: w8 as u8,
            sub_round: w11 as u8,
            material: w9 >> 8,
            flags: w10 >> 8,
            castlings: (w10 >> 4 & 15) as u8,
            promotion: w10 & 1 != 0,
            under_promotion: w9 & 1 != 0,
            white_elo: (w13 >> 20) as u16,
            black_elo: (w12 >> 20) as u16,
            white_rating: (w11 >> 20) as u16,
            white_rating_kind: (w10 >> 1 & 7) as u8,
            black_rating: (w12 >> 8 & 0xfff) as u16,
            black_rating_kind: (w9 >> 1 & 7) as u8,
            start: (w11 >> 8 & 0xfff) as u16,
            is_setup: w13 & 4 != 0,
            termination: (w13 >> 6 & 15) as u8,
            result: (w13 >> 3 & 7) as u8,
            has_english: w13 & 2 != 0,
            has_other_languages: w13 & 1 != 0,
        })
    }

    /// Appends the entry. Fields that are too large are truncated; the writer has checked them.
    pub(crate) fn write(&self, sink: &mut Sink) {
        let n = u32::from;
        let bit = |set: bool| u32::from(set);
        sink.bytes(&self.home_pawns);
        sink.u32_be(self.white << 8 | self.black >> 16 & 0xff);
        sink.u32_be(self.black << 16 | n(self.plies & 0x7ff) << 5 | u32::from(self.day & 31));
        sink.u32_be(self.opening);
        sink.bytes(&self.pawns);
        sink.u32_be(self.record_at);
        sink.u32_be(
            self.annotator << 8
                | u32::from(self.variations & 15) << 4
                | u32::from(self.comments & 15),
        );
        sink.u32_be(self.event << 8 | u32::from(self.round));
        sink.u32_be(
            self.material << 8
                | u32::from(self.home_pawn_count & 15) << 4
                | u32::from(self.black_rating_kind & 7) << 1
                | bit(self.under_promotion),
        );
        sink.u32_be(
            self.flags << 8
                | u32::from(self.castlings & 15) << 4
                | u32::from(self.white_rating_kind & 7) << 1
                | bit(self.promotion),
        );
        sink.u32_be(
            n(self.white_rating & 0xfff) << 20
                | n(self.start & 0xfff) << 8
                | u32::from(self.sub_round),
        );
        sink.u32_be(
            n(self.black_elo & 0xfff) << 20
                | n(self.black_rating & 0xfff) << 8
                | u32::from(self.month & 15) << 4
                | u32::from(self.annotations & 15),
        );
        sink.u32_be(
            n(self.white_elo & 0xfff) << 20
                | n(self.year & 0x3ff) << 10
                | u32::from(self.termination & 15) << 6
                | u32::from(self.result & 7) << 3
                | bit(self.is_setup) << 2
                | bit(self.has_english) << 1
                | bit(self.has_other_languages),
        );
    }

    /// The date of the game.
    pub(crate) fn date(&self) -> Date {
        date(self.year, self.month, self.day)
    }

    /// The opening code, which only games from the standard position have.
    pub(crate) fn eco(&self) -> Option<Eco> {
        if self.start != STANDARD {
            return None;
        }
        let code = (self.opening >> 20 & 0x1ff) as u16;
        Eco::new(code.checked_sub(1)?, 0)
    }

    pub(crate) const fn game_result(&self) -> GameResult {
        match self.result {
            BOTH_LOSE => GameResult::BothLose,
            code => scid_and_scidb_index_codes::result(code),
        }
    }
}

/// The code of a result. Forfeits have the codes of the results over the board.
pub(crate) const fn result_code(result: GameResult) -> u8 {
    match result {
        GameResult::BothLose => BOTH_LOSE,
        result => scid_and_scidb_index_codes::result_code(result),
    }
}

/// A date from a year - 1200 in ten bits, a month and a day.
pub(crate) const fn date(year: u16, month: u8, day: u8) -> Date {
    let year = match year {
        NO_YEAR.. => 0,
        year => year + 1200,
    };
    Date::new(year, month, day)
}

/// The ten bits of a year. `None` if it does not fit.
pub(crate) const fn year_bits(year: u16) -> Option<u16> {
    match year {
        0 => Some(NO_YEAR),
        1200..2223 => Some(year - 1200),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip() {
        let bytes: Vec<u8> = (0..ENTRY_LENGTH as u8)
            .map(|byte| byte.wrapping_mul(37) ^ 0x5a)
            .collect();
        let entry = Entry::read(&bytes).unwrap();
        let mut sink = Sink::new();
        entry.write(&mut sink);
        // Every bit belongs to a field.
        assert_eq!(sink.as_slice(), bytes);
        assert!(Entry::read(&bytes[1..]).is_err());
    }

    #[test]
    fn years_have_ten_bits() {
        for year in [0, 1200, 1997, 2222] {
            assert_eq!(date(year_bits(year).unwrap(), 0, 0).year, year);
        }
        assert_eq!((year_bits(1199), year_bits(2223)), (None, None));
    }
}
