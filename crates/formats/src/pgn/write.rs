//! The writer: games as text, straight from the visitor's calls.

use std::io::Write as _;

use tabia_core::chess::{Color, Ply, Position, san};
use tabia_core::database::TextWriter;
use tabia_core::error::GameIndex;
use tabia_core::format::{CreateOptions, Profile};
use tabia_core::game::{
    Annotation, Clock, ClockKind, Comment, Eval, Flow, Foreign, GameResult, Head, Place,
    RecordKind, Score, Shape, ShapeColor, ShapeKind, Visitor,
};
use tabia_core::io::{Charset, encode};
use tabia_core::loss::{Feature, Features, Losses};
use zerocopy::byteorder::little_endian::U128;

use super::commands::letter_of;
use super::comment::is_tidy;
use super::full;
use super::pending::Pending;
use super::profile::features;
use super::roster;
use super::tags::{ResultTag, TagWriter};
use super::wrap::wrap;

/// Ranks of commands inside a comment; the order is ChessBase's.
mod rank {
    pub(super) const EVAL: u8 = 0;
    pub(super) const CLOCK: u8 = 1;
    pub(super) const SQUARES: u8 = 2;
    pub(super) const ARROWS: u8 = 3;
    pub(super) const MEDALS: u8 = 4;
    pub(super) const OTHER: u8 = 5;
}

