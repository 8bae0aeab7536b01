//! The reader: hands the games of a text to a visitor.
//!
//! | module | contains |
//! |---|---|
//! | `game_start` | finding the start of the next game |
//! | `tags` | the tag section and the start position |
//! | `moves` | movetext, with a fast path for moves in the usual notation |
//! | `lenient_moves` | moves in other notations, and unreadable moves |
//! | `ambiguous_moves` | moves that only the rest of the game decides |
//! | `variations` | the begin and end of variations |
//! | `current_line` | the position, and the moves that a variation can replace |
//! | `comments` | comments and NAGs |
//! | `deferred_comments` | comments that precede their move |

mod ambiguous_moves;
mod comments;
mod current_line;
mod deferred_comments;
mod game_start;
mod lenient_moves;
mod moves;
mod start_position;
mod tags;
mod variations;

use tabia_core::chess::{PieceLetters, Position};
use tabia_core::error::{Error, ErrorKind, GameIndex, Problem, Result};
use tabia_core::game::{Flow, GameHead, GameResult, Visitor, Want};
use tabia_core::io::Charset;

use self::current_line::{CurrentLine, LastToken};
use self::deferred_comments::DeferredComments;
use self::game_start::{BeforeGame, begins_moves, find_game_start};
use self::tags::PairSpans;
use self::variations::VariationFrame;
use super::char_class::is_newline;
use super::comment_parser;
use super::event_boundary::{EventBoundaries, boundary_after};
use super::movetext_skipper::{MovetextEnd, SkipTo, skip_movetext};
use super::regular_movetext;
use super::repeated_tags::TagPatterns;
use super::result_tag;
use super::result_tokens::forfeit_at;
use super::text_cursor::TextCursor;

/// Reads games, reusing its buffers.
#[derive(Debug)]
pub(super) struct Reader {
    charset: Charset,
    /// Letters of pieces in another language than English.
    letters: Option<&'static PieceLetters>,
    strict: bool,
    max_depth: usize,
    boundaries: EventBoundaries,
    head: GameHead,
    /// Offset of the current game in its text.
    game_start: usize,
    /// The value of the tag `Result`.
    tag_result: Option<GameResult>,
    /// The value of the tag `TabiaResult`, which overrides the tag `Result` and the marker.
    exact_result: Option<GameResult>,
    /// Whether the game has a tag of the profile `full`.
    has_full_tags: bool,
    pairs: Vec<PairSpans>,
    /// Of regular tag sections; the last one is that of the tags in `head`.
    patterns: TagPatterns,
    /// Offsets and lengths of the values of a section with a known pattern.
    values: Vec<(usize, usize)>,
    /// Whether the game at the cursor is known to have the names of no section before.
    has_other_tags: bool,
    /// Whether the game can have tags on which its start position depends.
    has_start_tags: bool,
    /// The ranges of the comments before the tags and between them, which belong to the game.
    head_comments: Vec<(usize, usize)>,
    /// The reason why no moves can be played from the start position.
    unplayable: Option<Error>,
    /// The offset of the movetext of the current game.
    movetext_start: usize,
    /// The end of the current game and the token there, once its movetext is irregular.
    fixed_end: Option<(usize, MovetextEnd)>,
    line: CurrentLine,
    /// The lines that are interrupted by a variation, the mainline first.
    frames: Vec<VariationFrame>,
    /// Whether the game begins with a `(` that is not closed.
    has_stray_parentheses: bool,
    deferred: DeferredComments,
    /// Whether a comment or variation that is not closed was reported for the game: its end is missing.
    has_open_end: bool,
    /// Tokens that may still be tried to decide ambiguous moves of the game; `None` if there was none.
    tries: Option<usize>,
    comment_text: String,
    /// `Skip`: the visitor skips this game. `Stop`: it ends the scan, or `failed` does.
    flow: Flow,
    failed: Option<Error>,
}

/// The text and the visitor of a call.
struct Input<'t, 'v> {
    text: &'t [u8],
    /// Whether `text` ends with the complete text.
    is_last_part: bool,
    cursor: &'v mut TextCursor,
    want: Want,
    visitor: &'v mut dyn Visitor,
}

/// Zero bytes in a row that no text contains on purpose.
const HOLE: usize = 16;

fn wants_moves(want: Want) -> bool {
    want.has(Want::MAINLINE) || want.has(Want::VARIATIONS) || want.has(Want::ANNOTATIONS)
}

/// Whether a text contains comments, but no game and nothing else.
pub(super) fn has_only_comments(text: &[u8]) -> bool {
    let found = find_game_start(text, 0);
    found.start.is_none() && found.garbage.is_none() && found.comments.is_some()
}

