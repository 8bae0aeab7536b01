//! Character sets of PGN files: found out from the first bytes, UTF-16 turned into UTF-8.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding};
use tabia_core::io::Charset;

/// How many first bytes are looked at.
pub(super) const SAMPLE: usize = 1 << 20;

/// The set in which to read what is not valid UTF-8: the one asked for, else windows-1251 when the
/// sample holds words of its letters, else windows-1252.
pub(super) fn detect(sample: &[u8], asked: Charset) -> Charset {
    if asked != Charset::Auto {
        return asked;
    }
    let mut rest = sample;
    // Letters beside letters of the upper half, and beside ASCII letters.
    let (mut words, mut mixed) = (0_u32, 0_u32);
    while let Err(error) = std::str::from_utf8(rest) {
        let at = error.valid_up_to();
        let before = at.checked_sub(1).and_then(|i| rest.get(i));
        let length = rest
            .get(at..)
            .unwrap_or_default()
            .iter()
            .position(|&byte| byte < 0x80)
            .unwrap_or(rest.len() - at);
        let after = rest.get(at + length);
        let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        if length >= 3 {
            words += 1;
        } else if letter(before) || letter(after) {
            mixed += 1;
        }
        rest = rest.get(at + length.max(1)..).unwrap_or_default();
    }
    if words > mixed {
        Charset::Fallback(encoding_rs::WINDOWS_1251)
    } else {
        Charset::Auto
    }
}

/// A name of the set for people.
pub(super) fn name(sample: &[u8], charset: Charset) -> String {
    match (charset, std::str::from_utf8(sample)) {
        (Charset::Auto | Charset::Utf8, Ok(_)) => "UTF-8".to_owned(),
        (Charset::Auto | Charset::Utf8, Err(_)) => "UTF-8, windows-1252 where invalid".to_owned(),
        (Charset::Single(encoding), _) => encoding.name().to_owned(),
        (Charset::Fallback(encoding), _) => format!("UTF-8, {} where invalid", encoding.name()),
    }
}

