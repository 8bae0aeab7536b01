//! Builds the content of an annotation record.

use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Foreign, Shape, TrainingText};
use tabia_core::io::Sink;
use tabia_core::loss::Feature;

use super::data_lengths::{is_complete, kind};
use super::decode::decode;
use super::encode::{encode, language_numbers, usual_symbols};
use super::{ANY_LANGUAGE, END, FORM, LANGUAGES, foreign};
use crate::games::cbh::annotations::encode_shape;
use crate::games::cbh::charset::encode_text;
use crate::games::cbh2::format_id::ID;

/// Builds the annotations of one game. They are added in ascending order of position; those of one
/// position in the order in which they are to be read again.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    content: Sink,
    block: Option<Block>,
    /// The last annotation, while it may still change.
    open: Option<OpenItem>,
    /// NAGs of the block that are not written yet.
    nags: Vec<u8>,
}

/// The annotations of one move.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Its offset in the content.
    at: usize,
    position: i32,
    count: u32,
}

/// The last annotation.
#[derive(Debug, Clone, Copy)]
struct OpenItem {
    kind: u16,
    /// Offset of its data in the content.
    at: usize,
}

impl Encoder {
    /// Empties the content and keeps its buffer.
    pub(crate) fn clear(&mut self) {
        self.content.clear();
        self.block = None;
        self.open = None;
        self.nags.clear();
    }

    /// The complete content; only its end if nothing was added.
    pub(crate) fn finish(&mut self) -> &[u8] {
        self.close_block();
        self.content.i32_le(END);
        self.content.as_slice()
    }

    /// Adds a clock at the end of the game, in hundredths of a second.
    pub(crate) fn put_clock(&mut self, kind: u8, hundredths: i32) {
        let mut data = Sink::new();
        data.i32_le(hundredths);
        self.item(-1, kind.into(), data.as_slice());
    }

    /// Adds an annotation; `position` is −1 for the game, else the number of the move in PGN order.
    /// Returns what could not be stored, if anything.
    pub(crate) fn push(&mut self, position: i32, annotation: &Annotation<'_>) -> Option<Feature> {
        match annotation {
            Annotation::Nag(nag) => {
                if nag.0 == 0 {
                    return Some(Feature::Nags);
                }
                self.begin_block(position);
                self.nags.push(nag.0);
                None
            }
            Annotation::Shape(shape) => self.shape(position, *shape),
            Annotation::Comment(comment) => self.comment(position, comment),
            Annotation::Foreign(foreign) => self.foreign(position, foreign),
            _ => {
                let mut data = Sink::new();
                let kind = match encode(annotation, &mut data) {
                    Ok(kind) => kind,
                    Err(lost) => return Some(lost),
                };
                self.item(position, kind, data.as_slice());
                partial_loss(annotation, kind, data.as_slice())
            }
        }
    }

    fn comment(&mut self, position: i32, comment: &Comment<'_>) -> Option<Feature> {
        let kind = match comment.placement {
            CommentPlacement::Before => kind::TEXT_BEFORE,
            CommentPlacement::After => kind::TEXT_AFTER,
        };
        let (language, nation) = language_numbers(comment.language);
        let mut data = Sink::new();
        data.u16_le(0);
        data.u16_le(language.unwrap_or(ANY_LANGUAGE));
        let mut text = Vec::new();
        let is_exact = encode_text(comment.text, nation, FORM, &mut text);
        data.u32_le(text.len() as u32);
        data.bytes(&text);
        self.item(position, kind.into(), data.as_slice());
        if is_exact {
            language.is_none().then_some(Feature::Languages)
        } else {
            Some(Feature::Characters)
        }
    }

    fn shape(&mut self, position: i32, shape: Shape) -> Option<Feature> {
        let Some(encoded) = encode_shape(shape) else {
            return Some(Feature::Shapes);
        };
        let kind = u16::from(encoded.kind);
        if !self.is_open(position, kind) {
            self.item(position, kind, &[0; 4]);
        }
        self.content.bytes(&encoded.bytes);
        if let Some(open) = self.open {
            let length = self.content.len() - open.at - 4;
            self.content.patch_u32_le(open.at, length as u32);
        }
        (!encoded.is_exact).then_some(Feature::ShapeColors)
    }

    fn foreign(&mut self, position: i32, foreign: &Foreign<'_>) -> Option<Feature> {
        if foreign.format != ID {
            return Some(Feature::Foreign);
        }
        let kind = foreign.kind & !foreign::EXACT;
        let is_stored = match foreign.kind {
            foreign::COMMENT_HEAD => self.replace_head(position, foreign.bytes),
            0..=0xff if is_complete(foreign.kind, foreign.bytes) => {
                self.item(position, foreign.kind, foreign.bytes);
                true
            }
            _ if foreign.kind & foreign::EXACT == 0 || kind > 0xff => false,
            _ if kind == u16::from(kind::SYMBOLS) => self.replace_symbols(position, foreign.bytes),
            _ => self.replace(position, kind, foreign.bytes),
        };
        (!is_stored).then_some(Feature::Foreign)
    }

    /// Replaces the unknown word and the language of the comment before it.
    fn replace_head(&mut self, position: i32, head: &[u8]) -> bool {
        let texts = [kind::TEXT_AFTER, kind::TEXT_BEFORE].map(u16::from);
        let Some(open) = self.open.filter(|open| texts.contains(&open.kind)) else {
            return false;
        };
        let language = |head: &[u8]| match *head {
            [_, _, low, high] => {
                let number = u16::from(high) << 8 | u16::from(low);
                let known = LANGUAGES.iter().any(|(known, ..)| *known == number);
                Some(known.then_some(number))
            }
            _ => None,
        };
        let old = self.content.as_slice().get(open.at..open.at + 4);
        if !self.is_open(position, open.kind)
            || language(head).is_none()
            || old.and_then(language) != language(head)
        {
            return false;
        }
        self.content.patch(open.at, head);
        true
    }

