//! Terms that are in the language, but hardly meant as they are.

use super::error_and_suggestions::{FilterError, Suggestion};
use super::scanner::{RawTerm, RawValue};
use super::values::{DateTest, ResultTest, is_reversed};

/// Fields whose values are names.
const NAMES: [&str; 10] = [
    "player",
    "white",
    "black",
    "winner",
    "loser",
    "event",
    "site",
    "annotator",
    "source",
    "team",
];

/// Fields whose values are numbers or dates, with `>=`, `<` and ranges.
const AMOUNTS: [&str; 14] = [
    "elo",
    "anyelo",
    "avgelo",
    "whiteelo",
    "blackelo",
    "elodiff",
    "date",
    "eventdate",
    "moves",
    "plies",
    "fideid",
    "eval",
    "clock",
    "game",
];

/// Fields of a position whose values are numbers with ranges; `count` has pieces before them.
const AMOUNTS_OF_POSITIONS: [&str; 4] = ["ply", "balance", "count", "repeats"];

/// What a term of a field was probably meant to be.
///
/// # Errors
/// Values that no game fits, or every one that has the field.
pub(super) fn of_values(field: &str, raw: &RawTerm) -> Result<Option<Suggestion>, FilterError> {
    let Some((name, column)) = &raw.name else {
        return Ok(None);
    };
    if AMOUNTS_OF_POSITIONS.contains(&field) {
        refuse_reversed_range(field, name, &raw.values)?;
    }
    if AMOUNTS.contains(&field) || field == "eco" {
        refuse_reversed_range(field, name, &raw.values)?;
        refuse_all(name, &raw.values)?;
    }
    if !NAMES.contains(&field) || raw.values.iter().any(|value| value.quoted) {
        return Ok(None);
    }
    let texts: Vec<&str> = raw.values.iter().map(|value| value.text.as_str()).collect();
    let meant = match texts.as_slice() {
        // An initial alone fits too many names to be asked for.
        [surname, given] if is_one_name(surname, given) => {
            Some(format!("{name}:\"{surname},{given}\""))
        }
        [side] if matches!(field, "winner" | "loser") => {
            let white = side.eq_ignore_ascii_case("white");
            let is_side = white || side.eq_ignore_ascii_case("black");
            let result = if white == (field == "winner") {
                "1-0"
            } else {
                "0-1"
            };
            is_side.then(|| format!("result:{result}"))
        }
        [text] => {
            let single = |text: &str| Some(text.strip_prefix('\'')?.strip_suffix('\'')?.to_owned());
            let start = text.strip_suffix('*').filter(|text| !text.is_empty());
            let bare = single(text).or_else(|| start.map(str::to_owned));
            let is_pattern = text.starts_with('/');
            bare.filter(|_| !is_pattern)
                .map(|bare| format!("{name}:{bare}"))
        }
        _ => None,
    };
    Ok(meant.map(|meant| Suggestion {
        column: *column,
        word: format!("{name}:{}", texts.join(",")),
        meant,
    }))
}

/// What words with a comma between them were probably meant to be: `Adams,Mi` is one name.
pub(super) fn of_words(values: &[RawValue]) -> Option<Suggestion> {
    let [surname, given] = values else {
        return None;
    };
    let is_quoted = surname.quoted || given.quoted;
    let is_name = !is_quoted && is_one_name(&surname.text, &given.text);
    let word = format!("{},{}", surname.text, given.text);
    is_name.then(|| Suggestion {
        column: surname.column,
        meant: format!("\"{word}\""),
        word,
    })
}

/// Whether two texts are a surname and the beginning of a first name: an initial, or two letters as names are written.
fn is_one_name(surname: &str, given: &str) -> bool {
    let is_capital = |text: &str| text.starts_with(char::is_uppercase);
    let letters = given.strip_suffix('.').unwrap_or(given);
    let are_two = letters.chars().count() == 2 && letters.chars().all(char::is_alphabetic);
    let is_word = surname.chars().filter(|c| c.is_alphabetic()).count() > 2;
    !is_initial(surname)
        && (is_initial(given) || are_two && is_word && is_capital(surname) && is_capital(given))
}

