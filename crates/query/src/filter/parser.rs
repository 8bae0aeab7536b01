//! Parses the text of a [`Filter`].

use tabia_core::game::{Date, GameResult};

use super::{Bounds, EloField, Filter, FilterError, NameField, Part, Term, Test};
use crate::fold_case::fold;

/// The names of all fields, as an error lists them.
const FIELDS: &str = "player, white, black, event, site, round, annotator, elo, anyelo, whiteelo, \
                     blackelo, date, year, result, eco, moves, has";

pub(super) fn parse(text: &str) -> Result<Filter, FilterError> {
    let mut filter = Filter::default();
    for token in tokens(text) {
        if let Some(test) = test(&token)? {
            filter.terms.push(Term {
                negated: token.negated,
                test,
            });
        }
    }
    Ok(filter)
}

/// One term as text: `-name:value,"value"`. Name and values have their columns, from 0.
struct Token {
    negated: bool,
    name: Option<(String, usize)>,
    values: Vec<(String, usize)>,
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars.get(at).is_some_and(|c| c.is_whitespace()) {
            at += 1;
            continue;
        }
        let mut token = Token {
            negated: false,
            name: None,
            values: Vec::new(),
        };
        if chars.get(at) == Some(&'-') {
            token.negated = true;
            at += 1;
        }
        let mut value = String::new();
        let mut start = at;
        let mut quoted = false;
        let mut was_quoted = false;
        while let Some(&c) = chars.get(at) {
            match c {
                '"' => {
                    quoted = !quoted;
                    was_quoted = true;
                }
                _ if quoted => value.push(c),
                c if c.is_whitespace() => break,
                ':' if token.name.is_none() && !was_quoted => {
                    token.name = Some((std::mem::take(&mut value), start));
                    start = at + 1;
                }
                ',' => {
                    token.values.push((std::mem::take(&mut value), start));
                    start = at + 1;
                }
                c => value.push(c),
            }
            at += 1;
        }
        token.values.push((value, start));
        token.values.retain(|(value, _)| !value.is_empty());
        tokens.push(token);
    }
    tokens
}

fn test(token: &Token) -> Result<Option<Test>, FilterError> {
    if token.values.is_empty() {
        // A field without a value tests nothing, as `player:` while typing; but the field must exist.
        if let Some((name, column)) = &token.name
            && !FIELDS.split(", ").any(|field| field == name.to_lowercase())
        {
            return Err(unknown_field(name, *column));
        }
        return Ok(None);
    }
    let Some((name, column)) = &token.name else {
        return Ok(Some(Test::Name(NameField::Any, texts(token))));
    };
    let elo =
        |field| parse_values(token, "a rating", number).map(|bounds| Test::Elo(field, bounds));
    let test = match name.to_lowercase().as_str() {
        "player" => Test::Name(NameField::Player, texts(token)),
        "white" => Test::Name(NameField::White, texts(token)),
        "black" => Test::Name(NameField::Black, texts(token)),
        "event" => Test::Name(NameField::Event, texts(token)),
        "site" => Test::Name(NameField::Site, texts(token)),
        "round" => Test::Name(NameField::Round, texts(token)),
        "annotator" => Test::Name(NameField::Annotator, texts(token)),
        "elo" => elo(EloField::Both)?,
        "anyelo" => elo(EloField::Either)?,
        "whiteelo" => elo(EloField::White)?,
        "blackelo" => elo(EloField::Black)?,
        "date" | "year" => Test::Date(parse_values(token, "a date", date)?),
        "result" => Test::Result(parse_values(token, "a result", |text| {
            GameResult::parse(text.as_bytes())
        })?),
        "eco" => Test::Eco(parse_values(token, "an ECO code", eco)?),
        "moves" => Test::Moves(parse_values(token, "a number of moves", number)?),
        "has" => Test::Has(parse_values(
            token,
            "one of variations, comments, nags, setup, deleted, text",
            part,
        )?),
        _ => return Err(unknown_field(name, *column)),
    };
    Ok(Some(test))
}

