//! Annotations that are written as commands: `[%clk 0:01:00]`.

use tabia_core::decimal_digits::{write_number, write_two};
use tabia_core::formats::Profile;
use tabia_core::game::{
    Annotation, Clock, ClockKind, Eval, Foreign, GameResult, Score, Shape, ShapeKind,
};
use tabia_core::io::{Charset, decode};
use tabia_core::loss::Feature;

use super::{TokenState, Writer};
use crate::games::pgn::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use crate::games::pgn::shape_colors::{letter_of, nearest_letter};
use crate::games::pgn::{eval_evp_and_tqu_commands, full_profile};

/// The order of commands in a comment, which is that of ChessBase.
mod rank {
    pub(super) const MEDALS: u8 = 0;
    pub(super) const EVAL: u8 = 1;
    pub(super) const CLOCK: u8 = 2;
    pub(super) const SQUARES: u8 = 3;
    pub(super) const ARROWS: u8 = 4;
    pub(super) const EVAL_PROFILE: u8 = 5;
    pub(super) const OTHER: u8 = 6;
}

impl Writer {
    /// Adds the command of an annotation that is neither a NAG nor a comment.
    pub(super) fn add_as_command(&mut self, annotation: &Annotation<'_>) {
        let full = self.is_full();
        match annotation {
            Annotation::Shape(shape) => self.shape(*shape),
            Annotation::Clock(clock) => self.command(rank::CLOCK, |out| write_clock(clock, out)),
            Annotation::Eval(eval) => self.eval(eval),
            Annotation::Medals(bits) => self.command(rank::MEDALS, |out| {
                out.extend_from_slice(b"[%mdl ");
                write_number((*bits).into(), out);
                out.push(b']');
            }),
            Annotation::EvalProfile(profile) if !full => {
                if profile
                    .points
                    .iter()
                    .copied()
                    .any(eval_evp_and_tqu_commands::point_is_reduced)
                {
                    self.lose(Feature::EvalDepths);
                }
                self.command(rank::EVAL_PROFILE, |out| {
                    eval_evp_and_tqu_commands::write_eval_profile(profile, out);
                });
            }
            Annotation::Training(training) if !full => {
                if eval_evp_and_tqu_commands::training_is_reduced(training) {
                    self.lose(Feature::Training);
                }
                self.command(rank::OTHER, |out| {
                    eval_evp_and_tqu_commands::write_training(training, out);
                });
            }
            Annotation::Quotation(quotation) if !full => self.quotation(quotation),
            Annotation::Foreign(foreign) => self.foreign(foreign),
            _ => self.command(rank::OTHER, |out| full_profile::write(annotation, out)),
        }
    }

    /// Adds a command: in the order of annotations in profile `full`, else in that of ChessBase.
    fn command(&mut self, rank: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let mut rank = rank;
        if self.is_full() {
            rank = 0;
            if self.pending.has_texts() {
                self.flush();
            }
        }
        self.pending.command(rank, write);
        self.state = self.state.annotated();
    }

    fn shape(&mut self, shape: Shape) {
        let letter = letter_of(shape.color);
        let (square, to) = match shape.kind {
            ShapeKind::Square(square) => (square, None),
            ShapeKind::Arrow(from, to) => (from, Some(to)),
            ShapeKind::Circle(square)
            | ShapeKind::Disk(square)
            | ShapeKind::Frame(square)
            | ShapeKind::Letter(square, _) => {
                if self.is_full() {
                    let annotation = Annotation::Shape(shape);
                    self.command(rank::OTHER, |out| full_profile::write(&annotation, out));
                    return;
                }
                // Lichess shows a coloured square as a circle.
                self.lose(Feature::Shapes);
                (square, None)
            }
            _ => {
                self.lose(Feature::Shapes);
                return;
            }
        };
        let letter = match letter {
            Some(letter) => letter,
            None if self.is_full() => {
                let annotation = Annotation::Shape(shape);
                self.command(rank::OTHER, |out| full_profile::write(&annotation, out));
                return;
            }
            None => {
                self.lose(Feature::ShapeColors);
                nearest_letter(shape.color)
            }
        };
        let mut item = [b',', letter, 0, 0, 0, 0];
        let [a, b] = square.letters();
        (item[2], item[3]) = (a, b);
        let mut length = 4;
        if let Some(to) = to {
            let [a, b] = to.letters();
            (item[4], item[5]) = (a, b);
            length = 6;
        }
        let item = item.get(..length).unwrap_or_default();
        let (name, rank): (&[u8], u8) = if to.is_some() {
            (b"[%cal ", rank::ARROWS)
        } else {
            (b"[%csl ", rank::SQUARES)
        };
        let full = self.is_full();
        if full && self.pending.has_texts() {
            self.flush();
        }
        let extended = self
            .pending
            .extend(if full { 0 } else { rank }, name, item, full);
        if !extended {
            self.command(rank, |out| {
                out.extend_from_slice(name);
                out.extend_from_slice(item.get(1..).unwrap_or_default());
                out.push(b']');
            });
        }
        self.state = self.state.annotated();
    }

