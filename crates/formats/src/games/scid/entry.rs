//! An index entry of any version, and the codes of its fields.

use tabia_core::chess::Color;
use tabia_core::game::{Date, Eco};

/// The greatest number of plies that an entry stores; a game with this number can have more.
pub(crate) const MAX_PLIES: u16 = 1023;

/// The fields of an index entry. Codes are as stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) blob_at: u64,
    pub(crate) blob_length: u32,
    /// See [`flag`].
    pub(crate) flags: u32,
    pub(crate) white: u32,
    pub(crate) black: u32,
    pub(crate) event: u32,
    pub(crate) site: u32,
    pub(crate) round: u32,
    pub(crate) result: u8,
    /// Number of NAGs, see [`index_codes::count_code`](crate::games::common::scid_and_scidb_index_codes::count_code).
    pub(crate) nags: u8,
    pub(crate) comments: u8,
    pub(crate) variations: u8,
    /// See [`eco`].
    pub(crate) eco: u16,
    /// See [`date`].
    pub(crate) date: u32,
    pub(crate) event_date: u32,
    pub(crate) white_elo: u16,
    /// Index into [`RATING_TYPES`].
    pub(crate) white_rating: u8,
    pub(crate) black_elo: u16,
    pub(crate) black_rating: u8,
    pub(crate) chess960: bool,
    pub(crate) stored_line: u8,
    pub(crate) material: u32,
    /// At most [`MAX_PLIES`].
    pub(crate) plies: u16,
    pub(crate) home_pawn_count: u8,
    pub(crate) home_pawns: [u8; 8],
}

/// Bits of [`Entry::flags`].
pub(crate) mod flag {
    pub(crate) const START: u32 = 1;
    pub(crate) const PROMOTION: u32 = 1 << 1;
    pub(crate) const UNDER_PROMOTION: u32 = 1 << 2;
    pub(crate) const DELETED: u32 = 1 << 3;
    /// The six flags that the user names.
    pub(crate) const CUSTOM: u32 = 0x3f << 16;
    /// Letters of the flags that a user sets by hand, from bit 4 on.
    pub(crate) const LETTERS: &[u8; 18] = b"WBMENPTKQ!?U123456";
}

/// Names of rating tags after the colour.
pub(crate) const RATING_TYPES: [&str; 7] = ["Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF"];

/// The greatest rating.
pub(crate) const MAX_ELO: u16 = 4000;

/// Whether a rating of this type is an Elo.
pub(crate) const fn is_elo(rating: u8) -> bool {
    rating == 0 || rating as usize >= RATING_TYPES.len()
}

/// The name of a side's rating tag. Unknown types are taken for the first.
pub(crate) fn rating_tag(color: Color, rating: u8) -> &'static str {
    const WHITE: [&str; 7] = [
        "WhiteElo",
        "WhiteRating",
        "WhiteRapid",
        "WhiteICCF",
        "WhiteUSCF",
        "WhiteDWZ",
        "WhiteECF",
    ];
    const BLACK: [&str; 7] = [
        "BlackElo",
        "BlackRating",
        "BlackRapid",
        "BlackICCF",
        "BlackUSCF",
        "BlackDWZ",
        "BlackECF",
    ];
    let names = match color {
        Color::White => WHITE,
        Color::Black => BLACK,
    };
    names.get(usize::from(rating)).unwrap_or(&names[0])
}

/// The flags that a user sets, without the deletion mark, as the value of the tag `ScidFlags`.
pub(crate) fn flag_letters(flags: u32) -> String {
    let set = |&(bit, _): &(u32, &u8)| flags >> bit & 1 != 0;
    (4..)
        .zip(flag::LETTERS)
        .filter(set)
        .map(|(_, &letter)| char::from(letter))
        .collect()
}

/// The flags of a `ScidFlags` tag, and the number of its letters that are no flag.
pub(crate) fn parse_flags(text: &str) -> (u32, u64) {
    let mut flags = 0;
    let mut unknown = 0;
    for letter in text.bytes() {
        match flag::LETTERS.iter().position(|&other| other == letter) {
            Some(index) => flags |= 1 << (index + 4),
            None if letter == b'D' => flags |= flag::DELETED,
            None => unknown += 1,
        }
    }
    (flags, unknown)
}

