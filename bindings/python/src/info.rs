//! What `tabia info` knows of inputs, as dictionaries.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tabia::inspect::Info;

/// One input, with the names of `tabia info --json`; what does not apply is absent.
pub(crate) fn dict<'py>(py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("path", &info.path)?;
    dict.set_item("format", info.format.to_string())?;
    dict.set_item("formatName", info.format_name)?;
    dict.set_item("kind", info.kind)?;
    if !info.version.is_empty() {
        dict.set_item("version", &info.version)?;
    }
    let texts = [("title", &info.title), ("encoding", &info.encoding)];
    for (name, text) in texts {
        if let Some(text) = text {
            dict.set_item(name, text)?;
        }
    }
    let numbers = [
        ("games", info.games),
        ("texts", info.texts),
        ("deleted", info.deleted),
        ("annotated", info.annotated),
        ("members", info.members),
        ("bytes", info.bytes),
        ("totalBytes", info.total_bytes),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            dict.set_item(name, number)?;
        }
    }
    for (name, span) in [("years", info.years), ("elo", info.elo)] {
        if let Some((first, last)) = span {
            dict.set_item(name, pair(py, ("first", first), ("last", last))?)?;
        }
    }
    let names = info.names.iter().map(|(kind, count)| {
        let kind = format!("{kind:?}").to_lowercase();
        pair(py, ("kind", kind), ("count", *count))
    });
    set_list(&dict, "names", names.collect::<PyResult<_>>()?)?;
    let facts = info.facts.iter();
    let facts = facts.map(|(name, value)| pair(py, ("name", name), ("value", value)));
    set_list(&dict, "facts", facts.collect::<PyResult<_>>()?)?;
    let files = info.companions.iter();
    let files = files.map(|(file, present)| pair(py, ("file", file), ("present", *present)));
    set_list(&dict, "companions", files.collect::<PyResult<_>>()?)?;
    dict.set_item("problems", info.problem_count())?;
    if !info.problems.is_empty() {
        dict.set_item("problemList", &info.problems)?;
    }
    Ok(dict)
}

/// Several inputs: the sums of their numbers of games, and each of them.
pub(crate) fn dict_of_several<'py>(
    py: Python<'py>,
    inputs: &[Info],
) -> PyResult<Bound<'py, PyDict>> {
    let sum = |number: fn(&Info) -> Option<u64>| inputs.iter().filter_map(number).sum::<u64>();
    let dict = PyDict::new(py);
    dict.set_item("games", sum(|info| info.games))?;
    dict.set_item("texts", sum(|info| info.texts))?;
    dict.set_item("deleted", sum(|info| info.deleted))?;
    let databases = inputs.iter().map(|info| self::dict(py, info));
    let databases = databases.collect::<PyResult<Vec<_>>>()?;
    dict.set_item("databases", PyList::new(py, databases)?)?;
    let problems = inputs.iter().map(Info::problem_count);
    dict.set_item("problems", problems.sum::<u64>())?;
    Ok(dict)
}

fn pair<'py>(
    py: Python<'py>,
    first: (&str, impl IntoPyObject<'py>),
    second: (&str, impl IntoPyObject<'py>),
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(first.0, first.1)?;
    dict.set_item(second.0, second.1)?;
    Ok(dict)
}

fn set_list(dict: &Bound<'_, PyDict>, name: &str, list: Vec<Bound<'_, PyDict>>) -> PyResult<()> {
    if list.is_empty() {
        return Ok(());
    }
    dict.set_item(name, PyList::new(dict.py(), list)?)
}
