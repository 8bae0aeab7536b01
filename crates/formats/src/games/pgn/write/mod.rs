//! The writer: games as text, straight from the visitor's calls.
//!
//! | module | holds |
//! |---|---|
//! | `moves` | moves and their numbers |
//! | `remarks` | symbols and comments, before and behind moves |
//! | `commands` | what is said in commands: `[%clk 0:01:00]` |

mod commands;
mod comments;
mod moves;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::GameIndex;
use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::games::TextWriter;
use tabia_core::io::{Charset, encode};
use tabia_core::loss::{Feature, Features, Losses};

use super::pending_annotations::Pending;
use super::profile::features;
use super::tag_roster;
use super::tags::{ResultTag, TagWriter};
use super::wrap::wrap;

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
            tags: TagWriter::new(options.profile),
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

    /// Writes what was said about the last move.
    #[inline(always)]
    fn flush(&mut self) {
        if self.waits {
            self.write_waiting();
        }
    }

    /// Makes the result of the tag that of the game, and says how it was known.
    fn finish_result(&mut self, result: GameResult) {
        let tag = self.result_tag;
        let marker = result.to_pgn();
        if tag.end > 0 && !tag.stored && tag.value != Some(marker) {
            let text = self.out.get(tag.start..tag.end).unwrap_or_default();
            if marker.contradicts(&String::from_utf8_lossy(text)) {
                self.lose(Feature::Tags);
            }
            self.out.splice(tag.start..tag.end, marker.pgn().bytes());
            let moved = marker.pgn().len();
            let old = tag.end - tag.start;
            self.text_at = (self.text_at + moved).saturating_sub(old);
            self.result_tag.value = Some(marker);
        }
        if self.is_full() && tag_roster::result(self.result_tag.value, Some(marker)) != result {
            let tag = format!("[{} \"{result}\"]\n", tag_roster::RESULT);
            // Before the blank line behind the tags.
            let at = self.text_at.saturating_sub(1);
            self.text_at += tag.len();
            self.out.splice(at..at, tag.bytes());
        }
    }
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
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
        self.result_tag = self.tags.write(head, &mut self.out, |feature, count| {
            losses.add(feature, count, Some(game));
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
        self.add_move(before, ply);
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
        match &annotation {
            Annotation::Nag(nag) => self.nag(nag.0),
            Annotation::Comment(comment) => self.comment(comment),
            _ => self.add_command(&annotation),
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
