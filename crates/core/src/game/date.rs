//! Dates with possibly unknown parts.

use std::fmt;

use crate::decimal_digits;

/// A date whose parts may be unknown, as in `1950.??.??` of PGN. A part that is 0 is unknown.
///
/// Unknown parts sort first. The day may exceed the length of its month, as it does in some
/// databases.
///
/// ```
/// # use tabia_core::as_in_tabia as tabia;
/// use tabia::Date;
///
/// let date: Date = "1950.07.??".parse()?;
/// assert_eq!(date, Date::new(1950, 7, 0));
/// assert!(!date.is_complete());
/// assert_eq!(Date::new(2013, 9, 29).to_string(), "2013.09.29");
/// # Ok::<(), tabia_core::game::ParseValueError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 1 to 9999, or 0 if unknown.
    pub year: u16,
    /// 1 to 12 (some formats store up to 15), or 0 if unknown.
    pub month: u8,
    /// 1 to 31, or 0 if unknown.
    pub day: u8,
}

impl Date {
    /// The date without any known part.
    pub const UNKNOWN: Date = Date {
        year: 0,
        month: 0,
        day: 0,
    };

    /// A date from its parts; 0 for an unknown part.
    pub const fn new(year: u16, month: u8, day: u8) -> Self {
        Self { year, month, day }
    }

    /// Whether no part is known.
    pub fn is_unknown(self) -> bool {
        self == Self::UNKNOWN
    }

    /// Whether every part is known.
    pub fn is_complete(self) -> bool {
        self.year != 0 && self.month != 0 && self.day != 0
    }

    /// Appends the PGN form, as `Display` writes it.
    pub fn push_to(self, out: &mut String) {
        match self.year {
            0 => out.push_str("????"),
            year @ 1..=9999 => {
                decimal_digits::push_two(u64::from(year / 100), out);
                decimal_digits::push_two(u64::from(year % 100), out);
            }
            year => decimal_digits::push_number(year.into(), out),
        }
        for part in [self.month, self.day] {
            match part {
                0 => out.push_str(".??"),
                1..=99 => {
                    out.push('.');
                    decimal_digits::push_two(part.into(), out);
                }
                _ => {
                    out.push('.');
                    decimal_digits::push_number(part.into(), out);
                }
            }
        }
    }

    /// A date as people and programs write it: as [`parse`](Self::parse) reads it, else its possible parts.
    ///
    /// ```
    /// # use tabia_core::as_in_tabia as tabia;
    /// use tabia::Date;
    ///
    /// assert_eq!(Date::of_text("2021.02.03"), Date::new(2021, 2, 3));
    /// assert_eq!(Date::of_text("2021.13.05"), Date::new(2021, 0, 5));
    /// ```
    pub fn of_text(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|| Self::parse_possible(text))
    }

    /// The parts of an impossible date that are possible: year and day of `2011.19.11`. Parts that cannot be
    /// read, and what is not separated as in [`parse`](Self::parse), are unknown.
    pub fn parse_possible(text: &str) -> Self {
        let mut parts = text.trim().split(['.', '-', '/']);
        // With the day first, as in `13.2021`, no part is known for what it is.
        if parts.clone().next().is_none_or(|year| year.len() != 4) {
            return Self::UNKNOWN;
        }
        let mut next = |limit: u16| {
            let number = part(parts.next().unwrap_or("?")).unwrap_or(0);
            if number <= limit { number } else { 0 }
        };
        let (year, month, day) = (next(9999), next(12), next(31));
        if parts.next().is_some() {
            return Self::UNKNOWN;
        }
        Self {
            year,
            month: month as u8,
            day: day as u8,
        }
    }

    /// Parses `2013.09.29`, `1950.??.??` or `1950`, with `.`, `-` or `/` between the parts; `None` for
    /// anything else, also for a month above 12 or a day above 31.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(date) = Self::parse_usual(text.as_bytes()) {
            return Some(date);
        }
        let mut parts = text.trim().split(['.', '-', '/']);
        let year = part(parts.next()?)?;
        let month = part(parts.next().unwrap_or("?"))?;
        let day = part(parts.next().unwrap_or("?"))?;
        if parts.next().is_some() || year > 9999 || month > 12 || day > 31 {
            return None;
        }
        Some(Self {
            year,
            month: month as u8,
            day: day as u8,
        })
    }
}

impl Date {
    /// Parses the form of nearly all dates, `2013.09.29` or `1950.??.??`; `None` for any other.
    #[inline]
    fn parse_usual(text: &[u8]) -> Option<Self> {
        let &[y, e, a, r, b'.', m, o, b'.', d, t] = text else {
            return None;
        };
        let year = match [y, e, a, r] {
            [b'?', b'?', b'?', b'?'] => 0,
            _ => u16::from(two(y, e)?) * 100 + u16::from(two(a, r)?),
        };
        let (month, day) = (two_or_unknown(m, o)?, two_or_unknown(d, t)?);
        (month <= 12 && day <= 31).then_some(Self { year, month, day })
    }
}

/// The number of two digits.
#[inline]
fn two(tens: u8, units: u8) -> Option<u8> {
    let (tens, units) = (tens.wrapping_sub(b'0'), units.wrapping_sub(b'0'));
    (tens < 10 && units < 10).then(|| tens * 10 + units)
}

/// The number of two digits, or 0 for two question marks.
#[inline]
fn two_or_unknown(tens: u8, units: u8) -> Option<u8> {
    if [tens, units] == *b"??" {
        Some(0)
    } else {
        two(tens, units)
    }
}

/// A number, or 0 for question marks.
fn part(text: &str) -> Option<u16> {
    if text.is_empty() || text.len() > 4 {
        return None;
    }
    if text.bytes().all(|byte| byte == b'?') {
        return Some(0);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// Writes the PGN form, `1950.??.??`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            0 => f.write_str("????")?,
            year => write!(f, "{year:04}")?,
        }
        for part in [self.month, self.day] {
            match part {
                0 => f.write_str(".??")?,
                part => write!(f, ".{part:02}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_may_be_unknown() {
        for text in ["2013.09.29", "1950.??.??", "????.??.??", "1950.07.??"] {
            assert_eq!(Date::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Date::parse("1950"), Some(Date::new(1950, 0, 0)));
        assert_eq!(Date::parse("2013-09-29"), Some(Date::new(2013, 9, 29)));
        for text in ["", "soon", "2013.13.01", "2013.09.29.1", "20130929"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn appended_dates_are_those_of_the_formatter() {
        for date in [
            Date::UNKNOWN,
            Date::new(9, 0, 0),
            Date::new(850, 0, 31),
            Date::new(2026, 11, 5),
            Date::new(0, 15, 31),
            Date::new(9999, 99, 100),
            Date::new(u16::MAX, u8::MAX, 0),
        ] {
            let mut text = String::from("<");
            date.push_to(&mut text);
            assert_eq!(text, format!("<{date}"));
        }
    }

    #[test]
    fn unknown_sorts_first() {
        assert!(Date::UNKNOWN < Date::new(1, 0, 0));
        assert!(Date::new(1950, 0, 0) < Date::new(1950, 1, 0));
    }
}