/// Whether a text is an initial, with or without a dot.
fn is_initial(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// `2700..2600` fits nothing.
fn refuse_reversed_range(field: &str, name: &str, values: &[RawValue]) -> Result<(), FilterError> {
    // Of pieces, as in `count:P3..2`.
    let has_pieces = AMOUNTS_OF_POSITIONS.contains(&field);
    for value in values {
        let Some((from, to)) = value.text.split_once("..") else {
            continue;
        };
        let is_piece = |c: char| has_pieces && (c.is_ascii_alphabetic() || c == '=');
        let from = from.trim_start_matches(is_piece);
        let pieces = value.text.split_once(from).map_or("", |(pieces, _)| pieces);
        if is_reversed(field, from, to) {
            let text = format!("`{}` ends before it begins", value.text);
            let hint = format!("did you mean `{name}:{pieces}{to}..{from}`?");
            return Err(FilterError::new(value.column, text).with_hint(hint));
        }
    }
    Ok(())
}

/// `elo:>=2700,<2750` fits every rating, since commas separate alternatives.
fn refuse_all(name: &str, values: &[RawValue]) -> Result<(), FilterError> {
    let bound = |sign: char| {
        values.iter().find_map(|value| {
            let text = value.text.strip_prefix(sign)?;
            let limit = text.strip_prefix('=').unwrap_or(text);
            Some((value, limit.parse::<i64>().ok()?))
        })
    };
    if let (Some((least, from)), Some((most, to))) = (bound('>'), bound('<'))
        && from <= to
    {
        let text = format!(
            "`{},{}` fits every value: a comma separates alternatives",
            least.text, most.text
        );
        let column = least.column.min(most.column);
        let hint = format!(
            "both hold with `{name}:{} {name}:{}`",
            least.text, most.text
        );
        return Err(FilterError::new(column, text).with_hint(hint));
    }
    // `>=2,700`: a number with a separator.
    if let [first, second] = values
        && first.text.starts_with(['>', '<'])
        && first.text.ends_with(|c: char| c.is_ascii_digit())
        && second.text.len() == 3
        && second.text.bytes().all(|byte| byte.is_ascii_digit())
    {
        let text = format!(
            "`{},{}` is two alternatives: a comma separates them",
            first.text, second.text
        );
        let hint = format!("did you mean `{name}:{}{}`?", first.text, second.text);
        return Err(FilterError::new(first.column, text).with_hint(hint));
    }
    Ok(())
}

/// The term that a word without a field was probably meant to be.
pub(super) fn of_word(word: &str) -> Option<String> {
    if let Some(denied) = word.strip_prefix('!').filter(|word| !word.is_empty()) {
        return Some(format!("-{denied}"));
    }
    if let Some(start) = word.strip_suffix('*').filter(|word| !word.is_empty()) {
        return Some(start.to_owned());
    }
    let in_single_quotes = word.strip_prefix('\'');
    let in_single_quotes = in_single_quotes.and_then(|word| word.strip_suffix('\''));
    if let Some(bare) = in_single_quotes.filter(|bare| !bare.is_empty()) {
        return Some(bare.to_owned());
    }
    if word.eq_ignore_ascii_case("castling") {
        return Some("move:castling".to_owned());
    }
    if matches!(word, "1-0" | "0-1" | "draw" | "Draw") {
        return Some(format!("result:{}", word.to_ascii_lowercase()));
    }
    if let [volume @ (b'A'..=b'E' | b'a'..=b'e'), tens, ones] = word.as_bytes()
        && tens.is_ascii_digit()
        && ones.is_ascii_digit()
    {
        let volume = char::from(volume.to_ascii_uppercase());
        return Some(format!("eco:{volume}{}", word.get(1..).unwrap_or_default()));
    }
    if !word.contains('/') || word.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    if ResultTest::parse(word).is_some() {
        return Some(format!("result:{word}"));
    }
    DateTest::parse(word).map(|_| format!("date:{word}"))
}

/// The words of a query that are the name of a field before its value, as in `player morphy`.
pub(super) fn field_and_value(word: &str, next: &RawTerm) -> Option<String> {
    const FIELDS: [&str; 8] = [
        "player",
        "elo",
        "eco",
        "date",
        "result",
        "winner",
        "opening",
        "annotator",
    ];
    let field = FIELDS
        .into_iter()
        .find(|field| word.eq_ignore_ascii_case(field))?;
    match next.values.as_slice() {
        [value] if next.name.is_none() && !next.negated => Some(format!("{field}:{}", value.text)),
        _ => None,
    }
}
