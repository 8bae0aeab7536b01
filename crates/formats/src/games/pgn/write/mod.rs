//! The writer: a visitor that writes games as text.
//!
//! | module | contains |
//! |---|---|
//! | `token_state` | the state between two tokens |
//! | `moves` | moves and their numbers |
//! | `null_moves` | null moves where the profile has none |
//! | `comments` | comments and NAGs, before and after moves |
//! | `commands` | annotations as commands: `[%clk 0:01:00]` |

mod commands;
mod comments;
mod moves;
mod null_moves;
mod token_state;

use tabia_core::chess::{Color, Ply, Position};
use tabia_core::error::GameIndex;
use tabia_core::formats::{CreateOptions, Profile};
use tabia_core::game::{Annotation, Flow, GameHead, GameResult, RecordKind, Visitor};
use tabia_core::games::TextWriter;
use tabia_core::io::{Charset, encode};
use tabia_core::loss::{Feature, Features, Losses};

use self::null_moves::NullLine;
use self::token_state::{LastMove, MoveNumber, TokenState};
use super::full_profile;
use super::pending_annotations::PendingAnnotations;
use super::profile_features::features;
use super::result_tag;
use super::tag_plan::ResultTag;
use super::tag_writer::TagWriter;
use super::wrap::{CHESSBASE_WIDTH, WIDTH, wrap};

/// A variation that is not closed yet.
#[derive(Debug)]
struct OpenVariation {
    /// Offset of the annotations before the variation, and the state before them.
    start: usize,
    state: TokenState,
    /// These annotations.
    annotations: PendingAnnotations,
}

/// Writes games as PGN.
#[derive(Debug)]
pub(super) struct Writer {
    out: Vec<u8>,
    profile: Profile,
    features: Features,
    wrap: bool,
    charset: Charset,
    losses: Losses,
    game: GameIndex,
    tags: TagWriter,
    result_tag: ResultTag,
    /// Offset of the game in `out`.
    game_start: usize,
    /// Offset of its movetext.
    movetext_start: usize,
    last_move: LastMove,
    state: TokenState,
    /// The number of open variations.
    depth: usize,
    /// The number of plies of the mainline.
    plies: u64,
    /// The open variations, the outermost first, and after them buffers for others.
    variations: Vec<OpenVariation>,
    pending: PendingAnnotations,
    /// The line that is written as text because of a null move.
    null_line: Option<Box<NullLine>>,
    /// Moves that were not read and are written as they are, unless something follows them in the game.
    unread_movetext: Option<Box<[u8]>>,
}

impl Writer {
    pub(super) fn new(options: &CreateOptions) -> Self {
        Self {
            out: Vec::new(),
            profile: options.profile,
            features: features(options.profile),
            // Lichess writes a game's moves in one line.
            wrap: options.wrap && options.profile != Profile::Lichess,
            charset: options.charset,
            losses: Losses::new(),
            game: GameIndex(0),
            tags: TagWriter::new(options.profile),
            result_tag: ResultTag::default(),
            game_start: 0,
            movetext_start: 0,
            last_move: LastMove {
                start: 0,
                san_start: 0,
                number: (1, Color::White),
                number_state: MoveNumber::Omitted,
            },
            state: TokenState::LineStart,
            depth: 0,
            plies: 0,
            variations: Vec::new(),
            pending: PendingAnnotations::default(),
            null_line: None,
            unread_movetext: None,
        }
    }

    fn is_full(&self) -> bool {
        self.profile == Profile::Full
    }

    #[cold]
    fn lose(&mut self, feature: Feature) {
        self.losses.add(feature, 1, Some(self.game));
    }

    /// Writes a blank unless the next token begins a line.
    #[inline]
    fn write_blank(&mut self) {
        if self.state.needs_blank() {
            self.out.push(b' ');
        }
    }