impl Reader {
    /// `letters`: those of pieces, English ones if absent.
    pub(super) fn new(
        charset: Charset,
        strict: bool,
        max_depth: u32,
        letters: Option<&'static PieceLetters>,
    ) -> Self {
        Self {
            charset,
            letters: letters.filter(|letters| !letters.is_english()),
            strict,
            max_depth: max_depth as usize,
            boundaries: EventBoundaries::default(),
            head: GameHead::default(),
            game_start: 0,
            tag_result: None,
            exact_result: None,
            has_full_tags: false,
            pairs: Vec::new(),
            patterns: TagPatterns::default(),
            values: Vec::new(),
            has_other_tags: false,
            has_start_tags: false,
            head_comments: Vec::new(),
            unplayable: None,
            movetext_start: 0,
            fixed_end: None,
            line: CurrentLine::default(),
            frames: Vec::new(),
            has_stray_parentheses: false,
            deferred: DeferredComments::default(),
            has_open_end: false,
            tries: None,
            comment_text: String::new(),
            flow: Flow::Go,
            failed: None,
        }
    }

    /// Changes the character set of the games that follow.
    pub(super) fn set_charset(&mut self, charset: Charset) {
        self.charset = charset;
    }

    /// Changes the letters of pieces of the games that follow.
    pub(super) fn set_letters(&mut self, letters: Option<&'static PieceLetters>) {
        self.letters = letters.filter(|letters| !letters.is_english());
    }

