//! The tag section, and the start position, which it contains.

use tabia_core::chess::{Position, Setup};
use tabia_core::error::Error;
use tabia_core::game::{GameResult, RecordKind};
use tabia_core::io::{Charset, decode};

use super::{Input, Reader};
use crate::games::pgn::event_boundary::BOM;
use crate::games::pgn::{tag_parser, tag_roster};

/// The offsets and lengths of the name and the value of a tag.
pub(super) type PairSpans = ((usize, usize), (usize, usize));

impl Reader {
    /// Reads the tag section at the cursor into `head` and returns its end.
    pub(super) fn tags(&mut self, input: &Input<'_, '_>) -> usize {
        self.head.clear();
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
        let mut start = at;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let end = loop {
            let (pair, end) = tag_parser::next_pair(input.text, at);
            let Some(pair) = pair else {
                break end;
            };
            at = end;
            self.has_full_tags |= pair.name.starts_with(b"Tabia");
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
        end
    }

    /// Adds tags without escapes. UTF-8 is validated once for all of them.
    fn push_literal(&mut self, text: &[u8], start: usize, end: usize, pairs: &mut Vec<PairSpans>) {
        let part = text.get(start..end).unwrap_or_default();
        let valid_text = match self.charset {
            Charset::Single(_) => None,
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
        if name == tag_roster::RESULT {
            self.exact_result = GameResult::parse(value.as_bytes());
        }
        self.head.tags.push(name, value);
    }

    /// Sets the start position; `false` if no moves can be played from it.
    pub(super) fn start(&mut self, input: &mut Input<'_, '_>, at: usize) -> bool {
        if !self.has_full_tags {
            return self.start_position(input, at, tag_roster::RecordMarks::default());
        }
        let marks = tag_roster::record_marks(&self.head.tags);
        let playable = self.start_position(input, at, marks);
        tag_roster::restore(&mut self.head.tags);
        if marks.deleted {
            self.head.deleted = true;
        }
        if marks.text {
            self.head.kind = RecordKind::Text;
        }
        playable
    }

    /// Sets the start position from the tags `FEN` and `Variant`.
    fn start_position(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        marks: tag_roster::RecordMarks,
    ) -> bool {
        if let Some(fen) = self.head.tags.get("FEN") {
            let Ok(setup) = Setup::parse_fen(fen.trim_ascii().as_bytes()) else {
                let error = format!("the setup position `{fen}` cannot be read");
                self.report(input, at, Error::invalid(error), None);
                return false;
            };
            self.head.start.setup = Some(Box::new(setup));
        }
        let variant = self.head.tags.get("Variant").map(tag_roster::variant);
        self.head.start.chess960 =
            variant == Some(tag_roster::Variant::Chess960) && !marks.classical;
        if let Some(tag_roster::Variant::Other) = variant {
            let name = self.head.tags.text("Variant");
            let error = format!("games of {name} are not played here");
            self.unplayable = Some(Error::unsupported(error));
            return false;
        }
        match &self.head.start.setup {
            None => {
                self.line.position = Position::standard();
                true
            }
            Some(setup) => match Position::from_setup(setup) {
                Ok(position) => {
                    if position.is_chess960() && !marks.classical {
                        self.head.start.chess960 = true;
                    }
                    self.line.position = position;
                    true
                }
                Err(error) => {
                    let error = format!("no moves can be played from the setup position: {error}");
                    self.unplayable = Some(Error::invalid(error));
                    false
                }
            },
        }
    }
}

/// The name of a tag, which is made of ASCII letters, digits and underscores.
fn ascii(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}