/// A date from its 20 bits.
pub(crate) fn date(bits: u32) -> Date {
    Date::new(
        (bits >> 9 & 0x7ff) as u16,
        (bits >> 5 & 15) as u8,
        (bits & 31) as u8,
    )
}

/// The 20 bits of a date. `None` if a part does not fit.
pub(crate) fn date_bits(date: Date) -> Option<u32> {
    if date.year > 2047 || date.month > 15 || date.day > 31 {
        return None;
    }
    Some(u32::from(date.year) << 9 | u32::from(date.month) << 5 | u32::from(date.day))
}

/// Codes of one opening: the opening itself, 26 letters with five codes each.
const SUB_CODES: u16 = 131;

/// An opening code with its sub-code (0, or 1 + 5 * letter + digit). `None` for 0 and for numbers
/// past the last opening.
pub(crate) fn eco(code: u16) -> Option<Eco> {
    let code = code.checked_sub(1)?;
    Eco::new(code / SUB_CODES, (code % SUB_CODES) as u8)
}

/// Appends an opening code with Scid's sub-code: `B90`, `B90k`, `B90k3`.
pub(crate) fn push_eco(eco: Eco, out: &mut String) {
    eco.push_to(out);
    if let Some(sub) = eco.sub().checked_sub(1) {
        out.push(char::from(b'a' + sub / 5 % 26));
        if !sub.is_multiple_of(5) {
            out.push(char::from(b'0' + sub % 5));
        }
    }
}

/// The code of an opening. `None` if the text is not exactly one as Scid writes it.
pub(crate) fn eco_code(text: &str) -> Option<u16> {
    let base = Eco::parse(text)?.code() * SUB_CODES + 1;
    let letter = |letter: u8| {
        letter
            .is_ascii_lowercase()
            .then(|| u16::from(letter - b'a'))
    };
    match text.as_bytes().get(3..)? {
        [] => Some(base),
        &[a] => Some(base + 1 + letter(a)? * 5),
        &[a, digit @ b'1'..=b'4'] => Some(base + 1 + letter(a)? * 5 + u16::from(digit - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eco_text(eco: Eco) -> String {
        let mut text = String::new();
        push_eco(eco, &mut text);
        text
    }

    #[test]
    fn opening_codes_round_trip() {
        assert_eq!((eco(0), eco(65_501)), (None, None));
        for code in 1..=65_500 {
            let text = eco_text(eco(code).unwrap());
            assert_eq!(eco_code(&text), Some(code), "{text}");
        }
        assert_eq!(eco_text(eco(65_500).unwrap()), "E99z4");
        for text in ["", "B9", "F00", "B90/01", "B90k5", "B90K", "B90k12"] {
            assert_eq!(eco_code(text), None, "{text}");
        }
    }

    #[test]
    fn rating_tags_are_named_after_side_and_type() {
        for (rating, kind) in (0..).zip(RATING_TYPES) {
            let white = rating_tag(Color::White, rating);
            assert_eq!(white.strip_prefix("White"), Some(kind));
            let black = rating_tag(Color::Black, rating);
            assert_eq!(black.strip_prefix("Black"), Some(kind));
        }
        assert_eq!(rating_tag(Color::Black, 7), "BlackElo");
    }

    #[test]
    fn flags_have_letters() {
        assert_eq!(flag_letters(flag::DELETED | flag::START | 1 << 13), "!");
        assert_eq!(flag_letters(0x3f_ffff), "WBMENPTKQ!?U123456");
        assert_eq!(parse_flags("D!6x"), (flag::DELETED | 1 << 13 | 1 << 21, 1));
    }

    #[test]
    fn dates_have_twenty_bits() {
        assert_eq!(date(2020 << 9 | 12 << 5 | 31), Date::new(2020, 12, 31));
        assert_eq!(date_bits(Date::new(2047, 15, 31)), Some(0xf_ffff));
        assert_eq!(date_bits(Date::new(2048, 1, 1)), None);
    }
}
