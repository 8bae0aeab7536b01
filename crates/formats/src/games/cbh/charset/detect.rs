//! Guesses single-byte character sets from the letters of texts.

use encoding_rs::{Encoding, WINDOWS_1251, WINDOWS_1252};

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
    /// Letters of words of high bytes only, and of words that have other letters too.
    cyrillic_words: u32,
    western_words: u32,
}

/// Letters next to others from which on their numbers decide.
const MANY_RUNS: u32 = 12;

impl Detector {
    /// Counts the letters of one value.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.is_ascii() || std::str::from_utf8(bytes).is_ok() {
            return;
        }
        let (cyrillic, western) = letters_of_words(bytes);
        self.cyrillic_words = self.cyrillic_words.saturating_add(cyrillic as u32);
        self.western_words = self.western_words.saturating_add(western as u32);
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
        let is_cyrillic = if self.runs < MANY_RUNS {
            // A few names: no word may speak for Western letters.
            self.cyrillic_words > 0
                && self.western_words == 0
                && self.cyrillic >= self.greek.saturating_mul(2)
        } else {
            self.runs > self.alone.saturating_mul(4) && self.cyrillic > self.greek.saturating_mul(2)
        };
        if is_cyrillic {
            WINDOWS_1251
        } else {
            WINDOWS_1252
        }
    }
}

/// The script of one value in a single-byte set, if its words show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Words of high bytes only, as in windows-1251.
    Cyrillic,
    /// High bytes inside words of ASCII letters, as in windows-1252.
    Western,
    /// Too few letters, or both.
    Unclear,
}

/// The script of a value: words of at least two letters with high bytes count with their lengths.
pub(super) fn script(bytes: &[u8]) -> Script {
    let (cyrillic, western) = letters_of_words(bytes);
    if cyrillic >= 3 && cyrillic > western {
        Script::Cyrillic
    } else if western >= 3 && western > cyrillic {
        Script::Western
    } else {
        Script::Unclear
    }
}

/// The letters of the words of high bytes only, and of the words of both kinds of letters. Words of one letter and
/// moves do not count.
fn letters_of_words(bytes: &[u8]) -> (usize, usize) {
    let is_high = |byte: u8| byte >= 0xc0 || matches!(byte, 0xa8 | 0xb8);
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || is_high(*byte);
    let (mut cyrillic, mut western) = (0_usize, 0_usize);
    for word in bytes.split(|byte| !is_letter(byte)) {
        let high = word.iter().filter(|byte| is_high(**byte)).count();
        if high == 0 || word.len() < 2 {
            continue;
        }
        // A piece letter and a file: `Кf3`.
        let is_move = high == 1
            && word.len() <= 3
            && matches!(word, [0xc0..=0xdf, rest @ ..]
                if rest.iter().all(|byte| matches!(byte, b'a'..=b'h' | b'x')));
        if high == word.len() {
            cyrillic += high;
        } else if !is_move {
            western += word.len();
        }
    }
    (cyrillic, western)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Sets of a few names.
        let name = |text| WINDOWS_1251.encode(text).0;
        assert_eq!(page(&[&name("Ли"), &name("Матч")]), "windows-1251");
        assert_eq!(page(&[&name("Ким"), b"M\xfcller"]), "windows-1252");
        assert_eq!(page(&[&name("Ш")]), "windows-1252");
        assert_eq!(page(&[b"\xdc", b"\xe9", b"Caf\xe9"]), "windows-1252");
        let (greek, ..) = encoding_rs::WINDOWS_1253.encode("Καλή θέση");
        assert_eq!(page(&[&greek]), "windows-1252");
    }

    #[test]
    fn words_show_the_script_of_a_value() {
        let in_1251 = |text: &str| script(&WINDOWS_1251.encode(text).0);
        let in_1252 = |text: &str| script(&WINDOWS_1252.encode(text).0);
        for text in ["Сильно", "и Кf3 не помогало", "Лd1! с идеей Лd7"] {
            assert_eq!(in_1251(text), Script::Cyrillic, "{text}");
        }
        for text in [
            "Übermäßig",
            "Größe",
            "créée",
            "Jääskeläinen",
            "gut für Weiß, öß",
        ] {
            assert_eq!(in_1252(text), Script::Western, "{text}");
        }
        for text in ["é", "à 5", "çà", "", "Ü"] {
            assert_eq!(in_1252(text), Script::Unclear, "{text}");
        }
        assert_eq!(in_1251("Лd1"), Script::Unclear);
    }
}