    /// Hands the next game of `text` to `visitor`; `None` if there is no other.
    pub(super) fn next(
        &mut self,
        text: &[u8],
        cursor: &mut TextCursor,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Result<Option<Flow>> {
        self.flow = Flow::Go;
        self.failed = None;
        self.head_comments.clear();
        while cursor.at < text.len() {
            let mut start = cursor.at;
            let is_read = cursor.is_between_parts()
                && self
                    .regular_game(text, cursor, want, &mut *visitor)
                    .is_some();
            if !is_read {
                let part = cursor.part(text, start, &self.boundaries);
                let mut input = Input {
                    text: part,
                    is_last_part: part.len() == text.len(),
                    cursor: &mut *cursor,
                    want,
                    visitor: &mut *visitor,
                };
                let found = self.find_game(&mut input);
                if !found {
                    if let Some(error) = self.failed.take() {
                        return Err(error);
                    }
                    if self.has_stopped() {
                        return Ok(Some(Flow::Stop));
                    }
                    continue;
                }
                start = input.cursor.at;
                self.read_game(&mut input);
            }
            // Reading ends, whatever the text: every game has a byte.
            cursor.at = cursor.at.max(start + 1);
            cursor.games = cursor.games.saturating_add(1);
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            return Ok(Some(if self.has_stopped() {
                Flow::Stop
            } else {
                Flow::Go
            }));
        }
        Ok(None)
    }

    /// Moves the cursor to the next game of this part of the text; `false` if there is no other,
    /// or if reading ends at the text before it.
    fn find_game(&mut self, input: &mut Input<'_, '_>) -> bool {
        let text = input.text;
        let BeforeGame {
            start,
            comments,
            garbage,
        } = find_game_start(text, input.cursor.at);
        input.cursor.at = start.unwrap_or(text.len());
        self.head_comments.extend(comments);
        if let Some((from, to)) = garbage {
            let go = self.report_garbage(input, from, to);
            return go && start.is_some();
        }
        if start.is_none() && input.is_last_part {
            // There is no game to which comments could belong.
            let last = self.head_comments.last().map_or(0, |(_, to)| *to);
            if let Some((from, _)) = self.head_comments.first().copied() {
                self.report_garbage(input, from, last);
            }
        }
        start.is_some()
    }

    /// Reports text that belongs to no game; `false` if reading ends.
    fn report_garbage(&mut self, input: &mut Input<'_, '_>, from: usize, to: usize) -> bool {
        let bytes = input.text.get(from..to).unwrap_or_default();
        let start = bytes.trim_ascii_start();
        // What a server sends instead of a file that it does not have.
        let is_page = ["<!doctype html", "<html"].iter().any(|tag| {
            let start = start.get(..tag.len()).unwrap_or_default();
            start.eq_ignore_ascii_case(tag.as_bytes())
        });
        let text = "text that belongs to no game";
        let error = if is_page {
            Error::invalid("a web page (HTML), which has no games")
        } else if start.starts_with(b"{") && comment_parser::end(start, 0).is_none() {
            Error::new(ErrorKind::OpenEnd(text.to_owned()))
        } else {
            Error::invalid(text)
        };
        self.report(input, from, error, Some(bytes.trim_ascii_end()))
    }

    /// Reports a problem at `at`, with the bytes that are not read because of it; `false` if reading
    /// ends.
    fn report(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        error: Error,
        unread: Option<&[u8]>,
    ) -> bool {
        let error = input.cursor.locate(input.text, at, error);
        if self.strict {
            self.failed.get_or_insert(error);
            self.flow = Flow::Stop;
            return false;
        }
        let unread_bytes = unread.map(Box::from);
        let problem = Problem {
            error,
            unread_bytes,
        };
        if input.visitor.problem(problem) == Flow::Stop {
            self.flow = Flow::Stop;
        }
        !self.has_stopped()
    }

    /// Whether the visitor gets nothing more.
    fn has_stopped(&self) -> bool {
        self.flow == Flow::Stop
    }

    /// The offset of the last game in its text.
    pub(super) fn game_start(&self) -> usize {
        self.game_start
    }

    /// Reads the game at the cursor.
    fn read_game(&mut self, input: &mut Input<'_, '_>) {
        let first_comment = self.head_comments.first();
        self.game_start = first_comment.map_or(input.cursor.at, |(from, _)| *from);
        self.flow = Flow::Go;
        self.tries = None;
        self.has_open_end = false;
        let at = self.tags(input);
        let playable = self.start(input, at);
        let flow = self.begin_game(input.cursor, input.visitor);
        self.finish_game(input, at, playable, flow);
    }

    /// Hands tags and start position to the visitor.
    #[inline]
    fn begin_game(&mut self, cursor: &TextCursor, visitor: &mut dyn Visitor) -> Flow {
        let flow = if self.has_stopped() {
            Flow::Skip
        } else {
            visitor.begin_game(GameIndex(cursor.games), &self.head)
        };
        if flow == Flow::Stop {
            self.flow = Flow::Stop;
        }
        flow
    }

    /// Reads the game at the cursor if its tags have the names of a section before. If its moves are not read
    /// and nothing irregular is among them, the next event boundary need not be searched. `None`, before
    /// anything is handed to the visitor, if the tags are others.
    fn regular_game(
        &mut self,
        text: &[u8],
        cursor: &mut TextCursor,
        want: Want,
        visitor: &mut dyn Visitor,
    ) -> Option<()> {
        let start = cursor.at;
        if text.get(start) != Some(&b'[') || !self.head_comments.is_empty() {
            return None;
        }
        let tags_end = self.repeated_tags(text, start);
        self.has_other_tags = tags_end.is_none();
        let at = tags_end?;
        self.game_start = start;
        self.tries = None;
        self.has_open_end = false;
        self.exact_result = None;
        self.has_full_tags = false;
        self.unplayable = None;
        let mut flow = Flow::Go;
        let mut reads_moves = true;
        if !self.has_start_tags {
            flow = self.begin_game(cursor, visitor);
            reads_moves = flow == Flow::Go && wants_moves(want);
            if !reads_moves
                && let Some((marker, end)) = regular_movetext::skip(text, at)
                && let Some(boundary) = boundary_after(text, end)
                && (flow != Flow::Go || self.contradicting_tag(marker).is_none())
            {
                cursor.at = boundary;
                cursor.part_end = boundary;
                self.end_game(visitor, Some(marker));
                return Some(());
            }
        }
        let part = cursor.part(text, start, &self.boundaries);
        let mut input = Input {
            text: part,
            is_last_part: part.len() == text.len(),
            cursor,
            want,
            visitor,
        };
        let mut playable = true;
        if self.has_start_tags {
            playable = self.start(&mut input, at);
            flow = self.begin_game(input.cursor, input.visitor);
        } else if reads_moves {
            self.line.position = Position::standard();
        }
        self.finish_game(&mut input, at, playable, flow);
        Some(())
    }

    /// Reads or skips the moves of the game, which are at `at`.
    fn finish_game(&mut self, input: &mut Input<'_, '_>, at: usize, playable: bool, flow: Flow) {
        let mut at = at;
        let movetext_start = at;
        let wants_moves = wants_moves(input.want);
        let end;
        let forfeit = forfeit_at(input.text, at);
        (at, end) = if flow != Flow::Go || !wants_moves || self.has_stopped() {
            match forfeit {
                Some((result, length)) => (at, MovetextEnd::Result(result, length)),
                None => skip_movetext(input.text, at, 0, SkipTo::GameEnd),
            }
        } else if let Some((result, length)) = forfeit {
            self.begin_mainline(input);
            (at, MovetextEnd::Result(result, length))
        } else if playable {
            self.moves(input, at)
        } else {
            self.unplayable_moves(input, at)
        };
        let visits_comments = flow == Flow::Go && wants_moves && self.flow != Flow::Skip;
        let marker = match end {
            MovetextEnd::Result(result, length) => {
                let marker_at = at;
                at = self.comments_after_result(input, at + length, visits_comments);
                if flow == Flow::Go {
                    self.check_result(input, marker_at, result);
                }
                Some(result)
            }
            _ => None,
        };
        if flow == Flow::Go {
            self.check_ending(input, at, movetext_start, marker);
            if marker.is_some() && !self.head.tags.is_empty() {
                self.check_rest_of_line(input, at);
            }
        }
        input.cursor.at = at;
        self.end_game(input.visitor, marker);
    }

    /// Hands the result to the visitor.
    #[inline]
    fn end_game(&self, visitor: &mut dyn Visitor, marker: Option<GameResult>) {
        if !self.has_stopped() {
            let result = result_tag::result(self.tag_result, marker);
            visitor.end_game(self.exact_result(marker).unwrap_or(result));
        }
    }

    /// The value of the tag `TabiaResult`, unless the termination marker was changed since.
    fn exact_result(&self, marker: Option<GameResult>) -> Option<GameResult> {
        let fits = |exact: &GameResult| marker.is_none_or(|marker| exact.to_pgn() == marker);
        self.exact_result.filter(fits)
    }

    /// The value of the tag `Result` that the termination marker contradicts.
    fn contradicting_tag(&self, marker: GameResult) -> Option<GameResult> {
        self.tag_result.filter(|&tag| {
            self.exact_result(Some(marker)).is_none() && result_tag::contradicts(tag, marker)
        })
    }

    /// Reports what shows that a part of the game is missing: no termination marker although the tags state a
    /// result, nothing but tags, or bytes that were never written. `at` is the end of the movetext.
    fn check_ending(
        &mut self,
        input: &mut Input<'_, '_>,
        at: usize,
        movetext_start: usize,
        marker: Option<GameResult>,
    ) {
        if marker.is_none() {
            let tags = &self.head.tags;
            // `Rxg20-1`: the last move ends with the result.
            let movetext = input.text.get(movetext_start..at).unwrap_or_default();
            let is_glued =
                |tag: GameResult| movetext.trim_ascii_end().ends_with(tag.pgn().as_bytes());
            match self.tag_result {
                Some(tag) if tag != GameResult::Unknown && !self.has_open_end && !is_glued(tag) => {
                    let text = format!(
                        "the game ends without a result, but its tag Result is `{tag}`: it may be cut off"
                    );
                    self.report(input, at, Error::invalid(text), None);
                }
                None if at == movetext_start
                    && !tags.is_empty()
                    && tags.get("Result").is_none() =>
                {
                    let text = "the game has neither moves nor a result: it may be cut off";
                    self.report(input, at, Error::invalid(text), None);
                }
                _ => {}
            }
        }
        let game = input.text.get(self.game_start..at).unwrap_or_default();
        if memchr::memchr(0, game).is_some() {
            self.check_zero_bytes(input, at);
        }
    }

    /// Reports moves on the line of the result at its end `at`.
    fn check_rest_of_line(&mut self, input: &mut Input<'_, '_>, at: usize) {
        let rest = input.text.get(at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let next = at + blanks.count();
        let is_text = input.text.get(next).is_some_and(|&byte| !is_newline(byte));
        if is_text && begins_moves(input.text, next).is_ok() {
            let text = "moves follow the result: they are read as a game without tags";
            self.report(input, next, Error::invalid(text), None);
        }
    }

    /// Reports the first run of zero bytes of a game, which other programs and file systems leave where they could
    /// not read or write.
    #[cold]
    #[inline(never)]
    fn check_zero_bytes(&mut self, input: &mut Input<'_, '_>, end: usize) {
        let game = input.text.get(self.game_start..end).unwrap_or_default();
        if let Some(start) = memchr::memmem::find(game, &[0; HOLE]) {
            let rest = game.get(start..).unwrap_or_default();
            let length = rest.iter().take_while(|&&byte| byte == 0).count();
            let text = format!("{length} zero bytes: a part of the text is lost");
            self.report(input, self.game_start + start, Error::invalid(text), None);
        }
    }

    /// Reports that the tag `Result` and the termination marker at `at` contradict each other.
    fn check_result(&mut self, input: &mut Input<'_, '_>, at: usize, marker: GameResult) {
        if let Some(tag) = self.contradicting_tag(marker) {
            let text = format!("the tag Result is `{tag}`, but the game ends with `{marker}`");
            self.report(input, at, Error::invalid(text), None);
        }
    }
}
