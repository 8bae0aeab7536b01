//! Decodes and encodes texts: their character set, and the ChessBase symbols in them.
//!
//! No file states the character set. A value that is valid UTF-8 is UTF-8; any other is in a
//! single-byte set that is chosen for the database, or for the value if its words show another one
//! (FORMAT.md § Texts).

mod detect;
mod mixed;
mod symbols;

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};
use tabia_core::error::{Error, Result};
use tabia_core::io::{Charset, decode, encode};
use zerocopy::byteorder::little_endian::U64;

pub use self::detect::Detector;
use self::detect::{Script, script};
use self::mixed::{decode_mixed, utf8_sequence};
use self::symbols::{
    DIAGRAM_SIGN, SYMBOLS, from_private, has_private, symbol_byte, symbol_of, to_private,
};

/// The diagram mark of PGN and of the game model.
const DIAGRAM: &str = "[#]";
/// Represents a lone line feed in a text with CR LF line breaks.
const LONE_LINE_FEED: char = '\u{2028}';

/// The character set of a text, and its bytes for marks that the game model writes in one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextForm {
    /// The single-byte character set; `None` for UTF-8.
    pub page: Option<&'static Encoding>,
    /// Whether texts that would not be read again from `page` are written in UTF-8.
    pub or_utf8: bool,
    /// The bytes for a diagram mark.
    pub diagram: &'static [u8],
    /// The bytes for a line break.
    pub line_break: &'static [u8],
}

impl TextForm {
    /// The form that newer versions of ChessBase write.
    pub const UTF8: TextForm = TextForm {
        page: None,
        or_utf8: false,
        diagram: b"\x04",
        line_break: b"\r\n",
    };

    /// The form for a target's character set.
    pub fn of(charset: Charset) -> Self {
        let (page, or_utf8) = match charset {
            Charset::Single(page) => (Some(page), false),
            Charset::Fallback(page) => (Some(page), true),
            Charset::Auto | Charset::Utf8 | Charset::Dos(_) => (None, false),
        };
        TextForm {
            page,
            or_utf8,
            ..Self::UTF8
        }
    }

    /// All combinations that occur in a database with a given single-byte set.
    pub fn all(page: &'static Encoding) -> impl Iterator<Item = TextForm> {
        let diagrams: [&'static [u8]; 4] = [b"\x04", b"\x9e", b"[#]", b"\xee\x80\x85"];
        let breaks: [&'static [u8]; 3] = [b"\r\n", b"\n", b"\r"];
        let pages = [None, Some(page), Some(WINDOWS_1251), Some(WINDOWS_1252)];
        pages.into_iter().flat_map(move |page| {
            diagrams.into_iter().flat_map(move |diagram| {
                breaks.into_iter().map(move |line_break| TextForm {
                    page,
                    or_utf8: false,
                    diagram,
                    line_break,
                })
            })
        })
    }

    /// The texts of a database in this form.
    pub fn texts(self) -> Texts {
        match self.page {
            Some(page) if !self.or_utf8 => Texts::new(Charset::Single(page), page),
            Some(page) => Texts::new(Charset::Auto, page),
            None => Texts::new(Charset::Utf8, WINDOWS_1252),
        }
    }
}

/// Refuses the character sets of DOS: the format began with Windows.
///
/// # Errors
/// [`ErrorKind::Unsupported`](tabia_core::ErrorKind::Unsupported).
pub fn require_windows(charset: Charset) -> Result<()> {
    match charset {
        Charset::Dos(set) => Err(Error::unsupported(format!(
            "its texts are in UTF-8 or a character set of Windows, not in {}",
            set.name()
        ))),
        _ => Ok(()),
    }
}

/// The character set of a database's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texts {
    charset: Charset,
    page: &'static Encoding,
}

impl Texts {
    /// The texts of a database opened with `charset`; `page` is the detected single-byte set, which is
    /// used for [`Charset::Auto`].
    pub fn new(charset: Charset, page: &'static Encoding) -> Self {
        match charset {
            Charset::Auto => Self { charset, page },
            // Sets of DOS are refused before: `require_windows`.
            Charset::Utf8 | Charset::Dos(_) => Self {
                charset: Charset::Utf8,
                page: WINDOWS_1252,
            },
            Charset::Single(page) | Charset::Fallback(page) => Self { charset, page },
        }
    }

    /// The character set that the database was opened with, and the single-byte set.
    pub fn parts(self) -> (Charset, &'static Encoding) {
        (self.charset, self.page)
    }