/// UTF-16 by its byte order mark, or by a `[` of two bytes.
pub(super) fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] | [b'[', 0, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] | [0, b'[', ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// A stream of bytes, UTF-16 turned into UTF-8 on the way.
pub(super) struct Input {
    inner: Box<dyn Read + Send>,
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    /// What was read before anyone asked.
    ahead: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl Input {
    /// Looks at the first bytes.
    pub(super) fn open(mut inner: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut head = Vec::new();
        inner.by_ref().take(4).read_to_end(&mut head)?;
        let decoder = utf16(&head).map(Encoding::new_decoder_with_bom_removal);
        let mut input = Self {
            inner,
            decoder,
            raw: Vec::new(),
            ahead: io::Cursor::new(Vec::new()),
            ended: false,
        };
        if input.decoder.is_some() {
            input.raw = head;
        } else {
            input.ahead = io::Cursor::new(head);
        }
        Ok(input)
    }

    /// Puts up to `length` bytes, fewer only at the end, behind the first `filled` of `out`, and counts
    /// them there. What `out` has beyond is room that needs not be made again; some may be left.
    pub(super) fn fill(
        &mut self,
        length: usize,
        out: &mut Vec<u8>,
        filled: &mut usize,
    ) -> io::Result<bool> {
        let mut left = length as u64;
        if self.decoder.is_some() || (self.ahead.position() as usize) < self.ahead.get_ref().len() {
            out.truncate(*filled);
            left -= self.append(left, out)?;
            *filled = out.len();
        }
        if left > 0 && !self.ended {
            left -= fill_whole(&mut self.inner, left as usize, out, filled)? as u64;
            self.ended = left > 0;
        }
        Ok(left == 0)
    }

    /// Appends what was read before, and turns UTF-16 into UTF-8 up to that many bytes.
    fn append(&mut self, most: u64, out: &mut Vec<u8>) -> io::Result<u64> {
        let mut left = most;
        left -= (&mut self.ahead).take(left).read_to_end(out)? as u64;
        while left > 0 && !self.ended {
            let Some(decoder) = &mut self.decoder else {
                break;
            };
            let got = (&mut self.inner).take(1 << 16).read_to_end(&mut self.raw)?;
            self.ended = got == 0;
            let mut text = String::new();
            let needed = decoder.max_utf8_buffer_length(self.raw.len()).unwrap_or(0);
            text.reserve(needed);
            let (result, _, _) = decoder.decode_to_string(&self.raw, &mut text, self.ended);
            debug_assert_eq!(result, CoderResult::InputEmpty);
            self.raw.clear();
            let bytes = text.as_bytes();
            let now = bytes.len().min(left as usize);
            out.extend_from_slice(bytes.get(..now).unwrap_or_default());
            left -= now as u64;
            if now < bytes.len() {
                let rest = bytes.get(now..).unwrap_or_default().to_vec();
                self.ahead = io::Cursor::new(rest);
            }
        }
        Ok(most - left)
    }
}

/// Puts `length` bytes, fewer only at the end, behind the first `filled` of `out`, in few reads; how
/// many they are. No more room is made than twice what was there to be read.
fn fill_whole(
    input: &mut dyn Read,
    length: usize,
    out: &mut Vec<u8>,
    filled: &mut usize,
) -> io::Result<usize> {
    const LEAST: usize = 1 << 16;
    let start = *filled;
    loop {
        let got = *filled - start;
        if out.len() <= *filled {
            out.resize(*filled + (length - got).min(got.max(LEAST)), 0);
        }
        let end = out.len().min(start + length);
        let room = out.get_mut(*filled..end).unwrap_or_default();
        if room.is_empty() {
            return Ok(got);
        }
        match input.read(room) {
            Ok(0) => return Ok(got),
            Ok(read) => *filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_told_apart() {
        let auto = |bytes: &[u8]| detect(bytes, Charset::Auto);
        assert_eq!(
            auto(b"[White \"M\xfcller\"] [Black \"Ca\xf1as\"]"),
            Charset::Auto
        );
        let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode("[White \"Петросян\"]");
        assert_eq!(
            auto(&cyrillic),
            Charset::Fallback(encoding_rs::WINDOWS_1251)
        );
        assert_eq!(auto("[White \"Петросян\"]".as_bytes()), Charset::Auto);
    }

    #[test]
    fn room_is_used_again() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i * 7) as u8).collect();
        let mut input = Input::open(Box::new(io::Cursor::new(bytes.clone()))).unwrap();
        let mut found = Vec::new();
        let mut out = vec![1; 5_000];
        loop {
            let mut filled = 0;
            let more = input.fill(70_000, &mut out, &mut filled).unwrap();
            found.extend_from_slice(&out[..filled]);
            if !more {
                break;
            }
            assert_eq!(filled, 70_000);
        }
        assert_eq!(found, bytes);
    }

    #[test]
    fn utf16_becomes_utf8() {
        let text = "[Event \"Žižka ♞\"]\n\n1. e4 *\n";
        for big in [false, true] {
            for mark in [false, true] {
                let mark = if mark { "\u{feff}" } else { "" };
                let bytes: Vec<u8> = mark
                    .encode_utf16()
                    .chain(text.encode_utf16())
                    .flat_map(|unit| {
                        let [high, low] = [(unit >> 8) as u8, unit as u8];
                        if big { [high, low] } else { [low, high] }
                    })
                    .collect();
                let mut input = Input::open(Box::new(io::Cursor::new(bytes))).unwrap();
                let (mut out, mut filled) = (Vec::new(), 0);
                while input.fill(3, &mut out, &mut filled).unwrap() {}
                out.truncate(filled);
                assert_eq!(String::from_utf8(out).unwrap(), text);
            }
        }
    }
}
