//! Dates and times at which files were last changed.

use std::fmt;

use tabia_core::calendar::{civil_from_days, days_from_civil};

/// A date and a time of day without a time zone, as archives store them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Year, 0 to 9999.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
}

impl Timestamp {
    /// From a date (year, month, day) and a time (hour, minute, second); `None` if a part is out of
    /// range.
    pub fn new(date: (u32, u32, u32), time: (u32, u32, u32)) -> Option<Self> {
        let within = |value: u32, low: u32, high: u32| {
            u8::try_from(value)
                .ok()
                .filter(|_| (low..=high).contains(&value))
        };
        Some(Self {
            year: u16::try_from(date.0).ok().filter(|year| *year <= 9999)?,
            month: within(date.1, 1, 12)?,
            day: within(date.2, 1, 31)?,
            hour: within(time.0, 0, 23)?,
            minute: within(time.1, 0, 59)?,
            second: within(time.2, 0, 59)?,
        })
    }

    /// From seconds since 1970-01-01 00:00:00 UTC; `None` outside the years 0 to 9999.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        let days = seconds.div_euclid(86_400);
        let second = u32::try_from(seconds.rem_euclid(86_400)).ok()?;
        let (year, month, day) = civil_from_days(days)?;
        Self::new(
            (u32::try_from(year).ok()?, month.into(), day.into()),
            (second / 3600, second / 60 % 60, second % 60),
        )
    }

    /// Seconds since 1970-01-01 00:00:00 UTC, if the timestamp is in UTC.
    pub fn to_unix(self) -> i64 {
        let days = days_from_civil(self.year.into(), self.month, self.day);
        days * 86_400
            + i64::from(self.hour) * 3600
            + i64::from(self.minute) * 60
            + i64::from(self.second)
    }

    /// From `yyyy-mm-dd hh:mm:ss`, with a space or `T` in the middle; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.trim().split_once([' ', 'T'])?;
        Self::new(triple(date, '-')?, triple(time.trim(), ':')?)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
        } = self;
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
        )
    }
}

fn triple(text: &str, separator: char) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split(separator).map(|part| part.parse().ok());
    let triple = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(triple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_seconds_and_text_round_trip() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00:00"),
            (1_300_000_000, "2011-03-13 07:06:40"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (4_107_542_399, "2100-02-28 23:59:59"),
        ] {
            let stamp = Timestamp::from_unix(seconds).unwrap();
            assert_eq!(stamp.to_string(), text);
            assert_eq!(stamp.to_unix(), seconds);
            assert_eq!(Timestamp::parse(text), Some(stamp));
        }
    }

    #[test]
    fn invalid_timestamps_are_refused() {
        for text in [
            "",
            "2011-13-01 00:00:00",
            "2011-03-13",
            "2011-03-13 24:00:00",
            "a-b-c d:e:f",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        assert_eq!(Timestamp::from_unix(i64::MAX), None);
    }
}