fn unknown_field(name: &str, column: usize) -> FilterError {
    FilterError {
        column: column + 1,
        message: format!("`{name}` is not a field"),
        hint: Some(format!("the fields are {FIELDS}")),
    }
}

fn texts(token: &Token) -> Vec<String> {
    token.values.iter().map(|(value, _)| fold(value)).collect()
}

/// All values of a term. `expected` names their type in the error.
fn parse_values<T>(
    token: &Token,
    expected: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, FilterError> {
    token
        .values
        .iter()
        .map(|(value, column)| {
            parse(value).ok_or_else(|| FilterError {
                column: column + 1,
                message: format!("`{value}` is not {expected}"),
                hint: None,
            })
        })
        .collect()
}

fn part(text: &str) -> Option<Part> {
    Some(match text.to_lowercase().as_str() {
        "variations" => Part::Variations,
        "comments" => Part::Comments,
        "nags" | "symbols" => Part::Nags,
        "setup" => Part::Setup,
        "deleted" => Part::Deleted,
        "text" => Part::Text,
        _ => return None,
    })
}

fn number(text: &str) -> Option<Bounds<u16>> {
    let value_of = |text: &str| text.parse::<u16>().ok();
    if let Some(rest) = text.strip_prefix(">=") {
        return Some(Bounds {
            low: Some(value_of(rest)?),
            high: None,
        });
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return Some(Bounds {
            low: None,
            high: Some(value_of(rest)?),
        });
    }
    if let Some(rest) = text.strip_prefix('>') {
        return Some(Bounds {
            low: Some(value_of(rest)?.checked_add(1)?),
            high: None,
        });
    }
    if let Some(rest) = text.strip_prefix('<') {
        return Some(Bounds {
            low: None,
            high: Some(value_of(rest)?.checked_sub(1)?),
        });
    }
    if let Some((low, high)) = text.split_once("..") {
        let end = |text: &str| {
            if text.is_empty() {
                Some(None)
            } else {
                value_of(text).map(Some)
            }
        };
        return Some(Bounds {
            low: end(low)?,
            high: end(high)?,
        });
    }
    let value = value_of(text)?;
    Some(Bounds {
        low: Some(value),
        high: Some(value),
    })
}

/// A date with unknown parts covers all dates that fit: `2020` is the complete year.
fn date(text: &str) -> Option<Bounds<Date>> {
    let first = Date::parse;
    let last = |text: &str| {
        let mut date = Date::parse(text)?;
        if date.month == 0 {
            date.month = u8::MAX;
        }
        if date.day == 0 {
            date.day = u8::MAX;
        }
        Some(date)
    };
    if let Some(rest) = text.strip_prefix(">=") {
        return Some(Bounds {
            low: Some(first(rest)?),
            high: None,
        });
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return Some(Bounds {
            low: Some(FIRST_DATE),
            high: Some(last(rest)?),
        });
    }
    if let Some(rest) = text.strip_prefix('>') {
        return Some(Bounds {
            low: Some(after(last(rest)?)),
            high: None,
        });
    }
    if let Some(rest) = text.strip_prefix('<') {
        return Some(Bounds {
            low: Some(FIRST_DATE),
            high: Some(before(first(rest)?)),
        });
    }
    if let Some((low, high)) = text.split_once("..") {
        return Some(Bounds {
            low: if low.is_empty() {
                Some(FIRST_DATE)
            } else {
                Some(first(low)?)
            },
            high: if high.is_empty() {
                None
            } else {
                Some(last(high)?)
            },
        });
    }
    Some(Bounds {
        low: Some(first(text)?),
        high: Some(last(text)?),
    })
}

/// The first date with a known year: a game without a year is in no range of dates.
const FIRST_DATE: Date = Date::new(1, 0, 0);

fn after(date: Date) -> Date {
    match (date.month, date.day) {
        (u8::MAX, _) => Date::new(date.year + 1, 0, 0),
        (month, u8::MAX) => Date::new(date.year, month + 1, 0),
        (month, day) => Date::new(date.year, month, day + 1),
    }
}

fn before(date: Date) -> Date {
    match (date.month, date.day) {
        (0, _) => Date::new(date.year.saturating_sub(1), u8::MAX, u8::MAX),
        (month, 0) => Date::new(date.year, month - 1, u8::MAX),
        (month, day) => Date::new(date.year, month, day - 1),
    }
}

/// The codes of `B`, `B9`, `B90` or `B90..B99`, first and last.
fn eco(text: &str) -> Option<(u16, u16)> {
    let codes = |text: &str| {
        let mut bytes = text.bytes();
        let letter = bytes.next()?.to_ascii_uppercase();
        if !(b'A'..=b'E').contains(&letter) || text.len() > 3 {
            return None;
        }
        let mut low = u16::from(letter - b'A') * 100;
        let mut span = 100;
        for digit in bytes {
            if !digit.is_ascii_digit() {
                return None;
            }
            span /= 10;
            low += u16::from(digit - b'0') * span;
        }
        Some((low, low + span - 1))
    };
    if let Some((low, high)) = text.split_once("..") {
        let low = if low.is_empty() { 0 } else { codes(low)?.0 };
        let high = if high.is_empty() { 499 } else { codes(high)?.1 };
        return Some((low, high));
    }
    codes(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<Term> {
        parse(text).unwrap().terms
    }

    fn name(field: NameField, texts: &[&str]) -> Test {
        Test::Name(field, texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn words_phrases_and_fields() {
        let filter = terms(r#"Müller "bled 1931" -white:carlsen,"so, w" player:"#);
        let tests: Vec<_> = filter
            .into_iter()
            .map(|term| (term.negated, term.test))
            .collect();
        assert_eq!(
            tests,
            [
                (false, name(NameField::Any, &["muller"])),
                (false, name(NameField::Any, &["bled 1931"])),
                (true, name(NameField::White, &["carlsen", "so, w"])),
            ]
        );
    }

    #[test]
    fn an_unknown_field_lists_the_valid_ones() {
        let error = parse("elo:2700 colour:red").unwrap_err();
        assert_eq!(
            (error.column, error.message.as_str()),
            (10, "`colour` is not a field")
        );
        assert!(error.hint.unwrap().contains("annotator"));
        assert_eq!(parse("x:").unwrap_err().column, 1);
    }

    #[test]
    fn ranges() {
        let bounds = |low, high| Some(Bounds { low, high });
        assert_eq!(number(">=2700"), bounds(Some(2700), None));
        assert_eq!(number("<2700"), bounds(None, Some(2699)));
        assert_eq!(number("2600..2700"), bounds(Some(2600), Some(2700)));
        assert_eq!(number("2600.."), bounds(Some(2600), None));
        assert_eq!(number("x"), None);
        assert_eq!(number(">65535"), None);
        assert_eq!(eco("B9"), Some((190, 199)));
        assert_eq!(eco("C"), Some((200, 299)));
        assert_eq!(eco("A00..B"), Some((0, 199)));
        assert_eq!(eco("B999"), None);
        assert_eq!(eco("Б9"), None);
    }

    #[test]
    fn dates_with_unknown_parts_cover_all_that_fit() {
        let year = date("2020").unwrap();
        assert!(year.has(Date::new(2020, 12, 31)) && year.has(Date::new(2020, 0, 0)));
        assert!(!year.has(Date::new(2019, 12, 31)) && !year.has(Date::new(2021, 0, 0)));
        let until = date("..2020.06").unwrap();
        assert!(until.has(Date::new(2020, 6, 30)) && !until.has(Date::new(2020, 7, 1)));
        assert!(!until.has(Date::UNKNOWN), "no year is in no range");
        let before = date("<2020").unwrap();
        assert!(before.has(Date::new(2019, 12, 31)) && !before.has(Date::new(2020, 0, 0)));
        let after = date(">2020.06").unwrap();
        assert!(after.has(Date::new(2020, 7, 1)) && !after.has(Date::new(2020, 6, 30)));
    }
}
