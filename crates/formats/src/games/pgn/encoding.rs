//! Character sets of PGN files: detection, and decoding of UTF-16.

use std::io::{self, Read};

use encoding_rs::{CoderResult, Decoder, Encoding};
use tabia_core::byte_sets::ByteSet;
use tabia_core::error::Error;
use tabia_core::io::Charset;
use tabia_core::plural::counted;

/// Length of a sample that shows the character set or the language of a text, in bytes.
pub(super) const SAMPLE: usize = 1 << 20;

/// The offset of the first byte that is not UTF-8; `None` if there is none. A character that is cut off at
/// the end is no such byte if the text continues.
pub(super) fn first_invalid(text: &[u8], continues: bool) -> Option<usize> {
    let error = std::str::from_utf8(text).err()?;
    (error.error_len().is_some() || !continues).then_some(error.valid_up_to())
}

/// The part of a text that shows its character set: the first byte that is not UTF-8, one byte before it, and
/// what follows, together [`SAMPLE`] bytes or fewer. All before it is read the same in any character set.
pub(super) fn sample(text: &[u8], first_invalid: usize) -> &[u8] {
    let rest = text.get(first_invalid.saturating_sub(1)..);
    let rest = rest.unwrap_or_default();
    rest.get(..SAMPLE).unwrap_or(rest)
}

/// The character set of a text with this [`sample`]: the requested one unless it is [`Charset::Auto`].
/// Otherwise the text is UTF-8, and invalid UTF-8 in it is windows-1251 if the sample contains more words
/// of its letters than single letters, else windows-1252.
pub(super) fn detect(sample: &[u8], requested: Charset) -> Charset {
    if requested != Charset::Auto {
        return requested;
    }
    let mut rest = sample;
    // Runs of at least three bytes from 0x80 on, and shorter runs next to an ASCII letter.
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
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        if length >= 3 {
            words += 1;
        } else if is_letter(before) || is_letter(after) {
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

/// The bytes 0x80 to 0x9f.
static HIGH_CONTROLS: ByteSet = ByteSet::of_ranges(&[(0x80, 0x9f)]);

/// The end of the UTF-8 character to which the byte at an offset belongs, which is not its first; `None` if it belongs
/// to none.
fn utf8_character_end(text: &[u8], at: usize) -> Option<usize> {
    for back in 1..=3 {
        let start = at.checked_sub(back)?;
        let length = match text.get(start)? {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => return None,
        };
        let character = text.get(start..start + length)?;
        let is_whole = back < length && std::str::from_utf8(character).is_ok();
        return is_whole.then_some(start + length);
    }
    None
}

/// The first byte of a text that has no character in the single-byte set in which it is read, and an error with the
/// number of such bytes; `None` if there is none. Where text can be UTF-8, its sequences are no such bytes.
pub(super) fn undefined_bytes(text: &[u8], charset: Charset) -> Option<(usize, Error)> {
    let (set, is_utf8) = match charset {
        Charset::Single(set) => (set, false),
        // Each byte is a character.
        Charset::Dos(_) => return None,
        Charset::Fallback(set) => (set, true),
        Charset::Auto | Charset::Utf8 => (encoding_rs::WINDOWS_1252, true),
    };
    // Sets of ISO have control characters there.
    if !set.name().starts_with("windows-") {
        return None;
    }
    let is_undefined = |byte: &u8| {
        let text = [*byte];
        let decoded = set.decode_without_bom_handling(&text).0;
        decoded.chars().all(|c| c.is_control() || c == '\u{fffd}')
    };
    let undefined: Vec<u8> = (0x80..0xa0).filter(is_undefined).collect();
    let (mut first, mut count) = (None, 0_u64);
    let mut at = HIGH_CONTROLS.find(text, 0);
    while let Some(&byte) = text.get(at) {
        let end = utf8_character_end(text, at).filter(|_| is_utf8);
        if end.is_none() && undefined.contains(&byte) {
            first.get_or_insert((at, byte));
            count += 1;
        }
        at = HIGH_CONTROLS.find(text, end.unwrap_or(at + 1));
    }
    let (at, byte) = first?;
    let bytes = counted(count, "byte is no character", "bytes are no characters");
    let set = set.name();
    let text = format!(
        "{bytes} of {set}, such as {byte:#04x}: the text may be in another character set, which `--encoding` names"
    );
    Some((at, Error::invalid(text)))
}

/// The name of a character set, for users.
pub(super) fn name(sample: &[u8], charset: Charset) -> String {
    match (charset, std::str::from_utf8(sample)) {
        (Charset::Auto | Charset::Utf8, Ok(_)) => "UTF-8".to_owned(),
        (Charset::Auto | Charset::Utf8, Err(_)) => "UTF-8, windows-1252 where invalid".to_owned(),
        (Charset::Single(_) | Charset::Dos(_), _) => charset.name().to_owned(),
        (Charset::Fallback(encoding), _) => format!("UTF-8, {} where invalid", encoding.name()),
    }
}

/// The variant of UTF-16, recognized by a byte order mark or by a `[` of two bytes; `None` if `head`
/// has neither.
pub(super) fn utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] | [b'[', 0, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] | [0, b'[', ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// Why [`Utf8Input::fill`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FillEnd {
    /// All bytes are read that were asked for.
    Full,
    /// The input has no more bytes at the moment, and what is read is complete.
    Paused,
    /// The input ended.
    Ended,
}

/// A read of fewer bytes than this, and than were asked for, has emptied a pipe.
const PIPE_READ: usize = 1 << 15;

/// A stream of bytes, in which UTF-16 is decoded to UTF-8.
pub(super) struct Utf8Input {
    inner: Box<dyn Read + Send>,
    decoder: Option<Decoder>,
    /// UTF-16 that is not decoded yet.
    encoded: Vec<u8>,
    /// Bytes that are read but not returned yet.
    ahead: io::Cursor<Vec<u8>>,
    /// Whether the end of `inner` is read.
    ended: bool,
}

impl std::fmt::Debug for Utf8Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Utf8Input").finish_non_exhaustive()
    }
}