    /// Writes the pending annotations.
    #[inline(always)]
    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.write_pending();
        }
    }

    /// The termination marker for a result, and the value of its tag.
    fn result_text(&self, result: GameResult) -> &'static str {
        match (self.profile, result) {
            (Profile::ChessBase, GameResult::BothLose) => "0-0",
            _ => result.pgn(),
        }
    }

    /// Puts the number of plies into the tag `PlyCount`, unless it has a stored value.
    fn finish_ply_count(&mut self) {
        let at = std::mem::take(&mut self.result_tag.ply_count);
        if at == 0 || self.plies == 0 {
            return;
        }
        let number = self.plies.to_string();
        self.movetext_start += number.len() - 1;
        self.out.splice(at..=at, number.bytes());
    }

    /// Replaces the value of the tag `Result` by the result of the game, and adds a tag for a result
    /// that PGN has no marker for.
    fn finish_result(&mut self, result: GameResult) {
        let tag = self.result_tag;
        let marker = result.to_pgn();
        let marker_text = self.result_text(result);
        let is_written = tag.value == Some(marker) && marker_text == marker.pgn();
        if tag.end > 0 && !tag.is_stored && !is_written {
            let text = self.out.get(tag.start..tag.end).unwrap_or_default();
            if marker.contradicts(&String::from_utf8_lossy(text)) {
                self.lose(Feature::Tags);
            }
            self.out.splice(tag.start..tag.end, marker_text.bytes());
            let new_length = marker_text.len();
            let old_length = tag.end - tag.start;
            self.movetext_start = (self.movetext_start + new_length).saturating_sub(old_length);
            self.result_tag.value = Some(marker);
        }
        let tag = self.result_tag.value;
        let is_exact = result_tag::result(tag, Some(marker)) == result
            && !tag.is_some_and(|tag| result_tag::contradicts(tag, marker));
        if self.is_full() && !is_exact {
            let tag = format!("[{} \"{result}\"]\n", full_profile::tags::RESULT);
            // Before the blank line that follows the tags.
            let at = self.movetext_start.saturating_sub(1);
            self.movetext_start += tag.len();
            self.out.splice(at..at, tag.bytes());
        }
    }
}

impl Writer {
    /// Removes the innermost variation, which has no moves, as programs reject such variations. Its
    /// annotations follow those of the move before it.
    #[cold]
    fn unwrap_variation(&mut self) {
        self.lose(Feature::Variations);
        if let Some(variation) = self.variations.get_mut(self.depth) {
            self.out.truncate(variation.start);
            self.state = variation.state;
            std::mem::swap(&mut variation.annotations, &mut self.pending);
            if !variation.annotations.is_empty() {
                self.pending.append(&variation.annotations);
                self.state = self.state.annotated();
            }
        }
    }
}

impl Visitor for Writer {
    fn begin_game(&mut self, game: GameIndex, head: &GameHead) -> Flow {
        self.game = game;
        self.pending.clear();
        self.null_line = None;
        self.unread_movetext = None;
        if head.kind == RecordKind::Text && !self.features.has(Feature::GuidingTexts) {
            self.state = TokenState::LeftOut;
            self.lose(Feature::GuidingTexts);
            return Flow::Skip;
        }
        if head.deleted && !self.features.has(Feature::DeletionMarks) {
            self.lose(Feature::DeletionMarks);
        }
        self.game_start = self.out.len();
        let losses = &mut self.losses;
        self.result_tag = self
            .tags
            .write(head, &mut self.out, |feature, count, name| {
                losses.add(feature, count, Some(game));
                if let Some(name) = name {
                    losses.add_name(feature, name);
                }
            });
        self.out.push(b'\n');
        self.movetext_start = self.out.len();
        self.state = TokenState::LineStart;
        self.depth = 0;
        self.plies = 0;
        Flow::Go
    }

    #[inline]
    fn visit_move(&mut self, before: &Position, ply: Ply) -> Flow {
        self.plies += u64::from(self.depth == 0);
        self.end_unread_movetext();
        self.add_move(before, ply);
        Flow::Go
    }

