//! Appends numbers and bytes as hexadecimal text, faster than `format!`.

/// Appends a number without leading zeros.
pub(super) fn push_number(value: u32, out: &mut String) {
    let digits: [u8; 8] = std::array::from_fn(|i| digit((value >> (28 - 4 * i)) as u8 & 15));
    let zeros = (value.leading_zeros() / 4).min(7) as usize;
    push(digits.get(zeros..), out);
}

/// Appends bytes, two digits each.
pub(super) fn push_bytes(bytes: &[u8], out: &mut String) {
    for part in bytes.chunks(32) {
        let mut buffer = [[0; 2]; 32];
        for (digits, byte) in buffer.iter_mut().zip(part) {
            *digits = pair(*byte);
        }
        push(buffer.as_flattened().get(..2 * part.len()), out);
    }
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
    fn digits_equal_those_of_format() {
        for value in [0, 1, 9, 10, 16, 99, 255, 256, 2798, 0x00ab_cdef, u32::MAX] {
            assert_eq!(
                written(|out| push_number(value, out)),
                format!("<{value:x}")
            );
        }
        for byte in 0..=255 {
            let expected = format!("<{byte:02x}00ff");
            assert_eq!(written(|out| push_bytes(&[byte, 0, 255], out)), expected);
        }
        assert_eq!(written(|out| push_bytes(&[0x1f; 70], out)).len(), 1 + 140);
        assert_eq!(written(|out| push_bytes(&[], out)), "<");
    }
}