    /// The single-byte set.
    pub fn page(self) -> &'static Encoding {
        self.page
    }

    /// A description for users, such as `UTF-8 or windows-1252`.
    pub fn describe(self) -> String {
        match self.charset {
            Charset::Single(page) => page.name().to_owned(),
            _ => format!("UTF-8 or {}", self.page.name()),
        }
    }

    /// The single-byte set of a value.
    fn page_of(self, bytes: &[u8]) -> &'static Encoding {
        if self.charset != Charset::Auto {
            return self.page;
        }
        match script(bytes) {
            Script::Cyrillic if self.page == WINDOWS_1252 => WINDOWS_1251,
            Script::Western if self.page == WINDOWS_1251 => WINDOWS_1252,
            _ => self.page,
        }
    }

    /// The character set of a value.
    fn charset_of(self, bytes: &[u8]) -> Charset {
        match self.charset {
            Charset::Single(_) => self.charset,
            _ if std::str::from_utf8(bytes).is_ok() => Charset::Utf8,
            _ => Charset::Fallback(self.page_of(bytes)),
        }
    }

    /// Decodes a text without any marks of its own, such as HTML.
    pub fn verbatim(self, bytes: &[u8]) -> Cow<'_, str> {
        match (self.charset, std::str::from_utf8(bytes)) {
            (Charset::Single(_), _) => decode(bytes, self.charset),
            (_, Ok(text)) => Cow::Borrowed(text),
            (_, Err(_)) => Cow::Owned(decode_mixed(bytes, self.page_of(bytes))),
        }
    }

    /// Decodes a name or other value without line breaks. Private code points in UTF-8 become symbols.
    pub fn plain(self, bytes: &[u8]) -> Cow<'_, str> {
        let text = self.verbatim(bytes);
        if !has_private(&text) || matches!(self.charset, Charset::Single(_)) {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        each_with_neighbours(&text, |before, c, after| {
            out.push(from_private(before, c, after));
        });
        Cow::Owned(out)
    }

    /// The bytes of a field before the first zero, if these are ASCII; `None` for all fields in a chosen
    /// character set.
    #[inline]
    fn ascii_field(self, bytes: &[u8]) -> Option<&str> {
        if matches!(self.charset, Charset::Single(_)) {
            return None;
        }
        let length = ascii_length(bytes)?;
        std::str::from_utf8(bytes.get(..length)?).ok()
    }

    /// Decodes a fixed-size field: the bytes before the first zero. UTF-8 that was cut inside its last
    /// character, because the field is full, loses that character.
    pub fn field(self, bytes: &[u8]) -> Cow<'_, str> {
        if let Some(text) = self.ascii_field(bytes) {
            return Cow::Borrowed(text);
        }
        let text = until_zero(bytes);
        if text.len() + 4 > bytes.len()
            && !matches!(self.charset, Charset::Single(_))
            && let Err(error) = std::str::from_utf8(text)
            && error.error_len().is_none()
            && let Some(complete) = text.get(..error.valid_up_to())
            && !complete.is_ascii()
        {
            return self.plain(complete);
        }
        self.plain(text)
    }

    /// Whether bytes are decoded as this text, see [`Texts::text`].
    pub fn is_text(self, bytes: &[u8], language: u8, text: &str) -> bool {
        let mut decoded = String::with_capacity(text.len());
        self.text(bytes, language, &mut decoded);
        decoded == text
    }

    /// Decodes a text with symbols, line breaks and diagram marks, and appends it to `out`.
    /// `language` is the nation number of a comment's language, 0 for any.
    pub fn text(self, bytes: &[u8], language: u8, out: &mut String) {
        let marks = Marks::of(bytes);
        let page = match self.charset_of(bytes) {
            Charset::Single(page) | Charset::Fallback(page) => page,
            Charset::Auto | Charset::Utf8 | Charset::Dos(_) => {
                let text = std::str::from_utf8(bytes).unwrap_or_default();
                utf8_text(text, marks, out);
                return;
            }
        };
        let has_sequences = !matches!(self.charset, Charset::Single(_));
        let is_western = page == WINDOWS_1252;
        let mut at = 0;
        // Runs of bytes that are only letters are decoded together.
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let is_special = |byte: u8| {
                is_special(byte, is_western) || has_sequences && matches!(byte, 0xc2..=0xf4)
            };
            let plain = rest.iter().position(|&byte| is_special(byte));
            let (letters, rest) = rest
                .split_at_checked(plain.unwrap_or(rest.len()))
                .unwrap_or_default();
            if !letters.is_empty() {
                out.push_str(&decode(letters, Charset::Single(page)));
            }
            at += letters.len();
            let Some(&byte) = rest.first() else {
                break;
            };
            if has_sequences && let Some((c, length)) = utf8_sequence(rest, page) {
                match c {
                    DIAGRAM_SIGN if !marks.literal => out.push_str(DIAGRAM),
                    c => out.push(from_private(' ', c, ' ')),
                }
                at += length;
                continue;
            }
            let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
            let after = rest.get(1).copied();
            match byte {
                0x04 if !marks.literal => out.push_str(DIAGRAM),
                0x9e if is_western && !marks.literal && !marks.old => out.push_str(DIAGRAM),
                b'\r' | b'\n' => line_break(
                    char::from(byte),
                    before.map_or('\0', char::from),
                    after.map(char::from),
                    marks.crlf,
                    out,
                ),
                byte => match symbol(byte, before, after, language, is_western) {
                    Some(symbol) => out.push(symbol),
                    None => out.push_str(&decode(&[byte], Charset::Single(page))),
                },
            }
            at += 1;
        }
    }
}

