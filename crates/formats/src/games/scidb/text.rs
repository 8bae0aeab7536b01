//! Texts of comments: without markup but with escapes, or with markup for languages and figurines.

use std::borrow::Cow;

use tabia_core::game::{Annotation, Language};

use crate::games::pgn::command_parser;

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

/// The start of an evaluation as a comment of PGN has it.
const EVAL: &str = "[%eval ";

/// Takes the evaluations out of a text as stored. Scidb reads those of PGN only if they have a sign, as `-0.17` and
/// `+0.17`: `0.17` of Lichess stays in the text. Blanks around one go with it.
pub(crate) fn take_evals(stored: &str) -> (Cow<'_, str>, Vec<Annotation<'static>>) {
    let mut evals = Vec::new();
    let mut text = String::new();
    let mut rest = stored;
    let mut searched = 0;
    while let Some(at) = rest.get(searched..).and_then(|part| part.find(EVAL)) {
        let (start, command) = rest.split_at(searched + at);
        searched += at + EVAL.len();
        let args = command
            .get(EVAL.len()..)
            .and_then(|args| args.split_once(']'));
        let Some((args, after)) = args.filter(|(args, _)| is_unsigned(args)) else {
            continue;
        };
        let mut found = None;
        command_parser::read("eval", args, &mut |annotation| {
            if let Annotation::Eval(eval) = annotation {
                found = Some(Annotation::Eval(eval));
            }
        });
        let Some(eval) = found else { continue };
        evals.push(eval);
        text.push_str(start);
        rest = after;
        if text.is_empty() || text.ends_with([' ', '\n']) {
            rest = rest.trim_start_matches([' ', '\n']);
        }
        searched = 0;
    }
    if evals.is_empty() {
        return (Cow::Borrowed(stored), evals);
    }
    text.push_str(rest);
    text.truncate(text.trim_ascii_end().len());
    (Cow::Owned(text), evals)
}

/// Whether the arguments of an evaluation begin with a number without a sign, or a mate without one.
fn is_unsigned(args: &str) -> bool {
    let number = args.strip_prefix('#').unwrap_or(args);
    number.starts_with(|c: char| c.is_ascii_digit())
}

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
    // What only looks like an evaluation is written as markup that shows the same.
    let is_unmarked = texts.len() == 1
        && texts
            .iter()
            .all(|(language, text)| code(*language).is_none() && !text.contains(EVAL));
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
        escape(&text.replace(EVAL, "[\0%eval "), &mut stored);
        stored.extend(["</:", &code, ">"]);
    }
    stored.push_str(CLOSE);
    stored
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match ENTITIES.iter().find(|(character, _)| *character == c) {
            Some((_, entity)) => out.push_str(entity),
            // No text has it.
            None if c == '\0' => out.push_str("<sym></sym>"),
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
            &[("", "it looks like [%eval 0.3]")],
            &[("en", "[%eval #2] & [%eval -1]"), ("de", "[%eval 1.0]")],
            &[("en", "a"), ("", "b <b>"), ("de", "c")],
        ] {
            let list = texts(list);
            let stored = write(&list);
            let found = read(&stored);
            assert_eq!((found.parts, found.has_markup), (list, false), "{stored}");
            assert!(take_evals(&stored).1.is_empty(), "{stored}");
        }
        assert_eq!(write(&texts(&[("#121", "x")])), "x");
    }

    #[test]
    fn evaluations_without_a_sign_are_taken_out_of_texts() {
        for (stored, rest, count) in [
            ("[%eval 0.17]", "", 1),
            ("[%eval #3,20] why", "why", 1),
            ("so [%eval 0] and [%eval 12.5] it is", "so and it is", 2),
            (
                "<xml><:en>[%eval 1.2]good</:en></xml>",
                "<xml><:en>good</:en></xml>",
                1,
            ),
            ("[%eval -0.17]", "[%eval -0.17]", 0),
            ("[%eval 0.17", "[%eval 0.17", 0),
            ("[%eval x] [%eval 1.1]", "[%eval x]", 1),
            ("[%clk 0:01:00]", "[%clk 0:01:00]", 0),
        ] {
            let (text, evals) = take_evals(stored);
            assert_eq!((&*text, evals.len()), (rest, count), "{stored}");
        }
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
