//! Character sets. Decoding is reversible: encoding the result gives the same bytes.

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::dos_charset::DosCharset;

/// The character set of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8 if a value is valid UTF-8, otherwise windows-1252 or the set that the reader detects.
    #[default]
    Auto,
    /// UTF-8 only; invalid bytes are read as windows-1252.
    Utf8,
    /// A single-byte character set: valid UTF-8 is not tried first.
    Single(&'static Encoding),
    /// UTF-8 if a value is valid UTF-8, otherwise this single-byte set.
    Fallback(&'static Encoding),
    /// A character set of DOS: valid UTF-8 is not tried first.
    Dos(DosCharset),
}

impl Charset {
    /// The set of a name as users write it: `auto`, `utf-8`, `cp1252`, `latin1`, `cp850`, `koi8-r`, …;
    /// `None` for unknown and multi-byte sets.
    pub fn parse(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "auto" => return Some(Self::Auto),
            "utf-8" | "utf8" => return Some(Self::Utf8),
            _ => {}
        }
        if let Some(set) = DosCharset::parse(&lower) {
            return Some(Self::Dos(set));
        }
        let label = match lower.as_str() {
            "koi8r" => "koi8-r".to_owned(),
            "koi8u" => "koi8-u".to_owned(),
            _ => lower,
        };
        let numbered = |label: &str| {
            let number = label.strip_prefix("cp")?;
            Encoding::for_label(format!("windows-{number}").as_bytes())
        };
        Encoding::for_label(label.as_bytes())
            .or_else(|| numbered(&label))
            .filter(|encoding| encoding.is_single_byte())
            .map(Self::Single)
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Utf8 => "UTF-8",
            Self::Single(encoding) | Self::Fallback(encoding) => encoding.name(),
            Self::Dos(set) => set.name(),
        }
    }

    /// Whether every text is in one single-byte set, so that valid UTF-8 is not tried first.
    pub const fn is_single_byte(self) -> bool {
        matches!(self, Self::Single(_) | Self::Dos(_))
    }
}

/// Decodes a value. Never fails: bytes that are not UTF-8 are read as windows-1252, or the complete
/// value in the single-byte set that `charset` has. As WHATWG defines these sets, each maps all 256 bytes
/// to different characters.
///
/// A value can mix UTF-8 and windows-1252, as names that several programs have edited do: sequences that
/// are letters in UTF-8 are read as UTF-8, the other bytes in windows-1252.
pub fn decode(bytes: &[u8], charset: Charset) -> Cow<'_, str> {
    let single = match charset {
        Charset::Single(encoding) => encoding,
        Charset::Dos(set) => return set.decode(bytes),
        Charset::Auto | Charset::Utf8 | Charset::Fallback(_) => {
            if let Ok(text) = std::str::from_utf8(bytes) {
                return Cow::Borrowed(text);
            }
            match charset {
                Charset::Fallback(encoding) => encoding,
                _ => return Cow::Owned(decode_mixed(bytes, charset == Charset::Utf8)),
            }
        }
    };
    single.decode_without_bom_handling(bytes).0
}

/// Decodes a value that is not UTF-8 sequence by sequence: UTF-8 or windows-1252.
///
/// Capital letters followed by a symbol are UTF-8 by accident, as in `CAFÉ”`. So only letters that names
/// contain, and typographic quotes and dashes, are read as UTF-8, unless `all` is set or most sequences
/// are UTF-8.
#[cold]
fn decode_mixed(bytes: &[u8], all: bool) -> String {
    let (mut sequences, mut others) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        sequences += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        others += chunk.invalid().len();
    }
    let all = all || sequences > 2 * others;
    let mut text = String::with_capacity(bytes.len() + others);
    let single = |part: &[u8], text: &mut String| {
        text.push_str(
            &encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(part)
                .0,
        );
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if all || c.is_ascii() || is_common(c) {
                text.push(c);
            } else {
                single(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
            }
        }
        single(chunk.invalid(), &mut text);
    }
    text
}

/// Whether a character is a letter of a European language in Latin script, or a typographic quote or
/// dash.
const fn is_common(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{17f}' | '\u{218}'..='\u{21b}' | '\u{1e00}'..='\u{1eff}'
        | '\u{2010}'..='\u{2026}')
}

