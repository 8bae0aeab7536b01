//! Comments and NAGs.

use tabia_core::error::{Error, ErrorKind};
use tabia_core::game::{Annotation, Comment, CommentPlacement, Flow, Foreign, Nag, Want};
use tabia_core::io::decode;

use super::{Input, LastToken, Reader};
use crate::games::pgn::char_class::{at_line_start, line_end};
use crate::games::pgn::comment_parser;
use crate::games::pgn::non_ascii_tokens::skip_blanks;

/// The kind of foreign data that is a NAG with a number that none has.
const OTHER_NAG: u16 = b'$' as u16;

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
                if end == at + 1 {
                    // Without a number it is a token up to the next blank or mark of movetext.
                    let rest = input.text.get(end..).unwrap_or_default();
                    let is_part =
                        |byte: &&u8| matches!(byte, b'-' | b'+') || byte.is_ascii_alphanumeric();
                    end += rest.iter().take_while(is_part).count();
                }
                let unread = input.text.get(at..end);
                let error = Error::invalid("a NAG is a number from 0 to 255").at_ply(self.line.ply);
                if self.report(input, at, error, unread) && input.want.has(Want::ANNOTATIONS) {
                    let foreign = Foreign {
                        format: crate::games::pgn::ID,
                        kind: OTHER_NAG,
                        bytes: unread.unwrap_or_default(),
                    };
                    self.annotate(input, Annotation::Foreign(foreign));
                }
            }
        }
        end
    }

    /// A comment in braces at `at`; returns its end.
    pub(super) fn brace(&mut self, input: &mut Input<'_, '_>, at: usize) -> usize {
        if let Some(end) = comment_parser::end(input.text, at) {
            self.comment(input, at + 1, end);
            return end + 1;
        }
        let kind = ErrorKind::OpenEnd("the comment is not closed".to_owned());
        let error = Error::new(kind).at_ply(self.line.ply);
        self.has_open_end = true;
        let end = comment_parser::open_end(input.text, at);
        if self.report(input, at, error, None) {
            self.comment(input, at + 1, end);
        }
        end
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
        if comment_parser::is_simple(&content) {
            text = Some(&content);
        } else if comment_parser::has_commands(&content) {
            let visitor = &mut *input.visitor;
            let flow = &mut self.flow;
            let found = comment_parser::read(&content, &mut buffer, &mut |annotation| {
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
        } else if comment_parser::is_normalized(&content) {
            text = Some(&content);
        } else {
            buffer.clear();
            comment_parser::normalize_into(&content, &mut buffer);
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
    /// end. They may be on other lines.
    pub(super) fn comments_after_result(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        visit: bool,
    ) -> usize {
        let mut at = at;
        loop {
            let next = skip_blanks(input.text, at);
            let (from, to, end) = match input.text.get(next) {
                Some(b'{') => match comment_parser::end(input.text, next) {
                    Some(end) => (next + 1, end, end + 1),
                    None => return at,
                },
                Some(b';') => {
                    let end = line_end(input.text, next);
                    (next + 1, end, end)
                }
                Some(b'%') if at_line_start(input.text, next) => {
                    at = line_end(input.text, next);
                    continue;
                }
                _ => return at,
            };
            if visit && !self.has_stopped() {
                self.line.last_token = LastToken::Move;
                self.comment(input, from, to);
            }
            at = end;
        }
    }

    /// Visits the comments in a range that contains nothing else but blanks and escape lines.
    pub(super) fn comments(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) {
        let mut at = from;
        while at < to && !self.has_stopped() {
            at = skip_blanks(input.text, at);
            at = match input.text.get(at) {
                Some(b'{') if at < to => self.brace(input, at),
                Some(b';') if at < to => {
                    let end = line_end(input.text, at);
                    self.comment(input, at + 1, end);
                    end
                }
                _ => line_end(input.text, at).max(at + 1),
            };
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
