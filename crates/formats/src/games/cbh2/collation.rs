//! The order of texts in `.2lcd`: without regard to case, accents only between texts that are otherwise
//! equal; symbols, digits, letters, as Windows sorts them.

/// Characters that are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignored {
    Nothing,
    Apostrophes,
    ApostrophesAndHyphens,
}

impl Ignored {
    const fn has(self, c: char) -> bool {
        match self {
            Self::Nothing => false,
            Self::Apostrophes => c == '\'',
            Self::ApostrophesAndHyphens => matches!(c, '\'' | '-'),
        }
    }
}

/// Appends bytes that are ordered as the texts. They end with zeros, so that others can follow.
pub(super) fn push(text: &[u8], ignored: Ignored, key: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    let compared = || text.chars().filter(|c| !ignored.has(*c));
    for c in compared() {
        let (base, _) = without_accent(c);
        for c in base.chars().flat_map(char::to_lowercase) {
            push_primary(c, key);
        }
        if base.is_empty() {
            for c in c.to_lowercase() {
                push_primary(c, key);
            }
        }
    }
    key.push(0);
    for c in compared() {
        let (_, accent) = without_accent(c);
        key.push(1 + accent);
    }
    key.push(0);
}

/// Classes of characters, as first bytes.
const SYMBOL: u8 = 0x02;
const OTHER_SYMBOL: u8 = 0x3f;
const DIGIT: u8 = 0x40;
const LETTER: u8 = 0x50;
const OTHER_LETTER: u8 = 0xe0;
const FIGURINE: u8 = 0xf0;

fn push_primary(c: char, key: &mut Vec<u8>) {
    let encode = |class: u8, key: &mut Vec<u8>| {
        key.push(class);
        key.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    };
    match c {
        '0'..='9' => key.push(DIGIT + (c as u8 - b'0')),
        'a'..='z' => key.push(LETTER + (c as u8 - b'a')),
        // After all other punctuation.
        '+' | '<' | '=' | '>' => key.extend([SYMBOL + 0x38, c as u8]),
        '\0'..='\x7f' => {
            let number = match c as u8 {
                c @ 0..=0x1f => c / 2,
                c @ 0x20..=0x2f => c - 0x10,
                c @ 0x30..=0x40 => c - 0x1a,
                c @ 0x41..=0x60 => c - 0x34,
                c => c - 0x4e,
            };
            key.push(SYMBOL + number);
        }
        '\u{e024}'..='\u{e029}' => encode(FIGURINE, key),
        c if c.is_alphabetic() => encode(OTHER_LETTER, key),
        _ => encode(OTHER_SYMBOL, key),
    }
}

/// The letters of a Latin letter with an accent, and a number of the accent from 1; nothing and 0 for other
/// characters.
fn without_accent(c: char) -> (&'static str, u8) {
    if !('\u{c0}'..='\u{17f}').contains(&c) {
        return ("", 0);
    }
    let found = ACCENTED.iter().find_map(|(base, accented)| {
        let lower = c.to_lowercase().next().unwrap_or(c);
        let at = accented.chars().position(|other| other == lower)?;
        Some((*base, at as u8 + 1))
    });
    found.unwrap_or(("", 0))
}

/// Latin letters with accents, in lower case, by the letters that they are compared as.
const ACCENTED: [(&str, &str); 25] = [
    ("a", "àáâãäåāăą"),
    ("ae", "æ"),
    ("c", "çćĉċč"),
    ("d", "ďđð"),
    ("e", "èéêëēĕėęě"),
    ("g", "ĝğġģ"),
    ("h", "ĥħ"),
    ("i", "ìíîïĩīĭįı"),
    ("ij", "ĳ"),
    ("j", "ĵ"),
    ("k", "ķĸ"),
    ("l", "ĺļľŀł"),
    ("n", "ñńņňŉŋ"),
    ("o", "òóôõöøōŏő"),
    ("oe", "œ"),
    ("r", "ŕŗř"),
    ("s", "śŝşšſ"),
    ("ss", "ß"),
    ("t", "ţťŧ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűų"),
    ("w", "ŵ"),
    ("y", "ýÿŷ"),
    ("z", "źżž"),
    ("i", "\u{130}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_the_order_of_windows() {
        for (ignored, texts) in [
            (
                Ignored::Nothing,
                &[
                    "",
                    " a",
                    "BYE1/2",
                    "BYE1+",
                    "C'CHARTRES",
                    "Caballos",
                    "cifer",
                    "Cífer",
                    "Cifera",
                    "\u{e024}",
                ][..],
            ),
            (
                Ignored::Apostrophes,
                &["1a", "Dabraccio", "D'Abraccio", "Dabrb", "Zz", "Яковлев"],
            ),
            (
                Ignored::ApostrophesAndHyphens,
                &[
                    "Bel",
                    "BEL-NED m",
                    "belnedn",
                    "Bialoleka Sparta",
                    "Białołeka Sparta",
                ],
            ),
        ] {
            let key = |text: &str| {
                let mut key = Vec::new();
                push(text.as_bytes(), ignored, &mut key);
                key
            };
            for pair in texts.windows(2) {
                assert!(key(pair[0]) <= key(pair[1]), "{pair:?}");
            }
        }
    }
}
