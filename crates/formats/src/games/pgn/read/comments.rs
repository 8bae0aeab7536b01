//! Comments and symbols.

use tabia_core::error::Error;
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Nag, Want};
use tabia_core::io::decode;

use super::{Input, Reader};
use crate::games::pgn::char_class::skip_spaces;
use crate::games::pgn::comment;

impl Reader {
    pub(super) fn annotate(&mut self, input: &mut Input<'_, '_>, annotation: Annotation<'_>) {
        if input.visitor.visit_annotation(annotation) == Flow::Stop {
            self.flow = Flow::Stop;
        }
    }

    pub(super) fn nag(&mut self, input: &mut Input<'_, '_>, nag: u8) {
        if input.want.has(Want::ANNOTATIONS) {
            self.annotate(input, Annotation::Nag(Nag(nag)));
        }
    }

    pub(super) fn dollar(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let mut end = at + 1;
        let mut number = 0_u32;
        while let Some(digit) = input.text.get(end).filter(|byte| byte.is_ascii_digit()) {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            end += 1;
        }
        match u8::try_from(number) {
            Ok(nag) if end > at + 1 => self.nag(input, nag),
            _ => {
                let kept = input.text.get(at..end);
                let error = Error::invalid("a NAG is a number from 0 to 255").at_ply(self.ply);
                self.report(input, at, error, kept);
            }
        }
        end
    }

    /// A comment in braces; returns its end.
    pub(super) fn brace(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let rest = input.text.get(at..).unwrap_or_default();
        if let Some(length) = memchr::memchr(b'}', rest) {
            self.comment(input, at + 1, at + length);
            return at + length + 1;
        }
        let error = Error::invalid("the comment is not closed").at_ply(self.ply);
        if self.report(input, at, error, None) {
            self.comment(input, at + 1, input.text.len());
        }
        input.text.len()
    }

    pub(super) fn comment(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        if !input.want.has(Want::ANNOTATIONS) {
            return;
        }
        let content = input.text.get(from..to).unwrap_or_default();
        let content = decode(content, self.charset);
        let mut before = if self.moved {
            self.numbered
        } else {
            !self.frames.is_empty()
        };
        let mut placement = CommentPlacement::After;
        let mut language = None;
        let mut scratch = std::mem::take(&mut self.text);
        let mut shown: Option<&str> = None;
        if comment::is_plain(&content) {
            shown = Some(&content);
        } else if comment::has_commands(&content) {
            let visitor = &mut *input.visitor;
            let flow = &mut self.flow;
            let found = comment::read(&content, &mut scratch, &mut |annotation| {
                if *flow != Flow::Stop && visitor.visit_annotation(annotation) == Flow::Stop {
                    *flow = Flow::Stop;
                }
            });
            language = found.language;
            before = found.before.unwrap_or(before);
            if found.here {
                placement = CommentPlacement::Before;
            }
            if found.has_text {
                shown = Some(&scratch);
            }
        } else if comment::is_tidy(&content) {
            shown = Some(&content);
        } else {
            scratch.clear();
            comment::tidy_into(&content, &mut scratch);
            shown = Some(&scratch);
        }
        if let Some(text) = shown {
            if before {
                self.waiting_text.push_str(text);
                self.waiting.push((self.waiting_text.len(), language));
            } else if !self.has_ended() {
                self.annotate(
                    input,
                    Annotation::Comment(Comment {
                        placement,
                        language,
                        text,
                    }),
                );
            }
        }
        self.text = scratch;
    }

    /// Comments behind the result still belong to the game. Returns where they end.
    pub(super) fn behind(&mut self, input: &mut Input<'_, '_>, at: usize, read: bool) -> usize {
        let mut at = at;
        loop {
            let next = skip_spaces(input.text, at);
            if input.text.get(next) != Some(&b'{') {
                return at;
            }
            let rest = input.text.get(next..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'}', rest) else {
                return at;
            };
            if read && !self.has_ended() {
                self.moved = true;
                self.numbered = false;
                self.comment(input, next + 1, next + length);
            }
            at = next + length + 1;
        }
    }

    /// Hands on the comments that waited for a move which did not come.
    pub(super) fn release(&mut self, input: &mut Input<'_, '_>) {
        if !self.waiting.is_empty() {
            self.give(input, CommentPlacement::After);
        }
    }

    pub(super) fn give(&mut self, input: &mut Input<'_, '_>, placement: CommentPlacement) {
        let mut start = 0;
        let mut texts = std::mem::take(&mut self.waiting);
        let all = std::mem::take(&mut self.waiting_text);
        for &(end, language) in &texts {
            let text = all.get(start..end).unwrap_or_default();
            start = end;
            self.annotate(
                input,
                Annotation::Comment(Comment {
                    placement,
                    language,
                    text,
                }),
            );
        }
        texts.clear();
        self.waiting = texts;
        self.waiting_text = all;
        self.waiting_text.clear();
    }
}
