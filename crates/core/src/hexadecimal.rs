//! Bytes as hexadecimal text.

/// Bytes as lower-case hexadecimal digits, two each.
///
/// ```
/// assert_eq!(tabia_core::hexadecimal::digits(&[0x0a, 0xff]), "0aff");
/// ```
pub fn digits(bytes: &[u8]) -> String {
    let digit = |value: u8| match value {
        0..10 => char::from(b'0' + value),
        _ => char::from(b'a' - 10 + value),
    };
    let pairs = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_equal_those_of_format() {
        assert_eq!(digits(&[]), "");
        for byte in 0..=255 {
            assert_eq!(digits(&[byte, 1]), format!("{byte:02x}01"));
        }
    }
}
