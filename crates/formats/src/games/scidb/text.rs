//! Texts of comments: without markup but with escapes, or with markup for languages and figurines.

use tabia_core::game::Language;

/// The texts of a comment by language.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) parts: Vec<(Option<Language>, String)>,
    /// There is markup other than languages and figurines.
    pub(crate) has_markup: bool,
    /// The last language has ended.
    is_closed: bool,
}

const OPEN: &str = "<xml>";
const CLOSE: &str = "</xml>";

const ENTITIES: [(char, &str); 5] = [
    ('&', "&amp;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('\'', "&apos;"),
    ('"', "&quot;"),
];

/// Reads a text as stored.
pub(crate) fn read(stored: &str) -> Texts {
    let inner = stored
        .strip_prefix(OPEN)
        .map(|inner| inner.strip_suffix(CLOSE).unwrap_or(inner));
    let Some(inner) = inner else {
        let mut text = String::new();
        unescape(stored, &mut text);
        return Texts {
            parts: vec![(None, text)],
            ..Texts::default()
        };
    };
    let mut read = Texts::default();
    let mut rest = inner;
    let mut is_nag = false;
    while let Some(begin) = rest.find('<') {
        let (text, tag) = rest.split_at(begin);
        read.push(text, is_nag);
        let named = tag.get(1..).and_then(|tag| tag.split_once('>'));
        let Some((name, after)) = named.filter(|(name, _)| !name.contains(['<', ' '])) else {
            // No name, or no end: the bracket is text.
            read.push("&lt;", false);
            rest = tag.get(1..).unwrap_or_default();
            continue;
        };
        rest = after;
        is_nag = false;
        match name {
            "nag" => is_nag = true,
            "sym" | "/sym" | "/nag" => {}
            _ => match name.strip_prefix(':') {
                Some("") => read.open(None),
                Some(code) => read.language(code),
                None if name.starts_with("/:") => read.is_closed = true,
                None => read.has_markup = true,
            },
        }
    }
    read.push(rest, false);
    read
}

impl Texts {
    /// Appends text to the current language. Blanks outside all languages are dropped.
    fn push(&mut self, text: &str, is_nag: bool) {
        let is_outside = self.is_closed || self.parts.is_empty();
        if text.is_empty() || is_outside && text.trim().is_empty() {
            return;
        }
        if is_outside {
            self.open(None);
        }
        if let Some((_, last)) = self.parts.last_mut() {
            if is_nag {
                last.push('$');
            }
            unescape(text, last);
        }
    }

    fn language(&mut self, code: &str) {
        let language = match *code.as_bytes() {
            [a, b] => Language::iso([a, b]),
            _ => None,
        };
        self.has_markup |= language.is_none();
        self.open(language);
    }

    fn open(&mut self, language: Option<Language>) {
        self.parts.push((language, String::new()));
        self.is_closed = false;
    }
}

/// The texts of a comment as they are stored. Languages without a code of two letters are dropped.
pub(crate) fn write(texts: &[(Option<Language>, String)]) -> String {
    let mut stored = String::new();
    let code = |language: Option<Language>| language.and_then(Language::letters);
    let is_unmarked =
        texts.len() == 1 && texts.iter().all(|&(language, _)| code(language).is_none());
    if is_unmarked {
        for (_, text) in texts {
            escape(text, &mut stored);
        }
        return stored;
    }
    stored.push_str(OPEN);
    for (language, text) in texts {
        let code: String = code(*language)
            .into_iter()
            .flatten()
            .map(char::from)
            .collect();
        stored.extend(["<:", &code, ">"]);
        escape(text, &mut stored);
        stored.extend(["</:", &code, ">"]);
    }
    stored.push_str(CLOSE);
    stored
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match ENTITIES.iter().find(|(character, _)| *character == c) {
            Some((_, entity)) => out.push_str(entity),
            None => out.push(c),
        }
    }
}

fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        let found = ENTITIES.iter().find(|(_, name)| entity.starts_with(name));
        let (character, length) = found.map_or(('&', 1), |(c, name)| (*c, name.len()));
        out.push(character);
        rest = entity.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[(&str, &str)]) -> Vec<(Option<Language>, String)> {
        let language = |code: &str| Language::parse(code);
        texts
            .iter()
            .map(|(code, text)| (language(code), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn texts_round_trip() {
        for list in [
            &[("", "")][..],
            &[("", "after <e4> & \"q\" it's é &amp; <xml>")],
            &[("de", "Grüße\nzwei")],
            &[("en", "a"), ("", "b <b>"), ("de", "c")],
        ] {
            let list = texts(list);
            let stored = write(&list);
            let found = read(&stored);
            assert_eq!((found.parts, found.has_markup), (list, false), "{stored}");
        }
        assert_eq!(write(&texts(&[("#121", "x")])), "x");
    }

    #[test]
    fn markup_is_read() {
        let read = |text| read(text);
        let figurine = read("<xml><:en><sym>N</sym>f3 <nag>14</nag> &amp; so</:en> </xml>");
        assert_eq!(figurine.parts, texts(&[("en", "Nf3 $14 & so")]));
        assert!(!figurine.has_markup);
        let bold = read("<xml><:><b>bold</b> 1 < 2</:></xml>");
        assert_eq!(bold.parts, texts(&[("", "bold 1 < 2")]));
        assert!(bold.has_markup);
        assert_eq!(read("<xml>bare").parts, texts(&[("", "bare")]));
        assert!(read("<xml><:xyz>a</:xyz></xml>").has_markup);
    }
}
