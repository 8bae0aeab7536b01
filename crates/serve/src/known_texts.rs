//! English texts of the library that the page has in its languages, so that it states them in the language of its reader.
//! A text that is not here stays English. The texts of the ids are in `web/src/lang/errors`.

use serde_json::{Value, json};

/// A text by its id, and what is in place of each `{}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownText {
    pub(crate) id: &'static str,
    pub(crate) values: Vec<String>,
}

impl KnownText {
    pub(crate) fn json(&self) -> Value {
        json!({"id": self.id, "values": self.values})
    }
}

/// Problems of databases and books; the first template that fits counts.
pub(crate) const PROBLEMS: &[(&str, &str)] = &[
    ("illegalMove", "`{}` is an illegal move"),
    ("illegalMoveIn", "`{}` is an illegal move in {}"),
    ("noNotation", "`{}` is not the notation of a move"),
    ("noNotationIn", "{}`{}` is not the notation of a move in {}"),
    ("commentIsOpen", "the comment is not closed"),
    ("variationIsOpen", "the variation is not closed"),
    (
        "noStart",
        "no moves can be played from the setup position: {}",
    ),
    ("emptyBook", "the file is empty: a book without entries"),
    (
        "copiedEntries",
        "{} entries at the end are copies of earlier ones, out of order: they are ignored",
    ),
    ("lastByte", "the last byte is no entry and is ignored"),
    (
        "lastBytes",
        "{} trailing bytes are no entry and are ignored",
    ),
    ("unreached", "{} records are reached from no move"),
    ("illegalEntries", "{} entries are no legal moves: {}"),
    ("noNames", "the file is missing: its names are unknown"),
    ("noMoves", "the file is missing: games have no moves"),
    (
        "noAnnotations",
        "the file is missing: games have no annotations",
    ),
    ("missingToo", "the file is missing: {}"),
    (
        "lackSomething",
        "the file {} is missing; {} more records lack something there",
    ),
    ("shortHeader", "the file is shorter than its header"),
    ("shortFile", "the file has {} bytes, a header has {}"),
    (
        "noDatabaseOrBook",
        "no database, book or archive begins like this",
    ),
    ("textWithoutGames", "a text, but not one with games"),
    (
        "noPolyglot",
        "named like a Polyglot book, but it is none: {}",
    ),
    ("noVariation", "`)` closes no variation"),
    ("noComment", "`}` closes no comment"),
    ("noMoveToReplace", "a variation without a move to replace"),
    ("brackets", "text in brackets outside of a comment"),
    ("noTag", "a line between the tags is not a tag"),
    ("noQuote", "no quote ends the value of the tag `{}`"),
    ("noGameText", "text that belongs to no game"),
    (
        "noResult",
        "the game ends without a result, but its tag Result is `{}`: it may be cut off",
    ),
    (
        "nothingPlayed",
        "the game has neither moves nor a result: it may be cut off",
    ),
    (
        "afterResult",
        "moves follow the result: they are read as a game without tags",
    ),
    (
        "twoResults",
        "the tag Result is `{}`, but the game ends with `{}`",
    ),
    (
        "ambiguous",
        "more than one piece can play `{}`; only with {} is the rest of the line legal",
    ),
    ("zeroBytes", "{} zero bytes: a part of the text is lost"),
    ("nagRange", "a NAG is a number from 0 to 255"),
    ("setupPosition", "the setup position `{}` cannot be read"),
    (
        "setupPart",
        "the {} of the setup position `{}` cannot be read",
    ),
    ("webPage", "a web page (HTML), which has no games"),
    ("cutField", "`{}` needs {}, {} is left"),
    ("cutField", "`{}` needs {}, {} are left"),
    ("impossibleValue", "`{}` has the impossible value {}"),
    ("unplayable", "`{}` cannot be played"),
    ("unreadable", "`{}` is not readable text"),
    ("checksum", "`{}` does not match its checksum"),
    ("missingFile", "the file {} is missing"),
    ("tooMuch", "{} of {} exceeds the limit of {}"),
    ("elsewhere", "it is not in the archive but at {}"),
    (
        "cutWhileRead",
        "it was cut off, or its disk failed, while it was read",
    ),
];

/// Why a text is not a query.
pub(crate) const QUERIES: &[(&str, &str)] = &[
    ("noField", "`{}` is not a field"),
    ("blank", "`{}` has no value: a blank ends a term"),
    ("noValue", "`{}` has no value"),
    ("notNegated", "`{}` cannot be negated"),
    ("notSorted", "`{}` is not what games are sorted by"),
    ("beforeOr", "nothing is before this `OR`"),
    ("afterOr", "nothing is after this `OR`"),
    ("beforeStep", "no moment is asked for before this step"),
    ("afterStep", "no moment is asked for after this step"),
    ("isOpen", "this `(` is not closed"),
    ("emptyParentheses", "nothing is between the parentheses"),
    ("noRange", "`{}` ends before it begins"),
    ("noColon", "`{}` has no `:`"),
    ("noSlash", "the expression `{}` has no closing `/`"),
    ("illegalMoveIn", "`{}` is an illegal move in {}"),
    ("noNotationIn", "{}`{}` is not the notation of a move in {}"),
    ("noFen", "`{}` is not FEN: {}"),
    ("unfit", "`{}` is not {}"),
    ("unfit", "`{}` is neither {}"),
    ("unfit", "`{}` cannot be read at {}"),
    ("unfit", "`{}`: {}"),
];

