//! Writes games as rows of comma-separated values.

use std::fmt::Display;
use std::io::Write as _;

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

/// The names of the columns.
const HEADER: &str = "white,whiteElo,black,blackElo,result,date,event,site,round,eco,plies,fen,chess960,deleted,\
    tags,san,uci,clocks,elapsed,evals,depths,nags,comments,year,problems,game,source\n";

/// The tags that have columns, before and after the result.
const BEFORE_RESULT: [&str; 4] = ["White", "WhiteElo", "Black", "BlackElo"];
const AFTER_RESULT: [&str; 5] = ["Date", "Event", "Site", "Round", "ECO"];

/// A JSON list with a value for each ply.
#[derive(Debug, Default)]
struct PlyList {
    text: Vec<u8>,
    has_values: bool,
}

impl PlyList {
    fn clear(&mut self) {
        self.text.clear();
        self.has_values = false;
    }

    /// Adds the value of the next ply: what `write` appends, or null.
    fn push<T>(&mut self, value: Option<T>, write: impl FnOnce(T, &mut Vec<u8>)) {
        self.text
            .push(if self.text.is_empty() { b'[' } else { b',' });
        match value {
            Some(value) => {
                self.has_values = true;
                write(value, &mut self.text);
            }
            None => self.text.extend_from_slice(b"null"),
        }
    }

    /// Appends the list as a cell; an empty cell if it has no value.
    fn write_cell(&mut self, out: &mut Vec<u8>) {
        out.push(b',');
        if self.has_values {
            self.text.push(b']');
            push_cell(&self.text, out);
        }
    }
}

/// Writes rows.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    losses: Losses,
    game: GameIndex,
    head: GameHead,
    is_left_out: bool,
    plies: u32,
    san: Vec<u8>,
    uci: Vec<u8>,
    facts: MoveFacts,
    clocks: PlyList,
    elapsed: PlyList,
    evals: PlyList,
    depths: PlyList,
    nags: PlyList,
    /// A cell under construction.
    cell: Vec<u8>,
    /// The tags whose texts are not as their columns show them.
    irregular: Vec<&'static str>,
    origins: Origins,
}

impl Writer {
    fn lose(&mut self, feature: Feature) {
        self.losses.add(feature, 1, Some(self.game));
    }

    /// Adds the values of the last ply to the lists.
    fn end_ply(&mut self) {
        if self.plies == 0 {
            return;
        }
        let facts = &mut self.facts;
        self.clocks.push(facts.clock, push_seconds);
        self.elapsed.push(facts.elapsed, push_seconds);
        let eval = facts.eval;
        self.evals
            .push(eval.map(|eval| eval.score), |score, out| match score {
                Score::Centipawns(value) => push_integer(value, out),
                Score::Mate(moves) => {
                    out.extend_from_slice(b"\"#");
                    push_integer(moves, out);
                    out.push(b'"');
                }
            });
        let depth = eval.and_then(|eval| eval.depth);
        self.depths
            .push(depth, |depth, out| write_number(depth.into(), out));
        let nags = Some(&facts.nags).filter(|nags| !nags.is_empty());
        self.nags.push(nags, |nags, out| {
            for (i, &nag) in nags.iter().enumerate() {
                out.push(if i == 0 { b'[' } else { b',' });
                write_number(nag.into(), out);
            }
            out.push(b']');
        });
        facts.clear_values();
    }

    /// Writes the tags that have no column of their own, as a JSON object.
    fn write_other_tags(&mut self, result: GameResult) {
        self.out.push(b',');
        self.cell.clear();
        let mut seen = SeenTags::default();
        let mut lost = 0;
        let start = &self.head.start;
        for (name, value) in self.head.tags.iter() {
            let is_first = seen.is_first(name);
            let is_stated = match name {
                "Result" => !result.contradicts(value),
                "FEN" => !start.contradicts(value),
                "SetUp" => !start.contradicts_setup_tag(value),
                name => {
                    (BEFORE_RESULT.contains(&name) || AFTER_RESULT.contains(&name))
                        && !self.irregular.contains(&name)
                }
            };
            if is_first && is_stated {
                continue;
            }
            if !is_first {
                lost += 1;
                self.losses.add_name(Feature::Tags, name);
                continue;
            }
            self.cell
                .push(if self.cell.is_empty() { b'{' } else { b',' });
            push_text(name, &mut self.cell);
            self.cell.push(b':');
            push_text(value, &mut self.cell);
        }
        if !self.cell.is_empty() {
            self.cell.push(b'}');
            push_cell(&self.cell, &mut self.out);
        }
        self.losses.add(Feature::Tags, lost, Some(self.game));
    }

