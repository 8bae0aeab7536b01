//! Dates of tags as readers write them.

use tabia_core::game::Date;

/// Whether the date in a text is written in the same way: `2024.01.05` or `2024.??.??`, but not `2024.1.5`.
pub(crate) fn is_spelled_as_written(text: &str) -> bool {
    let [y1, y2, y3, y4, b'.', m1, m2, b'.', d1, d2] = text.as_bytes() else {
        return false;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0, |number: u32, digit| {
            digit
                .is_ascii_digit()
                .then(|| number * 10 + u32::from(digit - b'0'))
        })
    };
    let is_part = |part: &[u8], most: u32| {
        part.iter().all(|&byte| byte == b'?')
            || number(part).is_some_and(|number| (1..=most).contains(&number))
    };
    let is_usual = is_part(&[*y1, *y2, *y3, *y4], 9999)
        && is_part(&[*m1, *m2], 12)
        && is_part(&[*d1, *d2], 28);
    // Formatting takes longer than all else that is done with a date.
    is_usual || Date::parse(text).is_some_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_as_formatting() {
        for text in [
            "2024.01.05",
            "2024.01.31",
            "2023.02.29",
            "2024.02.30",
            "2024.13.01",
            "2024.00.05",
            "0000.01.05",
            "????.??.??",
            "2024.??.??",
            "2024.??.05",
            "????.01.05",
            "2024.1.5",
            "2024-01-05",
            "1.1.1",
            "",
            "2024.01.0?",
            "2024.01.055",
            "abcd.01.05",
            "0012.01.05",
        ] {
            let formatted = Date::parse(text).is_some_and(|date| date.to_string() == text);
            assert_eq!(is_spelled_as_written(text), formatted, "{text}");
        }
    }
}
