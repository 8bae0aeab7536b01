//! Tag sections of games whose tags have the same names: which are written, in which order and with
//! what around the values is found out once.

use tabia_core::game::{GameHead, GameResult, RecordKind};

use crate::games::common::tag_plan_cache::Plans;

use super::char_class::is_clean;
use super::tags::{Left, ResultTag};

/// How the tags of a game are written.
#[derive(Debug)]
pub(super) struct Plan {
    /// What is written before the values, one behind the other, and [`SHORT`] bytes more.
    texts: Vec<u8>,
    steps: Vec<Step>,
    /// What is written behind the last value.
    tail: (usize, usize),
    left: Left,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// Start and end of what is written before the value.
    before: (usize, usize),
    value: Value,
}

/// What is written next.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// The value at that place.
    Stored(u32),
    /// The same, as the game's result.
    Result(u32),
    /// The result of a game without that tag.
    NoResult,
}

/// So many bytes are copied at once, and cut: cheaper than a copy of unknown length.
const SHORT: usize = 32;

/// Whether nothing but the names decides what is written of the tags.
fn is_plain(head: &GameHead) -> bool {
    let start = &head.start;
    let is_usual = head.kind == RecordKind::Game && !head.deleted;
    is_usual
        && start.setup.is_none()
        && !start.chess960
        && is_clean(head.tags.values().0.as_bytes())
}

/// Writes the tags of `head` if there is a plan for them; `full` for that profile.
#[inline]
pub(super) fn write(
    plans: &mut Plans<Plan>,
    head: &GameHead,
    full: bool,
    out: &mut Vec<u8>,
) -> Option<(ResultTag, Left)> {
    let plan = plans.get(&head.tags)?;
    is_plain(head).then(|| (plan.write(head, full, out), plan.left))
}

/// Plans the tags of `head`, of which `left` are left out: texts and values as they follow each
/// other, and the text at the end.
pub(super) fn add(
    plans: &mut Plans<Plan>,
    head: &GameHead,
    parts: impl Iterator<Item = (Vec<u8>, Value)>,
    tail: &[u8],
    left: Left,
) {
    if !is_plain(head) {
        return;
    }
    let mut texts = Vec::new();
    let mut add = |text: &[u8]| {
        let start = texts.len();
        texts.extend_from_slice(text);
        (start, texts.len())
    };
    let steps = parts
        .map(|(text, value)| Step {
            before: add(&text),
            value,
        })
        .collect();
    let tail = add(tail);
    texts.extend_from_slice(&[0; SHORT]);
    let plan = Plan {
        texts,
        steps,
        tail,
        left,
    };
    plans.add(&head.tags, plan);
}

impl Plan {
    fn write(&self, head: &GameHead, full: bool, out: &mut Vec<u8>) -> ResultTag {
        let (values, ends) = head.tags.values();
        let values = values.as_bytes();
        let span = |place: u32| {
            let end_of = |place: usize| ends.get(place).map_or(0, |&end| end as usize);
            let place = place as usize;
            (place.checked_sub(1).map_or(0, end_of), end_of(place))
        };
        let mut result = ResultTag::default();
        out.reserve(self.texts.len() + values.len() + SHORT);
        for step in &self.steps {
            append(&self.texts, step.before, out);
            let start = out.len();
            let (value, stored) = match step.value {
                Value::Stored(place) => {
                    append(values, span(place), out);
                    continue;
                }
                Value::Result(place) => {
                    let (from, to) = span(place);
                    let text = values.get(from..to).unwrap_or_default();
                    let read = GameResult::parse(text.trim_ascii());
                    match read {
                        Some(read) if !full => {
                            out.extend_from_slice(read.pgn().as_bytes());
                            (Some(read.to_pgn()), false)
                        }
                        _ => {
                            out.extend_from_slice(text);
                            (read, full)
                        }
                    }
                }
                Value::NoResult => {
                    out.push(b'*');
                    (Some(GameResult::Unknown), false)
                }
            };
            result = ResultTag {
                start,
                end: out.len(),
                value,
                stored,
            };
        }
        append(&self.texts, self.tail, out);
        result
    }
}

/// Appends bytes of `all` from a place to another.
#[inline(always)]
fn append(all: &[u8], (from, to): (usize, usize), out: &mut Vec<u8>) {
    let length = to.saturating_sub(from);
    let short = all.get(from..).and_then(|rest| rest.first_chunk::<SHORT>());
    match short {
        Some(bytes) if length <= SHORT => {
            let end = out.len() + length;
            out.extend_from_slice(bytes);
            out.truncate(end);
        }
        _ => out.extend_from_slice(all.get(from..to).unwrap_or_default()),
    }
}
