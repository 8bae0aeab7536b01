//! Decodes and encodes texts: their character set, and the ChessBase symbols in them.
//!
//! No file states the character set. A value that is valid UTF-8 is UTF-8; any other is in a
//! single-byte set that is chosen for the database (FORMAT.md § Texts).

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};
use tabia_core::io::{Charset, decode, encode};

/// A byte of the ChessBase font, its Unicode symbol, and its private code point in UTF-8 texts of
/// ChessBase (0 if unknown). Names from scidb, code points measured by cbvault on ChessBase's own
/// export.
const SYMBOLS: &[(u8, char, u32)] = &[
    (0x82, '\u{2192}', 0xe013), // attack
    (0x83, '\u{2191}', 0xe012), // initiative
    (0x84, '\u{21c6}', 0xe017), // counterplay
    (0x85, '\u{2206}', 0xe00d), // with the idea
    (0x86, '\u{25cb}', 0xe023), // space
    (0x87, '\u{2a00}', 0xe01d), // zugzwang
    (0x89, '\u{e02d}', 0xe02d), // no name
    (0x90, '\u{27f3}', 0),      // development
    (0x91, '\u{21d4}', 0xe018), // line
    (0x92, '\u{21d7}', 0xe019), // diagonal
    (0x93, '\u{2295}', 0xe01c), // time trouble
    (0x94, '\u{229e}', 0xe01e), // centre
    (0x99, '\u{25a1}', 0xe021), // only move
    (0xa2, '\u{2654}', 0xe024), // king
    (0xa3, '\u{2655}', 0xe025), // queen
    (0xa4, '\u{2658}', 0xe028), // knight
    (0xa5, '\u{2657}', 0xe027), // bishop
    (0xa6, '\u{2656}', 0xe026), // rook
    (0xa7, '\u{2659}', 0xe029), // pawn
    (0xaa, '\u{221f}', 0xe01b), // with
    (0xab, '\u{27ea}', 0xe00e), // queenside
    (0xac, '\u{27c2}', 0xe01f), // endgame
    (0xad, '\u{e001}', 0xe001), // bishop pair
    (0xae, '\u{e002}', 0xe002), // opposite bishops
    (0xaf, '\u{e003}', 0xe003), // bishops of the same colour
    (0xb0, '\u{2bf9}', 0xe000), // with compensation
    (0xb2, '\u{2a72}', 0xe02f), // White slightly better
    (0xb3, '\u{2a71}', 0xe02e), // Black slightly better
    (0xb5, '\u{2213}', 0xe01a), // Black better
    (0xb9, '\u{2313}', 0xe020), // better is
    (0xba, '\u{2bfe}', 0),      // without
    (0xbb, '\u{27eb}', 0xe00f), // kingside
    (0xf7, '\u{221e}', 0xe009), // unclear
    (0xfe, '\u{2bfd}', 0xe008), // passed pawn
];

/// The symbol with the lowest code point.
const FIRST_SYMBOL: char = '\u{2191}';
/// The private code points.
const PRIVATE: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{e02f}';

/// The diagram mark of PGN and of the game model.
const DIAGRAM: &str = "[#]";
/// Represents a lone line feed in a text with CR LF line breaks.
const LONE_LINE_FEED: char = '\u{2028}';

/// The character set of a text, and its bytes for marks that the game model writes in one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextForm {
    /// The single-byte character set; `None` for UTF-8.
    pub page: Option<&'static Encoding>,
    /// The bytes for a diagram mark.
    pub diagram: &'static [u8],
    /// The bytes for a line break.
    pub line_break: &'static [u8],
}

impl TextForm {
    /// The form that newer versions of ChessBase write.
    pub const UTF8: TextForm = TextForm {
        page: None,
        diagram: b"\x04",
        line_break: b"\r\n",
    };

    /// All combinations that occur, for a given single-byte set.
    pub fn all(page: &'static Encoding) -> impl Iterator<Item = TextForm> {
        let diagrams: [&'static [u8]; 3] = [b"\x04", b"\x9e", b"[#]"];
        let breaks: [&'static [u8]; 3] = [b"\r\n", b"\n", b"\r"];
        [None, Some(page)].into_iter().flat_map(move |page| {
            diagrams.into_iter().flat_map(move |diagram| {
                breaks.into_iter().map(move |line_break| TextForm {
                    page,
                    diagram,
                    line_break,
                })
            })
        })
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
            Charset::Utf8 => Self {
                charset,
                page: WINDOWS_1252,
            },
            Charset::Single(page) | Charset::Fallback(page) => Self { charset, page },
        }
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

    fn charset_of(self, bytes: &[u8]) -> Charset {
        match self.charset {
            Charset::Single(_) => self.charset,
            _ if std::str::from_utf8(bytes).is_ok() => Charset::Utf8,
            _ => Charset::Single(self.page),
        }
    }

    /// Decodes a name or other value without symbols and line breaks.
    pub fn plain(self, bytes: &[u8]) -> Cow<'_, str> {
        match (self.charset, std::str::from_utf8(bytes)) {
            (Charset::Single(_), _) => decode(bytes, self.charset),
            (_, Ok(text)) => Cow::Borrowed(text),
            (_, Err(_)) => decode(bytes, Charset::Single(self.page)),
        }
    }

    /// Decodes a fixed-size field: the bytes before the first zero.
    pub fn field(self, bytes: &[u8]) -> Cow<'_, str> {
        self.plain(until_zero(bytes))
    }

