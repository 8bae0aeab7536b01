//! Comments and NAGs.

use tabia_core::error::Error;
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Nag, Want};
use tabia_core::io::decode;

use super::{Input, LastToken, Reader};
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

    /// A NAG (`$1`) at `at`; returns its end.
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
                let unread = input.text.get(at..end);
                let error = Error::invalid("a NAG is a number from 0 to 255").at_ply(self.line.ply);
                self.report(input, at, error, unread);
            }
        }
        end
    }

    /// A comment in braces at `at`; returns its end.
    pub(super) fn brace(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        let rest = input.text.get(at..).unwrap_or_default();
        if let Some(length) = memchr::memchr(b'}', rest) {
            self.comment(input, at + 1, at + length);
            return at + length + 1;
        }
        let error = Error::invalid("the comment is not closed").at_ply(self.line.ply);
        if self.report(input, at, error, None) {
            self.comment(input, at + 1, input.text.len());
        }
        input.text.len()
    }

    /// A comment whose content is `from..to`.
    pub(super) fn comment(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        if !input.want.has(Want::ANNOTATIONS) {
            return;
        }
        let content = input.text.get(from..to).unwrap_or_default();
        let content = decode(content, self.charset);
        let mut is_before_next = match self.line.last_token {
            LastToken::Move => false,
            LastToken::None | LastToken::Number => self.line.has_move() || !self.frames.is_empty(),
        };
        let mut placement = CommentPlacement::After;
        let mut language = None;
        let mut buffer = std::mem::take(&mut self.comment_text);
        let mut text: Option<&str> = None;
        if comment::is_simple(&content) {
            text = Some(&content);
        } else if comment::has_commands(&content) {
            let visitor = &mut *input.visitor;
            let flow = &mut self.flow;
            let found = comment::read(&content, &mut buffer, &mut |annotation| {
                if *flow != Flow::Stop && visitor.visit_annotation(annotation) == Flow::Stop {
                    *flow = Flow::Stop;
                }
            });
            language = found.language;
            is_before_next = found.is_before_next.unwrap_or(is_before_next);
            if found.is_before_last {
                placement = CommentPlacement::Before;
            }
            if found.has_text {
                text = Some(&buffer);
            }
        } else if comment::is_normalized(&content) {
            text = Some(&content);
        } else {
            buffer.clear();
            comment::normalize_into(&content, &mut buffer);
            text = Some(&buffer);
        }
        if let Some(text) = text {
            if is_before_next {
                self.deferred.push(text, language);
            } else if !self.has_stopped() {
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
        self.comment_text = buffer;
    }

    /// Comments after the result, which belong to the game: visits them if `visit`, and returns their
    /// end.
    pub(super) fn comments_after_result(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        visit: bool,
    ) -> usize {
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
            if visit && !self.has_stopped() {
                self.line.last_token = LastToken::Move;
                self.comment(input, next + 1, next + length);
            }
            at = next + length + 1;
        }
    }

    /// Visits the deferred comments of a move that does not follow.
    pub(super) fn release_deferred(&mut self, input: &mut Input<'_, '_>) {
        if !self.deferred.is_empty() {
            self.visit_deferred(input, CommentPlacement::After);
        }
    }

    /// Visits the deferred comments.
    pub(super) fn visit_deferred(
        &mut self,
        input: &mut Input<'_, '_>,
        placement: CommentPlacement,
    ) {
        let mut deferred = std::mem::take(&mut self.deferred);
        for (text, language) in deferred.iter() {
            self.annotate(
                input,
                Annotation::Comment(Comment {
                    placement,
                    language,
                    text,
                }),
            );
        }
        deferred.clear();
        self.deferred = deferred;
    }
}