    /// Writes the cells of tags. Ratings, dates and codes are as `ls` lists them, or empty.
    fn write_tags(&mut self, names: &[&'static str]) {
        let tags = &self.head.tags;
        for &name in names {
            let value = tags.text(name);
            self.cell.clear();
            match name {
                "WhiteElo" => push_known(tags.white_elo(), &mut self.cell),
                "BlackElo" => push_known(tags.black_elo(), &mut self.cell),
                "Date" => {
                    let date = tags.date().filter(|date| !date.is_unknown());
                    push_known(date, &mut self.cell);
                }
                "ECO" => push_known(tags.eco(), &mut self.cell),
                _ if is_unknown(name, value) => {}
                _ => self.cell.extend_from_slice(value.as_bytes()),
            }
            if self.cell != value.as_bytes() && !is_unknown(name, value) {
                self.irregular.push(name);
            }
            push_cell(&self.cell, &mut self.out);
            self.out.push(b',');
        }
    }

    fn write_row(&mut self, result: GameResult) {
        self.irregular.clear();
        self.write_tags(&BEFORE_RESULT);
        self.out.extend_from_slice(result.to_string().as_bytes());
        self.out.push(b',');
        self.write_tags(&AFTER_RESULT);
        write_number(self.plies.into(), &mut self.out);
        self.out.push(b',');
        if let Some(setup) = &self.head.start.setup {
            push_cell(setup.fen(FenStyle::XFen).as_bytes(), &mut self.out);
        }
        for is_set in [self.head.start.chess960, self.head.deleted] {
            self.out.push(b',');
            self.out
                .extend_from_slice(if is_set { b"true" } else { b"false" });
        }
        self.write_other_tags(result);
        let out = &mut self.out;
        for text in [&self.san, &self.uci] {
            out.push(b',');
            out.extend_from_slice(text);
        }
        for list in [
            &mut self.clocks,
            &mut self.elapsed,
            &mut self.evals,
            &mut self.depths,
            &mut self.nags,
        ] {
            list.write_cell(out);
        }
        out.push(b',');
        if !self.facts.comments.is_empty() {
            self.cell.clear();
            self.cell.push(b'[');
            self.cell.append(&mut self.facts.comments);
            self.cell.push(b']');
            push_cell(&self.cell, out);
        }
        out.push(b',');
        if let Some(date) = self.head.tags.date().filter(|date| date.year > 0) {
            write_number(date.year.into(), out);
        }
        if let Some(origin) = self.origins.end_game(out) {
            push_origin(&origin, out);
        }
        out.push(b'\n');
    }
}

/// Whether a text is that for an unknown value: one question mark or none, and in dates one for each digit. Anything
/// else is what the source states, also several question marks.
fn is_unknown(name: &str, value: &str) -> bool {
    match name {
        "Date" => value.chars().all(|c| "?.".contains(c)),
        _ => matches!(value, "" | "?"),
    }
}

fn push_known(value: Option<impl Display>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        // Writing to a vector does not fail.
        let _ = write!(out, "{value}");
    }
}

/// Appends the cells of an origin.
fn push_origin(origin: &GameOrigin<'_>, out: &mut Vec<u8>) {
    out.push(b',');
    write_number(origin.problems.into(), out);
    out.push(b',');
    write_number(u64::from(origin.game.0) + 1, out);
    out.push(b',');
    push_cell(origin.source.as_bytes(), out);
}

/// Appends a cell, in quotes if it contains a quote, comma or line break.
fn push_cell(text: &[u8], out: &mut Vec<u8>) {
    let needs_quotes = text
        .iter()
        .any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r'));
    if !needs_quotes {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'"', rest) {
        let (before, after) = rest.split_at(at + 1);
        out.extend_from_slice(before);
        out.push(b'"');
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        self.origins.begin_game(game);
        self.is_left_out = head.kind == RecordKind::Text;
        if self.is_left_out {
            self.lose(Feature::GuidingTexts);
            return Flow::Skip;
        }
        self.head.clone_from(head);
        self.plies = 0;
        self.san.clear();
        self.uci.clear();
        for list in [
            &mut self.clocks,
            &mut self.elapsed,
            &mut self.evals,
            &mut self.depths,
            &mut self.nags,
        ] {
            list.clear();
        }
        Flow::Go
    }

    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.end_ply();
        if self.plies > 0 {
            self.san.push(b' ');
            self.uci.push(b' ');
        }
        self.plies += 1;
        push_san(before, ply, &mut self.san);
        push_uci(ply, self.head.start.chess960, &mut self.uci);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        // Moves that were not read become one.
        let is_comment = matches!(annotation, Annotation::Comment(_) | Annotation::Foreign(_));
        let lost = if self.plies == 0 && !is_comment {
            // The lists begin with the first ply.
            Some(annotation.feature())
        } else {
            self.facts.add(&annotation, Some(self.plies))
        };
        if let Some(lost) = lost {
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
        } else {
            self.end_ply();
            self.write_row(result);
        }
    }

    fn problem(&mut self, problem: Problem) -> Flow {
        self.origins.add_problem(&problem);
        Flow::Go
    }
}

impl TextWriter for Writer {
    fn header(&self) -> &'static str {
        HEADER
    }

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
