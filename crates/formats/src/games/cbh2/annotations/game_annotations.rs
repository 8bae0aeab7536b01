//! [`GameAnnotations`]: reads the annotations of a game and visits them.

use std::ops::Range;

use tabia_core::error::{Error, Malformed};
use tabia_core::game::{Annotation, Flow, Tags, Visitor};
use tabia_core::io::{Charset, Cursor};

use super::data_lengths::kind;
use super::{END, foreign};
use super::{data_lengths, decode};
use crate::games::cbh::annotations::game_tags::{GameTag, GameTags, clock_text};
use crate::games::cbh::charset::Texts;
use crate::games::cbh::content_summary::ItemSummary;

/// An annotation; `data` is its range in the content of the record.
#[derive(Debug, Clone)]
struct ItemRange {
    position: i32,
    kind: u16,
    data: Range<usize>,
}

/// The annotations of one game.
#[derive(Debug)]
pub(crate) struct GameAnnotations<'c> {
    content: &'c [u8],
    /// Sorted by position.
    items: Vec<ItemRange>,
    texts: Texts,
}

impl<'c> GameAnnotations<'c> {
    /// No annotations.
    pub(crate) fn empty(texts: Texts) -> Self {
        Self {
            content: &[],
            items: Vec::new(),
            texts,
        }
    }

    /// Reads the content of a record; also the error that ended the readable part early.
    pub(crate) fn read(content: &'c [u8], texts: Texts) -> (Self, Option<Error>) {
        let mut annotations = Self {
            content,
            items: Vec::new(),
            texts,
        };
        let mut cursor = Cursor::new(content);
        let mut position = -1;
        let end = annotations.read_items(&mut cursor, &mut position);
        let error = match end {
            Ok(None) => None,
            Ok(Some((kind, at))) => {
                annotations.keep_rest(position, at);
                let text = format!(
                    "the length of annotations of kind {kind:#x} is unknown: this one and those \
                     after it are kept unread"
                );
                Some(Error::unsupported(text).at_offset(at as u64))
            }
            Err((malformed, at)) => {
                annotations.keep_rest(position, at);
                Some(malformed.at_base(0))
            }
        };
        annotations.items.sort_by_key(|item| item.position);
        (annotations, error)
    }

    /// Visits the bytes of all comments in the content of a record.
    pub(crate) fn each_text(content: &[u8], mut visit: impl FnMut(&[u8])) {
        let texts = Texts::new(Charset::Utf8, encoding_rs::WINDOWS_1252);
        let (annotations, _) = GameAnnotations::read(content, texts);
        let kinds = [kind::TEXT_AFTER, kind::TEXT_BEFORE].map(u16::from);
        for item in annotations
            .items
            .iter()
            .filter(|item| kinds.contains(&item.kind))
        {
            let data = content.get(item.data.clone()).unwrap_or_default();
            visit(data.get(8..).unwrap_or_default());
        }
    }

    /// Removes the annotations that are tags of the game, the first of each kind, and appends these tags.
    pub(crate) fn take_tags(&mut self, mut tags: Option<&mut Tags>) {
        let end = self.items.partition_point(|item| item.position < 0);
        let mut seen = GameTags::default();
        let content = self.content;
        let mut number = 0;
        self.items.retain(|item| {
            number += 1;
            let tag = u8::try_from(item.kind).ok().and_then(GameTag::of_kind);
            let Some(tag) = tag.filter(|_| number <= end) else {
                return true;
            };
            let data = content.get(item.data.clone()).unwrap_or_default();
            let Some(value) = tag_value(tag, data).filter(|_| seen.add(tag)) else {
                return true;
            };
            if let Some(tags) = &mut tags {
                tags.push(tag.name(), &value);
            }
            false
        });
    }

