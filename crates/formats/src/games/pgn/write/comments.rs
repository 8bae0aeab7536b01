//! NAGs and comments, before and after moves.

use std::io::Write as _;

use tabia_core::decimal_digits::write_number;
use tabia_core::formats::Profile;
use tabia_core::game::{Comment, CommentPlacement, Quotation};
use tabia_core::loss::Feature;

use super::moves::write_move_number;
use super::{MoveNumber, TokenState, Writer};
use crate::games::pgn::comment_parser::{self, CommentProperties, is_normalized, normalize_into};
use crate::games::pgn::full_profile;

/// The marker without which profile `full` would not restore the position of a comment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PositionMarker {
    /// No marker is needed.
    None,
    /// The comment belongs before the next move.
    Before,
    /// The comment belongs before the last move, other annotations of which precede it.
    BeforeHere,
    /// The comment belongs after the last move.
    After,
}

impl PositionMarker {
    fn command(self) -> &'static [u8] {
        match self {
            Self::None => b"",
            Self::Before => b"[%tabia before] ",
            Self::BeforeHere => b"[%tabia before here] ",
            Self::After => b"[%tabia after] ",
        }
    }
}

impl Writer {
    pub(super) fn nag(&mut self, nag: u8) {
        if self.is_full() && self.pending.has_comments() {
            self.flush();
        }
        self.pending.nags.push(nag);
        self.state = self.state.annotated();
    }

    pub(super) fn comment(&mut self, comment: &Comment<'_>) {
        if self.is_full() {
            self.full_comment(comment);
            return;
        }
        if comment.language.is_some() {
            self.lose(Feature::Languages);
        }
        let changed = needs_change(comment.text);
        if changed {
            self.lose(Feature::CommentText);
        }
        if comment_parser::has_commands(comment.text) && has_known_commands(comment.text) {
            // Readers take such a text for the annotations that it names.
            self.lose(Feature::Comments);
        }
        let before = comment.placement == CommentPlacement::Before;
        if before && self.state.is_after_move() {
            if self.is_at_first_move() {
                self.lose(Feature::CommentPlacement);
            }
            let mut text = Vec::with_capacity(comment.text.len() + 4);
            let has_blanks = self.profile == Profile::Lichess;
            text.extend_from_slice(if has_blanks { b"{ " } else { b"{" });
            write_text(comment.text, changed, &mut text);
            text.extend_from_slice(if has_blanks { b" }" } else { b"}" });
            self.insert_before_move(&text);
            return;
        }
        if before {
            self.lose(Feature::CommentPlacement);
        }
        self.pending
            .text(|out| write_text(comment.text, changed, out));
        self.state = self.state.annotated();
    }

    /// A quoted game as text: in profile `chessbase` at the end of the comment, else in one of its own.
    pub(super) fn quotation(&mut self, quotation: &Quotation) {
        self.lose(Feature::Quotations);
        let text = quotation.to_text();
        let changed = needs_change(&text);
        let is_joined = self.profile == Profile::ChessBase && self.pending.has_comments();
        let write = |out: &mut Vec<u8>| {
            if is_joined {
                out.push(b';');
            }
            write_text(&text, changed, out);
        };
        // Quoted games that are joined were no comments.
        if is_joined && self.pending.ends_with_comment() {
            self.lose(Feature::SeveralComments);
        }
        self.pending.quotation(is_joined, write);
        self.state = self.state.annotated();
    }

    /// A comment in profile `full`.
    fn full_comment(&mut self, comment: &Comment<'_>) {
        let before = comment.placement == CommentPlacement::Before;
        let mut text = Vec::new();
        if before && self.state == TokenState::Move {
            text.push(b'{');
            // A reader takes comments before the first move of the mainline for comments on the game.
            let marker = if self.is_at_first_move() {
                PositionMarker::Before
            } else {
                PositionMarker::None
            };
            write_full_text(comment, marker, &mut text);
            text.push(b'}');
            self.insert_before_move(&text);
            return;
        }
        let marker = if before {
            PositionMarker::BeforeHere
        } else if self.state.is_line_start() && self.depth > 0 {
            // A reader takes comments at the start of a variation for comments before its first move.
            PositionMarker::After
        } else {
            PositionMarker::None
        };
        write_full_text(comment, marker, &mut text);
        self.pending.text(|out| out.extend_from_slice(&text));
        self.state = self.state.annotated();
    }