    /// Replaces the last NAGs by an item with the same ones in other slots.
    fn replace_symbols(&mut self, position: i32, data: &[u8]) -> bool {
        let is_here = self.block.is_some_and(|block| block.position == position);
        let stored: Vec<u8> = data.iter().copied().filter(|&nag| nag != 0).collect();
        let Some(before) = self.nags.len().checked_sub(stored.len()) else {
            return false;
        };
        if !is_here || data.len() != 3 || self.nags.get(before..) != Some(&stored) {
            return false;
        }
        self.nags.truncate(before);
        self.write_nags();
        self.item(position, kind::SYMBOLS.into(), data);
        true
    }

    /// Replaces the data of the last annotation by data that is read as the same annotation.
    fn replace(&mut self, position: i32, kind: u16, data: &[u8]) -> bool {
        let Some(open) = self.open.filter(|_| self.is_open(position, kind)) else {
            return false;
        };
        let written = self.content.as_slice().get(open.at..).unwrap_or_default();
        if !is_complete(kind, data) || !is_same(kind, written, data) {
            return false;
        }
        self.content.truncate(open.at);
        self.content.bytes(data);
        true
    }

    fn item(&mut self, position: i32, kind: u16, data: &[u8]) {
        self.begin_block(position);
        self.write_nags();
        self.begin_item(kind);
        self.content.bytes(data);
    }

    fn begin_item(&mut self, kind: u16) {
        if let Some(block) = &mut self.block {
            block.count += 1;
        }
        self.content.u16_le(kind);
        self.open = Some(OpenItem {
            kind,
            at: self.content.len(),
        });
    }

    /// Begins a block, unless the annotations of this position have begun.
    fn begin_block(&mut self, position: i32) {
        if self.block.is_some_and(|block| block.position == position) {
            return;
        }
        self.close_block();
        self.block = Some(Block {
            at: self.content.len(),
            position,
            count: 0,
        });
        self.content.i32_le(position);
        self.content.u32_le(0);
    }

    fn close_block(&mut self) {
        self.write_nags();
        if let Some(block) = self.block.take() {
            self.content.patch_u32_le(block.at + 4, block.count);
        }
        self.open = None;
    }

    /// Writes the pending NAGs, in the fewest items that preserve their order.
    fn write_nags(&mut self) {
        let nags = std::mem::take(&mut self.nags);
        let mut rest = nags.as_slice();
        while !rest.is_empty() {
            let longest = (1..=rest.len().min(3)).rev().find_map(|count| {
                let (first, remaining) = rest.split_at_checked(count)?;
                Some((usual_symbols(first.iter().copied())?, remaining))
            });
            let Some((slots, remaining)) = longest else {
                break;
            };
            self.begin_item(kind::SYMBOLS.into());
            self.content.bytes(&slots);
            rest = remaining;
        }
        self.nags = nags;
        self.nags.clear();
    }

    /// Whether the last annotation has this position and kind.
    fn is_open(&self, position: i32, kind: u16) -> bool {
        self.nags.is_empty()
            && self.block.is_some_and(|block| block.position == position)
            && self.open.is_some_and(|open| open.kind == kind)
    }
}

/// Whether two data of a kind are read as the same annotation.
fn is_same(kind: u16, written: &[u8], data: &[u8]) -> bool {
    let texts = FORM.texts();
    let mut is_same = false;
    let _ = decode(kind, written, texts, &mut |written| {
        if !matches!(written, Annotation::Foreign(_)) {
            let _ = decode(kind, data, texts, &mut |read| {
                is_same |= read == written;
                Flow::Go
            });
        }
        Flow::Go
    });
    is_same
}

/// The part of an annotation that its encoded data lacks, if any.
fn partial_loss(annotation: &Annotation<'_>, kind: u16, data: &[u8]) -> Option<Feature> {
    let feature = match annotation {
        // One that cannot be read again as it is.
        Annotation::Clock(_) => Feature::Clocks,
        Annotation::Eval(eval) if eval.engine == 0 && eval.depth != Some(0) => return None,
        Annotation::Eval(_) => Feature::EvalDepths,
        Annotation::Training(training) => {
            let lists = [
                &training.question,
                &training.wrong,
                &training.first_help,
                &training.second_help,
            ];
            let solutions = training.solutions.iter().map(|solution| &solution.comments);
            let choices = training.choices.iter().flat_map(|c| [&c.answer, &c.reply]);
            let mut texts = lists.into_iter().chain(solutions).chain(choices).flatten();
            // Only the language of its texts.
            let has_language = |text: &TrainingText| text.language != ANY_LANGUAGE;
            if texts.any(has_language) {
                Feature::Languages
            } else {
                Feature::Training
            }
        }
        Annotation::Quotation(_) => Feature::Quotations,
        Annotation::WebLink(_) => Feature::Characters,
        Annotation::Media(media) => match language_numbers(media.language) {
            (None, _) => return Some(Feature::Languages),
            _ => Feature::Characters,
        },
        _ => return None,
    };
    let mut is_whole = false;
    let _ = decode(kind, data, FORM.texts(), &mut |read| {
        is_whole |= read == *annotation;
        Flow::Go
    });
    (!is_whole).then_some(feature)
}