/// Writes games as PGN.
#[derive(Debug)]
pub(super) struct Writer {
    out: Vec<u8>,
    profile: Profile,
    can: Features,
    wrap: bool,
    charset: Charset,
    losses: Losses,
    game: GameIndex,
    tags: TagWriter,
    result_tag: ResultTag,
    /// Where the game, its movetext, its last move and the notation of that move begin.
    game_at: usize,
    text_at: usize,
    move_at: usize,
    san_at: usize,
    /// Whether something can still be put before the last move.
    move_open: bool,
    /// Whether the last move was written with its number.
    has_number: bool,
    /// The number of the last move, and who made it.
    number: (u16, Color),
    /// Whether the last move is the first of its line.
    first: bool,
    /// Nothing of this line is written yet.
    line_start: bool,
    /// The next token needs no blank before it.
    glue: bool,
    needs_number: bool,
    depth: u32,
    waits: bool,
    /// Something was said since the last move.
    said: bool,
    /// Since the last move nothing was written or said but comments before it, so that the next
    /// one only needs a blank before it.
    steady: bool,
    pending: Pending,
    /// The record is left out.
    left_out: bool,
}

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
    pub(super) fn new(options: &CreateOptions) -> Self {
        Self {
            out: Vec::new(),
            profile: options.profile,
            can: features(options.profile),
            // Lichess writes a game's moves in one line.
            wrap: options.wrap && options.profile != Profile::Lichess,
            charset: options.charset,
            losses: Losses::new(),
            game: GameIndex(0),
            tags: TagWriter::default(),
            result_tag: ResultTag::default(),
            game_at: 0,
            text_at: 0,
            move_at: 0,
            san_at: 0,
            move_open: false,
            has_number: false,
            number: (1, Color::White),
            first: false,
            line_start: true,
            glue: true,
            needs_number: true,
            depth: 0,
            waits: false,
            said: false,
            steady: false,
            pending: Pending::default(),
            left_out: false,
        }
    }

    fn is_full(&self) -> bool {
        self.profile == Profile::Full
    }

    #[cold]
    fn lose(&mut self, feature: Feature) {
        self.losses.add(feature, 1, Some(self.game));
    }

    #[inline]
    fn blank(&mut self) {
        if !self.glue {
            self.out.push(b' ');
        }
        self.glue = false;
    }

    /// Something was said that is not written yet.
    #[inline]
    fn say(&mut self) {
        self.waits = true;
        self.said = true;
        self.steady = false;
    }

    /// Writes a move that begins a line, follows something that was said, or is no ordinary one.
    #[inline(never)]
    fn write_move(&mut self, before: &Position, ply: Ply) {
        self.flush();
        let turn = before.turn();
        self.number = (before.full_move_number(), turn);
        self.has_number = turn.is_white() || self.needs_number;
        self.blank();
        self.move_at = self.out.len();
        if self.has_number {
            write_move_number(self.number, &mut self.out);
            self.needs_number = false;
        }
        self.first = self.line_start;
        self.line_start = false;
        self.move_open = true;
        self.said = false;
        self.steady = true;
        self.san_at = self.out.len();
        if ply == Ply::Null && self.profile == Profile::ChessBase {
            self.out.extend_from_slice(b"Z0");
        } else {
            san::write(before, ply, &mut self.out);
        }
    }

    /// Writes what was said about the last move.
    #[inline(always)]
    fn flush(&mut self) {
        if self.waits {
            self.write_waiting();
        }
    }

    fn write_waiting(&mut self) {
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
            write_number(u16::from(nag), &mut self.out);
        }
        self.pending.nags = nags;
    }

    fn nag(&mut self, nag: u8) {
        if self.is_full() && (self.pending.has_commands() || self.pending.has_texts()) {
            self.flush();
        }
        self.pending.nags.push(nag);
        self.say();
    }

    /// A command; in the profile `full` the order is kept, else it is ChessBase's.
    fn command(&mut self, rank: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let mut rank = rank;
        if self.is_full() {
            rank = 0;
            if self.pending.has_texts() {
                self.flush();
            }
        }
        self.pending.command(rank, write);
        self.say();
    }

    fn comment(&mut self, comment: &Comment<'_>) {
        let before = comment.place == Place::Before;
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
                self.lose(Feature::CommentPlaces);
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
            self.lose(Feature::CommentPlaces);
        }
        self.pending
            .text(|out| write_text(comment.text, changed, out));
        self.say();
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
            full::encode_text(text.as_bytes(), out);
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
                    self.command(rank::OTHER, |out| full::write(&annotation, out));
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
                self.command(rank::OTHER, |out| full::write(&annotation, out));
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
        self.say();
    }

    fn eval(&mut self, eval: &Eval) {
        let mut eval = *eval;
        if eval.engine != 0 {
            if self.is_full() {
                let annotation = Annotation::Eval(eval);
                self.command(rank::EVAL, |out| full::write(&annotation, out));
                return;
            }
            self.lose(Feature::EvalDepths);
        } else if eval.depth.is_some() && !self.can.has(Feature::EvalDepths) {
            self.lose(Feature::EvalDepths);
        }
        if !self.can.has(Feature::EvalDepths) {
            eval.depth = None;
        }
        let chessbase = self.profile == Profile::ChessBase;
        self.command(rank::EVAL, |out| write_eval(&eval, chessbase, out));
    }

    fn foreign(&mut self, foreign: &Foreign<'_>) {
        let annotation = Annotation::Foreign(*foreign);
        if foreign.is_unread_moves() && foreign.format == super::ID {
            self.command(rank::OTHER, |out| {
                out.extend_from_slice(b"[%tabia unread ");
                full::encode_text(foreign.bytes, out);
                out.push(b']');
            });
        } else {
            self.command(rank::OTHER, |out| full::write(&annotation, out));
        }
    }

    /// Makes the result of the tag that of the game, and says how it was known.
    fn finish_result(&mut self, result: GameResult) {
        let tag = self.result_tag;
        let marker = result.to_pgn();
        if tag.end > 0 && !tag.stored && tag.value != Some(marker) {
            self.out.splice(tag.start..tag.end, marker.pgn().bytes());
            let moved = marker.pgn().len();
            let old = tag.end - tag.start;
            self.text_at = (self.text_at + moved).saturating_sub(old);
            self.result_tag.value = Some(marker);
        }
        if self.is_full() && roster::result(self.result_tag.value, Some(marker)) != result {
            let tag = format!("[{} \"{result}\"]\n", roster::RESULT);
            // Before the blank line behind the tags.
            let at = self.text_at.saturating_sub(1);
            self.text_at += tag.len();
            self.out.splice(at..at, tag.bytes());
        }
    }
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &Head) -> Flow {
        self.game = game;
        self.left_out = false;
        self.pending.clear();
        self.waits = false;
        self.steady = false;
        if head.kind == RecordKind::Text && !self.can.has(Feature::GuidingTexts) {
            self.left_out = true;
            self.lose(Feature::GuidingTexts);
            return Flow::Skip;
        }
        if head.deleted && !self.can.has(Feature::DeletionMarks) {
            self.lose(Feature::DeletionMarks);
        }
        self.game_at = self.out.len();
        let losses = &mut self.losses;
        self.result_tag = self
            .tags
            .write(head, self.profile, &mut self.out, &mut |feature| {
                losses.add(feature, 1, Some(game));
            });
        self.out.push(b'\n');
        self.text_at = self.out.len();
        self.move_open = false;
        self.line_start = true;
        self.glue = true;
        self.needs_number = true;
        self.depth = 0;
        Flow::Go
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        let (number, turn) = (before.full_move_number(), before.turn());
        let blank_and_number = match turn {
            Color::White => NUMBERS.get(usize::from(number)).copied(),
            Color::Black => Some(BLANK),
        };
        let (true, Ply::Move(m), Some(start)) = (self.steady, ply, blank_and_number) else {
            self.write_move(before, ply);
            return Flow::Go;
        };
        self.number = (number, turn);
        self.has_number = turn.is_white();
        self.first = false;
        let length = (start >> 56) as usize & 7;
        self.move_at = self.out.len() + 1;
        self.san_at = self.out.len() + length;
        let text = san::spell(before, m);
        let letters = u128::from(start & !0 >> 8) | u128::from(text.letters()) << (8 * length);
        // All bytes at once, then cut: cheaper than one after the other.
        let end = self.san_at + text.len();
        self.out.extend_from_slice(&U128::new(letters).to_bytes());
        self.out.truncate(end);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.left_out {
            return Flow::Go;
        }
        let feature = annotation.feature();
        if !self.can.has(feature) {
            self.lose(feature);
            return Flow::Go;
        }
        let full = self.is_full();
        match &annotation {
            Annotation::Nag(nag) => self.nag(nag.0),
            Annotation::Comment(comment) => self.comment(comment),
            Annotation::Shape(shape) => self.shape(*shape),
            Annotation::Clock(clock) => self.command(rank::CLOCK, |out| write_clock(clock, out)),
            Annotation::Eval(eval) => self.eval(eval),
            Annotation::Medals(bits) => self.command(rank::MEDALS, |out| {
                let _ = write!(out, "[%mdl {bits}]");
            }),
            Annotation::EvalProfile(profile) if !full => {
                // Depths have no place there.
                if profile.points.iter().any(|point| point.depth != 0) {
                    self.lose(Feature::EvalDepths);
                }
                self.command(rank::MEDALS, |out| super::chessbase::profile(profile, out));
            }
            Annotation::Training(training) if !full => {
                if super::chessbase::training_is_cut(training) {
                    self.lose(Feature::Training);
                }
                self.command(rank::OTHER, |out| super::chessbase::training(training, out));
            }
            Annotation::Foreign(foreign) => self.foreign(foreign),
            Annotation::StartClock(_) if !full => self.lose(Feature::Clocks),
            _ => self.command(rank::OTHER, |out| full::write(&annotation, out)),
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        if !self.can.has(Feature::Variations) {
            self.lose(Feature::Variations);
            return Flow::Skip;
        }
        self.flush();
        self.steady = false;
        self.blank();
        self.out.push(b'(');
        self.glue = true;
        self.needs_number = true;
        self.move_open = false;
        self.line_start = true;
        self.depth += 1;
        Flow::Go
    }

    fn end_variation(&mut self) {
        self.flush();
        self.steady = false;
        self.out.push(b')');
        self.glue = false;
        self.needs_number = true;
        self.move_open = false;
        self.line_start = false;
        self.depth = self.depth.saturating_sub(1);
    }

    fn end_game(&mut self, result: GameResult) {
        if self.left_out {
            return;
        }
        self.flush();
        // A visitor that was told to skip leaves variations open.
        while self.depth > 0 {
            self.end_variation();
        }
        if result.is_special() && !self.can.has(Feature::SpecialResults) {
            self.lose(Feature::SpecialResults);
        }
        self.finish_result(result);
        self.blank();
        self.out.extend_from_slice(result.pgn().as_bytes());
        if self.wrap {
            wrap(&mut self.out, self.text_at);
        }
        self.out.extend_from_slice(b"\n\n");
        if matches!(self.charset, Charset::Single(_)) {
            self.encode();
        }
    }
}

