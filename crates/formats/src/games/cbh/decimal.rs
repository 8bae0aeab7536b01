//! Numbers and dates of tags as texts, written without the machinery of formatting: a game has a
//! dozen of them.

use tabia_core::game::{Date, Eco};

/// A number in decimal.
pub(super) fn decimal(value: u32, out: &mut String) {
    let mut buffer = [0; 10];
    let mut at = buffer.len();
    let mut rest = value;
    for (i, place) in buffer.iter_mut().enumerate().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
        at = i;
        if rest == 0 {
            break;
        }
    }
    push(buffer.get(at..), out);
}

/// A number in decimal, with zeros in front up to `width`, at most 20.
pub(super) fn padded(value: u64, width: usize, out: &mut String) {
    let mut buffer = [b'0'; 20];
    let mut at = buffer.len();
    let mut rest = value;
    for (i, place) in buffer.iter_mut().enumerate().rev() {
        if rest == 0 {
            break;
        }
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
        at = i;
    }
    let start = at.min(buffer.len().saturating_sub(width));
    push(buffer.get(start..), out);
}

/// A number in hexadecimal, without leading zeros.
pub(super) fn hexadecimal(value: u32, out: &mut String) {
    let digits: [u8; 8] = std::array::from_fn(|i| digit((value >> (28 - 4 * i)) as u8 & 15));
    let zeros = (value.leading_zeros() / 4).min(7) as usize;
    push(digits.get(zeros..), out);
}

/// Bytes in hexadecimal, two digits each.
pub(super) fn hex(bytes: &[u8], out: &mut String) {
    for part in bytes.chunks(32) {
        let mut buffer = [[0; 2]; 32];
        for (digits, byte) in buffer.iter_mut().zip(part) {
            *digits = pair(*byte);
        }
        push(buffer.as_flattened().get(..2 * part.len()), out);
    }
}

/// A date as PGN writes it: `1950.??.??`.
pub(super) fn date(date: Date, out: &mut String) {
    let two = |value: u8| match value {
        0 => *b"??",
        value => decimals(value),
    };
    let [[a, b], [c, d]] = match date.year {
        0 => [*b"??"; 2],
        year => [decimals((year / 100) as u8), decimals((year % 100) as u8)],
    };
    let ([e, f], [g, h]) = (two(date.month), two(date.day));
    push(Some(&[a, b, c, d, b'.', e, f, b'.', g, h]), out);
}

/// A day and a time, numbers of two digits: `2016-08-01T18:17:23`. Longer years are written as they
/// are.
pub(super) fn time(year: u64, [month, day, hour, minute, second]: [u64; 5], out: &mut String) {
    padded(year, 4, out);
    let two = |value: u64| decimals((value % 100) as u8);
    let [[a, b], [c, d], [e, f], [g, h], [i, j]] = [month, day, hour, minute, second].map(two);
    let rest = [b'-', a, b, b'-', c, d, b'T', e, f, b':', g, h, b':', i, j];
    push(Some(&rest), out);
}

/// A code of the Encyclopaedia: `B90`.
pub(super) fn eco(eco: Eco, out: &mut String) {
    let [tens, ones] = decimals((eco.code() % 100) as u8);
    push(Some(&[b'A' + (eco.code() / 100) as u8, tens, ones]), out);
}

/// The last two decimal digits.
fn decimals(value: u8) -> [u8; 2] {
    [b'0' + value / 10 % 10, b'0' + value % 10]
}

/// The hexadecimal digits of a byte.
fn pair(byte: u8) -> [u8; 2] {
    [digit(byte >> 4), digit(byte & 15)]
}

/// The hexadecimal digit of a number below 16.
fn digit(value: u8) -> u8 {
    match value {
        0..10 => b'0' + value,
        _ => b'a' - 10 + value,
    }
}

fn push(digits: Option<&[u8]>, out: &mut String) {
    out.push_str(std::str::from_utf8(digits.unwrap_or_default()).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut String)) -> String {
        let mut text = String::from("<");
        write(&mut text);
        text
    }

    #[test]
    fn texts_are_those_of_the_formatter() {
        for value in [0, 1, 9, 10, 16, 99, 255, 256, 2798, 0x00ab_cdef, u32::MAX] {
            assert_eq!(written(|out| decimal(value, out)), format!("<{value}"));
            assert_eq!(
                written(|out| hexadecimal(value, out)),
                format!("<{value:x}")
            );
            let wide = u64::from(value);
            assert_eq!(written(|out| padded(wide, 4, out)), format!("<{value:04}"));
        }
        assert_eq!(written(|out| padded(0, 0, out)), "<");
        assert_eq!(
            written(|out| padded(u64::MAX, 99, out)),
            format!("<{}", u64::MAX)
        );
        for byte in 0..=255 {
            let expected = format!("<{byte:02x}00ff");
            assert_eq!(written(|out| hex(&[byte, 0, 255], out)), expected);
        }
        assert_eq!(written(|out| hex(&[0x1f; 70], out)).len(), 1 + 140);
        assert_eq!(written(|out| hex(&[], out)), "<");
        for (year, month, day) in [
            (0, 0, 0),
            (2016, 8, 1),
            (1950, 0, 31),
            (9, 15, 0),
            (9999, 12, 9),
        ] {
            let value = Date::new(year, month, day);
            assert_eq!(written(|out| date(value, out)), format!("<{value}"));
        }
        for code in 0..500 {
            let value = Eco::new(code, 3).unwrap();
            assert_eq!(written(|out| eco(value, out)), format!("<{value}"));
        }
    }
}