/// Encodes a value. The second value is `false` if a character is outside the set; it is replaced by
/// `?` then.
pub fn encode(text: &str, charset: Charset) -> (Cow<'_, [u8]>, bool) {
    let encoding = match charset {
        Charset::Single(encoding) => encoding,
        Charset::Dos(set) => {
            let bytes: Vec<_> = text.chars().map(|c| set.byte(c)).collect();
            let is_complete = bytes.iter().all(Option::is_some);
            let bytes = bytes.into_iter().map(|byte| byte.unwrap_or(b'?'));
            return (Cow::Owned(bytes.collect()), is_complete);
        }
        Charset::Auto | Charset::Utf8 | Charset::Fallback(_) => {
            return (Cow::Borrowed(text.as_bytes()), true);
        }
    };
    let (bytes, _, had_errors) = encoding.encode(text);
    if !had_errors {
        return (bytes, true);
    }
    // encoding_rs writes numeric character references; readers expect one `?` per character.
    let mut out = Vec::new();
    let mut buffer = [0; 4];
    for character in text.chars() {
        let (bytes, _, failed) = encoding.encode(character.encode_utf8(&mut buffer));
        if failed {
            out.push(b'?');
        } else {
            out.extend_from_slice(&bytes);
        }
    }
    (Cow::Owned(out), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_the_windows_sets_round_trips() {
        let all: Vec<u8> = (0..=255).collect();
        for name in [
            "cp1250",
            "cp1251",
            "cp1252",
            "windows-1254",
            "cp437",
            "cp850",
        ] {
            let charset = Charset::parse(name).unwrap();
            let text = decode(&all, charset);
            let (encoded, complete) = encode(&text, charset);
            assert!(complete, "{name}");
            assert_eq!(&*encoded, all.as_slice(), "{name}");
        }
    }

    #[test]
    fn sets_have_the_names_that_programs_give_them() {
        for (name, expected) in [
            ("cp1252", "windows-1252"),
            ("CP1250", "windows-1250"),
            ("cp866", "IBM866"),
            ("ibm866", "IBM866"),
            ("koi8-r", "KOI8-R"),
            ("koi8r", "KOI8-R"),
            ("KOI8U", "KOI8-U"),
            ("latin2", "ISO-8859-2"),
            ("CP437", "IBM437"),
            ("ibm850", "IBM850"),
        ] {
            let found = Charset::parse(name).map(Charset::name);
            assert_eq!(found, Some(expected), "{name}");
        }
        for name in ["cp852", "cp932", "utf-16", "cp", ""] {
            assert_eq!(Charset::parse(name), None, "{name}");
        }
    }

    #[test]
    fn auto_prefers_utf8() {
        assert_eq!(decode("Žižka".as_bytes(), Charset::Auto), "Žižka");
        assert_eq!(decode(b"M\xfcller", Charset::Auto), "Müller");
        // Each sequence for itself: "Žlebčík" with its last letters in windows-1252.
        assert_eq!(decode(b"\xc5\xbdlebc\xedk", Charset::Auto), "Žlebcík");
        assert_eq!(decode(b"\xe9\xe2\x82", Charset::Auto), "é\u{e2}\u{201a}");
        assert_eq!(Charset::parse("utf-16"), None);
        let cyrillic = Charset::Fallback(encoding_rs::WINDOWS_1251);
        assert_eq!(decode("Čapek".as_bytes(), cyrillic), "Čapek");
        assert_eq!(decode(b"\xcf\xe5\xf8\xea\xe0", cyrillic), "Пешка");
    }

    #[test]
    fn utf8_and_windows_1252_can_be_mixed() {
        // A name of Scid's own test database.
        assert_eq!(decode(b"\xc5\xbdlebc\xedk", Charset::Auto), "Žlebcík");
        assert_eq!(decode(b"\xc5\xbdlebc\xedk", Charset::Utf8), "Žlebcík");
        let dash = b"caf\xe9 \xe2\x80\x93 \xc5\x99";
        assert_eq!(decode(dash, Charset::Auto), "café – ř");
        // Mostly UTF-8, with one byte of another program.
        let mostly = ["Карпов".as_bytes(), b" - M\xfcller"].concat();
        assert_eq!(decode(&mostly, Charset::Auto), "Карпов - Müller");
        // A capital letter before a quotation mark is not a sequence of UTF-8.
        assert_eq!(
            decode(b"\x93CAF\xc9\x94 na\xefve", Charset::Auto),
            "“CAFÉ” naïve"
        );
        // Other single-byte sets are not mixed: these are two letters of windows-1251.
        let cyrillic = Charset::Fallback(encoding_rs::WINDOWS_1251);
        assert_eq!(decode(b"\xcf\xb8\xf2\xf0", cyrillic), "Пётр");
    }

    #[test]
    fn characters_outside_the_set_are_reported() {
        let (bytes, complete) = encode("a→b", Charset::parse("cp1252").unwrap());
        assert_eq!((&*bytes, complete), (b"a?b".as_slice(), false));
        let (bytes, complete) = encode("ü→b", Charset::parse("cp850").unwrap());
        assert_eq!((&*bytes, complete), (b"\x81?b".as_slice(), false));
    }
}