    /// Decodes a text with symbols, line breaks and diagram marks, and appends it to `out`.
    /// `language` is the nation number of a comment's language, 0 for any.
    pub fn text(self, bytes: &[u8], language: u8, out: &mut String) {
        let marks = Marks::of(bytes);
        if self.charset_of(bytes) == Charset::Utf8 {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            utf8_text(text, marks, out);
            return;
        }
        let is_western = self.page == WINDOWS_1252;
        let mut at = 0;
        // Runs of bytes that are only letters are decoded together.
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let is_special = |&byte: &u8| is_special(byte, is_western);
            let plain = rest.iter().position(is_special).unwrap_or(rest.len());
            let (letters, rest) = rest.split_at_checked(plain).unwrap_or_default();
            if !letters.is_empty() {
                out.push_str(&decode(letters, Charset::Single(self.page)));
            }
            at += plain;
            let Some(&byte) = rest.first() else {
                break;
            };
            let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
            let after = rest.get(1).copied();
            match byte {
                0x04 if !marks.literal => out.push_str(DIAGRAM),
                0x9e if !marks.literal && !marks.old => out.push_str(DIAGRAM),
                b'\r' | b'\n' => line_break(
                    char::from(byte),
                    before.map_or('\0', char::from),
                    after.map(char::from),
                    marks.crlf,
                    out,
                ),
                byte => match self.symbol(byte, before, after, language) {
                    Some(symbol) => out.push(symbol),
                    None => out.push_str(&decode(&[byte], Charset::Single(self.page))),
                },
            }
            at += 1;
        }
    }

    /// The symbol of a byte in a single-byte text; `None` if it is a letter there. Both are encoded
    /// as this byte again.
    fn symbol(self, byte: u8, before: Option<u8>, after: Option<u8>, language: u8) -> Option<char> {
        let letter = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphabetic() || b >= 0xc0);
        let (_, symbol, _) = SYMBOLS
            .iter()
            .find(|(symbol_byte, ..)| *symbol_byte == byte)?;
        let is_letter = if self.page == WINDOWS_1252 {
            match byte {
                0x92 => letter(before) && letter(after),
                0xaa | 0xba => before.is_some_and(|b| b.is_ascii_alphanumeric()),
                0xab | 0xbb => language == FRENCH,
                0xb0 => before.is_some_and(|b| b.is_ascii_digit()) && after == Some(b'C'),
                0xfe => language == ICELANDIC,
                _ => false,
            }
        } else {
            // In other sets most of these bytes are letters; pieces are recognized by the square
            // that follows.
            !(matches!(byte, 0xa2..=0xa7)
                && after.is_some_and(|b| matches!(b, b'a'..=b'h' | b'1'..=b'8' | b'x')))
        };
        (!is_letter).then_some(*symbol)
    }
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
        let any = old || memchr::memchr(0x9e, bytes).is_some();
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
    // In a text that contains Unicode symbols, private code points stay unchanged.
    let has_symbols = text.chars().any(|c| symbol_byte(c).is_some());
    let mut before = '\0';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{4}' if !marks.literal => out.push_str(DIAGRAM),
            '\r' | '\n' => line_break(c, before, rest.peek().copied(), marks.crlf, out),
            c if !has_symbols => out.push(from_private(c)),
            c => out.push(c),
        }
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

/// Encodes a text in the given form and appends it. `false` if a character is outside the set and
/// became `?`.
pub fn encode_text(text: &str, form: TextForm, out: &mut Vec<u8>) -> bool {
    let mut is_lossless = true;
    let mut rest = text;
    let mut buffer = [0; 4];
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(DIAGRAM) {
            out.extend_from_slice(form.diagram);
            rest = after;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match (c, form.page) {
            ('\n', _) => out.extend_from_slice(form.line_break),
            (LONE_LINE_FEED, _) => out.push(b'\n'),
            (c, None) => {
                let private = to_private(c);
                out.extend_from_slice(private.encode_utf8(&mut buffer).as_bytes());
            }
            (c, Some(page)) => {
                if c.is_ascii() {
                    out.push(c as u8);
                } else if let Some(byte) = symbol_byte(c) {
                    out.push(byte);
                } else {
                    let (bytes, _, failed) = page.encode(c.encode_utf8(&mut buffer));
                    if failed {
                        is_lossless = false;
                        out.push(b'?');
                    } else {
                        out.extend_from_slice(&bytes);
                    }
                }
            }
        }
    }
    is_lossless
}

