//! Codecs of values that several files of a set contain: dates, results, ECO codes, squares,
//! languages.

use tabia_core::chess::Square;
use tabia_core::game::{Date, Eco, GameResult, Language};

/// Decodes a date: day, month << 5, year << 9; 0 is unknown. `None` if the year has more than four
/// digits or there are bits above it.
pub fn decode_date(value: u32) -> Option<Date> {
    let year = u16::try_from(value >> 9)
        .ok()
        .filter(|&year| year <= 9999)?;
    Some(Date::new(year, (value >> 5 & 15) as u8, (value & 31) as u8))
}

/// Encodes a date; parts that do not fit become unknown.
pub fn encode_date(date: Date) -> u32 {
    let part = |value: u8, limit: u8| u32::from(if value <= limit { value } else { 0 });
    u32::from(date.year) << 9 | part(date.month, 15) << 5 | part(date.day, 31)
}

/// Decodes a result byte; `None` for values from 8 on.
pub fn decode_result(byte: u8) -> Option<GameResult> {
    Some(match byte {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        2 => GameResult::WhiteWins,
        3 => GameResult::Unknown,
        4 => GameResult::BlackWinsByForfeit,
        5 => GameResult::DrawByForfeit,
        6 => GameResult::WhiteWinsByForfeit,
        7 => GameResult::BothLose,
        _ => return None,
    })
}

/// Encodes a result as its byte.
pub fn encode_result(result: GameResult) -> u8 {
    match result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => 3,
        GameResult::BlackWinsByForfeit => 4,
        GameResult::DrawByForfeit => 5,
        GameResult::WhiteWinsByForfeit => 6,
        GameResult::BothLose => 7,
    }
}

/// From this value on, the ECO field contains the number of a Chess960 start position.
pub const CHESS960_ECO: u16 = 64_576;

/// Decodes an ECO field; `None` if it contains no code.
pub fn decode_eco(value: u16) -> Option<Eco> {
    if value >= CHESS960_ECO {
        return None;
    }
    Eco::new((value / 128).checked_sub(1)?, (value % 128) as u8)
}

/// Encodes a code as an ECO field.
pub fn encode_eco(eco: Eco) -> u16 {
    (eco.code() + 1) * 128 + u16::from(eco.sub() & 127)
}

/// The square with a ChessBase number, file · 8 + rank; `None` from 64 on.
pub fn decode_square(number: u8) -> Option<Square> {
    if number < 64 {
        Square::from_coords(number / 8, number % 8)
    } else {
        None
    }
}

/// The ChessBase number of a square, file · 8 + rank.
pub fn encode_square(square: Square) -> u8 {
    square.file() * 8 + square.rank()
}

/// Nation numbers used for languages, with the language's ISO code.
const LANGUAGES: &[(u8, [u8; 2])] = &[
    (42, *b"en"),
    (53, *b"de"),
    (49, *b"fr"),
    (43, *b"es"),
    (70, *b"it"),
    (103, *b"nl"),
    (117, *b"pt"),
    (116, *b"pl"),
    (55, *b"el"),
];

/// The language of a comment by its nation number; `None` for 0, any language.
pub fn decode_language(nation: u8) -> Option<Language> {
    if nation == 0 {
        return None;
    }
    let language = LANGUAGES.iter().find(|(number, _)| *number == nation);
    match language {
        Some((_, code)) => Language::iso(*code),
        None => Some(Language::nation(nation)),
    }
}

/// The nation number of a language, 0 for any; `None` if ChessBase has no number for it.
pub fn encode_language(language: Option<Language>) -> Option<u8> {
    let Some(language) = language else {
        return Some(0);
    };
    if let Some(number) = language.nation_number() {
        return Some(number);
    }
    let letters = language.letters()?;
    let nation = LANGUAGES.iter().find(|(_, code)| *code == letters);
    nation.map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        for value in [
            0,
            0x1d | 9 << 5 | 2013 << 9,
            1950 << 9,
            0x1f | 15 << 5 | 9999 << 9,
        ] {
            assert_eq!(decode_date(value).map(encode_date), Some(value));
        }
        assert_eq!(decode_date(10_000 << 9), None);
        for byte in 0..=7 {
            assert_eq!(decode_result(byte).map(encode_result), Some(byte));
        }
        assert_eq!(decode_result(8), None);
        for value in [128, 129, 500 * 128 + 127] {
            assert_eq!(decode_eco(value).map(encode_eco), Some(value));
        }
        for value in [0, 127, 501 * 128, CHESS960_ECO, 65_535] {
            assert_eq!(decode_eco(value), None);
        }
        for number in 0..64 {
            assert_eq!(decode_square(number).map(encode_square), Some(number));
        }
        assert_eq!(decode_square(1).map(|s| (s.file(), s.rank())), Some((0, 1)));
        assert_eq!(decode_square(64), None);
        for nation in 0..=255 {
            assert_eq!(encode_language(decode_language(nation)), Some(nation));
        }
    }
}
