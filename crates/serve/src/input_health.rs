//! Checks of inputs: problems by kind, while they are found.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tabia::check::{CheckOptions, check};
use tabia::{Error, Feature, InputItem, Observer, Problem, Result};

use crate::jobs::Job;
use crate::known_texts::known_problem;
use crate::shelf_input::ShelfInput;

/// Problems of one kind that are shown.
const MAX_EXAMPLES: usize = 20;
/// Distinct kinds.
const MAX_KINDS: usize = 200;

/// What a check has found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health {
    problems: u64,
    kinds: BTreeMap<String, Kind>,
    /// What was counted; known at the end.
    counts: Option<Value>,
}

#[derive(Debug, Clone, Default)]
struct Kind {
    count: u64,
    examples: Vec<Value>,
}

/// Reads all of an input.
pub(crate) fn run(input: &ShelfInput, threads: usize, job: &Job<Health>) -> Result<(), Error> {
    let item = input.resolve()?;
    if let Some(bytes) = item.bytes() {
        job.progress.set_total(bytes);
    }
    let mut options = CheckOptions::default();
    options.open = input.options().clone();
    options.threads = threads;
    options.deep = true;
    let mut observer = HealthObserver { input, job };
    let checked = check(&item, &options, &Arc::clone(&job.progress), &mut observer)?;
    let counts = if input.is_book() {
        json!({"positions": checked.positions, "moves": checked.entries})
    } else {
        let annotations = checked.annotations.iter();
        let annotations: Vec<Value> = annotations
            .map(|(feature, count)| {
                let label = match feature {
                    Feature::Nags => "symbols such as ! and ?",
                    feature => feature.label(),
                };
                json!({"kind": feature.key(), "label": label, "count": count})
            })
            .collect();
        json!({
            "games": checked.summary.counts.games,
            "texts": checked.summary.counts.texts,
            "deleted": checked.deleted,
            "plies": checked.plies,
            "variations": checked.variations,
            "annotations": annotations,
        })
    };
    job.update(|health| health.counts = Some(counts));
    Ok(())
}

struct HealthObserver<'a> {
    input: &'a ShelfInput,
    job: &'a Job<Health>,
}

impl Observer for HealthObserver<'_> {
    fn problem(&mut self, _item: &InputItem, problem: &Problem) -> Result<()> {
        let error = &problem.error;
        let at = error.location();
        let text = self.input.without_folder(&error.kind().to_string());
        let file = at.file.as_ref().and_then(|file| file.file_name());
        let file = file.filter(|name| *name != self.input.name.as_str());
        let example = json!({
            "text": text,
            "known": known_problem(&text),
            "file": file.map(|name| name.to_string_lossy()),
            "game": at.game.map(|game| u64::from(game.0) + 1),
            "ply": at.ply.map(|ply| ply + 1),
            "line": at.line,
            "offset": at.offset,
            "unreadBytes": problem.unread_bytes,
        });
        let kind = kind_of(&text);
        self.job.update(|health| {
            health.problems += 1;
            let is_known = health.kinds.contains_key(&kind) || health.kinds.len() < MAX_KINDS;
            let name = if is_known {
                kind.as_str()
            } else {
                "other problems"
            };
            let kind = health.kinds.entry(name.to_owned()).or_default();
            kind.count += 1;
            if kind.examples.len() < MAX_EXAMPLES {
                kind.examples.push(example);
            }
        });
        Ok(())
    }
}

/// The text without what differs between problems of one kind: quoted text, and words with digits, such as numbers,
/// squares and offsets.
fn kind_of(text: &str) -> String {
    let mut kind = String::new();
    let text: String = text.chars().take(400).collect();
    for (index, part) in text.split(['`', '"']).enumerate() {
        if index % 2 == 1 {
            kind.push_str("`…`");
            continue;
        }
        for word in part.split_inclusive(char::is_whitespace) {
            if word.contains(|c: char| c.is_ascii_digit()) {
                let core = word.trim_matches(|c: char| c.is_whitespace() || "(),.;:".contains(c));
                kind.push_str(&word.replacen(core, "…", 1));
            } else {
                kind.push_str(word);
            }
        }
    }
    kind
}

impl Health {
    /// Number of bytes in memory, about.
    pub(crate) fn weight(&self) -> usize {
        self.kinds.len() * MAX_EXAMPLES * 200
    }

    /// As JSON, the most frequent kind first.
    pub(crate) fn document(&self) -> Value {
        let mut kinds: Vec<(&String, &Kind)> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
        let kinds: Vec<Value> = kinds
            .into_iter()
            .map(|(text, kind)| {
                json!({
                    "kind": text,
                    "known": known_problem(text),
                    "count": kind.count,
                    "examples": kind.examples,
                })
            })
            .collect();
        json!({"problems": self.problems, "kinds": kinds, "counts": self.counts})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_of_one_kind_have_one_text() {
        assert_eq!(
            kind_of("`Nf9` is not legal at ply 17"),
            kind_of("`exd5` is not legal at ply 3")
        );
        assert_eq!(
            kind_of("the header states 10 bytes, such as 0x9d: `a1` (25)"),
            "the header states … bytes, such as …: `…` (…)"
        );
        assert_ne!(kind_of("no result"), kind_of("no date"));
    }
}
