//! The texts of what a row has as numbers, appended to a text that is used again and again.

use tabia_core::game::{Date, Eco};

/// Appends a number, with zeros before it until it has `width` digits.
pub(crate) fn push_number(number: u16, width: u32, out: &mut String) {
    let mut place = 5;
    for power in [10_000, 1000, 100, 10, 1] {
        place -= 1;
        if place < width || number >= power {
            out.push(char::from(b'0' + (number / power % 10) as u8));
        }
    }
}

/// Appends a date as PGN has it, `1950.??.??`.
pub(crate) fn push_date(date: Date, out: &mut String) {
    match date.year {
        0 => out.push_str("????"),
        year => push_number(year, 4, out),
    }
    for part in [date.month, date.day] {
        out.push('.');
        match part {
            0 => out.push_str("??"),
            part => push_number(part.into(), 2, out),
        }
    }
}

/// Appends an opening code: `B90`, `B90k`, `B90k3`.
pub(crate) fn push_eco(eco: Eco, out: &mut String) {
    let code = eco.code();
    out.push(char::from(b'A' + (code / 100 % 5) as u8));
    push_number(code % 100, 2, out);
    if let Some(sub) = eco.sub().checked_sub(1) {
        out.push(char::from(b'a' + sub / 5 % 26));
        if !sub.is_multiple_of(5) {
            out.push(char::from(b'0' + sub % 5));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_values() {
        let text = |push: &dyn Fn(&mut String)| {
            let mut text = String::new();
            push(&mut text);
            text
        };
        for number in [0, 7, 10, 99, 100, 2047, 9999, 10_000, u16::MAX] {
            assert_eq!(text(&|t| push_number(number, 1, t)), number.to_string());
            assert_eq!(text(&|t| push_number(number, 4, t)), format!("{number:04}"));
        }
        for date in [
            Date::UNKNOWN,
            Date::new(850, 0, 0),
            Date::new(2026, 11, 5),
            Date::new(0, 15, 31),
        ] {
            assert_eq!(text(&|t| push_date(date, t)), date.to_string());
        }
        for code in 0..500 {
            let eco = Eco::new(code, 0).unwrap();
            assert_eq!(text(&|t| push_eco(eco, t)), eco.to_string());
        }
    }
}
