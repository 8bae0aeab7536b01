//! The tag section.

use tabia_core::error::Error;
use tabia_core::game::{GameResult, RecordKind, Start};
use tabia_core::io::decode;

use super::{Input, Reader};
use crate::games::pgn::char_class::{BOM, CharClass, class, is_newline, skip_spaces};
use crate::games::pgn::full_profile;
use crate::games::pgn::irregular_tags::{self, TagSectionPart};
use crate::games::pgn::repeated_tags::{RepeatedTags, TagPattern};
use crate::games::pgn::tag_parser::{self, RawPair};
use crate::games::pgn::torn_games;

/// The offsets and lengths of the name and the value of a tag.
pub(super) type PairSpans = ((usize, usize), (usize, usize));

impl Reader {
    /// Reads the tag section at the cursor into `head` and returns its end.
    pub(super) fn tags(&mut self, input: &mut Input<'_, '_>) -> usize {
        self.tag_result = None;
        self.exact_result = None;
        self.has_full_tags = false;
        self.unplayable = None;
        let mut at = input.cursor.at;
        if input
            .text
            .get(at..)
            .is_some_and(|rest| rest.starts_with(BOM))
        {
            at += BOM.len();
        }
        if !std::mem::take(&mut self.has_other_tags)
            && let Some(end) = self.repeated_tags(input.text, at)
        {
            return end;
        }
        self.head.clear();
        self.has_start_tags = true;
        let mut pattern = Some(TagPattern::default());
        let section = at;
        let mut start = at;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let mut before = TagsBefore::default();
        let end = loop {
            let (pair, end) = tag_parser::next_pair(input.text, at);
            let Some(pair) = pair else {
                let next = input.text.get(end);
                if at == start
                    && pairs.is_empty()
                    && self.head.tags.is_empty()
                    && next != Some(&b'[')
                    || next.is_none_or(|&byte| class(byte) == CharClass::Digit)
                        && !(at > section && is_rest_of_line(input.text, at, end))
                {
                    break end;
                }
                pattern = None;
                self.push_literal(input.text, start, at, &mut pairs);
                let Some(next) = self.irregular_part(input, at, end) else {
                    start = at;
                    break end;
                };
                before.is_cut = torn_games::begins_game(input.text, next);
                at = next;
                start = at;
                continue;
            };
            if before.ends_at(input.text, section, &pair) {
                pattern = None;
                break pair.name_at - 1;
            }
            let lead = input.text.get(at..pair.value_at).unwrap_or_default();
            let name_at = pair.name_at - at;
            let name = name_at..name_at + pair.name.len();
            pattern = pattern.and_then(|mut pattern| pattern.push(lead, name).then_some(pattern));
            at = end;
            self.has_full_tags |= pair.name.starts_with(b"Tabia");
            if !pair.is_closed {
                self.report_unclosed(input, &pair);
            }
            if pair.is_literal {
                let name = (pair.name_at - start, pair.name.len());
                pairs.push((name, (pair.value_at - start, pair.value.len())));
                continue;
            }
            self.push_literal(input.text, start, at, &mut pairs);
            self.push_tag(ascii(pair.name), &pair.text(self.charset));
            start = at;
        };
        self.push_literal(input.text, start, at, &mut pairs);
        self.pairs = pairs;
        self.patterns.add(pattern.filter(|_| !self.has_full_tags));
        end
    }

    /// Reads the tag section at `at` into `head`, if it has the names of a section before and nothing
    /// irregular, and returns its end.
    pub(super) fn repeated_tags(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if self.charset.is_single_byte() {
            return None;
        }
        // No other tag follows, and nothing that may be one.
        let next = |end| {
            let next = skip_spaces(text, end);
            let is_digit = text.get(next).is_some_and(u8::is_ascii_digit);
            if is_digit && text.get(end).is_some_and(|byte| is_newline(*byte)) {
                return Some(next);
            }
            let (pair, next) = tag_parser::next_pair(text, end);
            let byte = text.get(next);
            let is_end = byte.is_none_or(|&byte| class(byte) == CharClass::Digit);
            (pair.is_none() && is_end).then_some(next)
        };
        let values = &mut self.values;
        let RepeatedTags {
            pattern,
            has_last_names,
            end,
            next,
        } = self.patterns.read(text, at, values, next)?;
        let section = text.get(at..end)?;
        let tags = &mut self.head.tags;
        if !(has_last_names && tags.set_ascii_values(section, values)) {
            let section = std::str::from_utf8(section).ok()?;
            if !pattern.set_tags(section, values, has_last_names, tags) {
                return None;
            }
        }
        self.has_start_tags = pattern.has_start_tags;
        let result = pattern.result;
        let result = result.and_then(|index| self.head.tags.value(index));
        self.tag_result = result.and_then(|value| GameResult::parse(value.trim_ascii().as_bytes()));
        self.head.start = Start::default();
        self.head.kind = RecordKind::Game;
        self.head.deleted = false;
        Some(next)
    }

