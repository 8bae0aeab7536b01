//! Plans of tag sections: which tags are written, in which order, and the text around their values.
//! A plan is made once for all games whose tags have the same names.

use tabia_core::game::{GameHead, GameResult, RecordKind};

use crate::games::common::tag_plan_cache::TagPlanCache;

use super::char_class::is_clean;

/// The numbers of tags that are left out or changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TagLosses {
    /// Header facts of database formats.
    pub(super) facts: u64,
    /// All other tags.
    pub(super) tags: u64,
    /// Those whose value has line breaks or other control characters, for which blanks are written.
    pub(super) texts: u64,
}

/// The value of the tag `Result` in the text that is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ResultTag {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The result as which a reader parses the value.
    pub(super) value: Option<GameResult>,
    /// Whether the stored value is written and must not be changed.
    pub(super) is_stored: bool,
    /// The offset of the value of `PlyCount`, a zero, which is not known until the game ends; 0 if there is
    /// no such value.
    pub(super) ply_count: usize,
}

/// A plan for writing the tags of a game.
#[derive(Debug)]
pub(super) struct TagPlan {
    /// The texts before the values, in order, then `tail`, then [`SHORT`] bytes of padding.
    texts: Vec<u8>,
    steps: Vec<Step>,
    /// Start and end in `texts` of the text after the last value.
    tail: (usize, usize),
    losses: TagLosses,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// Start and end in `texts` of the text before the value.
    before: (usize, usize),
    value: ValueSource,
}

/// The source of a value that is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueSource {
    /// The stored tag with this index.
    Stored(u32),
    /// The stored tag with this index, which is `Result`.
    Result(u32),
    /// A result that is not known until the game ends: there is no tag `Result`.
    MissingResult,
    /// A number of plies that is not known until the game ends: there is no tag `PlyCount`.
    PlyCount,
}

/// Bytes that are copied at once, and then truncated: faster than a copy of variable length.
const SHORT: usize = 32;

/// Whether the tag section depends only on the names and values of the tags, and no value needs a
/// backslash or has control characters.
fn can_be_planned(head: &GameHead) -> bool {
    let start = &head.start;
    let is_ordinary = head.kind == RecordKind::Game && !head.deleted;
    is_ordinary
        && start.setup.is_none()
        && !start.chess960
        && is_clean(head.tags.values().0.as_bytes())
}

/// Writes the tags of `head` with the cached plan for them, if there is one; `full` for that profile.
#[inline]
pub(super) fn write(
    plans: &mut TagPlanCache<TagPlan>,
    head: &GameHead,
    full: bool,
    out: &mut Vec<u8>,
) -> Option<(ResultTag, TagLosses)> {
    let plan = plans.get(&head.tags)?;
    can_be_planned(head).then(|| (plan.write(head, full, out), plan.losses))
}

/// Caches a plan for the tags of `head`: texts, each followed by a value, and the text at the end.
pub(super) fn add(
    plans: &mut TagPlanCache<TagPlan>,
    head: &GameHead,
    parts: impl Iterator<Item = (Vec<u8>, ValueSource)>,
    tail: &[u8],
    losses: TagLosses,
) {
    if !can_be_planned(head) {
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
    let plan = TagPlan {
        texts,
        steps,
        tail,
        losses,
    };
    plans.add(&head.tags, plan);
}

impl TagPlan {
    /// Appends the tag section to `out`.
    fn write(&self, head: &GameHead, full: bool, out: &mut Vec<u8>) -> ResultTag {
        let (values, ends) = head.tags.values();
        let values = values.as_bytes();
        let span = |index: u32| {
            let end_of = |index: usize| ends.get(index).map_or(0, |&end| end as usize);
            let index = index as usize;
            (index.checked_sub(1).map_or(0, end_of), end_of(index))
        };
        let mut result = ResultTag::default();
        out.reserve(self.texts.len() + values.len() + SHORT);
        for step in &self.steps {
            append(&self.texts, step.before, out);
            let start = out.len();
            let (value, is_stored) = match step.value {
                ValueSource::PlyCount => {
                    result.ply_count = start;
                    out.push(b'0');
                    continue;
                }
                ValueSource::Stored(index) => {
                    append(values, span(index), out);
                    continue;
                }
                ValueSource::Result(index) => {
                    let (from, to) = span(index);
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
                ValueSource::MissingResult => {
                    out.push(b'*');
                    (Some(GameResult::Unknown), false)
                }
            };
            result = ResultTag {
                start,
                end: out.len(),
                value,
                is_stored,
                ply_count: result.ply_count,
            };
        }
        append(&self.texts, self.tail, out);
        result
    }
}

/// Appends the bytes `from..to` of `all`.
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