/// What to do about it.
pub(crate) const HINTS: &[(&str, &str)] = &[
    ("meant", "did you mean `{}`?{}"),
    ("example", "`{}` takes {}; `{}`, for example, and {}"),
    ("knownAre", "known are {}"),
    ("fields", "similar fields: {};{}"),
    ("fields", "common fields: {};{}"),
    ("bothSides", "`A OR B` needs terms on both sides{}"),
    (
        "bothMoments",
        "`A -> B` needs terms about a position or a move on both sides{}",
    ),
    ("close", "write `)` after it, or {}"),
    ("leaveOut", "leave them out, or write a term in them{}"),
    ("slash", "blanks and commas may be in an expression{}"),
    ("tagAlone", "`{}` alone fits the games that have the tag"),
    ("help", "`tabia help search` {}"),
];

/// Why a name is taken for another spelling of one.
pub(crate) const SPELLINGS: &[(&str, &str)] = &[
    ("sameNames", "the same names, written otherwise"),
    ("sameLetters", "the same letters and digits"),
    ("shortFor", "short for `{}`"),
    ("oneLetter", "one letter differs from `{}`"),
    ("otherSpellings", "`{}` is another spelling of it"),
];

/// The known text of a problem, as JSON; null if there is none.
pub(crate) fn known_problem(text: &str) -> Value {
    known_text(PROBLEMS, text).map_or(Value::Null, |text| text.json())
}

/// The known text that a text is.
pub(crate) fn known_text(texts: &[(&'static str, &str)], text: &str) -> Option<KnownText> {
    let mut found = texts
        .iter()
        .filter_map(|(id, template)| Some((*id, values_of(template, text)?)));
    found.next().map(|(id, values)| KnownText { id, values })
}

/// What is in place of each `{}` of a template; none if the text is another one.
fn values_of(template: &str, text: &str) -> Option<Vec<String>> {
    let mut parts = template.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut parts = parts.peekable();
    let mut values = Vec::new();
    while let Some(part) = parts.next() {
        let end = match parts.peek() {
            // The last part is where the text ends.
            None => rest.strip_suffix(part)?.len(),
            Some(_) => rest.find(part)?,
        };
        let (value, after) = rest.split_at_checked(end)?;
        values.push(value.to_owned());
        rest = after.strip_prefix(part)?;
    }
    rest.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_and_values(texts: &[(&'static str, &str)], text: &str) -> (String, Vec<String>) {
        let found = known_text(texts, text).unwrap_or_else(|| panic!("{text}"));
        (found.id.to_owned(), found.values)
    }

    #[test]
    fn values_are_what_differs() {
        let found = id_and_values(PROBLEMS, "`Ke3` is an illegal move");
        assert_eq!(found, ("illegalMove".into(), vec!["Ke3".into()]));
        let found = id_and_values(PROBLEMS, "the file has 19 bytes, a header has 46");
        assert_eq!(found, ("shortFile".into(), vec!["19".into(), "46".into()]));
        assert_eq!(
            known_text(PROBLEMS, "the comment is not closed, or is it"),
            None
        );
        assert_eq!(known_text(PROBLEMS, ""), None);
    }

    #[test]
    fn errors_of_queries_are_known() {
        for (query, id, hint) in [
            ("plaier:carlsen", "noField", "meant"),
            ("elo:high", "unfit", "example"),
            ("elo>2700", "noColon", "meant"),
            ("white:", "noValue", "example"),
            ("white: carlsen", "blank", "meant"),
            ("(white:a", "isOpen", "close"),
            ("a OR", "afterOr", "bothSides"),
            ("OR a", "beforeOr", "bothSides"),
            ("-sort:date", "notNegated", "meant"),
            ("mat:KRPKR -for:3", "notNegated", "meant"),
            ("sort:foo", "notSorted", "knownAre"),
            ("date:2020..2010", "noRange", "meant"),
            ("result:2-0", "unfit", "knownAre"),
            ("white:/kar", "noSlash", "slash"),
            ("line:\"e4 Ke3\"", "illegalMoveIn", "example"),
            ("pos:\"e4 e9\"", "noNotationIn", "example"),
            ("fen:xyz", "noFen", "example"),
            ("sub:zz", "unfit", "example"),
            ("pawns:abc", "unfit", "example"),
            ("a -> b", "beforeStep", "bothMoments"),
            ("()", "emptyParentheses", "leaveOut"),
            ("tag:foo=", "noValue", "tagAlone"),
        ] {
            let error = tabia::query::Query::parse(query).unwrap_err();
            assert_eq!(id_and_values(QUERIES, &error.message).0, id, "{query}");
            if let Some(text) = error.hint {
                assert_eq!(id_and_values(HINTS, &text).0, hint, "{query}");
            }
        }
    }
}
