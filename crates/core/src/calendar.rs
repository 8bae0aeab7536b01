//! Dates of the proleptic Gregorian calendar and their day numbers.
//!
//! Day 0 is 1970-01-01, so that a Unix time divided by 86,400 is a day number.

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days in 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// Year, month (1 to 12) and day of month (1 to 31) of a day number. `None` if the year does not
/// fit.
///
/// ```
/// use tabia_core::calendar::civil_from_days;
///
/// assert_eq!(civil_from_days(11_016), Some((2000, 2, 29)));
/// assert_eq!(civil_from_days(-1), Some((1969, 12, 31)));
/// ```
pub fn civil_from_days(days: i64) -> Option<(i32, u8, u8)> {
    // Years are counted from March, so that the leap day is the last day of a year.
    let days = days.checked_add(EPOCH)?;
    let era = days.div_euclid(ERA);
    let day_of_era = days.rem_euclid(ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = i32::try_from(year_of_era + era * 400 + i64::from(month <= 2)).ok()?;
    Some((year, month as u8, day as u8))
}

/// The day number of a date. A day after the end of its month counts into the next month.
///
/// ```
/// use tabia_core::calendar::days_from_civil;
///
/// assert_eq!(days_from_civil(1970, 1, 1), 0);
/// assert_eq!(days_from_civil(2001, 2, 29), days_from_civil(2001, 3, 1));
/// ```
pub fn days_from_civil(year: i32, month: u8, day: u8) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let march_month = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
    era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_round_trip() {
        for days in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, day) = civil_from_days(days).unwrap();
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }

    #[test]
    fn days_are_consecutive() {
        assert_eq!(civil_from_days(0), Some((1970, 1, 1)));
        assert_eq!(civil_from_days(-141_427), Some((1582, 10, 15)));
        assert_eq!(civil_from_days(14_214), Some((2008, 12, 1)));
        assert_eq!(
            days_from_civil(2100, 3, 1),
            days_from_civil(2100, 2, 28) + 1
        );
        assert_eq!(
            days_from_civil(2000, 3, 1),
            days_from_civil(2000, 2, 28) + 2
        );
    }

    #[test]
    fn years_that_do_not_fit_are_refused() {
        assert_eq!(civil_from_days(i64::MAX), None);
        assert_eq!(civil_from_days(i64::MIN), None);
        let last = days_from_civil(i32::MAX, 12, 31);
        assert_eq!(civil_from_days(last), Some((i32::MAX, 12, 31)));
        assert_eq!(civil_from_days(last + 1), None);
    }
}
