//! The annotations of one move, or of a game before its first move.

use std::time::Duration;

use tabia_core::chess::{Ply, Position, san, uci};
use tabia_core::game::{Annotation, ClockKind, Comment, CommentPlacement, Eval};
use tabia_core::loss::Feature;

use super::json_values::push_text;
use crate::games::common::unread_moves_text::{comment_of, unread_text};

/// What is written of the annotations of a move.
#[derive(Debug, Default)]
pub(super) struct MoveFacts {
    /// Numbers of NAGs.
    pub(super) nags: Vec<u8>,
    /// The comments as JSON objects, separated by commas.
    pub(super) comments: Vec<u8>,
    /// The time left after the move.
    pub(super) clock: Option<Duration>,
    /// The time that the move took.
    pub(super) elapsed: Option<Duration>,
    pub(super) eval: Option<Eval>,
}

impl MoveFacts {
    /// Adds an annotation. `ply`: the number that is written into comments. Returns the feature that is
    /// lost, if the annotation is not written or not all of it.
    pub(super) fn add(&mut self, annotation: &Annotation<'_>, ply: Option<u32>) -> Option<Feature> {
        match annotation {
            Annotation::Comment(comment) => self.add_comment(comment, ply, false),
            Annotation::Nag(nag) => self.nags.push(nag.0),
            Annotation::Clock(clock) => {
                let time = match clock.kind {
                    ClockKind::Remaining => &mut self.clock,
                    ClockKind::ElapsedMove => &mut self.elapsed,
                    _ => return Some(Feature::Clocks),
                };
                if time.is_some() {
                    return Some(Feature::Clocks);
                }
                *time = Some(clock.time);
            }
            Annotation::Eval(eval) => {
                if self.eval.is_some() {
                    return Some(Feature::Evals);
                }
                self.eval = Some(*eval);
                return (eval.engine != 0).then_some(Feature::EvalDepths);
            }
            Annotation::Foreign(foreign) if let Some(text) = unread_text(foreign) => {
                if let Annotation::Comment(comment) = comment_of(&text) {
                    self.add_comment(&comment, ply, true);
                }
                return Some(Feature::UnreadMoves);
            }
            other => return Some(other.feature()),
        }
        None
    }

    fn add_comment(&mut self, comment: &Comment<'_>, ply: Option<u32>, is_unread: bool) {
        let out = &mut self.comments;
        if !out.is_empty() {
            out.push(b',');
        }
        out.push(b'{');
        if let Some(ply) = ply {
            out.extend_from_slice(format!("\"ply\":{ply},").as_bytes());
        }
        out.extend_from_slice(b"\"text\":");
        push_text(comment.text, out);
        if let Some(language) = comment.language {
            out.extend_from_slice(format!(",\"language\":\"{language}\"").as_bytes());
        }
        if comment.placement == CommentPlacement::Before {
            out.extend_from_slice(b",\"before\":true");
        }
        if is_unread {
            out.extend_from_slice(b",\"unread\":true");
        }
        out.push(b'}');
    }

    /// Removes everything but the comments, keeping the buffers.
    pub(super) fn clear_values(&mut self) {
        self.nags.clear();
        self.clock = None;
        self.elapsed = None;
        self.eval = None;
    }
}

/// Appends a move in SAN.
pub(super) fn push_san(before: &Position, ply: Ply, out: &mut Vec<u8>) {
    san::write(before, ply, out);
}

/// Appends a move as UCI writes it.
pub(super) fn push_uci(ply: Ply, chess960: bool, out: &mut Vec<u8>) {
    match ply {
        Ply::Move(m) => uci::write(m, chess960, out),
        Ply::Null => out.extend_from_slice(b"0000"),
    }
}