impl Writer {
    #[cold]
    fn encode(&mut self) {
        let text = self.out.split_off(self.game_at);
        let text = String::from_utf8_lossy(&text);
        let (bytes, whole) = encode(&text, self.charset);
        self.out.extend_from_slice(&bytes);
        if !whole {
            self.lose(Feature::Characters);
        }
    }
}

impl TextWriter for Writer {
    fn text(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }
}

fn nearest_letter(color: ShapeColor) -> u8 {
    let ShapeColor::Rgb(rgb) = color else {
        return b'G';
    };
    let [_, red, green, blue] = [rgb >> 24, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255];
    match (red > 127, green > 127, blue > 127) {
        (true, true, _) => b'Y',
        (true, false, _) => b'R',
        (false, _, true) if blue >= green => b'B',
        _ => b'G',
    }
}

/// A blank as [`NUMBERS`] would have it.
const BLANK: u64 = b' ' as u64 | 1 << 56;

/// A blank and the numbers below 1000 as texts with a full stop and a blank, the first letter in
/// the lowest byte and the length in the highest.
static NUMBERS: [u64; 1000] = {
    let mut table = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        let mut letters = 0x20_2e;
        let mut length = 3;
        let mut rest = number;
        while length == 3 || rest > 0 {
            letters = letters << 8 | (b'0' as u64 + rest % 10);
            rest /= 10;
            length += 1;
        }
        table[number as usize] = letters << 8 | b' ' as u64 | length << 56;
        number += 1;
    }
    table
};