    fn visit_annotation(&mut self, annotation: Annotation<'_>) -> Flow {
        if self.state == TokenState::LeftOut {
            return Flow::Go;
        }
        let feature = annotation.feature();
        if !self.features.has(feature) {
            self.lose(feature);
            return Flow::Go;
        }
        self.end_unread_movetext();
        if self.null_line.is_some()
            && !matches!(annotation, Annotation::Nag(_) | Annotation::Comment(_))
        {
            self.lose(feature);
            return Flow::Go;
        }
        match &annotation {
            Annotation::Nag(nag) => self.nag(nag.0),
            Annotation::Comment(comment) => self.comment(comment),
            _ => self.add_as_command(&annotation),
        }
        Flow::Go
    }

    fn begin_variation(&mut self) -> Flow {
        if !self.features.has(Feature::Variations) {
            self.lose(Feature::Variations);
            return Flow::Skip;
        }
        self.end_unread_movetext();
        let (start, state) = (self.out.len(), self.state);
        if !self.pending.is_empty() {
            self.write_annotations();
        }
        if let Some(variation) = self.variations.get_mut(self.depth) {
            (variation.start, variation.state) = (start, state);
            std::mem::swap(&mut variation.annotations, &mut self.pending);
            self.pending.clear();
        } else {
            self.variations.push(OpenVariation {
                start,
                state,
                annotations: std::mem::take(&mut self.pending),
            });
        }
        self.depth += 1;
        self.write_blank();
        self.out.push(b'(');
        self.state = TokenState::LineStart;
        Flow::Go
    }

    fn end_variation(&mut self) {
        if self.null_line.is_some() {
            self.end_null_line();
        }
        self.depth = self.depth.saturating_sub(1);
        if self.state == TokenState::LineStart {
            if !self.is_full() {
                self.unwrap_variation();
                return;
            }
            self.out.extend_from_slice(b"{[%tabia variation]}");
            self.state = TokenState::AnnotatedStart;
        }
        self.flush();
        self.out.push(b')');
        self.state = TokenState::VariationEnd;
    }

    fn end_game(&mut self, result: GameResult) {
        if self.state == TokenState::LeftOut {
            return;
        }
        self.flush();
        self.write_unread_movetext();
        // The rest of a game that is skipped has no `end_variation` calls.
        while self.depth > 0 {
            self.end_variation();
        }
        if self.null_line.is_some() {
            self.end_null_line();
            self.flush();
        }
        let is_named = self.result_text(result) != result.to_pgn().pgn();
        if result.is_special() && !is_named && !self.features.has(Feature::SpecialResults) {
            self.lose(Feature::SpecialResults);
        }
        self.finish_ply_count();
        self.finish_result(result);
        self.write_blank();
        self.out
            .extend_from_slice(self.result_text(result).as_bytes());
        if self.wrap {
            let width = match self.profile {
                Profile::ChessBase => CHESSBASE_WIDTH,
                _ => WIDTH,
            };
            wrap(&mut self.out, self.movetext_start, width);
        }
        self.out.extend_from_slice(b"\n\n");
        if self.charset.is_single_byte() {
            self.encode_game();
        }
    }
}

/// How many tags and comments of a game as PGN have characters outside a set: the moves have none.
pub(in crate::games) fn texts_outside(game: &str, charset: Charset) -> u64 {
    let tags = game
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('['));
    let start = tags.clone().map(str::len).sum();
    let comments = game.get(start..).unwrap_or_default().split('{');
    let is_outside = |text: &&str| !text.is_ascii() && !encode(text, charset).1;
    tags.chain(comments).filter(is_outside).count() as u64
}

impl Writer {
    /// Encodes the text of the game in the character set.
    #[cold]
    fn encode_game(&mut self) {
        let text = self.out.split_off(self.game_start);
        let text = String::from_utf8_lossy(&text);
        let (bytes, is_complete) = encode(&text, self.charset);
        self.out.extend_from_slice(&bytes);
        if !is_complete {
            let count = texts_outside(&text, self.charset);
            self.losses.add(Feature::Characters, count, Some(self.game));
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