/// Encodes a text for [`Texts::plain`], without symbols and line breaks, and appends it. `false` if a
/// character is outside the set and became `?`.
pub fn encode_plain(text: &str, form: TextForm, out: &mut Vec<u8>) -> bool {
    let charset = form.page.map_or(Charset::Utf8, Charset::Single);
    let (bytes, is_lossless) = encode(text, charset);
    out.extend_from_slice(&bytes);
    is_lossless
}

/// The bytes before the first zero.
pub fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

/// Guesses the single-byte set of a database from values that are not UTF-8: windows-1251 if they
/// are Cyrillic, else windows-1252.
///
/// Cyrillic words are runs of high bytes; Western European ones have single high bytes between
/// ASCII letters. Greek also has runs, but of other letters.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    /// Bytes from 0xc0 next to another such byte.
    runs: u32,
    /// Other bytes from 0xc0.
    alone: u32,
    /// Occurrences of the three most common Cyrillic letters in windows-1251.
    cyrillic: u32,
    /// Occurrences of the three most common Greek letters in windows-1253.
    greek: u32,
}

impl Detector {
    /// Counts the letters of one value.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.is_ascii() || std::str::from_utf8(bytes).is_ok() {
            return;
        }
        let high = |byte: Option<&u8>| byte.is_some_and(|&byte| byte >= 0xc0);
        for (i, &byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte >= 0xc0) {
            let before = i.checked_sub(1).and_then(|i| bytes.get(i));
            if high(before) || high(bytes.get(i + 1)) {
                self.runs += 1;
            } else {
                self.alone += 1;
            }
            match byte {
                0xe0 | 0xe8 | 0xee => self.cyrillic += 1, // а и о
                0xe1 | 0xe9 | 0xef => self.greek += 1,    // α ι ο
                _ => {}
            }
        }
    }

    /// The set that fits the counted letters.
    pub fn page(&self) -> &'static Encoding {
        let is_cyrillic = self.runs >= 12
            && self.runs > self.alone.saturating_mul(4)
            && self.cyrillic > self.greek.saturating_mul(2);
        if is_cyrillic {
            WINDOWS_1251
        } else {
            WINDOWS_1252
        }
    }
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

fn symbol_byte(c: char) -> Option<u8> {
    if c < FIRST_SYMBOL {
        return None;
    }
    let found = SYMBOLS.iter().find(|(_, symbol, _)| *symbol == c);
    found.map(|(byte, ..)| *byte)
}

fn from_private(c: char) -> char {
    if !PRIVATE.contains(&c) {
        return c;
    }
    let found = SYMBOLS
        .iter()
        .find(|(_, _, private)| *private != 0 && *private == u32::from(c));
    found.map_or(c, |(_, symbol, _)| *symbol)
}

fn to_private(c: char) -> char {
    if c < FIRST_SYMBOL {
        return c;
    }
    let found = SYMBOLS
        .iter()
        .find(|(_, symbol, private)| *symbol == c && *private != 0);
    found
        .and_then(|(_, _, private)| char::from_u32(*private))
        .unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(charset: Charset) -> Texts {
        Texts::new(charset, WINDOWS_1252)
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
            encode_text(&text, form, &mut out) && out == bytes
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
    fn symbol_tables_are_consistent() {
        for (byte, symbol, private) in SYMBOLS {
            assert!(*symbol >= FIRST_SYMBOL, "{symbol}");
            assert_eq!(symbol_byte(*symbol), Some(*byte));
            if *private != 0 {
                assert_eq!(from_private(char::from_u32(*private).unwrap()), *symbol);
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
    fn detector_distinguishes_cyrillic_from_western_and_greek() {
        let page = |values: &[&[u8]]| {
            let mut detector = Detector::default();
            for value in values {
                detector.add(value);
            }
            detector.page().name()
        };
        let (russian, ..) = WINDOWS_1251.encode("Хорошая позиция, но белые сильнее");
        assert_eq!(page(&[&russian]), "windows-1251");
        let (german, ..) = WINDOWS_1252.encode("große Überraschung für Weiß, natürlich häßlich");
        assert_eq!(
            page(&[&german, b"M\xfcller", b"\xd6\xdfterreich"]),
            "windows-1252"
        );
        let (greek, ..) = encoding_rs::WINDOWS_1253.encode("Η λευκή βασίλισσα είναι πολύ δυνατή");
        assert_eq!(page(&[&greek]), "windows-1252");
        assert_eq!(page(&["Хорошая позиция".as_bytes()]), "windows-1252");
    }
}
