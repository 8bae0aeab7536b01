//! `--where` and `--games`: which games a command reads.

use tabia::Error;
use tabia::query::Filter;
use tabia::select::RecordRanges;

/// Parses the filter of `--where`.
pub(crate) fn parse_filter(text: &str) -> Result<Filter, Error> {
    Filter::parse(text).map_err(|error| {
        let hint = error
            .hint
            .as_ref()
            .map_or_else(String::new, |hint| format!("; {hint}"));
        Error::usage(format!("`--where`: {error}{hint}"))
    })
}

/// Parses the numbers of `--games`; `None` if the option is absent.
pub(crate) fn parse_games(text: Option<&str>) -> Result<Option<RecordRanges>, Error> {
    text.map(|text| parse_ranges("--games", text)).transpose()
}

/// Parses the record numbers that follow an option.
pub(crate) fn parse_ranges(option: &str, text: &str) -> Result<RecordRanges, Error> {
    RecordRanges::parse(text).map_err(|why| Error::usage(format!("`{option} {text}`: {why}")))
}