/// The symbol of a byte in a single-byte text; `None` if it is a letter there. Both are encoded as this
/// byte again.
fn symbol(
    byte: u8,
    before: Option<u8>,
    after: Option<u8>,
    language: u8,
    is_western: bool,
) -> Option<char> {
    let letter = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphabetic() || b >= 0xc0);
    let symbol = symbol_of(byte)?;
    let is_letter = if is_western {
        match byte {
            0x92 => letter(before) && letter(after),
            0xaa | 0xba => before.is_some_and(|b| b.is_ascii_alphanumeric()),
            0xab | 0xbb => language == FRENCH,
            0xb0 => before.is_some_and(|b| b.is_ascii_digit()) && after == Some(b'C'),
            0xfe => language == ICELANDIC,
            _ => false,
        }
    } else {
        // In other sets most of these bytes are letters; pieces are recognized by the square that
        // follows.
        !(matches!(byte, 0xa2..=0xa7)
            && after.is_some_and(|b| matches!(b, b'a'..=b'h' | b'1'..=b'8' | b'x')))
    };
    (!is_letter).then_some(symbol)
}

/// Properties of a text that decide how its marks are read.
#[derive(Debug, Clone, Copy)]
struct Marks {
    /// Has a literal `[#]`; then its control bytes are no diagram marks.
    literal: bool,
    /// Has the older control byte.
    old: bool,
    /// Has both carriage returns and line feeds; then those outside CR LF stay distinct.
    crlf: bool,
}

impl Marks {
    fn of(bytes: &[u8]) -> Self {
        let old = memchr::memchr(0x04, bytes).is_some();
        let sign = || memchr::memmem::find(bytes, "\u{e005}".as_bytes()).is_some();
        let any = old || memchr::memchr(0x9e, bytes).is_some() || sign();
        Self {
            literal: any && memchr::memmem::find(bytes, DIAGRAM.as_bytes()).is_some(),
            old,
            crlf: memchr::memchr(b'\r', bytes).is_some() && memchr::memchr(b'\n', bytes).is_some(),
        }
    }
}

fn utf8_text(text: &str, marks: Marks, out: &mut String) {
    let is_plain = |byte: u8| byte.is_ascii() && !matches!(byte, b'\r' | b'\n' | 0x04);
    if text.bytes().all(is_plain) {
        out.push_str(text);
        return;
    }
    each_with_neighbours(text, |before, c, after| match c {
        '\u{4}' | DIAGRAM_SIGN if !marks.literal => out.push_str(DIAGRAM),
        '\r' | '\n' => {
            let after = (after != '\0').then_some(after);
            line_break(c, before, after, marks.crlf, out);
        }
        c => out.push(from_private(before, c, after)),
    });
}

/// Calls `visit` for each character with those before and after it, `\0` at the ends.
fn each_with_neighbours(text: &str, mut visit: impl FnMut(char, char, char)) {
    let mut before = '\0';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        visit(before, c, rest.peek().copied().unwrap_or_default());
        before = c;
    }
}