    /// The medals of all annotations together.
    pub(crate) fn medals(&self) -> u16 {
        let medals = self
            .items
            .iter()
            .filter(|item| item.kind == u16::from(kind::MEDALS));
        medals
            .filter_map(|item| self.content.get(item.data.clone()))
            .filter_map(|data| data.first_chunk::<2>())
            .fold(0, |all, [low, high]| {
                all | u16::from(*high) << 8 | u16::from(*low)
            })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What a header depends on, of each annotation.
    pub(crate) fn summaries(&self) -> impl Iterator<Item = ItemSummary> {
        self.items.iter().filter_map(|item| {
            let data = self.content.get(item.data.clone()).unwrap_or_default();
            let kind = u8::try_from(item.kind).ok()?;
            let medals = data.first_chunk::<2>().filter(|_| kind == kind::MEDALS);
            Some(ItemSummary {
                kind,
                text: data.len().saturating_sub(8),
                medals: medals.map_or(0, |[low, high]| u16::from(*high) << 8 | u16::from(*low)),
            })
        })
    }

    /// Visits the annotations of the game.
    pub(crate) fn visit_game(&self, visitor: &mut dyn Visitor) -> Flow {
        let end = self.items.partition_point(|item| item.position < 0);
        self.visit_items(0..end, visitor)
    }

    /// Visits the annotations of the moves `from` to `to` (exclusive).
    pub(crate) fn visit(&self, from: u32, to: u32, visitor: &mut dyn Visitor) -> Flow {
        let count_below = |number: u32| {
            let items = &self.items;
            items.partition_point(|item| i64::from(item.position) < i64::from(number))
        };
        self.visit_items(count_below(from)..count_below(to), visitor)
    }

    fn visit_items(&self, range: Range<usize>, visitor: &mut dyn Visitor) -> Flow {
        for item in self.items.get(range).unwrap_or_default() {
            let data = self.content.get(item.data.clone()).unwrap_or_default();
            let emit = &mut |annotation: Annotation<'_>| visitor.visit_annotation(annotation);
            let flow = decode::decode(item.kind, data, self.texts, emit);
            if flow != Flow::Go {
                return flow;
            }
        }
        Flow::Go
    }

    /// Reads all items. Returns an unknown kind that ends them early, if any, with its offset; the
    /// error contains the offset of the malformed annotation.
    fn read_items(
        &mut self,
        cursor: &mut Cursor<'_>,
        position: &mut i32,
    ) -> Result<Option<(u16, usize)>, (Malformed, usize)> {
        loop {
            let at = cursor.offset();
            let with_offset = |malformed| (malformed, at);
            let number = cursor.i32_le("position").map_err(with_offset)?;
            if number == END {
                return Ok(None);
            }
            *position = number.max(-1);
            for _ in 0..cursor.u32_le("count").map_err(with_offset)? {
                let at = cursor.offset();
                let with_offset = |malformed| (malformed, at);
                let kind = cursor.u16_le("kind").map_err(with_offset)?;
                let from = cursor.offset();
                if data_lengths::skip(kind, cursor)
                    .map_err(with_offset)?
                    .is_none()
                {
                    return Ok(Some((kind, at)));
                }
                self.items.push(ItemRange {
                    position: *position,
                    kind,
                    data: from..cursor.offset(),
                });
            }
        }
    }

    /// Adds the rest of the content as foreign data.
    fn keep_rest(&mut self, position: i32, at: usize) {
        self.items.push(ItemRange {
            position,
            kind: foreign::REST,
            data: at..self.content.len(),
        });
    }
}

/// The value of the tag for the data of an annotation; `None` if no tag can state it.
fn tag_value(tag: GameTag, data: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(data);
    let text = match tag {
        GameTag::WhiteClock | GameTag::BlackClock => clock_text(cursor.i32_le("clock").ok()?)?,
        GameTag::TimeControl => {
            let [mark, ..] = data else { return None };
            let control = decode::time_control(&mut cursor).ok()?;
            control
                .pgn()
                .filter(|_| *mark == 1 && data.ends_with(&[0; 4]))?
        }
    };
    cursor.is_empty().then_some(text)
}