    fn eval(&mut self, eval: &Eval) {
        let mut eval = *eval;
        if eval.engine != 0 {
            if self.is_full() {
                let annotation = Annotation::Eval(eval);
                self.command(rank::EVAL, |out| full_profile::write(&annotation, out));
                return;
            }
            self.lose(Feature::EvalDepths);
        } else if eval.depth.is_some() && !self.features.has(Feature::EvalDepths) {
            self.lose(Feature::EvalDepths);
        }
        if !self.features.has(Feature::EvalDepths) {
            eval.depth = None;
        }
        if self.profile == Profile::ChessBase
            && let Some((value, depth)) = eval_evp_and_tqu_commands::eval_numbers(&eval)
        {
            if eval.depth == Some(0) {
                self.lose(Feature::EvalDepths);
            }
            self.command(rank::EVAL, |out| {
                out.extend_from_slice(format!("[%eval {value},{depth}]").as_bytes());
            });
            return;
        }
        self.command(rank::EVAL, |out| write_eval(&eval, out));
    }

    /// Whether moves that were not read are written as they are: if they are all moves of a game that
    /// a reader cannot play either, and end where the game ends.
    fn writes_as_movetext(&self, foreign: &Foreign<'_>) -> bool {
        let is_text = foreign.is_unread_moves() && foreign.format == crate::games::pgn::ID;
        let is_complete = self.state.is_line_start() && self.depth == 0;
        if !(is_text && is_complete && self.tags.is_unplayable()) || self.is_full() {
            return false;
        }
        let mut text = foreign.bytes.trim_ascii().to_vec();
        let length = text.len() + 1;
        text.extend_from_slice(b" *");
        let end = skip_movetext(&text, 0, 0, SkipTo::GameEnd);
        let begins_game = memchr::memmem::find(&text, b"[Event \"").is_some();
        // A reader leaves blanks at both ends out.
        !foreign.bytes.is_empty()
            && text.len() == foreign.bytes.len() + 2
            // Readers leave out blanks of every kind and stray brackets before the moves.
            && text.first().is_some_and(u8::is_ascii_alphanumeric)
            && end == (length, MovetextEnd::Result(GameResult::Unknown, 1))
            && !begins_game
    }

    /// Moves that were not read, as a command.
    fn unread_moves(&mut self, bytes: &[u8]) {
        self.command(rank::OTHER, |out| {
            out.extend_from_slice(b"[%tabia unread ");
            full_profile::percent_encoding::encode_text(bytes, out);
            out.push(b']');
        });
    }

    /// What follows moves that were not read would be read as a part of them: they become a command.
    #[inline]
    pub(super) fn end_unread_movetext(&mut self) {
        if self.unread_movetext.is_some() {
            self.end_unread();
        }
    }

    #[cold]
    fn end_unread(&mut self) {
        if let Some(bytes) = self.unread_movetext.take() {
            self.unread_moves(&bytes);
        }
    }

    /// Writes the moves of a game that were not read as they are, at its end.
    pub(super) fn write_unread_movetext(&mut self) {
        let Some(bytes) = self.unread_movetext.take() else {
            return;
        };
        self.write_blank();
        let text = decode(&bytes, Charset::Auto);
        self.out.extend_from_slice(text.trim_ascii().as_bytes());
        self.state = TokenState::VariationEnd;
        // A line break in a comment to the end of the line would be another text.
        self.movetext_start = self.out.len();
    }

    fn foreign(&mut self, foreign: &Foreign<'_>) {
        let annotation = Annotation::Foreign(*foreign);
        if self.writes_as_movetext(foreign) {
            self.unread_movetext = Some(foreign.bytes.into());
        } else if foreign.is_unread_moves() && foreign.format == crate::games::pgn::ID {
            self.unread_moves(foreign.bytes);
        } else {
            self.command(rank::OTHER, |out| full_profile::write(&annotation, out));
        }
    }
}

fn write_clock(clock: &Clock, out: &mut Vec<u8>) {
    out.extend_from_slice(match clock.kind {
        ClockKind::Remaining => b"[%clk ",
        ClockKind::ElapsedMove => b"[%emt ",
        ClockKind::ElapsedGame => b"[%egt ",
        _ => b"[%mct ",
    });
    let seconds = clock.time.as_secs();
    write_number(seconds / 3600, out);
    out.push(b':');
    write_two(seconds / 60 % 60, out);
    out.push(b':');
    write_two(seconds % 60, out);
    let nanos = clock.time.subsec_nanos();
    if nanos != 0 {
        let fraction = format!(".{nanos:09}");
        out.extend_from_slice(fraction.trim_end_matches('0').as_bytes());
    }
    out.push(b']');
}

fn write_eval(eval: &Eval, out: &mut Vec<u8>) {
    out.extend_from_slice(b"[%eval ");
    let value = match eval.score {
        Score::Mate(value) => {
            out.push(b'#');
            value
        }
        Score::Centipawns(value) => value,
    };
    if value < 0 {
        out.push(b'-');
    }
    let magnitude = u64::from(value.unsigned_abs());
    match eval.score {
        Score::Centipawns(_) => {
            write_number(magnitude / 100, out);
            out.push(b'.');
            // Lichess leaves out a last zero: `0.2`, `0.0`, `0.25`.
            if magnitude % 10 == 0 {
                write_number(magnitude / 10 % 10, out);
            } else {
                write_two(magnitude % 100, out);
            }
        }
        Score::Mate(_) => write_number(magnitude, out),
    }
    if let Some(depth) = eval.depth {
        out.push(b',');
        write_number(depth.into(), out);
    }
    out.push(b']');
}