fn write_move_number((number, turn): (u16, Color), out: &mut Vec<u8>) {
    write_number(number, out);
    out.extend_from_slice(if turn.is_white() { b". " } else { b"... " });
}

fn write_number(number: u16, out: &mut Vec<u8>) {
    let digit = |value: u16| b'0' + (value % 10) as u8;
    match number {
        0..10 => out.push(digit(number)),
        10..100 => out.extend_from_slice(&[digit(number / 10), digit(number)]),
        100..1000 => {
            out.extend_from_slice(&[digit(number / 100), digit(number / 10), digit(number)]);
        }
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

fn write_clock(clock: &Clock, out: &mut Vec<u8>) {
    let name = match clock.kind {
        ClockKind::Remaining => "clk",
        ClockKind::ElapsedMove => "emt",
        ClockKind::ElapsedGame => "egt",
        _ => "mct",
    };
    let seconds = clock.time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let _ = write!(out, "[%{name} {hours}:{minutes:02}:{seconds:02}");
    let nanos = clock.time.subsec_nanos();
    if nanos != 0 {
        let fraction = format!("{nanos:09}");
        let _ = write!(out, ".{}", fraction.trim_end_matches('0'));
    }
    out.push(b']');
}

fn write_eval(eval: &Eval, chessbase: bool, out: &mut Vec<u8>) {
    let _ = match eval.score {
        Score::Mate(mate) => write!(out, "[%eval #{mate}"),
        Score::Centipawns(value) if chessbase => write!(out, "[%eval {value}"),
        Score::Centipawns(value) => {
            let sign = if value < 0 { "-" } else { "" };
            let value = value.unsigned_abs();
            let (pawns, hundredths) = (value / 100, value % 100);
            // Lichess leaves out a last zero: `0.2`, `0.0`, `0.25`.
            if hundredths % 10 == 0 {
                write!(out, "[%eval {sign}{pawns}.{}", hundredths / 10)
            } else {
                write!(out, "[%eval {sign}{pawns}.{hundredths:02}")
            }
        }
    };
    if let Some(depth) = eval.depth {
        let _ = write!(out, ",{depth}");
    }
    out.push(b']');
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
    super::comment::tidy_into(text, &mut tidied);
    out.extend(tidied.bytes().map(|byte| match byte {
        b'{' => b'(',
        b'}' => b')',
        byte => byte,
    }));
}
