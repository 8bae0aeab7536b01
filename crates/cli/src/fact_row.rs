//! Properties of a database or book that only its format knows, as JSON.

use serde::Serialize;

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
