//! Header values as PGN tags. Zero or empty values produce no tag, except through `put`.

use std::fmt::{Display, Write as _};

use tabia_core::decimal_digits;
use tabia_core::game::{Date, Tags};

use crate::games::cbh::field_codecs::{decode_date, encode_date};
use crate::games::cbh::{hexadecimal, nations};

/// Appends tags for header values.
pub(crate) trait ValueTags {
    /// Any value, zero included.
    fn put(&mut self, tag: &str, value: impl Display);

    /// Any date, an unknown one included.
    fn put_date(&mut self, tag: &str, date: Date);

    /// A number that is not 0.
    fn number(&mut self, tag: &str, value: impl Into<u32>);

    /// Any bytes, in hexadecimal.
    fn hex(&mut self, tag: &str, bytes: &[u8]);

    /// A date that is not unknown; under `raw` the stored number of an impossible date.
    fn date(&mut self, tag: &str, raw: &str, value: u32);

    /// Bytes that are not all 0, in hexadecimal.
    fn bytes(&mut self, tag: &str, bytes: &[u8]);

    /// A nation's letters; under `raw` its number if the letters do not imply it.
    fn nation(&mut self, tag: &str, raw: &str, number: u8);
}

/// Tags of White's team: title, country, nation number, number, year, season.
pub(crate) const WHITE_TEAM: [&str; 6] = [
    "WhiteTeam",
    "WhiteTeamCountry",
    "CbWhiteTeamNation",
    "CbWhiteTeamNumber",
    "CbWhiteTeamYear",
    "CbWhiteTeamSeason",
];
/// Tags of Black's team, in the same order.
pub(crate) const BLACK_TEAM: [&str; 6] = [
    "BlackTeam",
    "BlackTeamCountry",
    "CbBlackTeamNation",
    "CbBlackTeamNumber",
    "CbBlackTeamYear",
    "CbBlackTeamSeason",
];

impl ValueTags for Tags {
    fn put(&mut self, tag: &str, value: impl Display) {
        self.push_with(tag, |text| {
            let _ = write!(text, "{value}");
        });
    }

    fn put_date(&mut self, tag: &str, date: Date) {
        self.push_with(tag, |text| date.push_to(text));
    }

    fn number(&mut self, tag: &str, value: impl Into<u32>) {
        let value = value.into();
        if value != 0 {
            self.push_with(tag, |text| decimal_digits::push_number(value.into(), text));
        }
    }

    fn hex(&mut self, tag: &str, bytes: &[u8]) {
        self.push_with(tag, |text| hexadecimal::push_bytes(bytes, text));
    }

    fn date(&mut self, tag: &str, raw: &str, value: u32) {
        match decode_date(value) {
            Some(Date::UNKNOWN) => {}
            Some(date) if encode_date(date) == value => self.put_date(tag, date),
            _ => self.put(raw, value),
        }
    }

    fn bytes(&mut self, tag: &str, bytes: &[u8]) {
        if bytes.iter().any(|&byte| byte != 0) {
            self.hex(tag, bytes);
        }
    }

    fn nation(&mut self, tag: &str, raw: &str, number: u8) {
        let Some(code) = nations::code(number) else {
            self.number(raw, number);
            return;
        };
        self.push(tag, code);
        if nations::number(code) != Some(number) {
            self.put(raw, number);
        }
    }
}
