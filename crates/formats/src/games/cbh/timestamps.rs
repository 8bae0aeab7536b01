//! The two timestamps of `.cbj` as text that can be parsed without loss.

use std::fmt;

use tabia_core::calendar::{civil_from_days, days_from_civil};
use tabia_core::decimal_digits;

/// A creation time: 1/1024 s since 2008-12-01, in the local time of the creator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created(pub u64);

/// A time of saving: 100 ns since 1582-10-15 UTC, as in UUIDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved(pub u64);

/// Days from 1970-01-01 to 2008-12-01.
const CREATED_EPOCH: i64 = 14_214;
/// Days from 1970-01-01 back to 1582-10-15.
const SAVED_EPOCH: i64 = -141_427;
const SECONDS_A_DAY: u64 = 86_400;

/// Days from 1970-01-01 to the year 10000.
const DAYS_TO_10000: i64 = 2_932_897;

impl Created {
    /// Whether its year has four digits; other values are no times.
    pub const fn is_time(self) -> bool {
        self.0 >> 10 < (DAYS_TO_10000 - CREATED_EPOCH) as u64 * SECONDS_A_DAY
    }

    /// Appends `2016-08-06T15:18:07.0009765625`: 1/1024 has ten decimals.
    pub fn write(self, out: &mut String) {
        write_time(CREATED_EPOCH, self.0 >> 10, out);
        out.push('.');
        decimal_digits::push_padded((self.0 & 1023) * 9_765_625, 10, out);
    }
}

impl Saved {
    /// Whether its year has four digits; other values are no times.
    pub const fn is_time(self) -> bool {
        self.0 / 10_000_000 < (DAYS_TO_10000 - SAVED_EPOCH) as u64 * SECONDS_A_DAY
    }

    /// Appends `2016-08-06T15:18:07.1234567Z`.
    pub fn write(self, out: &mut String) {
        write_time(SAVED_EPOCH, self.0 / 10_000_000, out);
        out.push('.');
        decimal_digits::push_padded(self.0 % 10_000_000, 7, out);
        out.push('Z');
    }
}

/// As [`Created::write`].
impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// As [`Saved::write`].
impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Created {
    /// Parses the text that [`Created::write`] appends; `None` for any other.
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, fraction) = parse_time(text, CREATED_EPOCH)?;
        let fraction = parse_fraction(fraction, 10)?;
        let ticks = seconds
            .checked_mul(1024)?
            .checked_add(fraction / 9_765_625)?;
        (fraction % 9_765_625 == 0).then_some(Self(ticks))
    }
}

impl Saved {
    /// Parses the text that [`Saved::write`] appends; `None` for any other.
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, fraction) = parse_time(text.strip_suffix('Z')?, SAVED_EPOCH)?;
        let fraction = parse_fraction(fraction, 7)?;
        Some(Self(
            seconds.checked_mul(10_000_000)?.checked_add(fraction)?,
        ))
    }
}

/// Appends `2016-08-06T15:18:07`.
fn write_time(epoch: i64, seconds: u64, out: &mut String) {
    let days = epoch.saturating_add_unsigned(seconds / SECONDS_A_DAY);
    let (year, month, day) = civil_from_days(days).unwrap_or_default();
    let second = seconds % SECONDS_A_DAY;
    decimal_digits::push_padded(year.unsigned_abs().into(), 4, out);
    for (separator, part) in [
        ('-', u64::from(month)),
        ('-', u64::from(day)),
        ('T', second / 3600),
        (':', second / 60 % 60),
        (':', second % 60),
    ] {
        out.push(separator);
        decimal_digits::push_two(part, out);
    }
}

/// Seconds since the epoch, and the digits after the decimal point.
fn parse_time(text: &str, epoch: i64) -> Option<(u64, &str)> {
    let (date, time) = text.split_once('T')?;
    let mut parts = date.splitn(3, '-');
    let year = parts.next()?.parse::<u32>().ok()?;
    let year = i32::try_from(year).ok()?;
    let month = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    let days = days_from_civil(year, month, day);
    if civil_from_days(days) != Some((year, month, day)) {
        return None;
    }
    let (time, fraction) = time.split_once('.')?;
    let mut parts = time.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = u64::try_from(days.checked_sub(epoch)?).ok()?;
    let seconds = days.checked_mul(SECONDS_A_DAY)?;
    let seconds = seconds.checked_add((hour * 60 + minute) * 60 + second)?;
    Some((seconds, fraction))
}

fn parse_fraction(text: &str, digits: usize) -> Option<u64> {
    if text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip() {
        assert_eq!(Created(0).to_string(), "2008-12-01T00:00:00.0000000000");
        assert_eq!(Created(1).to_string(), "2008-12-01T00:00:00.0009765625");
        assert_eq!(Saved(0).to_string(), "1582-10-15T00:00:00.0000000Z");
        // The UUID time of 1970-01-01.
        let unix = Saved(0x01b2_1dd2_1381_4000);
        assert_eq!(unix.to_string(), "1970-01-01T00:00:00.0000000Z");
        for value in [
            0,
            1,
            1023,
            1024,
            1 << 33,
            250_000_000_123,
            u64::MAX >> 1,
            u64::MAX,
        ] {
            let created = Created(value);
            assert_eq!(Created::parse(&created.to_string()), Some(created));
            let saved = Saved(value);
            assert_eq!(Saved::parse(&saved.to_string()), Some(saved));
        }
        assert!(Saved(0x01b2_1dd2_1381_4000).is_time() && !Saved(u64::MAX).is_time());
        assert!(Created(1 << 40).is_time() && !Created(u64::MAX).is_time());
        let last = (DAYS_TO_10000 - SAVED_EPOCH) as u64 * SECONDS_A_DAY * 10_000_000 - 1;
        assert_eq!(Saved(last).to_string(), "9999-12-31T23:59:59.9999999Z");
        assert!(Saved(last).is_time() && !Saved(last + 1).is_time());
        for text in [
            "",
            "2016-13-01T00:00:00.0000000Z",
            "2016-08-06T24:00:00.0000000Z",
        ] {
            assert_eq!(Saved::parse(text), None);
        }
    }
}
