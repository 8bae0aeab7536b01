//! Percent-encoding of values and texts in commands.

/// Percent-encodes a value, blanks and the characters with a meaning in commands included.
pub(crate) fn encode(text: &str, out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        let is_literal =
            byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-._~!?'()*+#".contains(&byte);
        push(byte, is_literal, out);
    }
}

/// Percent-encodes a text, except single blanks between words.
pub(crate) fn encode_text(text: &[u8], out: &mut Vec<u8>) {
    let valid = std::str::from_utf8(text).is_ok();
    let mut was_blank = true;
    for (i, &byte) in text.iter().enumerate() {
        let is_single_blank = byte == b' ' && !was_blank && i + 1 < text.len();
        let is_literal = if byte < 0x80 {
            byte.is_ascii_graphic() && !b"%[]{}".contains(&byte)
        } else {
            valid
        };
        push(byte, is_literal || is_single_blank, out);
        was_blank = byte == b' ';
    }
}

/// Appends a byte, percent-encoded unless `is_literal`.
fn push(byte: u8, is_literal: bool, out: &mut Vec<u8>) {
    if is_literal {
        out.push(byte);
    } else {
        let digit = |half: u8| {
            b"0123456789ABCDEF"
                .get(usize::from(half))
                .copied()
                .unwrap_or(b'0')
        };
        out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte & 15)]);
    }
}

/// Decodes the result of [`encode`] or [`encode_text`].
pub(crate) fn decode_bytes(text: &str) -> Vec<u8> {
    let hex = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    let mut after_line_break = false;
    while let Some(byte) = bytes.next() {
        // A line break comes from wrapping, which replaced a blank with it.
        if matches!(byte, b'\n' | b'\r') {
            if !after_line_break {
                out.push(b' ');
            }
            after_line_break = true;
            continue;
        }
        after_line_break = false;
        if byte == b'%' {
            let mut ahead = bytes.clone();
            if let (Some(high), Some(low)) = (hex(ahead.next()), hex(ahead.next())) {
                out.push((high * 16 + low) as u8);
                bytes = ahead;
                continue;
            }
        }
        out.push(byte);
    }
    out
}

/// Decodes a text; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn decode(text: &str) -> String {
    match String::from_utf8(decode_bytes(text)) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}