    /// Reads the part of the tag section at `at`, which is no regular pair, and returns its end; `None`
    /// if the section ends. `tags_end` is the end of the last tag.
    #[cold]
    #[inline(never)]
    fn irregular_part(
        &mut self,
        input: &mut Input<'_, '_>,
        tags_end: usize,
        at: usize,
    ) -> Option<usize> {
        let text = input.text;
        let (tags, charset) = (&self.head.tags, self.charset);
        let has_tag = |name: &[u8]| tags.get(&decode(name, charset)).is_some();
        match irregular_tags::next_part(text, tags_end, at, has_tag) {
            TagSectionPart::Pair(pair, end) => {
                if !pair.is_closed {
                    self.report_unclosed(input, &pair);
                }
                let mut name = decode(pair.name, self.charset);
                if name.contains([' ', '\t']) {
                    let joined = name.replace([' ', '\t'], "");
                    let error = format!(
                        "the name of the tag `{name}` has a blank: it is read as `{joined}`"
                    );
                    self.report(input, pair.name_at, Error::invalid(error), None);
                    name = joined.into();
                }
                self.has_full_tags |= name.starts_with("Tabia");
                self.push_tag(&name, &pair.text(self.charset));
                Some(end)
            }
            TagSectionPart::Layout(end) => Some(end),
            TagSectionPart::Comments(end) => {
                self.head_comments.push((at, end));
                Some(end)
            }
            TagSectionPart::Unread(end) => {
                let before = text.get(tags_end..at).unwrap_or_default();
                let is_on_line = tags_end > 0 && !before.iter().any(|byte| is_newline(*byte));
                let error = Error::invalid(if is_on_line {
                    "a tag is followed by other text on its line, which is left out"
                } else {
                    "a line between the tags is not a tag"
                });
                self.report(input, at, error, text.get(at..end));
                Some(end)
            }
            TagSectionPart::End => None,
        }
    }

    /// Reports a tag whose value ends with its line, or with the text, instead of a quote.
    #[cold]
    fn report_unclosed(&mut self, input: &mut Input<'_, '_>, pair: &RawPair<'_>) {
        let name = decode(pair.name, self.charset);
        let error = Error::invalid(format!("no quote ends the value of the tag `{name}`"));
        self.report(input, pair.name_at, error, None);
    }

    /// Visits the comments before the tags and between them.
    pub(super) fn visit_head_comments(&mut self, input: &mut Input<'_, '_>) {
        if self.head_comments.is_empty() {
            return;
        }
        let ranges = std::mem::take(&mut self.head_comments);
        for &(from, to) in &ranges {
            self.comments(input, from, to);
        }
        self.head_comments = ranges;
    }

    /// Adds tags without escapes. UTF-8 is validated once for all of them.
    fn push_literal(&mut self, text: &[u8], start: usize, end: usize, pairs: &mut Vec<PairSpans>) {
        let part = text.get(start..end).unwrap_or_default();
        let valid_text = match self.charset {
            charset if charset.is_single_byte() => None,
            _ => std::str::from_utf8(part).ok(),
        };
        for &((name, name_length), (value, value_length)) in &*pairs {
            let (name, value) = (name..name + name_length, value..value + value_length);
            if let Some((name, value)) = valid_text
                .and_then(|text| Some((text.get(name.clone())?, text.get(value.clone())?)))
            {
                self.push_tag(name, value);
            } else {
                let name = ascii(part.get(name).unwrap_or_default());
                let value = part.get(value).unwrap_or_default();
                self.push_tag(name, &decode(value, self.charset));
            }
        }
        pairs.clear();
    }

    fn push_tag(&mut self, name: &str, value: &str) {
        if name == "Result" && self.tag_result.is_none() {
            self.tag_result = GameResult::parse(value.trim_ascii().as_bytes());
        }
        if name == full_profile::tags::RESULT {
            self.exact_result = GameResult::parse(value.as_bytes());
        }
        self.head.tags.push(name, value);
    }
}

/// Whether the token at `at` is on the line of the tag that ends at `tags_end`, so that it may be no movetext.
#[inline]
fn is_rest_of_line(text: &[u8], tags_end: usize, at: usize) -> bool {
    at < text.len() && text.get(tags_end).is_some_and(|byte| !is_newline(*byte))
}

/// What of a tag section shows that its end is lost.
#[derive(Default)]
struct TagsBefore {
    has_event: bool,
    /// Whether the tag before, or a line, is cut off.
    is_cut: bool,
}

impl TagsBefore {
    /// Whether the pair is not of the section that begins at `start`, but the first one of the next game.
    fn ends_at(&mut self, text: &[u8], start: usize, pair: &RawPair<'_>) -> bool {
        if pair.name != b"Event" {
            self.is_cut = !pair.is_closed;
            return false;
        }
        let at = pair.name_at.saturating_sub(1);
        if self.has_event
            && torn_games::begins_game(text, at)
            && (self.is_cut || torn_games::repeats_tag(text, start, at))
        {
            return true;
        }
        self.has_event = true;
        self.is_cut = !pair.is_closed;
        false
    }
}

/// The name of a regular tag, which is ASCII.
fn ascii(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}