impl Utf8Input {
    /// Reads the first bytes to recognize UTF-16.
    pub(super) fn open(mut inner: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut head = Vec::new();
        inner.by_ref().take(4).read_to_end(&mut head)?;
        let decoder = utf16(&head).map(Encoding::new_decoder_with_bom_removal);
        let mut input = Self {
            inner,
            decoder,
            encoded: Vec::new(),
            ahead: io::Cursor::new(Vec::new()),
            ended: false,
        };
        if input.decoder.is_some() {
            input.encoded = head;
        } else {
            input.ahead = io::Cursor::new(head);
        }
        Ok(input)
    }

    /// Reads `length` bytes to `out[*filled..]` and adds their number to `filled`; fewer if the stream
    /// ended before, or if it has no more bytes at the moment and `is_complete` of the first `filled`
    /// bytes. Bytes of `out` after `filled` are overwritten or spare; `out` grows as needed.
    pub(super) fn fill(
        &mut self,
        length: usize,
        out: &mut Vec<u8>,
        filled: &mut usize,
        is_complete: &mut dyn FnMut(&[u8]) -> bool,
    ) -> io::Result<FillEnd> {
        let mut left = length as u64;
        if self.decoder.is_some() || (self.ahead.position() as usize) < self.ahead.get_ref().len() {
            out.truncate(*filled);
            left -= self.append(left, out)?;
            *filled = out.len();
        }
        if left > 0 && !self.ended {
            let end = read_full(&mut self.inner, left as usize, out, filled, is_complete)?;
            self.ended = end == FillEnd::Ended;
            return Ok(end);
        }
        Ok(if left == 0 {
            FillEnd::Full
        } else {
            FillEnd::Ended
        })
    }

    /// Appends at most `limit` bytes that are read ahead or decoded from UTF-16; returns their number.
    fn append(&mut self, limit: u64, out: &mut Vec<u8>) -> io::Result<u64> {
        let mut left = limit;
        left -= (&mut self.ahead).take(left).read_to_end(out)? as u64;
        while left > 0 && !self.ended {
            let Some(decoder) = &mut self.decoder else {
                break;
            };
            let got = (&mut self.inner)
                .take(1 << 16)
                .read_to_end(&mut self.encoded)?;
            self.ended = got == 0;
            let mut text = String::new();
            let needed = decoder
                .max_utf8_buffer_length(self.encoded.len())
                .unwrap_or(0);
            text.reserve(needed);
            let (result, _, _) = decoder.decode_to_string(&self.encoded, &mut text, self.ended);
            debug_assert_eq!(result, CoderResult::InputEmpty);
            self.encoded.clear();
            let bytes = text.as_bytes();
            let now = bytes.len().min(left as usize);
            out.extend_from_slice(bytes.get(..now).unwrap_or_default());
            left -= now as u64;
            if now < bytes.len() {
                let rest = bytes.get(now..).unwrap_or_default().to_vec();
                self.ahead = io::Cursor::new(rest);
            }
        }
        Ok(limit - left)
    }
}

