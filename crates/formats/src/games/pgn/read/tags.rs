//! The tag section, and the first position, which it says.

use tabia_core::chess::{Position, Setup};
use tabia_core::error::Error;
use tabia_core::game::{GameResult, RecordKind};
use tabia_core::io::{Charset, decode};

use super::{Input, Reader};
use crate::games::pgn::game_boundary::BOM;
use crate::games::pgn::{tag_roster, tag_section};

/// Starts and lengths of a tag's name and value.
pub(super) type Spans = ((usize, usize), (usize, usize));

impl Reader {
    /// Reads the tag section into `head` and returns its end.
    pub(super) fn tags(&mut self, input: &Input<'_, '_>) -> usize {
        self.head.clear();
        self.tag_result = None;
        self.said = None;
        self.special = false;
        self.unplayable = None;
        let mut at = input.walk.at;
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
            let (pair, end) = tag_section::next(input.text, at);
            let Some(pair) = pair else {
                break end;
            };
            at = end;
            self.special |= pair.name.starts_with(b"Tabia");
            if pair.plain {
                let name = (pair.name_at - start, pair.name.len());
                pairs.push((name, (pair.value_at - start, pair.value.len())));
                continue;
            }
            self.push_plain(input.text, start, at, &mut pairs);
            self.push_tag(ascii(pair.name), &pair.text(self.charset));
            start = at;
        };
        self.push_plain(input.text, start, at, &mut pairs);
        self.pairs = pairs;
        end
    }

    /// Adds tags that stand in the text as they are, looking once whether all are valid UTF-8.
    fn push_plain(&mut self, text: &[u8], start: usize, end: usize, pairs: &mut Vec<Spans>) {
        let part = text.get(start..end).unwrap_or_default();
        let valid = match self.charset {
            Charset::Single(_) => None,
            _ => std::str::from_utf8(part).ok(),
        };
        for &((name, name_length), (value, value_length)) in &*pairs {
            let (name, value) = (name..name + name_length, value..value + value_length);
            if let Some((name, value)) =
                valid.and_then(|valid| Some((valid.get(name.clone())?, valid.get(value.clone())?)))
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
            self.said = GameResult::parse(value.as_bytes());
        }
        self.head.tags.push(name, value);
    }

    /// Finds the first position; `false` when no moves can be played from it.
    pub(super) fn start(&mut self, input: &mut Input<'_, '_>, at: usize) -> bool {
        if !self.special {
            return self.first_position(input, at, tag_roster::Special::default());
        }
        let special = tag_roster::special(&self.head.tags);
        let playable = self.first_position(input, at, special);
        tag_roster::restore(&mut self.head.tags);
        if special.deleted {
            self.head.deleted = true;
        }
        if special.text {
            self.head.kind = RecordKind::Text;
        }
        playable
    }

    fn first_position(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        special: tag_roster::Special,
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
            variant == Some(tag_roster::Variant::Chess960) && !special.classical;
        if let Some(tag_roster::Variant::Other) = variant {
            let name = self.head.tags.text("Variant");
            let error = format!("games of {name} are not played here");
            self.unplayable = Some(Error::unsupported(error));
            return false;
        }
        match &self.head.start.setup {
            None => {
                self.position = Position::standard();
                true
            }
            Some(setup) => match Position::from_setup(setup) {
                Ok(position) => {
                    if position.is_chess960() && !special.classical {
                        self.head.start.chess960 = true;
                    }
                    self.position = position;
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
