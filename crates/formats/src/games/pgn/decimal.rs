//! Numbers as text.

/// Appends a number.
#[inline]
pub(super) fn write_number(number: u64, out: &mut Vec<u8>) {
    let digit = |value: u64| b'0' + (value % 10) as u8;
    match number {
        0..10 => out.push(digit(number)),
        10..100 => write_two(number, out),
        100..1000 => {
            out.extend_from_slice(&[digit(number / 100), digit(number / 10), digit(number)]);
        }
        _ => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

/// Appends a number below 100 as two digits.
#[inline]
pub(super) fn write_two(number: u64, out: &mut Vec<u8>) {
    let digit = |value: u64| b'0' + (value % 10) as u8;
    out.extend_from_slice(&[digit(number / 10), digit(number)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 7, 10, 42, 99, 100, 507, 999, 1000, 65_535, u64::MAX] {
            let mut out = Vec::new();
            write_number(number, &mut out);
            assert_eq!(out, number.to_string().into_bytes());
        }
        let mut out = Vec::new();
        write_two(3, &mut out);
        assert_eq!(out, b"03");
    }
}
