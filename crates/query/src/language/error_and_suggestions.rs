//! Why a text is not a query, and what was probably meant.

use std::fmt;

/// Why a text is not a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// Column in characters, from 1.
    pub column: usize,
    /// The error, for users.
    pub message: String,
    /// Advice for the user, if any: what was probably meant, what is known.
    pub hint: Option<String>,
}

impl FilterError {
    pub(super) fn new(column: usize, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for FilterError {}

impl From<FilterError> for tabia_core::Error {
    fn from(error: FilterError) -> Self {
        Self::new(tabia_core::ErrorKind::Query {
            column: error.column,
            message: error.message,
            hint: error.hint,
        })
    }
}

/// A word of a query that is searched as it is, though something else was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Column of the word in characters, from 1.
    pub column: usize,
    /// The word, or a term with the name of its field.
    pub word: String,
    /// What was probably meant, as a query; empty if the word was meant to join the terms next to it, as all
    /// terms next to each other are joined.
    pub meant: String,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            column,
            word,
            meant,
        } = self;
        let values = word
            .split_once(':')
            .map_or(word.as_str(), |(_, values)| values);
        let how = match word.split_once(':') {
            _ if values.starts_with('\'') && values.contains(' ') => "ends at the first blank",
            None if values.contains(',') && !values.contains(' ') => "fits either of the two",
            None => "is searched as a word",
            Some((_, values)) if values.contains(',') => "fits either of the two",
            Some(_) => "is compared as it is",
        };
        write!(f, "column {column}: `{word}` {how}; ")?;
        match meant.as_str() {
            "" => f.write_str("without it, the terms next to it must both hold"),
            "-" => f.write_str("`-` right before a term denies it"),
            _ => write!(f, "did you mean `{meant}`?"),
        }
    }
}

/// Hint that lists what is known, and first the candidate that a word was probably meant to be.
pub(super) fn known(word: &str, what: &str, candidates: &[&str]) -> String {
    let list = candidates.join(", ");
    match nearest(word, candidates) {
        Some(meant) => format!("did you mean `{meant}`? {what} {list}"),
        None => format!("{what} {list}"),
    }
}

/// The candidate that differs least from a word, by at most two letters and less than half of them.
pub fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    candidates
        .iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, _)| *distance <= 2 && distance * 2 < length.max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, remove, replace or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, letter) in a.chars().enumerate() {
        let mut next = vec![row + 1];
        for (column, &other) in b.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let replaced = at(&last, column) + usize::from(letter != other);
            let mut least = replaced
                .min(at(&last, column + 1).saturating_add(1))
                .min(at(&next, column).saturating_add(1));
            let is_exchange = column > 0
                && previous == Some(other)
                && column
                    .checked_sub(1)
                    .is_some_and(|index| b.get(index) == Some(&letter));
            if is_exchange {
                least = least.min(at(&before, column - 1).saturating_add(1));
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
        previous = Some(letter);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("elo", "elo", 0),
            ("colour", "color", 1),
            ("palyer", "player", 1),
            ("wihte", "white", 1),
            ("abc", "", 3),
            ("evnt", "event", 1),
            ("resutl", "result", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn near_words_are_found() {
        let fields = ["white", "black", "elo", "eco", "has"];
        assert_eq!(nearest("whit", &fields), Some("white"));
        assert_eq!(nearest("BLAKC", &fields), Some("black"));
        assert_eq!(nearest("xyz", &fields), None);
        assert_eq!(nearest("x", &fields), None);
    }
}