    /// Whether the last move is the first of the mainline.
    fn is_at_first_move(&self) -> bool {
        self.last_move.number_state == MoveNumber::StartsLine && self.depth == 0
    }

    /// Writes the pending annotations and clears them.
    pub(super) fn write_pending(&mut self) {
        self.write_annotations();
        self.pending.clear();
    }

    /// Writes the pending annotations: NAGs, then comments.
    pub(super) fn write_annotations(&mut self) {
        if !self.pending.nags.is_empty() {
            self.write_nags();
        }
        if self.pending.has_comments() {
            let edge: &[u8] = if self.profile == Profile::Lichess {
                b" "
            } else {
                b""
            };
            let between: &[u8] = match self.profile {
                Profile::ChessBase => b"",
                _ => b" ",
            };
            self.pending
                .write_comments(&mut self.out, self.state.needs_blank(), edge, between);
            self.state = self.state.after_comment();
        }
    }

    fn write_nags(&mut self) {
        let nags = std::mem::take(&mut self.pending.nags);
        for (i, &nag) in nags.iter().enumerate() {
            let suffix: &[u8] = match nag {
                1 => b"!",
                2 => b"?",
                3 => b"!!",
                4 => b"??",
                5 => b"!?",
                6 => b"?!",
                _ => b"",
            };
            let is_suffix =
                self.profile == Profile::Lichess && i == 0 && self.state.is_after_move();
            if is_suffix && !suffix.is_empty() {
                self.out.extend_from_slice(suffix);
                continue;
            }
            self.write_blank();
            self.out.push(b'$');
            write_number(nag.into(), &mut self.out);
            self.state = self.state.after_nag();
        }
        self.pending.nags = nags;
    }

    /// Inserts a comment before the last move: after its number, or before the number if the move
    /// starts a line. ChessBase puts it always before the number, and adds none.
    fn insert_before_move(&mut self, text: &[u8]) {
        if self.profile == Profile::ChessBase {
            if self.last_move.number_state != MoveNumber::StartsLine {
                // A reader takes it for a comment after the move before.
                self.lose(Feature::CommentPlacement);
            }
            let last = &mut self.last_move;
            let at = last.start;
            last.start += text.len() + 1;
            last.san_start += text.len() + 1;
            self.out.splice(at..at, text.iter().copied().chain([b' ']));
            return;
        }
        let last = &mut self.last_move;
        let mut bytes = Vec::with_capacity(text.len() + 8);
        let at = match last.number_state {
            MoveNumber::Written => last.san_start,
            MoveNumber::Omitted | MoveNumber::StartsLine => last.start,
        };
        if last.number_state == MoveNumber::Omitted {
            write_move_number(last.number, &mut bytes);
            last.number_state = MoveNumber::Written;
        }
        bytes.extend_from_slice(text);
        bytes.push(b' ');
        let length = bytes.len();
        self.out.splice(at..at, bytes);
        if last.number_state == MoveNumber::StartsLine {
            last.start += length;
        }
        last.san_start += length;
    }
}

/// Appends the text of a comment in profile `full`, so that a reader gets exactly this text.
fn write_full_text(comment: &Comment<'_>, marker: PositionMarker, out: &mut Vec<u8>) {
    let start = out.len();
    if let Some(language) = comment.language {
        let _ = write!(out, "[%lang {language}] ");
    }
    out.extend_from_slice(marker.command());
    let text = comment.text;
    if write_readable(text, out) {
        if text.is_empty() && out.len() > start {
            out.pop();
        }
        return;
    }
    let words = text.trim_ascii();
    if words.len() < text.len() && !words.is_empty() {
        let begin = out.len();
        let start = text.len() - text.trim_ascii_start().len();
        let (before, rest) = text.split_at(start);
        out.extend_from_slice(b"[%tabia ends ");
        full_profile::percent_encoding::encode(before, out);
        out.push(b',');
        full_profile::percent_encoding::encode(rest.get(words.len()..).unwrap_or_default(), out);
        out.extend_from_slice(b"] ");
        if write_readable(words, out) || write_replaced(words, out) {
            return;
        }
        out.truncate(begin);
    }
    if write_replaced(text, out) {
        return;
    }
    out.extend_from_slice(b"[%tabia text ");
    full_profile::percent_encoding::encode_text(text.as_bytes(), out);
    out.push(b']');
}