/// Whether a byte of a single-byte text may be something else than its letter.
fn is_special(byte: u8, is_western: bool) -> bool {
    match byte {
        0x04 | b'\r' | b'\n' | 0xa2..=0xa7 => true,
        0x80.. => is_western && WESTERN_SPECIAL[usize::from(byte & 0x7f)],
        _ => false,
    }
}

/// The bytes from 0x80 that are symbols in windows-1252 texts, and the diagram mark.
const WESTERN_SPECIAL: [bool; 128] = {
    let mut special = [false; 128];
    special[0x1e] = true;
    let mut i = 0;
    while i < SYMBOLS.len() {
        special[(SYMBOLS[i].0 & 0x7f) as usize] = true;
        i += 1;
    }
    special
};

const FRENCH: u8 = 49;
const ICELANDIC: u8 = 63;

/// Encodes a text in the given form and appends it. `language` is that of [`Texts::text`]. `false` if the
/// text is read differently again: a character is outside the set and became `?`, or means something else
/// there.
pub fn encode_text(text: &str, language: u8, form: TextForm, out: &mut Vec<u8>) -> bool {
    // Nothing that has a meaning of its own.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'Z' | b'\\'..=b'~');
    if text.bytes().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        return true;
    }
    let start = out.len();
    let is_read_again = |bytes: &[u8], texts: Texts| {
        let mut again = String::with_capacity(text.len());
        texts.text(bytes, language, &mut again);
        again == text
    };
    match form.page {
        Some(page) if !form.or_utf8 => {
            let is_complete = encode_in_page(text, page, form, out);
            let bytes = out.get(start..).unwrap_or_default();
            is_complete && is_read_again(bytes, form.texts())
        }
        Some(page) => {
            let is_complete = encode_in_page(text, page, form, out);
            let bytes = out.get(start..).unwrap_or_default();
            // The set of the database may be detected as either.
            let is_exact = [WINDOWS_1252, WINDOWS_1251, page]
                .iter()
                .all(|page| is_read_again(bytes, Texts::new(Charset::Auto, page)));
            if is_complete && is_exact {
                return true;
            }
            out.truncate(start);
            let form = TextForm { page: None, ..form };
            encode_text(text, language, form, out)
        }
        None => {
            encode_in_utf8(text, form, out);
            is_read_again(out.get(start..).unwrap_or_default(), form.texts())
        }
    }
}

/// Splits off a leading diagram mark or the first character.
fn next_part(text: &str) -> Option<(Option<char>, &str)> {
    if let Some(rest) = text.strip_prefix(DIAGRAM) {
        return Some((None, rest));
    }
    let mut chars = text.chars();
    Some((Some(chars.next()?), chars.as_str()))
}

