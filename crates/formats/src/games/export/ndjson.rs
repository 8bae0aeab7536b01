//! Writes games as JSON objects, one on each line.

use tabia_core::chess::{FenStyle, Ply, Position};
use tabia_core::decimal_digits::write_number;
use tabia_core::error::{GameIndex, Problem};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Score, Visitor};
use tabia_core::games::{GameOrigin, OriginOffset, TextWriter};
use tabia_core::loss::{Feature, Losses};

use super::json_values::{push_integer, push_seconds, push_text};
use super::move_facts::{MoveFacts, push_san, push_uci};
use super::origins::Origins;
use crate::games::common::seen_tags::SeenTags;

/// Writes JSON lines.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    losses: Losses,
    game: GameIndex,
    chess960: bool,
    /// The record is no game and is left out.
    is_left_out: bool,
    facts: MoveFacts,
    plies: u32,
    origins: Origins,
}

impl Writer {
    fn lose(&mut self, feature: Feature) {
        self.losses.add(feature, 1, Some(self.game));
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Writes the tags as an object. Of tags of one name only the first is written.
    fn write_tags(&mut self, head: &GameHead) {
        self.push("{\"tags\":{");
        let first = self.out.len();
        let mut seen = SeenTags::default();
        for (name, value) in head.tags.iter() {
            if !seen.is_first(name) {
                self.lose(Feature::Tags);
                self.losses.add_name(Feature::Tags, name);
                continue;
            }
            if self.out.len() > first {
                self.out.push(b',');
            }
            push_text(name, &mut self.out);
            self.out.push(b':');
            push_text(value, &mut self.out);
        }
        self.push("}");
    }

    /// Writes what was collected since the last move, as keys of the object that is open.
    fn write_facts(&mut self) {
        let facts = &mut self.facts;
        let out = &mut self.out;
        if let Some(time) = facts.clock {
            out.extend_from_slice(b",\"clock\":");
            push_seconds(time, out);
        }
        if let Some(time) = facts.elapsed {
            out.extend_from_slice(b",\"elapsed\":");
            push_seconds(time, out);
        }
        if let Some(eval) = facts.eval {
            let value = match eval.score {
                Score::Centipawns(value) => {
                    out.extend_from_slice(b",\"eval\":");
                    value
                }
                Score::Mate(moves) => {
                    out.extend_from_slice(b",\"mate\":");
                    moves
                }
            };
            push_integer(value, out);
            if let Some(depth) = eval.depth {
                out.extend_from_slice(b",\"depth\":");
                write_number(depth.into(), out);
            }
        }
        for (i, &nag) in facts.nags.iter().enumerate() {
            out.extend_from_slice(if i == 0 { b",\"nags\":[" } else { b"," });
            write_number(nag.into(), out);
        }
        if !facts.nags.is_empty() {
            out.push(b']');
        }
        facts.clear_values();
        if !facts.comments.is_empty() {
            out.extend_from_slice(b",\"comments\":[");
            out.append(&mut facts.comments);
            out.push(b']');
        }
    }

    /// Ends the object of the last move, or begins the list of moves.
    fn end_facts(&mut self) {
        self.write_facts();
        self.push(if self.plies == 0 { ",\"moves\":[" } else { "}" });
    }
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        self.origins.begin_game(game);
        self.chess960 = head.start.chess960;
        self.plies = 0;
        self.is_left_out = head.kind == RecordKind::Text;
        if self.is_left_out {
            self.lose(Feature::GuidingTexts);
            return Flow::Skip;
        }
        self.write_tags(head);
        if head.deleted {
            self.push(",\"deleted\":true");
        }
        if head.start.chess960 {
            self.push(",\"chess960\":true");
        }
        if let Some(setup) = &head.start.setup {
            self.push(",\"fen\":");
            push_text(&setup.fen(FenStyle::XFen), &mut self.out);
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.end_facts();
        if self.plies > 0 {
            self.out.push(b',');
        }
        self.plies += 1;
        self.push("{\"san\":\"");
        push_san(before, ply, &mut self.out);
        self.push("\",\"uci\":\"");
        push_uci(ply, self.chess960, &mut self.out);
        self.push("\"");
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if let Some(lost) = self.facts.add(&annotation, None) {
            self.lose(lost);
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        self.lose(Feature::Variations);
        Flow::Skip
    }

    fn end_game(&mut self, result: GameResult) {
        if self.is_left_out {
            self.origins.skip_game();
            return;
        }
        self.end_facts();
        self.push("],\"plies\":");
        write_number(self.plies.into(), &mut self.out);
        self.push(",\"result\":");
        push_text(&result.to_string(), &mut self.out);
        if let Some(origin) = self.origins.end_game(&self.out) {
            push_origin(&origin, &mut self.out);
        }
        self.push("}\n");
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.origins.add_problem(&problem);
        Flow::Go
    }
}

/// Appends the keys of an origin.
fn push_origin(origin: &GameOrigin<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"problems\":");
    write_number(origin.problems.into(), out);
    out.extend_from_slice(b",\"game\":");
    write_number(u64::from(origin.game.0) + 1, out);
    out.extend_from_slice(b",\"source\":");
    push_text(origin.source, out);
}

impl TextWriter for Writer {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }

    fn defer_origins(&mut self) {
        self.origins.defer();
    }

    fn take_origins(&mut self) -> Vec<OriginOffset> {
        self.origins.take()
    }

    fn write_origin(&self, origin: &GameOrigin<'_>, out: &mut Vec<u8>) {
        push_origin(origin, out);
    }
}
