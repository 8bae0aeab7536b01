//! Base64 of RFC 4648, without line breaks.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the digits of `bytes`.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4_u32 {
            let digit = (bits >> (18 - 6 * i) & 63) as usize;
            let digit = DIGITS.get(digit).copied().unwrap_or(b'A');
            out.push(if i as usize <= chunk.len() {
                digit
            } else {
                b'='
            });
        }
    }
}

/// Appends the bytes of `text`; `None` when it holds anything else than digits and padding.
pub(super) fn decode(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let digits = text.trim_end_matches('=').as_bytes();
    for chunk in digits.chunks(4) {
        let mut bits = 0;
        for &digit in chunk {
            bits = bits << 6 | DIGITS.iter().position(|&known| known == digit)? as u32;
        }
        let length = match chunk.len() {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => return None,
        };
        bits <<= 6 * (4 - chunk.len());
        for i in 0..length {
            out.push((bits >> (16 - 8 * i)) as u8);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_back() {
        for (bytes, text) in [
            (b"".as_slice(), ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\x00\x10\x80", "/wAQgA=="),
        ] {
            let mut out = Vec::new();
            encode(bytes, &mut out);
            assert_eq!(out, text.as_bytes());
            let mut back = Vec::new();
            decode(text, &mut back).unwrap();
            assert_eq!(back, bytes);
        }
        assert_eq!(decode("Zg!=", &mut Vec::new()), None);
    }
}
