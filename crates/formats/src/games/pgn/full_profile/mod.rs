//! Commands of the profile `full`: what PGN has no form for, written so that it is read back.
//!
//! `[%cb… key=value …]` for what ChessBase knows, `[%tabia …]` for the rest, `[%lang de]` for the
//! language of a comment. Values are percent-encoded.

mod read;
mod write;

pub(super) use self::read::read;
pub(crate) use self::write::write;

/// Percent-encodes a value: no blanks, no characters that commands use.
pub(super) fn encode(text: &str, out: &mut Vec<u8>) {
    for &byte in text.as_bytes() {
        let plain = byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-._~!?'()*+#".contains(&byte);
        put(byte, plain, out);
    }
}

/// Percent-encodes a text, leaving single blanks between words.
pub(crate) fn encode_text(text: &[u8], out: &mut Vec<u8>) {
    let valid = std::str::from_utf8(text).is_ok();
    let mut was_blank = true;
    for (i, &byte) in text.iter().enumerate() {
        let blank = byte == b' ' && !was_blank && i + 1 < text.len();
        let plain = if byte < 0x80 {
            byte.is_ascii_graphic() && !b"%[]{}".contains(&byte)
        } else {
            valid
        };
        put(byte, plain || blank, out);
        was_blank = byte == b' ';
    }
}

fn put(byte: u8, plain: bool, out: &mut Vec<u8>) {
    if plain {
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

/// Undoes [`encode`] and [`encode_text`].
pub(super) fn decode_bytes(text: &str) -> Vec<u8> {
    let hex = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let mut out = Vec::new();
    let mut bytes = text.bytes().peekable();
    let mut line_break = false;
    while let Some(byte) = bytes.next() {
        // A line break comes from wrapping and stands for the blank that was there.
        if matches!(byte, b'\n' | b'\r') {
            if !line_break {
                out.push(b' ');
            }
            line_break = true;
            continue;
        }
        line_break = false;
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

/// Undoes [`encode`] for a text.
pub(crate) fn decode(text: &str) -> String {
    match String::from_utf8(decode_bytes(text)) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}