fn encode_in_utf8(text: &str, form: TextForm, out: &mut Vec<u8>) {
    let mut before = '\0';
    let mut rest = text;
    while let Some((c, after)) = next_part(rest) {
        rest = after;
        match c {
            None => out.extend_from_slice(form.diagram),
            Some('\n') => out.extend_from_slice(form.line_break),
            Some(LONE_LINE_FEED) => out.push(b'\n'),
            Some(c) => {
                let private = to_private(c);
                let following = after.chars().next().unwrap_or_default();
                // Between Cyrillic letters the code point would be one of them.
                let stored = if from_private(before, private, following) == c {
                    private
                } else {
                    c
                };
                out.extend_from_slice(stored.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        before = c.unwrap_or_default();
    }
}

/// As [`encode_text`], in a single-byte set. `false` if a character is outside it.
fn encode_in_page(text: &str, page: &'static Encoding, form: TextForm, out: &mut Vec<u8>) -> bool {
    let mut is_complete = true;
    let mut rest = text;
    while let Some((c, after)) = next_part(rest) {
        rest = after;
        match c {
            None => out.extend_from_slice(form.diagram),
            Some('\n') => out.extend_from_slice(form.line_break),
            Some(LONE_LINE_FEED) => out.push(b'\n'),
            Some(c) if c.is_ascii() => out.push(c as u8),
            Some(c) => {
                if let Some(byte) = symbol_byte(c) {
                    out.push(byte);
                    continue;
                }
                let mut buffer = [0; 4];
                let (bytes, _, failed) = page.encode(c.encode_utf8(&mut buffer));
                if failed {
                    is_complete = false;
                    out.push(b'?');
                } else {
                    out.extend_from_slice(&bytes);
                }
            }
        }
    }
    is_complete
}

/// Encodes a text for [`Texts::plain`], without line breaks, and appends it. `false` if the text is read
/// differently again.
pub fn encode_plain(text: &str, form: TextForm, out: &mut Vec<u8>) -> bool {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
        return true;
    }
    let is_read_again = |bytes: &[u8], texts: Texts| texts.plain(bytes) == text;
    match form.page {
        Some(page) if !form.or_utf8 => {
            let (bytes, is_complete) = encode(text, Charset::Single(page));
            out.extend_from_slice(&bytes);
            is_complete
        }
        Some(page) => {
            let (bytes, is_complete) = encode(text, Charset::Single(page));
            let is_exact = [WINDOWS_1252, WINDOWS_1251, page]
                .iter()
                .all(|page| is_read_again(&bytes, Texts::new(Charset::Auto, page)));
            if is_complete && is_exact {
                out.extend_from_slice(&bytes);
                return true;
            }
            encode_plain(text, TextForm { page: None, ..form }, out)
        }
        None => {
            out.extend_from_slice(text.as_bytes());
            is_read_again(text.as_bytes(), form.texts())
        }
    }
}

/// The number of bytes before the first zero, if these are ASCII. `None` if they are not, and for some
/// fields with other bytes after the zero.
#[inline]
pub fn ascii_length(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut length = 0;
    for word in words {
        let word = U64::from_bytes(*word).get();
        if word & HIGH != 0 {
            return None;
        }
        // Of ASCII bytes, exactly the zeros become negative.
        let zeros = !(word + (HIGH - LOW)) & HIGH;
        if zeros != 0 {
            return Some(length + (zeros.trailing_zeros() / 8) as usize);
        }
        length += 8;
    }
    let zero = rest.iter().position(|&byte| byte == 0);
    let rest = rest.get(..zero.unwrap_or(rest.len()))?;
    rest.is_ascii().then_some(length + rest.len())
}

/// The bytes before the first zero.
pub fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

fn line_break(c: char, before: char, after: Option<char>, has_crlf: bool, out: &mut String) {
    match c {
        '\r' if after == Some('\n') => {}
        '\n' if before == '\r' || !has_crlf => out.push('\n'),
        '\n' => out.push(LONE_LINE_FEED),
        '\r' if has_crlf => out.push('\r'),
        _ => out.push('\n'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(charset: Charset) -> Texts {
        Texts::new(charset, WINDOWS_1252)
    }

    #[test]
    fn ascii_fields_end_at_the_first_zero() {
        let mut random = tabia_testkit::Random::new(4);
        let mut seen = [0; 2];
        for round in 0..4000 {
            let size = random.below(40);
            let mut bytes: Vec<u8> = (0..size).map(|_| 1 + random.below(127) as u8).collect();
            if size > 0 {
                let at = random.below(size);
                let byte = [0, 0x80, b'a'][round % 3];
                bytes[at] = byte;
            }
            let text = until_zero(&bytes);
            let expected = text.is_ascii().then_some(text.len());
            assert_eq!(ascii_length(&bytes), expected, "{bytes:?}");
            seen[usize::from(expected.is_some())] += 1;
            assert_eq!(
                texts(Charset::Auto).field(&bytes).is_ascii(),
                text.is_ascii()
            );
        }
        assert!(seen.iter().all(|&count| count > 100));
    }

    fn read(texts: Texts, bytes: &[u8], language: u8) -> String {
        let mut out = String::new();
        texts.text(bytes, language, &mut out);
        out
    }

    /// Whether `bytes` round trip in some form.
    fn round_trips(texts: Texts, bytes: &[u8], language: u8) -> bool {
        let text = read(texts, bytes, language);
        TextForm::all(texts.page()).any(|form| {
            let mut out = Vec::new();
            encode_text(&text, language, form, &mut out) && out == bytes
        })
    }

    #[test]
    fn every_single_byte_round_trips() {
        for name in ["cp1252", "cp1251", "cp1250"] {
            let texts = texts(Charset::parse(name).unwrap());
            for byte in 1..=255 {
                for language in [0, FRENCH, ICELANDIC] {
                    let bytes = [b'a', byte, b'e', byte, b'4'];
                    assert!(round_trips(texts, &bytes, language), "{name} {byte:#x}");
                }
            }
        }
    }

    #[test]
    fn symbols_in_texts_are_decoded() {
        let auto = texts(Charset::Auto);
        assert_eq!(
            read(auto, b"\x85 \xa4xe5\xb5 Z\xfcrich", 0),
            "∆ ♘xe5∓ Zürich"
        );
        assert_eq!(read(auto, b"don\x92t", 42), "don’t");
        assert_eq!(read(auto, "Zürich \u{e026}e1".as_bytes(), 0), "Zürich ♖e1");
        assert_eq!(read(auto, b"1\r\n2\x04", 0), "1\n2[#]");
        assert_eq!(read(auto, b"\x9e\xfc", 0), "[#]ü");
        for bytes in [
            &b"1\r\n2\n3\r4"[..],
            b"a\nb",
            b"a\rb\r",
            b"\x04\x9e",
            b"[#]\x04",
            "\u{e00d}\u{e028}f3".as_bytes(),
        ] {
            assert!(round_trips(auto, bytes, 0), "{bytes:x?}");
        }
    }

    #[test]
    fn values_may_be_in_another_set_than_the_database() {
        let western = texts(Charset::Auto);
        let russian = Texts::new(Charset::Auto, WINDOWS_1251);
        let (bytes, ..) = WINDOWS_1251.encode("Сильно");
        assert_eq!(read(western, &bytes, 0), "Сильно");
        assert_eq!(western.plain(&bytes), "Сильно");
        assert_eq!(russian.plain(b"M\xfcller"), "Müller");
        assert_eq!(
            read(western, b"gut f\xfcr \xee\x80\xa8f3\xe2\x80\xa6", 0),
            "gut für ♘f3…"
        );
        // A set that the user chose is believed.
        let chosen = texts(Charset::parse("cp1252").unwrap());
        assert_eq!(chosen.plain(&bytes), "Ñèëüíî");
    }

    #[test]
    fn names_have_symbols() {
        let auto = texts(Charset::Auto);
        assert_eq!(auto.plain("Кл\u{e008}ев".as_bytes()), "Клюев");
        assert_eq!(auto.plain("\u{e024}+\u{e029}".as_bytes()), "♔+♙");
        let html = "<p>\u{e024}</p>";
        assert_eq!(auto.verbatim(html.as_bytes()), html);
    }

    #[test]
    fn a_character_cut_at_the_end_of_a_field_is_left_out() {
        let mut field = [0; 30];
        let name = "Ж".repeat(15);
        field[..29].copy_from_slice(&name.as_bytes()[..29]);
        let auto = texts(Charset::Auto);
        assert_eq!(auto.field(&field), "Ж".repeat(14));
        // In a short text the last byte is a letter of the single-byte set.
        assert_eq!(auto.field(b"\xd0\x96\xd0\0\0\0\0\0"), "ЖÐ");
        assert_eq!(auto.field(b"Andr\xe9\0"), "André");
    }

    #[test]
    fn texts_that_are_read_differently_are_reported() {
        let exact = |text: &str, form: TextForm| encode_text(text, 0, form, &mut Vec::new());
        for text in ["plain", "a\nb", "∆ ♘f3 [#]", "л∞е", "± × …"] {
            assert!(exact(text, TextForm::UTF8), "{text}");
        }
        for text in ["\u{4}", "\u{e024}", "a\rb", "[#]\u{e005}"] {
            assert!(!exact(text, TextForm::UTF8), "{text:?}");
        }
        let western = TextForm::of(Charset::Single(WINDOWS_1252));
        assert!(exact("für ♘f3", western));
        // This quotation mark has the byte of a symbol.
        assert!(!exact("‚x", western) && !exact("Ж", western));
        let either = TextForm::of(Charset::Fallback(WINDOWS_1252));
        for text in ["für", "‚x", "Ж", "Žlebcík", "Сильно"] {
            assert!(exact(text, either), "{text}");
        }
        let mut out = Vec::new();
        encode_text("für", 0, either, &mut out);
        assert_eq!(out, b"f\xfcr");
    }

    #[test]
    fn signs_of_utf8_texts_are_written_again() {
        // A symbol and a private code point in one text.
        let auto = texts(Charset::Auto);
        for text in ["♘\u{e000}", "\u{e005}x", "\u{e004}\u{e02e}", "[#]\u{e00a}"] {
            let once = read(auto, text.as_bytes(), 0);
            let mut out = Vec::new();
            assert!(encode_text(&once, 0, TextForm::UTF8, &mut out), "{text:?}");
            assert_eq!(read(auto, &out, 0), once, "{text:?}");
        }
    }
}
