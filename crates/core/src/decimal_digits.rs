//! Numbers as decimal text, appended to a buffer without the machinery of formatting: the header
//! of a game has a dozen of them.

/// Appends a number.
///
/// ```
/// let mut text = String::from("Elo ");
/// tabia_core::decimal_digits::push_number(2851, &mut text);
/// assert_eq!(text, "Elo 2851");
/// ```
#[inline]
pub fn push_number(number: u64, out: &mut String) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// Appends a number, with zeros before it up to `width` digits, at most 20.
pub fn push_padded(number: u64, width: usize, out: &mut String) {
    const ZEROS: &str = "00000000000000000000";
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(number);
    let width = width.min(ZEROS.len());
    out.push_str(ZEROS.get(digits.len()..width).unwrap_or_default());
    out.push_str(digits);
}

/// Appends the last two digits of a number.
#[inline]
pub fn push_two(number: u64, out: &mut String) {
    let [tens, ones] = two(number);
    out.push(char::from(tens));
    out.push(char::from(ones));
}

/// Appends a number. Numbers below 1000, as in clock times, are written fastest.
#[inline]
pub fn write_number(number: u64, out: &mut Vec<u8>) {
    match number {
        0..10 => out.push(digit(number)),
        10..100 => write_two(number, out),
        100..1000 => {
            out.extend_from_slice(&[digit(number / 100), digit(number / 10), digit(number)]);
        }
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Appends the last two digits of a number.
#[inline]
pub fn write_two(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&two(number));
}

const fn two(number: u64) -> [u8; 2] {
    [digit(number / 10), digit(number)]
}

/// The last digit.
const fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut String)) -> String {
        let mut text = String::from("<");
        push(&mut text);
        text
    }

    #[test]
    fn digits_are_those_of_the_formatter() {
        for number in [0, 7, 10, 42, 99, 100, 507, 999, 1000, 65_535, u64::MAX] {
            let expected = format!("<{number}");
            assert_eq!(text(|out| push_number(number, out)), expected);
            let mut bytes = b"<".to_vec();
            write_number(number, &mut bytes);
            assert_eq!(bytes, expected.into_bytes());
            for width in [0, 1, 4, 10, 20] {
                let expected = format!("<{number:0width$}");
                assert_eq!(text(|out| push_padded(number, width, out)), expected);
            }
        }
        assert_eq!(text(|out| push_padded(1, 99, out)), format!("<{:020}", 1));
    }

    #[test]
    fn two_digits_are_the_last_two() {
        for (number, expected) in [(3, "<03"), (42, "<42"), (199, "<99")] {
            assert_eq!(text(|out| push_two(number, out)), expected);
            let mut bytes = b"<".to_vec();
            write_two(number, &mut bytes);
            assert_eq!(bytes, expected.as_bytes());
        }
    }
}
