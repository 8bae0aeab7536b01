//! Symbols and comments, before and behind moves.

use std::io::Write as _;

use tabia_core::formats::Profile;
use tabia_core::game::{Comment, CommentPlacement};
use tabia_core::loss::Feature;

use super::Writer;
use super::moves::write_move_number;
use crate::games::pgn::comment::{is_tidy, tidy_into};
use crate::games::pgn::full_profile;
use tabia_core::decimal::write_number;

/// What a comment must say about its place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stand {
    /// Nothing: where it stands says it.
    Clear,
    /// It is about the move that follows.
    Before,
    /// It comes before the last move, other remarks on which precede it.
    BeforeHere,
    /// It is about what precedes.
    After,
}

impl Writer {
    pub(super) fn nag(&mut self, nag: u8) {
        if self.is_full() && (self.pending.has_commands() || self.pending.has_texts()) {
            self.flush();
        }
        self.pending.nags.push(nag);
        self.say();
    }

    pub(super) fn comment(&mut self, comment: &Comment<'_>) {
        let before = comment.placement == CommentPlacement::Before;
        if self.is_full() {
            if before && self.move_open && !self.said {
                let mut text = Vec::new();
                text.push(b'{');
                // The first move of the mainline has the comments of the game before it.
                let stand = if self.first && self.depth == 0 {
                    Stand::Before
                } else {
                    Stand::Clear
                };
                Self::write_full_text(comment, stand, &mut text);
                text.push(b'}');
                self.insert(&text);
                return;
            }
            let mut text = Vec::new();
            // A comment at the start of a variation would be taken for one before its first move.
            let after = !before && self.line_start && self.depth > 0;
            let stand = match (before, after) {
                (true, _) => Stand::BeforeHere,
                (false, true) => Stand::After,
                (false, false) => Stand::Clear,
            };
            Self::write_full_text(comment, stand, &mut text);
            self.pending.text(|out| out.extend_from_slice(&text));
            self.say();
            return;
        }
        if comment.language.is_some() {
            self.lose(Feature::Languages);
        }
        let changed = needs_change(comment.text);
        if changed {
            self.lose(Feature::CommentText);
        }
        if before && self.move_open {
            if self.first && self.depth == 0 {
                self.lose(Feature::CommentPlacement);
            }
            let mut text = Vec::with_capacity(comment.text.len() + 4);
            let edge = self.profile == Profile::Lichess;
            text.extend_from_slice(if edge { b"{ " } else { b"{" });
            write_text(comment.text, changed, &mut text);
            text.extend_from_slice(if edge { b" }" } else { b"}" });
            self.insert(&text);
            return;
        }
        if before {
            self.lose(Feature::CommentPlacement);
        }
        self.pending
            .text(|out| write_text(comment.text, changed, out));
        self.say();
    }

    pub(super) fn write_waiting(&mut self) {
        self.waits = false;
        if !self.pending.nags.is_empty() {
            self.write_nags();
        }
        if self.pending.has_commands() || self.pending.has_texts() {
            let edge: &[u8] = if self.profile == Profile::Lichess {
                b" "
            } else {
                b""
            };
            self.pending.write_comments(&mut self.out, self.glue, edge);
            self.glue = false;
            self.needs_number = true;
        }
        self.pending.clear();
    }

    fn write_nags(&mut self) {
        let nags = std::mem::take(&mut self.pending.nags);
        for (i, &nag) in nags.iter().enumerate() {
            let mark: &[u8] = match nag {
                1 => b"!",
                2 => b"?",
                3 => b"!!",
                4 => b"??",
                5 => b"!?",
                6 => b"?!",
                _ => b"",
            };
            let attaches = self.profile == Profile::Lichess && i == 0 && self.move_open;
            if attaches && !mark.is_empty() && !self.glue {
                self.out.extend_from_slice(mark);
                continue;
            }
            self.blank();
            self.out.push(b'$');
            write_number(nag.into(), &mut self.out);
        }
        self.pending.nags = nags;
    }

    /// Writes a text so that it is read back exactly.
    fn write_full_text(comment: &Comment<'_>, stand: Stand, out: &mut Vec<u8>) {
        let start = out.len();
        if let Some(language) = comment.language {
            let _ = write!(out, "[%lang {language}] ");
        }
        out.extend_from_slice(match stand {
            Stand::Clear => b"",
            Stand::Before => b"[%tabia before] ",
            Stand::BeforeHere => b"[%tabia before here] ",
            Stand::After => b"[%tabia after] ",
        });
        let text = comment.text;
        let plain = is_tidy(text)
            && !text.bytes().any(|byte| byte.is_ascii_control())
            && !text.contains(['{', '}'])
            && !text.contains("[%");
        if plain {
            out.extend_from_slice(text.as_bytes());
            if text.is_empty() && out.len() > start {
                out.pop();
            }
        } else {
            out.extend_from_slice(b"[%tabia text ");
            full_profile::encode_text(text.as_bytes(), out);
            out.push(b']');
        }
    }

    /// Puts a comment before the last move: behind its number, or before it at the start of a
    /// line.
    fn insert(&mut self, text: &[u8]) {
        let mut bytes = Vec::with_capacity(text.len() + 8);
        let at = if self.first || !self.has_number {
            self.move_at
        } else {
            self.san_at
        };
        if !self.first && !self.has_number {
            write_move_number(self.number, &mut bytes);
            self.has_number = true;
        }
        bytes.extend_from_slice(text);
        bytes.push(b' ');
        let length = bytes.len();
        self.out.splice(at..at, bytes);
        if self.first {
            self.move_at += length;
        }
        self.san_at += length;
    }
}

/// Whether a text has to be changed to stand in a comment.
fn needs_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3(b'{', b'}', b'\n', bytes).is_some() || !is_tidy(text)
}

/// Writes a text for everyone's comments: braces as parentheses, line breaks as blanks.
fn write_text(text: &str, changed: bool, out: &mut Vec<u8>) {
    if !changed {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut tidied = String::with_capacity(text.len());
    tidy_into(text, &mut tidied);
    out.extend(tidied.bytes().map(|byte| match byte {
        b'{' => b'(',
        b'}' => b')',
        byte => byte,
    }));
}
