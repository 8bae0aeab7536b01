//! `--where` and `--games`: which games a command reads.

use tabia::select::RecordRanges;
use tabia::{Error, Query};

use crate::messages::Messages;

/// Parses a query, and reports words that were probably meant to be something else.
pub(crate) fn parse_query(text: &str, messages: &Messages) -> Result<Query, Error> {
    let query = Query::parse(text)?;
    for suggestion in query.suggestions() {
        messages.hint(&suggestion.to_string());
    }
    Ok(query)
}

/// Parses the numbers of `--games`; `None` if the option is absent.
pub(crate) fn parse_games(text: Option<&str>) -> Result<Option<RecordRanges>, Error> {
    text.map(|text| parse_ranges("--games", text)).transpose()
}

/// Parses the record numbers that follow an option.
pub(crate) fn parse_ranges(option: &str, text: &str) -> Result<RecordRanges, Error> {
    RecordRanges::parse(text).map_err(|why| Error::usage(format!("`{option} {text}`: {why}")))
}
