//! Properties of a database or book that only its format knows: as JSON, and on a terminal.

use serde::Serialize;

use crate::readable_numbers::{counted_as, grouped};

/// Those that a terminal shows without `--verbose`; the others are about how a file is made.
const FOR_PLAYERS: [&str; 8] = [
    "author",
    "caption",
    "comment",
    "depth in plies",
    "header comment",
    "plies of a game",
    "sources",
    "variants",
];

#[derive(Serialize)]
pub(crate) struct FactRow<'a> {
    name: &'a str,
    value: &'a str,
}

/// The facts in their order.
pub(crate) fn fact_rows(facts: &[(String, String)]) -> Vec<FactRow<'_>> {
    let rows = facts.iter().map(|(name, value)| FactRow { name, value });
    rows.collect()
}

/// Labels and values for a terminal, and in the last line how many more there are with `--verbose`. The values of those
/// in `counts` are numbers.
pub(crate) fn fact_lines(
    facts: &[(String, String)],
    counts: &[&str],
    is_verbose: bool,
) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut hidden = 0;
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        if !is_verbose && !FOR_PLAYERS.contains(&name.as_str()) {
            hidden += 1;
            continue;
        }
        let is_count = counts.contains(&name.as_str());
        let count = value.parse().ok().filter(|_| is_count);
        lines.push((name.clone(), count.map_or_else(|| value.clone(), grouped)));
    }
    if hidden > 0 {
        let details = counted_as(hidden, "detail of the format", "details of the format");
        lines.push(("more".to_owned(), format!("`-v` shows {details}")));
    }
    lines
}