/// Reads `length` bytes to `out[*filled..]` in few calls and adds their number to `filled`; fewer as
/// [`Utf8Input::fill`] does. `out` grows to at most twice the bytes that `input` had.
fn read_full(
    input: &mut dyn Read,
    length: usize,
    out: &mut Vec<u8>,
    filled: &mut usize,
    is_complete: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<FillEnd> {
    const MIN_GROWTH: usize = 1 << 16;
    let start = *filled;
    loop {
        let got = *filled - start;
        let missing = length - got;
        // Less space than a pipe may have bytes would not show whether it has more.
        if out.len() < *filled + missing.min(PIPE_READ) {
            out.resize(*filled + missing.min(got.max(MIN_GROWTH)), 0);
        }
        let end = out.len().min(start + length);
        let spare = out.get_mut(*filled..end).unwrap_or_default();
        if spare.is_empty() {
            return Ok(FillEnd::Full);
        }
        let space = spare.len();
        match input.read(spare) {
            Ok(0) => return Ok(FillEnd::Ended),
            Ok(read) => {
                *filled += read;
                if read < space.min(PIPE_READ)
                    && is_complete(out.get(..*filled).unwrap_or_default())
                {
                    return Ok(FillEnd::Paused);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_1251_is_detected_by_its_words() {
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
    fn bytes_without_a_character_are_found() {
        let found = |text: &[u8], charset| {
            undefined_bytes(text, charset).map(|(at, error)| (at, error.to_string()))
        };
        // 0x81 is `ü` in the sets of DOS, and the end of `Á` in UTF-8.
        let text = "Á M\u{fc}ller ".as_bytes();
        assert_eq!(found(text, Charset::Auto), None);
        let (at, message) = found(b"M\x81ller, \xc3\x81, \x9d\xe4", Charset::Auto).unwrap();
        assert_eq!(at, 1);
        assert!(message.starts_with("2 bytes are no characters of windows-1252, such as 0x81"));
        let greek = Charset::parse("cp1253").unwrap();
        assert!(found(b"\xd2", greek).is_none() && found(b"a\x8a", greek).is_some());
        assert_eq!(found(b"\x81\x98", Charset::parse("cp866").unwrap()), None);
        assert_eq!(found(b"\x81", Charset::parse("latin2").unwrap()), None);
    }

    /// Characters of UTF-8, their parts and other bytes in any order.
    #[test]
    fn bytes_of_characters_of_utf8_are_no_such_bytes() {
        let parts: [&[u8]; 12] = [
            b"a",
            "\u{e1}".as_bytes(),
            "\u{c1}".as_bytes(),
            "\u{2018}".as_bytes(),
            "\u{1f681}".as_bytes(),
            b"\x81",
            b"\xc3",
            b"\xe2\x80",
            b"\xed\xa0\x80",
            b"\xf0\x9f",
            b"\xc0\x81",
            b"\xff\x9d",
        ];
        let mut random = tabia_testkit::Random::new(9);
        let mut with_some = 0;
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..random.below(9))
                .flat_map(|_| parts[random.below(parts.len())])
                .copied()
                .collect();
            // The bytes that windows-1252 has no characters for, outside of UTF-8.
            let mut expected = Vec::new();
            let mut at = 0;
            for chunk in text.utf8_chunks() {
                at += chunk.valid().len();
                for byte in chunk.invalid() {
                    if [0x81, 0x8d, 0x8f, 0x90, 0x9d].contains(byte) {
                        expected.push(at);
                    }
                    at += 1;
                }
            }
            let found = undefined_bytes(&text, Charset::Auto);
            assert_eq!(found.as_ref().map(|(at, _)| *at), expected.first().copied());
            if let Some((_, error)) = found {
                with_some += 1;
                let count = format!("{} byte", expected.len());
                assert!(error.to_string().starts_with(&count), "{error}");
            }
        }
        assert!(with_some > 5000, "{with_some}");
    }

    #[test]
    fn spare_bytes_of_the_buffer_are_overwritten() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i * 7) as u8).collect();
        let mut input = Utf8Input::open(Box::new(io::Cursor::new(bytes.clone()))).unwrap();
        let mut found = Vec::new();
        let mut out = vec![1; 5_000];
        loop {
            let mut filled = 0;
            let end = input.fill(70_000, &mut out, &mut filled, &mut |_| false);
            found.extend_from_slice(&out[..filled]);
            if end.unwrap() == FillEnd::Ended {
                break;
            }
            assert_eq!(filled, 70_000);
        }
        assert_eq!(found, bytes);
    }

    /// Gives one piece a read, as a pipe does whose writer is slower than its reader.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn filling_pauses_after_a_short_read_if_that_is_complete() {
        let mut input = Pieces(vec![b"ab", b"c.", b"de"]);
        let (mut out, mut filled) = (Vec::new(), 0);
        let mut fill = |out: &mut Vec<u8>| {
            let mut is_complete = |text: &[u8]| text.ends_with(b".");
            let end = read_full(&mut input, 100, out, &mut filled, &mut is_complete);
            (
                end.unwrap(),
                String::from_utf8_lossy(&out[..filled]).into_owned(),
            )
        };
        assert_eq!(fill(&mut out), (FillEnd::Paused, "abc.".to_owned()));
        assert_eq!(fill(&mut out), (FillEnd::Ended, "abc.de".to_owned()));
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
                let mut input = Utf8Input::open(Box::new(io::Cursor::new(bytes))).unwrap();
                let (mut out, mut filled) = (Vec::new(), 0);
                let mut fill = || input.fill(3, &mut out, &mut filled, &mut |_| false);
                while fill().unwrap() == FillEnd::Full {}
                out.truncate(filled);
                assert_eq!(String::from_utf8(out).unwrap(), text);
            }
        }
    }
}