/// Appends a text with other characters for those that a comment cannot have, and these in a command. `false`, and
/// nothing is written, if a reader would not get exactly this text.
fn write_replaced(text: &str, out: &mut Vec<u8>) -> bool {
    for brackets in [false, true] {
        let (replaced, codes) = replace_characters(text, brackets);
        let begin = out.len();
        if !codes.is_empty() && codes.len() <= 32 + text.len() {
            let _ = write!(out, "[%tabia chars {codes} of {}] ", text.len());
            if write_readable(&replaced, out) {
                return true;
            }
            out.truncate(begin);
        }
    }
    false
}

/// Appends a text as it is, or with blanks for line breaks and their offsets in a command. `false`, and
/// nothing is written, if a reader would not get exactly this text.
fn write_readable(text: &str, out: &mut Vec<u8>) -> bool {
    if is_literal(text) {
        out.extend_from_slice(text.as_bytes());
        return true;
    }
    let one_line = text.trim_matches('\n').replace('\n', " ");
    if !text.contains('\n') || one_line.is_empty() || !is_literal(&one_line) {
        return false;
    }
    out.extend_from_slice(b"[%tabia lines ");
    for (i, (offset, _)) in text.match_indices('\n').enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{offset}");
    }
    let _ = write!(out, " of {}] ", text.len());
    out.extend_from_slice(one_line.as_bytes());
    true
}

/// The text with parentheses for braces and a blank for each control character but a line break, and
/// if `brackets` also with a parenthesis for the bracket of each command; and the offsets and codes of
/// the characters replaced, which are few in a text for people.
fn replace_characters(text: &str, brackets: bool) -> (String, String) {
    let mut codes = String::new();
    let mut replaced = String::with_capacity(text.len());
    for (offset, c) in text.char_indices() {
        let other = match c {
            '{' => '(',
            '}' => ')',
            '[' if brackets
                && text
                    .get(offset..)
                    .is_some_and(|rest| rest.starts_with("[%")) =>
            {
                '('
            }
            '\n' => c,
            c if c.is_ascii_control() => ' ',
            c => c,
        };
        if other != c {
            let comma = if codes.is_empty() { "" } else { "," };
            let _ = std::fmt::Write::write_fmt(
                &mut codes,
                format_args!("{comma}{offset}:{:02x}", u32::from(c)),
            );
        }
        replaced.push(other);
    }
    (replaced, codes)
}

/// Whether a reader gets exactly this text if it is written between braces. Unknown commands in it are
/// text.
fn is_literal(text: &str) -> bool {
    let is_clean = is_normalized(text)
        && !text.bytes().any(|byte| byte.is_ascii_control())
        && !text.contains(['{', '}']);
    is_clean && (!comment_parser::has_commands(text) || !has_known_commands(text))
}

/// Whether a reader changes a text because of the commands in it.
fn has_known_commands(text: &str) -> bool {
    let mut found = String::new();
    let mut has_annotations = false;
    let properties = comment_parser::read(text, &mut found, &mut |_| has_annotations = true);
    let expected = CommentProperties {
        has_text: true,
        ..CommentProperties::default()
    };
    has_annotations || properties != expected || found != text
}

/// Whether a text must be changed before it can be in a comment of the other profiles.
fn needs_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_changed = |byte: &u8| matches!(byte, b'{' | b'}') || is_control(*byte);
    bytes.iter().any(is_changed) || !is_normalized(text)
}

/// Whether a byte is a control character that is no blank: editors and other programs do not take a file
/// with such bytes for text.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace()
}

/// Appends the text of a comment in the other profiles. If it must be changed, braces become
/// parentheses, and line breaks and control characters become blanks.
pub(super) fn write_text(text: &str, changed: bool, out: &mut Vec<u8>) {
    if !changed {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut normalized = String::with_capacity(text.len());
    let ends = |c: char| c.is_ascii_control();
    normalize_into(text.trim_matches(ends), &mut normalized);
    out.extend(normalized.bytes().map(|byte| match byte {
        b'{' => b'(',
        b'}' => b')',
        byte if is_control(byte) => b' ',
        byte => byte,
    }));
}
